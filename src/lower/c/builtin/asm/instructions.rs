//! Instructions of a statement: those of litmus tests, over the operands of the statement.
//!
//! The operands are registers and locations of the statement's own ([`operand_name`]). Registers that
//! the statement names, and flags, are arbitrary before it. Plain moves are relaxed accesses, since
//! such programs mean them to be atomic.

use super::refusal::{unknown, unknown_flag};
use super::retry::leave_out_failures;
use super::statement::{Bound, Statement};
use crate::front::c::ast::Asm;
use crate::front::c::target::Target;
use crate::front::litmus::ast::x86::{Instr as X86, Op as X, Operand};
use crate::front::litmus::ast::{LineKind, Machine};
use crate::front::litmus::operand::operand_name;
use crate::front::litmus::template::{self, FlagCondition};
use crate::lower::c::{Lowered, Lowering};
use crate::lower::litmus::body::Body;
use crate::lower::litmus::memory::Locations;
use crate::lower::litmus::{aarch64, machine, x86};
use ir::program::{Expr, LocalId, Op};
use std::collections::BTreeSet;

/// The machine of litmus tests that a target is.
pub(super) fn machine_of(target: Target) -> Machine {
    match target {
        Target::X86_64 => Machine::X86,
        Target::Ppc64le => Machine::Ppc,
        Target::Aarch64 => Machine::Aarch64,
        Target::Riscv64 => Machine::Riscv,
    }
}

/// The register of x86 that a constraint asks for.
pub fn fixed(constraint: &str) -> Option<&'static str> {
    Some(match constraint {
        "a" => "EAX",
        "b" => "EBX",
        "c" => "ECX",
        "d" => "EDX",
        "S" => "ESI",
        "D" => "EDI",
        _ => return None,
    })
}

impl Lowering<'_> {
    /// Lowers the instructions; the values of the outputs that are flags, in order.
    pub(super) fn instructions(&mut self, m: &Statement, asm: &Asm) -> Lowered<Vec<Expr>> {
        let span = m.span;
        let read_for = self.machine();
        let operands = m.described();
        let template = template::parse(&asm.template, &operands, read_for, asm.extended, span)
            .map_err(|e| unknown(&e.text, span).note(e.why.message))?;
        // A letter may mean a register on one machine and memory on another one.
        let compiled_for = asm.read_for.filter(|_| !asm.operands.is_empty());
        if compiled_for.is_some_and(|target| machine_of(target) != template.machine) {
            let text = "instructions of another machine than the one that the operands are for";
            return Err(unknown(&asm.template, span).note(text).into());
        }
        let code = template.code.iter().flatten();
        let does_something = |i: &LineKind| !matches!(i, LineKind::X86(X86 { op: X::Nop, .. }));
        if template.machine == Machine::X86 && code.clone().any(does_something) {
            self.program.x86_assembly.get_or_insert(span);
        }
        let conditions = outputs_of_flags(m, template.machine)?;
        let outputs = conditions.iter().flat_map(|(_, c)| flags_of(*c));
        let tested = code.flat_map(machine::tested);
        let tested = tested.chain(outputs.map(|f| (*f).to_string()));
        let addresses = m.operands.iter().enumerate().filter_map(|(i, o)| match o {
            Bound::Memory(address, _) => Some((operand_name(i), address.clone())),
            _ => None,
        });
        let pointer = self.pointer_width();
        let word = if template.machine == Machine::X86 {
            pointer
        } else {
            64
        };
        let memory = Locations::of_operands(word, pointer, addresses.collect());
        let mut body = Body::new(&memory, tested.collect(), span);
        body.in_c = true;
        body.named = m.registers.clone();
        for (i, operand) in m.operands.iter().enumerate() {
            if let Bound::Register(local, ..) = operand {
                body.named.insert(operand_name(i), *local);
            }
        }
        let before: BTreeSet<LocalId> = body.named.values().copied().collect();
        let inputs: BTreeSet<LocalId> = m.inputs().collect();
        // The registers of the function are those of the statement, too, as long as it is lowered.
        std::mem::swap(&mut body.locals, &mut self.body.proc.locals);
        let mut refused = None;
        for (line, instr) in template.lines.iter().zip(&template.code) {
            let from = body.instrs.len();
            let labels = line.labels.iter().map(|l| (l.name.clone(), (from, span)));
            body.labels.extend(labels);
            let Some(instr) = instr else { continue };
            let mut why = machine::lower(&mut body, instr).err().map(|e| e.message);
            let mut written = body.instrs[from..].iter().flat_map(|i| i.op.results());
            if let LineKind::X86(instr) = instr {
                why = why.or_else(|| check_x86(instr, pointer).map(str::to_string));
            }
            if is_move_or_other_machine(instr) && written.any(|l| inputs.contains(&l)) {
                why = why.or(Some("it writes an operand that is no output".to_string()));
            }
            let diag = |why: String| unknown(&line.text, span).note(why);
            refused = refused.or(why.map(diag));
        }
        let mut flags = Vec::new();
        for (name, condition) in conditions {
            if !flags_of(condition).iter().all(|f| sets(&body, f)) {
                refused = refused.or(Some(unknown_flag(&name, span)));
            }
            flags.push(match condition {
                FlagCondition::X86(condition) => x86::condition(&mut body, condition),
                FlagCondition::Aarch64(condition) => aarch64::condition(&mut body, condition),
            });
        }
        body.resolve_jumps(0, body.instrs.len());
        std::mem::swap(&mut body.locals, &mut self.body.proc.locals);
        if let Some(refused) = refused {
            return Err(refused.into());
        }
        for dst in body.named.values().filter(|l| !before.contains(l)) {
            self.emit(Op::Havoc { dst: *dst });
        }
        leave_out_failures(&mut body.instrs);
        self.body.append(body.instrs);
        Ok(flags)
    }
}

/// What instructions of litmus tests do not do.
fn check_x86(instr: &X86, pointer: u8) -> Option<&'static str> {
    let is_stack = |o: &Operand| matches!(o, Operand::Memory(m) if m.is_at("ESP"));
    if instr.op.operands().any(is_stack) {
        return Some("the stack is not known");
    }
    let is_wide = instr.size.is_some_and(|s| s > pointer);
    is_wide.then_some("registers are not that wide")
}

/// A move of x86 that writes an input may be one of Intel's syntax, which has the operands in the other
/// order; no other instruction of x86 is asked.
fn is_move_or_other_machine(instr: &LineKind) -> bool {
    match instr {
        LineKind::X86(instr) => matches!(instr.op, X::Mov(Operand::Register(_), _)),
        _ => true,
    }
}

/// What the outputs that are flags ask for.
fn outputs_of_flags(m: &Statement, machine: Machine) -> Lowered<Vec<(String, FlagCondition)>> {
    let flags = m.operands.iter().filter_map(|o| match o {
        Bound::Flag(name, _) => Some(name),
        _ => None,
    });
    flags
        .map(|name| match template::condition(machine, name) {
            Some(condition) => Ok((name.clone(), condition)),
            None => Err(unknown_flag(name, m.span).into()),
        })
        .collect()
}

fn flags_of(condition: FlagCondition) -> &'static [&'static str] {
    match condition {
        FlagCondition::X86(condition) => x86::flags_of(condition),
        FlagCondition::Aarch64(condition) => aarch64::flags_of(condition.flags),
    }
}

/// Whether some instruction sets a flag to what it is known to be.
fn sets(body: &Body, flag: &str) -> bool {
    let local = body.named.get(flag);
    let mut instrs = body.instrs.iter();
    instrs.any(|i| matches!(&i.op, Op::Assign { dst, .. } if Some(dst) == local))
}

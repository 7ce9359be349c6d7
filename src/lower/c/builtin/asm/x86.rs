//! Statements of x86: the instructions of litmus tests, over the operands of the statement.
//!
//! The operands are registers and locations of the statement's own ([`operand_name`]). Registers that
//! the statement names, and flags, are arbitrary before it. Plain moves are relaxed accesses, since
//! such programs mean them to be atomic.

use super::fence::{fence, is_hint};
use super::refusal::{unknown, unknown_flag};
use super::statement::{Bound, Statement};
use crate::front::litmus::ast::x86::{Condition, Instr as X86, Op as X, Operand};
use crate::front::litmus::operand::{OperandPlace, TemplateOperand, operand_name};
use crate::front::litmus::template::{self, TemplateLine};
use crate::front::litmus::x86::condition;
use crate::lower::c::{Lowered, Lowering};
use crate::lower::litmus::body::Body;
use crate::lower::litmus::memory::Locations;
use crate::lower::litmus::x86;
use base::diag::Diag;
use ir::program::{Fence, MemoryOrder, Op};

/// The register a constraint asks for.
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

/// What a line of a statement is.
enum Line {
    Instruction(Box<X86>),
    Barrier(Fence),
    Nothing,
}

impl Lowering<'_> {
    /// Lowers a statement whose instructions are those of x86, and barriers.
    pub(super) fn x86(
        &mut self,
        m: &mut Statement,
        lines: &[TemplateLine],
        extended: bool,
    ) -> Lowered<()> {
        let span = m.span;
        for (i, bound) in m.operands.iter().enumerate() {
            if let Bound::Register(local, ..) = bound {
                m.registers.insert(operand_name(i), *local);
            }
        }
        let code = self.x86_code(m, lines, extended)?;
        let instructions = || {
            code.iter().filter_map(|line| match line {
                Line::Instruction(instr) => Some(&**instr),
                _ => None,
            })
        };
        if instructions().any(|i| !matches!(i.op, X::Nop)) {
            self.program.x86_assembly.get_or_insert(span);
        }
        let conditions = outputs_of_flags(m)?;
        let outputs = conditions.iter().flat_map(|(_, c)| x86::flags_of(*c));
        let tested = instructions().flat_map(x86::tested).chain(outputs.copied());
        let addresses = m.operands.iter().enumerate().filter_map(|(i, o)| match o {
            Bound::Memory(address, _) => Some((operand_name(i), address.clone())),
            _ => None,
        });
        let memory = Locations::of_operands(self.pointer_width(), addresses.collect());
        let mut body = Body::new(&memory, tested.map(str::to_string).collect(), span);
        body.order = MemoryOrder::Relaxed;
        body.named = m.registers.clone();
        // The registers of the function are those of the statement, too, as long as it is lowered.
        std::mem::swap(&mut body.locals, &mut self.body.proc.locals);
        let mut refused = None;
        for (line, code) in lines.iter().zip(&code) {
            let here = (body.instrs.len(), span);
            body.labels
                .extend(line.labels.iter().map(|l| (l.name.clone(), here)));
            match code {
                Line::Nothing => {}
                Line::Barrier(fence) => body.emit(Op::Fence(*fence)),
                Line::Instruction(instr) => {
                    let lowered = x86::lower(&mut body, instr);
                    let why = lowered
                        .err()
                        .map(|e| unknown(&line.text, span).note(e.message));
                    refused = refused.or(why);
                }
            }
        }
        for (name, condition) in conditions {
            if !x86::flags_of(condition).iter().all(|f| sets(&body, f)) {
                refused = refused.or(Some(unknown_flag(&name, span)));
            }
            m.flags.push(x86::condition(&mut body, condition));
        }
        body.resolve_jumps(0, body.instrs.len());
        std::mem::swap(&mut body.locals, &mut self.body.proc.locals);
        if let Some(refused) = refused {
            return Err(refused.into());
        }
        let before = |name: &String| m.registers.contains_key(name);
        for (_, dst) in body.named.iter().filter(|(name, _)| !before(name)) {
            self.emit(Op::Havoc { dst: *dst });
        }
        self.body.append(body.instrs);
        Ok(())
    }

    fn x86_code(
        &mut self,
        m: &Statement,
        lines: &[TemplateLine],
        extended: bool,
    ) -> Lowered<Vec<Line>> {
        let operands: Vec<TemplateOperand> =
            m.names.iter().zip(&m.operands).map(described).collect();
        let mut code = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            code.push(match m.lines.get(at) {
                _ if line.text.is_empty() => Line::Nothing,
                Some(line) if is_hint(line) => Line::Nothing,
                other => match other.and_then(fence) {
                    Some(fence) => Line::Barrier(fence),
                    None => {
                        let instr = template::x86(lines, at, (&operands, extended), m.span);
                        let instr = instr.and_then(|i| self.check_x86(m, lines, i));
                        let refused = |e: Box<Diag>| unknown(&line.text, m.span).note(e.message);
                        Line::Instruction(Box::new(instr.map_err(refused)?))
                    }
                },
            });
        }
        Ok(code)
    }

    /// Refuses what instructions of litmus tests do not do.
    fn check_x86(
        &self,
        m: &Statement,
        lines: &[TemplateLine],
        instr: X86,
    ) -> Result<X86, Box<Diag>> {
        let is_stack = |o: &Operand| matches!(o, Operand::Memory(m) if m.is_at("ESP"));
        let message = match &instr.op {
            X::Jump(_, target) if !is_label(lines, &target.text) => {
                format!("there is no label `{}`", target.text)
            }
            // ARM's and Intel's `mov` write the first operand; one that is no output is not written.
            X::Mov(Operand::Register(name), _) if m.is_input(&name.text) => {
                "it writes an operand that is no output".to_string()
            }
            op if op.operands().any(is_stack) => "the stack is not known".to_string(),
            _ if instr.size.is_some_and(|s| s > self.pointer_width()) => {
                "registers are not that wide".to_string()
            }
            _ => return Ok(instr),
        };
        Err(Box::new(Diag::error(m.span, message)))
    }
}

fn described((name, bound): (&Option<String>, &Bound)) -> TemplateOperand {
    let (place, width) = match bound {
        Bound::Register(_, width, _) => (OperandPlace::Register, Some(*width)),
        Bound::Memory(_, width) => (OperandPlace::Memory, *width),
        Bound::Flag(..) => (OperandPlace::Flag, None),
    };
    TemplateOperand {
        name: name.clone(),
        place,
        width,
    }
}

/// What the outputs that are flags ask for.
fn outputs_of_flags(m: &Statement) -> Lowered<Vec<(String, Condition)>> {
    let flags = m.operands.iter().filter_map(|o| match o {
        Bound::Flag(name, _) => Some(name),
        _ => None,
    });
    flags
        .map(|name| match condition(name) {
            Some(condition) => Ok((name.clone(), condition)),
            None => Err(unknown_flag(name, m.span).into()),
        })
        .collect()
}

/// Whether some instruction sets a flag to what it is known to be.
fn sets(body: &Body, flag: &str) -> bool {
    let local = body.named.get(flag);
    let mut instrs = body.instrs.iter();
    instrs.any(|i| matches!(&i.op, Op::Assign { dst, .. } if Some(dst) == local))
}

fn is_label(lines: &[TemplateLine], name: &str) -> bool {
    let mut labels = lines.iter().flat_map(|l| &l.labels);
    labels.any(|l| l.name == name)
}

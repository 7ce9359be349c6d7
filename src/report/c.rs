//! A litmus test as a C program, for tools that read no litmus tests.
//!
//! Every thread is a function, registers are its locals, locations are volatile globals, so that
//! each access stays one; fences and exchanges are inline assembly. When all threads have ended,
//! an assertion holds what the test claims: a state that `exists` or `~exists` asks for violates
//! it, and so does one in which `forall` fails.
//!
//! Registers have the width of pointers, because some hold addresses; what is stored, compared,
//! divided or shifted to the right is truncated to its width first. A dependency like `r ^ r` is
//! written as it is. Compilers may drop it: that is a property of C, not of this text.
//!
//! A test in C has the functions that it is written with: see `c/functions.rs`.

mod expression;
mod functions;
mod objects;
pub mod runner;

use base::diag::Diag;
use base::idx::{Id, IdVec};
use expression::{Thread, name};
use ir::litmus::{Condition, LitmusTest, Operand, Quantifier};
use ir::program::*;
use objects::{Language, Object};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The program.
///
/// # Errors
/// The instruction that C cannot express, or an address in memory.
pub fn program(test: &LitmusTest) -> Result<String, Diag> {
    let mut out = format!("/* {} ({}), asked: ", test.name, test.machine);
    let quantified = match test.final_condition.quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "~exists",
        Quantifier::Forall => "forall",
    };
    let _ = writeln!(out, "{quantified} {} */", test.final_condition.text);
    let language = Language::of(test);
    let objects = Object::of(test, language);
    out += language.headers();
    // One may have the address of another one.
    if language == Language::Kernel {
        for id in test.program.globals.ids() {
            let _ = writeln!(
                out,
                "extern {};",
                declaration(test, id, (language, objects[id]))
            );
        }
    }
    for (id, global) in test.program.globals.iter_enumerated() {
        let object = (language, objects[id]);
        let value = initial(test, global, object)?;
        let _ = writeln!(out, "{} = {value};", declaration(test, id, object));
    }
    for (id, observable) in test.program.observables.iter_enumerated() {
        if let Observable::Register { width, .. } = observable {
            let _ = writeln!(out, "uint{width}_t {};", result(id));
        }
    }
    let main = test.program.main;
    let threads = test.program.procs.iter_enumerated();
    let threads: Vec<(ProcId, &Proc)> = threads.filter(|(p, _)| Some(*p) != main).collect();
    for (_, proc) in &threads {
        let thread = Thread {
            test,
            proc,
            language,
            objects: &objects,
        };
        out += &thread.text()?;
    }
    out += "\nint main(void) {\n";
    let handles: Vec<String> = (0..threads.len()).map(|i| format!("t{i}")).collect();
    let _ = writeln!(out, "  pthread_t {};", handles.join(", "));
    for (handle, (_, proc)) in handles.iter().zip(&threads) {
        let _ = writeln!(out, "  pthread_create(&{handle}, 0, {}, 0);", proc.name);
    }
    for handle in &handles {
        let _ = writeln!(out, "  pthread_join({handle}, 0);");
    }
    let condition = |c| condition(test, &|id| observed(test, id, (language, &objects)), c);
    let mut claim = condition(&test.final_condition.condition);
    if test.final_condition.quantifier != Quantifier::Forall {
        claim = format!("!({claim})");
    }
    if let Some(filter) = &test.final_condition.filter {
        claim = format!("!({}) || {claim}", condition(filter));
    }
    let _ = writeln!(out, "  assert({claim});\n  return 0;\n}}");
    Ok(out)
}

/// The global that has the final value of a register.
fn result(id: ObservableId) -> String {
    format!("out{}", id.index())
}

/// The declaration of a location without its initial value.
fn declaration(test: &LitmusTest, id: GlobalId, (language, object): (Language, Object)) -> String {
    let (program, name) = (&test.program, name(&test.program, id));
    let layout = program.globals[id].layout;
    let scalars = program.scalars(layout);
    let width = scalars.first().map_or(32, |(_, width)| *width);
    let ty = match language {
        Language::Assembly => format!("volatile uint{width}_t"),
        Language::C11 | Language::Kernel => object.ty(width),
    };
    match &program.layouts[layout] {
        Layout::Scalar { .. } => format!("{ty} {name}"),
        _ => format!("{ty} {name}[{}]", scalars.len()),
    }
}

/// The initial value of a location.
fn initial(
    test: &LitmusTest,
    global: &Global,
    (language, object): (Language, Object),
) -> Result<String, Diag> {
    let program = &test.program;
    let scalars = program.scalars(global.layout);
    let mut values = vec!["0".to_string(); scalars.len()];
    for (offset, bits, value) in &global.init {
        let at = scalars.iter().position(|s| *s == (*offset, *bits));
        match (at, value) {
            (Some(at), Expr::Const { value, .. }) => values[at] = value.to_string(),
            (Some(at), Expr::Global(of)) if language == Language::Kernel => {
                values[at] = format!("(uintptr_t)&{}", name(program, *of));
            }
            _ => {
                let text = format!("C cannot keep an address in `{}`", global.name);
                return Err(Diag::error(global.span, text));
            }
        }
    }
    let values = values.join(", ");
    let is_number = matches!(program.layouts[global.layout], Layout::Scalar { .. });
    Ok(match is_number && object.member().is_empty() {
        true => values,
        false => format!("{{{values}}}"),
    })
}

fn condition(
    test: &LitmusTest,
    observed: &dyn Fn(ObservableId) -> String,
    c: &Condition,
) -> String {
    let sub = |c: &Condition| condition(test, observed, c);
    let all = |all: &[Condition], op: &str, none: &str| {
        let parts: Vec<String> = all.iter().map(sub).collect();
        if parts.is_empty() {
            none.to_string()
        } else {
            format!("({})", parts.join(op))
        }
    };
    match c {
        Condition::Constant(truth) => u8::from(*truth).to_string(),
        Condition::Equal(what, operand) => {
            let width = test.program.observables[*what].width();
            let other = match operand {
                Operand::Number(n) => (n & mask(width)).to_string(),
                Operand::Address(g, 0) => format!("(uintptr_t)&{}", name(&test.program, *g)),
                Operand::Address(g, offset) => {
                    format!("(uintptr_t)&{} + {offset}", name(&test.program, *g))
                }
                Operand::Observable(other) => observed(*other),
            };
            format!("{} == (uint{width}_t)({other})", observed(*what))
        }
        Condition::Not(c) => format!("!({})", sub(c)),
        Condition::And(parts) => all(parts, " && ", "1"),
        Condition::Or(parts) => all(parts, " || ", "0"),
        Condition::Implies(a, b) => {
            format!("(!({}) || {})", sub(a), sub(b))
        }
    }
}

fn observed(
    test: &LitmusTest,
    id: ObservableId,
    (language, objects): (Language, &IdVec<GlobalId, Object>),
) -> String {
    let program = &test.program;
    match &program.observables[id] {
        Observable::Register { .. } => result(id),
        Observable::Memory { global, offset, .. } => {
            let path = program.path(program.globals[*global].layout, *offset);
            let member = objects[*global].member();
            let place = format!("{}{path}{member}", name(program, *global));
            match language {
                Language::Kernel => format!("READ_ONCE({place})"),
                Language::Assembly | Language::C11 => place,
            }
        }
    }
}

impl Thread<'_> {
    fn text(&self) -> Result<String, Diag> {
        let proc = self.proc;
        let mut out = format!("\nvoid *{}(void *unused) {{\n", proc.name);
        for local in proc.locals.ids() {
            let _ = writeln!(out, "  uintptr_t {} = 0;", self.local(local));
        }
        let targets: BTreeSet<usize> = proc
            .body
            .iter()
            .filter_map(|i| match i.op {
                Op::Goto { target, .. } => Some(target),
                _ => None,
            })
            .collect();
        for (pc, instr) in proc.body.iter().enumerate() {
            if targets.contains(&pc) {
                let _ = writeln!(out, " L{pc}:;");
            }
            let text = match self.in_language(pc, instr)? {
                Some(text) => text,
                None => self.instruction(instr)?,
            };
            let _ = writeln!(out, "  {text}");
        }
        if targets.contains(&proc.body.len()) {
            let _ = writeln!(out, " L{}:;", proc.body.len());
        }
        Ok(out + "  return 0;\n}\n")
    }

    fn instruction(&self, instr: &Instr) -> Result<String, Diag> {
        let e = |e: &Expr| self.expr(e, instr.span);
        Ok(match &instr.op {
            Op::Assign { dst, value } => format!("{} = {};", self.local(*dst), e(value)?),
            Op::Load { dst, addr, order } => {
                if let Some(mnemonic) = self.ordered(*order, false) {
                    let into = self.local(*dst);
                    return Ok(format!(
                        "__asm__ __volatile__(\"{mnemonic} %0, [%1]\" : \"=r\"({into}) : \"r\"({}) : \"memory\");",
                        e(addr)?
                    ));
                }
                if *order != MemoryOrder::Plain {
                    return Err(self.refused(instr));
                }
                let place = self.place(addr, self.proc.locals[*dst].width, instr.span)?;
                format!("{} = {place};", self.local(*dst))
            }
            Op::Store { addr, value, order } => {
                if let Some(mnemonic) = self.ordered(*order, true) {
                    return Ok(format!(
                        "__asm__ __volatile__(\"{mnemonic} %0, [%1]\" : : \"r\"({}), \"r\"({}) : \"memory\");",
                        e(value)?,
                        e(addr)?
                    ));
                }
                if *order != MemoryOrder::Plain {
                    return Err(self.refused(instr));
                }
                let width = self.width(value);
                let place = self.place(addr, width, instr.span)?;
                format!("{place} = {};", e(value)?)
            }
            Op::Rmw {
                dst,
                addr,
                op: RmwOp::Exchange,
                operand,
                order: MemoryOrder::Locked,
            } => {
                let width = self.proc.locals[*dst].width;
                let place = self.place(addr, width, instr.span)?;
                let dst = self.local(*dst);
                let asm = "__asm__ __volatile__(\"xchg %0, %1\" : \"+r\"(old), \"+m\"";
                format!(
                    "{{ uint{width}_t old = {}; {asm}({place}) : : \"memory\"); {dst} = old; }}",
                    e(operand)?
                )
            }
            Op::Rmw {
                dst,
                addr,
                op,
                operand,
                order: MemoryOrder::Locked,
            } => {
                let function = match op {
                    RmwOp::Add => "add",
                    RmwOp::Sub => "sub",
                    RmwOp::And => "and",
                    RmwOp::Or => "or",
                    RmwOp::Xor => "xor",
                    _ => return Err(self.refused(instr)),
                };
                let place = self.place(addr, self.proc.locals[*dst].width, instr.span)?;
                let (dst, operand) = (self.local(*dst), e(operand)?);
                format!("{dst} = __atomic_fetch_{function}(&{place}, {operand}, __ATOMIC_SEQ_CST);")
            }
            Op::Cas {
                dst,
                addr,
                expected,
                desired,
                success: MemoryOrder::Locked,
                ..
            } => {
                let width = self.proc.locals[*dst].width;
                let place = self.place(addr, width, instr.span)?;
                let (dst, old, new) = (self.local(*dst), e(expected)?, e(desired)?);
                format!(
                    "{{ uint{width}_t old = {old}; __atomic_compare_exchange_n(&{place}, &old, {new}, 0, \
                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); {dst} = old; }}"
                )
            }
            Op::Fence(fence) => {
                let fence = match fence {
                    Fence::Mfence => "mfence",
                    Fence::Sfence => "sfence",
                    Fence::Lfence => "lfence",
                    Fence::Sync => "sync",
                    Fence::Lwsync => "lwsync",
                    Fence::Isync if self.test.machine == "AArch64" => "isb",
                    Fence::Isync => "isync",
                    Fence::Eieio => "eieio",
                    fence => match self.barrier(*fence) {
                        Some(name) => name,
                        None => return Err(self.refused(instr)),
                    },
                };
                format!("__asm__ __volatile__(\"{fence}\" : : : \"memory\");")
            }
            Op::Observe { what, value } => format!("{} = {};", result(*what), e(value)?),
            Op::Goto { cond: None, target } => format!("goto L{target};"),
            Op::Goto {
                cond: Some(cond),
                target,
            } => format!("if ({}) goto L{target};", e(cond)?),
            _ => return Err(self.refused(instr)),
        })
    }

    /// The instruction of ARM that an access with this order is, if it is one that C has no word for.
    fn ordered(&self, order: MemoryOrder, stores: bool) -> Option<&'static str> {
        let MemoryOrder::Annotated(annotation) = order else {
            return None;
        };
        match (self.test.machine.as_str(), stores) {
            ("AArch64", false) if annotation.read == ["ACQUIRE"] => Some("ldar"),
            ("AArch64", false) if annotation.read == ["ACQUIRE-PC"] => Some("ldapr"),
            ("AArch64", true) if annotation.write == ["RELEASE"] => Some("stlr"),
            _ => None,
        }
    }

    /// A fence by the pairs it orders, as the test's machine has it.
    fn barrier(&self, fence: Fence) -> Option<&'static str> {
        let Fence::Membar {
            load_load,
            load_store,
            store_load,
            store_store,
        } = fence
        else {
            return None;
        };
        let pairs = [load_load, load_store, store_load, store_store];
        let pairs = pairs.map(u8::from);
        match (self.test.machine.as_str(), pairs) {
            ("AArch64", [1, 1, 1, 1]) => Some("dmb ish"),
            ("AArch64", [1, 1, 0, 0]) => Some("dmb ishld"),
            ("AArch64", [0, 0, 0, 1]) => Some("dmb ishst"),
            ("RISCV", [1, 1, 1, 1]) => Some("fence rw,rw"),
            ("RISCV", [1, 1, 0, 1]) => Some("fence.tso"),
            ("RISCV", [1, 1, 0, 0]) => Some("fence r,rw"),
            ("RISCV", [0, 1, 0, 1]) => Some("fence rw,w"),
            ("RISCV", [1, 0, 1, 0]) => Some("fence rw,r"),
            ("RISCV", [0, 0, 1, 1]) => Some("fence w,rw"),
            ("RISCV", [1, 0, 0, 0]) => Some("fence r,r"),
            ("RISCV", [0, 1, 0, 0]) => Some("fence r,w"),
            ("RISCV", [0, 0, 1, 0]) => Some("fence w,r"),
            ("RISCV", [0, 0, 0, 1]) => Some("fence w,w"),
            _ => None,
        }
    }
}

//! Checks what the type of [`Program`] cannot say: widths agree, ids and jump targets exist.
//!
//! Every lowering promises this. The driver looks at what they return, so that what is not a program gets no
//! answer.

use super::pair::{PairAccess, WORD};
use super::program::*;

/// Checks a program.
///
/// # Errors
/// A sentence about the first thing that is wrong, with procedure and instruction index.
pub fn check(program: &Program) -> Result<(), String> {
    for global in program.globals.iter() {
        if !global.init.is_sorted_by_key(|(offset, ..)| *offset) {
            return Err(format!("{}: initial values are not ascending", global.name));
        }
    }
    for proc in program.procs.iter() {
        let scope = Scope { program, proc };
        for (i, instr) in proc.body.iter().enumerate() {
            scope
                .op(&instr.op)
                .map_err(|e| format!("{}: instruction {i}: {e}", proc.name))?;
        }
        looks_once(proc).map_err(|e| format!("{}: {e}", proc.name))?;
    }
    match program.main {
        Some(main) if program.procs.get(main).is_some() => Ok(()),
        _ => Err("there is no main procedure".to_string()),
    }
}

struct Scope<'a> {
    program: &'a Program,
    proc: &'a Proc,
}

impl Scope<'_> {
    fn local(&self, l: LocalId) -> Result<Width, String> {
        self.proc
            .locals
            .get(l)
            .map(|l| l.width)
            .ok_or_else(|| format!("register {l} does not exist"))
    }

    fn want(&self, e: &Expr, width: Width, what: &str) -> Result<(), String> {
        match self.expr(e)? {
            w if w == width => Ok(()),
            w => Err(format!("{what} has width {w} instead of {width}")),
        }
    }

    fn memory(&self, width: Width) -> Result<(), String> {
        if matches!(width, 8 | 16 | 32 | 64) {
            Ok(())
        } else {
            Err(format!("an access of {width} bits"))
        }
    }

    fn op(&self, op: &Op) -> Result<(), String> {
        let pointer = self.program.data_model.pointer_width();
        let operands = op.operands();
        operands
            .into_iter()
            .try_for_each(|e| self.expr(e).map(|_| ()))?;
        let results = op.results();
        results
            .into_iter()
            .try_for_each(|l| self.local(l).map(|_| ()))?;
        if let Some(addr) = op.address() {
            self.want(addr, pointer, "the address")?;
        }
        match op {
            Op::Assign { dst, value } => self.want(value, self.local(*dst)?, "the value"),
            Op::ThreadSelf { dst } => self.want(&Expr::Local(*dst), pointer, "the handle"),
            Op::SameThread { dst, a, b } => {
                self.want(&Expr::Local(*dst), 1, "the answer")?;
                self.want(a, pointer, "the handle")?;
                self.want(b, pointer, "the handle")
            }
            Op::Load { dst, .. } | Op::LoadLinked { dst, .. } => self.memory(self.local(*dst)?),
            Op::Store { value, .. } => self.memory(self.expr(value)?),
            Op::StoreConditional { dst, value, .. } => {
                self.want(&Expr::Local(*dst), 1, "the success of the store")?;
                self.memory(self.expr(value)?)
            }
            Op::Observe { what, value } => match self.program.observables.get(*what) {
                Some(Observable::Register { width, .. }) => {
                    self.want(value, *width, "the observed value")
                }
                _ => Err("an observation of what is no register".to_string()),
            },
            Op::Rmw { dst, operand, .. } => {
                self.memory(self.local(*dst)?)?;
                self.want(operand, self.local(*dst)?, "the operand")
            }
            Op::Cas {
                dst,
                expected,
                desired,
                weak,
                ..
            } => {
                if let Some(weak) = weak {
                    self.want(&Expr::Local(weak.done), 1, "the success of the store")?;
                    self.want(&weak.when, 1, "the condition")?;
                }
                let width = self.local(*dst)?;
                self.memory(width)?;
                self.want(expected, width, "the expected value")?;
                self.want(desired, width, "the desired value")
            }
            Op::Pair(pair) => {
                let words = pair.access.operands();
                let mut words: Vec<Expr> = words.into_iter().cloned().collect();
                if let PairAccess::Cas {
                    weak: Some(weak), ..
                } = &pair.access
                {
                    words.pop();
                    self.want(&Expr::Local(weak.done), 1, "the success of the store")?;
                    self.want(&weak.when, 1, "the condition")?;
                }
                let targets = pair.access.read().into_iter().flatten();
                words.extend(targets.map(Expr::Local));
                words
                    .iter()
                    .try_for_each(|word| self.want(word, WORD, "a word of two"))
            }
            Op::OneOf(ways) => ways.iter().try_for_each(|(cond, op)| {
                self.want(cond, 1, "the condition")?;
                match op {
                    Op::Load { .. }
                    | Op::Store { .. }
                    | Op::Rmw { .. }
                    | Op::Cas { .. }
                    | Op::Pair(_)
                    | Op::Fence(_)
                    | Op::Unknown(_) => self.op(op),
                    _ => Err("one of several instructions that is no access".to_string()),
                }
            }),
            Op::Goto { cond, target } => {
                if *target > self.proc.body.len() {
                    return Err(format!("a jump to {target}"));
                }
                cond.iter()
                    .try_for_each(|c| self.want(c, 1, "the condition"))
            }
            Op::Call { dst, callee, args } => self.call(*dst, callee, args),
            Op::Return(value) => match (value, self.proc.returns) {
                (Some(value), Some(width)) => self.want(value, width, "the returned value"),
                (Some(_), None) => {
                    Err("a value is returned from a procedure without one".to_string())
                }
                (None, _) => Ok(()),
            },
            Op::Alloc {
                dst,
                layout,
                size,
                replaces,
                ..
            } => {
                if let Some(old) = replaces {
                    self.want(old, pointer, "what is replaced")?;
                }
                if layout.is_some_and(|l| self.program.layouts.get(l).is_none()) {
                    return Err("a layout that does not exist".to_string());
                }
                self.want(&Expr::Local(*dst), pointer, "the address")?;
                self.want(size, pointer, "the size")
            }
            Op::GracePeriod { width, .. } => self.memory(*width),
            Op::Constant { object } => self.want(&Expr::Local(*object), pointer, "the address"),
            Op::Free { addr } | Op::LeaveScope { addr } => self.want(addr, pointer, "the address"),
            Op::Spawn { dst, callee, arg } => {
                self.want(&Expr::Local(*dst), pointer, "the handle")?;
                self.want(arg, pointer, "the argument")?;
                match callee {
                    Callee::Pointer(e) => self.want(e, pointer, "the start routine"),
                    Callee::Proc(p) => self.start_routine(*p, pointer),
                }
            }
            Op::Join { handle, dst } => {
                self.want(handle, pointer, "the handle")?;
                dst.iter()
                    .try_for_each(|d| self.want(&Expr::Local(*d), pointer, "the result"))
            }
            Op::Wait { cond, .. } => self.want(cond, 1, "the condition"),
            Op::Assume(c) | Op::Assert { cond: c, .. } => self.want(c, 1, "the condition"),
            Op::ThreadExit(Some(value)) => self.want(value, pointer, "the result"),
            Op::SetNote { key, value, when } => {
                self.want(key, pointer, "the key")?;
                self.want(value, NOTE_WIDTH, "what is remembered")?;
                self.want(when, 1, "the condition")
            }
            Op::GetNote { dst, key } => {
                self.want(key, pointer, "the key")?;
                self.want(&Expr::Local(*dst), NOTE_WIDTH, "what is remembered")
            }
            Op::Claim { key, .. } | Op::Release(key) => self.want(key, pointer, "the key"),
            _ => Ok(()),
        }
    }

    fn call(&self, dst: Option<LocalId>, callee: &Callee, args: &[Expr]) -> Result<(), String> {
        let pointer = self.program.data_model.pointer_width();
        let p = match callee {
            Callee::Pointer(e) => return self.want(e, pointer, "the callee"),
            Callee::Proc(p) => p,
        };
        let target = self
            .program
            .procs
            .get(*p)
            .ok_or("a procedure that does not exist")?;
        if target.params.len() != args.len() {
            return Err(format!(
                "{} arguments for {} parameters",
                args.len(),
                target.params.len()
            ));
        }
        for (arg, param) in args.iter().zip(&target.params) {
            self.want(arg, target.locals[*param].width, "an argument")?;
        }
        match (dst, target.returns) {
            (Some(dst), Some(width)) => self.want(&Expr::Local(dst), width, "the result"),
            (Some(_), None) => Err("a result is taken from a procedure without one".to_string()),
            (None, _) => Ok(()),
        }
    }

    fn start_routine(&self, p: ProcId, pointer: Width) -> Result<(), String> {
        let target = self
            .program
            .procs
            .get(p)
            .ok_or("a procedure that does not exist")?;
        let narrow = target
            .params
            .iter()
            .any(|l| target.locals[*l].width != pointer);
        if target.params.len() > 1 || narrow || target.returns.is_some_and(|w| w != pointer) {
            return Err(format!("`{}` cannot start a thread", target.name));
        }
        Ok(())
    }

    /// The width of an expression whose parts agree.
    fn expr(&self, e: &Expr) -> Result<Width, String> {
        match e {
            Expr::Const { value, width }
                if *width == 0 || *width > 64 || *value & !mask(*width) != 0 =>
            {
                Err(format!("the number {value} of {width} bits"))
            }
            Expr::Const { width, .. } => Ok(*width),
            Expr::Local(l) => self.local(*l),
            Expr::Global(g) if self.program.globals.get(*g).is_none() => {
                Err(format!("global {g} does not exist"))
            }
            Expr::Proc(p) if self.program.procs.get(*p).is_none() => {
                Err(format!("procedure {p} does not exist"))
            }
            Expr::Global(_) | Expr::Proc(_) => Ok(self.program.data_model.pointer_width()),
            Expr::Unary(UnOp::Float(_), a) => float(self.expr(a)?),
            Expr::Unary(_, a) => self.expr(a),
            Expr::Binary(op, a, b) => {
                let width = self.expr(a)?;
                self.want(b, width, "the second operand")?;
                if op.is_float() {
                    float(width)?;
                }
                Ok(if op.is_comparison() { 1 } else { width })
            }
            Expr::Ite(c, a, b) => {
                self.want(c, 1, "the condition")?;
                let width = self.expr(a)?;
                self.want(b, width, "the second alternative")?;
                Ok(width)
            }
            Expr::Cast(cast, width, a) => {
                let from = self.expr(a)?;
                match cast {
                    Cast::Truncate if *width > from => {
                        Err(format!("truncation from {from} to {width} bits"))
                    }
                    Cast::Zero | Cast::Sign if *width < from => {
                        Err(format!("extension from {from} to {width} bits"))
                    }
                    Cast::FromSigned | Cast::FromUnsigned => float(*width),
                    Cast::ToSigned | Cast::ToUnsigned => float(from).map(|_| *width),
                    Cast::Float => float(from).and_then(|_| float(*width)),
                    _ => Ok(*width),
                }
            }
        }
    }
}

/// A thread has one part in what all threads see at one moment: if it had two, whatever it did
/// between them would be at that moment, too, and fences are at none.
fn looks_once(proc: &Proc) -> Result<(), String> {
    let looks = |at: &usize| {
        let op = proc.body.get(*at).map(|instr| &instr.op);
        matches!(op, Some(Op::AtomicBegin(Atomicity::Snapshot)))
    };
    for first in (0..proc.body.len()).filter(looks) {
        let mut seen = vec![false; proc.body.len()];
        let mut pending = successors(proc, first);
        while let Some(at) = pending.pop() {
            if looks(&at) {
                return Err(format!("instruction {at}: a second snapshot after {first}"));
            }
            if seen.get(at) == Some(&false) {
                seen[at] = true;
                pending.extend(successors(proc, at));
            }
        }
    }
    Ok(())
}

/// The instructions of a procedure that may be next; its end is one more.
fn successors(proc: &Proc, at: usize) -> Vec<usize> {
    match &proc.body[at].op {
        Op::Goto { cond: None, target } => vec![*target],
        Op::Goto { target, .. } => vec![at + 1, *target],
        Op::Return(_) | Op::ThreadExit(_) => Vec::new(),
        _ => vec![at + 1],
    }
}

/// Bits that a floating-point number has.
fn float(width: Width) -> Result<Width, String> {
    match width {
        32 | 64 => Ok(width),
        _ => Err(format!("a floating-point number of {width} bits")),
    }
}

//! What conditional jumps ask, in terms of the last result.
//!
//! The paper keeps one flag, `ZF`, as the last result itself. Integers have no bounds here, so the
//! sign of the result of `cmp a, b` is that of `a - b`, there is no signed overflow, and signed
//! conditions compare the result with 0. Unsigned conditions do so too where both operands are known
//! not to be negative and the last instruction that sets the carry is a comparison or a
//! subtraction, whose result it set as well. Everything else is refused: the carry of a sum, which
//! would be that of 2³², and the carry from before an `inc` or `dec`, which leave it alone.

use super::flow::successors;
use super::intervals::{Interval, Intervals};
use crate::front::asm::ast::Program;
use crate::front::litmus::ast::x86::{Binary, Condition, Op, Operand, Test, Unary};
use base::diag::Diag;
use base::source::Span;
use std::collections::BTreeSet;
use systems::cub::ast::Rel;

/// When a jump is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Taken {
    /// When the last result compares so with 0.
    When(Rel),
    /// In any case.
    Always,
    /// In no case.
    Never,
}

/// When a jump of a program that [`check`] accepts is taken.
pub(super) fn taken(condition: Condition) -> Taken {
    let rel = match condition.test {
        Test::Equal => Rel::Eq,
        Test::Less | Test::Below | Test::Sign => Rel::Lt,
        Test::LessEqual | Test::BelowEqual => Rel::Le,
        Test::Overflow if condition.holds => return Taken::Never,
        Test::Overflow => return Taken::Always,
    };
    Taken::When(if condition.holds { rel } else { opposite(rel) })
}

/// The comparison that holds when this one does not.
pub(super) fn opposite(rel: Rel) -> Rel {
    match rel {
        Rel::Eq => Rel::Ne,
        Rel::Ne => Rel::Eq,
        Rel::Lt => Rel::Ge,
        Rel::Ge => Rel::Lt,
        Rel::Le => Rel::Gt,
        Rel::Gt => Rel::Le,
    }
}

/// Some jump asks for flags.
pub(super) fn are_used(program: &Program) -> bool {
    let mut code = program.code.iter();
    code.any(|l| matches!(l.instr.op, Op::Jump(Some(_), _)))
}

/// Whether an instruction sets the flags, and the carry among them.
fn sets(op: &Op) -> (bool, bool) {
    match op {
        Op::Binary(..) | Op::Cmp(..) | Op::Test(..) | Op::Xadd(..) | Op::Cmpxchg(..) => {
            (true, true)
        }
        Op::Unary(Unary::Not, _) => (false, false),
        Op::Unary(..) | Op::CmpxchgPair(_) => (true, false),
        Op::Bit(..) => (false, true),
        Op::Nop
        | Op::Rdtsc
        | Op::Fence(_)
        | Op::Mov(..)
        | Op::Set(..)
        | Op::Xchg(..)
        | Op::Jump(..) => (false, false),
    }
}

/// The instructions that may have set something last; `None` is the start of the thread.
type Definitions = BTreeSet<Option<usize>>;

/// Before each instruction: who may have set the flags, and the carry (reaching definitions).
fn reaching(program: &Program) -> Vec<[Definitions; 2]> {
    let count = program.code.len();
    let mut before = vec![[Definitions::new(), Definitions::new()]; count + 1];
    before[0] = [[None].into(), [None].into()];
    let mut work = vec![0];
    while let Some(index) = work.pop() {
        if index == count {
            continue;
        }
        let mut after = before[index].clone();
        let (flags, carry) = sets(&program.code[index].instr.op);
        for (is_set, definitions) in [flags, carry].into_iter().zip(&mut after) {
            if is_set {
                *definitions = [Some(index)].into();
            }
        }
        for next in successors(program, index) {
            let mut changed = false;
            for (to, from) in before[next].iter_mut().zip(&after) {
                let size = to.len();
                to.extend(from);
                changed |= to.len() > size;
            }
            if changed {
                work.push(next);
            }
        }
    }
    before
}

/// Checks that the last result tells what every jump asks, and every `test`.
///
/// # Errors
/// The jumps and tests of which it does not.
pub(super) fn check(program: &Program) -> Result<(), Vec<Diag>> {
    let mut errors = Vec::new();
    let before = reaching(program);
    let intervals = Intervals::new(program);
    for (index, line) in program.code.iter().enumerate() {
        let [flags, carry] = &before[index];
        let error = match &line.instr.op {
            _ if flags.is_empty() => None,
            Op::Jump(Some(condition), _) => {
                jump(program, line.span, &intervals, *condition, flags, carry)
            }
            Op::Test(a, b) => test(line.span, &intervals, a, b),
            _ => None,
        };
        errors.extend(error);
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

fn jump(
    program: &Program,
    span: Span,
    intervals: &Intervals,
    condition: Condition,
    flags: &Definitions,
    carry: &Definitions,
) -> Option<Diag> {
    if flags.contains(&None) {
        let message = "no instruction has set the flags on some way to this jump";
        return Some(Diag::error(span, message));
    }
    let unsigned = matches!(condition.test, Test::Below | Test::BelowEqual);
    if !unsigned && condition.test != Test::Overflow {
        return None;
    }
    if unsigned && carry != flags {
        let message = "the carry at this jump is older than the result";
        return Some(Diag::error(span, message));
    }
    let mut setters = flags.iter().flatten();
    let known = setters.all(|i| match &program.code[*i].instr.op {
        Op::Cmp(a, b) | Op::Test(a, b) | Op::Binary(Binary::Sub, a, b) => {
            intervals.of(a).is_natural() && intervals.of(b).is_natural()
        }
        Op::Cmpxchg(a, _) => intervals.of(a).is_natural() && intervals.register("EAX").is_natural(),
        _ => false,
    });
    let what = if unsigned {
        "an unsigned comparison"
    } else {
        "the overflow"
    };
    let message = || format!("{what} of values that may be negative is not supported");
    (!known).then(|| Diag::unsupported(span, message()))
}

fn test(span: Span, intervals: &Intervals, a: &Operand, b: &Operand) -> Option<Diag> {
    let same = match (a, b) {
        (Operand::Register(a), Operand::Register(b)) => a.text == b.text,
        _ => false,
    };
    let bits = [a, b]
        .into_iter()
        .all(|o| intervals.of(o).is_within(Interval::new(0, 1)));
    let message = "`test` is supported of a register with itself, and of values that are 0 or 1";
    (!same && !bits).then(|| Diag::error(span, message))
}

//! Counters on the number of threads, in unary: a weak array of Booleans, with as many `True` cells
//! as the value says (PMCx86, Sec. 4, "Translation of operations on counters").
//!
//! Cells are anonymous, so `inc` and `dec` change the cell of the executing thread where they can
//! and another thread's only where they must. That loses no value, and it matters: a universal
//! guard about cells of threads that a cube does not know is an approximation, and any cell at all
//! would be taken from a thread that nobody looks at.

use super::names::SELF;
use super::translator::{Rule, Translator};
use crate::front::asm::ast::Name;
use crate::front::litmus::ast::x86::{Instr, Op, Operand, Unary};
use systems::cub::ast::{Expr, Rel, Update};
use systems::cub::build::{
    Sum, access, assign, assign_cases, compare_processes, conjunction, fence, forall_other,
    has_value, name_term,
};

/// Another thread than the executing one.
const OTHER: &str = "o";

/// A third one.
const THIRD: &str = "u";

/// The transitions of an instruction whose destination is a counter.
pub(super) fn instruction(t: &mut Translator, index: usize, counter: &Name, instr: &Instr) {
    let cells = Cells {
        name: t.names.variables[&counter.text].clone(),
        index,
    };
    let full = |o: &Operand| matches!(o, Operand::ThreadCount(_));
    match &instr.op {
        Op::Mov(_, value) => cells.set(t, full(value)),
        Op::Cmp(_, bound) => cells.compare(t, full(bound)),
        Op::Unary(Unary::Inc, _) => cells.step(t, true, instr.lock),
        Op::Unary(Unary::Dec, _) => cells.step(t, false, instr.lock),
        _ => unreachable!("names are resolved: nothing else is done with a counter"),
    }
}

/// The cells of one counter, for one instruction.
struct Cells {
    name: String,
    index: usize,
}

impl Cells {
    /// The cell of a process has a value.
    fn is(&self, t: &Translator, process: &str, value: bool) -> Expr {
        let span = t.span(self.index);
        has_value(
            access(&self.name, &[process], span),
            true,
            word(value),
            span,
        )
    }

    /// The cells of all processes that the transition does not name have a value.
    fn all_others(&self, t: &Translator, value: bool) -> Expr {
        let all = "w";
        forall_other(all, self.is(t, all, value), t.span(self.index))
    }

    /// `mov c, 0` and `mov c, N`: every cell at once.
    fn set(&self, t: &mut Translator, full: bool) {
        let span = t.span(self.index);
        let every = access(&self.name, &["k"], span);
        let update = assign_cases(every, Vec::new(), name_term(word(full), span));
        t.add(self.index, t.step(self.index, "", Vec::new(), vec![update]));
    }

    /// `cmp c, 0` and `cmp c, N`.
    fn compare(&self, t: &mut Translator, full: bool) {
        let result = if full { -1 } else { 1 };
        let equal = vec![self.is(t, SELF, full), self.all_others(t, full)];
        let own = vec![self.is(t, SELF, !full)];
        let other = vec![self.is(t, OTHER, !full)];
        let cases: [(&str, &[&str], Vec<Expr>, i64); 3] = [
            ("equal", &[], equal, 0),
            ("own", &[], own, result),
            ("other", &[OTHER], other, result),
        ];
        for (part, others, guard, result) in cases {
            let updates = self.result(t, result);
            let rule = t.step(self.index, part, guard, updates);
            t.add(self.index, Rule { others, ..rule });
        }
    }

    /// `inc c` (`up`) and `dec c`.
    fn step(&self, t: &mut Translator, up: bool, lock: bool) {
        // A cell that can change has this value.
        let before = !up;
        let own = || self.is(t, SELF, before);
        let not_own = || self.is(t, SELF, up);
        let other = || self.is(t, OTHER, before);
        // Cases: their name, the processes, the guard, whose cell changes, the result.
        type Case<'a> = (&'a str, &'a [&'a str], Vec<Expr>, &'a str, i64);
        let cases: Vec<Case> = if up {
            vec![
                ("own", &[], vec![own()], SELF, 1),
                ("other", &[OTHER], vec![not_own(), other()], OTHER, 1),
            ]
        } else {
            let third = || self.is(t, THIRD, before);
            let no_other = || self.all_others(t, up);
            vec![
                ("own", &[OTHER], vec![own(), other()], SELF, 1),
                ("own_last", &[], vec![own(), no_other()], SELF, 0),
                (
                    "other",
                    &[OTHER, THIRD],
                    vec![not_own(), other(), third()],
                    OTHER,
                    1,
                ),
                (
                    "other_last",
                    &[OTHER],
                    vec![not_own(), other(), no_other()],
                    OTHER,
                    0,
                ),
            ]
        };
        let out_of_range = vec![fence(t.span(self.index)), not_own(), self.all_others(t, up)];
        for (part, others, guard, whose, result) in cases {
            let updates = self.result(t, result);
            let mut rule = t.step(self.index, part, guard, updates);
            rule.others = others;
            if lock {
                let span = t.span(self.index);
                let cell = access(&self.name, &[whose], span);
                rule.updates.push(assign(cell, name_term(word(up), span)));
            } else {
                rule.updates.push(self.snapshot(t, whose, up));
                rule.to = t.point_within(self.index, "write");
            }
            t.add(self.index, rule);
        }
        if !lock {
            self.write_back(t);
        }
        let span = t.span(self.index);
        t.overflow.get_or_insert(span);
        let mut rule = t.step(self.index, "out_of_range", out_of_range, Vec::new());
        rule.to.clone_from(&t.names.overflow);
        t.add(self.index, rule);
    }

    /// `ROW[t, k]` := what the counter is about to be: one cell changes.
    fn snapshot(&self, t: &mut Translator, whose: &str, up: bool) -> Update {
        t.uses_snapshot = true;
        let span = t.span(self.index);
        let row = access(&t.names.row, &["i", "k"], span);
        let mine = compare_processes("i", Rel::Eq, SELF, span);
        let changed = conjunction(
            vec![mine.clone(), compare_processes("k", Rel::Eq, whose, span)],
            span,
        );
        let read = Sum::cell(access(&self.name, &["k"], span)).term(span);
        let kept = Sum::cell(row.clone()).term(span);
        let cases = vec![(changed, name_term(word(up), span)), (mine, read)];
        assign_cases(row, cases, kept)
    }

    /// The second half of an unlocked `inc` or `dec`: the counter as it was read, one cell changed, is
    /// one update of all cells.
    fn write_back(&self, t: &mut Translator) {
        let span = t.span(self.index);
        let every = access(&self.name, &["k"], span);
        let row = Sum::cell(access(&t.names.row, &[SELF, "k"], span)).term(span);
        let updates = vec![assign_cases(every, Vec::new(), row)];
        let mut rule = t.step(self.index, "write", Vec::new(), updates);
        rule.from = t.point_within(self.index, "write");
        t.add(self.index, rule);
    }

    /// `RES := result`, if it is looked at.
    fn result(&self, t: &Translator, result: i64) -> Vec<Update> {
        t.result(self.index, &Sum::constant(result))
    }
}

fn word(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

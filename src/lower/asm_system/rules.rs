//! The rules of the translation, by instruction (PMCx86, Sec. 4, and Appendix B).
//!
//! Values on the right of `:=` are those before the transition, so an exchange needs no temporary.
//! A transition that reads and writes weak variables is locked by itself; where a locked
//! instruction does not do both (its memory is the thread's own, or a comparison fails), its guard
//! asks for an empty buffer.

use super::counters;
use super::flags::{self, Taken};
use super::intervals::signed;
use super::names::SELF;
use super::translator::Translator;
use crate::front::asm::ast::Name;
use crate::front::litmus::ast::x86::{Binary, Condition, Op, Operand, Unary};
use systems::cub::ast::{Access, Expr, Rel, Update};
use systems::cub::build::{Sum, access, assign, compare, fence};

/// Where an operand is.
enum Location<'a> {
    Register(&'a Name),
    Private(&'a Name),
    Shared(&'a Name),
    Counter(&'a Name),
}

/// The transitions of an instruction.
pub(super) fn instruction(t: &mut Translator, index: usize) {
    let program = t.program;
    let instr = &program.code[index].instr;
    let mut at = At { t, index };
    if let Some(counter) = instr.op.operands().find_map(|o| at.counter(o)) {
        return counters::instruction(at.t, index, counter, instr);
    }
    match &instr.op {
        Op::Nop => at.step("", Vec::new(), Vec::new()),
        Op::Fence(_) => {
            let guard = vec![fence(at.span())];
            at.step("", guard, Vec::new());
        }
        Op::Jump(condition, label) => at.jump(*condition, label),
        Op::Mov(a, b) => {
            let updates = vec![at.write(a, &at.value(b))];
            at.step("", Vec::new(), updates);
        }
        Op::Xchg(a, b) => {
            let updates = vec![at.write(a, &at.value(b)), at.write(b, &at.value(a))];
            let memory = [a, b].into_iter().find(|o| matches!(o, Operand::Memory(_)));
            let guard = memory.map_or_else(Vec::new, |m| at.drained(m, true));
            at.step("", guard, updates);
        }
        Op::Binary(op, a, b) => {
            let factor = if *op == Binary::Sub { -1 } else { 1 };
            let value = at.value(a).plus(factor, at.value(b));
            at.modify(a, value, instr.lock, true);
        }
        Op::Unary(op, a) => {
            let old = at.value(a);
            match op {
                Unary::Inc => at.modify(a, old.plus(1, Sum::constant(1)), instr.lock, true),
                Unary::Dec => at.modify(a, old.plus(-1, Sum::constant(1)), instr.lock, true),
                // `neg` is no instruction of the fragment.
                Unary::Not | Unary::Neg => at.modify(a, old.complement(), instr.lock, false),
            }
        }
        Op::Cmp(a, b) => {
            let difference = at.value(a).plus(-1, at.value(b));
            let updates = at.result(&difference);
            at.step("", Vec::new(), updates);
        }
        Op::Test(a, b) => at.test(a, b),
        Op::Xadd(a, source) => at.xadd(a, source, instr.lock),
        Op::Cmpxchg(a, source) => at.cmpxchg(a, source, instr.lock),
        Op::Bit(..) | Op::Set(..) | Op::CmpxchgPair(_) | Op::Rdtsc => {
            unreachable!("programs have no such instruction")
        }
    }
}

/// One instruction.
struct At<'t, 'a> {
    t: &'t mut Translator<'a>,
    index: usize,
}

impl<'a> At<'_, 'a> {
    fn span(&self) -> base::source::Span {
        self.t.span(self.index)
    }

    fn location<'o>(&self, operand: &'o Operand) -> Option<Location<'o>> {
        if let Operand::Register(name) = operand {
            return Some(Location::Register(name));
        }
        let name = &operand.symbol()?.name;
        Some(match self.t.program.shared(&name.text) {
            Some(data) if data.counter => Location::Counter(name),
            Some(_) => Location::Shared(name),
            None => Location::Private(name),
        })
    }

    fn counter<'o>(&self, operand: &'o Operand) -> Option<&'o Name> {
        match self.location(operand) {
            Some(Location::Counter(name)) => Some(name),
            _ => None,
        }
    }

    fn is_shared(&self, operand: &Operand) -> bool {
        matches!(self.location(operand), Some(Location::Shared(_)))
    }

    /// The cell of a register or variable.
    fn cell(&self, operand: &Operand) -> Access {
        let span = self.span();
        let variable = |name: &Name| &self.t.names.variables[&name.text];
        match self.location(operand) {
            Some(Location::Register(name)) => access(&name.text, &[SELF], span),
            Some(Location::Private(name)) => access(variable(name), &[SELF], span),
            Some(Location::Shared(name)) => access(variable(name), &[], span),
            Some(Location::Counter(_)) | None => unreachable!(
                "names are resolved: numbers are no destinations, and `N` stands beside counters"
            ),
        }
    }

    /// The value of an operand.
    fn value(&self, operand: &Operand) -> Sum {
        match operand {
            Operand::Number(number) => Sum::constant(signed(*number)),
            place => Sum::cell(self.cell(place)),
        }
    }

    fn register(&self, name: &str) -> Sum {
        Sum::cell(access(name, &[SELF], self.span()))
    }

    /// `operand := value`
    fn write(&self, operand: &Operand, value: &Sum) -> Update {
        assign(self.cell(operand), value.term(self.span()))
    }

    fn set(&self, register: &str, value: &Sum) -> Update {
        let span = self.span();
        assign(access(register, &[SELF], span), value.term(span))
    }

    fn result(&self, result: &Sum) -> Vec<Update> {
        self.t.result(self.index, result)
    }

    /// The guard of a locked access to memory that no other thread has: the buffer is empty. An
    /// access to shared memory that reads and writes needs none.
    fn drained(&self, operand: &Operand, lock: bool) -> Vec<Expr> {
        let private = matches!(self.location(operand), Some(Location::Private(_)));
        if private && lock {
            vec![fence(self.span())]
        } else {
            Vec::new()
        }
    }

    /// A transition to the next instruction.
    fn step(&mut self, part: &str, guard: Vec<Expr>, updates: Vec<Update>) {
        let rule = self.t.step(self.index, part, guard, updates);
        self.t.add(self.index, rule);
    }

    /// The first half of an instruction that reads and writes shared memory without `lock`:
    /// `TMP := value`; the point between the halves.
    fn read(&mut self, value: &Sum) -> String {
        self.t.uses_temporary = true;
        let temporary = self.set(&self.t.names.temporary, value);
        let mut rule = self.t.step(self.index, "read", Vec::new(), vec![temporary]);
        let middle = self.t.point_within(self.index, "write");
        rule.to.clone_from(&middle);
        self.t.add(self.index, rule);
        middle
    }

    /// The second half.
    fn write_back(&mut self, part: &str, middle: String, guard: Vec<Expr>, updates: Vec<Update>) {
        let mut rule = self.t.step(self.index, part, guard, updates);
        rule.from = middle;
        self.t.add(self.index, rule);
    }

    fn temporary(&self) -> Sum {
        self.register(&self.t.names.temporary)
    }

    /// `TADDVARREG`, `TLOCKADDVARREG` and their kin: `destination := value`.
    fn modify(&mut self, destination: &Operand, value: Sum, lock: bool, flags: bool) {
        if self.is_shared(destination) && !lock {
            let middle = self.read(&value);
            let written = self.temporary();
            let mut updates = vec![self.write(destination, &written)];
            if flags {
                updates.extend(self.result(&written));
            }
            self.write_back("write", middle, Vec::new(), updates);
            return;
        }
        let mut updates = vec![self.write(destination, &value)];
        if flags {
            updates.extend(self.result(&value));
        }
        let guard = self.drained(destination, lock);
        self.step("", guard, updates);
    }

    fn xadd(&mut self, destination: &Operand, source: &Name, lock: bool) {
        let added = self.register(&source.text);
        if self.is_shared(destination) && !lock {
            let middle = self.read(&self.value(destination));
            let old = self.temporary();
            let sum = old.clone().plus(1, added);
            let mut updates = vec![self.write(destination, &sum), self.set(&source.text, &old)];
            updates.extend(self.result(&sum));
            self.write_back("write", middle, Vec::new(), updates);
            return;
        }
        let old = self.value(destination);
        let sum = old.clone().plus(1, added);
        let mut updates = Vec::new();
        // `xadd eax, eax`: the sum is what stays.
        if !matches!(destination, Operand::Register(name) if name.text == source.text) {
            updates.push(self.set(&source.text, &old));
        }
        updates.push(self.write(destination, &sum));
        updates.extend(self.result(&sum));
        let guard = self.drained(destination, lock);
        self.step("", guard, updates);
    }

    /// `cmpxchg d, r`: if `d` is `eax`, `r` to `d`, otherwise `d` to `eax`.
    fn cmpxchg(&mut self, destination: &Operand, source: &Name, lock: bool) {
        let span = self.span();
        let (expected, desired) = (self.register("EAX"), self.register(&source.text));
        if self.is_shared(destination) && !lock {
            let middle = self.read(&self.value(destination));
            let old = self.temporary();
            let equal = vec![compare(&old, Rel::Eq, &expected, span)];
            let mut updates = vec![self.write(destination, &desired)];
            updates.extend(self.result(&Sum::constant(0)));
            self.write_back("equal", middle.clone(), equal, updates);
            let different = vec![compare(&old, Rel::Ne, &expected, span)];
            let mut updates = vec![self.write(destination, &old), self.set("EAX", &old)];
            updates.extend(self.result(&expected.plus(-1, old)));
            self.write_back("different", middle, different, updates);
            return;
        }
        let old = self.value(destination);
        let mut equal = vec![compare(&old, Rel::Eq, &expected, span)];
        equal.extend(self.drained(destination, lock));
        let mut updates = vec![self.write(destination, &desired)];
        updates.extend(self.result(&Sum::constant(0)));
        self.step("equal", equal, updates);
        let mut different = vec![compare(&old, Rel::Ne, &expected, span)];
        if lock {
            different.push(fence(span));
        }
        let mut updates = vec![self.set("EAX", &old)];
        updates.extend(self.result(&expected.plus(-1, old)));
        self.step("different", different, updates);
    }

    /// `test a, b`: the flags of the conjunction, which is `a` when both are the same, and otherwise
    /// known for 0 and 1 (see [`flags::check`]).
    fn test(&mut self, a: &Operand, b: &Operand) {
        let (left, right) = (self.value(a), self.value(b));
        if left == right {
            let updates = self.result(&left);
            return self.step("", Vec::new(), updates);
        }
        let span = self.span();
        let zero = Sum::constant(0);
        let updates = self.result(&zero);
        self.step("zero", vec![compare(&left, Rel::Eq, &zero, span)], updates);
        let updates = self.result(&right);
        self.step("one", vec![compare(&left, Rel::Ne, &zero, span)], updates);
    }

    fn jump(&mut self, condition: Option<Condition>, label: &Name) {
        let Some(condition) = condition else {
            return self.branch("", Vec::new(), label);
        };
        let span = self.span();
        let result = self.register(&self.t.names.result);
        let asks = |rel| vec![compare(&result, rel, &Sum::constant(0), span)];
        match flags::taken(condition) {
            Taken::When(rel) => {
                self.branch("taken", asks(rel), label);
                self.step("not_taken", asks(flags::opposite(rel)), Vec::new());
            }
            Taken::Always => self.branch("taken", Vec::new(), label),
            Taken::Never => self.step("not_taken", Vec::new(), Vec::new()),
        }
    }

    /// A transition to a label.
    fn branch(&mut self, part: &str, guard: Vec<Expr>, label: &Name) {
        let mut rule = self.t.step(self.index, part, guard, Vec::new());
        let target = self.t.program.target_of(label);
        rule.to.clone_from(&self.t.names.points[target]);
        self.t.add(self.index, rule);
    }
}

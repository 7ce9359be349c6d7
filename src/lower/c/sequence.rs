//! Operands whose order C leaves open (C11 6.5p2, 6.5.2.2p10): where it can matter, an execution chooses.
//!
//! Operands that do not depend on each other are evaluated from left to right, which costs nothing. Of two
//! that do, one is lowered twice, in front of the other and behind it, and a nondeterministic bit says
//! which of the two counts. It is the one with less text, so an expression grows by a factor that is at
//! most its depth. More than two take turns: in each turn one of them is evaluated that has not been.
//!
//! Operands are evaluated as a whole: that two calls inside of one are executed before and behind another
//! operand is not considered, and neither is that two operands only read what other threads write. Where
//! one operand changes a variable that another one uses, without a call between, C gives no meaning, and
//! the answer is unknown where that is reached.

use super::dependence::{self, Dependence, Effects};
use super::effects;
use super::{Lowered, Lowering, Place, TypedValue, fold};
use crate::front::c::ast::{BlockItem, Expr as Ast, ExprKind, Stmt, StmtKind};
use crate::front::c::types::TypeId;
use base::source::Span;
use ir::program::{BinOp, Expr, LocalId, Op};

/// Operands that take turns at most.
const MOST_TURNS: usize = 4;
/// Operands of a call that are compared with each other at most.
const MOST_COMPARED: usize = 64;

/// What is needed of an operand.
#[derive(Clone, Copy)]
pub(super) enum Use {
    /// Its value.
    Value,
    /// Its value for a parameter of this type.
    Argument(TypeId),
    /// Its value for an object of this type.
    Assigned(TypeId),
    /// What it denotes.
    Place,
    /// That, and its value before.
    Updated,
}

/// What an operand has come to.
pub(super) struct Evaluated {
    pub(super) place: Option<Place>,
    pub(super) value: Option<TypedValue>,
}

/// Where an operand's results are, whichever copy of it was executed.
#[derive(Clone, Default)]
struct Slots {
    address: Option<LocalId>,
    enclosing: Vec<Option<LocalId>>,
    value: Option<LocalId>,
}

impl Evaluated {
    /// The value of an operand that was evaluated for it.
    pub(super) fn into_value(self) -> TypedValue {
        self.value.expect("its use says that the value is needed")
    }

    /// The place of an operand that was evaluated for it.
    pub(super) fn into_place(self) -> Place {
        self.place.expect("its use says that the place is needed")
    }
}

impl<'a> Lowering<'a> {
    /// Two operands, and in which order if that matters.
    pub(super) fn both(
        &mut self,
        (a, a_use): (&'a Ast, Use),
        (b, b_use): (&'a Ast, Use),
        span: Span,
    ) -> Lowered<(Evaluated, Evaluated)> {
        let mut all = self.unordered(&[(a, a_use), (b, b_use)], span)?;
        let (b, a) = (all.pop(), all.pop());
        let there = "there are as many results as operands";
        Ok((a.expect(there), b.expect(there)))
    }

    /// Two values.
    pub(super) fn both_values(
        &mut self,
        a: &'a Ast,
        b: &'a Ast,
        span: Span,
    ) -> Lowered<(TypedValue, TypedValue)> {
        if effects::is_quiet(a) && effects::is_quiet(b) {
            return Ok((self.value(a)?, self.value(b)?));
        }
        let (a, b) = self.both((a, Use::Value), (b, Use::Value), span)?;
        Ok((a.into_value(), b.into_value()))
    }

    /// Operands, in an order that an execution chooses where it matters.
    pub(super) fn unordered(
        &mut self,
        operands: &[(&'a Ast, Use)],
        span: Span,
    ) -> Lowered<Vec<Evaluated>> {
        let dependent = self.dependent(operands, span);
        let mut done: Vec<Option<Evaluated>> = operands.iter().map(|_| None).collect();
        for (i, operand) in operands.iter().enumerate() {
            if !dependent.contains(&i) {
                done[i] = Some(self.evaluate(*operand)?);
            }
        }
        match dependent[..] {
            [] => {}
            [a, b] => {
                let size = |i: usize| count(operands[i].0);
                let (twice, once) = if size(a) < size(b) { (a, b) } else { (b, a) };
                let bit = self.choose(span);
                let mut slots = Slots::default();
                self.evaluate_if(bit.clone(), operands[twice], &mut slots, span)?;
                done[once] = Some(self.evaluate_now(operands[once])?);
                let not = fold::not(bit);
                done[twice] = Some(self.evaluate_if(not, operands[twice], &mut slots, span)?);
            }
            _ => self.take_turns(operands, &dependent, &mut done, span)?,
        }
        let there = "every operand has been evaluated";
        Ok(done.into_iter().map(|e| e.expect(there)).collect())
    }

    /// The operands whose order matters: none, or at least two.
    fn dependent(&mut self, operands: &[(&'a Ast, Use)], span: Span) -> Vec<usize> {
        let quiet = operands.iter().all(|(e, _)| effects::is_quiet(e));
        if quiet
            || self.unevaluated
            || self.names.scopes().at_file()
            || operands.len() > MOST_COMPARED
        {
            return Vec::new();
        }
        let effects: Vec<Effects> = operands
            .iter()
            .map(|(e, u)| self.effects_of(e, *u))
            .collect();
        let mut dependent = Vec::new();
        for (j, b) in effects.iter().enumerate() {
            for (i, a) in effects[..j].iter().enumerate() {
                match a.dependence(b) {
                    Dependence::None => {}
                    Dependence::Possible | Dependence::Certain => dependent.extend([i, j]),
                    Dependence::Undefined(name) => {
                        self.undefined_order(&name, span);
                        return Vec::new();
                    }
                }
            }
        }
        dependent.sort_unstable();
        dependent.dedup();
        let repeatable = |i: &usize| can_repeat(operands[*i].0);
        if dependent.len() > MOST_TURNS || !dependent.iter().all(repeatable) {
            let why = "the order of these operands is open, and not all of them can be considered";
            self.emit_at(span, Op::Unknown(why.to_string()));
            return Vec::new();
        }
        dependent
    }

    fn effects_of(&mut self, e: &'a Ast, how: Use) -> Effects {
        let how = match how {
            Use::Place => dependence::ADDRESS,
            Use::Value | Use::Argument(_) | Use::Assigned(_) | Use::Updated => dependence::READ,
        };
        self.effects(e, how)
    }

    /// Execution stops being known here: C11 6.5p2.
    pub(super) fn undefined_order(&mut self, name: &str, span: Span) {
        let why = format!(
            "`{name}` is changed and used in one expression without an order between (C11 6.5p2)"
        );
        self.emit_at(span, Op::Unknown(why));
    }

    /// Says so where an assignment to a variable has an operand that changes it last, too.
    pub(super) fn check_assignment(&mut self, place: &'a Ast, value: &'a Ast) {
        if self.unevaluated || effects::is_quiet(value) {
            return;
        }
        let mut changed = Vec::new();
        effects::changed_last(value, &mut changed);
        if let ExprKind::Ident(name) = &place.kind
            && changed.contains(&name.as_str())
        {
            self.undefined_order(name, value.span);
        }
    }

    /// Says where the arguments of a function of the library, which are evaluated from left to right,
    /// depend on that.
    pub(super) fn check_arguments(&mut self, name: &str, args: &'a [Ast], span: Span) {
        if self.unevaluated || args.iter().all(effects::is_quiet) || args.len() > MOST_COMPARED {
            return;
        }
        let each = args.iter().map(|e| self.effects_of(e, Use::Value));
        let effects: Vec<Effects> = each.collect();
        let pairs = effects.iter().enumerate();
        let mut pairs = pairs.flat_map(|(j, b)| effects[..j].iter().map(move |a| a.dependence(b)));
        let open = pairs.find(|d| matches!(d, Dependence::Certain | Dependence::Undefined(_)));
        match open {
            Some(Dependence::Undefined(variable)) => self.undefined_order(&variable, span),
            Some(_) => {
                let why = format!(
                    "the arguments of `{name}` depend on their order, which is open (C11 6.5.2.2p10)"
                );
                self.emit_at(span, Op::Unknown(why));
            }
            None => {}
        }
    }

    /// Each turn evaluates one that has not been evaluated: the first for which a bit says so, the last of
    /// them anyway.
    fn take_turns(
        &mut self,
        operands: &[(&'a Ast, Use)],
        dependent: &[usize],
        done: &mut [Option<Evaluated>],
        span: Span,
    ) -> Lowered<()> {
        let set = |this: &mut Self, dst: LocalId, value: u64| {
            let value = Expr::constant(value, 1);
            this.emit_at(span, Op::Assign { dst, value });
        };
        let mut slots = vec![Slots::default(); dependent.len()];
        let taken: Vec<LocalId> = dependent.iter().map(|_| self.body.local("", 1)).collect();
        taken.iter().for_each(|t| set(self, *t, 0));
        for _ in dependent {
            let next = self.body.label();
            for (at, i) in dependent.iter().enumerate() {
                let (take, behind) = (self.body.label(), self.body.label());
                self.body.span = span;
                self.body.jump(Some(Expr::Local(taken[at])), behind);
                let later = taken[at + 1..].iter().map(|t| Expr::Local(*t));
                let last = later.reduce(|a, b| fold::binary(BinOp::And, a, b, 1));
                self.body.jump(last, take);
                if at + 1 < dependent.len() {
                    let bit = self.choose(span);
                    self.body.jump(Some(fold::not(bit)), behind);
                }
                self.body.place(take);
                let evaluated = self.evaluate(operands[*i])?;
                done[*i] = Some(self.keep_in(evaluated, &mut slots[at], span)?);
                set(self, taken[at], 1);
                self.body.jump(None, next);
                self.body.place(behind);
            }
            self.body.place(next);
        }
        Ok(())
    }

    /// A nondeterministic bit.
    fn choose(&mut self, span: Span) -> Expr {
        let dst = self.body.local("(order)", 1);
        self.emit_at(span, Op::Havoc { dst });
        Expr::Local(dst)
    }

    /// One of the copies of an operand.
    fn evaluate_if(
        &mut self,
        condition: Expr,
        operand: (&'a Ast, Use),
        slots: &mut Slots,
        span: Span,
    ) -> Lowered<Evaluated> {
        let behind = self.body.label();
        self.body.span = span;
        let not = fold::not(condition);
        self.body.jump(Some(not), behind);
        let evaluated = self.evaluate(operand)?;
        let evaluated = self.keep_in(evaluated, slots, span)?;
        self.body.place(behind);
        Ok(evaluated)
    }

    /// An operand whose value stays what it is now.
    fn evaluate_now(&mut self, operand: (&'a Ast, Use)) -> Lowered<Evaluated> {
        let evaluated = self.evaluate(operand)?;
        self.keep_in(evaluated, &mut Slots::default(), operand.0.span)
    }

    /// Puts results where those of the other copies are.
    fn keep_in(
        &mut self,
        evaluated: Evaluated,
        slots: &mut Slots,
        span: Span,
    ) -> Lowered<Evaluated> {
        let Evaluated {
            mut place,
            mut value,
        } = evaluated;
        if let Some(Place::Memory(addr, _, within) | Place::Bits(addr, _, _, within)) = &mut place {
            *addr = self.keep(addr.clone(), &mut slots.address);
            slots.enclosing.resize(within.len(), None);
            for (enclosing, slot) in within.iter_mut().zip(&mut slots.enclosing) {
                enclosing.at = self.keep(enclosing.at.clone(), slot);
            }
        }
        if let Some(value) = &mut value {
            if self.types.is_record(value.ty) {
                let size = self.size_of(value.ty, span)?;
                let made = self.allocate("(operand)", value.ty, size, false, span)?;
                let to = TypedValue::new(Expr::Local(made), value.ty);
                self.copy(to, value.clone(), span)?;
                value.expr = Expr::Local(made);
            }
            value.expr = self.keep(value.expr.clone(), &mut slots.value);
        }
        Ok(Evaluated { place, value })
    }

    fn keep(&mut self, value: Expr, slot: &mut Option<LocalId>) -> Expr {
        let width = self.width_of(&value);
        let dst = *slot.get_or_insert_with(|| self.body.local("", width));
        self.emit(Op::Assign { dst, value });
        Expr::Local(dst)
    }

    fn evaluate(&mut self, (e, how): (&'a Ast, Use)) -> Lowered<Evaluated> {
        let value = |value| Evaluated {
            place: None,
            value: Some(value),
        };
        Ok(match how {
            Use::Value => value(self.value(e)?),
            Use::Argument(ty) => value(self.argument(e, ty)?),
            Use::Assigned(ty) => value(self.value_for(e, ty)?),
            Use::Place => Evaluated {
                place: Some(self.place(e)?),
                value: None,
            },
            Use::Updated => {
                let place = match self.place(e)? {
                    Place::Memory(addr, ty, within) => Place::Memory(self.bind(addr), ty, within),
                    Place::Bits(addr, bits, ty, within) => {
                        Place::Bits(self.bind(addr), bits, ty, within)
                    }
                    register => register,
                };
                let before = self.read(place.clone(), e.span)?;
                Evaluated {
                    place: Some(place),
                    value: Some(before),
                }
            }
        })
    }
}

/// Parts of an expression.
fn count(e: &Ast) -> usize {
    let all = |list: &[Ast]| list.iter().map(count).sum::<usize>();
    1 + match &e.kind {
        ExprKind::Unary(_, a)
        | ExprKind::Cast(_, a)
        | ExprKind::Member { base: a, .. }
        | ExprKind::Step { operand: a, .. } => count(a),
        ExprKind::Binary(_, a, b)
        | ExprKind::Logical(_, a, b)
        | ExprKind::Assign(_, a, b)
        | ExprKind::Index(a, b) => count(a) + count(b),
        ExprKind::Conditional(c, a, b) => count(c) + a.as_ref().map_or(0, |a| count(a)) + count(b),
        ExprKind::Comma(list) => all(list),
        // A call is executed, not only written.
        ExprKind::Call(callee, args) => 8 + count(callee) + all(args),
        ExprKind::Block(items) => 16 * items.len(),
        _ => 0,
    }
}

/// Whether an expression can stand twice in a function: without labels and static objects.
fn can_repeat(e: &Ast) -> bool {
    let all = |list: &[Ast]| list.iter().all(can_repeat);
    match &e.kind {
        ExprKind::Unary(_, a)
        | ExprKind::Cast(_, a)
        | ExprKind::Member { base: a, .. }
        | ExprKind::Step { operand: a, .. } => can_repeat(a),
        ExprKind::Binary(_, a, b)
        | ExprKind::Logical(_, a, b)
        | ExprKind::Assign(_, a, b)
        | ExprKind::Index(a, b) => can_repeat(a) && can_repeat(b),
        ExprKind::Conditional(c, a, b) => {
            can_repeat(c) && a.as_ref().is_none_or(|a| can_repeat(a)) && can_repeat(b)
        }
        ExprKind::Comma(list) => all(list),
        ExprKind::Call(callee, args) => can_repeat(callee) && all(args),
        ExprKind::Block(items) => items.iter().all(can_repeat_item),
        _ => true,
    }
}

fn can_repeat_item(item: &BlockItem) -> bool {
    match item {
        BlockItem::Declaration(d) => !(d.storage.internal || d.storage.external),
        BlockItem::StaticAssert(_) => true,
        BlockItem::Stmt(s) => can_repeat_stmt(s),
    }
}

fn can_repeat_stmt(s: &Stmt) -> bool {
    match &s.kind {
        StmtKind::Expr(e) | StmtKind::Return(e) => e.as_ref().is_none_or(can_repeat),
        StmtKind::Block(items) => items.iter().all(can_repeat_item),
        StmtKind::If(c, a, b) => {
            can_repeat(c) && can_repeat_stmt(a) && b.as_ref().is_none_or(|b| can_repeat_stmt(b))
        }
        StmtKind::While(c, b) | StmtKind::DoWhile(b, c) => can_repeat(c) && can_repeat_stmt(b),
        StmtKind::For { body, .. } => can_repeat_stmt(body),
        StmtKind::Break | StmtKind::Continue => true,
        StmtKind::Switch(..) | StmtKind::Case(..) | StmtKind::Default(_) => false,
        StmtKind::Label(..) | StmtKind::Goto(_) | StmtKind::Asm(_) => false,
    }
}

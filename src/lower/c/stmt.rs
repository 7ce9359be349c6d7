//! Statements and local declarations: control flow becomes jumps.

use super::body::{Exits, Label, Switch};
use super::{Lowered, Lowering, TypedValue, fold, wrong};
use crate::front::c::ast::{BlockItem, Expr as Ast, Ident, Stmt, StmtKind};
use crate::front::c::types::Type;
use base::diag::Diag;
use base::source::Span;
use ir::program::{BinOp, Expr, Op, Rule, mask, sign_extend};

impl<'a> Lowering<'a> {
    /// Lowers a block in a scope of its own.
    pub fn block(&mut self, items: &'a [BlockItem]) {
        self.enter_block();
        items.iter().for_each(|item| self.block_item(item));
        self.leave_block();
    }

    fn enter_block(&mut self) {
        self.names.scopes_mut().enter();
        self.body.enter_block();
    }

    fn leave_block(&mut self) {
        self.names.scopes_mut().leave();
        self.body.leave_block();
    }

    fn block_item(&mut self, item: &'a BlockItem) {
        let result = match item {
            BlockItem::Declaration(d) => self.local_declaration(d),
            BlockItem::StaticAssert(s) => self.static_assert(s),
            BlockItem::Stmt(s) => self.stmt(s),
        };
        if let Err(refusal) = result {
            self.error(refusal);
        }
    }

    /// `({ … })`: its value is that of the last statement.
    pub fn statement_expression(
        &mut self,
        items: &'a [BlockItem],
        span: Span,
    ) -> Lowered<TypedValue> {
        self.enter_block();
        let (last, first) = match items.split_last() {
            Some((
                BlockItem::Stmt(Stmt {
                    kind: StmtKind::Expr(Some(e)),
                    ..
                }),
                first,
            )) => (Some(e), first),
            _ => (None, items),
        };
        first.iter().for_each(|item| self.block_item(item));
        let value = match last {
            Some(e) => self.value(e),
            None => Ok(self.void()),
        };
        self.names.scopes_mut().leave();
        match &value {
            // It is in an object of the block, for all we know.
            Ok(value) if self.types.is_record(value.ty) => self.body.dissolve_block(),
            _ => self.body.leave_block(),
        }
        self.body.span = span;
        value
    }

    /// Lowers a statement; an error inside a block is reported there, and lowering goes on.
    pub fn stmt(&mut self, s: &'a Stmt) -> Lowered<()> {
        self.body.span = s.span;
        match &s.kind {
            StmtKind::Expr(None) => {}
            StmtKind::Expr(Some(e)) => {
                self.where_reached(|this| this.discard(e))?;
            }
            StmtKind::Block(items) => self.block(items),
            StmtKind::If(c, a, b) => self.if_else(c, a, b.as_deref())?,
            StmtKind::While(c, body) => self.loop_with(Some(c), None, body)?,
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                self.enter_block();
                if let Some(item) = init {
                    self.block_item(item);
                }
                let result = self.loop_with(cond.as_ref(), step.as_ref(), body);
                self.leave_block();
                result?;
            }
            StmtKind::DoWhile(body, c) => {
                let (top, exits) = (self.body.label(), self.exits());
                self.body.place(top);
                self.nested(exits, body);
                self.body
                    .place(exits.again.expect("a loop can be continued"));
                self.test(c, true, top)?;
                self.body.place(exits.leave);
            }
            StmtKind::Switch(e, body) => self.switch(e, body)?,
            StmtKind::Case(_, _, inner) => {
                let switch = self.body.switches.last_mut();
                let next = switch.and_then(|s| {
                    s.next += 1;
                    s.cases.get(s.next - 1).copied()
                });
                let Some(label) = next else {
                    return wrong(s.span, "`case` outside of a `switch`");
                };
                self.body.place_case(label);
                self.stmt(inner)?;
            }
            StmtKind::Default(inner) => {
                let Some(label) = self.body.switches.last().map(|s| s.default) else {
                    return wrong(s.span, "`default` outside of a `switch`");
                };
                self.body.place_case(label);
                self.stmt(inner)?;
            }
            StmtKind::Label(name, inner) => self.labeled(name, inner)?,
            StmtKind::Goto(name) => {
                self.body.jump_to(&name.name, name.span);
            }
            StmtKind::Break => {
                let Some(exits) = self.body.exits.last().copied() else {
                    return wrong(s.span, "`break` outside of a loop or `switch`");
                };
                self.body.leave_down_to(exits.depth);
                self.body.jump(None, exits.leave);
            }
            StmtKind::Continue => {
                let mut loops = self.body.exits.iter().rev();
                let inner = loops.find_map(|e| Some((e.again?, e.depth)));
                let Some((again, depth)) = inner else {
                    return wrong(s.span, "`continue` outside of a loop");
                };
                self.body.leave_down_to(depth);
                self.body.jump(None, again);
            }
            StmtKind::Return(e) => {
                self.where_reached(|this| this.return_stmt(e.as_ref(), s.span))?;
            }
            StmtKind::Asm(asm) => {
                self.where_reached(|this| this.asm(asm, s.span))?;
            }
        }
        Ok(())
    }

    fn if_else(&mut self, c: &'a Ast, a: &'a Stmt, b: Option<&'a Stmt>) -> Lowered<()> {
        let other = self.body.label();
        self.test(c, false, other)?;
        self.inner(a);
        match b {
            None => self.body.place(other),
            Some(b) => {
                let end = self.body.label();
                self.body.jump(None, end);
                self.body.place(other);
                self.inner(b);
                self.body.place(end);
            }
        }
        Ok(())
    }

    /// A statement whose errors do not keep its surroundings from being lowered.
    fn inner(&mut self, s: &'a Stmt) {
        self.enter_block();
        if let Err(refusal) = self.stmt(s) {
            self.error(refusal);
        }
        self.leave_block();
    }

    /// Jumps when a condition has the value `when`, and goes on otherwise.
    fn test(&mut self, c: &'a Ast, when: bool, to: Label) -> Lowered<()> {
        self.where_reached(|this| this.branch(c, when, to))
            .map(|_| ())
    }

    fn exits(&mut self) -> Exits {
        Exits {
            leave: self.body.label(),
            again: Some(self.body.label()),
            depth: self.body.depth(),
        }
    }

    fn nested(&mut self, exits: Exits, body: &'a Stmt) {
        self.body.exits.push(exits);
        self.inner(body);
        self.body.exits.pop();
    }

    fn loop_with(
        &mut self,
        cond: Option<&'a Ast>,
        step: Option<&'a Ast>,
        body: &'a Stmt,
    ) -> Lowered<()> {
        let (top, exits) = (self.body.label(), self.exits());
        let again = exits.again.expect("a loop can be continued");
        self.body.place(top);
        let head = cond.map_or(Ok(()), |c| self.test(c, false, exits.leave));
        self.nested(exits, body);
        self.body.place(again);
        let tail = match step {
            Some(e) => self.where_reached(|this| this.discard(e)).map(|_| ()),
            None => Ok(()),
        };
        self.body.jump(None, top);
        self.body.place(exits.leave);
        head.and(tail)
    }

    fn switch(&mut self, e: &'a Ast, body: &'a Stmt) -> Lowered<()> {
        let chosen = self.where_reached(|this| {
            let value = this.value(e)?;
            let mut value = this.promote(value, e.span)?;
            this.scalar_width(value.ty, e.span)?;
            value.expr = this.bind(value.expr);
            Ok(value)
        })?;
        let value = chosen.unwrap_or_else(|| self.int_value(0));
        let width = self.scalar_width(value.ty, e.span)?;
        let mut cases = Vec::new();
        collect_cases(body, &mut cases);
        let mut labels = Vec::new();
        let defaults = cases.iter().filter(|c| c.is_none()).count();
        let has_default = defaults > 0;
        if defaults > 1 {
            return wrong(e.span, "this `switch` has more than one `default`");
        }
        let exits = Exits {
            leave: self.body.label(),
            again: None,
            depth: self.body.depth(),
        };
        let signed = self.types.signed(value.ty);
        let mut taken: Vec<(i128, i128, Span)> = Vec::new();
        for (low, high) in cases.into_iter().flatten() {
            let label = self.body.label();
            labels.push(label);
            let first = self.constant(low)? as u64;
            let last = match high {
                None => first,
                Some(high) => self.constant(high)? as u64,
            };
            let number = |bits: u64| match signed {
                true => i128::from(sign_extend(bits & mask(width), width)),
                false => i128::from(bits & mask(width)),
            };
            distinct(&mut taken, number(first), number(last), low.span)?;
            let (first, last) = (Expr::constant(first, width), Expr::constant(last, width));
            let cond = match high {
                None => fold::binary(BinOp::Eq, value.expr.clone(), first, width),
                Some(_) => {
                    let op = if signed { BinOp::Sle } else { BinOp::Ule };
                    let above = fold::binary(op, first, value.expr.clone(), width);
                    let below = fold::binary(op, value.expr.clone(), last, width);
                    fold::binary(BinOp::And, above, below, 1)
                }
            };
            self.body.span = low.span;
            self.body.jump(Some(cond), label);
        }
        let default = if has_default {
            self.body.label()
        } else {
            exits.leave
        };
        self.body.jump(None, default);
        self.body.switches.push(Switch {
            cases: labels,
            next: 0,
            default,
            depth: exits.depth,
        });
        self.nested(exits, body);
        self.body.switches.pop();
        self.body.place(exits.leave);
        Ok(())
    }

    fn labeled(&mut self, name: &'a Ident, inner: &'a Stmt) -> Lowered<()> {
        // No jump goes there, and the name may stand at several statements.
        if name.name.starts_with("__CPROVER_ASYNC_") {
            return self.async_stmt(inner);
        }
        if !self.body.place_named(&name.name, name.span) {
            return wrong(
                name.span,
                format!("the label `{}` is placed twice", name.name),
            );
        }
        if self.options.errors.labels.contains(&name.name) {
            self.failure(Rule::Label, format!("label {}", name.name), name.span);
        }
        self.stmt(inner)
    }

    fn return_stmt(&mut self, e: Option<&'a Ast>, span: Span) -> Lowered<()> {
        let ret = self.body.ret;
        let value = match e {
            None => None,
            Some(e) if matches!(self.types.get(ret), Type::Void) => {
                self.discard(e)?;
                None
            }
            Some(e) => Some(self.value_for(e, ret)?),
        };
        let returned = match (self.body.result, value) {
            (Some(result), Some(value)) => {
                let to = TypedValue::new(Expr::Local(result), ret);
                self.copy(to, TypedValue::new(value.expr, ret), span)?;
                None
            }
            (_, value) => value.map(|v| v.expr),
        };
        self.body.call_cleanups();
        self.body.span = span;
        // The exit status.
        if let ("main", Some(status)) = (&self.body.proc.name[..], &returned) {
            self.use_value(status.clone(), span);
        }
        self.emit(Op::Return(returned));
        Ok(())
    }

    /// Reports labels that are used but never placed.
    pub fn check_labels(&mut self) {
        let missing: Vec<(String, Span)> = (self.body.named.iter())
            .filter(|(_, label)| label.around.is_none())
            .map(|(name, label)| (name.clone(), label.span))
            .collect();
        for (name, span) in missing {
            self.error(Diag::error(
                span,
                format!("there is no label `{name}` in this function"),
            ));
        }
    }
}

/// Adds the values `first..=last` to those that a switch has cases for: no two cases are equal
/// (C11 6.8.4.2p3). A range that ends before it begins has no values.
fn distinct(
    taken: &mut Vec<(i128, i128, Span)>,
    first: i128,
    last: i128,
    span: Span,
) -> Lowered<()> {
    let overlaps = |(low, high, _): &&(i128, i128, Span)| *low <= last && first <= *high;
    if first > last {
        return Ok(());
    }
    if let Some((low, _, at)) = taken.iter().find(overlaps) {
        let value = first.max(*low);
        let message = format!("this `switch` has two cases for {value}");
        return Err(Diag::error(span, message).also(*at, "the first one").into());
    }
    taken.push((first, last, span));
    Ok(())
}

/// The cases of a switch in the order they stand; `None` for `default`.
type Case<'a> = Option<(&'a Ast, Option<&'a Ast>)>;

fn collect_cases<'a>(s: &'a Stmt, out: &mut Vec<Case<'a>>) {
    match &s.kind {
        StmtKind::Case(low, high, inner) => {
            out.push(Some((low, high.as_ref())));
            collect_cases(inner, out);
        }
        StmtKind::Default(inner) => {
            out.push(None);
            collect_cases(inner, out);
        }
        StmtKind::Label(_, inner) | StmtKind::While(_, inner) | StmtKind::DoWhile(inner, _) => {
            collect_cases(inner, out);
        }
        StmtKind::For { body, .. } => collect_cases(body, out),
        StmtKind::If(_, a, b) => {
            collect_cases(a, out);
            b.iter().for_each(|b| collect_cases(b, out));
        }
        StmtKind::Block(items) => {
            for item in items {
                if let BlockItem::Stmt(s) = item {
                    collect_cases(s, out);
                }
            }
        }
        _ => {}
    }
}

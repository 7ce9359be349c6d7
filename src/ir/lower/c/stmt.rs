//! Statements and local declarations: control flow becomes jumps.

use super::body::{Exits, Switch};
use super::names::Entity;
use super::{Lowered, Lowering, Place, Value, fold};
use crate::front::c::ast::{
    Asm, BlockItem, Declaration, Derived, Expr as Ast, Ident, Init, InitDeclarator, Stmt, StmtKind,
    TypeSpecKind,
};
use crate::front::c::types::{Type, TypeId};
use crate::front::diag::Diag;
use crate::front::source::Span;
use crate::ir::program::{BinOp, Expr, Op, Storage};

/// What a new local holds at first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Any value.
    Any,
    /// Zeros; the parts that are given are stored afterwards.
    Zero,
    /// A value that is assigned at once.
    Given,
}

impl<'a> Lowering<'a> {
    /// Lowers a block in a scope of its own.
    pub fn block(&mut self, items: &'a [BlockItem]) {
        self.scopes.enter();
        items.iter().for_each(|item| self.block_item(item));
        self.scopes.leave();
    }

    fn block_item(&mut self, item: &'a BlockItem) {
        let result = match item {
            BlockItem::Declaration(d) => self.local_declaration(d),
            BlockItem::StaticAssert(s) => self.static_assert(s),
            BlockItem::Stmt(s) => self.stmt(s),
        };
        if let Err(diag) = result {
            self.error(diag);
        }
    }

    /// `({ … })`: its value is that of the last statement.
    pub fn statement_expression(&mut self, items: &'a [BlockItem], span: Span) -> Lowered<Value> {
        self.scopes.enter();
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
        self.scopes.leave();
        self.body.span = span;
        value
    }

    /// Lowers a statement; an error inside a block is reported there, and lowering goes on.
    pub fn stmt(&mut self, s: &'a Stmt) -> Lowered<()> {
        self.body.span = s.span;
        match &s.kind {
            StmtKind::Expr(None) => {}
            StmtKind::Expr(Some(e)) => self.discard(e)?,
            StmtKind::Block(items) => self.block(items),
            StmtKind::If(c, a, b) => self.if_else(c, a, b.as_deref())?,
            StmtKind::While(c, body) => self.loop_with(Some(c), None, body)?,
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                self.scopes.enter();
                if let Some(item) = init {
                    self.block_item(item);
                }
                let result = self.loop_with(cond.as_ref(), step.as_ref(), body);
                self.scopes.leave();
                result?;
            }
            StmtKind::DoWhile(body, c) => {
                let (top, exits) = (self.body.label(), self.exits());
                self.body.place(top);
                self.nested(exits, body);
                self.body
                    .place(exits.again.expect("a loop can be continued"));
                self.branch(c, true, top)?;
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
                    return Err(Diag::error(s.span, "`case` outside of a `switch`"));
                };
                self.body.place(label);
                self.stmt(inner)?;
            }
            StmtKind::Default(inner) => {
                let Some(label) = self.body.switches.last().map(|s| s.default) else {
                    return Err(Diag::error(s.span, "`default` outside of a `switch`"));
                };
                self.body.place(label);
                self.stmt(inner)?;
            }
            StmtKind::Label(name, inner) => self.labeled(name, inner)?,
            StmtKind::Goto(name) => {
                let label = self.named_label(name);
                self.body.jump(None, label);
            }
            StmtKind::Break => {
                let Some(exits) = self.body.exits.last().copied() else {
                    return Err(Diag::error(s.span, "`break` outside of a loop or `switch`"));
                };
                self.body.jump(None, exits.leave);
            }
            StmtKind::Continue => {
                let Some(again) = self.body.exits.iter().rev().find_map(|e| e.again) else {
                    return Err(Diag::error(s.span, "`continue` outside of a loop"));
                };
                self.body.jump(None, again);
            }
            StmtKind::Return(e) => self.return_stmt(e.as_ref(), s.span)?,
            StmtKind::Asm(asm) => self.asm(asm, s.span)?,
        }
        Ok(())
    }

    fn asm(&mut self, asm: &Asm, span: Span) -> Lowered<()> {
        self.body.span = span;
        for op in super::builtin::asm::lower(asm, span)? {
            self.emit(op);
        }
        Ok(())
    }

    fn if_else(&mut self, c: &'a Ast, a: &'a Stmt, b: Option<&'a Stmt>) -> Lowered<()> {
        let other = self.body.label();
        self.branch(c, false, other)?;
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
        self.scopes.enter();
        if let Err(diag) = self.stmt(s) {
            self.error(diag);
        }
        self.scopes.leave();
    }

    fn exits(&mut self) -> Exits {
        Exits {
            leave: self.body.label(),
            again: Some(self.body.label()),
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
        let head = cond.map_or(Ok(()), |c| self.branch(c, false, exits.leave));
        self.nested(exits, body);
        self.body.place(again);
        let tail = step.map_or(Ok(()), |e| self.discard(e));
        self.body.jump(None, top);
        self.body.place(exits.leave);
        head.and(tail)
    }

    fn switch(&mut self, e: &'a Ast, body: &'a Stmt) -> Lowered<()> {
        let value = self.value(e)?;
        let mut value = self.promote(value, e.span)?;
        let width = self.scalar_width(value.ty, e.span)?;
        value.expr = self.bind(value.expr);
        let mut cases = Vec::new();
        collect_cases(body, &mut cases);
        let mut labels = Vec::new();
        let has_default = cases.iter().any(|c| c.is_none());
        let exits = Exits {
            leave: self.body.label(),
            again: None,
        };
        for (low, high) in cases.into_iter().flatten() {
            let label = self.body.label();
            labels.push(label);
            let signed = self.types.signed(value.ty);
            let first = Expr::constant(self.constant(low)? as u64, width);
            let cond = match high {
                None => fold::binary(BinOp::Eq, value.expr.clone(), first, width),
                Some(high) => {
                    let last = Expr::constant(self.constant(high)? as u64, width);
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
        });
        self.nested(exits, body);
        self.body.switches.pop();
        self.body.place(exits.leave);
        Ok(())
    }

    fn labeled(&mut self, name: &'a Ident, inner: &'a Stmt) -> Lowered<()> {
        let label = self.named_label(name);
        if let Some(entry) = self.body.named.get_mut(&name.name) {
            if entry.1 {
                return Err(Diag::error(
                    name.span,
                    format!("the label `{}` is placed twice", name.name),
                ));
            }
            entry.1 = true;
        }
        self.body.place(label);
        if name.name.starts_with("__CPROVER_ASYNC_") {
            return self.async_stmt(inner);
        }
        self.stmt(inner)
    }

    fn named_label(&mut self, name: &Ident) -> super::body::Label {
        if let Some((label, ..)) = self.body.named.get(&name.name) {
            return *label;
        }
        let label = self.body.label();
        self.body
            .named
            .insert(name.name.clone(), (label, false, name.span));
        label
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
                self.copy(Expr::Local(result), value.expr, ret, span)?;
                None
            }
            (_, value) => value.map(|v| v.expr),
        };
        self.body.span = span;
        self.emit(Op::Return(returned));
        Ok(())
    }

    fn local_declaration(&mut self, d: &'a Declaration) -> Lowered<()> {
        if d.base.kind == TypeSpecKind::Auto {
            return self.auto_declaration(d);
        }
        let base = self.base_type(&d.base);
        for declarator in &d.declarators {
            let result = match &base {
                Ok(base) => self.local(d, declarator, *base),
                Err(diag) => Err(diag.clone()),
            };
            if let Err(diag) = result {
                self.error(diag);
                if self.scopes.find_here(&declarator.name.name).is_none() {
                    self.scopes.declare(&declarator.name.name, Entity::Broken);
                }
            }
        }
        base.map(|_| ())
    }

    fn auto_declaration(&mut self, d: &'a Declaration) -> Lowered<()> {
        for declarator in &d.declarators {
            let Some(Init::Expr(e)) = &declarator.init else {
                return Err(Diag::error(
                    declarator.name.span,
                    "`__auto_type` needs an initial value",
                ));
            };
            let ty = self.type_of(e)?;
            let ty = self.decayed(ty);
            let place = self.new_local(&declarator.name, ty, Start::Given)?;
            let value = self.value_for(e, ty)?;
            self.write(place, value, declarator.name.span)?;
        }
        Ok(())
    }

    fn local(
        &mut self,
        d: &'a Declaration,
        declarator: &'a InitDeclarator,
        base: TypeId,
    ) -> Lowered<()> {
        let name = &declarator.name;
        if let Some((Derived::Array { size: Some(size) }, inner)) = declarator.derived.split_last()
        {
            let plain = !d.storage.typedef && !d.storage.internal && !d.storage.external;
            if plain && declarator.init.is_none() && self.constant(size).is_err() {
                let elem = self.derive(base, inner, name.span)?;
                return self.variable_array(name, elem, size);
            }
        }
        let ty = self.derive(base, &declarator.derived, name.span)?;
        let function = matches!(self.types.get(ty), Type::Function(_));
        let storage = d.storage;
        if storage.typedef
            || storage.external
            || storage.internal
            || storage.thread_local
            || function
        {
            self.declare_static(d, declarator, ty)?;
            if let (Some(Entity::Variable(v)), true) =
                (self.scopes.find_here(&name.name).cloned(), storage.internal)
            {
                // Its initial value may use names of this scope, so it is lowered here.
                self.variables[v].name = format!("{}::{}", self.body.proc.name, name.name);
                self.global_now(v, name.span)?;
            }
            return Ok(());
        }
        let ty = self.complete_by_init(ty, declarator.init.as_ref())?;
        let listed = matches!(&declarator.init, Some(Init::List(..)))
            || matches!(self.types.get(ty), Type::Array(..));
        let start = match &declarator.init {
            None => Start::Any,
            Some(_) if listed => Start::Zero,
            Some(_) => Start::Given,
        };
        // The name is in scope in its own initialiser: `struct s *p = malloc(sizeof *p)`.
        let place = self.new_local(name, ty, start)?;
        if let Some(init) = &declarator.init {
            self.init_local(place, init, name.span)?;
        }
        Ok(())
    }

    /// A new object of block scope: a register when nothing speaks against it.
    pub fn new_local(&mut self, name: &Ident, ty: TypeId, start: Start) -> Lowered<Place> {
        if let Type::Unsupported(what) = self.types.get(ty) {
            return self.unsupported(name.span, what);
        }
        self.body.span = name.span;
        let scalar = self.types.width(ty).filter(|_| !self.types.is_atomic(ty));
        if let (Some(width), false) = (scalar, self.body.addressed.contains(&name.name)) {
            let local = self.body.local(&name.name, width);
            if start != Start::Given {
                self.emit(Op::Havoc { dst: local });
            }
            self.scopes
                .declare(&name.name, Entity::Register(local, ty, self.body.id));
            return Ok(Place::Register(local, ty));
        }
        let size = self.size_of(ty, name.span)?;
        let addr = self.allocate(&name.name, ty, size, start == Start::Zero, name.span)?;
        self.scopes
            .declare(&name.name, Entity::Stack(addr, ty, self.body.id));
        Ok(Place::Memory(Expr::Local(addr), ty))
    }

    /// A new object on the stack; the register holds its address.
    pub fn allocate(
        &mut self,
        name: &str,
        ty: TypeId,
        size: u64,
        zeroed: bool,
        span: Span,
    ) -> Lowered<crate::ir::program::LocalId> {
        let layout = self.layout(ty, span)?;
        let width = self.pointer_width();
        let dst = self.body.local(&format!("&{name}"), width);
        self.body.span = span;
        let storage = Storage::Stack(name.to_string());
        self.emit(Op::Alloc {
            dst,
            storage,
            layout: Some(layout),
            size: Expr::constant(size, width),
            zeroed,
        });
        Ok(dst)
    }

    /// `T name[n]` with an `n` that is computed.
    fn variable_array(&mut self, name: &Ident, elem: TypeId, count: &'a Ast) -> Lowered<()> {
        let value = self.value(count)?;
        let size = self.scaled(value, elem, count.span)?;
        let layout = self.layout(elem, name.span)?;
        let dst = self
            .body
            .local(&format!("&{}", name.name), self.pointer_width());
        self.body.span = name.span;
        let storage = Storage::Stack(name.name.clone());
        self.emit(Op::Alloc {
            dst,
            storage,
            layout: Some(layout),
            size,
            zeroed: false,
        });
        let ty = self.types.id(Type::Array(elem, None));
        self.scopes
            .declare(&name.name, Entity::Stack(dst, ty, self.body.id));
        Ok(())
    }

    /// Reports labels that are used but never placed.
    pub fn check_labels(&mut self) {
        let missing: Vec<(String, Span)> = (self.body.named.iter())
            .filter(|(_, (_, placed, _))| !placed)
            .map(|(name, (_, _, span))| (name.clone(), *span))
            .collect();
        for (name, span) in missing {
            self.error(Diag::error(
                span,
                format!("there is no label `{name}` in this function"),
            ));
        }
    }
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

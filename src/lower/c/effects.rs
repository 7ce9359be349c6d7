//! What the evaluation of an expression may read and write: whether the order of two operands matters.
//!
//! C leaves that order open (C11 6.5p2, 6.5.2.2p10), so what is asked here is syntax alone: which names
//! an expression accesses, whether it accesses memory through pointers, and what the functions that it
//! calls do, with all that these call. Too much may be said (a name that a function hides by one of its own,
//! two members of one structure); then an order is chosen that makes no difference.

use super::Lowering;
use super::dependence::*;
use super::names::{Entity, UnitId};
use crate::front::c::ast::*;
use crate::front::c::types::Type;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What a function of the library does.
enum Known {
    /// Nothing that others see.
    Nothing,
    /// It reads what its arguments point to.
    Reads,
    /// It reads and writes what its first argument points to, and others that are addresses.
    Arguments,
    /// Anything.
    Anything,
}

fn known(name: &str) -> Known {
    const NOTHING: [&str; 16] = [
        "malloc",
        "calloc",
        "alloca",
        "pthread_self",
        "thrd_current",
        "pthread_equal",
        "thrd_equal",
        "rand",
        "random",
        "abs",
        "labs",
        "llabs",
        "fabs",
        "sqrt",
        "getpid",
        "gettid",
    ];
    const READS: [&str; 8] = [
        "strlen", "strcmp", "strncmp", "memcmp", "strchr", "strrchr", "strstr", "memchr",
    ];
    const ARGUMENTS: [&str; 7] = [
        "atomic_",
        "__atomic_",
        "__c11_atomic_",
        "__sync_",
        "memset",
        "memcpy",
        "memmove",
    ];
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let loads = name.contains("atomic_load") && name != "__atomic_load";
    if READS.contains(&plain) || loads {
        return Known::Reads;
    }
    if ARGUMENTS.iter().any(|p| plain.starts_with(p)) {
        return Known::Arguments;
    }
    let writes = |word: &&str| plain.contains(*word);
    let computes = plain != name
        && !["str", "mem", "va_", "overflow", "print"]
            .iter()
            .any(writes);
    match NOTHING.contains(&plain) || name.starts_with("__VERIFIER_nondet") || computes {
        true => Known::Nothing,
        false => Known::Anything,
    }
}

/// A walk over an expression or a body.
struct Walk {
    effects: Effects,
    /// Functions with a body that are called.
    calls: Vec<(UnitId, String)>,
    /// Names that are declared inside.
    hidden: BTreeSet<String>,
    /// Of them those that are certainly arrays, not pointers to elsewhere.
    arrays: BTreeSet<String>,
    /// It is a whole function: its locals are nobody else's.
    function: bool,
}

impl Walk {
    fn new(function: bool) -> Walk {
        Walk {
            effects: Effects::default(),
            calls: Vec::new(),
            hidden: BTreeSet::new(),
            arrays: BTreeSet::new(),
            function,
        }
    }
}

/// True where nothing is called or changed.
pub fn is_quiet(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Ident(_) | ExprKind::Int(..) | ExprKind::Float(..) => true,
        ExprKind::Str(_) | ExprKind::WideStr(..) | ExprKind::TypesCompatible(_) => true,
        ExprKind::SizeofType(_) | ExprKind::SizeofExpr(_) | ExprKind::Alignof(_) => true,
        ExprKind::Offsetof(_, path) => path.iter().all(|step| match step {
            Designator::Index(index) => is_quiet(index),
            _ => true,
        }),
        ExprKind::Unary(_, a) | ExprKind::Cast(_, a) | ExprKind::Member { base: a, .. } => {
            is_quiet(a)
        }
        ExprKind::Binary(_, a, b) | ExprKind::Logical(_, a, b) | ExprKind::Index(a, b) => {
            is_quiet(a) && is_quiet(b)
        }
        ExprKind::Conditional(c, a, b) => {
            is_quiet(c) && a.as_ref().is_none_or(|a| is_quiet(a)) && is_quiet(b)
        }
        ExprKind::Comma(list) => list.iter().all(is_quiet),
        _ => false,
    }
}

/// The variables that an expression has changed when its value is there, though perhaps not before it is
/// used: nothing is between.
pub fn changed_last<'e>(e: &'e Expr, out: &mut Vec<&'e str>) {
    match &e.kind {
        ExprKind::Step { operand, .. } => match &operand.kind {
            ExprKind::Ident(name) => out.push(name),
            _ => changed_last(operand, out),
        },
        ExprKind::Assign(_, a, b) => {
            match &a.kind {
                ExprKind::Ident(name) => out.push(name),
                _ => changed_last(a, out),
            }
            changed_last(b, out);
        }
        ExprKind::Unary(_, a) | ExprKind::Cast(_, a) => changed_last(a, out),
        ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => {
            changed_last(a, out);
            changed_last(b, out);
        }
        ExprKind::Logical(_, _, b) => changed_last(b, out),
        ExprKind::Conditional(_, a, b) => {
            a.iter().for_each(|a| changed_last(a, out));
            changed_last(b, out);
        }
        ExprKind::Comma(list) => list.last().into_iter().for_each(|e| changed_last(e, out)),
        _ => {}
    }
}

impl<'a> Lowering<'a> {
    /// What an expression does that is used in this way.
    pub fn effects(&mut self, e: &'a Expr, how: How) -> Effects {
        let mut walk = Walk::new(false);
        self.touch(e, how, &mut walk);
        let mut effects = walk.effects;
        let mut seen = BTreeSet::new();
        let mut open = walk.calls;
        while let Some(function) = open.pop() {
            if seen.insert(function.clone()) {
                let summary = self.summary(function);
                effects.called.extend(&summary.touched);
                open.extend(summary.calls.iter().cloned());
            }
        }
        effects
    }

    /// What a function does itself.
    fn summary(&mut self, (unit, name): (UnitId, String)) -> Rc<FunctionEffects> {
        let key = (unit, name);
        if let Some(known) = self.summaries.get(&key) {
            return known.clone();
        }
        let work = |l: &mut Self| {
            let mut walk = Walk::new(true);
            let definition = l.names.function(&key.1).and_then(|f| f.definition);
            if let Some(f) = definition {
                if let Some(Derived::Function { params, .. }) = f.derived.last() {
                    let names = params.iter().filter_map(|p| p.name.as_ref());
                    walk.hidden.extend(names.map(|n| n.name.clone()));
                }
                l.touch_block(&f.body, &mut walk);
            }
            let mut touched = walk.effects.own;
            touched.extend(&walk.effects.called);
            FunctionEffects {
                touched,
                calls: walk.calls,
            }
        };
        let found = Rc::new(match unit == self.names.unit() {
            true => work(self),
            false => self.in_unit(unit, work),
        });
        self.summaries.insert(key, found.clone());
        found
    }

    /// What a name stands for where the walk is; in a function only those of the file do, unless it
    /// hides them.
    fn variable_of(&self, name: &str, walk: &Walk) -> Option<(Access, bool)> {
        let hidden = walk.hidden.contains(name);
        let entity = match walk.function {
            true => self.names.scopes().find_at_file(name),
            false if hidden => None,
            false => self.names.scopes().find(name),
        };
        let access = match entity? {
            Entity::Register(..) => Access::Register(name.to_string()),
            // What is known by several names is one object.
            Entity::Variable(v) => {
                let object = self.names.object(*v);
                Access::Variable(self.names.variable(object).name.clone())
            }
            _ => Access::Variable(name.to_string()),
        };
        let ty = match entity? {
            Entity::Register(_, ty, _) | Entity::Stack(_, ty, _) => *ty,
            Entity::Variable(v) => self.names.variable(*v).ty,
            _ => return None,
        };
        let array = matches!(self.types.get(self.types.plain(ty)), Type::Array(..));
        Some((access, array))
    }

    fn touch(&mut self, e: &'a Expr, how: How, walk: &mut Walk) {
        match &e.kind {
            ExprKind::Ident(name) => {
                if let Some((access, false)) = self.variable_of(name, walk) {
                    walk.effects.own.add(access, how);
                }
            }
            ExprKind::Unary(UnaryOp::Address, inner) => self.touch(inner, ADDRESS, walk),
            ExprKind::Unary(UnaryOp::Deref, inner) => {
                self.touch(inner, READ, walk);
                walk.effects.own.add(Access::Memory, how);
            }
            ExprKind::Unary(_, inner) => self.touch(inner, READ, walk),
            // Of a cast in front of an address.
            ExprKind::Cast(_, inner) => self.touch(inner, READ, walk),
            ExprKind::Index(a, i) => {
                self.touch(i, READ, walk);
                self.touch(a, READ, walk);
                self.touch_part(a, how, false, walk);
            }
            ExprKind::Member { base, arrow, .. } => {
                self.touch(base, if *arrow { READ } else { ADDRESS }, walk);
                match arrow {
                    true => walk.effects.own.add(Access::Memory, how),
                    false => self.touch_part(base, how, true, walk),
                }
            }
            ExprKind::Step { operand, .. } => self.touch(operand, UPDATE, walk),
            ExprKind::Assign(op, place, value) => {
                let how = if op.is_some() { UPDATE } else { WRITE };
                self.touch(place, how, walk);
                self.touch(value, READ, walk);
            }
            ExprKind::Binary(_, a, b) | ExprKind::Logical(_, a, b) => {
                self.touch(a, READ, walk);
                self.touch(b, READ, walk);
            }
            ExprKind::Conditional(c, a, b) => {
                self.touch(c, READ, walk);
                for e in a.iter().chain([b]) {
                    self.touch(e, how, walk);
                }
            }
            ExprKind::Comma(list) => list.iter().for_each(|e| self.touch(e, READ, walk)),
            ExprKind::Call(callee, args) => self.touch_call(callee, args, walk),
            ExprKind::Compound(_, items) => {
                items.iter().for_each(|i| self.touch_init(&i.init, walk));
            }
            ExprKind::Generic(_, cases) => {
                cases.iter().for_each(|(_, e)| self.touch(e, how, walk));
            }
            ExprKind::Choose(operands) => {
                operands[1..].iter().for_each(|e| self.touch(e, how, walk));
            }
            ExprKind::Block(items) => {
                let before = walk.hidden.clone();
                self.touch_block(items, walk);
                if !walk.function {
                    walk.hidden = before;
                }
            }
            ExprKind::VaArg(list, _) => self.touch(list, UPDATE, walk),
            ExprKind::Int(..)
            | ExprKind::Float(..)
            | ExprKind::Str(_)
            | ExprKind::WideStr(..)
            | ExprKind::TypesCompatible(_) => {}
            ExprKind::SizeofType(_)
            | ExprKind::SizeofExpr(_)
            | ExprKind::Alignof(_)
            | ExprKind::AlignofExpr(_) => {}
            ExprKind::Offsetof(_, path) => {
                for step in path {
                    if let Designator::Index(index) = step {
                        self.touch(index, READ, walk);
                    }
                }
            }
            ExprKind::Unsupported(_) => {}
        }
    }

    /// A member of a structure, or an element of what may be an array or a pointer.
    fn touch_part(&mut self, whole: &'a Expr, how: How, member: bool, walk: &mut Walk) {
        let part = match &whole.kind {
            ExprKind::Ident(name) => match self.variable_of(name, walk) {
                Some((Access::Variable(name), array)) if member || array => Access::Part(name),
                None if walk.hidden.contains(name) && (member || walk.arrays.contains(name)) => {
                    return;
                }
                _ => Access::Memory,
            },
            _ => Access::Memory,
        };
        walk.effects.own.add(part, how);
    }

    fn touch_call(&mut self, callee: &'a Expr, args: &'a [Expr], walk: &mut Walk) {
        args.iter().for_each(|arg| self.touch(arg, READ, walk));
        let anything = |walk: &mut Walk| walk.effects.called.add(Access::Memory, UPDATE);
        let ExprKind::Ident(name) = &callee.kind else {
            self.touch(callee, READ, walk);
            return anything(walk);
        };
        let function = match walk.function {
            true => self.names.scopes().find_at_file(name),
            false => self.names.scopes().find(name),
        };
        if !matches!(function, None | Some(Entity::Function)) {
            self.touch(callee, READ, walk);
            return anything(walk);
        }
        if self.options.havoc.contains(name) {
            return;
        }
        let defined = self.names.function(name).filter(|f| f.definition.is_some());
        if let Some(function) = defined {
            let own = function.definition.map(|f| f.name.name.clone());
            let name = own.unwrap_or_else(|| name.clone());
            return walk.calls.push((function.unit, name));
        }
        match known(name) {
            Known::Nothing => {}
            Known::Anything => anything(walk),
            Known::Reads => args
                .iter()
                .for_each(|a| self.touch_target(a, READ, false, walk)),
            Known::Arguments => {
                for (i, arg) in args.iter().enumerate() {
                    self.touch_target(arg, UPDATE, i == 0, walk);
                }
            }
        }
    }

    /// What an argument points to; `pointer` says that it is certainly one.
    fn touch_target(&mut self, arg: &'a Expr, how: How, pointer: bool, walk: &mut Walk) {
        let mut inner = arg;
        while let ExprKind::Cast(_, e) = &inner.kind {
            inner = e;
        }
        let access = match &inner.kind {
            ExprKind::Unary(UnaryOp::Address, place) => match &place.kind {
                ExprKind::Ident(name) => match self.variable_of(name, walk) {
                    Some((Access::Register(name) | Access::Variable(name), _)) => {
                        Access::Variable(name)
                    }
                    _ => return,
                },
                _ => Access::Memory,
            },
            ExprKind::Int(..) | ExprKind::Float(..) => return,
            _ if pointer || !how.writes => Access::Memory,
            _ => return,
        };
        walk.effects.called.add(access, how);
    }

    fn touch_init(&mut self, init: &'a Init, walk: &mut Walk) {
        match init {
            Init::Expr(e) => self.touch(e, READ, walk),
            Init::List(items, _) => items.iter().for_each(|i| self.touch_init(&i.init, walk)),
        }
    }

    fn touch_block(&mut self, items: &'a [BlockItem], walk: &mut Walk) {
        items.iter().for_each(|i| self.touch_item(i, walk));
    }

    fn touch_item(&mut self, item: &'a BlockItem, walk: &mut Walk) {
        match item {
            BlockItem::Declaration(d) => self.touch_declaration(d, walk),
            BlockItem::StaticAssert(_) => {}
            BlockItem::Stmt(s) => self.touch_stmt(s, walk),
        }
    }

    fn touch_declaration(&mut self, d: &'a Declaration, walk: &mut Walk) {
        let lasting = d.storage.internal || d.storage.external;
        for declarator in &d.declarators {
            let name = &declarator.name.name;
            if lasting {
                // An object that other calls see, of whatever name.
                walk.effects.own.add(Access::Memory, UPDATE);
            } else {
                declarator
                    .init
                    .iter()
                    .for_each(|i| self.touch_init(i, walk));
            }
            walk.hidden.insert(name.clone());
            if matches!(declarator.derived.last(), Some(Derived::Array { .. })) {
                walk.arrays.insert(name.clone());
            }
        }
    }

    fn touch_stmt(&mut self, s: &'a Stmt, walk: &mut Walk) {
        match &s.kind {
            StmtKind::Expr(e) | StmtKind::Return(e) => {
                e.iter().for_each(|e| self.touch(e, READ, walk));
            }
            StmtKind::Block(items) => self.touch_block(items, walk),
            StmtKind::If(c, a, b) => {
                self.touch(c, READ, walk);
                self.touch_stmt(a, walk);
                b.iter().for_each(|b| self.touch_stmt(b, walk));
            }
            StmtKind::While(c, b) | StmtKind::DoWhile(b, c) | StmtKind::Switch(c, b) => {
                self.touch(c, READ, walk);
                self.touch_stmt(b, walk);
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                init.iter().for_each(|i| self.touch_item(i, walk));
                let clauses = cond.iter().chain(step);
                clauses.for_each(|e| self.touch(e, READ, walk));
                self.touch_stmt(body, walk);
            }
            StmtKind::Case(_, _, b) | StmtKind::Default(b) | StmtKind::Label(_, b) => {
                self.touch_stmt(b, walk);
            }
            StmtKind::Asm(_) => walk.effects.called.add(Access::Memory, UPDATE),
            StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue => {}
        }
    }
}

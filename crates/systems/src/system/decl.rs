//! Declarations: `init`, `unsafe`, `invariant`, transitions.

use super::access::{each_in_form, each_in_updates};
use super::expr::{Ctx, FormulaRole, Reported, cell, form, no_thread, process, term};
use super::outside::{find, settle};
use super::ownership::check as check_ownership;
use super::scope::Scope;
use super::types::{
    Acc, Form, History, MemorySemantics, Pr, Property, System, Target, Transition, TypeId, Update,
    UpdateValue,
};
use crate::cub::ast::{self, Atom, Expr, Ident, ProcRef, Rhs, SymbolKind, Term};
use base::diag::Diag;
use base::idx::position;
use base::source::Span;

/// More processes than any engine could look at.
const MAX_PROCS: u8 = 30;

/// Parameters of one transition or property.
const MAX_PARAMS: usize = 8;

/// Resolves and types a file for a kind of memory.
///
/// # Errors
/// Every rule of the language that is broken, with its place.
pub fn resolve(file: &ast::File, memory: MemorySemantics) -> Result<System, Vec<Diag>> {
    let mut s = Scope::new(file, memory);
    s.decimals = decimals(file);
    match 10i64.checked_pow(s.decimals) {
        Some(scale) => s.scale = scale,
        None => {
            s.errors.push(Diag::bare(
                "a real number has too many digits after the point",
            ));
            s.decimals = 0;
        }
    }
    let mut procs = None;
    if let Some((n, span)) = file.procs {
        procs = u8::try_from(n).ok().filter(|n| *n <= MAX_PROCS);
        if procs.is_none() {
            let message = format!("more than {MAX_PROCS} processes are not supported");
            s.unsupported(span, message);
            return Err(s.errors);
        }
    }
    predicates(&mut s);
    let init = init(&mut s);
    let unsafes = properties(&mut s, &file.unsafes, "unsafe");
    let invariants = properties(&mut s, &file.invariants, "invariant");
    let mut transitions = Vec::new();
    for t in &file.transitions {
        if let Ok(mut t) = transition(&mut s, t) {
            check_ownership(&mut s, &t);
            t.origin = transitions.len();
            transitions.push(t);
        }
    }
    match init {
        Some(init) if s.errors.is_empty() => {
            let mut system = System {
                memory: s.memory,
                types: s.types,
                symbols: s.symbols,
                procs,
                fixed: s.fixed,
                scale: s.scale,
                outside: find(&init),
                init,
                unsafes,
                invariants,
                transitions,
                history: History::default(),
                counts: Vec::new(),
                warnings: s.warnings,
            };
            settle(&mut system).map_err(|e| vec![e])?;
            Ok(system)
        }
        _ => {
            s.errors.dedup();
            Err(s.errors)
        }
    }
}

/// The most digits after a point that the file has.
fn decimals(file: &ast::File) -> u32 {
    let mut most = 0;
    let mut see = |t: &Term| {
        for n in t.parts.iter().filter_map(|p| p.factor) {
            most = most.max(n.decimals);
        }
    };
    let formulas = file
        .inits
        .iter()
        .chain(&file.unsafes)
        .chain(&file.invariants);
    let bodies = formulas.map(|f| &f.body);
    let guards = file.transitions.iter().filter_map(|t| t.guard.as_ref());
    for e in bodies
        .chain(guards)
        .chain(file.predicates.iter().map(|p| &p.body))
    {
        each_term(e, &mut see);
    }
    for t in &file.transitions {
        t.lets.iter().for_each(|(_, t)| see(t));
        for u in &t.updates {
            match &u.rhs {
                Rhs::Term(t) => see(t),
                Rhs::Any(_) => {}
                Rhs::Case(cases) => cases.iter().for_each(|(e, t)| {
                    if let Some(e) = e {
                        each_term(e, &mut see);
                    }
                    see(t);
                }),
            }
        }
    }
    most
}

/// Calls `f` with every term of a formula.
pub(super) fn each_term(e: &Expr, f: &mut dyn FnMut(&Term)) {
    match e {
        Expr::Bool(..) | Expr::Fence(..) => {}
        Expr::Cmp(_, a, b, _) => {
            f(a);
            f(b);
        }
        Expr::Not(a, _) | Expr::Quant(_, _, a, _) => each_term(a, f),
        Expr::Bin(_, a, b) => {
            each_term(a, f);
            each_term(b, f);
        }
        Expr::Ite(a, b, c) => [a, b, c].into_iter().for_each(|e| each_term(e, f)),
        Expr::Call(_, args, _) => args.iter().for_each(|a| match a {
            ast::Arg::Term(t) => f(t),
            ast::Arg::Expr(e) => each_term(e, f),
        }),
    }
}

fn predicates(s: &mut Scope) {
    let file = s.file;
    for (i, p) in file.predicates.iter().enumerate() {
        if file.predicates[..i]
            .iter()
            .any(|q| q.name.text == p.name.text)
        {
            let message = format!("the predicate `{}` is defined twice", p.name.text);
            s.error(p.name.span, message);
        }
        // What is wrong is reported; a predicate is written out where it is used all the same.
        let _ = distinct(s, &p.params);
    }
}

fn distinct(s: &mut Scope, params: &[Ident]) -> Result<(), Reported> {
    for (i, p) in params.iter().enumerate() {
        if params[..i].iter().any(|q| q.text == p.text) {
            s.error(p.span, format!("the parameter `{}` is named twice", p.text));
        }
    }
    if let Some(last) = params.get(MAX_PARAMS) {
        let message = format!("more than {MAX_PARAMS} parameters are not supported");
        s.unsupported(last.span, message);
        return Err(Reported);
    }
    Ok(())
}

fn ctx(s: &Scope, place: FormulaRole, params: &[Ident]) -> Ctx {
    Ctx {
        place,
        names: params.to_vec(),
        params: params.len(),
        thread: None,
        lets: Vec::new(),
        predicates: s.file.predicates.len(),
        quantified: false,
    }
}

fn init(s: &mut Scope) -> Option<Property> {
    let file = s.file;
    for extra in file.inits.iter().skip(1) {
        s.error(extra.span, "`init` is declared twice");
    }
    let Some(first) = file.inits.first() else {
        s.errors.push(
            Diag::bare("there is no `init`: where does the system start?")
                .note("write `init (p) { … }`; it holds for every process p"),
        );
        return None;
    };
    property(s, first, FormulaRole::Init, "init".into())
}

fn properties(s: &mut Scope, formulas: &[ast::Formula], word: &str) -> Vec<Property> {
    let mut all = Vec::new();
    for (i, f) in formulas.iter().enumerate() {
        let name = match &f.name {
            Some(name) => {
                if formulas[..i]
                    .iter()
                    .any(|g| g.name.as_ref().is_some_and(|g| g.text == name.text))
                {
                    let message = format!("`{word} {}` is declared twice", name.text);
                    s.error(name.span, message);
                }
                name.text.clone()
            }
            None => format!("{word} {}", i + 1),
        };
        all.extend(property(s, f, FormulaRole::Property, name));
    }
    all
}

fn property(s: &mut Scope, f: &ast::Formula, place: FormulaRole, name: String) -> Option<Property> {
    distinct(s, &f.params).ok()?;
    let mut c = ctx(s, place, &f.params);
    let body = form(s, &mut c, &f.body, true).ok()?;
    // Those of quantifiers are among them now.
    let most = match place {
        FormulaRole::Init => MAX_PARAMS,
        _ => usize::from(MAX_PROCS),
    };
    if let Some(name) = c.names.get(most) {
        let message = format!("a formula about more than {most} processes is not supported");
        s.unsupported(name.span, message);
        return None;
    }
    Some(Property {
        name,
        params: c.names.into_iter().map(|n| n.text).collect(),
        body,
        span: f.span,
    })
}

fn transition(s: &mut Scope, t: &ast::Transition) -> Result<Transition, Reported> {
    let errors = s.errors.len();
    distinct(s, &t.params)?;
    let mut c = ctx(s, FormulaRole::Guard, &t.params);
    c.lets = t.lets.clone();
    let mut thread = None;
    if s.memory == MemorySemantics::Buffered {
        thread = performing(s, t);
        if thread.is_none() && t.params.is_empty() {
            s.errors.push(no_thread(t.name.span, "a transition"));
            return Err(Reported);
        }
    }
    c.thread = thread.map(Pr::Var);
    let guard = match &t.guard {
        Some(g) => form(s, &mut c, g, true).unwrap_or(Form::Bool(true)),
        None => Form::Bool(true),
    };
    c.place = FormulaRole::Update;
    let mut updates: Vec<Update> = Vec::new();
    for u in &t.updates {
        if let Ok(new) = update(s, &mut c, u) {
            if updates.iter().any(|old| old.sym == new.sym) {
                let message = format!(
                    "`{}` is updated twice in one transition",
                    u.target.name.text
                );
                s.errors.push(
                    Diag::error(u.span, message).note(
                        "all updates happen at once; write one with `case` for several cells",
                    ),
                );
            }
            updates.push(new);
        }
    }
    if s.errors.len() > errors {
        return Err(Reported);
    }
    let mut reads = false;
    let mut read = |a: &Acc| reads |= a.by.is_some();
    each_in_form(&guard, &mut read);
    each_in_updates(&updates, &mut read);
    let weak = |u: &Update| s.symbols[u.sym].kind == SymbolKind::Weak;
    let writes = updates.iter().any(weak);
    Ok(Transition {
        name: t.name.text.clone(),
        params: t.params.iter().map(|p| p.text.clone()).collect(),
        thread,
        guard,
        updates,
        reads,
        writes,
        origin: 0,
        span: t.name.span,
    })
}

/// The performing process: the one in brackets; else the one named with `@` or `fence`; else, in
/// the notation without brackets, the first parameter.
fn performing(s: &mut Scope, t: &ast::Transition) -> Option<u8> {
    if let Some(at) = t.thread {
        return Some(position(at));
    }
    let mut named: Vec<Ident> = Vec::new();
    let mut bare: Option<Span> = None;
    {
        let mut see = |a: &ast::Access| {
            let weak = s
                .symbol_names
                .get(&a.name.text)
                .is_some_and(|sym| s.symbols[*sym].kind == SymbolKind::Weak);
            match &a.thread {
                Some(ProcRef::Name(n)) => named.push(n.clone()),
                None if weak && bare.is_none() => bare = Some(a.span),
                _ => {}
            }
        };
        let mut see_term = |t: &Term| {
            for p in &t.parts {
                if let Atom::Access(a) = &p.atom {
                    see(a);
                }
            }
        };
        if let Some(g) = &t.guard {
            each_term(g, &mut see_term);
        }
        for u in &t.updates {
            match &u.rhs {
                Rhs::Term(t) => see_term(t),
                Rhs::Any(_) => {}
                Rhs::Case(cases) => cases.iter().for_each(|(e, t)| {
                    if let Some(e) = e {
                        each_term(e, &mut see_term);
                    }
                    see_term(t);
                }),
            }
        }
        t.updates.iter().for_each(|u| see(&u.target));
    }
    if let Some(g) = &t.guard {
        fences(g, &mut |n| named.push(n.clone()));
    }
    if named.is_empty()
        && let Some(span) = bare
    {
        s.errors.push(no_thread(span, "a weak access"));
        return None;
    }
    match named.first() {
        Some(n) => t.params.iter().position(|p| p.text == n.text).map(position),
        None if t.params.is_empty() => None,
        None => Some(0),
    }
}

fn fences(e: &Expr, f: &mut dyn FnMut(&Ident)) {
    match e {
        Expr::Fence(Some(ProcRef::Name(n)), _) => f(n),
        Expr::Bool(..) | Expr::Fence(..) | Expr::Cmp(..) | Expr::Call(..) => {}
        Expr::Not(a, _) | Expr::Quant(_, _, a, _) => fences(a, f),
        Expr::Bin(_, a, b) => {
            fences(a, f);
            fences(b, f);
        }
        Expr::Ite(a, b, c) => [a, b, c].into_iter().for_each(|e| fences(e, f)),
    }
}

fn update(s: &mut Scope, c: &mut Ctx, u: &ast::Update) -> Result<Update, Reported> {
    let outer = c.names.len();
    let result = update_inner(s, c, u);
    c.names.truncate(outer);
    result
}

fn update_inner(s: &mut Scope, c: &mut Ctx, u: &ast::Update) -> Result<Update, Reported> {
    let params = c.names.len();
    if s.ctors.contains_key(&u.target.name.text) {
        let message = format!("`{}` is a constructor", u.target.name.text);
        s.error(u.target.span, message);
        return Err(Reported);
    }
    let case = matches!(u.rhs, Rhs::Case(_));
    // With `case`, indices that are no parameters are bound here.
    let mut bound = 0;
    if case {
        for p in &u.target.index {
            if let ProcRef::Name(n) = p
                && !c.names[..params].iter().any(|m| m.text == n.text)
            {
                if c.names[params..].iter().any(|m| m.text == n.text) {
                    s.error(n.span, format!("the index `{}` is used twice", n.text));
                    return Err(Reported);
                }
                c.names.push(n.clone());
                bound += 1;
            }
        }
    }
    let acc = cell(s, c, &u.target)?;
    let symbol = s.symbols[acc.sym].clone();
    if bound > 0 && bound < symbol.arity {
        let message = "either all indices of a `case` update are bound by it, or none";
        s.error(u.target.span, message);
        return Err(Reported);
    }
    match symbol.kind {
        SymbolKind::Const => {
            let message = format!("the constant `{}` cannot be updated", symbol.name);
            s.error(u.target.span, message);
            return Err(Reported);
        }
        SymbolKind::Weak => {
            let Some(thread) = c.thread else {
                s.errors.push(no_thread(u.target.span, "a weak access"));
                return Err(Reported);
            };
            if let Some(by) = &u.target.thread
                && process(s, c, by)? != thread
            {
                let message = "all weak accesses of a transition are by its performing process";
                s.error(by.span(), message);
                return Err(Reported);
            }
        }
        SymbolKind::Plain => {
            if let Some(by) = &u.target.thread {
                process(s, c, by)?;
                if s.memory == MemorySemantics::Buffered {
                    let message = format!(
                        "`@` is for weak variables, and `{}` is not weak",
                        symbol.name
                    );
                    s.error(by.span(), message);
                    return Err(Reported);
                }
            }
        }
    }
    let mut cases = Vec::new();
    match &u.rhs {
        Rhs::Any(_) => cases.push((Form::Bool(true), UpdateValue::Any)),
        Rhs::Term(t) => cases.push((Form::Bool(true), value(s, c, t, symbol.ty)?)),
        Rhs::Case(list) => {
            for (condition, t) in list {
                let condition = match condition {
                    None => Ok(Form::Bool(true)),
                    Some(e) => form(s, c, e, true),
                };
                let value = value(s, c, t, symbol.ty);
                cases.push((condition?, value?));
            }
        }
    }
    Ok(Update {
        sym: acc.sym,
        target: if bound > 0 {
            Target::Every(position(params))
        } else {
            Target::Cell(acc.index)
        },
        cases,
        span: u.span,
    })
}

fn value(s: &mut Scope, c: &Ctx, t: &Term, wanted: TypeId) -> Result<UpdateValue, Reported> {
    let (ty, value) = term(s, c, t)?;
    if ty != wanted {
        let (found, wanted) = (s.types[ty].name().to_string(), s.types[wanted].name());
        let message = format!("a value of type {found} where {wanted} is stored");
        s.error(t.span, message);
        return Err(Reported);
    }
    Ok(value)
}

#[cfg(test)]
mod tests;

//! Formulas and terms: names resolved, types checked, negations pushed inwards.

use super::rename::map_form;
use super::scope::{INT, PROC, REAL, Scope, nearest};
use super::subst::subst;
use super::types::{
    Acc, Form, Lin, MemorySemantics, Pr, Rel, SymId, SystemLiteral, Type, TypeId, UpdateValue, Val,
    sum,
};
use crate::cub::ast::{
    self, Arg, Atom, Connective, Expr, Ident, ProcRef, Quantifier, SymbolKind, Term,
};
use base::code::Code;
use base::diag::Diag;
use base::idx::position;
use base::source::Span;

/// Where a formula stands; decides what it may contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FormulaRole {
    Init,
    Property,
    Guard,
    /// The condition or value of an update.
    Update,
}

/// The names a formula may use.
pub(super) struct Ctx {
    pub place: FormulaRole,
    /// Process variables by position.
    pub names: Vec<Ident>,
    /// How many of them are parameters.
    pub params: usize,
    /// The performing process.
    pub thread: Option<Pr>,
    /// `let` definitions.
    pub lets: Vec<(Ident, Term)>,
    /// Predicates that may be used: those before this position.
    pub predicates: usize,
    /// Inside a quantifier.
    pub quantified: bool,
}

/// Constants of a term, and its factors taken together, are no larger than this either way: twice
/// as much, as in the difference of two terms, is far from 64 bits.
const LARGEST: u64 = 1 << 60;

/// How many nodes all formulas of a file may have after expansion.
const MAX_NODES: usize = 1_000_000;

/// Marks that an error was reported; the formula is not used.
pub(super) struct Reported;

type Typed<T> = Result<T, Reported>;

/// A formula; `positive` is false under an odd number of negations.
pub(super) fn form(s: &mut Scope, c: &mut Ctx, e: &Expr, positive: bool) -> Typed<Form> {
    s.nodes += 1;
    if s.nodes > MAX_NODES {
        if s.nodes == MAX_NODES + 1 {
            let message = format!("formulas grow beyond {MAX_NODES} nodes when written out");
            s.error(e.span(), message);
        }
        return Err(Reported);
    }
    match e {
        Expr::Bool(value, _) => Ok(Form::Bool(*value == positive)),
        Expr::Not(inner, _) => form(s, c, inner, !positive),
        Expr::Bin(Connective::And, a, b) => junction(s, c, a, b, positive, true),
        Expr::Bin(Connective::Or, a, b) => junction(s, c, a, b, positive, false),
        Expr::Bin(Connective::Implies, a, b) => {
            let (a, b) = (form(s, c, a, !positive), form(s, c, b, positive));
            Ok(join(a?, b?, !positive))
        }
        Expr::Bin(Connective::Iff, a, b) => {
            let (a1, b1) = (form(s, c, a, true)?, form(s, c, b, positive)?);
            let (a0, b0) = (form(s, c, a, false)?, form(s, c, b, !positive)?);
            Ok(join(join(a1, b1, true), join(a0, b0, true), false))
        }
        Expr::Ite(test, yes, no) => {
            let (t1, t0) = (form(s, c, test, true)?, form(s, c, test, false)?);
            let (yes, no) = (form(s, c, yes, positive)?, form(s, c, no, positive)?);
            Ok(join(join(t1, yes, true), join(t0, no, true), false))
        }
        Expr::Fence(by, span) => fence(s, c, by.as_ref(), *span, positive),
        Expr::Quant(q, vars, body, span) => quantifier(s, c, *q, vars, body, *span, positive),
        Expr::Call(name, args, span) => {
            let expanded = expand(s, c, name, args, *span)?;
            let before = c.predicates;
            c.predicates = s
                .file
                .predicates
                .iter()
                .position(|p| p.name.text == name.text)
                .unwrap_or(0);
            let result = form(s, c, &expanded, positive);
            c.predicates = before;
            result
        }
        Expr::Cmp(rel, a, b, span) => {
            let lit = comparison(s, c, *rel, a, b, *span)?;
            Ok(Form::Literal(if positive { lit } else { negate(lit) }))
        }
    }
}

fn junction(
    s: &mut Scope,
    c: &mut Ctx,
    a: &Expr,
    b: &Expr,
    positive: bool,
    and: bool,
) -> Typed<Form> {
    let (a, b) = (form(s, c, a, positive), form(s, c, b, positive));
    Ok(join(a?, b?, and == positive))
}

/// The conjunction or disjunction of two formulas, flattened.
pub(super) fn join(a: Form, b: Form, and: bool) -> Form {
    let mut all = Vec::new();
    for f in [a, b] {
        match f {
            Form::Bool(value) if value == and => {}
            Form::Bool(value) => return Form::Bool(value),
            Form::And(fs) if and => all.extend(fs),
            Form::Or(fs) if !and => all.extend(fs),
            f => all.push(f),
        }
    }
    match all.pop() {
        None => Form::Bool(and),
        Some(only) if all.is_empty() => only,
        Some(last) => {
            all.push(last);
            if and { Form::And(all) } else { Form::Or(all) }
        }
    }
}

/// The opposite literal.
pub(super) fn negate(lit: SystemLiteral) -> SystemLiteral {
    match lit {
        SystemLiteral::Same { equal, ty, a, b } => SystemLiteral::Same {
            equal: !equal,
            ty,
            a,
            b,
        },
        SystemLiteral::Before { strict, a, b } => SystemLiteral::Before {
            strict: !strict,
            a: b,
            b: a,
        },
        SystemLiteral::Num { rel, int, lin } => match rel {
            Rel::Eq => SystemLiteral::Num {
                rel: Rel::Ne,
                int,
                lin,
            },
            Rel::Ne => SystemLiteral::Num {
                rel: Rel::Eq,
                int,
                lin,
            },
            Rel::Lt => number(Rel::Le, int, scaled(&lin, -1)),
            Rel::Le => number(Rel::Lt, int, scaled(&lin, -1)),
        },
    }
}

/// `lin rel 0`; over integers `<` becomes `<=`.
fn number(rel: Rel, int: bool, mut lin: Lin) -> SystemLiteral {
    if int && rel == Rel::Lt {
        lin.constant += 1;
        return SystemLiteral::Num {
            rel: Rel::Le,
            int,
            lin,
        };
    }
    SystemLiteral::Num { rel, int, lin }
}

fn scaled(lin: &Lin, by: i64) -> Lin {
    Lin {
        terms: lin.terms.iter().map(|(f, a)| (f * by, *a)).collect(),
        constant: lin.constant * by,
    }
}

fn fence(s: &mut Scope, c: &Ctx, by: Option<&ProcRef>, span: Span, positive: bool) -> Typed<Form> {
    let wrong = match c.place {
        FormulaRole::Init => Some("`fence` means nothing in `init`: all buffers are empty there"),
        FormulaRole::Property => Some("`fence` stands in guards only"),
        FormulaRole::Update => Some("`fence` stands in guards only, not in the case of an update"),
        FormulaRole::Guard => None,
    };
    if let Some(message) = wrong {
        s.error(span, message);
        return Err(Reported);
    }
    if !positive {
        let message = "`not fence()` is not supported: a guard can wait for an empty buffer, not for a full one";
        s.unsupported(span, message);
        return Err(Reported);
    }
    if s.memory == MemorySemantics::Flat {
        return Ok(Form::Bool(true));
    }
    let Some(thread) = c.thread else {
        s.errors.push(no_thread(span, "a fence"));
        return Err(Reported);
    };
    if let Some(by) = by {
        let by_process = process(s, c, by)?;
        if by_process != thread {
            let message = "a transition waits for its own process's buffer only";
            s.error(by.span(), message);
            return Err(Reported);
        }
    }
    Ok(Form::Fence)
}

pub(super) fn no_thread(span: Span, what: &str) -> Diag {
    Diag::error(span, format!("{what} without a performing process"))
        .note("write the performing process in brackets, `transition t ([p] q)`, or before the variable, `p @ X`")
}

fn quantifier(
    s: &mut Scope,
    c: &mut Ctx,
    q: Quantifier,
    vars: &[Ident],
    body: &Expr,
    span: Span,
    positive: bool,
) -> Typed<Form> {
    let universal = matches!(q, Quantifier::Forall | Quantifier::ForallOther) == positive;
    let fits = match c.place {
        FormulaRole::Guard => universal,
        FormulaRole::Init => universal && matches!(q, Quantifier::Forall),
        FormulaRole::Property => !universal,
        FormulaRole::Update => false,
    };
    if !fits || (c.quantified && c.place == FormulaRole::Guard) {
        let help = match c.place {
            FormulaRole::Guard if c.quantified => "quantifiers do not nest in a guard",
            FormulaRole::Guard => {
                "a guard is existential through the transition's parameters: add one"
            }
            FormulaRole::Init => "`init` holds for all values of its parameters: add one",
            FormulaRole::Property => {
                "this formula holds for some values of its parameters: add one"
            }
            FormulaRole::Update => "an update has no quantifiers",
        };
        let message = "a quantifier of this kind is not supported here";
        s.errors.push(Diag::unsupported(span, message).note(help));
        return Err(Reported);
    }
    if c.place == FormulaRole::Guard && vars.len() > 1 {
        let message = "a guard quantifies over one process at a time";
        s.error(span, message);
        return Err(Reported);
    }
    for v in vars {
        if c.names.iter().any(|n| n.text == v.text) {
            let message = format!("`{}` is already the name of a process", v.text);
            s.error(v.span, message);
            return Err(Reported);
        }
    }
    let outer = c.names.len();
    if outer + vars.len() > 100 {
        s.unsupported(span, "more than 100 process variables");
        return Err(Reported);
    }
    c.names.extend(vars.iter().cloned());
    let was = std::mem::replace(&mut c.quantified, true);
    let result = form(s, c, body, positive);
    c.quantified = was;
    let inner = match result {
        Ok(inner) => inner,
        Err(e) => {
            c.names.truncate(outer);
            return Err(e);
        }
    };
    if c.place != FormulaRole::Guard {
        // The variables become parameters of the property; its owner collects them.
        return Ok(inner);
    }
    c.names.truncate(outer);
    let var = position(outer);
    let (inside, outside) = hoist(inner, var);
    if !outside.is_empty() && matches!(inside, Form::And(_) | Form::Literal(_) | Form::Or(_)) {
        s.warnings.push(
            Diag::warning(
                Code::QuantifierScope,
                span,
                format!("part of this does not depend on `{}`", vars[0].text),
            )
            .note(
                "the body of a quantifier reaches as far as it can; that part is taken out of it",
            ),
        );
    }
    let mut result = outside
        .into_iter()
        .fold(Form::Bool(true), |a, b| join(a, b, true));
    if matches!(q, Quantifier::Forall | Quantifier::Exists) {
        for p in 0..c.params {
            let put = |x: Pr| {
                if x == Pr::Var(var) {
                    Pr::Var(position(p))
                } else {
                    x
                }
            };
            let instance = map_form(&inside, &put);
            result = join(result, instance, true);
        }
    }
    Ok(join(result, Form::Others(var, Box::new(inside)), true))
}

/// Splits a conjunction into what mentions the variable and what does not.
fn hoist(f: Form, var: u8) -> (Form, Vec<Form>) {
    let parts = match f {
        Form::And(parts) => parts,
        f => vec![f],
    };
    let (inside, outside): (Vec<_>, Vec<_>) = parts.into_iter().partition(|p| mentions(p, var));
    let inside = inside
        .into_iter()
        .fold(Form::Bool(true), |a, b| join(a, b, true));
    (inside, outside)
}

fn mentions(f: &Form, var: u8) -> bool {
    let mut found = false;
    each_process(f, &mut |p| found |= p == Pr::Var(var));
    found
}

/// Calls `f` with every process that occurs in a formula.
pub fn each_process(form: &Form, f: &mut dyn FnMut(Pr)) {
    match form {
        Form::Bool(_) | Form::Fence => {}
        Form::And(fs) | Form::Or(fs) => fs.iter().for_each(|x| each_process(x, f)),
        Form::Others(_, inner) => each_process(inner, f),
        Form::Literal(lit) => each_process_of(lit, f),
    }
}

fn each_process_of(lit: &SystemLiteral, f: &mut dyn FnMut(Pr)) {
    let mut acc = |a: &Acc| {
        a.indices().iter().for_each(|p| f(*p));
        a.by.into_iter().for_each(&mut *f);
    };
    match lit {
        SystemLiteral::Same { a, b, .. } | SystemLiteral::Before { a, b, .. } => {
            for v in [a, b] {
                match v {
                    Val::Acc(a) => acc(a),
                    Val::Proc(p) => acc(&Acc {
                        sym: SymId(0),
                        index: [*p, *p],
                        arity: 1,
                        by: None,
                    }),
                    Val::Ctor(_) => {}
                }
            }
        }
        SystemLiteral::Num { lin, .. } => lin.terms.iter().for_each(|(_, a)| acc(a)),
    }
}

/// The process a reference means.
pub(super) fn process(s: &mut Scope, c: &Ctx, p: &ProcRef) -> Typed<Pr> {
    match p {
        ProcRef::Name(name) => match c.names.iter().rposition(|n| n.text == name.text) {
            Some(at) => Ok(Pr::Var(position(at))),
            None => {
                let mut diag = Diag::error(
                    name.span,
                    format!("there is no process `{}` here", name.text),
                );
                if let Some(near) = nearest(&name.text, c.names.iter().map(|n| &n.text)) {
                    diag = diag.note(format!("there is `{near}`"));
                }
                s.errors.push(diag);
                Err(Reported)
            }
        },
        ProcRef::Const(k, span) => {
            let limit = s.file.procs.map(|(n, _)| n);
            match limit {
                None => {
                    let message = format!("`#{k}` is used without `number_procs`");
                    s.error(*span, message);
                    Err(Reported)
                }
                Some(n) if *k > n => {
                    let message = format!("there is no process #{k}: `number_procs` is {n}");
                    s.error(*span, message);
                    Err(Reported)
                }
                Some(_) => {
                    let k: u8 = position(*k as usize);
                    s.fixed = s.fixed.max(k);
                    Ok(Pr::Fixed(k - 1))
                }
            }
        }
    }
}

/// A cell, its type, or a constructor.
fn name(s: &mut Scope, c: &Ctx, a: &ast::Access) -> Typed<(TypeId, Val)> {
    if let Some((ty, ctor)) = s.ctors.get(&a.name.text).copied() {
        if !a.index.is_empty() || a.thread.is_some() {
            let message = format!("`{}` is a constructor, it has no cells", a.name.text);
            s.error(a.span, message);
            return Err(Reported);
        }
        return Ok((ty, Val::Ctor(ctor)));
    }
    let acc = cell(s, c, a)?;
    let symbol = &s.symbols[acc.sym];
    let (kind, ty) = (symbol.kind, symbol.ty);
    let by = match (kind, &a.thread) {
        (SymbolKind::Weak, thread) => Some(reader(s, c, a, thread.as_ref())?),
        (_, Some(thread)) => {
            process(s, c, thread)?;
            if s.memory == MemorySemantics::Buffered {
                let message = format!(
                    "`@` is for weak variables, and `{}` is not weak",
                    a.name.text
                );
                s.error(thread.span(), message);
                return Err(Reported);
            }
            None
        }
        (_, None) => None,
    };
    let by = by.flatten();
    Ok((ty, Val::Acc(Acc { by, ..acc })))
}

/// Who reads a weak cell; `None` in `init`, where all see the same.
fn reader(s: &mut Scope, c: &Ctx, a: &ast::Access, thread: Option<&ProcRef>) -> Typed<Option<Pr>> {
    match (c.place, thread) {
        (FormulaRole::Init, None) => Ok(None),
        (FormulaRole::Init, Some(t)) => {
            s.errors.push(
                Diag::error(t.span(), "`@` means nothing in `init`")
                    .note("all processes see the same initial values"),
            );
            Err(Reported)
        }
        (FormulaRole::Property, Some(t)) => Ok(Some(process(s, c, t)?)),
        (FormulaRole::Property, None) => {
            s.errors.push(
                Diag::error(a.span, format!("who sees `{}`?", a.name.text)).note(format!(
                    "processes may see different values of a weak variable: write `p @ {}`",
                    a.name.text
                )),
            );
            Err(Reported)
        }
        (_, thread) => {
            let Some(performing) = c.thread else {
                s.errors.push(no_thread(a.span, "a weak access"));
                return Err(Reported);
            };
            if let Some(t) = thread
                && process(s, c, t)? != performing
            {
                let message = "all weak accesses of a transition are by its performing process";
                s.error(t.span(), message);
                return Err(Reported);
            }
            Ok(Some(performing))
        }
    }
}

/// A cell of a declared symbol, `by` left open.
pub(super) fn cell(s: &mut Scope, c: &Ctx, a: &ast::Access) -> Typed<Acc> {
    let Some(sym) = s.symbol_names.get(&a.name.text).copied() else {
        let mut diag = Diag::error(a.name.span, format!("there is no `{}`", a.name.text));
        if let Some(near) = s.near_name(&a.name.text) {
            diag = diag.note(format!("there is `{near}`"));
        }
        s.errors.push(diag);
        return Err(Reported);
    };
    let arity = s.symbols[sym].arity;
    if arity != a.index.len() {
        let message = match arity {
            0 => format!("`{}` is no array", a.name.text),
            n => format!(
                "`{}` takes {n} process indices, {} are given",
                a.name.text,
                a.index.len()
            ),
        };
        s.error(a.span, message);
        return Err(Reported);
    }
    let mut index = [Pr::Var(0); 2];
    for (slot, p) in index.iter_mut().zip(&a.index) {
        *slot = process(s, c, p)?;
    }
    Ok(Acc {
        sym,
        index,
        arity: position(arity),
        by: None,
    })
}

fn type_name(s: &Scope, ty: TypeId) -> String {
    s.types[ty].name().to_string()
}

/// A term: its type and value.
pub(super) fn term(s: &mut Scope, c: &Ctx, t: &Term) -> Typed<(TypeId, UpdateValue)> {
    let t = with_lets(c, t);
    if let [part] = t.parts.as_slice()
        && part.factor.is_none()
        && !part.minus
    {
        let (ty, val) = match &part.atom {
            Atom::Proc(p) => (PROC, Val::Proc(process(s, c, p)?)),
            Atom::Access(a) => name(s, c, a)?,
            Atom::One => {
                s.error(part.span, "a number is missing");
                return Err(Reported);
            }
        };
        if let Val::Acc(acc) = val
            && s.types[ty].is_number()
        {
            return Ok((ty, UpdateValue::Num(sum([(1, acc)], 0))));
        }
        return Ok((ty, UpdateValue::Val(val)));
    }
    let mut ty: Option<TypeId> = None;
    let (mut terms, mut constant, mut factors) = (Vec::new(), 0i64, 0u64);
    for part in &t.parts {
        let sign = if part.minus { -1 } else { 1 };
        let here = match &part.atom {
            Atom::One => {
                let n = part.factor.expect("a summand without atom is a number");
                let here = if n.real { REAL } else { INT };
                let shift = if n.real { s.decimals - n.decimals } else { 0 };
                let value = 10i64
                    .checked_pow(shift)
                    .and_then(|m| n.mantissa.checked_mul(m * sign))
                    .and_then(|v| constant.checked_add(v))
                    .filter(|v| v.unsigned_abs() <= LARGEST);
                let Some(value) = value else {
                    return Err(too_large(s, part.span));
                };
                constant = value;
                here
            }
            Atom::Proc(p) => {
                process(s, c, p)?;
                s.error(part.span, "a process is no number");
                return Err(Reported);
            }
            Atom::Access(a) => {
                let (here, val) = name(s, c, a)?;
                let factor = match part.factor {
                    Some(n) if n.real => {
                        s.error(part.span, "factors are whole numbers");
                        return Err(Reported);
                    }
                    Some(n) => n.mantissa,
                    None => 1,
                };
                factors = factors.saturating_add(factor.unsigned_abs());
                if factors > LARGEST {
                    return Err(too_large(s, part.span));
                }
                match val {
                    Val::Acc(acc) if s.types[here].is_number() => {
                        terms.push((factor * sign, acc));
                    }
                    _ => {
                        let found = type_name(s, here);
                        let message = format!(
                            "arithmetic needs numbers, `{}` is of type {found}",
                            a.name.text
                        );
                        s.error(part.span, message);
                        return Err(Reported);
                    }
                }
                here
            }
        };
        if let Some(ty) = ty
            && ty != here
        {
            let (a, b) = (type_name(s, ty), type_name(s, here));
            s.error(part.span, format!("{a} and {b} do not mix in one term"));
            return Err(Reported);
        }
        ty = Some(here);
    }
    let ty = ty.expect("a term has a summand");
    Ok((ty, UpdateValue::Num(sum(terms, constant))))
}

fn too_large(s: &mut Scope, span: Span) -> Reported {
    s.unsupported(span, "numbers beyond 2^60 are not supported");
    Reported
}

/// Puts `let` definitions for their names.
fn with_lets(c: &Ctx, t: &Term) -> Term {
    let mut t = t.clone();
    for (name, value) in c.lets.iter().rev() {
        t = put(&t, name, value);
    }
    t
}

fn put(t: &Term, name: &Ident, value: &Term) -> Term {
    let mut parts = Vec::new();
    for part in &t.parts {
        match &part.atom {
            Atom::Proc(ProcRef::Name(n)) if n.text == name.text && part.factor.is_none() => {
                parts.extend(value.parts.iter().map(|v| ast::Summand {
                    minus: v.minus != part.minus,
                    ..v.clone()
                }));
            }
            _ => parts.push(part.clone()),
        }
    }
    Term {
        parts,
        span: t.span,
    }
}

fn comparison(
    s: &mut Scope,
    c: &Ctx,
    rel: ast::Rel,
    a: &Term,
    b: &Term,
    span: Span,
) -> Typed<SystemLiteral> {
    let (left, right) = (term(s, c, a), term(s, c, b));
    let ((ty, left), (other, right)) = (left?, right?);
    if ty != other {
        let (x, y) = (type_name(s, ty), type_name(s, other));
        s.errors.push(
            Diag::error(a.span, format!("{x} and {y} cannot be compared"))
                .label(format!("this is of type {x}"))
                .also(b.span, format!("this is of type {y}")),
        );
        return Err(Reported);
    }
    let (rel, swap) = match rel {
        ast::Rel::Eq => (Rel::Eq, false),
        ast::Rel::Ne => (Rel::Ne, false),
        ast::Rel::Lt => (Rel::Lt, false),
        ast::Rel::Le => (Rel::Le, false),
        ast::Rel::Gt => (Rel::Lt, true),
        ast::Rel::Ge => (Rel::Le, true),
    };
    let (left, right) = if swap { (right, left) } else { (left, right) };
    match (left, right) {
        (UpdateValue::Num(l), UpdateValue::Num(r)) => {
            let r = scaled(&r, -1);
            let lin = sum(l.terms.into_iter().chain(r.terms), l.constant + r.constant);
            Ok(number(rel, matches!(s.types[ty], Type::Int), lin))
        }
        (UpdateValue::Val(a), UpdateValue::Val(b)) => match rel {
            Rel::Eq | Rel::Ne => Ok(SystemLiteral::Same {
                equal: rel == Rel::Eq,
                ty,
                a,
                b,
            }),
            _ if ty == PROC => Ok(SystemLiteral::Before {
                strict: rel == Rel::Lt,
                a,
                b,
            }),
            _ => {
                let message = format!("values of type {} have no order", type_name(s, ty));
                s.error(span, message);
                Err(Reported)
            }
        },
        _ => {
            s.error(span, "a number is compared with something that is none");
            Err(Reported)
        }
    }
}

/// The body of a predicate with arguments put for its parameters.
fn expand(s: &mut Scope, c: &Ctx, name: &Ident, args: &[Arg], span: Span) -> Typed<Expr> {
    let known = &s.file.predicates;
    let Some(at) = known.iter().position(|p| p.name.text == name.text) else {
        let mut diag = Diag::error(name.span, format!("there is no predicate `{}`", name.text));
        if name.text == "read" || name.text == "write" {
            diag = diag.note("the notation `read(p, X)` is too old: write `p @ X`");
        }
        s.errors.push(diag);
        return Err(Reported);
    };
    if at >= c.predicates {
        let message = format!("`{}` is used before it is defined", name.text);
        s.error(name.span, message);
        return Err(Reported);
    }
    let predicate = &known[at];
    if predicate.params.len() != args.len() {
        let message = format!(
            "`{}` takes {} arguments, {} are given",
            name.text,
            predicate.params.len(),
            args.len()
        );
        s.error(span, message);
        return Err(Reported);
    }
    let mut map = Vec::new();
    for (param, arg) in predicate.params.iter().zip(args) {
        match arg {
            Arg::Term(t) => map.push((param.clone(), t.clone())),
            Arg::Expr(e) => {
                s.error(e.span(), "a formula cannot be an argument: a predicate's parameters are processes and values");
                return Err(Reported);
            }
        }
    }
    let body = predicate.body.clone();
    Ok(subst(&body, &map, s))
}

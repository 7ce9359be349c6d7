//! A system as text in the language of systems (`.cub`), in the notation of Cubicle-W: the
//! performing process in brackets, weak variables bare. What is printed parses back to the same
//! system, places apart.

use std::fmt::Write;
use systems::cub::ast::{
    Access, Arg, Atom, Connective, Expr, File, Formula, Ident, Number, ProcRef, Quantifier, Rel,
    Rhs, Symbol, SymbolKind, Term, Transition, Update,
};

/// The text of a system.
pub fn system(file: &File) -> String {
    let mut out = String::new();
    if let Some((n, _)) = file.procs {
        let _ = writeln!(out, "number_procs {n}\n");
    }
    for ty in &file.types {
        let _ = write!(out, "type {}", ty.name.text);
        if !ty.constructors.is_empty() {
            let _ = write!(out, " = {}", names(&ty.constructors, " | "));
        }
        out.push('\n');
    }
    for symbol in &file.symbols {
        declaration(&mut out, symbol);
    }
    for p in &file.predicates {
        let (name, params) = (&p.name.text, names(&p.params, ", "));
        let _ = writeln!(out, "\npredicate {name} ({params}) {{ {} }}", expr(&p.body));
    }
    for (word, all) in [
        ("init", &file.inits),
        ("unsafe", &file.unsafes),
        ("invariant", &file.invariants),
    ] {
        for f in all {
            formula(&mut out, word, f);
        }
    }
    for t in &file.transitions {
        transition(&mut out, t);
    }
    out
}

fn names(all: &[Ident], separator: &str) -> String {
    let all: Vec<&str> = all.iter().map(|i| i.text.as_str()).collect();
    all.join(separator)
}

fn declaration(out: &mut String, symbol: &Symbol) {
    let Symbol {
        kind,
        name,
        arity,
        ty,
    } = symbol;
    let keyword = match (kind, arity) {
        (SymbolKind::Const, _) => "const",
        (SymbolKind::Plain, 0) => "var",
        (SymbolKind::Plain, _) => "array",
        (SymbolKind::Weak, 0) => "weak var",
        (SymbolKind::Weak, _) => "weak array",
    };
    let index = match arity {
        0 => String::new(),
        n => format!("[{}]", vec!["proc"; *n].join(", ")),
    };
    let _ = writeln!(out, "{keyword} {}{index} : {}", name.text, ty.text);
}

fn formula(out: &mut String, word: &str, f: &Formula) {
    let name = f
        .name
        .as_ref()
        .map_or(String::new(), |n| format!(" {}", n.text));
    let params = if f.params.is_empty() {
        String::new()
    } else {
        format!(" ({})", names(&f.params, " "))
    };
    let _ = writeln!(out, "\n{word}{name}{params} {{ {} }}", expr(&f.body));
}

fn transition(out: &mut String, t: &Transition) {
    let param = |(i, p): (usize, &Ident)| {
        if t.thread == Some(i) {
            format!("[{}]", p.text)
        } else {
            p.text.clone()
        }
    };
    let params: Vec<String> = t.params.iter().enumerate().map(param).collect();
    let _ = writeln!(out, "\ntransition {} ({})", t.name.text, params.join(" "));
    if let Some(guard) = &t.guard {
        let _ = writeln!(out, "  requires {{ {} }}", expr(guard));
    }
    out.push_str("  {");
    for (name, value) in &t.lets {
        let _ = write!(out, " let {} = {} in", name.text, term(value));
    }
    let updates: Vec<String> = t.updates.iter().map(update).collect();
    let _ = writeln!(out, " {} }}", updates.join("; "));
}

fn update(u: &Update) -> String {
    let target = access(&u.target);
    let value = match &u.rhs {
        Rhs::Term(t) => term(t),
        Rhs::Any(_) => "?".to_string(),
        Rhs::Case(cases) => {
            let case = |(condition, value): &(Option<Expr>, Term)| {
                let condition = condition.as_ref().map_or("_".to_string(), expr);
                format!(" | {condition} : {}", term(value))
            };
            format!("case{}", cases.iter().map(case).collect::<String>())
        }
    };
    format!("{target} := {value}")
}

fn process(p: &ProcRef) -> String {
    match p {
        ProcRef::Name(name) => name.text.clone(),
        ProcRef::Const(k, _) => format!("#{k}"),
    }
}

fn access(a: &Access) -> String {
    let thread = a
        .thread
        .as_ref()
        .map_or(String::new(), |p| format!("{} @ ", process(p)));
    let index = match a.index.as_slice() {
        [] => String::new(),
        index => format!(
            "[{}]",
            index.iter().map(process).collect::<Vec<_>>().join(", ")
        ),
    };
    format!("{thread}{}{index}", a.name.text)
}

fn number(n: Number) -> String {
    if !n.real {
        return n.mantissa.to_string();
    }
    let decimals = n.decimals as usize;
    let digits = format!("{:0width$}", n.mantissa, width = decimals + 1);
    let (whole, part) = digits.split_at(digits.len() - decimals);
    format!("{whole}.{part}")
}

fn term(t: &Term) -> String {
    let mut out = String::new();
    for (i, part) in t.parts.iter().enumerate() {
        out += match (i, part.minus) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        let factor = part.factor.map(number);
        let atom = match &part.atom {
            Atom::Access(a) => Some(access(a)),
            Atom::Proc(p) => Some(process(p)),
            Atom::One => None,
        };
        let factors: Vec<String> = factor.into_iter().chain(atom).collect();
        out += &factors.join(" * ");
    }
    out
}

/// How tightly a formula binds: what is looser stands in parentheses within what is tighter.
fn tightness(e: &Expr) -> u8 {
    match e {
        Expr::Quant(..) => 0,
        Expr::Bin(Connective::Implies | Connective::Iff, ..) => 1,
        Expr::Bin(Connective::Or, ..) => 2,
        Expr::Bin(Connective::And, ..) => 3,
        Expr::Ite(..) => 4,
        Expr::Not(..) => 5,
        Expr::Bool(..) | Expr::Fence(..) | Expr::Cmp(..) | Expr::Call(..) => 6,
    }
}

fn at_least(e: &Expr, wanted: u8) -> String {
    if tightness(e) >= wanted {
        expr(e)
    } else {
        format!("({})", expr(e))
    }
}

fn expr(e: &Expr) -> String {
    match e {
        Expr::Bool(value, _) => value.to_string(),
        Expr::Fence(None, _) => "fence()".to_string(),
        Expr::Fence(Some(p), _) => format!("fence({})", process(p)),
        Expr::Cmp(rel, a, b, _) => format!("{} {} {}", term(a), relation(*rel), term(b)),
        Expr::Not(a, _) => format!("not {}", at_least(a, 5)),
        Expr::Bin(connective, a, b) => {
            // `&&` and `||` group to the left, the others to the right.
            let (sign, left, right) = match connective {
                Connective::And => ("&&", 3, 4),
                Connective::Or => ("||", 2, 3),
                Connective::Implies => ("=>", 2, 1),
                Connective::Iff => ("<=>", 2, 1),
            };
            format!("{} {sign} {}", at_least(a, left), at_least(b, right))
        }
        Expr::Ite(a, b, c) => format!(
            "if {} then {} else {}",
            at_least(a, 5),
            at_least(b, 5),
            at_least(c, 4)
        ),
        Expr::Quant(quantifier, params, body, _) => {
            let word = match quantifier {
                Quantifier::Forall => "forall",
                Quantifier::Exists => "exists",
                Quantifier::ForallOther => "forall_other",
                Quantifier::ExistsOther => "exists_other",
            };
            format!("{word} {}. {}", names(params, " <> "), expr(body))
        }
        Expr::Call(name, args, _) => {
            let arg = |a: &Arg| match a {
                Arg::Term(t) => term(t),
                Arg::Expr(e) => expr(e),
            };
            let args: Vec<String> = args.iter().map(arg).collect();
            format!("{}({})", name.text, args.join(", "))
        }
    }
}

fn relation(rel: Rel) -> &'static str {
    match rel {
        Rel::Eq => "=",
        Rel::Ne => "<>",
        Rel::Lt => "<",
        Rel::Le => "<=",
        Rel::Gt => ">",
        Rel::Ge => ">=",
    }
}

#[cfg(test)]
mod tests {
    use base::source::SourceMap;
    use systems::cub;

    fn printed(text: &str) -> String {
        let mut sources = SourceMap::default();
        let file = sources.add("t.cub".to_string(), text);
        super::system(&cub::parse(&sources, file).expect("it parses"))
    }

    /// Printing what was printed changes nothing, so that the text has all of the system.
    fn is_stable(text: &str) -> String {
        let once = printed(text);
        assert_eq!(printed(&once), once);
        once
    }

    #[test]
    fn no_parentheses_stand_where_none_are_needed() {
        let text = |guard: &str| format!("init {{ {guard} }}");
        for guard in [
            "A = 1 && B = 1 && fence() && C = 1",
            "A = 1 || B = 1 && C = 1 || fence()",
            "A = 1 => B = 1 => C = 1",
            "A = 1 && (B = 1 && C = 1)",
            "(A = 1 => B = 1) => C = 1",
            "not (A = 1 || B = 1) && not C = 1",
        ] {
            assert_eq!(is_stable(&text(guard)).trim(), text(guard));
        }
    }

    #[test]
    fn what_is_printed_parses_back() {
        let text =
            "number_procs 3 type t = A | B const C : int array P[proc,proc] : t weak var X : int
            init (p) { P[p,p] = A && (X = 0 || not (X <= -1 && C > 2 * X)) }
            unsafe u (p q) { p @ X <> q @ X && #1 @ X = 1.50 }
            predicate f(x) { x = 1 => x = 2 => x = 3 }
            transition go ([p] q) requires { (forall_other r. P[p,r] = A) && fence() }
            { let z = X + 1 in P[i,j] := case | i = p && j = q : B | _ : P[i,j]; X := -1 * X - 1 }
            transition any (p) { X := ? }";
        let once = is_stable(text);
        for part in [
            "number_procs 3",
            "type t = A | B",
            "array P[proc, proc] : t",
            "X = 0 || not (X <= -1 && C > 2 * X)",
            "#1 @ X = 1.50",
            "x = 1 => x = 2 => x = 3",
            "(forall_other r. P[p, r] = A) && fence()",
            "transition go ([p] q)",
        ] {
            assert!(once.contains(part), "{part} in\n{once}");
        }
    }

    #[test]
    fn every_benchmark_parses_back() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/benchmarks/parameterized");
        let mut seen = 0;
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("it is readable").path();
            if path.extension().is_some_and(|e| e == "cub") {
                is_stable(&std::fs::read_to_string(&path).expect("it is text"));
                seen += 1;
            }
        }
        assert!(seen > 10);
    }
}

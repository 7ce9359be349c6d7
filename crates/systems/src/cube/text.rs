//! Literals as text, symbols and values by name.

use super::literals::{Base, BaseKind, Conj, Literal};
use super::timestamp::{PendingRead, Timestamps, each};
use crate::system::{Rel, System, Type};
use std::fmt::Write as _;

/// What a literal is about, by its name.
pub fn base_text(system: &System, b: Base) -> String {
    match b.kind() {
        BaseKind::Zero => "0".into(),
        BaseKind::Proc(p) => format!("#{}", p + 1),
        BaseKind::Read(k) => format!("r{k}"),
        BaseKind::Some(k) => format!("?{k}"),
        BaseKind::Cell(sym, ..) => {
            let index: Vec<String> = b.processes().map(|p| format!("#{}", p + 1)).collect();
            let name = &system.symbols[sym].name;
            if index.is_empty() {
                name.clone()
            } else {
                format!("{name}[{}]", index.join(","))
            }
        }
    }
}

/// A comparison.
pub fn rel(r: Rel) -> &'static str {
    match r {
        Rel::Eq => "=",
        Rel::Ne => "<>",
        Rel::Lt => "<",
        Rel::Le => "<=",
    }
}

/// The sort of numbers.
pub fn sort(int: bool) -> &'static str {
    if int { "int" } else { "real" }
}

/// A set of timestamps, each after a blank.
pub fn timestamps(set: Timestamps) -> String {
    each(set).map(|p| format!(" {p}")).collect()
}

/// The constructors of the type of what a base is about.
pub fn constructors<'s>(
    system: &'s System,
    reads: &[PendingRead],
    b: Base,
) -> Option<&'s [String]> {
    let sym = match b.kind() {
        BaseKind::Cell(sym, ..) => sym,
        BaseKind::Read(k) => match reads.get(usize::from(k))?.cell.kind() {
            BaseKind::Cell(sym, ..) => sym,
            _ => return None,
        },
        _ => return None,
    };
    match &system.types[system.symbols[sym].ty] {
        Type::Enum(_, names) => Some(names),
        _ => None,
    }
}

/// A conjunction as text, a line a literal.
pub fn literals_text(system: &System, reads: &[PendingRead], conj: &Conj) -> String {
    let mut out = String::new();
    let name = |b: Base| base_text(system, b);
    for l in &conj.lits {
        let _ = match *l {
            Literal::In(b, m) => {
                let all = constructors(system, reads, b).unwrap_or_default();
                let values = all.iter().enumerate().filter(|(i, _)| m >> i & 1 == 1);
                let values: String = values.map(|(_, v)| format!(" {v}")).collect();
                writeln!(out, "in {}{values}", name(b))
            }
            Literal::Eq(a, b) => writeln!(out, "eq {} {}", name(a), name(b)),
            Literal::Ne(a, b) => writeln!(out, "ne {} {}", name(a), name(b)),
            Literal::Less(a, b) => writeln!(out, "less {} {}", name(a), name(b)),
            Literal::LessEq(a, b) => writeln!(out, "lesseq {} {}", name(a), name(b)),
            Literal::Diff {
                a,
                b,
                rel: r,
                bound,
                int,
            } => writeln!(
                out,
                "diff {} {} {} {bound} {}",
                name(a),
                name(b),
                rel(r),
                sort(int)
            ),
        };
    }
    for l in &conj.lins {
        let terms = l.lin.terms.iter();
        let terms: String = terms.map(|(f, b)| format!(" {f} {}", name(*b))).collect();
        let _ = writeln!(
            out,
            "lin {} {} {}{terms}",
            rel(l.rel),
            sort(l.int),
            l.lin.constant
        );
    }
    out
}

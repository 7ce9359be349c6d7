//! The text of a certificate: a line a literal, read or obligation, symbols and values by name.
//!
//! ```text
//! wmbmc certificate 2
//! model tso
//! last 3 store 1
//! read-history 5 grant 1
//! cube 2 snapshot
//! in PC[#1] L2 L3
//! diff r0 0 <= 4 int
//! read 0 #1 X
//! after 0 :
//! any #1 : 0
//! end
//! ```
//!
//! `model` says for which memory model the cubes are; it may be one on which the system does what it does on the one
//! that the certificate is asked for.
//! `count PC L2 L3` adds a variable that counts the processes at some places: `Count.1` if it is the first.
//! `last` adds a history variable (the third transition, `store`, its first parameter, and the
//! parameter that is its index, if any); `read-history` lets a transition look at one (the fifth,
//! `grant`, the first variable, and the parameter in its index), or the unsafe
//! formulas (`read-history unsafe 1`).

use crate::cub::ast::SymbolKind;
use crate::cube::any::AnyCube;
use crate::cube::literals::{Base, BaseKind, LinSum, LinearLiteral, Literal, MAX_NUMBER};
use crate::cube::text::{constructors, rel};
use crate::cube::timestamp::{MAX_PROCS, MAX_READS, MAX_TIMESTAMPS, PendingRead, Timestamps};
use crate::cube::tso::Cube;
use crate::system::{Count, History, HistoryRead, Rel, SymId, System, Variable};
use base::idx::Id;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::iter::Peekable;

const HEADER: &str = "wmbmc certificate 2";

/// A certificate on a model; the cubes are of the system with its counts and history variables.
pub fn write<'c>(
    system: &System,
    model: &str,
    cubes: impl IntoIterator<Item = &'c Cube>,
) -> String {
    let mut out = format!("{HEADER}\nmodel {model}\n");
    out += &counts_text(system);
    out += &history_text(system);
    out.extend(cubes.into_iter().map(|c| c.text(system)));
    out
}

/// The model that a certificate says it is for.
pub fn model_of(text: &str) -> Option<&str> {
    text.lines().nth(1)?.strip_prefix("model ")
}

/// The lines about counts.
fn counts_text(system: &System) -> String {
    let mut out = String::new();
    for count in &system.counts {
        let place = Base::cell(count.place, &[0]);
        let names = constructors(system, &[], place).unwrap_or_default();
        let at = count.at.iter().filter_map(|c| names.get(usize::from(*c)));
        let at: Vec<&str> = at.map(String::as_str).collect();
        let array = &system.symbols[count.place].name;
        let _ = writeln!(out, "count {array} {}", at.join(" "));
    }
    out
}

/// Reads the lines about counts; returns the system with them.
fn read_counts<'s, 't>(
    system: &'s System,
    lines: &mut Peekable<impl Iterator<Item = (usize, &'t str)>>,
) -> Result<Cow<'s, System>, String> {
    let mut counts = Vec::new();
    while let Some((at, line)) = lines.next_if(|(_, line)| line.starts_with("count ")) {
        let count = || {
            let mut words = line.split_whitespace().skip(1);
            let place = symbol(system, words.next()?)?;
            let all = constructors(system, &[], Base::cell(place, &[0]))?;
            let number = |word: &str| {
                let at = all.iter().position(|c| c == word)?;
                u16::try_from(at).ok()
            };
            let at: Option<Vec<u16>> = words.map(number).collect();
            Some(Count { place, at: at? })
        };
        counts.push(count().ok_or_else(|| unreadable(at, line))?);
    }
    if counts.is_empty() {
        return Ok(Cow::Borrowed(system));
    }
    system.with_counts(&counts).map(Cow::Owned)
}

/// The lines about history variables.
pub(super) fn history_text(system: &System) -> String {
    let mut out = String::new();
    let name = |t: usize| {
        let t = system.transitions.iter().find(|u| u.origin == t);
        t.map_or("?", |t| t.name.as_str())
    };
    let key = |k: Option<u8>| k.map_or(String::new(), |k| format!(" {}", k + 1));
    for v in &system.history.variables {
        let (t, param, key) = (v.transition, v.param + 1, key(v.key));
        let _ = writeln!(out, "last {} {} {param}{key}", t + 1, name(t));
    }
    for r in &system.history.reads {
        let (t, variable, key) = (r.transition, r.variable + 1, key(r.key));
        let _ = match t {
            Some(t) => writeln!(out, "read-history {} {} {variable}{key}", t + 1, name(t)),
            None => writeln!(out, "read-history unsafe {variable}"),
        };
    }
    out
}

/// The transition, number and index of a line about history variables, counted from 0.
fn history_line(system: &System, rest: &[&str]) -> Option<(usize, usize, Option<u8>)> {
    let number = |word: &str| word.parse::<usize>().ok()?.checked_sub(1);
    let (t, name, n, key) = match rest {
        [t, name, n] => (t, name, n, None),
        [t, name, n, key] => (t, name, n, Some(u8::try_from(number(key)?).ok()?)),
        _ => return None,
    };
    let t = number(t)?;
    (system.transitions.get(t)?.name == **name).then_some((t, number(n)?, key))
}

/// Reads a certificate of a system; returns with its cubes the system with its counts and history
/// variables.
///
/// # Errors
/// A sentence with the line that cannot be read.
pub fn read<'s>(system: &'s System, text: &str) -> Result<(Cow<'s, System>, Vec<Cube>), String> {
    let mut lines = text.lines().enumerate().peekable();
    if lines.next().map(|(_, l)| l) != Some(HEADER) {
        return Err(format!("line 1: the first line is `{HEADER}`"));
    }
    lines.next_if(|(_, line)| line.starts_with("model "));
    let extended = match read_counts(system, &mut lines)? {
        Cow::Borrowed(system) => read_history(system, &mut lines)?,
        Cow::Owned(counted) => Cow::Owned(read_history(&counted, &mut lines)?.into_owned()),
    };
    let cubes = read_blocks(lines, begin, |c, word, rest| {
        entry(&extended, c, word, rest)
    })?;
    Ok((extended, cubes))
}

/// Reads the cubes, each between its first line and `end`.
pub(super) fn read_blocks<'t, C>(
    lines: impl Iterator<Item = (usize, &'t str)>,
    begin: impl Fn(&[&str]) -> Option<C>,
    entry: impl Fn(&mut C, &str, &[&str]) -> Option<()>,
) -> Result<Vec<C>, String> {
    let mut cubes = Vec::new();
    let mut open: Option<C> = None;
    for (at, line) in lines {
        let mut words = line.split_whitespace();
        let Some(word) = words.next() else {
            continue;
        };
        let rest: Vec<&str> = words.collect();
        let ok = match (word, open.as_mut()) {
            ("cube", None) => begin(&rest).map(|c| open = Some(c)),
            ("end", Some(_)) => {
                cubes.extend(open.take());
                Some(())
            }
            (_, Some(c)) => entry(c, word, &rest),
            (_, None) => None,
        };
        if ok.is_none() {
            return Err(unreadable(at, line));
        }
    }
    match open {
        Some(_) => Err("the last cube has no `end`".into()),
        None => Ok(cubes),
    }
}

fn unreadable(at: usize, line: &str) -> String {
    format!("line {}: `{line}` cannot be read here", at + 1)
}

/// Reads the lines about history variables; returns the system with them.
pub(super) fn read_history<'s, 't>(
    system: &'s System,
    lines: &mut Peekable<impl Iterator<Item = (usize, &'t str)>>,
) -> Result<Cow<'s, System>, String> {
    let mut history = History::default();
    let of_history = |line: &str| line.starts_with("last ") || line.starts_with("read-history ");
    while let Some((at, line)) = lines.next_if(|(_, line)| of_history(line)) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["read-history", "unsafe", n] = words[..] {
            let variable = n.parse().ok().and_then(|n: usize| n.checked_sub(1));
            history.reads.push(HistoryRead {
                transition: None,
                variable: variable.ok_or_else(|| unreadable(at, line))?,
                key: None,
            });
            continue;
        }
        let read = history_line(system, &words[1..]);
        let (transition, number, key) = read.ok_or_else(|| unreadable(at, line))?;
        if words[0] == "last" {
            let param = u8::try_from(number).map_err(|_| unreadable(at, line))?;
            history.variables.push(Variable {
                transition,
                param,
                key,
            });
        } else {
            history.reads.push(HistoryRead {
                transition: Some(transition),
                variable: number,
                key,
            });
        }
    }
    Ok(if history.is_empty() && history.reads.is_empty() {
        Cow::Borrowed(system)
    } else {
        Cow::Owned(history.extend(system)?)
    })
}

pub(super) fn begin(rest: &[&str]) -> Option<Cube> {
    let (procs, snapshot) = match rest {
        [n] => (n, false),
        [n, "snapshot"] => (n, true),
        _ => return None,
    };
    let procs: u8 = procs.parse().ok().filter(|n| *n <= MAX_PROCS)?;
    Some(Cube {
        procs,
        snapshot,
        po_successors: vec![0; usize::from(procs)],
        writes: vec![0; usize::from(procs)],
        ..Cube::default()
    })
}

pub(super) fn process(c: &Cube, word: &str) -> Option<u8> {
    let n: u8 = word.strip_prefix('#')?.parse().ok()?;
    (1..=c.procs).contains(&n).then(|| n - 1)
}

pub(super) fn read_base(system: &System, c: &Cube, word: &str) -> Option<Base> {
    if word == "0" {
        return Some(Base::ZERO);
    }
    if word.starts_with('#') {
        return process(c, word).map(Base::process);
    }
    if let Some(k) = word.strip_prefix('r') {
        let k: usize = k.parse().ok()?;
        return (k < c.reads.len()).then(|| Base::read(k));
    }
    let (name, index) = match word.split_once('[') {
        Some((name, rest)) => (name, rest.strip_suffix(']')?.split(',').collect()),
        None => (word, Vec::new()),
    };
    let sym = symbol(system, name)?;
    let index: Option<Vec<u8>> = index.into_iter().map(|i| process(c, i)).collect();
    let index = index?;
    (index.len() == system.symbols[sym].arity).then(|| Base::cell(sym, &index))
}

fn symbol(system: &System, name: &str) -> Option<SymId> {
    let at = system.symbols.iter().position(|s| s.name == name)?;
    Some(SymId::from_index(at))
}

fn read_rel(word: &str) -> Option<Rel> {
    [Rel::Eq, Rel::Ne, Rel::Lt, Rel::Le]
        .into_iter()
        .find(|r| rel(*r) == word)
}

fn read_sort(word: &str) -> Option<bool> {
    match word {
        "int" => Some(true),
        "real" => Some(false),
        _ => None,
    }
}

/// `: 0 3 5`
fn read_points(words: &[&str]) -> Option<Timestamps> {
    let (colon, rest) = words.split_first()?;
    if *colon != ":" {
        return None;
    }
    let mut set = 0;
    for w in rest {
        let p: u8 = w.parse().ok().filter(|p| *p < MAX_TIMESTAMPS)?;
        set |= 1 << p;
    }
    Some(set)
}

/// A number that literals may have.
fn number(word: &str) -> Option<i64> {
    let n: i64 = word.parse().ok()?;
    (n.unsigned_abs() <= MAX_NUMBER).then_some(n)
}

pub(super) fn entry(system: &System, c: &mut Cube, word: &str, rest: &[&str]) -> Option<()> {
    let two = |c: &Cube| match rest {
        [a, b] => Some((read_base(system, c, a)?, read_base(system, c, b)?)),
        _ => None,
    };
    match word {
        "read" => {
            let [timestamp, by, cell] = rest else {
                return None;
            };
            let cell = read_base(system, c, cell)?;
            let weak = matches!(cell.kind(), BaseKind::Cell(s, ..)
                if system.symbols[s].kind == SymbolKind::Weak);
            let timestamp: u8 = timestamp.parse().ok().filter(|p| *p < MAX_TIMESTAMPS)?;
            if !weak || c.reads.len() >= MAX_READS {
                return None;
            }
            let by = process(c, by)?;
            c.reads.push(PendingRead {
                timestamp,
                by,
                cell,
            });
            let timestamps = usize::from(timestamp) + 1;
            if c.after.len() < timestamps {
                c.after.resize(timestamps, 0);
            }
        }
        "in" => {
            let (b, values) = rest.split_first()?;
            let b = read_base(system, c, b)?;
            let all = constructors(system, &c.reads, b)?;
            let mut mask = 0u128;
            for v in values {
                mask |= 1 << all.iter().position(|a| a == v)?;
            }
            c.conj.lits.push(Literal::In(b, mask));
        }
        "eq" => c.conj.lits.push(two(c).map(|(a, b)| Literal::Eq(a, b))?),
        "ne" => c.conj.lits.push(two(c).map(|(a, b)| Literal::Ne(a, b))?),
        "less" => c.conj.lits.push(two(c).map(|(a, b)| Literal::Less(a, b))?),
        "lesseq" => c
            .conj
            .lits
            .push(two(c).map(|(a, b)| Literal::LessEq(a, b))?),
        "diff" => {
            let [a, b, r, bound, s] = rest else {
                return None;
            };
            c.conj.lits.push(Literal::Diff {
                a: read_base(system, c, a)?,
                b: read_base(system, c, b)?,
                rel: read_rel(r)?,
                bound: number(bound)?,
                int: read_sort(s)?,
            });
        }
        "lin" => {
            let [r, s, constant, terms @ ..] = rest else {
                return None;
            };
            let mut lin = LinSum {
                terms: Vec::new(),
                constant: number(constant)?,
            };
            for pair in terms.chunks(2) {
                let [f, b] = pair else { return None };
                let b = read_base(system, c, b)?;
                lin.add(f.parse().ok()?, &LinSum::of(b))?;
            }
            c.conj.lins.push(LinearLiteral {
                rel: read_rel(r)?,
                int: read_sort(s)?,
                lin,
            });
        }
        _ => {
            let (what, set) = rest.split_first()?;
            let set = read_points(set)?;
            match word {
                "after" => *c.after.get_mut(what.parse::<usize>().ok()?)? = set,
                "any" | "writes" => {
                    let p = usize::from(process(c, what)?);
                    let sets = if word == "any" {
                        &mut c.po_successors
                    } else {
                        &mut c.writes
                    };
                    sets[p] = set;
                }
                "cell" => {
                    let b = read_base(system, c, what)?;
                    c.cells.push((b, set));
                    c.cells.sort_unstable();
                }
                "fresh" => {
                    c.fresh_cells.push((symbol(system, what)?, set));
                    c.fresh_cells.sort_unstable();
                }
                _ => return None,
            }
        }
    }
    Some(())
}

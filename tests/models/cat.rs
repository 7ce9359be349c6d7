//! Memory models on small executions: the built-in ones against a table and against each other,
//! the published ones against the built-in ones, and wrong texts against the diagnostics.
//!
//! The table is `shapes.txt`. A shape becomes events; every reads-from and coherence order is tried;
//! a model allows the outcome when one of those that show it passes its axioms.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use support::MODELS;
use wmbmc::base::bits::BitMatrix;
use wmbmc::base::source::SourceMap;
use wmbmc::cat::execution::{Access, Execution, ExecutionEvent};
use wmbmc::cat::model::{BaseRel, FlagKind, Model};
use wmbmc::cat::{self, Evaluator};

fn models(names: &[&str]) -> Vec<Model> {
    names
        .iter()
        .map(|n| cat::builtin(n).expect("the model is built in"))
        .collect()
}

/// A program without branches: accesses with the values they read or write, and what stands between
/// two of one thread.
#[derive(Clone, Debug, Default)]
struct Program {
    threads: Vec<Vec<Step>>,
    /// Values that end in memory.
    last: Vec<(char, u64)>,
}

#[derive(Clone, Debug)]
enum Step {
    Read(char, Option<u64>),
    Write(char, u64),
    /// Reads one value, writes another; locked, or load-linked and store-conditional.
    Rmw(char, u64, u64, BaseRel),
    /// `po`, a fence by its tag, or a dependency.
    Edge(String),
}

/// Pairs of events, by number.
type Pairs = Vec<(usize, usize)>;

/// One event of a program.
struct Event {
    node: ExecutionEvent,
    /// Read or written; a read without one may read anything.
    value: Option<u64>,
}

/// The executions of a program in which its reads read and its memory ends as it says.
fn executions(program: &Program) -> Vec<Execution> {
    let mut events: Vec<Event> = Vec::new();
    let mut rels: BTreeMap<BaseRel, Pairs> = BTreeMap::new();
    let mut locations = BTreeSet::new();
    let mut add =
        |access, thread: Option<usize>, location: Option<char>, value, tags: Vec<&'static str>| {
            locations.extend(location);
            let thread = thread.map(|t| t as u32);
            let location = location.map(u64::from);
            events.push(Event {
                node: ExecutionEvent {
                    access,
                    thread,
                    location,
                    value,
                    tags,
                    group: None,
                },
                value,
            });
            events.len() - 1
        };
    for (t, steps) in program.threads.iter().enumerate() {
        let (mut before, mut waits, mut ctrl) = (None, None, Vec::new());
        for step in steps {
            let thread = Some(t);
            let done = match step {
                Step::Read(l, v) => vec![add(Access::Read, thread, Some(*l), *v, vec![])],
                Step::Write(l, v) => vec![add(Access::Write, thread, Some(*l), Some(*v), vec![])],
                Step::Rmw(l, old, new, kind) => {
                    let r = add(Access::Read, thread, Some(*l), Some(*old), vec![]);
                    let w = add(Access::Write, thread, Some(*l), Some(*new), vec![]);
                    rels.entry(*kind).or_default().push((r, w));
                    vec![r, w]
                }
                Step::Edge(edge) => match edge.as_str() {
                    "po" => continue,
                    "addr" | "data" => {
                        let kind = if edge == "addr" {
                            BaseRel::Addr
                        } else {
                            BaseRel::Data
                        };
                        waits = before.map(|b| (kind, b));
                        continue;
                    }
                    "ctrl" => {
                        ctrl.extend(before);
                        continue;
                    }
                    "ctrlisync" => {
                        ctrl.extend(before);
                        vec![add(Access::Fence, thread, None, None, vec!["ISYNC"])]
                    }
                    fence => vec![add(Access::Fence, thread, None, None, tags(fence))],
                },
            };
            for e in &done {
                rels.entry(BaseRel::Ctrl)
                    .or_default()
                    .extend(ctrl.iter().map(|r| (*r, *e)));
            }
            if !matches!(step, Step::Edge(_)) {
                if let Some((kind, from)) = waits.take() {
                    rels.entry(kind).or_default().push((from, done[0]));
                }
                before = Some(done[0]);
            }
        }
    }
    let accesses = events.len();
    for location in locations.clone() {
        let node = ExecutionEvent {
            access: Access::Init,
            thread: None,
            location: Some(u64::from(location)),
            value: Some(0),
            tags: vec![],
            group: None,
        };
        events.push(Event {
            node,
            value: Some(0),
        });
    }
    let n = events.len();
    let matrix = |pairs: &[(usize, usize)]| {
        let mut out = BitMatrix::new(n);
        pairs.iter().for_each(|(a, b)| out.insert(*a, *b));
        out
    };
    let mut given: BTreeMap<BaseRel, BitMatrix> =
        rels.iter().map(|(k, pairs)| (*k, matrix(pairs))).collect();
    let po = (0..accesses).flat_map(|a| (a + 1..accesses).map(move |b| (a, b)));
    let po: Vec<_> = po
        .filter(|(a, b)| events[*a].node.thread == events[*b].node.thread)
        .collect();
    given.insert(BaseRel::Po, matrix(&po));

    let is_write =
        |e: &Event, location| e.node.access != Access::Read && e.node.location == location;
    // One choice a read, and one a location; every choice is a list of pairs.
    let mut choices: Vec<(BaseRel, Vec<Pairs>)> = Vec::new();
    for (r, read) in events
        .iter()
        .enumerate()
        .filter(|(_, e)| e.node.access == Access::Read)
    {
        let sources = (0..n).filter(|w| {
            let write = &events[*w];
            is_write(write, read.node.location)
                && (read.value.is_none() || read.value == write.value)
        });
        choices.push((BaseRel::Rf, sources.map(|w| vec![(w, r)]).collect()));
    }
    for location in locations {
        let key = Some(u64::from(location));
        let writes: Vec<usize> = (0..accesses)
            .filter(|w| is_write(&events[*w], key))
            .collect();
        let first = (accesses..n)
            .find(|w| is_write(&events[*w], key))
            .expect("every location has an initial write");
        let last = program
            .last
            .iter()
            .find(|(l, _)| *l == location)
            .map(|(_, v)| *v);
        let orders = orders(&writes).into_iter().filter_map(|order| {
            let order: Vec<usize> = std::iter::once(first).chain(order).collect();
            let ends = events[*order.last().expect("the initial write is in it")].value;
            let pairs = order
                .iter()
                .enumerate()
                .flat_map(|(i, a)| order[i + 1..].iter().map(move |b| (*a, *b)));
            (last.is_none() || last == ends).then(|| pairs.collect())
        });
        choices.push((BaseRel::Co, orders.collect()));
    }
    let nodes: Vec<ExecutionEvent> = events.into_iter().map(|e| e.node).collect();
    let mut out = vec![BTreeMap::from([
        (BaseRel::Rf, vec![]),
        (BaseRel::Co, vec![]),
    ])];
    for (kind, ways) in choices {
        let extend = |chosen: &BTreeMap<BaseRel, Pairs>, way: &Pairs| {
            let mut chosen = chosen.clone();
            chosen.entry(kind).or_default().extend(way);
            chosen
        };
        out = out
            .iter()
            .flat_map(|chosen| ways.iter().map(move |way| extend(chosen, way)))
            .collect();
    }
    let finish = |chosen: BTreeMap<BaseRel, Pairs>| {
        let mut given = given.clone();
        given.extend(chosen.iter().map(|(kind, pairs)| (*kind, matrix(pairs))));
        Execution::new(&nodes, given)
    };
    out.into_iter().map(finish).collect()
}

fn tags(fence: &str) -> Vec<&'static str> {
    let names: &[&str] = match fence {
        "membar" => &["LOADLOAD", "LOADSTORE", "STORELOAD", "STORESTORE"],
        one => &[&one.to_uppercase()],
    };
    let find = |n: &&str| {
        *cat::arch::TAGS
            .iter()
            .find(|t| *t == n)
            .unwrap_or_else(|| panic!("`{n}` is no tag"))
    };
    names.iter().map(find).collect()
}

/// All orders of some events.
fn orders(events: &[usize]) -> Vec<Vec<usize>> {
    if events.is_empty() {
        return vec![vec![]];
    }
    let first = |i: usize| {
        let mut rest = events.to_vec();
        let head = rest.remove(i);
        orders(&rest)
            .into_iter()
            .map(move |tail| [vec![head], tail].concat())
    };
    (0..events.len()).flat_map(first).collect()
}

/// Reads `Wx1 . Ry0 | Wy1 . Rx0 | x=2`, filling the dots with `edges`.
fn program(shape: &str, edges: &[&str]) -> Program {
    let mut edges = edges.iter();
    let mut out = Program::default();
    for part in shape.split('|') {
        if part.contains('=') {
            let pairs = part
                .split_whitespace()
                .map(|p| (p.chars().next().expect("x=1"), p[2..].parse().expect("x=1")));
            out.last.extend(pairs);
            continue;
        }
        let step = |word: &str| {
            let mut chars = word.chars();
            let kind = chars.next().expect("words are not empty");
            if kind == '.' {
                return Step::Edge((*edges.next().expect("an edge for every dot")).to_string());
            }
            let location = chars.next().expect("a location");
            let values: Vec<u64> = chars
                .as_str()
                .split('>')
                .map(|v| v.parse().expect("a value"))
                .collect();
            match kind {
                'R' => Step::Read(location, Some(values[0])),
                'W' => Step::Write(location, values[0]),
                'X' => Step::Rmw(location, values[0], values[1], BaseRel::Amo),
                'L' => Step::Rmw(location, values[0], values[1], BaseRel::Lxsx),
                _ => panic!("`{word}` is no access"),
            }
        };
        out.threads
            .push(part.split_whitespace().map(step).collect());
    }
    assert!(edges.next().is_none(), "{shape}: more edges than dots");
    out
}

/// The rows of the table: a title, the program, and who allows it.
fn table() -> Vec<(String, Program, String)> {
    let (mut out, mut shape) = (Vec::new(), ("", ""));
    for line in include_str!("shapes.txt")
        .lines()
        .filter(|l| !l.starts_with('#') && !l.trim().is_empty())
    {
        if !line.starts_with(' ') {
            shape = line.split_once(':').expect("a head line has a colon");
            continue;
        }
        let mut words: Vec<&str> = line.split_whitespace().collect();
        let verdicts = words.pop().expect("a row ends in verdicts").to_string();
        out.push((
            format!("{} {}", shape.0, words.join(" ")),
            program(shape.1, &words),
            verdicts,
        ));
    }
    out
}

#[test]
fn classic_shapes() {
    let models = models(&MODELS);
    let evaluators: Vec<Evaluator> = models.iter().map(Evaluator::new).collect();
    let mut wrong = Vec::new();
    for (title, program, expected) in table() {
        let executions = executions(&program);
        assert!(!executions.is_empty(), "{title}: nothing shows the outcome");
        let allows = |e: &Evaluator| executions.iter().any(|x| e.eval(x).is_ok());
        let got: String = evaluators
            .iter()
            .map(|e| if allows(e) { '+' } else { '-' })
            .collect();
        if got != expected {
            wrong.push(format!("{title}: expected {expected}, got {got}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "in the order {MODELS:?}:\n{}",
        wrong.join("\n")
    );
}

/// All programs of two threads with three and two accesses to two locations, reads of any value.
fn small_programs(fence: &str) -> Vec<Program> {
    let access = |i: usize, value: u64| {
        let location = if i.is_multiple_of(2) { 'x' } else { 'y' };
        if i < 2 {
            Step::Read(location, None)
        } else {
            Step::Write(location, value)
        }
    };
    let all = 4usize.pow(5);
    let program = |code: usize| {
        let at = |k: u32| access(code / 4usize.pow(k) % 4, u64::from(k) + 1);
        let edge = || Step::Edge(fence.to_string());
        let threads = vec![
            vec![at(0), edge(), at(1), at(2)],
            vec![at(3), edge(), at(4)],
        ];
        Program {
            threads,
            last: vec![],
        }
    };
    (0..all).map(program).collect()
}

/// What a weaker model forbids, a stronger one forbids too.
#[test]
fn models_grow_weaker_in_order() {
    let models = models(&["sc", "tso", "pso", "rmo"]);
    let evaluators: Vec<Evaluator> = models.iter().map(Evaluator::new).collect();
    let mut allowed = [0; 4];
    for fence in ["po", "mfence", "storestore", "loadload"] {
        for program in small_programs(fence) {
            for execution in executions(&program) {
                let verdicts: Vec<bool> = evaluators
                    .iter()
                    .map(|e| e.eval(&execution).is_ok())
                    .collect();
                assert!(
                    verdicts.is_sorted(),
                    "sc, tso, pso, rmo allow {verdicts:?}: {program:?}"
                );
                allowed
                    .iter_mut()
                    .zip(&verdicts)
                    .for_each(|(n, v)| *n += usize::from(*v));
            }
        }
    }
    assert!(
        allowed.is_sorted_by(|a, b| a < b),
        "each model allows more than the one before: {allowed:?}"
    );
}

/// A fence never allows more.
#[test]
fn fences_only_forbid() {
    let names = support::models();
    let models = models(&names);
    let evaluators: Vec<Evaluator> = models.iter().map(Evaluator::new).collect();
    let plain: Vec<Vec<Execution>> = small_programs("po").iter().map(executions).collect();
    for fence in ["mfence", "lwsync", "eieio", "isync", "membar"] {
        for (program, plain) in small_programs(fence).iter().zip(&plain).step_by(7) {
            // The same choices in the same order: executions correspond one to one.
            for (fenced, plain) in executions(program).iter().zip(plain) {
                for (evaluator, name) in evaluators.iter().zip(&names) {
                    let more = evaluator.eval(fenced).is_ok() && evaluator.eval(plain).is_err();
                    assert!(
                        !more,
                        "{name}: {fence} allows what is forbidden without it: {program:?}"
                    );
                }
            }
        }
    }
}

/// herd7's published models, where its library is installed, say what ours say.
#[test]
fn published_models_agree() {
    let Some(dir) = std::env::var_os("WMBMC_HERD_LIBDIR").map(PathBuf::from) else {
        let library = "herd7's library of cat files, named by WMBMC_HERD_LIBDIR,";
        support::skipped(support::Missing::Extra(library));
        return;
    };
    let cases = [
        ("sc.cat", "sc", "po"),
        ("x86tso.cat", "tso", "mfence"),
        ("x86tso-mixed.cat", "tso", "mfence"),
    ];
    let power = ["po", "sync", "lwsync", "eieio", "isync"].map(|fence| ("ppc.cat", "power", fence));
    for (file, name, fence) in cases.into_iter().chain(power) {
        let mut sources = SourceMap::default();
        let theirs = cat::load(&mut sources, &dir.join(file)).unwrap_or_else(|errors| {
            panic!(
                "{}",
                errors
                    .iter()
                    .map(|e| e.render(&sources, false))
                    .collect::<String>()
            )
        });
        let ours = cat::builtin(name).expect("the model is built in");
        let (theirs, ours) = (Evaluator::new(&theirs), Evaluator::new(&ours));
        let mut programs = small_programs(fence);
        if name == "power" {
            let other = |p: &Program| {
                format!("{p:?}").contains("fence") || format!("{p:?}").contains("Rmw")
            };
            programs.extend(table().into_iter().map(|(_, p, _)| p).filter(|p| !other(p)));
        }
        let membar = ["storestore", "loadload", "storeload", "loadstore", "membar"];
        programs.retain(|p| !membar.iter().any(|m| format!("{p:?}").contains(m)));
        for program in programs {
            for execution in executions(&program) {
                let (a, b) = (theirs.eval(&execution), ours.eval(&execution));
                assert_eq!(
                    a.is_ok(),
                    b.is_ok(),
                    "{file} and {name}: {program:?}: {a:?} {b:?}"
                );
            }
        }
    }
}

/// The shortest model of each published kind, with the built-in includes in place of herd7's.
#[test]
fn includes_are_built_in() {
    let text = r#"
X86 "TSO in the words of an older cat"
include "x86fences.cat"
include "filters.cat"
include "cos.cat"
let com = rf | fr | co
acyclic po-loc | com
empty rmw & (fre;coe)
let po_ghb = WW(po) | RM(po)
let poWR = WR(po)
let implied = MA(poWR) | AM(poWR)
acyclic mfence | implied | po_ghb | rfe | fr | co as tso
"#;
    let mut sources = SourceMap::default();
    let file = sources.add("old.cat", text);
    let old = cat::compile(&mut sources, file, "old").expect("the text is right");
    let tso = cat::builtin("tso").expect("the model is built in");
    assert_eq!(old.arch, tso.arch);
    let (old, tso) = (Evaluator::new(&old), Evaluator::new(&tso));
    for fence in ["po", "mfence"] {
        for program in small_programs(fence) {
            for execution in executions(&program) {
                assert_eq!(
                    old.eval(&execution).is_ok(),
                    tso.eval(&execution).is_ok(),
                    "{program:?}"
                );
            }
        }
    }
}

/// The four recursive equations of the herding-cats paper are the closures of `ppo.cat`.
#[test]
fn recursive_and_closed_forms_agree() {
    let text = cat::text("power").expect("the model is built in");
    let recursive = r#"
let rec ii = ii0 | ci | (ic; ci) | (ii; ii)
and ic = ic0 | ii | cc | (ic; cc) | (ii; ic)
and ci = ci0 | (ci; ii) | (cc; ci)
and cc = cc0 | ci | (ci; ic) | (cc; cc)
let ppo = ([R]; ii; [R]) | ([R]; ic; [W])
"#;
    for ic0 in ["0", "[R]; po; [W]"] {
        let compile = |text: &str| {
            let mut sources = SourceMap::default();
            let text = text.replace("let ic0 = 0", &format!("let ic0 = {ic0}"));
            let file = sources.add("power.cat", text);
            cat::compile(&mut sources, file, "power").expect("the text is right")
        };
        let closed = compile(text);
        let recursive = compile(&text.replace("include \"ppo.cat\"", recursive));
        assert_eq!((closed.recs.len(), recursive.recs.len()), (0, 4));
        let ppo = |model: &Model, x: &Execution| {
            let (_, ppo) = model
                .names
                .iter()
                .find(|(n, _)| n == "ppo")
                .expect("power has a ppo");
            cat::edges(model, x, *ppo)
        };
        let long = [
            program(
                "Wx1 . Rx1 . Ry1 . Wz1 | Wy1 . Wz2 . Rz2 . Rx0",
                &["po", "addr", "ctrl", "po", "po", "ctrlisync"],
            ),
            program(
                "Rx1 . Ry1 . Wz1 . Rz2 . Wx1 | Wz2 . Wy1",
                &["data", "addr", "po", "data", "po"],
            ),
        ];
        for program in table().into_iter().map(|(_, p, _)| p).chain(long) {
            for x in executions(&program) {
                assert_eq!(ppo(&closed, &x), ppo(&recursive, &x), "{program:?}");
            }
        }
    }
}

/// The errors of a text, as `line:column message`.
fn errors(text: &str) -> Vec<String> {
    let mut sources = SourceMap::default();
    let file = sources.add("bad.cat", text);
    let Err(errors) = cat::compile(&mut sources, file, "bad") else {
        return vec![];
    };
    let show = |d: &wmbmc::base::diag::Diag| {
        let (span, _) = d.labels.first().expect("every error has a place");
        let at = sources.line_col(span.file, span.start);
        assert!(!d.render(&sources, false).is_empty());
        format!("{}:{} {}", at.line, at.col, d.message)
    };
    errors.iter().map(show).collect()
}

#[test]
fn wrong_texts_are_refused_where_they_are_wrong() {
    let cases = [
        ("acyclic pox", "1:9 `pox` is not defined"),
        ("let a = DMB.SY\nacyclic a", "1:9 `DMB.SY` is not defined"),
        (
            "acyclic po |",
            "1:13 expected a relation or a set, found the end of the file",
        ),
        (
            "acyclic (po | rf",
            "1:17 expected `)`, found the end of the file",
        ),
        (
            "let x = (* never closed",
            "1:9 this comment is never closed",
        ),
        ("include \"cos.cat", "1:9 this string is never closed"),
        (
            "include \"coz.cat\"",
            "1:1 there is no `coz.cat` beside `bad.cat`, and none is built in",
        ),
        ("let r = po $ rf", "1:12 `$` is no part of the cat language"),
        ("let = po", "1:5 expected a name, found `=`"),
        ("acyclic R | po", "1:9 a set is combined with a relation"),
        ("acyclic [po]", "1:10 a set is wanted, this is a relation"),
        ("acyclic R;po", "1:9 a relation is wanted, this is a set"),
        (
            "empty R * W * M",
            "1:13 a product of three sets is not a relation",
        ),
        (
            "let rec r = po \\ r\nacyclic r",
            "1:13 the definition of `r` needs the complement of itself",
        ),
        (
            "let rec r = ~(s;po) and s = r | rf\nacyclic r",
            "1:13 the definition of `r` needs the complement of itself",
        ),
        (
            "~acyclic po",
            "1:1 a negated test is not supported: it would ask for a cycle or a pair to exist",
        ),
        (
            "flag empty po as race",
            "1:1 a `flag` on executions in which nothing is related is not supported",
        ),
        (
            "let f(a, b) = a;b\nacyclic f(po)",
            "2:10 2 values are wanted here, 1 given",
        ),
        ("acyclic po rf", "1:9 a relation is applied as a function"),
        (
            "let rec f x = f x\nacyclic f po",
            "1:15 this expands without end",
        ),
        (
            "forall x in po do empty x end",
            "1:13 the elements of a relation differ by execution",
        ),
        (
            "with s from linearisations(W, co0)",
            "1:27 `linearisations` chooses an order that executions do not come with",
        ),
        (
            "let x = po ++ rf",
            "1:15 `++` adds to a set of relations, this is a relation",
        ),
        (
            "let x = match po with || {} -> po || e ++ s -> po end",
            "1:15 the elements of a relation differ by execution",
        ),
        ("acyclic 'acq", "1:9 a relation is wanted, this is a tag"),
        (
            "with s from {po, rf}",
            "1:13 `with s from …` is not supported here",
        ),
        (
            "acyclic rf-reg",
            "1:9 a relation is wanted, this is a relation between registers, which executions do not have",
        ),
        (
            "let x = if po = rf then po else rf",
            "1:12 a condition on relations is not supported: its branches would differ by execution",
        ),
        ("call p(po)", "1:6 `p` is not defined"),
        (
            "acyclic po as",
            "1:14 expected a name, found the end of the file",
        ),
        ("let x = po^-2", "1:12 `-` is no part of the cat language"),
        (
            "if \"v\" acyclic po",
            "1:18 expected `end`, found the end of the file",
        ),
    ];
    for (text, expected) in cases {
        let got = errors(text);
        assert_eq!(
            got.first().map(String::as_str),
            Some(expected),
            "{text}: {got:?}"
        );
    }
}

/// What published models are written in: sets of relations and of tags, functions of them, statements for
/// each, choices that are none, flags.
#[test]
fn sets_of_relations_are_computed_with() {
    let text = "\"t\"\n\
        enum orders = 'acq || 'rel || 'other\n\
        instructions R[orders]\n\
        let all = map (fun r -> r & ext) {rf, co}\n\
        let rec union S = match S with || {} -> 0 || r ++ rest -> r | union rest end\n\
        forall r in all do acyclic r end\n\
        with x from {union all}\n\
        acyclic x as whole\n\
        flag ~empty x & loc as mark\n\
        undefined_unless empty rf as Dr\n\
        irreflexive [Acq]; po; [tag2events 'rel]\n\
        empty Other";
    let mut sources = SourceMap::default();
    let file = sources.add("t.cat", text);
    let model = cat::compile(&mut sources, file, "t").expect("the text is right");
    let axioms: Vec<&str> = model.axioms.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(axioms[..3], ["r", "r", "whole"], "{axioms:?}");
    let flags = model
        .flags
        .iter()
        .map(|f| (f.name.as_str(), f.kind, f.is_race()));
    let expected = [
        ("mark", FlagKind::Mark, false),
        ("Dr", FlagKind::Undefined, true),
    ];
    assert!(flags.eq(expected), "{:?}", model.flags);
}

/// Definitions of sets that need each other's complement, as those that match locks with unlocks do.
#[test]
fn recursive_sets_come_to_rest() {
    let text = "\"t\"\n\
        let rec open = SYNC \\ domain(pairs)\n\
        and closed = ISYNC \\ range(pairs)\n\
        and between = [open | closed]; po; [open | closed]\n\
        and pairs = pairs | (([open]; po; [closed]) \\ (between; between))\n\
        empty (po; pairs) as pairs";
    let mut sources = SourceMap::default();
    let file = sources.add("t.cat", text);
    let model = cat::compile(&mut sources, file, "t").expect("the text is right");
    assert_eq!(model.axioms.len(), 1);
    assert!(model.flags.iter().all(|f| f.kind == FlagKind::Wrong));
    assert!(!model.flags.is_empty(), "that they do is asserted");
}

#[test]
fn several_errors_are_reported_at_once() {
    let got = errors("let a = po |\nlet b = pox\nacyclic b\nacyclic R\nlet c = )\nempty rmv");
    let places: Vec<&str> = got.iter().filter_map(|e| e.split(' ').next()).collect();
    // Syntax first: a text that cannot be read is not run.
    assert_eq!(places, ["2:1", "5:9"]);
    let got = errors("let b = pox\nacyclic b\nacyclic R\nempty rmv\nacyclic f b");
    let places: Vec<&str> = got.iter().filter_map(|e| e.split(' ').next()).collect();
    assert_eq!(places, ["1:9", "3:9", "4:7", "5:9"]);
}

#[test]
fn includes_do_not_go_round() {
    let dir = tempfile::tempdir().expect("a directory can be made");
    let write = |name: &str, text: &str| {
        std::fs::write(dir.path().join(name), text).expect("it is writable")
    };
    write("a.cat", "include \"b.cat\"");
    write("b.cat", "include \"a.cat\"");
    write(
        "good.cat",
        "\"good\"\ninclude \"part.cat\"\nacyclic mine as m",
    );
    write("part.cat", "let mine = po | rf");
    let load = |name: &str| {
        let mut sources = SourceMap::default();
        cat::load(&mut sources, &dir.path().join(name))
    };
    assert_eq!(
        load("a.cat").expect_err("it includes itself")[0].message,
        "`a.cat` includes itself"
    );
    assert_eq!(load("good.cat").expect("it is right").axioms[0].name, "m");
    assert!(
        load("absent.cat").expect_err("there is none")[0]
            .message
            .starts_with("cannot read")
    );
    assert!(
        load(".").expect_err("a directory is no file")[0]
            .message
            .starts_with("cannot read")
    );
}

#[test]
fn no_text_takes_the_compiler_down() {
    let deep = [
        format!("acyclic {}po{}", "(".repeat(5000), ")".repeat(5000)),
        format!("acyclic {}po", "~".repeat(5000)),
        format!("acyclic po{}", "^-1".repeat(5000)),
        format!("acyclic po{}", " | po".repeat(5000)),
        format!("acyclic po{}", " \\ rf".repeat(5000)),
        format!("let f x = x;x\nlet y = f{}", " f".repeat(5000)),
        format!(
            "{}acyclic po{}",
            "if \"v\" else ".repeat(5000),
            " end".repeat(5000)
        ),
        format!("let x = {}po", "let y = po in ".repeat(5000)),
        format!(
            "let x = {}po{}",
            "try ".repeat(5000),
            " with po".repeat(5000)
        ),
        format!(
            "let r0 = po\n{}acyclic r9",
            (0..60)
                .map(|i| format!(
                    "let f{} x = {}\n",
                    i,
                    if i == 0 {
                        "x;x^-1".to_string()
                    } else {
                        format!("f{} (x | f{} x)", i - 1, i - 1)
                    }
                ))
                .collect::<String>()
        ) + "\nacyclic f59 po",
        (0..20000)
            .map(|i| {
                format!(
                    "let r{} = {};rf\n",
                    i + 1,
                    if i == 0 {
                        "po".to_string()
                    } else {
                        format!("r{i}")
                    }
                )
            })
            .collect::<String>()
            + "acyclic r20000",
    ];
    for text in deep {
        let got = errors(&text);
        assert!(got.len() <= 2, "{}: {got:?}", &text[..40]);
    }
}

//! Programs as text: a program of guarded commands as C, a Boolean program for people.
//!
//! The C program is for SC: each step is an atomic section, a choice between steps a number that is
//! not determined, and a thread flushes its buffers, any entries in any order, before each of its
//! statements. Locals and buffers that one thread alone touches are locals again.

use super::boolean::{BooleanProgram, BooleanStep};
use super::cube::Cube;
use crate::commands::arith::{Linear, VarId};
use crate::commands::program::*;
use base::idx::{Id, IdVec};
use base::source::SourceMap;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Names that the text needs for itself.
const RESERVED: [&str; 5] = ["main", "choice", "unused", "int", "void"];

/// A program as C.
pub fn c(program: &Program) -> String {
    let names = identifiers(program);
    let printer = Printer {
        program,
        names: &names,
        users: users(program),
    };
    printer.program()
}

struct Printer<'a> {
    program: &'a Program,
    names: &'a IdVec<VarId, String>,
    /// The threads that touch a variable.
    users: IdVec<VarId, BTreeSet<ThreadId>>,
}

/// A C identifier of each variable.
fn identifiers(program: &Program) -> IdVec<VarId, String> {
    let mut taken: BTreeSet<String> = RESERVED.iter().map(|s| s.to_string()).collect();
    for t in program.threads.iter() {
        taken.insert(format!("thread_{}", plain(&t.name)));
        taken.insert(format!("handle_{}", plain(&t.name)));
    }
    let mut names = IdVec::new();
    for x in program.vars.ids() {
        let mut name = plain(&program.name(x));
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        names.push(name);
    }
    names
}

fn plain(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.trim_end_matches(']').chars().map(kept).collect();
    match name.as_bytes().first() {
        Some(b) if b.is_ascii_digit() => format!("_{name}"),
        _ => name,
    }
}

/// The threads that touch each variable, memory by itself included.
fn users(program: &Program) -> IdVec<VarId, BTreeSet<ThreadId>> {
    let mut users: IdVec<VarId, BTreeSet<ThreadId>> =
        program.vars.iter().map(|_| BTreeSet::new()).collect();
    let own = program.threads.iter_enumerated();
    let own = own.flat_map(|(t, thread)| thread.steps.iter().map(move |s| (t, s)));
    for (t, s) in own.chain(program.flushes.iter().map(|(t, s)| (*t, s))) {
        for x in s.reads().into_iter().chain(s.updates.iter().map(|u| u.0)) {
            users[x].insert(t);
        }
    }
    users
}

impl Printer<'_> {
    fn name(&self, x: VarId) -> String {
        self.names[x].clone()
    }

    /// The thread that alone touches a variable.
    fn owner(&self, x: VarId) -> Option<ThreadId> {
        match (self.program.is_shared(x), self.users[x].len()) {
            (false, 1) => self.users[x].first().copied(),
            _ => None,
        }
    }

    /// A variable of all threads.
    fn is_global(&self, x: VarId) -> bool {
        self.owner(x).is_none() && (self.program.is_shared(x) || !self.users[x].is_empty())
    }

    fn declaration(&self, x: VarId) -> String {
        let value = match self.program.vars[x].initial {
            Some(n) => n.to_string(),
            None => "__VERIFIER_nondet_int()".into(),
        };
        format!("int {} = {value};\n", self.names[x])
    }

    fn program(&self) -> String {
        let mut out = String::from(
            "#include <assert.h>\n#include <pthread.h>\n\
             extern int __VERIFIER_nondet_int(void);\n\
             extern void __VERIFIER_assume(int);\n\
             extern void __VERIFIER_atomic_begin(void);\n\
             extern void __VERIFIER_atomic_end(void);\n\n",
        );
        let program = self.program;
        for x in program.vars.ids().filter(|x| self.is_global(*x)) {
            match program.vars[x].initial {
                Some(_) => out += &self.declaration(x),
                None => {
                    let _ = writeln!(out, "int {};", self.names[x]);
                }
            }
        }
        for (t, thread) in program.threads.iter_enumerated().skip(1) {
            let _ = writeln!(
                out,
                "\nvoid *thread_{}(void *unused) {{",
                plain(&thread.name)
            );
            self.thread(&mut out, t);
            out += "    return 0;\n}\n";
        }
        out += "\nint main(void) {\n";
        for t in program.threads.iter().skip(1) {
            let _ = writeln!(out, "    pthread_t handle_{};", plain(&t.name));
        }
        for x in program.vars.ids() {
            if self.is_global(x) && program.vars[x].initial.is_none() {
                let _ = writeln!(out, "    {} = __VERIFIER_nondet_int();", self.names[x]);
            }
        }
        self.thread(&mut out, ThreadId(0));
        out += "    return 0;\n}\n";
        out
    }

    fn thread(&self, out: &mut String, t: ThreadId) {
        let thread = &self.program.threads[t];
        for x in self.program.vars.ids() {
            if self.owner(x) == Some(t) {
                let _ = write!(out, "    {}", self.declaration(x));
            }
        }
        out.push_str("    int choice;\n");
        let targets: BTreeSet<LocId> = thread.steps.iter().map(|s| s.to).collect();
        for (l, location) in thread.locations.iter_enumerated() {
            let steps: Vec<&Step> = thread.steps.iter().filter(|s| s.from == l).collect();
            if steps.is_empty() && l != thread.end {
                continue;
            }
            if targets.contains(&l) {
                let _ = writeln!(out, "{l}:;");
            }
            if !location.atomic {
                self.flushes(out, t);
            }
            if l == thread.end {
                let _ = writeln!(out, "    goto done;");
                continue;
            }
            if steps.len() > 1 {
                let _ = writeln!(out, "    choice = __VERIFIER_nondet_int();");
            }
            for (i, step) in steps.iter().enumerate() {
                let when = match i + 1 < steps.len() {
                    true => format!("if (choice == {i}) "),
                    false => String::new(),
                };
                let _ = writeln!(out, "    {when}{{");
                self.step(out, thread, step);
                let _ = writeln!(out, "    }}");
            }
        }
        // Where nothing follows, the thread stays.
        let _ = writeln!(out, "    __VERIFIER_assume(0);\ndone:;");
    }

    fn step(&self, out: &mut String, thread: &Thread, step: &Step) {
        let name = |x: VarId| self.name(x);
        let (from, to) = (thread.locations[step.from], thread.locations[step.to]);
        let line = |out: &mut String, text: &str| {
            let _ = writeln!(out, "        {text}");
        };
        match &step.effect {
            Effect::Join(t) => {
                let handle = plain(&self.program.threads[*t].name);
                line(out, &format!("pthread_join(handle_{handle}, 0);"));
            }
            Effect::Spawn(_)
            | Effect::None
            | Effect::Fence(_)
            | Effect::Rmw(_)
            | Effect::Fail(_) => {}
        }
        if !from.atomic {
            line(out, "__VERIFIER_atomic_begin();");
        }
        let guard = step.guard.show(&name);
        if guard != "1" {
            line(out, &format!("__VERIFIER_assume({guard});"));
        }
        if let Effect::Fail(failure) = &step.effect {
            let text = failure.text().replace(['\\', '"', '\n'], "'");
            line(out, &format!("assert(!\"{text}\");"));
        }
        self.updates(out, step, "        ");
        let leaves = !to.atomic || !thread.steps.iter().any(|s| s.from == step.to);
        if leaves {
            line(out, "__VERIFIER_atomic_end();");
        }
        if let Effect::Spawn(t) = &step.effect {
            let name = plain(&self.program.threads[*t].name);
            let call = format!("pthread_create(&handle_{name}, 0, thread_{name}, 0);");
            line(out, &call);
        }
        match thread.steps.iter().any(|s| s.from == step.to) || step.to == thread.end {
            true => line(out, &format!("goto {};", step.to)),
            false => line(out, "__VERIFIER_assume(0);"),
        }
    }

    /// All at once: values first, then variables.
    fn updates(&self, out: &mut String, step: &Step, indent: &str) {
        let name = |x: VarId| self.name(x);
        let value = |u: &Update| match u {
            Update::Set(v) => v.show(&name),
            Update::Any => "__VERIFIER_nondet_int()".into(),
        };
        if let [(x, u)] = &step.updates[..] {
            let _ = writeln!(out, "{indent}{} = {};", self.names[*x], value(u));
            return;
        }
        for (i, (_, u)) in step.updates.iter().enumerate() {
            let _ = writeln!(out, "{indent}int new_{i} = {};", value(u));
        }
        for (i, (x, _)) in step.updates.iter().enumerate() {
            let _ = writeln!(out, "{indent}{} = new_{i};", self.names[*x]);
        }
    }

    /// Chances for each entry of a thread's buffers to go to memory.
    fn flushes(&self, out: &mut String, t: ThreadId) {
        let flushes = self.program.flushes.iter();
        let own: Vec<&Step> = flushes.filter(|(o, _)| *o == t).map(|(_, s)| s).collect();
        let buffers = self.program.buffers.iter().filter(|b| b.thread == t);
        let chances: usize = buffers.map(|b| b.cells.len()).sum();
        for _ in 0..chances {
            let _ = writeln!(out, "    choice = __VERIFIER_nondet_int();");
            let _ = writeln!(out, "    __VERIFIER_atomic_begin();");
            for (i, step) in own.iter().enumerate() {
                let guard = step.guard.show(&|x| self.name(x));
                let or = if i > 0 { "else " } else { "" };
                let _ = writeln!(out, "    {or}if (choice == {i} && {guard}) {{");
                self.updates(out, step, "        ");
                let _ = writeln!(out, "    }}");
            }
            let _ = writeln!(out, "    __VERIFIER_atomic_end();");
        }
    }
}

/// A Boolean program.
pub fn boolean(sources: &SourceMap, program: &Program, boolean: &BooleanProgram) -> String {
    let mut out = String::new();
    for (i, p) in boolean.predicates.iter().enumerate() {
        let _ = writeln!(out, "b{i}: {}", p.text);
    }
    let _ = writeln!(out, "initially {}", cube(boolean.initial));
    for (t, thread) in program.threads.iter_enumerated() {
        let _ = writeln!(out, "\nthread {}", thread.name);
        for (i, step) in thread.steps.iter().enumerate() {
            let place = sources.location(step.span);
            let end = if step.to == thread.end { " (end)" } else { "" };
            let _ = writeln!(out, "  {} -> {}{end}  {place}", step.from, step.to);
            let name = |x: VarId| program.name(x);
            let _ = writeln!(out, "    // {}", concrete(step, &name));
            one(&mut out, &boolean.steps[&Move::Thread(t, i)], step);
        }
    }
    for (i, (t, step)) in program.flushes.iter().enumerate() {
        let _ = writeln!(out, "\nflush of {}", program.threads[*t].name);
        let _ = writeln!(out, "    // {}", concrete(step, &|x| program.name(x)));
        one(&mut out, &boolean.steps[&Move::Flush(i)], step);
    }
    for (i, step) in program.invariants.iter().enumerate() {
        let _ = writeln!(out, "\ninvariant");
        one(&mut out, &boolean.steps[&Move::Invariant(i)], step);
    }
    out
}

/// A guarded command on a line.
pub fn concrete(step: &Step, name: &dyn Fn(VarId) -> String) -> String {
    let mut parts = vec![format!("[{}]", step.guard.show(name))];
    for (x, u) in &step.updates {
        let value = match u {
            Update::Set(v) => Linear::show(v, name),
            Update::Any => "any".into(),
        };
        parts.push(format!("{} := {value}", name(*x)));
    }
    match &step.effect {
        Effect::None | Effect::Rmw(_) => {}
        Effect::Fence(_) => parts.push("fence".into()),
        Effect::Spawn(t) => parts.push(format!("start t{}", t.index())),
        Effect::Join(t) => parts.push(format!("join t{}", t.index())),
        Effect::Fail(failure) => parts.push(format!("fail \"{}\"", failure.text())),
    }
    parts.join("; ")
}

fn one(out: &mut String, step: &BooleanStep, concrete: &Step) {
    for c in &step.blocked {
        let _ = writeln!(out, "    assume !({})", cube(*c));
    }
    for e in &step.effects {
        let keeps = if e.keeps { " if unknown" } else { "" };
        let (yes, no) = (cubes(&e.yes), cubes(&e.no));
        let _ = writeln!(out, "    b{} := choose({yes}, {no}){keeps}", e.predicate);
    }
    if let Effect::Fail(failure) = &concrete.effect {
        let _ = writeln!(out, "    fail \"{}\"", failure.text());
    }
}

fn cubes(cubes: &[Cube]) -> String {
    match cubes {
        [] => "0".into(),
        cubes => cubes
            .iter()
            .map(|c| cube(*c))
            .collect::<Vec<_>>()
            .join(" | "),
    }
}

fn cube(cube: Cube) -> String {
    let literals = (0..128).filter(|i| cube.mask >> i & 1 == 1).map(|i| {
        let not = if cube.value >> i & 1 == 1 { "" } else { "!" };
        format!("{not}b{i}")
    });
    match cube.mask {
        0 => "1".into(),
        _ => literals.collect::<Vec<_>>().join(" & "),
    }
}

//! How values, places, threads and events are named, and the sentences of a weak execution.

use crate::check::loops::{Extent, Loop};
use crate::check::outcome::{
    Counterexample, CycleEdge, EdgeKind, PropertyStatus, Shown, Step, StepKind, Trace,
    TraceArguments, UnknownReason,
};
use base::source::{SourceMap, Span};
use ir::program::{Fence, MemoryOrder, PropertyKind, Role, mask, sign_extend};
use ir::program::{FenceTag, Lifetime};

/// A number as people expect it: decimal, signed when it looks like a small negative number, and
/// hexadecimal when it is so large that only its bits can mean something (a pointer, a mask).
pub fn value(value: u64, width: u8) -> String {
    let value = value & mask(width);
    let signed = sign_extend(value, width);
    let small = if width < 16 { -16 } else { -4096 };
    if (small..0).contains(&signed) {
        signed.to_string()
    } else if value < 1 << 24 {
        value.to_string()
    } else {
        format!("{value:#x}")
    }
}

/// What an event has read or written, as its type has it.
pub fn step_value(step: &Step) -> String {
    match (&step.shown, step.width) {
        // As few digits as tell the number from the others of its width.
        (Shown::Float, 32) => decimal(f32::from_bits(step.value as u32)),
        (Shown::Float, 64) => decimal(f64::from_bits(step.value)),
        (Shown::Address(_), _) if step.value == 0 => "NULL".to_string(),
        (Shown::Address(Some(name)), _) => name.clone(),
        _ => value(step.value, step.width),
    }
}

/// `0.5`, `1e300`, `-inf`, `nan`.
fn decimal(number: impl std::fmt::Debug) -> String {
    format!("{number:?}").to_lowercase()
}

/// What a program was checked with that looks at its arguments.
pub const BOUNDED_ARGUMENTS: &str = "for argc up to 4, and arguments, environment variables and lines of up to 8 characters; --args gives other arguments";

/// `argc = 2, argv[1] = "x"`: what a program is called with, as far as it looks at that.
pub fn arguments(arguments: &TraceArguments) -> String {
    let mut parts = vec![format!("argc = {}", value(arguments.count, 32))];
    let texts = arguments.texts.iter();
    parts.extend(texts.map(|(i, text)| format!("argv[{i}] = \"{}\"", text.escape_ascii())));
    parts.join(", ")
}

/// `1 thread`, `2 threads`: so many of something.
pub fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// `prog.c:14`: the file without its directories, and the line.
pub fn place(sources: &SourceMap, span: Span) -> String {
    let name = &sources.file(span.file).name;
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    format!("{base}:{}", sources.line_col(span.file, span.start).line)
}

/// `main`, `thread 2`.
pub fn thread(index: usize) -> String {
    if index == 0 {
        "main".to_string()
    } else {
        format!("thread {index}")
    }
}

/// A memory order as C writes it, without its prefix.
pub fn order(order: MemoryOrder) -> &'static str {
    match order {
        MemoryOrder::Plain | MemoryOrder::Bytes => "plain",
        MemoryOrder::Volatile => "volatile",
        MemoryOrder::Relaxed => "relaxed",
        MemoryOrder::Acquire => "acquire",
        MemoryOrder::Release => "release",
        MemoryOrder::AcqRel => "acq_rel",
        MemoryOrder::SeqCst => "seq_cst",
        MemoryOrder::Locked => "locked",
        MemoryOrder::Annotated(annotation) => annotation.name,
        MemoryOrder::Library(_) => "library",
    }
}

/// A kind of property as a person counts its violations.
pub fn properties(kind: PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Assertion => "assertions",
        PropertyKind::Memory => "memory",
        PropertyKind::Misuse => "misuse",
        PropertyKind::Race => "races",
        PropertyKind::Leak => "leaks",
        PropertyKind::Uninitialised => "uninitialised values",
        PropertyKind::Robust => "robustness",
        PropertyKind::Linearizable => "linearizability",
        PropertyKind::Sequential => "sequential consistency of calls",
        PropertyKind::Quiescent => "quiescent consistency of calls",
        PropertyKind::Overflow => "overflows",
        PropertyKind::DivisionByZero => "divisions by zero",
        PropertyKind::Deadlock => "deadlocks",
        PropertyKind::Termination => "termination",
    }
}

/// What holds for a kind of property.
pub fn status(status: PropertyStatus) -> &'static str {
    match status {
        PropertyStatus::Holds => "holds",
        PropertyStatus::HoldsUpToBound => "holds up to the bound",
        PropertyStatus::Violated => "violated",
        PropertyStatus::Unknown => "unknown",
    }
}

/// How far a loop is unwound.
pub fn extent(l: &Loop) -> String {
    let times = if l.recursive { "deep" } else { "iterations" };
    match l.extent {
        Extent::Unreached => "not reached".to_string(),
        Extent::Await => "await: iterations that change nothing are left out".to_string(),
        Extent::Bounded(most) => format!("ends by itself, at most {most} {times}"),
        Extent::BoundReached(bound) => format!("reaches its bound of {bound}"),
    }
}

/// A fence as the program or its compilation has it.
pub fn fence(tag: FenceTag) -> String {
    match tag {
        FenceTag::Explicit(fence) => explicit_fence(fence),
        FenceTag::BeforeLoad(o) => format!("fence before the {} load", order(o)),
        FenceTag::AfterLoad(o) => format!("fence after the {} load", order(o)),
        FenceTag::BeforeStore(o) => format!("fence before the {} store", order(o)),
        FenceTag::AfterStore(o) => format!("fence after the {} store", order(o)),
        FenceTag::BeforeRmw(o) => format!("fence before the {} update", order(o)),
        FenceTag::AfterRmw(o) => format!("fence after the {} update", order(o)),
        FenceTag::Group => "end of an atomic section".to_string(),
    }
}

fn explicit_fence(fence: Fence) -> String {
    match fence {
        Fence::Mfence => "mfence".to_string(),
        Fence::Sfence => "sfence".to_string(),
        Fence::Lfence => "lfence".to_string(),
        Fence::Sync => "sync".to_string(),
        Fence::Lwsync => "lwsync".to_string(),
        Fence::Isync => "isync".to_string(),
        Fence::Eieio => "eieio".to_string(),
        Fence::Membar {
            load_load,
            load_store,
            store_load,
            store_store,
        } => {
            let flags = [
                (load_load, "#LoadLoad"),
                (load_store, "#LoadStore"),
                (store_load, "#StoreLoad"),
                (store_store, "#StoreStore"),
            ];
            let named: Vec<&str> = flags
                .iter()
                .filter(|(on, _)| *on)
                .map(|(_, name)| *name)
                .collect();
            format!("membar {}", named.join("|"))
        }
        Fence::C11(o) => format!("atomic_thread_fence({})", order(o)),
        Fence::Posix => "POSIX synchronization".to_string(),
        Fence::Annotated(sets) => sets.join(" ").to_lowercase(),
    }
}

/// True for the events a person wrote: accesses and fences, not what POSIX or C11 add around
/// them, not what a client does to observe its calls, and not the initial values.
pub fn is_written(step: &Step) -> bool {
    match step.kind {
        _ if step.observes => false,
        StepKind::Init => false,
        StepKind::Read | StepKind::Write | StepKind::Lifetime(_) => true,
        StepKind::Fence(tag) => matches!(tag, FenceTag::Explicit(f) if f != Fence::Posix),
    }
}

/// What an event did: `x := 1`, `y = 0`, `mfence`, with its memory order when it has one.
pub fn action(step: &Step) -> String {
    let value = || step_value(step);
    let access = match step.kind {
        StepKind::Fence(tag) => return fence(tag),
        StepKind::Lifetime(Lifetime::Begin) => return format!("{} begins", step.cell),
        StepKind::Lifetime(Lifetime::End) => return format!("{} ends", step.cell),
        StepKind::Lifetime(Lifetime::Free) => return format!("{} freed", step.cell),
        StepKind::Read => format!("{} = {}", step.cell, value()),
        StepKind::Init | StepKind::Write => format!("{} := {}", step.cell, value()),
    };
    match (step.order, step.rmw) {
        (MemoryOrder::Plain | MemoryOrder::Bytes, false) => access,
        (MemoryOrder::Plain, true) => format!("{access}  update"),
        (o, false) => format!("{access}  {}", order(o)),
        (o, true) => format!("{access}  {} update", order(o)),
    }
}

/// True for an access to what an object of the library has inside: `mutex.__state`.
pub fn is_internal(step: &Step) -> bool {
    library_object(step).is_some()
}

/// The object of the library that a step accesses the inside of.
fn library_object(step: &Step) -> Option<&str> {
    // What mutexes, conditions, barriers, semaphores and reader locks consist of in our headers.
    const MEMBERS: [&str; 10] = [
        "__state",
        "__count",
        "__arrived",
        "__generation",
        "__value",
        "__kind",
        "__again",
        "__bound",
        "__word1",
        "__word2",
    ];
    let (object, member) = step.cell.rsplit_once('.')?;
    MEMBERS.contains(&member).then_some(object)
}

/// Two steps of a thread are parts of what one call of the library does to one of its objects. That
/// ends with a write, and no part of it comes twice.
pub fn is_same_call(a: &Step, b: &Step) -> bool {
    let object = library_object(a);
    a.span == b.span
        && object.is_some()
        && object == library_object(b)
        && a.kind != StepKind::Write
        && (a.kind, a.order, a.rmw, &a.cell) != (b.kind, b.order, b.rmw, &b.cell)
}

/// `lock mutex`: a call of the library by its parts, and which other thread it has met.
pub fn call(sources: &SourceMap, trace: &Trace, parts: &[&Step]) -> String {
    let object = parts.last().and_then(|s| library_object(s)).unwrap_or("");
    let text = sources.snippet(parts[0].span).trim_start();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let writes = parts.iter().any(|s| s.kind == StepKind::Write);
    let name = &text[..text.find(|c| !is_name(c)).unwrap_or(text.len())];
    let name = name.to_ascii_lowercase();
    let has = |role: Role| parts.iter().any(|s| s.order == MemoryOrder::Library(role));
    let (verb, without) = match operation(name.strip_prefix("pthread_").unwrap_or(&name)) {
        // It unlocks the mutex and locks it again.
        ("wait for", _) if has(Role::Lock) => operation("mutex_lock"),
        ("wait for", _) if has(Role::Release) && writes => operation("mutex_unlock"),
        of_call => of_call,
    };
    let mut out = match without {
        Some(without) if !writes => format!("{verb} {object}: {without}"),
        _ => format!("{verb} {object}"),
    };
    let met = parts.iter().rev().find_map(|s| {
        let by = trace.steps.get(s.from?)?;
        (by.thread.is_some() && by.thread != s.thread).then_some(by)
    });
    if let Some((by, index)) = met.and_then(|by| Some((by, by.thread?))) {
        out += &format!("  after {}, {}", thread(index), place(sources, by.span));
    }
    out
}

/// The function of the library that is given in C and has this place: `strcpy`.
pub fn library_function(sources: &SourceMap, span: Span) -> Option<&str> {
    if !sources.file(span.file).name.starts_with("<library") {
        return None;
    }
    let before = &sources.file(span.file).text[..span.start as usize];
    let is_head =
        |line: &&str| line.starts_with(|c: char| c.is_ascii_alphabetic()) && line.contains('(');
    let head = before.lines().rfind(is_head)?;
    let name = head[..head.find('(')?].trim_end();
    let start = name.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    Some(&name[start.map_or(0, |at| at + 1)..])
}

/// `strcpy: reads a[0] .. a[3], writes b[0] .. b[3]`: steps of one function of the library.
pub fn library_steps(sources: &SourceMap, trace: &Trace, steps: &[&Step]) -> String {
    let cells = |kind: StepKind| {
        let mut cells = Vec::new();
        for step in steps.iter().filter(|s| s.kind == kind) {
            if !cells.contains(&&step.cell[..]) {
                cells.push(&step.cell[..]);
            }
        }
        match cells[..] {
            [] => None,
            [one] => Some(one.to_string()),
            [first, .., last] => Some(format!("{first} .. {last}")),
        }
    };
    let reads = cells(StepKind::Read).map(|cells| format!("reads {cells}"));
    let writes = cells(StepKind::Write).map(|cells| format!("writes {cells}"));
    let done: Vec<String> = reads.into_iter().chain(writes).collect();
    let mut others: Vec<usize> = Vec::new();
    for step in steps {
        let by = step.from.and_then(|from| trace.steps[from].thread);
        others.extend(by.filter(|by| Some(*by) != step.thread && !others.contains(by)));
    }
    let others: Vec<String> = others.into_iter().map(thread).collect();
    let from = match others.is_empty() {
        true => String::new(),
        false => format!("  from {}", others.join(", ")),
    };
    let function = library_function(sources, steps[0].span).unwrap_or_default();
    format!("{function}: {}{from}", done.join(", "))
}

/// What a function of the library does, named without its prefix, as wrappers of it are often named;
/// and what it means that it writes nothing.
fn operation(function: &str) -> (&str, Option<&'static str>) {
    const WAITS: Option<&str> = Some("waits");
    const FAILS: Option<&str> = Some("fails");
    match function {
        "mutex_lock" | "mtx_lock" | "spin_lock" => ("lock", WAITS),
        "mutex_trylock" | "mtx_trylock" | "spin_trylock" => ("try to lock", FAILS),
        "mutex_timedlock" | "mutex_clocklock" | "mtx_timedlock" => ("lock in time", FAILS),
        "mutex_unlock" | "mtx_unlock" | "spin_unlock" | "rwlock_unlock" => ("unlock", None),
        "rwlock_rdlock" => ("lock for reading", WAITS),
        "rwlock_wrlock" => ("lock for writing", WAITS),
        "rwlock_timedrdlock" | "rwlock_clockrdlock" => ("lock for reading in time", FAILS),
        "rwlock_timedwrlock" | "rwlock_clockwrlock" => ("lock for writing in time", FAILS),
        "rwlock_tryrdlock" => ("try to lock for reading", FAILS),
        "rwlock_trywrlock" => ("try to lock for writing", FAILS),
        "cond_wait" | "cnd_wait" | "cond_timedwait" | "cnd_timedwait" => ("wait for", None),
        "cond_signal" | "cnd_signal" => ("signal", None),
        "cond_broadcast" | "cnd_broadcast" => ("broadcast", None),
        "barrier_wait" => ("wait at", None),
        "sem_wait" => ("take", WAITS),
        "sem_trywait" => ("try to take", FAILS),
        "sem_timedwait" | "sem_clockwait" => ("take in time", FAILS),
        "sem_post" => ("post", None),
        "" => ("use", None),
        other => (other, None),
    }
}

/// Why there is no verdict, in one line.
pub fn unknown(reason: &UnknownReason) -> String {
    match reason {
        UnknownReason::Unsupported(places) => match places.as_slice() {
            [] => "an unsupported construct is reachable".to_string(),
            [(text, _)] => text.clone(),
            [(text, _), rest @ ..] => format!("{text} (and {} more)", rest.len()),
        },
        UnknownReason::Timeout(seconds) => format!("no answer within {seconds} s"),
        UnknownReason::Interrupted => "interrupted".to_string(),
        UnknownReason::NoEnd(_) => "no execution ends".to_string(),
        UnknownReason::NotCertified(why) => format!("no violation found, but not certified: {why}"),
        UnknownReason::Memory(mb) => format!("the memory limit of {mb} MiB is reached"),
    }
}

/// What a counterexample shows the violation of, in a few words.
pub fn violation(found: &Counterexample) -> String {
    let cause = found.cause.as_ref();
    cause.unwrap_or(&found.property.text).clone()
}

/// Where a read got its value: `from thread 2, prog.c:14`, `from the initial value`.
pub fn origin(sources: &SourceMap, trace: &Trace, step: &Step) -> Option<String> {
    let from = trace.steps.get(step.from?)?;
    Some(match from.thread {
        Some(index) if step.thread != from.thread => {
            format!("from {}, {}", thread(index), place(sources, from.span))
        }
        Some(_) => format!("from its own write, {}", place(sources, from.span)),
        None => "from the initial value".to_string(),
    })
}

/// `y = 0  from the initial value`: what an event did, and for a read where its value came from.
pub fn step(sources: &SourceMap, trace: &Trace, step: &Step) -> String {
    let action = action(step);
    match origin(sources, trace, step) {
        Some(origin) => format!("{action}  {origin}"),
        None => action,
    }
}

/// `store x (prog.c:9)`, `load y (prog.c:10)`.
fn access(sources: &SourceMap, step: &Step) -> String {
    let verb = match step.kind {
        StepKind::Read => "load",
        StepKind::Init | StepKind::Write => "store",
        StepKind::Lifetime(Lifetime::Begin) => "beginning of",
        StepKind::Lifetime(Lifetime::End) => "end of",
        StepKind::Lifetime(Lifetime::Free) => "free",
        StepKind::Fence(_) => "fence",
    };
    format!("{verb} {} ({})", step.cell, place(sources, step.span))
}

/// The sentences that make an execution weak: one for each edge of its cycle that the model does
/// not preserve. What a thread does out of order explains more than a communication that not every
/// thread sees, so the latter is only reported when there is nothing else to report.
pub fn weakness(sources: &SourceMap, trace: &Trace) -> Vec<String> {
    let Some(weak) = &trace.weak else {
        return Vec::new();
    };
    let relaxed_edges = |wanted: fn(EdgeKind) -> bool| -> Vec<String> {
        let edges = weak.cycle.iter().filter(|e| e.relaxed && wanted(e.kind));
        edges
            .map(|e| relaxed(sources, trace, &weak.cycle, e))
            .collect()
    };
    let local = relaxed_edges(|kind| matches!(kind, EdgeKind::Po | EdgeKind::Rf));
    if local.is_empty() {
        relaxed_edges(|_| true)
    } else {
        local
    }
}

fn relaxed(sources: &SourceMap, trace: &Trace, cycle: &[CycleEdge], edge: &CycleEdge) -> String {
    let (from, to) = (&trace.steps[edge.from], &trace.steps[edge.to]);
    let (first, second) = (access(sources, from), access(sources, to));
    match edge.kind {
        EdgeKind::Rf if from.thread == to.thread => {
            let who = to.thread.map_or("a thread".to_string(), thread);
            format!("{who} reads its own {first} before other threads see it")
        }
        EdgeKind::Rf => {
            let who = to.thread.map_or("a thread".to_string(), thread);
            match late_observer(trace, cycle, edge) {
                Some(late) => format!("{who} sees {first} before {late} does"),
                None => format!("{who} sees {first} before other threads do"),
            }
        }
        EdgeKind::Fr => {
            let who = from.thread.map_or("a thread".to_string(), thread);
            format!("{who} does not see {second} yet at {first}, although other threads do")
        }
        EdgeKind::Co => {
            format!("{first} reaches memory before {second}, but not every thread sees that")
        }
        EdgeKind::Po => match (from.kind, to.kind) {
            (StepKind::Write, StepKind::Read) => {
                format!("{first} is still buffered when {second} runs")
            }
            (StepKind::Write, StepKind::Write) => {
                format!("{second} becomes visible before {first}")
            }
            _ => format!("{second} is performed before {first}"),
        },
    }
}

/// The thread that does not see the write of a relaxed read-from yet: it reads, on the cycle, an
/// older value of the same cell.
fn late_observer(trace: &Trace, cycle: &[CycleEdge], edge: &CycleEdge) -> Option<String> {
    let cell = &trace.steps[edge.from].cell;
    let seen_by = trace.steps[edge.to].thread;
    let late = cycle
        .iter()
        .filter(|e| e.kind == EdgeKind::Fr)
        .map(|e| &trace.steps[e.from]);
    late.filter(|s| s.cell == *cell && s.thread != seen_by)
        .find_map(|s| s.thread)
        .map(thread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn values_are_printed_as_people_expect_them() {
        assert_eq!(value(42, 32), "42");
        assert_eq!(value(0xffff_ffff, 32), "-1");
        assert_eq!(value(0xff, 8), "-1");
        assert_eq!(value(0x80, 8), "128");
        assert_eq!(value(0xffff_ffff_ffff_fffe, 64), "-2");
        assert_eq!(value(0x3_0000_0000, 64), "0x300000000");
        assert_eq!(value(0xdead_beef, 32), "0xdeadbeef");
    }

    #[test]
    fn floating_point_numbers_are_printed_as_such() {
        let (_, outcome) = sample::store_buffering();
        let step = sample::trace(&outcome).steps[0].clone();
        let shown = |value: u64, width: u8| {
            step_value(&Step {
                value,
                width,
                shown: Shown::Float,
                ..step.clone()
            })
        };
        assert_eq!(shown(0.5f64.to_bits(), 64), "0.5");
        assert_eq!(shown(u64::from(0.1f32.to_bits()), 32), "0.1");
        assert_eq!(shown((-3f64).to_bits(), 64), "-3.0");
        assert_eq!(shown(f64::NEG_INFINITY.to_bits(), 64), "-inf");
        assert_eq!(shown(f64::NAN.to_bits(), 64), "nan");
    }

    #[test]
    fn a_buffered_store_is_explained() {
        let (sources, outcome) = sample::store_buffering();
        let trace = sample::trace(&outcome);
        assert_eq!(
            weakness(&sources, trace),
            [
                "store x (sb.c:4) is still buffered when load y (sb.c:5) runs",
                "store y (sb.c:8) is still buffered when load x (sb.c:9) runs",
            ]
        );
    }

    #[test]
    fn a_store_that_is_not_atomic_names_who_sees_it_late() {
        let (sources, outcome) = sample::store_buffering();
        let mut trace = sample::trace(&outcome).clone();
        trace.steps[4].thread = Some(3);
        let weak = trace.weak.as_mut().expect("the sample is weak");
        weak.cycle[0] = CycleEdge {
            from: 2,
            to: 4,
            kind: EdgeKind::Rf,
            relaxed: true,
        };
        weak.cycle[1].relaxed = false;
        weak.cycle[2].relaxed = false;
        let text = weakness(&sources, &trace);
        assert_eq!(
            text,
            ["thread 3 sees store x (sb.c:4) before thread 2 does"]
        );
    }
}

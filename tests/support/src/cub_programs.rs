//! Random systems with a fixed number of processes: straight lines and branches of reads, writes,
//! fences, read-modify-writes, atomic groups, arrays, universal guards, nondeterminism, and unsafe
//! formulas with reads.

use crate::Random;
use wmbmc::base::source::SourceMap;
use wmbmc::systems::concrete::{ExplorationLimits, ExplorationResult, Machine, explore};
use wmbmc::systems::cub;
use wmbmc::systems::system::{MemorySemantics, StoreOrder, System, resolve};

/// A weak cell as a program names it.
fn weak(random: &mut Random) -> &'static str {
    random.pick(&["X", "Y", "X", "Y", "A[p]", "A[q]", "Z"])
}

/// The updates and guard of one instruction.
fn instruction(random: &mut Random, int: bool) -> (String, String) {
    let value = |random: &mut Random| {
        if int {
            random.pick(&["0", "1", "2"])
        } else {
            random.pick(&["V0", "V1", "V2"])
        }
    };
    let (x, v) = (weak(random), value(random));
    let mut guard = String::new();
    let update = match random.below(14) {
        0..=2 => format!("{x} := {v}"),
        3 | 4 => format!("R[p] := {x}"),
        5 => {
            guard = "fence()".into();
            if random.one_in(2) {
                format!("{x} := {v}")
            } else {
                String::new()
            }
        }
        6 => {
            guard = format!("{x} {} {v}", random.pick(&["=", "<>"]));
            String::new()
        }
        7 => {
            guard = format!("{x} = {v}");
            format!("{} := {}", weak(random), value(random))
        }
        8 if int => format!("{x} := {x} + 1; R[p] := {x}"),
        8 => format!("R[p] := {x}; {x} := {v}"),
        9 => format!("{x} := R[p]"),
        10 => {
            let other = if x == "X" { "Y" } else { "X" };
            if random.one_in(2) {
                format!("{x} := {v}; {other} := {}", value(random))
            } else {
                guard = format!(
                    "{x} = {v} && {other} {} {}",
                    random.pick(&["=", "<>"]),
                    value(random)
                );
                String::new()
            }
        }
        11 => {
            guard = format!(
                "{}(forall_other o. A[o] {} {v})",
                random.pick(&["", "fence() && "]),
                random.pick(&["=", "<>"])
            );
            String::new()
        }
        12 => format!("A[k] := case | k = p : {v} | _ : {}", value(random)),
        _ => match random.below(3) {
            0 => format!("Z := case | R[p] = {v} : {}", value(random)),
            1 if !int => format!("{} := ?", random.pick(&["X", "R[p]"])),
            _ => {
                guard = format!("R[p] {} {v}", random.pick(&["=", "<>"]));
                String::new()
            }
        },
    };
    (guard, update)
}

/// A program of two or three processes.
pub fn program(random: &mut Random) -> String {
    let procs = 2 + random.below(2);
    let int = random.one_in(3);
    let shared = random.one_in(4);
    let (ty, zero) = if int { ("int", "0") } else { ("v", "V0") };
    let mut text = format!(
        "number_procs {procs}\ntype v = V0 | V1 | V2\ntype l = L0 | L1 | L2 | L3 | L4\n\
         array PC[proc] : l\narray R[proc] : {ty}\nweak var X : {ty}\nweak var Y : {ty}\n\
         weak var Z : {ty}\nweak array A[proc] : {ty}\n\
         init (p) {{ PC[p] = L0 && R[p] = {zero} && X = {zero} && Y = {zero} && Z = {zero} && A[p] = {zero} }}\n"
    );
    let mut ends = Vec::new();
    // When `shared`, all processes run the same code and no constant is named.
    for k in 1..=if shared { 1 } else { procs } {
        let len = 2 + random.below(if procs == 3 { 2 } else { 3 });
        for i in 0..len {
            let ways = if random.one_in(5) { 2 } else { 1 };
            for way in 0..ways {
                let (guard, update) = instruction(random, int);
                let both = format!("{guard} {update}");
                let q = if both.contains("A[q]") { " q" } else { "" };
                let mut all = vec![format!("PC[p] = L{i}")];
                if !shared {
                    all.push(format!("p = #{k}"));
                }
                if !guard.is_empty() {
                    all.push(guard);
                }
                let next = if way == 1 && random.one_in(2) {
                    len
                } else {
                    i + 1
                };
                let semi = if update.is_empty() { "" } else { "; " };
                text += &format!(
                    "transition t{k}_{i}_{way} ([p]{q}) requires {{ {} }} {{ {update}{semi}PC[p] := L{next} }}\n",
                    all.join(" && ")
                );
            }
        }
        ends.push(len);
    }
    let names = ["a", "b", "c"];
    let many = if shared { 2 } else { procs as usize };
    let mut parts = Vec::new();
    for (k, name) in names.iter().enumerate().take(many) {
        let end = ends[if shared { 0 } else { k }];
        parts.push(format!("PC[{name}] = L{end}"));
        if !shared {
            parts.push(format!("{name} = #{}", k + 1));
        }
        let v = if int {
            random.pick(&["0", "1", "2"])
        } else {
            random.pick(&["V0", "V1", "V2"])
        };
        match random.below(4) {
            0 => {}
            1 => parts.push(format!("{name}@{} = {v}", random.pick(&["X", "Y", "A[a]"]))),
            _ => parts.push(format!("R[{name}] {} {v}", random.pick(&["=", "=", "<>"]))),
        }
    }
    text + &format!(
        "unsafe ({}) {{ {} }}\n",
        names[..many].join(" "),
        parts.join(" && ")
    )
}

/// The system of a program that is right.
pub fn system(text: &str, memory: MemorySemantics) -> System {
    let mut sources = SourceMap::default();
    let file = sources.add("random.cub", text);
    let render = |ds: Vec<wmbmc::base::diag::Diag>| -> String {
        let all = ds.iter().map(|d| d.render(&sources, false));
        all.collect::<String>() + text
    };
    let system = cub::parse(&sources, file).and_then(|f| resolve(&f, memory));
    system.map_err(render).unwrap_or_else(|e| panic!("{e}"))
}

/// Systems whose processes all run the same code, however many there are.
pub fn systems_of_any_number(seed: u64, count: usize) -> Vec<String> {
    let mut random = Random::new(seed);
    let mut all = Vec::new();
    while all.len() < count {
        let text = program(&mut random);
        if !text.contains("= #") {
            let (_, rest) = text.split_once('\n').expect("it begins with number_procs");
            all.push(rest.to_string());
        }
    }
    all
}

/// Whether the machine with buffers comes to an unsafe state; `None` when there are too many states.
pub fn machine_finds(system: &System, procs: u8, order: StoreOrder, states: usize) -> Option<bool> {
    match shortest_run(system, procs, order, states) {
        ExplorationResult::Unsafe(_) => Some(true),
        ExplorationResult::Safe { complete, .. } => {
            assert!(complete, "all values are known");
            Some(false)
        }
        ExplorationResult::Limit => None,
    }
}

/// The shortest run of the machine with buffers to an unsafe state.
pub fn shortest_run(
    system: &System,
    procs: u8,
    order: StoreOrder,
    states: usize,
) -> ExplorationResult {
    let machine = Machine::new(system, procs, order, &[]);
    let limits = ExplorationLimits {
        states,
        queue: usize::MAX,
        until: None,
    };
    explore(&machine, limits)
}

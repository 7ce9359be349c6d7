//! Random systems with a fixed number of processes: straight lines and branches of reads, writes,
//! fences, read-modify-writes, atomic groups, arrays, universal guards, nondeterminism, and unsafe
//! formulas with reads.

use wmbmc::base::source::SourceMap;
use wmbmc::systems::cub;
use wmbmc::systems::system::{MemorySemantics, System, resolve};

/// A small generator of pseudo-random numbers (xorshift), the same everywhere.
pub struct Dice(pub u64);

impl Dice {
    /// A number below `sides`.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }

    /// One of them.
    pub fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len() as u64) as usize]
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.roll(n) == 0
    }
}

/// A weak cell as a program names it.
fn weak(d: &mut Dice) -> &'static str {
    d.pick(&["X", "Y", "X", "Y", "A[p]", "A[q]", "Z"])
}

/// The updates and guard of one instruction.
fn instruction(d: &mut Dice, int: bool) -> (String, String) {
    let value = |d: &mut Dice| {
        if int {
            d.pick(&["0", "1", "2"])
        } else {
            d.pick(&["V0", "V1", "V2"])
        }
    };
    let (x, v) = (weak(d), value(d));
    let mut guard = String::new();
    let update = match d.roll(14) {
        0..=2 => format!("{x} := {v}"),
        3 | 4 => format!("R[p] := {x}"),
        5 => {
            guard = "fence()".into();
            if d.one_in(2) {
                format!("{x} := {v}")
            } else {
                String::new()
            }
        }
        6 => {
            guard = format!("{x} {} {v}", d.pick(&["=", "<>"]));
            String::new()
        }
        7 => {
            guard = format!("{x} = {v}");
            format!("{} := {}", weak(d), value(d))
        }
        8 if int => format!("{x} := {x} + 1; R[p] := {x}"),
        8 => format!("R[p] := {x}; {x} := {v}"),
        9 => format!("{x} := R[p]"),
        10 => {
            let other = if x == "X" { "Y" } else { "X" };
            if d.one_in(2) {
                format!("{x} := {v}; {other} := {}", value(d))
            } else {
                guard = format!("{x} = {v} && {other} {} {}", d.pick(&["=", "<>"]), value(d));
                String::new()
            }
        }
        11 => {
            guard = format!(
                "{}(forall_other o. A[o] {} {v})",
                d.pick(&["", "fence() && "]),
                d.pick(&["=", "<>"])
            );
            String::new()
        }
        12 => format!("A[k] := case | k = p : {v} | _ : {}", value(d)),
        _ => match d.roll(3) {
            0 => format!("Z := case | R[p] = {v} : {}", value(d)),
            1 if !int => format!("{} := ?", d.pick(&["X", "R[p]"])),
            _ => {
                guard = format!("R[p] {} {v}", d.pick(&["=", "<>"]));
                String::new()
            }
        },
    };
    (guard, update)
}

/// A program of two or three processes.
pub fn program(d: &mut Dice) -> String {
    let procs = 2 + d.roll(2);
    let int = d.one_in(3);
    let shared = d.one_in(4);
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
        let len = 2 + d.roll(if procs == 3 { 2 } else { 3 });
        for i in 0..len {
            let ways = if d.one_in(5) { 2 } else { 1 };
            for way in 0..ways {
                let (guard, update) = instruction(d, int);
                let both = format!("{guard} {update}");
                let q = if both.contains("A[q]") { " q" } else { "" };
                let mut all = vec![format!("PC[p] = L{i}")];
                if !shared {
                    all.push(format!("p = #{k}"));
                }
                if !guard.is_empty() {
                    all.push(guard);
                }
                let next = if way == 1 && d.one_in(2) { len } else { i + 1 };
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
            d.pick(&["0", "1", "2"])
        } else {
            d.pick(&["V0", "V1", "V2"])
        };
        match d.roll(4) {
            0 => {}
            1 => parts.push(format!("{name}@{} = {v}", d.pick(&["X", "Y", "A[a]"]))),
            _ => parts.push(format!("R[{name}] {} {v}", d.pick(&["=", "=", "<>"]))),
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

//! Systems that do on weak memory what they do on stronger memory: random ones, against the machine with buffers.

use support::Random;
use support::cub_programs::{machine_finds, system};
use support::random::random_cases;
use wmbmc::driver::outcome::SystemVerdict;
use wmbmc::driver::{Input, Limits, Outcome, Session, SessionOptions};
use wmbmc::systems::system::{MemorySemantics, StoreOrder};

/// The steps of a way: what a transition requires besides its place, and what it updates.
type Steps = Vec<(&'static str, String)>;

/// A system of two processes, each of which takes one of two ways; what must not be speaks of what they have read at
/// their ends.
fn two_ways(ways: [Steps; 2], what: &str) -> String {
    let mut transitions = String::new();
    let mut places = vec!["Start".to_string()];
    let mut ends = Vec::new();
    for (way, steps) in ["A", "B"].iter().zip(ways) {
        let mut from = "Start".to_string();
        for (i, (guard, update)) in steps.iter().enumerate() {
            let to = format!("{way}{i}");
            let name = to.to_lowercase();
            let and = if guard.is_empty() { "" } else { "&&" };
            transitions += &format!(
                "transition {name} ([p]) requires {{ At[p] = {from} {and} {guard} }} {{ {update} At[p] := {to} }}\n"
            );
            places.push(to.clone());
            from = to;
        }
        ends.push(from);
    }
    format!(
        "number_procs 2
         type place = {}
         array At[proc] : place
         array R[proc] : int
         array S[proc] : int
         weak var X : int
         weak var Y : int
         weak var L : int
         init (p) {{ At[p] = Start && R[p] = 0 && S[p] = 0 && X = 0 && Y = 0 && L = 0 }}
         unsafe ends (p q) {{ At[p] = {} && At[q] = {} && {what} }}
         {transitions}",
        places.join(" | "),
        ends[0],
        ends[1]
    )
}

/// Loads, stores, fences and locked transitions: one way stores X and then looks at Y, the other one the other way
/// round.
fn accesses(random: &mut Random) -> String {
    let ways = [("X", "Y"), ("Y", "X")].map(|(own, other)| {
        let step = |(step, random): (u64, &mut Random)| match (step, random.below(9)) {
            (0, 0..=5) => ("", format!("{own} := 1;")),
            (_, 0) => ("", format!("{other} := 1;")),
            (_, 1) => ("", format!("S[p] := {own};")),
            (_, 2 | 3) => ("", format!("S[p] := {other};")),
            (_, 4 | 5) => ("", format!("R[p] := {other};")),
            (_, 6) => ("fence()", String::new()),
            (_, 7) => ("", format!("R[p] := {own}; {own} := 1;")),
            (_, _) => ("", "X := 1; Y := 1;".to_string()),
        };
        (0..2 + random.below(3))
            .map(|i| step((i, random)))
            .collect()
    });
    let what = random.pick(&[
        "R[p] = 0 && S[q] = 0",
        "S[p] = 0 && R[q] = 0",
        "R[p] = 1 && S[p] = 0",
        "S[p] = 1 && R[p] = 0",
        "R[q] = 1 && S[q] = 0",
    ]);
    two_ways(ways, what)
}

/// A lock that guards two variables, most of the time.
fn sections(random: &mut Random) -> String {
    let ways = [(); 2].map(|()| {
        let mut steps: Steps = Vec::new();
        let mut add = |guard, update: &str| steps.push((guard, update.to_string()));
        if !random.one_in(6) {
            add("L = 0", "L := 1;");
        }
        for _ in 0..2 + random.below(2) {
            let some = [
                "X := 1;",
                "Y := 1;",
                "R[p] := X;",
                "S[p] := Y;",
                "Y := 1; X := 1;",
            ];
            add("", random.pick(&some));
        }
        match random.below(8) {
            0 | 1 => {}
            2 => add("fence()", "X := 1; Y := 1;"),
            _ => add("fence()", ""),
        }
        add("", "L := 0;");
        add("fence()", "");
        steps
    });
    let what = random.pick(&[
        "R[p] = 0 && S[q] = 0",
        "R[p] = 1 && S[p] = 0",
        "S[q] = 1 && R[q] = 0",
    ]);
    two_ways(ways, what)
}

#[test]
fn what_needs_no_buffers_is_the_same_without() {
    let mut random = Random::new(0x5eed_0044);
    let (mut same, mut weaker, mut without_races) = (0, 0, 0);
    for i in 0..random_cases(600) {
        let text = match i % 2 {
            0 => accesses(&mut random),
            _ => sections(&mut random),
        };
        let system = system(&text, MemorySemantics::Buffered);
        for order in [StoreOrder::Tso, StoreOrder::Pso] {
            let found = system.strongest(order);
            let finds_in = |system, order| {
                machine_finds(system, 2, order, 100_000).expect("the systems are small")
            };
            let mut racy = system.clone();
            racy.unsafes = found.races;
            let has_races = !racy.unsafes.is_empty() && finds_in(&racy, found.order);
            let strongest = if has_races { order } else { found.order };
            let finds = |order| finds_in(&system, order);
            if strongest == order {
                weaker += u32::from(finds(order) != finds(StoreOrder::Sc));
            } else {
                same += 1;
                without_races += u32::from(!racy.unsafes.is_empty());
                let same = finds(order) == finds(strongest);
                assert!(same, "program {i} on {order:?}:\n{text}");
            }
        }
    }
    println!(
        "{same} systems need fewer buffers, {without_races} as they have no races; {weaker} do more with them"
    );
    assert!(same > 100 && without_races > 10 && weaker > 10);
}

/// What tells processes of each other by other means than memory is not reduced.
#[test]
fn properties_of_memory_need_buffers() {
    let text = |what: &str| {
        format!(
            "type place = Out | Stored | In
             array At[proc] : place
             weak var X : int
             init (p) {{ At[p] = Out && X = 0 }}
             unsafe wrong (p q) {{ At[p] = Stored && {what} }}
             transition stores ([p]) requires {{ At[p] = Out }} {{ X := 1; At[p] := Stored }}
             transition ends ([p]) requires {{ At[p] = Stored && fence() }} {{ At[p] := In }}"
        )
    };
    let strongest = |what: &str| {
        let system = system(&text(what), MemorySemantics::Buffered);
        system.strongest(StoreOrder::Tso).order
    };
    assert_eq!(strongest("At[q] = In"), StoreOrder::Sc);
    assert_eq!(strongest("q @ X = 0"), StoreOrder::Tso);
}

/// On SC a process may look at the registers of another one, which on memory with buffers it cannot.
#[test]
fn systems_of_flat_memory_alone_are_taken_on_sc() {
    let text = "type st = A | B | C
         array S[proc] : st
         weak var X : bool
         init (p) { S[p] = A && X = False }
         unsafe both (p q) { S[p] = C && S[q] = C }
         transition t ([p] q) requires { S[p] = A && S[q] = A && X = False } { S[q] := B }";
    let on = |model| {
        let input = Input::text("own.cub", text);
        let mut session = Session::read(&input, &SessionOptions::default()).expect("it reads");
        session.check(&support::builtin(model), Limits::seconds(30.0))
    };
    let found = on("sc").expect("it fits");
    let Outcome::System(found) = found else {
        panic!("it is a system");
    };
    assert!(matches!(found.verdict, SystemVerdict::Safe));
    let refused = on("tso").err().unwrap_or_else(|| panic!("it does not fit"));
    let refused = refused.to_string();
    assert!(
        refused.contains("only its own process's registers"),
        "{refused}"
    );
}

//! Orders of the search and guesses change how a verdict is found, never the verdict.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use support::{files, root};
use wmbmc::base::source::SourceMap;
use wmbmc::systems::answer::{Brab, SystemAnswer, answer, answer_on_events};
use wmbmc::systems::certificate::{check, read, write};
use wmbmc::systems::cub;
use wmbmc::systems::cube::Rules;
use wmbmc::systems::search::SearchOrder;
use wmbmc::systems::search::{Reason, SearchOptions, SearchVerdict, explore, search};
use wmbmc::systems::system::StoreOrder;
use wmbmc::systems::system::{MemorySemantics, System, resolve};
use wmbmc::systems::theory::SystemContext;

const ORDERS: [SearchOrder; 6] = [
    SearchOrder::Bfs,
    SearchOrder::Dfs,
    SearchOrder::Bfsh,
    SearchOrder::Dfsh,
    SearchOrder::Bfsa,
    SearchOrder::Dfsa,
];

/// Nodes that a search may visit.
const NODES: usize = 700;
/// The same for depth first search, which gets lost in large programs.
const FEW: usize = 120;

fn programs() -> Vec<PathBuf> {
    let files = files("benchmarks/parameterized", "cub");
    assert!(files.len() >= 20);
    files
}

fn system(path: &Path, memory: MemorySemantics) -> System {
    let mut sources = SourceMap::default();
    let id = sources.load(path).expect("the file is readable");
    let file = cub::parse(&sources, id).expect("it reads");
    resolve(&file, memory).expect("it is typed")
}

const MODELS: [(MemorySemantics, StoreOrder); 2] = [
    (MemorySemantics::Flat, StoreOrder::Sc),
    (MemorySemantics::Buffered, StoreOrder::Tso),
];

/// The verdict; proofs are checked.
fn verdict(
    system: &System,
    order: StoreOrder,
    options: &SearchOptions,
    brab: Brab,
) -> &'static str {
    match answer(system, order, options, brab) {
        SystemAnswer::Safe(search) => {
            if search.active.len() < 100 {
                let text = write(&search.context.system, "sc", search.certificate());
                let (extended, cubes) = read(system, &text).expect("what is written reads");
                let model = SystemContext::new(extended, system.procs);
                assert_eq!(check(&model, (), &cubes), Ok(()));
            }
            "SAFE"
        }
        SystemAnswer::Unsafe { .. } => "UNSAFE",
        SystemAnswer::Unknown(..) => "UNKNOWN",
    }
}

#[test]
fn every_order_gives_the_same_verdict() {
    let mut count = 0;
    for path in programs() {
        for (memory, order) in MODELS {
            let system = system(&path, memory);
            let verdicts = ORDERS.map(|o| {
                let options = SearchOptions {
                    max_nodes: FEW,
                    order: o,
                    ..SearchOptions::default()
                };
                verdict(&system, order, &options, Brab::Never)
            });
            let name = path.display();
            let decided: Vec<_> = verdicts.iter().filter(|v| **v != "UNKNOWN").collect();
            assert!(
                decided.windows(2).all(|w| w[0] == w[1]),
                "{name}: {verdicts:?}"
            );
            count += decided.len();
        }
    }
    println!("{count} verdicts");
    assert!(count >= 180, "{count}");
}

#[test]
fn threads_do_not_change_a_search() {
    for name in ["lamport_safe", "dekker_unsafe", "arbiter_v1"] {
        let path = root()
            .join("benchmarks/parameterized")
            .join(format!("{name}.cub"));
        let system = system(&path, MemorySemantics::Buffered);
        for order in ORDERS {
            let [one, two] = [1, 2].map(|jobs| {
                let found = search(
                    &system,
                    &SearchOptions {
                        jobs,
                        order,
                        ..SearchOptions::default()
                    },
                );
                (found.verdict, found.visited, found.nodes.len())
            });
            assert_eq!(one, two, "{name} {order:?}");
        }
    }
}

#[test]
fn every_order_gives_the_same_verdict_of_the_generic_strategy() {
    let mut count = 0;
    for path in programs() {
        let system = system(&path, MemorySemantics::Buffered);
        for order in [StoreOrder::Sc, StoreOrder::Tso, StoreOrder::Pso] {
            let verdicts = ORDERS.map(|o| {
                let options = SearchOptions {
                    max_nodes: FEW,
                    order: o,
                    ..SearchOptions::default()
                };
                match answer_on_events(&system, order, &options) {
                    SystemAnswer::Safe(_) => "SAFE",
                    SystemAnswer::Unsafe { .. } => "UNSAFE",
                    SystemAnswer::Unknown(..) => "UNKNOWN",
                }
            });
            let name = path.display();
            let decided: Vec<_> = verdicts.iter().filter(|v| **v != "UNKNOWN").collect();
            assert!(
                decided.windows(2).all(|w| w[0] == w[1]),
                "{name} on {order:?}: {verdicts:?}"
            );
            count += decided.len();
        }
    }
    println!("{count} verdicts of the generic strategy");
    assert!(count >= 300, "{count}");
}

#[test]
fn threads_do_not_change_a_search_of_the_generic_strategy() {
    for name in ["lamport_safe", "dekker_unsafe", "arbiter_v1"] {
        let path = root()
            .join("benchmarks/parameterized")
            .join(format!("{name}.cub"));
        let system = system(&path, MemorySemantics::Buffered);
        for (order, model) in ORDERS.iter().flat_map(|o| {
            let models = [StoreOrder::Sc, StoreOrder::Tso, StoreOrder::Pso];
            models.map(|m| (*o, m))
        }) {
            let [one, two] = [1, 2].map(|jobs| {
                let options = SearchOptions {
                    jobs,
                    order,
                    max_nodes: NODES,
                    ..SearchOptions::default()
                };
                let found = explore(&Rules::of(model), &system, &options);
                (found.verdict, found.visited, found.nodes.len())
            });
            assert_eq!(one, two, "{name} {order:?} on {model:?}");
        }
    }
}

#[test]
fn guesses_agree_with_the_exact_search() {
    let mut guessed = 0;
    for path in programs() {
        for (memory, order) in MODELS {
            let system = system(&path, memory);
            let options = SearchOptions {
                max_nodes: NODES,
                ..SearchOptions::default()
            };
            let exact = verdict(&system, order, &options, Brab::Never);
            for procs in [2, 3] {
                let ours = verdict(&system, order, &options, Brab::Always(procs));
                let known = exact != "UNKNOWN" && ours != "UNKNOWN";
                let name = path.display();
                assert!(!known || exact == ours, "{name}, {procs}: {exact}, {ours}");
                guessed += usize::from(ours != "UNKNOWN");
            }
        }
    }
    println!("{guessed} verdicts with guesses");
    assert!(guessed >= 70, "{guessed}");
}

#[test]
fn the_ticket_lock_is_safe() {
    let folder = root().join("benchmarks/parameterized");
    for (memory, order) in MODELS {
        let system = system(&folder.join("ticket.cub"), memory);
        let options = SearchOptions {
            max_nodes: NODES,
            ..SearchOptions::default()
        };
        assert_eq!(verdict(&system, order, &options, Brab::Never), "UNKNOWN");
        assert_eq!(verdict(&system, order, &options, Brab::Always(2)), "SAFE");
    }
}

#[test]
fn what_only_arithmetic_and_counting_refute_is_not_explored() {
    let mut sources = SourceMap::default();
    let text = "var X : bool var Y : bool var Z : bool var N : int var M : int \
        init () { N = 0 && M = 0 } \
        unsafe differ () { X <> Y && Y <> Z && X <> Z } \
        unsafe odd () { N + N - 2 * M = 1 } \
        transition t () { X := Y; N := N + M } \
        transition u () { M := M + 1; Z := ? }";
    let file = sources.add("t.cub", text);
    let parsed = cub::parse(&sources, file).expect("it reads");
    let system = resolve(&parsed, MemorySemantics::Flat).expect("it is typed");
    let options = SearchOptions {
        max_nodes: 0,
        ..SearchOptions::default()
    };
    assert_eq!(
        verdict(&system, StoreOrder::Sc, &options, Brab::Never),
        "SAFE"
    );
}

#[test]
fn the_time_is_looked_at_while_a_node_is_expanded() {
    let mut sources = SourceMap::default();
    // Tens of thousands of ways to choose the transition's processes for the first node alone.
    let text = "array X[proc] : int init (p) { X[p] = 0 } \
        unsafe (a b c d e f) { X[a] = 1 && X[b] = 1 && X[c] = 1 && X[d] = 1 && X[e] = 1 && X[f] = 1 } \
        transition t (a b c d e f g h) \
        requires { X[a] <> X[b] && X[c] <> X[d] && X[e] <> X[f] && X[g] <> X[h] } \
        { X[a] := X[a] + X[h] }";
    let file = sources.add("t.cub", text);
    let parsed = cub::parse(&sources, file).expect("it reads");
    let system = resolve(&parsed, MemorySemantics::Buffered).expect("it is typed");
    let begin = Instant::now();
    let options = || SearchOptions {
        until: Some(Instant::now() + Duration::from_millis(200)),
        max_nodes: 1,
        ..SearchOptions::default()
    };
    let time = SearchVerdict::Unknown(Reason::Time);
    assert_eq!(search(&system, &options()).verdict, time);
    assert_eq!(
        answer_on_events(&system, StoreOrder::Tso, &options())
            .search()
            .verdict,
        time
    );
    let spent = begin.elapsed();
    assert!(spent < Duration::from_secs(3), "{spent:?}");
}

//! A certificate checks, and does not when a cube is missing.

use super::check;
use crate::certificate::format::{read, write};
use crate::cub;
use crate::search::engine::search;
use crate::search::options::SearchOptions;
use crate::search::space::SearchVerdict;
use crate::system::MemorySemantics;
use crate::system::resolve;
use base::source::SourceMap;
use std::time::{Duration, Instant};

const MUTEX: &str = "type l = A | B | C array PC[proc] : l weak array X[proc] : bool \
    init (p) { PC[p] = A && X[p] = False } unsafe (p q) { PC[p] = C && PC[q] = C } \
    transition a ([p]) requires { PC[p] = A } { PC[p] := B; X[p] := True } \
    transition b ([p]) requires { PC[p] = B && fence() && forall_other q. X[q] = False } { PC[p] := C } \
    transition c ([p]) requires { PC[p] = C } { PC[p] := A; X[p] := False }";

#[test]
fn every_cube_of_a_certificate_is_needed() {
    let mut sources = SourceMap::default();
    let file = sources.add("t.cub", MUTEX);
    let parsed = cub::parse(&sources, file).expect("the text reads");
    let system = resolve(&parsed, MemorySemantics::Buffered).expect("the text is typed");
    let s = search(&system, &SearchOptions::default());
    assert_eq!(s.verdict, SearchVerdict::Safe);
    let cubes = s.active.iter().map(|i| &s.nodes[*i].prepared.cube);
    let text = write(&system, "sc", cubes);
    let (_, cubes) = read(&system, &text).expect("what is written reads");
    assert_eq!(check(&s.context, (), &cubes), Ok(()));
    for i in 0..cubes.len() {
        let mut fewer = cubes.clone();
        fewer.remove(i);
        assert!(check(&s.context, (), &fewer).is_err(), "without cube {i}");
    }
    assert!(read(&system, &text.replace("end\n", "")).is_err());
    assert!(read(&system, "").is_err());
}

#[test]
fn without_time_to_trim_all_cubes_are_kept() {
    let mut sources = SourceMap::default();
    let text = format!("{MUTEX} unsafe (p q r) {{ PC[p] = C && PC[q] = C && PC[r] = A }}");
    let file = sources.add("t.cub", text);
    let parsed = cub::parse(&sources, file).expect("the text reads");
    let system = resolve(&parsed, MemorySemantics::Buffered).expect("the text is typed");
    let mut s = search(&system, &SearchOptions::default());
    assert_eq!(s.verdict, SearchVerdict::Safe);
    let trimmed = s.certificate().len();
    s.options.until = Some(Instant::now());
    std::thread::sleep(Duration::from_millis(1));
    let kept: Vec<_> = s.certificate().into_iter().cloned().collect();
    assert!(kept.len() == s.active.len() && trimmed <= kept.len());
    assert_eq!(check(&s.context, (), &kept), Ok(()));
}

/// The modules that a file uses, as the table of trusted modules names them.
fn modules_used(text: &str) -> Vec<String> {
    let code = text.lines().filter(|l| !l.trim_start().starts_with("//"));
    let code: String = code.collect::<Vec<_>>().join("\n");
    let paths = code.split("crate::").skip(1);
    let module = |path: &str| -> String {
        let segments = path.split("::").take_while(|s| {
            let word = s.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            word && !s.is_empty()
        });
        segments.take(2).collect::<Vec<_>>().join("::")
    };
    paths.map(module).collect()
}

#[test]
fn the_head_lists_all_that_is_trusted() {
    let head = include_str!("../mod.rs");
    let rows = head.lines().filter_map(|l| l.strip_prefix("//! | `"));
    let trusted: Vec<&str> = rows.filter_map(|l| l.split('`').next()).collect();
    assert!(trusted.len() > 5);
    for text in [
        include_str!("../certified.rs"),
        include_str!("../checker.rs"),
        include_str!("../cover.rs"),
        include_str!("../event_format.rs"),
        include_str!("../events.rs"),
        include_str!("../format.rs"),
        include_str!("../goals.rs"),
        include_str!("../tso.rs"),
    ] {
        for used in modules_used(text) {
            let listed = |t: &&str| used == **t || used.starts_with(&format!("{t}::"));
            assert!(trusted.iter().any(&listed), "{used} is not listed");
        }
    }
}

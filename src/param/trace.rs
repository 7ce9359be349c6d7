//! The way from a node to the unsafe formula.

use super::engine::{Call, Search};

/// The calls from the initial states to the unsafe formula, with processes numbered from 0, and how
/// many processes there are: as few as the cubes allow.
pub fn trace(s: &Search, id: usize) -> (Vec<Call>, u8) {
    let fixed = s.model.system.fixed;
    let mut names: Vec<u8> = (0..s.nodes[id].prepared.cube.procs).collect();
    let mut count = (names.len() as u8).max(fixed);
    let (mut calls, mut at) = (Vec::new(), id);
    while let Some((next, (t, args), map)) = &s.nodes[at].next {
        // A process that the earlier cube does not name may be any that it does not name.
        let mut used = names.clone();
        let mut all = Vec::new();
        for m in map {
            let name = match m {
                Some(p) => names[usize::from(*p)],
                None => (0..=u8::MAX).find(|n| !used.contains(n)).unwrap_or(u8::MAX),
            };
            used.push(name);
            all.push(name);
            count = count.max(name.saturating_add(1));
        }
        calls.push((*t, args.iter().map(|a| all[usize::from(*a)]).collect()));
        names = all;
        names.truncate(usize::from(s.nodes[*next].prepared.cube.procs));
        at = *next;
    }
    (calls, count.max(1))
}

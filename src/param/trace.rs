//! The way from a node to the unsafe formula.

/// A transition with its processes.
pub type Call = (usize, Vec<u8>);

/// The node after another one, the transition in between with the processes of that node, and how
/// those processes (and new ones) are called here.
pub type Next = (usize, Call, Vec<Option<u8>>);

/// A node of a search, as far as its way to the unsafe formula is concerned.
pub trait Step {
    /// How many processes its cube speaks of.
    fn procs(&self) -> u8;
    /// What comes after it; nothing for an unsafe formula.
    fn next(&self) -> Option<&Next>;
}

/// The calls from a node that meets the initial states to the unsafe formula, with processes
/// numbered from 0, and how many processes there are: as few as the cubes allow. The first `fixed`
/// are always there.
pub fn trace<S: Step>(nodes: &[S], id: usize, fixed: u8) -> (Vec<Call>, u8) {
    let mut names: Vec<u8> = (0..nodes[id].procs()).collect();
    let mut count = nodes[id].procs().max(fixed);
    let (mut calls, mut at) = (Vec::new(), id);
    while let Some((next, (t, args), map)) = nodes[at].next() {
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
        names.truncate(usize::from(nodes[*next].procs()));
        at = *next;
    }
    (calls, count.max(1))
}

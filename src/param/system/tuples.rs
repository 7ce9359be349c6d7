//! Tuples of processes, and how many of them there are.

/// How many ways to choose processes are listed at most.
const MAX_CHOICES: usize = 4_000_000;

/// There are not too many of the [`assignments`] of `len` processes to list them.
pub fn can_choose(len: usize, known: u8) -> bool {
    // By how many are new ones: those come in order, at any of the places.
    let mut ways = vec![1usize];
    for _ in 0..len {
        let mut next = vec![0usize; ways.len() + 1];
        for (old, count) in ways.iter().enumerate() {
            let left = usize::from(known).saturating_sub(old);
            next[old] = next[old].saturating_add(*count);
            next[old + 1] = next[old + 1].saturating_add(count.saturating_mul(left));
        }
        ways = next;
    }
    let all = ways.iter().fold(0usize, |sum, n| sum.saturating_add(*n));
    all <= MAX_CHOICES
}

/// All ways to choose `len` distinct processes among `known` ones and new ones; with each, how many
/// processes there then are. The first `fixed` are always there.
pub fn assignments(len: usize, known: u8, fixed: u8) -> Vec<(Vec<u8>, u8)> {
    let mut all = vec![(Vec::new(), known.max(fixed))];
    for _ in 0..len {
        let mut next = Vec::new();
        for (args, procs) in all {
            for p in 0..=procs {
                if !args.contains(&p) {
                    let mut args: Vec<u8> = args.clone();
                    args.push(p);
                    next.push((args, procs.max(p + 1)));
                }
            }
        }
        all = next;
    }
    all
}

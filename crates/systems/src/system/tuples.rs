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

/// How many tuples of `len` processes there are; no more than a word can say.
pub fn count(len: usize, procs: u8) -> usize {
    let choices = std::iter::repeat_n(usize::from(procs), len);
    choices.fold(1, usize::saturating_mul)
}

/// All tuples of `len` of the first `procs` processes in lexicographic order, as far as each next
/// process `fits` what is there.
fn tuples_where(len: usize, procs: u8, fits: impl Fn(&[u8], u8) -> bool) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    for _ in 0..len {
        let mut longer = Vec::new();
        for tuple in &all {
            let next = (0..procs).filter(|p| fits(tuple, *p));
            longer.extend(next.map(|p| [tuple.as_slice(), &[p]].concat()));
        }
        all = longer;
    }
    all
}

/// All tuples of processes.
pub fn tuples(len: usize, procs: u8) -> Vec<Vec<u8>> {
    tuples_where(len, procs, |_, _| true)
}

/// All tuples of distinct processes.
pub fn distinct_tuples(len: usize, procs: u8) -> Vec<Vec<u8>> {
    tuples_where(len, procs, |tuple, p| !tuple.contains(&p))
}

/// All ways to put distinct ones of `to` processes for `from` others; the first `fixed` are put for
/// themselves.
pub fn injections(from: u8, to: u8, fixed: u8) -> Vec<Vec<u8>> {
    tuples_where(from.into(), to, |tuple, q| {
        let p = tuple.len();
        let free = p >= usize::from(fixed) && q >= fixed;
        !tuple.contains(&q) && (free || p == usize::from(q))
    })
}

/// All ways to choose `len` distinct processes among `known` ones and new ones, which come in
/// order; with each, how many processes there then are. The first `fixed` are always there.
pub fn assignments(len: usize, known: u8, fixed: u8) -> Vec<(Vec<u8>, u8)> {
    let known = known.max(fixed);
    let procs = |tuple: &[u8]| tuple.iter().fold(known, |n, p| n.max(p.saturating_add(1)));
    let most = usize::from(known) + len;
    let most = u8::try_from(most).unwrap_or(u8::MAX);
    let all = tuples_where(len, most, |tuple, p| {
        p <= procs(tuple) && !tuple.contains(&p)
    });
    let with_count = |tuple: Vec<u8>| {
        let count = procs(&tuple);
        (tuple, count)
    };
    all.into_iter().map(with_count).collect()
}

#[cfg(test)]
mod tests {
    use super::{assignments, count, distinct_tuples, injections, tuples};

    #[test]
    fn tuples_come_in_lexicographic_order() {
        assert_eq!(tuples(0, 3), [Vec::<u8>::new()]);
        assert_eq!(tuples(2, 2), [[0, 0], [0, 1], [1, 0], [1, 1]]);
        assert_eq!(tuples(3, 3).len(), count(3, 3));
        assert_eq!(distinct_tuples(2, 2), [[0, 1], [1, 0]]);
    }

    #[test]
    fn constants_stand_for_themselves() {
        assert_eq!(injections(2, 3, 1), [[0, 1], [0, 2]]);
        assert_eq!(injections(2, 2, 0), [[0, 1], [1, 0]]);
    }

    #[test]
    fn new_processes_come_in_order() {
        let all = assignments(2, 1, 0);
        let expected = [(vec![0, 1], 2), (vec![1, 0], 2), (vec![1, 2], 3)];
        assert_eq!(all, expected);
        assert_eq!(assignments(0, 1, 2), [(vec![], 2)]);
    }
}

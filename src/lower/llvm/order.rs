//! The order of blocks: reverse postorder of depth-first search, the body of a loop before what follows it.
//!
//! Compilers place blocks as they like. In the order chosen here a jump goes backwards only where there is a loop, and
//! what dominates a block stands before it, so that a value is declared where it is computed.

use crate::front::llvm::ast::{Function, Op};
use std::collections::{BTreeMap, BTreeSet};

/// Where control may go from the end of a block.
pub(super) fn successors(op: &Op) -> Vec<&str> {
    match op {
        Op::Branch(to) => vec![to],
        Op::ConditionalBranch(_, then, otherwise) => vec![then, otherwise],
        Op::Switch { default, cases, .. } => {
            let cases = cases.iter().map(|(_, to)| to.as_str());
            std::iter::once(default.as_str()).chain(cases).collect()
        }
        Op::Invoke { normal, .. } => vec![normal],
        _ => Vec::new(),
    }
}

/// The indices of the blocks that can be reached, in order.
pub(super) fn blocks(f: &Function) -> Vec<usize> {
    let index: BTreeMap<&str, usize> = f
        .blocks
        .iter()
        .enumerate()
        .map(|(i, block)| (block.label.as_str(), i))
        .collect();
    let targets = |i: usize| -> Vec<usize> {
        let last = f.blocks[i].instructions.last();
        let labels = last.map_or(Vec::new(), |last| successors(&last.op));
        labels
            .iter()
            .filter_map(|l| index.get(l).copied())
            .collect()
    };
    let next: Vec<Vec<usize>> = (0..f.blocks.len()).map(targets).collect();
    let first = postorder(&next, &|_, _| 0);
    let loops = loops(&next, &first);
    // What leaves more loops is visited first, so that it stands last.
    let kept = |from: usize, to: usize| {
        let within = loops
            .iter()
            .filter(|l| l.contains(&from) && l.contains(&to));
        within.count()
    };
    let mut order = postorder(&next, &kept);
    order.reverse();
    order
}

/// The blocks in the order in which a depth-first search from the first one leaves them; successors with a
/// smaller rank are visited first, and among equals the last one.
fn postorder(next: &[Vec<usize>], rank: &dyn Fn(usize, usize) -> usize) -> Vec<usize> {
    let ranked = |i: usize| {
        let mut all: Vec<usize> = next[i].iter().rev().copied().collect();
        all.sort_by_key(|to| rank(i, *to));
        all
    };
    let mut order = Vec::new();
    if next.is_empty() {
        return order;
    }
    let mut seen = vec![false; next.len()];
    seen[0] = true;
    let mut stack = vec![(0, ranked(0), 0)];
    while let Some((block, all, at)) = stack.last_mut() {
        match all.get(*at).copied() {
            Some(to) => {
                *at += 1;
                if !seen[to] {
                    seen[to] = true;
                    stack.push((to, ranked(to), 0));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order
}

/// The natural loops: the blocks that reach a jump back to a block that dominates it.
fn loops(next: &[Vec<usize>], postorder: &[usize]) -> Vec<BTreeSet<usize>> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); next.len()];
    for block in postorder {
        for to in &next[*block] {
            before[*to].push(*block);
        }
    }
    let dominators = dominators(&before, postorder);
    let dominates = |a: usize, b: usize| {
        let mut at = b;
        loop {
            match dominators[at] {
                _ if at == a => return true,
                Some(up) if up != at => at = up,
                _ => return false,
            }
        }
    };
    let mut by_head: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for from in postorder {
        for head in next[*from]
            .iter()
            .copied()
            .filter(|to| dominates(*to, *from))
        {
            let blocks = by_head
                .entry(head)
                .or_insert_with(|| BTreeSet::from([head]));
            let mut open = vec![*from];
            while let Some(block) = open.pop() {
                if blocks.insert(block) {
                    open.extend(&before[block]);
                }
            }
        }
    }
    by_head.into_values().collect()
}

/// The immediate dominator of each block (Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm").
fn dominators(before: &[Vec<usize>], postorder: &[usize]) -> Vec<Option<usize>> {
    let mut number = vec![0; before.len()];
    for (i, block) in postorder.iter().enumerate() {
        number[*block] = i;
    }
    let mut dominator: Vec<Option<usize>> = vec![None; before.len()];
    let Some(entry) = postorder.last().copied() else {
        return dominator;
    };
    dominator[entry] = Some(entry);
    let common = |dominator: &[Option<usize>], mut a: usize, mut b: usize| {
        while a != b {
            let lower = if number[a] < number[b] {
                &mut a
            } else {
                &mut b
            };
            *lower = dominator[*lower].unwrap_or(entry);
        }
        a
    };
    loop {
        let mut changed = false;
        for block in postorder.iter().rev().copied().filter(|b| *b != entry) {
            let known = before[block].iter().copied();
            let mut known = known.filter(|b| dominator[*b].is_some());
            let Some(first) = known.next() else { continue };
            let found = known.fold(first, |a, b| common(&dominator, a, b));
            changed |= dominator[block] != Some(found);
            dominator[block] = Some(found);
        }
        if !changed {
            return dominator;
        }
    }
}

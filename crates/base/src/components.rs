//! Strongly connected components of a relation.

use super::bits::BitMatrix;

/// The number of each node's strongly connected component (Tarjan).
pub fn components(graph: &BitMatrix) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let n = graph.len();
    let (mut index, mut low, mut component) = (vec![UNSEEN; n], vec![0; n], vec![UNSEEN; n]);
    let (mut stack, mut next, mut found) = (Vec::new(), 0, 0);
    for root in 0..n {
        if index[root] != UNSEEN {
            continue;
        }
        let mut work = vec![(root, graph.successors(root).collect::<Vec<_>>())];
        index[root] = next;
        low[root] = next;
        next += 1;
        stack.push(root);
        while let Some((v, rest)) = work.last_mut() {
            let v = *v;
            if let Some(w) = rest.pop() {
                if index[w] == UNSEEN {
                    index[w] = next;
                    low[w] = next;
                    next += 1;
                    stack.push(w);
                    work.push((w, graph.successors(w).collect()));
                } else if component[w] == UNSEEN {
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            work.pop();
            if let Some((parent, _)) = work.last() {
                low[*parent] = low[*parent].min(low[v]);
            }
            if low[v] == index[v] {
                while let Some(w) = stack.pop() {
                    component[w] = found;
                    if w == v {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}

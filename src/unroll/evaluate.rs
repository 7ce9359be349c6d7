//! The values of terms, once leaves have some.

use super::term::{Term, TermId, Terms, operands};
use ir::program::{BinOp, UnOp, eval_binary, eval_cast, eval_unary, mask, sign_extend};
use rustc_hash::{FxHashMap, FxHashSet};

impl Terms {
    /// The value of `root` when leaves have the values `leaf` gives them.
    pub fn eval(
        &self,
        root: TermId,
        memo: &mut FxHashMap<TermId, u64>,
        leaf: &dyn Fn(Term) -> u64,
    ) -> u64 {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if memo.contains_key(&id) {
                stack.pop();
                continue;
            }
            let (term, width) = (self.get(id), self.width(id));
            let missing: Vec<TermId> = operands(term)
                .into_iter()
                .flatten()
                .filter(|o| !memo.contains_key(o))
                .collect();
            if !missing.is_empty() {
                stack.extend(missing);
                continue;
            }
            let value = match term {
                Term::Read(_) | Term::Nondet(_) => leaf(term) & mask(width),
                _ => self.apply(id, &|o| memo[&o]),
            };
            memo.insert(id, value);
            stack.pop();
        }
        memo[&root]
    }

    /// The same where leaves may have no value yet: `None` if the value of `root` may depend on these.
    pub fn eval_known(
        &self,
        root: TermId,
        memo: &mut FxHashMap<TermId, u64>,
        leaf: &dyn Fn(Term) -> Option<u64>,
    ) -> Option<u64> {
        let mut unknown: FxHashSet<TermId> = FxHashSet::default();
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if memo.contains_key(&id) || unknown.contains(&id) {
                stack.pop();
                continue;
            }
            let (term, width) = (self.get(id), self.width(id));
            let known = |o: TermId| memo.get(&o).copied();
            let is_open = |o: &TermId| !memo.contains_key(o) && !unknown.contains(o);
            let deciding = |term| match term {
                Term::Binary(BinOp::And, ..) => Some(0),
                Term::Binary(BinOp::Or, ..) => Some(mask(width)),
                _ => None,
            };
            let value = match term {
                Term::Read(_) | Term::Nondet(_) => leaf(term),
                Term::Ite(c, a, b) => {
                    let chosen = known(c).map(|c| if c == 1 { a } else { b });
                    let next = chosen.unwrap_or(c);
                    if is_open(&next) {
                        stack.push(next);
                        continue;
                    }
                    chosen.and_then(known)
                }
                term => {
                    let of: Vec<TermId> = operands(term).into_iter().flatten().collect();
                    let decides =
                        deciding(term).filter(|d| of.iter().any(|o| known(*o) == Some(*d)));
                    let open = of.iter().copied().find(|o| decides.is_none() && is_open(o));
                    if let Some(open) = open {
                        stack.push(open);
                        continue;
                    }
                    let all = of.iter().all(|o| known(*o).is_some());
                    decides.or_else(|| all.then(|| self.apply(id, &|o| memo[&o])))
                }
            };
            match value {
                Some(value) => drop(memo.insert(id, value & mask(width))),
                None => drop(unknown.insert(id)),
            }
            stack.pop();
        }
        memo.get(&root).copied()
    }

    /// What an operator makes of its operands.
    fn apply(&self, id: TermId, at: &dyn Fn(TermId) -> u64) -> u64 {
        let (term, width) = (self.get(id), self.width(id));
        let value = match term {
            Term::Const(v) => v,
            Term::Read(_) | Term::Nondet(_) => unreachable!("a leaf has no operands"),
            Term::Not(a) => !at(a),
            Term::Binary(op, a, b) => eval_binary(op, at(a), at(b), self.width(a)),
            Term::Ite(c, a, b) => {
                if at(c) == 1 {
                    at(a)
                } else {
                    at(b)
                }
            }
            Term::ZeroExtend(a) | Term::Truncate(a) => at(a),
            Term::SignExtend(a) => sign_extend(at(a), self.width(a)) as u64,
            Term::Float(f, a) => eval_unary(UnOp::Float(f), at(a), width),
            Term::Convert(cast, a) => eval_cast(cast, at(a), self.width(a), width),
        };
        value & mask(width)
    }
}

//! The parts of the encoding against plain computation: operators bit by bit, orders by search.

use proptest::prelude::*;
use std::rc::Rc;
use support::random::properties;
use wmbmc::base::bits::BitMatrix;
use wmbmc::encode::bits::Blaster;
use wmbmc::encode::order::{Backend, Instance};
use wmbmc::ir::program::{BinOp, eval_binary, mask};
use wmbmc::smt::sat::cnf::{Cnf, Lit};
use wmbmc::smt::sat::{Cadical, SatResult, Solver};
use wmbmc::unroll::term::Terms;

fn solver(cnf: &Cnf) -> Cadical {
    let mut solver = Cadical::new(Rc::new(|| false));
    solver.add(&cnf.flat);
    solver
}

const OPS: [BinOp; 19] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Udiv,
    BinOp::Sdiv,
    BinOp::Urem,
    BinOp::Srem,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
    BinOp::Shl,
    BinOp::Lshr,
    BinOp::Ashr,
    BinOp::Eq,
    BinOp::Ne,
    BinOp::Ult,
    BinOp::Ule,
    BinOp::Slt,
    BinOp::Sle,
];

/// What the clauses of an operator say for given operands, which stay symbolic in the formula.
fn computed(op: BinOp, width: u8, a: u64, b: u64) -> u64 {
    let mut terms = Terms::default();
    let (x, y) = (terms.nondet(width), terms.nondet(width));
    let result = terms.binary(op, x, y);
    let (mut cnf, mut blaster) = (Cnf::new(), Blaster::default());
    let out = blaster.bits(&mut cnf, &terms, result);
    let mut given = Vec::new();
    for (term, value) in [(x, a), (y, b)] {
        let bits = blaster.bits(&mut cnf, &terms, term);
        let fixed = bits.iter().enumerate();
        given.extend(fixed.map(|(i, l)| if value >> i & 1 == 1 { *l } else { !*l }));
    }
    let mut solver = solver(&cnf);
    assert_eq!(solver.solve(&given), SatResult::Sat);
    out.iter()
        .rev()
        .fold(0, |acc, l| acc << 1 | u64::from(solver.value(*l)))
}

#[test]
fn operators_on_all_values_of_three_bits() {
    for op in OPS {
        for a in 0..8 {
            for b in 0..8 {
                assert_eq!(
                    computed(op, 3, a, b),
                    eval_binary(op, a, b, 3),
                    "{op:?} {a} {b}"
                );
            }
        }
    }
}

/// Whether the edges whose literal is true agree with some order, by each backend.
fn orderable(
    len: usize,
    fixed: &[(usize, usize)],
    edges: &[(usize, usize, bool)],
    backend: Backend,
) -> bool {
    let mut cnf = Cnf::new();
    let mut instance = Instance {
        len,
        fixed: fixed.to_vec(),
        ..Instance::default()
    };
    let mut given = Vec::new();
    for (a, b, holds) in edges {
        let lit = *instance
            .edges
            .entry((*a, *b))
            .or_insert_with(|| cnf.fresh());
        if *holds {
            given.push(lit);
        }
    }
    instance.assert(&mut cnf, backend, &|| false);
    given.push(Lit::TRUE);
    solver(&cnf).solve(&given) == SatResult::Sat
}

proptest! {
    #![proptest_config(properties(300))]

    #[test]
    fn operators_on_wide_values(op in 0..OPS.len(), width in prop::sample::select(vec![8u8, 16, 32]), a: u64, b: u64, small: bool) {
        let op = OPS[op];
        // Products and quotients of wide numbers are hard; shifts need small amounts.
        let b = if small { b % 40 } else { b };
        let width = if matches!(op, BinOp::Udiv | BinOp::Sdiv | BinOp::Urem | BinOp::Srem) { 8 } else { width };
        let (a, b) = (a & mask(width), b & mask(width));
        prop_assert_eq!(computed(op, width, a, b), eval_binary(op, a, b, width), "{:?} {} {}", op, a, b);
    }

    #[test]
    fn terms_simplify_to_what_they_mean(op in 0..OPS.len(), a: u64, b: u64, c: bool, k: u64) {
        // A choice between constants goes through operators; so do constants on either side.
        let op = OPS[op];
        let (a, b, k) = (a & 0xffff, b & 0xffff, k & 0xffff);
        let mut terms = Terms::default();
        let cond = terms.nondet(1);
        let (ta, tb, tk) = (terms.constant(a, 16), terms.constant(b, 16), terms.constant(k, 16));
        let choice = terms.ite(cond, ta, tb);
        let x = terms.nondet(16);
        let left = terms.binary(op, choice, tk);
        let right = terms.binary(op, x, tk);
        let leaf = |t| match t {
            wmbmc::unroll::term::Term::Nondet(0) => u64::from(c),
            _ => a,
        };
        let chosen = if c { a } else { b };
        prop_assert_eq!(terms.eval(left, &mut Default::default(), &leaf), eval_binary(op, chosen, k, 16));
        prop_assert_eq!(terms.eval(right, &mut Default::default(), &leaf), eval_binary(op, a, k, 16));
    }

    #[test]
    fn orders_exist_when_there_is_no_cycle(
        len in 2usize..8,
        fixed in prop::collection::vec((0usize..8, 0usize..8), 0..5),
        edges in prop::collection::vec((0usize..8, 0usize..8, any::<bool>()), 0..16),
    ) {
        let fixed: Vec<_> = fixed.into_iter().filter(|(a, b)| a < b && *b < len).collect();
        let edges: Vec<_> = edges.into_iter().filter(|(a, b, _)| a != b && *a < len && *b < len).collect();
        let mut relation = BitMatrix::new(len);
        fixed.iter().for_each(|(a, b)| relation.insert(*a, *b));
        edges.iter().filter(|e| e.2).for_each(|(a, b, _)| relation.insert(*a, *b));
        let acyclic = relation.cycle().is_none();
        for backend in [Backend::Matrix, Backend::Clocks] {
            prop_assert_eq!(orderable(len, &fixed, &edges, backend), acyclic, "{:?}", backend);
        }
    }
}

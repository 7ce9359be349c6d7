//! A client with an assertion: what its calls have returned, some order of them returns.
//!
//! Each thread counts its calls that have returned in a variable of its own, and looks at the counters of the others
//! before each call. What it sees is kept in a word, four bits a counter, which it stores when it ends. Main reads the
//! words and the results when all threads have ended.

use crate::explained::{Computation, Observed};
use crate::history::{Consistency, History, Numbering, Outcomes};
use crate::sequential::{called, instr, loaded, scalar};
use ir::client::{CallResult, Client};
use ir::program::{
    BinOp, Cast, Expr, GlobalId, Local, LocalId, MemoryOrder, Op, Proc, Program, Property, Rule,
};
use std::collections::BTreeSet;

/// Bits of a counter in a word.
const BITS: usize = 4;

/// A client that observes itself.
#[derive(Clone, Debug)]
pub struct ObservedClient {
    /// The program.
    pub program: Program,
    numbering: Numbering,
    results: Vec<CallResult>,
    /// By thread: what it has seen of the others' counters; none where nobody looks.
    words: Vec<GlobalId>,
    counters: Vec<GlobalId>,
}

/// The rule that a consistency is.
fn rule(consistency: Consistency) -> (Rule, &'static str) {
    match consistency {
        Consistency::RealTime => (
            Rule::Linearizable,
            "no order of the calls that respects real time has these results",
        ),
        Consistency::ProgramOrder => (
            Rule::Sequential,
            "no order of the calls that respects the order of each thread has these results",
        ),
        Consistency::Quiescence => (
            Rule::Quiescent,
            "no order of the calls that respects quiescent moments has these results",
        ),
    }
}

impl ObservedClient {
    /// The client in a program, with an assertion for each consistency.
    pub fn new(
        program: &Program,
        client: &Client,
        outcomes: &Outcomes,
        consistencies: &[Consistency],
    ) -> ObservedClient {
        let mut observed = ObservedClient {
            program: program.clone(),
            numbering: Numbering::new(client),
            results: client.calls().flat_map(|c| &c.results).cloned().collect(),
            words: Vec::new(),
            counters: Vec::new(),
        };
        if consistencies
            .iter()
            .any(|c| *c != Consistency::ProgramOrder)
        {
            observed.count_returns(client);
        }
        observed.assert(client, outcomes, consistencies);
        observed
    }

    /// Lets threads count their calls, and look at the others' counters.
    fn count_returns(&mut self, client: &Client) {
        let span = self.program.main_span();
        let program = &mut self.program;
        let count = client.threads.len();
        for t in 1..=count {
            let name = format!("returned (thread {t})");
            self.counters.push(scalar(program, &name, span, 32));
            let name = format!("seen (thread {t})");
            self.words.push(scalar(program, &name, span, 64));
        }
        for (t, thread) in client.threads.iter().enumerate() {
            let routine = &mut self.program.procs[thread.routine];
            routine.body.clear();
            let mut word = Expr::constant(0, 64);
            for (i, call) in thread.calls.iter().enumerate() {
                for u in (0..count).filter(|u| *u != t) {
                    let dst = register(routine, 32);
                    let addr = Expr::Global(self.counters[u]);
                    let order = MemoryOrder::Acquire;
                    routine
                        .body
                        .push(instr(call.span, Op::Load { dst, addr, order }));
                    let wide = Expr::Cast(Cast::Zero, 64, Box::new(Expr::Local(dst)));
                    let at = Expr::constant(position(i, t, u, count) as u64, 64);
                    let placed = Expr::binary(BinOp::Shl, wide, at);
                    let value = Expr::binary(BinOp::Or, word, placed);
                    let dst = register(routine, 64);
                    routine
                        .body
                        .push(instr(call.span, Op::Assign { dst, value }));
                    word = Expr::Local(dst);
                }
                let returned = Op::Store {
                    addr: Expr::Global(self.counters[t]),
                    value: Expr::constant(i as u64 + 1, 32),
                    order: MemoryOrder::Release,
                };
                routine
                    .body
                    .extend([called(call), returned].map(|op| instr(call.span, op)));
            }
            let seen = Op::Store {
                addr: Expr::Global(self.words[t]),
                value: word,
                order: MemoryOrder::Plain,
            };
            routine.body.push(instr(span, seen));
        }
    }

    /// Lets main assert that there is an order.
    fn assert(&mut self, client: &Client, outcomes: &Outcomes, consistencies: &[Consistency]) {
        let span = self.program.main_span();
        let main = &mut self.program.procs[client.main];
        let results = self.results.iter();
        let results = results.map(|result| loaded(main, result.global, result.width, span));
        let results: Vec<Expr> = results.collect();
        let words = self.words.iter().map(|word| loaded(main, *word, 64, span));
        let words: Vec<Expr> = words.collect();
        let widths: Vec<u8> = self.results.iter().map(|r| r.width).collect();
        let (numbering, count) = (&self.numbering, client.threads.len());
        let before = |early: usize, late: usize| {
            let ((u, n), (t, i)) = (numbering.place(early), numbering.place(late));
            let at = Expr::constant(position(i, t, u, count) as u64, 64);
            let placed = Expr::binary(BinOp::Lshr, words[t].clone(), at);
            let mask = Expr::constant((1 << BITS) - 1, 64);
            let seen = Expr::binary(BinOp::And, placed, mask);
            Expr::binary(BinOp::Ult, Expr::constant(n as u64, 64), seen)
        };
        let observed = Observed {
            numbering,
            results: &results,
            before: &before,
        };
        for consistency in consistencies {
            let mut computation = Computation { proc: main, span };
            let cond = observed.is_explained(outcomes, &widths, *consistency, &mut computation);
            let (rule, text) = rule(*consistency);
            let property = Property::new(rule, text);
            main.body.push(instr(span, Op::Assert { cond, property }));
        }
    }

    /// What an execution has returned, by the last values of objects; `None` where one is not known.
    pub fn history(&self, value: &dyn Fn(&str) -> Option<u64>) -> Option<History> {
        let of = |global: GlobalId| value(&self.program.globals[global].name);
        let results = self.results.iter().map(|result| of(result.global));
        let words = self.words.iter().map(|word| of(*word));
        let (results, words) = (
            results.collect::<Option<Vec<u64>>>()?,
            words.collect::<Option<Vec<u64>>>()?,
        );
        let (threads, count) = (self.numbering.threads(), self.numbering.threads().len());
        let mut before = BTreeSet::new();
        for (t, calls) in threads.iter().enumerate() {
            for (i, late) in calls.iter().enumerate() {
                before.extend(calls[..i].iter().map(|early| (*early, *late)));
                let Some(word) = words.get(t) else {
                    continue;
                };
                for u in (0..count).filter(|u| *u != t) {
                    let seen = word >> position(i, t, u, count) & ((1 << BITS) - 1);
                    let earlier = threads[u].iter().take(seen as usize);
                    before.extend(earlier.map(|early| (*early, *late)));
                }
            }
        }
        Some(History { results, before })
    }

    /// How the calls are numbered.
    pub fn numbering(&self) -> &Numbering {
        &self.numbering
    }

    /// Whether an object, by its name, is one that observes when calls return.
    pub fn is_counter(&self, name: &str) -> bool {
        let own = self.words.iter().chain(&self.counters);
        own.copied()
            .any(|global| self.program.globals[global].name == name)
    }

    /// Whether an object, by its name, is one that a result is put in.
    pub fn is_result(&self, name: &str) -> bool {
        let mut results = self.results.iter();
        results.any(|result| self.program.globals[result.global].name == name)
    }
}

/// Where the word of a thread has what its call `i` has seen of the counter of another thread `u`.
fn position(i: usize, t: usize, u: usize, threads: usize) -> usize {
    let other = if u < t { u } else { u - 1 };
    (i * (threads - 1) + other) * BITS
}

fn register(proc: &mut Proc, width: u8) -> LocalId {
    proc.locals.push(Local {
        name: String::new(),
        width,
    })
}

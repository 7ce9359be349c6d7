//! A client with an assertion: what its calls have returned, some order of them returns.
//!
//! Each thread counts its calls that have returned in a variable of its own, and looks at the counters of the others
//! before each call. What it sees is kept in a word, four bits a counter, which it stores when it ends. Main reads the
//! words and the results when all threads have ended; those of its own calls a thread more reads.
//!
//! *Choices.* On most machines a release orders what comes before it in its own thread, and an acquire what comes behind,
//! whether or not any thread communicates so. Between two calls of a thread both would be a fence, which no client has to have
//! there. So on these models ([`orders_by_itself`]) it is a choice of each execution whether the thread counts, and whether
//! it looks, between two calls. Before the first call, and behind the last, there is nothing that could be ordered.

use crate::explained::{Computation, Observed};
use crate::history::{Consistency, History, Numbering, Outcomes};
use crate::sequential::{called, instr, loaded, scalar};
use base::idx::IdVec;
use base::source::Span;
use cat::model::{BaseSet, Model};
use cat::pattern;
use ir::client::{CallResult, Client};
use ir::program::{
    BinOp, Callee, Cast, Expr, GlobalId, Instr, Local, LocalId, MemoryOrder, Op, Proc, Program,
    Property, Rule,
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
    /// By thread: what it has seen of the others' counters; none where no thread looks.
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
        for t in 1..=client.threads.len() {
            let name = format!("returned (thread {t})");
            self.counters.push(scalar(program, &name, span, 32));
            let name = format!("seen (thread {t})");
            self.words.push(scalar(program, &name, span, 64));
        }
        for t in 0..client.threads.len() {
            let body = self.observing(client, t, false);
            body.put(&mut self.program.procs[client.threads[t].routine]);
        }
    }

    /// The client in another version of the program, where it is a choice whether threads communicate between calls.
    pub fn with_choices(&self, program: &Program, client: &Client) -> Program {
        let mut program = program.clone();
        if !self.counters.is_empty() {
            for (t, thread) in client.threads.iter().enumerate() {
                let body = self.observing(client, t, true);
                body.put(&mut program.procs[thread.routine]);
            }
        }
        program
    }

    /// What a thread does.
    fn observing(&self, client: &Client, t: usize, chooses: bool) -> Routine {
        let (count, calls) = (client.threads.len(), &client.threads[t].calls);
        let mut routine = Routine::default();
        let word = routine.local(64);
        let value = Expr::constant(0, 64);
        routine.push(
            client.threads[t].calls[0].span,
            Op::Assign { dst: word, value },
        );
        for (i, call) in calls.iter().enumerate() {
            let looks = chooses && i > 0;
            let skip = looks.then(|| routine.choice(call.span));
            for u in (0..count).filter(|u| *u != t) {
                let dst = routine.local(32);
                let addr = Expr::Global(self.counters[u]);
                let order = MemoryOrder::Acquire;
                routine.push(call.span, Op::Load { dst, addr, order });
                let wide = Expr::Cast(Cast::Zero, 64, Box::new(Expr::Local(dst)));
                let at = Expr::constant(position(i, t, u, count) as u64, 64);
                let placed = Expr::binary(BinOp::Shl, wide, at);
                let value = Expr::binary(BinOp::Or, Expr::Local(word), placed);
                routine.push(call.span, Op::Assign { dst: word, value });
            }
            skip.into_iter().for_each(|skip| routine.end(skip));
            routine.push(call.span, called(call));
            let counts = chooses && i + 1 < calls.len();
            let skip = counts.then(|| routine.choice(call.span));
            let returned = Op::Store {
                addr: Expr::Global(self.counters[t]),
                value: Expr::constant(i as u64 + 1, 32),
                order: MemoryOrder::Release,
            };
            routine.push(call.span, returned);
            skip.into_iter().for_each(|skip| routine.end(skip));
        }
        let seen = Op::Store {
            addr: Expr::Global(self.words[t]),
            value: Expr::Local(word),
            order: MemoryOrder::Plain,
        };
        routine.push(self.program.main_span(), seen);
        routine
    }

    /// Lets main, or a thread that it waits for, assert that there is an order.
    fn assert(&mut self, client: &Client, outcomes: &Outcomes, consistencies: &[Consistency]) {
        let span = self.program.main_span();
        let observer = match client.finally.is_empty() {
            true => client.main,
            false => {
                let arg = Expr::constant(0, self.program.data_model.pointer_width());
                let main = &mut self.program.procs[client.main];
                let dst = register(main, self.program.data_model.pointer_width());
                let callee = Callee::Proc(client.observer);
                main.body.push(instr(span, Op::Spawn { dst, callee, arg }));
                let handle = Expr::Local(dst);
                main.body.push(instr(span, Op::Join { handle, dst: None }));
                client.observer
            }
        };
        let main = &mut self.program.procs[observer];
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

/// What a thread of a client does, while it is made.
#[derive(Default)]
struct Routine {
    locals: IdVec<LocalId, Local>,
    body: Vec<Instr>,
}

impl Routine {
    fn local(&mut self, width: u8) -> LocalId {
        let name = String::new();
        self.locals.push(Local { name, width })
    }

    fn push(&mut self, span: Span, op: Op) {
        self.body.push(instr(span, op));
    }

    /// Begins what is done or not; the jump around it.
    fn choice(&mut self, span: Span) -> usize {
        let dst = self.local(1);
        self.push(span, Op::Havoc { dst });
        let (cond, target) = (Some(Expr::Local(dst)), 0);
        self.push(span, Op::Goto { cond, target });
        self.body.len() - 1
    }

    /// Ends what a jump goes around.
    fn end(&mut self, jump: usize) {
        let end = self.body.len();
        if let Op::Goto { target, .. } = &mut self.body[jump].op {
            *target = end;
        }
    }

    fn put(self, proc: &mut Proc) {
        (proc.locals, proc.body) = (self.locals, self.body);
    }
}

/// Whether a release or an acquire may order accesses of its own thread on a model though no thread communicates by it. It
/// does not where the model keeps the program order of all pairs but writes before reads, which is what both order there
/// anyway; nor where they order by happens-before alone, as in a language: what a fence there orders by a counter that is not
/// seen it orders without the counter, too.
pub fn orders_by_itself(model: &Model) -> bool {
    let kinds = [
        (BaseSet::R, BaseSet::R),
        (BaseSet::R, BaseSet::W),
        (BaseSet::W, BaseSet::W),
    ];
    let keeps_order = pattern::acyclic_unions(model).any(|parts| {
        let keeps = |(first, second)| pattern::keeps(model, &parts, first, second);
        kinds.iter().map(|(a, b)| (a, b)).all(keeps)
    });
    !keeps_order && pattern::happens_before(model).is_none()
}

fn register(proc: &mut Proc, width: u8) -> LocalId {
    proc.locals.push(Local {
        name: String::new(),
        width,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_order_by_themselves_where_fences_are_made_of_them() {
        for (name, _) in cat::names() {
            let model = cat::builtin(name).expect("the model is built in");
            let does_not = ["sc", "tso", "rc11"].contains(&name);
            assert_eq!(orders_by_itself(&model), !does_not, "{name}");
        }
    }
}

//! Random small programs, judged by operational machines and by the checker.
//!
//! A program of two or three threads is generated as data, once run on explicit machines with
//! store buffers (SC, TSO, PSO: all interleavings, all flushes) that share nothing with the tool,
//! and once built as an intermediate-language program, which is checked and enumerated. Whether a
//! chosen final state is reachable must be the same, for both order backends; what is reachable on
//! a stronger model must be on a weaker one; counterexamples are re-validated by the checker
//! itself. Enumeration must find exactly the final states of the machines.

use proptest::prelude::*;
use std::collections::{BTreeSet, VecDeque};
use support::pipeline::{Subject, checking, on_any_model, states};
use support::random::{properties, random_cases};
use support::{builtin, models};
use wmbmc::base::idx::IdVec;
use wmbmc::base::source::{SourceMap, Span};
use wmbmc::check::bmc::CheckOptions;
use wmbmc::check::outcome::Verdict;
use wmbmc::encode::order::Backend;
use wmbmc::enumerate::Enumeration;
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::pair::{Pair, PairAccess};
use wmbmc::ir::program::*;
use wmbmc::unroll;

const VARS: usize = 2;
const REGS: usize = 2;

/// An instruction of a thread.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    Load {
        reg: usize,
        var: usize,
    },
    Store {
        var: usize,
        value: u8,
    },
    StoreReg {
        var: usize,
        reg: usize,
    },
    /// Store to the variable that a register selects.
    StoreAt {
        reg: usize,
        value: u8,
    },
    Exchange {
        reg: usize,
        var: usize,
        value: u8,
    },
    Cas {
        reg: usize,
        var: usize,
        expected: u8,
        desired: u8,
    },
    /// Both variables as one word, into both registers.
    LoadBoth,
    StoreBoth {
        values: [u8; 2],
    },
    ExchangeBoth {
        values: [u8; 2],
    },
    CasBoth {
        expected: [u8; 2],
        desired: [u8; 2],
    },
    Fence,
    /// Skip the next instruction unless the register is zero.
    IfZero {
        reg: usize,
    },
}

type Threads = Vec<Vec<Act>>;

fn act() -> impl Strategy<Value = Act> {
    let (reg, var, value) = (0..REGS, 0..VARS, 1u8..3);
    prop_oneof![
        4 => (reg.clone(), var.clone()).prop_map(|(reg, var)| Act::Load { reg, var }),
        4 => (var.clone(), value.clone()).prop_map(|(var, value)| Act::Store { var, value }),
        1 => (var.clone(), reg.clone()).prop_map(|(var, reg)| Act::StoreReg { var, reg }),
        1 => (reg.clone(), value.clone()).prop_map(|(reg, value)| Act::StoreAt { reg, value }),
        1 => (reg.clone(), var.clone(), value.clone())
            .prop_map(|(reg, var, value)| Act::Exchange { reg, var, value }),
        1 => (reg.clone(), var, 0u8..2, value)
            .prop_map(|(reg, var, expected, desired)| Act::Cas { reg, var, expected, desired }),
        1 => Just(Act::Fence),
        1 => reg.prop_map(|reg| Act::IfZero { reg }),
    ]
}

/// The same, and accesses of both variables at once.
fn mixed_act() -> impl Strategy<Value = Act> {
    let both = || [0u8..2, 1u8..3];
    let swap = || (both(), both());
    prop_oneof![
        4 => act(),
        2 => Just(Act::LoadBoth),
        2 => both().prop_map(|values| Act::StoreBoth { values }),
        1 => both().prop_map(|values| Act::ExchangeBoth { values }),
        1 => swap().prop_map(|(expected, desired)| Act::CasBoth { expected, desired }),
    ]
}

fn program() -> impl Strategy<Value = (Threads, Vec<u8>)> {
    program_of(act)
}

fn program_of<S: Strategy<Value = Act>>(
    act: fn() -> S,
) -> impl Strategy<Value = (Threads, Vec<u8>)> {
    (2usize..4).prop_flat_map(move |threads| {
        let length = if threads == 2 { 1..5 } else { 1..4 };
        (
            prop::collection::vec(prop::collection::vec(act(), length), threads),
            prop::collection::vec(0u8..3, threads * REGS + VARS),
        )
    })
}

// ---- the machines -------------------------------------------------------------------------

#[derive(Clone, Copy, PartialEq, Debug)]
enum Machine {
    Sc,
    Tso,
    Pso,
}

/// A store in a buffer: what it writes to which variables, at one point.
type Stored = [Option<u8>; VARS];

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Config {
    pc: Vec<usize>,
    regs: Vec<[u8; REGS]>,
    /// By thread, the oldest store first.
    buffers: Vec<VecDeque<Stored>>,
    memory: [u8; VARS],
}

/// All final values of registers and memory, in the order of a wish: registers, then variables.
fn outcomes(threads: &Threads, machine: Machine) -> BTreeSet<Vec<u8>> {
    let start = Config {
        pc: vec![0; threads.len()],
        regs: vec![[0; REGS]; threads.len()],
        buffers: vec![VecDeque::new(); threads.len()],
        memory: [0; VARS],
    };
    let (mut seen, mut work) = (BTreeSet::from([start.clone()]), vec![start]);
    let mut out = BTreeSet::new();
    while let Some(c) = work.pop() {
        let mut next = Vec::new();
        for t in 0..threads.len() {
            for i in 0..c.buffers[t].len() {
                // On PSO a store overtakes those to other variables.
                let older = c.buffers[t].range(..i);
                let in_order = |other: &Stored| {
                    machine == Machine::Tso
                        || other
                            .iter()
                            .zip(&c.buffers[t][i])
                            .any(|(a, b)| a.is_some() && b.is_some())
                };
                if older.filter(|o| in_order(o)).count() == 0 {
                    let mut d = c.clone();
                    if let Some(stored) = d.buffers[t].remove(i) {
                        set(&mut d.memory, stored);
                    }
                    next.push(d);
                }
            }
        }
        for (t, acts) in threads.iter().enumerate() {
            if let Some(act) = acts.get(c.pc[t]) {
                next.extend(step(&c, t, *act, machine));
            }
        }
        if next.is_empty() {
            let mut state: Vec<u8> = c.regs.iter().flatten().copied().collect();
            state.extend(c.memory);
            out.insert(state);
        }
        for d in next {
            if seen.insert(d.clone()) {
                work.push(d);
            }
        }
    }
    out
}

fn set(memory: &mut [u8; VARS], stored: Stored) {
    for (place, value) in memory.iter_mut().zip(stored) {
        *place = value.unwrap_or(*place);
    }
}

fn step(c: &Config, t: usize, act: Act, machine: Machine) -> Option<Config> {
    let mut d = c.clone();
    d.pc[t] += 1;
    let empty = c.buffers[t].is_empty();
    let write = |d: &mut Config, stored: Stored| match machine {
        Machine::Sc => set(&mut d.memory, stored),
        _ => d.buffers[t].push_back(stored),
    };
    let one =
        |var: usize, value: u8| -> Stored { std::array::from_fn(|v| (v == var).then_some(value)) };
    let read = |var: usize| {
        let mut stored = c.buffers[t].iter().rev().filter_map(|stored| stored[var]);
        stored.next().unwrap_or(c.memory[var])
    };
    match act {
        Act::Load { reg, var } => d.regs[t][reg] = read(var),
        Act::Store { var, value } => write(&mut d, one(var, value)),
        Act::StoreReg { var, reg } => write(&mut d, one(var, c.regs[t][reg])),
        Act::StoreAt { reg, value } => {
            let var = usize::from(c.regs[t][reg] != 0);
            write(&mut d, one(var, value));
        }
        Act::Fence => return empty.then_some(d),
        Act::Exchange { reg, var, value } => {
            d.regs[t][reg] = d.memory[var];
            d.memory[var] = value;
            return empty.then_some(d);
        }
        Act::Cas {
            reg,
            var,
            expected,
            desired,
        } => {
            d.regs[t][reg] = d.memory[var];
            if d.memory[var] == expected {
                d.memory[var] = desired;
            }
            return empty.then_some(d);
        }
        Act::LoadBoth => d.regs[t] = std::array::from_fn(read),
        Act::StoreBoth { values } => write(&mut d, values.map(Some)),
        Act::ExchangeBoth { values } => {
            d.regs[t] = d.memory;
            d.memory = values;
            return empty.then_some(d);
        }
        Act::CasBoth { expected, desired } => {
            d.regs[t] = d.memory;
            if d.memory == expected {
                d.memory = desired;
            }
            return empty.then_some(d);
        }
        Act::IfZero { reg } => {
            if c.regs[t][reg] != 0 {
                d.pc[t] += 1;
            }
        }
    }
    Some(d)
}

// ---- the same program in the intermediate language ----------------------------------------

struct Builder {
    /// Bits of a variable: of both together, an access is one of 16 bits, or of two words.
    bits: Width,
    program: Program,
    span: Span,
    vars: GlobalId,
    outs: GlobalId,
}

/// Variables of a byte, or of a word.
const BYTE: Width = 8;
const WORD: Width = 64;

/// Both variables as one word.
fn word(values: [u8; VARS]) -> Expr {
    Expr::constant(u64::from(u16::from_le_bytes(values)), 16)
}

impl Builder {
    /// How many instructions an act is.
    fn length(&self, act: &Act) -> usize {
        match act {
            Act::LoadBoth | Act::ExchangeBoth { .. } | Act::CasBoth { .. } if self.bits == BYTE => {
                1 + REGS
            }
            _ => 1,
        }
    }

    fn number(&self, v: u8) -> Expr {
        Expr::constant(u64::from(v), self.bits)
    }

    fn at(&self, g: GlobalId, i: usize) -> Expr {
        let offset = i as u64 * u64::from(self.bits) / 8;
        Expr::binary(BinOp::Add, Expr::Global(g), Expr::constant(offset, 64))
    }

    fn new(bits: Width, threads: usize, sources: &mut SourceMap) -> Builder {
        let file = sources.add("random", "");
        let span = Span {
            file,
            start: 0,
            end: 0,
        };
        let mut program = Program::default();
        let elem = program.layouts.push(Layout::Scalar { width: bits });
        let mut array = |name: &str, count: usize| {
            let layout = program.layouts.push(Layout::Array {
                elem,
                count: count as u64,
            });
            program.globals.push(Global {
                name: name.into(),
                span,
                layout,
                init: Vec::new(),
                thread_local: false,
            })
        };
        let (vars, outs) = (array("v", VARS), array("out", threads * REGS));
        Builder {
            bits,
            program,
            span,
            vars,
            outs,
        }
    }

    fn proc(
        &mut self,
        name: &str,
        params: Vec<LocalId>,
        locals: IdVec<LocalId, Local>,
        body: Vec<Op>,
    ) -> ProcId {
        let span = self.span;
        let body = body.into_iter().map(|op| Instr { span, op }).collect();
        self.program.procs.push(Proc {
            name: name.into(),
            span,
            params,
            locals,
            body,
            returns: None,
        })
    }

    fn thread(&mut self, t: usize, acts: &[Act]) -> ProcId {
        let mut locals = IdVec::new();
        let arg = locals.push(Local {
            name: "arg".into(),
            width: 64,
        });
        let regs: Vec<LocalId> = (0..REGS)
            .map(|i| {
                locals.push(Local {
                    name: format!("r{i}"),
                    width: self.bits,
                })
            })
            .collect();
        let mut body: Vec<Op> = regs
            .iter()
            .map(|r| Op::Assign {
                dst: *r,
                value: self.number(0),
            })
            .collect();
        let both = locals.push(Local {
            name: "both".into(),
            width: 16,
        });
        for (i, act) in acts.iter().enumerate() {
            let skip = REGS
                + acts
                    .iter()
                    .take(i + 2)
                    .map(|a| self.length(a))
                    .sum::<usize>();
            body.push(self.act(*act, &regs, both, skip));
            if self.length(act) > 1 {
                let high = Expr::binary(BinOp::Lshr, Expr::Local(both), Expr::constant(8, 16));
                for (dst, half) in regs.iter().zip([Expr::Local(both), high]) {
                    body.push(Op::Assign {
                        dst: *dst,
                        value: Expr::Cast(Cast::Truncate, 8, Box::new(half)),
                    });
                }
            }
        }
        for (i, r) in regs.iter().enumerate() {
            let addr = self.at(self.outs, t * REGS + i);
            body.push(Op::Store {
                addr,
                value: Expr::Local(*r),
                order: MemoryOrder::Plain,
            });
        }
        self.proc(&format!("t{t}"), vec![arg], locals, body)
    }

    fn act(&self, act: Act, regs: &[LocalId], both: LocalId, skip: usize) -> Op {
        let (vars, order) = (self.vars, MemoryOrder::Relaxed);
        let nonzero = |reg: usize| Expr::binary(BinOp::Ne, Expr::Local(regs[reg]), self.number(0));
        if self.bits == WORD
            && let Some(access) = self.pair(act, regs)
        {
            let addr = self.at(vars, 0);
            return Op::Pair(Pair { addr, access });
        }
        match act {
            Act::Load { reg, var } => Op::Load {
                dst: regs[reg],
                addr: self.at(vars, var),
                order,
            },
            Act::Store { var, value } => Op::Store {
                addr: self.at(vars, var),
                value: self.number(value),
                order,
            },
            Act::StoreReg { var, reg } => Op::Store {
                addr: self.at(vars, var),
                value: Expr::Local(regs[reg]),
                order,
            },
            Act::StoreAt { reg, value } => {
                let index = Expr::Cast(Cast::Zero, 64, Box::new(nonzero(reg)));
                let size = Expr::constant(u64::from(self.bits) / 8, 64);
                let index = Expr::binary(BinOp::Mul, index, size);
                let addr = Expr::binary(BinOp::Add, Expr::Global(vars), index);
                Op::Store {
                    addr,
                    value: self.number(value),
                    order,
                }
            }
            Act::Exchange { reg, var, value } => Op::Rmw {
                dst: regs[reg],
                addr: self.at(vars, var),
                op: RmwOp::Exchange,
                operand: self.number(value),
                order: MemoryOrder::SeqCst,
            },
            Act::Cas {
                reg,
                var,
                expected,
                desired,
            } => Op::Cas {
                dst: regs[reg],
                addr: self.at(vars, var),
                expected: self.number(expected),
                desired: self.number(desired),
                success: order,
                failure: order,
                weak: None,
            },
            Act::LoadBoth => Op::Load {
                dst: both,
                addr: self.at(vars, 0),
                order,
            },
            Act::StoreBoth { values } => Op::Store {
                addr: self.at(vars, 0),
                value: word(values),
                order,
            },
            Act::ExchangeBoth { values } => Op::Rmw {
                dst: both,
                addr: self.at(vars, 0),
                op: RmwOp::Exchange,
                operand: word(values),
                order: MemoryOrder::SeqCst,
            },
            Act::CasBoth { expected, desired } => Op::Cas {
                dst: both,
                addr: self.at(vars, 0),
                expected: word(expected),
                desired: word(desired),
                success: order,
                failure: order,
                weak: None,
            },
            Act::Fence => Op::Fence(Fence::C11(MemoryOrder::SeqCst)),
            Act::IfZero { reg } => Op::Goto {
                cond: Some(nonzero(reg)),
                target: skip,
            },
        }
    }

    /// An access of both words.
    fn pair(&self, act: Act, regs: &[LocalId]) -> Option<PairAccess> {
        let (dst, order) = ([regs[0], regs[1]], MemoryOrder::Relaxed);
        let both = |values: [u8; 2]| values.map(|v| self.number(v));
        Some(match act {
            Act::LoadBoth => PairAccess::Load { dst, order },
            Act::StoreBoth { values } => PairAccess::Store {
                value: both(values),
                order,
            },
            Act::ExchangeBoth { values } => PairAccess::Exchange {
                dst,
                value: both(values),
                order: MemoryOrder::SeqCst,
            },
            Act::CasBoth { expected, desired } => PairAccess::Cas {
                dst,
                expected: both(expected),
                desired: both(desired),
                success: order,
                failure: order,
                weak: None,
            },
            _ => return None,
        })
    }

    fn main(&mut self, procs: &[ProcId], wish: &[u8]) {
        let mut locals = IdVec::new();
        let mut register = |width| {
            locals.push(Local {
                name: String::new(),
                width,
            })
        };
        let handles: Vec<LocalId> = procs.iter().map(|_| register(64)).collect();
        let mut body = Vec::new();
        for (proc, dst) in procs.iter().zip(&handles) {
            body.push(Op::Spawn {
                dst: *dst,
                callee: Callee::Proc(*proc),
                arg: Expr::constant(0, 64),
            });
        }
        for h in &handles {
            body.push(Op::Join {
                handle: Expr::Local(*h),
                dst: None,
            });
        }
        let mut wished = Expr::constant(1, 1);
        let outs = (0..procs.len() * REGS).map(|i| self.at(self.outs, i));
        let vars = (0..VARS).map(|i| self.at(self.vars, i));
        for (addr, value) in outs.chain(vars).zip(wish) {
            let dst = register(self.bits);
            body.push(Op::Load {
                dst,
                addr,
                order: MemoryOrder::Plain,
            });
            let same = Expr::binary(BinOp::Eq, Expr::Local(dst), self.number(*value));
            wished = Expr::binary(BinOp::And, wished, same);
        }
        let property = Property::new(Rule::Assertion, "!wished");
        body.push(Op::Assert {
            cond: Expr::Unary(UnOp::Not, Box::new(wished)),
            property,
        });
        let main = self.proc("main", Vec::new(), locals, body);
        self.program.main = Some(main);
    }
}

/// The program with a main that creates the threads and asks for what the machines answer.
fn observing(threads: &Threads, bits: Width) -> Program {
    let mut builder = Builder::new(bits, threads.len(), &mut SourceMap::default());
    let acts = threads.iter().enumerate();
    let procs: Vec<ProcId> = acts.map(|(t, acts)| builder.thread(t, acts)).collect();
    let (name, width) = (String::new(), 64);
    let locals: IdVec<LocalId, Local> = [Local { name, width }].into_iter().collect();
    let spawn = |p: &ProcId| Op::Spawn {
        dst: LocalId(0),
        callee: Callee::Proc(*p),
        arg: Expr::constant(0, 64),
    };
    let body = procs.iter().map(spawn).collect();
    let main = builder.proc("main", Vec::new(), locals, body);
    let (outs, vars) = (builder.outs, builder.vars);
    let cells = (0..threads.len() * REGS).map(|i| (outs, i));
    for (global, i) in cells.chain((0..VARS).map(|i| (vars, i))) {
        builder.program.observables.push(Observable::Memory {
            global,
            offset: i as u64 * u64::from(bits) / 8,
            width: bits,
        });
    }
    builder.program.main = Some(main);
    builder.program
}

/// Final states as enumeration finds them, for the models of the machines.
fn enumerated(threads: &Threads, bits: Width) -> Option<Vec<BTreeSet<Vec<u8>>>> {
    let models = ["sc", "tso", "pso"].map(builtin);
    let subject = Subject::from(observing(threads, bits));
    let all = subject.enumerate(&models, Bounds::all(1), &[], 20_000);
    let bytes = |e: &Enumeration| {
        let bytes = |state: Vec<u64>| state.iter().map(|v| *v as u8).collect();
        states(e).into_iter().map(bytes).collect()
    };
    let complete = all.iter().all(Enumeration::is_complete);
    complete.then(|| all.iter().map(bytes).collect())
}

fn reachable(threads: &Threads, wish: &[u8], (bits, order): (Width, Backend)) -> Vec<bool> {
    let mut sources = SourceMap::default();
    let mut builder = Builder::new(bits, threads.len(), &mut sources);
    let procs: Vec<ProcId> = threads
        .iter()
        .enumerate()
        .map(|(t, acts)| builder.thread(t, acts))
        .collect();
    builder.main(&procs, wish);
    let program = builder.program;
    let subject = Subject { sources, program };
    let graph = subject.unroll(&on_any_model(Bounds::all(1)));
    let options = CheckOptions {
        order,
        ..checking(&[PropertyKind::Assertion, PropertyKind::Memory])
    };
    let verdict = |name: &&str| match subject.check(&graph, &builtin(name), &options).verdict {
        Verdict::Safe => false,
        Verdict::Unsafe(_) => true,
        other => {
            let shown = unroll::show::show(&graph, &subject.sources);
            panic!("{name}: {other:?}\n{shown}")
        }
    };
    models().iter().map(verdict).collect()
}

fn agree(threads: &Threads, wish: &[u8], how: (Width, Backend)) {
    let found = reachable(threads, wish, how);
    for (i, machine) in [Machine::Sc, Machine::Tso, Machine::Pso]
        .into_iter()
        .enumerate()
    {
        let expected = outcomes(threads, machine).contains(wish);
        assert_eq!(
            found[i],
            expected,
            "{} on {threads:?} with {wish:?}",
            models()[i]
        );
    }
    assert!(
        !found[2] || found[3],
        "PSO allows what RMO forbids: {threads:?} with {wish:?}"
    );
}

/// A wish that some machine reaches, so that not all answers are "unreachable".
fn aim(threads: &Threads, wish: &[u8]) -> Vec<u8> {
    let all = outcomes(threads, Machine::Pso);
    let index = wish.iter().fold(0usize, |acc, w| acc * 3 + usize::from(*w));
    all.iter()
        .nth(index % all.len())
        .cloned()
        .unwrap_or_else(|| wish.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 2000, ..properties(random_cases(150)) })]

    #[test]
    fn the_checker_agrees_with_the_machines((threads, wish) in program()) {
        agree(&threads, &wish, (BYTE, Backend::Matrix));
        agree(&threads, &aim(&threads, &wish), (BYTE, Backend::Matrix));
    }

    #[test]
    fn enumeration_agrees_with_the_machines((threads, _) in program()) {
        let machines = [Machine::Sc, Machine::Tso, Machine::Pso];
        for (machine, found) in machines.into_iter().zip(enumerated(&threads, BYTE).unwrap_or_default()) {
            prop_assert_eq!(found, outcomes(&threads, machine), "{:?}", machine);
        }
    }

    #[test]
    fn clocks_agree_too((threads, wish) in program()) {
        agree(&threads, &aim(&threads, &wish), (BYTE, Backend::Clocks));
    }

    #[test]
    fn accesses_of_different_sizes((threads, wish) in program_of(mixed_act)) {
        let order = [Backend::Matrix, Backend::Clocks][usize::from(wish[0] % 2)];
        agree(&threads, &wish, (BYTE, order));
        agree(&threads, &aim(&threads, &wish), (BYTE, Backend::Matrix));
        let lazy = reachable(&threads, &wish, (BYTE, Backend::Lazy));
        prop_assert_eq!(lazy, reachable(&threads, &wish, (BYTE, Backend::Matrix)));
    }

    #[test]
    fn enumeration_of_accesses_of_different_sizes((threads, _) in program_of(mixed_act)) {
        let machines = [Machine::Sc, Machine::Tso, Machine::Pso];
        for (machine, found) in machines.into_iter().zip(enumerated(&threads, BYTE).unwrap_or_default()) {
            prop_assert_eq!(found, outcomes(&threads, machine), "{:?}", machine);
        }
    }

    #[test]
    fn accesses_of_two_words((threads, wish) in program_of(mixed_act)) {
        let order = [Backend::Matrix, Backend::Clocks, Backend::Lazy][usize::from(wish[0] % 3)];
        agree(&threads, &wish, (WORD, order));
        agree(&threads, &aim(&threads, &wish), (WORD, Backend::Matrix));
    }

    #[test]
    fn enumeration_of_accesses_of_two_words((threads, _) in program_of(mixed_act)) {
        let machines = [Machine::Sc, Machine::Tso, Machine::Pso];
        for (machine, found) in machines.into_iter().zip(enumerated(&threads, WORD).unwrap_or_default()) {
            prop_assert_eq!(found, outcomes(&threads, machine), "{:?}", machine);
        }
    }

    #[test]
    fn axioms_judged_lazily_agree_too((threads, wish) in program()) {
        for wish in [&aim(&threads, &wish), &wish] {
            let eager = reachable(&threads, wish, (BYTE, Backend::Matrix));
            prop_assert_eq!(reachable(&threads, wish, (BYTE, Backend::Lazy)), eager);
        }
    }
}

#[test]
fn store_buffering() {
    let side = |a: usize| {
        vec![
            Act::Store { var: a, value: 1 },
            Act::Load { reg: 0, var: 1 - a },
        ]
    };
    for order in [Backend::Matrix, Backend::Clocks, Backend::Lazy] {
        let found = reachable(&vec![side(0), side(1)], &[0, 0, 0, 0, 1, 1], (BYTE, order));
        assert_eq!(
            found,
            [
                false, true, true, true, true, true, true, true, true, true, true
            ]
        );
    }
}

//! Two engines, one answer: every execution one by one against the solver.
//!
//! Random small programs of two to four threads, with branches, dependencies through address, data
//! and control, fences of every machine, atomics of every order, read-modify-writes, linked loads
//! and atomic groups, are built as intermediate-language programs. For each built-in model the set
//! of final states that enumeration finds must be the set the solver finds. And the models must be
//! ordered: what SC allows TSO allows, and so on; a fence never adds a state.
//!
//! `WMBMC_RANDOM_CASES=20000` runs longer.

use proptest::prelude::*;
use support::builtin;
use support::pipeline::{States, Subject, on_any_model, states};
use support::random::{properties, random_cases};
use wmbmc::base::idx::{Id, IdVec};
use wmbmc::base::source::{SourceMap, Span};
use wmbmc::cat::model::Model;
use wmbmc::encode::Reductions;
use wmbmc::encode::order::Backend;
use wmbmc::enumerate::Enumeration;
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::*;
use wmbmc::ir::validate;

const VARS: usize = 3;
const REGS: usize = 3;

/// Instructions of a thread. Registers and variables are bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    Load(usize, usize, MemoryOrder),
    /// From the variable `var + (reg & 1)`.
    LoadAt(usize, usize, usize),
    /// From `var`, with a dependency on a register that changes nothing.
    LoadFake(usize, usize, usize),
    Store(usize, u8, MemoryOrder),
    StoreReg(usize, usize),
    StoreFake(usize, usize, u8),
    StoreAt(usize, usize, u8),
    Rmw(usize, usize, RmwOp, u8, MemoryOrder),
    Cas(usize, usize, u8, u8, MemoryOrder, MemoryOrder),
    /// The next register receives whether it stored; it may be weak, on linked machines alone.
    WeakCas(usize, usize, u8, u8, MemoryOrder, MemoryOrder, bool),
    /// The memory order is the value of a register: relaxed, acquire, or sequentially consistent.
    LoadOrdered(usize, usize, usize),
    /// Likewise of a store: relaxed, release, or sequentially consistent.
    StoreOrdered(usize, u8, usize),
    Linked(usize, usize),
    Conditional(usize, usize, u8),
    /// Reads and writes as one.
    Group(usize, usize, u8),
    /// Reads two variables at once, in a group without fences or in that of all threads.
    Reads(usize, usize, Atomicity),
    /// Writes two variables at once, in a group without fences.
    Writes(usize, u8),
    Fence(Fence),
    /// Skips some instructions when the register is not zero.
    Branch(usize, usize),
    /// Nothing; what a fence may be put in place of.
    Nothing,
}

type Threads = Vec<Vec<Act>>;

fn order() -> impl Strategy<Value = MemoryOrder> {
    prop_oneof![
        6 => Just(MemoryOrder::Plain),
        2 => Just(MemoryOrder::Relaxed),
        1 => Just(MemoryOrder::Acquire),
        1 => Just(MemoryOrder::Release),
        1 => Just(MemoryOrder::SeqCst),
    ]
}

fn rmw_order() -> impl Strategy<Value = MemoryOrder> {
    prop_oneof![
        Just(MemoryOrder::Relaxed),
        Just(MemoryOrder::Acquire),
        Just(MemoryOrder::Release),
        Just(MemoryOrder::AcqRel),
        Just(MemoryOrder::SeqCst),
        Just(MemoryOrder::Locked),
    ]
}

/// What a failing compare-exchange may have.
fn load_order() -> impl Strategy<Value = MemoryOrder> {
    prop_oneof![
        Just(MemoryOrder::Relaxed),
        Just(MemoryOrder::Acquire),
        Just(MemoryOrder::SeqCst),
    ]
}

fn fence() -> impl Strategy<Value = Fence> {
    let membar = any::<[bool; 4]>().prop_map(|[a, b, c, d]| Fence::Membar {
        load_load: a,
        load_store: b,
        store_load: c,
        store_store: d,
    });
    prop_oneof![
        2 => Just(Fence::Mfence),
        1 => Just(Fence::Sfence),
        1 => Just(Fence::Lfence),
        2 => Just(Fence::Sync),
        2 => Just(Fence::Lwsync),
        2 => Just(Fence::Isync),
        1 => Just(Fence::Eieio),
        2 => membar,
        1 => order().prop_map(Fence::C11),
        1 => Just(Fence::C11(MemoryOrder::AcqRel)),
        1 => Just(Fence::Posix),
    ]
}

fn act() -> impl Strategy<Value = Act> {
    let (reg, var, value) = (0..REGS, 0..VARS, 1u8..3);
    let op = prop_oneof![Just(RmwOp::Exchange), Just(RmwOp::Add), Just(RmwOp::Xor)];
    prop_oneof![
        6 => (reg.clone(), var.clone(), order()).prop_map(|(r, v, o)| Act::Load(r, v, o)),
        6 => (var.clone(), value.clone(), order()).prop_map(|(v, n, o)| Act::Store(v, n, o)),
        1 => (reg.clone(), 0..VARS - 1, reg.clone()).prop_map(|(r, v, i)| Act::LoadAt(r, v, i)),
        2 => (reg.clone(), var.clone(), reg.clone()).prop_map(|(r, v, i)| Act::LoadFake(r, v, i)),
        2 => (var.clone(), reg.clone()).prop_map(|(v, r)| Act::StoreReg(v, r)),
        2 => (var.clone(), reg.clone(), value.clone())
            .prop_map(|(v, r, n)| Act::StoreFake(v, r, n)),
        1 => (0..VARS - 1, reg.clone(), value.clone()).prop_map(|(v, r, n)| Act::StoreAt(v, r, n)),
        1 => (reg.clone(), var.clone(), op, value.clone(), rmw_order())
            .prop_map(|(r, v, op, n, o)| Act::Rmw(r, v, op, n, o)),
        1 => (reg.clone(), var.clone(), 0u8..2, value.clone(), rmw_order(), load_order())
            .prop_map(|(r, v, e, d, o, f)| Act::Cas(r, v, e, d, o, f)),
        1 => (reg.clone(), var.clone(), 0u8..2, value.clone(), rmw_order(), load_order(), any::<bool>())
            .prop_map(|(r, v, e, d, o, f, m)| Act::WeakCas(r, v, e, d, o, f, m)),
        1 => (reg.clone(), var.clone(), reg.clone()).prop_map(|(r, v, i)| Act::LoadOrdered(r, v, i)),
        1 => (var.clone(), value.clone(), reg.clone()).prop_map(|(v, n, i)| Act::StoreOrdered(v, n, i)),
        1 => (reg.clone(), var.clone()).prop_map(|(r, v)| Act::Linked(r, v)),
        1 => (reg.clone(), var.clone(), value.clone())
            .prop_map(|(r, v, n)| Act::Conditional(r, v, n)),
        1 => (reg.clone(), var.clone(), value.clone()).prop_map(|(r, v, n)| Act::Group(r, v, n)),
        2 => (reg.clone(), var.clone()).prop_map(|(r, v)| Act::Reads(r, v, Atomicity::Node)),
        1 => (reg.clone(), var.clone()).prop_map(|(r, v)| Act::Reads(r, v, Atomicity::Snapshot)),
        2 => (var.clone(), value).prop_map(|(v, n)| Act::Writes(v, n)),
        4 => fence().prop_map(Act::Fence),
        2 => (reg, 1usize..3).prop_map(|(r, n)| Act::Branch(r, n)),
    ]
}

/// At most eight accesses: more threads are shorter.
fn threads() -> impl Strategy<Value = Threads> {
    let any = (2usize..5).prop_flat_map(|count| {
        let longest = [6, 4, 3][count - 2];
        prop::collection::vec(prop::collection::vec(act(), 1..longest), count)
    });
    any.prop_map(|mut threads: Threads| {
        threads.iter_mut().for_each(|acts| look_once(acts));
        threads
    })
}

/// A thread has one part in the snapshot; its others are nodes.
fn look_once(acts: &mut [Act]) {
    let mut kinds = acts.iter_mut().filter_map(|act| match act {
        Act::Reads(_, _, kind) if *kind == Atomicity::Snapshot => Some(kind),
        _ => None,
    });
    kinds.next();
    kinds.for_each(|kind| *kind = Atomicity::Node);
}

// ---- the program --------------------------------------------------------------------------

fn byte(v: u8) -> Expr {
    Expr::constant(u64::from(v), 8)
}

fn wide(e: Expr) -> Expr {
    Expr::Cast(Cast::Zero, 64, Box::new(e))
}

fn plus(a: Expr, b: Expr) -> Expr {
    Expr::binary(BinOp::Add, a, b)
}

fn span() -> Span {
    let file = SourceMap::default().add("random", "");
    Span {
        file,
        start: 0,
        end: 0,
    }
}

fn subject(threads: &Threads) -> Subject {
    let program = program(threads);
    validate::check(&program).expect("the program is well formed");
    program.into()
}

fn program(threads: &Threads) -> Program {
    let mut program = Program::default();
    let elem = program.layouts.push(Layout::Scalar { width: 8 });
    let layout = program.layouts.push(Layout::Array {
        elem,
        count: VARS as u64,
    });
    let vars = program.globals.push(Global {
        name: "v".into(),
        span: span(),
        layout,
        init: Vec::new(),
        thread_local: false,
    });
    let mut procs = Vec::new();
    for (t, acts) in threads.iter().enumerate() {
        let observables: Vec<ObservableId> = (0..REGS)
            .map(|r| {
                program.observables.push(Observable::Register {
                    thread: t as u32,
                    name: format!("r{r}"),
                    width: 8,
                })
            })
            .collect();
        procs.push(program.procs.push(thread(t, acts, vars, &observables)));
    }
    for v in 0..VARS {
        program.observables.push(Observable::Memory {
            global: vars,
            offset: v as u64,
            width: 8,
        });
    }
    let mut locals = IdVec::new();
    let handle = locals.push(Local {
        name: String::new(),
        width: 64,
    });
    let spawn = |p: &ProcId| Op::Spawn {
        dst: handle,
        callee: Callee::Proc(*p),
        arg: Expr::constant(0, 64),
    };
    let body = procs.iter().map(spawn).collect();
    let main = program.procs.push(proc("main", Vec::new(), locals, body));
    program.main = Some(main);
    program
}

fn proc(name: &str, params: Vec<LocalId>, locals: IdVec<LocalId, Local>, body: Vec<Op>) -> Proc {
    let instr = |op| Instr { span: span(), op };
    Proc {
        name: name.into(),
        span: span(),
        params,
        locals,
        body: body.into_iter().map(instr).collect(),
        returns: None,
    }
}

fn thread(t: usize, acts: &[Act], vars: GlobalId, observables: &[ObservableId]) -> Proc {
    let mut locals = IdVec::new();
    let mut local = |width| {
        locals.push(Local {
            name: String::new(),
            width,
        })
    };
    let arg = local(64);
    let done = local(1);
    let regs: Vec<LocalId> = (0..REGS).map(|_| local(8)).collect();
    let mut body: Vec<Op> = Vec::new();
    for r in &regs {
        body.push(Op::Assign {
            dst: *r,
            value: byte(0),
        });
    }
    let mut starts = Vec::new();
    let mut jumps = Vec::new();
    for (i, act) in acts.iter().enumerate() {
        starts.push(body.len());
        if let Act::Branch(_, skip) = act {
            jumps.push((body.len(), (i + 1 + skip).min(acts.len())));
        }
        body.extend(ops(*act, vars, &regs, done));
    }
    starts.push(body.len());
    for (at, to) in jumps {
        if let Op::Goto { target, .. } = &mut body[at] {
            *target = starts[to];
        }
    }
    for (r, what) in regs.iter().zip(observables) {
        body.push(Op::Observe {
            what: *what,
            value: Expr::Local(*r),
        });
    }
    proc(&format!("t{t}"), vec![arg], locals, body)
}

/// The instruction that a value selects; the last for all others.
fn one_of(by: Expr, [first, second, rest]: [Op; 3]) -> Op {
    let is = |n| Expr::binary(BinOp::Eq, by.clone(), byte(n));
    let always = Expr::constant(1, 1);
    Op::OneOf(vec![(is(0), first), (is(1), second), (always, rest)])
}

fn ops(act: Act, vars: GlobalId, regs: &[LocalId], done: LocalId) -> Vec<Op> {
    let at = |v: usize| plus(Expr::Global(vars), Expr::constant(v as u64, 64));
    let reg = |r: usize| Expr::Local(regs[r]);
    let fake = |r: usize| Expr::binary(BinOp::Xor, reg(r), reg(r));
    let chosen = |v: usize, r: usize| {
        let bit = Expr::binary(BinOp::And, reg(r), byte(1));
        plus(at(v), wide(bit))
    };
    let plain = MemoryOrder::Plain;
    vec![match act {
        Act::Load(r, v, order) => Op::Load {
            dst: regs[r],
            addr: at(v),
            order,
        },
        Act::LoadAt(r, v, i) => Op::Load {
            dst: regs[r],
            addr: chosen(v, i),
            order: plain,
        },
        Act::LoadFake(r, v, i) => Op::Load {
            dst: regs[r],
            addr: plus(at(v), wide(fake(i))),
            order: plain,
        },
        Act::Store(v, n, order) => Op::Store {
            addr: at(v),
            value: byte(n),
            order,
        },
        Act::StoreReg(v, r) => Op::Store {
            addr: at(v),
            value: reg(r),
            order: plain,
        },
        Act::StoreFake(v, r, n) => Op::Store {
            addr: at(v),
            value: plus(fake(r), byte(n)),
            order: plain,
        },
        Act::StoreAt(v, r, n) => Op::Store {
            addr: chosen(v, r),
            value: byte(n),
            order: plain,
        },
        Act::Rmw(r, v, op, n, order) => Op::Rmw {
            dst: regs[r],
            addr: at(v),
            op,
            operand: byte(n),
            order,
        },
        Act::Cas(r, v, expected, desired, success, failure) => Op::Cas {
            dst: regs[r],
            addr: at(v),
            expected: byte(expected),
            desired: byte(desired),
            success,
            failure,
            weak: None,
        },
        Act::WeakCas(r, v, expected, desired, success, failure, machine) => {
            return vec![
                Op::Cas {
                    dst: regs[r],
                    addr: at(v),
                    expected: byte(expected),
                    desired: byte(desired),
                    success,
                    failure,
                    weak: Some(Weak {
                        done,
                        when: Expr::binary(BinOp::Ne, reg((r + 2) % REGS), byte(2)),
                        machine,
                    }),
                },
                Op::Assign {
                    dst: regs[(r + 1) % REGS],
                    value: Expr::Cast(Cast::Zero, 8, Box::new(Expr::Local(done))),
                },
            ];
        }
        Act::LoadOrdered(r, v, i) => {
            let way = |order| Op::Load {
                dst: regs[r],
                addr: at(v),
                order,
            };
            one_of(
                reg(i),
                [
                    MemoryOrder::Relaxed,
                    MemoryOrder::Acquire,
                    MemoryOrder::SeqCst,
                ]
                .map(way),
            )
        }
        Act::StoreOrdered(v, n, i) => {
            let way = |order| Op::Store {
                addr: at(v),
                value: byte(n),
                order,
            };
            one_of(
                reg(i),
                [
                    MemoryOrder::Relaxed,
                    MemoryOrder::Release,
                    MemoryOrder::SeqCst,
                ]
                .map(way),
            )
        }
        Act::Linked(r, v) => Op::LoadLinked {
            dst: regs[r],
            addr: at(v),
            order: MemoryOrder::Plain,
        },
        Act::Conditional(r, v, n) => {
            return vec![
                Op::StoreConditional {
                    dst: done,
                    addr: at(v),
                    value: byte(n),
                    order: MemoryOrder::Plain,
                },
                Op::Assign {
                    dst: regs[r],
                    value: Expr::Cast(Cast::Zero, 8, Box::new(Expr::Local(done))),
                },
            ];
        }
        Act::Group(r, v, n) => {
            return vec![
                Op::AtomicBegin(Atomicity::Section),
                Op::Load {
                    dst: regs[r],
                    addr: at(v),
                    order: plain,
                },
                Op::Store {
                    addr: at((v + 1) % VARS),
                    value: byte(n),
                    order: plain,
                },
                Op::AtomicEnd,
            ];
        }
        Act::Reads(r, v, kind) => {
            let load = |r: usize, v: usize| Op::Load {
                dst: regs[r % REGS],
                addr: at(v % VARS),
                order: plain,
            };
            let (first, second) = (load(r, v), load(r + 1, v + 1));
            return vec![Op::AtomicBegin(kind), first, second, Op::AtomicEnd];
        }
        Act::Writes(v, n) => {
            let store = |v: usize| Op::Store {
                addr: at(v % VARS),
                value: byte(n),
                order: plain,
            };
            let (first, second) = (store(v), store(v + 1));
            return vec![
                Op::AtomicBegin(Atomicity::Node),
                first,
                second,
                Op::AtomicEnd,
            ];
        }
        Act::Fence(fence) => Op::Fence(fence),
        Act::Branch(r, _) => Op::Goto {
            cond: Some(Expr::binary(BinOp::Ne, reg(r), byte(0))),
            target: 0,
        },
        Act::Nothing => Op::Assign {
            dst: regs[0],
            value: reg(0),
        },
    }]
}

// ---- the engines --------------------------------------------------------------------------

/// Those of machines: C11 does not know their fences.
fn names() -> Vec<&'static str> {
    let mut names = support::models();
    names.retain(|name| *name != "rc11");
    names
}

fn models() -> Vec<Model> {
    names().into_iter().map(builtin).collect()
}

fn enumerated(subject: &Subject, models: &[Model]) -> Option<Vec<Enumeration>> {
    let checks = [PropertyKind::Assertion, PropertyKind::Memory];
    let all = subject.enumerate(models, Bounds::all(1), &checks, 30_000);
    all.iter().all(Enumeration::is_complete).then_some(all)
}

fn solved(subject: &Subject, model: &Model) -> States {
    let graph = subject.unroll(&on_any_model(Bounds::all(1)));
    let states = subject.final_states(&graph, model, Backend::Matrix, Reductions::default());
    states.expect("there is no limit, no loop and no gap")
}

fn agree(threads: &Threads) {
    let (subject, models) = (subject(threads), models());
    let Some(answers) = enumerated(&subject, &models) else {
        return;
    };
    for (model, answer) in models.iter().zip(&answers) {
        let (one, two) = (states(answer), solved(&subject, model));
        let differ: Vec<&Vec<u64>> = one.symmetric_difference(&two).collect();
        assert!(
            differ.is_empty(),
            "{}: enumerated {one:?}, solved {two:?}, differ in {differ:?}: {threads:?}",
            model.name
        );
    }
}

/// Pairs of models of which the second allows all that the first does.
const WEAKER: [(usize, usize); 6] = [(0, 1), (1, 2), (2, 3), (0, 6), (0, 7), (0, 8)];

fn monotone(threads: &Threads, at: usize, fence: Fence) {
    let models = models();
    let Some(answers) = enumerated(&subject(threads), &models) else {
        return;
    };
    let all: Vec<States> = answers.iter().map(states).collect();
    // A sequentially consistent load is a plain one on PSO, where such stores have the fence, and has
    // a fence of its own on RMO. Behind a plain store that makes RMO the stronger of the two.
    let sc_load = |act: &Act| {
        matches!(
            act,
            Act::Load(_, _, MemoryOrder::SeqCst)
                | Act::LoadOrdered(..)
                | Act::Cas(_, _, _, _, _, MemoryOrder::SeqCst)
                | Act::WeakCas(_, _, _, _, _, MemoryOrder::SeqCst, _)
        )
    };
    let compiled_alike = !threads.iter().flatten().any(sc_load);
    let names = names();
    for (strong, weak) in WEAKER {
        assert!(
            (names[weak] == "rmo" && !compiled_alike) || all[strong].is_subset(&all[weak]),
            "{} allows more than {}: {threads:?}",
            names[strong],
            names[weak]
        );
    }
    let mut fenced = threads.clone();
    let thread = at % fenced.len();
    let place = at / fenced.len() % (fenced[thread].len() + 1);
    // Branches count instructions, so both programs have one more.
    fenced[thread].insert(place, Act::Nothing);
    let Some(before) = enumerated(&subject(&fenced), &models) else {
        return;
    };
    fenced[thread][place] = Act::Fence(fence);
    let Some(after) = enumerated(&subject(&fenced), &models) else {
        return;
    };
    for (model, (before, after)) in names.iter().zip(before.iter().zip(&after)) {
        assert!(
            states(after).is_subset(&states(before)),
            "{fence:?} adds a state on {model}: {fenced:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 3000, ..properties(random_cases(500)) })]

    #[test]
    fn the_engines_agree(threads in threads()) {
        agree(&threads);
    }

    #[test]
    fn weaker_models_allow_more_and_fences_less(
        threads in threads(), at in 0usize..60, fence in fence()
    ) {
        monotone(&threads, at, fence);
    }
}

#[test]
fn store_buffering() {
    let side = |a: usize| {
        vec![
            Act::Store(a, 1, MemoryOrder::Plain),
            Act::Load(0, 1 - a, MemoryOrder::Plain),
        ]
    };
    let threads = vec![side(0), side(1)];
    let answers = enumerated(&subject(&threads), &models()).expect("it is small");
    let weak = [0, 0, 0, 0, 0, 0, 1, 1, 0];
    for (name, answer) in names().iter().zip(&answers) {
        assert_eq!(
            answer.states.contains_key(&weak[..]),
            *name != "sc",
            "{name}"
        );
        assert_eq!(answer.states.len(), if *name == "sc" { 3 } else { 4 });
        assert_eq!(answer.candidates, 4);
    }
    agree(&threads);
}

/// A fence before a store, behind which a load is sequentially consistent.
#[test]
fn a_fence_before_a_store_adds_no_state() {
    let plain = MemoryOrder::Plain;
    let copy = vec![Act::StoreReg(2, 0), Act::Load(0, 0, MemoryOrder::SeqCst)];
    let group = vec![Act::Store(2, 1, plain), Act::Group(0, 2, 1)];
    monotone(&vec![copy, group], 0, Fence::Mfence);
}

/// The final states that a model allows, by both engines: registers of the threads, then variables.
fn allowed(threads: &Threads, model: &str) -> States {
    let models = [builtin(model)];
    let subject = subject(threads);
    let answers = enumerated(&subject, &models).expect("it is small");
    let (one, two) = (states(&answers[0]), solved(&subject, &models[0]));
    assert_eq!(one, two, "{model}: {threads:?}");
    one
}

/// A write waits in a buffer while its thread looks at two variables at one moment, and reaches
/// memory after what another thread has written to both at once.
#[test]
fn nodes_without_fences_are_no_points_of_coherence() {
    let threads = vec![
        vec![
            Act::Store(0, 1, MemoryOrder::Plain),
            Act::Reads(0, 0, Atomicity::Node),
        ],
        // The variables 0 and 1 become 2; the other thread's 1 comes last.
        vec![Act::Writes(0, 2)],
    ];
    let seen =
        |r0: u64, r1: u64, x: u64| move |s: &Vec<u64>| (s[0], s[1], s[2 * REGS]) == (r0, r1, x);
    for model in ["tso", "pso"] {
        assert!(
            allowed(&threads, model).iter().any(seen(1, 0, 1)),
            "{model}"
        );
    }
    // Without buffers the order of the three is that of the first variable.
    let sc = allowed(&threads, "sc");
    assert!(sc.iter().any(seen(1, 0, 2)) && sc.iter().any(seen(2, 2, 2)));
    assert!(sc.iter().any(seen(1, 2, 1)) && !sc.iter().any(seen(1, 0, 1)));
}

/// What is written at once is seen at once, and all threads look at one moment.
#[test]
fn nodes_and_snapshots_are_one_moment() {
    let writes = vec![Act::Writes(0, 1)];
    let node = vec![writes.clone(), vec![Act::Reads(0, 0, Atomicity::Node)]];
    let look = vec![Act::Reads(0, 0, Atomicity::Snapshot)];
    let snapshot = vec![writes, look.clone(), look];
    for model in ["sc", "tso", "pso"] {
        let of = |s: &Vec<u64>, t: usize| (s[t * REGS], s[t * REGS + 1]);
        for s in allowed(&node, model) {
            assert!(matches!(of(&s, 1), (0, 0) | (1, 1)), "{model}: {s:?}");
        }
        for s in allowed(&snapshot, model) {
            assert!(of(&s, 1) == of(&s, 2), "{model}: {s:?}");
        }
    }
}

/// Whatever is between two parts would be at the same moment, and a fence is at none.
#[test]
fn a_thread_has_one_part_in_the_snapshot() {
    let look = Act::Reads(0, 0, Atomicity::Snapshot);
    let reads = vec![Act::Load(0, 0, MemoryOrder::Plain)];
    let twice = vec![vec![look, Act::Fence(Fence::Mfence), look], reads];
    let refusal = validate::check(&program(&twice)).expect_err("there are two");
    assert!(refusal.contains("a second snapshot"), "{refusal}");
    subject(&vec![vec![look, Act::Nothing], vec![Act::Nothing, look]]);
}

#[test]
fn static_objects_are_where_the_unroller_has_them() {
    let subject = subject(&vec![vec![Act::Load(0, 0, MemoryOrder::Plain)]]);
    let graph = subject.unroll(&on_any_model(Bounds::all(1)));
    let program = &subject.program;
    for g in program.globals.ids() {
        assert_eq!(graph.statics[g], program.static_address(g), "{}", g.index());
    }
}

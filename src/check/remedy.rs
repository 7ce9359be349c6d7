//! What would forbid an execution that is not sequentially consistent: fences, or accesses that acquire or release, on
//! edges of its cycle. As little as does, in the words of the instruction set.
//!
//! The model judges this execution with them. Others may still be there: `wmbmc orders` looks for what forbids all.

use super::decode::Run;
use super::outcome::{CycleEdge, EdgeKind};
use base::bits::BitMatrix;
use cat::arch;
use cat::eval;
use cat::execution::{Access, Execution, ExecutionEvent};
use cat::model::{BaseRel, Model};
use ir::program::{Fence, FenceTag, Language, MemoryOrder};

/// A pair of positions in one thread that are not kept in order.
type Edge = (usize, usize);

/// Choices that are looked at: of four edges, as a rule. More edges get the strongest fence.
const MOST: usize = 4096;

/// What may be done about an edge.
#[derive(Clone, Debug)]
struct Fix {
    /// The instruction or the function.
    text: &'static str,
    /// Weights as those of [`crate::strengthen::cost`].
    cost: u32,
    change: Change,
}

#[derive(Clone, Debug)]
enum Change {
    /// A fence between the two.
    Fence(Fence),
    /// Another form of the first or the second access: a set that it is in, in place of another one.
    Access {
        first: bool,
        out: &'static str,
        into: &'static str,
    },
}

const fn fence(text: &'static str, fence: Fence, cost: u32) -> Fix {
    Fix {
        text,
        cost,
        change: Change::Fence(fence),
    }
}

const fn membar(text: &'static str, pairs: [bool; 4], cost: u32) -> Fix {
    let [load_load, load_store, store_load, store_store] = pairs;
    let pairs = Fence::Membar {
        load_load,
        load_store,
        store_load,
        store_store,
    };
    fence(text, pairs, cost)
}

/// The first access acquires.
const fn first(text: &'static str, out: &'static str, into: &'static str) -> Fix {
    let first = true;
    Fix {
        text,
        cost: 1,
        change: Change::Access { first, out, into },
    }
}

/// The second access releases.
const fn second(text: &'static str, out: &'static str, into: &'static str) -> Fix {
    Fix {
        cost: 2,
        change: Change::Access {
            first: false,
            out,
            into,
        },
        ..first(text, out, into)
    }
}

static X86: [Fix; 1] = [fence("mfence", Fence::Mfence, 10)];

static POWER: [Fix; 2] = [
    fence("lwsync", Fence::Lwsync, 4),
    fence("sync", Fence::Sync, 10),
];

static AARCH64: [Fix; 6] = [
    first("ldapr", "", "ACQUIRE-PC"),
    first("ldar", "", "ACQUIRE"),
    second("stlr", "", "RELEASE"),
    membar("dmb ishld", [true, true, false, false], 4),
    membar("dmb ishst", [false, false, false, true], 4),
    membar("dmb ish", [true; 4], 10),
];

static RISCV: [Fix; 8] = [
    membar("fence r,r", [true, false, false, false], 4),
    membar("fence r,w", [false, true, false, false], 4),
    membar("fence w,w", [false, false, false, true], 4),
    membar("fence r,rw", [true, true, false, false], 5),
    membar("fence rw,w", [false, true, false, true], 5),
    membar("fence.tso", [true, true, false, true], 8),
    membar("fence w,r", [false, false, true, false], 10),
    membar("fence rw,rw", [true; 4], 11),
];

static C11: [Fix; 6] = [
    first("memory_order_acquire", "RLX", "ACQ"),
    second("memory_order_release", "RLX", "REL"),
    fence(
        "atomic_thread_fence(memory_order_acquire)",
        Fence::C11(MemoryOrder::Acquire),
        4,
    ),
    fence(
        "atomic_thread_fence(memory_order_release)",
        Fence::C11(MemoryOrder::Release),
        4,
    ),
    fence(
        "atomic_thread_fence(memory_order_acq_rel)",
        Fence::C11(MemoryOrder::AcqRel),
        5,
    ),
    fence(
        "atomic_thread_fence(memory_order_seq_cst)",
        Fence::C11(MemoryOrder::SeqCst),
        10,
    ),
];

static KERNEL: [Fix; 5] = [
    first("smp_load_acquire", "ONCE", "ACQUIRE"),
    second("smp_store_release", "ONCE", "RELEASE"),
    fence("smp_rmb()", Fence::Annotated(&["RMB"]), 4),
    fence("smp_wmb()", Fence::Annotated(&["WMB"]), 4),
    fence("smp_mb()", Fence::Annotated(&["MB"]), 10),
];

/// What is done about some edges.
type Remedy = Vec<(Edge, &'static Fix)>;

/// What would forbid an execution with this cycle, as a sentence; `place` is where an event stands.
pub(super) fn remedy(
    (run, model): (&Run, &Model),
    execution: &Execution,
    cycle: &[CycleEdge],
    language: Language,
    place: &dyn Fn(usize) -> String,
) -> Option<String> {
    let fixes: &[Fix] = match language {
        _ if arch::is_kernel(model) => &KERNEL,
        Language::C => &C11,
        Language::X86 => &X86,
        Language::Power => &POWER,
        Language::Aarch64 => &AARCH64,
        Language::Riscv => &RISCV,
    };
    let in_program_order = cycle.iter().filter(|e| e.kind == EdgeKind::Po);
    let edges = |wanted: &dyn Fn(&CycleEdge) -> bool| -> Vec<Edge> {
        let edges = in_program_order.clone().filter(|e| wanted(e));
        edges.map(|e| (e.from, e.to)).collect()
    };
    let relaxed = edges(&|e| e.relaxed);
    let mut attempts: Vec<Vec<Edge>> = relaxed.iter().map(|e| vec![*e]).collect();
    attempts.extend([relaxed, edges(&|_| true)]);
    let nodes = run.nodes(model).ok()?;
    let mut found = attempts.into_iter().filter(|edges| !edges.is_empty());
    let remedy = found.find_map(|edges| cheapest(&edges, fixes, model, (execution, &nodes)))?;
    let words = remedy.iter().map(|((a, b), fix)| match fix.change {
        Change::Fence(_) => format!("`{}` between {} and {}", fix.text, place(*a), place(*b)),
        Change::Access { first, .. } => {
            let at = if first { a } else { b };
            format!("`{}` at {}", fix.text, place(*at))
        }
    });
    let words: Vec<String> = words.collect();
    Some(format!("{} would forbid this", words.join(" and ")))
}

/// The cheapest fixes, one for each edge, with which the model forbids an execution.
fn cheapest(
    edges: &[Edge],
    fixes: &'static [Fix],
    model: &Model,
    (execution, nodes): (&Execution, &[ExecutionEvent]),
) -> Option<Remedy> {
    let mut all: Vec<Remedy> = vec![Vec::new()];
    for edge in edges {
        let suits = |fix: &&'static Fix| is_apt(fix, *edge, (execution, nodes));
        let mut fixes: Vec<&'static Fix> = fixes.iter().filter(suits).collect();
        if all.len() * fixes.len() > MOST {
            fixes.drain(..fixes.len() - 1);
        }
        let longer = all.iter().flat_map(|remedy| {
            let fixes = fixes.iter();
            fixes.map(|fix| [remedy.as_slice(), &[(*edge, *fix)]].concat())
        });
        all = longer.collect();
    }
    all.sort_by_key(|remedy| remedy.iter().map(|(_, fix)| fix.cost).sum::<u32>());
    let forbids = |remedy: &Remedy| {
        let with = with_remedy(remedy, model, (execution, nodes));
        with.is_some_and(|with| eval(model, &with).is_err())
    };
    all.into_iter().find(forbids)
}

/// Whether a fence is for such an edge, in C, and whether its accesses have another form; that of a read-modify-write is
/// left as it is.
fn is_apt(fix: &Fix, (a, b): Edge, (execution, nodes): (&Execution, &[ExecutionEvent])) -> bool {
    let (loads, stores) = (
        nodes[a].access == Access::Read,
        nodes[b].access == Access::Write,
    );
    let (first, out) = match fix.change {
        Change::Fence(Fence::C11(MemoryOrder::Acquire)) => return loads,
        Change::Fence(Fence::C11(MemoryOrder::Release)) => return stores,
        Change::Fence(Fence::C11(MemoryOrder::AcqRel)) => return loads || stores,
        Change::Fence(_) => return true,
        Change::Access { first, out, .. } => (first, out),
    };
    let (at, access) = match first {
        true => (a, Access::Read),
        false => (b, Access::Write),
    };
    let is_update = [BaseRel::Rmw, BaseRel::Amo, BaseRel::Lxsx]
        .iter()
        .any(|rel| {
            let pairs = execution.rels.get(rel).map(BitMatrix::pairs);
            pairs.into_iter().flatten().any(|(x, y)| x == at || y == at)
        });
    let node = &nodes[at];
    let is_plain = match out {
        "" => !node
            .tags
            .iter()
            .any(|t| matches!(*t, "ACQUIRE" | "ACQUIRE-PC" | "RELEASE")),
        out => node.tags.contains(&out),
    };
    node.access == access && !is_update && is_plain
}

/// The execution with a remedy; `None` where the model does not know a fence of it.
fn with_remedy(
    remedy: &Remedy,
    model: &Model,
    (execution, nodes): (&Execution, &[ExecutionEvent]),
) -> Option<Execution> {
    let mut nodes = nodes.to_vec();
    let mut fences = Vec::new();
    for ((a, b), fix) in remedy {
        match &fix.change {
            Change::Fence(fence) => {
                let tags = arch::tags(model, FenceTag::Explicit(*fence)).ok()?;
                fences.push((*a, *b, tags));
            }
            Change::Access { first, out, into } => {
                let tags = &mut nodes[if *first { *a } else { *b }].tags;
                tags.retain(|tag| tag != out);
                tags.push(into);
            }
        }
    }
    let (old, n) = (execution.len, execution.len + fences.len());
    let derived = |rel: &BaseRel| {
        matches!(
            rel,
            BaseRel::Fr | BaseRel::Int | BaseRel::Ext | BaseRel::Loc | BaseRel::Rmw
        )
    };
    let kept = execution.rels.iter().filter(|(rel, _)| !derived(rel));
    let mut rels: std::collections::BTreeMap<BaseRel, BitMatrix> = kept
        .map(|(rel, pairs)| {
            let mut wide = BitMatrix::new(n);
            pairs.pairs().for_each(|(a, b)| wide.insert(a, b));
            (*rel, wide)
        })
        .collect();
    let po = rels.get_mut(&BaseRel::Po)?;
    for (at, (a, b, tags)) in fences.into_iter().enumerate() {
        let fence = old + at;
        nodes.push(ExecutionEvent {
            access: Access::Fence,
            thread: nodes[a].thread,
            location: None,
            value: None,
            tags: tags.to_vec(),
            group: None,
        });
        po.insert(a, fence);
        po.insert(fence, b);
    }
    *po = po.plus();
    Some(Execution::new(&nodes, rels))
}

//! The published mappings from C11 to machines, as tables.
//!
//! | machine | source |
//! |---|---|
//! | x86 | Batty, Owens, Sarkar, Sewell, Weber, "Mathematizing C++ concurrency" (POPL 2011) |
//! | Power, leading sync | Sarkar and others, "Synchronising C/C++ and POWER" (PLDI 2012) |
//! | ARMv8 | the manual: `LDAR` and `STLR`, and the atomic instructions of ARMv8.1 |
//! | RISC-V | the manual of the instruction set, Table A.6 |
//!
//! One step is not in these tables: the branch behind a relaxed load or read-modify-write. RC11 forbids that
//! program order and read-from have a cycle, so load buffering; the machines but x86 show it. The papers that
//! prove the mappings for RC11 (Lahav and others, PLDI 2017; Podkopaev, Lahav, Vafeiadis, POPL
//! 2019) therefore put a branch there that depends on what was read. Compilers do not.
//!
//! On Power the published row of a read-modify-write is that of a compare-and-swap, which branches on the
//! value that it read before it stores; `isync` behind the loop needs such a branch. Exchange and addition
//! compare nothing, and that the loop is repeated until the conditional store succeeds depends, in the model,
//! on no value read. So they have the branch of a load behind the loop.
//!
//! A step that orders says what remains without the ordering, so that a test can leave it out.

use MemoryOrder::{AcqRel, Acquire, Plain, Relaxed, Release, SeqCst};
use ir::program::MemoryOrder;

/// What a program asks of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Operation {
    /// A load.
    Load,
    /// A store.
    Store,
    /// `atomic_exchange`
    Exchange,
    /// `atomic_fetch_add`
    Add,
    /// `atomic_thread_fence`
    Fence,
}

/// Some lines of a row. `{r}` is the register of the result, `{v}` that of the operand, `{t}` a free one,
/// `{a}` the address, `{l}` a label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// What the operation is.
    Access(&'static str),
    /// What orders, and what can stand in its place that orders less.
    Ordering(&'static str, &'static [&'static str]),
}

/// A row of a mapping.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    operation: Operation,
    orders: &'static [MemoryOrder],
    steps: &'static [Step],
}

/// The machines there are mappings to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Target {
    /// x86
    Tso,
    /// Power
    Power,
    /// ARMv8
    Aarch64,
    /// RISC-V
    Riscv,
}

impl Target {
    /// All of them.
    pub const ALL: [Target; 4] = [Target::Tso, Target::Power, Target::Aarch64, Target::Riscv];

    /// Its memory model, by the name that it has as a built-in one.
    pub fn model(self) -> &'static str {
        match self {
            Target::Tso => "tso",
            Target::Power => "power",
            Target::Aarch64 => "aarch64",
            Target::Riscv => "riscv",
        }
    }
}

/// An ordering of a mapping, and what weaker stands in its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Omission {
    row: usize,
    step: usize,
    weaker: &'static str,
}

/// A mapping.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// The machine.
    pub target: Target,
    rows: &'static [Row],
    omitted: Vec<Omission>,
}

impl Mapping {
    /// The published mapping to a machine.
    pub fn published(target: Target) -> Mapping {
        let rows = match target {
            Target::Tso => TSO,
            Target::Power => POWER,
            Target::Aarch64 => AARCH64,
            Target::Riscv => RISCV,
        };
        Mapping {
            target,
            rows,
            omitted: Vec::new(),
        }
    }

    /// Every single ordering that can be left out.
    pub fn omissions(&self) -> Vec<Omission> {
        let mut all = Vec::new();
        for (row, of) in self.rows.iter().enumerate() {
            for (step, of) in of.steps.iter().enumerate() {
                if let Step::Ordering(_, weaker) = of {
                    all.extend(weaker.iter().map(|weaker| Omission { row, step, weaker }));
                }
            }
        }
        all
    }

    /// The mapping without an ordering.
    pub fn without(mut self, omission: Omission) -> Mapping {
        self.omitted.push(omission);
        self
    }

    /// The mapping as compilers have it: nothing stands behind a relaxed load.
    pub fn with_bare_relaxed(self) -> Mapping {
        let relaxed = self.omissions().into_iter();
        let relaxed = relaxed.filter(|o| {
            let row = &self.rows[o.row];
            let reads = !matches!(row.operation, Operation::Store | Operation::Fence);
            reads && o.weaker.is_empty() && is_branch(row.steps[o.step])
        });
        let omitted = relaxed.collect();
        Mapping { omitted, ..self }
    }

    /// What an omission leaves out, for messages.
    pub fn describe(&self, omission: &Omission) -> String {
        let row = &self.rows[omission.row];
        let one = |text: &str| text.replace('\n', "; ");
        let text = match row.steps[omission.step] {
            Step::Access(text) | Step::Ordering(text, _) => one(text),
        };
        let (operation, orders) = (row.operation, row.orders);
        format!(
            "{operation:?} {orders:?}: `{text}` becomes `{}`",
            one(omission.weaker)
        )
    }

    /// The lines of an operation, a step each; `None` when the table does not have it.
    pub(super) fn steps(
        &self,
        operation: Operation,
        order: MemoryOrder,
    ) -> Option<Vec<&'static str>> {
        let is_row = |row: &&Row| row.operation == operation && row.orders.contains(&order);
        let at = self.rows.iter().position(|row| is_row(&row))?;
        let steps = self.rows[at].steps.iter().enumerate().map(|(i, step)| {
            let omitted = self.omitted.iter().find(|o| (o.row, o.step) == (at, i));
            match (omitted, step) {
                (Some(omission), _) => omission.weaker,
                (None, Step::Access(text) | Step::Ordering(text, _)) => text,
            }
        });
        Some(steps.collect())
    }
}

fn is_branch(step: Step) -> bool {
    let branches = [POWER_BRANCH, AARCH64_BRANCH, RISCV_BRANCH];
    matches!(step, Step::Ordering(text, _) if branches.contains(&text))
}

const POWER_BRANCH: &str = "cmpw {r},{r}\nbeq {l}\n{l}:";
const POWER_BRANCH_ISYNC: &str = "cmpw {r},{r}\nbeq {l}\n{l}:\nisync";
const POWER_EXCHANGE: &str = "{l}:\nlwarx {r},r0,{a}\nstwcx. {v},r0,{a}\nbne {l}";
const POWER_ADD: &str = "{l}:\nlwarx {r},r0,{a}\nadd {t},{r},{v}\nstwcx. {t},r0,{a}\nbne {l}";
const AARCH64_BRANCH: &str = "CBNZ {r},{l}\n{l}:";
const RISCV_BRANCH: &str = "bne {r},x0,{l}\n{l}:";

macro_rules! rows {
    ($($operation:ident $orders:tt => $($step:expr),+;)*) => {
        &[$(Row {
            operation: Operation::$operation,
            orders: &$orders,
            steps: &[$($step),+],
        }),*]
    };
}

const fn is(text: &'static str) -> Step {
    Step::Access(text)
}

const fn orders(text: &'static str) -> Step {
    Step::Ordering(text, &[""])
}

const fn or(text: &'static str, weaker: &'static [&'static str]) -> Step {
    Step::Ordering(text, weaker)
}

const TSO: &[Row] = rows! {
    Load [Plain, Relaxed, Acquire, SeqCst] => is("MOV {r},[{a}]");
    Store [Plain, Relaxed, Release] => is("MOV [{a}],{v}");
    Store [SeqCst] => is("MOV [{a}],{v}"), orders("MFENCE");
    Exchange [Relaxed, Acquire, Release, AcqRel, SeqCst] => is("MOV {r},{v}\nXCHG [{a}],{r}");
    Add [Relaxed, Acquire, Release, AcqRel, SeqCst] => is("MOV {r},{v}\nLOCK XADD [{a}],{r}");
    Fence [Relaxed, Acquire, Release, AcqRel] => is("");
    Fence [SeqCst] => orders("MFENCE");
};

const POWER: &[Row] = rows! {
    Load [Plain] => is("lwz {r},0({a})");
    Load [Relaxed] => is("lwz {r},0({a})"), orders(POWER_BRANCH);
    Load [Acquire] => is("lwz {r},0({a})"), or(POWER_BRANCH_ISYNC, &["", "isync", POWER_BRANCH]);
    Load [SeqCst] => orders("sync"), is("lwz {r},0({a})"),
        or(POWER_BRANCH_ISYNC, &["", "isync", POWER_BRANCH]);
    Store [Plain, Relaxed] => is("stw {v},0({a})");
    Store [Release] => orders("lwsync"), is("stw {v},0({a})");
    Store [SeqCst] => or("sync", &["", "lwsync"]), is("stw {v},0({a})");
    Exchange [Relaxed] => is(POWER_EXCHANGE), orders(POWER_BRANCH);
    Exchange [Acquire] => is(POWER_EXCHANGE), or(POWER_BRANCH_ISYNC, &["", "isync", POWER_BRANCH]);
    Exchange [Release] => orders("lwsync"), is(POWER_EXCHANGE), orders(POWER_BRANCH);
    Exchange [AcqRel] => orders("lwsync"), is(POWER_EXCHANGE),
        or(POWER_BRANCH_ISYNC, &["", "isync", POWER_BRANCH]);
    Exchange [SeqCst] => or("sync", &["", "lwsync"]), is(POWER_EXCHANGE),
        or(POWER_BRANCH_ISYNC, &["", "isync", POWER_BRANCH]);
    Add [Relaxed] => is(POWER_ADD), orders(POWER_BRANCH);
    Add [Acquire] => is(POWER_ADD), or(POWER_BRANCH_ISYNC, &["", "isync", POWER_BRANCH]);
    Add [Release] => orders("lwsync"), is(POWER_ADD), orders(POWER_BRANCH);
    Add [AcqRel] => orders("lwsync"), is(POWER_ADD),
        or(POWER_BRANCH_ISYNC, &["", "isync", POWER_BRANCH]);
    Add [SeqCst] => or("sync", &["", "lwsync"]), is(POWER_ADD),
        or(POWER_BRANCH_ISYNC, &["", "isync", POWER_BRANCH]);
    Fence [Relaxed] => is("");
    Fence [Acquire, Release, AcqRel] => orders("lwsync");
    Fence [SeqCst] => or("sync", &["", "lwsync"]);
};

const AARCH64: &[Row] = rows! {
    Load [Plain] => is("LDR {r},[{a}]");
    Load [Relaxed] => is("LDR {r},[{a}]"), orders(AARCH64_BRANCH);
    Load [Acquire] => or("LDAR {r},[{a}]", &["LDR {r},[{a}]"]);
    Load [SeqCst] => or("LDAR {r},[{a}]", &["LDR {r},[{a}]", "LDAPR {r},[{a}]"]);
    Store [Plain, Relaxed] => is("STR {v},[{a}]");
    Store [Release, SeqCst] => or("STLR {v},[{a}]", &["STR {v},[{a}]"]);
    Exchange [Relaxed] => is("SWP {v},{r},[{a}]"), orders(AARCH64_BRANCH);
    Exchange [Acquire] => or("SWPA {v},{r},[{a}]", &["SWP {v},{r},[{a}]"]);
    Exchange [Release] => or("SWPL {v},{r},[{a}]", &["SWP {v},{r},[{a}]"]), orders(AARCH64_BRANCH);
    Exchange [AcqRel, SeqCst] => or("SWPAL {v},{r},[{a}]", &["SWPA {v},{r},[{a}]", "SWPL {v},{r},[{a}]"]);
    Add [Relaxed] => is("LDADD {v},{r},[{a}]"), orders(AARCH64_BRANCH);
    Add [Acquire] => or("LDADDA {v},{r},[{a}]", &["LDADD {v},{r},[{a}]"]);
    Add [Release] => or("LDADDL {v},{r},[{a}]", &["LDADD {v},{r},[{a}]"]), orders(AARCH64_BRANCH);
    Add [AcqRel, SeqCst] => or("LDADDAL {v},{r},[{a}]", &["LDADDA {v},{r},[{a}]", "LDADDL {v},{r},[{a}]"]);
    Fence [Relaxed] => is("");
    Fence [Acquire] => orders("DMB LD");
    Fence [Release, AcqRel, SeqCst] => or("DMB SY", &["", "DMB LD", "DMB ST"]);
};

const RISCV: &[Row] = rows! {
    Load [Plain] => is("lw {r},0({a})");
    Load [Relaxed] => is("lw {r},0({a})"), orders(RISCV_BRANCH);
    Load [Acquire] => is("lw {r},0({a})"), orders("fence r,rw");
    Load [SeqCst] => orders("fence rw,rw"), is("lw {r},0({a})"), orders("fence r,rw");
    Store [Plain, Relaxed] => is("sw {v},0({a})");
    Store [Release, SeqCst] => orders("fence rw,w"), is("sw {v},0({a})");
    Exchange [Relaxed] => is("amoswap.w {r},{v},({a})"), orders(RISCV_BRANCH);
    Exchange [Acquire] => or("amoswap.w.aq {r},{v},({a})", &["amoswap.w {r},{v},({a})"]);
    Exchange [Release] => or("amoswap.w.rl {r},{v},({a})", &["amoswap.w {r},{v},({a})"]), orders(RISCV_BRANCH);
    Exchange [AcqRel, SeqCst] => or(
        "amoswap.w.aq.rl {r},{v},({a})",
        &["amoswap.w.aq {r},{v},({a})", "amoswap.w.rl {r},{v},({a})"]
    );
    Add [Relaxed] => is("amoadd.w {r},{v},({a})"), orders(RISCV_BRANCH);
    Add [Acquire] => or("amoadd.w.aq {r},{v},({a})", &["amoadd.w {r},{v},({a})"]);
    Add [Release] => or("amoadd.w.rl {r},{v},({a})", &["amoadd.w {r},{v},({a})"]), orders(RISCV_BRANCH);
    Add [AcqRel, SeqCst] => or(
        "amoadd.w.aq.rl {r},{v},({a})",
        &["amoadd.w.aq {r},{v},({a})", "amoadd.w.rl {r},{v},({a})"]
    );
    Fence [Relaxed] => is("");
    Fence [Acquire] => orders("fence r,rw");
    Fence [Release] => orders("fence rw,w");
    Fence [AcqRel] => orders("fence.tso");
    Fence [SeqCst] => or("fence rw,rw", &["", "fence.tso"]);
};

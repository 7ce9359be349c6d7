//! A memory model as a graph of relation and set expressions over base relations.
//!
//! `crate::compile` turns cat text into this form once: names are resolved, functions are inlined,
//! `let rec` becomes [`Rel::Rec`] variables with least-fixpoint meaning. Both users of a model,
//! [`super::eval()`] on one concrete execution and `encode` on a symbolic event graph, walk it.

use base::id;
use base::idx::IdVec;
use base::source::Span;
use std::collections::BTreeSet;

id!(
    /// A relation expression of one [`Model`].
    RelId,
    "rel"
);
id!(
    /// A set expression of one [`Model`].
    SetId,
    "set"
);
id!(
    /// A variable bound by `let rec`.
    RecId,
    "rec"
);

/// Relations an execution comes with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BaseRel {
    /// Program order, with thread creation and join: what precedes `create` is before the new
    /// thread, what the thread does is before what follows `join`.
    Po,
    /// Read-from.
    Rf,
    /// Coherence: a total order a location, the initial write first.
    Co,
    /// From-read: `rf^-1;co`, without the identity.
    Fr,
    /// Address dependency.
    Addr,
    /// Data dependency.
    Data,
    /// Control dependency: from a read to everything after a branch that depends on it.
    Ctrl,
    /// The read to the write of one read-modify-write.
    Rmw,
    /// The part of `rmw` made by x86 locked instructions.
    Amo,
    /// The part of `rmw` made by load-linked/store-conditional pairs.
    Lxsx,
    /// Same location.
    Loc,
    /// Same thread (`int`); reflexive.
    Int,
    /// Different threads (`ext`); the initial writes are a thread of their own.
    Ext,
    /// Same atomic section (`atomic-group`); relates every event of one to itself.
    Group,
    /// Pieces of one access (`same-access`), none with itself.
    SameAccess,
    /// Accesses that read or write different values: what `different-values(r)` keeps of `r`.
    DifferentValues,
}

/// Sets an execution comes with.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BaseSet {
    /// Reads.
    R,
    /// Writes, initial ones included.
    W,
    /// Fences.
    F,
    /// Initial writes.
    IW,
    /// Final writes: co-last of their location.
    FW,
    /// Reads and writes of read-modify-writes, failed compare-and-swaps included (herd's `RMW`; its
    /// `X` and `EX` are the parts that are not and that are in `lxsx`).
    Rmw,
    /// Fences and accesses with this tag: `MFENCE`, `SYNC`, `ACQ`, `SC`, … (upper case).
    Tag(String),
}

/// A relation expression.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum Rel {
    /// Comes with the execution.
    Base(BaseRel),
    /// Nothing.
    Empty,
    /// `a | b`
    Union(RelId, RelId),
    /// `a & b`
    Inter(RelId, RelId),
    /// `a \ b`
    Diff(RelId, RelId),
    /// `a ; b`
    Seq(RelId, RelId),
    /// `a^-1`
    Inverse(RelId),
    /// `a^+`
    Plus(RelId),
    /// `[S]`
    Identity(SetId),
    /// `S * T`
    Cross(SetId, SetId),
    /// A variable bound by `let rec`; its meaning is the least fixpoint of [`Model::recs`].
    Rec(RecId),
}

/// A set expression.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum Set {
    /// Comes with the execution.
    Base(BaseSet),
    /// `_`: all events.
    All,
    /// Nothing.
    Empty,
    /// `a | b`
    Union(SetId, SetId),
    /// `a & b`
    Inter(SetId, SetId),
    /// `a \ b`
    Diff(SetId, SetId),
    /// `domain(r)`
    Domain(RelId),
    /// `range(r)`
    Range(RelId),
}

/// What an axiom asks of its relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AxiomKind {
    /// No cycle.
    Acyclic,
    /// No event related to itself.
    Irreflexive,
    /// No pair at all.
    Empty,
}

/// One requirement of a model.
#[derive(Clone, Debug)]
pub struct Axiom {
    /// What is asked.
    pub kind: AxiomKind,
    /// Of which relation.
    pub rel: RelId,
    /// The name given by `as name`, else the text of the relation.
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

/// What it means that a relation has a pair, where that forbids no execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlagKind {
    /// The execution is marked (`flag`).
    Mark,
    /// The program is undefined (`undefined_unless`).
    Undefined,
    /// The model itself is wrong, and says nothing of the program (`assert`).
    Wrong,
}

/// Executions that a model marks.
#[derive(Clone, Debug)]
pub struct Flag {
    /// What the mark means.
    pub kind: FlagKind,
    /// Executions in which this relation has a pair are marked.
    pub rel: RelId,
    /// The name given by `as name`, else the text of the relation.
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

/// Names that published models give to the flag of a data race.
const RACES: [&str; 2] = ["data-race", "Dr"];

impl Flag {
    /// Whether what is marked is a data race.
    pub fn is_race(&self) -> bool {
        RACES.contains(&self.name.as_str())
    }
}

/// How a program's C11 orders and POSIX synchronisation become fences of a machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Arch {
    /// Sequential consistency needs no fences.
    Sc,
    /// x86: TSO.
    X86,
    /// SPARC in PSO mode.
    Pso,
    /// SPARC in RMO mode, and Alpha: fences by direction.
    Membar,
    /// Power.
    Power,
    /// ARMv7.
    Arm,
    /// ARMv8.
    Aarch64,
    /// RISC-V.
    Riscv,
    /// The language: C11's orders and fences are themselves.
    C11,
}

/// What is known of values out of thin air: a cycle of reads-from and dependencies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Causality {
    /// There may be any.
    Unknown,
    /// In each cycle there is an access that is not atomic.
    Marked,
    /// There are none.
    Known,
}

/// A compiled memory model.
#[derive(Clone, Debug)]
pub struct Model {
    /// Short name as the user gave it: `tso`, or the file's path.
    pub name: String,
    /// The title line of the cat text.
    pub title: String,
    /// The machine C11 orders are compiled for; `None` when the text names no fence that tells.
    pub arch: Option<Arch>,
    /// A compare-exchange of C may be made of a linked load and a conditional store, which may fail
    /// for no reason; what is not known of the machine it may do.
    pub linked: bool,
    /// Relation expressions; operands come before the expressions that use them, except through
    /// [`Rel::Rec`]. A set may use relations ([`Set::Domain`]) and these other sets, so the two
    /// arenas are not one after the other.
    pub rels: IdVec<RelId, Rel>,
    /// Set expressions, likewise.
    pub sets: IdVec<SetId, Set>,
    /// The bodies of recursive variables.
    pub recs: IdVec<RecId, RelId>,
    /// The requirements, in the order of the text.
    pub axioms: Vec<Axiom>,
    /// What marks executions, in the order of the text.
    pub flags: Vec<Flag>,
    /// Names of relations given by `let`, for counterexamples (`ppo`, `fence`, …).
    pub names: Vec<(String, RelId)>,
    /// Tags the text speaks of, even where they turn out to order nothing (`ISYNC` under TSO); the
    /// model knows these fences and no others.
    pub tags: BTreeSet<String>,
    /// Whether there may be values out of thin air, where that is not plain from the axioms.
    pub causal: Causality,
    /// The data races of an execution, when they are asked for ([`super::with_queries`]).
    pub race: Option<RelId>,
    /// What a thread does before it releases a lock does not race, to that relation, with what another one does
    /// that has acquired it.
    pub locks_synchronise: bool,
    /// Accesses to objects that do not exist, each related to the event that another thread begins
    /// or ends the object with; when they are asked for.
    pub lifetime: Option<RelId>,
    /// Program order and communications between accesses, when it is asked whether they have a cycle.
    pub robust: Option<RelId>,
}

impl Model {
    /// The relations that are asked for: by axioms, flags and queries.
    pub fn roots(&self) -> impl Iterator<Item = RelId> + '_ {
        let axioms = self.axioms.iter().map(|a| a.rel);
        axioms.chain(self.queries())
    }

    /// Whether a program with a data race has no meaning at all, by the model's own text.
    pub fn leaves_races_undefined(&self) -> bool {
        let mut flags = self.flags.iter();
        flags.any(|f| f.is_race() && f.kind == FlagKind::Undefined)
    }

    /// Whether it has properties of its own, beside that of C11 to have no race.
    pub fn marks_executions(&self) -> bool {
        let mut flags = self.flags.iter();
        flags.any(|f| !f.is_race() || f.kind != FlagKind::Undefined)
    }

    /// Whether two models ask for the same, in the same words, whatever their names.
    pub fn says_the_same_as(&self, other: &Model) -> bool {
        let axioms = |m: &Model| -> Vec<_> { m.axioms.iter().map(|a| (a.kind, a.rel)).collect() };
        self.arch == other.arch
            && axioms(self) == axioms(other)
            && self.rels.iter().eq(other.rels.iter())
            && self.sets.iter().eq(other.sets.iter())
            && self.recs.iter().eq(other.recs.iter())
    }

    /// The relations whose pairs are asked for.
    pub fn queries(&self) -> impl Iterator<Item = RelId> + '_ {
        let flags = self.flags.iter().map(|f| f.rel);
        let queries = [self.race, self.lifetime, self.robust];
        flags.chain(queries.into_iter().flatten())
    }
}

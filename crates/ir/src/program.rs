//! The intermediate language: procedures over registers with explicit memory.
//!
//! *Locals are registers, memory is explicit.* A local is never shared and never has an address;
//! everything that has an address lives in a memory object and is touched by instructions of its
//! own ([`Op::Load`], [`Op::Store`], [`Op::Rmw`], [`Op::Cas`]). Expressions are pure. Control flow
//! is a list of instructions with jumps, so `goto`, `switch` and every loop look alike; a loop is
//! a jump backwards.
//!
//! A pointer is an integer of [`DataModel::pointer_width`] bits: the number of its object in the
//! high bits and the byte offset in the low [`DataModel::offset_bits`], so that C's pointer
//! arithmetic is integer addition, and null is 0. Which addresses are equal is another question:
//! see [`super::placement`].

pub use super::claim::{Claimed, NO_THREAD, NOTE_WIDTH};
pub use super::eval::{eval_binary, eval_cast, eval_unary};
pub use super::hidden::{Hidden, hidden_text};
pub use super::layout::{Field, Layout, LayoutId, ScalarKind};
pub use super::operator::{BinOp, Cast, FloatFunction, RmwOp, UnOp, Width, mask, sign_extend};
pub use super::order::{Annotation, Atomicity, Fence, FenceTag, MemoryOrder, Role};
pub use super::platform::{DataModel, Language};
pub use super::property::{Property, PropertyKind, Rule};
use base::diag::Diag;
use base::id;
use base::idx::{Id, IdVec};
use base::source::Span;
use std::collections::{BTreeMap, BTreeSet};

id!(
    /// A procedure.
    ProcId,
    "proc"
);
id!(
    /// A register of one procedure.
    LocalId,
    "l"
);
id!(
    /// A memory object with static storage.
    GlobalId,
    "g"
);
id!(
    /// Something whose final value is asked for.
    ObservableId,
    "o"
);

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Procedures.
    pub procs: IdVec<ProcId, Proc>,
    /// Objects with static storage.
    pub globals: IdVec<GlobalId, Global>,
    /// Types as memory sees them.
    pub layouts: IdVec<LayoutId, Layout>,
    /// Scalars among them that are no integers: only their values are shown in another way.
    pub shown_as: BTreeMap<LayoutId, ScalarKind>,
    /// Those of objects that are aligned otherwise than their layout says, in bytes.
    pub aligned: BTreeMap<LayoutId, u64>,
    /// Where execution begins; `None` only while a program is being built.
    pub main: Option<ProcId>,
    /// The platform.
    pub data_model: DataModel,
    /// What is asked for when all threads have ended.
    pub observables: IdVec<ObservableId, Observable>,
    /// In what it is written.
    pub language: Language,
    /// Of a program for a machine: where its instructions stand. Named locals are registers and
    /// flags then, and counterexamples list what is executed, with their values.
    pub machine_code: BTreeSet<Span>,
    /// Some arithmetic may wrap around by the rules of the language: that of unsigned numbers.
    pub wraps: bool,
    /// It is looked at with few and short arguments and environment variables alone.
    pub bounded_arguments: bool,
    /// What is taken for granted about what is not in the program, a sentence each.
    pub assumptions: Vec<String>,
    /// What the text has that is most likely not meant so.
    pub warnings: Vec<Diag>,
    /// Where an object lies, and which handle a thread has, may have been another one's before, which has
    /// ended ([`super::placement`]).
    pub reuses_addresses: bool,
    /// Those among the globals that are strings: equal ones may be one object.
    pub strings: BTreeSet<GlobalId>,
    /// Those that must not be written: strings, and what is `const`. Locals have [`Op::Constant`].
    pub read_only: BTreeSet<GlobalId>,
    /// Objects that no file defines, of which something is not known.
    pub undefined: BTreeMap<GlobalId, Hidden>,
    /// An instruction of x86 in it, where it is no program for that machine as a whole.
    pub x86_assembly: Option<Span>,
    /// Of a program whose main is a client of a data structure: its calls.
    pub client: Option<Client>,
}

/// Something that has a value when all threads have ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Observable {
    /// What [`Op::Observe`] has said last; 0 where it was not executed.
    Register {
        /// The thread as the source numbers it.
        thread: u32,
        /// The register as the source writes it.
        name: String,
        /// Bits.
        width: Width,
    },
    /// A scalar of memory.
    Memory {
        /// Of which object.
        global: GlobalId,
        /// Byte offset in it.
        offset: u64,
        /// Bits.
        width: Width,
    },
}

impl Observable {
    /// Bits of its value.
    pub fn width(&self) -> Width {
        match self {
            Observable::Register { width, .. } | Observable::Memory { width, .. } => *width,
        }
    }
}

/// A memory object with static storage (or one per thread).
#[derive(Clone, Debug)]
pub struct Global {
    /// Name in the source.
    pub name: String,
    /// Its declaration.
    pub span: Span,
    /// Its type; decides its size and its scalar cells.
    pub layout: LayoutId,
    /// Initial values as (byte offset, bits, constant expression over `Const`, `Global`, `Proc`,
    /// `Binary` and `Cast`), ascending; what is not listed is zero.
    pub init: Vec<(u64, Width, Expr)>,
    /// `_Thread_local`: every thread has its own.
    pub thread_local: bool,
}

impl Global {
    /// The initial values of which some byte may lie in a part of the object, as in `init`.
    pub fn initial(&self, from: u64, end: u64) -> &[(u64, Width, Expr)] {
        let first = self.init.partition_point(|(o, ..)| o + 8 <= from);
        let len = self.init[first..].partition_point(|(o, ..)| *o < end);
        &self.init[first..first + len]
    }
}

impl Program {
    /// Whether control dependencies end earlier on models of the Linux kernel ([`ControlScope::Kernel`]).
    pub fn has_scopes_of_kernel(&self) -> bool {
        let mut ops = self.procs.iter().flat_map(|p| &p.body).map(|i| &i.op);
        ops.any(|op| matches!(op, Op::ControlBegin(ControlScope::Kernel)))
    }

    /// Where `main` is, which every program has that runs.
    pub fn main_span(&self) -> Span {
        self.procs[self.main.expect("a program that runs has a main")].span
    }

    /// How many assertions a program has.
    pub fn assertions(&self) -> usize {
        let code = self.procs.iter().flat_map(|p| &p.body);
        let spans = code.filter_map(|i| match &i.op {
            Op::Assert { property, .. } if property.kind == PropertyKind::Assertion => Some(i.span),
            _ => None,
        });
        spans.collect::<BTreeSet<Span>>().len()
    }

    /// The address of a procedure. Objects are numbered: 0 is null, then come the procedures, then
    /// the objects with static storage, both in the order of the program.
    pub fn procedure_address(&self, p: ProcId) -> u64 {
        (1 + p.index() as u64) << self.data_model.offset_bits()
    }

    /// The address of an object with static storage, see [`Program::procedure_address`]; of a
    /// thread-local one that of no thread in particular.
    pub fn static_address(&self, g: GlobalId) -> u64 {
        let number = 1 + self.procs.len() as u64 + g.index() as u64;
        number << self.data_model.offset_bits()
    }

    /// Bytes of a layout.
    pub fn size_of(&self, layout: LayoutId) -> u64 {
        match &self.layouts[layout] {
            Layout::Scalar { width } => u64::from(*width) / 8,
            Layout::Array { elem, count } => self.size_of(*elem) * count,
            Layout::Struct { size, .. } => *size,
        }
    }

    /// Bytes of alignment of a thing of this layout.
    pub fn alignment(&self, layout: LayoutId) -> u64 {
        if let Some(align) = self.aligned.get(&layout) {
            return *align;
        }
        match &self.layouts[layout] {
            Layout::Scalar { width } => u64::from(*width) / 8,
            Layout::Array { elem, .. } => self.alignment(*elem),
            Layout::Struct { align, .. } => *align,
        }
    }

    /// Bytes of alignment of an object: an allocator aligns for every type.
    pub fn alignment_of(&self, storage: &Storage, layout: Option<LayoutId>) -> u64 {
        match (storage, layout) {
            (Storage::Heap, _) => 16,
            (_, Some(layout)) => self.alignment(layout),
            (_, None) => 1,
        }
    }

    /// Whether the machine makes an access of some bytes at one point, at this offset of an object of
    /// this alignment: it is aligned to its size and no larger than a word (x86: Intel SDM 3A, 9.1.1;
    /// Power ISA, book II, 1.4). What the language calls atomic is so wherever it is.
    pub fn is_one_access(&self, bytes: u64, offset: u64, align: u64, order: MemoryOrder) -> bool {
        let word = u64::from(self.data_model.pointer_width()) / 8;
        let is_plain = align >= bytes && bytes <= word && order != MemoryOrder::Bytes;
        offset.is_multiple_of(bytes) && (is_plain || order.is_atomic())
    }

    /// All scalars of a layout as (byte offset, width), ascending by offset. What C
    /// declares may be too large for that, see [`super::places`].
    pub fn scalars(&self, layout: LayoutId) -> Vec<(u64, Width)> {
        let mut out = Vec::new();
        self.collect_scalars(layout, 0, &mut out);
        out.sort_unstable();
        out.dedup();
        out
    }

    fn collect_scalars(&self, layout: LayoutId, base: u64, out: &mut Vec<(u64, Width)>) {
        match &self.layouts[layout] {
            Layout::Scalar { width } => out.push((base, *width)),
            Layout::Array { elem, count } => {
                let stride = self.size_of(*elem);
                (0..*count).for_each(|i| self.collect_scalars(*elem, base + i * stride, out));
            }
            Layout::Struct { fields, .. } => {
                fields
                    .iter()
                    .for_each(|f| self.collect_scalars(f.layout, base + f.offset, out));
            }
        }
    }

    /// How the source writes the scalar at `offset` of a thing of this layout: `.next`, `[2].key`.
    pub fn path(&self, layout: LayoutId, offset: u64) -> String {
        match &self.layouts[layout] {
            Layout::Scalar { .. } if offset == 0 => String::new(),
            Layout::Scalar { .. } => format!("+{offset}"),
            Layout::Array { elem, .. } => {
                let stride = self.size_of(*elem).max(1);
                format!("[{}]{}", offset / stride, self.path(*elem, offset % stride))
            }
            Layout::Struct { fields, .. } => {
                match fields.iter().rev().find(|f| f.offset <= offset) {
                    Some(f) if f.name.is_empty() => self.path(f.layout, offset - f.offset),
                    Some(f) => format!(".{}{}", f.name, self.path(f.layout, offset - f.offset)),
                    None => format!("+{offset}"),
                }
            }
        }
    }
}

impl Program {
    /// What there is at `offset` of a thing of this layout.
    pub fn scalar_kind(&self, layout: LayoutId, offset: u64) -> ScalarKind {
        match &self.layouts[layout] {
            Layout::Scalar { .. } => {
                let kind = self.shown_as.get(&layout).filter(|_| offset == 0);
                kind.copied().unwrap_or_default()
            }
            Layout::Array { elem, .. } => {
                self.scalar_kind(*elem, offset % self.size_of(*elem).max(1))
            }
            Layout::Struct { fields, .. } => {
                let field = fields.iter().rev().find(|f| f.offset <= offset);
                let kind = field.map(|f| self.scalar_kind(f.layout, offset - f.offset));
                kind.unwrap_or_default()
            }
        }
    }
}

/// Threads that call the operations of a data structure ([`super::client`]).
#[derive(Clone, Debug)]
pub struct Client {
    /// What begins: it calls `setup`, starts the threads, waits for all of them, and calls `finally`.
    pub main: ProcId,
    /// What is called first, in this order.
    pub setup: Vec<Call>,
    /// The threads.
    pub threads: Vec<ClientThread>,
    /// What is called when all threads have ended, in this order.
    pub finally: Vec<Call>,
    /// Does nothing: who observes what main has called has it for a thread of its own.
    pub observer: ProcId,
}

/// A thread of a client.
#[derive(Clone, Debug)]
pub struct ClientThread {
    /// What makes the calls.
    pub routine: ProcId,
    /// The calls, in their order.
    pub calls: Vec<Call>,
}

/// A call of an operation.
#[derive(Clone, Debug)]
pub struct Call {
    /// The call as it was typed.
    pub text: String,
    /// The operation.
    pub span: Span,
    /// Makes the call.
    pub proc: ProcId,
    /// What it returns.
    pub results: Vec<CallResult>,
}

/// A part of what a call returns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallResult {
    /// The object that it is put in.
    pub global: GlobalId,
    /// Of how many bits.
    pub width: Width,
    /// It is a number below 0 when its highest bit is set.
    pub signed: bool,
    /// What the bits are.
    pub kind: ScalarKind,
    /// The parameter through which it is returned; `None` of a returned value.
    pub parameter: Option<String>,
}

/// A procedure. `params` are the first locals.
#[derive(Clone, Debug)]
pub struct Proc {
    /// Name in the source.
    pub name: String,
    /// Its definition.
    pub span: Span,
    /// Registers that receive the arguments, in order.
    pub params: Vec<LocalId>,
    /// All registers.
    pub locals: IdVec<LocalId, Local>,
    /// The instructions; running off the end returns without a value.
    pub body: Vec<Instr>,
    /// Bits of the returned value.
    pub returns: Option<Width>,
}

/// A register.
#[derive(Clone, Debug)]
pub struct Local {
    /// Name in the source; empty for a temporary.
    pub name: String,
    /// Bits.
    pub width: Width,
}

/// An instruction and where it comes from.
#[derive(Clone, Debug)]
pub struct Instr {
    /// The source expression or statement.
    pub span: Span,
    /// What it does.
    pub op: Op,
}

/// On which models control dependencies end at [`Op::ControlEnd`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ControlScope {
    /// On all.
    Always,
    /// On models of the Linux kernel: the program is compiled for other ones, and these pass over the mark.
    Kernel,
}

/// What bounds the life of an object: a write to each of its scalars that no instruction makes, and
/// whose value does not matter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Lifetime {
    /// Its allocation.
    Begin,
    /// It ends with its block, its function or its thread.
    End,
    /// It is freed.
    Free,
}

/// Whom a call or a spawn runs.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A known procedure.
    Proc(ProcId),
    /// The procedure whose address the expression has.
    Pointer(Expr),
}

/// Where a new object lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// A block-scope object, with its name.
    Stack(String),
    /// The heap.
    Heap,
    /// What the process brings along, with its name: it is there to the end.
    Process(String),
}

/// A compare-exchange that may fail for no reason.
#[derive(Clone, Debug)]
pub struct Weak {
    /// Receives whether the compare-exchange stored; of width 1.
    pub done: LocalId,
    /// It is a weak one when this holds; of width 1.
    pub when: Expr,
    /// It fails only on machines that make it of a linked load and a conditional store.
    pub machine: bool,
}

/// An access of two words.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Address of the lower word, of pointer width.
    pub addr: Expr,
    /// What it does.
    pub access: PairAccess,
}

/// What an access of two words does.
#[derive(Clone, Debug)]
pub enum PairAccess {
    /// `dst := *addr`
    Load {
        /// Targets.
        dst: [LocalId; 2],
        /// Memory order.
        order: MemoryOrder,
    },
    /// `*addr := value`
    Store {
        /// Values.
        value: [Expr; 2],
        /// Memory order.
        order: MemoryOrder,
    },
    /// `dst := *addr; *addr := value`, atomically.
    Exchange {
        /// Receive the old value.
        dst: [LocalId; 2],
        /// Values.
        value: [Expr; 2],
        /// Memory order.
        order: MemoryOrder,
    },
    /// `dst := *addr; if dst == expected { *addr := desired }`, atomically; as [`super::program::Op::Cas`].
    Cas {
        /// Receive the old value.
        dst: [LocalId; 2],
        /// Compared with.
        expected: [Expr; 2],
        /// Stored on success.
        desired: [Expr; 2],
        /// Order on success.
        success: MemoryOrder,
        /// Order of the read on failure.
        failure: MemoryOrder,
        /// It may fail although the values are equal.
        weak: Option<Weak>,
    },
}

/// What an instruction does. Widths of operands agree; the lowering guarantees it.
#[derive(Clone, Debug)]
pub enum Op {
    /// `dst := value`
    Assign {
        /// Target.
        dst: LocalId,
        /// Value.
        value: Expr,
    },
    /// `dst :=` any value.
    Havoc {
        /// Target.
        dst: LocalId,
    },
    /// `dst` has an indeterminate value from here on: any, and it must not decide anything
    /// ([`PropertyKind::Uninitialised`]).
    Indeterminate {
        /// Target.
        dst: LocalId,
    },
    /// The value leaves the program, or decides something beyond it: it must be determined.
    Use(Expr),
    /// `dst := *addr`, reading as many bits as `dst` has (8, 16, 32 or 64).
    Load {
        /// Target.
        dst: LocalId,
        /// Address, of pointer width.
        addr: Expr,
        /// Memory order.
        order: MemoryOrder,
    },
    /// `*addr := value`
    Store {
        /// Address, of pointer width.
        addr: Expr,
        /// Value of 8, 16, 32 or 64 bits.
        value: Expr,
        /// Memory order.
        order: MemoryOrder,
    },
    /// `dst := *addr; *addr := dst op operand`, atomically.
    Rmw {
        /// Receives the old value.
        dst: LocalId,
        /// Address.
        addr: Expr,
        /// What is computed.
        op: RmwOp,
        /// The operand, of the width of `dst`.
        operand: Expr,
        /// Memory order.
        order: MemoryOrder,
    },
    /// `dst := *addr; if dst == expected { *addr := desired }`, atomically. It has the order of
    /// success only where it stores.
    Cas {
        /// Receives the old value.
        dst: LocalId,
        /// Address.
        addr: Expr,
        /// Compared with.
        expected: Expr,
        /// Stored on success.
        desired: Expr,
        /// Order on success.
        success: MemoryOrder,
        /// Order of the read on failure.
        failure: MemoryOrder,
        /// It may fail although the values are equal.
        weak: Option<Weak>,
    },
    /// An access of 16 bytes.
    Pair(Pair),
    /// The first of these accesses or fences whose condition (of width 1) holds; one does. The
    /// conditions are no branches: nothing depends on what they read. They say which memory order
    /// an access has where that is a value of the program.
    OneOf(Vec<(Expr, Op)>),
    /// `dst := *addr`, and the thread holds a reservation of the location (`lwarx`); the one it
    /// held before is gone.
    LoadLinked {
        /// Target.
        dst: LocalId,
        /// Address.
        addr: Expr,
        /// Plain, or what a model of the machine knows it by.
        order: MemoryOrder,
    },
    /// `dst := 1; *addr := value`, which only the holder of a reservation of the location can do,
    /// and atomically with the load that made it; or `dst := 0`, which is always possible
    /// (`stwcx.`). The reservation is gone.
    StoreConditional {
        /// Receives whether the store was done; of width 1.
        dst: LocalId,
        /// Address.
        addr: Expr,
        /// Value of 8, 16, 32 or 64 bits.
        value: Expr,
        /// Plain, or what a model of the machine knows it by.
        order: MemoryOrder,
    },
    /// A fence.
    Fence(Fence),
    /// A grace period of the location: a fence that ends when all critical sections of SRCU there that had
    /// begun have ended ([`super::kernel::SYNC_SRCU`]).
    GracePeriod {
        /// Address.
        addr: Expr,
        /// Bits of the location.
        width: Width,
    },
    /// The final value of an [`Observable::Register`], unless another one follows.
    Observe {
        /// Which.
        what: ObservableId,
        /// Its value.
        value: Expr,
    },
    /// Jump to the instruction with this index when the condition (width 1) holds, or always.
    Goto {
        /// `None`: always.
        cond: Option<Expr>,
        /// Index into the body; the length of the body means the end.
        target: usize,
    },
    /// `dst := callee(args)`
    Call {
        /// Receives the returned value.
        dst: Option<LocalId>,
        /// Whom.
        callee: Callee,
        /// With what.
        args: Vec<Expr>,
    },
    /// Return from the procedure.
    Return(Option<Expr>),
    /// `dst :=` the address of a new object.
    Alloc {
        /// Target.
        dst: LocalId,
        /// Where it lives, and its name.
        storage: Storage,
        /// Element type; `None` for untyped heap memory.
        layout: Option<LayoutId>,
        /// Size in bytes, of pointer width.
        size: Expr,
        /// All zero, or arbitrary.
        zeroed: bool,
        /// The address of what it takes the place of, and what ends right behind (`realloc`).
        replaces: Option<Expr>,
    },
    /// The object on the stack that was allocated at `addr` ends with its block; nothing ends when
    /// `addr` was never set on the way here.
    LeaveScope {
        /// The register that the allocation has set.
        addr: Expr,
    },
    /// The object that was allocated to `object` is `const` and has its initial value: but for what
    /// stands between the allocation and this, no instruction may write it ([`super::read_only`]).
    Constant {
        /// The register that the allocation has set.
        object: LocalId,
    },
    /// `free(addr)`; null is allowed.
    Free {
        /// What `malloc` returned.
        addr: Expr,
    },
    /// `dst` := the handle of the thread that executes this, of pointer width.
    ThreadSelf {
        /// Target.
        dst: LocalId,
    },
    /// `dst := 1` where two handles name one thread; see [`Program::reuses_addresses`]. Handles that are
    /// compared in another way never do unless they are equal.
    SameThread {
        /// Receives the answer; of width 1.
        dst: LocalId,
        /// A handle.
        a: Expr,
        /// Another one.
        b: Expr,
    },
    /// Start a thread; `dst` (of pointer width) receives its handle: a small number
    /// above 0 that no other thread has.
    Spawn {
        /// Receives the handle.
        dst: LocalId,
        /// The start routine, of one parameter or none.
        callee: Callee,
        /// Its argument.
        arg: Expr,
    },
    /// Wait for a thread to end; `dst` receives what it returned.
    Join {
        /// A handle.
        handle: Expr,
        /// Receives the value, of pointer width.
        dst: Option<LocalId>,
    },
    /// Executions in which the condition fails stop here (this thread goes no further).
    Assume(Expr),
    /// As `Assume`, in an operation that waits: the thread stays here for as long as memory
    /// contains the `value` it has just read.
    Wait {
        /// Condition, of width 1.
        cond: Expr,
        /// What was read.
        value: Expr,
    },
    /// The condition must hold whenever this is reached; execution goes on either way.
    Assert {
        /// Condition, of width 1.
        cond: Expr,
        /// What it is about.
        property: Property,
    },
    /// This thread notes a `value` of a `key` if `when` holds. No memory is touched.
    SetNote {
        /// Of pointer width.
        key: Expr,
        /// Of [`NOTE_WIDTH`] bits.
        value: Expr,
        /// Condition, of width 1.
        when: Expr,
    },
    /// `dst :=` what this thread has noted of a key; 0 at first.
    GetNote {
        /// Target, of [`NOTE_WIDTH`] bits.
        dst: LocalId,
        /// The key.
        key: Expr,
    },
    /// All threads together come here once with a key, and again after a [`Op::Release`] of it.
    Claim {
        /// Of pointer width.
        key: Expr,
        /// What it is.
        what: Claimed,
        /// What else is violated.
        property: Property,
    },
    /// See [`Op::Claim`].
    Release(Expr),
    /// Everything up to [`Op::AtomicEnd`] happens at one point of the global order. Nests; what it
    /// is is said by the outermost one.
    AtomicBegin(Atomicity),
    /// Ends an atomic group.
    AtomicEnd,
    /// Control dependencies that arise from here to the matching [`Op::ControlEnd`] end there: what stands
    /// behind an `if` of a language does not depend on it, as what stands behind a branch of a machine
    /// does.
    ControlBegin(ControlScope),
    /// See [`Op::ControlBegin`].
    ControlEnd(ControlScope),
    /// The thread ends with a value (`pthread_exit`).
    ThreadExit(Option<Expr>),
    /// The process ends (`abort`, `exit`).
    Halt,
    /// An unsupported construct (a call of an unknown function): when this is reachable,
    /// the verdict is `UNKNOWN` with this reason.
    Unknown(String),
}

/// A pure expression over registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// A number; bits above the width are zero.
    Const {
        /// Value.
        value: u64,
        /// Bits.
        width: Width,
    },
    /// A register.
    Local(LocalId),
    /// The address of an object with static storage.
    Global(GlobalId),
    /// The address of a procedure.
    Proc(ProcId),
    /// One operand.
    Unary(UnOp, Box<Expr>),
    /// Two operands.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `cond ? then : otherwise`
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Another width.
    Cast(Cast, Width, Box<Expr>),
}

impl Expr {
    /// A constant, truncated to its width.
    pub fn constant(value: u64, width: Width) -> Expr {
        Expr::Const {
            value: value & mask(width),
            width,
        }
    }

    /// `op(a, b)`
    pub fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
        Expr::Binary(op, Box::new(a), Box::new(b))
    }

    /// Bits of the value, in a procedure of a program.
    pub fn width(&self, program: &Program, proc: &Proc) -> Width {
        match self {
            Expr::Const { width, .. } | Expr::Cast(_, width, _) => *width,
            Expr::Local(l) => proc.locals[*l].width,
            Expr::Global(_) | Expr::Proc(_) => program.data_model.pointer_width(),
            Expr::Unary(_, e) => e.width(program, proc),
            Expr::Binary(op, ..) if op.is_comparison() => 1,
            Expr::Binary(_, a, _) => a.width(program, proc),
            Expr::Ite(_, a, _) => a.width(program, proc),
        }
    }
}

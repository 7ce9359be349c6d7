//! The syntax tree of a module of LLVM IR, as the Language Reference describes it.
//!
//! Attributes that only promise something to the optimiser are read over; those that say what happens are kept
//! (`byval`, orders, `volatile`, `nsw`). Metadata is kept as it is written, for debug locations.

use base::source::Span;
use std::collections::BTreeMap;

/// A module.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// The string of `target datalayout`; empty without one.
    pub data_layout: String,
    /// The string of `target triple`; empty without one.
    pub triple: String,
    /// `source_filename`; empty without one.
    pub source: String,
    /// `module asm`, a string each.
    pub assembly: Vec<(String, Span)>,
    /// Identified structures by their name without `%`; `None` of an opaque one.
    pub types: BTreeMap<String, Option<Type>>,
    /// Global variables.
    pub globals: Vec<Global>,
    /// Aliases and ifuncs.
    pub aliases: Vec<Alias>,
    /// Functions, those without a body among them.
    pub functions: Vec<Function>,
    /// Numbered metadata.
    pub metadata: BTreeMap<u64, Metadata>,
    /// The whole file.
    pub span: Span,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// `void`
    Void,
    /// `iN`
    Int(u32),
    /// A floating type.
    Float(FloatKind),
    /// `ptr`, or with the type that it points to up to LLVM 14.
    Pointer(Option<Box<Type>>),
    /// `[n x T]`
    Array(u64, Box<Type>),
    /// `<n x T>`, `<vscale x n x T>`
    Vector(u64, Box<Type>),
    /// `{ … }`, `<{ … }>`
    Struct {
        /// Without padding.
        packed: bool,
        /// Members.
        fields: Vec<Type>,
    },
    /// `%name`
    Named(String),
    /// `T (…)`
    Function(Box<FunctionType>),
    /// `label`
    Label,
    /// `metadata`
    Metadata,
    /// `token`
    Token,
    /// `x86_mmx`, `x86_amx`, `target(…)`, by its text.
    Other(String),
}

impl Type {
    /// A pointer to any memory; to that of another address space it has no values here.
    pub fn is_pointer(&self) -> bool {
        match self {
            Type::Pointer(_) => true,
            Type::Other(text) => text.starts_with("ptr addrspace("),
            _ => false,
        }
    }
}

/// The type of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionType {
    /// What it returns.
    pub ret: Type,
    /// Its parameters.
    pub params: Vec<Type>,
    /// `...`
    pub variadic: bool,
}

/// The floating types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum FloatKind {
    Half,
    BFloat,
    Float,
    Double,
    X86Fp80,
    Fp128,
    PpcFp128,
}

impl FloatKind {
    /// How it is written.
    pub fn keyword(self) -> &'static str {
        match self {
            FloatKind::Half => "half",
            FloatKind::BFloat => "bfloat",
            FloatKind::Float => "float",
            FloatKind::Double => "double",
            FloatKind::X86Fp80 => "x86_fp80",
            FloatKind::Fp128 => "fp128",
            FloatKind::PpcFp128 => "ppc_fp128",
        }
    }
}

/// Who sees a name of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// `private`, `internal`
    Internal,
    /// `linkonce`, `weak`, `linkonce_odr`, `weak_odr`, `common`: another definition may count.
    Weak,
    /// `extern_weak`: it may have no definition.
    ExternWeak,
    /// `available_externally`: the definition is elsewhere, and is the same.
    AvailableExternally,
    /// `appending`
    Appending,
    /// No keyword, `external`, `dllexport`
    External,
}

/// A global variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    /// Its name without `@`.
    pub name: String,
    /// Its linkage.
    pub linkage: Linkage,
    /// `thread_local`
    pub thread_local: bool,
    /// `constant`
    pub constant: bool,
    /// Its type.
    pub ty: Type,
    /// Its initial value; `None` of a declaration.
    pub init: Option<TypedOperand>,
    /// `align`
    pub align: Option<u64>,
    /// `addrspace` other than 0.
    pub address_space: u64,
    /// The `!dbg` attachment.
    pub debug: Option<u64>,
    /// Its name.
    pub span: Span,
}

/// `@name = alias T, T* @target`
#[derive(Clone, Debug, PartialEq)]
pub struct Alias {
    /// Its name without `@`.
    pub name: String,
    /// Its linkage.
    pub linkage: Linkage,
    /// The type of what it names.
    pub ty: Type,
    /// What it names; of an ifunc the function that chooses.
    pub target: TypedOperand,
    /// `ifunc`
    pub ifunc: bool,
    /// Its name.
    pub span: Span,
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name without `@`.
    pub name: String,
    /// Its linkage.
    pub linkage: Linkage,
    /// What it returns.
    pub ret: Type,
    /// Its parameters.
    pub params: Vec<Param>,
    /// `...`
    pub variadic: bool,
    /// Its blocks, the entry first; empty of a declaration.
    pub blocks: Vec<Block>,
    /// The `!dbg` attachment.
    pub debug: Option<u64>,
    /// Its name.
    pub span: Span,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its name without `%`: a number where none is written; empty in a declaration.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// `byval(T)`: the function has a copy of its own of what it points to.
    pub by_value: Option<Type>,
    /// Its type.
    pub span: Span,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its label without `%`: a number where none is written.
    pub label: String,
    /// Its instructions; the last one is a terminator.
    pub instructions: Vec<Instruction>,
    /// Its label, or its first instruction.
    pub span: Span,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// The name of its value without `%`: a number where none is written; `None` where it has no value.
    pub result: Option<String>,
    /// What it does.
    pub op: Op,
    /// The `!dbg` attachment.
    pub debug: Option<u64>,
    /// The instruction, without attachments.
    pub span: Span,
}

/// A typed operand.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedOperand {
    /// Its type.
    pub ty: Type,
    /// What it is.
    pub kind: ValueKind,
    /// Where.
    pub span: Span,
}

/// What an operand is.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueKind {
    /// `%name`, without `%`.
    Local(String),
    /// `@name`, without `@`.
    Global(String),
    /// An integer, modulo 2^128; `true` is 1.
    Int(u128),
    /// The bits of a `half`, `bfloat`, `float`, `double` or of a wider type.
    Float(u128),
    /// `null`
    Null,
    /// `undef`
    Undef,
    /// `poison`
    Poison,
    /// `zeroinitializer`
    Zero,
    /// `none`
    None,
    /// `c"…"`
    String(Vec<u8>),
    /// `[ … ]`, `{ … }`, `< … >`, `<{ … }>`
    Aggregate(Vec<TypedOperand>),
    /// `blockaddress(@f, %b)`
    BlockAddress(String, String),
    /// A constant expression.
    Expr(Box<ConstantExpr>),
    /// `asm …`
    Assembly(Box<Assembly>),
    /// `metadata …`
    Metadata(MetadataValue),
}

/// A constant expression.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstantExpr {
    /// `bitcast (T v to U)` and its like.
    Cast(CastOp, TypedOperand),
    /// `getelementptr inbounds (T, T* v, …)`
    ElementPointer(ElementPointer),
    /// `add (T a, T b)`
    Binary(BinaryOp, Flags, TypedOperand, TypedOperand),
    /// `icmp eq (T a, T b)`
    Compare(IntPredicate, TypedOperand, TypedOperand),
    /// `select (i1 c, T a, T b)`
    Select(TypedOperand, TypedOperand, TypedOperand),
    /// One that is not supported, by its name.
    Unsupported(String),
}

/// Inline assembly.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembly {
    /// The template, with `$0` for operands.
    pub template: String,
    /// The constraints, separated by commas.
    pub constraints: String,
    /// `sideeffect`
    pub side_effect: bool,
    /// `inteldialect`
    pub intel: bool,
}

/// `getelementptr`
#[derive(Clone, Debug, PartialEq)]
pub struct ElementPointer {
    /// `inbounds`
    pub inbounds: bool,
    /// The type that the first index counts.
    pub source: Type,
    /// The pointer.
    pub base: TypedOperand,
    /// The indices.
    pub indices: Vec<TypedOperand>,
}

/// Operators on integers and floating numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
}

/// What an operation promises; its value is poison where that does not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// `nuw`
    pub no_unsigned_wrap: bool,
    /// `nsw`
    pub no_signed_wrap: bool,
    /// `exact`
    pub exact: bool,
    /// `disjoint`
    pub disjoint: bool,
    /// `nneg`
    pub non_negative: bool,
}

/// Conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    FpTrunc,
    FpExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    PtrToInt,
    /// `ptrtoaddr`
    PtrToAddr,
    IntToPtr,
    BitCast,
    AddrSpaceCast,
}

/// The predicates of `icmp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum IntPredicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

/// The predicates of `fcmp`: whether it holds where the first number is smaller, equal, larger, or they are
/// not ordered (`oeq` is equal alone, `une` all but equal).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatPredicate {
    /// The first number is smaller.
    pub less: bool,
    /// They are equal.
    pub equal: bool,
    /// The first number is larger.
    pub greater: bool,
    /// One of them is not a number.
    pub unordered: bool,
}

/// Memory orders of atomic instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Ordering {
    Unordered,
    Monotonic,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// What makes an access atomic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atomic {
    /// Its order.
    pub ordering: Ordering,
    /// `syncscope("…")`; `None` for all threads of the system.
    pub scope: Option<String>,
}

/// What `atomicrmw` computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum RmwOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    FAdd,
    FSub,
    FMax,
    FMin,
    /// `uinc_wrap`
    UIncWrap,
    /// `udec_wrap`
    UDecWrap,
    /// `usub_cond`
    USubCond,
    /// `usub_sat`
    USubSat,
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Whom: a name, a register, a constant expression, inline assembly.
    pub callee: TypedOperand,
    /// The type of function: as it is written, or made of the result and the arguments.
    pub ty: FunctionType,
    /// The arguments.
    pub args: Vec<Argument>,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Its value.
    pub value: TypedOperand,
    /// `byval(T)`: the function gets a copy of what it points to.
    pub by_value: Option<Type>,
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// `ret`
    Return(Option<TypedOperand>),
    /// `br label`
    Branch(String),
    /// `br i1 c, label, label`
    ConditionalBranch(TypedOperand, String, String),
    /// `switch`
    Switch {
        /// What is compared.
        value: TypedOperand,
        /// Where to without a case.
        default: String,
        /// The cases.
        cases: Vec<(TypedOperand, String)>,
    },
    /// `unreachable`
    Unreachable,
    /// `invoke`: a call, and where to when it returns or throws.
    Invoke {
        /// The call.
        call: Call,
        /// Where to when it returns.
        normal: String,
        /// Where to when it throws.
        unwind: String,
    },
    /// `call`
    Call(Call),
    /// `landingpad`
    LandingPad(Type),
    /// `resume`
    Resume(TypedOperand),
    /// An operator with two operands.
    Binary(BinaryOp, Flags, TypedOperand, TypedOperand),
    /// `fneg`
    FNeg(TypedOperand),
    /// `extractvalue`
    ExtractValue(TypedOperand, Vec<u64>),
    /// `insertvalue`
    InsertValue(TypedOperand, TypedOperand, Vec<u64>),
    /// `alloca`
    Alloca {
        /// Of what.
        ty: Type,
        /// How many; `None` for one.
        count: Option<TypedOperand>,
        /// `align`
        align: Option<u64>,
    },
    /// `load`
    Load {
        /// Of what.
        ty: Type,
        /// From where.
        pointer: TypedOperand,
        /// `atomic`
        atomic: Option<Atomic>,
        /// `volatile`
        volatile: bool,
        /// `align`
        align: Option<u64>,
    },
    /// `store`
    Store {
        /// What.
        value: TypedOperand,
        /// Where.
        pointer: TypedOperand,
        /// `atomic`
        atomic: Option<Atomic>,
        /// `volatile`
        volatile: bool,
        /// `align`
        align: Option<u64>,
    },
    /// `fence`
    Fence(Atomic),
    /// `cmpxchg`
    CompareExchange {
        /// `weak`
        weak: bool,
        /// `volatile`
        volatile: bool,
        /// Where.
        pointer: TypedOperand,
        /// What is compared with.
        expected: TypedOperand,
        /// What is stored.
        new: TypedOperand,
        /// The order of success, and the scope.
        success: Atomic,
        /// The order of failure.
        failure: Ordering,
        /// `align`
        align: Option<u64>,
    },
    /// `atomicrmw`
    Rmw {
        /// What is computed.
        op: RmwOp,
        /// `volatile`
        volatile: bool,
        /// Where.
        pointer: TypedOperand,
        /// With what.
        value: TypedOperand,
        /// The order, and the scope.
        atomic: Atomic,
        /// `align`
        align: Option<u64>,
    },
    /// `getelementptr`
    ElementPointer(ElementPointer),
    /// A conversion.
    Cast(CastOp, Flags, TypedOperand, Type),
    /// `icmp`
    IntCompare(IntPredicate, TypedOperand, TypedOperand),
    /// `fcmp`
    FloatCompare(FloatPredicate, TypedOperand, TypedOperand),
    /// `phi`: values by the block that control comes from.
    Phi(Type, Vec<(TypedOperand, String)>),
    /// `select`
    Select(TypedOperand, TypedOperand, TypedOperand),
    /// `freeze`
    Freeze(TypedOperand),
    /// `va_arg`
    VaArg(TypedOperand, Type),
    /// An instruction that is not supported, by its name: those of vectors, `indirectbr`, `callbr`, Windows'
    /// exceptions.
    Unsupported(String),
}

/// Metadata with a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Metadata {
    /// `DILocation` and its like; empty of `!{ … }`.
    pub kind: String,
    /// Fields; those of `!{ … }` have no names.
    pub fields: Vec<(String, MetadataValue)>,
}

/// A field of metadata.
#[derive(Clone, Debug, PartialEq)]
pub enum MetadataValue {
    /// `!5`
    Node(u64),
    /// `!"…"`, `"…"`
    String(String),
    /// A number.
    Int(i128),
    /// `true`, `DW_TAG_…`, `DIFlagPrototyped | …`, `null`, a node that is written in place and their like, as text.
    Text(String),
    /// A typed value.
    Value(Box<TypedOperand>),
}

impl Metadata {
    /// The value of a field.
    pub fn field(&self, name: &str) -> Option<&MetadataValue> {
        let mut fields = self.fields.iter();
        fields.find(|(n, _)| n == name).map(|(_, value)| value)
    }
}

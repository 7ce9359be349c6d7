//! Our own syntax tree of C.
//!
//! The parser behind it may change; everything after it sees these types only. Declarators are
//! flattened: a declared thing is a base type and the list of derivations that lead from it
//! outwards (`int *a[3]` is `int`, pointer, array of 3), so that later stages need not unwind C's
//! inside-out syntax twice. Names are not resolved and nothing is typed here.

use super::target::Target;
use base::diag::Diag;
use base::source::Span;
use std::borrow::Cow;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Where.
    pub span: Span,
}

/// A preprocessed source file.
#[derive(Clone, Debug, PartialEq)]
pub struct TranslationUnit {
    /// Its declarations and definitions, in order.
    pub items: Vec<Item>,
    /// The whole main file, for errors without a better place.
    pub span: Span,
    /// Macros that it and `-D` define: which definition counts.
    pub warnings: Vec<Diag>,
}

/// A declaration at file scope.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// Variables, types and prototypes.
    Declaration(Declaration),
    /// A function with a body.
    Function(Function),
    /// `_Static_assert`
    StaticAssert(StaticAssert),
}

/// `_Static_assert(condition, "message")`
#[derive(Clone, Debug, PartialEq)]
pub struct StaticAssert {
    /// Must be a constant other than 0.
    pub condition: Expr,
    /// Text for the person who broke it.
    pub message: String,
}

/// Storage class and kindred specifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Storage {
    /// `typedef`
    pub typedef: bool,
    /// `extern`
    pub external: bool,
    /// `static`
    pub internal: bool,
    /// `_Thread_local`, `__thread`
    pub thread_local: bool,
    /// `inline`
    pub inline: bool,
}

/// `int x = 1, *p;`
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// All of it.
    pub span: Span,
    /// Storage class.
    pub storage: Storage,
    /// The type before any derivation.
    pub base: TypeSpec,
    /// The declared things; empty for `struct s { … };`.
    pub declarators: Vec<InitDeclarator>,
}

/// One declared thing.
#[derive(Clone, Debug, PartialEq)]
pub struct InitDeclarator {
    /// Its name.
    pub name: Ident,
    /// From the base type outwards.
    pub derived: Vec<Derived>,
    /// What is said about its alignment.
    pub align: Vec<Alignment>,
    /// Its initial value.
    pub init: Option<Init>,
}

/// `__attribute__((aligned(n)))` or `_Alignas(n)`
#[derive(Clone, Debug, PartialEq)]
pub struct Alignment {
    /// How much.
    pub amount: AlignmentAmount,
    /// `_Alignas`, which C has more rules for.
    pub alignas: bool,
    /// Where.
    pub span: Span,
}

/// To what an [`Alignment`] aligns.
#[derive(Clone, Debug, PartialEq)]
pub enum AlignmentAmount {
    /// What is most for any type: `aligned` without a number.
    Largest,
    /// So many bytes.
    Bytes(Box<Expr>),
    /// As objects of this type are.
    Like(Box<TypeName>),
}

/// A function definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: Ident,
    /// From the specifiers to the closing parenthesis of the parameters.
    pub head: Span,
    /// Storage class.
    pub storage: Storage,
    /// The type before any derivation.
    pub base: TypeSpec,
    /// From the base type outwards; the last one is [`Derived::Function`].
    pub derived: Vec<Derived>,
    /// Its parameters are declared behind their list, which is no prototype.
    pub old_style: bool,
    /// The block.
    pub body: Vec<BlockItem>,
    /// The whole definition.
    pub span: Span,
}

/// A step from a type to a derived one.
#[derive(Clone, Debug, PartialEq)]
pub enum Derived {
    /// `*`, and the qualifiers of the pointer itself.
    Pointer(Qualifiers),
    /// `[n]`; `None` for `[]`.
    Array {
        /// How many.
        size: Option<Box<Expr>>,
    },
    /// `(parameters)`
    Function {
        /// Parameters; names may be missing in prototypes.
        params: Vec<Param>,
        /// `, ...`, or an empty pair of parentheses.
        variadic: bool,
    },
    /// `__attribute__((aligned(…)))` of a type that is not declared here: that of a pointer further
    /// in, or in a cast.
    Aligned(Alignment),
    /// `__attribute__((mode(…)))`: an integer of so many bits, with the signedness of the base.
    Mode(u8),
    /// `__attribute__((transparent_union))`: an argument may be a value of any member.
    TransparentUnion,
    /// `__attribute__((cleanup(f)))`: `f` is called with the variable's address where its scope ends.
    Cleanup(Ident),
    /// `__attribute__((constructor))` of a function, with its priority: it runs before `main`.
    Constructor(Option<Box<Expr>>),
    /// `__attribute__((destructor))` of a function, with its priority: it runs when the program ends.
    Destructor(Option<Box<Expr>>),
    /// An assembler's name, `__attribute__((weak))`, `alias` and their like.
    Linker(LinkerRule),
    /// A derivation that is recognised but not supported, by its name, and the size of what it makes
    /// where that is known.
    Unsupported(&'static str, Option<Space>),
}

/// What a declaration says to the linker beside its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkerRule {
    /// `__asm__("symbol")`: the linker knows it by this name.
    Symbol(String),
    /// `__attribute__((weak))`: another definition counts, and there may be none.
    Weak,
    /// `__attribute__((alias("symbol")))`: it is what the file defines under another name.
    Alias(String),
    /// `__attribute__((weakref("symbol")))`: the file's own name for what others may define; without a symbol for
    /// that of its alias.
    WeakReference(Option<String>),
    /// `__attribute__((gnu_inline))`: with `extern inline` a definition for calls of this file alone, with `inline` one
    /// for all files.
    GnuInline,
    /// A global of Rust, in a module: rustc gives its type where it is used, and its bytes where it is defined.
    OfRust,
}

/// Size and alignment in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Space {
    /// Bytes.
    pub size: u64,
    /// Bytes of alignment.
    pub align: u64,
}

impl Space {
    /// That of a type whose size is its alignment.
    pub const fn natural(size: u64) -> Option<Space> {
        Some(Space { size, align: size })
    }
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its name.
    pub name: Option<Ident>,
    /// Base type.
    pub base: TypeSpec,
    /// From the base type outwards.
    pub derived: Vec<Derived>,
    /// All of it.
    pub span: Span,
}

/// A type written in a cast, `sizeof` and the like.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeName {
    /// Base type.
    pub base: TypeSpec,
    /// From the base type outwards.
    pub derived: Vec<Derived>,
    /// All of it.
    pub span: Span,
}

/// The specifiers of a declaration, without the storage class.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeSpec {
    /// Which type.
    pub kind: TypeSpecKind,
    /// The qualifiers.
    pub qualifiers: Qualifiers,
    /// Where.
    pub span: Span,
}

/// The qualifiers that change what an access means, or whether it may be a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Qualifiers {
    /// `_Atomic`
    pub atomic: bool,
    /// `volatile`
    pub volatile: bool,
    /// `const`
    pub constant: bool,
}

/// Which type the specifiers name.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeSpecKind {
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// An integer type.
    Int(IntKind),
    /// `__int128`
    Int128 {
        /// Without `unsigned`.
        signed: bool,
    },
    /// A type that is recognised but has no values here, by its name, and its size where that is known.
    Unsupported(&'static str, Option<Space>),
    /// `float` (4), `double` (8) or a wider type, by its bytes.
    Float(u8),
    /// A typedef name.
    Named(String),
    /// `struct` or `union`
    Record(Box<RecordSpec>),
    /// `enum`
    Enum(Box<EnumSpec>),
    /// `typeof(expression)`
    TypeofExpr(Box<Expr>),
    /// `typeof(type)` and `_Atomic(type)`
    TypeofType(Box<TypeName>),
    /// `__auto_type`: the type of the initialiser.
    Auto,
    /// `va_list`
    VaList,
}

/// C's integer types; plain `char` is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum IntKind {
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
}

/// `struct tag { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct RecordSpec {
    /// `union`
    pub union: bool,
    /// Its tag.
    pub tag: Option<String>,
    /// Its members, when they are given.
    pub fields: Option<Vec<FieldDecl>>,
    /// `__attribute__((packed))`
    pub packed: bool,
    /// `__attribute__((transparent_union))`
    pub transparent: bool,
    /// `__attribute__((aligned(…)))`
    pub align: Vec<Alignment>,
    /// The largest alignment of a member in bytes, from `#pragma pack`.
    pub pack: Option<u8>,
    /// An attribute of its layout that is not supported, by its name.
    pub unsupported: Option<&'static str>,
}

/// `int a, *b;` in a structure or union.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldDecl {
    /// The type before any derivation.
    pub base: TypeSpec,
    /// The members; empty for an anonymous structure or union.
    pub fields: Vec<FieldSpec>,
    /// What is said about the layout of an anonymous structure or union as a member.
    pub anonymous: MemberLayout,
    /// All of it.
    pub span: Span,
}

/// What attributes say about the place of a member.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemberLayout {
    /// `__attribute__((packed))`
    pub packed: bool,
    /// `__attribute__((aligned(…)))`, `_Alignas(…)`
    pub align: Vec<Alignment>,
}

impl MemberLayout {
    /// Adds what other attributes of the same member say.
    pub fn extend(&mut self, other: MemberLayout) {
        self.packed |= other.packed;
        self.align.extend(other.align);
    }
}

/// A member of a structure or union.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldSpec {
    /// Its name; `None` for padding bits.
    pub name: Option<Ident>,
    /// From the base type outwards.
    pub derived: Vec<Derived>,
    /// Width of a bit-field.
    pub bits: Option<Box<Expr>>,
    /// What attributes say about its place.
    pub layout: MemberLayout,
}

/// `enum tag { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct EnumSpec {
    /// Its tag.
    pub tag: Option<String>,
    /// Its constants; empty when it is only named.
    pub items: Vec<(Ident, Option<Expr>)>,
    /// `__attribute__((packed))`: the smallest integer that holds them.
    pub packed: bool,
    /// `__attribute__((mode(…)))`: an integer of so many bits.
    pub mode: Option<u8>,
}

/// An initial value.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// An expression.
    Expr(Expr),
    /// `{ … }`
    List(Vec<InitItem>, Span),
}

/// One element of an initialiser list.
#[derive(Clone, Debug, PartialEq)]
pub struct InitItem {
    /// `.x[3] =`; empty for the next element.
    pub designators: Vec<Designator>,
    /// Its value.
    pub init: Init,
}

/// One step to a part of an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Designator {
    /// `[e]`
    Index(Expr),
    /// `[a ... b]`
    Range(Expr, Expr),
    /// `.name`
    Member(Ident),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Where.
    pub span: Span,
    /// What.
    pub kind: ExprKind,
}

/// Prefix operators without side effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `&e`
    Address,
    /// `*e`
    Deref,
    /// `+e`
    Plus,
    /// `-e`
    Minus,
    /// `~e`
    Complement,
    /// `!e`
    Not,
}

/// Operators with two operands and a value, `&&` and `||` apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    And,
    Xor,
    Or,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A name.
    Ident(String),
    /// An integer constant with its type.
    Int(u64, IntKind),
    /// A floating constant: the bits of its value as a `double`, and the bytes of its type.
    Float(u64, u8),
    /// A string, without its final zero.
    Str(Vec<u8>),
    /// A wide string, without its final zero: its units and their type.
    WideStr(Vec<u32>, IntKind),
    /// A prefix operator.
    Unary(UnaryOp, Box<Expr>),
    /// `++` (1) and `--` (-1), before or after.
    Step {
        /// The operand.
        operand: Box<Expr>,
        /// What is added.
        delta: i8,
        /// The value is the old one.
        postfix: bool,
    },
    /// A binary operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `&&` (true) or `||` (false).
    Logical(bool, Box<Expr>, Box<Expr>),
    /// `=`, or `op=`.
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    /// `c ? a : b`; `None` for GNU's `c ?: b`.
    Conditional(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    /// `a, b`
    Comma(Vec<Expr>),
    /// `f(args)`
    Call(Box<Expr>, Vec<Expr>),
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `e.name` or `e->name` (arrow).
    Member {
        /// The structure, or the pointer to it.
        base: Box<Expr>,
        /// `->`
        arrow: bool,
        /// The member.
        name: Ident,
    },
    /// `(type) e`
    Cast(Box<TypeName>, Box<Expr>),
    /// `(type){ … }`
    Compound(Box<TypeName>, Vec<InitItem>),
    /// `sizeof(type)`
    SizeofType(Box<TypeName>),
    /// `sizeof e`
    SizeofExpr(Box<Expr>),
    /// `_Alignof(type)`
    Alignof(Box<TypeName>),
    /// GNU's `_Alignof(e)`
    AlignofExpr(Box<Expr>),
    /// `offsetof(type, path)`
    Offsetof(Box<TypeName>, Vec<Designator>),
    /// `_Generic(e, type: e, default: e)`; the default has no type.
    Generic(Box<Expr>, Vec<(Option<TypeName>, Expr)>),
    /// `__builtin_choose_expr(constant, e, e)`
    Choose(Box<[Expr; 3]>),
    /// `__builtin_types_compatible_p(type, type)`
    TypesCompatible(Box<[TypeName; 2]>),
    /// `({ … })`
    Block(Vec<BlockItem>),
    /// `va_arg(list, type)`
    VaArg(Box<Expr>, Box<TypeName>),
    /// An expression that is recognised but not supported, by its name.
    Unsupported(Cow<'static, str>),
}

/// An element of a block.
#[derive(Clone, Debug, PartialEq)]
pub enum BlockItem {
    /// A declaration.
    Declaration(Declaration),
    /// `_Static_assert`
    StaticAssert(StaticAssert),
    /// A statement.
    Stmt(Stmt),
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// Where.
    pub span: Span,
    /// What.
    pub kind: StmtKind,
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `e;` or `;`
    Expr(Option<Expr>),
    /// `{ … }`
    Block(Vec<BlockItem>),
    /// `if`
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `while`
    While(Expr, Box<Stmt>),
    /// `do … while`
    DoWhile(Box<Stmt>, Expr),
    /// `for`
    For {
        /// First clause: at most one declaration or expression statement.
        init: Option<Box<BlockItem>>,
        /// Condition.
        cond: Option<Expr>,
        /// Third clause.
        step: Option<Expr>,
        /// Body.
        body: Box<Stmt>,
    },
    /// `switch`
    Switch(Expr, Box<Stmt>),
    /// `case a:` or `case a ... b:`
    Case(Expr, Option<Expr>, Box<Stmt>),
    /// `default:`
    Default(Box<Stmt>),
    /// `name:`
    Label(Ident, Box<Stmt>),
    /// `goto`
    Goto(Ident),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `return`
    Return(Option<Expr>),
    /// Inline assembly.
    Asm(Asm),
}

/// An inline assembly statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Asm {
    /// The template.
    pub template: String,
    /// It has operands, so that `%` begins one and `%%` a register.
    pub extended: bool,
    /// Output operands, then input operands, in the order in which `%0`, `%1`, … name them.
    pub operands: Vec<AsmOperand>,
    /// The machine for which a compiler has read the constraints already.
    pub read_for: Option<Target>,
}

/// An operand of an assembly statement.
#[derive(Clone, Debug, PartialEq)]
pub struct AsmOperand {
    /// `[name]`
    pub name: Option<String>,
    /// The constraint, `=` and `+` of an output included.
    pub constraint: String,
    /// It stands among the outputs.
    pub output: bool,
    /// The C expression.
    pub expr: Expr,
}

impl AsmOperand {
    /// The letters of the constraint, without what says how the operand is used.
    pub fn letters(&self) -> String {
        let letters = self.constraint.chars();
        letters.filter(|c| !"=+&%*!? ".contains(*c)).collect()
    }

    /// The constraint asks for memory, and for no register in its place.
    pub fn is_in_memory(&self) -> bool {
        let letters = self.letters();
        letters.chars().all(|c| "AmQVoZSUqes<>a".contains(c))
            && letters.contains(['A', 'm', 'Q', 'V', 'o', 'Z'])
    }
}

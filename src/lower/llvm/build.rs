//! Pieces of C's syntax tree, with the place that they come from.

use crate::front::c::ast::{
    Alignment, AlignmentAmount, BinaryOp, BlockItem, Declaration, Derived, Expr, ExprKind, Ident,
    Init, InitDeclarator, InitItem, IntKind, Qualifiers, Stmt, StmtKind, Storage, TypeName,
    TypeSpec, TypeSpecKind, UnaryOp,
};
use base::source::Span;

/// A type of C: what it begins with, and the derivations outwards.
#[derive(Clone, Debug)]
pub(super) struct CType {
    pub(super) kind: TypeSpecKind,
    pub(super) derived: Vec<Derived>,
}

impl CType {
    pub(super) fn plain(kind: TypeSpecKind) -> CType {
        CType {
            kind,
            derived: Vec::new(),
        }
    }

    pub(super) fn int(kind: IntKind) -> CType {
        CType::plain(TypeSpecKind::Int(kind))
    }

    /// `__int128`
    pub(super) fn int128(signed: bool) -> CType {
        CType::plain(TypeSpecKind::Int128 { signed })
    }

    /// `void *`, which every pointer of LLVM is.
    pub(super) fn pointer() -> CType {
        CType::plain(TypeSpecKind::Void).pointed()
    }

    /// A pointer to this.
    pub(super) fn pointed(mut self) -> CType {
        self.derived.push(Derived::Pointer(Qualifiers::default()));
        self
    }

    pub(super) fn array(mut self, count: u64, span: Span) -> CType {
        let size = Some(Box::new(int(count, IntKind::ULong, span)));
        // Derivations go from the base outwards, and the elements of an array are within it.
        self.derived.push(Derived::Array { size });
        self
    }

    pub(super) fn spec(&self, qualifiers: Qualifiers, span: Span) -> TypeSpec {
        TypeSpec {
            kind: self.kind.clone(),
            qualifiers,
            span,
        }
    }

    /// The type as it is written in a cast.
    pub(super) fn name(&self, span: Span) -> TypeName {
        TypeName {
            base: self.spec(Qualifiers::default(), span),
            derived: self.derived.clone(),
            span,
        }
    }

    /// Gives the qualifiers to the object, or to the elements of an array: to the outermost pointer and not to what that
    /// points to. Nothing if it is no pointer, and they belong to the base.
    fn qualify_pointer(&mut self, qualifiers: Qualifiers) -> Option<()> {
        let mut outwards = self.derived.iter_mut().rev();
        let object = outwards.find(|d| !matches!(d, Derived::Array { .. }))?;
        let Derived::Pointer(own) = object else {
            return None;
        };
        *own = qualifiers;
        Some(())
    }
}

pub(super) fn ident(name: &str, span: Span) -> Ident {
    Ident {
        name: name.to_string(),
        span,
    }
}

fn expr(kind: ExprKind, span: Span) -> Expr {
    Expr { span, kind }
}

pub(super) fn name(name: &str, span: Span) -> Expr {
    expr(ExprKind::Ident(name.to_string()), span)
}

pub(super) fn int(value: u64, kind: IntKind, span: Span) -> Expr {
    expr(ExprKind::Int(value, kind), span)
}

pub(super) fn float(bits: u64, bytes: u8, span: Span) -> Expr {
    expr(ExprKind::Float(bits, bytes), span)
}

pub(super) fn string(bytes: &[u8], span: Span) -> Expr {
    expr(ExprKind::Str(bytes.to_vec()), span)
}

pub(super) fn call(function: &str, args: Vec<Expr>, span: Span) -> Expr {
    let callee = Box::new(name(function, span));
    expr(ExprKind::Call(callee, args), span)
}

pub(super) fn call_pointer(pointer: Expr, args: Vec<Expr>, span: Span) -> Expr {
    expr(ExprKind::Call(Box::new(pointer), args), span)
}

pub(super) fn cast(ty: &CType, e: Expr) -> Expr {
    let span = e.span;
    expr(ExprKind::Cast(Box::new(ty.name(span)), Box::new(e)), span)
}

pub(super) fn unary(op: UnaryOp, e: Expr) -> Expr {
    let span = e.span;
    expr(ExprKind::Unary(op, Box::new(e)), span)
}

pub(super) fn binary(op: BinaryOp, a: Expr, b: Expr, span: Span) -> Expr {
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), span)
}

pub(super) fn conditional(c: Expr, a: Expr, b: Expr, span: Span) -> Expr {
    expr(
        ExprKind::Conditional(Box::new(c), Some(Box::new(a)), Box::new(b)),
        span,
    )
}

pub(super) fn assignment(to: Expr, value: Expr, span: Span) -> Expr {
    expr(ExprKind::Assign(None, Box::new(to), Box::new(value)), span)
}

pub(super) fn address(of: &str, span: Span) -> Expr {
    unary(UnaryOp::Address, name(of, span))
}

/// `*(T *)pointer`, with `volatile` if it is said.
pub(super) fn at(pointer: Expr, ty: &CType, volatile: bool) -> Expr {
    let span = pointer.span;
    let qualifiers = Qualifiers {
        volatile,
        ..Qualifiers::default()
    };
    let mut ty = ty.clone();
    let of_base = match ty.qualify_pointer(qualifiers) {
        Some(()) => Qualifiers::default(),
        None => qualifiers,
    };
    let ty = ty.pointed();
    let pointee = TypeName {
        base: ty.spec(of_base, span),
        derived: ty.derived,
        span,
    };
    let typed = expr(ExprKind::Cast(Box::new(pointee), Box::new(pointer)), span);
    unary(UnaryOp::Deref, typed)
}

pub(super) fn member(base: Expr, field: &str) -> Expr {
    let span = base.span;
    expr(
        ExprKind::Member {
            base: Box::new(base),
            arrow: false,
            name: ident(field, span),
        },
        span,
    )
}

pub(super) fn unsupported(what: String, span: Span) -> Expr {
    expr(ExprKind::Unsupported(what.into()), span)
}

fn stmt(kind: StmtKind, span: Span) -> Stmt {
    Stmt { span, kind }
}

pub(super) fn statement(e: Expr) -> Stmt {
    let span = e.span;
    stmt(StmtKind::Expr(Some(e)), span)
}

pub(super) fn goto(label: &str, span: Span) -> Stmt {
    stmt(StmtKind::Goto(ident(label, span)), span)
}

pub(super) fn label(name: &str, span: Span) -> Stmt {
    let nothing = stmt(StmtKind::Expr(None), span);
    stmt(StmtKind::Label(ident(name, span), Box::new(nothing)), span)
}

pub(super) fn returns(value: Option<Expr>, span: Span) -> Stmt {
    stmt(StmtKind::Return(value), span)
}

pub(super) fn when(condition: Expr, then: Vec<Stmt>) -> Stmt {
    let span = condition.span;
    let then = then.into_iter().map(BlockItem::Stmt).collect();
    let block = stmt(StmtKind::Block(then), span);
    stmt(StmtKind::If(condition, Box::new(block), None), span)
}

pub(super) fn declaration(
    storage: Storage,
    ty: &CType,
    qualifiers: Qualifiers,
    declared: (&str, Span),
    init: Option<Init>,
) -> Declaration {
    let (name, span) = declared;
    let mut ty = ty.clone();
    let of_base = match ty.qualify_pointer(qualifiers) {
        Some(()) => Qualifiers::default(),
        None => qualifiers,
    };
    Declaration {
        span,
        storage,
        base: ty.spec(of_base, span),
        declarators: vec![InitDeclarator {
            name: ident(name, span),
            derived: ty.derived,
            align: Vec::new(),
            init,
        }],
    }
}

/// A local variable.
pub(super) fn local(ty: &CType, name: &str, init: Option<Expr>, span: Span) -> BlockItem {
    let init = init.map(Init::Expr);
    BlockItem::Declaration(declaration(
        Storage::default(),
        ty,
        Qualifiers::default(),
        (name, span),
        init,
    ))
}

/// `base[index]`
pub(super) fn element(base: Expr, index: u64) -> Expr {
    let span = base.span;
    let index = int(index, IntKind::ULong, span);
    expr(ExprKind::Index(Box::new(base), Box::new(index)), span)
}

/// `(type){values}`, one for each scalar.
pub(super) fn compound(ty: &CType, values: Vec<Expr>, span: Span) -> Expr {
    let items = values.into_iter().map(|value| InitItem {
        designators: Vec::new(),
        init: Init::Expr(value),
    });
    expr(
        ExprKind::Compound(Box::new(ty.name(span)), items.collect()),
        span,
    )
}

pub(super) fn alignment(bytes: u64, span: Span) -> Alignment {
    Alignment {
        amount: AlignmentAmount::Bytes(Box::new(int(bytes, IntKind::ULong, span))),
        alignas: false,
        span,
    }
}

/// So many bytes behind a pointer.
pub(super) fn behind(pointer: Expr, bytes: u64) -> Expr {
    let span = pointer.span;
    let start = cast(&CType::int(IntKind::UChar).pointed(), pointer);
    let bytes = int(bytes, IntKind::Long, span);
    let sum = binary(BinaryOp::Add, start, bytes, span);
    cast(&CType::pointer(), sum)
}

/// Whether an expression is the address of an object or of a part of one, casts looked through.
pub(super) fn is_address(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Cast(_, inner) => is_address(inner),
        ExprKind::Binary(BinaryOp::Add, base, _) => is_address(base),
        ExprKind::Unary(UnaryOp::Address, _) => true,
        _ => false,
    }
}

//! Expressions, places and registers of a thread that is written as a function.

use super::objects::{Language, Object};
use base::diag::Diag;
use base::idx::{Id, IdVec};
use base::source::Span;
use ir::litmus::LitmusTest;
use ir::program::*;

/// Names of locations may be words of C.
pub(super) fn name(program: &Program, id: GlobalId) -> String {
    format!("mem_{}", program.globals[id].name)
}

/// A thread on its way to a function.
pub(super) struct Thread<'a> {
    pub(super) test: &'a LitmusTest,
    pub(super) proc: &'a Proc,
    pub(super) language: Language,
    /// What the locations are declared as.
    pub(super) objects: &'a IdVec<GlobalId, Object>,
}

impl Thread<'_> {
    pub(super) fn local(&self, local: LocalId) -> String {
        let name = &self.proc.locals[local].name;
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        format!("{plain}_{}", local.index())
    }

    pub(super) fn refused(&self, instr: &Instr) -> Diag {
        let text = ir::display::op(&self.test.program, self.proc, &instr.op);
        Diag::error(instr.span, format!("C cannot express this: `{text}`"))
    }

    pub(super) fn width(&self, e: &Expr) -> Width {
        e.width(&self.test.program, self.proc)
    }

    /// What is at an address.
    pub(super) fn place(&self, addr: &Expr, width: Width, span: Span) -> Result<String, Diag> {
        let program = &self.test.program;
        if let Expr::Global(id) = addr
            && let Layout::Scalar { width: own } = program.layouts[program.globals[*id].layout]
            && own == width
        {
            return Ok(name(program, *id));
        }
        let addr = self.expr(addr, span)?;
        Ok(format!("*(volatile uint{width}_t *)({addr})"))
    }

    /// An expression of pointer width, right in the low bits that the value has.
    pub(super) fn expr(&self, e: &Expr, span: Span) -> Result<String, Diag> {
        let sub = |e: &Expr| self.expr(e, span);
        let truncated = |e: &Expr, sign: &str| -> Result<String, Diag> {
            match self.width(e) {
                1 => Ok(format!("({} & 1)", sub(e)?)),
                width => Ok(format!("({sign}int{width}_t)({})", sub(e)?)),
            }
        };
        Ok(match e {
            Expr::Const { value, .. } => format!("{value}"),
            Expr::Local(local) => self.local(*local),
            Expr::Global(id) => format!("(uintptr_t)&{}", name(&self.test.program, *id)),
            Expr::Unary(UnOp::Not, a) if self.width(e) == 1 => format!("!{}", truncated(a, "u")?),
            Expr::Unary(UnOp::Not, a) => format!("~({})", sub(a)?),
            Expr::Unary(UnOp::Neg, a) => format!("-({})", sub(a)?),
            Expr::Unary(UnOp::Float(_), _) => return Err(floating(span)),
            Expr::Binary(op, a, b) => {
                let (text, sign) = match op {
                    BinOp::Add => ("+", None),
                    BinOp::Sub => ("-", None),
                    BinOp::Mul => ("*", None),
                    BinOp::And => ("&", None),
                    BinOp::Or => ("|", None),
                    BinOp::Xor => ("^", None),
                    BinOp::Shl => ("<<", None),
                    BinOp::Lshr => (">>", Some("u")),
                    BinOp::Ashr => (">>", Some("")),
                    BinOp::Eq => ("==", Some("u")),
                    BinOp::Ne => ("!=", Some("u")),
                    BinOp::Ult | BinOp::PtrLt => ("<", Some("u")),
                    BinOp::Ule | BinOp::PtrLe => ("<=", Some("u")),
                    BinOp::Slt => ("<", Some("")),
                    BinOp::Sle => ("<=", Some("")),
                    BinOp::Fadd
                    | BinOp::Fsub
                    | BinOp::Fmul
                    | BinOp::Fdiv
                    | BinOp::Feq
                    | BinOp::Flt
                    | BinOp::Fle => return Err(floating(span)),
                    BinOp::Udiv | BinOp::Sdiv | BinOp::Urem | BinOp::Srem => {
                        let text = "a division is not written in C: by zero it means nothing there";
                        return Err(Diag::error(span, text));
                    }
                };
                match sign {
                    None => format!("({} {text} {})", sub(a)?, sub(b)?),
                    Some(sign) => {
                        format!("({} {text} {})", truncated(a, sign)?, truncated(b, sign)?)
                    }
                }
            }
            Expr::Ite(c, a, b) => format!("({} ? {} : {})", truncated(c, "u")?, sub(a)?, sub(b)?),
            Expr::Cast(Cast::Truncate, _, a) => sub(a)?,
            Expr::Cast(Cast::Zero, _, a) => truncated(a, "u")?,
            Expr::Cast(Cast::Sign, _, a) => format!("(uintptr_t){}", truncated(a, "")?),
            Expr::Cast(..) => return Err(floating(span)),
            Expr::Proc(_) => {
                return Err(Diag::error(
                    span,
                    "a thread has no address in a litmus test",
                ));
            }
        })
    }
}

/// Why a test is not written in C: no litmus test computes with such numbers.
fn floating(span: Span) -> Diag {
    Diag::error(span, "floating-point arithmetic is not written in C")
}

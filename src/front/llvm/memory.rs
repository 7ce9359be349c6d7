//! Instructions that access memory.

use super::ast::{Atomic, Op, Ordering, RmwOp};
use super::lex::TokenKind;
use super::parser::Parser;
use base::tokens::Parsed;

impl Parser<'_> {
    /// `alloca`, behind its name.
    pub fn alloca(&mut self) -> Parsed<Op> {
        self.attribute()?;
        let ty = self.value_type()?;
        let (mut count, mut align, mut space) = (None, None, 0);
        while self.eat_comma() {
            match self.word() {
                "align" => align = Some(self.alignment()?),
                "addrspace" => space = self.address_space()?,
                _ => count = Some(self.typed_value()?),
            }
        }
        Ok(match space {
            0 => Op::Alloca { ty, count, align },
            space => Op::Unsupported(format!("alloca addrspace({space})")),
        })
    }

    /// `load`, behind its name.
    pub fn load(&mut self) -> Parsed<Op> {
        let is_atomic = self.eat_word("atomic");
        let volatile = self.eat_word("volatile");
        let ty = self.value_type()?;
        self.expect_sign(b',')?;
        let pointer = self.typed_value()?;
        let atomic = self.atomic_if(is_atomic)?;
        let align = self.comma_alignment()?;
        Ok(Op::Load {
            ty,
            pointer,
            atomic,
            volatile,
            align,
        })
    }

    /// `store`, behind its name.
    pub fn store(&mut self) -> Parsed<Op> {
        let is_atomic = self.eat_word("atomic");
        let volatile = self.eat_word("volatile");
        let value = self.typed_value()?;
        self.expect_sign(b',')?;
        let pointer = self.typed_value()?;
        let atomic = self.atomic_if(is_atomic)?;
        let align = self.comma_alignment()?;
        Ok(Op::Store {
            value,
            pointer,
            atomic,
            volatile,
            align,
        })
    }

    /// `cmpxchg`, behind its name.
    pub fn compare_exchange(&mut self) -> Parsed<Op> {
        let weak = self.eat_word("weak");
        let volatile = self.eat_word("volatile");
        let pointer = self.typed_value()?;
        self.expect_sign(b',')?;
        let expected = self.typed_value()?;
        self.expect_sign(b',')?;
        let new = self.typed_value()?;
        let success = self.atomic()?;
        let failure = self.ordering()?;
        let align = self.comma_alignment()?;
        Ok(Op::CompareExchange {
            weak,
            volatile,
            pointer,
            expected,
            new,
            success,
            failure,
            align,
        })
    }

    /// `atomicrmw`, behind its name.
    pub fn read_modify_write(&mut self) -> Parsed<Op> {
        let volatile = self.eat_word("volatile");
        let word = self.word();
        let op = rmw(word);
        if op.is_none() && !UNSUPPORTED.contains(&word) {
            return Err(self.unexpected("an operation of `atomicrmw`"));
        }
        self.advance();
        let pointer = self.typed_value()?;
        self.expect_sign(b',')?;
        let value = self.typed_value()?;
        let atomic = self.atomic()?;
        let align = self.comma_alignment()?;
        let Some(op) = op else {
            return Ok(Op::Unsupported(format!("atomicrmw {word}")));
        };
        Ok(Op::Rmw {
            op,
            volatile,
            pointer,
            value,
            atomic,
            align,
        })
    }

    /// `syncscope("…") ordering`
    pub fn atomic(&mut self) -> Parsed<Atomic> {
        let mut scope = None;
        if self.eat_word("syncscope") {
            self.expect_sign(b'(')?;
            scope = Some(self.string("the name of a scope")?).filter(|s| !s.is_empty());
            self.expect_sign(b')')?;
        }
        let ordering = self.ordering()?;
        Ok(Atomic { ordering, scope })
    }

    fn atomic_if(&mut self, is_atomic: bool) -> Parsed<Option<Atomic>> {
        is_atomic.then(|| self.atomic()).transpose()
    }

    fn ordering(&mut self) -> Parsed<Ordering> {
        let ordering = match self.word() {
            "unordered" => Ordering::Unordered,
            "monotonic" => Ordering::Monotonic,
            "acquire" => Ordering::Acquire,
            "release" => Ordering::Release,
            "acq_rel" => Ordering::AcqRel,
            "seq_cst" => Ordering::SeqCst,
            _ => return Err(self.unexpected("a memory order")),
        };
        self.advance();
        Ok(ordering)
    }

    /// `, align n`, if it is there.
    fn comma_alignment(&mut self) -> Parsed<Option<u64>> {
        if !self.eat_comma() {
            return Ok(None);
        }
        self.alignment().map(Some)
    }

    /// `align n`: a power of two.
    pub fn alignment(&mut self) -> Parsed<u64> {
        self.expect_word("align")?;
        let in_parentheses = self.eat_sign(b'(');
        let token = self.peek();
        let align = self.unsigned("an alignment")?;
        if !align.is_power_of_two() && self.text(token) != "0" {
            return Err(self.error(token, "an alignment is a power of two"));
        }
        if in_parentheses {
            self.expect(TokenKind::Sign(b')'), "`)`")?;
        }
        Ok(align)
    }
}

/// Operations of `atomicrmw` that the tree has no shape for.
const UNSUPPORTED: [&str; 4] = ["fmaximum", "fminimum", "fmaximumnum", "fminimumnum"];

fn rmw(word: &str) -> Option<RmwOp> {
    Some(match word {
        "xchg" => RmwOp::Xchg,
        "add" => RmwOp::Add,
        "sub" => RmwOp::Sub,
        "and" => RmwOp::And,
        "nand" => RmwOp::Nand,
        "or" => RmwOp::Or,
        "xor" => RmwOp::Xor,
        "max" => RmwOp::Max,
        "min" => RmwOp::Min,
        "umax" => RmwOp::UMax,
        "umin" => RmwOp::UMin,
        "fadd" => RmwOp::FAdd,
        "fsub" => RmwOp::FSub,
        "fmax" => RmwOp::FMax,
        "fmin" => RmwOp::FMin,
        "uinc_wrap" => RmwOp::UIncWrap,
        "udec_wrap" => RmwOp::UDecWrap,
        "usub_cond" => RmwOp::USubCond,
        "usub_sat" => RmwOp::USubSat,
        _ => return None,
    })
}

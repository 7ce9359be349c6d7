//! Instructions of x86, in the dialect of herd's `X86`: destination first, `[x]` is memory, `$` may
//! stand before a number, a suffix `l` says 32 bits; upper and lower case are the same.
//!
//! What an instruction does is said where it is lowered. Not every pair of operands exists on the
//! machine: two operands in memory are refused, and so is `lock` where nothing would be locked.

use super::ast::x86::{
    Base, Binary, Bit, CONDITIONS, Condition, Fence, Instr, MemoryOperand, Op, Operand, Unary,
};
use super::ast::{LineKind, Machine, Name};
use super::init::symbol;
use super::lex::{LitmusTokenKind, Token};
use super::parser::{InstructionSet, Parsed, Parser, unsupported, wrong};
use base::diag::Diag;

/// The row of the table of instruction sets.
pub(super) static SET: InstructionSet = InstructionSet {
    name: "X86",
    machine: Machine::X86,
    register,
    instruction,
};

/// The registers, in the order in which herd7 prints them.
pub const REGISTERS: [&str; 8] = ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI", "EBP", "ESP"];

pub(super) fn register(word: &str) -> Option<String> {
    let found = REGISTERS.iter().find(|r| r.eq_ignore_ascii_case(word));
    found.map(|r| r.to_string())
}

/// What reads the operands of a mnemonic.
pub(in crate::front) enum Shape {
    One(fn(Operand) -> Op),
    Two(fn(Operand, Operand) -> Op),
    Source(fn(Operand, Name) -> Op),
    Jump(Option<Condition>),
}

fn instruction(p: &mut Parser) -> Parsed<LineKind> {
    let first = p.next();
    let lock = first.text.eq_ignore_ascii_case("lock");
    let mnemonic = if lock {
        if p.peek().kind != LitmusTokenKind::Word {
            return p.unexpected("the instruction that is locked");
        }
        p.next()
    } else {
        first
    };
    let lower = mnemonic.text.to_ascii_lowercase();
    let op = match plain(&lower) {
        Some(op) => op,
        None => with_operands(p, mnemonic, &lower)?,
    };
    if lock && !op.can_lock() {
        return wrong(
            first.span,
            format!("`lock` cannot stand before `{}` here", mnemonic.text),
        );
    }
    let size = None;
    Ok(LineKind::X86(Instr { lock, size, op }))
}

fn with_operands(p: &mut Parser, mnemonic: Token, lower: &str) -> Parsed<Op> {
    let shape = shape(lower).or_else(|| {
        let shape = shape(lower.strip_suffix('l')?)?;
        (!matches!(shape, Shape::Jump(_))).then_some(shape)
    });
    Ok(match shape {
        None => {
            let message = format!(
                "the instruction `{}` of X86 is not supported",
                mnemonic.text
            );
            return unsupported(mnemonic.span, message);
        }
        Some(Shape::One(make)) => make(destination(p)?),
        Some(Shape::Two(make)) => {
            let (a, b) = pair(p)?;
            make(a, b)
        }
        Some(Shape::Source(make)) => {
            let (a, b) = pair(p)?;
            let Operand::Register(source) = b else {
                return wrong(b.span(), "expected a register");
            };
            make(a, source)
        }
        Some(Shape::Jump(condition)) => Op::Jump(condition, p.label()?),
    })
}

/// Instructions without operands.
pub(in crate::front) fn plain(mnemonic: &str) -> Option<Op> {
    Some(match mnemonic {
        "nop" => Op::Nop,
        "mfence" => Op::Fence(Fence::Mfence),
        "sfence" => Op::Fence(Fence::Sfence),
        "lfence" => Op::Fence(Fence::Lfence),
        _ => return None,
    })
}

pub(in crate::front) fn shape(mnemonic: &str) -> Option<Shape> {
    let shape = match mnemonic {
        "mov" => Shape::Two(Op::Mov),
        "xchg" => Shape::Two(Op::Xchg),
        "add" => Shape::Two(|a, b| Op::Binary(Binary::Add, a, b)),
        "sub" => Shape::Two(|a, b| Op::Binary(Binary::Sub, a, b)),
        "and" => Shape::Two(|a, b| Op::Binary(Binary::And, a, b)),
        "or" => Shape::Two(|a, b| Op::Binary(Binary::Or, a, b)),
        "xor" => Shape::Two(|a, b| Op::Binary(Binary::Xor, a, b)),
        "inc" => Shape::One(|a| Op::Unary(Unary::Inc, a)),
        "dec" => Shape::One(|a| Op::Unary(Unary::Dec, a)),
        "neg" => Shape::One(|a| Op::Unary(Unary::Neg, a)),
        "not" => Shape::One(|a| Op::Unary(Unary::Not, a)),
        "bt" => Shape::Two(|a, b| Op::Bit(Bit::Keep, a, b)),
        "bts" => Shape::Two(|a, b| Op::Bit(Bit::Set, a, b)),
        "btr" => Shape::Two(|a, b| Op::Bit(Bit::Reset, a, b)),
        "btc" => Shape::Two(|a, b| Op::Bit(Bit::Complement, a, b)),
        "cmp" => Shape::Two(Op::Cmp),
        "test" => Shape::Two(Op::Test),
        "xadd" => Shape::Source(Op::Xadd),
        "cmpxchg" => Shape::Source(Op::Cmpxchg),
        "jmp" => Shape::Jump(None),
        _ => Shape::Jump(Some(condition(mnemonic.strip_prefix('j')?)?)),
    };
    Some(shape)
}

/// What a conditional jump asks, from its name without the `j`.
pub fn condition(suffix: &str) -> Option<Condition> {
    let found = CONDITIONS.iter().find(|(names, _)| names.contains(&suffix));
    found.map(|(_, condition)| *condition)
}

/// Two operands of which at most one is memory, and the first is no number.
fn pair(p: &mut Parser) -> Parsed<(Operand, Operand)> {
    let first = destination(p)?;
    p.expect(",", "`,`")?;
    let second = operand(p)?;
    if let (Operand::Memory(_), Operand::Memory(m)) = (&first, &second) {
        return wrong(m.span, "only one operand can be in memory");
    }
    Ok((first, second))
}

fn destination(p: &mut Parser) -> Parsed<Operand> {
    match operand(p)? {
        Operand::Number(number) => wrong(number.span, "expected a register or memory"),
        other => Ok(other),
    }
}

fn operand(p: &mut Parser) -> Parsed<Operand> {
    while p.peek().kind == LitmusTokenKind::Word && is_size(p.peek().text) {
        p.next();
    }
    if p.is("[") {
        return memory(p).map(Operand::Memory);
    }
    if p.eat("$") || p.peek().kind == LitmusTokenKind::Number || p.is("-") {
        return p.number("a number").map(Operand::Number);
    }
    let token = p.peek();
    if token.kind == LitmusTokenKind::Word && register(token.text).is_none() {
        let message = format!("`{}` is no register of X86", token.text);
        let diag =
            Diag::error(token.span, message).note(format!("memory is written `[{}]`", token.text));
        return Err(Box::new(diag));
    }
    p.register().map(Operand::Register)
}

/// Words that say how much of memory is meant; all accesses are of one size.
fn is_size(word: &str) -> bool {
    word.eq_ignore_ascii_case("dword") || word.eq_ignore_ascii_case("ptr")
}

fn memory(p: &mut Parser) -> Parsed<MemoryOperand> {
    let open = p.expect("[", "`[`")?;
    let base = if p.is("%") || register(p.peek().text).is_some() {
        Base::Register(p.register()?)
    } else {
        Base::Symbol(symbol(p)?)
    };
    let signed = p.is("-") || p.eat("+");
    let offset = signed.then(|| p.number("an offset in bytes")).transpose()?;
    let close = p.expect("]", "`]`")?;
    Ok(MemoryOperand {
        base,
        offset,
        thread: None,
        span: open.span.to(close.span),
    })
}

//! Instructions, destination first. Two operands in memory do not exist on the machine, and `lock`
//! is legal only before an instruction that reads and writes memory.

use super::ast::{Name, Number};
use super::lex::{AsmTokenKind as Kind, Parser};
use crate::front::litmus::ast::Symbol;
use crate::front::litmus::ast::x86::{Base, Instr, MemoryOperand, Op, Operand};
use crate::front::litmus::x86::{self, Shape};
use base::diag::Diag;
use base::source::Span;
use base::tokens::Parsed;

/// The registers.
pub const REGISTERS: [&str; 6] = ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI"];

/// The instructions of the fragment, besides conditional jumps, and `pause`, which is `nop`.
const MNEMONICS: [&str; 14] = [
    "mov", "add", "sub", "inc", "dec", "not", "xchg", "xadd", "cmpxchg", "cmp", "test", "jmp",
    "nop", "mfence",
];

/// Registers of other sizes and uses, so that they are not taken for variables.
const OTHER_REGISTERS: [&str; 34] = [
    "AX", "BX", "CX", "DX", "SI", "DI", "AL", "AH", "BL", "BH", "CL", "CH", "DL", "DH", "EBP",
    "ESP", "BP", "SP", "RAX", "RBX", "RCX", "RDX", "RSI", "RDI", "RBP", "RSP", "R8", "R9", "R10",
    "R11", "R12", "R13", "R14", "R15",
];

/// The register that a word names, in capitals.
pub(super) fn register(word: &str) -> Option<&'static str> {
    REGISTERS.into_iter().find(|r| r.eq_ignore_ascii_case(word))
}

/// An error at a place.
pub(super) fn wrong<T>(span: Span, message: impl Into<String>) -> Parsed<T> {
    Err(Box::new(Diag::error(span, message)))
}

/// What stands at a place is not supported.
fn unsupported<T>(span: Span, message: impl Into<String>) -> Parsed<T> {
    Err(Box::new(Diag::unsupported(span, message)))
}

/// The next token is not what is wanted here.
pub(super) fn unexpected<T>(p: &Parser, wanted: &str) -> Parsed<T> {
    if p.is(Kind::NewLine) {
        let message = format!("expected {wanted}, found the end of the line");
        return wrong(p.peek().span, message);
    }
    Err(p.unexpected(wanted))
}

/// Reads a sign.
pub(super) fn sign(p: &mut Parser, sign: &'static str) -> Parsed<Span> {
    if p.is(Kind::Sign(sign)) {
        return Ok(p.advance().span);
    }
    unexpected(p, &format!("`{sign}`"))
}

/// Reads a name.
pub(super) fn name(p: &mut Parser, what: &str) -> Parsed<Name> {
    if !p.is(Kind::Word) {
        return unexpected(p, what);
    }
    let token = p.advance();
    Ok(Name {
        text: token.text,
        span: token.span,
    })
}

/// Reads `$t`.
pub(super) fn thread(p: &mut Parser) -> Parsed<Name> {
    if !p.is(Kind::Thread) {
        return unexpected(p, "a thread (`$t`)");
    }
    let token = p.advance();
    Ok(Name {
        text: token.text,
        span: token.span,
    })
}

/// Reads a number of 32 bits, signed or unsigned.
pub(super) fn number(p: &mut Parser) -> Parsed<Number> {
    let start = p.peek().span;
    let minus = p.eat(Kind::Sign("-"));
    let Kind::Number(magnitude) = p.peek().kind else {
        return unexpected(p, "a number");
    };
    let span = start.to(p.advance().span);
    let number = Number {
        bits: if minus {
            magnitude.wrapping_neg()
        } else {
            magnitude
        },
        negative: minus && magnitude != 0,
        span,
    };
    if number.fits(32) {
        Ok(number)
    } else {
        wrong(span, format!("`{number}` does not fit 32 bits"))
    }
}

/// Reads an instruction, up to the end of its line.
pub(super) fn instruction(p: &mut Parser) -> Parsed<Instr> {
    let first = name(p, "an instruction")?;
    let lock = first.text.eq_ignore_ascii_case("lock");
    let mnemonic = if lock {
        name(p, "the instruction that is locked")?
    } else {
        first.clone()
    };
    let op = operation(p, &mnemonic)?;
    if lock && !op.can_lock() {
        let message = format!("`lock` cannot stand before `{}` here", mnemonic.text);
        let diag = Diag::error(first.span, message)
            .note("it stands before `add`, `sub`, `inc`, `dec`, `not`, `xadd`, `xchg` and `cmpxchg` when their destination is in memory");
        return Err(Box::new(diag));
    }
    if !p.is(Kind::NewLine) && !p.is(Kind::End) {
        return unexpected(p, "the end of the line");
    }
    let size = None;
    Ok(Instr { lock, size, op })
}

fn operation(p: &mut Parser, mnemonic: &Name) -> Parsed<Op> {
    let lower = mnemonic.text.to_ascii_lowercase();
    if lower == "pause" {
        return Ok(Op::Nop);
    }
    let known = MNEMONICS.contains(&lower.as_str()) || lower.starts_with('j');
    match (x86::plain(&lower), x86::shape(&lower)) {
        (Some(op), _) if known => Ok(op),
        (None, Some(shape)) if known => with_operands(p, shape),
        _ => {
            let message = format!("the instruction `{}` is not supported", mnemonic.text);
            let diag = Diag::unsupported(mnemonic.span, message).note(format!(
                "supported are {}, conditional jumps but for the parity, pause and lock",
                MNEMONICS.join(", ")
            ));
            Err(Box::new(diag))
        }
    }
}

fn with_operands(p: &mut Parser, shape: Shape) -> Parsed<Op> {
    Ok(match shape {
        Shape::One(make) => make(destination(p)?),
        Shape::Two(make) => two(p, make)?,
        Shape::Source(make) => with_source(p, make)?,
        Shape::Jump(condition) => Op::Jump(condition, name(p, "a label")?),
    })
}

/// A destination and a source, of which at most one is in memory.
fn two(p: &mut Parser, make: fn(Operand, Operand) -> Op) -> Parsed<Op> {
    let first = destination(p)?;
    sign(p, ",")?;
    let second = operand(p)?;
    if let (Operand::Memory(_), Operand::Memory(m)) = (&first, &second) {
        return wrong(m.span, "only one operand can be in memory");
    }
    let op = make(first, second);
    if let Op::Xchg(_, Operand::Number(Number { span, .. }) | Operand::ThreadCount(span)) = &op {
        return wrong(*span, "expected a register or memory");
    }
    Ok(op)
}

fn with_source(p: &mut Parser, make: fn(Operand, Name) -> Op) -> Parsed<Op> {
    let first = destination(p)?;
    sign(p, ",")?;
    match operand(p)? {
        Operand::Register(source) => Ok(make(first, source)),
        other => wrong(other.span(), "expected a register"),
    }
}

fn destination(p: &mut Parser) -> Parsed<Operand> {
    match operand(p)? {
        Operand::Number(Number { span, .. }) | Operand::ThreadCount(span) => {
            wrong(span, "expected a register or memory")
        }
        other => Ok(other),
    }
}

fn operand(p: &mut Parser) -> Parsed<Operand> {
    let mut size = None;
    while p.is(Kind::Word) && is_size(&p.peek().text) {
        size = Some(p.advance().span);
    }
    if p.is(Kind::Sign("[")) {
        return memory(p).map(Operand::Memory);
    }
    if let Some(span) = size {
        return wrong(span, "a size stands before an operand in memory");
    }
    if !p.is(Kind::Word) {
        if matches!(p.peek().kind, Kind::Number(_) | Kind::Sign("-")) {
            return number(p).map(Operand::Number);
        }
        return unexpected(p, "a register, a number or memory");
    }
    let token = p.advance();
    if let Some(register) = register(&token.text) {
        return Ok(Operand::Register(Name {
            text: register.to_string(),
            span: token.span,
        }));
    }
    if token.text == "N" {
        return Ok(Operand::ThreadCount(token.span));
    }
    let word = &token.text;
    let upper = word.to_ascii_uppercase();
    if OTHER_REGISTERS.contains(&upper.as_str()) {
        let message = format!("the register `{word}` is not supported");
        let diag = Diag::unsupported(token.span, message)
            .note("there are eax, ebx, ecx, edx, esi and edi, of 32 bits");
        return Err(Box::new(diag));
    }
    if let "byte" | "word" | "qword" = word.to_ascii_lowercase().as_str() {
        let message = format!("accesses of size `{word}` are not supported");
        return Err(Box::new(
            Diag::unsupported(token.span, message).note("all accesses are of 32 bits (`dword`)"),
        ));
    }
    let diag = Diag::error(token.span, format!("`{word}` is no register"))
        .note(format!("memory is written `[{word}]`"));
    Err(Box::new(diag))
}

/// Words that say how much of memory is meant; all accesses are of 32 bits.
fn is_size(word: &str) -> bool {
    word.eq_ignore_ascii_case("dword") || word.eq_ignore_ascii_case("ptr")
}

/// `[x]`, `[x + $t]`: the cell of the thread that executes it; see [`super::names`].
fn memory(p: &mut Parser) -> Parsed<MemoryOperand> {
    let open = sign(p, "[")?;
    if p.is(Kind::Word) && register(&p.peek().text).is_some() {
        let message = "addresses in registers are not supported: memory is named";
        return unsupported(p.peek().span, message);
    }
    let name = name(p, "a variable")?;
    let thread = match p.eat(Kind::Sign("+")) {
        true => Some(thread(p)?),
        false => None,
    };
    let close = sign(p, "]")?;
    Ok(MemoryOperand {
        base: Base::Symbol(Symbol { name, index: None }),
        offset: None,
        thread,
        span: open.to(close),
    })
}

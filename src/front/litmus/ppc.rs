//! Instructions of Power, as the assembler writes them: destination first, `0(r2)` is memory.
//! herd's older form `stw r1,0,r2` is read too. Simplified mnemonics (`li`, `mr`, `slwi`, …) are
//! read as what they stand for.
//!
//! As in herd, register 0 is a register everywhere, also where the architecture reads it as the
//! number 0 (`lwzx r1,r0,r2`); tests rely on it.

use super::ast::ppc::{Address, Binary, Bit, Computation, Condition, Fence, Instr, Operand};
use super::ast::{LineKind, Machine, Name, Number};
use super::lex::LitmusTokenKind;
use super::parser::{InstructionSet, Parsed, Parser, unsupported, wrong};

/// The row of the table of instruction sets.
pub(super) static SET: InstructionSet = InstructionSet {
    name: "PPC",
    machine: Machine::Ppc,
    register,
    instruction,
};

fn register(word: &str) -> Option<String> {
    let number = word.strip_prefix(['r', 'R'])?;
    let canonical = number == "0" || !number.starts_with('0');
    let value: u8 = number.parse().ok().filter(|n| *n < 32)?;
    canonical.then(|| format!("r{value}"))
}

fn instruction(p: &mut Parser) -> Parsed<LineKind> {
    let mnemonic = p.next();
    let name = mnemonic.text.to_ascii_lowercase();
    let read = None
        .or_else(|| plain(&name).map(Ok))
        .or_else(|| access(p, &name))
        .or_else(|| compare(p, &name))
        .or_else(|| branch(p, &name))
        .or_else(|| compute(p, &name));
    match read {
        Some(instr) => instr.map(LineKind::Ppc),
        None => unsupported(
            mnemonic.span,
            format!(
                "the instruction `{}` of PPC is not supported",
                mnemonic.text
            ),
        ),
    }
}

fn plain(name: &str) -> Option<Instr> {
    Some(match name {
        "nop" => Instr::Nop,
        "blr" => Instr::Return,
        "sync" | "hwsync" => Instr::Fence(Fence::Sync),
        "lwsync" => Instr::Fence(Fence::Lwsync),
        "isync" => Instr::Fence(Fence::Isync),
        "eieio" => Instr::Fence(Fence::Eieio),
        _ => return None,
    })
}

/// Loads and stores: `l` or `st`, a size, `a` for signed and `z` for zeros, then `u` for update,
/// `x` for two registers, `arx`/`cx.` for reservations.
fn access(p: &mut Parser, name: &str) -> Option<Parsed<Instr>> {
    let size = |letter: &str| match letter {
        "b" => Some(8),
        "h" => Some(16),
        "w" => Some(32),
        "d" => Some(64),
        _ => None,
    };
    let (store, rest) = match name.strip_prefix("st") {
        Some(rest) => (true, rest),
        None => (false, name.strip_prefix('l')?),
    };
    let size = size(rest.get(..1)?)?;
    let tail = rest.get(1..)?;
    let (signed, form) = match (store, tail.get(..1)) {
        (false, Some("a")) if !tail.starts_with("ar") && matches!(size, 16 | 32) => {
            (true, &tail[1..])
        }
        (false, Some("z")) if size < 64 => (false, &tail[1..]),
        (false, _) if size == 64 || tail == "arx" => (false, tail),
        (true, _) => (false, tail),
        _ => return None,
    };
    let special = if store { "cx." } else { "arx" };
    let (indexed, update) = match form {
        "" => (false, false),
        "u" => (false, true),
        "x" => (true, false),
        "ux" => (true, true),
        _ if form == special && size >= 32 => (true, false),
        _ => return None,
    };
    let reserved = form == special;
    let read = |p: &mut Parser| {
        let register = p.register()?;
        p.expect(",", "`,`")?;
        let addr = if indexed {
            indexed_address(p)?
        } else {
            displaced_address(p, update)?
        };
        let addr = Address { update, ..addr };
        Ok(if store {
            Instr::Store {
                src: register,
                addr,
                size,
                conditional: reserved,
            }
        } else {
            Instr::Load {
                dst: register,
                addr,
                size,
                signed,
                linked: reserved,
            }
        })
    };
    Some(read(p))
}

/// `r1,r2`
fn indexed_address(p: &mut Parser) -> Parsed<Address> {
    let base = p.register()?;
    p.expect(",", "`,`")?;
    Ok(Address {
        base,
        offset: Operand::Register(p.register()?),
        update: false,
    })
}

/// `4(r2)` or `4,r2`
fn displaced_address(p: &mut Parser, update: bool) -> Parsed<Address> {
    let offset = Operand::Number(p.number("an offset")?);
    if p.eat(",") {
        let base = p.register()?;
        return Ok(Address {
            base,
            offset,
            update,
        });
    }
    p.expect("(", "`(`")?;
    let base = p.register()?;
    p.expect(")", "`)`")?;
    Ok(Address {
        base,
        offset,
        update,
    })
}

fn compare(p: &mut Parser, name: &str) -> Option<Parsed<Instr>> {
    let (signed, rest) = match name.strip_prefix("cmpl") {
        Some(rest) => (false, rest),
        None => (true, name.strip_prefix("cmp")?),
    };
    let (size, immediate) = match rest {
        "w" => (32, false),
        "wi" => (32, true),
        "d" => (64, false),
        "di" => (64, true),
        _ => return None,
    };
    let read = |p: &mut Parser| {
        let field = field(p)?.unwrap_or(0);
        let a = p.register()?;
        p.expect(",", "`,`")?;
        let b = if immediate {
            Operand::Number(immediate_16(p)?)
        } else {
            Operand::Register(p.register()?)
        };
        Ok(Instr::Compare {
            field,
            a,
            b,
            size,
            signed,
        })
    };
    Some(read(p))
}

/// `cr1,` if it stands here.
fn field(p: &mut Parser) -> Parsed<Option<u8>> {
    let token = p.peek();
    let number = token
        .text
        .strip_prefix("cr")
        .filter(|_| token.kind == LitmusTokenKind::Word);
    let Some(number) = number else {
        return Ok(None);
    };
    let Some(field) = number.parse().ok().filter(|n| *n < 8) else {
        let message = format!("`{}` is no field of the condition register", token.text);
        return wrong(token.span, message);
    };
    p.next();
    p.expect(",", "`,`")?;
    Ok(Some(field))
}

fn branch(p: &mut Parser, name: &str) -> Option<Parsed<Instr>> {
    let decides = match name {
        "b" => None,
        "beq" => Some((Bit::Equal, true)),
        "bne" => Some((Bit::Equal, false)),
        "blt" => Some((Bit::Less, true)),
        "bge" | "bnl" => Some((Bit::Less, false)),
        "bgt" => Some((Bit::Greater, true)),
        "ble" | "bng" => Some((Bit::Greater, false)),
        _ => return None,
    };
    let read = |p: &mut Parser| {
        let Some((bit, holds)) = decides else {
            return Ok(Instr::Branch(None, p.name("a label")?));
        };
        // A hint to the predictor, `beq+`.
        if !p.eat("+") {
            p.eat("-");
        }
        let condition = Condition {
            field: field(p)?.unwrap_or(0),
            bit,
            holds,
        };
        Ok(Instr::Branch(Some(condition), p.name("a label")?))
    };
    Some(read(p))
}

/// Operands and meaning of an instruction that computes.
enum Shape {
    /// `li dst,number`
    Number(fn(Number) -> Computation),
    /// `mr dst,a`
    One(fn(Name) -> Computation),
    /// `add dst,a,b`
    Registers(fn(Name, Name) -> Computation),
    /// `addi dst,a,number`
    Immediate(fn(Name, Number) -> Computation),
    /// `slwi dst,a,n`, `n` less than the second number.
    Shift(fn(Name, u8) -> Computation, u8),
    /// `rlwinm dst,a,by,first,last`
    Rotate(bool),
}

fn compute(p: &mut Parser, name: &str) -> Option<Parsed<Instr>> {
    let (shape, record) = match shape(name) {
        // The one name with a dot and none without.
        Some(shape) => (shape, name == "andi." || name == "andis."),
        None => (shape(name.strip_suffix('.')?)?, true),
    };
    // Only these have a form that records.
    if record
        && !name.starts_with("andi")
        && matches!(shape, Shape::Number(_) | Shape::Immediate(_))
    {
        return None;
    }
    let read = |p: &mut Parser| {
        let dst = p.register()?;
        p.expect(",", "`,`")?;
        let value = match shape {
            Shape::Number(make) => make(immediate_16(p)?),
            Shape::One(make) => make(p.register()?),
            Shape::Registers(make) => {
                let a = p.register()?;
                p.expect(",", "`,`")?;
                make(a, p.register()?)
            }
            Shape::Immediate(make) => {
                let a = p.register()?;
                p.expect(",", "`,`")?;
                make(a, immediate_16(p)?)
            }
            Shape::Shift(make, limit) => {
                let a = p.register()?;
                make(a, bit_number(p, limit)?)
            }
            Shape::Rotate(insert) => Computation::Rotate {
                src: p.register()?,
                by: bit_number(p, 32)?,
                first: bit_number(p, 32)?,
                last: bit_number(p, 32)?,
                insert,
            },
        };
        Ok(Instr::Set { dst, value, record })
    };
    Some(read(p))
}

fn shape(name: &str) -> Option<Shape> {
    use Operand::{Number as Num, Register as Reg};
    Some(match name {
        "li" => Shape::Number(|n| Computation::Operand(Num(n))),
        "lis" => Shape::Number(Computation::High),
        "mr" => Shape::One(|a| Computation::Operand(Reg(a))),
        "neg" => Shape::One(Computation::Neg),
        "not" => Shape::One(Computation::Not),
        "extsb" => Shape::One(|a| Computation::Extend(a, 8)),
        "extsh" => Shape::One(|a| Computation::Extend(a, 16)),
        "extsw" => Shape::One(|a| Computation::Extend(a, 32)),
        "add" => Shape::Registers(|a, b| Computation::Binary(Binary::Add, a, Reg(b))),
        "sub" => Shape::Registers(|a, b| Computation::SubFrom(b, Reg(a))),
        "subf" => Shape::Registers(|a, b| Computation::SubFrom(a, Reg(b))),
        "mullw" => Shape::Registers(|a, b| Computation::Binary(Binary::Mul, a, Reg(b))),
        "divw" => Shape::Registers(|a, b| Computation::Binary(Binary::Div, a, Reg(b))),
        "divwu" => Shape::Registers(|a, b| Computation::Binary(Binary::DivUnsigned, a, Reg(b))),
        "and" => Shape::Registers(|a, b| Computation::Binary(Binary::And, a, Reg(b))),
        "or" => Shape::Registers(|a, b| Computation::Binary(Binary::Or, a, Reg(b))),
        "xor" => Shape::Registers(|a, b| Computation::Binary(Binary::Xor, a, Reg(b))),
        "addi" => Shape::Immediate(|a, n| Computation::Binary(Binary::Add, a, Num(n))),
        "subi" => Shape::Immediate(|a, n| Computation::Binary(Binary::Add, a, Num(negate(n)))),
        "addis" => Shape::Immediate(Computation::AddHigh),
        "subfic" => Shape::Immediate(|a, n| Computation::SubFrom(a, Num(n))),
        "mulli" => Shape::Immediate(|a, n| Computation::Binary(Binary::Mul, a, Num(n))),
        "andi." => Shape::Immediate(|a, n| Computation::Binary(Binary::And, a, Num(n))),
        "ori" => Shape::Immediate(|a, n| Computation::Binary(Binary::Or, a, Num(n))),
        "xori" => Shape::Immediate(|a, n| Computation::Binary(Binary::Xor, a, Num(n))),
        "slwi" => Shape::Shift(|a, n| rotate(a, n, 0, 31 - n), 32),
        "srwi" => Shape::Shift(|a, n| rotate(a, (32 - n) % 32, n, 31), 32),
        "clrlwi" => Shape::Shift(|a, n| rotate(a, 0, n, 31), 32),
        "clrldi" => Shape::Shift(Computation::Clear, 64),
        "rlwinm" => Shape::Rotate(false),
        "rlwimi" => Shape::Rotate(true),
        _ => return None,
    })
}

fn rotate(src: Name, by: u8, first: u8, last: u8) -> Computation {
    Computation::Rotate {
        src,
        by,
        first,
        last,
        insert: false,
    }
}

fn negate(number: Number) -> Number {
    Number {
        bits: number.bits.wrapping_neg(),
        negative: !number.negative && number.bits != 0,
        ..number
    }
}

/// A number of 16 bits, signed or not.
fn immediate_16(p: &mut Parser) -> Parsed<Number> {
    let number = p.number("a number")?;
    if number.fits(16) {
        Ok(number)
    } else {
        wrong(number.span, format!("`{number}` does not fit 16 bits"))
    }
}

/// `,n` with `n` less than `limit`.
fn bit_number(p: &mut Parser, limit: u8) -> Parsed<u8> {
    p.expect(",", "`,`")?;
    let number = p.number("a number of bits")?;
    match u8::try_from(number.bits) {
        Ok(n) if n < limit => Ok(n),
        _ => wrong(
            number.span,
            format!("`{number}` is not between 0 and {}", limit - 1),
        ),
    }
}

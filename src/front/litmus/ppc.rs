//! Instructions of Power, as the assembler writes them: destination first, `0(r2)` is memory.
//! herd's older form `stw r1,0,r2` is read too. Simplified mnemonics (`li`, `mr`, `slwi`, …) are
//! read as what they stand for.
//!
//! As in herd, register 0 is a register everywhere, also where the architecture reads it as the
//! number 0 (`lwzx r1,r0,r2`); tests rely on it.

use super::ast::ppc::{Address, Binary, Bit, Computation, Condition, Fence, Instr, Operand};
use super::ast::{LineKind, Machine, Name, Number};
use super::lex::LitmusTokenKind;
use super::operand::OperandPlace;
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
    // `lwz%U1%X1`: the addressing mode of an operand of an assembly statement, whose address is known.
    while matches!(p.peek().kind, LitmusTokenKind::Operand(_, Some('U' | 'X'))) {
        p.next();
    }
    let read = None
        .or_else(|| plain(&name).map(Ok))
        .or_else(|| (name == "sync").then(|| sync(p)))
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
        "hwsync" | "msync" => Instr::Fence(Fence::Sync),
        "lwsync" => Instr::Fence(Fence::Lwsync),
        "isync" => Instr::Fence(Fence::Isync),
        "eieio" => Instr::Fence(Fence::Eieio),
        _ => return None,
    })
}

/// `sync`, or `sync 1`, which is `lwsync`.
fn sync(p: &mut Parser) -> Parsed<Instr> {
    if p.peek().kind != LitmusTokenKind::Number {
        return Ok(Instr::Fence(Fence::Sync));
    }
    let number = p.number("a number")?;
    Ok(Instr::Fence(match number.bits {
        0 => Fence::Sync,
        1 => Fence::Lwsync,
        _ => return unsupported(number.span, format!("`sync {number}` is not supported")),
    }))
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
        _ if form == special => (true, false),
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
    if let Some(address) = operand_address(p) {
        return Ok(address);
    }
    // The number 0 is no register, nor is register 0 but in tests.
    let is_zero = p.peek().text == "0" || (p.statement.is_some() && p.is_word("r0"));
    let base = if is_zero {
        p.next();
        None
    } else {
        Some(p.register()?)
    };
    p.expect(",", "`,`")?;
    let last = p.register()?;
    Ok(match base {
        Some(base) => Address {
            base,
            offset: Operand::Register(last),
            update: false,
        },
        None => at(last),
    })
}

/// The address of an operand of an assembly statement that is in memory.
fn operand_address(p: &mut Parser) -> Option<Address> {
    p.eat_operand(OperandPlace::Memory).map(at)
}

fn at(base: Name) -> Address {
    let offset = Number {
        bits: 0,
        negative: false,
        span: base.span,
    };
    Address {
        base,
        offset: Operand::Number(offset),
        update: false,
    }
}

/// `4(r2)` or `4,r2`
fn displaced_address(p: &mut Parser, update: bool) -> Parsed<Address> {
    if let Some(address) = operand_address(p) {
        return Ok(address);
    }
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
            constant(p)?
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

/// `cr1,` or `1,` if it stands here.
fn field(p: &mut Parser) -> Parsed<Option<u8>> {
    let token = p.peek();
    let number = match token.kind {
        LitmusTokenKind::Word => token.text.strip_prefix("cr"),
        LitmusTokenKind::Number => Some(token.text),
        _ => None,
    };
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
            return Ok(Instr::Branch(None, p.label()?));
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
        Ok(Instr::Branch(Some(condition), p.label()?))
    };
    Some(read(p))
}

/// Operands and meaning of an instruction that computes.
enum Shape {
    /// `lis dst,number`
    Number(fn(Number) -> Computation),
    /// `li dst,number`; the number may be an operand of an assembly statement.
    Constant(fn(Operand) -> Computation),
    /// `mr dst,a`
    One(fn(Name) -> Computation),
    /// `add dst,a,b`
    Registers(fn(Name, Name) -> Computation),
    /// `addis dst,a,number`
    Immediate(fn(Name, Number) -> Computation),
    /// `addi dst,a,number`; the number may be an operand of an assembly statement.
    RegisterConstant(fn(Name, Operand) -> Computation),
    /// `slwi dst,a,n`, `n` less than the second number.
    Shift(fn(Name, u8) -> Computation, u8),
    /// `rlwinm dst,a,by,first,last`
    Rotate(bool),
}

fn compute(p: &mut Parser, name: &str) -> Option<Parsed<Instr>> {
    let (shape, record) = match shape(name) {
        Some(shape) => (shape, name.ends_with('.')),
        None => (shape(name.strip_suffix('.')?)?, true),
    };
    // Of those with a number only these have a form that records.
    let is_constant = matches!(
        shape,
        Shape::Number(_) | Shape::Constant(_) | Shape::Immediate(_) | Shape::RegisterConstant(_)
    );
    if record && is_constant && !matches!(name, "andi." | "addic.") {
        return None;
    }
    let read = |p: &mut Parser| {
        let dst = p.register()?;
        p.expect(",", "`,`")?;
        let value = match shape {
            Shape::Number(make) => make(immediate_16(p)?),
            Shape::Constant(make) => make(constant(p)?),
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
            Shape::RegisterConstant(make) => {
                let a = p.register()?;
                p.expect(",", "`,`")?;
                make(a, constant(p)?)
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
        "li" => Shape::Constant(Computation::Operand),
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
        "addi" | "addic" => Shape::RegisterConstant(|a, b| Computation::Binary(Binary::Add, a, b)),
        "subi" => Shape::Immediate(|a, n| Computation::Binary(Binary::Add, a, Num(negate(n)))),
        "addis" => Shape::Immediate(Computation::AddHigh),
        "subfic" => Shape::RegisterConstant(Computation::SubFrom),
        "mulli" => Shape::RegisterConstant(|a, b| Computation::Binary(Binary::Mul, a, b)),
        "andi." => Shape::RegisterConstant(|a, b| Computation::Binary(Binary::And, a, b)),
        "ori" => Shape::RegisterConstant(|a, b| Computation::Binary(Binary::Or, a, b)),
        "xori" => Shape::RegisterConstant(|a, b| Computation::Binary(Binary::Xor, a, b)),
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

/// A number of 16 bits, or an operand of an assembly statement that is one.
fn constant(p: &mut Parser) -> Parsed<Operand> {
    if let Some(operand) = p.eat_operand(OperandPlace::Register) {
        return Ok(Operand::Register(operand));
    }
    immediate_16(p).map(Operand::Number)
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

//! Instructions of RISC-V, as the assembler writes them: destination first but for stores, `0(x6)` is
//! memory. What stands for another instruction (`li`, `mv`, `beqz`, …) is read as that one.

use super::ast::riscv::{
    AccessOrder, Address, Binary, Comparison, Computation, Fence, Instr, Operand, UpdateOp,
};
use super::ast::{LineKind, Machine, Name, Number};
use super::lex::LitmusTokenKind;
use super::operand::OperandPlace;
use super::parser::{InstructionSet, Parsed, Parser, unsupported, wrong};

/// The row of the table of instruction sets.
pub(super) static SET: InstructionSet = InstructionSet {
    name: "RISCV",
    machine: Machine::Riscv,
    register,
    instruction,
};

/// What the calling convention names the registers by: the letter, its first and last number, and the
/// register that the first one is.
const NAMES: [(&str, u8, u8, u8); 6] = [
    ("x", 0, 31, 0),
    ("t", 0, 2, 5),
    ("s", 0, 1, 8),
    ("a", 0, 7, 10),
    ("s", 2, 11, 18),
    ("t", 3, 6, 28),
];

/// `x5`, for `t0` as well.
fn register(word: &str) -> Option<String> {
    const SINGLE: [(&str, u8); 6] = [
        ("zero", 0),
        ("ra", 1),
        ("sp", 2),
        ("gp", 3),
        ("tp", 4),
        ("fp", 8),
    ];
    if let Some((_, number)) = SINGLE.iter().find(|(name, _)| *name == word) {
        return Some(format!("x{number}"));
    }
    NAMES.iter().find_map(|(letter, first, last, is)| {
        let number = word.strip_prefix(letter)?;
        let canonical = number == "0" || !number.starts_with('0');
        let value: u8 = number.parse().ok().filter(|_| canonical)?;
        (*first..=*last)
            .contains(&value)
            .then(|| format!("x{}", value - first + is))
    })
}

fn instruction(p: &mut Parser) -> Parsed<LineKind> {
    let mnemonic = p.next();
    let name = mnemonic.text.to_ascii_lowercase();
    let read = None
        .or_else(|| plain(p, &name))
        .or_else(|| access(p, &name))
        .or_else(|| update(p, &name))
        .or_else(|| branch(p, &name))
        .or_else(|| compute(p, &name));
    match read {
        Some(instr) => instr.map(LineKind::Riscv),
        None => unsupported(
            mnemonic.span,
            format!(
                "the instruction `{}` of RISC-V is not supported",
                mnemonic.text
            ),
        ),
    }
}

fn comma(p: &mut Parser) -> Parsed<()> {
    p.expect(",", "`,`").map(|_| ())
}

fn plain(p: &mut Parser, name: &str) -> Option<Parsed<Instr>> {
    Some(match name {
        "nop" => Ok(Instr::Nop),
        "ret" => Ok(Instr::Return),
        "fence" => fence(p),
        "fence.tso" => Ok(Instr::Fence(Fence::Tso)),
        "fence.i" => Ok(Instr::Fence(Fence::Instructions)),
        _ => return None,
    })
}

/// `fence rw,w`; alone it is for all pairs.
fn fence(p: &mut Parser) -> Parsed<Instr> {
    let mut sides = [(true, true); 2];
    if p.peek().kind == LitmusTokenKind::Word {
        sides[0] = side(p)?;
        comma(p)?;
        sides[1] = side(p)?;
    }
    let [(loads, stores), (then_loads, then_stores)] = sides;
    Ok(Instr::Fence(Fence::Pairs {
        loads,
        stores,
        then_loads,
        then_stores,
    }))
}

/// Whether loads and stores are meant. `i` and `o` are accesses to devices, of which there are none.
fn side(p: &mut Parser) -> Parsed<(bool, bool)> {
    let word = p.name("`rw`, `r` or `w`")?;
    let mut rest = word.text.as_str();
    let mut eat = |letter: char| match rest.strip_prefix(letter) {
        Some(shorter) => {
            rest = shorter;
            true
        }
        None => false,
    };
    let (_, _, loads, stores) = (eat('i'), eat('o'), eat('r'), eat('w'));
    if rest.is_empty() {
        return Ok((loads, stores));
    }
    let message = format!("`{}` does not say which accesses a fence is for", word.text);
    wrong(word.span, message)
}

/// The end of a mnemonic: `.aq`, `.rl`, both.
fn order(tail: &str) -> Option<AccessOrder> {
    let (acquire, release) = match tail {
        "" => (false, false),
        ".aq" => (true, false),
        ".rl" => (false, true),
        ".aqrl" | ".aq.rl" => (true, true),
        _ => return None,
    };
    Some(AccessOrder { acquire, release })
}

fn access(p: &mut Parser, name: &str) -> Option<Parsed<Instr>> {
    const KINDS: [(&str, u8, bool); 7] = [
        ("bu", 8, false),
        ("hu", 16, false),
        ("wu", 32, false),
        ("b", 8, true),
        ("h", 16, true),
        ("w", 32, true),
        ("d", 64, true),
    ];
    let reserves = match name.get(..3) {
        Some("lr.") => Some(true),
        Some("sc.") => Some(false),
        _ => None,
    };
    let (loads, rest) = match reserves {
        Some(loads) => (loads, name.get(3..)?),
        None => (name.starts_with('l'), name.strip_prefix(['l', 's'])?),
    };
    let (tail, size, signed) = KINDS.iter().find_map(|(kind, size, signed)| {
        let tail = rest.strip_prefix(kind)?;
        (tail.is_empty() || tail.starts_with('.')).then_some((tail, *size, *signed))
    })?;
    let order = order(tail)?;
    if (reserves.is_some() && (size < 32 || !signed)) || (!loads && !signed) {
        return None;
    }
    let read = |p: &mut Parser| {
        if loads {
            let dst = p.register()?;
            comma(p)?;
            return Ok(Instr::Load {
                dst,
                addr: address(p)?,
                size,
                signed,
                order,
                reserved: reserves.is_some(),
            });
        }
        let mut status = None;
        if reserves.is_some() {
            status = Some(p.register()?);
            comma(p)?;
        }
        let src = p.register()?;
        comma(p)?;
        Ok(Instr::Store {
            src,
            addr: address(p)?,
            size,
            order,
            status,
        })
    };
    Some(read(p))
}

/// `amoadd.w.aq.rl` and its kin.
fn update(p: &mut Parser, name: &str) -> Option<Parsed<Instr>> {
    let mut parts = name.strip_prefix("amo")?.splitn(3, '.');
    let op = match parts.next()? {
        "swap" => UpdateOp::Swap,
        "add" => UpdateOp::Add,
        "and" => UpdateOp::And,
        "or" => UpdateOp::Or,
        "xor" => UpdateOp::Xor,
        _ => return None,
    };
    let size = match parts.next()? {
        "w" => 32,
        "d" => 64,
        _ => return None,
    };
    let order = match parts.next() {
        Some(tail) => order(&format!(".{tail}"))?,
        None => AccessOrder::default(),
    };
    let read = |p: &mut Parser| {
        let dst = p.register()?;
        comma(p)?;
        let operand = p.register()?;
        comma(p)?;
        Ok(Instr::Update {
            op,
            dst,
            operand,
            addr: address(p)?,
            size,
            order,
        })
    };
    Some(read(p))
}

/// `4(x6)`, or `(x6)`
fn address(p: &mut Parser) -> Parsed<Address> {
    let zero = Number {
        bits: 0,
        negative: false,
        span: p.peek().span,
    };
    if let Some(base) = p.eat_operand(OperandPlace::Memory) {
        let offset = zero;
        return Ok(Address { base, offset });
    }
    let offset = if p.is("(") { zero } else { immediate(p)? };
    p.expect("(", "`(`")?;
    let base = p.register()?;
    p.expect(")", "`)`")?;
    Ok(Address { base, offset })
}

/// A signed number of 12 bits.
fn immediate(p: &mut Parser) -> Parsed<Number> {
    let number = p.number("a number")?;
    if (-2048..2048).contains(&(number.bits as i64)) {
        return Ok(number);
    }
    wrong(
        number.span,
        format!("`{number}` is not between -2048 and 2047"),
    )
}

fn zero_register(span: base::source::Span) -> Name {
    Name {
        text: "x0".to_string(),
        span,
    }
}

fn branch(p: &mut Parser, name: &str) -> Option<Parsed<Instr>> {
    use Comparison::{Equal, GreaterEqual, GreaterEqualUnsigned, Less, LessUnsigned, Unequal};
    if name == "j" {
        return Some(p.label().map(Instr::Jump));
    }
    let (rest, with_zero) = match name.strip_suffix('z') {
        Some(rest) => (rest, true),
        None => (name, false),
    };
    // The comparison, and whether the operands change places.
    let (comparison, swapped) = match rest {
        "beq" => (Equal, false),
        "bne" => (Unequal, false),
        "blt" => (Less, false),
        "bge" => (GreaterEqual, false),
        "bgt" => (Less, true),
        "ble" => (GreaterEqual, true),
        "bltu" if !with_zero => (LessUnsigned, false),
        "bgeu" if !with_zero => (GreaterEqualUnsigned, false),
        "bgtu" if !with_zero => (LessUnsigned, true),
        "bleu" if !with_zero => (GreaterEqualUnsigned, true),
        _ => return None,
    };
    let read = |p: &mut Parser| {
        let a = p.register()?;
        comma(p)?;
        let b = if with_zero {
            zero_register(a.span)
        } else {
            let b = p.register()?;
            comma(p)?;
            b
        };
        let operands = if swapped { [b, a] } else { [a, b] };
        Ok(Instr::Branch(comparison, operands, p.label()?))
    };
    Some(read(p))
}

/// The operator of a mnemonic for two registers.
fn binary(name: &str) -> Option<Binary> {
    Some(match name {
        "add" => Binary::Add,
        "sub" => Binary::Sub,
        "and" => Binary::And,
        "or" => Binary::Or,
        "xor" => Binary::Xor,
        "mul" => Binary::Mul,
        "sll" => Binary::ShiftLeft,
        "srl" => Binary::ShiftRight,
        "sra" => Binary::ShiftArithmetic,
        "slt" => Binary::Less,
        "sltu" => Binary::LessUnsigned,
        _ => return None,
    })
}

fn has_word(op: Binary) -> bool {
    matches!(
        op,
        Binary::Add
            | Binary::Sub
            | Binary::Mul
            | Binary::ShiftLeft
            | Binary::ShiftRight
            | Binary::ShiftArithmetic
    )
}

fn compute(p: &mut Parser, name: &str) -> Option<Parsed<Instr>> {
    if let Some(value) = single(p, name) {
        return Some(value);
    }
    let (name, word) = match name.strip_suffix('w') {
        Some(shorter) => (shorter, true),
        None => (name, false),
    };
    let (op, is_immediate) = match binary(name) {
        Some(op) => (op, false),
        None if name == "sltiu" => (Binary::LessUnsigned, true),
        None => (binary(name.strip_suffix('i')?)?, true),
    };
    if (word && !has_word(op)) || (is_immediate && matches!(op, Binary::Sub | Binary::Mul)) {
        return None;
    }
    let read = |p: &mut Parser| {
        let dst = p.register()?;
        comma(p)?;
        let a = Operand::Register(p.register()?);
        comma(p)?;
        let b = if is_immediate {
            let number = immediate(p)?;
            let bits = if word { 32 } else { 64 };
            let shifts = matches!(
                op,
                Binary::ShiftLeft | Binary::ShiftRight | Binary::ShiftArithmetic
            );
            if shifts && number.bits >= bits {
                let message = format!("`{number}` is not between 0 and {}", bits - 1);
                return wrong(number.span, message);
            }
            Operand::Number(number)
        } else {
            Operand::Register(p.register()?)
        };
        let value = Computation::Binary { op, a, b, word };
        Ok(Instr::Set { dst, value })
    };
    Some(read(p))
}

/// Instructions with one operand.
fn single(p: &mut Parser, name: &str) -> Option<Parsed<Instr>> {
    let known = matches!(
        name,
        "li" | "mv" | "neg" | "negw" | "not" | "seqz" | "snez" | "sext.w"
    );
    let read = |p: &mut Parser| {
        let dst = p.register()?;
        comma(p)?;
        if name == "li" {
            let value = Computation::Operand(Operand::Number(p.number("a number")?));
            return Ok(Instr::Set { dst, value });
        }
        let a = p.register()?;
        let zero = Operand::Register(zero_register(a.span));
        let minus_one = Operand::Number(Number {
            bits: u64::MAX,
            negative: true,
            span: a.span,
        });
        let a = Operand::Register(a);
        let (op, a, b, word) = match name {
            "neg" => (Binary::Sub, zero, a, false),
            "negw" => (Binary::Sub, zero, a, true),
            "not" => (Binary::Xor, a, minus_one, false),
            "seqz" => (Binary::Equal, a, zero, false),
            "snez" => (Binary::Unequal, a, zero, false),
            "sext.w" => (Binary::Add, a, zero, true),
            _ => {
                let value = Computation::Operand(a);
                return Ok(Instr::Set { dst, value });
            }
        };
        let value = Computation::Binary { op, a, b, word };
        Ok(Instr::Set { dst, value })
    };
    known.then(|| read(p))
}

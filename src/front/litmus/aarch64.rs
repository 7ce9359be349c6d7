//! Instructions of AArch64, as the assembler writes them: destination first but for stores, `[X1]` is
//! memory. Upper and lower case are the same.
//!
//! What only kernels have and what this format has no words for is refused by name: tags of memory,
//! page tables, maintenance of caches and instructions, vectors, pairs of registers.

use super::ast::aarch64::{
    Address, Binary, CONDITIONS, Change, Computation, Condition, Extension, Fence, Instr,
    LoadOrder, Operand, Ordered, Register, Shift, Test, Update, UpdateOp, UpdateOrder,
};
use super::ast::{LineKind, Machine, Name, Number};
use super::lex::{LitmusTokenKind, Token};
use super::operand::OperandPlace;
use super::parser::{InstructionSet, Parsed, Parser, unsupported, wrong};

/// The row of the table of instruction sets.
pub(super) static SET: InstructionSet = InstructionSet {
    name: "AArch64",
    machine: Machine::Aarch64,
    register,
    instruction,
};

/// `X5`, for `W5` as well.
fn register(word: &str) -> Option<String> {
    let number = word.strip_prefix(['X', 'W', 'x', 'w'])?;
    if number.eq_ignore_ascii_case("zr") {
        return Some("XZR".to_string());
    }
    let canonical = number == "0" || !number.starts_with('0');
    let value: u8 = number.parse().ok().filter(|n| *n < 31)?;
    canonical.then(|| format!("X{value}"))
}

fn instruction(p: &mut Parser) -> Parsed<LineKind> {
    let mnemonic = p.next();
    let name = mnemonic.text.to_ascii_uppercase();
    operation(p, &name).unwrap_or_else(|| unsupported_instruction(mnemonic, &name))
}

/// Reads the operands of an instruction with this name; `None` if there is no such one.
pub(super) fn operation(p: &mut Parser, name: &str) -> Option<Parsed<LineKind>> {
    let read = None
        .or_else(|| plain(p, name))
        .or_else(|| access(p, name))
        .or_else(|| atomic(p, name))
        .or_else(|| branch(p, name))
        .or_else(|| select(p, name))
        .or_else(|| compute(p, name));
    read.map(|instr| instr.map(LineKind::Aarch64))
}

/// Says what an instruction belongs to that is not supported.
fn unsupported_instruction<T>(mnemonic: Token, name: &str) -> Parsed<T> {
    const EXTENSIONS: [(&[&str], &str); 6] = [
        (
            &["STG", "LDG", "ST2G", "STZG", "IRG", "ADDG", "SUBG", "GMI"],
            "memory tagging",
        ),
        (
            &["TLBI", "MRS", "MSR", "ERET", "SVC", "HVC", "AT"],
            "the system's registers and page tables",
        ),
        (
            &["IC", "DC"],
            "the maintenance of caches, and fetching of instructions",
        ),
        (
            &["LD1", "ST1", "LD2", "ST2", "WHILE", "PTRUE", "INDEX"],
            "vectors",
        ),
        (
            &[
                "LDP", "STP", "LDNP", "STNP", "LDXP", "STXP", "CASP", "LDAXP", "STLXP",
            ],
            "accesses to pairs of registers",
        ),
        (&["BL", "BR", "BLR", "ADR", "ADRP"], "jumps to addresses"),
    ];
    let found = EXTENSIONS.iter().find(|(names, _)| {
        let begins = |n: &&str| name == *n || (n.len() > 2 && name.starts_with(*n));
        names.iter().any(begins)
    });
    let text = mnemonic.text;
    let why = found.map_or(String::new(), |(_, what)| format!(": {what} are left out"));
    unsupported(
        mnemonic.span,
        format!("the instruction `{text}` of AArch64 is not supported{why}"),
    )
}

fn plain(p: &mut Parser, name: &str) -> Option<Parsed<Instr>> {
    Some(match name {
        "NOP" => Ok(Instr::Nop),
        "RET" => Ok(Instr::Return),
        "ISB" => {
            if p.is_word("SY") || p.is_word("sy") {
                p.next();
            }
            Ok(Instr::Fence(Fence::Isb))
        }
        "DMB" => ordered(p).map(|o| Instr::Fence(Fence::Dmb(o))),
        "DSB" => ordered(p).map(|o| Instr::Fence(Fence::Dsb(o))),
        _ => return None,
    })
}

/// The option of a barrier. All observers are in one domain.
fn ordered(p: &mut Parser) -> Parsed<Ordered> {
    // On 32-bit ARM it may be left out.
    let is_32_bit = p.statement.is_some() || p.set.machine == Machine::Arm;
    let ends = [
        LitmusTokenKind::End,
        LitmusTokenKind::Sign("|"),
        LitmusTokenKind::Sign(";"),
    ];
    if is_32_bit && ends.contains(&p.peek().kind) {
        return Ok(Ordered::Full);
    }
    let option = p.name("`SY`, `LD`, `ST` or another option")?;
    let upper = option.text.to_ascii_uppercase();
    Ok(match upper.as_str() {
        "SY" | "ISH" | "OSH" => Ordered::Full,
        "LD" | "ISHLD" | "OSHLD" => Ordered::Loads,
        "ST" | "ISHST" | "OSHST" => Ordered::Stores,
        "NSH" | "NSHLD" | "NSHST" => {
            let message = format!("`{}` is for one processor alone", option.text);
            return unsupported(option.span, message + ": that is not supported");
        }
        _ => {
            let message = format!("`{}` is no option of a barrier", option.text);
            return wrong(option.span, message);
        }
    })
}

/// A register, with the part of it that is meant. Registers of 32-bit ARM are `W` registers here, and an
/// operand of an assembly statement is one unless its letter or its type says more.
fn part(p: &mut Parser) -> Parsed<Register> {
    if p.statement.is_some() {
        p.eat("%");
    }
    let token = p.peek();
    if token.kind == LitmusTokenKind::Word && matches!(token.text, "SP" | "WSP" | "sp" | "wsp") {
        return unsupported(token.span, "the stack pointer is not supported");
    }
    let half = match token.kind {
        LitmusTokenKind::Operand(_, None) => {
            let operand = p.operand_at(OperandPlace::Register);
            operand.is_some_and(|o| o.width != Some(64))
        }
        LitmusTokenKind::Operand(_, Some('w')) => true,
        LitmusTokenKind::Operand(_, Some('x')) => false,
        LitmusTokenKind::Operand(_, Some(letter)) => {
            let message = format!("the letter `{letter}` before an operand is not supported");
            return unsupported(token.span, message);
        }
        _ => p.set.machine == Machine::Arm || token.text.starts_with(['W', 'w', 'R', 'r']),
    };
    let name = p.register()?;
    Ok(Register {
        zero: name.text == "XZR",
        name,
        size: if half { 32 } else { 64 },
    })
}

/// The register that is 0, of the size of another one.
fn zero_register(like: &Register) -> Register {
    let text = "XZR".to_string();
    let span = like.name.span;
    Register {
        name: Name { text, span },
        size: like.size,
        zero: true,
    }
}

/// A register of 32 or 64 bits, if it does not say its size.
fn sized(p: &mut Parser, size: u8) -> Parsed<Register> {
    let token = p.peek();
    let is_any = match token.kind {
        LitmusTokenKind::Operand(_, letter) => letter.is_none(),
        _ => p.set.machine == Machine::Arm || token.text.starts_with(['R', 'r']),
    };
    let register = part(p)?;
    let size = if is_any { size } else { register.size };
    Ok(Register { size, ..register })
}

/// A register that an access of so many bits can have as its value.
fn valued(p: &mut Parser, size: u8) -> Parsed<Register> {
    let wanted = if size == 64 { 64 } else { 32 };
    let register = sized(p, wanted)?;
    if register.size == wanted {
        return Ok(register);
    }
    let message = format!("an access of {size} bits has a `W` register");
    wrong(register.name.span, message)
}

fn comma(p: &mut Parser) -> Parsed<()> {
    p.expect(",", "`,`").map(|_| ())
}

/// Whether a number stands here. A constant among the operands of an assembly statement (`#%0`) is a
/// register for the instructions.
fn is_number(p: &Parser) -> bool {
    match p.peek().kind {
        LitmusTokenKind::Sign("#") => !matches!(p.ahead(1).kind, LitmusTokenKind::Operand(..)),
        LitmusTokenKind::Sign("-") | LitmusTokenKind::Number => true,
        _ => false,
    }
}

/// `#1`, or `1`
fn number(p: &mut Parser) -> Parsed<Number> {
    p.eat("#");
    p.number("a number")
}

fn small(p: &mut Parser, limit: u8) -> Parsed<u8> {
    let number = number(p)?;
    match u8::try_from(number.bits) {
        Ok(n) if n < limit => Ok(n),
        _ => wrong(
            number.span,
            format!("`{number}` is not between 0 and {}", limit - 1),
        ),
    }
}

/// Loads and stores: what they order, their size, and what they are made of.
fn access(p: &mut Parser, name: &str) -> Option<Parsed<Instr>> {
    const LOADS: [(&str, LoadOrder, bool); 7] = [
        ("LDAXR", LoadOrder::Acquire, true),
        ("LDXR", LoadOrder::None, true),
        ("LDAPR", LoadOrder::AcquirePc, false),
        ("LDAPUR", LoadOrder::AcquirePc, false),
        ("LDAR", LoadOrder::Acquire, false),
        ("LDUR", LoadOrder::None, false),
        ("LDR", LoadOrder::None, false),
    ];
    const STORES: [(&str, bool, bool); 6] = [
        ("STLXR", true, true),
        ("STXR", false, true),
        ("STLUR", true, false),
        ("STLR", true, false),
        ("STUR", false, false),
        ("STR", false, false),
    ];
    let with_offset = |what: &str| what.ends_with("UR") || matches!(what, "LDR" | "STR");
    for (what, order, exclusive) in LOADS {
        let Some(tail) = name.strip_prefix(what) else {
            continue;
        };
        let signs = with_offset(what);
        let (size, signed) = match tail {
            "" => (None, false),
            "B" => (Some(8), false),
            "H" => (Some(16), false),
            "SB" if signs => (Some(8), true),
            "SH" if signs => (Some(16), true),
            "SW" if signs => (Some(32), true),
            _ => continue,
        };
        let read = |p: &mut Parser| {
            let dst = match size {
                // The sign goes into either part.
                Some(size) if !signed => valued(p, size)?,
                _ => part(p)?,
            };
            comma(p)?;
            let addr = address(p, with_offset(what))?;
            Ok(Instr::Load {
                size: size.unwrap_or(dst.size),
                dst,
                addr,
                signed,
                order,
                exclusive,
            })
        };
        return Some(read(p));
    }
    for (what, release, exclusive) in STORES {
        let size = match name.strip_prefix(what) {
            Some("") => None,
            Some("B") => Some(8),
            Some("H") => Some(16),
            _ => continue,
        };
        let read = |p: &mut Parser| {
            let mut status = None;
            if exclusive {
                status = Some(valued(p, 32)?);
                comma(p)?;
            }
            let src = match size {
                Some(size) => valued(p, size)?,
                None => part(p)?,
            };
            comma(p)?;
            let addr = address(p, with_offset(what))?;
            Ok(Instr::Store {
                size: size.unwrap_or(src.size),
                src,
                addr,
                release,
                status,
            })
        };
        return Some(read(p));
    }
    None
}

/// The single-instruction atomics.
fn atomic(p: &mut Parser, name: &str) -> Option<Parsed<Instr>> {
    const OPS: [(&str, Option<UpdateOp>, bool); 10] = [
        ("SWP", Some(UpdateOp::Swap), true),
        ("LDADD", Some(UpdateOp::Add), true),
        ("LDCLR", Some(UpdateOp::Clear), true),
        ("LDEOR", Some(UpdateOp::Xor), true),
        ("LDSET", Some(UpdateOp::Set), true),
        ("STADD", Some(UpdateOp::Add), false),
        ("STCLR", Some(UpdateOp::Clear), false),
        ("STEOR", Some(UpdateOp::Xor), false),
        ("STSET", Some(UpdateOp::Set), false),
        ("CAS", None, true),
    ];
    let (tail, op, returns) = OPS
        .iter()
        .find_map(|(n, op, returns)| Some((name.strip_prefix(n)?, *op, *returns)))?;
    let (order, size) = match tail.strip_suffix(['B', 'H']) {
        Some(order) => (order, Some(if tail.ends_with('B') { 8 } else { 16 })),
        None => (tail, None),
    };
    let order = match order {
        "" => (false, false),
        "A" if returns => (true, false),
        "L" => (false, true),
        "AL" if returns => (true, true),
        _ => return None,
    };
    let order = UpdateOrder {
        acquire: order.0,
        release: order.1,
    };
    let read = |p: &mut Parser| {
        let operand = match size {
            Some(size) => valued(p, size)?,
            None => part(p)?,
        };
        let size = size.unwrap_or(operand.size);
        comma(p)?;
        let mut dst = None;
        if returns {
            dst = Some(valued(p, size)?);
            comma(p)?;
        }
        let addr = address(p, false)?;
        Ok(match (op, dst) {
            (Some(op), dst) => Instr::Update {
                op,
                operand,
                dst,
                addr,
                size,
                order,
            },
            (None, Some(desired)) => Instr::CompareSwap {
                expected: operand,
                desired,
                addr,
                size,
                order,
            },
            (None, None) => Instr::Nop,
        })
    };
    Some(read(p))
}

/// `[X1]`, and where `offsets` are allowed `[X1,#8]`, `[X1,W2,SXTW]`, `[X1,#8]!`, `[X1],#8`.
fn address(p: &mut Parser, offsets: bool) -> Parsed<Address> {
    let at = |base: Name| Address {
        span: base.span,
        base,
        offset: None,
        update: None,
    };
    if let Some(operand) = p.eat_operand(OperandPlace::Memory) {
        return Ok(at(operand));
    }
    let open = p.expect("[", "`[`")?;
    let base = sized(p, 64)?;
    if base.size != 64 || base.zero {
        return wrong(base.name.span, "the base of an address is an `X` register");
    }
    let mut offset = None;
    let comma_at = p.peek().span;
    if p.eat(",") {
        offset = Some(if is_number(p) {
            Operand::Number(number(p)?)
        } else {
            let register = part(p)?;
            let extension = extension(p, register.size)?;
            Operand::Register(register, extension)
        });
    }
    let zero = matches!(&offset, Some(Operand::Number(n)) if n.bits == 0);
    if !offsets && offset.is_some() && !zero {
        return wrong(comma_at, "this instruction has no offset");
    }
    let close = p.expect("]", "`]`")?;
    let mut update = None;
    if offsets && matches!(offset, Some(Operand::Number(_))) && p.eat("!") {
        update = Some(Update::Before);
    } else if offsets && offset.is_none() && p.eat(",") {
        offset = Some(Operand::Number(number(p)?));
        update = Some(Update::After);
    }
    Ok(Address {
        base: base.name,
        offset,
        update,
        span: open.span.to(close.span),
    })
}

const AS_IT_IS: Extension = Extension {
    low: None,
    shift: Shift::Left,
    by: 0,
};

/// `,LSL #2` or `,SXTW #2` behind a register of so many bits.
fn extension(p: &mut Parser, size: u8) -> Parsed<Extension> {
    if !p.eat(",") {
        return Ok(Extension {
            // The upper half of a register is no part of `W5`.
            low: (size == 32).then_some((32, false)),
            ..AS_IT_IS
        });
    }
    let name = p.name("`LSL`, `SXTW` or the like")?;
    let upper = name.text.to_ascii_uppercase();
    let shift = match upper.as_str() {
        "LSL" => Some(Shift::Left),
        "LSR" => Some(Shift::Right),
        "ASR" => Some(Shift::Arithmetic),
        _ => None,
    };
    if let Some(shift) = shift {
        return Ok(Extension {
            low: (size == 32).then_some((32, shift == Shift::Arithmetic)),
            shift,
            by: small(p, size)?,
        });
    }
    let low = match upper.as_str() {
        "UXTB" => (8, false),
        "UXTH" => (16, false),
        "UXTW" => (32, false),
        "UXTX" => (64, false),
        "SXTB" => (8, true),
        "SXTH" => (16, true),
        "SXTW" => (32, true),
        "SXTX" => (64, true),
        _ => {
            let message = format!("`{}` is no shift or extension", name.text);
            return wrong(name.span, message);
        }
    };
    let by = match p.is("#") || p.peek().kind == LitmusTokenKind::Number {
        true => small(p, 5)?,
        false => 0,
    };
    Ok(Extension {
        low: Some(low),
        shift: Shift::Left,
        by,
    })
}

/// A condition by its name.
pub(super) fn condition(name: &str) -> Option<Condition> {
    CONDITIONS.iter().find_map(|(names, flags)| {
        let at = names.iter().position(|n| *n == name)?;
        let (flags, holds) = (*flags, at == 0);
        Some(Condition { flags, holds })
    })
}

fn branch(p: &mut Parser, name: &str) -> Option<Parsed<Instr>> {
    let to = |p: &mut Parser, test| Ok(Instr::Branch(test, p.label()?));
    if let Some(cond) = name.strip_prefix("B.").and_then(condition) {
        return Some(to(p, Some(Test::Flags(cond))));
    }
    let read = |p: &mut Parser| match name {
        "CBZ" | "CBNZ" => {
            let register = part(p)?;
            comma(p)?;
            to(p, Some(Test::Zero(register, name == "CBZ")))
        }
        "TBZ" | "TBNZ" => {
            let register = part(p)?;
            comma(p)?;
            let bit = small(p, register.size)?;
            comma(p)?;
            to(p, Some(Test::Bit(register, bit, name == "TBNZ")))
        }
        _ => to(p, None),
    };
    matches!(name, "B" | "CBZ" | "CBNZ" | "TBZ" | "TBNZ").then(|| read(p))
}

/// `CSEL` and what stands for it.
fn select(p: &mut Parser, name: &str) -> Option<Parsed<Instr>> {
    let change = match name {
        "CSEL" => Change::None,
        "CSINC" | "CSET" | "CINC" => Change::Increment,
        "CSINV" | "CSETM" | "CINV" => Change::Invert,
        "CSNEG" | "CNEG" => Change::Negate,
        _ => return None,
    };
    let read = |p: &mut Parser| {
        let dst = part(p)?;
        comma(p)?;
        let zero = zero_register(&dst);
        // What the short forms change is changed where the condition holds.
        let (a, b, short) = match name {
            "CSET" | "CSETM" => (zero.clone(), zero, true),
            "CINC" | "CINV" | "CNEG" => {
                let a = valued(p, dst.size)?;
                comma(p)?;
                (a.clone(), a, true)
            }
            _ => {
                let a = valued(p, dst.size)?;
                comma(p)?;
                let b = valued(p, dst.size)?;
                comma(p)?;
                (a, b, false)
            }
        };
        let word = p.name("a condition")?;
        let Some(cond) = condition(&word.text.to_ascii_uppercase()) else {
            return wrong(word.span, format!("`{}` is no condition", word.text));
        };
        Ok(Instr::Select {
            dst,
            cond: Condition {
                holds: cond.holds != short,
                ..cond
            },
            a,
            b,
            change,
        })
    };
    Some(read(p))
}

fn compute(p: &mut Parser, name: &str) -> Option<Parsed<Instr>> {
    let (op, flags, compares) = match name {
        "ADD" => (Binary::Add, false, false),
        "ADDS" => (Binary::Add, true, false),
        "SUB" => (Binary::Sub, false, false),
        "SUBS" => (Binary::Sub, true, false),
        "AND" => (Binary::And, false, false),
        "ANDS" => (Binary::And, true, false),
        "ORR" => (Binary::Or, false, false),
        "EOR" => (Binary::Xor, false, false),
        "BIC" => (Binary::AndNot, false, false),
        "BICS" => (Binary::AndNot, true, false),
        "ORN" => (Binary::OrNot, false, false),
        "EON" => (Binary::XorNot, false, false),
        "MUL" => (Binary::Mul, false, false),
        "LSL" => (Binary::Shift(Shift::Left), false, false),
        "LSR" => (Binary::Shift(Shift::Right), false, false),
        "ASR" => (Binary::Shift(Shift::Arithmetic), false, false),
        "CMP" => (Binary::Sub, true, true),
        "CMN" => (Binary::Add, true, true),
        "TST" => (Binary::And, true, true),
        _ => return single(p, name),
    };
    Some(if compares {
        compare(p, op)
    } else {
        binary(p, op, flags)
    })
}

/// `CMP a,b` and its kin.
pub(super) fn compare(p: &mut Parser, op: Binary) -> Parsed<Instr> {
    let a = part(p)?;
    comma(p)?;
    let dst = zero_register(&a);
    let b = operand(p, a.size)?;
    Ok(Instr::Set {
        dst,
        value: Computation::Binary(op, a, b),
        flags: true,
    })
}

/// `ADD dst,a,b` and its kin.
fn binary(p: &mut Parser, op: Binary, flags: bool) -> Parsed<Instr> {
    let dst = part(p)?;
    comma(p)?;
    let a = sized(p, dst.size)?;
    if a.size != dst.size {
        return wrong(a.name.span, "expected a register of the size of the target");
    }
    comma(p)?;
    let b = operand(p, dst.size)?;
    Ok(Instr::Set {
        dst,
        value: Computation::Binary(op, a, b),
        flags,
    })
}

/// Instructions with one operand.
fn single(p: &mut Parser, name: &str) -> Option<Parsed<Instr>> {
    let extended = match name {
        "MOV" | "MOVZ" | "MVN" | "NEG" => None,
        "UXTB" => Some((8, false)),
        "UXTH" => Some((16, false)),
        "UXTW" => Some((32, false)),
        "SXTB" => Some((8, true)),
        "SXTH" => Some((16, true)),
        "SXTW" => Some((32, true)),
        _ => return None,
    };
    let read = |p: &mut Parser| {
        let dst = part(p)?;
        comma(p)?;
        let value = match extended {
            Some(low) => {
                let low = Some(low);
                Computation::Operand(Operand::Register(part(p)?, Extension { low, ..AS_IT_IS }))
            }
            None => {
                let value = operand(p, dst.size)?;
                match name {
                    "MVN" => Computation::Not(value),
                    "NEG" => Computation::Binary(Binary::Sub, zero_register(&dst), value),
                    _ => Computation::Operand(value),
                }
            }
        };
        Ok(Instr::Set {
            dst,
            value,
            flags: false,
        })
    };
    Some(read(p))
}

/// A register that may be shifted or extended, or a number that fits so many bits.
fn operand(p: &mut Parser, size: u8) -> Parsed<Operand> {
    if !is_number(p) {
        p.eat("#");
        let register = sized(p, size)?;
        if register.size > size {
            return wrong(
                register.name.span,
                "expected a register of the size of the target",
            );
        }
        let extension = extension(p, register.size)?;
        return Ok(Operand::Register(register, extension));
    }
    let mut number = number(p)?;
    if !number.fits(u32::from(size)) {
        return wrong(number.span, format!("`{number}` does not fit {size} bits"));
    }
    if p.is(",") && p.ahead(1).text.eq_ignore_ascii_case("lsl") {
        p.next();
        p.next();
        let by = small(p, size)?;
        number.bits <<= by;
    }
    Ok(Operand::Number(number))
}

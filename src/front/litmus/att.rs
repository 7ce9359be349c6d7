//! Instructions of x86 in AT&T's syntax, as inline assembly and tests for `X86_64` have them: the destination last, `$`
//! before numbers, `4(%rax)` and in tests `(x)` are memory, and the last letter of a mnemonic may say the size.
//!
//! The parts of a register have one name in the syntax, and the instruction has the size. It is what
//! the mnemonic says, or the operands in registers, or else the type of the operand in memory.

use super::ast::x86::{Base, Fence, Instr, MemoryOperand, Op, Operand};
use super::ast::{LineKind, Machine, Name, Number, Symbol};
use super::init::symbol;
use super::lex::LitmusTokenKind;
use super::operand::OperandPlace;
use super::parser::{InstructionSet, Parsed, Parser, unsupported, wrong};
use super::x86::{self, Shape, condition, plain, shape};
use base::source::Span;

/// The row of the table of machines whose assembly is known.
pub(super) static SET: InstructionSet = InstructionSet {
    name: "x86",
    machine: Machine::X86,
    register: x86::register,
    instruction: |p| instruction(p).map(LineKind::X86),
};

/// The row of the table of instruction sets of tests.
pub(super) static TESTS: InstructionSet = InstructionSet {
    name: "X86_64",
    machine: Machine::X86_64,
    register: |word| part(word).map(|(name, _)| name),
    instruction: |p| instruction(p).map(LineKind::X86),
};

/// A register of the syntax as herd7 prints it: with 64 bits.
pub(super) fn shown(name: &str) -> String {
    let known = PARTS.iter().find(|p| p[1].eq_ignore_ascii_case(name));
    let numbered = || name.strip_suffix('D').unwrap_or(name).to_ascii_lowercase();
    known.map_or_else(numbered, |parts| parts[0].to_string())
}

/// The parts of registers in 64, 32, 16 and 8 bits. The second one is the name in the syntax.
const PARTS: [[&str; 4]; 8] = [
    ["rax", "eax", "ax", "al"],
    ["rbx", "ebx", "bx", "bl"],
    ["rcx", "ecx", "cx", "cl"],
    ["rdx", "edx", "dx", "dl"],
    ["rsi", "esi", "si", "sil"],
    ["rdi", "edi", "di", "dil"],
    ["rbp", "ebp", "bp", "bpl"],
    ["rsp", "esp", "sp", "spl"],
];

/// Bits of the parts.
const SIZES: [u8; 4] = [64, 32, 16, 8];

/// The register that a word names, and the bits of it.
pub(super) fn part(word: &str) -> Option<(String, u8)> {
    for parts in PARTS {
        if let Some(at) = parts.iter().position(|p| p.eq_ignore_ascii_case(word)) {
            return Some((parts[1].to_ascii_uppercase(), SIZES[at]));
        }
    }
    let lower = word.to_ascii_lowercase();
    let digits = lower.strip_prefix('r')?;
    let number = digits.trim_end_matches(['d', 'w', 'b']);
    let size = match &digits[number.len()..] {
        "" => 64,
        "d" => 32,
        "w" => 16,
        "b" => 8,
        _ => return None,
    };
    let known = number.parse::<u8>().is_ok_and(|n| (8..16).contains(&n));
    known.then(|| (format!("R{number}D"), size))
}

/// What operands say about the size of an instruction.
#[derive(Default)]
struct Stated {
    /// A register, or a letter before an operand.
    register: Option<u8>,
    /// The type of an operand in a register or in memory, the destination's first.
    operand: Option<u8>,
}

fn instruction(p: &mut Parser) -> Parsed<Instr> {
    let (lock, first) = (is_prefix(p, "lock"), p.peek().span);
    if lock {
        p.next();
    }
    if is_prefix(p, "rep") {
        p.next();
        if p.peek().kind == LitmusTokenKind::End {
            return Ok(hint());
        }
        if !p.peek().text.eq_ignore_ascii_case("nop") {
            return unsupported(p.peek().span, "a repeated instruction is not supported");
        }
    }
    let mnemonic = p.name("an instruction")?;
    let lower = mnemonic.text.to_ascii_lowercase();
    if is_hint(&lower) && !lock {
        let ends = [
            LitmusTokenKind::End,
            LitmusTokenKind::Sign("|"),
            LitmusTokenKind::Sign(";"),
        ];
        while !ends.contains(&p.peek().kind) {
            p.next();
        }
        return Ok(hint());
    }
    let mut stated = Stated::default();
    let (op, size) = match plain(&lower) {
        _ if lower == "rdtsc" => (Op::Rdtsc, Some(32)),
        Some(op) => (op, None),
        None => operation(p, &mnemonic, &lower, &mut stated)?,
    };
    if lock && !op.can_lock() {
        return wrong(first, format!("`lock` cannot stand before `{lower}` here"));
    }
    if lock && on_the_stack(&op) {
        // The old way to say `mfence`.
        let op = Op::Fence(Fence::Mfence);
        let (lock, size) = (false, None);
        return Ok(Instr { lock, size, op });
    }
    let size = match (size, stated.register) {
        (Some(size), Some(register)) if size != register => {
            return wrong(mnemonic.span, "a register has another size");
        }
        // `cmp %w0, %w1` is of ARM, too, where the letter says 32 bits.
        (None, Some(16)) => {
            let message = "16 bits that the mnemonic does not say are not supported";
            return unsupported(mnemonic.span, message);
        }
        (size, register) => size.or(register).or(stated.operand),
    };
    if size.is_none() && op.operands().next().is_some() {
        return wrong(mnemonic.span, "nothing says the size of the operands");
    }
    Ok(Instr { lock, size, op })
}

fn is_prefix(p: &Parser, word: &str) -> bool {
    p.peek().text.eq_ignore_ascii_case(word)
}

fn hint() -> Instr {
    Instr {
        lock: false,
        size: None,
        op: Op::Nop,
    }
}

/// Instructions that say how execution goes on, not what it does.
fn is_hint(mnemonic: &str) -> bool {
    let prefetches = ["t0", "t1", "t2", "w", "nta"];
    let prefetch = mnemonic.strip_prefix("prefetch");
    matches!(mnemonic, "pause" | "endbr64")
        || prefetch.is_some_and(|kind| prefetches.contains(&kind))
}

/// Compare-exchanges of two words, with the size of one.
const PAIRS: [(&str, u8); 2] = [("cmpxchg8b", 32), ("cmpxchg16b", 64)];

/// Reads the operands of a mnemonic; what it is, and the size that the mnemonic says.
fn operation(
    p: &mut Parser,
    mnemonic: &Name,
    lower: &str,
    stated: &mut Stated,
) -> Parsed<(Op, Option<u8>)> {
    if let Some(condition) = lower.strip_prefix("set").and_then(condition) {
        let dst = destination(p, &mut Stated::default())?;
        return Ok((Op::Set(condition, dst), Some(8)));
    }
    if let Some((_, size)) = PAIRS.iter().find(|(name, _)| *name == lower) {
        let dst = destination(p, &mut Stated::default())?;
        return Ok((Op::CmpxchgPair(dst), Some(*size)));
    }
    let (shape, size) = match (shape(lower), sized(lower)) {
        (Some(shape), _) => (shape, None),
        (None, Some((shape, size))) => (shape, Some(size)),
        (None, None) => {
            let message = format!("the instruction `{}` of x86 is not known", mnemonic.text);
            return unsupported(mnemonic.span, message);
        }
    };
    let op = match shape {
        Shape::One(make) => make(destination(p, stated)?),
        Shape::Two(make) => {
            let (a, b) = pair(p, stated)?;
            make(a, b)
        }
        Shape::Source(make) => {
            let (a, b) = pair(p, stated)?;
            let Operand::Register(source) = b else {
                return wrong(b.span(), "expected a register");
            };
            make(a, source)
        }
        Shape::Jump(condition) => Op::Jump(condition, p.label()?),
    };
    Ok((op, size))
}

/// A mnemonic whose last letter is a size.
fn sized(mnemonic: &str) -> Option<(Shape, u8)> {
    let size = match mnemonic.chars().next_back()? {
        'b' => 8,
        'w' => 16,
        'l' => 32,
        'q' => 64,
        _ => return None,
    };
    match shape(&mnemonic[..mnemonic.len() - 1])? {
        Shape::Jump(_) => None,
        shape => Some((shape, size)),
    }
}

/// `src, dst` of which at most one is memory.
fn pair(p: &mut Parser, stated: &mut Stated) -> Parsed<(Operand, Operand)> {
    let mut source = Stated::default();
    let b = operand(p, &mut source)?;
    p.expect(",", "`,`")?;
    let a = destination(p, stated)?;
    if let (Operand::Memory(_), Operand::Memory(m)) = (&a, &b) {
        return wrong(m.span, "only one operand can be in memory");
    }
    if let (Some(to), Some(from)) = (stated.register, source.register)
        && to != from
    {
        return wrong(a.span(), "the operands have different sizes");
    }
    stated.register = stated.register.or(source.register);
    stated.operand = stated.operand.or(source.operand);
    Ok((a, b))
}

fn destination(p: &mut Parser, stated: &mut Stated) -> Parsed<Operand> {
    match operand(p, stated)? {
        Operand::Number(number) => wrong(number.span, "expected a register or memory"),
        other => Ok(other),
    }
}

fn operand(p: &mut Parser, stated: &mut Stated) -> Parsed<Operand> {
    let token = p.peek();
    match token.kind {
        LitmusTokenKind::Operand(_, letter) => {
            stated.register = letter_size(letter, token.span)?;
            let places = [OperandPlace::Register, OperandPlace::Memory];
            stated.operand = places.iter().find_map(|place| p.operand_at(*place)?.width);
            Ok(match p.eat_operand(OperandPlace::Memory) {
                Some(name) => memory(Base::Symbol(Symbol { name, index: None }), None, token.span),
                None => Operand::Register(p.register()?),
            })
        }
        LitmusTokenKind::Sign("%") => {
            let (name, size) = register(p)?;
            stated.register = Some(size);
            Ok(Operand::Register(name))
        }
        LitmusTokenKind::Sign("$") => {
            p.next();
            match p.peek().kind {
                LitmusTokenKind::Operand(..) => operand(p, &mut Stated::default()),
                _ => p.number("a number").map(Operand::Number),
            }
        }
        _ => {
            let offset = match p.is("(") {
                true => None,
                false => Some(p.number("an operand")?),
            };
            p.expect("(", "`(`")?;
            let base = match p.eat_operand(OperandPlace::Register) {
                Some(name) => Base::Register(name),
                // In a test a location may stand there, whose cell has the usual size.
                None if p.statement.is_none() && p.peek().kind == LitmusTokenKind::Word => {
                    stated.operand = Some(32);
                    Base::Symbol(symbol(p)?)
                }
                None => Base::Register(register(p)?.0),
            };
            p.expect(")", "`)`")?;
            Ok(memory(base, offset, token.span))
        }
    }
}

fn memory(base: Base, offset: Option<Number>, span: Span) -> Operand {
    Operand::Memory(MemoryOperand {
        base,
        offset,
        thread: None,
        span,
    })
}

/// `%eax`
fn register(p: &mut Parser) -> Parsed<(Name, u8)> {
    p.expect("%", "a register")?;
    let Name { text, span } = p.name("a register")?;
    match part(&text) {
        Some((text, size)) => Ok((Name { text, span }, size)),
        None => unsupported(span, format!("the register `{text}` is not supported")),
    }
}

/// The size that the letter of an operand says: `%b0` is a byte.
fn letter_size(letter: Option<char>, span: Span) -> Parsed<Option<u8>> {
    Ok(Some(match letter {
        Some('b') => 8,
        Some('w') => 16,
        Some('k') => 32,
        Some('q') => 64,
        None | Some('c' | 'P') => return Ok(None),
        Some(other) => {
            let message = format!("the letter `{other}` before an operand is not supported");
            return unsupported(span, message);
        }
    }))
}

/// A modification of the top of the stack that changes nothing.
fn on_the_stack(op: &Op) -> bool {
    let Op::Binary(binary, Operand::Memory(memory), Operand::Number(number)) = op else {
        return false;
    };
    use super::ast::x86::Binary::{Add, Or, Sub, Xor};
    matches!(binary, Add | Sub | Or | Xor) && number.bits == 0 && memory.is_at("ESP")
}

//! Lines of an assembly statement of Power or ARM: a label, a mnemonic and arguments.
//!
//! The syntax is the common part of what gas reads for them. Nothing here knows what an instruction
//! does.

use crate::front::litmus::template::TemplateLine;

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// `1:` in front of it; with an empty mnemonic when nothing follows.
    pub labels: Vec<String>,
    /// In lower case.
    pub mnemonic: String,
    /// What follows.
    pub args: Vec<Arg>,
    /// The instruction as the source has it, for messages.
    pub text: String,
}

/// An argument of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// `%0`, `%[name]`, with any modifier.
    Operand(usize),
    /// `$1`, `#1`, or a bare number.
    Imm(i64),
    /// `%%eax`, `r0`, the name of a label, a barrier's option.
    Name(String),
    /// `4(%0)`, `[%0, #4]`
    Mem(Box<Arg>, i64),
    /// What is none of these.
    Other(String),
}

/// Divides the lines of a template. `names` are the symbolic names of the operands.
pub fn parse(lines: &[TemplateLine], names: &[Option<String>], extended: bool) -> Vec<Line> {
    let parsed = |line: &TemplateLine| {
        let text = &line.text;
        let (word, args) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        // `lwz%U1%X1`: the addressing mode of an operand, of no interest here.
        let mnemonic = word.split('%').next().unwrap_or(word).to_lowercase();
        let arg = |a: &str| arg(a.trim(), names, extended);
        Line {
            labels: line.labels.iter().map(|l| l.written.clone()).collect(),
            mnemonic,
            args: pieces(args).into_iter().map(arg).collect(),
            text: text.clone(),
        }
    };
    lines.iter().map(parsed).collect()
}

/// The arguments, divided at commas outside of brackets.
fn pieces(text: &str) -> Vec<&str> {
    let (mut depth, mut from) = (0i32, 0);
    let mut out = Vec::new();
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                out.push(&text[from..i]);
                from = i + 1;
            }
            _ => {}
        }
    }
    if !text[from..].trim().is_empty() {
        out.push(&text[from..]);
    }
    out
}

fn arg(text: &str, names: &[Option<String>], extended: bool) -> Arg {
    if let Some(rest) = text.strip_prefix(['$', '#']) {
        return match arg(rest, names, extended) {
            Arg::Mem(..) => Arg::Other(text.to_string()),
            inner => inner,
        };
    }
    if let Some(name) = text.strip_prefix("%%") {
        return Arg::Name(name.to_lowercase());
    }
    if let Some(rest) = text.strip_prefix('%') {
        if !extended {
            return Arg::Name(rest.to_lowercase());
        }
        if let Some(number) = operand(rest, names) {
            return Arg::Operand(number);
        }
    }
    if let Some(number) = number(text) {
        return Arg::Imm(number);
    }
    if let Some(inner) = text.strip_suffix(')')
        && let Some((offset, base)) = inner.split_once('(')
    {
        return memory(base, offset, names, extended, text);
    }
    if let Some(inner) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        let (base, offset) = inner.split_once(',').unwrap_or((inner, ""));
        return memory(
            base,
            offset.trim().trim_start_matches('#'),
            names,
            extended,
            text,
        );
    }
    let word = |c: char| c.is_ascii_alphanumeric() || "._=%|".contains(c);
    if !text.is_empty() && text.chars().all(word) {
        return Arg::Name(text.to_lowercase());
    }
    Arg::Other(text.to_string())
}

fn memory(base: &str, offset: &str, names: &[Option<String>], extended: bool, all: &str) -> Arg {
    let offset = match offset.trim() {
        "" => Some(0),
        text => number(text),
    };
    match (arg(base.trim(), names, extended), offset) {
        (base @ (Arg::Operand(_) | Arg::Name(_)), Some(offset)) => Arg::Mem(Box::new(base), offset),
        _ => Arg::Other(all.to_string()),
    }
}

/// `0`, `b0`, `[name]`, `w[name]`
fn operand(text: &str, names: &[Option<String>]) -> Option<usize> {
    let rest = match text.chars().next()? {
        c if c.is_ascii_alphabetic() => &text[1..],
        _ => text,
    };
    if let Some(name) = rest.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        return names.iter().position(|n| n.as_deref() == Some(name));
    }
    let index: usize = rest.parse().ok()?;
    (index < names.len()).then_some(index)
}

fn number(text: &str) -> Option<i64> {
    let (minus, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok()?,
        None => digits
            .parse::<i64>()
            .ok()
            .filter(|_| !digits.starts_with('+'))?,
    };
    Some(if minus { value.wrapping_neg() } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::litmus::template::lines;

    #[test]
    fn lines_have_labels_and_arguments() {
        let names = [None, Some("p".to_string())];
        let parsed = |template: &str| parse(&lines(template), &names, true);
        let loads = parsed("1: lwarx %0,0,%1 # load\n\tbne- 1b");
        assert_eq!(loads[0].labels, ["1"]);
        assert_eq!(
            loads[0].args,
            [Arg::Operand(0), Arg::Imm(0), Arg::Operand(1)]
        );
        assert_eq!(loads[1].args, [Arg::Name("1b".to_string())]);
        let memory = |offset| Arg::Mem(Box::new(Arg::Operand(1)), offset);
        assert_eq!(parsed("stw 3, 4(%[p])")[0].args[1], memory(4));
        assert_eq!(parsed("ldr %w0, [%1]")[0].args[1], memory(0));
    }
}

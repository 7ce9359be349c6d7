//! Constants: their values and types.

use crate::front::c::ast::IntKind;
use lang_c::ast as lc;

/// The value of an integer constant and its type (C11 6.4.4.1); `None` beyond 64 bits.
pub fn integer(i: &lc::Integer, pointer_width: u8) -> Option<(u64, IntKind)> {
    let radix = match i.base {
        lc::IntegerBase::Decimal => 10,
        lc::IntegerBase::Octal => 8,
        lc::IntegerBase::Hexadecimal => 16,
        lc::IntegerBase::Binary => 2,
    };
    let value = if i.number.is_empty() {
        0
    } else {
        u64::from_str_radix(&i.number, radix).ok()?
    };
    let rank = match i.suffix.size {
        lc::IntegerSize::Int => 0,
        lc::IntegerSize::Long => 1,
        lc::IntegerSize::LongLong => 2,
    };
    let long = u32::from(pointer_width);
    let candidates = [
        (0, IntKind::Int, 31),
        (0, IntKind::UInt, 32),
        (1, IntKind::Long, long - 1),
        (1, IntKind::ULong, long),
        (2, IntKind::LongLong, 63),
        (2, IntKind::ULongLong, 64),
    ];
    // A decimal constant without `u` is never unsigned unless nothing else holds it.
    let unsigned = |k: IntKind| matches!(k, IntKind::UInt | IntKind::ULong | IntKind::ULongLong);
    let fits = |bits: u32| bits >= 64 || value >> bits == 0;
    let allowed = |k: IntKind| match i.suffix.unsigned {
        true => unsigned(k),
        false => radix != 10 || !unsigned(k),
    };
    let found = candidates
        .iter()
        .find(|(r, k, bits)| *r >= rank && allowed(*k) && fits(*bits));
    Some((value, found.map_or(IntKind::ULongLong, |(_, k, _)| *k)))
}

/// The bits of a floating constant as a `double`, and the bytes of its type. One of type `float` is
/// rounded once, one of type `long double` is not kept exactly.
pub fn float(f: &lc::Float) -> Option<(u64, u8)> {
    let bytes = match f.suffix.format {
        lc::FloatFormat::Float => 4,
        lc::FloatFormat::Double => 8,
        lc::FloatFormat::LongDouble => 16,
        _ => return None,
    };
    if f.suffix.imaginary {
        return None;
    }
    let value = match (&f.base, bytes) {
        (lc::FloatBase::Hexadecimal, _) => hexadecimal(&f.number, bytes)?,
        (_, 4) => f64::from(f.number.parse::<f32>().ok()?),
        _ => f.number.parse().ok()?,
    };
    Some((value.to_bits(), bytes))
}

/// The least exponent of a digit and the number of binary digits of a type of so many bytes.
fn precision(bytes: u8) -> (i32, i32) {
    match bytes {
        4 => (-149, 24),
        _ => (-1074, 53),
    }
}

/// `1.8p-3`, rounded to the nearest number of a type of so many bytes (C11 6.4.4.2).
fn hexadecimal(text: &str, bytes: u8) -> Option<f64> {
    let text = text
        .strip_prefix("0x")
        .or(text.strip_prefix("0X"))
        .unwrap_or(text);
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut exponent: i64 = exponent.parse().ok()?;
    let fraction = fraction.trim_end_matches('0');
    exponent = exponent.checked_sub(4 * fraction.len() as i64)?;
    // What is beyond the first digits only says that there is more.
    let (mut digits, mut has_more) = (0u128, false);
    for c in whole.chars().chain(fraction.chars()) {
        let digit = u128::from(c.to_digit(16)?);
        if digits >> 120 == 0 {
            digits = digits << 4 | digit;
        } else {
            has_more |= digit != 0;
            exponent = exponent.checked_add(4)?;
        }
    }
    if digits == 0 {
        return Some(0.0);
    }
    let (least, precision) = precision(bytes);
    let bits = i64::from(128 - digits.leading_zeros());
    let last = (exponent + bits - i64::from(precision)).max(i64::from(least));
    let dropped = last - exponent;
    let mut kept = match dropped {
        128.. => 0,
        1.. => digits >> dropped,
        // It is exact.
        _ => digits << -dropped.max(-127),
    };
    if let 1..=128 = dropped {
        let half = 1u128 << (dropped - 1);
        let rest = digits & (half | (half - 1));
        let is_odd = kept & 1 == 1;
        kept += u128::from(rest > half || rest == half && (has_more || is_odd));
    }
    let limit = if bytes == 4 { 128 } else { 1024 };
    if last + i64::from(128 - kept.leading_zeros()) > limit {
        return Some(f64::INFINITY);
    }
    // No step is rounded: the last one is exact, and those before are of normal numbers.
    let last = i32::try_from(last).ok()?;
    let half = last / 2;
    Some(kept as f64 * 2f64.powi(half) * 2f64.powi(last - half))
}

/// The type of the units of a wide string or character, from what stands before the quote.
fn units_of(prefix: &str) -> Option<IntKind> {
    match prefix {
        "L" => Some(IntKind::Int),
        "u" => Some(IntKind::UShort),
        "U" => Some(IntKind::UInt),
        _ => None,
    }
}

/// The value of a character constant and its type.
pub fn character(text: &str) -> Option<(u64, IntKind)> {
    let (prefix, body) = text.split_once('\'')?;
    let body = body.strip_suffix('\'')?;
    if let Some(kind) = units_of(prefix) {
        let unit = wide(body, kind).last().copied()?;
        return Some((u64::from(unit), kind));
    }
    let bytes = unescape(body);
    let value = match bytes.as_slice() {
        [one] => i64::from(*one as i8) as u64 & 0xffff_ffff,
        many => many
            .iter()
            .fold(0u64, |v, b| (v << 8 | u64::from(*b)) & 0xffff_ffff),
    };
    Some((value, IntKind::Int))
}

/// The type of the units of a string some part of which is wide.
fn kind_of_string(parts: &[String]) -> Option<IntKind> {
    let mut prefixes = parts.iter().filter_map(|part| part.split_once('"'));
    prefixes.find_map(|(prefix, _)| units_of(prefix))
}

/// The bytes of a string, without the final zero; `None` for wide ones.
pub fn string(parts: &[String]) -> Option<Vec<u8>> {
    if kind_of_string(parts).is_some() {
        return None;
    }
    let mut out = Vec::new();
    for part in parts {
        let part = part.strip_prefix("u8").unwrap_or(part);
        out.extend(unescape(part.strip_prefix('"')?.strip_suffix('"')?));
    }
    Some(out)
}

/// The units of a wide string, without the final zero, and their type.
pub fn wide_string(parts: &[String]) -> Option<(Vec<u32>, IntKind)> {
    let kind = kind_of_string(parts)?;
    let mut out = Vec::new();
    for part in parts {
        let (_, body) = part.split_once('"')?;
        out.extend(wide(body.strip_suffix('"')?, kind));
    }
    Some((out, kind))
}

/// The units of what stands between the quotes (C11 6.4.5p6).
fn wide(text: &str, kind: IntKind) -> Vec<u32> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c == '\\' && !rest.is_empty() {
            let (value, length) = escaped(rest);
            out.push(value);
            rest = &rest[length..];
        } else if kind == IntKind::UShort {
            let mut pair = [0; 2];
            out.extend(
                c.encode_utf16(&mut pair)
                    .iter()
                    .map(|unit| u32::from(*unit)),
            );
        } else {
            out.push(u32::from(c));
        }
    }
    out
}

fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.extend(&rest.as_bytes()[..at]);
        rest = &rest[at + 1..];
        if rest.is_empty() {
            out.push(b'\\');
            break;
        }
        let (value, length) = escaped(rest);
        match rest.as_bytes()[0] {
            first if first.is_ascii() => out.push(value as u8),
            _ => out.extend(&rest.as_bytes()[..length]),
        }
        rest = &rest[length..];
    }
    out.extend(rest.as_bytes());
    out
}

/// The value of the escape sequence whose backslash stands before a text, and its bytes there.
fn escaped(text: &str) -> (u32, usize) {
    let digits = |from: usize, most: usize, radix: u32| {
        let digits = text[from..].chars().take(most);
        digits.take_while(|c| c.is_digit(radix)).count()
    };
    let value = |from: usize, to: usize, radix: u32| {
        let digits = text[from..to].chars().filter_map(|c| c.to_digit(radix));
        digits.fold(0u32, |value, d| value.wrapping_mul(radix).wrapping_add(d))
    };
    let first = text.chars().next().unwrap_or('\\');
    let simple = match first {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        'e' => '\u{1b}',
        'x' => {
            let end = 1 + digits(1, usize::MAX, 16);
            return (value(1, end, 16), end);
        }
        '0'..='7' => {
            let end = digits(0, 3, 8);
            return (value(0, end, 8), end);
        }
        other => other,
    };
    (u32::from(simple), first.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_numbers() {
        let double = |text| hexadecimal(text, 8);
        assert_eq!(double("0x1.8p-3"), Some(0.1875));
        assert_eq!(double("0x1p-1074"), Some(f64::from_bits(1)));
        assert_eq!(double("0x1.fffffffffffffp+1023"), Some(f64::MAX));
        assert_eq!(double("1p1024"), Some(f64::INFINITY));
        assert_eq!(double("0x1p-1075"), Some(0.0));
        assert_eq!(double("0x1.8p-1075"), Some(f64::from_bits(1)));
        assert_eq!(double("0x1.00000000000008p0"), Some(1.0));
        assert_eq!(
            double("0x1.00000000000008000000000000000000000000001p0"),
            Some(1.0 + f64::EPSILON)
        );
        assert_eq!(
            double("0x1.00000000000018p0"),
            Some(1.0 + 2.0 * f64::EPSILON)
        );
        assert_eq!(
            double("0x123456789abcdef0123456789abcdef0123p-140"),
            Some(0x0012_3456_789a_bcdf_u64 as f64 * 2f64.powi(-140 + 84))
        );
        assert_eq!(hexadecimal("0x1.000001p0", 4), Some(1.0));
        assert_eq!(
            hexadecimal("0x1.000003p0", 4),
            Some(f64::from(1.0 + 2.0 * f32::EPSILON))
        );
        assert_eq!(hexadecimal("0x1p128", 4), Some(f64::INFINITY));
    }

    #[test]
    fn escapes() {
        assert_eq!(
            string(&["\"a\\n\\x41\\101\"".to_string(), "\"b\"".to_string()]),
            Some(b"a\nAAb".to_vec())
        );
        assert_eq!(character("'a'"), Some((97, IntKind::Int)));
        assert_eq!(character("'\\xff'"), Some((0xffff_ffff, IntKind::Int)));
        assert_eq!(character("L'a'"), Some((97, IntKind::Int)));
        assert_eq!(character("u'\\xff'"), Some((255, IntKind::UShort)));
        let parts = ["U\"a\\0\"", "\"ä\""].map(str::to_string);
        assert_eq!(
            wide_string(&parts),
            Some((vec![97, 0, 0xe4], IntKind::UInt))
        );
        let pair = ["u\"\u{10000}\"".to_string()];
        assert_eq!(
            wide_string(&pair),
            Some((vec![0xd800, 0xdc00], IntKind::UShort))
        );
        assert_eq!(string(&pair), None);
    }
}

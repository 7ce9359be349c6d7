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
        (lc::FloatBase::Hexadecimal, 4) => f64::from(hexadecimal(&f.number)? as f32),
        (lc::FloatBase::Hexadecimal, _) => hexadecimal(&f.number)?,
        (_, 4) => f64::from(f.number.parse::<f32>().ok()?),
        _ => f.number.parse().ok()?,
    };
    Some((value.to_bits(), bytes))
}

/// `1.8p-3`; `None` for what no `double` is exactly.
fn hexadecimal(text: &str) -> Option<f64> {
    let text = text
        .strip_prefix("0x")
        .or(text.strip_prefix("0X"))
        .unwrap_or(text);
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut exponent: i32 = exponent.parse().ok()?;
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{whole}{fraction}");
    let mut digits = u128::from_str_radix(&digits, 16).ok()?;
    exponent = exponent.checked_sub(i32::try_from(4 * fraction.len()).ok()?)?;
    if digits == 0 {
        return Some(0.0);
    }
    let zeros = digits.trailing_zeros();
    digits >>= zeros;
    exponent = exponent.checked_add(i32::try_from(zeros).ok()?)?;
    let bits = 128 - digits.leading_zeros() as i32;
    if bits > 53 || exponent < -1074 || exponent.checked_add(bits)? > 1024 {
        return None;
    }
    // No step is rounded: the last one is exact, and those before are of normal numbers.
    let half = exponent / 2;
    Some(digits as f64 * 2f64.powi(half) * 2f64.powi(exponent - half))
}

/// The value of a character constant as `int`; `None` for wide ones.
pub fn character(text: &str) -> Option<u64> {
    let body = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let bytes = unescape(body);
    match bytes.as_slice() {
        [one] => Some(i64::from(*one as i8) as u64 & 0xffff_ffff),
        many => Some(
            many.iter()
                .fold(0u64, |v, b| (v << 8 | u64::from(*b)) & 0xffff_ffff),
        ),
    }
}

/// The bytes of a string, without the final zero; `None` for wide ones.
pub fn string(parts: &[String]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for part in parts {
        let part = part.strip_prefix("u8").unwrap_or(part);
        out.extend(unescape(part.strip_prefix('"')?.strip_suffix('"')?));
    }
    Some(out)
}

fn unescape(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let Some(escaped) = (bytes[at] == b'\\').then(|| bytes.get(at + 1)).flatten() else {
            out.push(bytes[at]);
            at += 1;
            continue;
        };
        at += 2;
        let simple = match escaped {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'e' => 27,
            b'x' => {
                let digits = bytes[at..]
                    .iter()
                    .take_while(|b| b.is_ascii_hexdigit())
                    .count();
                let value = u64::from_str_radix(&text[at..at + digits.min(16)], 16).unwrap_or(0);
                at += digits;
                value as u8
            }
            b'0'..=b'7' => {
                let more = bytes[at..]
                    .iter()
                    .take(2)
                    .take_while(|b| (b'0'..=b'7').contains(b))
                    .count();
                let value = u16::from_str_radix(&text[at - 1..at + more], 8).unwrap_or(0);
                at += more;
                value as u8
            }
            other => *other,
        };
        out.push(simple);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_numbers() {
        assert_eq!(hexadecimal("0x1.8p-3"), Some(0.1875));
        assert_eq!(hexadecimal("0x1p-1074"), Some(f64::from_bits(1)));
        assert_eq!(hexadecimal("0x1.fffffffffffffp+1023"), Some(f64::MAX));
        assert_eq!(hexadecimal("1p1024"), None);
        assert_eq!(hexadecimal("0x1p-1075"), None);
    }

    #[test]
    fn escapes() {
        assert_eq!(
            string(&["\"a\\n\\x41\\101\"".to_string(), "\"b\"".to_string()]),
            Some(b"a\nAAb".to_vec())
        );
        assert_eq!(character("'a'"), Some(97));
        assert_eq!(character("'\\xff'"), Some(0xffff_ffff));
        assert_eq!(character("L'a'"), None);
    }
}

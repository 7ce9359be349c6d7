//! The bits of floating constants. Decimal numbers and plain hexadecimal ones are numbers of type `double`, which other
//! types take only where they have the same number.

use super::ast::FloatKind;

/// The bits that a decimal number has in a type.
///
/// # Errors
/// A sentence that says why there are none.
pub(super) fn decimal(text: &str, kind: FloatKind) -> Result<u128, String> {
    match text.parse::<f64>() {
        Ok(number) => narrowed(number.to_bits(), kind),
        Err(_) => Err(format!("`{text}` is no number")),
    }
}

/// The bits that a hexadecimal number, which begins with `0x`, has in a type.
///
/// # Errors
/// A sentence that says why there are none.
pub(super) fn hexadecimal(text: &str, kind: FloatKind) -> Result<u128, String> {
    let rest = text.strip_prefix("0x").unwrap_or(text);
    let (of, digits) = match rest.as_bytes().first() {
        Some(b'K') => (FloatKind::X86Fp80, &rest[1..]),
        Some(b'L') => (FloatKind::Fp128, &rest[1..]),
        Some(b'M') => (FloatKind::PpcFp128, &rest[1..]),
        Some(b'H') => (FloatKind::Half, &rest[1..]),
        Some(b'R') => (FloatKind::BFloat, &rest[1..]),
        _ => (FloatKind::Double, rest),
    };
    let bits = u128::from_str_radix(digits, 16).ok();
    let bits = bits.filter(|b| width(of) == 128 || b >> width(of) == 0);
    let Some(bits) = bits else {
        return Err(format!("`{text}` has too many digits"));
    };
    match of {
        FloatKind::Double => narrowed(u64::try_from(bits).unwrap_or(0), kind),
        _ if of != kind => Err(format!(
            "`{text}` is no number of type `{}`",
            kind.keyword()
        )),
        // The half with the lower bits, or the first of the two numbers, is written first.
        FloatKind::Fp128 | FloatKind::PpcFp128 if digits.len() >= 16 => Ok(swapped(digits)),
        _ => Ok(bits),
    }
}

/// The first sixteen digits are the lower half.
fn swapped(digits: &str) -> u128 {
    let half = |digits: &str| u128::from_str_radix(digits, 16).unwrap_or(0);
    let (low, high) = digits.split_at(16);
    half(low) | half(high) << 64
}

/// The bits of a number of type `double` in another type.
fn narrowed(bits: u64, kind: FloatKind) -> Result<u128, String> {
    let (exponent, fraction) = match kind {
        FloatKind::Double => return Ok(bits.into()),
        FloatKind::Float => (8, 23),
        FloatKind::Half => (5, 10),
        FloatKind::BFloat => (8, 7),
        FloatKind::X86Fp80 | FloatKind::Fp128 | FloatKind::PpcFp128 => {
            let word = kind.keyword();
            return Err(format!(
                "a number of type `{word}` is written as its hexadecimal digits"
            ));
        }
    };
    let narrow = narrow(bits, exponent, fraction);
    let number = f64::from_bits(bits);
    narrow
        .map(u128::from)
        .ok_or_else(|| format!("`{}` has no number {number:e}", kind.keyword()))
}

/// The same number with fewer bits, if it has them.
fn narrow(bits: u64, exponent_bits: u32, fraction_bits: u32) -> Option<u64> {
    const FRACTION: u32 = 52;
    let sign = (bits >> 63) << (exponent_bits + fraction_bits);
    let exponent = (bits >> FRACTION) & 0x7FF;
    let fraction = bits & ((1 << FRACTION) - 1);
    let infinite = (1 << exponent_bits) - 1;
    let drop = FRACTION - fraction_bits;
    if exponent == 0x7FF {
        // What a NaN carries is cut off where it is too long; it stays a NaN.
        let kept = fraction >> drop;
        let kept = if fraction != 0 && kept == 0 {
            1 << (fraction_bits - 1)
        } else {
            kept
        };
        return Some(sign | infinite << fraction_bits | kept);
    }
    if exponent == 0 {
        // Numbers without a leading one are smaller than all of the narrower types.
        return (fraction == 0).then_some(sign);
    }
    let bias = (1i64 << (exponent_bits - 1)) - 1;
    let target = i64::try_from(exponent).ok()? - 1023 + bias;
    let significand = fraction | 1 << FRACTION;
    // Below the smallest exponent the leading one moves into the fraction.
    let (target, drop) = match target {
        1.. => (u64::try_from(target).ok()?, drop),
        _ => (0, drop + u32::try_from(1 - target).ok()?),
    };
    if target >= infinite || drop >= 64 || significand & ((1 << drop) - 1) != 0 {
        return None;
    }
    let kept = (significand >> drop) & ((1 << fraction_bits) - 1);
    Some(sign | target << fraction_bits | kept)
}

fn width(kind: FloatKind) -> u32 {
    match kind {
        FloatKind::Half | FloatKind::BFloat => 16,
        FloatKind::Float => 32,
        FloatKind::Double => 64,
        FloatKind::X86Fp80 => 80,
        FloatKind::Fp128 | FloatKind::PpcFp128 => 128,
    }
}

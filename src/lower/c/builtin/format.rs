//! Formats of `printf` and its like (C11 7.21.6.1): what they consist of, and how a
//! floating-point number that is known is printed.

/// A part of a format.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    /// What is printed as it stands.
    Text(Vec<u8>),
    Conversion(Conversion),
}

/// A conversion specification.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Conversion {
    /// As `library_print.c` has them.
    pub flags: u32,
    pub width: Count,
    pub precision: Count,
    pub length: String,
    pub kind: u8,
}

/// A width or a precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Count {
    None,
    Known(u32),
    /// `*`: an argument.
    Argument,
}

pub(super) const LEFT: u32 = 1;
pub(super) const PLUS: u32 = 2;
pub(super) const SPACE: u32 = 4;
pub(super) const ALTERNATIVE: u32 = 8;
pub(super) const ZERO: u32 = 16;
pub(super) const CAPITAL: u32 = 32;
const FLAGS: [(u8, u32); 5] = [
    (b'-', LEFT),
    (b'+', PLUS),
    (b' ', SPACE),
    (b'#', ALTERNATIVE),
    (b'0', ZERO),
];

/// The pieces of a format; `None` where it ends in the middle of one.
pub(super) fn pieces(format: &[u8]) -> Option<Vec<Piece>> {
    let mut rest: Vec<u8> = format.iter().copied().take_while(|b| *b != 0).collect();
    rest.reverse();
    let mut out = Vec::new();
    let mut text = Vec::new();
    while let Some(c) = rest.pop() {
        if c != b'%' {
            text.push(c);
            continue;
        }
        let conversion = conversion(&mut rest)?;
        if conversion.kind == b'%' {
            text.push(b'%');
            continue;
        }
        if !text.is_empty() {
            out.push(Piece::Text(std::mem::take(&mut text)));
        }
        out.push(Piece::Conversion(conversion));
    }
    if !text.is_empty() {
        out.push(Piece::Text(text));
    }
    Some(out)
}

/// What stands behind `%`; the rest of the format is there in reverse.
fn conversion(rest: &mut Vec<u8>) -> Option<Conversion> {
    let mut flags = 0;
    while let Some((_, flag)) = rest.last().and_then(|c| FLAGS.iter().find(|f| f.0 == *c)) {
        flags |= flag;
        rest.pop();
    }
    let width = count(rest, Count::None)?;
    let mut precision = Count::None;
    if rest.last() == Some(&b'.') {
        rest.pop();
        precision = count(rest, Count::Known(0))?;
    }
    let mut length = String::new();
    while let Some(c) = rest.last().filter(|c| b"hlLqjzt".contains(c)) {
        length.push(char::from(*c));
        rest.pop();
    }
    let kind = rest.pop()?;
    if kind.is_ascii_uppercase() {
        flags |= CAPITAL;
    }
    Some(Conversion {
        flags,
        width,
        precision,
        length,
        kind,
    })
}

/// A number or `*`; `None` for one that is too large to be meant.
fn count(rest: &mut Vec<u8>, absent: Count) -> Option<Count> {
    if rest.last() == Some(&b'*') {
        rest.pop();
        return Some(Count::Argument);
    }
    let mut value = None;
    while let Some(c) = rest.last().filter(|c| c.is_ascii_digit()) {
        let digit = u32::from(c - b'0');
        value = Some(value.unwrap_or(0) * 10 + digit).filter(|v| *v <= 4096);
        value?;
        rest.pop();
    }
    Some(value.map_or(absent, Count::Known))
}

/// A number as `%f`, `%e` or `%g` prints it, before it is padded to `width`; ties are exact, as the
/// number is.
pub(super) fn number(value: f64, conversion: &Conversion, precision: Option<u32>) -> Vec<u8> {
    let flags = conversion.flags;
    let magnitude = value.abs();
    let precision = precision.map_or(6, |p| p as usize);
    let mut text = match conversion.kind.to_ascii_lowercase() {
        _ if value.is_nan() => "nan".to_string(),
        _ if value.is_infinite() => "inf".to_string(),
        b'f' => pointed(format!("{magnitude:.precision$}"), flags),
        b'e' => scientific(magnitude, precision, flags),
        _ => shorter(magnitude, precision.max(1), flags),
    };
    if flags & CAPITAL != 0 {
        text.make_ascii_uppercase();
    }
    let sign = match () {
        () if value.is_sign_negative() => "-",
        () if flags & PLUS != 0 => "+",
        () if flags & SPACE != 0 => " ",
        () => "",
    };
    let width = match conversion.width {
        Count::Known(width) => width as usize,
        _ => 0,
    };
    let missing = width.saturating_sub(sign.len() + text.len());
    let zeros = flags & ZERO != 0 && flags & LEFT == 0 && value.is_finite();
    let padded = match () {
        () if zeros => format!("{sign}{}{text}", "0".repeat(missing)),
        () if flags & LEFT != 0 => format!("{sign}{text}{}", " ".repeat(missing)),
        () => format!("{}{sign}{text}", " ".repeat(missing)),
    };
    padded.into_bytes()
}

/// With a point also where no digit follows, if that is asked for.
fn pointed(mut text: String, flags: u32) -> String {
    if flags & ALTERNATIVE != 0 && !text.contains('.') {
        text.push('.');
    }
    text
}

/// The digits and the exponent of a number in scientific notation.
fn parts(magnitude: f64, precision: usize) -> (String, i32) {
    let text = format!("{magnitude:.precision$e}");
    let (digits, exponent) = text.split_once('e').expect("that is how it is written");
    let exponent = exponent.parse().expect("an exponent is a number");
    (digits.to_string(), exponent)
}

fn exponent_text(exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("e{sign}{:02}", exponent.abs())
}

fn scientific(magnitude: f64, precision: usize, flags: u32) -> String {
    let (digits, exponent) = parts(magnitude, precision);
    pointed(digits, flags) + &exponent_text(exponent)
}

/// `%g`: the shorter notation, without zeros at the end.
fn shorter(magnitude: f64, precision: usize, flags: u32) -> String {
    let (digits, exponent) = parts(magnitude, precision - 1);
    let fits = exponent >= -4 && exponent < precision as i32;
    let trimmed = |text: String| match flags & ALTERNATIVE {
        0 if text.contains('.') => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        _ => pointed(text, flags),
    };
    if fits {
        let places = (precision as i32 - 1 - exponent) as usize;
        return trimmed(format!("{magnitude:.places$}"));
    }
    trimmed(digits) + &exponent_text(exponent)
}

#[cfg(test)]
mod tests {
    use super::{Count, Piece, number, pieces};

    #[test]
    fn formats_fall_into_pieces() {
        let pieces = pieces(b"a%%b%-5.*ld%s").expect("it is whole");
        assert_eq!(pieces[0], Piece::Text(b"a%b".to_vec()));
        let Piece::Conversion(c) = &pieces[1] else {
            panic!("a conversion follows");
        };
        assert_eq!(
            (c.flags, c.width, c.precision),
            (1, Count::Known(5), Count::Argument)
        );
        assert_eq!((c.length.as_str(), c.kind), ("l", b'd'));
        assert_eq!(pieces.len(), 3);
    }

    #[test]
    fn known_numbers_are_printed() {
        let shown = |format: &[u8], value: f64, precision| match &pieces(format).expect("whole")[0]
        {
            Piece::Conversion(c) => String::from_utf8(number(value, c, precision)).expect("ASCII"),
            Piece::Text(_) => panic!("a conversion"),
        };
        assert_eq!(shown(b"%f", 0.125, None), "0.125000");
        assert_eq!(shown(b"%08.2f", -0.125, Some(2)), "-0000.12");
        assert_eq!(shown(b"%e", 1234.5, None), "1.234500e+03");
        assert_eq!(shown(b"%g", 0.0001, None), "0.0001");
        assert_eq!(shown(b"%G", 1e-5, None), "1E-05");
    }
}

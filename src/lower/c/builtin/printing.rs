//! `sprintf` and `snprintf` (C11 7.21.6.6, 7.21.6.5): what a format that is known prints of integers,
//! characters and strings is exact, character by character, and so is the length that is returned.
//!
//! What an argument prints is C text (`library_print.c`); here stand the format, the arguments in
//! their types, and the end. A floating-point number is printed if it is a constant. Of a text that
//! is not known (`%p`, other floating-point numbers, a format that is computed) only the least length
//! is: it is any text that fits, and a path on which it may not fit is not understood from there on.

use super::format::{Conversion, Count, Piece, number, pieces};
use super::{Call, Lowered, Lowering, TypedValue};
use crate::front::c::ast::{Expr as Ast, ExprKind, IntKind};
use crate::front::c::library::PREFIX;
use crate::front::c::types::{Type, TypeId};
use crate::lower::c::fold;
use base::source::Span;
use ir::program::{BinOp, Callee, Cast, Expr, MemoryOrder, Op, Width};

/// Longer texts are not printed character by character.
const MAX_TEXT: u64 = 4096;

/// Where is printed.
struct Target {
    addr: Expr,
    /// How much is printed already.
    at: Expr,
    /// What begins there is not written.
    end: Expr,
}

/// What one conversion prints.
enum Printed {
    Text(Vec<u8>),
    Call(&'static str, Vec<Expr>),
}

impl<'a> Lowering<'a> {
    /// Prints into an array of characters.
    pub(super) fn print_to(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let span = call.span;
        let sized = call.name.ends_with("nprintf");
        let to = call.arg(0)?;
        let (size_t, void) = (self.types.size_t(), self.types.void_pointer());
        let ty = self.type_of(to)?;
        let addr = self.value_for(to, void)?.expr;
        let addr = self.bind(addr);
        let nowhere = matches!(addr, Expr::Const { value: 0, .. });
        let pointed = self.pointed_type(to).and_then(|t| self.types.size(t));
        let bytes = nowhere || pointed == Some(1);
        let size = match sized {
            true => {
                let size = self.value_for(call.arg(1)?, size_t)?.expr;
                Some(self.bind(size))
            }
            false => None,
        };
        let at = 1 + usize::from(sized);
        let format = match call.args.get(at).map(|f| &f.kind) {
            Some(ExprKind::Str(format)) if bytes => pieces(format),
            _ => None,
        };
        let (Some(format), true) = (format, self.names.functions().contains_key(&helper("put")))
        else {
            self.use_all(&call.args[at..])?;
            return self.print_anything(call, ty, &addr, size, 0);
        };
        let mark = self.body.mark();
        let mut args = call.args[at + 1..].iter();
        let mut printed = Vec::new();
        for piece in &format {
            let piece = match piece {
                Piece::Text(text) => Some(Printed::Text(text.clone())),
                Piece::Conversion(c) => self.printed(c, &mut args, span)?,
            };
            let Some(piece) = piece else {
                self.body.rewind(mark);
                self.use_all(&call.args[at + 1..])?;
                let least = least_length(&format);
                return self.print_anything(call, ty, &addr, size, least);
            };
            printed.push(piece);
        }
        // What no conversion takes is evaluated and ignored.
        args.try_for_each(|arg| self.discard(arg))?;
        let width = self.pointer_width();
        let one = self.pointer_constant(1);
        let zero = self.pointer_constant(0);
        let end = match &size {
            Some(size) => {
                let none = fold::binary(BinOp::Eq, size.clone(), zero.clone(), width);
                let last = fold::binary(BinOp::Sub, size.clone(), one, width);
                let end = fold::choose(none, zero.clone(), last);
                self.bind(end)
            }
            None => self.pointer_constant(u64::MAX),
        };
        let at = zero;
        let mut target = Target { addr, at, end };
        for piece in printed {
            match piece {
                Printed::Text(text) => {
                    for byte in text {
                        self.put_byte(&mut target, byte, span);
                    }
                }
                Printed::Call(name, mut values) => {
                    let Target { addr, at, end } = &target;
                    let mut all = vec![addr.clone(), at.clone(), end.clone()];
                    all.append(&mut values);
                    target.at = self.call_given(name, all, width, span);
                }
            }
        }
        self.end_text(&target, size, span);
        let expr = fold::resize(target.at, width, 32, false);
        let ty = self.types.int();
        Ok(TypedValue { expr, ty })
    }

    /// Calls a function of `library_print.c`.
    fn call_given(&mut self, name: &str, args: Vec<Expr>, width: Width, span: Span) -> Expr {
        let proc = self.procedure(&helper(name), span);
        let dst = self.temp(width);
        let (callee, dst) = (Callee::Proc(proc), Some(dst));
        self.emit_at(span, Op::Call { dst, callee, args });
        dst.map_or(Expr::constant(0, width), Expr::Local)
    }

    /// One character that is known.
    fn put_byte(&mut self, target: &mut Target, byte: u8, span: Span) {
        let width = self.pointer_width();
        let room = fold::binary(BinOp::Ult, target.at.clone(), target.end.clone(), width);
        let addr = fold::binary(BinOp::Add, target.addr.clone(), target.at.clone(), width);
        let (value, order) = (Expr::constant(u64::from(byte), 8), MemoryOrder::Plain);
        let store = Op::Store { addr, value, order };
        match room {
            Expr::Const { value: 0, .. } => {}
            Expr::Const { .. } => self.emit_at(span, store),
            room => self.emit_where(room, store, span),
        }
        let next = fold::binary(
            BinOp::Add,
            target.at.clone(),
            self.pointer_constant(1),
            width,
        );
        target.at = self.bind(next);
    }

    fn emit_where(&mut self, cond: Expr, op: Op, span: Span) {
        let (here, next) = (self.body.label(), self.body.label());
        self.body.span = span;
        self.body.jump(Some(cond), here);
        self.body.jump(None, next);
        self.body.place(here);
        self.emit_at(span, op);
        self.body.place(next);
    }

    /// The null character behind the text, or at the end of the array.
    fn end_text(&mut self, target: &Target, size: Option<Expr>, span: Span) {
        let width = self.pointer_width();
        let fits = fold::binary(BinOp::Ult, target.at.clone(), target.end.clone(), width);
        let last = fold::choose(fits, target.at.clone(), target.end.clone());
        let last = if size.is_some() {
            last
        } else {
            target.at.clone()
        };
        let addr = fold::binary(BinOp::Add, target.addr.clone(), last, width);
        let (value, order) = (Expr::constant(0, 8), MemoryOrder::Plain);
        let store = Op::Store { addr, value, order };
        let zero = self.pointer_constant(0);
        let some = size.map(|size| fold::binary(BinOp::Ne, size, zero, width));
        match some {
            Some(Expr::Const { value: 0, .. }) => {}
            None | Some(Expr::Const { .. }) => self.emit_at(span, store),
            Some(some) => self.emit_where(some, store, span),
        }
    }

    /// What a conversion prints of the next arguments; `None` where that is not known.
    fn printed(
        &mut self,
        conversion: &Conversion,
        args: &mut std::slice::Iter<'a, Ast>,
        span: Span,
    ) -> Lowered<Option<Printed>> {
        let int = self.types.int();
        let mut counts = Vec::new();
        for count in [conversion.width, conversion.precision] {
            counts.push(match (count, args.len()) {
                (Count::None, _) => None,
                (Count::Known(n), _) => Some(Expr::constant(u64::from(n), 32)),
                (Count::Argument, 0) => return Ok(None),
                (Count::Argument, _) => {
                    let arg = args.next().expect("there is one");
                    match self.value_for(arg, int)?.expr {
                        known @ Expr::Const { .. } => Some(known),
                        _ => return Ok(None),
                    }
                }
            });
        }
        let mut flags = conversion.flags;
        let known = |e: &Option<Expr>, absent: i64| match e {
            Some(Expr::Const { value, .. }) => i64::from(*value as u32 as i32),
            _ => absent,
        };
        let (mut width, precision) = (known(&counts[0], 0), known(&counts[1], -1).max(-1));
        if width < 0 {
            flags |= super::format::LEFT;
            width = -width;
        }
        if width > MAX_TEXT as i64 || precision > MAX_TEXT as i64 {
            return Ok(None);
        }
        let Some(arg) = args.next() else {
            return Ok(None);
        };
        let word = |n: i64| Expr::constant(n as u64, 32);
        let common = [word(i64::from(flags)), word(width), word(precision)];
        let (kind, length) = (conversion.kind, conversion.length.as_str());
        match kind {
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => {
                let Some(ty) = self.printed_integer(length, kind) else {
                    return Ok(None);
                };
                self.number_of(arg, ty, kind, common, span)
            }
            b'c' if length.is_empty() => {
                let c = self.value_for(arg, int)?.expr;
                let c = self.bind(fold::resize(c, 32, 8, false));
                let [flags, width, _] = common;
                Ok(Some(Printed::Call("put_character", vec![c, flags, width])))
            }
            b's' if length.is_empty() => {
                let value = self.value(arg)?;
                if self.types.pointee(value.ty).is_none() {
                    return Ok(None);
                }
                let mut values = vec![self.bind(value.expr)];
                values.extend(common);
                Ok(Some(Printed::Call("put_text", values)))
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' if length.is_empty() || length == "l" => {
                let double = self.types.id(Type::Float(8));
                let value = self.value(arg)?;
                if !self.types.is_float(value.ty) || self.is_long_double(value.ty) {
                    return Ok(None);
                }
                let value = self.convert(value, double, span)?;
                let Expr::Const { value, .. } = value.expr else {
                    return Ok(None);
                };
                let known = Conversion {
                    flags,
                    width: Count::Known(width as u32),
                    ..conversion.clone()
                };
                let precision = u32::try_from(precision).ok();
                Ok(Some(Printed::Text(number(
                    f64::from_bits(value),
                    &known,
                    precision,
                ))))
            }
            _ => Ok(None),
        }
    }

    /// The type of an integer argument.
    fn printed_integer(&mut self, length: &str, kind: u8) -> Option<TypeId> {
        let signed = matches!(kind, b'd' | b'i');
        let (signed_kind, unsigned_kind) = match length {
            "" => (IntKind::Int, IntKind::UInt),
            "hh" => (IntKind::SChar, IntKind::UChar),
            "h" => (IntKind::Short, IntKind::UShort),
            "l" => (IntKind::Long, IntKind::ULong),
            "ll" | "q" | "j" => (IntKind::LongLong, IntKind::ULongLong),
            "z" | "t" => (IntKind::Long, IntKind::ULong),
            _ => return None,
        };
        let kind = if signed { signed_kind } else { unsigned_kind };
        Some(self.types.id(Type::Int(kind)))
    }

    fn number_of(
        &mut self,
        arg: &'a Ast,
        ty: TypeId,
        kind: u8,
        [flags, width, precision]: [Expr; 3],
        span: Span,
    ) -> Lowered<Option<Printed>> {
        let value = self.value(arg)?;
        if !self.types.is_integer(value.ty) {
            return Ok(None);
        }
        let bits = self.scalar_width(ty, span)?;
        let value = self.convert(value, ty, span)?.expr;
        let value = self.bind(value);
        let zero = Expr::constant(0, bits);
        let signed = matches!(kind, b'd' | b'i');
        let negative = match signed {
            true => fold::binary(BinOp::Slt, value.clone(), zero.clone(), bits),
            false => Expr::constant(0, 1),
        };
        let minus = fold::binary(BinOp::Sub, zero, value.clone(), bits);
        let magnitude = fold::choose(negative.clone(), minus, value);
        let magnitude = match magnitude {
            e if bits < 64 => match e {
                Expr::Const { value, .. } => Expr::constant(value, 64),
                e => Expr::Cast(Cast::Zero, 64, Box::new(e)),
            },
            e => e,
        };
        let magnitude = self.bind(magnitude);
        let (base, digits) = match kind {
            b'x' | b'X' => (16, u64::from(bits / 4)),
            b'o' => (8, u64::from(bits.div_ceil(3))),
            _ => (10, [3, 5, 10, 20][(bits / 8).ilog2() as usize]),
        };
        let flags = match signed {
            true => flags,
            // Signs are of signed numbers.
            false => fold::binary(BinOp::And, flags, Expr::constant(!6, 32), 32),
        };
        let negative = fold::resize(negative, 1, 8, false);
        let word = |n: u64| Expr::constant(n, 32);
        let values = vec![
            magnitude,
            self.bind(negative),
            word(base),
            word(digits),
            flags,
            width,
            precision,
        ];
        Ok(Some(Printed::Call("put_number", values)))
    }

    /// Any text of at least this length that fits, and any length of that kind.
    fn print_anything(
        &mut self,
        call: &Call<'a>,
        to: TypeId,
        addr: &Expr,
        size: Option<Expr>,
        least: u64,
    ) -> Lowered<TypedValue> {
        let (span, int) = (call.span, self.types.int());
        let char = self.pointed_type(call.arg(0)?);
        let length = self.any_value(int, span)?;
        let number = |n: u64| Expr::constant(n, 32);
        let above = fold::binary(BinOp::Sle, number(least), length.expr.clone(), 32);
        self.emit(Op::Assume(above));
        let count = match (&size, self.types.get(to)) {
            (Some(Expr::Const { value, .. }), _) => *value,
            (None, Type::Array(_, Some(count))) => *count,
            _ => {
                self.not_known(call);
                return Ok(length);
            }
        };
        let Some(char) = char.filter(|c| self.types.size(*c) == Some(1) && count <= MAX_TEXT)
        else {
            self.not_known(call);
            return Ok(length);
        };
        // As much is written as is printed for certain, and the null character.
        let written = match size {
            Some(_) => count,
            None => count.max(least + 1),
        };
        if size.is_none() && least < count {
            let fits = fold::binary(BinOp::Ult, length.expr.clone(), number(count), 32);
            let end = self.body.label();
            self.body.jump(Some(fits), end);
            let reason = format!("what `{}` prints is not known, and may not fit", call.name);
            self.emit_at(span, Op::Unknown(reason));
            self.emit(Op::Halt);
            self.body.place(end);
        }
        let bytes = self.pointer_constant(written);
        self.arbitrary_elements(addr, char, &bytes, span)?;
        if written > 0 {
            let width = self.pointer_width();
            let last = Expr::constant(written - 1, width);
            let addr = fold::binary(BinOp::Add, addr.clone(), last, width);
            let (value, order) = (Expr::constant(0, 8), MemoryOrder::Plain);
            self.emit_at(span, Op::Store { addr, value, order });
        }
        Ok(length)
    }
}

/// The name of a function of `library_print.c`.
fn helper(name: &str) -> String {
    format!("{PREFIX}__{name}")
}

/// How many characters a format prints at least.
fn least_length(format: &[Piece]) -> u64 {
    let least = format.iter().map(|piece| match piece {
        Piece::Text(text) => text.len() as u64,
        Piece::Conversion(c) => match (c.width, c.kind) {
            (Count::Known(width), kind) => u64::from(width.max(u32::from(kind != b's'))),
            (_, b's' | b'n') => 0,
            _ => 1,
        },
    });
    least.sum()
}

//! Calls of Rust's standard library, and what its panics say.

use super::build;
use super::function::FunctionTranslation;
use super::rust::{self, Known, Message};
use super::types::Translated;
use crate::front::c::ast::IntKind;
use crate::front::llvm::ast::{Call, CastOp, ConstantExpr, Instruction, TypedOperand, ValueKind};

impl<'t> FunctionTranslation<'t, '_> {
    /// A call of a function of Rust's standard library.
    pub(super) fn call_of_rust(
        &mut self,
        i: &'t Instruction,
        call: &'t Call,
        name: &str,
    ) -> Translated<()> {
        match rust::known(name) {
            Some(Known::Nothing) => Ok(()),
            Some(Known::Panics(message)) => {
                let text = self.message(call, message);
                self.panic(&text);
                Ok(())
            }
            Some(Known::Calls(function, wanted)) => {
                let mut args = Vec::new();
                for index in wanted {
                    let arg = call.args.get(*index).ok_or("this call of Rust's library")?;
                    let value = self.scalar(&arg.value)?;
                    args.push(self.module.as_declared(function, args.len(), value));
                }
                let e = build::call(function, args, self.span);
                self.result(i, &call.ty.ret, e)
            }
            None => Err(format!("the function `{name}`")),
        }
    }

    /// An assertion that is violated, and the end of the program.
    fn panic(&mut self, text: &str) {
        let span = self.span;
        let string = |text: &str| build::string(text.as_bytes(), span);
        let line = build::int(0, IntKind::Int, span);
        let args = vec![string(text), string(""), line, string("")];
        for (function, args) in [("__assert_fail", args), ("abort", Vec::new())] {
            let e = build::call(function, args, span);
            self.push(build::statement(e));
        }
    }

    /// What a panic says.
    fn message(&self, call: &Call, message: Message) -> String {
        let arg = |n: usize| call.args.get(n).map(|a| &a.value);
        let found = match message {
            Message::Fixed(text) => Some(text.to_string()),
            Message::Text => arg(0).zip(arg(1)).and_then(|(at, length)| {
                let ValueKind::Int(length) = length.kind else {
                    return None;
                };
                let bytes = self.module.constant_bytes(at)?;
                Some(text_of(bytes.get(..usize::try_from(length).ok()?)?))
            }),
            Message::Template => arg(0).zip(arg(1)).and_then(|(at, args)| {
                let bytes = self.module.constant_bytes(at)?;
                match constant_length(args) {
                    Some(length) => Some(text_of(bytes.get(..length)?)),
                    None => template(bytes),
                }
            }),
            Message::Comparison => match arg(0).map(|a| &a.kind) {
                Some(ValueKind::Int(0)) => Some("left == right".to_string()),
                Some(ValueKind::Int(1)) => Some("left != right".to_string()),
                _ => None,
            },
        };
        found.unwrap_or_else(|| "no panic".to_string())
    }
}

/// A length that the address of a template's arguments stands for, where it has none: twice the length, and 1.
fn constant_length(args: &TypedOperand) -> Option<usize> {
    let ValueKind::Expr(e) = &args.kind else {
        return None;
    };
    match &**e {
        ConstantExpr::Cast(CastOp::IntToPtr, v) => match v.kind {
            ValueKind::Int(number) if number & 1 == 1 => usize::try_from(number >> 1).ok(),
            _ => None,
        },
        _ => None,
    }
}

/// The text of a template (`core::fmt::Arguments`): pieces of text behind their lengths, and `{}` for each argument.
fn template(bytes: &[u8]) -> Option<String> {
    const LONG: u8 = 0x80;
    const ARGUMENT: u8 = 0xC0;
    let mut text = Vec::new();
    let mut rest = bytes;
    loop {
        let (first, behind) = rest.split_first()?;
        let length = match *first {
            0 => return Some(text_of(&text)),
            ARGUMENT => {
                text.extend(b"{}");
                rest = behind;
                continue;
            }
            LONG => {
                let (length, behind) = behind.split_first_chunk::<2>()?;
                rest = behind;
                usize::from(u16::from_le_bytes(*length))
            }
            length if length < LONG => {
                rest = behind;
                usize::from(length)
            }
            // An argument with a width or the like.
            _ => return Some(text_of(&text)),
        };
        let (piece, behind) = rest.split_at_checked(length)?;
        text.extend(piece);
        rest = behind;
    }
}

/// What is violated: of `assert!`, the condition alone.
fn text_of(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let condition = text.strip_prefix("assertion failed: ");
    condition.unwrap_or(&text).to_string()
}

#[cfg(test)]
mod tests {
    use super::template;

    #[test]
    fn templates_have_texts_and_arguments() {
        assert_eq!(
            template(b"\x0atoo large \xc0\0").as_deref(),
            Some("too large {}")
        );
        assert_eq!(template(b"\x0atoo").as_deref(), None);
    }
}

//! What `main` is called with.
//!
//! With `--args` the strings are static objects with their text. Otherwise they are arbitrary: so
//! many arguments, each an object of [`STRING`] bytes whose last one is zero. Their contents are
//! those of uninitialised memory, so a byte costs nothing before the program looks at
//! it. `argv` is an array for each number of arguments, of just the size it has then: behind the null
//! pointer at its end there is nothing. Where the program mentions `argc` alone, that is any number.
//!
//! Nothing is made for a parameter that `main` does not mention. What is left without a value (a
//! third parameter, an `argv` of another type) is refused where it is used.

use super::local::Start;
use super::options::Arguments;
use super::purity;
use super::{Lowered, Lowering, Place, TypedValue, fold};
use crate::front::c::ast;
use crate::front::c::types::{FnType, Type, TypeId};
use base::source::Span;
use ir::program::{BinOp, Expr, Global, GlobalId, LocalId, MemoryOrder, Op, Storage, Width};

/// Arguments at most, the program's name among them.
pub const MOST: u64 = 4;
/// Bytes of an arbitrary argument, the zero at its end included.
pub const STRING: u64 = 9;

impl<'a> Lowering<'a> {
    /// The parameters of `main`, with what it is called with.
    pub fn main_parameters(
        &mut self,
        f: &'a ast::Function,
        params: &'a [ast::Param],
        fn_type: &FnType,
    ) -> Lowered<()> {
        let mentioned = purity::mentioned(&f.body);
        let mut places = Vec::new();
        for (i, (param, ty)) in params.iter().zip(&fn_type.params).enumerate() {
            let Some(name) = &param.name else { continue };
            let place = self.new_local(name, *ty, None, Start::Any)?;
            let fits = match i {
                0 => self.types.is_integer(*ty),
                _ => i == 1 && self.is_argv(*ty),
            };
            match fits && mentioned.contains(&name.name) {
                true => places.push((i, place, *ty, name.span)),
                false => self.body.arguments.extend(local_of(&place)),
            }
        }
        let looks = places.iter().any(|(i, ..)| *i == 1);
        let Some((.., span)) = places.first() else {
            return Ok(());
        };
        let (count, vector) = match &self.options.arguments {
            Arguments::Given(texts) => self.given_arguments(texts, looks, *span)?,
            Arguments::Bounded => self.any_arguments(looks, *span)?,
            Arguments::Unknown => {
                let count = self.any_count(None, *span)?;
                (count, None)
            }
        };
        for (i, place, ty, span) in places {
            let value = match (i, &vector) {
                (0, _) => TypedValue::new(count.clone(), self.types.int()),
                (_, Some(vector)) => TypedValue::new(vector.clone(), ty),
                (_, None) => {
                    self.body.arguments.extend(local_of(&place));
                    continue;
                }
            };
            let value = self.convert(value, ty, span)?;
            self.write(place, value, span)?;
        }
        Ok(())
    }

    /// True for `char **`.
    fn is_argv(&self, ty: TypeId) -> bool {
        let text = self.types.pointee(ty).and_then(|t| self.types.pointee(t));
        text.is_some_and(|c| self.types.is_integer(c) && self.types.size(c) == Some(1))
    }

    /// `argc`: any number, at most so many.
    fn any_count(&mut self, most: Option<u64>, span: Span) -> Lowered<Expr> {
        let int = self.types.int();
        let addr = self.argument_object("argc", int, false, span)?;
        let count = self.load(addr, int, MemoryOrder::Plain, span)?.expr;
        let possible = match most {
            Some(most) => Expr::binary(BinOp::Ule, count.clone(), Expr::constant(most, 32)),
            None => Expr::binary(BinOp::Sle, Expr::constant(0, 32), count.clone()),
        };
        self.emit_at(span, Op::Assume(possible));
        Ok(count)
    }

    fn any_arguments(&mut self, looks: bool, span: Span) -> Lowered<(Expr, Option<Expr>)> {
        if !looks {
            return Ok((self.any_count(None, span)?, None));
        }
        self.program.bounded_arguments = true;
        let count = self.any_count(Some(MOST), span)?;
        let char = self.types.id(Type::Int(ast::IntKind::Char));
        let mut texts = Vec::new();
        for i in 0..MOST {
            texts.push(self.any_string(&format!("argv[{i}]"), span)?);
        }
        let pointer = self.types.pointer(char);
        let size = u64::from(self.pointer_width() / 8);
        let mut vector: Option<Expr> = None;
        for n in 0..=MOST {
            let array = self.types.id(Type::Array(pointer, Some(n + 1)));
            let addr = self.argument_object("argv", array, true, span)?;
            for (i, text) in (0..n).zip(&texts) {
                self.put(&addr, i * size, text.clone(), span);
            }
            vector = Some(match vector {
                None => addr,
                Some(fewer) => {
                    let here = Expr::binary(BinOp::Eq, count.clone(), Expr::constant(n, 32));
                    fold::choose(here, addr, fewer)
                }
            });
        }
        Ok((count, vector))
    }

    /// The address of an arbitrary string that is not too long.
    pub fn any_string(&mut self, name: &str, span: Span) -> Lowered<Expr> {
        let char = self.types.id(Type::Int(ast::IntKind::Char));
        let string = self.types.id(Type::Array(char, Some(STRING)));
        let text = self.argument_object(name, string, false, span)?;
        self.put(&text, STRING - 1, Expr::constant(0, 8), span);
        Ok(text)
    }

    fn given_arguments(
        &mut self,
        texts: &[String],
        looks: bool,
        span: Span,
    ) -> Lowered<(Expr, Option<Expr>)> {
        let name = self.program_name(span);
        let count = Expr::constant(texts.len() as u64 + 1, 32);
        if !looks {
            return Ok((count, None));
        }
        let char = self.types.id(Type::Int(ast::IntKind::Char));
        let width = self.pointer_width();
        let mut pointers = Vec::new();
        for (i, text) in std::iter::once(&name).chain(texts).enumerate() {
            let bytes = text.bytes().enumerate().filter(|(_, b)| *b != 0);
            let init = bytes.map(|(i, b)| (i as u64, 8, Expr::constant(u64::from(b), 8)));
            let ty = Type::Array(char, Some(text.len() as u64 + 1));
            let global = self.argument_text(format!("argv[{i}]"), ty, init.collect(), span)?;
            let offset = i as u64 * u64::from(width / 8);
            pointers.push((offset, width, Expr::Global(global)));
        }
        let ty = Type::Array(self.types.pointer(char), Some(pointers.len() as u64 + 1));
        let vector = self.argument_text("argv".to_string(), ty, pointers, span)?;
        Ok((count, Some(Expr::Global(vector))))
    }

    /// The file's name without its extension, which is what its program is usually called.
    fn program_name(&self, span: Span) -> String {
        let path = std::path::Path::new(self.diagnostics.file_name(span.file));
        let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned());
        stem.unwrap_or_else(|| "program".to_string())
    }

    fn argument_text(
        &mut self,
        name: String,
        ty: Type,
        init: Vec<(u64, Width, Expr)>,
        span: Span,
    ) -> Lowered<GlobalId> {
        let ty = self.types.id(ty);
        let layout = self.layout(ty, span)?;
        Ok(self.program.globals.push(Global {
            name,
            span,
            layout,
            init,
            thread_local: false,
        }))
    }

    /// A new object that is there as long as the process.
    pub fn argument_object(
        &mut self,
        name: &str,
        ty: TypeId,
        zeroed: bool,
        span: Span,
    ) -> Lowered<Expr> {
        let size = self.size_of(ty, span)?;
        let size = self.pointer_constant(size);
        let layout = Some(self.layout(ty, span)?);
        let storage = Storage::Process(name.to_string());
        let dst = self.body.local(&format!("&{name}"), self.pointer_width());
        let made = Op::Alloc {
            dst,
            storage,
            layout,
            size,
            zeroed,
            replaces: None,
        };
        self.emit_at(span, made);
        Ok(Expr::Local(dst))
    }

    /// Stores a value in a part of an object.
    pub fn put(&mut self, object: &Expr, offset: u64, value: Expr, span: Span) {
        let at = self.pointer_constant(offset);
        let addr = fold::binary(BinOp::Add, object.clone(), at, self.pointer_width());
        let order = MemoryOrder::Plain;
        self.emit_at(span, Op::Store { addr, value, order });
    }
}

/// The register of a parameter, or the one with its address.
fn local_of(place: &Place) -> Option<LocalId> {
    match place {
        Place::Register(local, _) | Place::Memory(Expr::Local(local), ..) => Some(*local),
        _ => None,
    }
}

//! Initial values: which expression goes to which scalar (C11 6.7.9), for globals and locals.

use super::{Lowered, Lowering, Place, TypedValue, fold};
use crate::base::diag::Diag;
use crate::base::source::Span;
use crate::front::c::ast::{Designator, Expr as Ast, ExprKind, Init, InitItem, TypeName};
use crate::front::c::bits::BitField;
use crate::front::c::types::{RecordId, Type, TypeId};
use crate::ir::program::{BinOp, Expr, MemoryOrder};

/// A range of more elements than this is not given its initial value one by one.
const MAX_PIECES: u64 = 1 << 20;

/// A piece of an initial value.
#[derive(Clone, Debug)]
pub enum Piece<'a> {
    /// An expression for a scalar or a whole structure.
    Expr(&'a Ast),
    /// A byte of a string.
    Byte(u8),
}

/// A part of an object: byte offset and type. For a bit-field, the offset is that of its structure.
#[derive(Clone, Debug)]
pub struct Part {
    /// From the beginning of the whole object.
    pub offset: u64,
    /// Its type.
    pub ty: TypeId,
    /// Where in its structure the bits are.
    pub bits: Option<BitField>,
}

impl Part {
    pub fn whole(ty: TypeId) -> Part {
        let (offset, bits) = (0, None);
        Part { offset, ty, bits }
    }

    /// The same, in an object that begins `by` bytes earlier.
    fn moved(self, by: u64) -> Part {
        let offset = self.offset.saturating_add(by);
        Part { offset, ..self }
    }
}

/// A piece and where it goes.
pub type Leaf<'a> = (Part, Piece<'a>);

/// Items of a list that are still to be placed.
struct Cursor<'a> {
    items: &'a [InitItem],
    at: usize,
}

impl<'a> Lowering<'a> {
    /// An array without size gets that of its initial value.
    pub fn complete_by_init(&mut self, ty: TypeId, init: Option<&'a Init>) -> Lowered<TypeId> {
        let (Type::Array(elem, None), Some(init)) = (self.types.get(ty).clone(), init) else {
            return Ok(ty);
        };
        let count = match init {
            Init::Expr(Ast {
                kind: ExprKind::Str(bytes),
                ..
            }) => bytes.len() as u64 + 1,
            Init::List(items, _) => match &items[..] {
                [
                    InitItem {
                        init:
                            Init::Expr(Ast {
                                kind: ExprKind::Str(bytes),
                                ..
                            }),
                        designators,
                    },
                ] if designators.is_empty() && self.types.size(elem) == Some(1) => {
                    bytes.len() as u64 + 1
                }
                _ => {
                    let mut leaves = Vec::new();
                    let span = init_span(init);
                    self.list(&Part::whole(ty), items, span, &mut leaves)?;
                    let size = self.size_of(elem, span)?.max(1);
                    leaves
                        .iter()
                        .map(|(part, _)| part.offset / size + 1)
                        .max()
                        .unwrap_or(0)
                }
            },
            Init::Expr(_) => return Ok(ty),
        };
        Ok(self.types.id(Type::Array(elem, Some(count))))
    }

    /// All pieces of an initial value.
    pub fn leaves(&mut self, ty: TypeId, init: &'a Init) -> Lowered<Vec<Leaf<'a>>> {
        let mut out = Vec::new();
        match init {
            Init::List(items, span) => self.list(&Part::whole(ty), items, *span, &mut out)?,
            Init::Expr(e) => self.single(&Part::whole(ty), e, &mut out)?,
        }
        Ok(out)
    }

    /// An expression that initialises the whole of an object.
    fn single(&mut self, part: &Part, e: &'a Ast, out: &mut Vec<Leaf<'a>>) -> Lowered<()> {
        match (self.types.get(self.types.plain(part.ty)).clone(), &e.kind) {
            (Type::Array(elem, count), ExprKind::Str(bytes))
                if self.types.size(elem) == Some(1) =>
            {
                let room = count.unwrap_or(bytes.len() as u64 + 1) as usize;
                let zero = std::iter::once(&0u8);
                for (i, byte) in bytes.iter().chain(zero).take(room).enumerate() {
                    let byte_part = Part::whole(elem).moved(part.offset + i as u64);
                    out.push((byte_part, Piece::Byte(*byte)));
                }
            }
            // `(struct s){ … }` as a constant.
            (Type::Array(..) | Type::Record(_), ExprKind::Compound(_, items))
                if self.scopes.at_file() =>
            {
                self.list(part, items, e.span, out)?;
            }
            (Type::Array(..), _) => {
                return Err(Diag::error(e.span, "an array needs a list of values"));
            }
            _ => out.push((part.clone(), Piece::Expr(e))),
        }
        Ok(())
    }

    /// `{ … }` for an object.
    pub fn list(
        &mut self,
        object: &Part,
        items: &'a [InitItem],
        span: Span,
        out: &mut Vec<Leaf<'a>>,
    ) -> Lowered<()> {
        let plain = self.types.plain(object.ty);
        if !matches!(self.types.get(plain), Type::Array(..) | Type::Record(_)) {
            return match items.first() {
                Some(item) => self.whole(object, &item.init, out),
                None => Ok(()),
            };
        }
        let mut cursor = Cursor { items, at: 0 };
        let mut position = 0u64;
        while let Some(item) = items.get(cursor.at) {
            if let Some((first, rest)) = item.designators.split_first() {
                let (from, to, inner) = self.designated(plain, first)?;
                if to.saturating_sub(from) >= MAX_PIECES {
                    return Err(Diag::error(
                        span,
                        format!(
                            "an initial value for more than {MAX_PIECES} elements is not supported"
                        ),
                    ));
                }
                for index in from..=to {
                    let mut sub = self.part(plain, index, span)?;
                    let mut steps = inner.clone();
                    let mut designators = rest.iter();
                    loop {
                        for index in steps {
                            sub = self.part(sub.ty, index, span)?.moved(sub.offset);
                        }
                        let Some(step) = designators.next() else {
                            break;
                        };
                        let (index, _, inner) = self.designated(sub.ty, step)?;
                        steps = std::iter::once(index).chain(inner).collect();
                    }
                    self.whole(&sub.moved(object.offset), &item.init, out)?;
                }
                cursor.at += 1;
                position = to + 1;
                continue;
            }
            // A string in braces fills the whole array.
            if let (Type::Array(..), Init::Expr(e), 0) =
                (self.types.get(plain), &item.init, position)
                && matches!(e.kind, ExprKind::Str(_))
                && self.byte_array(plain)
            {
                return self.single(object, e, out);
            }
            if position >= self.parts(plain) {
                if self.harmless(&items[cursor.at..]) {
                    return Ok(());
                }
                return Err(Diag::error(
                    init_span(&item.init),
                    "there are more values than members here",
                ));
            }
            let sub = self.part(plain, position, span)?.moved(object.offset);
            self.take(&sub, &mut cursor, span, out)?;
            position += 1;
        }
        Ok(())
    }

    /// Platform macros initialise POSIX objects with more zeros than our layout has words.
    fn harmless(&mut self, items: &'a [InitItem]) -> bool {
        items.iter().all(|item| match &item.init {
            Init::Expr(e) => matches!(self.constant(e), Ok(0)),
            Init::List(items, _) => self.harmless(items),
        })
    }

    fn byte_array(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Array(elem, _) if self.types.size(*elem) == Some(1))
    }

    /// One item for a whole object.
    fn whole(&mut self, part: &Part, init: &'a Init, out: &mut Vec<Leaf<'a>>) -> Lowered<()> {
        match init {
            Init::List(items, span) => self.list(part, items, *span, out),
            Init::Expr(e) => self.single(part, e, out),
        }
    }

    /// Takes as many items as the object needs: braces may be left out.
    fn take(
        &mut self,
        part: &Part,
        cursor: &mut Cursor<'a>,
        span: Span,
        out: &mut Vec<Leaf<'a>>,
    ) -> Lowered<()> {
        let Some(item) = cursor.items.get(cursor.at) else {
            return Ok(());
        };
        let ty = part.ty;
        let plain = self.types.plain(ty);
        let aggregate = matches!(self.types.get(plain), Type::Array(..) | Type::Record(_));
        let whole = match &item.init {
            Init::List(..) => true,
            Init::Expr(e) if self.byte_array(ty) && matches!(e.kind, ExprKind::Str(_)) => true,
            Init::Expr(e) if self.types.is_record(ty) => {
                let given = self.type_of(e)?;
                self.types.plain(given) == plain
            }
            Init::Expr(_) => !aggregate,
        };
        if whole {
            cursor.at += 1;
            return self.whole(part, &item.init, out);
        }
        let parts = if matches!(self.types.get(ty), Type::Array(_, None)) {
            0
        } else {
            self.parts(ty)
        };
        for index in 0..parts {
            match cursor.items.get(cursor.at) {
                Some(item) if index == 0 || item.designators.is_empty() => {}
                _ => break,
            }
            let sub = self.part(ty, index, span)?.moved(part.offset);
            self.take(&sub, cursor, span, out)?;
        }
        Ok(())
    }

    /// How many direct parts an object has that are initialised in order.
    fn parts(&self, ty: TypeId) -> u64 {
        match self.types.get(self.types.plain(ty)) {
            Type::Array(_, count) => count.unwrap_or(u64::MAX),
            Type::Record(id) => {
                let record = &self.types.records[*id];
                let fields = record.fields.as_ref().map_or(0, Vec::len) as u64;
                if record.union { fields.min(1) } else { fields }
            }
            _ => 1,
        }
    }

    /// A direct part.
    fn part(&self, ty: TypeId, index: u64, span: Span) -> Lowered<Part> {
        match self.types.get(self.types.plain(ty)) {
            Type::Array(elem, count) => {
                if count.is_some_and(|n| index >= n) {
                    return Err(Diag::error(
                        span,
                        format!("element {index} is beyond the end of the array"),
                    ));
                }
                let size = self.size_of(*elem, span)?;
                Ok(Part::whole(*elem).moved(index.saturating_mul(size)))
            }
            Type::Record(id) => {
                let fields = self.types.records[*id].fields.as_deref().unwrap_or(&[]);
                let field = fields.get(index as usize);
                let none = || {
                    Diag::error(
                        span,
                        format!("`{}` has no such member", self.types.show(ty)),
                    )
                };
                let field = field.ok_or_else(none)?;
                let offset = if field.bits.is_some() {
                    0
                } else {
                    field.offset
                };
                let (ty, bits) = (field.ty, field.bits.clone());
                Ok(Part { offset, ty, bits })
            }
            _ => Err(Diag::error(span, "there are no members here")),
        }
    }

    /// The parts a designator names, first and last, and the way on from there to a member of an
    /// anonymous structure.
    fn designated(&mut self, ty: TypeId, d: &'a Designator) -> Lowered<(u64, u64, Vec<u64>)> {
        match (d, self.types.get(self.types.plain(ty)).clone()) {
            (Designator::Index(e), Type::Array(..)) => {
                let index = self.index(e)?;
                Ok((index, index, Vec::new()))
            }
            (Designator::Range(a, b), Type::Array(..)) => {
                Ok((self.index(a)?, self.index(b)?, Vec::new()))
            }
            (Designator::Member(name), Type::Record(id)) => {
                let none = || {
                    Diag::error(
                        name.span,
                        format!("`{}` has no member `{}`", self.types.show(ty), name.name),
                    )
                };
                let mut path = self.member_path(id, &name.name).ok_or_else(none)?;
                let index = path.remove(0);
                Ok((index, index, path))
            }
            (Designator::Index(e) | Designator::Range(e, _), _) => {
                Err(Diag::error(e.span, "this is no array"))
            }
            (Designator::Member(name), _) => Err(Diag::error(name.span, "this is no structure")),
        }
    }

    /// The positions that lead to a member, through anonymous structures.
    fn member_path(&self, record: RecordId, name: &str) -> Option<Vec<u64>> {
        let fields = self.types.records[record].fields.as_ref()?;
        for (i, f) in fields.iter().enumerate() {
            if f.name == name {
                return Some(vec![i as u64]);
            }
            if let (true, Type::Record(inner)) = (f.name.is_empty(), self.types.get(f.ty))
                && let Some(mut path) = self.member_path(*inner, name)
            {
                path.insert(0, i as u64);
                return Some(path);
            }
        }
        None
    }

    fn index(&mut self, e: &'a Ast) -> Lowered<u64> {
        let value = self.constant(e)?;
        match u32::try_from(value) {
            Ok(index) => Ok(u64::from(index)),
            Err(_) => Err(Diag::error(e.span, format!("there is no element {value}"))),
        }
    }

    /// Stores the initial value of a local.
    pub fn init_local(&mut self, place: Place, init: &'a Init, span: Span) -> Lowered<()> {
        let (addr, ty) = match (place, init) {
            (place @ Place::Register(..), _) => {
                let ty = Self::place_type(&place);
                let Some((_, Piece::Expr(e))) = self.leaves(ty, init)?.pop() else {
                    return Ok(());
                };
                let value = self.value_for(e, ty)?;
                self.write(place, value, span)?;
                return Ok(());
            }
            (Place::Memory(addr, ty), _) => (addr, ty),
            (Place::Bits(..), _) => return Err(Diag::error(span, "a bit-field is no variable")),
        };
        if self.is_atomic_record(ty) {
            let plain = self.types.plain(ty);
            let size = self.size_of(plain, span)?;
            let copy = Expr::Local(self.allocate("(copy)", plain, size, true, span)?);
            let leaves = self.leaves(plain, init)?;
            self.fill_zeroed(copy.clone(), leaves, span)?;
            let value = TypedValue {
                expr: copy,
                ty: plain,
            };
            return self.store(addr, ty, value, MemoryOrder::Plain, span);
        }
        if !self.atomic_records(ty).is_empty() {
            let what = "an initial value of a local that has an `_Atomic` structure as a part";
            return self.unsupported(span, what);
        }
        let leaves = self.leaves(ty, init)?;
        self.fill_zeroed(addr, leaves, span)
    }

    /// Stores the pieces of an initial value into an object that is all zero.
    fn fill_zeroed(&mut self, addr: Expr, leaves: Vec<Leaf<'a>>, span: Span) -> Lowered<()> {
        let width = self.pointer_width();
        for (part, piece) in leaves {
            let at = Expr::constant(part.offset, width);
            let at = fold::binary(BinOp::Add, addr.clone(), at, width);
            // Initialisation is not an atomic access, even of an `_Atomic` object.
            let plain = self.types.plain(part.ty);
            let value = match piece {
                Piece::Byte(0) => continue,
                Piece::Byte(byte) => TypedValue {
                    expr: Expr::constant(u64::from(byte), 8),
                    ty: plain,
                },
                Piece::Expr(e) => self.value_for(e, plain)?,
            };
            let place = match part.bits {
                Some(bits) => Place::Bits(at, bits, plain),
                None => Place::Memory(at, plain),
            };
            self.write(place, value, span)?;
        }
        Ok(())
    }

    /// `(type){ … }`
    pub fn compound_literal(
        &mut self,
        name: &'a TypeName,
        items: &'a [InitItem],
        span: Span,
    ) -> Lowered<Place> {
        let mut ty = self.named_type(name)?;
        if let Type::Array(elem, None) = *self.types.get(ty) {
            let mut leaves = Vec::new();
            self.list(&Part::whole(ty), items, span, &mut leaves)?;
            let size = self.size_of(elem, span)?.max(1);
            let count = leaves
                .iter()
                .map(|(part, _)| part.offset / size + 1)
                .max()
                .unwrap_or(0);
            ty = self.types.id(Type::Array(elem, Some(count)));
        }
        if self.scopes.at_file() {
            return self.static_literal(ty, items, span);
        }
        let size = self.size_of(ty, span)?;
        let addr = self.allocate("(literal)", ty, size, true, span)?;
        self.body.keep(addr);
        if !self.atomic_records(ty).is_empty() {
            return self.unsupported(span, "a literal with an `_Atomic` structure");
        }
        let mut leaves = Vec::new();
        self.list(&Part::whole(ty), items, span, &mut leaves)?;
        self.fill_zeroed(Expr::Local(addr), leaves, span)?;
        Ok(Place::Memory(Expr::Local(addr), ty))
    }
}

/// Where an initial value stands.
pub fn init_span(init: &Init) -> Span {
    match init {
        Init::Expr(e) => e.span,
        Init::List(_, span) => *span,
    }
}

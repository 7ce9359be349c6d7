//! Initial values: which expression goes to which scalar (C11 6.7.9), for globals and locals.

use super::{Lowered, Lowering, Place, Refusal, TypedValue, fold, wrong};
use crate::front::c::ast::{Designator, Expr as Ast, ExprKind, Init, InitItem, IntKind, TypeName};
use crate::front::c::bits::BitField;
use crate::front::c::types::{RecordId, Type, TypeId};
use base::diag::Diag;
use base::source::Span;
use ir::program::{BinOp, Expr, MemoryOrder, Op, mask};
use std::collections::{BTreeMap, BTreeSet};

/// A range of more elements than this is not given its initial value one by one.
const MAX_PIECES: u64 = 1 << 20;

/// A piece of an initial value.
#[derive(Clone, Debug)]
pub enum Piece<'a> {
    /// An expression for a scalar or a whole structure.
    Expr(&'a Ast),
    /// A unit of a string.
    Unit(u32),
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

/// The pieces of an initial value as they are collected. Of two for the same place the later one is
/// left (6.7.9p19).
#[derive(Debug, Default)]
struct Image<'a> {
    leaves: Vec<Leaf<'a>>,
    /// No piece ends behind this byte.
    end: u64,
    /// The member of a union that is initialised, by the union's place and type.
    members: BTreeMap<(u64, TypeId), u64>,
    /// Where an array without size may get elements: the flexible member of the whole object.
    flexible: Option<u64>,
}

impl<'a> Image<'a> {
    fn put(&mut self, part: Part, size: u64, piece: Piece<'a>) {
        self.clear(&part, size);
        let last = part.bits.iter().flat_map(|b| &b.pieces).last();
        let end = match last {
            Some(last) => part.offset + last.offset + u64::from(last.unit) / 8,
            None => part.offset.saturating_add(size),
        };
        self.end = self.end.max(end);
        self.leaves.push((part, piece));
    }

    /// Takes back what is known of a part: another initial value is for the whole of it.
    fn clear(&mut self, part: &Part, size: u64) {
        if part.bits.is_some() {
            let same = |(p, _): &Leaf<'a>| p.offset == part.offset && p.bits == part.bits;
            self.leaves.retain(|leaf| !same(leaf));
            return;
        }
        let (from, to) = (part.offset, part.offset.saturating_add(size));
        if from >= self.end {
            return;
        }
        self.leaves.retain(|(p, _)| {
            let first = p.bits.iter().flat_map(|b| &b.pieces).next();
            let at = p.offset + first.map_or(0, |piece| piece.offset);
            !(from..to).contains(&at)
        });
        self.members.retain(|(at, _), _| !(from..to).contains(at));
    }
}

/// An object whose parts are initialised in order: the current object of 6.7.9p17, and those around
/// it up to the one that the braces are for.
#[derive(Clone, Debug)]
struct Level {
    ty: TypeId,
    offset: u64,
    /// Position of the part that is next, or that the next level is about.
    next: u64,
}

/// What stands between two braces: all items, and where the object of the braces is.
struct Braces {
    object: Part,
    span: Span,
    /// One more than the position of the last direct part that something is for.
    count: u64,
}

impl<'a> Lowering<'a> {
    /// An array without size gets that of its initial value.
    pub fn complete_by_init(&mut self, ty: TypeId, init: Option<&'a Init>) -> Lowered<TypeId> {
        let (Type::Array(elem, None), Some(init)) = (self.types.get(ty).clone(), init) else {
            return Ok(ty);
        };
        let count = match init {
            Init::Expr(e) => match units(&e.kind) {
                Some((units, _)) => units.len() as u64 + 1,
                None => return Ok(ty),
            },
            Init::List(items, span) => self.elements(ty, items, *span)?.1,
        };
        Ok(self.types.id(Type::Array(elem, Some(count))))
    }

    /// All pieces of an initial value.
    pub fn leaves(&mut self, ty: TypeId, init: &'a Init) -> Lowered<Vec<Leaf<'a>>> {
        Ok(self.image(ty, init)?.leaves)
    }

    fn image(&mut self, ty: TypeId, init: &'a Init) -> Lowered<Image<'a>> {
        let mut image = Image::default();
        self.whole(&Part::whole(ty), init, &mut image)?;
        Ok(image)
    }

    /// All pieces of the initial value of an object with static storage, of which a flexible array
    /// member may be a part.
    pub fn static_leaves(&mut self, ty: TypeId, init: &'a Init) -> Lowered<Vec<Leaf<'a>>> {
        let Init::List(items, span) = init else {
            return self.leaves(ty, init);
        };
        let mut image = Image {
            flexible: self.flexible_member(ty).map(|(offset, _)| offset),
            ..Image::default()
        };
        self.list(&Part::whole(ty), items, *span, &mut image)?;
        Ok(image.leaves)
    }

    /// The place of a structure's flexible array member, and the type of its elements.
    pub fn flexible_member(&self, ty: TypeId) -> Option<(u64, TypeId)> {
        let Type::Record(id) = *self.types.get(self.types.plain(ty)) else {
            return None;
        };
        let record = &self.types.records[id];
        let last = record.fields.as_ref()?.last().filter(|_| !record.union)?;
        match self.types.get(last.ty) {
            Type::Array(elem, None) => Some((last.offset, *elem)),
            _ => None,
        }
    }

    /// The pieces of `{ … }` for an object, and how many of its direct parts there are.
    pub fn elements(
        &mut self,
        ty: TypeId,
        items: &'a [InitItem],
        span: Span,
    ) -> Lowered<(Vec<Leaf<'a>>, u64)> {
        let mut image = Image::default();
        let count = self.list(&Part::whole(ty), items, span, &mut image)?;
        Ok((image.leaves, count))
    }

    /// An expression that initialises the whole of an object.
    fn single(&mut self, part: &Part, e: &'a Ast, image: &mut Image<'a>) -> Lowered<()> {
        match (self.types.get(self.types.plain(part.ty)).clone(), &e.kind) {
            (Type::Array(elem, count), kind) if self.is_string_of(elem, kind) => {
                let (units, size) = units(kind).expect("it is a string");
                if count.is_none() {
                    self.check_flexible(part, e.span, image)?;
                }
                image.clear(part, count.map_or(u64::MAX, |count| count * size));
                let room = count.unwrap_or(units.len() as u64 + 1) as usize;
                let zero = std::iter::once(0);
                for (i, unit) in units.into_iter().chain(zero).take(room).enumerate() {
                    let unit_part = Part::whole(elem).moved(part.offset + i as u64 * size);
                    image.put(unit_part, size, Piece::Unit(unit));
                }
            }
            // `(struct s){ … }` as a constant.
            (Type::Array(..) | Type::Record(_), ExprKind::Compound(_, items))
                if self.names.scopes().at_file() =>
            {
                self.list(part, items, e.span, image)?;
            }
            (Type::Array(..), _) => {
                return wrong(e.span, "an array needs a list of values");
            }
            _ => {
                let size = self.types.size(part.ty).unwrap_or(0);
                image.put(part.clone(), size, Piece::Expr(e));
            }
        }
        Ok(())
    }

    /// An array without size has elements as the flexible member of an object alone.
    fn check_flexible(&self, part: &Part, span: Span, image: &Image<'a>) -> Lowered<()> {
        let known = part.offset == 0 || image.flexible == Some(part.offset);
        let message = "a flexible array member is initialised in a variable with static storage \
                       alone, not in a part of one";
        known
            .then_some(())
            .ok_or_else(|| Diag::error(span, message).into())
    }

    /// `{ … }` for an object; says how many of its direct parts something is for.
    fn list(
        &mut self,
        object: &Part,
        items: &'a [InitItem],
        span: Span,
        image: &mut Image<'a>,
    ) -> Lowered<u64> {
        let plain = self.types.plain(object.ty);
        let has_parts = matches!(self.types.get(plain), Type::Array(..) | Type::Record(_));
        if !has_parts || self.types.is_int128(plain) {
            return match items.first() {
                Some(item) => self.whole(object, &item.init, image).map(|()| 1),
                None => Ok(0),
            };
        }
        if matches!(self.types.get(plain), Type::Array(_, None)) && !items.is_empty() {
            self.check_flexible(object, span, image)?;
        }
        image.clear(object, self.types.size(plain).unwrap_or(u64::MAX));
        // A string in braces fills the whole array.
        if let [item] = items
            && let (Init::Expr(e), true) = (&item.init, item.designators.is_empty())
            && self.is_array_for(plain, &e.kind)
        {
            self.single(object, e, image)?;
            let room = match (self.types.get(plain), units(&e.kind)) {
                (Type::Array(_, None), Some((units, _))) => units.len() as u64 + 1,
                _ => self.parts(plain),
            };
            return Ok(room);
        }
        let mut braces = Braces {
            object: object.clone(),
            span,
            count: 0,
        };
        let root = Level {
            ty: plain,
            offset: object.offset,
            next: 0,
        };
        let mut levels = vec![root.clone()];
        for (i, item) in items.iter().enumerate() {
            if item.designators.is_empty() {
                if !self.advance(&mut levels) {
                    if self.harmless(&items[i..]) {
                        break;
                    }
                    let message = "there are more values than members here";
                    return wrong(init_span(&item.init), message);
                }
                self.place_item(&mut levels, item, &mut braces, image)?;
            } else {
                levels = vec![root.clone()];
                self.designate(&mut levels, &item.designators, item, &mut braces, image)?;
            }
        }
        Ok(braces.count)
    }

    /// Leaves the objects that are complete; false where the one of the braces is.
    fn advance(&self, levels: &mut Vec<Level>) -> bool {
        while let Some(level) = levels.last_mut() {
            if level.next < self.parts(level.ty) {
                return true;
            }
            levels.pop();
            if let Some(around) = levels.last_mut() {
                around.next += 1;
            }
        }
        false
    }

    /// Initialises all parts that designators name; `levels` are those of the last one then.
    fn designate(
        &mut self,
        levels: &mut Vec<Level>,
        designators: &'a [Designator],
        item: &'a InitItem,
        braces: &mut Braces,
        image: &mut Image<'a>,
    ) -> Lowered<()> {
        let Some((first, rest)) = designators.split_first() else {
            return self.place_item(levels, item, braces, image);
        };
        let ty = levels.last().map_or(braces.object.ty, |l| l.ty);
        let (from, to, inner) = self.designated(ty, first)?;
        let pieces = to
            .saturating_sub(from)
            .saturating_add(image.leaves.len() as u64);
        if pieces >= MAX_PIECES {
            let message =
                format!("an initial value for more than {MAX_PIECES} elements is not supported");
            // The program is refused even where execution could stop before it.
            let diag = Diag::unsupported(braces.span, message);
            return Err(Refusal::Error(diag));
        }
        let depth = levels.len();
        for index in from..=to {
            levels.truncate(depth);
            if let Some(level) = levels.last_mut() {
                level.next = index;
            }
            for index in &inner {
                self.enter(levels, *index, braces, image)?;
            }
            if rest.is_empty() {
                self.place_item(levels, item, braces, image)?;
                continue;
            }
            self.enter(levels, 0, braces, image)?;
            self.designate(levels, rest, item, braces, image)?;
        }
        Ok(())
    }

    /// Goes into the part that is next, to its part `index`.
    fn enter(
        &mut self,
        levels: &mut Vec<Level>,
        index: u64,
        braces: &mut Braces,
        image: &mut Image<'a>,
    ) -> Lowered<()> {
        let sub = self.next_part(levels, braces, image)?;
        levels.push(self.level(&sub, index, braces, image)?);
        Ok(())
    }

    /// An object whose part `next` is initialised, though something may have been for the whole of it.
    fn level(&self, sub: &Part, next: u64, braces: &Braces, image: &Image<'a>) -> Lowered<Level> {
        let end = |p: &Part| {
            let size = self.types.size(p.ty).unwrap_or(u64::MAX);
            p.offset.saturating_add(size)
        };
        let contains = |p: &Part| p.offset <= sub.offset && end(p) >= end(sub);
        let whole = |(p, piece): &Leaf<'a>| {
            matches!(piece, Piece::Expr(_)) && self.types.is_record(p.ty) && contains(p)
        };
        // The standard does not say what is left of a structure that an expression gives (DR 413).
        if sub.offset < image.end && image.leaves.iter().any(whole) {
            let what =
                "an initial value of a part of a structure that an expression has initialised";
            return self.unsupported(braces.span, what);
        }
        Ok(Level {
            ty: self.types.plain(sub.ty),
            offset: sub.offset,
            next,
        })
    }

    /// The part that is next. Another member of a union takes the place of the one before.
    fn next_part(
        &mut self,
        levels: &[Level],
        braces: &mut Braces,
        image: &mut Image<'a>,
    ) -> Lowered<Part> {
        let (Some(level), Some(root)) = (levels.last(), levels.first()) else {
            return wrong(braces.span, "there are no members here");
        };
        braces.count = braces.count.max(root.next + 1);
        let sub = self
            .part(level.ty, level.next, braces.span)?
            .moved(level.offset);
        if self.is_union(level.ty) {
            let key = (level.offset, level.ty);
            if image.members.get(&key).is_some_and(|m| *m != level.next) {
                let size = self.types.size(level.ty).unwrap_or(0);
                image.clear(&Part::whole(level.ty).moved(level.offset), size);
            }
            image.members.insert(key, level.next);
        }
        Ok(sub)
    }

    /// Initialises the part that is next with an item. Where it is an expression for the first scalar
    /// of the part, braces have been left out, and the parts of the part are next.
    fn place_item(
        &mut self,
        levels: &mut Vec<Level>,
        item: &'a InitItem,
        braces: &mut Braces,
        image: &mut Image<'a>,
    ) -> Lowered<()> {
        loop {
            let sub = self.next_part(levels, braces, image)?;
            if self.is_for_whole(&sub, &item.init)? {
                self.whole(&sub, &item.init, image)?;
                break;
            }
            let unsized_array = matches!(self.types.get(sub.ty), Type::Array(_, None));
            if self.parts(sub.ty) == 0 || unsized_array && image.flexible != Some(sub.offset) {
                let message = "this value needs braces around it";
                return wrong(init_span(&item.init), message);
            }
            levels.push(self.level(&sub, 0, braces, image)?);
        }
        // The part took back what was known of its own bytes, of the unions around it too.
        for level in levels.iter() {
            if self.is_union(level.ty) {
                image.members.insert((level.offset, level.ty), level.next);
            }
        }
        if let Some(level) = levels.last_mut() {
            // Behind the member of a union there is none.
            let union = self.is_union(level.ty);
            level.next = if union { u64::MAX } else { level.next + 1 };
        }
        Ok(())
    }

    /// Whether an item is for the whole of a part, and not for its first scalar.
    fn is_for_whole(&mut self, part: &Part, init: &'a Init) -> Lowered<bool> {
        let plain = self.types.plain(part.ty);
        let e = match init {
            Init::List(..) => return Ok(true),
            Init::Expr(e) => e,
        };
        Ok(match self.types.get(plain) {
            Type::Array(..) => self.is_array_for(plain, &e.kind),
            Type::Record(_) if self.types.is_int128(plain) => true,
            Type::Record(_) => {
                let given = self.type_of(e)?;
                self.types.plain(given) == plain
            }
            _ => true,
        })
    }

    /// Platform macros initialise POSIX objects with more zeros than our layout has words.
    fn harmless(&mut self, items: &'a [InitItem]) -> bool {
        items.iter().all(|item| match &item.init {
            Init::Expr(e) => matches!(self.constant(e), Ok(0)),
            Init::List(items, _) => self.harmless(items),
        })
    }

    fn is_array_for(&self, ty: TypeId, e: &ExprKind) -> bool {
        matches!(self.types.get(ty), Type::Array(elem, _) if self.is_string_of(*elem, e))
    }

    /// Whether an expression is a string that may initialise an array of elements of this type.
    fn is_string_of(&self, elem: TypeId, e: &ExprKind) -> bool {
        let plain = self.types.plain(elem);
        let is_integer = matches!(self.types.get(plain), Type::Int(_));
        let size = units(e).map(|(_, size)| size);
        is_integer && size.is_some() && self.types.size(plain) == size
    }

    /// One item for a whole object.
    fn whole(&mut self, part: &Part, init: &'a Init, image: &mut Image<'a>) -> Lowered<()> {
        match init {
            Init::List(items, span) => self.list(part, items, *span, image).map(|_| ()),
            Init::Expr(e) => self.single(part, e, image),
        }
    }

    fn is_union(&self, ty: TypeId) -> bool {
        match *self.types.get(ty) {
            Type::Record(id) => self.types.records[id].union,
            _ => false,
        }
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
                    return wrong(
                        span,
                        format!("element {index} is beyond the end of the array"),
                    );
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
            _ => wrong(span, "there are no members here"),
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
                wrong(e.span, "this is no array")
            }
            (Designator::Member(name), _) => wrong(name.span, "this is no structure"),
        }
    }

    /// The positions that lead to a member, through anonymous structures.
    pub(super) fn member_path(&self, record: RecordId, name: &str) -> Option<Vec<u64>> {
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
            Err(_) => wrong(e.span, format!("there is no element {value}")),
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
            (Place::Memory(addr, ty, _), _) => (addr, ty),
            (Place::Bits(..), _) => return wrong(span, "a bit-field is no variable"),
        };
        if self.is_atomic_record(ty) {
            let plain = self.types.plain(ty);
            let size = self.size_of(plain, span)?;
            let copy = Expr::Local(self.allocate("(copy)", plain, size, true, span)?);
            let image = self.image(plain, init)?;
            self.fill_zeroed(copy.clone(), plain, image, span)?;
            let value = TypedValue::new(copy, plain);
            return self.store(addr, ty, value, MemoryOrder::Plain, span);
        }
        if !self.atomic_records(ty).is_empty() {
            let what = "an initial value of a local that has an `_Atomic` structure as a part";
            return self.unsupported(span, what);
        }
        let image = self.image(ty, init)?;
        self.fill_zeroed(addr, ty, image, span)
    }

    /// Stores the pieces of an initial value into an object that is all zero.
    fn fill_zeroed(&mut self, addr: Expr, ty: TypeId, image: Image<'a>, span: Span) -> Lowered<()> {
        let width = self.pointer_width();
        let exprs = image.leaves.iter().filter_map(|(_, piece)| match piece {
            Piece::Expr(e) => Some(std::ptr::from_ref::<Ast>(e)),
            Piece::Unit(_) => None,
        });
        let exprs: Vec<*const Ast> = exprs.collect();
        let repeated = exprs.windows(2).filter(|pair| pair[0] == pair[1]);
        let repeated: BTreeSet<*const Ast> = repeated.map(|pair| pair[0]).collect();
        let repeats = |e: &'a Ast| repeated.contains(&std::ptr::from_ref(e));
        let mut before: Option<(&'a Ast, TypedValue)> = None;
        self.leave_uninitialised(&addr, ty, &image, span);
        for (part, piece) in image.leaves {
            let at = Expr::constant(part.offset, width);
            let at = fold::binary(BinOp::Add, addr.clone(), at, width);
            // Initialisation is not an atomic access, even of an `_Atomic` object.
            let plain = self.types.plain(part.ty);
            let value = match piece {
                Piece::Unit(0) => continue,
                Piece::Unit(unit) => {
                    let width = self.scalar_width(plain, span)?;
                    let unit = u64::from(unit) & mask(width);
                    TypedValue::new(Expr::constant(unit, width), plain)
                }
                // The value of a range of elements is computed once.
                Piece::Expr(e) => match &before {
                    Some((same, value)) if std::ptr::eq(*same, e) && value.ty == plain => {
                        value.clone()
                    }
                    _ => {
                        let mut value = self.value_for(e, plain)?;
                        if !matches!(value.expr, Expr::Const { .. }) && repeats(e) {
                            value.expr = self.bind(value.expr);
                        }
                        before = Some((e, value.clone()));
                        value
                    }
                },
            };
            let place = match part.bits {
                Some(bits) => Place::Bits(at, bits, plain, Vec::new()),
                None => Place::object(at, plain),
            };
            self.write(place, value, span)?;
        }
        Ok(())
    }

    /// The bytes of an initialised object that an initial value says nothing of: padding next to a member
    /// that is given, and what a union has beyond its one.
    fn leave_uninitialised(&mut self, addr: &Expr, ty: TypeId, image: &Image<'a>, span: Span) {
        let mut given: Vec<u64> = image.leaves.iter().map(|(part, _)| part.offset).collect();
        given.sort_unstable();
        let ranges = self.unspecified_beside((0, ty), &given, &image.members);
        let align = self.types.align(ty);
        self.leave_unspecified(addr, &ranges, align, span);
    }

    /// `(type){ … }`
    pub fn compound_literal(
        &mut self,
        name: &'a TypeName,
        items: &'a [InitItem],
        span: Span,
    ) -> Lowered<Place> {
        let mut ty = self.named_type(name)?;
        let constant = self.is_const(&name.base, &name.derived);
        if let Type::Array(elem, None) = *self.types.get(ty) {
            let (_, count) = self.elements(ty, items, span)?;
            ty = self.types.id(Type::Array(elem, Some(count)));
        }
        if self.names.scopes().at_file() {
            return self.static_literal((ty, constant), items, span);
        }
        let size = self.size_of(ty, span)?;
        let addr = self.allocate("(literal)", ty, size, true, span)?;
        self.body.keep(addr);
        if !self.atomic_records(ty).is_empty() {
            return self.unsupported(span, "a literal with an `_Atomic` structure");
        }
        let mut image = Image::default();
        self.list(&Part::whole(ty), items, span, &mut image)?;
        self.fill_zeroed(Expr::Local(addr), ty, image, span)?;
        if constant {
            self.emit_at(span, Op::Constant { object: addr });
        }
        Ok(Place::object(Expr::Local(addr), ty))
    }
}

/// Where an initial value stands.
pub fn init_span(init: &Init) -> Span {
    match init {
        Init::Expr(e) => e.span,
        Init::List(_, span) => *span,
    }
}

/// The units of a string, without its final zero, and the bytes of each.
fn units(e: &ExprKind) -> Option<(Vec<u32>, u64)> {
    match e {
        ExprKind::Str(bytes) => Some((bytes.iter().map(|b| u32::from(*b)).collect(), 1)),
        ExprKind::WideStr(units, IntKind::UShort) => Some((units.clone(), 2)),
        ExprKind::WideStr(units, _) => Some((units.clone(), 4)),
        _ => None,
    }
}

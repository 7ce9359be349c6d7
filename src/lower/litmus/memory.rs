//! The locations of a test: every name that is used as one, with its initial value.

use super::refusal::{Lowered, unsupported, wrong};
use crate::front::litmus::ast::x86::Operand;
use crate::front::litmus::ast::{
    Init, Line, LineKind, LitmusValue, Machine, Number, Place, Prop, Symbol, Test,
};
use base::diag::Diag;
use base::source::Span;
use ir::program::*;
use std::collections::BTreeMap;

/// Sizes of one test.
#[derive(Clone, Copy, Debug)]
pub(in crate::lower) struct Sizes {
    /// Bits of a register.
    pub word: Width,
    /// Bits of an address; fewer than of a register at most in assembly statements.
    pub pointer: Width,
    /// Bits of a cell of memory.
    pub cell: Width,
    /// Offsets that lead to another cell are multiples of so many bytes; `None` where none does.
    pub step: Option<u64>,
}

/// More elements of an array are no litmus test.
const MAX_COUNT: u64 = 1 << 10;

/// The locations.
#[derive(Debug)]
pub(in crate::lower) struct Locations {
    /// Sizes of the test.
    pub sizes: Sizes,
    /// What the events read that stand for selections by a condition; nothing writes it.
    pub(super) chosen: Option<GlobalId>,
    /// By name: the object, and how many elements it has if it is an array.
    objects: BTreeMap<String, (GlobalId, Option<u64>)>,
    /// By name: the addresses of operands of inline assembly.
    operands: BTreeMap<String, Expr>,
}

impl Locations {
    /// Locations that are one cell each.
    pub fn of_scalars(
        sizes: Sizes,
        objects: impl Iterator<Item = (String, GlobalId)>,
    ) -> Locations {
        Locations {
            sizes,
            chosen: None,
            objects: objects.map(|(name, id)| (name, (id, None))).collect(),
            operands: BTreeMap::new(),
        }
    }

    /// Operands of inline assembly, at any addresses.
    pub fn of_operands(word: Width, pointer: Width, operands: BTreeMap<String, Expr>) -> Locations {
        let sizes = Sizes {
            word,
            pointer,
            cell: word,
            step: Some(1),
        };
        Locations {
            sizes,
            chosen: None,
            objects: BTreeMap::new(),
            operands,
        }
    }

    /// The address of an operand of inline assembly.
    pub(super) fn operand(&self, name: &str) -> Option<&Expr> {
        self.operands.get(name)
    }

    /// The object and the byte offset of a location.
    pub(super) fn cell(&self, symbol: &Symbol) -> Lowered<(GlobalId, u64)> {
        let (global, count) = self.objects[&symbol.name.text];
        let Some(index) = symbol.index else {
            return Ok((global, 0));
        };
        let name = &symbol.name.text;
        match count {
            None => wrong(symbol.name.span, format!("`{name}` is no array")),
            Some(count) if index.bits >= count => wrong(
                index.span,
                format!("`{name}` has {count} elements, there is no `{name}[{index}]`"),
            ),
            Some(_) => Ok((global, index.bits * u64::from(self.sizes.cell) / 8)),
        }
    }

    /// The address of a location.
    pub fn address(&self, symbol: &Symbol) -> Lowered<Expr> {
        if let Some(address) = self.operand(&symbol.name.text) {
            return Ok(address.clone());
        }
        let (global, offset) = self.cell(symbol)?;
        Ok(plus(Expr::Global(global), offset, self.sizes.word))
    }

    /// A number or an address in a register or cell of so many bits.
    pub(super) fn value(&self, value: &LitmusValue, width: Width) -> Lowered<Expr> {
        match value {
            LitmusValue::Number(number) => constant(number, width),
            LitmusValue::Address(symbol) if width < self.sizes.word => {
                let message = format!("an address does not fit {width} bits");
                wrong(symbol.name.span, message)
            }
            LitmusValue::Address(symbol) => self.address(symbol),
            LitmusValue::Place(place) => wrong(place.span(), "expected a number or a location"),
        }
    }

    /// Checks an offset that an instruction adds to an address.
    pub(super) fn offset(&self, offset: &Number) -> Lowered<()> {
        let is_multiple = |step| offset.bits.is_multiple_of(step);
        if offset.bits == 0 || self.sizes.step.is_some_and(is_multiple) {
            return Ok(());
        }
        let message = format!(
            "the offset {offset} leads to no location: accesses to parts are not supported"
        );
        unsupported(offset.span, message)
    }
}

/// `base + offset`
pub(super) fn plus(base: Expr, offset: u64, word: Width) -> Expr {
    match offset {
        0 => base,
        _ => Expr::binary(BinOp::Add, base, Expr::constant(offset, word)),
    }
}

/// A number that must fit so many bits.
pub(super) fn constant(number: &Number, width: Width) -> Lowered<Expr> {
    if number.fits(u32::from(width)) {
        return Ok(Expr::constant(number.bits, width));
    }
    wrong(number.span, format!("`{number}` does not fit {width} bits"))
}

/// Makes the locations objects of the program.
pub(super) fn declare(
    test: &Test,
    word: Width,
    program: &mut Program,
    errors: &mut Vec<Diag>,
) -> Locations {
    let mut names: BTreeMap<&str, Span> = BTreeMap::new();
    each_symbol(test, &mut |s| {
        names.entry(&s.name.text).or_insert(s.name.span);
    });
    let arrays = arrays(test, errors);
    let cell = match test.machine {
        Machine::C => word,
        _ => element_width(&arrays, word, errors),
    };
    let sizes = Sizes {
        word,
        pointer: word,
        cell,
        step: (!arrays.is_empty()).then_some(u64::from(cell) / 8),
    };
    let scalar = program.layouts.push(Layout::Scalar { width: sizes.cell });
    let selects = |line: &Line| {
        matches!(
            line.kind,
            LineKind::Aarch64(crate::front::litmus::ast::aarch64::Instr::Select { .. })
        )
    };
    let selection = test
        .threads
        .iter()
        .flat_map(|t| &t.lines)
        .find(|l| selects(l));
    let chosen = selection.map(|line| {
        program.globals.push(Global {
            name: "condition".to_string(),
            span: line.span,
            layout: scalar,
            init: Vec::new(),
            thread_local: false,
        })
    });
    let mut memory = Locations {
        sizes,
        chosen,
        objects: BTreeMap::new(),
        operands: BTreeMap::new(),
    };
    for (name, span) in names {
        let count = arrays.get(name).map(|(count, _)| *count);
        let layout = match count {
            None => scalar,
            Some(count) => program.layouts.push(Layout::Array {
                elem: scalar,
                count,
            }),
        };
        let global = program.globals.push(Global {
            name: name.to_string(),
            span,
            layout,
            init: Vec::new(),
            thread_local: false,
        });
        memory.objects.insert(name.to_string(), (global, count));
    }
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    for init in &test.init {
        let Place::Memory(symbol) = &init.place else {
            continue;
        };
        let name = symbol.name.text.as_str();
        if let Some(first) = seen.insert(name, init.span) {
            errors.push(
                Diag::error(init.span, format!("`{name}` has two initial values"))
                    .also(first, "the first is here"),
            );
        }
        match initial(init, &memory) {
            Ok(values) => {
                let (global, _) = memory.objects[name];
                program.globals[global].init = values;
            }
            Err(e) => errors.push(*e),
        }
    }
    memory
}

/// The values of a location as the program has them.
fn initial(init: &Init, memory: &Locations) -> Lowered<Vec<(u64, Width, Expr)>> {
    let Place::Memory(symbol) = &init.place else {
        return Ok(Vec::new());
    };
    let (_, count) = memory.objects[&symbol.name.text];
    let (count, given) = (count.unwrap_or(1), init.values.len() as u64);
    if given != count && given != 0 {
        let message = format!(
            "`{}` has {count} elements, and {given} values are given",
            symbol.name.text
        );
        return wrong(init.span, message);
    }
    let cell = memory.sizes.cell;
    let mut values = Vec::new();
    for (value, index) in init.values.iter().zip(0u64..) {
        let offset = index * u64::from(cell) / 8;
        values.push((offset, cell, memory.value(value, cell)?));
    }
    Ok(values)
}

/// By name: the number of elements of an array, and their width if that is stated.
type Arrays<'a> = BTreeMap<&'a str, (u64, Option<(Width, Span)>)>;

fn arrays<'a>(test: &'a Test, errors: &mut Vec<Diag>) -> Arrays<'a> {
    let mut all = BTreeMap::new();
    for init in &test.init {
        let (Place::Memory(symbol), Some(count)) = (&init.place, init.count) else {
            continue;
        };
        if count.negative || count.bits == 0 || count.bits > MAX_COUNT {
            let message = format!("an array has between 1 and {MAX_COUNT} elements");
            errors.push(Diag::error(count.span, message));
            continue;
        }
        let width = init.ty.and_then(|t| t.width).map(|w| (w, init.span));
        all.insert(symbol.name.text.as_str(), (count.bits, width));
    }
    all
}

/// The width of all cells, which the arrays must agree on.
fn element_width(arrays: &Arrays, word: Width, errors: &mut Vec<Diag>) -> Width {
    let stated: Vec<Option<(Width, Span)>> = arrays.values().map(|(_, w)| *w).collect();
    let Some(first) = stated.first() else {
        return word;
    };
    let cell = first.map_or(word, |(w, _)| w);
    for (width, span) in stated.iter().flatten() {
        if *width != cell || *width > word {
            let message = format!(
                "an array of {width}-bit elements in a test whose cells have {} bits",
                cell.min(word)
            );
            errors.push(Diag::error(*span, message));
        }
    }
    cell.min(word)
}

/// Visits every mention of a location.
fn each_symbol<'a>(test: &'a Test, visit: &mut dyn FnMut(&'a Symbol)) {
    fn value<'a>(value: &'a LitmusValue, visit: &mut dyn FnMut(&'a Symbol)) {
        match value {
            LitmusValue::Address(symbol) | LitmusValue::Place(Place::Memory(symbol)) => {
                visit(symbol)
            }
            _ => {}
        }
    }
    fn prop<'a>(p: &'a Prop, visit: &mut dyn FnMut(&'a Symbol)) {
        match p {
            Prop::Constant(_) => {}
            Prop::Equal(place, other) => {
                if let Place::Memory(symbol) = place {
                    visit(symbol);
                }
                value(other, visit);
            }
            Prop::Not(p) => prop(p, visit),
            Prop::And(all) | Prop::Or(all) => all.iter().for_each(|p| prop(p, visit)),
            Prop::Implies(a, b) => {
                prop(a, visit);
                prop(b, visit);
            }
        }
    }
    for init in &test.init {
        if let Place::Memory(symbol) = &init.place {
            visit(symbol);
        }
        init.values.iter().for_each(|v| value(v, visit));
    }
    for function in test.threads.iter().filter_map(|t| t.function.as_ref()) {
        function.params.iter().for_each(&mut *visit);
    }
    for line in test.threads.iter().flat_map(|t| &t.lines) {
        if let LineKind::X86(instr) = &line.kind {
            let operands = instr.op.operands();
            operands.filter_map(Operand::symbol).for_each(&mut *visit);
        }
    }
    for place in &test.locations {
        if let Place::Memory(symbol) = place {
            visit(symbol);
        }
    }
    test.filter.iter().for_each(|p| prop(p, visit));
    prop(&test.condition.prop, visit);
}

//! A function: its blocks as labels, its registers as variables of C.
//!
//! A register is declared where it is computed. The value of a phi is assigned where control leaves for its
//! block, all phis of a block at once.

use super::build::{self, CType};
use super::module::ModuleTranslation;
use super::order;
use super::registers::Registers;
use super::stack::{self, StackKind};
use super::types::Translated;
use crate::front::c::ast::{BlockItem, Expr, ExprKind, IntKind, Item, Stmt, StmtKind};
use crate::front::llvm::ast::{Block, Function, Instruction, Op, Type, TypedOperand};
use base::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// The registers of a function.
#[derive(Default)]
pub(super) struct Known {
    /// The scalars of each.
    values: BTreeMap<String, Vec<Expr>>,
}

impl Registers for Known {
    fn register(&self, name: &str) -> Translated<Vec<Expr>> {
        let known = self.values.get(name).cloned();
        known.ok_or_else(|| format!("a use of `%{name}`, which does not come behind it,"))
    }
}

/// A function on its way to C.
pub(super) struct FunctionTranslation<'t, 'm> {
    pub(super) module: &'t mut ModuleTranslation<'m>,
    pub(super) f: &'t Function,
    pub(super) known: Known,
    pub(super) stack: BTreeMap<String, StackKind>,
    /// Registers that are the address of a part of an object on the stack.
    pub(super) parts: BTreeSet<String>,
    names: BTreeMap<String, String>,
    /// Objects of variable size, in the order of their allocations.
    pub(super) sized: Vec<String>,
    /// How many of them there were where the stack's height was saved to a register.
    pub(super) saved: BTreeMap<String, usize>,
    pub(super) items: Vec<BlockItem>,
    pub(super) span: Span,
    /// Of a function that is inlined.
    pub(super) inlined: Option<Inlined>,
}

/// Where a function is inlined.
pub(super) struct Inlined {
    /// What the names of its variables and labels have, so that they are its own.
    pub(super) prefix: String,
    /// The call.
    pub(super) span: Span,
    /// What it assigns the scalars to that it returns.
    pub(super) results: Vec<Expr>,
    /// How many calls are around it.
    pub(super) depth: usize,
}

/// The definition of a function.
pub(super) fn definition(module: &mut ModuleTranslation<'_>, f: &Function) -> Item {
    let span = module.debug.function(f);
    let mut translation = FunctionTranslation::new(module, f, span);
    let body = match translation.parameters().and_then(|()| translation.body()) {
        Ok(()) => translation.items,
        Err(why) => refused(why, span),
    };
    let refuse = |module: &mut ModuleTranslation<'_>, why: String| {
        let plain = Function {
            ret: Type::Void,
            params: Vec::new(),
            ..f.clone()
        };
        module.c_function(&plain, refused(why, span), span)
    };
    let made = module.c_function(f, body, span);
    let made = made.or_else(|why| refuse(module, why));
    match made {
        Ok(function) => Item::Function(function),
        // A function without parameters and result has a type in C.
        Err(_) => unreachable!("`void f(void)` is a type"),
    }
}

/// What a function does that is not supported as a whole.
fn refused(why: String, span: Span) -> Vec<BlockItem> {
    let e = build::unsupported(why, span);
    vec![BlockItem::Stmt(build::statement(e))]
}

impl<'t, 'm> FunctionTranslation<'t, 'm> {
    pub(super) fn new(
        module: &'t mut ModuleTranslation<'m>,
        f: &'t Function,
        span: Span,
    ) -> FunctionTranslation<'t, 'm> {
        FunctionTranslation {
            stack: stack::kinds(f),
            names: stack::names(f, module.module, &|name| module.is_global(name)),
            module,
            f,
            known: Known::default(),
            parts: BTreeSet::new(),
            sized: Vec::new(),
            saved: BTreeMap::new(),
            items: Vec::new(),
            span,
            inlined: None,
        }
    }

    /// The blocks, whose parameters are known.
    pub(super) fn body(&mut self) -> Translated<()> {
        let order = order::blocks(self.f);
        let blocks: Vec<&'t Block> = order.iter().map(|i| &self.f.blocks[*i]).collect();
        self.marked_objects()?;
        for block in &blocks {
            self.phis(block)?;
        }
        for (i, block) in blocks.iter().enumerate() {
            if i > 0 {
                let label = build::label(&self.label(&block.label), block.span);
                self.push(label);
            }
            for instruction in &block.instructions {
                self.span = match &self.inlined {
                    Some(inlined) => inlined.span,
                    None => self.module.debug.place(instruction.debug, instruction.span),
                };
                if let Err(why) = self.instruction(block, instruction) {
                    self.refuse(instruction, why)?;
                }
            }
        }
        Ok(())
    }

    /// An instruction that is not supported where it is reached; its value is needed by what follows.
    fn refuse(&mut self, instruction: &Instruction, why: String) -> Translated<()> {
        let e = build::unsupported(why, self.span);
        self.push(build::statement(e));
        if instruction.result.is_some() {
            // Nothing behind it is reached, so that any value will do where its type is known.
            let ty = self.type_of(instruction);
            let leaves = ty.and_then(|ty| self.module.types.leaves(&ty));
            let zeros = leaves.and_then(|leaves| {
                let zero = |ty| {
                    let value = TypedOperand {
                        ty,
                        kind: crate::front::llvm::ast::ValueKind::Zero,
                        span: instruction.span,
                    };
                    self.module.scalar(&value, &self.known, self.span)
                };
                leaves.into_iter().map(zero).collect::<Translated<Vec<_>>>()
            });
            let zero = || vec![build::int(0, IntKind::Int, self.span)];
            self.keep(instruction, zeros.unwrap_or_else(|_| zero()));
        }
        Ok(())
    }

    pub(super) fn parameters(&mut self) -> Translated<()> {
        let span = self.span;
        for p in &self.f.params {
            let name = format!("%{}", p.name);
            let place = build::name(&name, span);
            let values = if let Some(of) = &p.by_value {
                let c = self.module.types.c(of)?;
                let copy = format!("{name}.copy");
                let value = build::at(place, &c, false);
                self.items.push(build::local(&c, &copy, Some(value), span));
                vec![build::cast(&CType::pointer(), build::address(&copy, span))]
            } else if self.module.types.is_aggregate(&p.ty) {
                let ty = self.module.returned(&p.ty);
                self.parts(&ty, place)?
            } else if self.f.name == "main" && !self.module.has_arguments {
                let zero = TypedOperand {
                    ty: p.ty.clone(),
                    kind: crate::front::llvm::ast::ValueKind::Zero,
                    span,
                };
                vec![self.scalar(&zero)?]
            } else if self.f.name == "main" {
                // Its parameters have the types that C gives them.
                let c = self.module.types.c(&p.ty)?;
                let own = format!("{name}.argument");
                let value = Some(build::cast(&c, place));
                self.items.push(build::local(&c, &own, value, span));
                vec![build::name(&own, span)]
            } else {
                vec![place]
            };
            self.known.values.insert(p.name.clone(), values);
        }
        Ok(())
    }

    /// The scalars of an object of C, in the order of memory.
    pub(super) fn parts(&mut self, ty: &Type, place: Expr) -> Translated<Vec<Expr>> {
        // The structure is declared before its members have names.
        self.module.types.c(ty)?;
        let resolved = self.module.types.resolve(ty)?.clone();
        match &resolved {
            Type::Struct { fields, .. } => {
                let mut all = Vec::new();
                for (i, field) in fields.iter().enumerate() {
                    let member = self.module.types.member(ty, i)?;
                    let part = build::member(place.clone(), &member);
                    all.extend(self.parts(field, part)?);
                }
                Ok(all)
            }
            Type::Array(count, elem) => {
                let mut all = Vec::new();
                for i in 0..*count {
                    let part = build::element(place.clone(), i);
                    all.extend(self.parts(elem, part)?);
                }
                Ok(all)
            }
            _ => Ok(vec![place]),
        }
    }

    /// Objects whose life is marked have their names from the beginning; none of them lives yet.
    fn marked_objects(&mut self) -> Translated<()> {
        let mut declared = Vec::new();
        for i in self.f.blocks.iter().flat_map(|b| &b.instructions) {
            let (Some(name), Op::Alloca { ty, count, align }) = (&i.result, &i.op) else {
                continue;
            };
            if self.stack.get(name) != Some(&StackKind::Marked) {
                continue;
            }
            if count.is_some() {
                self.stack.insert(name.clone(), StackKind::Object);
                continue;
            }
            let span = self.module.debug.place(i.debug, i.span);
            declared.push(self.object(name, ty, *align, span)?);
        }
        if declared.is_empty() {
            return Ok(());
        }
        let over = &self.label("(begin)");
        self.push(build::goto(over, self.span));
        self.items.extend(declared);
        self.push(build::label(over, self.span));
        Ok(())
    }

    /// The declaration of an object on the stack, which its register is the address of from now on.
    pub(super) fn object(
        &mut self,
        name: &str,
        ty: &Type,
        align: Option<u64>,
        span: Span,
    ) -> Translated<BlockItem> {
        let c = self.module.types.c(ty)?;
        let variable = self.variable(name);
        let address = build::cast(&CType::pointer(), build::address(&variable, span));
        self.known.values.insert(name.to_string(), vec![address]);
        let natural = self.module.types.space(ty)?.align;
        let mut item = build::local(&c, &variable, None, span);
        if let (BlockItem::Declaration(d), Some(align)) = (&mut item, align)
            && align > natural
        {
            d.declarators[0].align.push(build::alignment(align, span));
        }
        Ok(item)
    }

    /// The name in C of a register or of an object on the stack, which is that of the program where it is known.
    pub(super) fn variable(&self, register: &str) -> String {
        let prefix = self.prefix();
        match self.names.get(register) {
            Some(name) if prefix.is_empty() => name.clone(),
            Some(name) => format!("{name}%{prefix}{register}"),
            None => format!("%{prefix}{register}"),
        }
    }

    fn prefix(&self) -> &str {
        self.inlined.as_ref().map_or("", |i| i.prefix.as_str())
    }

    /// The name of a label in C.
    pub(super) fn label(&self, name: &str) -> String {
        format!("%{}{name}", self.prefix())
    }

    /// Phis are variables from the beginning.
    fn phis(&mut self, block: &'t Block) -> Translated<()> {
        for i in &block.instructions {
            let (Some(name), Op::Phi(ty, _)) = (&i.result, &i.op) else {
                continue;
            };
            let span = self.module.debug.place(i.debug, i.span);
            let mut places = Vec::new();
            for (n, leaf) in self.module.types.leaves(ty)?.iter().enumerate() {
                let c = self.module.types.c(leaf)?;
                let variable = format!("{}.{n}", self.variable(name));
                let zero = TypedOperand {
                    ty: leaf.clone(),
                    kind: crate::front::llvm::ast::ValueKind::Zero,
                    span,
                };
                // It is assigned before it is read.
                let zero = self.module.scalar(&zero, &self.known, span)?;
                self.items
                    .push(build::local(&c, &variable, Some(zero), span));
                places.push(build::name(&variable, span));
            }
            self.known.values.insert(name.clone(), places);
        }
        Ok(())
    }

    /// What happens where control goes from one block to another.
    pub(super) fn jump(&mut self, from: &Block, to: &str) -> Translated<Vec<Stmt>> {
        let span = self.span;
        let blocks = &self.f.blocks;
        let target = blocks.iter().find(|b| b.label == to);
        let target = target.ok_or_else(|| format!("a jump to `%{to}`, which is no block,"))?;
        let mut assigned = Vec::new();
        for i in &target.instructions {
            let (Some(name), Op::Phi(ty, incoming)) = (&i.result, &i.op) else {
                continue;
            };
            let value = incoming.iter().find(|(_, label)| *label == from.label);
            let (value, _) =
                value.ok_or_else(|| format!("a phi without a value for `%{}`", from.label))?;
            let places = self.known.register(name)?;
            let types = self.module.types.leaves(ty)?;
            let values = self.module.leaves(value, &self.known, span)?;
            for ((place, ty), value) in places.into_iter().zip(types).zip(values) {
                if place != value {
                    assigned.push((place, self.module.types.c(&ty)?, value));
                }
            }
        }
        // A value may be that of another phi of the block, before it is assigned.
        let uses = |(n, (_, _, value)): (usize, &(Expr, CType, Expr))| match value.kind {
            ExprKind::Ident(_) => assigned[..n].iter().any(|(place, ..)| place == value),
            ExprKind::Int(..) | ExprKind::Float(..) => false,
            _ => n > 0,
        };
        let at_once = assigned.iter().enumerate().any(uses);
        let mut statements = Vec::new();
        if at_once {
            let mut copies = Vec::new();
            for (n, (place, c, value)) in assigned.into_iter().enumerate() {
                let copy = format!("{}.{n}.{to}", self.label(&from.label));
                // The copy is declared once for each way into the block.
                self.items.push(build::local(&c, &copy, Some(value), span));
                copies.push((place, build::name(&copy, span)));
            }
            for (place, copy) in copies {
                statements.push(build::statement(build::assignment(place, copy, span)));
            }
        } else {
            for (place, _, value) in assigned {
                statements.push(build::statement(build::assignment(place, value, span)));
            }
        }
        statements.push(build::goto(&self.label(to), span));
        Ok(statements)
    }

    /// Notes the scalars of the value of an instruction, which are cheap to repeat.
    pub(super) fn keep(&mut self, instruction: &Instruction, values: Vec<Expr>) {
        if let Some(name) = &instruction.result {
            self.known.values.insert(name.clone(), values);
        }
    }

    /// Declares the variable of an instruction's scalar value.
    pub(super) fn define(
        &mut self,
        instruction: &Instruction,
        ty: &Type,
        value: Expr,
    ) -> Translated<()> {
        let Some(name) = &instruction.result else {
            self.push(build::statement(value));
            return Ok(());
        };
        let c = self.module.types.c(ty)?;
        let variable = self.variable(name);
        let item = build::local(&c, &variable, Some(value), self.span);
        self.items.push(item);
        let place = vec![build::name(&variable, self.span)];
        self.known.values.insert(name.clone(), place);
        Ok(())
    }

    pub(super) fn push(&mut self, statement: Stmt) {
        self.items.push(BlockItem::Stmt(statement));
    }

    pub(super) fn scalar(&mut self, v: &TypedOperand) -> Translated<Expr> {
        self.module.scalar(v, &self.known, self.span)
    }

    pub(super) fn leaves(&mut self, v: &TypedOperand) -> Translated<Vec<Expr>> {
        self.module.leaves(v, &self.known, self.span)
    }

    /// Notes the scalars of a parameter.
    pub(super) fn bind(&mut self, parameter: &str, values: Vec<Expr>) {
        self.known.values.insert(parameter.to_string(), values);
    }

    /// Leaves a function that is inlined.
    pub(super) fn leave(&mut self, v: Option<&TypedOperand>) -> Translated<()> {
        let span = self.span;
        let values = v.map(|v| self.leaves(v)).transpose()?.unwrap_or_default();
        let results = self.inlined.as_ref().map_or(&[][..], |i| &i.results);
        let pairs: Vec<(Expr, Expr)> = results.iter().cloned().zip(values).collect();
        for (place, value) in pairs {
            self.push(build::statement(build::assignment(place, value, span)));
        }
        let end = self.label("(end)");
        self.push(build::goto(&end, span));
        Ok(())
    }

    /// `return value;`
    pub(super) fn returned(&mut self, v: &TypedOperand) -> Translated<Stmt> {
        let span = self.span;
        if !self.module.types.is_aggregate(&v.ty) {
            let value = self.scalar(v)?;
            return Ok(build::returns(Some(value), span));
        }
        let leaves = self.leaves(v)?;
        let ty = self.module.returned(&v.ty);
        let c = self.module.types.c(&ty)?;
        Ok(build::returns(
            Some(build::compound(&c, leaves, span)),
            span,
        ))
    }
}

/// Statements as one.
pub(super) fn block(statements: Vec<Stmt>, span: Span) -> Stmt {
    let items = statements.into_iter().map(BlockItem::Stmt).collect();
    Stmt {
        span,
        kind: StmtKind::Block(items),
    }
}

//! Small functions of libraries, where they are called: what they do is at the call, as steps of an execution are for
//! those who read the program and not its library.
//!
//! A function is inlined that stands in a file of the system, has no loop, and is small; up to a depth and a size, so that
//! recursive ones end.

use super::build;
use super::function::{FunctionTranslation, Inlined};
use super::order;
use super::stack::StackKind;
use super::types::Translated;
use crate::front::c::ast::Expr;
use crate::front::llvm::ast::{Call, Function, Instruction, Op, Type, TypedOperand, ValueKind};
use std::collections::BTreeMap;

/// How many instructions a function has that is inlined.
const MAX_INSTRUCTIONS: usize = 60;
/// How many calls are around one that is inlined.
const MAX_DEPTH: usize = 16;
/// How many instructions are inlined in a function.
const MAX_INLINED: usize = 4000;

/// Whether a function may be inlined, wherever it stands.
pub(super) fn is_small(f: &Function) -> bool {
    // Where an exception would go is not translated, and does not count.
    let reached = order::blocks(f).into_iter().map(|block| &f.blocks[block]);
    let all: Vec<&Instruction> = reached.flat_map(|b| &b.instructions).collect();
    let unfit = |op: &Op| matches!(op, Op::VaArg(..));
    !f.blocks.is_empty()
        && !f.variadic
        && f.params.iter().all(|p| p.by_value.is_none())
        && all.len() <= MAX_INSTRUCTIONS
        && !all.iter().any(|i| unfit(&i.op))
        && !has_loop(f)
}

fn has_loop(f: &Function) -> bool {
    let order = order::blocks(f);
    let place: BTreeMap<&str, usize> = order
        .iter()
        .enumerate()
        .map(|(at, block)| (f.blocks[*block].label.as_str(), at))
        .collect();
    order.iter().enumerate().any(|(at, block)| {
        let last = f.blocks[*block].instructions.last();
        let next = last.map_or(Vec::new(), |i| order::successors(&i.op));
        next.iter()
            .any(|to| place.get(to).is_some_and(|to| *to <= at))
    })
}

impl<'t, 'm> FunctionTranslation<'t, 'm> {
    /// The function that a call inlines.
    pub(super) fn to_inline(&self, name: &str) -> Option<&'m Function> {
        let f = self.module.function(name)?;
        let depth = self.inlined.as_ref().map_or(0, |i| i.depth);
        let fits = depth < MAX_DEPTH && self.items.len() < MAX_INLINED;
        (fits && self.module.is_inlined(name)).then_some(f)
    }

    /// Inlines a call.
    pub(super) fn inline(
        &mut self,
        i: &Instruction,
        call: &Call,
        f: &'m Function,
    ) -> Translated<()> {
        let span = self.span;
        // A dot would make the register 0 the first part of a value that has the number of the call.
        let prefix = format!("{}:", self.module.next_inlined());
        let mut results = Vec::new();
        if f.ret != Type::Void {
            for (n, ty) in self.module.types.leaves(&f.ret)?.iter().enumerate() {
                let zero = TypedOperand {
                    ty: ty.clone(),
                    kind: ValueKind::Zero,
                    span,
                };
                let zero = self.scalar(&zero)?;
                let c = self.module.types.c(ty)?;
                let variable = format!("%{prefix}result.{n}");
                self.items
                    .push(build::local(&c, &variable, Some(zero), span));
                results.push(build::name(&variable, span));
            }
        }
        let args = call.args.iter().map(|arg| self.leaves(&arg.value));
        let args = args.collect::<Translated<Vec<Vec<Expr>>>>()?;
        let depth = self.inlined.as_ref().map_or(0, |i| i.depth) + 1;
        let items = std::mem::take(&mut self.items);
        let mut callee = FunctionTranslation::new(&mut *self.module, f, span);
        callee.items = items;
        callee.inlined = Some(Inlined {
            prefix,
            span,
            results: results.clone(),
            depth,
        });
        for (n, (p, values)) in f.params.iter().zip(args).enumerate() {
            // An argument may be a variable that changes where its value is a phi's.
            let types = callee.module.types.leaves(&p.ty)?;
            let mut own = Vec::new();
            for (k, (value, ty)) in values.into_iter().zip(&types).enumerate() {
                let c = callee.module.types.c(ty)?;
                let variable = callee.label(&format!("argument.{n}.{k}"));
                callee
                    .items
                    .push(build::local(&c, &variable, Some(value), span));
                own.push(build::name(&variable, span));
            }
            callee.bind(&p.name, own);
        }
        let done = callee.body();
        // Those of computed size are known by their pointers.
        let sized = std::mem::take(&mut callee.sized);
        let objects = callee.stack.iter();
        let objects = objects.filter(|(_, kind)| **kind == StackKind::Object);
        let objects = objects.map(|(name, _)| callee.variable(name));
        let objects: Vec<String> = objects.filter(|name| !sized.contains(name)).collect();
        let end = callee.label("(end)");
        self.items = std::mem::take(&mut callee.items);
        done?;
        self.push(build::label(&end, span));
        for variable in objects {
            self.end_of(&variable);
        }
        for pointer in sized {
            self.end_of_sized(&pointer);
        }
        self.keep(i, results);
        Ok(())
    }
}

//! Objects on the stack (`alloca`): which of them are registers, and how the others are known.
//!
//! A scalar of which every use is a plain load or store of its own type is a variable whose address is not taken
//! (Cytron et al., "Efficiently Computing Static Single Assignment Form", without the phis, which the lowering of
//! C needs none of). Every other one is an object. Where the module says when its life begins
//! and ends (`llvm.lifetime`), it begins and ends there.

use crate::front::llvm::ast::{
    Argument, CastOp, Function, MetadataValue, Module, Op, Type, TypedOperand, ValueKind,
};
use std::collections::{BTreeMap, BTreeSet};

/// What an `alloca` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StackKind {
    /// A variable without an address.
    Variable,
    /// One that begins where the mark says, once for each time that it is reached.
    MarkedVariable,
    /// An object from its `alloca` to the end of the function.
    Object,
    /// An object that lives as the marks say.
    Marked,
}

/// The kinds of all objects on the stack of a function, by the names of their registers.
pub(super) fn kinds(f: &Function) -> BTreeMap<String, StackKind> {
    let instructions = || f.blocks.iter().flat_map(|b| &b.instructions);
    let mut kinds = BTreeMap::new();
    let mut types: BTreeMap<&str, &Type> = BTreeMap::new();
    for i in instructions() {
        if let (Some(name), Op::Alloca { ty, count, .. }) = (&i.result, &i.op) {
            let is_scalar = matches!(ty, Type::Int(_) | Type::Float(_) | Type::Pointer(_));
            let kind = match is_scalar && count.is_none() {
                true => StackKind::Variable,
                false => StackKind::Object,
            };
            kinds.insert(name.clone(), kind);
            types.insert(name, ty);
        }
    }
    let (marked, for_marks) = (marked(f), for_marks(f));
    for i in instructions() {
        let mut taken: Vec<&TypedOperand> = Vec::new();
        match &i.op {
            Op::Load {
                ty,
                pointer,
                atomic,
                volatile,
                ..
            } => {
                let is_whole = local(pointer).and_then(|p| types.get(p)) == Some(&ty);
                if !is_whole || atomic.is_some() || *volatile {
                    taken.push(pointer);
                }
            }
            Op::Store {
                value,
                pointer,
                atomic,
                volatile,
                ..
            } => {
                let is_whole = local(pointer).and_then(|p| types.get(p)) == Some(&&value.ty);
                if !is_whole || atomic.is_some() || *volatile {
                    taken.push(pointer);
                }
                taken.push(value);
            }
            Op::Call(call) if is_debug(&call.callee) => {}
            // What is for marks alone takes no address.
            op if mark(op).is_some() => {}
            Op::Cast(..) if i.result.as_deref().is_some_and(|r| for_marks.contains(r)) => {}
            op => operands(op, &mut |v| taken.push(v)),
        }
        for name in taken.into_iter().filter_map(local) {
            if let Some(kind @ StackKind::Variable) = kinds.get_mut(name) {
                *kind = StackKind::Object;
            }
        }
    }
    for (name, kind) in &mut kinds {
        match marked.get(name.as_str()) {
            Some(1) if *kind == StackKind::Variable => *kind = StackKind::MarkedVariable,
            Some(_) if *kind == StackKind::Object => *kind = StackKind::Marked,
            _ => {}
        }
    }
    kinds
}

/// Those with marks of a beginning and of an end: how many beginnings there are.
fn marked(f: &Function) -> BTreeMap<&str, usize> {
    let mut begins: BTreeMap<&str, usize> = BTreeMap::new();
    let mut ends = BTreeSet::new();
    let aliases = aliases(f);
    for i in f.blocks.iter().flat_map(|b| &b.instructions) {
        match mark(&i.op) {
            Some((Mark::Begin, pointer)) => {
                if let Some(name) = object(pointer, &aliases) {
                    *begins.entry(name).or_default() += 1;
                }
            }
            Some((Mark::End, pointer)) => ends.extend(object(pointer, &aliases)),
            None => {}
        }
    }
    begins.retain(|name, _| ends.contains(name));
    begins
}

/// The type of an object on the stack.
pub(super) fn allocated<'f>(f: &'f Function, register: &str) -> Option<&'f Type> {
    let mut all = f.blocks.iter().flat_map(|b| &b.instructions);
    all.find_map(|i| match &i.op {
        Op::Alloca { ty, .. } if i.result.as_deref() == Some(register) => Some(ty),
        _ => None,
    })
}

/// Registers that only marks use.
fn for_marks(f: &Function) -> BTreeSet<&str> {
    let (mut by_marks, mut by_others) = (BTreeSet::new(), BTreeSet::new());
    for i in f.blocks.iter().flat_map(|b| &b.instructions) {
        match mark(&i.op) {
            Some((_, pointer)) => by_marks.extend(local(pointer)),
            None => operands(&i.op, &mut |v| by_others.extend(local(v))),
        }
    }
    by_marks.retain(|name| !by_others.contains(name));
    by_marks
}

/// A mark of the life of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Begin,
    End,
}

/// The mark that an instruction is, and of what.
pub(super) fn mark(op: &Op) -> Option<(Mark, &TypedOperand)> {
    let Op::Call(call) = op else { return None };
    let ValueKind::Global(name) = &call.callee.kind else {
        return None;
    };
    let mark = match name.as_str() {
        n if n.starts_with("llvm.lifetime.start") => Mark::Begin,
        n if n.starts_with("llvm.lifetime.end") => Mark::End,
        _ => return None,
    };
    call.args.last().map(|arg: &Argument| (mark, &arg.value))
}

/// Registers that are another one with another type of pointer, or the address of its first part.
pub(super) fn aliases(f: &Function) -> BTreeMap<&str, &str> {
    let mut aliases = BTreeMap::new();
    for i in f.blocks.iter().flat_map(|b| &b.instructions) {
        let of = match &i.op {
            Op::Cast(CastOp::BitCast, _, v, Type::Pointer(_)) => local(v),
            Op::ElementPointer(gep) if gep.indices.iter().all(is_zero) => local(&gep.base),
            _ => None,
        };
        if let (Some(name), Some(of)) = (&i.result, of) {
            aliases.insert(name.as_str(), of);
        }
    }
    aliases
}

fn is_zero(index: &TypedOperand) -> bool {
    matches!(index.kind, ValueKind::Int(0) | ValueKind::Zero)
}

/// The register that a pointer is.
pub(super) fn object<'v>(
    pointer: &'v TypedOperand,
    aliases: &BTreeMap<&'v str, &'v str>,
) -> Option<&'v str> {
    let mut name = local(pointer)?;
    for _ in 0..aliases.len() {
        match aliases.get(name) {
            Some(of) => name = of,
            None => break,
        }
    }
    Some(name)
}

pub(super) fn local(v: &TypedOperand) -> Option<&str> {
    match &v.kind {
        ValueKind::Local(name) => Some(name),
        _ => None,
    }
}

fn is_debug(callee: &TypedOperand) -> bool {
    matches!(&callee.kind, ValueKind::Global(name) if name.starts_with("llvm.dbg."))
}

/// The operands of an instruction.
pub(super) fn operands<'o>(op: &'o Op, see: &mut impl FnMut(&'o TypedOperand)) {
    match op {
        Op::Return(v) => v.iter().for_each(see),
        Op::Branch(_) | Op::Unreachable | Op::LandingPad(_) | Op::Fence(_) => {}
        Op::ConditionalBranch(v, ..)
        | Op::Resume(v)
        | Op::FNeg(v)
        | Op::ExtractValue(v, _)
        | Op::Freeze(v)
        | Op::VaArg(v, _)
        | Op::Cast(_, _, v, _) => see(v),
        Op::Switch { value, .. } => see(value),
        Op::Invoke { call, .. } | Op::Call(call) => {
            see(&call.callee);
            call.args.iter().for_each(|arg| see(&arg.value));
        }
        Op::Binary(_, _, a, b)
        | Op::InsertValue(a, b, _)
        | Op::IntCompare(_, a, b)
        | Op::FloatCompare(_, a, b) => {
            see(a);
            see(b);
        }
        Op::Alloca { count, .. } => count.iter().for_each(see),
        Op::Load { pointer, .. } => see(pointer),
        Op::Store { value, pointer, .. } => {
            see(value);
            see(pointer);
        }
        Op::CompareExchange {
            pointer,
            expected,
            new,
            ..
        } => {
            see(pointer);
            see(expected);
            see(new);
        }
        Op::Rmw { pointer, value, .. } => {
            see(pointer);
            see(value);
        }
        Op::ElementPointer(gep) => {
            see(&gep.base);
            gep.indices.iter().for_each(see);
        }
        Op::Phi(_, incoming) => incoming.iter().for_each(|(v, _)| see(v)),
        Op::Select(c, a, b) => {
            see(c);
            see(a);
            see(b);
        }
        Op::Unsupported(_) => {}
    }
}

/// The names that the program gives to objects on the stack: where several have one, or a global has it, the
/// register stands behind it.
pub(super) fn names(
    f: &Function,
    module: &Module,
    is_global: &dyn Fn(&str) -> bool,
) -> BTreeMap<String, String> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for i in f.blocks.iter().flat_map(|b| &b.instructions) {
        let Op::Call(call) = &i.op else { continue };
        if !is_debug(&call.callee) {
            continue;
        }
        let metadata = |index: usize| match &call.args.get(index)?.value.kind {
            ValueKind::Metadata(value) => Some(value),
            _ => None,
        };
        let (Some(MetadataValue::Value(v)), Some(MetadataValue::Node(id))) =
            (metadata(0), metadata(1))
        else {
            continue;
        };
        let variable = module.metadata.get(id).and_then(|node| node.field("name"));
        if let (Some(register), Some(MetadataValue::String(name))) = (local(v), variable) {
            names.entry(register.to_string()).or_insert(name.clone());
        }
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for name in names.values() {
        *counts.entry(name.clone()).or_default() += 1;
    }
    for (register, name) in &mut names {
        if counts[name] > 1 || is_global(name) {
            *name = format!("{name}%{register}");
        }
    }
    names
}

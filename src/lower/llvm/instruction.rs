//! Instructions, one by one.

use super::build::{self, CType};
use super::composed::is_composed;
use super::function::{FunctionTranslation, block};
use super::stack::{self, StackKind};
use super::types::Translated;
use crate::front::c::ast::{BinaryOp, Expr, IntKind, Stmt};
use crate::front::llvm::ast::{
    Atomic, Block, CastOp, ElementPointer, FloatKind, Instruction, Op, Ordering, RmwOp, Type,
    TypedOperand,
};

/// The number that the builtins of C know an order by.
fn order_number(ordering: Ordering) -> Translated<u64> {
    match ordering {
        Ordering::Unordered => Err("an `unordered` access".to_string()),
        Ordering::Monotonic => Ok(0),
        Ordering::Acquire => Ok(2),
        Ordering::Release => Ok(3),
        Ordering::AcqRel => Ok(4),
        Ordering::SeqCst => Ok(5),
    }
}

impl<'t> FunctionTranslation<'t, '_> {
    /// An instruction of a block.
    pub(super) fn instruction(&mut self, from: &'t Block, i: &'t Instruction) -> Translated<()> {
        let span = self.span;
        match &i.op {
            Op::Phi(..) => Ok(()),
            Op::Return(v) if self.inlined.is_some() => self.leave(v.as_ref()),
            Op::Return(None) => {
                self.push(build::returns(None, span));
                Ok(())
            }
            Op::Return(Some(v)) => {
                let statement = self.returned(v)?;
                self.push(statement);
                Ok(())
            }
            Op::Branch(to) => {
                let jump = self.jump(from, to)?;
                jump.into_iter().for_each(|s| self.push(s));
                Ok(())
            }
            Op::ConditionalBranch(c, then, otherwise) => {
                let c = self.scalar(c)?;
                let taken = self.jump(from, then)?;
                let rest = match then == otherwise {
                    true => taken,
                    false => {
                        let rest = self.jump(from, otherwise)?;
                        self.push(build::when(c, taken));
                        rest
                    }
                };
                rest.into_iter().for_each(|s| self.push(s));
                Ok(())
            }
            Op::Switch {
                value,
                default,
                cases,
            } => self.switch(from, value, default, cases),
            Op::Unreachable => {
                let e = build::call("__builtin_unreachable", Vec::new(), span);
                self.push(build::statement(e));
                Ok(())
            }
            Op::Invoke { call, normal, .. } => {
                self.call(i, call)?;
                let jump = self.jump(from, normal)?;
                jump.into_iter().for_each(|s| self.push(s));
                Ok(())
            }
            Op::Call(call) => self.call(i, call),
            Op::LandingPad(_) | Op::Resume(_) => Err("a caught exception".to_string()),
            Op::Binary(op, flags, a, b) => {
                let ty = a.ty.clone();
                self.module.types.c(&ty)?;
                let (a, b) = (self.scalar(a)?, self.scalar(b)?);
                let e = self.module.operated(*op, *flags, a, b, &ty, span)?;
                self.define(i, &ty, e)
            }
            Op::FNeg(v) => {
                let ty = v.ty.clone();
                self.module.types.c(&ty)?;
                let e = self.scalar(v)?;
                let e = self.module.negated(e);
                self.define(i, &ty, e)
            }
            Op::ExtractValue(v, path) => {
                let leaves = self.leaves(v)?;
                let (at, ty) = self.module.types.leaf_of(&v.ty, path)?;
                let count = self.module.types.leaves(&ty)?.len();
                let part = leaves.get(at..at + count).ok_or("this `extractvalue`")?;
                self.keep(i, part.to_vec());
                Ok(())
            }
            Op::InsertValue(v, part, path) => {
                let mut leaves = self.leaves(v)?;
                let (at, ty) = self.module.types.leaf_of(&v.ty, path)?;
                let count = self.module.types.leaves(&ty)?.len();
                let part = self.leaves(part)?;
                if part.len() != count || at + count > leaves.len() {
                    return Err("this `insertvalue`".to_string());
                }
                leaves.splice(at..at + count, part);
                self.keep(i, leaves);
                Ok(())
            }
            Op::Alloca { ty, count, align } => {
                let is_first = from.label == self.f.blocks[0].label;
                self.alloca(i, (ty, count.as_ref()), *align, is_first)
            }
            Op::Load {
                ty,
                pointer,
                atomic,
                volatile,
                ..
            } => self.load(i, ty, pointer, atomic.as_ref(), *volatile),
            Op::Store {
                value,
                pointer,
                atomic,
                volatile,
                ..
            } => self.store(value, pointer, atomic.as_ref(), *volatile),
            Op::Fence(atomic) => {
                let function = match self.is_of_one_thread(atomic)? {
                    true => "__atomic_signal_fence",
                    false => "__atomic_thread_fence",
                };
                let order = self.order(atomic.ordering)?;
                self.push(build::statement(build::call(function, vec![order], span)));
                Ok(())
            }
            Op::CompareExchange { .. } => self.compare_exchange(i),
            Op::Rmw {
                op,
                pointer,
                value,
                atomic,
                ..
            } => self.rmw(i, *op, pointer, value, atomic),
            Op::ElementPointer(gep) => self.element_pointer(i, gep),
            Op::Cast(op, _, v, to) => self.cast(i, *op, v, to),
            Op::IntCompare(predicate, a, b) => {
                let ty = a.ty.clone();
                let (a, b) = (self.scalar(a)?, self.scalar(b)?);
                let e = self.module.compared(*predicate, a, b, &ty, span)?;
                self.define(i, &Type::Int(1), e)
            }
            Op::FloatCompare(predicate, a, b) => {
                self.module.types.c(&a.ty)?;
                let (a, b) = (self.scalar(a)?, self.scalar(b)?);
                let e = self.module.numbers_compared(*predicate, &a, &b, span)?;
                self.define(i, &Type::Int(1), e)
            }
            Op::Select(c, a, b) => self.select(i, c, a, b),
            Op::Freeze(v) => {
                let leaves = self.leaves(v)?;
                match &leaves[..] {
                    [one] => self.define(i, &v.ty.clone(), one.clone()),
                    _ => {
                        self.keep(i, leaves);
                        Ok(())
                    }
                }
            }
            Op::VaArg(..) => Err("`va_arg`".to_string()),
            Op::Unsupported(name) => Err(format!("the instruction `{name}`")),
        }
    }

    /// The type of the value of an instruction.
    pub(super) fn type_of(&self, i: &Instruction) -> Translated<Type> {
        Ok(match &i.op {
            Op::Invoke { call, .. } | Op::Call(call) => call.ty.ret.clone(),
            Op::Binary(_, _, v, _) | Op::FNeg(v) | Op::Freeze(v) | Op::Select(_, v, _) => {
                v.ty.clone()
            }
            Op::InsertValue(v, ..) => v.ty.clone(),
            Op::ExtractValue(v, path) => self.module.types.leaf_of(&v.ty, path)?.1,
            Op::Load { ty, .. } | Op::Phi(ty, _) | Op::LandingPad(ty) | Op::VaArg(_, ty) => {
                ty.clone()
            }
            Op::CompareExchange { new, .. } => Type::Struct {
                packed: false,
                fields: vec![new.ty.clone(), Type::Int(1)],
            },
            Op::Rmw { value, .. } => value.ty.clone(),
            Op::Alloca { .. } | Op::ElementPointer(_) => Type::Pointer(None),
            Op::Cast(_, _, _, to) => to.clone(),
            Op::IntCompare(..) | Op::FloatCompare(..) => Type::Int(1),
            _ => return Err("a value of no type".to_string()),
        })
    }

    fn switch(
        &mut self,
        from: &'t Block,
        value: &TypedOperand,
        default: &str,
        cases: &[(TypedOperand, String)],
    ) -> Translated<()> {
        let ty = value.ty.clone();
        let value = self.scalar(value)?;
        // The way into a block is prepared once.
        let mut ways: Vec<(&str, Vec<Stmt>)> = Vec::new();
        for to in cases.iter().map(|(_, to)| to.as_str()).chain([default]) {
            if !ways.iter().any(|(known, _)| *known == to) {
                let way = self.jump(from, to)?;
                ways.push((to, way));
            }
        }
        let way = |to: &str| {
            let found = ways.iter().find(|(known, _)| *known == to);
            found.map_or(Vec::new(), |(_, way)| way.clone())
        };
        for (case, to) in cases {
            let case = self.scalar(case)?;
            let equal = crate::front::llvm::ast::IntPredicate::Eq;
            let condition = self
                .module
                .compared(equal, value.clone(), case, &ty, self.span)?;
            self.push(build::when(condition, way(to)));
        }
        let rest = block(way(default), self.span);
        self.push(rest);
        Ok(())
    }

    fn alloca(
        &mut self,
        i: &Instruction,
        (ty, count): (&Type, Option<&TypedOperand>),
        align: Option<u64>,
        is_first: bool,
    ) -> Translated<()> {
        let Some(name) = &i.result else { return Ok(()) };
        let span = self.span;
        match self.stack.get(name) {
            // It has been declared, or will be.
            Some(StackKind::Marked | StackKind::MarkedVariable) => Ok(()),
            Some(StackKind::Variable) => {
                let c = self.module.types.c(ty)?;
                let variable = self.variable(name);
                self.items.push(build::local(&c, &variable, None, span));
                Ok(())
            }
            _ if count.is_none() && is_first => {
                let item = self.object(name, ty, align, span)?;
                self.items.push(item);
                Ok(())
            }
            _ => self.sized(i, ty, count),
        }
    }

    /// An object whose size is computed, or which is there once for each time that it is reached: it lives until
    /// the stack is restored, or to the end of the function.
    fn sized(
        &mut self,
        i: &Instruction,
        ty: &Type,
        count: Option<&TypedOperand>,
    ) -> Translated<()> {
        let size = self.module.types.space(ty)?.size;
        let mut size = build::int(size, IntKind::ULong, self.span);
        if let Some(count) = count {
            let count = self.scalar(count)?;
            size = build::binary(BinaryOp::Mul, count, size, self.span);
        }
        let object = build::call("__builtin_alloca", vec![size], self.span);
        let c = self.module.types.c(ty)?;
        let typed = build::cast(&c.pointed(), object);
        let register = i.result.as_deref().unwrap_or_default();
        self.sized.push(self.variable(register));
        self.define(
            i,
            &Type::Pointer(None),
            build::cast(&CType::pointer(), typed),
        )
    }

    /// The variable that a pointer is the address of, where it is one without an address.
    fn stack_variable(&self, pointer: &TypedOperand) -> Option<Expr> {
        let name = stack::local(pointer)?;
        let kind = self.stack.get(name);
        let is_variable = matches!(kind, Some(StackKind::Variable | StackKind::MarkedVariable));
        is_variable.then(|| build::name(&self.variable(name), self.span))
    }

    /// The saved height of the stack goes through a variable.
    fn copy_saved(&mut self, from: Option<&str>, to: Option<&str>) {
        if let (Some(from), Some(to)) = (from, to)
            && let Some(height) = self.saved.get(from).copied()
        {
            self.saved.insert(to.to_string(), height);
        }
    }

    /// The scalars of a type in memory, with their offsets; those that no access has are refused.
    pub(super) fn pieces(&self, ty: &Type) -> Translated<Vec<(Type, u64)>> {
        let mut pieces = Vec::new();
        self.collect_pieces(ty, 0, &mut pieces)?;
        for (piece, _) in &pieces {
            if let Type::Int(bits) = piece
                && !matches!(bits, 1 | 8 | 16 | 32 | 64 | 128)
            {
                return Err(format!("an integer of {bits} bits in memory"));
            }
        }
        Ok(pieces)
    }

    fn collect_pieces(&self, ty: &Type, at: u64, pieces: &mut Vec<(Type, u64)>) -> Translated<()> {
        let types = &self.module.types;
        let count = match types.resolve(ty)? {
            Type::Struct { fields, .. } => fields.len() as u64,
            Type::Array(count, _) => *count,
            scalar => {
                types.space(scalar)?;
                pieces.push((scalar.clone(), at));
                return Ok(());
            }
        };
        (0..count).try_for_each(|i| {
            let (part, offset) = types.part(ty, i)?;
            self.collect_pieces(part, at + offset, pieces)
        })
    }

    /// The place of a piece of a value in memory.
    pub(super) fn piece_at(
        &mut self,
        pointer: Expr,
        ty: &Type,
        offset: u64,
        volatile: bool,
    ) -> Translated<Expr> {
        let c = match ty {
            // A truth value is a byte in memory.
            Type::Int(1) => CType::int(IntKind::UChar),
            ty => self.module.types.c(ty)?,
        };
        let place = match offset {
            0 => pointer,
            offset => build::behind(pointer, offset),
        };
        Ok(build::at(place, &c, volatile))
    }

    fn load(
        &mut self,
        i: &Instruction,
        ty: &Type,
        pointer: &TypedOperand,
        atomic: Option<&Atomic>,
        volatile: bool,
    ) -> Translated<()> {
        if let Some(variable) = self.stack_variable(pointer) {
            self.copy_saved(stack::local(pointer), i.result.as_deref());
            return self.define(i, ty, variable);
        }
        let address = self.scalar(pointer)?;
        if let Some(atomic) = atomic {
            self.is_of_all_threads(atomic)?;
            let order = self.order(atomic.ordering)?;
            let pointer = self.atomic_pointer(address, ty)?;
            let e = build::call("__atomic_load_n", vec![pointer, order], self.span);
            let e = self.number_of_bits(e, ty)?;
            return self.define(i, ty, e);
        }
        if let Type::Int(bits) = *ty
            && is_composed(bits)
        {
            return self.load_composed(i, bits, &address, volatile);
        }
        let pieces = self.pieces(ty)?;
        if let [(_, 0)] = pieces[..] {
            let place = self.piece_at(address, ty, 0, volatile)?;
            let e = match ty {
                Type::Int(1) => self.module.fitted(place, 1, self.span)?,
                _ => place,
            };
            return self.define(i, ty, e);
        }
        let mut values = Vec::new();
        for (n, (piece, offset)) in pieces.iter().enumerate() {
            let place = self.piece_at(address.clone(), piece, *offset, volatile)?;
            values.push(self.part_of(i, n, piece, place)?);
        }
        self.keep(i, values);
        Ok(())
    }

    /// A variable for one scalar of the value of an instruction.
    pub(super) fn part_of(
        &mut self,
        i: &Instruction,
        n: usize,
        ty: &Type,
        value: Expr,
    ) -> Translated<Expr> {
        let c = self.module.types.c(ty)?;
        let register = i.result.clone().unwrap_or_default();
        let variable = format!("{}.{n}", self.variable(&register));
        let item = build::local(&c, &variable, Some(value), self.span);
        self.items.push(item);
        Ok(build::name(&variable, self.span))
    }

    fn store(
        &mut self,
        value: &TypedOperand,
        pointer: &TypedOperand,
        atomic: Option<&Atomic>,
        volatile: bool,
    ) -> Translated<()> {
        let span = self.span;
        if let Some(variable) = self.stack_variable(pointer) {
            self.copy_saved(stack::local(value), stack::local(pointer));
            let value = self.scalar(value)?;
            self.push(build::statement(build::assignment(variable, value, span)));
            return Ok(());
        }
        let address = self.scalar(pointer)?;
        if let Some(atomic) = atomic {
            self.is_of_all_threads(atomic)?;
            let order = self.order(atomic.ordering)?;
            let pointer = self.atomic_pointer(address, &value.ty)?;
            let bits = self.scalar(value)?;
            let bits = self.bits_of(bits, &value.ty)?;
            let e = build::call("__atomic_store_n", vec![pointer, bits, order], span);
            self.push(build::statement(e));
            return Ok(());
        }
        if let Type::Int(bits) = value.ty
            && is_composed(bits)
        {
            let value = self.scalar(value)?;
            return self.store_composed(bits, &value, &address, volatile);
        }
        // Undefined bits may be those that are there.
        let pieces = self.pieces(&value.ty)?;
        let values = self.leaves(value)?;
        for ((piece, offset), value) in pieces.iter().zip(values) {
            let place = self.piece_at(address.clone(), piece, *offset, volatile)?;
            self.push(build::statement(build::assignment(place, value, span)));
        }
        Ok(())
    }

    fn order(&self, ordering: Ordering) -> Translated<Expr> {
        Ok(build::int(order_number(ordering)?, IntKind::Int, self.span))
    }

    /// An access that threads of other processors see as atomic.
    fn is_of_all_threads(&self, atomic: &Atomic) -> Translated<()> {
        match &atomic.scope {
            None => Ok(()),
            Some(scope) => Err(format!("`syncscope(\"{scope}\")` of an access")),
        }
    }

    fn is_of_one_thread(&self, atomic: &Atomic) -> Translated<bool> {
        match atomic.scope.as_deref() {
            None => Ok(false),
            Some("singlethread") => Ok(true),
            Some(scope) => Err(format!("`syncscope(\"{scope}\")` of a fence")),
        }
    }

    /// A pointer to what an atomic access is of: an integer, or a pointer.
    fn atomic_pointer(&mut self, address: Expr, ty: &Type) -> Translated<Expr> {
        let c = self.atomic_type(ty)?;
        Ok(build::cast(&c.pointed(), address))
    }

    fn atomic_type(&mut self, ty: &Type) -> Translated<CType> {
        match ty {
            Type::Int(1) => Ok(CType::int(IntKind::UChar)),
            Type::Int(8 | 16 | 32 | 64 | 128) | Type::Pointer(_) => self.module.types.c(ty),
            Type::Float(FloatKind::Float) => Ok(CType::int(IntKind::UInt)),
            Type::Float(FloatKind::Double) => Ok(CType::int(IntKind::ULong)),
            _ => Err("an atomic access of this type".to_string()),
        }
    }

    /// What an atomic access returns, as a value of its type.
    fn number_of_bits(&mut self, e: Expr, ty: &Type) -> Translated<Expr> {
        match ty {
            Type::Int(1) => self.module.fitted(e, 1, self.span),
            Type::Float(_) => Ok(build::call("__llvm_number_of_bits", vec![e], self.span)),
            _ => Ok(e),
        }
    }

    fn bits_of(&mut self, e: Expr, ty: &Type) -> Translated<Expr> {
        match ty {
            Type::Float(_) => Ok(build::call("__llvm_bits_of_number", vec![e], self.span)),
            _ => Ok(e),
        }
    }

    fn compare_exchange(&mut self, i: &'t Instruction) -> Translated<()> {
        let Op::CompareExchange {
            weak,
            pointer,
            expected,
            new,
            success,
            failure,
            ..
        } = &i.op
        else {
            return Ok(());
        };
        let span = self.span;
        self.is_of_all_threads(success)?;
        let ty = new.ty.clone();
        let address = self.scalar(pointer)?;
        let pointer = self.atomic_pointer(address, &ty)?;
        let c = self.atomic_type(&ty)?;
        let expected = self.scalar(expected)?;
        let new = self.scalar(new)?;
        let register = i.result.clone().unwrap_or_default();
        let old = format!("{}.expected", self.variable(&register));
        self.items
            .push(build::local(&c, &old, Some(expected), span));
        let args = vec![
            pointer,
            build::address(&old, span),
            new,
            build::int(u64::from(*weak), IntKind::Int, span),
            self.order(success.ordering)?,
            self.order(*failure)?,
        ];
        let done = build::call("__atomic_compare_exchange_n", args, span);
        let done = self.part_of(i, 1, &Type::Int(1), done)?;
        let old = self.number_of_bits(build::name(&old, span), &ty)?;
        let old = self.part_of(i, 0, &ty, old)?;
        self.keep(i, vec![old, done]);
        Ok(())
    }

    fn rmw(
        &mut self,
        i: &'t Instruction,
        op: RmwOp,
        pointer: &TypedOperand,
        value: &TypedOperand,
        atomic: &Atomic,
    ) -> Translated<()> {
        self.is_of_all_threads(atomic)?;
        let ty = value.ty.clone();
        let function = match op {
            RmwOp::Xchg => Some("__atomic_exchange_n"),
            RmwOp::Add => Some("__atomic_fetch_add"),
            RmwOp::Sub => Some("__atomic_fetch_sub"),
            RmwOp::And => Some("__atomic_fetch_and"),
            RmwOp::Nand => Some("__atomic_fetch_nand"),
            RmwOp::Or => Some("__atomic_fetch_or"),
            RmwOp::Xor => Some("__atomic_fetch_xor"),
            // C has no builtin of it.
            _ => None,
        };
        if op != RmwOp::Xchg && !matches!(ty, Type::Int(_)) {
            return Err("`atomicrmw` on this type".to_string());
        }
        let address = self.scalar(pointer)?;
        let pointer = self.atomic_pointer(address, &ty)?;
        let value = self.scalar(value)?;
        let value = self.bits_of(value, &ty)?;
        let order = self.order(atomic.ordering)?;
        let Some(function) = function else {
            return self.rmw_by_exchange(i, op, &ty, (pointer, value, order));
        };
        let e = build::call(function, vec![pointer, value, order], self.span);
        let e = self.number_of_bits(e, &ty)?;
        self.define(i, &ty, e)
    }

    fn element_pointer(&mut self, i: &Instruction, gep: &ElementPointer) -> Translated<()> {
        let e = self.module.element_pointer(gep, &self.known, self.span)?;
        // A part of an object on the stack is found again where it is used, as the object may begin anew.
        let of_object = stack::local(&gep.base).is_some_and(|base| self.is_part_of_object(base));
        if of_object {
            if let Some(name) = &i.result {
                self.parts.insert(name.clone());
            }
            self.keep(i, vec![e]);
            return Ok(());
        }
        self.define(i, &Type::Pointer(None), e)
    }

    fn is_part_of_object(&self, register: &str) -> bool {
        let kind = self.stack.get(register);
        self.parts.contains(register) || matches!(kind, Some(StackKind::Marked | StackKind::Object))
    }

    fn cast(&mut self, i: &Instruction, op: CastOp, v: &TypedOperand, to: &Type) -> Translated<()> {
        // A mark names what it is about in this way.
        if self.stack_variable(v).is_some() {
            return Ok(());
        }
        let e = self.scalar(v)?;
        let is_pointer = |ty: &Type| matches!(ty, Type::Pointer(_));
        if op == CastOp::BitCast && is_pointer(&v.ty) && is_pointer(to) {
            if let (Some(of), Some(name)) = (stack::local(v), &i.result)
                && self.is_part_of_object(of)
            {
                self.parts.insert(name.clone());
            }
            // The same pointer.
            self.keep(i, vec![e]);
            return Ok(());
        }
        let e = self.module.converted(op, e, &v.ty, to, self.span)?;
        self.define(i, to, e)
    }

    fn select(
        &mut self,
        i: &Instruction,
        c: &TypedOperand,
        a: &TypedOperand,
        b: &TypedOperand,
    ) -> Translated<()> {
        if c.ty != Type::Int(1) {
            return Err("a vector".to_string());
        }
        let ty = a.ty.clone();
        let c = self.scalar(c)?;
        let (a, b) = (self.leaves(a)?, self.leaves(b)?);
        let leaves = self.module.types.leaves(&ty)?;
        if let ([a], [b]) = (&a[..], &b[..]) {
            let e = build::conditional(c, a.clone(), b.clone(), self.span);
            return self.define(i, &ty, e);
        }
        let mut values = Vec::new();
        for (n, ((a, b), leaf)) in a.into_iter().zip(b).zip(&leaves).enumerate() {
            let e = build::conditional(c.clone(), a, b, self.span);
            values.push(self.part_of(i, n, leaf, e)?);
        }
        self.keep(i, values);
        Ok(())
    }
}

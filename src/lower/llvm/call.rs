//! Calls: of functions of the module, of the library, through pointers, and of intrinsics.

use super::build::{self, CType};
use super::function::FunctionTranslation;
use super::runtime::{self, Allocation};
use super::rust;
use super::stack::{self, Mark, StackKind};
use super::types::Translated;
use crate::front::c::ast::{BinaryOp, Expr, IntKind};
use crate::front::llvm::ast::{
    Call, CastOp, ConstantExpr, Instruction, MetadataValue, Op, Type, TypedOperand, ValueKind,
};

/// Functions of libatomic that begin with the size of the object.
const LIBATOMIC: [&str; 4] = [
    "__atomic_load",
    "__atomic_store",
    "__atomic_exchange",
    "__atomic_compare_exchange",
];

/// Whom a call calls: a function may be called as one of another type.
fn called(callee: &TypedOperand) -> &ValueKind {
    match &callee.kind {
        ValueKind::Expr(e) => match &**e {
            ConstantExpr::Cast(CastOp::BitCast, v) => called(v),
            _ => &callee.kind,
        },
        kind => kind,
    }
}

impl<'t> FunctionTranslation<'t, '_> {
    /// A call.
    pub(super) fn call(&mut self, i: &'t Instruction, call: &'t Call) -> Translated<()> {
        match called(&call.callee) {
            ValueKind::Assembly(assembly) => self.assembly(i, call, assembly),
            ValueKind::Global(name) => {
                let name = self.module.aliased(name).to_string();
                if let Some(intrinsic) = name.strip_prefix("llvm.") {
                    return self.intrinsic(i, call, intrinsic);
                }
                if let Some(allocation) = runtime::allocation(&name)
                    && self.module.is_library(&name)
                {
                    return self.allocation(i, call, allocation);
                }
                if rust::is_known(&name) && self.module.is_library(&name) {
                    return self.call_of_rust(i, call, &name);
                }
                if self.module.is_library(&name) {
                    return match LIBATOMIC.contains(&name.as_str()) {
                        true => self.libatomic(i, call, &name),
                        false => self.library_call(i, call, &name),
                    };
                }
                match self.module.function(&name) {
                    Some(f) => {
                        // Called with another type than it has.
                        let params = f.params.iter().map(|p| &p.ty);
                        let same = f.variadic == call.ty.variadic
                            && params.eq(call.ty.params.iter())
                            && f.ret == call.ty.ret;
                        match (same || f.name == "main", self.to_inline(&name)) {
                            (true, Some(f)) => self.inline(i, call, f),
                            (true, None) => self.direct_call(i, call, &name),
                            (false, _) => self.pointer_call(i, call),
                        }
                    }
                    None => self.pointer_call(i, call),
                }
            }
            _ => self.pointer_call(i, call),
        }
    }

    /// The arguments of a call of a function of LLVM.
    fn arguments(&mut self, call: &Call) -> Translated<Vec<Expr>> {
        let mut args = Vec::new();
        for arg in &call.args {
            let value = &arg.value;
            if !self.module.types.is_aggregate(&value.ty) {
                args.push(self.scalar(value)?);
                continue;
            }
            let leaves = self.leaves(value)?;
            let ty = self.module.returned(&value.ty);
            let c = self.module.types.c(&ty)?;
            args.push(build::compound(&c, leaves, self.span));
        }
        Ok(args)
    }

    fn direct_call(&mut self, i: &Instruction, call: &Call, name: &str) -> Translated<()> {
        let args = self.arguments(call)?;
        let e = build::call(self.module.c_name(name), args, self.span);
        self.result(i, &call.ty.ret, e)
    }

    fn pointer_call(&mut self, i: &Instruction, call: &Call) -> Translated<()> {
        let pointer = self.scalar(&call.callee)?;
        let c = self.module.function_pointer(&call.ty, self.span)?;
        let args = self.arguments(call)?;
        let e = build::call_pointer(build::cast(&c, pointer), args, self.span);
        self.result(i, &call.ty.ret, e)
    }

    /// Notes what a call returns.
    pub(super) fn result(&mut self, i: &Instruction, ty: &Type, e: Expr) -> Translated<()> {
        if *ty == Type::Void || i.result.is_none() {
            self.push(build::statement(e));
            return Ok(());
        }
        if !self.module.types.is_aggregate(ty) {
            return self.define(i, ty, e);
        }
        let returned = self.module.returned(ty);
        let c = self.module.types.c(&returned)?;
        let register = i.result.clone().unwrap_or_default();
        let whole = format!("{}.result", self.variable(&register));
        self.items
            .push(build::local(&c, &whole, Some(e), self.span));
        let parts = self.parts(&returned, build::name(&whole, self.span))?;
        let types = self.module.types.leaves(ty)?;
        let mut values = Vec::new();
        for (n, (part, ty)) in parts.into_iter().zip(&types).enumerate() {
            values.push(self.part_of(i, n, ty, part)?);
        }
        self.keep(i, values);
        Ok(())
    }

    /// A call of a function that the lowering of C knows, its arguments as its prototype has them.
    fn library_call(&mut self, i: &Instruction, call: &Call, name: &str) -> Translated<()> {
        let mut args = Vec::new();
        for (n, arg) in call.args.iter().enumerate() {
            let literal = self.module.constant_string(&arg.value);
            let value = match literal {
                Some(bytes) => build::string(&bytes, self.span),
                None => self.scalar(&arg.value)?,
            };
            args.push(self.module.as_declared(name, n, value));
        }
        let e = build::call(name, args, self.span);
        if !runtime::has_result(name) && call.ty.ret != Type::Void {
            // It was called without a declaration.
            self.push(build::statement(e));
            let any = self.module.arbitrary(&call.ty.ret, self.span)?;
            return self.define(i, &call.ty.ret, any);
        }
        self.result(i, &call.ty.ret, e)
    }

    /// A function of libatomic for objects of any size, which is the builtin of the same name on a type of
    /// that size.
    fn libatomic(&mut self, i: &Instruction, call: &Call, name: &str) -> Translated<()> {
        let args: Vec<&TypedOperand> = call.args.iter().map(|a| &a.value).collect();
        let (Some(size), Some(rest)) = (args.first(), args.get(1..)) else {
            return Err(format!("this `{name}`"));
        };
        let ValueKind::Int(bytes @ (1 | 2 | 4 | 8 | 16)) = size.kind else {
            return Err(format!("`{name}` of an object of this size"));
        };
        let object = self.module.types.c(&Type::Int(8 * bytes as u32))?.pointed();
        let mut values = Vec::new();
        for (n, arg) in rest.iter().enumerate() {
            let mut value = self.scalar(arg)?;
            if let Type::Pointer(_) = arg.ty {
                // Nothing is known here of the object that it points to but its size.
                let pointer = format!("%{name}.{n}.{}", self.items.len());
                let item = build::local(&CType::pointer(), &pointer, Some(value), self.span);
                self.items.push(item);
                value = build::cast(&object, build::name(&pointer, self.span));
            }
            values.push(value);
        }
        if name == "__atomic_compare_exchange" {
            // Here it is never weak, which the builtin says before its orders.
            values.insert(3, build::int(0, IntKind::Int, self.span));
        }
        let e = build::call(name, values, self.span);
        self.result(i, &call.ty.ret, e)
    }

    /// What an allocation returns is a pointer to what its first use says.
    fn allocation(
        &mut self,
        i: &'t Instruction,
        call: &Call,
        allocation: Allocation,
    ) -> Translated<()> {
        let mut args = Vec::new();
        for index in allocation.arguments {
            let arg = call.args.get(*index).ok_or("this allocation")?;
            args.push(self.scalar(&arg.value)?);
        }
        let mut e = build::call(allocation.function, args, self.span);
        if let Some(ty) = i.result.as_deref().and_then(|name| self.pointee(name)) {
            let c = self.module.types.c(&ty)?;
            e = build::cast(&c.pointed(), e);
        }
        match call.ty.ret {
            Type::Void => self.push(build::statement(e)),
            _ => {
                let ty = call.ty.ret.clone();
                self.define(i, &ty, build::cast(&CType::pointer(), e))?;
            }
        }
        Ok(())
    }

    /// What the pointer that a register is points to, as its uses have it: a structure before all else.
    fn pointee(&self, name: &str) -> Option<Type> {
        let is = |v: &TypedOperand| stack::local(v) == Some(name);
        let mut scalar = None;
        for other in self.f.blocks.iter().flat_map(|b| &b.instructions) {
            let found = match &other.op {
                Op::Cast(CastOp::BitCast, _, v, Type::Pointer(Some(to))) if is(v) => Some(&**to),
                Op::ElementPointer(gep) if is(&gep.base) => Some(&gep.source),
                Op::Load { ty, pointer, .. } if is(pointer) => Some(ty),
                Op::Store { value, pointer, .. } if is(pointer) => Some(&value.ty),
                _ => None,
            };
            match found.filter(|ty| self.is_object(ty)) {
                Some(ty) if self.module.types.is_aggregate(ty) => return Some(ty.clone()),
                Some(ty) => scalar = scalar.or(Some(ty.clone())),
                None => {}
            }
        }
        scalar
    }

    /// Whether a type says more of an object than that it has bytes.
    fn is_object(&self, ty: &Type) -> bool {
        *ty != Type::Int(8) && self.module.types.space(ty).is_ok()
    }

    /// The type by which an object may be copied.
    fn copied_as(&self, v: &TypedOperand) -> Option<Type> {
        let ty = self.made_for(v);
        ty.filter(|ty| self.module.types.is_all_scalars(ty))
    }

    /// What a pointer points to, as it was made: by `alloca`, as a global, or from a pointer of that type.
    fn made_for(&self, v: &TypedOperand) -> Option<Type> {
        let known = |ty: &Type| self.is_object(ty).then(|| ty.clone());
        if let Type::Pointer(Some(to)) = &v.ty
            && let Some(ty) = known(to)
        {
            return Some(ty);
        }
        match &v.kind {
            ValueKind::Global(name) => known(self.module.global_type(name)?),
            ValueKind::Expr(e) => match &**e {
                ConstantExpr::Cast(CastOp::BitCast, v) => self.made_for(v),
                _ => None,
            },
            ValueKind::Local(name) => {
                let mut all = self.f.blocks.iter().flat_map(|b| &b.instructions);
                let made = all.find(|i| i.result.as_ref() == Some(name));
                let made = made.and_then(|i| match &i.op {
                    Op::Cast(CastOp::BitCast, _, v, _) => self.made_for(v),
                    Op::Alloca { ty, .. } => known(ty),
                    _ => None,
                });
                made.or_else(|| self.pointee(name))
            }
            _ => None,
        }
    }

    /// A pointer whose type says what it points to, where that is known.
    fn typed(&mut self, v: &TypedOperand, otherwise: Option<&Type>) -> Translated<Expr> {
        let e = self.scalar(v)?;
        let Some(ty) = self.copied_as(v).or(otherwise.cloned()) else {
            return Ok(e);
        };
        // In a variable, so that a cast inside of the expression does not say what it points to.
        let pointer = self.variable(&format!("typed.{}", self.items.len()));
        let item = build::local(&CType::pointer(), &pointer, Some(e), self.span);
        self.items.push(item);
        let e = build::name(&pointer, self.span);
        Ok(build::cast(&self.module.types.c(&ty)?.pointed(), e))
    }

    /// Copies the scalars at the beginning of an object that lie within so many bytes, where that is not all of
    /// it: what is behind the last member is of no value.
    fn copy_of_part(
        &mut self,
        to: &TypedOperand,
        from: &TypedOperand,
        size: &TypedOperand,
    ) -> Translated<bool> {
        let known = self.copied_as(to).or_else(|| self.copied_as(from));
        let (Some(ty), ValueKind::Int(size)) = (known, &size.kind) else {
            return Ok(false);
        };
        let whole = self.module.types.space(&ty)?.size;
        if !self.module.types.is_aggregate(&ty) || *size >= u128::from(whole) {
            return Ok(false);
        }
        let mut pieces = self.pieces(&ty)?;
        pieces.retain(|(_, offset)| u128::from(*offset) < *size);
        for (piece, offset) in &pieces {
            let end = offset + self.module.types.space(piece)?.size;
            if u128::from(end) > *size {
                return Ok(false);
            }
        }
        let (to, from) = (self.scalar(to)?, self.scalar(from)?);
        for (piece, offset) in pieces {
            let value = self.piece_at(from.clone(), &piece, offset, false)?;
            let place = self.piece_at(to.clone(), &piece, offset, false)?;
            self.push(build::statement(build::assignment(place, value, self.span)));
        }
        Ok(true)
    }

    /// A label of the source. CBMC starts a thread at some of them, and for a compiler they are labels like others.
    fn source_label(&mut self, label: &ValueKind) -> Translated<()> {
        let node = match label {
            ValueKind::Metadata(MetadataValue::Node(id)) => self.module.module.metadata.get(id),
            _ => None,
        };
        let Some(MetadataValue::String(name)) = node.and_then(|node| node.field("name")) else {
            return Ok(());
        };
        if name.starts_with("__CPROVER_ASYNC_") {
            return Err(format!("a thread that begins at the label `{name}`"));
        }
        let literal = build::string(name.as_bytes(), self.span);
        let e = build::call("__llvm_label", vec![literal], self.span);
        self.push(build::statement(e));
        Ok(())
    }

    fn intrinsic(&mut self, i: &'t Instruction, call: &'t Call, name: &str) -> Translated<()> {
        if let Some((mark, pointer)) = stack::mark(&i.op) {
            return self.lifetime(mark, pointer);
        }
        let word = |part: usize| name.split('.').nth(part).unwrap_or("");
        let span = self.span;
        let ret = call.ty.ret.clone();
        let arg = |n: usize| {
            let arg = call.args.get(n).map(|a| &a.value);
            arg.ok_or_else(|| format!("`llvm.{name}` with so few arguments"))
        };
        match (word(0), word(1)) {
            ("dbg", "label") => self.source_label(&arg(0)?.kind),
            (
                "dbg" | "donothing" | "sideeffect" | "prefetch" | "assume" | "invariant" | "var",
                _,
            )
            | ("experimental", "noalias") => {
                if i.result.is_some() {
                    let null = build::int(0, IntKind::ULong, span);
                    self.keep(i, vec![build::cast(&CType::pointer(), null)]);
                }
                Ok(())
            }
            ("expect" | "launder" | "strip" | "ssa" | "annotation" | "ptr" | "threadlocal", _) => {
                let value = self.leaves(arg(0)?)?;
                self.keep(i, value);
                Ok(())
            }
            ("is", "constant") => {
                let e = self.module.number(0, &ret, span)?;
                self.define(i, &ret, e)
            }
            ("objectsize", _) => {
                let least = matches!(arg(1)?.kind, ValueKind::Int(1));
                let e = self
                    .module
                    .number(if least { 0 } else { u128::MAX }, &ret, span)?;
                self.define(i, &ret, e)
            }
            ("memcpy" | "memmove" | "memset", second) if second != "element" => {
                if !matches!(
                    call.args.last().map(|a| &a.value.kind),
                    Some(ValueKind::Int(0))
                ) {
                    return Err(format!("a volatile `llvm.{}`", word(0)));
                }
                if word(0) == "memcpy" && self.copy_of_part(arg(0)?, arg(1)?, arg(2)?)? {
                    return Ok(());
                }
                let (to, from) = match word(0) {
                    "memset" => (self.typed(arg(0)?, None)?, self.scalar(arg(1)?)?),
                    _ => {
                        let [to, from] = [arg(0)?, arg(1)?];
                        let types = [self.copied_as(to), self.copied_as(from)];
                        (
                            self.typed(to, types[1].as_ref())?,
                            self.typed(from, types[0].as_ref())?,
                        )
                    }
                };
                let size = self.scalar(arg(2)?)?;
                let size = build::cast(&CType::int(IntKind::ULong), size);
                let e = build::call(word(0), vec![to, from, size], span);
                self.push(build::statement(e));
                Ok(())
            }
            ("trap" | "ubsantrap", _) => {
                self.push(build::statement(build::call(
                    "__builtin_trap",
                    Vec::new(),
                    span,
                )));
                Ok(())
            }
            ("x86", "sse2") if word(2) == "pause" => Ok(()),
            ("aarch64", "hint") => Ok(()),
            ("stacksave", _) => {
                if let Some(register) = &i.result {
                    self.saved.insert(register.clone(), self.sized.len());
                }
                let null = build::int(0, IntKind::ULong, span);
                self.keep(i, vec![build::cast(&CType::pointer(), null)]);
                Ok(())
            }
            ("stackrestore", _) => {
                let saved = stack::local(arg(0)?).and_then(|s| self.saved.get(s));
                let from = *saved.ok_or("this `llvm.stackrestore`")?;
                for pointer in self.sized.split_off(from) {
                    self.end_of_sized(&pointer);
                }
                Ok(())
            }
            ("sadd" | "uadd" | "ssub" | "usub" | "smul" | "umul", "with") => {
                self.with_overflow(i, word(0), arg(0)?, arg(1)?)
            }
            _ => {
                let args = call.args.iter().map(|a| &a.value).collect::<Vec<_>>();
                let e = self.computed(name, &ret, &args)?;
                self.define(i, &ret, e)
            }
        }
    }

    /// The beginning or the end of the life of an object on the stack.
    fn lifetime(&mut self, mark: Mark, pointer: &'t TypedOperand) -> Translated<()> {
        let aliases = stack::aliases(self.f);
        let object = stack::object(pointer, &aliases).unwrap_or_default();
        let variable = self.variable(object);
        match (mark, self.stack.get(object)) {
            (Mark::Begin, Some(StackKind::MarkedVariable)) => {
                if let Some(ty) = stack::allocated(self.f, object) {
                    let c = self.module.types.c(ty)?;
                    self.items
                        .push(build::local(&c, &variable, None, self.span));
                }
                return Ok(());
            }
            (_, Some(StackKind::Marked)) => {}
            _ => return Ok(()),
        }
        match mark {
            Mark::Begin => {
                let address = build::address(&variable, self.span);
                let e = build::call("__llvm_lifetime_start", vec![address], self.span);
                self.push(build::statement(e));
            }
            Mark::End => self.end_of(&variable),
        }
        Ok(())
    }

    pub(super) fn end_of(&mut self, variable: &str) {
        let address = build::address(variable, self.span);
        let e = build::call("__llvm_lifetime_end", vec![address], self.span);
        self.push(build::statement(e));
    }

    /// The end of an object of computed size, which a variable points to.
    pub(super) fn end_of_sized(&mut self, pointer: &str) {
        let pointer = build::name(pointer, self.span);
        let e = build::call("__llvm_lifetime_end", vec![pointer], self.span);
        self.push(build::statement(e));
    }

    /// Arithmetic that says whether its result fits.
    fn with_overflow(
        &mut self,
        i: &Instruction,
        name: &str,
        a: &TypedOperand,
        b: &TypedOperand,
    ) -> Translated<()> {
        let Type::Int(bits @ (8 | 16 | 32 | 64)) = a.ty else {
            return Err(format!("`llvm.{name}.with.overflow` of this type"));
        };
        let span = self.span;
        let is_signed = name.starts_with('s');
        let c = match (is_signed, bits) {
            (true, 8) => CType::int(IntKind::SChar),
            (true, 16) => CType::int(IntKind::Short),
            (true, 32) => CType::int(IntKind::Int),
            (true, _) => CType::int(IntKind::Long),
            (false, _) => self.module.types.c(&a.ty)?,
        };
        if bits == 64 && name.ends_with("mul") {
            return self.product_with_overflow(i, is_signed, a, b);
        }
        let ty = a.ty.clone();
        let (a, b) = (self.scalar(a)?, self.scalar(b)?);
        let register = i.result.clone().unwrap_or_default();
        let result = format!("{}.exact", self.variable(&register));
        let zero = build::int(0, IntKind::Int, span);
        self.items.push(build::local(&c, &result, Some(zero), span));
        let args = vec![
            build::cast(&c, a),
            build::cast(&c, b),
            build::address(&result, span),
        ];
        let function = format!("__builtin_{}_overflow", &name[1..]);
        let overflow = self.part_of(i, 1, &Type::Int(1), build::call(&function, args, span))?;
        let own = self.module.types.c(&ty)?;
        let value = build::cast(&own, build::name(&result, span));
        let value = self.part_of(i, 0, &ty, value)?;
        self.keep(i, vec![value, overflow]);
        Ok(())
    }

    /// A product of 64 bits that says whether it fits: the whole one has 128.
    fn product_with_overflow(
        &mut self,
        i: &Instruction,
        is_signed: bool,
        a: &TypedOperand,
        b: &TypedOperand,
    ) -> Translated<()> {
        let (span, ty) = (self.span, a.ty.clone());
        let (word, wide) = match is_signed {
            true => (IntKind::Long, CType::int128(true)),
            false => (IntKind::ULong, CType::int128(false)),
        };
        let (a, b) = (self.scalar(a)?, self.scalar(b)?);
        let extended = |e: Expr| build::cast(&wide, build::cast(&CType::int(word), e));
        let product = build::binary(BinaryOp::Mul, extended(a), extended(b), span);
        let register = i.result.clone().unwrap_or_default();
        let exact = format!("{}.exact", self.variable(&register));
        self.items
            .push(build::local(&wide, &exact, Some(product), span));
        let exact = build::name(&exact, span);
        let fitted = extended(exact.clone());
        let differs = build::binary(BinaryOp::Ne, exact.clone(), fitted, span);
        let overflow = self.part_of(i, 1, &Type::Int(1), differs)?;
        let value = build::cast(&CType::int(IntKind::ULong), exact);
        let value = self.part_of(i, 0, &ty, value)?;
        self.keep(i, vec![value, overflow]);
        Ok(())
    }
}

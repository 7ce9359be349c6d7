//! Objects that are declared `extern` and that no file defines: inputs of the program. They have any contents
//! when it begins, and what the program does not write stays as it is: that no other file does is said in the
//! answer.
//!
//! What they point to is not known, nor what is in an object whose type is not complete
//! ([`ir::program::Hidden`]): who looks at executions stops at an access to that, and the answer is `UNKNOWN`.

use super::names::VariableId;
use super::{Lowered, Lowering};
use crate::front::c::ast::IntKind;
use crate::front::c::types::{Type, TypeId};
use base::diag::Diag;
use base::source::Span;
use ir::program::{BinOp, Callee, Expr, GlobalId, Hidden, Instr, Local, MemoryOrder, Op};

/// Scalars of an object that is an input, at most.
const MOST: usize = 1024;
/// Names of objects that an answer lists.
const LISTED: usize = 3;

impl<'a> Lowering<'a> {
    /// Whether a name is that of a function that is declared weak and that neither a file nor the library has: then
    /// its address is null.
    pub(super) fn is_missing_function(&mut self, name: &str) -> bool {
        let Some(function) = self.names.function(name) else {
            return false;
        };
        let is_known = self.is_of_library(function.linker.symbol(name));
        let is_missing = function.linker.weak
            && function.definition.is_none()
            && !is_known
            && !self.options.havoc.contains(name);
        if is_missing {
            self.note_missing(name);
        }
        is_missing
    }

    /// The same of a variable.
    pub(super) fn is_missing_variable(&mut self, id: VariableId) -> bool {
        let object = self.names.variable(self.names.object(id));
        let is_missing = self.names.variable(id).linker.weak && !object.defined;
        if is_missing {
            let name = object.name.clone();
            self.note_missing(&name);
        }
        is_missing
    }

    fn note_missing(&mut self, name: &str) {
        self.names.note_undefined(name);
        let said = format!("`{name}` is weak, and no file defines it: its address is null");
        let assumptions = &mut self.program.assumptions;
        if !assumptions.contains(&said) {
            assumptions.push(said);
        }
    }

    /// The type of a variable that no file defines, as far as it is known.
    ///
    /// # Errors
    /// It cannot be an input: it changes by itself, there is one for each thread, or several files have been
    /// linked and none defines it.
    pub(super) fn undefined_type(&mut self, id: VariableId, span: Span) -> Lowered<TypeId> {
        let (ty, name) = {
            let variable = self.names.variable(id);
            (variable.ty, variable.name.clone())
        };
        self.names.note_undefined(&name);
        // A linker has seen all files then.
        let is_linked = self.names.units().len() > 1;
        if is_linked || self.has_volatile(ty) || self.names.variable(id).thread_local {
            return self.no_definition(id, span);
        }
        Ok(match self.is_complete(ty) {
            true => ty,
            false => self.types.id(Type::Int(IntKind::Char)),
        })
    }

    pub(super) fn is_complete(&self, ty: TypeId) -> bool {
        self.types.size(self.types.plain(ty)).is_some()
    }

    /// Refuses a variable that no file defines.
    fn no_definition<T>(&mut self, id: VariableId, span: Span) -> Lowered<T> {
        let variable = self.names.variable(id);
        let (name, at) = (variable.name.clone(), variable.span);
        let message = format!("`{name}` is declared `extern`, and no definition is here");
        let diag = self.with_hint(Diag::error(span, message).also(at, "declared here"));
        Err(diag.into())
    }

    /// Lets an object be an input of the program.
    ///
    /// # Errors
    /// It is too large.
    pub(super) fn note_undefined_object(
        &mut self,
        id: VariableId,
        object: GlobalId,
        span: Span,
    ) -> Lowered<()> {
        let layout = self.program.globals[object].layout;
        if self.program.scalars(layout).len() > MOST {
            return self.no_definition(id, span);
        }
        let ty = self.names.variable(id).ty;
        let mut pointers = Vec::new();
        self.find_pointers(ty, 0, &mut pointers);
        if !self.is_complete(ty) {
            self.program.undefined.insert(object, Hidden::All);
        } else if !pointers.is_empty() {
            self.program
                .undefined
                .insert(object, Hidden::Pointers(pointers));
        }
        self.undefined_objects.insert(object);
        Ok(())
    }

    /// The bytes of the pointers in an object of a type at an offset, those in all members of unions.
    fn find_pointers(&self, ty: TypeId, at: u64, found: &mut Vec<(u64, u64)>) {
        let size = |ty: TypeId| self.types.size(self.types.plain(ty)).unwrap_or(0);
        match self.types.get(self.types.plain(ty)) {
            Type::Pointer(_) => found.push((at, at + size(ty))),
            Type::Array(elem, Some(count)) => {
                (0..*count).for_each(|i| self.find_pointers(*elem, at + i * size(*elem), found));
            }
            Type::Record(record) => {
                let fields = self.types.records[*record].fields.iter().flatten();
                fields.for_each(|field| self.find_pointers(field.ty, at + field.offset, found));
            }
            _ => {}
        }
    }

    fn has_volatile(&self, ty: TypeId) -> bool {
        if self.types.is_volatile(ty) {
            return true;
        }
        match self.types.get(self.types.plain(ty)) {
            Type::Array(elem, _) => self.has_volatile(*elem),
            Type::Record(record) => {
                let mut fields = self.types.records[*record].fields.iter().flatten();
                fields.any(|field| self.has_volatile(field.ty))
            }
            _ => false,
        }
    }

    /// Lets `main` begin with any contents of the objects that no file defines.
    pub(super) fn undefined_objects_are_inputs(&mut self) {
        let objects = std::mem::take(&mut self.undefined_objects);
        let Some(main) = self.program.main.filter(|_| !objects.is_empty()) else {
            return;
        };
        let calls_main = |op: &Op| match op {
            Op::Call { callee, .. } | Op::Spawn { callee, .. } => {
                matches!(callee, Callee::Proc(proc) if *proc == main)
            }
            _ => false,
        };
        let mut code = self.program.procs.iter().flat_map(|proc| &proc.body);
        if let Some(call) = code.find(|instr| calls_main(&instr.op)) {
            let message = "a call of `main` is not supported beside an object that no file defines";
            return self.error(Diag::unsupported(call.span, message));
        }
        let program = &mut self.program;
        let mut stores = Vec::new();
        for object in objects.iter() {
            let mut end = 0;
            let (span, layout) = (
                program.globals[*object].span,
                program.globals[*object].layout,
            );
            let mut scalars = program.scalars(layout);
            // Of the members of a union the largest comes first.
            scalars.sort_by_key(|(offset, width)| (*offset, std::cmp::Reverse(*width)));
            for (offset, width) in scalars {
                if offset < end {
                    continue;
                }
                let bytes = u64::from(width) / 8;
                end = offset + bytes;
                let hidden = program.undefined.get(object);
                if hidden.is_some_and(|hidden| hidden.is_at(offset, bytes)) {
                    continue;
                }
                let name = String::new();
                let dst = program.procs[main].locals.push(Local { name, width });
                let pointer = program.data_model.pointer_width();
                let place = Expr::constant(offset, pointer);
                let addr = match offset {
                    0 => Expr::Global(*object),
                    _ => Expr::binary(BinOp::Add, Expr::Global(*object), place),
                };
                let value = Expr::Local(dst);
                let order = MemoryOrder::Plain;
                stores.extend(
                    [Op::Havoc { dst }, Op::Store { addr, value, order }]
                        .map(|op| Instr { span, op }),
                );
            }
        }
        let body = &mut program.procs[main].body;
        for instr in body.iter_mut() {
            if let Op::Goto { target, .. } = &mut instr.op {
                *target += stores.len();
            }
        }
        body.splice(0..0, stores);
        let mut names: Vec<&str> = objects
            .iter()
            .map(|o| program.globals[*o].name.as_str())
            .collect();
        let others = names.len().saturating_sub(LISTED);
        names.truncate(LISTED);
        let list = names
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", ");
        let more = match others {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        program.assumptions.push(format!(
            "{list}{more}, which no file defines, may have any value at first, and this program alone changes it"
        ));
    }
}

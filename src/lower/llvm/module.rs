//! A module: its types, globals and functions as a translation unit of C.

use super::build::{self, CType};
use super::debug::DebugInfo;
use super::registers::NoRegisters;
use super::runtime;
use super::rust;
use super::types::{Translated, Types};
use crate::front::c::ast::{
    Derived, Expr, ExprKind, Function as CFunction, Init, InitItem, IntKind, Item, LinkerRule,
    Param as CParam, Qualifiers, Storage, TranslationUnit, TypeName, TypeSpecKind, UnaryOp,
};
use crate::front::llvm::ast::{
    Alias, Function, FunctionType, Global, Linkage, Module, Param, Type, TypedOperand, ValueKind,
};
use base::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// A module on its way to C.
pub(super) struct ModuleTranslation<'m> {
    pub(super) module: &'m Module,
    pub(super) types: Types<'m>,
    pub(super) debug: &'m DebugInfo,
    functions: BTreeMap<&'m str, &'m Function>,
    globals: BTreeMap<&'m str, &'m Global>,
    aliases: BTreeMap<&'m str, &'m Alias>,
    /// The names in C of functions and globals whose symbols are encoded.
    pub(super) names: BTreeMap<String, String>,
    /// Functions that are inlined where they are called.
    pub(super) inlined: BTreeSet<&'m str>,
    /// How many calls were inlined.
    calls_inlined: usize,
    /// The parameters of the functions that headers declare.
    prototypes: BTreeMap<&'m str, &'m [CParam]>,
    /// The variables that headers declare.
    declared: BTreeSet<&'m str>,
    /// What the prelude defines.
    given: BTreeSet<&'m str>,
    /// Whether the program sees the arguments that it is called with.
    pub(super) has_arguments: bool,
    /// Functions that run before `main`, with their priorities.
    constructors: BTreeMap<String, u64>,
    /// Those that run when the program ends.
    destructors: BTreeMap<String, u64>,
}

/// The functions of a list as `llvm.global_ctors`, with their priorities.
fn listed(module: &Module, name: &str) -> BTreeMap<String, u64> {
    let list = module.globals.iter().find(|g| g.name == name);
    let Some(ValueKind::Aggregate(rows)) = list.and_then(|g| Some(&g.init.as_ref()?.kind)) else {
        return BTreeMap::new();
    };
    let row = |row: &TypedOperand| {
        let ValueKind::Aggregate(parts) = &row.kind else {
            return None;
        };
        match (&parts.first()?.kind, &parts.get(1)?.kind) {
            (ValueKind::Int(priority), ValueKind::Global(f)) => Some((f.clone(), *priority as u64)),
            _ => None,
        }
    };
    rows.iter().filter_map(row).collect()
}

impl<'m> ModuleTranslation<'m> {
    /// A module of which nothing is translated yet; its names in C are those of the linker.
    pub(super) fn new(
        module: &'m Module,
        prelude: &'m TranslationUnit,
        debug: &'m DebugInfo,
    ) -> ModuleTranslation<'m> {
        let functions = module.functions.iter();
        let globals = module.globals.iter();
        let aliases = module.aliases.iter();
        ModuleTranslation {
            module,
            types: Types::new(&module.types, debug, module.span),
            debug,
            functions: functions.map(|f| (f.name.as_str(), f)).collect(),
            globals: globals.map(|g| (g.name.as_str(), g)).collect(),
            aliases: aliases.map(|a| (a.name.as_str(), a)).collect(),
            names: BTreeMap::new(),
            inlined: BTreeSet::new(),
            calls_inlined: 0,
            prototypes: runtime::prototypes(prelude),
            declared: runtime::variables(prelude),
            given: runtime::defined(prelude),
            has_arguments: !rust::is_program(module),
            constructors: listed(module, "llvm.global_ctors"),
            destructors: listed(module, "llvm.global_dtors"),
        }
    }

    pub(super) fn is_inlined(&self, name: &str) -> bool {
        self.inlined.contains(name)
    }

    /// A number for a call that is inlined.
    pub(super) fn next_inlined(&mut self) -> usize {
        self.calls_inlined += 1;
        self.calls_inlined
    }

    /// Whether a name is the runtime's, and so the same in C.
    pub(super) fn is_of_runtime(&self, name: &str) -> bool {
        self.is_library(name) || self.given.contains(name)
    }

    /// The function of a name, aliases looked through.
    pub(super) fn function(&self, name: &str) -> Option<&'m Function> {
        self.functions.get(self.aliased(name)).copied()
    }

    /// What a name stands for.
    pub(super) fn aliased<'n>(&'n self, name: &'n str) -> &'n str {
        let mut name = name;
        // An alias of itself would go on forever.
        for _ in 0..self.aliases.len() {
            let Some(alias) = self.aliases.get(name) else {
                break;
            };
            match &alias.target.kind {
                ValueKind::Global(target) if !alias.ifunc => name = target,
                _ => break,
            }
        }
        name
    }

    /// The name in C of a function or a global.
    pub(super) fn c_name<'n>(&'n self, name: &'n str) -> &'n str {
        self.names.get(name).map_or(name, String::as_str)
    }

    /// The linker's name of it, where that is another one.
    fn symbol(&self, name: &str) -> Option<Derived> {
        let rule = || Derived::Linker(LinkerRule::Symbol(name.to_string()));
        self.names.contains_key(name).then(rule)
    }

    /// A function that the module only declares, and of which something is known; or one of its library that the runtime
    /// has in C.
    pub(super) fn is_library(&self, name: &str) -> bool {
        let Some(f) = self.functions.get(name) else {
            return false;
        };
        match f.linkage {
            _ if f.blocks.is_empty() => name.starts_with("llvm.") || runtime::is_known(name),
            Linkage::Weak | Linkage::AvailableExternally => runtime::is_given(name),
            _ => false,
        }
    }

    /// Whether a name is one of the whole module, or of the runtime.
    pub(super) fn is_global(&self, name: &str) -> bool {
        self.functions.contains_key(name)
            || self.globals.contains_key(name)
            || self.given.contains(name)
            || self.prototypes.contains_key(name)
            || self.names.values().any(|known| known == name)
    }

    /// A variable that the module only declares, and the runtime has.
    pub(super) fn is_given(&self, global: &Global) -> bool {
        global.init.is_none()
            && (self.given.contains(global.name.as_str())
                || self.declared.contains(global.name.as_str()))
    }

    /// An argument of a function of the library, of the type that its prototype has.
    pub(super) fn as_declared(&self, function: &str, index: usize, value: Expr) -> Expr {
        let params = self.prototypes.get(function);
        let Some(param) = params.and_then(|params| params.get(index)) else {
            return value;
        };
        if matches!(value.kind, ExprKind::Str(_)) {
            return value;
        }
        let span = value.span;
        let ty = TypeName {
            base: param.base.clone(),
            derived: param.derived.clone(),
            span,
        };
        let is_result = is_result(param) && build::is_address(&value);
        let typed = Expr {
            span,
            kind: ExprKind::Cast(Box::new(ty), Box::new(value)),
        };
        // The result's place is of its type, whatever the object is.
        match is_result {
            true => build::unary(UnaryOp::Address, build::unary(UnaryOp::Deref, typed)),
            false => typed,
        }
    }

    /// The type of a global.
    pub(super) fn global_type(&self, name: &str) -> Option<&'m Type> {
        self.globals.get(self.aliased(name)).map(|g| &g.ty)
    }

    /// The address of a global or a function.
    pub(super) fn global(&self, name: &str, span: Span) -> Expr {
        let name = self.aliased(name);
        let target = match self.functions.contains_key(name) {
            true => build::name(self.c_name(name), span),
            false => build::address(self.c_name(name), span),
        };
        build::cast(&CType::pointer(), target)
    }

    /// The bytes of a constant that a value is the address of.
    pub(super) fn constant_bytes(&self, v: &TypedOperand) -> Option<&'m [u8]> {
        let ValueKind::Global(name) = &v.kind else {
            return None;
        };
        let global = self.globals.get(name.as_str()).filter(|g| g.constant)?;
        match &global.init.as_ref()?.kind {
            ValueKind::String(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The text of a constant string that a value is the address of.
    pub(super) fn constant_string(&self, v: &TypedOperand) -> Option<Vec<u8>> {
        use crate::front::llvm::ast::{CastOp, ConstantExpr};
        match &v.kind {
            ValueKind::Global(name) => {
                let global = self.globals.get(name.as_str()).filter(|g| g.constant)?;
                match &global.init.as_ref()?.kind {
                    ValueKind::String(bytes) => {
                        let end = bytes.iter().position(|b| *b == 0)?;
                        Some(bytes[..end].to_vec())
                    }
                    ValueKind::Zero => Some(Vec::new()),
                    _ => None,
                }
            }
            ValueKind::Expr(e) => match &**e {
                ConstantExpr::Cast(CastOp::BitCast, v) => self.constant_string(v),
                ConstantExpr::ElementPointer(gep) => {
                    let first =
                        |i: &TypedOperand| matches!(i.kind, ValueKind::Int(0) | ValueKind::Zero);
                    match gep.indices.iter().all(first) {
                        true => self.constant_string(&gep.base),
                        false => None,
                    }
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// A global variable: its declaration, and its definition if there is one.
    pub(super) fn variable(&mut self, global: &Global) -> (Item, Option<Item>) {
        let span = self.debug.variable(global);
        // What describes types at run time is only pointed to.
        let names = ["_ZTVN10__cxxabiv1", "_ZTI", "_ZTS"];
        let describes = global.init.is_none() && names.iter().any(|n| global.name.starts_with(n));
        let internal = global.linkage == Linkage::Internal || describes;
        let storage = Storage {
            internal,
            external: !internal,
            thread_local: global.thread_local,
            ..Storage::default()
        };
        let qualifiers = Qualifiers {
            constant: global.constant,
            ..Qualifiers::default()
        };
        let ty = match global.address_space {
            // It is as long as another file says.
            0 if global.init.is_none() => self.open_array(&global.ty),
            0 => self.types.c(&global.ty),
            space => Err(format!("the address space {space}")),
        };
        let known = ty.and_then(|ty| {
            let init = global.init.as_ref().map(|v| self.initial(v, span));
            Ok((ty, init.transpose()?))
        });
        // What is of such a type cannot be used.
        let unsupported = || TypeSpecKind::Unsupported("a global of this type", None);
        let (ty, init) = known.unwrap_or_else(|_| (CType::plain(unsupported()), None));
        let named = (self.c_name(&global.name), span);
        let declare = |storage, init, span| {
            let named = (named.0, span);
            let mut d = build::declaration(storage, &ty, qualifiers, named, init);
            let declarator = &mut d.declarators[0];
            declarator.derived.extend(self.symbol(&global.name));
            if rust::is_symbol(&global.name) {
                declarator.derived.push(Derived::Linker(LinkerRule::OfRust));
            }
            if let Linkage::Weak | Linkage::AvailableExternally | Linkage::ExternWeak =
                global.linkage
            {
                declarator.derived.push(Derived::Linker(LinkerRule::Weak));
            }
            if let Some(align) = global.align {
                declarator.align.push(build::alignment(align, span));
            }
            Item::Declaration(d)
        };
        let declared = declare(storage, None, span);
        let defined = global.init.as_ref().map(|_| {
            let storage = Storage {
                external: false,
                ..storage
            };
            declare(storage, init, span)
        });
        (declared, defined)
    }

    /// The type of a variable that another file defines: an array of no elements is one of unknown length.
    fn open_array(&mut self, ty: &Type) -> Translated<CType> {
        let Type::Array(0, elem) = ty else {
            return self.types.c(ty);
        };
        let mut c = self.types.c(elem)?;
        c.derived.push(Derived::Array { size: None });
        Ok(c)
    }

    /// An initial value.
    fn initial(&mut self, v: &TypedOperand, span: Span) -> Translated<Init> {
        let list = |items: Vec<Init>| {
            let items = items.into_iter().map(|init| InitItem {
                designators: Vec::new(),
                init,
            });
            Init::List(items.collect(), span)
        };
        match &v.kind {
            ValueKind::Aggregate(parts) => {
                let parts = parts.iter().map(|part| self.initial(part, span));
                Ok(list(parts.collect::<Translated<Vec<Init>>>()?))
            }
            ValueKind::String(bytes) => {
                let bytes = bytes.strip_suffix(&[0]).unwrap_or(bytes);
                Ok(Init::Expr(build::string(bytes, span)))
            }
            // What is undefined may be 0, and is what the loader has put there.
            ValueKind::Zero | ValueKind::Undef | ValueKind::Poison
                if self.types.is_aggregate(&v.ty) =>
            {
                Ok(list(vec![]))
            }
            ValueKind::Undef | ValueKind::Poison => {
                let zero = TypedOperand {
                    kind: ValueKind::Zero,
                    ..v.clone()
                };
                self.scalar(&zero, &NoRegisters, span).map(Init::Expr)
            }
            _ => self.scalar(v, &NoRegisters, span).map(Init::Expr),
        }
    }

    /// The type in C of what a function returns: C has no values that are arrays.
    pub(super) fn returned(&self, ty: &Type) -> Type {
        match self.types.resolve(ty) {
            Ok(Type::Array(..)) => Type::Struct {
                packed: false,
                fields: vec![ty.clone()],
            },
            _ => ty.clone(),
        }
    }

    /// The parameters of a function in C.
    fn parameters(&mut self, types: &[(String, Type, Span)]) -> Translated<Vec<CParam>> {
        let mut params = Vec::new();
        for (name, ty, span) in types {
            let ty = self.returned(ty);
            let c = self.types.c(&ty)?;
            params.push(CParam {
                name: (!name.is_empty()).then(|| build::ident(name, *span)),
                base: c.spec(Qualifiers::default(), *span),
                derived: c.derived,
                span: *span,
            });
        }
        Ok(params)
    }

    /// The type in C of a pointer to a function.
    pub(super) fn function_pointer(&mut self, ty: &FunctionType, span: Span) -> Translated<CType> {
        let ret = self.returned(&ty.ret);
        let mut c = self.types.c(&ret)?;
        let params = ty.params.iter().map(|ty| (String::new(), ty.clone(), span));
        let params = self.parameters(&params.collect::<Vec<_>>())?;
        c.derived.push(Derived::Function {
            variadic: ty.variadic,
            params,
        });
        Ok(c.pointed())
    }

    /// The head of a function in C: what it returns and its parameters.
    fn head(&mut self, f: &Function, span: Span) -> Translated<CType> {
        if f.name == "main" {
            let params = if self.has_arguments {
                &f.params[..]
            } else {
                &[]
            };
            return main_head(params, span);
        }
        let ret = self.returned(&f.ret);
        let mut c = self.types.c(&ret)?;
        let params = f.params.iter().map(|p| {
            let name = match p.name.is_empty() {
                true => String::new(),
                false => format!("%{}", p.name),
            };
            (name, p.ty.clone(), span)
        });
        let params = self.parameters(&params.collect::<Vec<_>>())?;
        c.derived.push(Derived::Function {
            params,
            variadic: f.variadic,
        });
        Ok(c)
    }

    fn rules(&self, f: &Function) -> Vec<Derived> {
        let span = f.span;
        let priority = |p: &u64| Some(Box::new(build::int(*p, IntKind::UInt, span)));
        let mut rules: Vec<Derived> = self.symbol(&f.name).into_iter().collect();
        if let Linkage::Weak | Linkage::AvailableExternally | Linkage::ExternWeak = f.linkage {
            rules.push(Derived::Linker(LinkerRule::Weak));
        }
        if let Some(p) = self.constructors.get(&f.name) {
            rules.push(Derived::Constructor(priority(p)));
        }
        if let Some(p) = self.destructors.get(&f.name) {
            rules.push(Derived::Destructor(priority(p)));
        }
        rules
    }

    /// The declaration of a function.
    pub(super) fn prototype(&mut self, f: &Function) -> Option<Item> {
        let span = self.debug.function(f);
        // What cannot be declared is refused where it is defined.
        let c = self.head(f, span).ok()?;
        let storage = Storage {
            internal: f.linkage == Linkage::Internal,
            ..Storage::default()
        };
        let named = (self.c_name(&f.name), span);
        let mut d = build::declaration(storage, &c, Qualifiers::default(), named, None);
        d.declarators[0].derived.extend(self.rules(f));
        Some(Item::Declaration(d))
    }

    /// A function with a body in C.
    pub(super) fn c_function(
        &mut self,
        f: &Function,
        body: Vec<crate::front::c::ast::BlockItem>,
        span: Span,
    ) -> Translated<CFunction> {
        let c = self.head(f, span)?;
        Ok(CFunction {
            name: build::ident(self.c_name(&f.name), span),
            head: span,
            storage: Storage {
                internal: f.linkage == Linkage::Internal,
                ..Storage::default()
            },
            base: c.spec(Qualifiers::default(), span),
            derived: c.derived,
            old_style: false,
            body,
            span,
        })
    }
}

/// Whether a function writes a number or a pointer where a parameter points to: objects that threads synchronise
/// with, and other structures, are known by the text of their addresses.
fn is_result(param: &CParam) -> bool {
    let pointers = &param.derived;
    let only = pointers.iter().all(|d| matches!(d, Derived::Pointer(_)));
    let least = match &param.base.kind {
        TypeSpecKind::Int(_) => 1,
        TypeSpecKind::Named(name) if name == "pthread_t" || name == "pthread_key_t" => 1,
        _ => 2,
    };
    only && pointers.len() >= least
}

/// `int main(void)` or `int main(int, char **)`
fn main_head(params: &[Param], span: Span) -> Translated<CType> {
    let mut c = CType::int(IntKind::Int);
    let types = [
        CType::int(IntKind::Int),
        CType::int(IntKind::Char).pointed().pointed(),
    ];
    if params.len() > types.len() {
        return Err("a `main` of this type".to_string());
    }
    let params = params.iter().zip(types).map(|(p, ty)| CParam {
        name: Some(build::ident(&format!("%{}", p.name), span)),
        base: ty.spec(Qualifiers::default(), span),
        derived: ty.derived,
        span,
    });
    c.derived.push(Derived::Function {
        params: params.collect(),
        variadic: false,
    });
    Ok(c)
}

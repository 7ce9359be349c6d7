//! What a module of LLVM calls and does not define: functions of C's library, which the lowering of C knows,
//! and those of the runtime of C++, which `runtime.c` has in C.

use super::rust;
use crate::front::c::ast::{Derived, Item, LinkerRule, Param, TranslationUnit};
use crate::front::llvm::ast::{Function, Linkage, Module, Op, Type, TypedOperand, ValueKind};
use crate::lower::c::registry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// The runtime of C++ in C. Its functions begin in the first column, each with its head on one line.
const TEXT: &str = include_str!("runtime.c");

/// A function that allocates or frees, as C's library has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allocation {
    /// C's function.
    pub(super) function: &'static str,
    /// Which arguments it gets.
    pub(super) arguments: &'static [usize],
}

/// Functions that allocate and free: those of C, and `operator new` and `delete`, which do not fail here as
/// exceptions are not followed.
const ALLOCATIONS: [(&str, Allocation); 22] = [
    ("malloc", with("malloc", &[0])),
    ("calloc", with("calloc", &[0, 1])),
    ("realloc", with("realloc", &[0, 1])),
    ("aligned_alloc", with("aligned_alloc", &[0, 1])),
    ("_Znwm", with("malloc", &[0])),
    ("_Znam", with("malloc", &[0])),
    ("_ZnwmRKSt9nothrow_t", with("malloc", &[0])),
    ("_ZnamRKSt9nothrow_t", with("malloc", &[0])),
    ("_ZnwmSt11align_val_t", with("aligned_alloc", &[1, 0])),
    ("_ZnamSt11align_val_t", with("aligned_alloc", &[1, 0])),
    ("_ZdlPv", with("free", &[0])),
    ("_ZdaPv", with("free", &[0])),
    ("_ZdlPvm", with("free", &[0])),
    ("_ZdaPvm", with("free", &[0])),
    ("_ZdlPvSt11align_val_t", with("free", &[0])),
    ("_ZdlPvmSt11align_val_t", with("free", &[0])),
    ("_ZdaPvSt11align_val_t", with("free", &[0])),
    ("_ZdaPvmSt11align_val_t", with("free", &[0])),
    ("_ZdlPvRKSt9nothrow_t", with("free", &[0])),
    ("_ZdaPvRKSt9nothrow_t", with("free", &[0])),
    (
        "_ZnwmSt11align_val_tRKSt9nothrow_t",
        with("aligned_alloc", &[1, 0]),
    ),
    (
        "_ZnamSt11align_val_tRKSt9nothrow_t",
        with("aligned_alloc", &[1, 0]),
    ),
];

const fn with(function: &'static str, arguments: &'static [usize]) -> Allocation {
    Allocation {
        function,
        arguments,
    }
}

/// What a function allocates or frees.
pub(super) fn allocation(name: &str) -> Option<Allocation> {
    let found = ALLOCATIONS.iter().find(|(known, _)| *known == name);
    found.map(|(_, allocation)| *allocation)
}

/// The functions and variables of `runtime.c` and `rust.c`.
fn given() -> &'static BTreeSet<&'static str> {
    static GIVEN: OnceLock<BTreeSet<&str>> = OnceLock::new();
    GIVEN.get_or_init(|| {
        let lines = TEXT.lines().chain(rust::TEXT.lines());
        let heads = lines.filter(|l| l.starts_with(|c: char| c.is_ascii_alphabetic()));
        let names = heads.filter_map(|line: &'static str| {
            let before = line.split(['(', ';', '=', '[']).next()?;
            before.trim_end().rsplit([' ', '*']).next()
        });
        names.filter(|n| n.starts_with('_')).collect()
    })
}

/// Whether the runtime has a function in C.
pub(super) fn is_given(name: &str) -> bool {
    given().contains(name)
}

/// Whether a function that is declared alone has a meaning.
pub(super) fn is_known(name: &str) -> bool {
    allocation(name).is_some()
        || registry::is_known(name)
        || rust::is_known(name)
        || given().contains(name)
}

/// Whether a function of C's library returns something.
pub(super) fn has_result(name: &str) -> bool {
    let row = registry::find(name);
    row.is_none_or(|(_, row)| row.returns != registry::Returns::Nothing)
}

/// A text in C with the declarations of what a module calls, and with the functions of the runtime.
pub fn prelude(module: &Module) -> String {
    let elsewhere = [Linkage::Weak, Linkage::AvailableExternally];
    let is_wanted = |f: &&Function| f.blocks.is_empty() || elsewhere.contains(&f.linkage);
    let functions = module.functions.iter().filter(is_wanted);
    let names = functions.map(|f| f.name.as_str());
    let globals = module.globals.iter().filter(|g| g.init.is_none());
    let names: BTreeSet<&str> = names.chain(globals.map(|g| g.name.as_str())).collect();
    let given = given();
    let mut headers = BTreeSet::new();
    let mut calls = BTreeSet::new();
    // One that catches exceptions says so to the modules that it is linked with.
    let catches = catches(module);
    let mut runtime = catches;
    for name in names {
        let name = allocation(name).map_or(name, |a| a.function);
        let name = rust::function(name).unwrap_or(name);
        runtime |= given.contains(name);
        if matches!(name, "stdin" | "stdout" | "stderr") {
            headers.insert("stdio.h");
        }
        if let Some((header, _)) = registry::find(name)
            && registry::is_known(name)
        {
            headers.insert(header);
            calls.insert(name);
        }
    }
    if has_mutex_kinds(module) {
        calls.insert("__llvm_mutex_kind");
    }
    if has_initial(module, &|v| is_set(v, RWLOCK, RWLOCK_KIND)) {
        calls.insert("__llvm_rwlock_kind");
    }
    let taken: BTreeSet<&str> = taken(module);
    let mut text = String::new();
    for header in headers.iter().filter(|h| h.ends_with(".h")) {
        text.push_str(&format!("#include <{header}>\n"));
    }
    if catches {
        text.push_str("#define __LLVM_CATCHES\n");
    }
    match rust::needs_text(module) {
        true => text.push_str(rust::TEXT),
        false if runtime => text.push_str(TEXT),
        false => {}
    }
    // Which functions that the library has in C are wanted is seen by their calls.
    text.push_str("static void __llvm_calls(void) {\n");
    for name in &calls {
        text.push_str(&format!("  {name}();\n"));
        if taken.contains(name) {
            text.push_str(&format!("  {name};\n"));
        }
    }
    text.push_str("}\n");
    text
}

/// Whether a function catches exceptions, other than to end the program where none may leave.
fn catches(module: &Module) -> bool {
    let may_catch = module
        .functions
        .iter()
        .filter(|f| f.name != "__clang_call_terminate");
    let mut all = may_catch.flat_map(|f| f.blocks.iter().flat_map(|b| &b.instructions));
    all.any(|i| match &i.op {
        Op::Call(call) => {
            matches!(&call.callee.kind, ValueKind::Global(name) if name == "__cxa_begin_catch")
        }
        _ => false,
    })
}

/// Makes the definitions of the runtime weak: each module of a program has its own copy of them.
pub(super) fn weaken(prelude: &mut TranslationUnit) {
    let weak = || Derived::Linker(LinkerRule::Weak);
    for item in &mut prelude.items {
        match item {
            Item::Function(f) if !f.storage.internal && is_given(&f.name.name) => {
                f.derived.insert(0, weak());
            }
            Item::Declaration(d) if !d.storage.internal && !d.storage.typedef => {
                let own = d.declarators.iter_mut();
                let own = own.filter(|d| is_given(&d.name.name));
                own.for_each(|d| d.derived.insert(0, weak()));
            }
            _ => {}
        }
    }
}

/// Whether a mutex may have a kind that no call of `pthread_mutex_init` gives it.
fn has_mutex_kinds(module: &Module) -> bool {
    let is_recursive = |name: &String| name.contains("recursive_") && name.contains("mutex");
    module.types.keys().any(is_recursive)
        || module.functions.iter().any(|f| f.name == "mtx_init")
        || has_initial(module, &|v| is_set(v, MUTEX, MUTEX_KIND))
}

/// A mutex of glibc, and which of its numbers is its kind.
const MUTEX: &str = "struct.__pthread_mutex_s";
const MUTEX_KIND: usize = 4;
/// The same of a lock for readers and writers; an array is one of the numbers before.
const RWLOCK: &str = "struct.__pthread_rwlock_arch_t";
const RWLOCK_KIND: usize = 11;

/// Whether an initial value, or a part of it, is such a one.
fn has_initial(module: &Module, is_one: &dyn Fn(&TypedOperand) -> bool) -> bool {
    fn has(v: &TypedOperand, is_one: &dyn Fn(&TypedOperand) -> bool) -> bool {
        let ValueKind::Aggregate(parts) = &v.kind else {
            return false;
        };
        is_one(v) || parts.iter().any(|part| has(part, is_one))
    }
    let mut initial = module.globals.iter().filter_map(|g| g.init.as_ref());
    initial.any(|v| has(v, is_one))
}

/// Whether a part of a structure has another value than zero.
fn is_set(v: &TypedOperand, structure: &str, part: usize) -> bool {
    let ValueKind::Aggregate(parts) = &v.kind else {
        return false;
    };
    let is_zero = |v: &TypedOperand| matches!(v.kind, ValueKind::Int(0) | ValueKind::Zero);
    let is_one = matches!(&v.ty, Type::Named(name) if name == structure);
    is_one && parts.get(part).is_some_and(|v| !is_zero(v))
}

/// Functions whose addresses are values.
fn taken(module: &Module) -> BTreeSet<&str> {
    let mut taken = BTreeSet::new();
    let mut see = |v: &'_ TypedOperand| {
        if let ValueKind::Global(name) = &v.kind {
            let known = module.functions.iter().find(|f| f.name == *name);
            taken.extend(known.map(|f: &Function| f.name.as_str()));
        }
    };
    for f in &module.functions {
        for i in f.blocks.iter().flat_map(|b| &b.instructions) {
            match &i.op {
                Op::Call(call) | Op::Invoke { call, .. } => {
                    call.args.iter().for_each(|arg| see(&arg.value));
                }
                op => super::stack::operands(op, &mut see),
            }
        }
    }
    taken
}

/// The parameters of the functions that a unit declares.
pub(super) fn prototypes(unit: &TranslationUnit) -> BTreeMap<&str, &[Param]> {
    let mut found = BTreeMap::new();
    for item in &unit.items {
        let (name, derived) = match item {
            Item::Declaration(d) => match &d.declarators[..] {
                [one] => (one.name.name.as_str(), &one.derived),
                _ => continue,
            },
            Item::Function(f) => (f.name.name.as_str(), &f.derived),
            Item::StaticAssert(_) => continue,
        };
        let function = derived.iter().find_map(|d| match d {
            Derived::Function { params, .. } => Some(&params[..]),
            _ => None,
        });
        found.extend(function.map(|params| (name, params)));
    }
    found
}

/// The variables that a unit declares.
pub(super) fn variables(unit: &TranslationUnit) -> BTreeSet<&str> {
    let is_function = |d: &Derived| matches!(d, Derived::Function { .. });
    let mut names = BTreeSet::new();
    for item in &unit.items {
        if let Item::Declaration(d) = item
            && d.storage.external
        {
            let variables = d.declarators.iter();
            let variables = variables.filter(|d| !d.derived.iter().any(is_function));
            names.extend(variables.map(|d| d.name.name.as_str()));
        }
    }
    names
}

/// The names that a unit defines.
pub(super) fn defined(unit: &TranslationUnit) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for item in &unit.items {
        match item {
            Item::Function(f) => drop(names.insert(f.name.name.as_str())),
            Item::Declaration(d) if !d.storage.external && !d.storage.typedef => {
                names.extend(d.declarators.iter().map(|d| d.name.name.as_str()));
            }
            _ => {}
        }
    }
    names
}

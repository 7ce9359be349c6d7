//! The names of a file: types, constructors, symbols, predicates.

use super::types::{MAX_CONSTRUCTORS, MAX_SYMBOLS, MemorySemantics, SymId, Symbol, Type, TypeId};
use crate::cub::ast::{self, SymbolKind};
use base::diag::Diag;
use base::idx::{IdVec, position};
use base::source::Span;
use rustc_hash::FxHashMap;

/// True when the file declares a weak variable or array.
fn has_weak(file: &ast::File) -> bool {
    file.symbols.iter().any(|s| s.kind == SymbolKind::Weak)
}

/// Everything declared, and the errors found so far.
pub(super) struct Scope<'a> {
    pub file: &'a ast::File,
    pub memory: MemorySemantics,
    pub types: IdVec<TypeId, Type>,
    pub symbols: IdVec<SymId, Symbol>,
    pub scale: i64,
    pub decimals: u32,
    pub fixed: u8,
    pub errors: Vec<Diag>,
    pub warnings: Vec<Diag>,
    /// Formula nodes made so far: expansion of predicates and `<=>` can explode.
    pub nodes: usize,
    type_names: FxHashMap<String, TypeId>,
    pub ctors: FxHashMap<String, (TypeId, u16)>,
    pub symbol_names: FxHashMap<String, SymId>,
}

pub(super) const INT: TypeId = TypeId(0);

pub(super) const REAL: TypeId = TypeId(1);

pub(super) const PROC: TypeId = TypeId(2);

impl<'a> Scope<'a> {
    pub fn new(file: &'a ast::File, memory: MemorySemantics) -> Scope<'a> {
        let weak = has_weak(file);
        let mut scope = Scope {
            file,
            memory: if weak { memory } else { MemorySemantics::Flat },
            types: IdVec::new(),
            symbols: IdVec::new(),
            scale: 1,
            decimals: 0,
            fixed: 0,
            errors: Vec::new(),
            warnings: Vec::new(),
            nodes: 0,
            type_names: FxHashMap::default(),
            ctors: FxHashMap::default(),
            symbol_names: FxHashMap::default(),
        };
        for (name, ty) in [
            ("int", Type::Int),
            ("real", Type::Real),
            ("proc", Type::Proc),
        ] {
            let id = scope.types.push(ty);
            scope.type_names.insert(name.to_string(), id);
        }
        let values = ["False", "True"].map(str::to_string).to_vec();
        let id = scope.types.push(Type::Enum("bool".into(), values));
        for name in ["bool", "mbool"] {
            scope.type_names.insert(name.to_string(), id);
        }
        for (i, name) in ["False", "True"].into_iter().enumerate() {
            scope.ctors.insert(name.to_string(), (id, position(i)));
        }
        scope.declare_types();
        scope.declare_symbols();
        scope
    }

    pub fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(Diag::error(span, message));
    }

    pub fn unsupported(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(Diag::unsupported(span, message));
    }

    fn declare_types(&mut self) {
        for decl in &self.file.types {
            if self.type_names.contains_key(&decl.name.text) {
                let message = format!("the type `{}` is declared twice", decl.name.text);
                self.error(decl.name.span, message);
                continue;
            }
            if decl.constructors.len() > MAX_CONSTRUCTORS {
                let message = format!(
                    "`{}` has {} constructors; more than {MAX_CONSTRUCTORS} are not supported",
                    decl.name.text,
                    decl.constructors.len()
                );
                self.unsupported(decl.name.span, message);
                continue;
            }
            let id = self.types.next_id();
            let names: Vec<String> = decl.constructors.iter().map(|c| c.text.clone()).collect();
            for (i, ctor) in decl.constructors.iter().enumerate() {
                if self
                    .ctors
                    .insert(ctor.text.clone(), (id, position(i)))
                    .is_some()
                {
                    let message = format!("the constructor `{}` is declared twice", ctor.text);
                    self.error(ctor.span, message);
                }
            }
            self.types.push(if names.is_empty() {
                Type::Abstract(decl.name.text.clone())
            } else {
                Type::Enum(decl.name.text.clone(), names)
            });
            self.type_names.insert(decl.name.text.clone(), id);
        }
    }

    fn declare_symbols(&mut self) {
        for decl in &self.file.symbols {
            let name = &decl.name.text;
            if self.symbol_names.contains_key(name) {
                self.error(decl.name.span, format!("`{name}` is declared twice"));
                continue;
            }
            if self.ctors.contains_key(name) {
                let message = format!("`{name}` is already the name of a constructor");
                self.error(decl.name.span, message);
                continue;
            }
            let Some(ty) = self.type_names.get(&decl.ty.text).copied() else {
                let near = nearest(&decl.ty.text, self.type_names.keys());
                let mut diag =
                    Diag::error(decl.ty.span, format!("there is no type `{}`", decl.ty.text));
                if let Some(near) = near {
                    diag = diag.note(format!("there is a type `{near}`"));
                }
                self.errors.push(diag);
                continue;
            };
            if self.symbols.len() == MAX_SYMBOLS {
                let message = format!("more than {MAX_SYMBOLS} variables are not supported");
                self.unsupported(decl.name.span, message);
                return;
            }
            if decl.arity > 2 {
                let message = "arrays of more than two process indices are not supported";
                self.unsupported(decl.name.span, message);
                continue;
            }
            let weak = decl.kind == SymbolKind::Weak;
            if self.memory == MemorySemantics::Buffered
                && decl.kind == SymbolKind::Plain
                && decl.arity == 0
            {
                self.errors.push(
                    Diag::error(
                        decl.name.span,
                        format!(
                            "`{name}` is shared but not weak; every process would see it at once"
                        ),
                    )
                    .note(
                        "declare it `weak var`, or make it an array with a cell for each process",
                    ),
                );
            }
            let id = self.symbols.push(Symbol {
                name: name.clone(),
                kind: if weak && self.memory == MemorySemantics::Flat {
                    SymbolKind::Plain
                } else {
                    decl.kind
                },
                arity: decl.arity,
                ty,
            });
            self.symbol_names.insert(name.clone(), id);
        }
    }

    /// What an unknown capitalised name might have meant.
    pub fn near_name(&self, name: &str) -> Option<String> {
        nearest(name, self.symbol_names.keys().chain(self.ctors.keys()))
    }
}

/// The name nearest to `wanted`, when it is near enough; ties go to the first in the alphabet.
pub(super) fn nearest<'n>(wanted: &str, names: impl Iterator<Item = &'n String>) -> Option<String> {
    let close = 1 + wanted.chars().count() / 4;
    names
        .map(|n| (distance(wanted, n), n))
        .filter(|(d, _)| *d <= close)
        .min()
        .map(|(_, n)| n.clone())
}

/// How many letters must be changed, added or removed.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

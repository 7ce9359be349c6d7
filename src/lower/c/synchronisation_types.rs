//! The types of the objects of POSIX and C11 that threads synchronise with.
//!
//! A preprocessed file brings them along as its platform has them, often as unions of bytes. Here they are
//! three words, of which the first is the state; what a platform keeps in the rest is its own. Where the
//! program itself has all functions of a type that it calls (it is the library, or a part of it), the type
//! stays as it is.

use super::linker_name::LinkerName;
use super::{Lowering, builtin, purity};
use crate::front::c::ast::{Item, TranslationUnit};
use crate::front::c::record::{Member, RecordLayout};
use crate::front::c::types::{Record, Type, TypeId};
use std::collections::BTreeSet;

/// The types, and what the names of their functions begin with.
const TYPES: [(&str, &str); 12] = [
    ("pthread_mutex_t", "pthread_mutex_"),
    ("pthread_cond_t", "pthread_cond_"),
    ("pthread_rwlock_t", "pthread_rwlock_"),
    ("pthread_barrier_t", "pthread_barrier_"),
    ("pthread_attr_t", "pthread_attr_"),
    ("pthread_mutexattr_t", "pthread_mutexattr_"),
    ("pthread_condattr_t", "pthread_condattr_"),
    ("pthread_rwlockattr_t", "pthread_rwlockattr_"),
    ("pthread_barrierattr_t", "pthread_barrierattr_"),
    ("sem_t", "sem_"),
    ("mtx_t", "mtx_"),
    ("cnd_t", "cnd_"),
];

/// The types that a program implements: those of which some unit defines a function, and no unit calls one
/// that none defines.
pub(super) fn implemented(units: &[TranslationUnit]) -> BTreeSet<&'static str> {
    let (mut defined, mut called) = (BTreeSet::new(), BTreeSet::new());
    for item in units.iter().flat_map(|unit| &unit.items) {
        match item {
            Item::Function(f) => {
                defined.insert(f.name.name.clone());
                called.append(&mut purity::called(&f.body));
            }
            Item::Declaration(d) => {
                let aliases = d
                    .declarators
                    .iter()
                    .filter(|declarator| LinkerName::of(&declarator.derived).alias.is_some());
                defined.extend(aliases.map(|declarator| declarator.name.name.clone()));
            }
            Item::StaticAssert(_) => {}
        }
    }
    let calls_library = |prefix: &str| {
        let mut names = called.iter().filter(|name| name.starts_with(prefix));
        names.any(|name| builtin::registry::is_known(name) && !defined.contains(name))
    };
    let defines = |prefix: &str| {
        let mut names = defined.iter().filter(|name| name.starts_with(prefix));
        names.any(|name| builtin::registry::is_known(name))
    };
    // Attributes belong to what they are attributes of.
    let is_implemented = |prefix: &str| {
        let object = prefix.strip_suffix("attr_");
        let object = object.filter(|object| !object.ends_with('_'));
        let object = object.map_or(prefix.to_string(), |object| format!("{object}_"));
        defines(&object) && !calls_library(&object) && !calls_library(prefix)
    };
    let types = TYPES.iter().filter(|(_, prefix)| is_implemented(prefix));
    types.map(|(name, _)| *name).collect()
}

impl<'a> Lowering<'a> {
    /// The type that a name stands for: three words in place of a platform's structure.
    pub(super) fn replaced_by_words(&mut self, name: &str, ty: TypeId) -> TypeId {
        let is_known = TYPES.iter().any(|(known, _)| *known == name);
        if !is_known || self.implemented.contains(name) || !self.types.is_record(ty) {
            return ty;
        }
        let int = self.types.int();
        let record = Record {
            tag: name.to_string(),
            union: false,
            transparent: false,
            fields: None,
            size: 0,
            align: 4,
        };
        let id = self.types.records.push(record);
        let words = ["__state", "__word1", "__word2"];
        let members = words.map(|name| Member::plain(name, int)).to_vec();
        self.types.complete(id, members, RecordLayout::default());
        self.types.id(Type::Record(id))
    }
}

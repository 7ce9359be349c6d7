//! The types of the objects of POSIX and C11 that threads synchronise with.
//!
//! A preprocessed file brings them along as its platform has them, often as unions of bytes. Here they are
//! three words, of which the first is the state; what a platform keeps in the rest is its own. Where the
//! program itself has all functions of a type that it calls (it is the library, or a part of it), the type
//! stays as it is.

use super::Lowering;
use super::builtin::registry;
use crate::front::c::record::{Member, RecordLayout};
use crate::front::c::types::{Record, Type, TypeId};

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

impl<'a> Lowering<'a> {
    /// The type that a name stands for: three words in place of a platform's structure.
    pub(super) fn replaced_by_words(&mut self, name: &str, ty: TypeId) -> TypeId {
        let known = TYPES.iter().find(|(known, _)| *known == name);
        let stays = known.is_none_or(|(_, prefix)| self.is_implemented(prefix));
        if stays || !self.types.is_record(ty) {
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

    /// Whether the program has the functions of a type that begin so, or those of which it has the attributes: it
    /// defines one, and calls none that it does not define.
    fn is_implemented(&self, prefix: &str) -> bool {
        let object = prefix.strip_suffix("attr_");
        let object = object.filter(|object| !object.ends_with('_'));
        let object = object.map_or(prefix.to_string(), |object| format!("{object}_"));
        let (defined, called) = (self.names.defined(), self.names.called());
        let mut own = defined.iter().filter(|name| name.starts_with(&object));
        let mut others = called.difference(defined);
        own.any(|name| registry::is_known(name))
            && !others.any(|name| {
                let of_type = name.starts_with(&object) || name.starts_with(prefix);
                of_type && registry::is_known(name)
            })
    }
}

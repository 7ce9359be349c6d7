//! Which types of different translation units are compatible (C11 6.2.7).
//!
//! Within a unit equal types have equal ids. A structure that two units declare has an id in each, so
//! here structures are compared by their tags and members.

use super::types::{FnType, RecordId, Type, TypeId, Types};
use std::collections::BTreeSet;

/// Why two types are not compatible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incompatible {
    /// The first member of a structure that differs, as a sentence; `None` when the types differ
    /// otherwise.
    pub member: Option<String>,
}

/// Structures that are compared already, further out.
type Compared = BTreeSet<(RecordId, RecordId)>;

impl Types {
    /// Compares two types.
    ///
    /// # Errors
    /// They are not compatible.
    pub fn compatible(&self, a: TypeId, b: TypeId) -> Result<(), Incompatible> {
        self.compare(a, b, &mut Compared::new())
    }

    /// Compares the type of a function's declaration with that of its definition, whose parameters
    /// are known even when there are none.
    ///
    /// # Errors
    /// They are not compatible.
    pub fn compatible_with_definition(
        &self,
        declared: TypeId,
        defined: TypeId,
    ) -> Result<(), Incompatible> {
        if let (Type::Function(f), Type::Function(g)) = (self.get(declared), self.get(defined))
            && g.params.is_empty()
            && !f.params.is_empty()
        {
            return Err(Incompatible { member: None });
        }
        self.compatible(declared, defined)
    }

    fn compare(&self, a: TypeId, b: TypeId, seen: &mut Compared) -> Result<(), Incompatible> {
        let same = match (self.get(a), self.get(b)) {
            _ if self.same(a, b) => true,
            (Type::Pointer(a), Type::Pointer(b))
            | (Type::Atomic(a), Type::Atomic(b))
            | (Type::Volatile(a), Type::Volatile(b)) => return self.compare(*a, *b, seen),
            (Type::Array(a, m), Type::Array(b, n)) if m == n || m.is_none() || n.is_none() => {
                return self.compare(*a, *b, seen);
            }
            (Type::Record(a), Type::Record(b)) => return self.compare_records(*a, *b, seen),
            (Type::Function(f), Type::Function(g)) => {
                self.compare(f.ret, g.ret, seen)?;
                if f.has_no_prototype() || g.has_no_prototype() {
                    return Ok(());
                }
                for (p, q) in f.params.iter().zip(&g.params) {
                    self.compare(*p, *q, seen)?;
                }
                f.params.len() == g.params.len() && f.variadic == g.variadic
            }
            _ => false,
        };
        match same {
            true => Ok(()),
            false => Err(Incompatible { member: None }),
        }
    }

    fn compare_records(
        &self,
        a: RecordId,
        b: RecordId,
        seen: &mut Compared,
    ) -> Result<(), Incompatible> {
        let (x, y) = (&self.records[a], &self.records[b]);
        if x.tag != y.tag || x.union != y.union {
            return Err(Incompatible { member: None });
        }
        let (Some(fields), Some(others)) = (&x.fields, &y.fields) else {
            return Ok(());
        };
        if !seen.insert((a, b)) {
            return Ok(());
        }
        let kind = if x.union { "union" } else { "struct" };
        let tag = match x.tag.as_str() {
            "" => "(unnamed)",
            tag => tag,
        };
        let differs = |what: String| {
            Err(Incompatible {
                member: Some(format!("{what} `{kind} {tag}`")),
            })
        };
        for (f, g) in fields.iter().zip(others) {
            if f.name != g.name {
                return differs(format!(
                    "a member is called `{}` in one file and `{}` in the other of",
                    f.name, g.name
                ));
            }
            if self.compare(f.ty, g.ty, seen).is_err() || f.bits != g.bits || f.offset != g.offset {
                return differs(format!("the member `{}` differs between the two", f.name));
            }
        }
        if fields.len() != others.len() {
            return differs("the number of members differs between the two".to_string());
        }
        if (x.size, x.align) != (y.size, y.align) {
            return differs("the size differs between the two".to_string());
        }
        Ok(())
    }
}

impl FnType {
    /// Nothing is said about the parameters: `int f()`.
    pub fn has_no_prototype(&self) -> bool {
        self.params.is_empty() && self.variadic
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::c::record::{Member, RecordLayout};
    use crate::front::c::types::Record;

    /// `struct node { struct node *next; T value; }`
    fn node(types: &mut Types, value: TypeId) -> TypeId {
        let id = types.records.push(Record {
            tag: "node".into(),
            union: false,
            transparent: false,
            fields: None,
            size: 0,
            align: 1,
        });
        let ty = types.id(Type::Record(id));
        let next = types.pointer(ty);
        let members = vec![Member::plain("next", next), Member::plain("value", value)];
        types.complete(id, members, RecordLayout::default());
        ty
    }

    #[test]
    fn structures_are_compared_by_their_members() {
        let mut types = Types::new(64);
        let (int, long) = (types.int(), types.ptrdiff_t());
        let (a, b, c) = (
            node(&mut types, int),
            node(&mut types, int),
            node(&mut types, long),
        );
        assert_eq!(types.compatible(a, b), Ok(()));
        let differs = types.compatible(a, c).expect_err("an int is no long");
        assert_eq!(
            differs.member.as_deref(),
            Some("the member `value` differs between the two `struct node`")
        );
    }

    #[test]
    fn a_definition_says_that_it_has_no_parameters() {
        let mut types = Types::new(64);
        let int = types.int();
        let mut function = |params: Vec<TypeId>, variadic| {
            types.id(Type::Function(FnType {
                ret: int,
                params,
                variadic,
            }))
        };
        let (unknown, none, one) = (
            function(Vec::new(), true),
            function(Vec::new(), false),
            function(vec![int], false),
        );
        assert!(types.compatible(unknown, one).is_ok());
        assert!(types.compatible_with_definition(unknown, one).is_ok());
        assert!(types.compatible_with_definition(none, unknown).is_ok());
        assert!(types.compatible_with_definition(one, unknown).is_err());
        assert!(types.compatible_with_definition(none, one).is_err());
    }
}

//! Which kinds of property are checked: those that are named, else those that are the default for the
//! program and the model.
//!
//! To a language with undefined races a program with one has no meaning, so what is known of its other
//! properties is nothing: there races are a default whatever the program asserts. Who names the kinds and
//! leaves races out gets an answer that assumes that there are none.

use cat::model::Model;
use ir::program::PropertyKind;

/// What is checked of a program.
#[derive(Clone, Debug, Default)]
pub struct Checks {
    kinds: Vec<PropertyKind>,
    named: bool,
}

impl Checks {
    /// The kinds that the user has named, and no others.
    pub fn named(kinds: Vec<PropertyKind>) -> Checks {
        Checks { kinds, named: true }
    }

    /// The default for a program on most models.
    pub(super) fn defaults(has_assertions: bool) -> Checks {
        Checks {
            kinds: PropertyKind::defaults(has_assertions),
            named: false,
        }
    }

    /// These kinds, too.
    pub(super) fn and(mut self, others: &[PropertyKind]) -> Checks {
        self.kinds.extend(others);
        self
    }

    /// What the program is lowered for: the kinds of every model.
    pub(super) fn of_all(&self) -> &[PropertyKind] {
        &self.kinds
    }

    /// The kinds on a model, sorted.
    pub fn on(&self, model: &Model) -> Vec<PropertyKind> {
        self.on_any([model])
    }

    /// The kinds that are checked on some of these models, sorted.
    pub(super) fn on_any<'m>(
        &self,
        models: impl IntoIterator<Item = &'m Model>,
    ) -> Vec<PropertyKind> {
        let mut kinds = self.kinds.clone();
        if !self.named && models.into_iter().any(Model::leaves_races_undefined) {
            kinds.push(PropertyKind::Race);
        }
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn races_are_a_default_where_they_are_undefined() {
        let of = |checks: &Checks, name: &str| {
            let model = cat::builtin(name).expect("the model is built in");
            checks.on(&model).contains(&PropertyKind::Race)
        };
        let undefined = ["rc11"];
        for (name, _) in cat::names() {
            let expected = undefined.contains(&name);
            assert_eq!(of(&Checks::defaults(true), name), expected, "{name}");
            assert!(of(&Checks::defaults(false), name));
            let named = Checks::named(vec![PropertyKind::Assertion]);
            assert!(!of(&named, name));
        }
    }
}

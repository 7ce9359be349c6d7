//! How a linker knows what a file declares: asm labels, weak symbols, aliases, GNU's inline definitions.

use crate::front::c::ast::{Derived, LinkerRule, Storage};

/// Which translation units a name with static storage is known to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linkage {
    /// All of them.
    External,
    /// Its own.
    Internal,
    /// Its own, because every declaration says `inline` and none says `extern`; another unit may have
    /// the external definition.
    Inline,
}

/// How the linker knows a name.
#[derive(Clone, Debug, Default)]
pub struct LinkerName {
    /// Its name there, where that is another one than in the text.
    pub symbol: Option<String>,
    /// Another definition counts, and there may be none.
    pub weak: bool,
    /// The name there of what it is an alias of.
    pub alias: Option<String>,
    /// It is a global of Rust, whose type may differ between modules.
    pub is_of_rust: bool,
}

impl LinkerName {
    /// What a declarator says.
    pub fn of(derived: &[Derived]) -> LinkerName {
        let mut name = LinkerName::default();
        let mut refers = false;
        for rule in rules(derived) {
            match rule {
                LinkerRule::Symbol(symbol) => name.symbol = Some(symbol.clone()),
                LinkerRule::Weak => name.weak = true,
                LinkerRule::OfRust => name.is_of_rust = true,
                LinkerRule::Alias(symbol) => name.alias = Some(symbol.clone()),
                LinkerRule::WeakReference(symbol) => {
                    refers = true;
                    name.symbol = symbol.clone().or(name.symbol);
                }
                LinkerRule::GnuInline => {}
            }
        }
        if refers {
            name.weak = true;
            name.symbol = name.alias.take().or(name.symbol);
        }
        name
    }

    /// Adds what another declaration of the same name says.
    pub fn extend(&mut self, other: LinkerName) {
        self.symbol = other.symbol.or(self.symbol.take());
        self.alias = other.alias.or(self.alias.take());
        self.weak |= other.weak;
        self.is_of_rust |= other.is_of_rust;
    }

    /// The linker's name of what the text calls `name`.
    pub fn symbol<'a>(&'a self, name: &'a str) -> &'a str {
        self.symbol.as_deref().unwrap_or(name)
    }
}

fn rules(derived: &[Derived]) -> impl Iterator<Item = &LinkerRule> {
    derived.iter().filter_map(|step| match step {
        Derived::Linker(rule) => Some(rule),
        _ => None,
    })
}

/// Which units see a function that is declared so. `gnu_inline` is what `inline` meant before C99 (gcc's manual, "An
/// Inline Function is As Fast As a Macro").
pub fn linkage(storage: Storage, derived: &[Derived]) -> Linkage {
    let is = |wanted: fn(&LinkerRule) -> bool| rules(derived).any(wanted);
    let is_gnu = is(|rule| matches!(rule, LinkerRule::GnuInline));
    if is(|rule| matches!(rule, LinkerRule::WeakReference(_))) {
        return Linkage::External;
    }
    match storage {
        Storage { internal: true, .. } => Linkage::Internal,
        Storage {
            inline: true,
            external,
            ..
        } if external == is_gnu => Linkage::Inline,
        _ => Linkage::External,
    }
}

/// Whether it is a definition for calls of its file alone, which another one of the file may follow.
pub fn is_for_calls_alone(storage: Storage, derived: &[Derived]) -> bool {
    let mut rules = rules(derived);
    storage.inline && storage.external && rules.any(|rule| matches!(rule, LinkerRule::GnuInline))
}

//! What is made once and then used again: layouts of types, and objects that have no name of the source.

use crate::front::c::ast::IntKind;
use crate::front::c::types::TypeId;
use base::source::Span;
use ir::program::{GlobalId, LayoutId};
use std::collections::BTreeMap;

/// A string by its units and their type, and by its place where each place has one of its own.
pub(super) type StringKey = (Vec<u32>, IntKind, Option<Span>);

#[derive(Default)]
pub(super) struct Made {
    layouts: BTreeMap<TypeId, LayoutId>,
    strings: BTreeMap<StringKey, GlobalId>,
    of_words: BTreeMap<[u64; 2], GlobalId>,
    words: BTreeMap<GlobalId, [u64; 2]>,
    of_the_library: BTreeMap<&'static str, GlobalId>,
    results: BTreeMap<String, GlobalId>,
}

impl Made {
    pub(super) fn layout(&self, ty: TypeId) -> Option<LayoutId> {
        self.layouts.get(&ty).copied()
    }

    pub(super) fn keep_layout(&mut self, ty: TypeId, layout: LayoutId) {
        self.layouts.insert(ty, layout);
    }

    pub(super) fn string(&self, key: &StringKey) -> Option<GlobalId> {
        self.strings.get(key).copied()
    }

    pub(super) fn keep_string(&mut self, key: StringKey, global: GlobalId) {
        self.strings.insert(key, global);
    }

    /// The object that holds a constant of two words.
    pub(super) fn object_of_words(&self, words: [u64; 2]) -> Option<GlobalId> {
        self.of_words.get(&words).copied()
    }

    /// The words of a constant by its object.
    pub(super) fn words(&self, object: GlobalId) -> Option<[u64; 2]> {
        self.words.get(&object).copied()
    }

    pub(super) fn keep_words(&mut self, words: [u64; 2], object: GlobalId) {
        self.of_words.insert(words, object);
        self.words.insert(object, words);
    }

    /// An object of the library's own.
    pub(super) fn library_object(&self, name: &str) -> Option<GlobalId> {
        self.of_the_library.get(name).copied()
    }

    pub(super) fn keep_library_object(&mut self, name: &'static str, global: GlobalId) {
        self.of_the_library.insert(name, global);
    }

    /// The object whose address a function without a body may return.
    pub(super) fn result_object(&self, function: &str) -> Option<GlobalId> {
        self.results.get(function).copied()
    }

    pub(super) fn keep_result_object(&mut self, function: &str, global: GlobalId) {
        self.results.insert(function.to_string(), global);
    }
}

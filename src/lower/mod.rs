//! One file a source language.

pub mod c;
pub mod litmus;

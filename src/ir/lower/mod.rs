//! One file a source language.

pub mod c;

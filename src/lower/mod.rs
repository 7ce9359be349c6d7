//! One file a source language.

pub mod asm_system;
pub mod c;
pub mod litmus;

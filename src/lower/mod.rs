//! One file a source language.

pub mod asm;
pub mod asm_system;
pub mod c;
pub mod litmus;
pub mod llvm;

//! The front ends: what they read, and what they refuse.

mod bad_input;
mod c;
mod cargo_tests;
mod clang;
mod cpp_programs;
mod diagnostics;
mod instructions;
mod link;
mod litmus;
mod llvm;
mod modules;
mod mutated_c;
mod partial;
mod rust_programs;

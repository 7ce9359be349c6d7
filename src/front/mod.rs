//! Front ends: text to syntax. They never panic, and know nothing of what the text is used for.

pub mod asm;
pub mod c;
pub mod litmus;
pub mod llvm;
pub mod prp;

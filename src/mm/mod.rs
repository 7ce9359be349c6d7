//! Memory models: `.cat` text, the relations it defines, and judging an execution by them.

pub mod model;

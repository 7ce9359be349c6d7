//! Bounded checking, against enumeration, interpreters and itself without its reductions.

mod agreement;
mod awaits;
mod c;
mod concurrency_oracle;
mod encoding;
mod exploration;
mod lazy;
mod litmus;
mod narrowing;
mod orders;
mod orders_litmus;
mod publication;
mod race_oracle;
mod random_programs;
mod reductions;
mod replay;
mod sections;
mod selection;
mod sizes;
mod symmetric_races;
mod thread_modular;
mod thread_modular_deadlocks;
mod thread_modular_invariants;
mod thread_modular_messages;
mod trace_order;
mod trace_words;

//! Systems of any number of processes.

mod any;
mod any_number;
mod benchmarks;
mod cli;
mod cross;
mod data;
mod evidence;
mod generic;
mod goals;
mod history;
mod invariants;
mod limits;
mod mutated;
mod numbers;
mod outside;
mod robust;
mod search;
mod strategies;

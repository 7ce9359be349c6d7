//! Memory models, against recorded answers, published texts and each other.

mod cat;
mod compilation;
mod emit;
mod generate;
mod kernel_programs;
mod litmus_armv7;
mod litmus_c;
mod litmus_data;
mod litmus_machines;
mod native_run;
mod own_models;
mod published_models;
mod robust;

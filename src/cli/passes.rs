//! `wmbmc passes`: the passes from an input to its outcome.

use super::exit::Exit;
use super::output;
use crate::driver::InputKind;
use crate::driver::passes::PASSES;

/// Lists the passes, in order.
pub fn run() -> Exit {
    let shown = |kinds: &[InputKind]| -> String {
        let names: Vec<&str> = kinds.iter().map(|k| name(*k)).collect();
        names.join(" ")
    };
    for pass in &PASSES {
        let inputs = shown(pass.inputs);
        output::print(&format!("{:9}  {inputs:12}  {}\n", pass.name, pass.result));
        if !pass.printed.is_empty() {
            let printed = shown(pass.printed);
            output::print(&format!(
                "{:25}--dump after:{} ({printed})\n",
                "", pass.name
            ));
        }
    }
    Exit::Safe
}

fn name(kind: InputKind) -> &'static str {
    match kind {
        InputKind::Program => "c",
        InputKind::Litmus => "litmus",
        InputKind::System => "cub",
        InputKind::Assembly => "asm",
    }
}

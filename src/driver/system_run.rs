//! A run of a system in the words of its input: cells and values by their names, and of an x86
//! program the instruction that each transition stands for.

use super::outcome::{NamedCell, SourceLine, SystemAction, SystemRun, SystemStep};
use base::source::{SourceMap, Span};
use std::collections::BTreeMap;
use systems::concrete::{Machine, MachineState, Run, Step};
use systems::system::{StoreOrder, System};

/// What is needed to name things.
pub(super) struct RunNames<'a> {
    pub sources: &'a SourceMap,
    /// Of an x86 program: what each variable of the system is called in it.
    pub variables: Option<&'a [String]>,
    /// Of an x86 program: the constant that a value of an enumeration stands for in it.
    pub constants: Option<&'a BTreeMap<String, i64>>,
}

impl RunNames<'_> {
    /// A run of so many processes.
    pub fn run(&self, system: &System, order: StoreOrder, procs: u8, run: &Run) -> SystemRun {
        let machine = Machine::new(system, procs, order, &[]);
        let cell = |cell: u32, value: i64| NamedCell {
            cell: self.cell(system, &machine.cell_name(cell)),
            value: self.value(machine.value_name(cell, value)),
        };
        let update = |writes: &Vec<(u32, i64)>| -> Vec<NamedCell> {
            writes.iter().map(|(c, v)| cell(*c, *v)).collect()
        };
        let buffers = |state: &MachineState| {
            let queues = Machine::queues(state).iter();
            queues.map(|q| q.iter().map(update).collect()).collect()
        };
        let action = |step: &Step| match step {
            Step::Fire(t, args) => SystemAction::Transition {
                name: system.transitions[*t].name.clone(),
                processes: args.iter().map(|a| a + 1).collect(),
                instruction: self.instruction(system.transitions[*t].span),
            },
            Step::Flush(p, writes) => SystemAction::Flush {
                process: p + 1,
                writes: update(writes),
            },
            Step::Settle(c, v) => SystemAction::Initially(cell(*c, *v)),
        };
        let cells = || 0..machine.cells();
        let mut before = &run.start;
        let mut steps = Vec::new();
        for (step, after) in &run.steps {
            let is_new = |c: &u32| Machine::memory(after, *c) != Machine::memory(before, *c);
            let changed = cells().filter(is_new);
            steps.push(SystemStep {
                action: action(step),
                changes: changed
                    .filter_map(|c| Some(cell(c, Machine::memory(after, c)?)))
                    .collect(),
                buffers: buffers(after),
            });
            before = after;
        }
        let states = run.steps.iter().map(|(_, state)| state).chain([&run.start]);
        let integers = states.flat_map(|s| machine.integers(s));
        let end = cells().filter_map(|c| Some((c, Machine::memory(before, c)?)));
        SystemRun {
            property: system.unsafes[run.violated].name.clone(),
            processes: procs,
            transitions: run.len(),
            largest_integer: integers.map(i64::unsigned_abs).max().unwrap_or(0),
            steps,
            end: end.map(|(c, v)| cell(c, v)).collect(),
        }
    }

    /// A cell as the input names it.
    fn cell(&self, system: &System, name: &str) -> String {
        let (symbol, index) = name.split_at(name.find('[').unwrap_or(name.len()));
        let at = system.symbols.iter().position(|s| s.name == symbol);
        match self.variables.zip(at).and_then(|(v, at)| v.get(at)) {
            Some(variable) => format!("{variable}{index}"),
            None => name.to_string(),
        }
    }

    /// A value as the input names it.
    fn value(&self, name: String) -> String {
        let constant = self.constants.and_then(|c| c.get(&name));
        constant.map_or(name, i64::to_string)
    }

    fn instruction(&self, span: Span) -> Option<SourceLine> {
        self.variables?;
        let text = &self.sources.file(span.file).text;
        Some(SourceLine {
            line: self.sources.line_col(span.file, span.start).line,
            text: text[span.start as usize..span.end as usize].to_string(),
        })
    }
}

//! The exploration of executions beside their enumeration: both visit the same ones, each once.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use wmbmc::base::source::Span;
use wmbmc::cat::model::Model;
use wmbmc::enumerate::explore::{ExploreError, ExploreOptions, explore};
use wmbmc::enumerate::{EnumerateOptions, Enumeration};
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::{Program, PropertyKind};
use wmbmc::relations::idle::write_backs;
use wmbmc::unroll::WriteBacks;

/// Enumerations that an exploration was compared with.
static COMPARED: AtomicU64 = AtomicU64::new(0);

/// Explores a program on each model on which its enumeration is complete, and compares the two: final
/// states, each with the number of its executions, marks, and which properties are violated.
pub fn explores_alike(
    program: &Program,
    models: &[Model],
    options: &EnumerateOptions,
    enumerated: &[Enumeration],
) {
    for (model, expected) in models.iter().zip(enumerated) {
        if !expected.is_complete() {
            continue;
        }
        let found = match explore(program, model, options, ExploreOptions::default(), &|| {
            false
        }) {
            Ok(found) => found.found,
            Err(ExploreError::Refused { .. }) => continue,
            Err(error) => panic!("{}: {error}", model.name),
        };
        // Of an execution that violates several, others than assertions are shown by one of them.
        let violated = |e: &Enumeration| -> BTreeSet<(PropertyKind, Option<Span>)> {
            let all = e.violations.keys();
            let place = |kind, span| (kind == PropertyKind::Assertion).then_some(span);
            all.map(|(kind, span, _)| (*kind, place(*kind, *span)))
                .collect()
        };
        let show = || format!("{}: {:#?}", model.name, program.procs);
        assert_eq!(found.states, expected.states, "{}", show());
        assert_eq!(violated(&found), violated(expected), "{}", show());
        assert_eq!(found.unsupported, expected.unsupported, "{}", show());
        assert_eq!(found.limits_reached, expected.limits_reached, "{}", show());
        assert_eq!(found.flags, expected.flags, "{}", show());
        assert_eq!(found.ends, expected.ends, "{}", show());
        if let Some(shorter) = leaves_out_writes(model) {
            let found = explore(program, model, options, shorter, &|| false);
            let found = found.expect("it has been explored").found;
            let states = |e: &Enumeration| e.states.keys().cloned().collect::<Vec<_>>();
            assert_eq!(states(&found), states(expected), "shorter, {}", show());
            assert_eq!(violated(&found), violated(expected), "shorter, {}", show());
        }
        COMPARED.fetch_add(1, Ordering::Relaxed);
    }
}

/// How a program is explored without iterations that write what nobody misses, where the model allows that.
fn leaves_out_writes(model: &Model) -> Option<ExploreOptions> {
    let options = ExploreOptions {
        leaves_out_writes: true,
        kept: 8,
        ..ExploreOptions::default()
    };
    (write_backs(model) == WriteBacks::All).then_some(options)
}

/// How many enumerations an exploration was compared with.
pub fn compared() -> u64 {
    COMPARED.load(Ordering::Relaxed)
}

/// Times that an exploration looks whether it is to give up.
const PATIENCE: u64 = 100;

/// Which kinds of property some execution violates, loops followed until they end; `None` where there is no
/// end in sight, or the program cannot be explored.
pub fn violated_by_executions(
    program: &Program,
    model: &Model,
    kinds: &[PropertyKind],
) -> Option<Vec<bool>> {
    let options = EnumerateOptions {
        checks: kinds.to_vec(),
        bounds: Bounds::all(64),
        max_executions: u64::MAX,
    };
    let violated = |how: ExploreOptions| {
        let looks = Cell::new(0);
        let gives_up = || {
            looks.set(looks.get() + 1);
            looks.get() > PATIENCE
        };
        let found = explore(program, model, &options, how, &gives_up)
            .ok()?
            .found;
        let violates = |kind| found.violations.keys().any(|(k, ..)| k == kind);
        let is_whole = found.is_complete() && found.unsupported.is_empty();
        is_whole.then(|| kinds.iter().map(violates).collect())
    };
    let all: Option<Vec<bool>> = violated(ExploreOptions::default());
    let shorter = leaves_out_writes(model).and_then(violated);
    if let (Some(all), Some(shorter)) = (&all, &shorter) {
        assert_eq!(all, shorter, "{}: {:#?}", model.name, program.procs);
    }
    all.or(shorter)
}

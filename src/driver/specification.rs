//! What a property file of SV-COMP asks of the passes: the kinds of property that decide its
//! formulas, and what counts as an error of the program.
//!
//! The answer that an outcome is to the file, and its witness, are of `report::svcomp`.

use super::error::Error;
use super::options::ProgramOptions;
use crate::check::outcome::{CheckResult, Verdict};
use crate::front::prp::{self, Formula, Specification};
use crate::lower::c::{Arguments, Errors, LoweringOptions};
use base::diag::Diag;
use base::source::SourceMap;
use ir::awaits::loops_with_inputs;
use ir::program::{Expr, Op, Program, PropertyKind};
use std::path::Path;

/// Reads a property file.
///
/// # Errors
/// The file is wrong, or has a formula that no pass decides.
pub fn load(path: &Path) -> Result<Specification, Error> {
    let mut sources = SourceMap::default();
    let specification =
        prp::load(&mut sources, path).map_err(|diags| Error::refused(&sources, diags))?;
    let undecided = |(f, _): &&(Formula, _)| kind(f).is_none();
    if let Some((formula, span)) = specification.formulas.iter().find(undecided) {
        let message = format!("{} is not decided by this tool", formula.name());
        return Err(Error::refused(
            &sources,
            vec![Diag::unsupported(*span, message)],
        ));
    }
    Ok(specification)
}

/// The kind of property that decides a formula; `None` when there is none.
pub fn kind(formula: &Formula) -> Option<PropertyKind> {
    match formula {
        Formula::NoCall(_) | Formula::NoLabel(_) | Formula::Assert => Some(PropertyKind::Assertion),
        Formula::ValidFree | Formula::ValidDeref => Some(PropertyKind::Memory),
        Formula::ValidMemtrack | Formula::ValidMemcleanup => Some(PropertyKind::Leak),
        Formula::NoOverflow => Some(PropertyKind::Overflow),
        Formula::NoDataRace => Some(PropertyKind::Race),
        Formula::NoDeadlock => Some(PropertyKind::Deadlock),
        Formula::Termination => None,
    }
}

/// The kinds of property that the user has chosen, by a property file or by name; sorted, each once.
pub fn chosen(options: &ProgramOptions) -> Option<Vec<PropertyKind>> {
    let Some(specification) = &options.specification else {
        return options.checks.clone();
    };
    let formulas = specification.formulas.iter();
    let mut kinds: Vec<PropertyKind> = formulas.filter_map(|(f, _)| kind(f)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    Some(kinds)
}

/// Whether the user has said what to check.
pub fn has_chosen(options: &ProgramOptions) -> bool {
    chosen(options).is_some() || !options.also.is_empty()
}

/// What is asked of a program whose properties of these kinds are checked.
pub fn lowering_options(options: &ProgramOptions, checks: &[PropertyKind]) -> LoweringOptions {
    let checks = checks.to_vec();
    let weak_cas = options.weak_cas;
    let given = options.arguments.clone().map(Arguments::Given);
    let (harness, havoc) = (options.harness.clone(), options.havoc.clone());
    match &options.specification {
        None => LoweringOptions {
            checks,
            target: options.c.target,
            weak_cas,
            reuse_addresses: options.reuse_addresses,
            arguments: given.unwrap_or_default(),
            harness,
            havoc,
            subscripts_assumed: options.subscripts_assumed,
            ..LoweringOptions::default()
        },
        Some(specification) => LoweringOptions {
            checks,
            errors: errors(specification),
            target: options.c.target,
            weak_cas,
            reuse_addresses: options.reuse_addresses,
            // A proof is about every call of the program.
            arguments: given.unwrap_or(Arguments::Unknown),
            left_shifts: true,
            // Tasks are about programs with glibc.
            id_before_thread: true,
            harness,
            havoc,
            unknown_results: true,
            subscripts_assumed: options.subscripts_assumed,
        },
    }
}

/// What is taken for granted because an option says so.
pub fn assumed(options: &ProgramOptions) -> Option<String> {
    let said = "addresses and identifiers of threads do not repeat";
    (!options.reuse_addresses).then(|| said.to_string())
}

/// What is taken for granted of objects whose size is not written down: executions decide about it.
pub fn sizes_assumed(program: &Program) -> Option<String> {
    let mut ops = program.procs.iter().flat_map(|proc| &proc.body);
    let is_open = |op: &Op| match op {
        Op::Alloc { size, .. } => !matches!(size, Expr::Const { .. }),
        _ => false,
    };
    let largest = program.data_model.largest_object() >> 10;
    let said = format!("an object whose size is computed has less than {largest} KiB");
    ops.any(|i| is_open(&i.op)).then_some(said)
}

/// What is taken for granted where executions decide about addresses as numbers.
pub fn numbers_assumed(program: &Program) -> Option<String> {
    let said = "each object has one fixed address, where the program looks at addresses as numbers";
    ir::addresses::are_seen_as_numbers(program).then(|| said.to_string())
}

/// Only what the formulas name is an error; what else fails ends the process.
fn errors(specification: &Specification) -> Errors {
    let mut errors = Errors::none();
    for (formula, _) in &specification.formulas {
        match formula {
            Formula::NoCall(function) => errors.calls.push(function.clone()),
            Formula::NoLabel(label) => errors.labels.push(label.clone()),
            Formula::Assert => errors.assertions = true,
            _ => {}
        }
    }
    errors
}

/// Of a program that terminates: that arbitrary values end the loops that they may end.
pub(super) fn inputs_assumed(
    result: &CheckResult,
    program: &Program,
    sources: &SourceMap,
) -> Vec<String> {
    let mut kinds = result.properties.iter().map(|(kind, _)| *kind);
    let is_safe = matches!(result.verdict, Verdict::Safe | Verdict::SafeUpToBound(_));
    if !is_safe || !kinds.any(|kind| kind == PropertyKind::Termination) {
        return Vec::new();
    }
    let loops = loops_with_inputs(program).into_iter();
    let said = loops.map(|at| {
        let at = sources.location(at);
        format!("an arbitrary value ends the loop at {at} at last, as it may")
    });
    said.collect()
}

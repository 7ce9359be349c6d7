//! Two engines, one answer, on C: every execution of the small programs in `tests/c`, one by one,
//! against the solver's verdict.
//!
//! What the solver finds violated enumeration must find, and the other way round, in the kinds of
//! property and their places. Programs that are too large for enumeration, or have arbitrary values
//! that it does not try, are compared in one direction only.

use crate::common::{Case, MODELS, cases, root};
use rayon::prelude::*;
use wmbmc::base::source::SourceMap;
use wmbmc::cat;
use wmbmc::cat::model::Model;
use wmbmc::check::bmc::{self, CheckTask, Env, check};
use wmbmc::check::outcome::{PropertyStatus, Verdict, sections};
use wmbmc::encode::Reductions;
use wmbmc::encode::order::Backend;
use wmbmc::enumerate::{EnumerateOptions, Enumeration, enumerate_all};
use wmbmc::front::c;
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::{DataModel, Program, PropertyKind};
use wmbmc::lower;
use wmbmc::relations::dependencies::unwinding;
use wmbmc::unroll::unroll;

/// Executions looked at in one program.
const MOST: u64 = 4_000;

/// The kinds of property by their names for `--check`.
const KINDS: [(&str, PropertyKind); 9] = [
    ("assert", PropertyKind::Assertion),
    ("memory", PropertyKind::Memory),
    ("misuse", PropertyKind::Misuse),
    ("race", PropertyKind::Race),
    ("deadlock", PropertyKind::Deadlock),
    ("leak", PropertyKind::Leak),
    ("overflow", PropertyKind::Overflow),
    ("divzero", PropertyKind::DivisionByZero),
    ("uninitialised", PropertyKind::Uninitialised),
];

fn read(case: &Case, checks: &[PropertyKind]) -> (SourceMap, Program) {
    let defines = case.options.iter().filter_map(|o| o.strip_prefix("-D"));
    let mut options = c::ParseOptions::default();
    options.defines = defines.map(str::to_string).collect();
    let mut sources = SourceMap::default();
    let path = root().join(&case.file);
    let unit = c::parse(&mut sources, &path, &options);
    let unit = unit.unwrap_or_else(|e| panic!("{}: {e:?}", case.name()));
    let is_given = |wanted: [&str; 2]| case.options.windows(2).any(|o| o == wanted);
    let weak_cas = match is_given(["--weak-cas", "machine"]) {
        true => lower::c::WeakCas::Machine,
        false => lower::c::WeakCas::Always,
    };
    let asked = lower::c::LoweringOptions {
        checks: checks.to_vec(),
        weak_cas,
        reuse_addresses: !is_given(["--reuse-addresses", "false"]),
        ..lower::c::LoweringOptions::default()
    };
    let program = lower::c::lower_for(&sources, &unit, DataModel::Lp64, &asked);
    let program = program.unwrap_or_else(|e| panic!("{}: {e:?}", case.name()));
    (sources, program)
}

/// The values of `--unwind` and `--check`; `None` when there is an option that is not understood
/// here.
fn asked(case: &Case) -> Option<(u32, Vec<PropertyKind>)> {
    let kind = |name: &str| {
        let found = KINDS.iter().find(|(n, _)| *n == name);
        found.map(|(_, kind)| *kind)
    };
    let mut unwind = 1;
    let mut checks = vec![
        PropertyKind::Assertion,
        PropertyKind::Memory,
        PropertyKind::Misuse,
    ];
    let mut options = case.options.iter().filter(|o| !o.starts_with("-D"));
    while let Some(option) = options.next() {
        match option.as_str() {
            "--unwind" => unwind = options.next()?.parse().ok()?,
            "--weak-cas" | "--reuse-addresses" => _ = options.next()?,
            "--check" => {
                checks = options
                    .next()?
                    .split(',')
                    .map(kind)
                    .collect::<Option<_>>()?
            }
            _ => return None,
        }
    }
    Some((unwind, checks))
}

/// What the solver says of each kind; `None` when it has no verdict.
fn solved(
    sources: &SourceMap,
    program: &Program,
    model: &Model,
    unwind: u32,
    checks: &[PropertyKind],
) -> Option<Vec<PropertyStatus>> {
    let options = bmc::CheckOptions {
        checks: checks.to_vec(),
        order: Backend::Matrix,
        seed: 0,
        reductions: Reductions::default(),
        loops_at_bound: false,
    };
    let env = Env::unlimited();
    let mut bounds = Bounds::all(unwind);
    loop {
        let unwinding = unwinding(bounds.clone(), [model], checks);
        let graph = unroll(program, &unwinding, &|| false).expect("the programs unwind");
        let task = CheckTask {
            program,
            graph: &graph,
            model,
            sources,
        };
        let outcome = check(&task, &options, &env).expect("the checker finds no fault in itself");
        // Loops that may leave out no critical section are unwound, as the command line does.
        if let Verdict::SafeUpToBound(loops) = &outcome.verdict
            && let Some(next) = bounds.without_sections(sections(loops))
        {
            bounds = next;
            continue;
        }
        let known = !matches!(outcome.verdict.of_non_terminating(), Verdict::Unknown(_));
        return known.then(|| outcome.properties.iter().map(|(_, s)| *s).collect());
    }
}

/// What is wrong with the answers for one case, a line each.
fn compare(case: &Case) -> Vec<String> {
    let Some((unwind, checks)) = asked(case) else {
        println!(
            "not compared: {} has options that enumeration lacks",
            case.name()
        );
        return Vec::new();
    };
    let (sources, program) = read(case, &checks);
    // What is about other models alone may have no meaning on these.
    let stated: Vec<&str> = case.expect.keys().map(String::as_str).collect();
    let names = match stated.iter().any(|name| MODELS.contains(name)) {
        true => MODELS.to_vec(),
        false => stated,
    };
    let models: Vec<Model> = names.iter().filter_map(|n| cat::builtin(n)).collect();
    let options = EnumerateOptions {
        bounds: Bounds::all(unwind),
        checks: checks.clone(),
        max_executions: MOST,
    };
    let answers = enumerate_all(&program, &models, &options, &|| false);
    let answers: Vec<Enumeration> = answers.expect("built-in models know every fence");
    let mut wrong = Vec::new();
    for (model, answer) in models.iter().zip(&answers) {
        let solved = solved(&sources, &program, model, unwind, &checks);
        let says = |text: String| format!("{} on {}: {text}", case.name(), model.name);
        // Where the program's head says so, the solver does not support what it does.
        let stated = case.expect.get(&model.name).is_some_and(|v| v == "UNKNOWN");
        if solved.is_none() && !stated && answer.is_complete() && answer.unsupported.is_empty() {
            wrong.push(says("only the solver finds unsupported constructs".into()));
        }
        for (kind, status) in checks.iter().zip(solved.into_iter().flatten()) {
            let found = answer.violations.keys().any(|(k, _, _)| k == kind);
            let violated = status == PropertyStatus::Violated;
            if found && !violated {
                wrong.push(says(format!("only enumeration violates {kind:?}")));
            }
            if violated && !found && answer.is_complete() {
                wrong.push(says(format!("only the solver violates {kind:?}")));
            }
        }
        println!(
            "{}",
            says(format!(
                "{} of {} executions, cut: {:?}",
                answer.allowed,
                answer.candidates,
                answer
                    .limits_reached
                    .iter()
                    .map(|(t, _)| t)
                    .collect::<Vec<_>>()
            ))
        );
    }
    wrong
}

#[test]
fn the_engines_agree_on_c() {
    let cases = cases("tests/c");
    let wrong: Vec<String> = cases.par_iter().flat_map_iter(compare).collect();
    assert!(
        wrong.is_empty(),
        "{} answers differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

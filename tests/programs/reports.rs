//! Small programs that went wrong once: `../shared/data/reports/second`, each with the right answer and
//! its reason in its first line.
//!
//! The table repeats what these lines say in a form that can be run. What is not answered yet is listed with
//! the reason, and when that changes the row has to change. A program that no row names is a failure.

use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use support::Missing;

/// What a run must answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// Exit code 0.
    Safe,
    /// Exit code 10.
    Unsafe,
    /// Exit code 2: the program is wrong or refused by name.
    Refused,
    /// Exit code 5 or 2: not decided or refused today, though an answer is known.
    Open(&'static str),
    /// Any of these but SAFE.
    NotSafe,
}

use Expected::{NotSafe, Open, Refused, Safe, Unsafe};

impl Expected {
    /// Whether a run that ends with this code is as expected.
    fn is(&self, code: Option<i32>) -> bool {
        match self {
            Safe => code == Some(0),
            Unsafe => code == Some(10),
            Refused => code == Some(2),
            NotSafe => matches!(code, Some(2 | 5 | 10)),
            Open(_) => matches!(code, Some(2 | 5)),
        }
    }
}

/// Files, options, models (with commas; a dash for inputs without one), and the answer.
type Row = (&'static str, &'static str, &'static str, Expected);

const UNKNOWN_BOUNDS: Expected = Open("bounds that are inputs");

const ROWS: &[Row] = &[
    ("abort_in_section.c", "--property unreach-call", "sc", Safe),
    ("abs_int_min.c", "--check overflow", "sc", Unsafe),
    ("address_reuse_aba.c", "", "sc,tso", Unsafe),
    ("alias.c", "", "sc", Safe),
    ("alignas3.c", "", "sc", Refused),
    ("alignas_member.c", "", "sc", Safe),
    ("aligned_ignored.c", "--check assert", "sc", Safe),
    ("aligned_ignored.c", "--check assert -DSTATIC", "sc", Safe),
    ("aligned_ignored.c", "--check assert -DPACK", "sc", Safe),
    ("allocation_of_any_size.c", "--check race", "sc", Unsafe),
    ("argument_order.c", "", "sc", Unsafe),
    ("asm_cast_output.c", "", "tso", Safe),
    ("asm_label.c", "", "sc", Safe),
    ("asm_other_thread.asm", "", "tso", Refused),
    ("assume_in_section.c", "--property unreach-call", "sc", Safe),
    ("attr_aligned_member.c", "", "sc", Safe),
    ("attr_aligned_struct.c", "", "sc", Safe),
    ("attr_packed_member.c", "", "sc", Safe),
    ("bom.c", "", "sc", Unsafe),
    ("call_other_type.c", "--check memory", "sc", Unsafe),
    ("choose_expr.c", "", "sc", Safe),
    ("desig_continue_array.c", "", "sc", Safe),
    ("desig_continue_refused.c", "", "sc", Safe),
    ("desig_continue_struct_wrong_safe.c", "", "sc", Unsafe),
    ("div_function.c", "", "sc", Safe),
    ("drand48.c", "", "sc", Safe),
    ("enum_attribute.c", "", "sc", Safe),
    ("enum_long.c", "", "sc", Safe),
    ("extern_object.c", "", "sc", Safe),
    ("flag_lock_bounds.c", "", "aarch64", Safe),
    ("flexible_array_static_init.c", "", "sc", Safe),
    ("flexible_init.c", "--check assert,memory", "sc", Safe),
    ("futex_errno.c", "--check assert", "sc", Safe),
    ("futex_errno.c", "--check assert -DTIMED", "sc", Unsafe),
    ("idle_continue.c", "", "sc", Safe),
    (
        "ilp32_torn.c",
        "--check assert --data-model ilp32",
        "sc",
        Unsafe,
    ),
    ("init_override_whole.c", "", "sc", Safe),
    ("load_out_of_bounds.c", "--check assert", "sc", Safe),
    (
        "loop_without_effect.c",
        "",
        "sc",
        Open("loops without effect on the property"),
    ),
    ("member_array.c", "--check memory", "sc", Unsafe),
    ("memcpy_overlap.c", "--check memory", "sc", Unsafe),
    ("memset_flexible.c", "--check assert,memory", "sc", Safe),
    ("memset_minus_one.c", "--check memory", "sc", Unsafe),
    (
        "memtrack.c",
        "--svcomp --property valid-memtrack",
        "sc",
        Open("what static pointers lead to"),
    ),
    ("missing_return.c", "--check uninitialised", "sc", Unsafe),
    ("nan_sign_unstable.c", "", "sc", Safe),
    (
        "nothing_to_violate.c",
        "--check overflow,race,memory",
        "sc",
        Safe,
    ),
    ("offsetof.c", "", "sc", Safe),
    ("one_past_equal.c", "", "sc,tso", Unsafe),
    ("pack_wire.c", "--check assert", "sc", Unsafe),
    ("pragma_pack.c", "", "sc", Safe),
    (
        "race_one_lock.c",
        "--check race -DN=16 --timeout 30",
        "sc,rc11,aarch64",
        Safe,
    ),
    (
        "race_one_lock_free.c",
        "--check race -DN=16 --timeout 30",
        "sc,rc11,aarch64",
        Safe,
    ),
    ("rcu_on_sc.c", "--check memory", "sc", Refused),
    ("rcu_on_sc.c", "--check memory -DX", "tso", Refused),
    ("realloc_in_place.c", "", "sc", Unsafe),
    (
        "release_sequence.c",
        "--check race",
        "sc,tso,rc11,aarch64,power",
        Safe,
    ),
    (
        "release_sequence.c",
        "--check race -DOTHER",
        "sc,tso,rc11",
        Unsafe,
    ),
    ("robust_mutex.c", "--check assert,deadlock", "sc", Safe),
    ("rwlock_kind.c", "--check deadlock", "sc", Unsafe),
    (
        "signal_fence.c",
        "--check race",
        "sc,tso,rc11,aarch64,power",
        Unsafe,
    ),
    ("spin_hang.c", "", "sc", NotSafe),
    ("sprintf_overflow.c", "--check memory", "sc", Unsafe),
    ("srcu_mutex_deadlock.c", "--check deadlock", "lkmm", Unsafe),
    (
        "srcu_mutex_deadlock.c",
        "--check deadlock -DSELF",
        "lkmm",
        Unsafe,
    ),
    ("strcmp_minus_one.c", "", "sc", Unsafe),
    ("string_literal.c", "--check memory", "sc", Unsafe),
    ("switch_duplicate.c", "", "sc", Refused),
    ("thread_id_reuse.c", "", "sc,power", Unsafe),
    ("thread_id_written.c", "--property no-data-race", "sc", Safe),
    ("thread_local_dangling.c", "--check memory", "sc", Unsafe),
    ("threads_in_a_loop.c", "", "sc", UNKNOWN_BOUNDS),
    (
        "timeout_never.litmus",
        "--timeout 1",
        "tso",
        Open("it takes longer"),
    ),
    ("types_compatible.c", "", "sc", Safe),
    (
        "uninitialised_branch.c",
        "--check uninitialised",
        "sc",
        Unsafe,
    ),
    (
        "uninitialised_local.c",
        "--check uninitialised",
        "sc",
        Unsafe,
    ),
    ("universal_character.c", "", "sc", Safe),
    ("vacuous.c", "--check assert", "sc", Unsafe),
    ("vla_param_unused.c", "", "sc", Safe),
    ("volatile_rc11.c", "--check race", "sc,tso,rc11", Unsafe),
    ("volatile_rc11.c", "--check race -DVV", "sc,rc11", Unsafe),
    ("volatile_rc11.c", "--check race -DVP", "sc,rc11", Unsafe),
    ("volatile_rc11.c", "--check race -DPP", "sc,rc11", Unsafe),
    ("volatile_rc11.c", "--check race -DPA", "sc,rc11", Unsafe),
    ("weak_undefined.c", "", "sc", Safe),
    (
        "link/gnu_inline_a.c link/gnu_inline_b.c",
        "--link",
        "sc",
        Safe,
    ),
    (
        "link/static_gettid_a.c link/static_gettid_b.c",
        "--link",
        "sc",
        Safe,
    ),
    ("link/weak_a.c link/weak_b.c", "--link", "sc", Safe),
];

fn folder() -> PathBuf {
    support::data().join("reports/second")
}

/// A property file of SV-COMP for the formula that goes by this name.
fn property_file(name: &str, properties: &Path) -> PathBuf {
    let formula = match name {
        "unreach-call" => "G ! call(reach_error())",
        "no-data-race" => "G ! data-race",
        "valid-memtrack" => "G valid-memtrack",
        _ => panic!("no property {name}"),
    };
    let file = properties.join(format!("{name}.prp"));
    std::fs::write(&file, format!("CHECK( init(main()), LTL({formula}) )\n")).expect("written");
    file
}

/// What is wrong with the answer on one model.
fn wrong(row: &Row, model: &str, properties: &Path) -> Option<String> {
    let (files, options, _, expected) = row;
    let mut args: Vec<String> = files
        .split_whitespace()
        .map(|f| folder().join(f).display().to_string())
        .collect();
    let mut options = options.split_whitespace();
    while let Some(option) = options.next() {
        args.push(option.to_string());
        if option == "--property" {
            let name = options.next().expect("a property follows");
            args.push(property_file(name, properties).display().to_string());
        }
    }
    args.extend(["--mm", model].map(str::to_string));
    if !args.iter().any(|a| a == "--timeout") {
        args.extend(["--timeout", "60"].map(str::to_string));
    }
    let output = support::wmbmc(&args);
    let code = output.status.code();
    let holds = expected.is(code);
    let text = String::from_utf8_lossy(&output.stdout);
    let first = text.lines().next().unwrap_or_default();
    (!holds).then(|| {
        format!(
            "{files} {} on {model}: {first} ({code:?}), not {expected:?}",
            row.1
        )
    })
}

#[test]
fn each_answer_is_that_of_the_first_line() {
    if !folder().is_dir() {
        support::skipped(Missing::Data("reports/second"));
        return;
    }
    let properties = tempfile::TempDir::new().expect("there is room for a folder");
    let runs: Vec<(&Row, &str)> = ROWS
        .iter()
        .flat_map(|row| row.2.split(',').map(move |model| (row, model)))
        .collect();
    let failures: Vec<String> = runs
        .par_iter()
        .filter_map(|(row, model)| wrong(row, model, properties.path()))
        .collect();
    let missing = |row: &Row| matches!(row.3, Open(_));
    let open = runs.iter().filter(|(row, _)| missing(row));
    for (row, model) in open.clone() {
        println!("not yet: {} {} on {model}: {:?}", row.0, row.1, row.3);
    }
    println!("{} answers, {} not right yet", runs.len(), open.count());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn each_program_has_a_row() {
    if !folder().is_dir() {
        support::skipped(Missing::Data("reports/second"));
        return;
    }
    let named = ROWS.iter().flat_map(|row| row.0.split_whitespace());
    let named: BTreeSet<&str> = named.collect();
    for sub in ["", "link"] {
        let entries = std::fs::read_dir(folder().join(sub)).expect("it is a folder");
        for entry in entries.map(|e| e.expect("readable").path()) {
            let name = entry.strip_prefix(folder()).expect("it is in there");
            let is_program = entry
                .extension()
                .is_some_and(|e| e == "c" || e == "asm" || e == "litmus");
            let name = name.to_str().expect("UTF-8");
            assert!(!is_program || named.contains(name), "no row for {name}");
        }
    }
}

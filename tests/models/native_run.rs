//! `wmbmc run`: what this machine shows is what the models allow.

use serde_json::Value;
use std::process::Command;
use support::{root, wmbmc};

fn can_run() -> bool {
    let has_compiler = Command::new("cc").arg("--version").output().is_ok();
    if !has_compiler {
        support::skipped(support::Missing::Tool("cc"));
        return false;
    }
    if std::env::consts::ARCH != "x86_64" {
        println!("skipped: the tests are for x86");
        return false;
    }
    true
}

fn answers(args: &[&str]) -> Vec<Value> {
    let out = wmbmc(["run", "--format", "json"].iter().chain(args));
    let text = String::from_utf8(out.stdout).expect("JSON is UTF-8");
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("an object"))
        .collect()
}

#[test]
fn this_machine_shows_what_its_model_allows() {
    if !can_run() {
        return;
    }
    let folder = root().join("litmus/x86");
    let all = answers(&[&folder.display().to_string(), "--runs", "20000"]);
    assert!(all.len() >= 80, "{} tests", all.len());
    for answer in &all {
        assert_eq!(answer["verdict"], "ALLOWED", "{answer:#}");
        assert_eq!(
            (&answer["model"], &answer["runs"]),
            (&"tso".into(), &20_000.into())
        );
        let outcomes = answer["outcomes"].as_array().expect("a list");
        let counts = outcomes
            .iter()
            .map(|o| o["count"].as_u64().expect("a number"));
        assert_eq!(counts.sum::<u64>(), 20_000, "{answer:#}");
    }
}

/// A model that is too strong is found out, where the machine has two processors.
#[test]
fn store_buffers_are_seen() {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    if !can_run() || processors < 2 {
        println!("skipped: there is one processor");
        return;
    }
    let test = root().join("litmus/x86/SB.litmus").display().to_string();
    // Another process may have the other processor for a while.
    let forbidden = (0..5).any(|_| {
        let found = &answers(&[&test, "--mm", "sc"])[0];
        found["verdict"] == "FORBIDDEN" && found["exit_code"] == 10
    });
    assert!(forbidden, "no run has shown a store buffer");
    let fenced = root()
        .join("litmus/x86/SB+mfences.litmus")
        .display()
        .to_string();
    assert_eq!(answers(&[&fenced, "--mm", "sc"])[0]["verdict"], "ALLOWED");
}

#[test]
fn atomic_instructions_and_c_run() {
    if !can_run() {
        return;
    }
    let folder = tempfile::tempdir().expect("there is room");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it can be written");
        path.display().to_string()
    };
    let counter = write(
        "counter.litmus",
        "X86 counter\n{ }\n P0 | P1 ;\n MOV EAX,$1 | MOV EAX,$1 ;\n LOCK XADD [x],EAX | LOCK XADD [x],EAX ;\n\
         forall (x=2 /\\ (0:EAX=0 /\\ 1:EAX=1 \\/ 0:EAX=1 /\\ 1:EAX=0))\n",
    );
    let swap = write(
        "swap.litmus",
        "X86 swap\n{ }\n P0 | P1 ;\n MOV EBX,$1 | MOV EBX,$2 ;\n LOCK CMPXCHG [x],EBX | LOCK CMPXCHG [x],EBX ;\n\
         forall (x=1 /\\ 1:EAX=1 \\/ x=2 /\\ 0:EAX=2)\n",
    );
    let c = write(
        "mp.litmus",
        "C mp\n{ }\n\
         P0(atomic_int *x, atomic_int *y) {\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n  \
         atomic_store_explicit(y, 1, memory_order_release);\n}\n\
         P1(atomic_int *x, atomic_int *y) {\n  int r0 = atomic_load_explicit(y, memory_order_acquire);\n  \
         int r1 = atomic_load_explicit(x, memory_order_relaxed);\n}\n\
         exists (1:r0=1 /\\ 1:r1=0)\n",
    );
    for (test, model) in [(&counter, "tso"), (&swap, "tso"), (&c, "rc11")] {
        let answer = &answers(&[test, "--runs", "50000"])[0];
        assert_eq!(
            (&answer["verdict"], &answer["model"]),
            (&"ALLOWED".into(), &model.into())
        );
        let outcomes = answer["outcomes"].as_array().expect("a list");
        let holds = outcomes.iter().filter(|o| o["holds"] == true).count();
        let expected = if model == "tso" { outcomes.len() } else { 0 };
        assert_eq!(holds, expected, "{answer:#}");
    }
}

#[test]
fn tests_of_other_machines_are_refused() {
    let folder = root().join("litmus/ppc");
    let out = wmbmc(["run", &folder.join("SB.litmus").display().to_string()]);
    assert_eq!(out.status.code(), Some(2));
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        said.contains("a test for PPC does not run on this machine"),
        "{said}"
    );
}

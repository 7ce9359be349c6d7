//! `wmbmc orders` on the command line: it changes files, leaves what it is told to, and refuses what is not there.

use serde_json::Value;
use std::path::PathBuf;
use support::wmbmc;

/// A copy of a benchmark that may be changed.
fn copy(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join(name);
    let benchmark = support::root().join("benchmarks/orders").join(name);
    std::fs::copy(benchmark, &file).expect("it can be copied");
    (folder, file)
}

/// The first object, and the exit code.
fn run(args: &[&str]) -> (Value, i32) {
    let output = wmbmc(args.iter().chain(&["--format", "json"]));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let first = text.lines().next().expect("an answer");
    let value = serde_json::from_str(first).expect("JSON");
    (value, output.status.code().expect("it ends by itself"))
}

#[test]
fn the_file_is_changed_where_that_is_said() {
    let (_folder, file) = copy("mcs_lock.c");
    let (path, before) = (file.to_str().expect("UTF-8"), std::fs::read(&file));
    let (found, exit) = run(&["orders", path]);
    assert_eq!((exit, found["cost"]["after"].as_f64()), (0, Some(4.0)));
    assert_eq!(std::fs::read(&file).ok(), before.ok());
    run(&["orders", path, "--apply"]);
    let (again, _) = run(&["orders", path]);
    assert_eq!(
        (again["cost"]["before"].as_f64(), again["diff"].as_str()),
        (Some(4.0), Some(""))
    );
    let (checked, exit) = run(&[path, "--mm", "rc11"]);
    assert_eq!((exit, checked["verdict"].as_str()), (0, Some("SAFE")));
}

#[test]
fn what_is_kept_stays() {
    let (_folder, file) = copy("spsc_ring.c");
    let path = file.to_str().expect("UTF-8");
    let keep = format!("{path}:13");
    let (found, _) = run(&["orders", path, "--only", "put", "--keep", &keep]);
    let sites = found["sites"].as_array().expect("a list");
    let changed = |site: &&Value| site["before"] != site["after"];
    let changed: Vec<&Value> = sites.iter().filter(changed).collect();
    assert!(!changed.is_empty());
    for site in changed {
        let line = site["span"]["line"].as_u64();
        assert!(site["functions"][0] == "put" && line != Some(13), "{site}");
    }
}

#[test]
fn what_is_not_there_is_refused() {
    let (_folder, file) = copy("message_passing.c");
    let path = file.to_str().expect("UTF-8");
    let line = format!("{path}:1");
    for (args, exit) in [
        (&["--only", "nothing"][..], 2),
        (&["--keep", &line], 2),
        (&["--keep", "message"], 1),
        (&["--mm", "none"], 1),
    ] {
        let all: Vec<&str> = ["orders", path].iter().chain(args).copied().collect();
        assert_eq!(run(&all).1, exit, "{args:?}");
    }
    let test = support::root().join("litmus/x86/SB.litmus");
    let test = test.to_str().expect("UTF-8");
    for about_programs in [
        "--make-atomic",
        "--all",
        "--check=race",
        "-DX",
        "--function=f",
    ] {
        let output = wmbmc(["orders", test, about_programs]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{about_programs}");
        assert!(text.contains("is about C programs"), "{text}");
    }
    assert_eq!(run(&["orders", test, "--only", "P7"]).1, 2);
    assert_eq!(run(&["orders", test, "--mm", "rc11"]).1, 2);
}

#[test]
fn a_litmus_test_is_changed_and_explained() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("MP.litmus");
    std::fs::copy(support::root().join("litmus/ppc/MP.litmus"), &file).expect("it can be copied");
    let path = file.to_str().expect("UTF-8");
    let (found, exit) = run(&["orders", path]);
    assert_eq!((exit, found["model"].as_str()), (0, Some("power")));
    assert_eq!(found["repair"], true);
    let new = |kind: &str| {
        let sites = found["sites"].as_array().expect("a list");
        let mut new = sites.iter().filter(|site| site["new"] == true);
        new.any(|site| site["kind"] == kind && site["needed"][0]["kind"] == "condition")
    };
    assert!(new("fence") && new("dependency"), "{found}");
    // The store before which the fence stands, and the execution without it.
    let place = format!("{path}:12");
    let output = wmbmc(["orders", path, "--explain", &place]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("Observation MP Sometimes"), "{text}");
    assert!(text.contains("No interleaving does this"), "{text}");
    run(&["orders", path, "--apply"]);
    let (checked, _) = run(&[path, "--mm", "power"]);
    assert_eq!(checked["observation"].as_str(), Some("Never"));
    let (again, _) = run(&["orders", path]);
    assert_eq!(
        (&again["repair"], again["diff"].as_str()),
        (&Value::Bool(false), Some(""))
    );
}

/// Message passing of four instruction sets, and the two remedies of the execution that is weak.
#[test]
fn a_remedy_is_in_the_words_of_the_machine() {
    let power = ["`lwsync` between", "`lwsync` between"];
    for (name, text, model, expected) in [
        (
            "aarch64.litmus",
            "AArch64 MP\n{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; }\n P0 | P1 ;\n MOV W0,#1 | LDR W0,[X1] ;\n \
             STR W0,[X1] | LDR W2,[X3] ;\n STR W0,[X3] | ;\nexists (1:X0=1 /\\ 1:X2=0)\n",
            "aarch64",
            ["`stlr` at", "`ldapr` at"],
        ),
        (
            "riscv.litmus",
            "RISCV MP\n{ 0:x6=x; 0:x7=y; 1:x6=y; 1:x7=x; }\n P0 | P1 ;\n ori x5,x0,1 | lw x5,0(x6) ;\n \
             sw x5,0(x6) | lw x8,0(x7) ;\n sw x5,0(x7) | ;\nexists (1:x5=1 /\\ 1:x8=0)\n",
            "riscv",
            ["`fence w,w` between", "`fence r,r` between"],
        ),
        (
            "kernel.litmus",
            "C MP\n{ }\nP0(int *x, int *y) {\n  WRITE_ONCE(*x, 1);\n  WRITE_ONCE(*y, 1);\n}\n\
             P1(int *x, int *y) {\n  int r0 = READ_ONCE(*y);\n  int r1 = READ_ONCE(*x);\n}\n\
             exists (1:r0=1 /\\ 1:r1=0)\n",
            "lkmm",
            ["`smp_store_release` at", "`smp_load_acquire` at"],
        ),
        ("power.litmus", "", "power", power),
    ] {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let file = folder.path().join(name);
        match text {
            "" => {
                let own = support::root().join("litmus/ppc/MP.litmus");
                std::fs::copy(own, &file).expect("it can be copied");
            }
            text => std::fs::write(&file, text).expect("it can be written"),
        }
        let (answer, _) = run(&[file.to_str().expect("UTF-8"), "--mm", model]);
        let remedy = answer["weakness"]["remedy"].as_str().expect("a sentence");
        for words in expected {
            assert!(remedy.contains(words), "{name}: {remedy}");
        }
    }
}

/// With one new fence left out the other one is there.
#[test]
fn a_new_fence_is_explained_with_the_others() {
    let file = "benchmarks/store_buffer.c";
    let place = format!("{file}:24");
    let output = wmbmc(["orders", file, "--mm", "tso", "--explain", &place]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, shown) = text.split_once("UNSAFE").expect("an execution");
    let fences = shown.matches("atomic_thread_fence(seq_cst)").count();
    assert_eq!(fences, 1, "{shown}");
}

/// The formula has a literal for each order of each place that may have several.
#[test]
fn the_formula_has_the_orders() {
    let args = [
        "orders",
        "benchmarks/orders/message_passing.c",
        "--mm",
        "rc11",
        "--dump",
        "after:encode",
    ];
    let output = wmbmc(args);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("p cnf "), "{text}");
    for order in ["Store: ", "Load: "] {
        let lines = text
            .lines()
            .filter(|line| line.starts_with("c ") && line.contains(order));
        let literals = lines.filter_map(|line| line.split(' ').nth(1)?.parse::<i32>().ok());
        // Release or acquire, and seq_cst: relaxed ones order nothing that has a literal.
        assert_eq!(
            literals.collect::<std::collections::BTreeSet<i32>>().len(),
            2,
            "{text}"
        );
    }
}

/// The page has the places and the text; of several inputs each has its own.
#[test]
fn a_page_marks_the_places() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let page = |name: &str| folder.path().join(name);
    let path = page("page.html").display().to_string();
    run(&["orders", "benchmarks/orders/mcs_lock.c", "--html", &path]);
    let text = std::fs::read_to_string(page("page.html")).expect("a page");
    let data = text
        .split_once("type=\"application/json\">")
        .expect("data")
        .1;
    let data = data.split_once("</script>").expect("an end").0;
    let data: Value = serde_json::from_str(data).expect("JSON");
    let sites = data["answer"]["sites"].as_array().expect("sites");
    assert!(sites.iter().any(|site| site["before"] != site["after"]));
    assert_eq!(data["sources"][0]["name"], "benchmarks/orders/mcs_lock.c");
    let both = ["benchmarks/orders/mcs_lock.c", "litmus/x86/SB.litmus"];
    run(&[&["orders"], &both[..], &["--html", &path]].concat());
    assert!(page("page.mcs_lock.html").exists() && page("page.SB.html").exists());
}

/// What a weaker order allows is shown where it violates nothing, and where it allows nothing that is said.
#[test]
fn a_weaker_order_is_explained() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("mp.c");
    let text = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int data, flag;\nint seen, read;\n\
                void *writer(void *arg) {\n  atomic_store_explicit(&data, 1, memory_order_relaxed);\n  \
                atomic_store_explicit(&flag, 1, memory_order_release);\n  return 0;\n}\n\
                int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, writer, 0);\n  \
                seen = atomic_load_explicit(&flag, memory_order_acquire);\n  \
                read = atomic_load_explicit(&data, memory_order_relaxed);\n  \
                pthread_join(t, 0);\n  return 0;\n}\n";
    std::fs::write(&file, text).expect("it can be written");
    let (path, line) = (file.display().to_string(), format!("{}:7", file.display()));
    let (found, exit) = run(&["orders", &path, "--mm", "rc11,tso", "--explain", &line]);
    assert_eq!(exit, 0, "{found}");
    let sites = found["sites"].as_array().expect("sites");
    let site = sites.iter().find(|site| site["added"].is_array());
    let added = site.expect("an explanation")["added"]
        .as_array()
        .expect("a list");
    let of = |model: &str| added.iter().find(|a| a["model"] == model).expect("a model");
    // The flag is seen, and what was written before it is not: a machine that keeps stores in order has no such execution.
    let (rc11, tso) = (of("rc11"), of("tso"));
    let events = rc11["execution"]["events"]
        .as_array()
        .expect("an execution");
    let read = |name: &str| {
        let mut of = events.iter().filter(|e| e["cell"] == name);
        of.any(|e| e["kind"] == "read" && e["value"] == if name == "flag" { 1 } else { 0 })
    };
    assert!(read("flag") && read("data"), "{rc11}");
    assert_eq!(
        (&tso["execution"], &tso["complete"]),
        (&Value::Null, &Value::Bool(true))
    );
}

/// Behind a loop that waits a fence is reached by whatever leaves it, and by nothing else.
#[test]
fn a_fence_stands_behind_a_loop() {
    let wait = |text: &str| {
        format!(
            "#include <kernel.h>\n#include <pthread.h>\nint data, flag, other;\n\
             void *writer(void *arg) {{\n  WRITE_ONCE(data, 1);\n  smp_wmb();\n  WRITE_ONCE(flag, 1);\n  return 0;\n}}\n\
             int main(void) {{\n  pthread_t t;\n  pthread_create(&t, 0, writer, 0);\n{text}\n  \
             BUG_ON(READ_ONCE(data) != 1);\n  return 0;\n}}\n"
        )
    };
    let behind = "__atomic_thread_fence(__ATOMIC_ACQUIRE);";
    for (text, is_mended) in [
        ("  while (!READ_ONCE(flag)) {\n    cpu_relax();\n  }", true),
        ("  while (!READ_ONCE(flag));", true),
        (
            "  do {\n    cpu_relax();\n  } while (!READ_ONCE(flag));",
            true,
        ),
        ("  for (;;) {\n    if (READ_ONCE(flag)) break;\n  }", true),
        // Who jumps out of the loop does not come by.
        (
            "  for (;;) {\n    if (READ_ONCE(flag)) goto out;\n  }\nout:",
            false,
        ),
        (
            "  while (!READ_ONCE(flag)) { if (READ_ONCE(flag)) goto out; }\nout:",
            false,
        ),
        // Nor does who passes by the loop.
        (
            "  if (!READ_ONCE(flag)) {\n    while (!READ_ONCE(flag)) { }\n  }",
            false,
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let file = folder.path().join("wait.c");
        std::fs::write(&file, wait(text)).expect("it can be written");
        let file = file.display().to_string();
        let bounds = ["--mm", "rmo", "--unwind", "2"];
        let (found, code) = run(&[&["orders", &file, "--apply"], &bounds[..]].concat());
        assert_eq!(code == 0, is_mended, "{text}: {found}");
        if is_mended {
            let changed = std::fs::read_to_string(&file).expect("it can be read");
            let (_, rest) = changed.split_once("main(void)").expect("there is main");
            assert!(rest.contains(behind), "{text}: {changed}");
            let (checked, _) = run(&[&[&file[..]], &bounds[..]].concat());
            assert!(
                checked["verdict"]
                    .as_str()
                    .is_some_and(|v| v.starts_with("SAFE")),
                "{changed}"
            );
        }
    }
}

/// The execution that needs an order follows the answer.
#[test]
fn an_order_is_explained() {
    let (_folder, file) = copy("message_passing.c");
    let path = file.to_str().expect("UTF-8");
    let place = format!("{path}:12");
    let output = wmbmc(["orders", path, "--format", "json", "--explain", &place]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let second = text.lines().nth(1).expect("two objects");
    let second: Value = serde_json::from_str(second).expect("JSON");
    assert_eq!(second["verdict"], "UNSAFE");
}

/// How the library keeps its own state is nothing that a program can change, or has to be warned of.
#[test]
fn functions_of_the_library_have_no_sites() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("keys.c");
    let text = "#include <pthread.h>\n#include <stdatomic.h>\nstatic pthread_key_t key;\natomic_int x, read;\n\
                int main(void) {\n  pthread_key_create(&key, 0);\n  STORE;\n  return 0;\n}\n";
    let path = file.to_str().expect("UTF-8");
    let atomic = "atomic_store_explicit(&x, 1, memory_order_release)";
    for (statement, sites) in [("x++", 1), ("read = 1", 1), ("(void)0", 0), (atomic, 1)] {
        std::fs::write(&file, text.replace("STORE", statement)).expect("it can be written");
        let (found, _) = run(&["orders", path, "--mm", "rc11"]);
        assert_eq!(
            found["sites"].as_array().map(Vec::len),
            Some(sites),
            "{found}"
        );
        let warnings = String::from_utf8_lossy(&wmbmc([path]).stderr).into_owned();
        assert_eq!(
            warnings.contains("W0006"),
            statement == atomic,
            "{warnings}"
        );
    }
}

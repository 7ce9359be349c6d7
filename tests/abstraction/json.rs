//! What `wmbmc abstract --format json` says: verdicts, measurements, the steps of a counterexample, errors.

use serde_json::Value;

/// The exit code, and the objects that are printed.
fn run(args: &[&str]) -> (i32, Vec<Value>) {
    let output = support::wmbmc([&["abstract", "--format", "json"], args].concat());
    let text = String::from_utf8(output.stdout).expect("JSON is UTF-8");
    let objects = text
        .lines()
        .map(|l| serde_json::from_str(l).expect("an object per line"));
    (output.status.code().expect("it ends"), objects.collect())
}

const PETERSON: [&str; 2] = [
    "benchmarks/abstraction/peterson.c",
    "--predicates=benchmarks/abstraction/peterson.preds",
];

#[test]
fn a_proof_is_an_object_for_each_model() {
    let (code, objects) = run(&[&PETERSON[..], &["--mm=sc,pso"]].concat());
    assert_eq!(code, 0);
    let models: Vec<&Value> = objects.iter().map(|o| &o["model"]).collect();
    assert_eq!(models, ["sc", "pso"]);
    for object in &objects {
        assert_eq!(object["tool"], "wmbmc");
        assert_eq!(object["input"], PETERSON[0]);
        assert_eq!(object["verdict"], "SAFE");
        assert_eq!(object["exit_code"], 0);
        assert_eq!(object["stats"]["given"], 4);
        let texts = object["predicates"].as_array().expect("a list");
        assert_eq!(object["stats"]["predicates"], texts.len());
        for count in ["queries", "states"] {
            assert!(object["stats"][count].as_u64() > Some(1), "{count}");
        }
        assert!(object["stats"]["seconds"]["search"].is_number());
        for missing in ["steps", "reason", "certificate"] {
            assert!(object[missing].is_null(), "{missing}");
        }
    }
    assert!(objects[0]["buffer"].is_null());
    assert_eq!(objects[1]["buffer"], 1);
    let texts = objects[1]["predicates"].as_array().expect("a list");
    assert!(
        texts.iter().any(|t| t == "flag0_cnt.zero == 1"),
        "{texts:?}"
    );
}

/// Every step has its thread, place, changes and buffers; a store is buffered first and flushed later.
#[test]
fn a_violation_has_its_steps() {
    let (code, objects) = run(&[&PETERSON[..], &["--mm=tso", "-DFENCE_LOOK=0"]].concat());
    let object = &objects[0];
    assert_eq!((code, &object["verdict"]), (10, &"UNSAFE".into()));
    assert!(
        object["property"]
            .as_str()
            .expect("text")
            .contains("inside")
    );
    let steps = object["steps"].as_array().expect("a list");
    assert!(!steps.is_empty());
    let mut flushed = 0;
    for step in steps {
        let thread = step["thread"].as_str().expect("a name");
        assert!(["main", "zero", "one"].contains(&thread), "{thread}");
        assert_eq!(step["span"]["file"], PETERSON[0]);
        assert!(step["span"]["line"].as_u64() > Some(0));
        assert!(step["text"].is_string());
        for change in step["changes"].as_array().expect("a list") {
            let value = change["value"].as_str().expect("a number as text");
            assert!(change["name"].is_string() && value.parse::<i128>().is_ok());
        }
        flushed += usize::from(step["flush"] == true);
    }
    assert!(flushed > 0);
    let entries = steps.iter().filter_map(|s| s["buffers"].as_array());
    let entry = entries.flatten().next().expect("something is buffered");
    assert!(["zero", "one"].contains(&entry["thread"].as_str().expect("a name")));
    let first = &entry["entries"][0];
    assert!(
        first["name"].is_string() && first["value"] == "1",
        "{first}"
    );
}

/// What is not decided has its reason and the step that the predicates are too coarse for: no linear
/// conditions say that a number stays even.
#[test]
fn an_undecided_answer_has_its_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("even.c").display().to_string();
    let text = "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\n\
                int main(void) {\nint x = __VERIFIER_nondet_int();\nx = x + x;\n\
                while (__VERIFIER_nondet_int()) x = x + 2;\n\
                int n = __VERIFIER_nondet_int();\nassert(x != n + n + 1);\nreturn 0;\n}\n";
    std::fs::write(&path, text).expect("written");
    let (code, objects) = run(&[&path]);
    assert_eq!((code, &objects[0]["verdict"]), (5, &"UNKNOWN".into()));
    let reason = objects[0]["reason"].as_str().expect("a sentence");
    assert!(reason.contains("too coarse"), "{reason}");
    let step = objects[0]["step"].as_str().expect("a step");
    assert!(step.contains("even.c:8"), "{step}");
}

/// Whether there is a certificate is said.
#[test]
fn a_certificate_is_mentioned() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("proof").display().to_string();
    let option = format!("--certificate={path}");
    let (code, objects) = run(&[&PETERSON[..], &[&option]].concat());
    assert_eq!((code, &objects[0]["certificate"]), (0, &"written".into()));
    assert!(std::fs::exists(path).expect("readable"));
}

/// Wrong predicates are errors with a place, and a wrong command line is one, too.
#[test]
fn errors_are_objects() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wrong.preds");
    std::fs::write(&path, "inside == 0\nnothing == 0\n").expect("written");
    let option = format!("--predicates={}", path.display());
    let (code, objects) = run(&[PETERSON[0], &option]);
    assert_eq!((code, &objects[0]["verdict"]), (2, &"ERROR".into()));
    let place = &objects[0]["errors"][0]["places"][0]["span"];
    assert_eq!(place["line"], 2);
    let (code, objects) = run(&[PETERSON[0], "--buffer=9"]);
    assert_eq!((code, &objects[0]["exit_code"]), (1, &1.into()));
}

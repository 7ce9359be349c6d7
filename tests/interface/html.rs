//! Pages that `--html` writes: complete in themselves, and with the answer as JSON says it.
//!
//! `scripts/browser-test` looks at them in a browser.

use serde_json::Value;
use std::fs;
use std::path::Path;
use support::wmbmc;

/// The page for an input, and what it holds.
fn page(folder: &Path, args: &[&str]) -> (String, Value) {
    let file = folder.join("page.html");
    let path = file.to_str().expect("the folder's name is text");
    let output = wmbmc([args, &["--html", path, "--format", "json"]].concat());
    let page = fs::read_to_string(&file).expect("a page is written");
    let begin = page.find("<script id=\"data\"").expect("data");
    let text = &page[begin..];
    let text = &text[text.find('>').expect("a tag ends") + 1..];
    let data = &text[..text.find("</script>").expect("data ends")];
    let data: Value = serde_json::from_str(data).expect("data is JSON");
    let mut said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut shown = data["answer"].clone();
    // Only times differ, if anything is measured twice.
    for object in [&mut said, &mut shown] {
        object["stats"] = Value::Null;
    }
    assert_eq!(said, shown);
    (page, data)
}

#[test]
fn a_page_needs_nothing_else() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for args in [
        &["benchmarks/store_buffer.c", "--mm", "tso"][..],
        &["benchmarks/store_buffer.c", "--mm", "sc"],
        &["litmus/x86/SB.litmus", "--mm", "tso", "--states"],
        &[
            "benchmarks/parameterized/spinlock_unlocked.cub",
            "--mm",
            "tso",
        ],
        &["benchmarks/x86/peterson_unsafe.asm", "--mm", "tso"],
        &[
            "benchmarks/x86/naive_mutex.asm",
            "--threads",
            "2",
            "--mm",
            "tso",
        ],
    ] {
        let (page, data) = page(folder.path(), args);
        let page = page.replace("http://www.w3.org/2000/svg", "");
        for elsewhere in ["http:", "https:", "<link", " src=", "@import", "url(\""] {
            assert!(!page.contains(elsewhere), "{args:?}: {elsewhere}");
        }
        let text = fs::read_to_string(support::root().join(args[0])).expect("the input");
        assert_eq!(data["sources"][0]["text"], text, "{args:?}");
    }
}

#[test]
fn every_event_has_words() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (_, data) = page(folder.path(), &["benchmarks/store_buffer.c", "--mm", "tso"]);
    let events = data["answer"]["execution"]["events"].as_array();
    let steps = data["steps"].as_array().expect("steps");
    assert_eq!(events.map(Vec::len), Some(steps.len()));
    let read = |step: &&Value| step["action"] == "x = 0" && step["origin"].is_string();
    assert_eq!(steps.iter().filter(read).count(), 1);
}

#[test]
fn text_of_a_program_ends_no_script() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("program.c");
    let text = "#include <assert.h>\nint main(void) { assert(\"</script><b>\"[0] == 'x'); }\n";
    fs::write(&program, text).expect("the folder is writable");
    let program = program.to_str().expect("the folder's name is text");
    let (page, data) = page(folder.path(), &[program]);
    assert_eq!(page.matches("</script>").count(), 2);
    assert_eq!(data["sources"][0]["text"], text);
}

#[test]
fn each_input_and_model_has_a_page() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("page.html");
    let path = file.to_str().expect("the folder's name is text");
    wmbmc(["litmus/x86/SB.litmus", "--mm", "sc,tso", "--html", path]);
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["page.sc.html", "page.tso.html"]);
}

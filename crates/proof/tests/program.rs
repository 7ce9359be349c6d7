//! What `wmbmc-check-proof` says of what is no proof. Proofs come from the program that is checked; the main
//! crate's tests give it those.

use std::process::Command;

fn run(args: &[&str]) -> (Option<i32>, String) {
    let program = Command::new(env!("CARGO_BIN_EXE_wmbmc-check-proof"))
        .args(args)
        .output();
    let out = program.expect("cargo has built it");
    let text = [out.stdout, out.stderr].concat();
    (
        out.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

#[test]
fn what_cannot_be_read_is_no_proof() {
    let (code, text) = run(&["nowhere"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(
        text.contains("nowhere") && text.contains("claim.json"),
        "{text}"
    );
}

#[test]
fn it_says_what_it_takes() {
    assert_eq!(run(&[]).0, Some(1));
    assert_eq!(run(&["--fast", "proof"]).0, Some(1));
    assert_eq!(run(&["--help"]).0, Some(0));
    assert_eq!(run(&["--version"]).0, Some(0));
}

//! Systems of more steps, processes and states than a byte counts, and what is refused by name.

use std::path::PathBuf;
use std::process::Output;
use support::wmbmc;

/// Checks a system on SC with a limit of a minute.
fn check(name: &str, text: &str, options: &[&str]) -> Output {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("limits_{name}.cub"));
    std::fs::write(&file, text).expect("the folder is writable");
    let file = file.display().to_string();
    let always = [file.as_str(), "--mm", "sc", "--timeout", "60"];
    wmbmc(always.iter().chain(options))
}

fn output(run: &Output) -> String {
    let all = [run.stdout.as_slice(), run.stderr.as_slice()].concat();
    String::from_utf8_lossy(&all).into_owned()
}

/// A counter that goes from 0 to `3 * third`, by a different transition in each third; at the end
/// five processes have their mark.
fn counter(third: usize) -> String {
    let (two, all) = (2 * third, 3 * third);
    format!(
        "var N : int array A[proc] : bool
         init (p) {{ N = 0 && A[p] = False }}
         unsafe (a b c d e) {{ N = {all} && A[a] = True && A[b] = True && A[c] = True
           && A[d] = True && A[e] = True }}
         transition mark (p) requires {{ N = 0 && A[p] = False }} {{ A[p] := True }}
         transition low (p) requires {{ N < {third} && A[p] = True }} {{ N := N + 1 }}
         transition middle (p) requires {{ {third} <= N && N < {two} && A[p] = True }} {{ N := N + 1 }}
         transition high (p) requires {{ {two} <= N && N < {all} && A[p] = True }} {{ N := N + 1 }}"
    )
}

#[test]
fn three_hundred_steps_of_five_processes_are_replayed() {
    let run = check("steps", &counter(100), &["--brab", "off"]);
    let said = output(&run);
    assert!(
        said.starts_with("UNSAFE: `unsafe 1` holds after 305 transitions of 5 processes"),
        "{said}"
    );
    assert_eq!(said.matches(". high(").count(), 100, "{said}");
}

#[test]
fn more_states_than_two_bytes_count() {
    // The machine alone meets 3^11 states with eleven processes.
    let text = "type s = I | B | C array A[proc] : s
        init (p) { A[p] = I }
        unsafe () { exists_other a. exists_other b. exists_other c. exists_other d. exists_other e.
          exists_other f. exists_other g. exists_other h. exists_other i. exists_other j.
          exists_other k. (A[a] = C && A[b] = C && A[c] = C && A[d] = C && A[e] = C && A[f] = C
          && A[g] = C && A[h] = C && A[i] = C && A[j] = C && A[k] = C) }
        transition t (p) requires { A[p] = I } { A[p] := B }
        transition u (p) requires { A[p] = B } { A[p] := C }";
    let run = check("states", text, &[]);
    let said = output(&run);
    assert!(said.contains("22 transitions of 11 processes"), "{said}");
}

/// Two unsafe formulas about `count` processes, the second of which can be reached.
fn crowds(count: usize) -> String {
    let names: Vec<String> = (0..count).map(|i| format!("x{i}")).collect();
    let formula = |value: &str| {
        let others: String = names
            .iter()
            .map(|x| format!("exists_other {x}. "))
            .collect();
        let each: Vec<String> = names.iter().map(|x| format!("A[{x}] = {value}")).collect();
        format!("unsafe () {{ {others} ({}) }}", each.join(" && "))
    };
    format!(
        "type s = I | B | C array A[proc] : s init (p) {{ A[p] = I }} {} {}
         transition t (p) requires {{ A[p] = I }} {{ A[p] := B }}",
        formula("C"),
        formula("B")
    )
}

#[test]
fn formulas_about_many_processes() {
    for (count, code, words) in [
        (12, 10, "12 transitions of 12 processes"),
        (13, 5, "UNKNOWN: a cube has more processes than 12"),
        (
            40,
            2,
            "a formula about more than 30 processes is not supported",
        ),
    ] {
        let run = check(&format!("crowd{count}"), &crowds(count), &["--brab", "off"]);
        let said = output(&run);
        assert_eq!(
            (run.status.code(), said.contains(words)),
            (Some(code), true),
            "{said}"
        );
    }
}

#[test]
fn parameters_and_processes_that_are_too_many_are_refused() {
    let names: Vec<String> = (0..300).map(|i| format!("p{i}")).collect();
    let names = names.join(" ");
    let head = "array A[proc] : int init (p) { A[p] = 0 }";
    for (text, words) in [
        (
            format!("{head} transition t ({names}) {{ A[p299] := 1 }}"),
            "more than 8 parameters",
        ),
        (
            format!("{head} unsafe ({names}) {{ A[p299] = 1 }}"),
            "more than 8 parameters",
        ),
        (
            format!("number_procs 300 {head}"),
            "more than 30 processes are not supported",
        ),
        (
            format!("number_procs 4294967298 {head}"),
            "the number of processes is a whole number",
        ),
        (
            format!("number_procs 2 {head} unsafe () {{ A[#257] = 1 }}"),
            "there is no process #257",
        ),
    ] {
        let run = check("names", &text, &[]);
        let said = output(&run);
        assert_eq!(
            (run.status.code(), said.contains(words)),
            (Some(2), true),
            "{said}"
        );
    }
}

#[test]
fn more_transitions_than_two_bytes_count() {
    let mut text = "var N : int init () { N = 0 } unsafe () { N = 2 }".to_string();
    for i in 0..66_000 {
        text += &format!(" transition t{i} () requires {{ N = 5 }} {{ N := 6 }}");
    }
    text += " transition up () requires { N = 0 } { N := 2 }";
    let run = check("transitions", &text, &["--brab", "off"]);
    let said = output(&run);
    assert!(said.contains("1. up()"), "{said}");
}

#[test]
fn numbers_at_the_end_of_their_range() {
    let largest: i64 = 1 << 60;
    for (add, code) in [(largest, 10), (1, 0)] {
        let text = format!(
            "var N : int init () {{ N = 0 }} unsafe () {{ N > 1 }}
             transition up () requires {{ N = 0 }} {{ N := N + {add} }}"
        );
        let run = check(&format!("number{add}"), &text, &[]);
        assert_eq!(run.status.code(), Some(code), "{}", output(&run));
    }
    let beyond = "var N : int init () { N = 0 } unsafe () { N > 1152921504606846977 }";
    let said = output(&check("beyond", beyond, &[]));
    assert!(
        said.contains("numbers beyond 2^60 are not supported"),
        "{said}"
    );
}

#[test]
fn numbers_of_a_certificate_have_the_bound_of_literals() {
    let file = "benchmarks/parameterized/ticket.cub";
    let proof = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("limits.proof");
    let proof = proof.display().to_string();
    let run = wmbmc([
        file,
        "--mm",
        "tso",
        "--certificate",
        &proof,
        "--timeout",
        "60",
    ]);
    assert_eq!(run.status.code(), Some(0), "{}", output(&run));
    let text = std::fs::read_to_string(&proof).expect("it was written");
    let line = text
        .lines()
        .find(|l| l.contains("diff "))
        .expect("tickets are compared");
    let mut words: Vec<String> = line.split(' ').map(str::to_string).collect();
    let number = words.iter_mut().rev().find(|w| w.parse::<i64>().is_ok());
    *number.expect("a difference has a bound") = i64::MIN.to_string();
    std::fs::write(&proof, text.replacen(line, &words.join(" "), 1)).expect("it is writable");
    let run = wmbmc(["check-certificate", file, &proof, "--mm", "tso"]);
    let said = output(&run);
    assert!(said.contains("the certificate cannot be read"), "{said}");
}

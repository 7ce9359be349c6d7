//! Programs of the Linux kernel on its memory model, against litmus tests: a test in C is written again as a
//! program that includes `<kernel.h>`, whose threads are POSIX threads and whose condition is an assertion.
//! The program is unsafe if and only if the condition can become as asked.
//!
//! There are two programs of each test. One is written here, from the test's own words: it shares the model
//! and the solver with the test, not how programs are read. Functions of the kernel, control
//! dependencies, critical sections of RCU and the final state come from a header and the front end of C in
//! one, from the front end of litmus tests in the other, whose answers are compared with recorded ones
//! by the test `litmus_c`. The other program is that of `--emit c`, from what the test was read as.
//!
//! One in [`SAMPLE`] tests is taken, and as many of those that `wmbmc generate` makes; `WMBMC_LITMUS=all` takes
//! all of them.

use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;
use support::Missing;
use support::litmus::outcomes;
use wmbmc::base::diag::Diag;
use wmbmc::base::source::SourceMap;
use wmbmc::front::litmus;
use wmbmc::generate::arch::lkmm::Lkmm;
use wmbmc::generate::{of_cycles, ordered};
use wmbmc::ir::litmus::{LitmusTest, Quantifier};
use wmbmc::ir::program::PropertyKind;
use wmbmc::{Input, Limits, Session, SessionOptions, Verdict, cat, lower, report};

/// One in so many tests is looked at.
const SAMPLE: usize = 12;

/// So many tests are generated, evenly taken from all shapes with all annotations.
const GENERATED: usize = 1000;

/// Tests that may be left out, of a hundred.
const SKIPPED: usize = 5;

/// Types that a declaration of a register begins with.
const SCALARS: [&str; 4] = ["int", "intptr_t", "long", "bool"];

/// Names, numbers, and what else stands between them, one character each but for operators of conditions.
fn tokens(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if let Some(comment) = rest.strip_prefix("(*")
            && comment.starts_with(char::is_whitespace)
        {
            rest.find("*)").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if word(first) {
            let length = rest.find(|c| !word(c)).unwrap_or(rest.len());
            out.push(rest[..length].to_string());
            length
        } else {
            let both = ["/\\", "\\/", "==", "!=", "<>", "&&", "||", "->", "++", "--"];
            let length = match both.iter().any(|op| rest.starts_with(op)) {
                true => 2,
                false => first.len_utf8(),
            };
            if !first.is_whitespace() {
                out.push(rest[..length].to_string());
            }
            length
        };
        rest = &rest[length..];
    }
    out
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The tokens up to the bracket that closes the one before them, and those behind it.
fn enclosed<'a>(
    tokens: &'a [String],
    open: &str,
    close: &str,
) -> Option<(&'a [String], &'a [String])> {
    let mut depth = 1;
    for (at, token) in tokens.iter().enumerate() {
        depth += i32::from(token == open) - i32::from(token == close);
        if depth == 0 {
            return Some((&tokens[..at], &tokens[at + 1..]));
        }
    }
    None
}

/// A test on its way to a program.
#[derive(Default)]
struct Rewritten {
    /// Locations with their types.
    globals: BTreeMap<String, String>,
    initial: BTreeMap<String, String>,
    /// Registers that the condition speaks of, by thread.
    observed: BTreeMap<String, BTreeSet<String>>,
    condition: String,
    threads: String,
    count: usize,
}

/// The program of a test; an error says what it has that is not rewritten.
fn program(text: &str) -> Result<String, String> {
    let (_, text) = text.split_once('\n').ok_or("no first line")?;
    let begin = text.find('{').ok_or("no initial state")?;
    let all = tokens(&text[begin..]);
    let mut test = Rewritten::default();
    let (initial, rest) = enclosed(&all[1..], "{", "}").ok_or("no initial state")?;
    for one in initial.split(|t| t == ";").filter(|d| !d.is_empty()) {
        test.initialize(one)?;
    }
    let asked = ["exists", "forall", "filter", "locations"];
    let asks = |t: &String| asked.contains(&t.as_str()) || t == "~";
    let mut functions = rest;
    let mut bodies = Vec::new();
    while let [name, open, after @ ..] = functions
        && !asks(name)
    {
        let thread = name.strip_prefix('P').filter(|_| open == "(");
        let thread = thread.ok_or_else(|| format!("`{name}` between threads"))?;
        let (parameters, after) = enclosed(after, "(", ")").ok_or("no parameters")?;
        let (body, after) = enclosed(&after[1..], "{", "}").ok_or("no body")?;
        bodies.push((thread.to_string(), parameters, body));
        functions = after;
    }
    let mut end = functions;
    while let ["locations", ..] = end.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        end = enclosed(&end[2..], "[", "]").ok_or("no locations")?.1;
    }
    for (_, parameters, _) in &bodies {
        for parameter in parameters.split(|t| t == ",").filter(|p| !p.is_empty()) {
            test.parameter(parameter)?;
        }
    }
    test.condition(end)?;
    for (thread, parameters, body) in &bodies {
        test.thread(thread, parameters, body)?;
    }
    Ok(test.text())
}

impl Rewritten {
    /// `x = 1`, `int x = 1`, `x = y` for its address, `atomic_t x = ATOMIC_INIT(1)`.
    fn initialize(&mut self, tokens: &[String]) -> Result<(), String> {
        let words: Vec<&str> = tokens
            .iter()
            .map(String::as_str)
            .filter(|t| *t != "&")
            .collect();
        let words = match words[..] {
            [
                "int" | "intptr_t" | "atomic_t" | "spinlock_t",
                ref rest @ ..,
            ] => rest,
            ref words => words,
        };
        match *words {
            [_] => return Ok(()),
            [name, "=", value] | [name, "=", "ATOMIC_INIT", "(", value, ")"] if is_name(name) => {
                let is_address = is_name(value);
                let value = match is_address {
                    true => format!("(intptr_t)&g_{value}"),
                    false => value.to_string(),
                };
                self.initial.insert(name.to_string(), value);
            }
            _ => return Err(format!("the initial state `{}`", tokens.join(" "))),
        }
        for name in words.iter().filter(|t| is_name(t) && **t != "ATOMIC_INIT") {
            let new = self.globals.entry(name.to_string());
            new.or_insert_with(|| "intptr_t".to_string());
        }
        Ok(())
    }

    fn parameter(&mut self, tokens: &[String]) -> Result<(), String> {
        let words: Vec<&str> = tokens.iter().map(String::as_str).collect();
        match words[..] {
            [
                ty @ ("int" | "intptr_t" | "atomic_t" | "spinlock_t"),
                "*",
                name,
            ]
            | ["volatile", ty @ "int", "*", name] => {
                self.globals.insert(name.to_string(), ty.to_string());
                Ok(())
            }
            ["struct", "srcu_struct", "*", name] => {
                let ty = "struct srcu_struct".to_string();
                self.globals.insert(name.to_string(), ty);
                Ok(())
            }
            _ => Err(format!("the parameter `{}`", words.join(" "))),
        }
    }

    /// A location in the condition.
    fn value(&self, name: &str) -> Result<String, String> {
        Ok(match self.globals.get(name).map(String::as_str) {
            Some("atomic_t") => format!("atomic_read(&g_{name})"),
            Some("spinlock_t") => format!("READ_ONCE(g_{name}.__locked)"),
            Some(_) => format!("READ_ONCE(g_{name})"),
            None => return Err(format!("`{name}` in the condition")),
        })
    }

    /// The condition, as an expression that must hold.
    fn condition(&mut self, tokens: &[String]) -> Result<(), String> {
        let mut words: Vec<&str> = tokens.iter().map(String::as_str).collect();
        words.retain(|w| !["[", "]", ";", "&"].contains(w));
        let (asserted, mut rest) = match words[..] {
            ["exists", ref rest @ ..] | ["~", "exists", ref rest @ ..] => ("!", rest),
            ["forall", ref rest @ ..] => ("", rest),
            _ => {
                return Err(format!(
                    "`{}` before the condition",
                    words.first().unwrap_or(&"nothing")
                ));
            }
        };
        let mut out = String::new();
        loop {
            let (left, operator, right);
            match *rest {
                [] => break,
                [thread, ":", register, op, value, ref after @ ..] => {
                    let known = self.observed.entry(thread.to_string()).or_default();
                    known.insert(register.to_string());
                    left = format!("out_{thread}_{register}");
                    (operator, right, rest) = (op, value, after);
                }
                [name, op @ ("=" | "<>" | "!=" | "=="), value, ref after @ ..] if is_name(name) => {
                    left = self.value(name)?;
                    (operator, right, rest) = (op, value, after);
                }
                [logic, ref after @ ..] => {
                    out.push_str(match logic {
                        "/\\" => " && ",
                        "\\/" => " || ",
                        "~" | "not" => "!",
                        "(" | ")" => logic,
                        _ => return Err(format!("`{logic}` in the condition")),
                    });
                    rest = after;
                    continue;
                }
            }
            let operator = match operator {
                "=" | "==" => "==",
                "<>" | "!=" => "!=",
                _ => return Err(format!("`{operator}` in the condition")),
            };
            let right = match is_name(right) {
                true => format!("(intptr_t)&g_{right}"),
                false => right.to_string(),
            };
            write!(out, "({left} {operator} {right})").expect("a string takes all");
        }
        self.condition = format!("{asserted}({out})");
        Ok(())
    }

    /// A function, with its registers declared at its beginning, zero as in litmus tests.
    fn thread(
        &mut self,
        thread: &str,
        parameters: &[String],
        body: &[String],
    ) -> Result<(), String> {
        let mut registers: BTreeMap<String, &str> = BTreeMap::new();
        let observed = self.observed.get(thread).cloned().unwrap_or_default();
        for register in &observed {
            registers.insert(register.clone(), "intptr_t ");
        }
        // Tests need not declare them.
        let plain = |t: &&String| {
            let number = t.strip_prefix('r');
            number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        };
        for register in body.iter().filter(plain) {
            registers.insert(register.clone(), "intptr_t ");
        }
        let mut code = String::new();
        let mut at = 0;
        while at < body.len() {
            let is_declaration = SCALARS.contains(&body[at].as_str())
                && (at == 0 || body[at - 1] != "(")
                && body[at + 1..]
                    .first()
                    .is_some_and(|t| t == "*" || is_name(t));
            if is_declaration {
                let is_pointer = body[at + 1] == "*";
                let name = &body[at + 1 + usize::from(is_pointer)];
                let ty = match (is_pointer, body[at].as_str()) {
                    (false, _) => "intptr_t ",
                    (true, "int") => "int *",
                    (true, _) => "intptr_t *",
                };
                registers.insert(name.clone(), ty);
                at += 1 + usize::from(is_pointer);
                match body.get(at + 1).map(String::as_str) {
                    Some(";") => at += 1,
                    Some("=") => {}
                    other => return Err(format!("a declaration that goes on with {other:?}")),
                }
                continue;
            }
            write!(code, "{} ", body[at]).expect("a string takes all");
            at += 1;
        }
        let out = &mut self.threads;
        let mut line = |text: String| {
            out.push_str(&text);
            out.push('\n');
        };
        line(format!("void *P{thread}(void *unused) {{"));
        for parameter in parameters.split(|t| t == ",") {
            if let [.., name] = parameter {
                let ty = &self.globals[name];
                line(format!("  {ty} *{name} = &g_{name};"));
            }
        }
        for (register, ty) in &registers {
            line(format!("  {ty}{register} = 0;"));
        }
        line(format!("  {code}"));
        for register in &observed {
            line(format!("  out_{thread}_{register} = (intptr_t){register};"));
        }
        line("  return 0;\n}".to_string());
        self.count += 1;
        Ok(())
    }

    fn text(&self) -> String {
        let mut out = "#include <kernel.h>\n#include <pthread.h>\n".to_string();
        for (name, ty) in &self.globals {
            out += &format!("extern {ty} g_{name};\n");
        }
        for (name, ty) in &self.globals {
            let value = match (self.initial.get(name), ty.as_str()) {
                (None, _) => String::new(),
                (Some(value), "int" | "intptr_t") => format!(" = {value}"),
                (Some(value), _) => format!(" = {{ {value} }}"),
            };
            out += &format!("{ty} g_{name}{value};\n");
        }
        for (thread, registers) in &self.observed {
            for register in registers {
                out += &format!("intptr_t out_{thread}_{register};\n");
            }
        }
        let (threads, count) = (&self.threads, self.count);
        out += &format!("{threads}int main(void) {{\n  pthread_t t[{count}];\n");
        for i in 0..count {
            out += &format!("  pthread_create(&t[{i}], 0, P{i}, 0);\n");
        }
        for i in 0..count {
            out += &format!("  pthread_join(t[{i}], 0);\n");
        }
        out + &format!("  assert({});\n  return 0;\n}}\n", self.condition)
    }
}

enum Outcome {
    Same,
    Differs(String),
    Skipped(String),
}

/// How a test is written as a program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// From its words.
    Rewritten,
    /// By `--emit c`.
    Emitted,
}

fn lowered(text: &str) -> Result<(SourceMap, LitmusTest), String> {
    let mut sources = SourceMap::default();
    let file = sources.add("test.litmus", text);
    let test =
        litmus::parse_file(&sources, file).and_then(|test| lower::litmus::lower(&sources, &test));
    let rendered = |errors: Vec<Diag>| {
        let all = errors.iter().map(|e| e.render(&sources, false));
        all.collect::<String>()
    };
    let test = test.map_err(rendered)?;
    Ok((sources, test))
}

fn compared(text: &str, way: Way) -> Outcome {
    let mut model = cat::builtin("lkmm").expect("the model is built in");
    model.flags.clear();
    let read = lowered(text).and_then(|(sources, test)| {
        let (can_hold, can_fail) =
            outcomes(&sources, &test.program, &test.final_condition, &model)?;
        let reached = match test.final_condition.quantifier {
            Quantifier::Exists | Quantifier::NotExists => can_hold,
            Quantifier::Forall => can_fail,
        };
        Ok((test, reached))
    });
    let (test, reached) = match read {
        Ok(read) => read,
        Err(reason) => return Outcome::Skipped(reason.trim().to_string()),
    };
    let program = match way {
        Way::Rewritten => program(text).map_err(|what| format!("{what} is not rewritten")),
        Way::Emitted => report::c::program(&test).map_err(|diag| diag.message),
    };
    let program = match program {
        Ok(program) => program,
        Err(what) => return Outcome::Skipped(what),
    };
    let mut options = SessionOptions::default();
    options.program.checks = Some(vec![PropertyKind::Assertion]);
    let session = Session::read(&Input::text("kernel.c", &program), &options);
    let outcome = session.and_then(|mut s| s.check(&model, Limits::default()));
    let verdict = match &outcome {
        Ok(outcome) => outcome.verdict(),
        // A register is used as an address, or an `atomic_t` as a number.
        Err(error) => return Outcome::Skipped(error.to_string()),
    };
    match verdict {
        Some(Verdict::Safe) if !reached => Outcome::Same,
        Some(Verdict::Unsafe(_)) if reached => Outcome::Same,
        // A pointer is read from a place that holds none at first.
        Some(Verdict::Unknown(why)) if text.contains("deref") => {
            Outcome::Skipped(format!("{why:?}"))
        }
        other => Outcome::Differs(format!("reached: {reached}, {other:?}\n{program}")),
    }
}

/// The tests of others, by their paths, one in [`SAMPLE`].
fn collected() -> Option<Vec<(String, String)>> {
    let folder = support::data().join("litmus-more/LKMM");
    if !folder.exists() {
        support::skipped(Missing::Data("litmus-more"));
        return None;
    }
    let mut files = support::files_below(&folder, &["litmus"]);
    if std::env::var("WMBMC_LITMUS").unwrap_or_default() != "all" {
        files = files.into_iter().step_by(SAMPLE).collect();
    }
    let read = |file: &PathBuf| std::fs::read_to_string(file).expect("the file was listed");
    let tests = files
        .iter()
        .map(|file| (file.display().to_string(), read(file)));
    Some(tests.collect())
}

/// All tests are the same as their programs, but for some that are left out.
fn compare(tests: &[(String, String)], way: Way) {
    let outcomes: Vec<Outcome> = tests
        .par_iter()
        .map(|(_, text)| compared(text, way))
        .collect();
    let (mut same, mut skipped, mut differing) = (0, 0, Vec::new());
    for ((name, _), outcome) in tests.iter().zip(outcomes) {
        match outcome {
            Outcome::Same => same += 1,
            Outcome::Differs(what) => differing.push(format!("{name}: {what}")),
            Outcome::Skipped(why) => {
                skipped += 1;
                println!("skipped: {name}: {why}");
            }
        }
    }
    println!("{same} programs agree with their tests, {skipped} skipped");
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(
        skipped * 100 <= SKIPPED * tests.len(),
        "{skipped} of {} skipped",
        tests.len()
    );
}

#[test]
fn programs_agree_with_litmus_tests() {
    if let Some(tests) = collected() {
        compare(&tests, Way::Rewritten);
    }
}

#[test]
fn emitted_programs_agree_with_litmus_tests() {
    if let Some(tests) = collected() {
        compare(&tests, Way::Emitted);
    }
}

#[test]
fn programs_agree_with_generated_tests() {
    let cycles = ordered::systematic(&Lkmm);
    let taken = (0..GENERATED).map(|i| cycles[i * cycles.len() / GENERATED].clone());
    let mut tests = of_cycles(&Lkmm, &taken.collect::<Vec<_>>()).tests;
    assert_eq!(tests.len(), GENERATED);
    if std::env::var("WMBMC_LITMUS").unwrap_or_default() != "all" {
        tests = tests.into_iter().step_by(SAMPLE).collect();
    }
    let tests = tests.iter().map(|test| (test.name.clone(), test.text()));
    let tests: Vec<(String, String)> = tests.collect();
    compare(&tests, Way::Rewritten);
    compare(&tests, Way::Emitted);
}

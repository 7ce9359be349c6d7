//! Answers as one log in SARIF 2.1.0 (OASIS), which code scanning of repositories reads.
//!
//! A violation is a result of level `error` with its execution as a code flow; a loop at its bound is a
//! `note`, an unsupported construct that is reachable and a warning about the input are `warning`s. What has
//! no place in a program (a limit, a wrong input, a bug) is a notification of the invocation.

use super::answer::Answer;
use super::answer::abstraction::BufferedStep;
use super::answer::place::SourceRange;
use super::answer::program::BoundedLoop;
use super::answer::system::RunStep;
use super::explanation::{explanation, title};
use super::summary::{diagnostic, on_model, summary};
use crate::driver::outcome::NamedCell;
use base::code::Code;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Where the schema of the version is, as logs name it.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The log of a process that has given these answers and returns this exit code.
pub fn log(answers: &[Answer], exit_code: u8) -> String {
    let mut results = Vec::new();
    let mut notifications = Vec::new();
    let mut configuration = Vec::new();
    for answer in answers {
        results.extend(self::results(answer));
        let kinds = if answer.head().code == Some(Code::CommandLine) {
            &mut configuration
        } else {
            &mut notifications
        };
        kinds.extend(self::notifications(answer));
    }
    add_fingerprints(&mut results);
    let mut invocation = json!({
        "executionSuccessful": !matches!(exit_code, 1 | 2 | 6),
        "exitCode": exit_code,
        "exitCodeDescription": exit_code_description(exit_code),
    });
    if !notifications.is_empty() {
        invocation["toolExecutionNotifications"] = notifications.into();
    }
    if !configuration.is_empty() {
        invocation["toolConfigurationNotifications"] = configuration.into();
    }
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver() },
            "invocations": [invocation],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn driver() -> Value {
    let described = |codes: &[Code]| codes.iter().map(|c| rule(*c)).collect::<Value>();
    json!({
        "name": "wmbmc",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": described(&rules()),
        "notifications": described(&notified()),
    })
}

/// The codes that results have.
fn rules() -> Vec<Code> {
    let all = Code::ALL.into_iter();
    all.filter(|c| !notified().contains(c)).collect()
}

/// The codes that notifications have.
fn notified() -> Vec<Code> {
    let is_notified = |c: &Code| match c {
        Code::Timeout | Code::MemoryLimit | Code::Interrupted | Code::SearchGivesUp => true,
        other => other.id().starts_with('E'),
    };
    Code::ALL.into_iter().filter(is_notified).collect()
}

fn level(code: Code) -> &'static str {
    match code.id().as_bytes()[0] {
        b'V' | b'E' => "error",
        _ if code == Code::BoundReached => "note",
        _ => "warning",
    }
}

fn rule(code: Code) -> Value {
    let text = explanation(code);
    let first = text.split("\n\n").find(|p| !p.starts_with("```"));
    let first = first.unwrap_or(title(code)).replace('\n', " ");
    json!({
        "id": code.id(),
        "name": format!("{code:?}"),
        "shortDescription": { "text": title(code) },
        "fullDescription": { "text": first },
        "help": { "text": text, "markdown": text },
        "defaultConfiguration": { "level": level(code) },
    })
}

fn exit_code_description(exit_code: u8) -> &'static str {
    match exit_code {
        0 => "no execution violates a checked property",
        1 => "the command line is wrong",
        2 => "an input is wrong or not supported",
        5 => "not decided, or only up to a bound",
        6 => "a bug in wmbmc",
        10 => "an execution violates a property",
        _ => "interrupted",
    }
}

/// The results of an answer: none where it is as it should be.
fn results(answer: &Answer) -> Vec<Value> {
    let head = answer.head();
    let mut out = match head.code {
        Some(Code::BoundReached) if head.exit_code == 5 => beyond_bound(answer),
        Some(Code::BoundReached) => Vec::new(),
        Some(Code::UnsupportedReached) => unsupported(answer),
        Some(code) if rules().contains(&code) => {
            let mut found = result(answer, code, &summary(answer), violation_place(answer));
            let flow = flow(answer);
            if !flow.is_empty() {
                found["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow }] }]);
            }
            vec![found]
        }
        _ => Vec::new(),
    };
    let warnings = answer.warnings().iter().map(|warning| {
        let place = warning.places.first().map(|p| &p.span);
        result(answer, warning.code, &diagnostic(warning), place)
    });
    out.extend(warnings);
    out
}

/// The loops beyond whose bounds an answer decides nothing.
fn beyond_bound(answer: &Answer) -> Vec<Value> {
    let model = on_model(answer);
    let at_bound = |l: &BoundedLoop| {
        let (bound, name) = (l.bound, &l.name);
        let message = format!("not decided beyond {bound} iterations of {name}{model}");
        result(answer, Code::BoundReached, &message, Some(&l.span))
    };
    match answer {
        Answer::Program(a) if !a.loops_at_bound.is_empty() => {
            a.loops_at_bound.iter().map(at_bound).collect()
        }
        _ => {
            let message = format!("not decided beyond the bound of loops{model}");
            vec![result(answer, Code::BoundReached, &message, None)]
        }
    }
}

/// The unsupported constructs that an answer says are reachable.
fn unsupported(answer: &Answer) -> Vec<Value> {
    let (code, model) = (Code::UnsupportedReached, on_model(answer));
    match answer {
        Answer::Program(a) if !a.places.is_empty() => {
            let each = a.places.iter().map(|place| {
                let message = format!("not decided: {}{model}", place.message);
                result(answer, code, &message, Some(&place.span))
            });
            each.collect()
        }
        _ => vec![result(answer, code, &summary(answer), None)],
    }
}

/// Where what is violated stands.
fn violation_place(answer: &Answer) -> Option<&SourceRange> {
    match answer {
        Answer::Program(a) => a.property.as_ref().map(|p| &p.span),
        _ => None,
    }
}

fn result(answer: &Answer, code: Code, message: &str, place: Option<&SourceRange>) -> Value {
    let head = answer.head();
    json!({
        "ruleId": code.id(),
        "ruleIndex": rules().iter().position(|c| *c == code),
        "level": level(code),
        "message": { "text": message },
        "locations": [location(answer, region(place), place)],
        "properties": { "model": head.model, "input": head.input },
    })
}

/// The steps of an execution in the order in which they are shown, then what is violated.
fn flow(answer: &Answer) -> Vec<Value> {
    let mut steps: Vec<Value> = match answer {
        Answer::System(a) => {
            let each = a.run.iter().flatten();
            each.map(|s| run_step(answer, s)).collect()
        }
        Answer::Abstraction(_) | Answer::Fences(_) => {
            let steps = answer.evidence().and_then(|e| e.steps.as_ref());
            let each = steps.into_iter().flatten();
            each.map(|s| buffered_step(answer, s)).collect()
        }
        _ => events(answer),
    };
    if steps.is_empty() {
        return steps;
    }
    let place = violation_place(answer);
    steps.push(step(answer, &summary(answer), region(place), place));
    let numbered = steps.into_iter().zip(1..);
    numbered
        .map(|(step, number)| json!({ "location": step, "executionOrder": number }))
        .collect()
}

/// A location with what happens there.
fn step(answer: &Answer, text: &str, region: Value, place: Option<&SourceRange>) -> Value {
    let mut location = location(answer, region, place);
    location["message"] = json!({ "text": text });
    location
}

/// The events of an execution, as far as it shows them.
fn events(answer: &Answer) -> Vec<Value> {
    let (execution, is_litmus) = match answer {
        Answer::Program(a) => (&a.execution, false),
        Answer::Litmus(a) => (&a.execution, true),
        _ => return Vec::new(),
    };
    let events = execution.iter().flat_map(|e| &e.events);
    let shown = events.filter_map(|event| {
        let name = match event.thread? {
            0 => "main".to_string(),
            n if is_litmus => format!("P{}", n - 1),
            n => format!("thread {n}"),
        };
        let text = format!("{name}: {}", event.text.as_ref()?);
        let place = Some(&event.span);
        Some(step(answer, &text, region(place), place))
    });
    shown.collect()
}

/// A step of an execution with store buffers.
fn buffered_step(answer: &Answer, of: &BufferedStep) -> Value {
    let text = if of.flush {
        flushed(of)
    } else {
        of.text.clone()
    };
    let text = format!("{}: {text}", of.thread);
    let place = Some(&of.span);
    step(answer, &text, region(place), place)
}

/// What the oldest entry of a store buffer does to memory.
fn flushed(step: &BufferedStep) -> String {
    let changes = step.changes.iter();
    let changes: Vec<String> = changes
        .map(|c| format!("{} = {}", c.name, c.value))
        .collect();
    let what = "the oldest store in its buffer reaches memory";
    if changes.is_empty() {
        format!("{what}, which has that value")
    } else {
        format!("{what}: {}", changes.join(", "))
    }
}

/// A step of a system's run. It stands on a line of an x86 program, and nowhere in a system.
fn run_step(answer: &Answer, of: &RunStep) -> Value {
    let mut region = region(None);
    if let RunStep::Transition {
        line: Some(line), ..
    } = of
    {
        region["startLine"] = (*line).into();
    }
    step(answer, &transition(of), region, None)
}

/// What happens in a step of a system's run.
fn transition(step: &RunStep) -> String {
    let assigned = |cell: &str, value: &str| format!("{cell} := {value}");
    let changed = |changes: &[NamedCell]| -> Vec<String> {
        let each = changes.iter();
        each.map(|c| assigned(&c.cell, &c.value)).collect()
    };
    let (what, cells) = match step {
        RunStep::Flush {
            process, changes, ..
        } => {
            let what = format!("process {process}: its oldest update reaches memory");
            (what, changed(changes))
        }
        RunStep::Initially {
            cell,
            value,
            changes,
            ..
        } => {
            let mut cells = changed(changes);
            cells.push(assigned(cell, value));
            ("initially".to_string(), cells)
        }
        RunStep::Transition {
            name,
            processes,
            instruction,
            changes,
            ..
        } => {
            let processes: Vec<String> = processes.iter().map(u8::to_string).collect();
            let processes = processes.join(", ");
            let what = match instruction {
                Some(text) => format!("thread {processes}: {text}"),
                None => format!("{name}({processes})"),
            };
            (what, changed(changes))
        }
    };
    if cells.is_empty() {
        what
    } else {
        format!("{what}: {}", cells.join(", "))
    }
}

/// A place in its file, or the beginning of the input.
fn region(place: Option<&SourceRange>) -> Value {
    match place {
        Some(place) => json!({
            "startLine": place.line,
            "startColumn": place.column,
            "endLine": place.end_line,
            "endColumn": place.end_column,
        }),
        None => json!({ "startLine": 1 }),
    }
}

/// A region of the file of a place; of the input where there is none.
fn location(answer: &Answer, region: Value, place: Option<&SourceRange>) -> Value {
    let file = place.map(|p| p.file.as_str()).or(answer.head().input);
    json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(file.unwrap_or_default()) },
            "region": region,
        }
    })
}

/// A path as a URI: relative ones are relative to where the program was started.
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let plain = path.strip_prefix("./").unwrap_or(&path);
    let scheme = if plain.starts_with('/') {
        "file://"
    } else {
        ""
    };
    let mut out = scheme.to_string();
    for byte in plain.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'+' => {
                out.push(char::from(byte));
            }
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

/// What kept the tool from an answer.
fn notifications(answer: &Answer) -> Vec<Value> {
    let head = answer.head();
    let codes = notified();
    let notification = |code: Code, text: &str, place: Option<&SourceRange>| {
        let mut out = json!({
            "descriptor": { "id": code.id(), "index": codes.iter().position(|c| *c == code) },
            "level": level(code),
            "message": { "text": text },
        });
        if head.input.is_some() {
            out["locations"] = json!([location(answer, region(place), place)]);
        }
        out
    };
    let errors = answer.errors().iter().map(|error| {
        let place = error.places.first().map(|p| &p.span);
        notification(error.code, &diagnostic(error), place)
    });
    let mut out: Vec<Value> = errors.collect();
    if let Some(code) = head.code.filter(|c| out.is_empty() && codes.contains(c)) {
        out.push(notification(code, &summary(answer), None));
    }
    out
}

/// A violation keeps its fingerprint when lines move: it is made of what is violated, not of where.
/// Equal ones are counted.
fn add_fingerprints(results: &mut [Value]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for result in results {
        let message = result["message"]["text"].as_str().unwrap_or_default();
        let file = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        let first = message.lines().next().unwrap_or_default();
        let same = format!("{} {file} {first}", result["ruleId"]);
        let times = seen.entry(same.clone()).or_default();
        *times += 1;
        let hash = Sha256::digest(format!("{same} {times}"));
        let hash: String = hash.iter().take(16).map(|b| format!("{b:02x}")).collect();
        result["partialFingerprints"] = json!({ "wmbmcResult/v1": hash });
    }
}

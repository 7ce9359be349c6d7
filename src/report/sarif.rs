//! Answers as one log in SARIF 2.1.0 (OASIS), which code scanning of repositories reads.
//!
//! The log is made of what [`json`](super::json) says, so there is one account of an answer. A violation
//! is a result of level `error` with its execution as a code flow; a loop at its bound is a `note`, an
//! unsupported construct that is reachable and a warning about the input are `warning`s. What has no
//! place in a program (a limit, a wrong input, a bug) is a notification of the invocation.

use crate::base::code::Code;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Where the schema of the version is, as logs name it.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// What an answer says of loops that reach their bound.
#[derive(Deserialize)]
struct BoundedAnswer {
    #[serde(rename = "cuts", default)]
    loops: Vec<LoopAtBound>,
}

#[derive(Deserialize)]
struct LoopAtBound {
    #[serde(rename = "loop")]
    name: String,
    bound: u32,
    span: Value,
}

/// The log of a process that has given these answers and returns this exit code.
pub fn log(answers: &[Value], exit_code: u8) -> String {
    let mut results = Vec::new();
    let mut notifications = Vec::new();
    let mut configuration = Vec::new();
    for answer in answers {
        results.extend(self::results(answer));
        let kinds = match answer["code"] == Code::CommandLine.id() {
            true => &mut configuration,
            false => &mut notifications,
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
    let text = code.explanation();
    let first = text.split("\n\n").find(|p| !p.starts_with("```"));
    let first = first.unwrap_or(code.title()).replace('\n', " ");
    json!({
        "id": code.id(),
        "name": format!("{code:?}"),
        "shortDescription": { "text": code.title() },
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
fn results(answer: &Value) -> Vec<Value> {
    let mut out = Vec::new();
    let code = answer["code"].as_str().and_then(Code::of);
    let undecided = answer["exit_code"] == 5;
    match code {
        Some(Code::BoundReached) if undecided => {
            let at_bound = BoundedAnswer::deserialize(answer).map_or(Vec::new(), |a| a.loops);
            for LoopAtBound { name, bound, span } in &at_bound {
                let model = on_model(answer);
                let message = format!("not decided beyond {bound} iterations of {name}{model}");
                out.push(result(answer, Code::BoundReached, &message, span));
            }
            if at_bound.is_empty() {
                let message = format!("not decided beyond the bound of loops{}", on_model(answer));
                out.push(result(answer, Code::BoundReached, &message, &Value::Null));
            }
        }
        Some(Code::UnsupportedReached) => {
            for place in list(&answer["places"]) {
                let message = format!(
                    "not decided: {}{}",
                    place["message"].as_str().unwrap_or_default(),
                    on_model(answer)
                );
                out.push(result(
                    answer,
                    Code::UnsupportedReached,
                    &message,
                    &place["span"],
                ));
            }
            if out.is_empty() {
                let message = message(answer);
                out.push(result(
                    answer,
                    Code::UnsupportedReached,
                    &message,
                    &Value::Null,
                ));
            }
        }
        Some(code) if rules().contains(&code) && code != Code::BoundReached => {
            let mut found = result(answer, code, &message(answer), &answer["property"]["span"]);
            let flow = flow(answer);
            if !flow.is_empty() {
                found["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow }] }]);
            }
            out.push(found);
        }
        _ => {}
    }
    for warning in list(&answer["warnings"]) {
        if let Some(code) = warning["code"].as_str().and_then(Code::of) {
            let message = diagnostic(warning);
            out.push(result(
                answer,
                code,
                &message,
                &warning["places"][0]["span"],
            ));
        }
    }
    out
}

fn result(answer: &Value, code: Code, message: &str, span: &Value) -> Value {
    json!({
        "ruleId": code.id(),
        "ruleIndex": rules().iter().position(|c| *c == code),
        "level": level(code),
        "message": { "text": message },
        "locations": [location(answer, span)],
        "properties": { "model": answer["model"], "input": answer["input"] },
    })
}

/// What an answer says, in sentences.
pub(super) fn message(answer: &Value) -> String {
    let text = |value: &Value| value.as_str().map(str::to_string);
    if let Some(error) = answer["errors"].get(0) {
        return diagnostic(error);
    }
    let property = violated(answer);
    let mut out = match (
        property,
        text(&answer["condition"]),
        text(&answer["reason"]),
    ) {
        (_, _, Some(reason)) => reason,
        (Some(property), ..) => property,
        (None, Some(condition), None) => {
            let quantifier = text(&answer["quantifier"]).unwrap_or_default();
            let observed = text(&answer["observation"]).unwrap_or_default();
            format!(
                "{quantifier} {condition}: observed {}",
                observed.to_lowercase()
            )
        }
        (None, None, None) => text(&answer["verdict"]).unwrap_or_default(),
    };
    if let Some(expected) = text(&answer["expected"]) {
        out += &format!(", expected {expected}");
    }
    out += &on_model(answer);
    let why = list(&answer["weakness"]["sentences"]).iter();
    let why = why.chain(std::iter::once(&answer["weakness"]["remedy"]));
    for sentence in why.filter_map(Value::as_str) {
        out += &format!("\n{sentence}");
    }
    out
}

/// What is violated: of a C program a property with its kind, of an x86 program a state that is reached,
/// by predicate abstraction a condition.
fn violated(answer: &Value) -> Option<String> {
    let Some(text) = answer["property"]["text"].as_str() else {
        let condition = answer["property"].as_str()?;
        return Some(format!("`{condition}` is violated"));
    };
    if !answer["threads"].is_null() {
        return Some(text.to_string());
    }
    if let Some(cause) = answer["property"]["cause"].as_str() {
        return Some(cause.to_string());
    }
    Some(match answer["property"]["kind"].as_str()? {
        "assert" => format!("assertion `{text}` is violated"),
        "memory" | "leak" => format!("memory property `{text}` is violated"),
        "misuse" => format!("misuse of the thread library: `{text}` is violated"),
        "race" => format!("data race: {text}"),
        "deadlock" => format!("deadlock: {text}"),
        _ => format!("`{text}` is violated"),
    })
}

fn on_model(answer: &Value) -> String {
    let model = answer["model"].as_str();
    model.map_or_else(String::new, |m| format!(" on {m}"))
}

fn diagnostic(error: &Value) -> String {
    let mut out = error["message"].as_str().unwrap_or_default().to_string();
    for note in list(&error["notes"]).iter().filter_map(Value::as_str) {
        out += &format!("\nhelp: {note}");
    }
    out
}

/// The steps of an execution in the order in which they are shown, then what is violated.
fn flow(answer: &Value) -> Vec<Value> {
    let mut steps: Vec<(String, Value)> = Vec::new();
    for event in list(&answer["execution"]["events"]) {
        let (Some(text), Some(thread)) = (event["text"].as_str(), event["thread"].as_u64()) else {
            continue;
        };
        let name = match thread {
            0 => "main".to_string(),
            n if !answer["test"].is_null() => format!("P{}", n - 1),
            n => format!("thread {n}"),
        };
        steps.push((format!("{name}: {text}"), event["span"].clone()));
    }
    for step in list(&answer["steps"]) {
        let thread = step["thread"].as_str().unwrap_or_default();
        let text = match step["flush"] == true {
            true => flushed(step),
            false => step["text"].as_str().unwrap_or_default().to_string(),
        };
        steps.push((format!("{thread}: {text}"), step["span"].clone()));
    }
    for step in list(&answer["run"]) {
        let line = &step["line"];
        steps.push((transition(step), json!({ "line": line })));
    }
    if steps.is_empty() {
        return Vec::new();
    }
    steps.push((message(answer), answer["property"]["span"].clone()));
    let locations = steps.iter().zip(1..).map(|((text, span), number)| {
        let mut location = location(answer, span);
        location["message"] = json!({ "text": text });
        json!({ "location": location, "executionOrder": number })
    });
    locations.collect()
}

/// What the oldest entry of a store buffer does to memory.
fn flushed(step: &Value) -> String {
    let changes = list(&step["changes"]).iter();
    let changes = changes.filter_map(|c| Some((c["name"].as_str()?, c["value"].as_str()?)));
    let changes: Vec<String> = changes
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    let what = "the oldest store in its buffer reaches memory";
    match changes.is_empty() {
        true => format!("{what}, which has that value"),
        false => format!("{what}: {}", changes.join(", ")),
    }
}

/// A step of a system's run.
fn transition(step: &Value) -> String {
    let changes = list(&step["changes"]).iter().chain([step]);
    let cells = changes.filter_map(|c| Some((c["cell"].as_str()?, c["value"].as_str()?)));
    let cells: Vec<String> = cells
        .map(|(cell, value)| format!("{cell} := {value}"))
        .collect();
    let what = match step["step"].as_str() {
        Some("flush") => format!(
            "process {}: its oldest update reaches memory",
            step["process"]
        ),
        Some("initially") => "initially".to_string(),
        _ => {
            let processes = list(&step["processes"]).iter().map(Value::to_string);
            let processes: Vec<String> = processes.collect();
            let name = step["name"].as_str().unwrap_or_default();
            match step["instruction"].as_str() {
                Some(text) => format!("thread {}: {text}", processes.join(", ")),
                None => format!("{name}({})", processes.join(", ")),
            }
        }
    };
    match cells.is_empty() {
        true => what,
        false => format!("{what}: {}", cells.join(", ")),
    }
}

/// A place in a file; the beginning of the input where there is none.
fn location(answer: &Value, span: &Value) -> Value {
    let file = span["file"].as_str().or_else(|| answer["input"].as_str());
    let mut region = json!({ "startLine": span["line"].as_u64().unwrap_or(1) });
    for (from, to) in [
        ("column", "startColumn"),
        ("end_line", "endLine"),
        ("end_column", "endColumn"),
    ] {
        if let Some(number) = span[from].as_u64() {
            region[to] = number.into();
        }
    }
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
    let mut out = match plain.starts_with('/') {
        true => "file://".to_string(),
        false => String::new(),
    };
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
fn notifications(answer: &Value) -> Vec<Value> {
    let codes = notified();
    let notification = |code: Code, text: &str, span: &Value| {
        let mut out = json!({
            "descriptor": { "id": code.id(), "index": codes.iter().position(|c| *c == code) },
            "level": level(code),
            "message": { "text": text },
        });
        if !answer["input"].is_null() {
            out["locations"] = json!([location(answer, span)]);
        }
        out
    };
    let errors = list(&answer["errors"]).iter().filter_map(|error| {
        let code = Code::of(error["code"].as_str()?)?;
        let text = diagnostic(error);
        Some(notification(code, &text, &error["places"][0]["span"]))
    });
    let mut out: Vec<Value> = errors.collect();
    let code = answer["code"].as_str().and_then(Code::of);
    if let Some(code) = code.filter(|c| out.is_empty() && codes.contains(c)) {
        out.push(notification(code, &message(answer), &Value::Null));
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

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

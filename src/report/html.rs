//! An answer as a page that needs nothing else: the verdict, the program's text, and the execution in
//! columns, as a graph, and step by step.
//!
//! The page (`page.html`) draws the object that [`json`] prints. Beside that it is given what only this
//! crate words: what each event did and where a read got its value.

use super::{json, words};
use crate::check::outcome::Trace;
use base::source::SourceMap;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// The page, with a placeholder for the data.
const PAGE: &str = include_str!("page.html");
const PLACEHOLDER: &str = "__DATA__";

/// The page for an answer, with the execution that it lists.
pub fn page(sources: &SourceMap, answer: &impl Serialize, execution: Option<&Trace>) -> String {
    let answer = json::value(answer);
    let mut files = BTreeSet::new();
    named_files(&answer, &mut files);
    let texts = files.iter().filter_map(|name| {
        let file = sources.file(sources.find(name)?);
        Some(serde_json::json!({"name": file.name, "text": file.text}))
    });
    let texts: Vec<Value> = texts.collect();
    let steps = execution.into_iter().flat_map(|trace| {
        trace.steps.iter().map(move |step| {
            serde_json::json!({
                "action": words::action(step),
                "value": words::step_value(step),
                "origin": words::origin(sources, trace, step),
                "written": words::is_written(step),
            })
        })
    });
    let steps: Vec<Value> = steps.collect();
    let data = serde_json::json!({"answer": answer, "steps": steps, "sources": texts});
    // No text ends the script that it is in.
    PAGE.replacen(PLACEHOLDER, &data.to_string().replace('<', "\\u003c"), 1)
}

/// The files that an answer names: its input and the places in it.
fn named_files(value: &Value, files: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(file) if name == "file" || name == "input" => {
                        files.insert(file.clone());
                    }
                    _ => named_files(field, files),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| named_files(item, files)),
        _ => {}
    }
}

//! An entry as serde writes it.

use base::source::{SourceMap, Span};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(super) struct Entry<'a> {
    pub entry_type: &'static str,
    pub metadata: Metadata<'a>,
    pub content: Vec<Segment>,
}

#[derive(Serialize)]
pub(super) struct Metadata<'a> {
    pub format_version: &'static str,
    pub uuid: String,
    pub creation_time: String,
    pub producer: Producer,
    pub task: TaskMetadata<'a>,
}

#[derive(Serialize)]
pub(super) struct Producer {
    pub name: &'static str,
    pub version: &'static str,
}

#[derive(Serialize)]
pub(super) struct TaskMetadata<'a> {
    pub input_files: [&'a str; 1],
    pub input_file_hashes: BTreeMap<&'a str, String>,
    pub specification: &'a str,
    pub data_model: &'a str,
    pub language: &'static str,
}

#[derive(Serialize)]
pub(super) struct Segment {
    pub segment: Vec<Item>,
}

#[derive(Serialize)]
pub(super) struct Item {
    pub waypoint: Waypoint,
}

/// What every execution meant passes.
#[derive(Serialize)]
pub(super) struct Waypoint {
    #[serde(rename = "type")]
    kind: &'static str,
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    thread_id: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    constraint: Option<Constraint>,
    location: Location,
}

#[derive(Serialize)]
struct Constraint {
    value: String,
    format: &'static str,
}

#[derive(Serialize)]
struct Location {
    file_name: String,
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
}

/// Which column of a place is reported.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    None,
    First,
    /// Of the last character: the right parenthesis of a call.
    Last,
}

impl Segment {
    pub(super) fn new(waypoints: impl IntoIterator<Item = Waypoint>) -> Segment {
        let items = waypoints.into_iter().map(|waypoint| Item { waypoint });
        Segment {
            segment: items.collect(),
        }
    }
}

impl Waypoint {
    pub(super) fn new(
        sources: &SourceMap,
        kind: &'static str,
        thread_id: Option<usize>,
        span: Span,
        column: Column,
    ) -> Waypoint {
        let at = |offset: u32| sources.line_col(span.file, offset);
        let column = match column {
            Column::None => None,
            Column::First => Some(at(span.start).col),
            Column::Last => Some(at(span.end.saturating_sub(1)).col),
        };
        Waypoint {
            kind,
            action: "follow",
            thread_id,
            constraint: None,
            location: Location {
                file_name: sources.file(span.file).name.clone(),
                line: at(span.start).line,
                column,
            },
        }
    }

    /// The same with a formula and its language.
    pub(super) fn with(self, value: String, format: &'static str) -> Waypoint {
        let constraint = Some(Constraint { value, format });
        Waypoint { constraint, ..self }
    }
}

impl Entry<'_> {
    /// As a file, which is a list of one entry. All strings are quoted: to a reader of YAML 1.1 a
    /// plain time is a date.
    pub(super) fn text(&self) -> String {
        let options = serde_saphyr::ser_options! { quote_all: true };
        serde_saphyr::to_string_with_options(&[self], options)
            .expect("it has strings and numbers only")
    }
}

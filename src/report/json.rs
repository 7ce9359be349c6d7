//! Answers as JSON, for `--format json`: one object per file and model, one line each. The fields are
//! those of [`answer`](super::answer).
//!
//! The fields of programs, litmus tests and errors come in the order in which the structs have them, those
//! of the others by name.
//!
//! `--show-loops` writes one object per file instead: `tool`, `version`, `input`, and `loops` of
//! `{name, function, recursive, extent, most, span}`; `extent` is `bounded` (it ends by itself; `most`
//! is how often its back edge is taken at most, or how deep it recurs), `await`, `cut` (`most` is the
//! bound) or `unreached`.

use super::answer::Answer;
use super::answer::place::SourceRange;
use crate::check::loops::{Extent, Loop};
use base::source::SourceMap;
use serde::Serialize;

/// The object of an answer, on one line.
pub fn line(answer: &Answer) -> String {
    match answer {
        Answer::Program(_) | Answer::Litmus(_) | Answer::Refused(_) => object(answer),
        Answer::System(_)
        | Answer::Abstraction(_)
        | Answer::Fences(_)
        | Answer::Orders(_)
        | Answer::Engines(_)
        | Answer::Fronts(_)
        | Answer::CompileCheck(_)
        | Answer::NativeRun(_) => object(&value(answer)),
    }
}

/// The object of an answer, its fields by name.
pub(super) fn value(answer: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(answer).expect("numbers and strings always serialize")
}

fn object(object: &impl Serialize) -> String {
    serde_json::to_string(object).expect("numbers and strings always serialize") + "\n"
}

#[derive(Serialize)]
struct Loops<'a> {
    tool: &'static str,
    version: &'static str,
    input: &'a str,
    loops: Vec<LoopObject<'a>>,
}

#[derive(Serialize)]
struct LoopObject<'a> {
    name: &'a str,
    function: &'a str,
    recursive: bool,
    extent: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    most: Option<u32>,
    span: SourceRange,
}

/// The loops of a program, on one line.
pub fn loops(sources: &SourceMap, input: &str, all: &[Loop]) -> String {
    let of = |l: &'_ Loop| -> (&'static str, Option<u32>) {
        match l.extent {
            Extent::Unreached => ("unreached", None),
            Extent::Await => ("await", None),
            Extent::Bounded(most) => ("bounded", Some(most)),
            Extent::BoundReached(bound) => ("cut", Some(bound)),
        }
    };
    let loops = all.iter().map(|l| {
        let (extent, most) = of(l);
        LoopObject {
            name: &l.name,
            function: &l.function,
            recursive: l.recursive,
            extent,
            most,
            span: SourceRange::of(sources, l.span),
        }
    });
    object(&Loops {
        tool: "wmbmc",
        version: env!("CARGO_PKG_VERSION"),
        input,
        loops: loops.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::answer::program::ProgramAnswer;
    use crate::report::answer::refused::RefusedAnswer;
    use crate::report::{Subject, sample};
    use base::diag::Diag;
    use base::source::Span;

    #[test]
    fn an_outcome_is_one_object() {
        let (sources, found) = sample::store_buffering();
        let subject = Subject {
            sources: &sources,
            input: "dir/sb.c",
            model_title: "x86-TSO",
            unwind: 5,
            assertions: 1,
            bounded_arguments: false,
            assumptions: &[],
            warnings: &[],
            chosen: false,
            races_undefined: false,
            threads: None,
            history: None,
            clients: 1,
        };
        let text = line(&ProgramAnswer::new(&subject, &found, 10).into());
        let value: serde_json::Value = serde_json::from_str(&text).expect("well-formed");
        assert_eq!(value["verdict"], "UNSAFE");
        assert_eq!(value["property"]["span"]["line"], 12);
        assert_eq!(value["execution"]["events"][4]["from"], 1);
        assert_eq!(value["weakness"]["cycle"][0]["kind"], "po");
        assert_eq!(value["stats"]["seconds"]["solve"], 0.25);
        assert_eq!(value["checks"], "default");
        assert_eq!(value["not_checked"][0], "memory");
        assert_eq!(text.lines().count(), 1);
        let answer: Answer = serde_json::from_str(&text).expect("it is an answer");
        assert_eq!(line(&answer), text);
    }

    #[test]
    fn an_error_is_one_object_too() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.c", "int x = ;\n");
        let diag = Diag::error(
            Span {
                file,
                start: 8,
                end: 9,
            },
            "expected an expression",
        )
        .note("try 0");
        let refused = RefusedAnswer::new(&sources, Some("a.c"), None, &[diag], 2);
        let text = line(&refused.into());
        let value: serde_json::Value = serde_json::from_str(&text).expect("well-formed");
        assert_eq!(value["verdict"], "ERROR");
        assert_eq!(value["errors"][0]["places"][0]["span"]["column"], 9);
        assert!(value["model"].is_null());
        let answer: Answer = serde_json::from_str(&text).expect("it is an answer");
        assert_eq!(line(&answer), text);
    }
}

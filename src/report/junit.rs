//! Answers as a JUnit report: a test case a file and model, which passes where the exit code is 0, fails
//! where a property is violated, and is in error where there is no answer.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde_json::Value;
use std::time::Duration;

/// The report of answers as [`json`](super::json) has them.
pub fn report(answers: &[Value]) -> String {
    let mut suite = TestSuite::new("wmbmc");
    suite.add_test_cases(answers.iter().map(test_case));
    let mut report = Report::new("wmbmc");
    report.add_test_suite(suite);
    // It is written to memory, and XML can say every string once control characters are gone.
    let text = report.to_string();
    text.expect("a report of strings is written to memory") + "\n"
}

fn test_case(answer: &Value) -> TestCase {
    let text = |name: &str| answer[name].as_str().unwrap_or_default();
    let code = text("code");
    let mut status = match answer["exit_code"].as_u64() {
        Some(0) => TestCaseStatus::success(),
        Some(10) => TestCaseStatus::non_success(NonSuccessKind::Failure),
        _ => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    let message = super::sarif::message(answer);
    let mut name = text("input").to_string();
    if !text("model").is_empty() {
        name += &format!(" on {}", text("model"));
    }
    if !text("engine").is_empty() {
        name += &format!(" by {}", text("engine"));
    }
    if answer["exit_code"] != 0 {
        status.set_type(code);
        status.set_message(message);
    }
    let mut case = TestCase::new(name, status);
    case.set_classname(text("model"));
    if let Some(seconds) = seconds(&answer["stats"]["seconds"]) {
        case.set_time(Duration::from_secs_f64(seconds));
    }
    case
}

/// Seconds are a number, or numbers by stage.
fn seconds(value: &Value) -> Option<f64> {
    match value {
        Value::Number(n) => n.as_f64(),
        Value::Object(stages) => Some(stages.values().filter_map(Value::as_f64).sum()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_case_passes_fails_or_is_in_error() {
        let answer = |exit_code: u8, verdict: &str| {
            json!({"input": "a <b>.c", "model": "tso", "verdict": verdict, "exit_code": exit_code,
                   "code": "V0001", "stats": {"seconds": {"solve": 0.5, "encode": 0.25}}})
        };
        let answers = [
            answer(0, "SAFE"),
            answer(10, "UNSAFE"),
            answer(5, "UNKNOWN"),
        ];
        let text = report(&answers);
        assert!(
            text.contains(r#"tests="3" skipped="0" failures="1" errors="1""#),
            "{text}"
        );
        assert!(text.contains(r#"name="a &lt;b&gt;.c on tso""#), "{text}");
        assert!(text.contains(r#"time="0.750""#), "{text}");
    }
}

//! Answers as a JUnit report: a test case a file and model, which passes where the exit code is 0, fails
//! where a property is violated, and is in error where there is no answer.

use super::Answer;
use super::summary::{on_model, summary};
use base::code::Code;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// The report of answers.
pub fn report(answers: &[Answer]) -> String {
    let mut suite = TestSuite::new("wmbmc");
    suite.add_test_cases(answers.iter().map(test_case));
    let mut report = Report::new("wmbmc");
    report.add_test_suite(suite);
    // It is written to memory, and XML can say every string once control characters are gone.
    let text = report.to_string();
    text.expect("a report of strings is written to memory") + "\n"
}

fn test_case(answer: &Answer) -> TestCase {
    let head = answer.head();
    let mut status = match head.exit_code {
        0 => TestCaseStatus::success(),
        10 => TestCaseStatus::non_success(NonSuccessKind::Failure),
        _ => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    let mut name = head.input.unwrap_or_default().to_string() + &on_model(answer);
    if let Answer::Litmus(a) = answer {
        name += &format!(" by {}", a.engine);
    }
    if head.exit_code != 0 {
        status.set_type(head.code.map_or("", Code::id));
        status.set_message(summary(answer));
    }
    let mut case = TestCase::new(name, status);
    case.set_classname(head.model.unwrap_or_default());
    if let Some(seconds) = answer.seconds() {
        case.set_time(Duration::from_secs_f64(seconds));
    }
    case
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::answer::program::ProgramAnswer;
    use crate::report::{Subject, sample};

    #[test]
    fn a_case_passes_fails_or_is_in_error() {
        let (sources, found) = sample::store_buffering();
        let answer = |exit_code: u8| {
            let subject = Subject {
                sources: &sources,
                input: "a <b>.c",
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
            ProgramAnswer::new(&subject, &found, exit_code).into()
        };
        let text = report(&[answer(0), answer(10), answer(5)]);
        assert!(
            text.contains(r#"tests="3" skipped="0" failures="1" errors="1""#),
            "{text}"
        );
        assert!(text.contains(r#"name="a &lt;b&gt;.c on tso""#), "{text}");
        assert!(text.contains(r#"time="0.251""#), "{text}");
    }
}

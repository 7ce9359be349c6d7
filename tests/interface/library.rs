//! The crate as a library: what people may rely on, beside the example in its documentation.

use wmbmc::driver::options::{LitmusOptions, ProgramOptions, SystemOptions};
use wmbmc::driver::outcome::{LitmusOutcome, ProgramOutcome, SystemOutcome, SystemVerdict};
use wmbmc::driver::program::Extent;
use wmbmc::{
    Engine, Error, Input, Limits, Model, Outcome, Session, SessionOptions, Trace, Verdict,
};

/// Two threads that read each other's variable after writing their own.
const STORE_BUFFERING: &str = "
#include <assert.h>
#include <threads.h>
int x, y, a, b;
int other(void *p) { y = 1; b = x; return 0; }
int main(void) {
    thrd_t t;
    thrd_create(&t, other, 0);
    x = 1;
    a = y;
    thrd_join(t, 0);
    assert(a == 1 || b == 1);
}
";

fn model(name: &str) -> Model {
    wmbmc::model(name).expect("it is built in")
}

fn outcome(input: &Input, options: &SessionOptions, name: &str) -> Outcome {
    let outcome = wmbmc::driver::check(input, &model(name), options, Limits::default());
    outcome.expect("it is well-formed")
}

#[test]
fn outcomes_and_errors_may_go_to_other_threads() {
    fn travels<T: Send + Sync + 'static>() {}
    fn is_error<T: std::error::Error + Send + Sync + 'static>() {}
    travels::<Outcome>();
    travels::<ProgramOutcome>();
    travels::<LitmusOutcome>();
    travels::<SystemOutcome>();
    travels::<Verdict>();
    travels::<Trace>();
    travels::<SessionOptions>();
    travels::<Limits>();
    travels::<Input>();
    is_error::<Error>();
    is_error::<wmbmc::base::diag::Diag>();
    is_error::<wmbmc::base::source::ReadError>();
    is_error::<wmbmc::check::bmc::CheckError>();
    is_error::<wmbmc::enumerate::EnumerateError>();
    is_error::<wmbmc::unroll::UnrollError>();
}

#[test]
fn options_have_defaults_that_work() {
    let _ = (ProgramOptions::default(), LitmusOptions::default());
    assert_eq!(SystemOptions::default().jobs, 1);
    let input = Input::text("sb.c", STORE_BUFFERING);
    let mut options = SessionOptions::default();
    for engine in [Engine::Sat, Engine::Enumerate, Engine::Both] {
        options.program.bounded.engine = engine;
        let on = |name| outcome(&input, &options, name);
        assert!(matches!(on("sc").verdict(), Some(Verdict::Safe)));
        assert!(matches!(on("tso").verdict(), Some(Verdict::Unsafe(_))));
    }
}

#[test]
fn text_is_reported_under_the_name_it_was_given() {
    let input = Input::text("sb.c", STORE_BUFFERING);
    let mut session = Session::read(&input, &SessionOptions::default()).expect("it parses");
    let found = session.check(&model("tso"), Limits::default());
    let found = found.expect("it is checked");
    let trace = found.trace().expect("the assertion fails");
    let text = wmbmc::render_trace(&session, trace);
    assert!(text.contains("thread 1"), "{text}");
    let text = wmbmc::render(&session, &found);
    assert!(text.starts_with("UNSAFE\n"), "{text}");
    assert!(text.contains("is violated at sb.c:12"), "{text}");
}

#[test]
fn models_in_advance_share_a_graph() {
    let input = Input::text("sb.c", STORE_BUFFERING);
    let mut session = Session::read(&input, &SessionOptions::default()).expect("it parses");
    let (sc, tso, power) = (model("sc"), model("tso"), model("power"));
    let shared = session.unroll(&[&sc, &tso], Extent::Small, Limits::default());
    shared.expect("it has a main");
    // A model that was not named is checked on a graph of its own.
    for (model, safe) in [(&sc, true), (&tso, false), (&power, false)] {
        let outcome = session.check(model, Limits::default());
        let outcome = outcome.expect("it is checked");
        let verdict = outcome.verdict().expect("it is a program");
        assert_eq!(matches!(verdict, Verdict::Safe), safe, "{}", model.name);
    }
}

#[test]
fn litmus_tests_and_systems_are_inputs_like_programs() {
    let path = support::root().join("litmus/x86/SB.litmus");
    let found = outcome(&Input::file(path), &SessionOptions::default(), "tso");
    let Outcome::Litmus(found) = &found else {
        panic!("{found:?}");
    };
    assert!(found.answers[0].0.holds && found.answers[0].0.witness.is_some());
    let path = support::root().join("benchmarks/parameterized/mutex_safe.cub");
    let found = outcome(&Input::file(path), &SessionOptions::default(), "tso");
    let Outcome::System(found) = &found else {
        panic!("{found:?}");
    };
    assert!(matches!(found.verdict, SystemVerdict::Safe));
    assert!(found.certificate.is_none(), "it was not asked for");
}

#[test]
fn errors_name_their_place() {
    let wrong = Input::text("wrong.c", "int main(void) { return y; }");
    let error = Session::read(&wrong, &SessionOptions::default()).err();
    let error = error.expect("`y` is not declared");
    assert!(matches!(error, Error::Refused(_)));
    assert!(error.to_string().contains("wrong.c:1:"), "{error}");
    let missing = Input::file("no_such_file.cub");
    let error = Session::read(&missing, &SessionOptions::default()).err();
    let error = error.expect("there is no such file").to_string();
    assert!(error.contains("no such file"), "{error}");
}

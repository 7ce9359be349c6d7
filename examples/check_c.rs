//! Checks a C program on sequential consistency and on TSO, and prints the execution that violates
//! its assertion.
//!
//! ```text
//! cargo run --release --example check_c [FILE.c]
//! ```

use wmbmc::{Input, Limits, Session, SessionOptions, Verdict};

fn main() -> Result<(), wmbmc::Error> {
    let file = std::env::args().nth(1);
    let file = file.unwrap_or_else(|| "benchmarks/store_buffer.c".to_string());
    let mut session = Session::read(&Input::file(file), &SessionOptions::default())?;
    for name in ["sc", "tso"] {
        let model = wmbmc::model(name).expect("it is built in");
        let outcome = session.check(&model, Limits::seconds(60.0))?;
        match outcome.verdict() {
            Some(Verdict::Safe) => println!("{name}: no execution violates a property"),
            Some(Verdict::Unsafe(found)) => {
                println!("{name}: violated: {}", found.property.text);
                if let Some(trace) = outcome.trace() {
                    println!("{}", wmbmc::render_trace(&session, trace));
                }
            }
            // Bounds that were too small, limits, unsupported constructs: with the reason.
            _ => println!("{name}: {}", wmbmc::render(&session, &outcome)),
        }
    }
    Ok(())
}

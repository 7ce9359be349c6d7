//! Proves a system safe for any number of processes, checks the certificate of the proof, and finds a
//! run to an unsafe state where there is one.
//!
//! ```text
//! cargo run --release --example prove_system [FILE.cub]
//! ```

use wmbmc::driver::outcome::SystemVerdict;
use wmbmc::{Input, Limits, Outcome, Session, SessionOptions};

fn main() -> Result<(), wmbmc::Error> {
    let file = std::env::args().nth(1);
    let file = file.unwrap_or_else(|| "benchmarks/parameterized/mutex_safe.cub".to_string());
    let mut options = SessionOptions::default();
    options.system.certificate = true;
    let mut session = Session::read(&Input::file(file), &options)?;
    for name in ["sc", "tso"] {
        let model = wmbmc::model(name).expect("it is built in");
        let outcome = session.check(&model, Limits::seconds(60.0))?;
        println!("{name}: {}", wmbmc::render(&session, &outcome));
        let Outcome::System(found) = outcome else {
            continue;
        };
        if let (SystemVerdict::Safe, Some(text)) = (&found.verdict, &found.certificate) {
            println!("{:?}", session.check_certificate(name, text)?);
        }
    }
    Ok(())
}

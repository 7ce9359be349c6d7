//! Lists the final states of a litmus test on several memory models.
//!
//! ```text
//! cargo run --release --example litmus_states [FILE.litmus]
//! ```

use wmbmc::check::litmus::Depth;
use wmbmc::{Input, Limits, Outcome, Session, SessionOptions};

fn main() -> Result<(), wmbmc::Error> {
    let file = std::env::args().nth(1);
    let file = file.unwrap_or_else(|| "litmus/x86/SB.litmus".to_string());
    let mut options = SessionOptions::default();
    options.litmus.depth = Depth::States;
    let mut session = Session::read(&Input::file(file), &options)?;
    for name in ["sc", "tso", "pso"] {
        let model = wmbmc::model(name).expect("it is built in");
        let outcome = session.check(&model, Limits::default())?;
        if let Outcome::Litmus(found) = &outcome {
            let (finding, _) = &found.answers[0];
            let states = finding.states.as_ref().map_or(0, |states| states.len());
            println!("{name}: {states} final states");
        }
        println!("{}", wmbmc::render(&session, &outcome));
    }
    Ok(())
}

//! `wmbmc-check-proof DIR..`: checks bundles, and has nothing of what makes them.

use std::path::Path;
use std::process::ExitCode;
use wmbmc_proof::bundle::BundleError;
use wmbmc_proof::directory::check;

const USAGE: &str = "usage: wmbmc-check-proof DIR..

Checks proofs that `wmbmc --proof DIR` has written: that no execution of the event graph in DIR which the
memory model in DIR allows does what the proof is about.

Exit codes: 0, all are valid; 10, one is not; 2, one cannot be read; 1, wrong use.";

/// Terms of large programs nest.
const STACK: usize = 256 << 20;

const INVALID: u8 = 10;
const UNREADABLE: u8 = 2;
const WRONG_USE: u8 = 1;

fn main() -> ExitCode {
    let work = std::thread::Builder::new().stack_size(STACK).spawn(run);
    let code = work.map(|thread| thread.join().unwrap_or(INVALID));
    ExitCode::from(code.unwrap_or(UNREADABLE))
}

fn run() -> u8 {
    let directories: Vec<_> = std::env::args_os().skip(1).collect();
    match directories.first().and_then(|first| first.to_str()) {
        Some("-h" | "--help") => {
            println!("{USAGE}");
            return 0;
        }
        Some("-V" | "--version") => {
            println!("wmbmc-check-proof {}", env!("CARGO_PKG_VERSION"));
            return 0;
        }
        Some(option) if option.starts_with('-') => {
            eprintln!("{USAGE}");
            return WRONG_USE;
        }
        None if directories.is_empty() => {
            eprintln!("{USAGE}");
            return WRONG_USE;
        }
        _ => {}
    }
    let mut worst = 0;
    for directory in directories.iter().map(Path::new) {
        let shown = directory.display();
        let code = match check(directory, &|_| false) {
            Ok(valid) => {
                println!("{shown}: {valid}");
                0
            }
            Err(error @ BundleError::Unreadable { .. }) => {
                eprintln!("error: {shown}: {error}");
                UNREADABLE
            }
            Err(error) => {
                println!("{shown}: INVALID: {error}");
                INVALID
            }
        };
        worst = worst.max(code);
    }
    worst
}

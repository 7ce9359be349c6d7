//! `cargo wmbmc`: cargo calls this program. Everything is in the library.

fn main() -> std::process::ExitCode {
    wmbmc::cli::cargo::main(std::env::args_os().collect())
        .code()
        .into()
}

//! The program; everything is in the library.

fn main() -> std::process::ExitCode {
    wmbmc::cli::main(std::env::args_os().collect())
        .code()
        .into()
}

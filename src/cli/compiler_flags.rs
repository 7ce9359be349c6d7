//! A compiler's command line, pasted: its flags become options of ours, or are ignored with a note.
//!
//! Options of a compiler have long names after a single dash (`-include`), which no table of options
//! has; so the arguments are rewritten before they are parsed. `@FILE` stands for arguments in a file.

use crate::front::c::flags::{self, CompilerFlag};
use base::code::Code;
use base::diag::Diag;
use std::ffi::OsString;

/// The option whose value has words that may look like flags: those of the program.
const WORDS: &str = "--args";

/// Commands that take the flags of a compiler; the one without a name is checking files.
const COMMANDS: [&str; 2] = ["abstract", "check-certificate"];

/// Arguments as the table of options has them.
#[derive(Debug, Default)]
pub struct Normalized {
    /// The arguments.
    pub args: Vec<OsString>,
    /// Flags that change nothing here, as they were written.
    pub ignored: Vec<String>,
}

/// Rewrites the arguments of a process; the first is its own name. `commands` are all subcommands.
///
/// # Errors
/// A flag that changes what programs mean and is not supported, or a list of arguments that cannot be
/// read.
pub fn normalize(args: Vec<OsString>, commands: &[&str]) -> Result<Normalized, Diag> {
    let command = args.get(1).and_then(|a| a.to_str()).unwrap_or_default();
    let is_command = commands.contains(&command);
    if is_command && !COMMANDS.contains(&command) {
        return Ok(Normalized {
            args,
            ignored: Vec::new(),
        });
    }
    let head = (1 + usize::from(is_command)).min(args.len());
    let mut normalized = Normalized {
        args: args[..head].to_vec(),
        ignored: Vec::new(),
    };
    let rest = expanded(&args[head..])
        .map_err(|message| Diag::bare(message).with_code(Code::CommandLine))?;
    let texts: Vec<&str> = rest
        .iter()
        .map(|a| a.to_str().unwrap_or_default())
        .collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < rest.len() {
        if texts[at] == "--" {
            normalized.args.extend_from_slice(&rest[at..]);
            break;
        }
        if texts[at] == WORDS {
            let taken = rest.len().min(at + 2);
            normalized.args.extend_from_slice(&rest[at..taken]);
            at = taken;
            continue;
        }
        match flags::read(&texts[at..]) {
            Some((CompilerFlag::Unsupported(flag), _)) => {
                let message = format!("{flag} changes what programs mean, and is not supported");
                return Err(Diag::unsupported_input(message));
            }
            Some((CompilerFlag::Ignored(flag), taken)) => {
                normalized.ignored.push(flag);
                at += taken;
            }
            Some((flag, taken)) => {
                found.push(flag);
                at += taken;
            }
            None => {
                normalized.args.push(rest[at].clone());
                at += 1;
            }
        }
    }
    let options = flags::effective(found).into_iter().flat_map(typed);
    // Before the files and whatever follows `--`.
    normalized.args.splice(head..head, options);
    Ok(normalized)
}

/// A flag as an option of ours.
fn typed(flag: CompilerFlag) -> Vec<OsString> {
    let (option, value): (&str, OsString) = match flag {
        CompilerFlag::Define(text) => ("-D", text.into()),
        CompilerFlag::Undefine(name) => ("-U", name.into()),
        CompilerFlag::IncludeDir(dir) => ("-I", dir.into()),
        CompilerFlag::QuoteDir(dir) => ("--iquote", dir.into()),
        CompilerFlag::SystemDir(dir) => ("--isystem", dir.into()),
        CompilerFlag::AfterDir(dir) => ("--idirafter", dir.into()),
        CompilerFlag::IncludeFile(file) => ("--include", file.into()),
        CompilerFlag::Standard(name) => ("--std", name.into()),
        CompilerFlag::PointerWidth(32) => ("--data-model", "ilp32".into()),
        CompilerFlag::PointerWidth(_) => ("--data-model", "lp64".into()),
        CompilerFlag::Ignored(_) | CompilerFlag::Unsupported(_) => return Vec::new(),
    };
    vec![option.into(), value]
}

/// The arguments, those of `@FILE` in its place: one a line, `#` begins a comment.
fn expanded(args: &[OsString]) -> Result<Vec<OsString>, String> {
    let mut all = Vec::new();
    for arg in args {
        let Some(path) = arg.to_str().and_then(|a| a.strip_prefix('@')) else {
            all.push(arg.clone());
            continue;
        };
        let text = std::fs::read_to_string(path).map_err(|e| format!("cannot read {path}: {e}"))?;
        let lines = text.lines().map(str::trim);
        for line in lines.filter(|l| !l.is_empty() && !l.starts_with('#')) {
            if line.starts_with('@') {
                return Err(format!(
                    "{path}: {line}: a list of arguments names no other list"
                ));
            }
            all.push(line.into());
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(line: &str) -> Result<(String, Vec<String>), String> {
        let args = line.split_whitespace().map(OsString::from).collect();
        let normalized = normalize(args, &["abstract", "suite"]).map_err(|d| d.message)?;
        let args: Vec<&str> = normalized.args.iter().filter_map(|a| a.to_str()).collect();
        Ok((args.join(" "), normalized.ignored))
    }

    #[test]
    fn a_compile_line_can_be_pasted() {
        let line = "wmbmc -std=c11 -O2 -Wall -include all.h -UX a.c --mm tso -o prog -lm";
        let (args, ignored) = normal(line).expect("no flag is refused");
        assert_eq!(args, "wmbmc --std c11 --include all.h -U X a.c --mm tso");
        assert_eq!(ignored, ["-O2", "-Wall", "-o prog", "-lm"]);
        let args = ["wmbmc", "-fopenmp", "a.c"].map(OsString::from).to_vec();
        let refused = normalize(args, &[]).expect_err("it changes what programs mean");
        assert_eq!(refused.code, Code::Unsupported);
        let (args, _) = normal("wmbmc -m32 a.c").expect("the data model is known");
        assert_eq!(args, "wmbmc --data-model ilp32 a.c");
    }

    #[test]
    fn arguments_of_the_program_are_no_flags() {
        let args = ["wmbmc", "--args", "-n 1 -lm", "-lm", "a.c"].map(OsString::from);
        let normalized = normalize(args.to_vec(), &[]).expect("no flag is refused");
        assert_eq!(normalized.args, ["wmbmc", "--args", "-n 1 -lm", "a.c"]);
        assert_eq!(normalized.ignored, ["-lm"]);
    }

    #[test]
    fn other_commands_keep_their_arguments() {
        let line = "wmbmc suite @all -O2";
        assert_eq!(normal(line), Ok((line.to_string(), Vec::new())));
        let (args, _) = normal("wmbmc abstract -UX a.c").expect("no flag is refused");
        assert_eq!(args, "wmbmc abstract -U X a.c");
    }
}

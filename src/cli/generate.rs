//! `wmbmc generate`: litmus tests from cycles of candidate relaxations.

use super::exit::Exit;
use super::options::Generate;
use super::output;
use super::values::{ArchName, Suite};
use crate::generate::arch::{
    Arch, aarch64::Aarch64, c11::C11, lkmm::Lkmm, ppc::Ppc, riscv::Riscv, x86::X86,
};
use crate::generate::litmus::GeneratedTest;
use crate::generate::parse::{self, Unreadable};
use crate::generate::search::Search;
use crate::generate::{self, Generated, Refused};
use base::nearest::nearest;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::Path;

/// Most accesses of a thread in cycles that are searched for.
const ACCESSES: usize = 4;

/// Lists the tests of a run.
const INDEX: &str = "@all";

/// Generates tests and prints or writes them.
pub fn run(options: &Generate) -> Exit {
    let arch: &dyn Arch = match options.arch {
        ArchName::X86 => &X86,
        ArchName::Ppc => &Ppc,
        ArchName::Aarch64 => &Aarch64,
        ArchName::Riscv => &Riscv,
        ArchName::C11 => &C11,
        ArchName::Lkmm => &Lkmm,
    };
    let generated = match generate(arch, options) {
        Ok(generated) => generated,
        Err(message) => {
            output::warn(&format!("error: {message}\n"));
            return Exit::Usage;
        }
    };
    for (why, count) in &generated.left {
        output::warn(&format!("{count} cycles without a test: {why}\n"));
    }
    match &options.out {
        Some(out) if out.as_os_str() != "-" => write(&generated.tests, out),
        Some(_) => print_tests(&generated.tests),
        None if options.cycles.is_empty() => {
            let names = generated.tests.iter().map(|t| format!("{}\n", t.name));
            output::print(&names.collect::<String>());
            Exit::Safe
        }
        None => print_tests(&generated.tests),
    }
}

fn generate(arch: &dyn Arch, options: &Generate) -> Result<Generated, String> {
    if !options.cycles.is_empty() {
        return explicit(arch, &options.cycles);
    }
    let has_orders = !arch.orders().is_empty();
    match options.suite {
        Some(suite) if has_orders => {
            let cycles = match suite {
                Suite::Classic => generate::ordered::classic(arch),
                Suite::Systematic => generate::ordered::systematic(arch),
            };
            Ok(generate::of_cycles(arch, &cycles))
        }
        Some(Suite::Classic) => {
            let cycles = generate::suite::classic(arch);
            Ok(generate::of_cycles(arch, &cycles))
        }
        Some(Suite::Systematic) => {
            let search = generate::suite::systematic(arch);
            Ok(generate::of_search(arch, &search))
        }
        None => Ok(generate::of_search(arch, &search(arch, options)?)),
    }
}

fn explicit(arch: &dyn Arch, cycles: &[String]) -> Result<Generated, String> {
    let mut generated = Generated::default();
    for text in cycles {
        let test = generate::one(arch, text).map_err(|why| match why {
            Refused::Unreadable(why) => unreadable(arch, &why),
            why => format!("`{text}`: {why}"),
        })?;
        generated.tests.push(test);
    }
    generate::number(&mut generated.tests);
    Ok(generated)
}

fn search(arch: &dyn Arch, options: &Generate) -> Result<Search, String> {
    let candidates =
        |text: &str| parse::candidates(arch, text).map_err(|why| unreadable(arch, &why));
    let relax = candidates(&options.relax.join(" "))?;
    let safe = candidates(&options.safe.join(" "))?;
    if relax.is_empty() && safe.is_empty() {
        return Err(
            "nothing to generate: give a cycle, --relax and --safe edges, or --suite".to_string(),
        );
    }
    Ok(Search {
        relax,
        safe,
        mix: options.mix,
        size: options.size,
        threads: threads(&options.threads)?,
        accesses: ACCESSES,
    })
}

/// `3`, `2..4`
fn threads(typed: &str) -> Result<RangeInclusive<usize>, String> {
    let (least, most) = typed.split_once("..").unwrap_or((typed, typed));
    match (least.parse(), most.trim_start_matches('=').parse()) {
        (Ok(least), Ok(most)) if least >= 2 && least <= most => Ok(least..=most),
        _ => Err(format!(
            "--threads takes a number from 2 or a range as 2..4, not `{typed}`"
        )),
    }
}

/// The error with the edge that was probably meant.
fn unreadable(arch: &dyn Arch, why: &Unreadable) -> String {
    let Unreadable::UnknownEdge(word) = why else {
        return why.to_string();
    };
    // With all orders there are many hundreds.
    let edges = generate::arch::edges(arch).into_iter();
    let plain = edges.filter(|e| e.orders_text().is_empty());
    let names: Vec<String> = plain.map(|e| e.to_string()).collect();
    let lower: Vec<String> = names.iter().map(|n| n.to_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let meant =
        nearest(word, &lower).and_then(|near| names.iter().find(|n| n.to_lowercase() == near));
    let hint = meant.map_or_else(
        || {
            let orders = arch.orders().iter().map(ToString::to_string);
            let orders: Vec<String> = orders.collect();
            let orders = match orders.is_empty() {
                true => String::new(),
                false => format!("\n  with orders (`PodWWRlxRel`): Na {}", orders.join(" ")),
            };
            format!("\n  edges of {}: {}{orders}", arch.name(), names.join(" "))
        },
        |name| format!("; did you mean `{name}`?"),
    );
    format!("{why}{hint}")
}

fn print_tests(tests: &[GeneratedTest]) -> Exit {
    for test in tests {
        output::print(&test.text());
    }
    Exit::Safe
}

fn write(tests: &[GeneratedTest], folder: &Path) -> Exit {
    match write_all(tests, folder) {
        Ok(()) => {
            output::warn(&format!("{} tests in {}\n", tests.len(), folder.display()));
            Exit::Safe
        }
        Err(error) => {
            output::warn(&format!("error: {}: {error}\n", folder.display()));
            Exit::Input
        }
    }
}

fn write_all(tests: &[GeneratedTest], folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut index = Vec::new();
    for test in tests {
        let file = format!("{}.litmus", test.name);
        std::fs::write(folder.join(&file), test.text())?;
        writeln!(index, "{file}")?;
    }
    std::fs::write(folder.join(INDEX), index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_threads() {
        assert_eq!(threads("3"), Ok(3..=3));
        assert_eq!(threads("2..4"), Ok(2..=4));
        assert_eq!(threads("2..=4"), Ok(2..=4));
        assert!(threads("1").is_err());
        assert!(threads("4..2").is_err());
        assert!(threads("many").is_err());
    }

    #[test]
    fn an_unknown_edge_is_named_with_the_nearest_one() {
        let error = explicit(&Ppc, &["Podrw Rfe".to_string()]).expect_err("no such edge");
        assert_eq!(error, "unknown edge `Podrw`; did you mean `PodRW`?");
    }
}

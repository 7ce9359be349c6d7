//! A cycle as a litmus test in the format of herd and litmus.

use super::arch::{Access, Arch, Code, Layout};
use super::condition::{self, Atom};
use super::cycle::{Cycle, LOCATIONS};
use super::edge::{RelaxationKind, spell};
use super::name;
use super::normal;
use std::fmt::Write;

/// Why a cycle has no test.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, thiserror::Error)]
pub enum Left {
    /// The order of the writes to this location shows neither in final values nor in reads.
    #[error("neither reads nor the final value determine the order of the writes to `{0}`")]
    Undetermined(&'static str),
    /// A thread needs more registers than there are.
    #[error("a thread needs more registers than there are")]
    NoRegister,
}

/// A litmus test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GeneratedTest {
    /// Its name, which is also that of its file.
    pub name: String,
    /// As in the first line: `PPC`.
    pub arch: &'static str,
    /// Its canonical cycle.
    pub cycle: Cycle,
    /// Candidates under test in it and safe ones, when it is the result of a search.
    candidates: Option<(String, String)>,
    layout: Layout,
    threads: Vec<Code>,
    atoms: Vec<Atom>,
}

/// The test of a cycle, with the name that its cycle gives it.
///
/// # Errors
/// There is no condition that only the cycle meets, or a thread needs too many registers.
pub fn test(arch: &dyn Arch, cycle: Cycle) -> Result<GeneratedTest, Left> {
    let atoms = condition::atoms(&cycle).map_err(Left::Undetermined)?;
    let mut labels = 0;
    let mut threads = Vec::new();
    for thread in 0..cycle.threads() {
        let accesses: Vec<Access> = accesses(&cycle, thread);
        let code = arch.thread(&accesses, &mut labels);
        threads.push(code.map_err(|_| Left::NoRegister)?);
    }
    Ok(GeneratedTest {
        name: name::name(&cycle.edges),
        arch: arch.name(),
        candidates: None,
        layout: arch.layout(),
        cycle,
        threads,
        atoms,
    })
}

fn accesses(cycle: &Cycle, thread: usize) -> Vec<Access> {
    let pairs = cycle.events.iter().zip(&cycle.edges);
    pairs
        .filter(|(event, _)| event.thread == thread)
        .map(|(event, edge)| Access {
            dir: event.dir,
            order: event.order,
            location: LOCATIONS[event.location],
            value: event.value,
            edge: *edge,
        })
        .collect()
}

impl GeneratedTest {
    /// Says which candidates a search had under test in the cycle, and which it believed safe.
    pub fn with_candidates(self, relax: String, safe: String) -> GeneratedTest {
        GeneratedTest {
            candidates: Some((relax, safe)),
            ..self
        }
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let cycle = spell(&self.cycle.edges);
        let mut text = format!("{} {}\n\"{cycle}\"\nCycle={cycle}\n", self.arch, self.name);
        if let Some((relax, safe)) = &self.candidates {
            text.push_str(&format!("Relax={relax}\nSafe={safe}\n"));
        }
        text.push_str(&format!("Com={}\nOrig={cycle}\n", self.communications()));
        text.push_str(&match self.layout {
            Layout::Columns => self.initial_state() + &self.columns(),
            Layout::Functions => self.functions(),
        });
        text.push_str(&format!("exists ({})\n", self.condition()));
        text
    }

    /// How each thread hands over to the next: `Rf Fr`.
    fn communications(&self) -> String {
        let last = normal::threads(&self.cycle.edges)
            .into_iter()
            .filter_map(|thread| match thread.last()?.kind {
                RelaxationKind::Com(com, _) => Some(com.to_string()),
                _ => None,
            });
        last.collect::<Vec<_>>().join(" ")
    }

    fn initial_state(&self) -> String {
        let mut text = "{\n".to_string();
        for (thread, code) in self.threads.iter().enumerate() {
            let registers: Vec<String> = code
                .addresses
                .iter()
                .map(|(register, location)| format!("{thread}:{register}={location};"))
                .collect();
            if !registers.is_empty() {
                text.push_str(&registers.join(" "));
                text.push('\n');
            }
        }
        text.push_str("}\n");
        text
    }

    /// A function per thread, whose parameters are its locations; all of them are 0 at the start.
    fn functions(&self) -> String {
        let mut text = "{ }\n".to_string();
        for (thread, code) in self.threads.iter().enumerate() {
            let params = code.addresses.iter();
            let params: Vec<String> = params.map(|(of, name)| format!("{of} *{name}")).collect();
            let _ = writeln!(text, "\nP{thread}({}) {{", params.join(", "));
            for line in &code.lines {
                let _ = writeln!(text, "  {line}");
            }
            text.push_str("}\n");
        }
        text + "\n"
    }

    /// A column per thread.
    fn columns(&self) -> String {
        let columns: Vec<Vec<String>> = self
            .threads
            .iter()
            .enumerate()
            .map(|(thread, code)| {
                let mut column = vec![format!("P{thread}")];
                column.extend(code.lines.iter().cloned());
                column
            })
            .collect();
        let widths: Vec<usize> = columns
            .iter()
            .map(|column| column.iter().map(String::len).max().unwrap_or(0))
            .collect();
        let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
        let mut text = String::new();
        for row in 0..rows {
            let cells: Vec<String> = columns
                .iter()
                .zip(&widths)
                .map(|(column, width)| {
                    let cell = column.get(row).map_or("", String::as_str);
                    format!(" {cell:width$} ")
                })
                .collect();
            let _ = writeln!(text, "{};", cells.join("|"));
        }
        text
    }

    fn condition(&self) -> String {
        let atoms: Vec<String> = self.atoms.iter().map(|a| self.atom(a)).collect();
        atoms.join(" /\\ ")
    }

    fn atom(&self, atom: &Atom) -> String {
        match atom {
            Atom::Memory { location, value } => format!("{location}={value}"),
            Atom::Read { event } => {
                let read = self.cycle.events[*event];
                let before = self.cycle.events[..*event].iter();
                let place = before.filter(|e| e.thread == read.thread).count();
                let register = self.threads[read.thread].targets[place].as_deref();
                format!("{}:{}={}", read.thread, register.unwrap_or("?"), read.value)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::arch::{ppc::Ppc, x86::X86};
    use crate::generate::parse;

    fn check(arch: &dyn Arch, cycle: &str, expect: &str) {
        let edges = parse::cycle(arch, cycle).expect("edges exist");
        let cycle = Cycle::new(&edges).expect("well-formed");
        let text = test(arch, cycle).expect("has a condition").text();
        assert_eq!(text, expect);
    }

    #[test]
    fn power() {
        check(
            &Ppc,
            "SyncdWW Rfe DpAddrdR Fre",
            "\
PPC MP+sync+addr
\"SyncdWW Rfe DpAddrdR Fre\"
Cycle=SyncdWW Rfe DpAddrdR Fre
Com=Rf Fr
Orig=SyncdWW Rfe DpAddrdR Fre
{
0:r2=x; 0:r4=y;
1:r2=y; 1:r5=x;
}
 P0           | P1            ;
 li r1,1      | lwz r1,0(r2)  ;
 stw r1,0(r2) | xor r3,r1,r1  ;
 sync         | lwzx r4,r3,r5 ;
 li r3,1      |               ;
 stw r3,0(r4) |               ;
exists (1:r1=1 /\\ 1:r4=0)
",
        );
    }

    #[test]
    fn power_dependencies_of_writes() {
        check(
            &Ppc,
            "DpDatadW Rfe DpCtrlIsyncdW Rfe",
            "\
PPC LB+ctrlisync+data
\"DpCtrlIsyncdW Rfe DpDatadW Rfe\"
Cycle=DpCtrlIsyncdW Rfe DpDatadW Rfe
Com=Rf Rf
Orig=DpCtrlIsyncdW Rfe DpDatadW Rfe
{
0:r2=x; 0:r4=y;
1:r2=y; 1:r4=x;
}
 P0           | P1           ;
 lwz r1,0(r2) | lwz r1,0(r2) ;
 cmpw r1,r1   | xor r3,r1,r1 ;
 beq LC00     | addi r3,r3,1 ;
 LC00:        | stw r3,0(r4) ;
 isync        |              ;
 li r3,1      |              ;
 stw r3,0(r4) |              ;
exists (0:r1=1 /\\ 1:r1=1)
",
        );
    }

    #[test]
    fn x86_with_an_exchange() {
        check(
            &X86,
            "MFencedWR Rmw Coe PodWR Rmw Coe",
            "\
X86 2+2W+mfence-rmw+po-rmw
\"MFencedWR Rmw Coe PodWR Rmw Coe\"
Cycle=MFencedWR Rmw Coe PodWR Rmw Coe
Com=Co Co
Orig=MFencedWR Rmw Coe PodWR Rmw Coe
{
}
 P0           | P1           ;
 MOV [x],$2   | MOV [y],$2   ;
 MFENCE       | MOV EAX,$1   ;
 MOV EAX,$1   | XCHG [x],EAX ;
 XCHG [y],EAX |              ;
exists (x=2 /\\ y=2 /\\ 0:EAX=0 /\\ 1:EAX=0)
",
        );
    }
}

//! Power: addresses in registers, values by `li`, and dependencies that compute nothing: `xor` of a
//! register with itself is zero whatever was read, and comparing it with itself always branches.
//! The architecture respects both.

use super::{Access, Arch, Code, NoRegister, Registers};
use crate::generate::edge::{Dep, Dir, Fence, RelaxationKind, Through};

/// The architecture.
pub struct Ppc;

static FENCES: [Fence; 4] = [
    Fence {
        rank: 0,
        name: "Eieio",
        instruction: "eieio",
        cumulative: true,
    },
    Fence {
        rank: 1,
        name: "LwSync",
        instruction: "lwsync",
        cumulative: true,
    },
    Fence {
        rank: 2,
        name: "Sync",
        instruction: "sync",
        cumulative: true,
    },
    Fence {
        rank: 3,
        name: "ISync",
        instruction: "isync",
        cumulative: false,
    },
];

static DEPS: [Dep; 4] = [
    Dep {
        rank: 0,
        name: "CtrlIsync",
        through: Through::Control,
        fence: Some(&FENCES[3]),
    },
    Dep {
        rank: 1,
        name: "Ctrl",
        through: Through::Control,
        fence: None,
    },
    Dep {
        rank: 2,
        name: "Data",
        through: Through::Data,
        fence: None,
    },
    Dep {
        rank: 3,
        name: "Addr",
        through: Through::Address,
        fence: None,
    },
];

impl Arch for Ppc {
    fn name(&self) -> &'static str {
        "PPC"
    }

    fn fences(&self) -> &'static [Fence] {
        &FENCES
    }

    fn deps(&self) -> &'static [Dep] {
        &DEPS
    }

    fn has_exchange(&self) -> bool {
        false
    }

    fn thread(&self, accesses: &[Access], labels: &mut u32) -> Result<Code, NoRegister> {
        let mut thread = Thread {
            registers: Registers::new((1..32).map(|n| format!("r{n}"))),
            code: Code::default(),
            labels,
        };
        let mut hangs_on = None;
        for access in accesses {
            let target = thread.access(access, hangs_on)?;
            if let RelaxationKind::Fenced(fence, _) = access.edge.kind {
                thread.line(fence.instruction.to_string());
            }
            hangs_on = match (access.edge.kind, &target) {
                (RelaxationKind::Dep(dep, _), Some(register)) => Some((dep, register.clone())),
                _ => None,
            };
            thread.code.targets.push(target);
        }
        Ok(thread.code)
    }
}

/// A thread while its code is written.
struct Thread<'a> {
    registers: Registers,
    code: Code,
    labels: &'a mut u32,
}

impl Thread<'_> {
    fn line(&mut self, line: String) {
        self.code.lines.push(line);
    }

    /// Writes an access, which may depend on an earlier read through the register given; says what
    /// it reads into.
    fn access(
        &mut self,
        access: &Access,
        hangs_on: Option<(&Dep, String)>,
    ) -> Result<Option<String>, NoRegister> {
        let Some((dep, read)) = hangs_on else {
            return self.load_or_store(access, None);
        };
        match dep.through {
            Through::Address => {
                let zero = self.zero(&read)?;
                self.load_or_store(access, Some(&zero))
            }
            Through::Data => {
                let value = self.zero(&read)?;
                self.line(format!("addi {value},{value},{}", access.value));
                let address = self.address(access.location)?;
                self.line(format!("stw {value},0({address})"));
                Ok(None)
            }
            Through::Control => {
                self.branch(&read);
                if let Some(fence) = dep.fence {
                    self.line(fence.instruction.to_string());
                }
                self.load_or_store(access, None)
            }
        }
    }

    /// A load or store at an address, to which the index, a register that is zero, may be added.
    fn load_or_store(
        &mut self,
        access: &Access,
        index: Option<&str>,
    ) -> Result<Option<String>, NoRegister> {
        let register = self.registers.next()?;
        let mnemonic = match access.dir {
            Dir::R => "lwz",
            Dir::W => {
                self.line(format!("li {register},{}", access.value));
                "stw"
            }
        };
        let address = self.address(access.location)?;
        self.line(match index {
            None => format!("{mnemonic} {register},0({address})"),
            Some(index) => format!("{mnemonic}x {register},{index},{address}"),
        });
        Ok((access.dir == Dir::R).then_some(register))
    }

    /// A register that is zero and depends on another.
    fn zero(&mut self, on: &str) -> Result<String, NoRegister> {
        let register = self.registers.next()?;
        self.line(format!("xor {register},{on},{on}"));
        Ok(register)
    }

    /// A branch to the next line that depends on a register.
    fn branch(&mut self, on: &str) {
        let label = format!("LC{:02}", self.labels);
        *self.labels += 1;
        self.line(format!("cmpw {on},{on}"));
        self.line(format!("beq {label}"));
        self.line(format!("{label}:"));
    }

    /// The register that holds an address, the same for each access of a location.
    fn address(&mut self, location: &'static str) -> Result<String, NoRegister> {
        if let Some((register, _)) = self.code.addresses.iter().find(|(_, l)| *l == location) {
            return Ok(register.clone());
        }
        let register = self.registers.next()?;
        self.code.addresses.push((register.clone(), location));
        Ok(register)
    }
}

//! What AArch64 and RISC-V have in common: addresses in registers, dependencies that compute nothing,
//! as `x ^ x` is zero whatever was read, and branches to the next line.

use super::{Access, Code, NoRegister, Registers};
use crate::generate::edge::{Dep, Dir, RelaxationKind, Through};

/// How an architecture writes an instruction; registers are numbers.
pub(super) struct Spelling {
    /// The registers, in the order they are taken.
    pub registers: std::ops::Range<u8>,
    /// How the initial state and conditions name a register.
    pub name: fn(&str) -> String,
    /// A load from an address.
    pub load: fn(&str, &str) -> String,
    /// A store to an address.
    pub store: fn(&str, &str) -> String,
    /// A number to a register.
    pub number: fn(&str, u32) -> String,
    /// Zero, made of another register.
    pub zero: fn(&str, &str) -> String,
    /// A number added to a register that is zero.
    pub add: fn(&str, u32) -> String,
    /// The lines of a load or store (`true`) at an address that a register, which is zero, is added
    /// to.
    pub indexed: fn(bool, &str, &str, &str) -> Vec<String>,
    /// A branch to a label that depends on a register.
    pub branch: fn(&str, &str) -> String,
    /// An exchange: the target, the new value, the address.
    pub exchange: fn(&str, &str, &str) -> String,
}

/// The code of a thread.
pub(super) fn thread(
    spelling: &Spelling,
    accesses: &[Access],
    labels: &mut u32,
) -> Result<Code, NoRegister> {
    let mut thread = Thread {
        spelling,
        registers: Registers::new(spelling.registers.clone().map(|n| n.to_string())),
        code: Code::default(),
        addresses: Vec::new(),
        labels,
    };
    let mut hangs_on = None;
    let mut exchanged = false;
    for (i, access) in accesses.iter().enumerate() {
        let write = accesses.get(i + 1);
        let target = match (access.edge.kind, write) {
            _ if exchanged => None,
            (RelaxationKind::Rmw, Some(write)) => Some(thread.exchange(write, hangs_on)?),
            _ => thread.access(access, hangs_on)?,
        };
        exchanged = access.edge.kind == RelaxationKind::Rmw;
        if let RelaxationKind::Fenced(fence, _) = access.edge.kind {
            thread.line(fence.instruction.to_string());
        }
        hangs_on = match (access.edge.kind, &target) {
            (RelaxationKind::Dep(dep, _), Some(register)) => Some((dep, register.clone())),
            _ => None,
        };
        let name = target.map(|number| (spelling.name)(&number));
        thread.code.targets.push(name);
    }
    Ok(thread.code)
}

/// A thread while its code is written.
struct Thread<'a> {
    spelling: &'a Spelling,
    registers: Registers,
    code: Code,
    addresses: Vec<(String, &'static str)>,
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
        let spelling = self.spelling;
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
                self.line((spelling.add)(&value, access.value));
                let address = self.address(access.location)?;
                self.line((spelling.store)(&value, &address));
                Ok(None)
            }
            Through::Control => {
                self.branch(&read, dep);
                self.load_or_store(access, None)
            }
        }
    }

    fn load_or_store(
        &mut self,
        access: &Access,
        index: Option<&str>,
    ) -> Result<Option<String>, NoRegister> {
        let spelling = self.spelling;
        let register = self.registers.next()?;
        let stores = access.dir == Dir::W;
        if stores {
            self.line((spelling.number)(&register, access.value));
        }
        let address = self.address(access.location)?;
        match index {
            Some(index) => {
                let lines = (spelling.indexed)(stores, &register, &address, index);
                self.code.lines.extend(lines);
            }
            None if stores => self.line((spelling.store)(&register, &address)),
            None => self.line((spelling.load)(&register, &address)),
        }
        Ok((!stores).then_some(register))
    }

    /// An exchange; on what it depends, its read does.
    fn exchange(
        &mut self,
        write: &Access,
        hangs_on: Option<(&Dep, String)>,
    ) -> Result<String, NoRegister> {
        let spelling = self.spelling;
        let (target, value) = (self.registers.next()?, self.registers.next()?);
        match hangs_on {
            Some((dep, read)) if dep.through == Through::Control => {
                self.branch(&read, dep);
                self.line((spelling.number)(&value, write.value));
            }
            // There is no exchange with an index, so the value depends on the read.
            Some((_, read)) => {
                self.line((spelling.zero)(&value, &read));
                self.line((spelling.add)(&value, write.value));
            }
            None => self.line((spelling.number)(&value, write.value)),
        }
        let address = self.address(write.location)?;
        self.line((spelling.exchange)(&target, &value, &address));
        Ok(target)
    }

    /// A register that is zero and depends on another.
    fn zero(&mut self, on: &str) -> Result<String, NoRegister> {
        let register = self.registers.next()?;
        self.line((self.spelling.zero)(&register, on));
        Ok(register)
    }

    /// A branch to the next line that depends on a register, and the fence behind it.
    fn branch(&mut self, on: &str, dep: &Dep) {
        let label = format!("LC{:02}", self.labels);
        *self.labels += 1;
        self.line((self.spelling.branch)(on, &label));
        self.line(format!("{label}:"));
        if let Some(fence) = dep.fence {
            self.line(fence.instruction.to_string());
        }
    }

    /// The register that holds an address, the same for each access of a location.
    fn address(&mut self, location: &'static str) -> Result<String, NoRegister> {
        if let Some((register, _)) = self.addresses.iter().find(|(_, l)| *l == location) {
            return Ok(register.clone());
        }
        let register = self.registers.next()?;
        self.addresses.push((register.clone(), location));
        let name = (self.spelling.name)(&register);
        self.code.addresses.push((name, location));
        Ok(register)
    }
}

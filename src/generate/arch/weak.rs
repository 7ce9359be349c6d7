//! What Power, AArch64 and RISC-V have in common: addresses in registers, dependencies that compute nothing,
//! as `x ^ x` is zero whatever was read, and branches to the next line.

use super::{Access, Code, NoRegister, Registers};
use crate::front::litmus::ast::Machine;
use crate::generate::edge::{Dep, Dir, RelaxationKind, Through};

/// How an architecture writes what a thread does. `{r}` is the number of the register that is set or stored,
/// `{a}` that of the address, `{x}` that of another operand, `{v}` a value, `{l}` a label.
pub(super) struct Spelling {
    /// Whose instructions these are.
    pub machine: Machine,
    /// The registers, in the order they are taken.
    pub registers: std::ops::Range<u8>,
    /// How the initial state and conditions name a register.
    pub name: &'static str,
    /// A load from an address.
    pub load: &'static str,
    /// A store to an address.
    pub store: &'static str,
    /// A number to a register.
    pub number: &'static str,
    /// Zero, made of another register.
    pub zero: &'static str,
    /// A number added to a register that is zero.
    pub add: &'static str,
    /// A load from an address that a register, which is zero, is added to.
    pub indexed_load: &'static str,
    /// A store to one.
    pub indexed_store: &'static str,
    /// A branch to the next line that depends on a register.
    pub branch: &'static str,
    /// An exchange.
    pub exchange: &'static str,
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
            thread.write(fence.instruction, &[]);
        }
        hangs_on = match (access.edge.kind, &target) {
            (RelaxationKind::Dep(dep, _), Some(register)) => Some((dep, register.clone())),
            _ => None,
        };
        let name = target.map(|number| spelling.name.replace("{r}", &number));
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
    fn write(&mut self, template: &str, texts: &[(&str, &str)]) {
        self.code.write(self.spelling.machine, template, texts);
    }

    /// Writes a number to a register, by one of the templates for that.
    fn set(&mut self, template: &str, register: &str, value: u32) {
        let value = value.to_string();
        self.write(template, &[("{r}", register), ("{v}", &value)]);
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
                self.set(spelling.add, &value, access.value);
                let address = self.address(access.location)?;
                self.write(spelling.store, &[("{r}", &value), ("{a}", &address)]);
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
            self.set(spelling.number, &register, access.value);
        }
        let address = self.address(access.location)?;
        let template = match (index.is_some(), stores) {
            (true, true) => spelling.indexed_store,
            (true, false) => spelling.indexed_load,
            (false, true) => spelling.store,
            (false, false) => spelling.load,
        };
        let index = index.unwrap_or_default();
        let texts: [(&str, &str); 3] = [("{r}", &register), ("{a}", &address), ("{x}", index)];
        self.write(template, &texts);
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
                self.set(spelling.number, &value, write.value);
            }
            // There is no exchange with an index, so the value depends on the read.
            Some((_, read)) => {
                self.write(spelling.zero, &[("{r}", &value), ("{x}", &read)]);
                self.set(spelling.add, &value, write.value);
            }
            None => self.set(spelling.number, &value, write.value),
        }
        let address = self.address(write.location)?;
        let texts: [(&str, &str); 3] = [("{r}", &target), ("{x}", &value), ("{a}", &address)];
        self.write(spelling.exchange, &texts);
        Ok(target)
    }

    /// A register that is zero and depends on another.
    fn zero(&mut self, on: &str) -> Result<String, NoRegister> {
        let register = self.registers.next()?;
        self.write(self.spelling.zero, &[("{r}", &register), ("{x}", on)]);
        Ok(register)
    }

    /// A branch to the next line that depends on a register, and the fence behind it.
    fn branch(&mut self, on: &str, dep: &Dep) {
        let label = format!("LC{:02}", self.labels);
        *self.labels += 1;
        self.write(self.spelling.branch, &[("{x}", on), ("{l}", &label)]);
        if let Some(fence) = dep.fence {
            self.write(fence.instruction, &[]);
        }
    }

    /// The register that holds an address, the same for each access of a location.
    fn address(&mut self, location: &'static str) -> Result<String, NoRegister> {
        if let Some((register, _)) = self.addresses.iter().find(|(_, l)| *l == location) {
            return Ok(register.clone());
        }
        let register = self.registers.next()?;
        self.addresses.push((register.clone(), location));
        let name = self.spelling.name.replace("{r}", &register);
        self.code.addresses.push((name, location));
        Ok(register)
    }
}

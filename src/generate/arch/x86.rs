//! x86: memory operands by name, `MFENCE`, and `XCHG` for an atomic exchange. It has no use for
//! dependencies, as it keeps reads in order with everything after them.

use super::{Access, Arch, Code, NoRegister, Registers};
use crate::front::litmus::ast::Machine;
use crate::generate::edge::{Dep, Dir, Fence, RelaxationKind};

/// The architecture.
pub struct X86;

static FENCES: [Fence; 1] = [Fence::new(0, "MFence", "MFENCE")];

const REGISTERS: [&str; 6] = ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI"];

impl Arch for X86 {
    fn name(&self) -> &'static str {
        "X86"
    }

    fn fences(&self) -> &'static [Fence] {
        &FENCES
    }

    fn deps(&self) -> &'static [Dep] {
        &[]
    }

    fn has_exchange(&self) -> bool {
        true
    }

    fn thread(&self, accesses: &[Access], _labels: &mut u32) -> Result<Code, NoRegister> {
        let mut registers = Registers::new(REGISTERS.iter().map(|r| (*r).to_string()));
        let mut code = Code::default();
        let mut exchanged = false;
        for (i, access) in accesses.iter().enumerate() {
            let register = match access.dir {
                Dir::R => Some(registers.next()?),
                Dir::W => None,
            };
            let (template, value) = match (access.dir, access.edge.kind, accesses.get(i + 1)) {
                (Dir::R, RelaxationKind::Rmw, Some(write)) => {
                    ("MOV {r},${v}\nXCHG [{a}],{r}", write.value)
                }
                (Dir::R, ..) => ("MOV {r},[{a}]", access.value),
                (Dir::W, ..) if exchanged => ("", access.value),
                (Dir::W, ..) => ("MOV [{a}],${v}", access.value),
            };
            let value = value.to_string();
            let texts: [(&str, &str); 3] = [
                ("{r}", register.as_deref().unwrap_or_default()),
                ("{a}", access.location),
                ("{v}", &value),
            ];
            code.write(Machine::X86, template, &texts);
            code.targets.push(register);
            exchanged = access.edge.kind == RelaxationKind::Rmw;
            if let RelaxationKind::Fenced(fence, _) = access.edge.kind {
                code.write(Machine::X86, fence.instruction, &[]);
            }
        }
        Ok(code)
    }
}

//! x86: memory operands by name, `MFENCE`, and `XCHG` for an atomic exchange. It has no use for
//! dependencies, as it keeps reads in order with everything after them.

use super::{Access, Arch, Code, NoRegister, Registers};
use crate::generate::edge::{Dep, Dir, Fence, RelaxationKind};

/// The architecture.
pub struct X86;

static FENCES: [Fence; 1] = [Fence {
    rank: 0,
    name: "MFence",
    instruction: "MFENCE",
    cumulative: true,
}];

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
            let place = access.location;
            let target = match (access.dir, access.edge.kind, accesses.get(i + 1)) {
                (Dir::R, RelaxationKind::Rmw, Some(write)) => {
                    let register = registers.next()?;
                    code.lines.push(format!("MOV {register},${}", write.value));
                    code.lines.push(format!("XCHG [{place}],{register}"));
                    Some(register)
                }
                (Dir::R, _, _) => {
                    let register = registers.next()?;
                    code.lines.push(format!("MOV {register},[{place}]"));
                    Some(register)
                }
                (Dir::W, _, _) => {
                    if !exchanged {
                        code.lines.push(format!("MOV [{place}],${}", access.value));
                    }
                    None
                }
            };
            code.targets.push(target);
            exchanged = access.edge.kind == RelaxationKind::Rmw;
            if let RelaxationKind::Fenced(fence, _) = access.edge.kind {
                code.lines.push(fence.instruction.to_string());
            }
        }
        Ok(code)
    }
}

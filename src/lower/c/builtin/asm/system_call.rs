//! The instruction `syscall` of x86-64 as Linux has it: the number in `rax`, arguments in `rdi`, `rsi`,
//! `rdx`, `r10`, and the result in `rax`, below 0 the number of an error. It orders nothing.

use super::statement::Statement;
use crate::front::c::library::PREFIX;
use crate::lower::c::{Lowered, Lowering, fold};
use ir::program::{Callee, Expr, Op};

/// The template.
const SYSTEM_CALL: &str = "syscall";
/// The register of the number and of the result.
const RESULT: &str = "EAX";
/// Those that it reads, in the order of the parameters of `__system_call`.
const READS: [&str; 5] = [RESULT, "EDI", "ESI", "EDX", "R10D"];

pub(super) fn is_system_call(template: &str) -> bool {
    template.trim() == SYSTEM_CALL
}

impl<'a> Lowering<'a> {
    /// Lowers the instruction, the only one of its statement.
    pub(super) fn system_call_instruction(&mut self, m: &Statement) -> Lowered<()> {
        let name = format!("{PREFIX}__system_call");
        let width = self.pointer_width();
        let is_given = self.names.functions().contains_key(&name);
        let (Some(result), true, 64) = (m.registers.get(RESULT), is_given, width) else {
            let what = "`syscall` without a number in `rax`, or on another machine than x86-64,";
            return self.unsupported(m.span, what);
        };
        let mut args = Vec::new();
        for register in READS {
            args.push(match m.registers.get(register) {
                Some(local) => {
                    let bits = self.body.proc.locals[*local].width;
                    fold::resize(Expr::Local(*local), bits, width, false)
                }
                None => {
                    let dst = self.temp(width);
                    self.emit(Op::Havoc { dst });
                    Expr::Local(dst)
                }
            });
        }
        let args = args.into_iter().map(|arg| self.bind(arg)).collect();
        let callee = Callee::Proc(self.procedure(&name, m.span));
        let returned = self.temp(width);
        let dst = Some(returned);
        self.emit_at(m.span, Op::Call { dst, callee, args });
        let bits = self.body.proc.locals[*result].width;
        let value = fold::resize(Expr::Local(returned), width, bits, false);
        self.emit(Op::Assign {
            dst: *result,
            value,
        });
        Ok(())
    }
}

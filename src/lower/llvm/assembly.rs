//! Inline assembly: a statement of C's, with operands as clang had them from there.

use super::build;
use super::function::FunctionTranslation;
use super::types::Translated;
use crate::front::c::ast::{Asm, AsmOperand, Stmt, StmtKind};
use crate::front::c::target::Target;
use crate::front::llvm::ast::{Assembly, Call, Instruction, Type};

/// The letters by which C knows registers of x86 that LLVM writes out.
const REGISTERS: [(&str, &str); 6] = [
    ("{ax}", "a"),
    ("{bx}", "b"),
    ("{cx}", "c"),
    ("{dx}", "d"),
    ("{si}", "S"),
    ("{di}", "D"),
];

impl FunctionTranslation<'_, '_> {
    pub(super) fn assembly(
        &mut self,
        i: &Instruction,
        call: &Call,
        assembly: &Assembly,
    ) -> Translated<()> {
        if assembly.intel {
            return Err("inline assembly in Intel's syntax".to_string());
        }
        let span = self.span;
        let results = match &call.ty.ret {
            Type::Void => Vec::new(),
            ret => self.module.types.leaves(ret)?,
        };
        let mut results = results.iter().enumerate();
        let mut args = call.args.iter();
        let (mut operands, mut values) = (Vec::new(), Vec::new());
        for constraint in split(&assembly.constraints) {
            if constraint.starts_with('~') {
                continue;
            }
            let output = constraint.starts_with(['=', '+']);
            let indirect = constraint.contains('*');
            let mut letters = constraint.replace('*', "");
            for (long, letter) in REGISTERS {
                letters = letters.replace(long, letter);
            }
            // The value of a flag.
            if letters.contains("{@cc") {
                letters = letters.replace(['{', '}'], "");
            }
            if letters.contains('{') {
                return Err(format!("the constraint `{constraint}` of inline assembly"));
            }
            let expr = if output && !indirect {
                let (n, ty) = results.next().ok_or("this result of inline assembly")?;
                let ty = ty.clone();
                let c = self.module.types.c(&ty)?;
                let register = i.result.clone().unwrap_or_default();
                let variable = format!("{}.{n}", self.variable(&register));
                self.items.push(build::local(&c, &variable, None, span));
                values.push(build::name(&variable, span));
                build::name(&variable, span)
            } else {
                let arg = args.next().ok_or("this operand of inline assembly")?;
                let value = self.scalar(&arg.value)?;
                match indirect {
                    false => value,
                    true => {
                        let Type::Pointer(Some(to)) = &arg.value.ty else {
                            return Err("an indirect operand of inline assembly".to_string());
                        };
                        let c = self.module.types.c(to)?;
                        build::at(value, &c, false)
                    }
                }
            };
            operands.push(AsmOperand {
                name: None,
                constraint: letters,
                output,
                expr,
            });
        }
        let asm = Asm {
            template: template(&assembly.template),
            extended: true,
            operands,
            read_for: machine(&self.module.module.triple),
        };
        self.push(Stmt {
            span,
            kind: StmtKind::Asm(asm),
        });
        self.keep(i, values);
        Ok(())
    }
}

/// The machine that a module is for.
fn machine(triple: &str) -> Option<Target> {
    match triple.split('-').next()? {
        "x86_64" => Some(Target::X86_64),
        "aarch64" | "arm64" => Some(Target::Aarch64),
        "riscv64" => Some(Target::Riscv64),
        "powerpc64le" | "ppc64le" => Some(Target::Ppc64le),
        _ => None,
    }
}

/// The constraints, which commas outside of braces separate.
fn split(constraints: &str) -> Vec<&str> {
    let all = constraints.split(',');
    all.filter(|c| !c.is_empty()).collect()
}

/// A template as C writes it: `$0` and `${0:w}` are `%0` and `%w0`, `$$` is `$`.
fn template(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['$', '%']) {
        out.push_str(&rest[..at]);
        let (mark, behind) = rest[at..].split_at(1);
        rest = behind;
        if mark == "%" {
            out.push_str("%%");
        } else if let Some(behind) = rest.strip_prefix('$') {
            out.push('$');
            rest = behind;
        } else if let Some((operand, behind)) =
            rest.strip_prefix('{').and_then(|r| r.split_once('}'))
        {
            let (number, modifier) = operand.split_once(':').unwrap_or((operand, ""));
            out.push_str(&format!("%{modifier}{number}"));
            rest = behind;
        } else {
            out.push('%');
        }
    }
    out.push_str(rest);
    out
}

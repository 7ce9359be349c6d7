//! Inline assembly: the fences and the instructions without effect on memory.

use crate::front::c::ast::Asm;
use crate::front::diag::Diag;
use crate::front::source::Span;
use crate::ir::program::{Fence, Op};

/// The instructions of an assembly statement.
///
/// # Errors
/// An instruction that is not known here, by its name.
pub fn lower(asm: &Asm, span: Span) -> Result<Vec<Op>, Diag> {
    let mut ops = Vec::new();
    for line in asm.template.split([';', '\n']) {
        let words: Vec<String> = line.split_whitespace().map(str::to_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match instruction(&words) {
            Some(op) => ops.extend(op),
            None => {
                let diag = Diag::error(
                    span,
                    format!(
                        "the assembly instruction `{}` is not supported",
                        line.trim()
                    ),
                );
                return Err(diag.note("fences of x86, Power and SPARC are known: `mfence`, `sync`, `lwsync`, `membar`, …"));
            }
        }
    }
    if asm.operands > 0 && !asm.template.trim().is_empty() && ops.is_empty() {
        return Err(Diag::error(span, "assembly with operands is not supported"));
    }
    Ok(ops)
}

/// `None` for an unknown instruction, `Some(None)` for one that does nothing here.
fn instruction(words: &[&str]) -> Option<Option<Op>> {
    let fence = |f| Some(Some(Op::Fence(f)));
    match words {
        [] | ["lock" | "rep" | "pause" | "nop" | "yield"] | ["rep", "nop"] => Some(None),
        ["mfence"] => fence(Fence::Mfence),
        ["sfence"] => fence(Fence::Sfence),
        ["lfence"] => fence(Fence::Lfence),
        ["sync" | "hwsync" | "msync"] | ["sync", "0"] => fence(Fence::Sync),
        ["lwsync"] | ["sync", "1"] => fence(Fence::Lwsync),
        ["isync"] => fence(Fence::Isync),
        ["eieio"] => fence(Fence::Eieio),
        // A locked instruction on the stack is the old way to say `mfence`.
        ["addl" | "orl" | "addq" | "orq", operand]
        | ["lock", "addl" | "orl" | "addq" | "orq", operand]
            if operand.starts_with("$0,") && operand.ends_with("sp)") =>
        {
            fence(Fence::Mfence)
        }
        ["membar", flags @ ..] if !flags.is_empty() => {
            let flags = flags.concat();
            let known = [
                "#loadload",
                "#loadstore",
                "#storeload",
                "#storestore",
                "#sync",
                "#memissue",
            ];
            if !flags.split('|').all(|f| known.contains(&f)) {
                return None;
            }
            let all = flags.contains("#sync") || flags.contains("#memissue");
            fence(Fence::Membar {
                load_load: all || flags.contains("#loadload"),
                load_store: all || flags.contains("#loadstore"),
                store_load: all || flags.contains("#storeload"),
                store_store: all || flags.contains("#storestore"),
            })
        }
        ["stbar"] => fence(Fence::Membar {
            load_load: false,
            load_store: false,
            store_load: false,
            store_store: true,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::source::FileId;

    fn ops(template: &str) -> Result<usize, String> {
        let span = Span {
            file: FileId(0),
            start: 0,
            end: 0,
        };
        let asm = Asm {
            template: template.to_string(),
            operands: 0,
            memory: true,
        };
        lower(&asm, span)
            .map(|ops| ops.len())
            .map_err(|d| d.message)
    }

    #[test]
    fn fences_are_known_and_the_rest_is_refused() {
        assert_eq!(ops("  MFENCE ;\n"), Ok(1));
        assert_eq!(ops("lock; addl $0,0(%%rsp)"), Ok(1));
        assert_eq!(ops("membar #StoreLoad | #StoreStore"), Ok(1));
        assert_eq!(ops(""), Ok(0));
        assert_eq!(ops("rep; nop"), Ok(0));
        assert!(ops("dmb ish").is_err());
    }
}

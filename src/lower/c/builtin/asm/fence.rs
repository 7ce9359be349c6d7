//! Barriers of machines other than x86, and the instructions that do nothing here.

use super::template::{Arg, Line};
use ir::program::Fence;

const FULL: Fence = membar(true, true, true, true);

const fn membar(load_load: bool, load_store: bool, store_load: bool, store_store: bool) -> Fence {
    Fence::Membar {
        load_load,
        load_store,
        store_load,
        store_store,
    }
}

/// Hints.
pub fn is_hint(line: &Line) -> bool {
    match line.mnemonic.as_str() {
        "nop" | "yield" | "wfe" | "sev" | "prfm" | "pld" | ".p2align" => true,
        // Thread priorities of Power.
        "or" => line
            .args
            .iter()
            .all(|a| matches!(a, Arg::Imm(n) if [1, 2, 6, 27, 31].contains(n))),
        _ => false,
    }
}

/// The fence a line is.
pub fn fence(line: &Line) -> Option<Fence> {
    let option = match line.args.first() {
        None => String::new(),
        Some(Arg::Name(name)) => name.clone(),
        Some(Arg::Imm(n)) => n.to_string(),
        _ => line.text.to_lowercase(),
    };
    match (line.mnemonic.as_str(), option.as_str()) {
        ("sync" | "hwsync" | "msync", "" | "0") => Some(Fence::Sync),
        ("lwsync", "") | ("sync", "1") => Some(Fence::Lwsync),
        ("isync" | "isb", _) => Some(Fence::Isync),
        ("eieio", "") => Some(Fence::Eieio),
        ("stbar", "") => Some(membar(false, false, false, true)),
        ("dmb" | "dsb", "" | "ish" | "sy" | "osh" | "nsh") => Some(FULL),
        ("dmb" | "dsb", "ishst" | "st" | "oshst") => Some(membar(false, false, false, true)),
        ("dmb" | "dsb", "ishld" | "ld" | "oshld") => Some(membar(true, true, false, false)),
        ("fence", _) => riscv(&line.args),
        ("fence.tso", "") => Some(membar(true, true, false, true)),
        ("membar", _) => sparc(&line.text),
        _ => None,
    }
}

/// `fence rw,w` of RISC-V; alone it is for all pairs. Accesses to devices (`i`, `o`) are none here.
fn riscv(args: &[Arg]) -> Option<Fence> {
    let side = |arg: &Arg| {
        let Arg::Name(name) = arg else {
            return None;
        };
        let known = ["r", "w", "rw", "ir", "ow", "iorw"].contains(&name.as_str());
        known.then(|| (name.contains('r'), name.contains('w')))
    };
    let ((loads, stores), (then_loads, then_stores)) = match args {
        [] => ((true, true), (true, true)),
        [before, after] => (side(before)?, side(after)?),
        _ => return None,
    };
    Some(membar(
        loads && then_loads,
        loads && then_stores,
        stores && then_loads,
        stores && then_stores,
    ))
}

/// `membar #StoreLoad | #StoreStore`
fn sparc(text: &str) -> Option<Fence> {
    const KNOWN: [&str; 6] = [
        "#loadload",
        "#loadstore",
        "#storeload",
        "#storestore",
        "#sync",
        "#memissue",
    ];
    let text = text.to_lowercase();
    let flags: String = text.strip_prefix("membar")?.split_whitespace().collect();
    if flags.is_empty() || !flags.split('|').all(|f| KNOWN.contains(&f)) {
        return None;
    }
    let has = |flag: &str| {
        ["#sync", "#memissue", flag]
            .iter()
            .any(|f| flags.contains(f))
    };
    Some(membar(
        has("#loadload"),
        has("#loadstore"),
        has("#storeload"),
        has("#storestore"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::litmus::template::lines;
    use crate::lower::c::builtin::asm::template::parse;

    fn fences(template: &str) -> Vec<Option<Fence>> {
        let lines = parse(&lines(template), &[], false);
        lines.iter().map(fence).collect()
    }

    #[test]
    fn fences_are_known_and_the_rest_is_not() {
        assert_eq!(fences("  LWSYNC ;\n"), [Some(Fence::Lwsync)]);
        assert_eq!(fences("mfence"), [None]);
        let stores = membar(false, false, true, true);
        assert_eq!(fences("membar #StoreLoad | #StoreStore"), [Some(stores)]);
        assert_eq!(
            fences("dmb ishst"),
            [Some(membar(false, false, false, true))]
        );
        assert_eq!(fences("membar #Everything"), [None]);
        assert_eq!(fences("dmb none"), [None]);
        assert_eq!(
            fences("fence w,w; fence; fence.tso"),
            [
                Some(membar(false, false, false, true)),
                Some(FULL),
                Some(membar(true, true, false, true))
            ]
        );
        assert_eq!(fences("fence rw"), [None]);
        assert!(fences("").is_empty());
    }
}

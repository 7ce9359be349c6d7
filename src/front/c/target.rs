//! Machines that a program is read for: the macros by which it tells them apart.
//!
//! Sizes and layouts are those of LP64 on all of them, and plain `char` is signed.

use super::scan::{CTokenKind, scan};

/// A machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Target {
    /// x86-64
    X86_64,
    /// Power, 64 bits, little-endian.
    Ppc64le,
    /// ARM, 64 bits.
    Aarch64,
    /// RISC-V, 64 bits.
    Riscv64,
}

/// What compilers for one of the machines define, and those for the others do not.
const X86_64: [(&str, &str); 14] = [
    ("__x86_64__", "1"),
    ("__x86_64", "1"),
    ("__amd64__", "1"),
    ("__amd64", "1"),
    ("__k8__", "1"),
    ("__k8", "1"),
    ("__MMX__", "1"),
    ("__SSE__", "1"),
    ("__SSE2__", "1"),
    ("__SSE_MATH__", "1"),
    ("__SSE2_MATH__", "1"),
    ("__FXSR__", "1"),
    ("__code_model_small__", "1"),
    ("__GCC_ASM_FLAG_OUTPUTS__", "1"),
];
const PPC64LE: [(&str, &str); 9] = [
    ("__powerpc64__", "1"),
    ("__powerpc__", "1"),
    ("__PPC64__", "1"),
    ("__PPC__", "1"),
    ("_ARCH_PPC", "1"),
    ("_ARCH_PPC64", "1"),
    ("_CALL_ELF", "2"),
    ("_LITTLE_ENDIAN", "1"),
    ("__LITTLE_ENDIAN__", "1"),
];
const AARCH64: [(&str, &str); 7] = [
    ("__aarch64__", "1"),
    ("__AARCH64EL__", "1"),
    ("__ARM_64BIT_STATE", "1"),
    ("__ARM_ARCH", "8"),
    ("__ARM_ARCH_8A", "1"),
    ("__ARM_ARCH_ISA_A64", "1"),
    ("__ARM_ARCH_PROFILE", "65"),
];
const RISCV64: [(&str, &str); 8] = [
    ("__riscv", "1"),
    ("__riscv_xlen", "64"),
    ("__riscv_flen", "64"),
    ("__riscv_atomic", "1"),
    ("__riscv_mul", "1"),
    ("__riscv_div", "1"),
    ("__riscv_compressed", "1"),
    ("__riscv_float_abi_double", "1"),
];

impl Target {
    /// All of them.
    pub const ALL: [Target; 4] = [
        Target::X86_64,
        Target::Ppc64le,
        Target::Aarch64,
        Target::Riscv64,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Target::X86_64 => "x86_64",
            Target::Ppc64le => "ppc64le",
            Target::Aarch64 => "aarch64",
            Target::Riscv64 => "riscv64",
        }
    }

    /// The macros that its compilers define, with their values.
    fn macros(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Target::X86_64 => &X86_64,
            Target::Ppc64le => &PPC64LE,
            Target::Aarch64 => &AARCH64,
            Target::Riscv64 => &RISCV64,
        }
    }

    /// Flags of the preprocessor that make it one for this machine.
    pub fn flags(self) -> Vec<String> {
        let others = Target::ALL.into_iter().filter(|t| *t != self);
        let mut flags: Vec<String> = others
            .flat_map(Target::macros)
            .map(|(name, _)| format!("-U{name}"))
            .collect();
        flags.extend(self.macros().iter().map(|(n, v)| format!("-D{n}={v}")));
        flags
    }

    /// What is taken for granted of it that is otherwise with its compilers.
    pub fn assumption(self) -> Option<String> {
        (self != Target::X86_64).then(|| {
            let name = self.name();
            format!("plain `char` is signed, which it is not with most compilers for {name}")
        })
    }
}

/// Where a directive of a text looks whether it is compiled for x86.
pub fn looks_for_x86(text: &str) -> Option<(usize, usize)> {
    const NAMES: [&str; 6] = [
        "__x86_64__",
        "__x86_64",
        "__amd64__",
        "__amd64",
        "__i386__",
        "__i386",
    ];
    let directives = scan(text);
    let mut directives = directives
        .iter()
        .filter(|t| t.kind == CTokenKind::Directive);
    directives.find_map(|directive| {
        let line = directive.text(text).strip_prefix('#')?;
        let tokens = scan(line);
        let asks = ["if", "ifdef", "ifndef", "elif"].contains(&tokens.first()?.text(line));
        let found = tokens.iter().find(|t| NAMES.contains(&t.text(line)));
        let start = directive.start + 1;
        found
            .filter(|_| asks)
            .map(|t| (start + t.start, start + t.end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_that_look_for_x86_are_found() {
        let text = "int __x86_64__x;\n # if defined(__x86_64__)\nint x;\n#endif\n";
        let (start, end) = looks_for_x86(text).expect("the second line does");
        assert_eq!(&text[start..end], "__x86_64__");
        assert_eq!(looks_for_x86("/* __x86_64__ */ int x;\n#define F\n"), None);
    }

    #[test]
    fn a_target_has_no_macro_of_another_one() {
        for target in Target::ALL {
            let flags = target.flags();
            let defined = flags.iter().filter_map(|f| f.strip_prefix("-D"));
            for name in defined.filter_map(|d| d.split('=').next()) {
                assert!(!flags.contains(&format!("-U{name}")), "{name}");
            }
        }
    }
}

//! Attributes, linkage and calling conventions. All but a few are read over by name; one that is not known is refused,
//! as it may say what happens.

use super::ast::{Linkage, Type};
use super::lex::TokenKind;
use super::parser::Parser;
use base::diag::Diag;
use base::tokens::Parsed;

/// What stands before the type of a global or a function.
pub(super) struct Prefix {
    /// The linkage, where one is written.
    pub linkage: Option<Linkage>,
    /// `external` or `extern_weak`: what follows is a declaration.
    pub declares: bool,
    /// `thread_local`
    pub thread_local: bool,
}

impl Parser<'_> {
    /// Reads linkage, visibility, storage class and their like, in any order.
    pub fn prefix(&mut self) -> Parsed<Prefix> {
        let mut prefix = Prefix {
            linkage: None,
            declares: false,
            thread_local: false,
        };
        loop {
            let word = self.word();
            let linkage = match word {
                "private" | "internal" => Some(Linkage::Internal),
                "weak" | "weak_odr" | "linkonce" | "linkonce_odr" | "common" => Some(Linkage::Weak),
                "extern_weak" => Some(Linkage::ExternWeak),
                "available_externally" => Some(Linkage::AvailableExternally),
                "appending" => Some(Linkage::Appending),
                "external" => Some(Linkage::External),
                _ => None,
            };
            match word {
                _ if linkage.is_some() => {
                    prefix.linkage = linkage;
                    prefix.declares = matches!(word, "external" | "extern_weak");
                }
                "thread_local" => prefix.thread_local = true,
                "dso_local" | "dso_preemptable" | "default" | "hidden" | "protected"
                | "dllimport" | "dllexport" | "unnamed_addr" | "local_unnamed_addr" => {}
                _ => return Ok(prefix),
            }
            self.advance();
            if word == "thread_local" && self.is_sign(b'(') {
                self.skip_balanced()?;
            }
        }
    }

    /// Reads over a calling convention, if there is one.
    pub fn calling_convention(&mut self) -> Parsed<()> {
        let word = self.word();
        if word == "cc" {
            self.advance();
            self.unsigned("the number of a calling convention")?;
        } else if word
            .strip_prefix("cc")
            .is_some_and(|n| n.parse::<u32>().is_ok())
            || CONVENTIONS.contains(&word)
        {
            self.advance();
            if self.is_sign(b'(') {
                self.skip_balanced()?;
            }
        }
        Ok(())
    }

    /// Reads attributes of a parameter, of an argument or of what is returned: the type of `byval`, if it is there.
    /// `of` is the type of the parameter.
    pub fn value_attributes(&mut self, of: Option<&Type>) -> Parsed<Option<Type>> {
        let mut by_value = None;
        loop {
            match self.peek().kind {
                TokenKind::String => self.string_attribute()?,
                TokenKind::Word if self.word() == "byval" => {
                    self.advance();
                    by_value = Some(self.copied_type(of)?);
                }
                TokenKind::Word => {
                    if !self.attribute()? {
                        return Ok(by_value);
                    }
                }
                _ => return Ok(by_value),
            }
        }
    }

    /// The type behind `byval`; up to LLVM 14 it may be that of the pointer.
    fn copied_type(&mut self, of: Option<&Type>) -> Parsed<Type> {
        if self.eat_sign(b'(') {
            let ty = self.value_type()?;
            self.expect_sign(b')')?;
            return Ok(ty);
        }
        match of {
            Some(Type::Pointer(Some(pointee))) => Ok(Type::clone(pointee)),
            _ => Err(self.unexpected("`(` and the type that is copied")),
        }
    }

    /// Reads over an attribute that is a word, with what it has in parentheses; false if there is none.
    pub fn attribute(&mut self) -> Parsed<bool> {
        let word = self.word();
        if matches!(word, "inalloca" | "preallocated") {
            let message = format!("the attribute `{word}` is not supported");
            return Err(Box::new(Diag::unsupported(self.span(self.peek()), message)));
        }
        if !ATTRIBUTES.contains(&word) {
            return Ok(false);
        }
        self.advance();
        match word {
            _ if self.is_sign(b'(') => self.skip_balanced()?,
            "align" | "alignstack" | "flatten_depth" => {
                self.eat_sign(b'=');
                self.unsigned("a number")?;
            }
            _ => {}
        }
        Ok(true)
    }

    /// `"name"`, `"name"="value"`
    pub fn string_attribute(&mut self) -> Parsed<()> {
        self.expect(TokenKind::String, "an attribute")?;
        if self.eat_sign(b'=') {
            self.expect(TokenKind::String, "the value of an attribute")?;
        }
        Ok(())
    }
}

const CONVENTIONS: &[&str] = &[
    "aarch64_sme_preservemost_from_x0",
    "aarch64_sme_preservemost_from_x1",
    "aarch64_sme_preservemost_from_x2",
    "aarch64_sve_vector_pcs",
    "aarch64_vector_pcs",
    "amdgpu_cs",
    "amdgpu_cs_chain",
    "amdgpu_cs_chain_preserve",
    "amdgpu_es",
    "amdgpu_gfx",
    "amdgpu_gfx_whole_wave",
    "amdgpu_gs",
    "amdgpu_hs",
    "amdgpu_kernel",
    "amdgpu_ls",
    "amdgpu_ps",
    "amdgpu_vs",
    "anyregcc",
    "arm64ec_thunk_native",
    "arm64ec_thunk_x64",
    "arm_aapcs_vfpcc",
    "arm_aapcscc",
    "arm_apcscc",
    "avr_intrcc",
    "avr_signalcc",
    "ccc",
    "cfguard_checkcc",
    "cheriot_compartmentcallcc",
    "cheriot_compartmentcalleecc",
    "cheriot_librarycallcc",
    "coldcc",
    "cxx_fast_tlscc",
    "fastcc",
    "ghccc",
    "graalcc",
    "hhvm_ccc",
    "hhvmcc",
    "intel_ocl_bicc",
    "m68k_rtdcc",
    "msp430_intrcc",
    "preserve_allcc",
    "preserve_mostcc",
    "preserve_nonecc",
    "ptx_device",
    "ptx_kernel",
    "riscv_vector_cc",
    "riscv_vls_cc",
    "spir_func",
    "spir_kernel",
    "swiftcc",
    "swifttailcc",
    "tailcc",
    "webkit_jscc",
    "win64cc",
    "x86_64_sysvcc",
    "x86_fastcallcc",
    "x86_intrcc",
    "x86_regcallcc",
    "x86_stdcallcc",
    "x86_thiscallcc",
    "x86_vectorcallcc",
];

/// Attributes that are read over.
const ATTRIBUTES: &[&str] = &[
    "noundef",
    "nonnull",
    "align",
    "dereferenceable",
    "dereferenceable_or_null",
    "nocapture",
    "noalias",
    "signext",
    "zeroext",
    "readonly",
    "captures",
    "range",
    "nounwind",
    "alignstack",
    "allocalign",
    "allockind",
    "allocptr",
    "allocsize",
    "alwaysinline",
    "argmemonly",
    "async",
    "builtin",
    "byref",
    "cold",
    "convergent",
    "coro_elide_safe",
    "coro_only_destroy_when_complete",
    "dead_on_return",
    "dead_on_unwind",
    "denormal_fpenv",
    "disable_sanitizer_instrumentation",
    "elementtype",
    "flatten_depth",
    "fn_ret_thunk_extern",
    "hot",
    "hybrid_patchable",
    "immarg",
    "inaccessiblemem_or_argmemonly",
    "inaccessiblememonly",
    "initializes",
    "inlinehint",
    "inreg",
    "jumptable",
    "memory",
    "minsize",
    "mustprogress",
    "naked",
    "nest",
    "nobuiltin",
    "nocallback",
    "nocf_check",
    "nocreateundeforpoison",
    "nodivergencesource",
    "noduplicate",
    "noext",
    "nofpclass",
    "nofree",
    "noimplicitfloat",
    "noinline",
    "noipa",
    "nomerge",
    "nonlazybind",
    "nooutline",
    "noprofile",
    "norecurse",
    "noredzone",
    "noreturn",
    "nosanitize_bounds",
    "nosanitize_coverage",
    "nosync",
    "null_pointer_is_valid",
    "optdebug",
    "optforfuzzing",
    "optnone",
    "optsize",
    "presplitcoroutine",
    "readnone",
    "returned",
    "returns_twice",
    "safestack",
    "sanitize_address",
    "sanitize_alloc_token",
    "sanitize_hwaddress",
    "sanitize_memory",
    "sanitize_memtag",
    "sanitize_numerical_stability",
    "sanitize_realtime",
    "sanitize_realtime_blocking",
    "sanitize_thread",
    "sanitize_type",
    "shadowcallstack",
    "skipprofile",
    "speculatable",
    "speculative_load_hardening",
    "sret",
    "ssp",
    "sspreq",
    "sspstrong",
    "strictfp",
    "swiftasync",
    "swifterror",
    "swiftself",
    "uwtable",
    "vscale_range",
    "willreturn",
    "writable",
    "writeonly",
];

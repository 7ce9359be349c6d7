//! Closes the parser's gaps by rewriting the text ahead of it.
//!
//! lang-c parses C11 and most of GNU C. What it does not know but programs use is turned into
//! something it does know, or refused by name: comments and directives, attributes
//! ([`attributes`]), `#pragma pack` ([`packing`]), `__thread`, `x ?: y`, stray `;`, labels at the end
//! of a block, implicit `int`.
//! Every edit is remembered, so that positions of the new text lead back to the old one.

mod attributes;
mod labels;
mod packing;
mod refusal;
mod spelling;

use super::scan::{BYTE_ORDER_MARK, CTokenKind, Token, scan};
pub use attributes::{ALIGNAS, ALIGNOF, PACK};
use base::code::Code;
use packing::Packing;
pub use refusal::Refusal;
pub use spelling::original_name;
use std::borrow::Cow;

/// Stands for the missing middle of `x ?: y`.
pub const SAME: &str = "__wmbmc_same";
/// Stands for `__func__` and its kin, which lang-c reserves.
pub const FUNC: &str = "__wmbmc_func";

/// Stands for `&&label`.
pub const LABEL_ADDRESS: &str = "__wmbmc_label_address";
/// Called with the operand of `goto *address`.
pub const COMPUTED_GOTO: &str = "__wmbmc_computed_goto";
const COMPUTED_GOTO_CALL: &str = "__wmbmc_computed_goto(";
/// Stands for an `asm goto` statement.
pub const ASM_GOTO: &str = "__wmbmc_asm_goto";

/// Typedef names the parser has to know; the adapter gives them their meaning.
const PRELUDE: &str =
    "typedef int __auto_type,__int128,__int128_t,__uint128_t,__float128,__bf16,__CPROVER_bool;";
/// gcc's question whether two types are compatible, called with a `sizeof` of each.
pub const TYPES_COMPATIBLE: &str = "__builtin_types_compatible_p";

/// How deep brackets may nest, so that no input exhausts the stack of a recursive parser.
const MAX_DEPTH: usize = 200;
/// How many operators and heads of statements may stand between two separators, for the same
/// reason: prefix operators, postfix operators and statements nest without brackets.
const MAX_CHAIN: usize = 10_000;
/// How many `+` or `-` may touch: `a+++b` is an expression, with one more none is. The parser reads
/// them as one sign or as two in every way there is.
const MAX_SIGNS: usize = 3;
/// How many `else`, `do` and `for` one definition may have: each may be nested in the one before.
const MAX_ELSE: usize = 10_000;

/// Rewritten text and the way back.
#[derive(Debug)]
pub struct Rewritten {
    /// What the parser reads.
    pub text: String,
    /// (offset in the new text, offset in the old text), ascending; between two entries both
    /// advance together, but never beyond the old offset of the next entry.
    map: Vec<(usize, usize)>,
}

/// `_Alignof` in all its spellings.
fn is_alignof(word: &str) -> bool {
    matches!(word, "_Alignof" | "__alignof" | "__alignof__")
}

impl Rewritten {
    /// The offset in the old text of an offset in the new one.
    pub fn original(&self, offset: usize) -> usize {
        let next = self.map.partition_point(|(new, _)| *new <= offset);
        let (new, old) = if next == 0 {
            (0, 0)
        } else {
            self.map[next - 1]
        };
        let limit = self.map.get(next).map_or(usize::MAX, |(_, old)| *old);
        (old + (offset - new)).min(limit)
    }
}

/// Rewrites preprocessed text.
///
/// # Errors
/// Constructs that neither the parser nor a rewriting knows, and text nested too deeply.
pub fn rewrite(text: &str) -> Result<Rewritten, Vec<Refusal>> {
    let tokens = scan(text);
    let mut edits: Vec<Edit> = tokens
        .iter()
        .filter(|t| matches!(t.kind, CTokenKind::Comment | CTokenKind::Directive))
        .map(|t| Edit::blank(t.start, t.end))
        .collect();
    if text.starts_with(BYTE_ORDER_MARK) {
        edits.push(Edit::blank(0, BYTE_ORDER_MARK.len()));
    }
    let mut packing = Packing::default();
    let directives = tokens.iter().filter(|t| t.kind == CTokenKind::Directive);
    let refused = directives.filter_map(|t| packing.directive(text, *t).err());
    let refused: Vec<Refusal> = refused.collect();
    if !refused.is_empty() {
        return Err(refused);
    }
    let tokens: Vec<Token> = tokens
        .into_iter()
        .filter(|t| !matches!(t.kind, CTokenKind::Comment | CTokenKind::Directive))
        .collect();
    let mut pass = Pass {
        text,
        tokens: &tokens,
        edits: &mut edits,
        refusals: Vec::new(),
        records: Vec::new(),
        packing,
    };
    pass.check_depth();
    if pass.refusals.is_empty() {
        pass.run();
    }
    if !pass.refusals.is_empty() {
        return Err(pass.refusals);
    }
    Ok(apply(text, edits))
}

/// Replace `start..end`; `None` blanks it out.
#[derive(Debug)]
struct Edit {
    start: usize,
    end: usize,
    with: Option<Cow<'static, str>>,
}

impl Edit {
    fn blank(start: usize, end: usize) -> Edit {
        Edit {
            start,
            end,
            with: None,
        }
    }

    fn replace(start: usize, end: usize, with: impl Into<Cow<'static, str>>) -> Edit {
        Edit {
            start,
            end,
            with: Some(with.into()),
        }
    }

    fn insert(at: usize, with: impl Into<Cow<'static, str>>) -> Edit {
        Edit::replace(at, at, with)
    }
}

fn apply(text: &str, mut edits: Vec<Edit>) -> Rewritten {
    edits.sort_by_key(|e| (e.start, e.end));
    let mut out = Rewritten {
        text: PRELUDE.to_string(),
        map: vec![(0, 0), (PRELUDE.len(), 0)],
    };
    let mut at = 0;
    for edit in edits.iter().filter(|e| e.end >= e.start) {
        if edit.start < at {
            continue;
        }
        out.text.push_str(&text[at..edit.start]);
        out.map.push((out.text.len(), edit.start));
        match &edit.with {
            Some(with) => out.text.push_str(with),
            None => out.text.extend(
                text[edit.start..edit.end]
                    .chars()
                    .map(|c| if c == '\n' { '\n' } else { ' ' }),
            ),
        }
        at = edit.end;
        out.map.push((out.text.len(), at));
    }
    out.text.push_str(&text[at..]);
    out
}

/// What encloses a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// `struct s {`
    Record,
    /// A block or an initialiser.
    Braces,
    /// The block of a function at file scope.
    Body,
    /// `(` or `[`
    Brackets,
}

struct Pass<'a> {
    text: &'a str,
    tokens: &'a [Token],
    edits: &'a mut Vec<Edit>,
    refusals: Vec<Refusal>,
    /// Braces of structures whose attributes were moved behind them.
    records: Vec<usize>,
    /// What `#pragma pack` says where.
    packing: Packing,
}

impl<'a> Pass<'a> {
    fn word(&self, i: usize) -> &'a str {
        self.tokens.get(i).map_or("", |t| t.text(self.text))
    }

    fn is(&self, i: usize, punct: u8) -> bool {
        self.tokens
            .get(i)
            .is_some_and(|t| t.kind == CTokenKind::Punct(punct))
    }

    fn before_is(&self, i: usize, puncts: &[u8]) -> bool {
        i == 0 || matches!(self.tokens[i - 1].kind, CTokenKind::Punct(p) if puncts.contains(&p))
    }

    fn blank(&mut self, from: usize, to: usize) {
        self.edits
            .push(Edit::blank(self.tokens[from].start, self.tokens[to].end));
    }

    fn replace(&mut self, i: usize, with: &'static str) {
        let Token { start, end, .. } = self.tokens[i];
        self.edits.push(Edit::replace(start, end, with));
    }

    fn insert(&mut self, before: usize, with: &'static str) {
        let start = self.tokens[before].start;
        self.edits.push(Edit::insert(start, with));
    }

    fn refuse(&mut self, i: usize, code: Code, message: &str) {
        let Token { start, end, .. } = self.tokens[i];
        self.refusals.push(Refusal {
            start,
            end,
            code,
            message: message.to_string(),
        });
    }

    /// The index of the bracket that closes the one at `open`, or the last token.
    fn closing(&self, open: usize) -> usize {
        let mut depth = 0usize;
        for i in open..self.tokens.len() {
            match self.tokens[i].kind {
                CTokenKind::Punct(b'(' | b'[' | b'{') => depth += 1,
                CTokenKind::Punct(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return i;
            }
        }
        self.tokens.len() - 1
    }

    /// Whether a token is a sign that stands right behind the same one.
    fn repeats_sign(&self, i: usize) -> bool {
        let sign = self.is(i, b'+') || self.is(i, b'-');
        let before = i.checked_sub(1).map(|j| (self.tokens[j], self.tokens[i]));
        sign && before.is_some_and(|(a, b)| a.kind == b.kind && a.end == b.start)
    }

    fn check_depth(&mut self) {
        let (mut depth, mut chain, mut elses) = (0usize, 0usize, 0usize);
        let mut signs = 0;
        for i in 0..self.tokens.len() {
            signs = if self.repeats_sign(i) { signs + 1 } else { 1 };
            if signs > MAX_SIGNS {
                return self.refuse(
                    i,
                    Code::Syntax,
                    "no expression has so many signs without a space",
                );
            }
            match self.tokens[i].kind {
                CTokenKind::Punct(b'(' | b'[' | b'{') => (depth, chain) = (depth + 1, chain + 1),
                CTokenKind::Punct(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                CTokenKind::Punct(b';' | b',') => chain = 0,
                CTokenKind::Punct(_) => chain += 1,
                CTokenKind::Word if matches!(self.word(i), "else" | "do" | "for") => elses += 1,
                CTokenKind::Word
                    if matches!(self.word(i), "sizeof" | "if" | "while" | "switch") =>
                {
                    chain += 1
                }
                _ => {}
            }
            if depth == 0 && self.is(i, b'}') {
                (chain, elses) = (0, 0);
            }
            if depth > MAX_DEPTH {
                return self.refuse(
                    i,
                    Code::Unsupported,
                    &format!("brackets nest more than {MAX_DEPTH} deep here"),
                );
            }
            if chain > MAX_CHAIN {
                return self.refuse(
                    i,
                    Code::Unsupported,
                    &format!("this expression has more than {MAX_CHAIN} operators"),
                );
            }
            if elses > MAX_ELSE {
                return self.refuse(
                    i,
                    Code::Unsupported,
                    &format!("this definition has more than {MAX_ELSE} `else`, `do` and `for`"),
                );
            }
        }
    }

    fn run(&mut self) {
        let mut nest: Vec<Inside> = Vec::new();
        let mut after_body = true;
        // Behind `=` at file scope there is an initial value, and `(type) {` is no function.
        let mut initial = false;
        let mut i = 0;
        while i < self.tokens.len() {
            let mut next = i + 1;
            self.digraph(i);
            match self.tokens[i].kind {
                CTokenKind::Word => next = self.on_word(i, &nest),
                CTokenKind::Punct(b'?') if self.is(i + 1, b':') => self.insert(i + 1, SAME),
                CTokenKind::Punct(b':') if self.is(i + 1, b'}') => self.insert(i + 1, ";"),
                CTokenKind::Punct(b'&') => self.label_address(i),
                CTokenKind::Punct(b'[') if self.is(i + 1, b'[') && self.adjacent(i) => {
                    next = self.on_attribute(i).unwrap_or(next);
                }
                CTokenKind::Quoted => self.universal_characters(i),
                CTokenKind::Punct(b';') if after_body && nest.is_empty() => self.blank(i, i),
                CTokenKind::Punct(b';')
                    if nest.last() == Some(&Inside::Record) && self.before_is(i, b";{") =>
                {
                    self.blank(i, i);
                }
                CTokenKind::Punct(b'{') => nest.push(self.opened(i, nest.is_empty() && !initial)),
                CTokenKind::Punct(b'=') if nest.is_empty() => initial = true,
                CTokenKind::Punct(b';') if nest.is_empty() => initial = false,
                CTokenKind::Punct(b'(' | b'[') => nest.push(Inside::Brackets),
                CTokenKind::Punct(b')' | b']' | b'}') => {
                    let closed = nest.pop();
                    if closed == Some(Inside::Record) && self.is(i, b'}') {
                        self.pack_record(i);
                    }
                    after_body = nest.is_empty() && closed == Some(Inside::Body);
                    i = next;
                    continue;
                }
                _ => {}
            }
            if nest.is_empty() {
                after_body = self.is(i, b';') || (after_body && next > i + 1);
            }
            i = next;
        }
    }

    fn adjacent(&self, i: usize) -> bool {
        self.tokens[i].end == self.tokens[i + 1].start
    }

    /// What the brace at `i` opens.
    fn opened(&self, i: usize, at_file_scope: bool) -> Inside {
        let record = |j: usize| matches!(self.word(j), "struct" | "union");
        if (i >= 1 && record(i - 1)) || (i >= 2 && record(i - 2)) || self.records.contains(&i) {
            return Inside::Record;
        }
        // A body follows the parameters, or the declarations of old-style parameters.
        let body = at_file_scope && self.before_is(i, b");");
        if body { Inside::Body } else { Inside::Braces }
    }

    /// Handles a word; returns the index of the next token to look at.
    fn on_word(&mut self, i: usize, nest: &[Inside]) -> usize {
        self.spell(i);
        if self.is_declared_behind_label(i, nest) {
            return i + 1;
        }
        match self.word(i) {
            "__extension__" | "__block" => self.blank(i, i),
            "__attribute__" | "__attribute" if self.is(i + 1, b'(') => {
                return self.on_attribute(i).unwrap_or(i + 1);
            }
            "struct" | "union" | "enum" => return self.attributes_of_type(i),
            "_Alignas" if self.is(i + 1, b'(') => return self.on_alignas(i),
            word if is_alignof(word) && self.is(i + 1, b'(') => {
                return self.on_alignof(i);
            }
            "__thread" | "__CPROVER_thread_local" => self.replace(i, "_Thread_local"),
            "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__" => self.replace(i, FUNC),
            "__label__" => {
                let end = (i..self.tokens.len())
                    .find(|j| self.is(*j, b';'))
                    .unwrap_or(i);
                self.blank(i, end);
                return end + 1;
            }
            "signed" | "unsigned" if self.word(i + 1) == "__int128" => {
                self.sign_of_int128(i, i + 1);
                return i + 2;
            }
            "__int128" if matches!(self.word(i + 1), "signed" | "unsigned") => {
                self.sign_of_int128(i + 1, i);
                return i + 2;
            }
            "asm" | "__asm" | "__asm__" => return self.on_asm(i, nest),
            TYPES_COMPATIBLE if self.is(i + 1, b'(') => self.types_in_sizeof(i),
            "goto" if self.is(i + 1, b'*') => {
                self.replace(i, COMPUTED_GOTO_CALL);
                let end = self.statement_end(i);
                self.insert(end, ")");
            }
            _ if nest.is_empty() && self.is(i + 1, b'(') && self.begins_declaration(i) => {
                self.insert(i, "int ")
            }
            _ if self.is_declared_by_storage_alone(i, nest) => self.insert(i, "int "),
            _ => {}
        }
        i + 1
    }

    /// `unsigned __int128`: to the parser the type is a name, beside which no other type may stand.
    fn sign_of_int128(&mut self, sign: usize, name: usize) {
        self.blank(sign, sign);
        if self.word(sign) == "unsigned" {
            self.replace(name, "__uint128_t");
        }
    }

    /// `main() {`: a name that begins a definition and is no macro-like declaration.
    fn begins_declaration(&self, i: usize) -> bool {
        let close = self.closing(i + 1);
        self.before_is(i, b";}") && !is_keyword(self.word(i)) && self.is(close + 1, b'{')
    }

    /// `static ready = 0;`, `static f() {`: C89 has `int` there.
    fn is_declared_by_storage_alone(&self, i: usize, nest: &[Inside]) -> bool {
        let storage = ["static", "extern", "register"];
        let is_stored = i > 0 && storage.contains(&self.word(i - 1));
        let types = [
            "int", "char", "short", "long", "signed", "unsigned", "float", "double", "void",
            "_Bool",
        ];
        let word = self.word(i);
        if !is_stored || word.is_empty() || types.contains(&word) || is_keyword(word) {
            return false;
        }
        // A parameter without a name may be a type.
        let is_parameter = nest.contains(&Inside::Brackets);
        let ends = [b'=', b';', b',', b'['];
        let is_object = !is_parameter && ends.iter().any(|sign| self.is(i + 1, *sign));
        let is_function = nest.is_empty() && self.is(i + 1, b'(');
        is_object || is_function && self.is(self.closing(i + 1) + 1, b'{')
    }

    fn on_asm(&mut self, i: usize, nest: &[Inside]) -> usize {
        if nest.is_empty() && self.before_is(i, b";}") {
            let message = "assembly at file scope is not supported";
            self.refuse(i, Code::Unsupported, message);
        }
        let qualifiers = [
            "volatile",
            "__volatile__",
            "__volatile",
            "inline",
            "__inline__",
            "goto",
        ];
        let behind = (i + 1..).find(|j| !qualifiers.contains(&self.word(*j)));
        let behind = behind.unwrap_or(i + 1);
        if (i + 1..behind).any(|j| self.word(j) == "goto") {
            let end = self.statement_end(i);
            self.replace(i, ASM_GOTO);
            self.blank(i + 1, end - 1);
            return end;
        }
        self.replace(i, "__asm__");
        for j in i + 1..behind {
            if self.word(j).contains("inline") {
                self.blank(j, j);
            }
        }
        behind
    }

    /// The index of the `;` that ends the statement that begins at `i`.
    fn statement_end(&self, i: usize) -> usize {
        let mut j = i;
        while j + 1 < self.tokens.len() && !self.is(j, b';') {
            j = match self.tokens[j].kind {
                CTokenKind::Punct(b'(' | b'[' | b'{') => self.closing(j),
                _ => j,
            } + 1;
        }
        j.min(self.tokens.len() - 1)
    }

    /// `&&label` where an operand begins.
    fn label_address(&mut self, i: usize) {
        let pair = self.is(i + 1, b'&') && self.adjacent(i);
        let operand = self.before_is(i, b"=,({[?:") || (i > 0 && self.word(i - 1) == "return");
        let label = self.tokens.get(i + 2).map(|t| t.kind) == Some(CTokenKind::Word);
        if pair && operand && label {
            self.replace(i, LABEL_ADDRESS);
            self.blank(i + 1, i + 2);
        }
    }
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "_Static_assert"
            | "typeof"
            | "__typeof__"
            | "__typeof"
            | "_Atomic"
            | "_Alignas"
            | "static_assert"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &str) -> String {
        rewrite(text).expect("the text is fine").text[PRELUDE.len()..].to_string()
    }

    #[test]
    fn unparsed_syntax_is_rewritten() {
        assert_eq!(body("int x = a ?: b;"), "int x = a ?__wmbmc_same: b;");
        assert_eq!(body("__thread int t;"), "_Thread_local int t;");
        assert_eq!(body("void f(){ l: };"), "void f(){ l: ;} ");
        assert_eq!(body("main(){}"), "int main(){}");
        assert_eq!(body("static a = 1;"), "static int a = 1;");
        assert_eq!(body("static f(){}"), "static int f(){}");
        let typed = "static T a, b; static const T c[1]; extern T f(register T, int);";
        assert_eq!(body(typed), typed);
        assert_eq!(body("struct s { int a; };"), "struct s { int a; };");
        assert_eq!(body("int a; // b\nint c;"), "int a;     \nint c;");
        let packed = "struct __attribute__((packed)) s { int a; } x;";
        let after = body(packed);
        assert!(
            after.contains("{ int a; }__attribute__((packed)) x;"),
            "{after}"
        );
        let literal = "int *p = (int[]){1}; int q;";
        assert_eq!(body(literal), literal);
    }

    #[test]
    fn positions_lead_back() {
        let text = "__thread int t;";
        let new = rewrite(text).expect("the text is fine");
        let t = new.text.rfind('t').expect("the declared name is there");
        assert_eq!(new.original(t), 13);
    }

    #[test]
    fn jumps_that_are_not_supported_are_named() {
        assert_eq!(
            body("void f(){ void *p = &&l; l:; }"),
            "void f(){ void *p = __wmbmc_label_address  ; l:; }"
        );
        assert_eq!(body("goto *p[i];"), "__wmbmc_computed_goto( *p[i]);");
        assert_eq!(
            body("void f(){ asm goto(\"nop\" : : : : l); x; }")
                .split_whitespace()
                .collect::<Vec<_>>(),
            ["void", "f(){", "__wmbmc_asm_goto", ";", "x;", "}"]
        );
    }

    #[test]
    fn refusals_name_the_construct() {
        let refused = rewrite("int x; asm(\"nop\");").expect_err("it stands at file scope");
        assert_eq!(refused[0].start, 7);
        assert!(rewrite(&"(".repeat(1000)).is_err());
    }
}

//! Declarations right behind labels (C23 6.8.1), which lang-c takes behind a statement alone.

use super::{CTokenKind, Inside, Pass, TYPES_COMPATIBLE};

impl Pass<'_> {
    /// Whether a label begins at a word with a declaration behind it: then an empty statement stands between
    /// the two.
    pub(super) fn is_declared_behind_label(&mut self, i: usize, nest: &[Inside]) -> bool {
        let in_block = matches!(nest.last(), Some(Inside::Braces | Inside::Body));
        if !in_block || !self.before_is(i, b";{}:") {
            return false;
        }
        let colon = match self.word(i) {
            "case" => self.colon_of_case(i),
            _ => Some(i + 1).filter(|j| self.is(*j, b':')),
        };
        let behind = colon.map(|colon| colon + 1);
        match behind.filter(|behind| self.is_declaration(*behind)) {
            Some(behind) => {
                self.insert(behind, ";");
                true
            }
            None => false,
        }
    }

    /// The colon that ends `case`, behind all `?` and `:` of its value.
    fn colon_of_case(&self, i: usize) -> Option<usize> {
        let (mut j, mut open) = (i + 1, 0);
        while j < self.tokens.len() {
            match self.tokens[j].kind {
                CTokenKind::Punct(b'(' | b'[' | b'{') => j = self.closing(j),
                CTokenKind::Punct(b'?') => open += 1,
                CTokenKind::Punct(b':') if open == 0 => return Some(j),
                CTokenKind::Punct(b':') => open -= 1,
                CTokenKind::Punct(b';' | b'}') => return None,
                _ => {}
            }
            j += 1;
        }
        None
    }

    /// Whether a declaration begins at a token, as far as its words say: `int`, `name name`, `name *name =`.
    fn is_declaration(&self, i: usize) -> bool {
        const TYPES: [&str; 26] = [
            "auto",
            "char",
            "const",
            "double",
            "enum",
            "extern",
            "float",
            "int",
            "long",
            "register",
            "short",
            "signed",
            "static",
            "struct",
            "typedef",
            "union",
            "unsigned",
            "void",
            "volatile",
            "_Alignas",
            "_Atomic",
            "_Bool",
            "_Static_assert",
            "_Thread_local",
            "__auto_type",
            "typeof",
        ];
        const STATEMENTS: [&str; 8] = [
            "case", "else", "goto", "return", "sizeof", "do", "asm", "__asm__",
        ];
        let is_name = |j: usize| {
            let token = self.tokens.get(j).map(|t| t.kind);
            token == Some(CTokenKind::Word) && !STATEMENTS.contains(&self.word(j))
        };
        let stars = (i + 1..).take_while(|j| self.is(*j, b'*')).count();
        let declared = i + 1 + stars;
        let ends = [b'=', b';', b',', b'['];
        let ends = ends.iter().any(|end| self.is(declared + 1, *end));
        TYPES.contains(&self.word(i)) || is_name(i) && is_name(declared) && (stars == 0 || ends)
    }

    /// `__builtin_types_compatible_p(a, b)`: each type in a `sizeof`, which the parser takes as an operand.
    pub(super) fn types_in_sizeof(&mut self, i: usize) {
        debug_assert_eq!(self.word(i), TYPES_COMPATIBLE);
        let (open, close) = (i + 1, self.closing(i + 1));
        let mut comma = open + 1;
        while comma < close && !self.is(comma, b',') {
            comma = match self.tokens[comma].kind {
                CTokenKind::Punct(b'(' | b'[' | b'{') => self.closing(comma),
                _ => comma,
            } + 1;
        }
        if comma + 1 >= close || comma == open + 1 {
            return;
        }
        self.insert(open + 1, "sizeof(");
        self.insert(comma, ")");
        self.insert(comma + 1, "sizeof(");
        self.insert(close, ")");
    }
}

//! The entities of a module.

use super::ast::{Module, Type};
use super::lex::TokenKind;
use super::parser::Parser;
use base::diag::Diag;
use base::tokens::Parsed;

/// How many errors are reported at most.
const MAX_ERRORS: usize = 100;

impl Parser<'_> {
    /// Reads the whole text.
    pub fn parse(mut self) -> Result<Module, Vec<Diag>> {
        let mut errors = Vec::new();
        while !self.is(TokenKind::End) && errors.len() < MAX_ERRORS {
            let start = self.peek();
            if let Err(error) = self.entity() {
                errors.push(*error);
                if self.peek() == start {
                    self.advance();
                }
                self.skip_to_next_entity(self.in_function);
            }
            self.locals = None;
            self.in_function = false;
        }
        if errors.is_empty() {
            errors = self.undeclared();
        }
        if errors.is_empty() {
            errors.extend(self.recursive_type());
        }
        match errors.is_empty() {
            true => Ok(self.module),
            false => Err(errors),
        }
    }

    fn entity(&mut self) -> Parsed<()> {
        let token = self.peek();
        match token.kind {
            TokenKind::Word => self.keyword_entity(),
            TokenKind::Global => self.named_global(token),
            TokenKind::Local => self.type_definition(),
            TokenKind::Comdat => {
                self.advance();
                self.expect_sign(b'=')?;
                self.expect_word("comdat")?;
                self.expect(TokenKind::Word, "how the linker chooses")
                    .map(drop)
            }
            TokenKind::MetadataName => self.named_metadata(),
            TokenKind::Exclamation => {
                self.advance();
                self.numbered_metadata(token.start)
            }
            TokenKind::Summary => self.summary(),
            _ => Err(self.unexpected("an entity of a module")),
        }
    }

    fn keyword_entity(&mut self) -> Parsed<()> {
        let token = self.peek();
        match self.word() {
            "define" => return self.define(),
            "declare" => return self.declare(),
            "uselistorder" | "uselistorder_bb" => return self.use_list_order(),
            "attributes" => {
                self.advance();
                self.expect(
                    TokenKind::AttributeGroup,
                    "the number of a group of attributes",
                )?;
                self.expect_sign(b'=')?;
                if !self.is_sign(b'{') {
                    return Err(self.unexpected("`{`"));
                }
                return self.skip_balanced();
            }
            "source_filename" => {
                self.advance();
                self.expect_sign(b'=')?;
                self.module.source = self.string("the name of a file in quotes")?;
            }
            "target" => {
                self.advance();
                let word = self.word();
                if !matches!(word, "triple" | "datalayout") {
                    return Err(self.unexpected("`triple` or `datalayout`"));
                }
                self.advance();
                self.expect_sign(b'=')?;
                let text = self.string("a description of the target in quotes")?;
                match word {
                    "triple" => self.module.triple = text,
                    _ => self.module.data_layout = text,
                }
            }
            "module" => {
                self.advance();
                self.expect_word("asm")?;
                let text = self.string("assembly in quotes")?;
                let span = self.span_from(token.start);
                self.module.assembly.push((text, span));
            }
            "private"
            | "internal"
            | "weak"
            | "weak_odr"
            | "linkonce"
            | "linkonce_odr"
            | "common"
            | "extern_weak"
            | "available_externally"
            | "appending"
            | "external"
            | "thread_local"
            | "dso_local"
            | "dso_preemptable"
            | "default"
            | "hidden"
            | "protected"
            | "dllimport"
            | "dllexport"
            | "unnamed_addr"
            | "local_unnamed_addr"
            | "addrspace"
            | "externally_initialized"
            | "global"
            | "constant"
            | "alias"
            | "ifunc" => return self.unnamed_global(),
            _ => return Err(self.unexpected("an entity of a module")),
        }
        Ok(())
    }

    /// `%name = type …`
    fn type_definition(&mut self) -> Parsed<()> {
        let token = self.advance();
        self.expect_sign(b'=')?;
        self.expect_word("type")?;
        let name = self.name(token).into_owned();
        let start = self.peek();
        let ty = match self.eat_word("opaque") {
            true => None,
            false => Some(self.value_type()?),
        };
        let is_structure = matches!(ty, None | Some(Type::Struct { .. }));
        if !is_structure && self.names.type_uses.contains_key(name.as_str()) {
            let message = format!("`%{name}` is used before it, and is no structure");
            return Err(self.error(start, message));
        }
        if self.module.types.insert(name.clone(), ty).is_some() {
            let message = format!("the type `%{name}` is defined already in this module");
            return Err(self.error(token, message));
        }
        Ok(())
    }

    /// `uselistorder T %x, { 1, 0 }`, `uselistorder_bb @f, %b, { 1, 0 }`: read over.
    pub fn use_list_order(&mut self) -> Parsed<()> {
        if self.eat_word("uselistorder_bb") {
            self.expect(TokenKind::Global, "the name of a function")?;
            self.expect_sign(b',')?;
            self.expect(TokenKind::Local, "the name of a block")?;
        } else {
            self.advance();
            self.typed_value()?;
        }
        self.expect_sign(b',')?;
        if !self.is_sign(b'{') {
            return Err(self.unexpected("`{`"));
        }
        self.skip_balanced()
    }

    /// `^0 = module: (…)`, `^1 = flags: 8`: read over.
    fn summary(&mut self) -> Parsed<()> {
        self.advance();
        self.expect_sign(b'=')?;
        self.expect(TokenKind::Label, "the kind of a summary")?;
        if self.is_sign(b'(') {
            return self.skip_balanced();
        }
        self.unsigned("`(` or a number").map(drop)
    }

    /// Goes to what begins the next entity; a function is skipped to its closing brace.
    fn skip_to_next_entity(&mut self, is_function: bool) {
        loop {
            let token = self.peek();
            let first_on_line = self.is_first_on_line(token.start);
            let begins = match token.kind {
                TokenKind::End => true,
                TokenKind::Sign(b'}') if is_function && first_on_line => {
                    self.advance();
                    true
                }
                TokenKind::Word => matches!(
                    self.word(),
                    "define" | "declare" | "attributes" | "target" | "module" | "source_filename"
                ),
                TokenKind::Global
                | TokenKind::Local
                | TokenKind::Comdat
                | TokenKind::MetadataName
                | TokenKind::Exclamation
                | TokenKind::Summary => !is_function,
                _ => false,
            };
            if begins && (first_on_line || token.kind == TokenKind::End) {
                return;
            }
            self.advance();
        }
    }

    /// True when only blanks stand before a byte on its line.
    fn is_first_on_line(&self, at: usize) -> bool {
        let before = self.slice(0, at).bytes().rev();
        before
            .take_while(|b| *b != b'\n')
            .all(|b| b.is_ascii_whitespace())
    }
}

//! Functions: their heads and their blocks.

use super::ast::{Block, Function, Instruction, Linkage, Op, Param, Type};
use super::lex::TokenKind;
use super::names::{Local, Locals};
use super::parser::Parser;
use base::tokens::Parsed;

/// A list of parameters, and whether more may follow.
type Params = (Vec<Param>, bool);

impl Parser<'_> {
    /// `define`, from its word on.
    pub fn define(&mut self) -> Parsed<()> {
        self.advance();
        self.locals = Some(Locals::default());
        self.in_function = true;
        let mut function = self.head(true)?;
        let place = function.span;
        if !self.eat_sign(b'{') {
            return Err(self.unexpected("`{`"));
        }
        function.blocks = self.body()?;
        self.in_function = false;
        if function.blocks.is_empty() {
            return Err(self.error_at(place, "a function with a body has a block"));
        }
        if let Some(locals) = self.locals.take() {
            locals.check()?;
        }
        self.check_returns(&function)?;
        self.module.functions.push(function);
        Ok(())
    }

    /// What `ret` returns has the type that the function returns.
    fn check_returns(&self, function: &Function) -> Parsed<()> {
        for instruction in function.blocks.iter().flat_map(|b| b.instructions.last()) {
            let Op::Return(value) = &instruction.op else {
                continue;
            };
            let ty = value.as_ref().map_or(&Type::Void, |v| &v.ty);
            if self.shape(ty) != self.shape(&function.ret) {
                let message = "this function returns another type";
                return Err(self.error_at(instruction.span, message));
            }
        }
        Ok(())
    }

    /// `declare`, from its word on.
    pub fn declare(&mut self) -> Parsed<()> {
        self.advance();
        let mut debug = None;
        while self.is(TokenKind::MetadataName) {
            debug = self.attachment()?.or(debug);
        }
        let mut function = self.head(false)?;
        function.debug = debug.or(function.debug);
        self.module.functions.push(function);
        Ok(())
    }

    fn head(&mut self, is_definition: bool) -> Parsed<Function> {
        let prefix = self.prefix()?;
        self.calling_convention()?;
        self.value_attributes(None)?;
        let ret = self.any_type()?;
        let name = self.expect(TokenKind::Global, "the name of a function")?;
        let span = self.span(name);
        let name = self.define_global(name)?;
        let (params, variadic) = self.parameters(is_definition)?;
        let debug = self.function_attributes(is_definition)?;
        Ok(Function {
            name,
            linkage: prefix.linkage.unwrap_or(Linkage::External),
            ret,
            params,
            variadic,
            blocks: Vec::new(),
            debug,
            span,
        })
    }

    fn parameters(&mut self, is_definition: bool) -> Parsed<Params> {
        self.expect_sign(b'(')?;
        let mut params: Vec<Param> = Vec::new();
        let mut variadic = false;
        while !self.eat_sign(b')') {
            if variadic {
                return Err(self.unexpected("`)`"));
            }
            if !params.is_empty() {
                self.expect(TokenKind::Sign(b','), "`,` or `)`")?;
            }
            if self.eat(TokenKind::Dots).is_some() {
                variadic = true;
                continue;
            }
            let start = self.peek().start;
            let ty = self.value_type()?;
            let span = self.span_from(start);
            let by_value = self.value_attributes(Some(&ty))?;
            let written = self.eat(TokenKind::Local);
            let name = match (written, &mut self.locals) {
                (Some(token), Some(_)) if is_definition => {
                    self.define_local(token, Local::Value)?.into_owned()
                }
                (None, Some(locals)) if is_definition => locals.unnamed(Local::Value).into_owned(),
                _ => String::new(),
            };
            params.push(Param {
                name,
                ty,
                by_value,
                span,
            });
        }
        Ok((params, variadic))
    }

    /// What follows the parameters of a function: the node of `!dbg`. A declaration has its attachments before its
    /// type: what follows it may be named metadata.
    fn function_attributes(&mut self, is_definition: bool) -> Parsed<Option<u64>> {
        let mut debug = None;
        loop {
            match self.peek().kind {
                TokenKind::AttributeGroup => drop(self.advance()),
                TokenKind::String => self.string_attribute()?,
                TokenKind::MetadataName if is_definition => debug = self.attachment()?.or(debug),
                TokenKind::Word => match self.word() {
                    "unnamed_addr" | "local_unnamed_addr" => drop(self.advance()),
                    "addrspace" => drop(self.address_space()?),
                    "section" | "partition" | "gc" => {
                        self.advance();
                        self.expect(TokenKind::String, "a name in quotes")?;
                    }
                    "comdat" => self.comdat()?,
                    "align" => drop(self.alignment()?),
                    "prefalign" => {
                        self.advance();
                        if !self.is_sign(b'(') {
                            return Err(self.unexpected("`(`"));
                        }
                        self.skip_balanced()?;
                    }
                    "prefix" | "prologue" | "personality" => {
                        self.advance();
                        self.typed_value()?;
                    }
                    _ if self.attribute()? => {}
                    // The next entity of the module begins here, or what is wrong is.
                    _ => return Ok(debug),
                },
                _ => return Ok(debug),
            }
        }
    }

    /// The blocks, to the closing brace.
    fn body(&mut self) -> Parsed<Vec<Block>> {
        let mut blocks = Vec::new();
        loop {
            match self.word() {
                "uselistorder" | "uselistorder_bb" => {
                    self.use_list_order()?;
                    continue;
                }
                _ if self.eat_sign(b'}') => return Ok(blocks),
                _ => blocks.push(self.block()?),
            }
        }
    }

    fn block(&mut self) -> Parsed<Block> {
        let first = self.peek();
        let label = match first.kind {
            TokenKind::Label | TokenKind::NumberedLabel => {
                self.advance();
                self.define_local(first, Local::Block)?
            }
            _ => self.locals.get_or_insert_default().unnamed(Local::Block),
        };
        let span = self.span(first);
        let mut instructions = Vec::new();
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::Sign(b'}') => {
                    return Err(self.error(token, "a function ends without a terminator"));
                }
                TokenKind::Label | TokenKind::NumberedLabel => {
                    let message = format!("the block `%{label}` ends without a terminator");
                    return Err(self.error(token, message));
                }
                TokenKind::End => return Err(self.unexpected("an instruction")),
                _ => {}
            }
            let (instruction, ends) = self.named_instruction()?;
            instructions.push(instruction);
            if ends {
                return Ok(Block {
                    label: label.into_owned(),
                    instructions,
                    span,
                });
            }
        }
    }

    /// An instruction with its result and its attachments; true of a terminator.
    fn named_instruction(&mut self) -> Parsed<(Instruction, bool)> {
        let start = self.peek();
        if start.kind == TokenKind::Hash {
            let (op, debug) = self.debug_record()?;
            let instruction = Instruction {
                result: None,
                op,
                debug,
                span: self.span_from(start.start),
            };
            return Ok((instruction, false));
        }
        let written = self.eat(TokenKind::Local);
        if written.is_some() {
            self.expect_sign(b'=')?;
        }
        let word = self.peek();
        let (mut op, yields) = self.instruction()?;
        let span = self.span_from(start.start);
        let result = match (written, yields.has_value()) {
            (Some(token), false) => {
                let (name, op) = (self.shown(token), self.shown(word));
                let message = format!("`{name}` names the value of `{op}`, which has none here");
                return Err(self.error(token, message));
            }
            (Some(token), true) => Some(self.define_local(token, Local::Value)?),
            (None, true) => {
                let locals = self.locals.get_or_insert_default();
                Some(locals.unnamed(Local::Value))
            }
            (None, false) => None,
        };
        let mut debug = None;
        while self.eat_sign(b',') {
            // Machines order such accesses less than others.
            if self.text(self.peek()) == "!nontemporal" {
                op = Op::Unsupported(format!("{} !nontemporal", self.shown(word)));
            }
            debug = self.attachment()?.or(debug);
        }
        let instruction = Instruction {
            result: result.map(|name| name.into_owned()),
            op,
            debug,
            span,
        };
        Ok((instruction, yields.ends()))
    }
}

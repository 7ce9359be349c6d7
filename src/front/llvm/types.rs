//! Types.

use super::ast::{FloatKind, FunctionType, Type};
use super::lex::TokenKind;
use super::parser::{MAX_DEPTH, Parser};
use base::diag::Diag;
use base::tokens::Parsed;
use std::collections::BTreeMap;

/// How many bits LLVM lets an integer have.
const MAX_BITS: u32 = 1 << 23;

/// The type of a pointer; one to other memory than all else has no values here.
fn pointer_to(space: u64, to: Option<Type>) -> Type {
    match space {
        0 => Type::Pointer(to.map(Box::new)),
        space => Type::Other(format!("ptr addrspace({space})")),
    }
}

impl Parser<'_> {
    /// True when the next token begins a type.
    pub fn begins_type(&self) -> bool {
        match self.peek().kind {
            TokenKind::Local | TokenKind::Sign(b'[' | b'{' | b'<') => true,
            TokenKind::Word => {
                matches!(self.word(), "ptr" | "target") || simple(self.word()).is_some()
            }
            _ => false,
        }
    }

    /// Reads a type that values have: not `void`.
    pub fn value_type(&mut self) -> Parsed<Type> {
        let token = self.peek();
        match self.any_type()? {
            Type::Void => Err(self.error(token, "only functions have the type `void`")),
            ty => Ok(ty),
        }
    }

    /// Reads a type, possibly `void`.
    pub fn any_type(&mut self) -> Parsed<Type> {
        Ok(self.type_and_height()?.0)
    }

    /// A type, and how deep it nests: neither its text nor its tree may be too deep for recursion.
    fn type_and_height(&mut self) -> Parsed<(Type, usize)> {
        let start = self.peek();
        let (mut ty, mut height) = self.nested(Self::base_type)?;
        let mut space = 0;
        loop {
            let is_pointer = match self.peek().kind {
                TokenKind::Sign(b'*') => true,
                TokenKind::Sign(b'(') => false,
                TokenKind::Word if self.word() == "addrspace" => {
                    space = self.address_space()?;
                    // `ptr addrspace(1)`
                    if ty == Type::Pointer(None) && height == 0 && !self.is_sign(b'*') {
                        ty = pointer_to(space, None);
                        space = 0;
                        continue;
                    }
                    true
                }
                _ => return Ok((ty, height)),
            };
            if is_pointer {
                self.expect_sign(b'*')?;
                if matches!(ty, Type::Void | Type::Label | Type::Metadata) {
                    let message = format!("there is no pointer to `{}`", self.shown(start));
                    return Err(self.error(start, message));
                }
                ty = pointer_to(space, Some(ty));
                space = 0;
            } else {
                let (params, variadic, deepest) = self.nested(Self::parameter_types)?;
                height = height.max(deepest);
                ty = Type::Function(Box::new(FunctionType {
                    ret: ty,
                    params,
                    variadic,
                }));
            }
            height += 1;
            if height > MAX_DEPTH {
                return Err(self.too_deep());
            }
        }
    }

    /// The type of an element of another one.
    fn element(&mut self) -> Parsed<(Type, usize)> {
        let token = self.peek();
        let (ty, height) = self.type_and_height()?;
        if ty == Type::Void {
            return Err(self.error(token, "only functions have the type `void`"));
        }
        if height >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        Ok((ty, height))
    }

    fn base_type(&mut self) -> Parsed<(Type, usize)> {
        match self.peek().kind {
            TokenKind::Local => {
                let token = self.advance();
                let name = self.name(token);
                let place = self.span(token);
                self.names.type_uses.entry(name.clone()).or_insert(place);
                Ok((Type::Named(name.into_owned()), 0))
            }
            TokenKind::Sign(b'[') => {
                self.advance();
                let (count, element, height) = self.counted()?;
                self.expect_sign(b']')?;
                Ok((Type::Array(count, Box::new(element)), height + 1))
            }
            TokenKind::Sign(b'{') => {
                self.advance();
                self.structure(false)
            }
            TokenKind::Sign(b'<') => {
                self.advance();
                if self.eat_sign(b'{') {
                    let structure = self.structure(true)?;
                    self.expect_sign(b'>')?;
                    return Ok(structure);
                }
                if self.eat_word("vscale") {
                    self.expect_word("x")?;
                }
                let (count, element, height) = self.counted()?;
                self.expect_sign(b'>')?;
                Ok((Type::Vector(count, Box::new(element)), height + 1))
            }
            TokenKind::Word => self.named_type(),
            _ => Err(self.unexpected("a type")),
        }
    }

    fn named_type(&mut self) -> Parsed<(Type, usize)> {
        let token = self.peek();
        let word = self.word();
        if word == "target" {
            self.advance();
            if !self.is_sign(b'(') {
                return Err(self.unexpected("`(`"));
            }
            self.skip_balanced()?;
            return Ok((Type::Other(self.text_from(token.start).to_string()), 0));
        }
        let Some(ty) = simple(word) else {
            return Err(self.unexpected("a type"));
        };
        if matches!(ty, Type::Int(bits) if !(1..=MAX_BITS).contains(&bits)) {
            let message = format!("an integer has from 1 to {MAX_BITS} bits");
            return Err(self.error(token, message));
        }
        self.advance();
        if word == "ptr" && self.is_sign(b'*') {
            return Err(self.unexpected("no `*` behind `ptr`"));
        }
        Ok((ty, 0))
    }

    /// `n x T`
    fn counted(&mut self) -> Parsed<(u64, Type, usize)> {
        let count = self.unsigned("a number of elements")?;
        self.expect_word("x")?;
        let (element, height) = self.element()?;
        Ok((count, element, height))
    }

    /// The members of a structure behind its opening brace.
    fn structure(&mut self, packed: bool) -> Parsed<(Type, usize)> {
        let mut fields = Vec::new();
        let mut deepest = 0;
        while !self.eat_sign(b'}') {
            if !fields.is_empty() {
                self.expect_sign(b',')?;
            }
            let (field, height) = self.element()?;
            deepest = deepest.max(height);
            fields.push(field);
        }
        Ok((Type::Struct { packed, fields }, deepest + 1))
    }

    /// The parameters of the type of a function, in parentheses.
    fn parameter_types(&mut self) -> Parsed<(Vec<Type>, bool, usize)> {
        self.expect_sign(b'(')?;
        let mut params = Vec::new();
        let mut deepest = 0;
        let mut variadic = false;
        while !self.eat_sign(b')') {
            if variadic {
                return Err(self.unexpected("`)`"));
            }
            if !params.is_empty() {
                self.expect_sign(b',')?;
            }
            if self.eat(TokenKind::Dots).is_some() {
                variadic = true;
                continue;
            }
            let (param, height) = self.element()?;
            deepest = deepest.max(height);
            params.push(param);
        }
        Ok((params, variadic, deepest))
    }

    /// The type that a name stands for, as far as it is defined; other types are themselves.
    pub fn shape<'t>(&'t self, mut ty: &'t Type) -> &'t Type {
        while let Type::Named(name) = ty {
            match self.module.types.get(name) {
                Some(Some(definition)) => ty = definition,
                _ => return ty,
            }
        }
        ty
    }

    /// The error of a type that has itself by value, or that nests too deep through names.
    pub fn recursive_type(&self) -> Option<Diag> {
        let types = &self.module.types;
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        let mut pending: Vec<(&str, &Type)> = Vec::new();
        for (name, ty) in types {
            match ty {
                Some(ty) => pending.push((name, ty)),
                None => drop(known.insert(name, 0)),
            }
        }
        // Every pass knows the types of one more level.
        for _ in 0..=MAX_DEPTH {
            let before = pending.len();
            pending.retain(|(name, ty)| match depth(ty, &known) {
                Some(depth) if depth <= MAX_DEPTH => {
                    known.insert(name, depth);
                    false
                }
                _ => true,
            });
            if pending.len() == before {
                break;
            }
        }
        let (name, _) = pending.first()?;
        let message = format!(
            "the type `%{name}` has itself as a part, or parts nested more than {MAX_DEPTH} levels deep"
        );
        match self.names.type_uses.get(*name) {
            Some(place) => Some(Diag::error(*place, message)),
            None => Some(Diag::error(self.module.span, message)),
        }
    }

    /// Reads `addrspace(n)`, where it is next. Of the symbolic spaces of later versions the number is 0.
    pub fn address_space(&mut self) -> Parsed<u64> {
        if !self.eat_word("addrspace") {
            return Ok(0);
        }
        self.expect_sign(b'(')?;
        let space = match self.eat(TokenKind::String) {
            Some(_) => 0,
            None => self.unsigned("the number of an address space")?,
        };
        self.expect_sign(b')')?;
        Ok(space)
    }
}

/// How deep a type nests by value, where the depth of every name that it has by value is known.
fn depth(ty: &Type, known: &BTreeMap<&str, usize>) -> Option<usize> {
    match ty {
        Type::Named(name) => known.get(name.as_str()).copied(),
        Type::Array(_, element) | Type::Vector(_, element) => Some(depth(element, known)? + 1),
        Type::Struct { fields, .. } => {
            let mut deepest = 0;
            for field in fields {
                deepest = deepest.max(depth(field, known)?);
            }
            Some(deepest + 1)
        }
        _ => Some(0),
    }
}

/// The types that are one word.
fn simple(word: &str) -> Option<Type> {
    Some(match word {
        "void" => Type::Void,
        "ptr" => Type::Pointer(None),
        "half" => Type::Float(FloatKind::Half),
        "bfloat" => Type::Float(FloatKind::BFloat),
        "float" => Type::Float(FloatKind::Float),
        "double" => Type::Float(FloatKind::Double),
        "x86_fp80" => Type::Float(FloatKind::X86Fp80),
        "fp128" => Type::Float(FloatKind::Fp128),
        "ppc_fp128" => Type::Float(FloatKind::PpcFp128),
        "label" => Type::Label,
        "metadata" => Type::Metadata,
        "token" => Type::Token,
        "x86_mmx" | "x86_amx" => Type::Other(word.to_string()),
        _ => {
            let bits = word.strip_prefix('i')?;
            if bits.is_empty() || !bits.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            // What is too large for the machine is too large for LLVM.
            Type::Int(bits.parse().unwrap_or(0))
        }
    })
}

//! Declarations: specifiers are counted, declarators turned inside out.

use super::Adapter;
use crate::front::c::ast::*;
use crate::front::c::rewrite::{ALIGNAS, PACK, original_name};
use base::diag::Diag;
use base::source::Span;
use lang_c::ast as lc;
use lang_c::span::Node;

/// Attributes that lay a type out in a way that is not supported.
const UNSUPPORTED_LAYOUTS: [(&str, &str); 5] = [
    (
        "scalar_storage_order",
        "the attribute `scalar_storage_order`",
    ),
    ("ms_struct", "the attribute `ms_struct`"),
    ("hardbool", "the attribute `hardbool`"),
    ("address_space", "the attribute `address_space`"),
    ("randomize_layout", "the attribute `randomize_layout`"),
];

/// What a list of specifiers adds up to.
#[derive(Default)]
struct Counted {
    unsigned: bool,
    signed: bool,
    char: bool,
    short: bool,
    int: bool,
    long: u8,
    float: Option<u8>,
    complex: bool,
    qualifiers: Qualifiers,
    kind: Option<TypeSpecKind>,
    /// From attributes that stand among the specifiers: of what is declared.
    said: Said,
    /// From those right behind the closing brace of a type: of the type.
    of_type: Said,
    /// The specifier before ended with a closing brace, or with an attribute behind one.
    behind_body: bool,
    transparent: bool,
}

/// What attributes say of something that is declared.
#[derive(Clone, Default)]
struct Said {
    derived: Vec<Derived>,
    layout: MemberLayout,
    /// From `#pragma pack`.
    pack: Option<u8>,
}

impl Said {
    /// The steps of a type name or parameter, which has no declaration to keep an alignment in.
    fn steps(self) -> Vec<Derived> {
        let aligned = self.layout.align.into_iter().map(Derived::Aligned);
        self.derived.into_iter().chain(aligned).collect()
    }
}

impl Counted {
    fn finish(self, span: Span) -> TypeSpec {
        let int = |signed, unsigned| {
            let kind = if self.unsigned { unsigned } else { signed };
            TypeSpecKind::Int(kind)
        };
        let kind = match self {
            _ if self.complex => {
                let plain = !(self.char || self.short || self.int || self.long > 0);
                let part = match (self.float, self.long) {
                    (Some(8), 1..) => Some(16),
                    (Some(bytes), _) => Some(bytes.into()),
                    // `_Complex` alone is one of `double`; of integers GNU C has them.
                    (None, _) => (plain && !self.signed && !self.unsigned).then_some(8),
                };
                let space = part.map(|align: u64| Space {
                    size: 2 * align,
                    align,
                });
                TypeSpecKind::Unsupported("a complex number", space)
            }
            Counted {
                kind: Some(kind), ..
            } => kind,
            Counted {
                float: Some(8),
                long: 1..,
                ..
            } => TypeSpecKind::Float(16),
            Counted {
                float: Some(bytes), ..
            } => TypeSpecKind::Float(bytes),
            _ if self.char && self.signed => TypeSpecKind::Int(IntKind::SChar),
            _ if self.char => int(IntKind::Char, IntKind::UChar),
            _ if self.short => int(IntKind::Short, IntKind::UShort),
            _ if self.long == 1 => int(IntKind::Long, IntKind::ULong),
            _ if self.long > 1 => int(IntKind::LongLong, IntKind::ULongLong),
            _ => int(IntKind::Int, IntKind::UInt),
        };
        TypeSpec {
            kind,
            qualifiers: self.qualifiers,
            span,
        }
    }
}

/// A declarator: its name, the steps around it from the base type outwards, and what attributes say
/// of its place.
type Flat = (Option<Ident>, Vec<Derived>, MemberLayout);

impl Adapter<'_> {
    pub(super) fn declaration(&mut self, d: &Node<lc::Declaration>) -> Declaration {
        let span = self.span(d.span);
        let (storage, base, extra) = self.specifiers(&d.node.specifiers, span);
        let mut declarators = Vec::new();
        for init in &d.node.declarators {
            let (name, mut derived, mut layout) = self.declarator(&init.node.declarator);
            derived.splice(0..0, extra.derived.iter().cloned());
            layout
                .align
                .splice(0..0, extra.layout.align.iter().cloned());
            let Some(name) = name else { continue };
            let align = layout.align;
            let init = init.node.initializer.as_ref().map(|i| self.init(i));
            declarators.push(InitDeclarator {
                name,
                derived,
                align,
                init,
            });
        }
        Declaration {
            span,
            storage,
            base,
            declarators,
        }
    }

    pub(super) fn function(&mut self, f: &Node<lc::FunctionDefinition>) -> Function {
        let span = self.span(f.span);
        let (storage, base, extra) = self.specifiers(&f.node.specifiers, span);
        let (name, mut derived, layout) = self.declarator(&f.node.declarator);
        derived.splice(0..0, extra.derived);
        let align = extra.layout.align.iter().chain(&layout.align);
        if let Some(alignas) = align.into_iter().find(|a| a.alignas) {
            let message = "`_Alignas` is for objects, not for functions";
            self.errors.push(Diag::error(alignas.span, message));
        }
        self.old_style(&f.node, &mut derived);
        let body = match &f.node.statement.node {
            lc::Statement::Compound(items) => self.block(items),
            _ => vec![BlockItem::Stmt(self.stmt(&f.node.statement))],
        };
        let head = Span {
            end: self.span(f.node.declarator.span).end.max(span.start),
            ..span
        };
        let name = name.unwrap_or(Ident {
            name: String::new(),
            span,
        });
        Function {
            name,
            head,
            storage,
            base,
            derived,
            old_style: !f.node.declarations.is_empty() || is_old_style(&f.node.declarator.node),
            body,
            span,
        }
    }

    /// Gives the parameters of an old-style definition the types declared after their list.
    fn old_style(&mut self, f: &lc::FunctionDefinition, derived: &mut [Derived]) {
        if f.declarations.is_empty() {
            return;
        }
        let mut declared = Vec::new();
        for d in &f.declarations {
            let d = self.declaration(d);
            let one = |i: InitDeclarator| (i.name.name.clone(), d.base.clone(), i.derived);
            declared.extend(d.declarators.clone().into_iter().map(one));
        }
        let Some(Derived::Function { params, .. }) = derived.last_mut() else {
            return;
        };
        for param in params {
            let name = param.name.as_ref().map(|n| n.name.as_str());
            if let Some((_, base, derived)) =
                declared.iter().find(|(n, ..)| Some(n.as_str()) == name)
            {
                param.base = base.clone();
                param.derived = derived.clone();
            }
        }
    }

    fn specifiers(
        &mut self,
        list: &[Node<lc::DeclarationSpecifier>],
        whole: Span,
    ) -> (Storage, TypeSpec, Said) {
        let mut storage = Storage::default();
        let mut counted = Counted::default();
        for s in list {
            let extension = matches!(s.node, lc::DeclarationSpecifier::Extension(_));
            counted.behind_body &= extension;
            match &s.node {
                lc::DeclarationSpecifier::StorageClass(c) => match c.node {
                    lc::StorageClassSpecifier::Typedef => storage.typedef = true,
                    lc::StorageClassSpecifier::Extern => storage.external = true,
                    lc::StorageClassSpecifier::Static => storage.internal = true,
                    lc::StorageClassSpecifier::ThreadLocal => storage.thread_local = true,
                    lc::StorageClassSpecifier::Auto | lc::StorageClassSpecifier::Register => {}
                },
                lc::DeclarationSpecifier::TypeSpecifier(t) => self.count(&mut counted, t),
                lc::DeclarationSpecifier::TypeQualifier(q) => qualify(&mut counted.qualifiers, q),
                lc::DeclarationSpecifier::Function(f) => {
                    storage.inline |= f.node == lc::FunctionSpecifier::Inline;
                }
                // The text has none: they are attributes by now.
                lc::DeclarationSpecifier::Alignment(_) => {}
                lc::DeclarationSpecifier::Extension(e) => self.extensions(&mut counted, e),
            }
        }
        let span = match (list.first(), list.last()) {
            (Some(a), Some(b)) => self.span(a.span).to(self.span(b.span)),
            _ => Span {
                end: whole.start,
                ..whole
            },
        };
        let said = std::mem::take(&mut counted.said);
        (storage, finish_type(counted, span), said)
    }

    fn spec_quals(
        &mut self,
        list: &[Node<lc::SpecifierQualifier>],
        whole: Span,
    ) -> (TypeSpec, Said) {
        let mut counted = Counted::default();
        for s in list {
            counted.behind_body &= matches!(s.node, lc::SpecifierQualifier::Extension(_));
            match &s.node {
                lc::SpecifierQualifier::TypeSpecifier(t) => self.count(&mut counted, t),
                lc::SpecifierQualifier::TypeQualifier(q) => qualify(&mut counted.qualifiers, q),
                lc::SpecifierQualifier::Extension(e) => self.extensions(&mut counted, e),
            }
        }
        let said = std::mem::take(&mut counted.said);
        (finish_type(counted, whole), said)
    }

    fn count(&mut self, counted: &mut Counted, t: &Node<lc::TypeSpecifier>) {
        use lc::TypeSpecifier as T;
        match &t.node {
            T::Void => counted.kind = Some(TypeSpecKind::Void),
            T::Char => counted.char = true,
            T::Short => counted.short = true,
            T::Int => counted.int = true,
            T::Long => counted.long += 1,
            T::Float => counted.float = Some(4),
            T::Double => counted.float = Some(8),
            T::Signed => counted.signed = true,
            T::Unsigned => counted.unsigned = true,
            T::Bool => counted.kind = Some(TypeSpecKind::Bool),
            T::Complex => counted.complex = true,
            T::Atomic(ty) => {
                counted.kind = Some(TypeSpecKind::TypeofType(Box::new(self.type_name(ty))));
                counted.qualifiers.atomic = true;
            }
            T::Struct(s) => {
                counted.behind_body = s.node.declarations.is_some();
                counted.kind = Some(TypeSpecKind::Record(Box::new(self.record(&s.node))))
            }
            T::Enum(e) => {
                counted.behind_body = !e.node.enumerators.is_empty();
                counted.kind = Some(TypeSpecKind::Enum(Box::new(self.enumeration(&e.node))))
            }
            T::TypedefName(id) => counted.kind = Some(named(&id.node.name)),
            T::TypeOf(t) => {
                counted.kind = Some(match &t.node {
                    lc::TypeOf::Expression(e) => TypeSpecKind::TypeofExpr(Box::new(self.expr(e))),
                    lc::TypeOf::Type(t) => TypeSpecKind::TypeofType(Box::new(self.type_name(t))),
                });
            }
            T::TS18661Float(f) => match float_of_width(f) {
                TypeSpecKind::Float(bytes) => counted.float = Some(bytes),
                other => counted.kind = Some(other),
            },
        }
    }

    /// Attributes among the specifiers: of the type, right behind its closing brace, else of what is
    /// declared.
    fn extensions(&mut self, counted: &mut Counted, list: &[Node<lc::Extension>]) {
        for e in list {
            let lc::Extension::Attribute(a) = &e.node else {
                continue;
            };
            counted.transparent |= a.name.node.trim_matches('_') == "transparent_union";
            let of_type = counted.behind_body && a.name.node != ALIGNAS;
            let said = match of_type {
                true => &mut counted.of_type,
                false => &mut counted.said,
            };
            self.attribute(a, self.span(e.span), said);
        }
    }

    /// What a list of attributes says.
    fn attributes(&mut self, list: &[Node<lc::Extension>]) -> Said {
        let mut said = Said::default();
        for e in list {
            match &e.node {
                lc::Extension::Attribute(a) => self.attribute(a, self.span(e.span), &mut said),
                lc::Extension::AsmLabel(name) => {
                    let rule = LinkerRule::Symbol(super::text(name));
                    said.derived.push(Derived::Linker(rule));
                }
                lc::Extension::AvailabilityAttribute(_) => {}
            }
        }
        said
    }

    fn record(&mut self, s: &lc::StructType) -> RecordSpec {
        let fields = s.declarations.as_ref().map(|list| {
            let fields = list.iter().filter_map(|d| match &d.node {
                lc::StructDeclaration::Field(f) => Some(self.field(f)),
                lc::StructDeclaration::StaticAssert(_) => None,
            });
            fields.collect()
        });
        RecordSpec {
            union: s.kind.node == lc::StructKind::Union,
            tag: s.identifier.as_ref().map(|id| original_name(&id.node.name)),
            fields,
            packed: false,
            transparent: false,
            align: Vec::new(),
            pack: None,
            unsupported: None,
        }
    }

    fn field(&mut self, f: &Node<lc::StructField>) -> FieldDecl {
        let span = self.span(f.span);
        let (base, extra) = self.spec_quals(&f.node.specifiers, span);
        let mut fields = Vec::new();
        for d in &f.node.declarators {
            let (name, mut derived, mut layout) = match &d.node.declarator {
                Some(d) => self.declarator(d),
                None => Flat::default(),
            };
            derived.splice(0..0, extra.derived.iter().cloned());
            layout.extend(extra.layout.clone());
            let bits = d.node.bit_width.as_ref().map(|e| self.boxed(e));
            fields.push(FieldSpec {
                name,
                derived,
                bits,
                layout,
            });
        }
        FieldDecl {
            base,
            fields,
            anonymous: extra.layout,
            span,
        }
    }

    fn enumeration(&mut self, e: &lc::EnumType) -> EnumSpec {
        let item = |this: &mut Self, i: &Node<lc::Enumerator>| {
            (
                this.ident(&i.node.identifier),
                i.node.expression.as_ref().map(|e| this.expr(e)),
            )
        };
        EnumSpec {
            tag: e.identifier.as_ref().map(|id| original_name(&id.node.name)),
            items: e.enumerators.iter().map(|i| item(self, i)).collect(),
            packed: false,
            mode: None,
        }
    }

    /// Pointers come first and in order, then arrays and parameters from the last to the first,
    /// then what the parenthesised declarator adds.
    fn declarator(&mut self, d: &Node<lc::Declarator>) -> Flat {
        let mut pointers = Vec::new();
        let mut suffixes = Vec::new();
        let mut layout = MemberLayout::default();
        for (i, step) in d.node.derived.iter().enumerate() {
            match &step.node {
                lc::DerivedDeclarator::Pointer(quals) => {
                    let mut qualifiers = Qualifiers::default();
                    let mut said = Said::default();
                    for q in quals {
                        match &q.node {
                            lc::PointerQualifier::TypeQualifier(q) => qualify(&mut qualifiers, q),
                            lc::PointerQualifier::Extension(list) => said = self.attributes(list),
                        }
                    }
                    pointers.push(Derived::Pointer(qualifiers));
                    // Right before the name it is an attribute of what is declared.
                    let named = matches!(d.node.kind.node, lc::DeclaratorKind::Identifier(_));
                    if named && i + 1 == d.node.derived.len() {
                        layout.extend(std::mem::take(&mut said.layout));
                    }
                    pointers.extend(said.steps());
                }
                lc::DerivedDeclarator::Block(_) => {
                    pointers.push(Derived::Unsupported("a block pointer", None))
                }
                lc::DerivedDeclarator::Array(a) => suffixes.push(match &a.node.size {
                    lc::ArraySize::Unknown => Derived::Array { size: None },
                    lc::ArraySize::VariableUnknown => Derived::Array { size: None },
                    lc::ArraySize::VariableExpression(e) | lc::ArraySize::StaticExpression(e) => {
                        Derived::Array {
                            size: Some(self.boxed(e)),
                        }
                    }
                }),
                lc::DerivedDeclarator::Function(f) => suffixes.push(self.parameters(&f.node)),
                lc::DerivedDeclarator::KRFunction(names) => {
                    let int = |span| TypeSpec {
                        kind: TypeSpecKind::Int(IntKind::Int),
                        qualifiers: Qualifiers::default(),
                        span,
                    };
                    let param = |id: &Node<lc::Identifier>| {
                        let name = self.ident(id);
                        Param {
                            base: int(name.span),
                            span: name.span,
                            name: Some(name),
                            derived: Vec::new(),
                        }
                    };
                    suffixes.push(Derived::Function {
                        params: names.iter().map(param).collect(),
                        variadic: true,
                    });
                }
            }
        }
        suffixes.reverse();
        pointers.extend(suffixes);
        let said = self.attributes(&d.node.extensions);
        pointers.extend(said.derived);
        layout.extend(said.layout);
        match &d.node.kind.node {
            lc::DeclaratorKind::Abstract => (None, pointers, layout),
            lc::DeclaratorKind::Identifier(id) => (Some(self.ident(id)), pointers, layout),
            lc::DeclaratorKind::Declarator(inner) => {
                let (name, more, inner) = self.declarator(inner);
                pointers.extend(more);
                layout.extend(inner);
                (name, pointers, layout)
            }
        }
    }

    fn parameters(&mut self, f: &lc::FunctionDeclarator) -> Derived {
        let mut params = Vec::new();
        for p in &f.parameters {
            let span = self.span(p.span);
            let (_, base, extra) = self.specifiers(&p.node.specifiers, span);
            let (name, mut derived, layout) = match &p.node.declarator {
                Some(d) => self.declarator(d),
                None => Flat::default(),
            };
            derived.splice(0..0, extra.steps());
            derived.extend(layout.align.into_iter().map(Derived::Aligned));
            params.push(Param {
                name,
                base,
                derived,
                span,
            });
        }
        let only_void = matches!(&params[..], [p] if p.base.kind == TypeSpecKind::Void && p.derived.is_empty() && p.name.is_none());
        let variadic = f.ellipsis == lc::Ellipsis::Some || params.is_empty();
        if only_void {
            params.clear();
        }
        Derived::Function { params, variadic }
    }

    pub(super) fn type_name(&mut self, t: &Node<lc::TypeName>) -> TypeName {
        let span = self.span(t.span);
        let (base, extra) = self.spec_quals(&t.node.specifiers, span);
        let mut derived = extra.steps();
        if let Some(d) = &t.node.declarator {
            let (_, steps, layout) = self.declarator(d);
            derived.extend(steps);
            derived.extend(layout.align.into_iter().map(Derived::Aligned));
        }
        TypeName {
            base,
            derived,
            span,
        }
    }

    /// Adds what an attribute says.
    fn attribute(&mut self, a: &lc::Attribute, span: Span, said: &mut Said) {
        let name = a.name.node.as_str();
        if let Some(limit) = name.strip_prefix(PACK) {
            said.pack = limit.parse().ok();
            return;
        }
        let step = match name.trim_matches('_') {
            "packed" => {
                said.layout.packed = true;
                None
            }
            "aligned" => {
                let bytes = a.arguments.first().map(|e| self.boxed(e));
                said.layout.align.push(Alignment {
                    amount: bytes.map_or(AlignmentAmount::Largest, AlignmentAmount::Bytes),
                    alignas: false,
                    span,
                });
                None
            }
            _ if name == ALIGNAS => {
                said.layout.align.extend(self.alignas(a, span));
                None
            }
            "vector_size" => Some(Derived::Unsupported("a vector type", self.vector_space(a))),
            "ext_vector_type"
            | "altivec"
            | "neon_vector_type"
            | "neon_polyvector_type"
            | "arm_sve_vector_bits"
            | "riscv_rvv_vector_bits" => Some(Derived::Unsupported("a vector type", None)),
            "scalar_storage_order" if self.is_little_endian(a) => None,
            other => match UNSUPPORTED_LAYOUTS.iter().find(|(name, _)| *name == other) {
                Some((_, what)) => Some(Derived::Unsupported(what, None)),
                None => self.step(other, a),
            },
        };
        said.derived.extend(step);
    }

    /// `scalar_storage_order("little-endian")`: what every machine here has.
    fn is_little_endian(&mut self, a: &lc::Attribute) -> bool {
        let argument = a.arguments.first().map(|e| self.expr(e).kind);
        matches!(argument, Some(ExprKind::Str(order)) if order == b"little-endian")
    }

    /// The size of a vector, where it is written as a number.
    fn vector_space(&mut self, a: &lc::Attribute) -> Option<Space> {
        match self.expr(a.arguments.first()?).kind {
            ExprKind::Int(bytes, _) => Space::natural(bytes),
            _ => None,
        }
    }

    /// The argument of `_Alignas`, which stands in a `sizeof`.
    fn alignas(&mut self, a: &lc::Attribute, span: Span) -> Option<Alignment> {
        let amount = match &a.arguments.first()?.node {
            lc::Expression::SizeOfTy(s) => {
                AlignmentAmount::Like(Box::new(self.type_name(&s.node.0)))
            }
            lc::Expression::SizeOfVal(s) => AlignmentAmount::Bytes(self.boxed(&s.node.0)),
            _ => return None,
        };
        Some(Alignment {
            amount,
            alignas: true,
            span,
        })
    }

    /// What an attribute that says nothing of a place adds to a declarator.
    fn step(&mut self, name: &str, a: &lc::Attribute) -> Option<Derived> {
        match name {
            "cleanup" => match a.arguments.first().map(|e| &e.node) {
                Some(lc::Expression::Identifier(id)) => Some(Derived::Cleanup(self.ident(id))),
                _ => Some(Derived::Unsupported("this attribute `cleanup`", None)),
            },
            "constructor" => Some(Derived::Constructor(self.priority(a))),
            "destructor" => Some(Derived::Destructor(self.priority(a))),
            "transparent_union" => Some(Derived::TransparentUnion),
            "weak" => Some(Derived::Linker(LinkerRule::Weak)),
            "weakref" => Some(Derived::Linker(LinkerRule::WeakReference(self.symbol(a)))),
            "alias" => Some(match self.symbol(a) {
                Some(symbol) => Derived::Linker(LinkerRule::Alias(symbol)),
                None => Derived::Unsupported("this attribute `alias`", None),
            }),
            "ifunc" => Some(Derived::Unsupported("the attribute `ifunc`", None)),
            "gnu_inline" => Some(Derived::Linker(LinkerRule::GnuInline)),
            "mode" => {
                let name = a.arguments.first().and_then(|e| match &e.node {
                    lc::Expression::Identifier(id) => {
                        Some(id.node.name.trim_matches('_').to_string())
                    }
                    _ => None,
                });
                match name.as_deref() {
                    Some("QI" | "byte") => Some(Derived::Mode(8)),
                    Some("HI") => Some(Derived::Mode(16)),
                    Some("SI") => Some(Derived::Mode(32)),
                    Some("DI") => Some(Derived::Mode(64)),
                    Some("word" | "pointer") => Some(Derived::Mode(self.pointer_width)),
                    Some("TI") if self.pointer_width == 64 => Some(Derived::Mode(128)),
                    _ => Some(Derived::Unsupported("an unknown attribute `mode`", None)),
                }
            }
            _ => None,
        }
    }

    /// The name that an attribute gives to the linker.
    fn symbol(&self, a: &lc::Attribute) -> Option<String> {
        match &a.arguments.first()?.node {
            lc::Expression::StringLiteral(name) => Some(super::text(name)),
            _ => None,
        }
    }

    fn priority(&mut self, a: &lc::Attribute) -> Option<Box<Expr>> {
        a.arguments.first().map(|e| self.boxed(e))
    }

    fn init(&mut self, i: &Node<lc::Initializer>) -> Init {
        match &i.node {
            lc::Initializer::Expression(e) => Init::Expr(self.expr(e)),
            lc::Initializer::List(items) => Init::List(self.init_items(items), self.span(i.span)),
        }
    }

    pub(super) fn init_items(&mut self, items: &[Node<lc::InitializerListItem>]) -> Vec<InitItem> {
        let mut out = Vec::new();
        for item in items {
            let designators = item.node.designation.iter().map(|d| match &d.node {
                lc::Designator::Index(e) => Designator::Index(self.expr(e)),
                lc::Designator::Member(id) => Designator::Member(self.ident(id)),
                lc::Designator::Range(r) => {
                    Designator::Range(self.expr(&r.node.from), self.expr(&r.node.to))
                }
            });
            let designators = designators.collect();
            out.push(InitItem {
                designators,
                init: self.init(&item.node.initializer),
            });
        }
        out
    }
}

/// Whether a declarator has a list of names alone for its parameters.
fn is_old_style(d: &lc::Declarator) -> bool {
    let mut steps = d.derived.iter();
    steps.any(|s| matches!(s.node, lc::DerivedDeclarator::KRFunction(_)))
}

fn qualify(qualifiers: &mut Qualifiers, q: &Node<lc::TypeQualifier>) {
    match q.node {
        lc::TypeQualifier::Atomic => qualifiers.atomic = true,
        lc::TypeQualifier::Volatile => qualifiers.volatile = true,
        lc::TypeQualifier::Const => qualifiers.constant = true,
        _ => {}
    }
}

/// Gives a type what the attributes behind its closing brace say. Of one that has no brace only a
/// transparent union is left: compilers ignore `packed` there.
fn finish_type(counted: Counted, span: Span) -> TypeSpec {
    let (of_type, transparent) = (counted.of_type.clone(), counted.transparent);
    let mut spec = counted.finish(span);
    match &mut spec.kind {
        TypeSpecKind::Record(r) => {
            r.packed |= of_type.layout.packed;
            r.transparent |= transparent;
            r.align = of_type.layout.align;
            r.pack = of_type.pack;
            r.unsupported = of_type.derived.iter().find_map(|d| match d {
                Derived::Unsupported(what, _) => Some(*what),
                _ => None,
            });
        }
        // Compilers give an enumeration no other alignment than that of its integer.
        TypeSpecKind::Enum(e) => {
            e.packed = of_type.layout.packed;
            e.mode = of_type.derived.iter().find_map(|d| match d {
                Derived::Mode(bits) => Some(*bits),
                _ => None,
            });
        }
        _ => {}
    }
    spec
}

/// `_Float32` and its relatives.
fn float_of_width(f: &lc::TS18661FloatType) -> TypeSpecKind {
    use lc::TS18661FloatFormat as Format;
    let bytes = match f.format {
        // One that is longer than the format that its number names.
        Format::BinaryExtended => f.width as u64 / 4,
        _ => f.width as u64 / 8,
    };
    match (&f.format, bytes) {
        (Format::BinaryInterchange | Format::BinaryExtended, 4 | 8 | 16) => {
            TypeSpecKind::Float(bytes as u8)
        }
        (Format::BinaryInterchange | Format::BinaryExtended, _) => {
            TypeSpecKind::Unsupported("a floating-point type of this width", Space::natural(bytes))
        }
        _ => TypeSpecKind::Unsupported("a decimal floating-point type", Space::natural(bytes)),
    }
}

/// Names that [`crate::front::c::rewrite`] declares for the parser.
fn named(name: &str) -> TypeSpecKind {
    match name {
        "__auto_type" => TypeSpecKind::Auto,
        "__int128" | "__int128_t" => TypeSpecKind::Int128 { signed: true },
        "__uint128_t" => TypeSpecKind::Int128 { signed: false },
        "__float128" => TypeSpecKind::Float(16),
        "__bf16" => TypeSpecKind::Unsupported("`__bf16`", Space::natural(2)),
        "__builtin_va_list" => TypeSpecKind::VaList,
        "__CPROVER_bool" => TypeSpecKind::Bool,
        _ => TypeSpecKind::Named(original_name(name)),
    }
}

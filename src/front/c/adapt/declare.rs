//! Declarations: specifiers are counted, declarators turned inside out.

use super::Adapter;
use crate::base::source::Span;
use crate::front::c::ast::*;
use crate::front::c::rewrite::original_name;
use lang_c::ast as lc;
use lang_c::span::Node;

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
    /// From `__attribute__((mode(…)))` and others that stand among the specifiers.
    derived: Vec<Derived>,
    packed: bool,
    transparent: bool,
}

impl Counted {
    fn finish(self, span: Span) -> TypeSpec {
        let int = |signed, unsigned| {
            let kind = if self.unsigned { unsigned } else { signed };
            TypeSpecKind::Int(kind)
        };
        let kind = match self {
            _ if self.complex => TypeSpecKind::Unsupported("a complex number"),
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

/// Steps around a name, from the base type outwards, and the name.
type Flat = (Option<Ident>, Vec<Derived>);

impl Adapter<'_> {
    pub(super) fn declaration(&mut self, d: &Node<lc::Declaration>) -> Declaration {
        let span = self.span(d.span);
        let (storage, base, extra) = self.specifiers(&d.node.specifiers, span);
        let mut declarators = Vec::new();
        for init in &d.node.declarators {
            let (name, mut derived) = self.declarator(&init.node.declarator);
            derived.splice(0..0, extra.iter().cloned());
            let Some(name) = name else { continue };
            let init = init.node.initializer.as_ref().map(|i| self.init(i));
            declarators.push(InitDeclarator {
                name,
                derived,
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
        let (name, mut derived) = self.declarator(&f.node.declarator);
        derived.splice(0..0, extra);
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
    ) -> (Storage, TypeSpec, Vec<Derived>) {
        let mut storage = Storage::default();
        let mut counted = Counted::default();
        for s in list {
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
        let extra = std::mem::take(&mut counted.derived);
        (storage, finish_packed(counted, span), extra)
    }

    pub(super) fn spec_quals(
        &mut self,
        list: &[Node<lc::SpecifierQualifier>],
        whole: Span,
    ) -> (TypeSpec, Vec<Derived>) {
        let mut counted = Counted::default();
        for s in list {
            match &s.node {
                lc::SpecifierQualifier::TypeSpecifier(t) => self.count(&mut counted, t),
                lc::SpecifierQualifier::TypeQualifier(q) => qualify(&mut counted.qualifiers, q),
                lc::SpecifierQualifier::Extension(e) => self.extensions(&mut counted, e),
            }
        }
        let extra = std::mem::take(&mut counted.derived);
        (finish_packed(counted, whole), extra)
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
                counted.kind = Some(TypeSpecKind::Record(Box::new(self.record(&s.node))))
            }
            T::Enum(e) => {
                counted.kind = Some(TypeSpecKind::Enum(Box::new(self.enumeration(&e.node))))
            }
            T::TypedefName(id) => counted.kind = Some(named(&id.node.name)),
            T::TypeOf(t) => {
                counted.kind = Some(match &t.node {
                    lc::TypeOf::Expression(e) => TypeSpecKind::TypeofExpr(Box::new(self.expr(e))),
                    lc::TypeOf::Type(t) => TypeSpecKind::TypeofType(Box::new(self.type_name(t))),
                });
            }
            T::TS18661Float(f) => {
                counted.float = Some(if f.width <= 32 {
                    4
                } else if f.width <= 64 {
                    8
                } else {
                    16
                })
            }
        }
    }

    /// Attributes that survived the rewriting: those with a meaning.
    fn extensions(&mut self, counted: &mut Counted, list: &[Node<lc::Extension>]) {
        for e in list {
            if let lc::Extension::Attribute(a) = &e.node {
                let name = a.name.node.trim_matches('_');
                counted.packed |= name == "packed";
                counted.transparent |= name == "transparent_union";
                let derived = self.attribute(a);
                counted.derived.extend(derived);
            }
        }
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
        }
    }

    fn field(&mut self, f: &Node<lc::StructField>) -> FieldDecl {
        let span = self.span(f.span);
        let (base, extra) = self.spec_quals(&f.node.specifiers, span);
        let mut fields = Vec::new();
        for d in &f.node.declarators {
            let (name, mut derived) = match &d.node.declarator {
                Some(d) => self.declarator(d),
                None => (None, Vec::new()),
            };
            derived.splice(0..0, extra.iter().cloned());
            let bits = d.node.bit_width.as_ref().map(|e| self.boxed(e));
            fields.push(FieldSpec {
                name,
                derived,
                bits,
            });
        }
        FieldDecl { base, fields, span }
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
        }
    }

    /// Pointers come first and in order, then arrays and parameters from the last to the first,
    /// then what the parenthesised declarator adds.
    fn declarator(&mut self, d: &Node<lc::Declarator>) -> Flat {
        let mut pointers = Vec::new();
        let mut suffixes = Vec::new();
        for step in &d.node.derived {
            match &step.node {
                lc::DerivedDeclarator::Pointer(quals) => {
                    let mut qualifiers = Qualifiers::default();
                    for q in quals {
                        if let lc::PointerQualifier::TypeQualifier(q) = &q.node {
                            qualify(&mut qualifiers, q);
                        }
                    }
                    pointers.push(Derived::Pointer(qualifiers));
                }
                lc::DerivedDeclarator::Block(_) => {
                    pointers.push(Derived::Unsupported("a block pointer"))
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
        for e in &d.node.extensions {
            if let lc::Extension::Attribute(a) = &e.node {
                pointers.extend(self.attribute(a));
            }
        }
        match &d.node.kind.node {
            lc::DeclaratorKind::Abstract => (None, pointers),
            lc::DeclaratorKind::Identifier(id) => (Some(self.ident(id)), pointers),
            lc::DeclaratorKind::Declarator(inner) => {
                let (name, more) = self.declarator(inner);
                pointers.extend(more);
                (name, pointers)
            }
        }
    }

    fn parameters(&mut self, f: &lc::FunctionDeclarator) -> Derived {
        let mut params = Vec::new();
        for p in &f.parameters {
            let span = self.span(p.span);
            let (_, base, extra) = self.specifiers(&p.node.specifiers, span);
            let (name, mut derived) = match &p.node.declarator {
                Some(d) => self.declarator(d),
                None => (None, Vec::new()),
            };
            derived.splice(0..0, extra);
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
        let mut derived = extra;
        if let Some(d) = &t.node.declarator {
            derived.extend(self.declarator(d).1);
        }
        TypeName {
            base,
            derived,
            span,
        }
    }

    /// What an attribute adds to a declarator.
    fn attribute(&mut self, a: &lc::Attribute) -> Option<Derived> {
        match a.name.node.trim_matches('_') {
            "vector_size" => Some(Derived::Unsupported("a vector type")),
            "cleanup" => match a.arguments.first().map(|e| &e.node) {
                Some(lc::Expression::Identifier(id)) => Some(Derived::Cleanup(self.ident(id))),
                _ => Some(Derived::Unsupported("this attribute `cleanup`")),
            },
            "constructor" => Some(Derived::Constructor(self.priority(a))),
            "destructor" => Some(Derived::Destructor(self.priority(a))),
            "transparent_union" => Some(Derived::TransparentUnion),
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
                    // The width of a word or pointer is what the base already has where it is used.
                    Some("word" | "pointer") => None,
                    _ => Some(Derived::Unsupported("an unknown attribute `mode`")),
                }
            }
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

fn qualify(qualifiers: &mut Qualifiers, q: &Node<lc::TypeQualifier>) {
    match q.node {
        lc::TypeQualifier::Atomic => qualifiers.atomic = true,
        lc::TypeQualifier::Volatile => qualifiers.volatile = true,
        _ => {}
    }
}

fn finish_packed(counted: Counted, span: Span) -> TypeSpec {
    let (packed, transparent) = (counted.packed, counted.transparent);
    let mut spec = counted.finish(span);
    if let TypeSpecKind::Record(r) = &mut spec.kind {
        r.packed |= packed;
        r.transparent |= transparent;
    }
    spec
}

/// Names that [`crate::front::c::rewrite`] declares for the parser.
fn named(name: &str) -> TypeSpecKind {
    match name {
        "__auto_type" => TypeSpecKind::Auto,
        "__int128" | "__int128_t" | "__uint128_t" => TypeSpecKind::Unsupported("`__int128`"),
        "__float128" | "__bf16" => TypeSpecKind::Float(16),
        "__builtin_va_list" => TypeSpecKind::VaList,
        "__CPROVER_bool" => TypeSpecKind::Bool,
        _ => TypeSpecKind::Named(original_name(name)),
    }
}

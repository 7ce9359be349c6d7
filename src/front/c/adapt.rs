//! lang-c's syntax tree to ours: the only file, with [`declare`] and [`literal`], that knows
//! lang-c's types.
//!
//! Constructs that have no counterpart become `Unsupported` nodes with their name; whoever uses
//! one refuses it there, so that a header may declare what a program never touches.

mod declare;
mod literal;

use super::ast::*;
use super::rewrite::{
    ALIGNOF, ASM_GOTO, COMPUTED_GOTO, LABEL_ADDRESS, SAME, TYPES_COMPATIBLE, original_name,
};
use base::diag::Diag;
use base::source::Span;
use lang_c::ast as lc;
use lang_c::span::{Node, Span as LcSpan};

/// gcc's choice between two expressions by a constant.
const CHOOSE_EXPR: &str = "__builtin_choose_expr";

/// Deeper trees are refused, so that no recursive pass can run out of stack.
const MAX_DEPTH: usize = 1000;

/// Turns lang-c's tree into ours. `place` gives the span of a range of the parsed text.
///
/// # Errors
/// The tree is too deep.
pub fn translation_unit(
    unit: &lc::TranslationUnit,
    place: &dyn Fn(usize, usize) -> Span,
    whole: Span,
    pointer_width: u8,
) -> Result<TranslationUnit, Vec<Diag>> {
    let mut adapter = Adapter {
        place,
        pointer_width,
        depth: 0,
        errors: Vec::new(),
    };
    let items = unit.0.iter().map(|item| adapter.item(item)).collect();
    match adapter.errors.is_empty() {
        true => Ok(TranslationUnit {
            items,
            span: whole,
            warnings: Vec::new(),
        }),
        false => Err(adapter.errors),
    }
}

struct Adapter<'a> {
    place: &'a dyn Fn(usize, usize) -> Span,
    pointer_width: u8,
    depth: usize,
    errors: Vec<Diag>,
}

impl Adapter<'_> {
    fn span(&self, span: LcSpan) -> Span {
        if span.is_none() {
            (self.place)(0, 0)
        } else {
            (self.place)(span.start, span.end)
        }
    }

    fn ident(&self, id: &Node<lc::Identifier>) -> Ident {
        Ident {
            name: original_name(&id.node.name),
            span: self.span(id.span),
        }
    }

    fn item(&mut self, item: &Node<lc::ExternalDeclaration>) -> Item {
        match &item.node {
            lc::ExternalDeclaration::Declaration(d) => Item::Declaration(self.declaration(d)),
            lc::ExternalDeclaration::StaticAssert(s) => Item::StaticAssert(self.static_assert(s)),
            lc::ExternalDeclaration::FunctionDefinition(f) => Item::Function(self.function(f)),
        }
    }

    fn static_assert(&mut self, s: &Node<lc::StaticAssert>) -> StaticAssert {
        let message = literal::string(&s.node.message.node).unwrap_or_default();
        let message = String::from_utf8_lossy(&message).into_owned();
        StaticAssert {
            condition: self.expr(&s.node.expression),
            message,
        }
    }

    fn boxed(&mut self, e: &Node<lc::Expression>) -> Box<Expr> {
        Box::new(self.expr(e))
    }

    fn expr(&mut self, e: &Node<lc::Expression>) -> Expr {
        let span = self.span(e.span);
        if self.depth >= MAX_DEPTH {
            let message = format!("this expression is nested more than {MAX_DEPTH} deep");
            if self.errors.is_empty() {
                self.errors.push(Diag::unsupported(span, message));
            }
            return Expr {
                span,
                kind: ExprKind::Unsupported("an expression nested too deeply".into()),
            };
        }
        self.depth += 1;
        let kind = self.expr_kind(&e.node);
        self.depth -= 1;
        Expr { span, kind }
    }

    fn expr_kind(&mut self, e: &lc::Expression) -> ExprKind {
        match e {
            lc::Expression::Identifier(id) => match id.node.name.as_str() {
                LABEL_ADDRESS => {
                    ExprKind::Unsupported("the address of a label (computed `goto`)".into())
                }
                ASM_GOTO => ExprKind::Unsupported("`asm goto`".into()),
                name => ExprKind::Ident(original_name(name)),
            },
            lc::Expression::Constant(c) => self.constant(&c.node),
            lc::Expression::StringLiteral(s) => match literal::string(&s.node) {
                Some(bytes) => ExprKind::Str(bytes),
                None => match literal::wide_string(&s.node) {
                    Some((units, kind)) => ExprKind::WideStr(units, kind),
                    None => ExprKind::Unsupported("this string".into()),
                },
            },
            lc::Expression::GenericSelection(g) => {
                let subject = self.boxed(&g.node.expression);
                let cases = g.node.associations.iter().map(|a| match &a.node {
                    lc::GenericAssociation::Type(t) => (
                        Some(self.type_name(&t.node.type_name)),
                        self.expr(&t.node.expression),
                    ),
                    lc::GenericAssociation::Default(e) => (None, self.expr(e)),
                });
                ExprKind::Generic(subject, cases.collect())
            }
            lc::Expression::Member(m) => ExprKind::Member {
                base: self.boxed(&m.node.expression),
                arrow: m.node.operator.node == lc::MemberOperator::Indirect,
                name: self.ident(&m.node.identifier),
            },
            lc::Expression::Call(c) => {
                let callee = self.boxed(&c.node.callee);
                match (&callee.kind, c.node.arguments.first().map(|a| &a.node)) {
                    (ExprKind::Ident(name), _) if name == COMPUTED_GOTO => {
                        return ExprKind::Unsupported("computed `goto`".into());
                    }
                    (ExprKind::Ident(name), Some(lc::Expression::SizeOfTy(s)))
                        if name == ALIGNOF =>
                    {
                        return ExprKind::Alignof(Box::new(self.type_name(&s.node.0)));
                    }
                    (ExprKind::Ident(name), Some(lc::Expression::SizeOfVal(s)))
                        if name == ALIGNOF =>
                    {
                        return ExprKind::AlignofExpr(self.boxed(&s.node.0));
                    }
                    (ExprKind::Ident(name), _) if name == TYPES_COMPATIBLE => {
                        return self.types_compatible(&c.node.arguments);
                    }
                    (ExprKind::Ident(name), _)
                        if name == CHOOSE_EXPR && c.node.arguments.len() == 3 =>
                    {
                        let operands = [0, 1, 2].map(|i| self.expr(&c.node.arguments[i]));
                        return ExprKind::Choose(Box::new(operands));
                    }
                    _ => {}
                }
                ExprKind::Call(
                    callee,
                    c.node.arguments.iter().map(|a| self.expr(a)).collect(),
                )
            }
            lc::Expression::CompoundLiteral(c) => {
                let ty = self.type_name(&c.node.type_name);
                ExprKind::Compound(Box::new(ty), self.init_items(&c.node.initializer_list))
            }
            lc::Expression::SizeOfTy(s) => {
                ExprKind::SizeofType(Box::new(self.type_name(&s.node.0)))
            }
            lc::Expression::SizeOfVal(s) => ExprKind::SizeofExpr(self.boxed(&s.node.0)),
            lc::Expression::AlignOf(a) => ExprKind::Alignof(Box::new(self.type_name(&a.node.0))),
            lc::Expression::UnaryOperator(u) => self.unary(&u.node),
            lc::Expression::Cast(c) => {
                let ty = self.type_name(&c.node.type_name);
                ExprKind::Cast(Box::new(ty), self.boxed(&c.node.expression))
            }
            lc::Expression::BinaryOperator(b) => self.binary(&b.node),
            lc::Expression::Conditional(c) => {
                let condition = self.boxed(&c.node.condition);
                let then = self.boxed(&c.node.then_expression);
                let same = matches!(&then.kind, ExprKind::Ident(name) if name == SAME);
                let otherwise = self.boxed(&c.node.else_expression);
                ExprKind::Conditional(condition, (!same).then_some(then), otherwise)
            }
            lc::Expression::Comma(list) => {
                ExprKind::Comma(list.iter().map(|e| self.expr(e)).collect())
            }
            lc::Expression::OffsetOf(o) => self.offsetof(&o.node),
            lc::Expression::VaArg(v) => {
                let list = self.boxed(&v.node.va_list);
                ExprKind::VaArg(list, Box::new(self.type_name(&v.node.type_name)))
            }
            lc::Expression::Statement(s) => match &s.node {
                lc::Statement::Compound(items) => ExprKind::Block(self.block(items)),
                _ => ExprKind::Unsupported("a statement as an expression".into()),
            },
        }
    }

    /// Of two types, each in a `sizeof`.
    fn types_compatible(&mut self, arguments: &[Node<lc::Expression>]) -> ExprKind {
        let [a, b] = arguments else {
            return ExprKind::Unsupported("this `__builtin_types_compatible_p`".into());
        };
        match (&a.node, &b.node) {
            (lc::Expression::SizeOfTy(a), lc::Expression::SizeOfTy(b)) => {
                let types = [a, b].map(|s| self.type_name(&s.node.0));
                ExprKind::TypesCompatible(Box::new(types))
            }
            _ => ExprKind::Unsupported("`__builtin_types_compatible_p` of a value".into()),
        }
    }

    fn constant(&mut self, c: &lc::Constant) -> ExprKind {
        match c {
            lc::Constant::Integer(i) => match literal::integer(i, self.pointer_width) {
                Some((value, kind)) => ExprKind::Int(value, kind),
                None => ExprKind::Unsupported("an integer constant of more than 64 bits".into()),
            },
            lc::Constant::Float(f) => match literal::float(f) {
                Some((bits, bytes)) => ExprKind::Float(bits, bytes),
                None => ExprKind::Unsupported("this floating-point number".into()),
            },
            lc::Constant::Character(text) => match literal::character(text) {
                Some((value, kind)) => ExprKind::Int(value, kind),
                None => ExprKind::Unsupported("this character".into()),
            },
        }
    }

    fn unary(&mut self, u: &lc::UnaryOperatorExpression) -> ExprKind {
        let operand = self.boxed(&u.operand);
        let step = |operand, delta, postfix| ExprKind::Step {
            operand,
            delta,
            postfix,
        };
        match u.operator.node {
            lc::UnaryOperator::PostIncrement => step(operand, 1, true),
            lc::UnaryOperator::PostDecrement => step(operand, -1, true),
            lc::UnaryOperator::PreIncrement => step(operand, 1, false),
            lc::UnaryOperator::PreDecrement => step(operand, -1, false),
            lc::UnaryOperator::Address => ExprKind::Unary(UnaryOp::Address, operand),
            lc::UnaryOperator::Indirection => ExprKind::Unary(UnaryOp::Deref, operand),
            lc::UnaryOperator::Plus => ExprKind::Unary(UnaryOp::Plus, operand),
            lc::UnaryOperator::Minus => ExprKind::Unary(UnaryOp::Minus, operand),
            lc::UnaryOperator::Complement => ExprKind::Unary(UnaryOp::Complement, operand),
            lc::UnaryOperator::Negate => ExprKind::Unary(UnaryOp::Not, operand),
        }
    }

    fn binary(&mut self, b: &lc::BinaryOperatorExpression) -> ExprKind {
        use lc::BinaryOperator as Op;
        let (lhs, rhs) = (self.boxed(&b.lhs), self.boxed(&b.rhs));
        let plain = |op| (false, Some(op));
        let assign = |op| (true, Some(op));
        let (assigns, op) = match b.operator.node {
            Op::Index => return ExprKind::Index(lhs, rhs),
            Op::LogicalAnd => return ExprKind::Logical(true, lhs, rhs),
            Op::LogicalOr => return ExprKind::Logical(false, lhs, rhs),
            Op::Multiply => plain(BinaryOp::Mul),
            Op::Divide => plain(BinaryOp::Div),
            Op::Modulo => plain(BinaryOp::Rem),
            Op::Plus => plain(BinaryOp::Add),
            Op::Minus => plain(BinaryOp::Sub),
            Op::ShiftLeft => plain(BinaryOp::Shl),
            Op::ShiftRight => plain(BinaryOp::Shr),
            Op::Less => plain(BinaryOp::Lt),
            Op::Greater => plain(BinaryOp::Gt),
            Op::LessOrEqual => plain(BinaryOp::Le),
            Op::GreaterOrEqual => plain(BinaryOp::Ge),
            Op::Equals => plain(BinaryOp::Eq),
            Op::NotEquals => plain(BinaryOp::Ne),
            Op::BitwiseAnd => plain(BinaryOp::And),
            Op::BitwiseXor => plain(BinaryOp::Xor),
            Op::BitwiseOr => plain(BinaryOp::Or),
            Op::Assign => (true, None),
            Op::AssignMultiply => assign(BinaryOp::Mul),
            Op::AssignDivide => assign(BinaryOp::Div),
            Op::AssignModulo => assign(BinaryOp::Rem),
            Op::AssignPlus => assign(BinaryOp::Add),
            Op::AssignMinus => assign(BinaryOp::Sub),
            Op::AssignShiftLeft => assign(BinaryOp::Shl),
            Op::AssignShiftRight => assign(BinaryOp::Shr),
            Op::AssignBitwiseAnd => assign(BinaryOp::And),
            Op::AssignBitwiseXor => assign(BinaryOp::Xor),
            Op::AssignBitwiseOr => assign(BinaryOp::Or),
        };
        match op {
            Some(op) if !assigns => ExprKind::Binary(op, lhs, rhs),
            op => ExprKind::Assign(op, lhs, rhs),
        }
    }

    fn offsetof(&mut self, o: &lc::OffsetOfExpression) -> ExprKind {
        let ty = self.type_name(&o.type_name);
        let mut path = vec![Designator::Member(self.ident(&o.designator.node.base))];
        for member in &o.designator.node.members {
            match &member.node {
                lc::OffsetMember::Member(id) => path.push(Designator::Member(self.ident(id))),
                lc::OffsetMember::Index(e) => path.push(Designator::Index(self.expr(e))),
                lc::OffsetMember::IndirectMember(_) => {
                    return ExprKind::Unsupported("`->` in `offsetof`".into());
                }
            }
        }
        ExprKind::Offsetof(Box::new(ty), path)
    }

    fn block(&mut self, items: &[Node<lc::BlockItem>]) -> Vec<BlockItem> {
        items.iter().map(|item| self.block_item(item)).collect()
    }

    fn block_item(&mut self, item: &Node<lc::BlockItem>) -> BlockItem {
        match &item.node {
            lc::BlockItem::Declaration(d) => BlockItem::Declaration(self.declaration(d)),
            lc::BlockItem::StaticAssert(s) => BlockItem::StaticAssert(self.static_assert(s)),
            lc::BlockItem::Statement(s) => BlockItem::Stmt(self.stmt(s)),
        }
    }

    fn stmt(&mut self, s: &Node<lc::Statement>) -> Stmt {
        let span = self.span(s.span);
        if self.depth >= MAX_DEPTH {
            if self.errors.is_empty() {
                let message = format!("this statement is nested more than {MAX_DEPTH} deep");
                self.errors.push(Diag::unsupported(span, message));
            }
            return Stmt {
                span,
                kind: StmtKind::Expr(None),
            };
        }
        self.depth += 1;
        let kind = self.stmt_kind(&s.node);
        self.depth -= 1;
        Stmt { span, kind }
    }

    fn inner(&mut self, s: &Node<lc::Statement>) -> Box<Stmt> {
        Box::new(self.stmt(s))
    }

    fn stmt_kind(&mut self, s: &lc::Statement) -> StmtKind {
        match s {
            lc::Statement::Labeled(l) => self.labeled(&l.node),
            lc::Statement::Compound(items) => StmtKind::Block(self.block(items)),
            lc::Statement::Expression(e) => StmtKind::Expr(e.as_ref().map(|e| self.expr(e))),
            lc::Statement::If(i) => {
                let condition = self.expr(&i.node.condition);
                let then = self.inner(&i.node.then_statement);
                StmtKind::If(
                    condition,
                    then,
                    i.node.else_statement.as_ref().map(|s| self.inner(s)),
                )
            }
            lc::Statement::Switch(w) => {
                StmtKind::Switch(self.expr(&w.node.expression), self.inner(&w.node.statement))
            }
            lc::Statement::While(w) => {
                StmtKind::While(self.expr(&w.node.expression), self.inner(&w.node.statement))
            }
            lc::Statement::DoWhile(w) => {
                StmtKind::DoWhile(self.inner(&w.node.statement), self.expr(&w.node.expression))
            }
            lc::Statement::For(f) => self.for_loop(&f.node),
            lc::Statement::Goto(id) => StmtKind::Goto(self.ident(id)),
            lc::Statement::Continue => StmtKind::Continue,
            lc::Statement::Break => StmtKind::Break,
            lc::Statement::Return(e) => StmtKind::Return(e.as_ref().map(|e| self.expr(e))),
            lc::Statement::Asm(a) => StmtKind::Asm(self.asm(&a.node)),
        }
    }

    fn labeled(&mut self, l: &lc::LabeledStatement) -> StmtKind {
        let label = &l.label.node;
        match label {
            lc::Label::Identifier(id) => StmtKind::Label(self.ident(id), self.inner(&l.statement)),
            lc::Label::Case(e) => StmtKind::Case(self.expr(e), None, self.inner(&l.statement)),
            lc::Label::CaseRange(r) => {
                let (low, high) = (self.expr(&r.node.low), self.expr(&r.node.high));
                StmtKind::Case(low, Some(high), self.inner(&l.statement))
            }
            lc::Label::Default => StmtKind::Default(self.inner(&l.statement)),
        }
    }

    fn for_loop(&mut self, f: &lc::ForStatement) -> StmtKind {
        let init = match &f.initializer.node {
            lc::ForInitializer::Empty => None,
            lc::ForInitializer::Expression(e) => {
                let e = self.expr(e);
                Some(BlockItem::Stmt(Stmt {
                    span: e.span,
                    kind: StmtKind::Expr(Some(e)),
                }))
            }
            lc::ForInitializer::Declaration(d) => Some(BlockItem::Declaration(self.declaration(d))),
            lc::ForInitializer::StaticAssert(s) => {
                Some(BlockItem::StaticAssert(self.static_assert(s)))
            }
        };
        StmtKind::For {
            init: init.map(Box::new),
            cond: f.condition.as_ref().map(|e| self.expr(e)),
            step: f.step.as_ref().map(|e| self.expr(e)),
            body: self.inner(&f.statement),
        }
    }

    fn asm(&mut self, a: &lc::AsmStatement) -> Asm {
        let e = match a {
            lc::AsmStatement::GnuBasic(template) => {
                return Asm {
                    template: text(template),
                    extended: false,
                    operands: Vec::new(),
                    read_for: None,
                };
            }
            lc::AsmStatement::GnuExtended(e) => e,
        };
        let mut operands = Vec::new();
        for (list, output) in [(&e.outputs, true), (&e.inputs, false)] {
            for o in list {
                operands.push(AsmOperand {
                    name: o.node.symbolic_name.as_ref().map(|n| n.node.name.clone()),
                    constraint: text(&o.node.constraints),
                    output,
                    expr: self.expr(&o.node.variable_name),
                });
            }
        }
        Asm {
            template: text(&e.template),
            extended: true,
            operands,
            read_for: None,
        }
    }
}

fn text(s: &Node<lc::StringLiteral>) -> String {
    String::from_utf8_lossy(&literal::string(&s.node).unwrap_or_default()).into_owned()
}

use super::ast::{ChainOp, Expr, ExprKind, ItemKind, UnaryOp};
use super::parse;
use base::source::SourceMap;
use proptest::prelude::*;

/// An expression with all its parentheses.
fn show(e: &Expr) -> String {
    let all = |items: &[Expr], sign: &str| items.iter().map(show).collect::<Vec<_>>().join(sign);
    match &e.kind {
        ExprKind::Var(name) => name.clone(),
        ExprKind::Tag(name) => format!("'{name}"),
        ExprKind::Zero => "0".to_string(),
        ExprKind::Universe => "_".to_string(),
        ExprKind::Braces(items) => format!("{{{}}}", all(items, ",")),
        ExprKind::Tuple(items) => format!("({})", all(items, ",")),
        ExprKind::Unary(op, operand) => match op {
            UnaryOp::Complement => format!("~{}", show(operand)),
            UnaryOp::Inverse => format!("{}^-1", show(operand)),
            UnaryOp::Plus => format!("{}+", show(operand)),
            UnaryOp::Star => format!("{}*", show(operand)),
            UnaryOp::Optional => format!("{}?", show(operand)),
            UnaryOp::Identity => format!("[{}]", show(operand)),
        },
        ExprKind::Chain(op, operands) => {
            let sign = match op {
                ChainOp::Union => "|",
                ChainOp::Inter => "&",
                ChainOp::Diff => "\\",
                ChainOp::Seq => ";",
                ChainOp::Add => "++",
            };
            format!("({})", all(operands, sign))
        }
        ExprKind::Product(a, b) => format!("({}*{})", show(a), show(b)),
        ExprKind::Apply(f, arg) => format!("{}({})", show(f), show(arg)),
        ExprKind::Fun(f) => format!("fun {}", show(&f.body)),
        ExprKind::Let(_, body) => format!("let {}", show(body)),
        ExprKind::Try(a, b) => format!("try {} with {}", show(a), show(b)),
        ExprKind::If(_, a, b) => format!("if {} else {}", show(a), show(b)),
        ExprKind::Match(..) => "match".to_string(),
    }
}

/// How an expression is understood.
fn shown(text: &str) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add("test.cat", format!("acyclic {text} as a"));
    let parsed = parse(&sources, file)
        .unwrap_or_else(|e| panic!("{text}: {}", e[0].render(&sources, false)));
    match &parsed.items[..] {
        [item] => match &item.kind {
            ItemKind::Test(test) => show(&test.expr),
            other => panic!("{text}: {other:?}"),
        },
        items => panic!("{text}: {} statements", items.len()),
    }
}

#[test]
fn binding() {
    let cases = [
        ("a | b ; c & d", "(a|(b;(c&d)))"),
        ("a \\ b \\ c & d", "(a\\b\\(c&d))"),
        ("a ; b \\ c", "(a;(b\\c))"),
        ("a & b * c", "(a&(b*c))"),
        ("r* ; s", "(r*;s)"),
        ("r* | s+", "(r*|s+)"),
        ("(r)* & s?", "(r*&s?)"),
        ("~a & b", "(~a&b)"),
        ("~r^-1", "~r^-1"),
        ("a*_", "(a*_)"),
        ("rf^-1^+;co^*", "(rf^-1+;co*)"),
        ("f a b | g (a, b)", "(f(a)(b)|g((a,b)))"),
        ("f(a)^-1", "f(a)^-1"),
        ("[R & X];po-loc?", "([(R&X)];po-loc?)"),
        ("begin a | b end", "(a|b)"),
        ("{} | 0", "({}|0)"),
        ("try a with b | c", "try a with (b|c)"),
        ("let x = a and y = b in x | y", "let (x|y)"),
        ("fun x -> x; x", "fun (x;x)"),
        ("if not \"v\" || \"w\" then a else b", "if a else b"),
        ("po;[DMB.ISH];po'", "(po;[DMB.ISH];po')"),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn statements_and_comments() {
    let text = "X86 TSO (* a (* nested *) comment *)\n\
        # one line\n// another\n\
        show po, rf\nshow r \\ id as si\nunshow co\n\
        let f(x) = x* ~empty f(po) as a\n\
        let rec a = b and b = a in\n\
        procedure p() = acyclic a end\ncall p()\n\
        with co from generate_cos(co0)\n\
        if \"x\" && \"y\" let c = 0 end\n\
        match";
    let mut sources = SourceMap::default();
    let file = sources.add("test.cat", text);
    let errors = parse(&sources, file).expect_err("`match` statements are refused");
    assert_eq!(errors.len(), 1, "{errors:?}");
    let file = sources.add("test.cat", text.trim_end_matches("match"));
    let parsed = parse(&sources, file).expect("the rest is right");
    assert_eq!(
        (parsed.arch.as_deref(), parsed.title.as_str()),
        (Some("X86"), "TSO")
    );
    assert_eq!(parsed.items.len(), 10);
}

#[test]
fn titles() {
    let title = |text: &str| {
        let mut sources = SourceMap::default();
        let file = sources.add("test.cat", text);
        let parsed = parse(&sources, file).expect("a title and nothing else");
        (parsed.arch, parsed.title)
    };
    assert_eq!(title("\"a b\""), (None, "a b".to_string()));
    assert_eq!(title("PPC"), (Some("PPC".to_string()), "PPC".to_string()));
    assert_eq!(
        title("PPC \"a b\" acyclic po"),
        (Some("PPC".to_string()), "a b".to_string())
    );
    assert_eq!(title(""), (None, String::new()));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        let mut sources = SourceMap::default();
        let file = sources.add("fuzz.cat", text);
        let _ = parse(&sources, file);
    }
}

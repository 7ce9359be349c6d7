//! The parser of LLVM IR: what it reads, and what it says of what it cannot read.

use base::source::SourceMap;
use wmbmc::front::llvm::ast::*;
use wmbmc::front::llvm::parse;

mod broken;
mod entities;
mod operations;
mod values;

/// A module, or `line:column sentence` of each error.
fn read(text: &str) -> Result<Module, Vec<String>> {
    let mut sources = SourceMap::default();
    let file = sources.add("test.ll", text);
    parse(&sources, file).map_err(|all| {
        let line = |d: &base::diag::Diag| {
            let (place, _) = d.labels.first().expect("every error has a place");
            let at = sources.line_col(place.file, place.start);
            format!("{}:{} {}", at.line, at.col, d.message)
        };
        all.iter().map(line).collect()
    })
}

fn module(text: &str) -> Module {
    read(text).unwrap_or_else(|errors| panic!("{}\n{text}", errors.join("\n")))
}

/// The only function with a body of a module.
fn function(text: &str) -> Function {
    let functions = module(text).functions;
    let mut bodies = functions.into_iter().filter(|f| !f.blocks.is_empty());
    bodies.next().expect("there is a function")
}

/// The operations of a function that has these lines, as its only block; `%p` is a pointer, `%i` an `i32`, `%l` an
/// `i64`, `%b` an `i1`, `%d` a `double` and `%v` a vector of four `i32`.
fn operations(lines: &str) -> Vec<Op> {
    let params = "ptr %p, i32 %i, i64 %l, i1 %b, double %d, <4 x i32> %v";
    let text = format!(
        "@g = external global i32\ndeclare i32 @f(...)\ndefine void @test({params}) {{\n{lines}\n  ret void\n}}\n"
    );
    let mut function = function(&text);
    let block = function.blocks.remove(0);
    let mut ops: Vec<Op> = block.instructions.into_iter().map(|i| i.op).collect();
    assert_eq!(ops.pop(), Some(Op::Return(None)));
    ops
}

fn operation(line: &str) -> Op {
    let mut ops = operations(line);
    assert_eq!(ops.len(), 1);
    ops.remove(0)
}

/// The initial value of a global variable of a type.
fn constant(ty: &str, value: &str) -> ValueKind {
    let text = format!("@g = global i32 0\n@x = global {ty} {value}\n");
    let mut globals = module(&text).globals;
    globals
        .pop()
        .and_then(|g| g.init)
        .expect("it has a value")
        .kind
}

fn local(kind: &ValueKind) -> &str {
    match kind {
        ValueKind::Local(name) => name,
        _ => panic!("{kind:?} is no local value"),
    }
}

fn int(bits: u32) -> Type {
    Type::Int(bits)
}

fn pointer() -> Type {
    Type::Pointer(None)
}

fn pointer_to(ty: Type) -> Type {
    Type::Pointer(Some(Box::new(ty)))
}

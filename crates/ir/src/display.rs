//! The intermediate language as text: what `--dump after:ir` prints.
//!
//! An instruction a line with its index, a label `L3:` where a jump leads, registers with their
//! name and number (`r1#4`, a temporary is `%5`), addresses of objects as `&x`.

use super::pair::PairAccess;
use super::program::*;
use base::idx::Id;
use std::collections::BTreeSet;
use std::fmt::{self, Write};

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (id, global) in self.globals.iter_enumerated() {
            write_global(f, self, id, global)?;
        }
        for (id, proc) in self.procs.iter_enumerated() {
            writeln!(f)?;
            write_proc(f, self, id, proc)?;
        }
        Ok(())
    }
}

/// A layout in one line: `i32`, `[4 x i8]`, `{0 next: i64, 8 key: i32}`.
pub fn layout(program: &Program, id: LayoutId) -> String {
    match &program.layouts[id] {
        Layout::Scalar { width } => format!("i{width}"),
        Layout::Array { elem, count } => format!("[{count} x {}]", layout(program, *elem)),
        Layout::Struct { fields, .. } => {
            let field =
                |f: &Field| format!("{} {}: {}", f.offset, f.name, layout(program, f.layout));
            format!(
                "{{{}}}",
                fields.iter().map(field).collect::<Vec<_>>().join(", ")
            )
        }
    }
}

fn write_global(
    f: &mut fmt::Formatter<'_>,
    program: &Program,
    id: GlobalId,
    global: &Global,
) -> fmt::Result {
    let kind = if global.thread_local {
        "thread_local"
    } else {
        "global"
    };
    write!(
        f,
        "{kind} {id} {}: {}",
        global.name,
        layout(program, global.layout)
    )?;
    for (i, (offset, width, value)) in global.init.iter().enumerate() {
        let separator = if i == 0 { " =" } else { "," };
        write!(
            f,
            "{separator} {offset}: i{width} {}",
            expr(program, None, value)
        )?;
    }
    writeln!(f)
}

fn write_proc(
    f: &mut fmt::Formatter<'_>,
    program: &Program,
    id: ProcId,
    proc: &Proc,
) -> fmt::Result {
    let params: Vec<String> = proc
        .params
        .iter()
        .map(|p| format!("{}: i{}", local(Some(proc), *p), proc.locals[*p].width))
        .collect();
    write!(f, "{id} {}({})", proc.name, params.join(", "))?;
    if let Some(width) = proc.returns {
        write!(f, " -> i{width}")?;
    }
    writeln!(f, " {{")?;
    let targets: BTreeSet<usize> = proc
        .body
        .iter()
        .filter_map(|i| match i.op {
            Op::Goto { target, .. } => Some(target),
            _ => None,
        })
        .collect();
    for (i, instr) in proc.body.iter().enumerate() {
        if targets.contains(&i) {
            writeln!(f, "L{i}:")?;
        }
        writeln!(f, "  {i:3}  {}", op(program, proc, &instr.op))?;
    }
    if targets.contains(&proc.body.len()) {
        writeln!(f, "L{}:", proc.body.len())?;
    }
    writeln!(f, "}}")
}

/// An instruction in one line.
pub fn op(program: &Program, proc: &Proc, op: &Op) -> String {
    let e = |e: &Expr| expr(program, Some(proc), e);
    let l = |id: &LocalId| format!("{}:i{}", local(Some(proc), *id), proc.locals[*id].width);
    let suffix = |o: MemoryOrder| order(o);
    match op {
        Op::Assign { dst, value } => format!("{} := {}", l(dst), e(value)),
        Op::Havoc { dst } => format!("{} := any", l(dst)),
        Op::SameThread { dst, a, b } => format!("{} := same thread {}, {}", l(dst), e(a), e(b)),
        Op::Indeterminate { dst } => format!("{} := indeterminate", l(dst)),
        Op::ThreadSelf { dst } => format!("{} := thread self", l(dst)),
        Op::Load { dst, addr, order } => {
            format!("{} := load{} [{}]", l(dst), suffix(*order), e(addr))
        }
        Op::Store { addr, value, order } => {
            format!("store{} [{}] := {}", suffix(*order), e(addr), e(value))
        }
        Op::Rmw {
            dst,
            addr,
            op,
            operand,
            order,
        } => {
            let name = format!("{op:?}").to_lowercase();
            format!(
                "{} := rmw.{name}{} [{}], {}",
                l(dst),
                suffix(*order),
                e(addr),
                e(operand)
            )
        }
        Op::Cas {
            dst,
            addr,
            expected,
            desired,
            success,
            failure,
            weak,
        } => {
            let orders = format!("{}{}", suffix(*success), suffix(*failure));
            let (done, kind) = match weak {
                Some(weak) => (format!(", {}", l(&weak.done)), ".weak"),
                None => (String::new(), ""),
            };
            format!(
                "{}{done} := cas{kind}{orders} [{}], {}, {}",
                l(dst),
                e(addr),
                e(expected),
                e(desired)
            )
        }
        Op::Pair(pair) => {
            let both = |of: &[Expr; 2]| format!("({}, {})", e(&of[0]), e(&of[1]));
            let at = e(&pair.addr);
            let into = pair.access.results().iter().map(l).collect::<Vec<_>>();
            let into = into.join(", ");
            match &pair.access {
                PairAccess::Load { order, .. } => {
                    format!("{into} := load.pair{} [{at}]", suffix(*order))
                }
                PairAccess::Store { value, order } => {
                    format!("store.pair{} [{at}] := {}", suffix(*order), both(value))
                }
                PairAccess::Exchange { value, order, .. } => {
                    let order = suffix(*order);
                    format!("{into} := exchange.pair{order} [{at}], {}", both(value))
                }
                PairAccess::Cas {
                    expected,
                    desired,
                    success,
                    failure,
                    weak,
                    ..
                } => {
                    let kind = if weak.is_some() { ".weak" } else { "" };
                    let orders = format!("{}{}", suffix(*success), suffix(*failure));
                    let (old, new) = (both(expected), both(desired));
                    format!("{into} := cas.pair{kind}{orders} [{at}], {old}, {new}")
                }
            }
        }
        Op::OneOf(ways) => {
            let way = |(cond, way): &(Expr, Op)| {
                format!("{} ? {}", e(cond), self::op(program, proc, way))
            };
            let ways: Vec<String> = ways.iter().map(way).collect();
            format!("one of {{ {} }}", ways.join("; "))
        }
        Op::LoadLinked {
            dst,
            addr,
            order: mo,
        } => format!("{} := load.linked{} [{}]", l(dst), order(*mo), e(addr)),
        Op::StoreConditional {
            dst,
            addr,
            value,
            order: mo,
        } => {
            format!(
                "{} := store.conditional{} [{}] := {}",
                l(dst),
                order(*mo),
                e(addr),
                e(value)
            )
        }
        Op::Observe { what, value } => format!("observe {what} := {}", e(value)),
        Op::Fence(kind) => format!("fence {}", fence(*kind)),
        Op::Goto { cond: None, target } => format!("goto L{target}"),
        Op::Goto {
            cond: Some(c),
            target,
        } => format!("if {} goto L{target}", e(c)),
        Op::Call {
            dst,
            callee: to,
            args,
        } => {
            let args: Vec<String> = args.iter().map(e).collect();
            let result = dst
                .as_ref()
                .map_or(String::new(), |d| format!("{} := ", l(d)));
            format!(
                "{result}call {}({})",
                callee(program, proc, to),
                args.join(", ")
            )
        }
        Op::Alloc {
            dst,
            storage,
            layout: kind,
            size,
            zeroed,
            replaces,
        } => {
            let storage = match storage {
                Storage::Stack(name) => format!("stack {name}"),
                Storage::Heap => "heap".to_string(),
                Storage::Process(name) => format!("process {name}"),
            };
            let kind = kind.map_or("bytes".to_string(), |k| layout(program, k));
            let zeroed = if *zeroed { ", zeroed" } else { "" };
            let replaces = replaces
                .iter()
                .map(|old| format!(" in place of {}", e(old)));
            let replaces: String = replaces.collect();
            format!(
                "{} := alloc {storage}: {kind}, {} bytes{zeroed}{replaces}",
                l(dst),
                e(size)
            )
        }
        Op::Constant { object } => format!("constant {}", e(&Expr::Local(*object))),
        Op::Spawn {
            dst,
            callee: to,
            arg,
        } => {
            format!(
                "{} := spawn {}({})",
                l(dst),
                callee(program, proc, to),
                e(arg)
            )
        }
        Op::Wait { cond, .. } => format!("wait {}", e(cond)),
        Op::Assert { cond, property } => format!("assert {} \"{}\"", e(cond), property.text),
        Op::SetNote { key, value, when } => {
            format!("note of {} := {} if {}", e(key), e(value), e(when))
        }
        Op::GetNote { dst, key } => format!("{} := note of {}", l(dst), e(key)),
        Op::Claim { key, property, .. } => format!("claim {} \"{}\"", e(key), property.text),
        Op::AtomicBegin(Atomicity::Section) => "atomic {".to_string(),
        Op::AtomicBegin(Atomicity::Node) => "node {".to_string(),
        Op::AtomicBegin(Atomicity::Snapshot) => "snapshot {".to_string(),
        Op::AtomicBegin(Atomicity::Access) => "access {".to_string(),
        Op::AtomicEnd => "} atomic".to_string(),
        Op::ControlBegin(ControlScope::Always) => "control {".to_string(),
        Op::ControlBegin(ControlScope::Kernel) => "control of the kernel {".to_string(),
        Op::ControlEnd(_) => "} control".to_string(),
        Op::Unknown(reason) => format!("unknown \"{reason}\""),
        _ => {
            let results: String = op.results().iter().map(|d| l(d) + " := ").collect();
            let operands: Vec<String> = op.operands().into_iter().map(e).collect();
            let text = format!("{results}{} {}", name(op), operands.join(", "));
            text.trim_end().to_string()
        }
    }
}

/// The name of an instruction, with `_` between its words.
fn name(op: &Op) -> String {
    let debug = format!("{op:?}");
    let letters = debug.chars().take_while(char::is_ascii_alphanumeric);
    let mut name = String::new();
    for letter in letters {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

fn callee(program: &Program, proc: &Proc, callee: &Callee) -> String {
    match callee {
        Callee::Proc(p) => program
            .procs
            .get(*p)
            .map_or_else(|| p.to_string(), |p| p.name.clone()),
        Callee::Pointer(e) => format!("*({})", expr(program, Some(proc), e)),
    }
}

fn order(order: MemoryOrder) -> String {
    let name = match order {
        MemoryOrder::Plain => "",
        MemoryOrder::Bytes => ".bytes",
        MemoryOrder::Volatile => ".vol",
        MemoryOrder::Relaxed => ".rlx",
        MemoryOrder::Acquire => ".acq",
        MemoryOrder::Release => ".rel",
        MemoryOrder::AcqRel => ".acq_rel",
        MemoryOrder::SeqCst => ".sc",
        MemoryOrder::Annotated(annotation) => return format!(".{}", annotation.name),
        MemoryOrder::Locked => ".locked",
        MemoryOrder::Library(Role::Lock) => ".lock",
        MemoryOrder::Library(Role::AcquirePermit) => ".take",
        MemoryOrder::Library(Role::Release) => ".give",
        MemoryOrder::Library(Role::Wait) => ".await",
    };
    name.to_string()
}

fn fence(fence: Fence) -> String {
    match fence {
        Fence::Membar {
            load_load,
            load_store,
            store_load,
            store_store,
        } => {
            let flags = [
                (load_load, "LL"),
                (load_store, "LS"),
                (store_load, "SL"),
                (store_store, "SS"),
            ];
            let names: Vec<&str> = flags.iter().filter(|f| f.0).map(|f| f.1).collect();
            format!("membar {}", names.join("|"))
        }
        Fence::C11(o) => format!("c11{}", order(o)),
        Fence::Annotated(sets) => sets.join(" ").to_lowercase(),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn local(proc: Option<&Proc>, id: LocalId) -> String {
    let name = proc
        .and_then(|p| p.locals.get(id))
        .map_or("", |l| l.name.as_str());
    if name.is_empty() {
        format!("%{}", id.index())
    } else {
        format!("{name}#{}", id.index())
    }
}

/// An expression on one line, with all parentheses; `proc` gives its registers their names.
pub fn expr(program: &Program, proc: Option<&Proc>, e: &Expr) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_expr(&mut out, program, proc, e);
    out
}

fn write_expr(out: &mut String, program: &Program, proc: Option<&Proc>, e: &Expr) -> fmt::Result {
    match e {
        Expr::Const { value, width } => write!(out, "{}", sign_extend_small(*value, *width)),
        Expr::Local(id) => write!(out, "{}", local(proc, *id)),
        Expr::Global(id) => match program.globals.get(*id) {
            Some(g) => write!(out, "&{}", g.name),
            None => write!(out, "&{id}"),
        },
        Expr::Proc(id) => match program.procs.get(*id) {
            Some(p) => write!(out, "&{}", p.name),
            None => write!(out, "&{id}"),
        },
        Expr::Unary(op, a) => {
            out.push_str(&unary_symbol(*op));
            write_expr(out, program, proc, a)
        }
        Expr::Binary(op, a, b) => {
            out.push('(');
            write_expr(out, program, proc, a)?;
            write!(out, " {} ", symbol(*op))?;
            write_expr(out, program, proc, b)?;
            out.push(')');
            Ok(())
        }
        Expr::Ite(c, a, b) => {
            out.push('(');
            write_expr(out, program, proc, c)?;
            out.push_str(" ? ");
            write_expr(out, program, proc, a)?;
            out.push_str(" : ");
            write_expr(out, program, proc, b)?;
            out.push(')');
            Ok(())
        }
        Expr::Cast(cast, width, a) => {
            let name = match cast {
                Cast::Zero => "zext",
                Cast::Sign => "sext",
                Cast::Truncate => "trunc",
                Cast::FromSigned => "signed_to_float",
                Cast::FromUnsigned => "unsigned_to_float",
                Cast::ToSigned => "float_to_signed",
                Cast::ToUnsigned => "float_to_unsigned",
                Cast::Float => "float",
            };
            write!(out, "{name}{width}(")?;
            write_expr(out, program, proc, a)?;
            out.push(')');
            Ok(())
        }
    }
}

/// Numbers near the top of their range read better with a sign.
fn sign_extend_small(value: u64, width: Width) -> String {
    let signed = sign_extend(value, width);
    if width > 1 && (-0x1_0000..0).contains(&signed) {
        signed.to_string()
    } else {
        value.to_string()
    }
}

fn unary_symbol(op: UnOp) -> String {
    match op {
        UnOp::Not => "~".to_string(),
        UnOp::Neg => "-".to_string(),
        UnOp::Float(function) => format!("{function:?} ").to_lowercase(),
    }
}

fn symbol(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::Udiv => "/u",
        BinOp::Sdiv => "/s",
        BinOp::Urem => "%u",
        BinOp::Srem => "%s",
        BinOp::And => "&",
        BinOp::Or => "|",
        BinOp::Xor => "^",
        BinOp::Shl => "<<",
        BinOp::Lshr => ">>u",
        BinOp::Ashr => ">>s",
        BinOp::Eq => "==",
        BinOp::Ne => "!=",
        BinOp::Ult => "<u",
        BinOp::Ule => "<=u",
        BinOp::Slt => "<s",
        BinOp::Sle => "<=s",
        BinOp::PtrLt => "<p",
        BinOp::PtrLe => "<=p",
        BinOp::Fadd => "+f",
        BinOp::Fsub => "-f",
        BinOp::Fmul => "*f",
        BinOp::Fdiv => "/f",
        BinOp::Feq => "==f",
        BinOp::Flt => "<f",
        BinOp::Fle => "<=f",
    }
}

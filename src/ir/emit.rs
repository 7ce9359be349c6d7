//! A litmus test as a C program that can stand alone: for other tools, and for compilers.
//!
//! A thread is a function, a register a local, a location a `volatile` global, so that compilers
//! keep every access where it is. Fences are inline assembly. Dependencies stay as syntactic as
//! they were: `r3 = r1 ^ r1` is added to the address. At its end a thread copies the registers that
//! the question names to globals, and `main` asserts the condition after joining all threads.
//!
//! A locked instruction is a builtin between two full fences, as C's own orders promise less on
//! machines that have no such instruction. A test with words of 32 bits keeps addresses in
//! registers of 64, since that is what C's pointers take; it must not store them. Reservations
//! (`lwarx`, `stwcx.`) have no counterpart in C and are refused.

use super::litmus::{Condition, Operand, Quantifier, Test};
use super::program::*;
use crate::front::diag::Diag;
use crate::front::source::Span;
use crate::idx::{Id, IdVec};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Names that a location must not have.
const RESERVED: &str = "auto break case char const continue default do double else enum extern \
    float for goto if inline int long register restrict return short signed sizeof static struct \
    switch typedef union unsigned void volatile while asm main assert unused errno environ \
    stdin stdout stderr abort exit free malloc printf signal";

type Emitted<T> = Result<T, Box<Diag>>;

fn refuse<T>(span: Span, what: &str) -> Emitted<T> {
    let message = format!("{what} cannot be written as C");
    Err(Box::new(Diag::error(span, message)))
}

/// The test as C.
///
/// # Errors
/// The first thing that C has no words for, with its place.
pub fn c_program(test: &Test) -> Result<String, Box<Diag>> {
    let program = &test.program;
    let names = names(program);
    let threads = threads(test)?;
    let mut bodies = String::new();
    let mut pointers = BTreeSet::new();
    for proc in &threads {
        let thread = Thread {
            program,
            names: &names,
            proc,
            addresses: addresses(program, proc),
        };
        bodies += &thread.function(&mut pointers)?;
    }
    let mut out = format!(
        "/* {}\n   {} {} */\n",
        comment(&test.name),
        quantifier(test.question.quantifier),
        comment(&test.question.text)
    );
    out += "#include <assert.h>\n#include <pthread.h>\n\n";
    for (id, global) in program.globals.iter_enumerated() {
        out += &declaration(program, &names, id, global)?;
    }
    for (id, observable) in program.observables.iter_enumerated() {
        if let Observable::Register { width, .. } = observable {
            let ty = register_type(*width, pointers.contains(&id));
            out += &format!("{ty} {};\n", names.observables[id]);
        }
    }
    out += &bodies;
    out += &main(test, &names, &threads);
    Ok(out)
}

/// Text that does not end the comment it stands in.
fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *")
}

/// The procedures that main starts.
fn threads(test: &Test) -> Emitted<Vec<&Proc>> {
    let program = &test.program;
    let body = program.main.map_or(&[][..], |m| &program.procs[m].body);
    let mut all = Vec::new();
    for instr in body {
        match &instr.op {
            Op::Spawn {
                callee: Callee::Proc(p),
                ..
            } => all.push(&program.procs[*p]),
            _ => return refuse(instr.span, "what is no thread"),
        }
    }
    Ok(all)
}

/// What things are called in C.
struct Names {
    globals: IdVec<GlobalId, String>,
    /// Registers at the end; empty for memory.
    observables: IdVec<ObservableId, String>,
}

fn names(program: &Program) -> Names {
    let mut used: BTreeSet<String> = RESERVED.split_whitespace().map(str::to_string).collect();
    used.extend(program.procs.iter().map(|p| p.name.clone()));
    used.extend(program.procs.iter().map(|p| format!("handle_{}", p.name)));
    // Registers shadow globals.
    let locals = program
        .procs
        .iter()
        .flat_map(|p| p.locals.iter_enumerated());
    used.extend(locals.map(|(id, l)| local_name(id, l)));
    let globals = program
        .globals
        .iter()
        .map(|g| unique(&g.name, &mut used))
        .collect();
    let observables = program
        .observables
        .iter()
        .map(|o| match o {
            Observable::Memory { .. } => String::new(),
            Observable::Register { thread, name, .. } => {
                unique(&format!("P{thread}_{name}"), &mut used)
            }
        })
        .collect();
    Names {
        globals,
        observables,
    }
}

fn identifier(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    name.chars().map(letter).collect()
}

fn unique(name: &str, used: &mut BTreeSet<String>) -> String {
    let mut name = identifier(name);
    while !used.insert(name.clone()) {
        name.push('_');
    }
    name
}

/// A register keeps its name, small letters first so that labels (`L3`) and threads stay apart.
fn local_name(id: LocalId, local: &Local) -> String {
    if local.name.is_empty() {
        format!("t{}", id.index())
    } else {
        identifier(&local.name).to_ascii_lowercase()
    }
}

fn cell_type(width: Width) -> &'static str {
    match width {
        8 => "signed char",
        16 => "short",
        32 => "int",
        _ => "long",
    }
}

fn register_type(width: Width, address: bool) -> &'static str {
    match width {
        _ if address => "unsigned long",
        1 => "_Bool",
        8 => "unsigned char",
        16 => "unsigned short",
        32 => "unsigned",
        _ => "unsigned long",
    }
}

fn number(value: u64, width: Width) -> String {
    match width {
        _ if value < 1 << 31 => value.to_string(),
        64 => format!("{value}ul"),
        _ => format!("{value}u"),
    }
}

/// `volatile int x = 1;`
fn declaration(program: &Program, names: &Names, id: GlobalId, global: &Global) -> Emitted<String> {
    let cells = program.scalars(global.layout);
    let width = cells.first().map_or(32, |(_, w)| *w);
    let mut values = vec!["0".to_string(); cells.len()];
    for (offset, _, value) in &global.init {
        let text = match value {
            Expr::Const { value, .. } => match sign_extend(*value, width) {
                i64::MIN => format!("{}ul", *value),
                value => value.to_string(),
            },
            Expr::Global(g) if width == 64 => format!("(long)&{}", names.globals[*g]),
            _ => return refuse(global.span, "an address in memory"),
        };
        if let Some(slot) = cells.iter().position(|(o, _)| o == offset) {
            values[slot] = text;
        }
    }
    let (ty, name) = (cell_type(width), &names.globals[id]);
    // An initial value may be the address of a location that is declared later.
    let forward: String = global
        .init
        .iter()
        .filter_map(|(_, _, value)| match value {
            Expr::Global(g) if *g > id => {
                Some(format!("extern volatile {ty} {};\n", names.globals[*g]))
            }
            _ => None,
        })
        .collect();
    Ok(match program.layouts[global.layout] {
        Layout::Array { count, .. } => format!(
            "{forward}volatile {ty} {name}[{count}] = {{{}}};\n",
            values.join(", ")
        ),
        _ => format!("{forward}volatile {ty} {name} = {};\n", values.concat()),
    })
}

/// The registers that hold addresses somewhere.
fn addresses(program: &Program, proc: &Proc) -> BTreeSet<LocalId> {
    let mut all = BTreeSet::new();
    loop {
        let before = all.len();
        for instr in &proc.body {
            if let Op::Assign { dst, value } = &instr.op
                && is_address(value, &all)
            {
                all.insert(*dst);
            }
        }
        if all.len() == before || program.data_model == DataModel::Lp64 {
            return all;
        }
    }
}

fn is_address(e: &Expr, addresses: &BTreeSet<LocalId>) -> bool {
    match e {
        Expr::Global(_) | Expr::Proc(_) => true,
        Expr::Local(l) => addresses.contains(l),
        Expr::Const { .. } => false,
        Expr::Unary(_, a) | Expr::Cast(_, _, a) => is_address(a, addresses),
        Expr::Binary(op, ..) if op.is_comparison() => false,
        Expr::Binary(_, a, b) | Expr::Ite(_, a, b) => {
            is_address(a, addresses) || is_address(b, addresses)
        }
    }
}

/// A thread that is being written.
struct Thread<'a> {
    program: &'a Program,
    names: &'a Names,
    proc: &'a Proc,
    addresses: BTreeSet<LocalId>,
}

impl Thread<'_> {
    /// The function; registers that are observed as addresses are added to `pointers`.
    fn function(&self, pointers: &mut BTreeSet<ObservableId>) -> Emitted<String> {
        let mut out = format!("\nstatic void *{}(void *unused)\n{{\n", self.proc.name);
        let body = &self.proc.body;
        let mut declared = BTreeSet::new();
        let mut start = 0;
        while let Some(Op::Assign { dst, value }) = body.get(start).map(|i| &i.op)
            && matches!(value, Expr::Const { .. } | Expr::Global(_))
            && declared.insert(*dst)
        {
            let value = self.value(value, self.is_wide(*dst));
            // Writing to a string cannot fail.
            let _ = writeln!(out, "    {} {} = {value};", self.ty(*dst), self.local(*dst));
            start += 1;
        }
        for id in self.proc.locals.ids().filter(|id| !declared.contains(id)) {
            let _ = writeln!(out, "    {} {};", self.ty(id), self.local(id));
        }
        let targets: BTreeSet<usize> = body
            .iter()
            .filter_map(|i| match i.op {
                Op::Goto { target, .. } => Some(target),
                _ => None,
            })
            .collect();
        for (at, instr) in body.iter().enumerate() {
            if targets.contains(&at) {
                let _ = writeln!(out, "L{at}:;");
            }
            if at >= start {
                let _ = writeln!(out, "    {}", self.statement(instr, pointers)?);
            }
        }
        if targets.contains(&body.len()) {
            let _ = writeln!(out, "L{}:;", body.len());
        }
        out += "    return 0;\n}\n";
        Ok(out)
    }

    fn local(&self, id: LocalId) -> String {
        local_name(id, &self.proc.locals[id])
    }

    fn is_wide(&self, id: LocalId) -> bool {
        self.addresses.contains(&id)
    }

    fn ty(&self, id: LocalId) -> &'static str {
        register_type(self.proc.locals[id].width, self.is_wide(id))
    }

    fn width(&self, e: &Expr) -> Width {
        e.width(self.program, self.proc)
    }

    fn statement(&self, instr: &Instr, pointers: &mut BTreeSet<ObservableId>) -> Emitted<String> {
        let locked = |dst: &LocalId, call: String| {
            let fence = asm("mfence");
            format!("{fence}\n    {} = {call};\n    {fence}", self.local(*dst))
        };
        Ok(match &instr.op {
            Op::Assign { dst, value } => {
                let value = self.value(value, self.is_wide(*dst));
                format!("{} = {value};", self.local(*dst))
            }
            Op::Load { dst, addr, .. } => {
                let place = self.place(addr, self.proc.locals[*dst].width);
                format!("{} = {place};", self.local(*dst))
            }
            Op::Store { addr, value, .. } => {
                let place = self.place(addr, self.width(value));
                format!("{place} = {};", self.stored(value, instr.span)?)
            }
            Op::Rmw {
                dst,
                addr,
                op,
                operand,
                order: Order::Locked,
            } => {
                let builtin = match op {
                    RmwOp::Exchange => "exchange_n",
                    RmwOp::Add => "fetch_add",
                    RmwOp::Sub => "fetch_sub",
                    RmwOp::And => "fetch_and",
                    RmwOp::Or => "fetch_or",
                    RmwOp::Xor => "fetch_xor",
                    RmwOp::Nand => "fetch_nand",
                };
                let place = self.place(addr, self.proc.locals[*dst].width);
                let operand = self.stored(operand, instr.span)?;
                let call = format!("__atomic_{builtin}(&{place}, {operand}, __ATOMIC_SEQ_CST)");
                locked(dst, call)
            }
            Op::Cas {
                dst,
                addr,
                expected,
                desired,
                success: Order::Locked,
                ..
            } => {
                let place = self.place(addr, self.proc.locals[*dst].width);
                let expected = self.stored(expected, instr.span)?;
                let desired = self.stored(desired, instr.span)?;
                let call = format!("__sync_val_compare_and_swap(&{place}, {expected}, {desired})");
                locked(dst, call)
            }
            Op::Fence(fence) => match fence_name(*fence) {
                Some(name) => asm(name),
                None => return refuse(instr.span, "this fence"),
            },
            Op::Goto { cond, target } => match cond {
                Some(cond) => format!("if ({}) goto L{target};", self.value(cond, false)),
                None => format!("goto L{target};"),
            },
            Op::Observe { what, value } => {
                let wide = is_address(value, &self.addresses);
                if wide {
                    pointers.insert(*what);
                }
                let name = &self.names.observables[*what];
                format!("{name} = {};", self.value(value, wide))
            }
            Op::LoadLinked { .. } | Op::StoreConditional { .. } => {
                return refuse(instr.span, "a reservation");
            }
            _ => return refuse(instr.span, "this instruction"),
        })
    }

    /// A value for memory, where words of 32 bits have no room for addresses.
    fn stored(&self, value: &Expr, span: Span) -> Emitted<String> {
        if self.program.data_model == DataModel::Ilp32 && is_address(value, &self.addresses) {
            return refuse(span, "an address in memory");
        }
        Ok(self.value(value, false))
    }

    /// The cell at an address.
    fn place(&self, addr: &Expr, width: Width) -> String {
        if let Expr::Global(g) = addr
            && matches!(
                self.program.layouts[self.program.globals[*g].layout],
                Layout::Scalar { .. }
            )
        {
            return self.names.globals[*g].clone();
        }
        let addr = self.value(addr, true);
        format!("*(volatile {} *)({addr})", cell_type(width))
    }

    /// An expression. `wide`: as 64 bits, where numbers of 32 are taken with their sign.
    fn value(&self, e: &Expr, wide: bool) -> String {
        let ilp32 = self.program.data_model == DataModel::Ilp32;
        if wide && ilp32 && !is_address(e, &self.addresses) {
            return match e {
                Expr::Const { value, width } if sign_extend(*value, *width) >= 0 => {
                    value.to_string()
                }
                _ => format!("(unsigned long)(int)({})", self.value(e, false)),
            };
        }
        let width = self.width(e);
        match e {
            Expr::Const { value, width } => number(*value, *width),
            Expr::Local(l) => self.local(*l),
            Expr::Global(g) => format!("(unsigned long)&{}", self.names.globals[*g]),
            Expr::Proc(p) => format!("(unsigned long)&{}", self.program.procs[*p].name),
            Expr::Unary(UnOp::Not, a) if width == 1 => format!("!{}", self.value(a, wide)),
            Expr::Unary(op, a) => {
                let sign = if *op == UnOp::Not { "~" } else { "-" };
                self.cut(format!("({sign}{})", self.value(a, wide)), width)
            }
            Expr::Binary(op, a, b) => self.binary(*op, a, b, wide),
            Expr::Ite(c, a, b) => format!(
                "({} ? {} : {})",
                self.value(c, false),
                self.value(a, wide),
                self.value(b, wide)
            ),
            Expr::Cast(Cast::Sign, to, a) => {
                let from = cell_type(self.width(a));
                format!(
                    "({})({})({})",
                    register_type(*to, false),
                    from,
                    self.value(a, false)
                )
            }
            Expr::Cast(_, to, a) => {
                format!("({})({})", register_type(*to, false), self.value(a, false))
            }
        }
    }

    fn binary(&self, op: BinOp, a: &Expr, b: &Expr, wide: bool) -> String {
        let operand_is_address = is_address(a, &self.addresses) || is_address(b, &self.addresses);
        let wide = (wide && !op.is_comparison()) || operand_is_address;
        let width = self.width(a);
        let (sign, signed) = match op {
            BinOp::Add => ("+", false),
            BinOp::Sub => ("-", false),
            BinOp::Mul => ("*", false),
            BinOp::Udiv => ("/", false),
            BinOp::Sdiv => ("/", true),
            BinOp::Urem => ("%", false),
            BinOp::Srem => ("%", true),
            BinOp::And => ("&", false),
            BinOp::Or => ("|", false),
            BinOp::Xor => ("^", false),
            BinOp::Shl => ("<<", false),
            BinOp::Lshr => (">>", false),
            BinOp::Ashr => (">>", true),
            BinOp::Eq => ("==", false),
            BinOp::Ne => ("!=", false),
            BinOp::Ult => ("<", false),
            BinOp::Ule => ("<=", false),
            BinOp::Slt => ("<", true),
            BinOp::Sle => ("<=", true),
        };
        let (a, b) = (self.value(a, wide), self.value(b, wide));
        if signed {
            let ty = if wide { "long" } else { cell_type(width) };
            return self.cut(format!("(({ty}){a} {sign} ({ty}){b})"), width);
        }
        let text = format!("({a} {sign} {b})");
        if op.is_comparison() {
            text
        } else {
            self.cut(text, width)
        }
    }

    /// C computes with at least 32 bits.
    fn cut(&self, text: String, width: Width) -> String {
        match width {
            8 | 16 => format!("({}){text}", register_type(width, false)),
            _ => text,
        }
    }
}

fn fence_name(fence: Fence) -> Option<&'static str> {
    Some(match fence {
        Fence::Mfence => "mfence",
        Fence::Sfence => "sfence",
        Fence::Lfence => "lfence",
        Fence::Sync => "sync",
        Fence::Lwsync => "lwsync",
        Fence::Isync => "isync",
        Fence::Eieio => "eieio",
        Fence::Membar { .. } | Fence::C11(_) | Fence::Posix => return None,
    })
}

fn asm(instruction: &str) -> String {
    format!("__asm__ __volatile__(\"{instruction}\" ::: \"memory\");")
}

fn quantifier(quantifier: Quantifier) -> &'static str {
    match quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "~exists",
        Quantifier::Forall => "forall",
    }
}

/// Starts and joins the threads, then asserts: for `exists` and `~exists` that no state is as
/// asked, for `forall` that all are. States that a filter leaves out satisfy any assertion.
fn main(test: &Test, names: &Names, threads: &[&Proc]) -> String {
    let mut out = "\nint main(void)\n{\n".to_string();
    let lines: [fn(&str) -> String; 3] = [
        |p| format!("pthread_t handle_{p};"),
        |p| format!("pthread_create(&handle_{p}, 0, {p}, 0);"),
        |p| format!("pthread_join(handle_{p}, 0);"),
    ];
    for line in lines {
        for proc in threads {
            let _ = writeln!(out, "    {}", line(&proc.name));
        }
    }
    let question = &test.question;
    let asked = condition(&test.program, names, &question.condition);
    let filter = question
        .filter
        .as_ref()
        .map(|f| condition(&test.program, names, f));
    let asserted = match (question.quantifier, filter) {
        (Quantifier::Forall, None) => asked,
        (Quantifier::Forall, Some(filter)) => format!("!{filter} || {asked}"),
        (_, None) => format!("!{asked}"),
        (_, Some(filter)) => format!("!({filter} && {asked})"),
    };
    let _ = writeln!(out, "    assert({asserted});\n    return 0;\n}}");
    out
}

fn condition(program: &Program, names: &Names, c: &Condition) -> String {
    let join = |all: &[Condition], sign: &str, none: &str| {
        let parts: Vec<String> = all.iter().map(|c| condition(program, names, c)).collect();
        if parts.is_empty() {
            none.to_string()
        } else {
            format!("({})", parts.join(sign))
        }
    };
    match c {
        Condition::Constant(truth) => u8::from(*truth).to_string(),
        Condition::Equal(what, operand) => {
            let width = program.observables[*what].width();
            let (left, right) = (
                observed(program, names, *what),
                match operand {
                    Operand::Number(n) => number(*n & mask(width), width),
                    Operand::Address(g, 0) => format!("(unsigned long)&{}", names.globals[*g]),
                    Operand::Address(g, offset) => {
                        format!("(unsigned long)&{} + {offset}", names.globals[*g])
                    }
                    Operand::Observable(other) => observed(program, names, *other),
                },
            );
            format!("({left} == {right})")
        }
        Condition::Not(c) => format!("!{}", condition(program, names, c)),
        Condition::And(all) => join(all, " && ", "1"),
        Condition::Or(any) => join(any, " || ", "0"),
        Condition::Implies(a, b) => format!(
            "(!{} || {})",
            condition(program, names, a),
            condition(program, names, b)
        ),
    }
}

/// The value of an observable when all threads have ended.
fn observed(program: &Program, names: &Names, what: ObservableId) -> String {
    match &program.observables[what] {
        Observable::Register { .. } => names.observables[what].clone(),
        Observable::Memory {
            global,
            offset,
            width,
        } => {
            let name = &names.globals[*global];
            let place = match program.layouts[program.globals[*global].layout] {
                Layout::Array { .. } => format!("{name}[{}]", offset * 8 / u64::from(*width)),
                _ => name.clone(),
            };
            format!("({}){place}", register_type(*width, false))
        }
    }
}

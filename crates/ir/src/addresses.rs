//! Whether a program sees addresses as numbers, beyond what [`super::placement`] chooses: whether it computes with one
//! (a hash, the distance of a shift), or compares one with a number that is none.
//!
//! An address here is a value that is made of one by moves, sums and masks, in registers and in memory, of whatever
//! thread: memory that an address is stored to holds addresses wherever it is read in their width. Numbers below a page
//! and on the last page are no addresses of objects on any machine, and the low bits of an address are those that its
//! alignment says.

use super::program::{
    BinOp, Callee, Cast, Expr, GlobalId, LocalId, Op, ProcId, Program, RmwOp, Width, mask,
};
use super::property::Rule;
use rustc_hash::FxHashSet;

/// Bytes of a page.
const PAGE: u64 = 4096;
/// Low bits that alignment decides.
const ALIGNED: u64 = 15;

/// Whether some instruction sees an address as a number.
pub fn are_seen_as_numbers(program: &Program) -> bool {
    let mut addresses = Addresses {
        program,
        locals: FxHashSet::default(),
        returned: FxHashSet::default(),
        globals: FxHashSet::default(),
        elsewhere: false,
        reached: reached_by_pointer(program),
    };
    addresses.begin();
    while addresses.go_on() {}
    addresses.is_seen()
}

/// Objects with static storage that pointers lead to.
fn reached_by_pointer(program: &Program) -> FxHashSet<GlobalId> {
    let mut reached = FxHashSet::default();
    for instr in program.procs.iter().flat_map(|proc| &proc.body) {
        let address = instr.op.address();
        for operand in instr.op.operands() {
            let is_address = address.is_some_and(|a| std::ptr::eq(a, operand));
            if !is_address || base(operand).is_none() {
                globals(operand, &mut reached);
            }
        }
    }
    let init = program.globals.iter().flat_map(|g| &g.init);
    init.for_each(|(_, _, value)| globals(value, &mut reached));
    reached
}

fn globals(expr: &Expr, out: &mut FxHashSet<GlobalId>) {
    if let Expr::Global(g) = expr {
        out.insert(*g);
    }
    expr.operands().for_each(|operand| globals(operand, out));
}

/// The object that an address is written to be in.
fn base(addr: &Expr) -> Option<GlobalId> {
    match addr {
        Expr::Global(g) => Some(*g),
        Expr::Binary(BinOp::Add, a, b) => match (base(a), base(b)) {
            (Some(g), None) | (None, Some(g)) => Some(g),
            _ => None,
        },
        _ => None,
    }
}

/// What may be an address.
struct Addresses<'p> {
    program: &'p Program,
    locals: FxHashSet<(ProcId, LocalId)>,
    returned: FxHashSet<ProcId>,
    globals: FxHashSet<GlobalId>,
    /// Memory that is reached by pointers.
    elsewhere: bool,
    reached: FxHashSet<GlobalId>,
}

impl Addresses<'_> {
    fn begin(&mut self) {
        for (g, global) in self.program.globals.iter_enumerated() {
            let mut init = global.init.iter();
            if init.any(|(_, _, value)| self.is_address(ProcId(0), value)) {
                self.globals.insert(g);
                self.elsewhere |= self.reached.contains(&g);
            }
        }
    }

    /// Follows all instructions once; whether something is new.
    fn go_on(&mut self) -> bool {
        let program = self.program;
        let mut is_new = false;
        for (id, proc) in program.procs.iter_enumerated() {
            for instr in &proc.body {
                is_new |= self.follow(id, &instr.op);
            }
        }
        is_new
    }

    fn follow(&mut self, proc: ProcId, op: &Op) -> bool {
        match op {
            Op::Assign { dst, value } => {
                self.is_address(proc, value) && self.locals.insert((proc, *dst))
            }
            Op::Alloc { dst, .. } => self.locals.insert((proc, *dst)),
            Op::Load { dst, addr, .. } | Op::LoadLinked { dst, addr, .. } => {
                self.read(proc, *dst, addr)
            }
            Op::Store { addr, value, .. } | Op::StoreConditional { addr, value, .. } => {
                self.write(proc, addr, value)
            }
            Op::Rmw {
                dst,
                addr,
                op,
                operand,
                ..
            } => {
                let moves = matches!(op, RmwOp::Exchange);
                let is_new = moves && self.write(proc, addr, operand);
                self.read(proc, *dst, addr) || is_new
            }
            Op::Cas {
                dst, addr, desired, ..
            } => {
                let is_new = self.write(proc, addr, desired);
                self.read(proc, *dst, addr) || is_new
            }
            Op::Pair(pair) => {
                let mut is_new = false;
                for written in pair.access.written().into_iter().flatten() {
                    is_new |= self.write(proc, &pair.addr, written);
                }
                for dst in pair.access.read().into_iter().flatten() {
                    is_new |= self.read(proc, dst, &pair.addr);
                }
                is_new
            }
            Op::OneOf(all) => all
                .iter()
                .fold(false, |is_new, (_, op)| self.follow(proc, op) || is_new),
            Op::Call { dst, callee, args } => {
                let mut is_new = false;
                for callee in self.callees(callee) {
                    let params = self.program.procs[callee].params.iter();
                    for (param, arg) in params.zip(args) {
                        let is_address = self.is_address(proc, arg);
                        is_new |= is_address && self.locals.insert((callee, *param));
                    }
                    if let Some(dst) = dst
                        && self.returned.contains(&callee)
                    {
                        is_new |= self.locals.insert((proc, *dst));
                    }
                }
                is_new
            }
            Op::Spawn { callee, arg, .. } => {
                let is_address = self.is_address(proc, arg);
                let mut is_new = false;
                for callee in self.callees(callee) {
                    if let Some(param) = self.program.procs[callee].params.first() {
                        is_new |= is_address && self.locals.insert((callee, *param));
                    }
                }
                is_new
            }
            Op::Join { dst: Some(dst), .. } => {
                !self.returned.is_empty() && self.locals.insert((proc, *dst))
            }
            Op::Return(Some(value)) => self.is_address(proc, value) && self.returned.insert(proc),
            _ => false,
        }
    }

    fn callees(&self, callee: &Callee) -> Vec<ProcId> {
        match callee {
            Callee::Proc(proc) | Callee::Pointer(Expr::Proc(proc)) => vec![*proc],
            Callee::Pointer(_) => self.program.procs.ids().collect(),
        }
    }

    fn read(&mut self, proc: ProcId, dst: LocalId, addr: &Expr) -> bool {
        let pointer = self.program.data_model.pointer_width();
        let holds = match base(addr) {
            Some(g) => self.globals.contains(&g) || self.elsewhere && self.reached.contains(&g),
            None => self.elsewhere,
        };
        let is_wide = self.program.procs[proc].locals[dst].width == pointer;
        holds && is_wide && self.locals.insert((proc, dst))
    }

    fn write(&mut self, proc: ProcId, addr: &Expr, value: &Expr) -> bool {
        if !self.is_address(proc, value) {
            return false;
        }
        let before = self.elsewhere;
        match base(addr) {
            Some(g) => {
                self.elsewhere |= self.reached.contains(&g);
                self.globals.insert(g) || self.elsewhere != before
            }
            None => {
                self.elsewhere = true;
                !before
            }
        }
    }

    /// Whether a value may be an address.
    fn is_address(&self, proc: ProcId, value: &Expr) -> bool {
        let of = |e: &Expr| self.is_address(proc, e);
        match value {
            Expr::Global(_) | Expr::Proc(_) => true,
            Expr::Local(local) => self.locals.contains(&(proc, *local)),
            Expr::Const { .. } => false,
            Expr::Unary(_, a) => of(a),
            Expr::Binary(BinOp::Sub, a, b) => of(a) && !of(b),
            Expr::Binary(BinOp::Add | BinOp::And | BinOp::Or | BinOp::Xor, a, b) => of(a) || of(b),
            Expr::Binary(..) | Expr::Cast(..) => false,
            Expr::Ite(_, a, b) => of(a) || of(b),
        }
    }

    /// Whether some instruction sees an address as a number. How subscripts and accesses are checked is not the
    /// program's.
    fn is_seen(&self) -> bool {
        let pointer = self.program.data_model.pointer_width();
        let procs = self.program.procs.iter_enumerated();
        procs.into_iter().any(|(proc, code)| {
            code.body.iter().any(|instr| {
                let is_check = |rule: Rule| rule != Rule::Assertion;
                let operands = match &instr.op {
                    Op::Assert { property, .. } if is_check(property.rule) => Vec::new(),
                    op => op.operands(),
                };
                let address = instr.op.address();
                let own = |e: &Expr| address.is_some_and(|a| std::ptr::eq(a, e));
                operands
                    .into_iter()
                    .any(|e| !own(e) && self.sees(proc, e, pointer))
            })
        })
    }

    fn sees(&self, proc: ProcId, expr: &Expr, pointer: Width) -> bool {
        let of = |e: &Expr| self.is_address(proc, e);
        let here = match expr {
            Expr::Binary(op, a, b) => match (of(a), of(b)) {
                (false, false) => false,
                (true, true) => !matches!(
                    op,
                    BinOp::Eq | BinOp::Ne | BinOp::PtrLt | BinOp::PtrLe | BinOp::Sub
                ),
                (true, false) => self.is_number_seen(*op, b, pointer),
                (false, true) => self.is_number_seen(*op, a, pointer),
            },
            Expr::Cast(Cast::Truncate, _, a) => of(a),
            Expr::Cast(cast, _, a) => {
                !matches!(cast, Cast::Zero | Cast::Sign | Cast::Truncate) && of(a)
            }
            _ => false,
        };
        here || expr.operands().any(|e| self.sees(proc, e, pointer))
    }

    /// Whether an operator on an address and something else depends on the address' number.
    fn is_number_seen(&self, op: BinOp, other: &Expr, pointer: Width) -> bool {
        let number = match other {
            Expr::Const { value, .. } => Some(*value),
            _ => None,
        };
        let is_no_address = |n: u64| n < PAGE || n > mask(pointer) - PAGE;
        let is_low = |n: u64| n <= ALIGNED || !n & mask(pointer) <= ALIGNED;
        match op {
            BinOp::Add | BinOp::Sub => false,
            BinOp::Eq | BinOp::Ne => number.is_some_and(|n| !is_no_address(n)),
            BinOp::Ult | BinOp::Ule | BinOp::Slt | BinOp::Sle | BinOp::PtrLt | BinOp::PtrLe => {
                !number.is_some_and(is_no_address)
            }
            BinOp::And => !number.is_some_and(is_low),
            BinOp::Or | BinOp::Xor => number.is_some_and(|n| !is_low(n)),
            BinOp::Urem => !number.is_some_and(|n| n.is_power_of_two() && n <= ALIGNED + 1),
            // The object that an address is in, where subscripts are checked.
            BinOp::Lshr => {
                let bits = u64::from(self.program.data_model.offset_bits());
                number != Some(bits)
            }
            _ => true,
        }
    }
}

//! Trip-count analysis: whether a loop or a recursion ends by itself, and after how many iterations.
//! An abstract interpretation with constants, of the rest of the loop on what is known where it stands.
//!
//! A register or a scalar in memory is a known number or unknown. A branch on an unknown number goes
//! both ways, and paths that meet keep what they agree on, so `for (i = 0; i < 10; i++) if (x) break;`
//! takes its back edge at most ten times whatever `x` is, and so do loops within it and procedures
//! it calls. A path that comes back to the head of an inner loop with what it knew the last time is not
//! followed again: that loop ends, if it does, for reasons that are not known here, as an await does.
//! All that may be wrong: what other threads do is left out, and so is a write whose address is not
//! known. Nothing rests on it, therefore. It decides only how far to unwind; where unwinding stops the
//! bound is reached, as everywhere.

use super::program::*;
use base::idx::Id;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Instructions of one analysis; what takes longer stays unknown. Each costs the more, the more memory
/// the analysis has written.
pub const MAX_STEPS: u32 = 1 << 15;
/// Writes that cost as much as an instruction.
const WRITES: usize = 16;
/// Calls within calls.
const MAX_DEPTH: usize = 200;

/// What is known of memory: the number at an address, of this many bits.
pub type KnownMemory<'a> = &'a mut dyn FnMut(u64, Width) -> Option<u64>;

/// What the analysis makes of threads that are created.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Threads {
    /// They do nothing.
    Ignored,
    /// They are called.
    Called,
}

/// Registers by number; `None` is unknown.
pub type Known = Vec<Option<u64>>;

/// How often a loop's back edge will still be taken at most, when a thread stands at its head;
/// `None` when that is not known, or more than `most`, or would take more than `steps`.
pub fn trip_count(
    program: &Program,
    proc: ProcId,
    back: usize,
    registers: Known,
    memory: KnownMemory,
    most: u32,
    steps: u32,
) -> Option<u32> {
    let Op::Goto { target: head, .. } = program.procs[proc].body[back].op else {
        return None;
    };
    let mut analysis = TripCountAnalysis::new(program, memory);
    analysis.budget = steps;
    let path = Path {
        registers,
        memory: Rc::default(),
    };
    let mut taken = 0;
    let region = Region {
        proc,
        head,
        back,
        taken: &mut taken,
        most,
    };
    analysis.run(proc, head, path, Some(region))?;
    Some(taken)
}

/// Whether a call returns, however often the procedure calls itself.
pub fn returns(
    program: &Program,
    proc: ProcId,
    args: &[Option<u64>],
    memory: KnownMemory,
    threads: Threads,
) -> bool {
    let mut analysis = TripCountAnalysis::new(program, memory);
    analysis.threads = threads;
    let path = Path {
        registers: analysis.entered(proc, args),
        memory: Rc::default(),
    };
    analysis.run(proc, 0, path, None).is_some()
}

/// A way through a procedure.
#[derive(Clone, PartialEq)]
struct Path {
    registers: Known,
    /// What the analysis itself has written.
    memory: Rc<BTreeMap<u64, Option<u64>>>,
}

/// The loop that is looked at.
struct Region<'a> {
    proc: ProcId,
    head: usize,
    back: usize,
    taken: &'a mut u32,
    most: u32,
}

/// What a procedure comes to: `None` when no way returns.
type Returned = Option<(Path, Option<u64>)>;

struct TripCountAnalysis<'a, 'm> {
    program: &'a Program,
    known: KnownMemory<'m>,
    steps: u32,
    budget: u32,
    depth: usize,
    threads: Threads,
    /// Objects that the analysis has allocated.
    made: u64,
}

impl<'a, 'm> TripCountAnalysis<'a, 'm> {
    fn new(program: &'a Program, known: KnownMemory<'m>) -> Self {
        TripCountAnalysis {
            program,
            known,
            steps: 0,
            budget: MAX_STEPS,
            depth: 0,
            threads: Threads::Ignored,
            made: 0,
        }
    }

    fn entered(&self, proc: ProcId, args: &[Option<u64>]) -> Known {
        let proc = &self.program.procs[proc];
        let mut registers = vec![None; proc.locals.len()];
        for (param, arg) in proc.params.iter().zip(args) {
            registers[param.index()] = arg.map(|a| a & mask(proc.locals[*param].width));
        }
        registers
    }

    /// Follows all ways through a procedure, or through a loop of it; `None` when that takes too long.
    fn run(
        &mut self,
        id: ProcId,
        from: usize,
        path: Path,
        mut region: Option<Region>,
    ) -> Option<Returned> {
        let program = self.program;
        let proc = &program.procs[id];
        let mut pending = BTreeMap::from([(from, path)]);
        let mut returned: Returned = None;
        let mut came_round: BTreeMap<usize, Path> = BTreeMap::new();
        while let Some((pc, mut path)) = pending.pop_first() {
            self.steps += 1 + (path.memory.len() / WRITES) as u32;
            if self.steps > self.budget {
                return None;
            }
            if region.as_ref().is_some_and(|r| pc < r.head || pc > r.back) {
                continue;
            }
            let Some(instr) = proc.body.get(pc) else {
                returned = Some(returning(returned, path, None));
                continue;
            };
            match &instr.op {
                Op::Goto { cond, target } => {
                    let cond = match cond {
                        Some(cond) => self.eval(proc, &path, cond),
                        None => Some(1),
                    };
                    if cond != Some(1) {
                        arrive(&mut pending, pc + 1, path.clone());
                    }
                    if cond != Some(0) {
                        if let Some(r) = &mut region
                            && r.proc == id
                            && r.back == pc
                        {
                            *r.taken += 1;
                            if *r.taken > r.most {
                                return None;
                            }
                        } else if *target <= pc {
                            if came_round.get(&pc) == Some(&path) {
                                continue;
                            }
                            came_round.insert(pc, path.clone());
                        }
                        arrive(&mut pending, *target, path);
                    }
                    continue;
                }
                Op::Return(value) => {
                    let value = value.as_ref().and_then(|v| self.eval(proc, &path, v));
                    returned = Some(returning(returned, path, value));
                    continue;
                }
                Op::ThreadExit(_) | Op::Halt => continue,
                Op::Assume(cond) | Op::Wait { cond, .. } => {
                    if self.eval(proc, &path, cond) == Some(0) {
                        continue;
                    }
                }
                Op::Call { dst, callee, args } => {
                    let args: Vec<Option<u64>> =
                        args.iter().map(|a| self.eval(proc, &path, a)).collect();
                    let mut value = None;
                    if let Some(callee) = self.callee(proc, &path, callee) {
                        let registers = std::mem::take(&mut path.registers);
                        match self.call(callee, &args, path)? {
                            None => continue,
                            Some((after, v)) => (path, value) = (after, v),
                        }
                        path.registers = registers;
                    }
                    if let Some(dst) = dst {
                        path.registers[dst.index()] =
                            value.map(|v| v & mask(proc.locals[*dst].width));
                    }
                }
                Op::Spawn { dst, callee, arg } => {
                    let arg = self.eval(proc, &path, arg);
                    if self.threads == Threads::Called
                        && let Some(callee) = self.callee(proc, &path, callee)
                    {
                        let registers = std::mem::take(&mut path.registers);
                        let kept = path.memory.clone();
                        path.memory = match self.call(callee, &[arg], path.clone())? {
                            Some((after, _)) => after.memory,
                            None => kept,
                        };
                        path.registers = registers;
                    }
                    path.registers[dst.index()] = None;
                }
                op => self.execute(proc, &mut path, op),
            }
            arrive(&mut pending, pc + 1, path);
        }
        Some(returned)
    }

    fn call(&mut self, callee: ProcId, args: &[Option<u64>], path: Path) -> Option<Returned> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let path = Path {
            registers: self.entered(callee, args),
            ..path
        };
        let returned = self.run(callee, 0, path, None)?;
        self.depth -= 1;
        Some(returned)
    }

    fn callee(&mut self, proc: &Proc, path: &Path, callee: &Callee) -> Option<ProcId> {
        match callee {
            Callee::Proc(p) => Some(*p),
            Callee::Pointer(e) => {
                let address = self.eval(proc, path, e)?;
                let mut all = self.program.procs.ids();
                all.find(|p| self.program.procedure_address(*p) == address)
            }
        }
    }

    /// An instruction that goes on with the next one.
    fn execute(&mut self, proc: &Proc, path: &mut Path, op: &Op) {
        let width = |l: &LocalId| proc.locals[*l].width;
        match op {
            Op::Assign { dst, value } => {
                path.registers[dst.index()] = self.eval(proc, path, value);
            }
            Op::Load { dst, addr, .. } | Op::LoadLinked { dst, addr, .. } => {
                let addr = self.eval(proc, path, addr);
                path.registers[dst.index()] = self.load(path, addr, width(dst));
            }
            Op::Store { addr, value, .. } => {
                let addr = self.eval(proc, path, addr);
                let value = self.eval(proc, path, value);
                store(path, addr, value);
            }
            Op::Rmw {
                dst,
                addr,
                op,
                operand,
                ..
            } => {
                let addr = self.eval(proc, path, addr);
                let operand = self.eval(proc, path, operand);
                let old = self.load(path, addr, width(dst));
                // An exchange stores its operand, whatever was there.
                let width = width(dst);
                let new = match (op, old) {
                    (RmwOp::Exchange, _) => operand,
                    (_, old) => old.zip(operand).map(|(old, by)| op.apply(old, by, width)),
                };
                store(path, addr, new);
                path.registers[dst.index()] = old;
            }
            Op::Cas {
                dst,
                addr,
                expected,
                desired,
                weak,
                ..
            } => {
                let addr = self.eval(proc, path, addr);
                let expected = self.eval(proc, path, expected);
                let desired = self.eval(proc, path, desired);
                let old = self.load(path, addr, width(dst));
                if let Some(weak) = weak {
                    path.registers[weak.done.index()] = None;
                }
                match (old, expected) {
                    (Some(old), Some(expected)) if old == expected && weak.is_some() => {
                        store(path, addr, None);
                    }
                    (Some(old), Some(expected)) if old != expected => {}
                    (Some(_), Some(_)) => store(path, addr, desired),
                    _ => store(path, addr, None),
                }
                path.registers[dst.index()] = old;
            }
            Op::Pair(pair) => {
                let addr = self.eval(proc, path, &pair.addr);
                if pair.access.written().is_some() {
                    store(path, addr, None);
                    store(path, addr.map(|addr| addr.wrapping_add(8)), None);
                }
                for dst in pair.access.results() {
                    path.registers[dst.index()] = None;
                }
            }
            Op::OneOf(ways) => {
                for (cond, way) in ways {
                    match self.eval(proc, path, cond) {
                        Some(0) => {}
                        Some(_) => return self.execute(proc, path, way),
                        None => {
                            self.forget(proc, path, ways);
                            return;
                        }
                    }
                }
            }
            Op::StoreConditional { dst, addr, .. } => {
                let addr = self.eval(proc, path, addr);
                store(path, addr, None);
                path.registers[dst.index()] = None;
            }
            Op::Alloc { dst, .. } => {
                // Above all objects of the program; an address that is of no other object.
                self.made += 1;
                let bits = self.program.data_model.offset_bits();
                let top = mask(self.program.data_model.pointer_width());
                let addr = top.wrapping_sub(self.made << bits) & !mask(bits as Width);
                path.registers[dst.index()] = Some(addr & top);
            }
            other => {
                for dst in other.results() {
                    path.registers[dst.index()] = None;
                }
            }
        }
    }

    /// One of these instructions is executed, it is not known which.
    fn forget(&mut self, proc: &Proc, path: &mut Path, ways: &[(Expr, Op)]) {
        for (_, way) in ways {
            if let Op::Store { addr, .. } | Op::Rmw { addr, .. } | Op::Cas { addr, .. } = way {
                let addr = self.eval(proc, path, addr);
                store(path, addr, None);
            }
            if matches!(way, Op::Pair(_)) {
                self.execute(proc, path, way);
            }
            let results = way.results();
            results
                .iter()
                .for_each(|r| path.registers[r.index()] = None);
        }
    }

    fn load(&mut self, path: &Path, addr: Option<u64>, width: Width) -> Option<u64> {
        let addr = addr?;
        match path.memory.get(&addr) {
            Some(value) => value.map(|v| v & mask(width)),
            None => (self.known)(addr, width),
        }
    }

    fn eval(&mut self, proc: &Proc, path: &Path, e: &Expr) -> Option<u64> {
        match e {
            Expr::Const { value, .. } => Some(*value),
            Expr::Local(l) => path.registers[l.index()],
            Expr::Global(g) if self.program.globals[*g].thread_local => None,
            Expr::Global(g) => Some(self.program.static_address(*g)),
            Expr::Proc(p) => Some(self.program.procedure_address(*p)),
            Expr::Unary(op, a) => {
                let width = a.width(self.program, proc);
                Some(eval_unary(*op, self.eval(proc, path, a)?, width))
            }
            Expr::Binary(op, a, b) => {
                let width = a.width(self.program, proc);
                let (a, b) = (self.eval(proc, path, a), self.eval(proc, path, b));
                match (op, a, b) {
                    (_, Some(a), Some(b)) => Some(eval_binary(*op, a, b, width)),
                    (BinOp::And | BinOp::Mul, Some(0), _)
                    | (BinOp::And | BinOp::Mul, _, Some(0)) => Some(0),
                    (BinOp::Or, Some(all), _) | (BinOp::Or, _, Some(all)) if all == mask(width) => {
                        Some(all)
                    }
                    _ => None,
                }
            }
            Expr::Ite(c, a, b) => {
                let c = self.eval(proc, path, c);
                let (a, b) = (self.eval(proc, path, a), self.eval(proc, path, b));
                match c {
                    Some(0) => b,
                    Some(_) => a,
                    None => a.filter(|_| a == b),
                }
            }
            Expr::Cast(cast, width, a) => {
                let from = a.width(self.program, proc);
                Some(eval_cast(*cast, self.eval(proc, path, a)?, from, *width))
            }
        }
    }
}

/// Writes a number, or that nothing is known of it.
fn store(path: &mut Path, addr: Option<u64>, value: Option<u64>) {
    if let Some(addr) = addr {
        Rc::make_mut(&mut path.memory).insert(addr, value);
    }
}

/// Puts a path before an instruction, joining it with one that waits there.
fn arrive(pending: &mut BTreeMap<usize, Path>, pc: usize, path: Path) {
    let joined = match pending.remove(&pc) {
        None => path,
        Some(other) => join(other, path),
    };
    pending.insert(pc, joined);
}

/// What both paths know.
fn join(mut a: Path, b: Path) -> Path {
    for (a, b) in a.registers.iter_mut().zip(&b.registers) {
        *a = a.filter(|_| *a == *b);
    }
    if !Rc::ptr_eq(&a.memory, &b.memory) {
        let addresses = a.memory.keys().chain(b.memory.keys());
        let both = |addr: &u64| {
            let (x, y) = (a.memory.get(addr), b.memory.get(addr));
            (*addr, x.filter(|_| x == y).copied().flatten())
        };
        a.memory = Rc::new(addresses.map(both).collect());
    }
    a
}

fn returning(before: Returned, path: Path, value: Option<u64>) -> (Path, Option<u64>) {
    match before {
        None => (path, value),
        Some((other, v)) => {
            // Registers end with the procedure.
            let unset = |p: Path| Path {
                registers: Vec::new(),
                ..p
            };
            (join(unset(other), unset(path)), v.filter(|_| v == value))
        }
    }
}

//! Runs a program of the intermediate language step by step, one thread at a time: a spawned
//! thread runs to its end at once. Enough to compare the lowering with what a C compiler does.

use std::collections::{BTreeMap, BTreeSet};
use wmbmc::base::idx::Id;
use wmbmc::ir::pair::PairAccess;
use wmbmc::ir::program::*;

/// How a run ended before the end of `main`.
#[derive(Debug, PartialEq, Eq)]
pub enum Stop {
    /// An assertion failed; its text.
    Failed(String),
    /// The process ended.
    Halted,
    /// The thread ended.
    ThreadEnd(u64),
    /// Anything else.
    Stuck(String),
}

pub struct Machine<'a> {
    program: &'a Program,
    memory: BTreeMap<u64, Vec<u8>>,
    next: u64,
    results: BTreeMap<u64, u64>,
    /// Handles of the running threads, the innermost last.
    running: Vec<u64>,
    started: u64,
    /// What threads remember, by thread and key.
    notes: BTreeMap<(u64, u64), u64>,
    /// Keys that were claimed and not released.
    claimed: BTreeSet<u64>,
    steps: usize,
    /// How many assertions held.
    pub held: usize,
}

/// Procedures are objects of their own, far from all others.
const PROCS: u64 = 1 << 11;

impl<'a> Machine<'a> {
    pub fn new(program: &'a Program) -> Machine<'a> {
        let mut machine = Machine {
            program,
            memory: BTreeMap::new(),
            next: 1,
            results: BTreeMap::new(),
            running: vec![1],
            started: 1,
            notes: BTreeMap::new(),
            claimed: BTreeSet::new(),
            steps: 0,
            held: 0,
        };
        program.globals.ids().for_each(|id| machine.initialise(id));
        machine.next += program.globals.len() as u64;
        machine
    }

    /// Gives an object with static storage its first value.
    fn initialise(&mut self, id: GlobalId) {
        let (object, global) = (1 + id.index() as u64, &self.program.globals[id]);
        let size = self.program.size_of(global.layout).max(1) as usize;
        self.memory.insert(object, vec![0; size]);
        for (offset, width, value) in &global.init {
            let value = self.eval(&[], None, value);
            let addr = self.pointer(object) + offset;
            self.write(addr, *width, value)
                .expect("an initial value is inside of its object");
        }
    }

    /// The objects of the running thread alone, with their contents.
    fn own_objects(&self) -> Vec<(u64, Vec<u8>)> {
        let own = self.program.globals.iter_enumerated();
        let own = own.filter(|(_, g)| g.thread_local);
        own.map(|(id, _)| 1 + id.index() as u64)
            .map(|object| (object, self.memory[&object].clone()))
            .collect()
    }

    fn pointer(&self, object: u64) -> u64 {
        object << self.program.data_model.offset_bits()
    }

    fn cell(&mut self, addr: u64, width: Width) -> Result<&mut [u8], Stop> {
        let bits = self.program.data_model.offset_bits();
        let (object, offset) = (addr >> bits, (addr & mask(bits as u8)) as usize);
        let bytes = usize::from(width) / 8;
        let found = self
            .memory
            .get_mut(&object)
            .and_then(|m| m.get_mut(offset..offset + bytes));
        found.ok_or_else(|| Stop::Stuck(format!("access of {bytes} bytes at {addr:#x}")))
    }

    fn read(&mut self, addr: u64, width: Width) -> Result<u64, Stop> {
        let bytes = self.cell(addr, width)?;
        Ok(bytes.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b)))
    }

    fn write(&mut self, addr: u64, width: Width, value: u64) -> Result<(), Stop> {
        let cell = self.cell(addr, width)?;
        cell.iter_mut()
            .enumerate()
            .for_each(|(i, b)| *b = (value >> (8 * i)) as u8);
        Ok(())
    }

    fn eval(&self, locals: &[u64], proc: Option<&Proc>, e: &Expr) -> u64 {
        let width = |e: &Expr| match (proc, e) {
            (Some(proc), e) => e.width(self.program, proc),
            (None, Expr::Const { width, .. } | Expr::Cast(_, width, _)) => *width,
            (None, _) => self.program.data_model.pointer_width(),
        };
        match e {
            Expr::Const { value, .. } => *value,
            Expr::Local(l) => locals[l.index()],
            Expr::Global(g) => self.pointer(1 + g.index() as u64),
            Expr::Proc(p) => {
                self.pointer(PROCS + p.index() as u64)
                    & mask(self.program.data_model.pointer_width())
            }
            Expr::Unary(op, a) => {
                let v = self.eval(locals, proc, a);
                eval_unary(*op, v, width(a))
            }
            Expr::Binary(op, a, b) => eval_binary(
                *op,
                self.eval(locals, proc, a),
                self.eval(locals, proc, b),
                width(a),
            ),
            Expr::Ite(c, a, b) => self.eval(
                locals,
                proc,
                if self.eval(locals, proc, c) != 0 {
                    a
                } else {
                    b
                },
            ),
            Expr::Cast(cast, to, a) => {
                let v = self.eval(locals, proc, a);
                eval_cast(*cast, v, width(a), *to)
            }
        }
    }

    /// Runs a procedure to its end.
    pub fn run(&mut self, id: ProcId, args: &[u64]) -> Result<u64, Stop> {
        let program = self.program;
        let proc = &program.procs[id];
        let mut locals = vec![0u64; proc.locals.len()];
        proc.params
            .iter()
            .zip(args)
            .for_each(|(p, a)| locals[p.index()] = *a);
        let mut pc = 0;
        while let Some(instr) = proc.body.get(pc) {
            self.steps += 1;
            if self.steps > 1_000_000 {
                return Err(Stop::Stuck("too many steps".to_string()));
            }
            pc += 1;
            let eval = |m: &Self, l: &[u64], e: &Expr| m.eval(l, Some(proc), e);
            let mut op = &instr.op;
            while let Op::OneOf(ways) = op {
                let way = ways.iter().find(|(c, _)| eval(self, &locals, c) != 0);
                op = &way.expect("one of the conditions holds").1;
            }
            match op {
                Op::Assign { dst, value } => locals[dst.index()] = eval(self, &locals, value),
                // An arbitrary value that is easy to tell from a sensible one.
                Op::Use(_) | Op::Constant { .. } => {}
                Op::Havoc { dst } | Op::Indeterminate { dst } => {
                    locals[dst.index()] = 0x5eed_5eed_5eed_5eed & mask(proc.locals[*dst].width)
                }
                Op::ThreadSelf { dst } => {
                    locals[dst.index()] = self.own_handle();
                }
                Op::SameThread { dst, a, b } => {
                    let is_same = eval(self, &locals, a) == eval(self, &locals, b);
                    locals[dst.index()] = u64::from(is_same);
                }
                Op::Load { dst, addr, .. } => {
                    let addr = eval(self, &locals, addr);
                    locals[dst.index()] = self.read(addr, proc.locals[*dst].width)?;
                }
                Op::Store { addr, value, .. } => {
                    let (a, v) = (eval(self, &locals, addr), eval(self, &locals, value));
                    self.write(a, value.width(program, proc), v)?;
                }
                Op::Rmw {
                    dst,
                    addr,
                    op,
                    operand,
                    ..
                } => {
                    let (addr, v) = (eval(self, &locals, addr), eval(self, &locals, operand));
                    let width = proc.locals[*dst].width;
                    let old = self.read(addr, width)?;
                    let new = match op {
                        RmwOp::Exchange => v,
                        RmwOp::Add => old.wrapping_add(v),
                        RmwOp::Sub => old.wrapping_sub(v),
                        RmwOp::And => old & v,
                        RmwOp::Or => old | v,
                        RmwOp::Xor => old ^ v,
                        RmwOp::Nand => !(old & v),
                    };
                    self.write(addr, width, new)?;
                    locals[dst.index()] = old;
                }
                Op::Cas {
                    dst,
                    addr,
                    expected,
                    desired,
                    weak,
                    ..
                } => {
                    let width = proc.locals[*dst].width;
                    let addr = eval(self, &locals, addr);
                    let (x, y) = (eval(self, &locals, expected), eval(self, &locals, desired));
                    let old = self.read(addr, width)?;
                    if old == x {
                        self.write(addr, width, y)?;
                    }
                    locals[dst.index()] = old;
                    if let Some(weak) = weak {
                        locals[weak.done.index()] = u64::from(old == x);
                    }
                }
                Op::Pair(pair) => {
                    let addr = eval(self, &locals, &pair.addr);
                    let operands = pair.access.operands();
                    let operands: Vec<u64> =
                        operands.iter().map(|e| eval(self, &locals, e)).collect();
                    let at = [addr, addr.wrapping_add(8)];
                    let mut old = [0; 2];
                    if pair.access.read().is_some() {
                        old = [self.read(at[0], 64)?, self.read(at[1], 64)?];
                    }
                    let new = match &pair.access {
                        PairAccess::Load { .. } => None,
                        PairAccess::Store { .. } | PairAccess::Exchange { .. } => {
                            Some([operands[0], operands[1]])
                        }
                        PairAccess::Cas { .. } => {
                            (operands[..2] == old).then_some([operands[2], operands[3]])
                        }
                    };
                    for (at, word) in at.into_iter().zip(new.into_iter().flatten()) {
                        self.write(at, 64, word)?;
                    }
                    for (dst, word) in pair.access.read().into_iter().flatten().zip(old) {
                        locals[dst.index()] = word;
                    }
                    if let PairAccess::Cas {
                        weak: Some(weak), ..
                    } = &pair.access
                    {
                        locals[weak.done.index()] = u64::from(new.is_some());
                    }
                }
                Op::Goto { cond, target } => {
                    if cond.as_ref().is_none_or(|c| eval(self, &locals, c) != 0) {
                        pc = *target;
                    }
                }
                Op::Call { dst, callee, args } => {
                    let args: Vec<u64> = args.iter().map(|a| eval(self, &locals, a)).collect();
                    let callee = self.callee(callee, &locals, proc)?;
                    let value = self.run(callee, &args)?;
                    if let Some(dst) = dst {
                        locals[dst.index()] = value;
                    }
                }
                Op::Return(value) => {
                    return Ok(value.as_ref().map_or(0, |v| eval(self, &locals, v)));
                }
                Op::Alloc {
                    dst, size, zeroed, ..
                } => {
                    let fill = if *zeroed { 0 } else { 0xa5 };
                    let size = eval(self, &locals, size) as usize;
                    self.memory.insert(self.next, vec![fill; size.min(1 << 20)]);
                    locals[dst.index()] = self.pointer(self.next);
                    self.next += 1;
                }
                Op::Spawn { dst, callee, arg } => {
                    let arg = eval(self, &locals, arg);
                    let callee = self.callee(callee, &locals, proc)?;
                    self.started += 1;
                    let handle = self.started;
                    self.running.push(handle);
                    let outer = self.own_objects();
                    for (object, _) in &outer {
                        self.initialise(GlobalId::from_index(*object as usize - 1));
                    }
                    let value = match self.run(callee, &[arg]) {
                        Err(Stop::ThreadEnd(value)) => value,
                        other => other?,
                    };
                    self.running.pop();
                    self.memory.extend(outer);
                    self.results.insert(handle, value);
                    locals[dst.index()] = handle;
                }
                Op::Join { handle, dst } => {
                    let value = self
                        .results
                        .get(&eval(self, &locals, handle))
                        .copied()
                        .unwrap_or(0);
                    if let Some(dst) = dst {
                        locals[dst.index()] = value;
                    }
                }
                Op::Assume(c) | Op::Wait { cond: c, .. } if eval(self, &locals, c) == 0 => {
                    return Err(Stop::Stuck("an assumption fails".into()));
                }
                Op::Assert { cond, property } => {
                    if eval(self, &locals, cond) == 0 {
                        return Err(Stop::Failed(property.text.clone()));
                    }
                    self.held += 1;
                }
                Op::SetNote { key, value, when } => {
                    let (key, value) = (eval(self, &locals, key), eval(self, &locals, value));
                    if eval(self, &locals, when) != 0 {
                        self.notes.insert((self.own_handle(), key), value);
                    }
                }
                Op::GetNote { dst, key } => {
                    let note = (self.own_handle(), eval(self, &locals, key));
                    locals[dst.index()] = self.notes.get(&note).copied().unwrap_or(0);
                }
                Op::Claim { key, property, .. } => {
                    if !self.claimed.insert(eval(self, &locals, key)) {
                        return Err(Stop::Failed(property.text.clone()));
                    }
                }
                Op::Release(key) => {
                    let key = eval(self, &locals, key);
                    self.claimed.remove(&key);
                }
                Op::ThreadExit(value) => {
                    return Err(Stop::ThreadEnd(
                        value.as_ref().map_or(0, |v| eval(self, &locals, v)),
                    ));
                }
                Op::Halt => return Err(Stop::Halted),
                Op::Unknown(reason) => return Err(Stop::Stuck(reason.clone())),
                Op::LoadLinked { .. } | Op::StoreConditional { .. } | Op::Observe { .. } => {
                    return Err(Stop::Stuck("C has no such instruction".to_string()));
                }
                // What ends too early is missed by the program, which is then stuck.
                Op::LeaveScope { addr } => {
                    let object = eval(self, &locals, addr) >> program.data_model.offset_bits();
                    self.memory.remove(&object);
                }
                Op::Assume(_)
                | Op::Wait { .. }
                | Op::Free { .. }
                | Op::Fence(_)
                | Op::GracePeriod { .. }
                | Op::OneOf(_)
                | Op::AtomicBegin(_)
                | Op::AtomicEnd
                | Op::ControlBegin(_)
                | Op::ControlEnd(_) => {}
            }
        }
        Ok(0)
    }

    fn own_handle(&self) -> u64 {
        *self.running.last().expect("main is always running")
    }

    fn callee(&self, callee: &Callee, locals: &[u64], proc: &Proc) -> Result<ProcId, Stop> {
        match callee {
            Callee::Proc(p) => Ok(*p),
            Callee::Pointer(e) => {
                let value =
                    self.eval(locals, Some(proc), e) >> self.program.data_model.offset_bits();
                let index = value
                    .checked_sub(PROCS)
                    .filter(|i| (*i as usize) < self.program.procs.len());
                index
                    .map(|i| ProcId(i as u32))
                    .ok_or_else(|| Stop::Stuck("a call of no procedure".to_string()))
            }
        }
    }
}

//! What values may be: an interval for each register and each variable, for all threads and program
//! points together. Enough to know that a ticket is never negative.
//!
//! The least fixpoint of all assignments, with bounds that still move after [`ROUNDS`] rounds taken
//! for infinite. Unlike the machine's, integers do not wrap around. A register whose initial value
//! may be read may be anything.

use super::flow::successors;
use crate::front::asm::ast::{Initial, Number, Program};
use crate::front::litmus::ast::x86::{Binary, Op, Operand, Unary};
use std::collections::{BTreeMap, BTreeSet};

/// After so many rounds a bound that moves is infinite.
const ROUNDS: usize = 8;

/// The least and the largest value; beyond ±2⁴⁰ they are infinite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Interval {
    least: i64,
    most: i64,
}

const INFINITE: i64 = 1 << 40;

/// A number of 32 bits as a signed one: `0xffffffff` is -1.
pub(super) fn signed(number: Number) -> i64 {
    let bits = number.bits & 0xffff_ffff;
    let high = i64::from(bits >= 1 << 31);
    bits.cast_signed() - (high << 32)
}

impl Interval {
    const ALL: Interval = Interval {
        least: -INFINITE,
        most: INFINITE,
    };

    pub fn new(least: i64, most: i64) -> Interval {
        Interval {
            least: least.max(-INFINITE),
            most: most.min(INFINITE),
        }
    }

    fn of(number: Number) -> Interval {
        Interval::new(signed(number), signed(number))
    }

    pub fn is_natural(self) -> bool {
        self.least >= 0
    }

    pub fn is_within(self, other: Interval) -> bool {
        self.least >= other.least && self.most <= other.most
    }

    fn join(self, other: Interval) -> Interval {
        Interval::new(self.least.min(other.least), self.most.max(other.most))
    }

    /// The sum; infinite bounds stay.
    fn plus(self, other: Interval) -> Interval {
        let least = if self.least == -INFINITE || other.least == -INFINITE {
            -INFINITE
        } else {
            self.least + other.least
        };
        let most = if self.most == INFINITE || other.most == INFINITE {
            INFINITE
        } else {
            self.most + other.most
        };
        Interval::new(least, most)
    }

    fn negated(self) -> Interval {
        Interval::new(-self.most, -self.least)
    }
}

/// The intervals of a program; what is in none has no value.
pub(super) struct Intervals {
    values: BTreeMap<String, Interval>,
}

impl Intervals {
    pub fn new(program: &Program) -> Intervals {
        let mut all = Intervals {
            values: BTreeMap::new(),
        };
        for data in program.shared.iter().chain(&program.private) {
            let value = match data.initial {
                Initial::Number(n) => Interval::of(n),
                Initial::ThreadCount(_) => Interval::new(0, INFINITE),
            };
            all.join(&variable(&data.name.text), value);
        }
        for register in live_at_start(program) {
            all.join(&register, Interval::ALL);
        }
        for round in 0.. {
            let before = all.values.clone();
            for line in &program.code {
                all.assign(&line.instr.op);
            }
            if all.values == before {
                break;
            }
            if round >= ROUNDS {
                for (name, value) in &mut all.values {
                    let old = before.get(name).copied().unwrap_or(*value);
                    if value.least < old.least {
                        value.least = -INFINITE;
                    }
                    if value.most > old.most {
                        value.most = INFINITE;
                    }
                }
            }
        }
        all
    }

    /// The values of an operand.
    pub fn of(&self, operand: &Operand) -> Interval {
        match operand {
            Operand::Number(n) => Interval::of(*n),
            Operand::ThreadCount(_) => Interval::new(0, INFINITE),
            _ => name(operand).map_or(Interval::ALL, |n| self.get(&n)),
        }
    }

    /// The values of a register.
    pub fn register(&self, name: &str) -> Interval {
        self.get(name)
    }

    fn get(&self, name: &str) -> Interval {
        // Without a value yet: nothing is added by reading it.
        self.values
            .get(name)
            .copied()
            .unwrap_or(Interval::new(0, 0))
    }

    fn join(&mut self, name: &str, value: Interval) {
        let joined = match self.values.get(name) {
            Some(old) => old.join(value),
            None => value,
        };
        self.values.insert(name.to_string(), joined);
    }

    fn write(&mut self, operand: &Operand, value: Interval) {
        if let Some(name) = name(operand) {
            self.join(&name, value);
        }
    }

    fn assign(&mut self, op: &Op) {
        let one = Interval::new(1, 1);
        match op {
            Op::Mov(a, b) => self.write(a, self.of(b)),
            Op::Xchg(a, b) => {
                let (left, right) = (self.of(a), self.of(b));
                self.write(a, right);
                self.write(b, left);
            }
            Op::Binary(Binary::Sub, a, b) => {
                self.write(a, self.of(a).plus(self.of(b).negated()));
            }
            Op::Binary(_, a, b) => self.write(a, self.of(a).plus(self.of(b))),
            Op::Unary(Unary::Inc, a) => self.write(a, self.of(a).plus(one)),
            Op::Unary(Unary::Dec, a) => self.write(a, self.of(a).plus(one.negated())),
            Op::Unary(_, a) => self.write(a, self.of(a).negated().plus(one.negated())),
            Op::Xadd(a, source) => {
                let (old, added) = (self.of(a), self.get(&source.text));
                self.write(a, old.plus(added));
                self.join(&source.text, old);
            }
            Op::Cmpxchg(a, source) => {
                let (old, desired) = (self.of(a), self.get(&source.text));
                self.write(a, desired);
                self.join("EAX", old);
            }
            Op::Rdtsc => {
                self.join("EAX", Interval::ALL);
                self.join("EDX", Interval::ALL);
            }
            Op::CmpxchgPair(a) => {
                self.write(a, Interval::ALL);
                self.join("EAX", Interval::ALL);
                self.join("EDX", Interval::ALL);
            }
            Op::Bit(_, a, _) | Op::Set(_, a) => self.write(a, Interval::ALL),
            Op::Nop | Op::Fence(_) | Op::Cmp(..) | Op::Test(..) | Op::Jump(..) => {}
        }
    }
}

/// The name of a variable, apart from those of registers.
fn variable(name: &str) -> String {
    format!("[{name}]")
}

fn name(operand: &Operand) -> Option<String> {
    match operand {
        Operand::Register(name) => Some(name.text.clone()),
        other => other.symbol().map(|s| variable(&s.name.text)),
    }
}

/// The registers that an instruction reads and those that it sets.
fn registers(op: &Op) -> (Vec<String>, Vec<String>) {
    let register = |o: &Operand| match o {
        Operand::Register(name) => vec![name.text.clone()],
        _ => Vec::new(),
    };
    match op {
        Op::Mov(a, b) => (register(b), register(a)),
        Op::Xchg(a, b) => {
            let both = [register(a), register(b)].concat();
            (both.clone(), both)
        }
        Op::Binary(_, a, b) => ([register(a), register(b)].concat(), register(a)),
        Op::Unary(_, a) => (register(a), register(a)),
        Op::Cmp(a, b) | Op::Test(a, b) | Op::Bit(_, a, b) => {
            ([register(a), register(b)].concat(), Vec::new())
        }
        Op::Set(_, a) => (register(a), Vec::new()),
        Op::Xadd(a, source) => {
            let both = [register(a), vec![source.text.clone()]].concat();
            (both.clone(), both)
        }
        // What a comparison that fails does not write stays.
        Op::Cmpxchg(a, source) => {
            let read = [register(a), vec![source.text.clone(), "EAX".into()]].concat();
            (read, Vec::new())
        }
        Op::Rdtsc => (Vec::new(), ["EAX", "EDX"].map(String::from).to_vec()),
        Op::CmpxchgPair(a) => {
            let words = ["EAX", "EDX", "EBX", "ECX"].map(String::from).to_vec();
            ([register(a), words].concat(), Vec::new())
        }
        Op::Nop | Op::Fence(_) | Op::Jump(..) => (Vec::new(), Vec::new()),
    }
}

/// The registers whose initial value some instruction may read.
pub(super) fn live_at_start(program: &Program) -> BTreeSet<String> {
    let count = program.code.len();
    let mut live = vec![BTreeSet::new(); count + 1];
    let mut changed = true;
    while changed {
        changed = false;
        for index in (0..count).rev() {
            let (read, set) = registers(&program.code[index].instr.op);
            let mut now: BTreeSet<String> = BTreeSet::new();
            for next in successors(program, index) {
                now.extend(live[next].iter().filter(|r| !set.contains(*r)).cloned());
            }
            now.extend(read);
            if now != live[index] {
                live[index] = now;
                changed = true;
            }
        }
    }
    live.swap_remove(0)
}

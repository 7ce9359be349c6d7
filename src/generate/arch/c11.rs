//! C11, in herd's dialect of C: accesses have memory orders, fences are `atomic_thread_fence`, and an
//! exchange is `atomic_exchange_explicit`.
//!
//! The names of fences and orders are those of `diy`: `FenceScdWR`, `PodWWRlxRel`. An access without an
//! order is not atomic (`Na` beside one that has an order). Dependencies compute nothing, as on machines:
//! `r0 ^ r0` is added to an address or a value, and a branch on `r0 == r0` has the rest of the thread in it.

use super::{Access, Arch, Code, Layout, NoRegister};
use crate::generate::edge::{AccessOrder, Dep, Dir, Fence, RelaxationKind, Through};

/// The language.
pub struct C11;

macro_rules! fences {
    ($($rank:literal $name:literal $order:literal),* $(,)?) => {
        [$(Fence {
            rank: $rank,
            name: $name,
            instruction: concat!("atomic_thread_fence(memory_order_", $order, ");"),
            cumulative: true,
        }),*]
    };
}

static FENCES: [Fence; 4] = fences![
    0 "FenceAcq" "acquire",
    1 "FenceRel" "release",
    2 "FenceAcqRel" "acq_rel",
    3 "FenceSc" "seq_cst",
];

static DEPS: [Dep; 3] = [
    Dep {
        rank: 0,
        name: "Ctrl",
        through: Through::Control,
        fence: None,
    },
    Dep {
        rank: 1,
        name: "Data",
        through: Through::Data,
        fence: None,
    },
    Dep {
        rank: 2,
        name: "Addr",
        through: Through::Address,
        fence: None,
    },
];

static ORDERS: [AccessOrder; 4] = [
    AccessOrder::Relaxed,
    AccessOrder::Acquire,
    AccessOrder::Release,
    AccessOrder::SeqCst,
];

impl Arch for C11 {
    fn name(&self) -> &'static str {
        "C"
    }

    fn fences(&self) -> &'static [Fence] {
        &FENCES
    }

    fn deps(&self) -> &'static [Dep] {
        &DEPS
    }

    fn has_exchange(&self) -> bool {
        true
    }

    fn orders(&self) -> &'static [AccessOrder] {
        &ORDERS
    }

    fn layout(&self) -> Layout {
        Layout::Functions
    }

    fn thread(&self, accesses: &[Access], _labels: &mut u32) -> Result<Code, NoRegister> {
        let mut thread = Thread::default();
        let mut hangs_on = None;
        let mut exchanged = false;
        for (i, access) in accesses.iter().enumerate() {
            let write = accesses.get(i + 1);
            let target = match (access.edge.kind, write) {
                _ if exchanged => None,
                (RelaxationKind::Rmw, Some(write)) => thread.access(access, Some(write), hangs_on),
                _ => thread.access(access, None, hangs_on),
            };
            exchanged = access.edge.kind == RelaxationKind::Rmw;
            if let RelaxationKind::Fenced(fence, _) = access.edge.kind {
                thread.line(fence.instruction);
            }
            hangs_on = match (access.edge.kind, &target) {
                (RelaxationKind::Dep(dep, _), Some(register)) => Some((dep, register.clone())),
                _ => None,
            };
            thread.code.targets.push(target);
        }
        Ok(thread.end(accesses))
    }
}

/// A thread while its code is written.
#[derive(Default)]
struct Thread {
    code: Code,
    registers: usize,
    /// Blocks that are open.
    depth: usize,
}

impl Thread {
    fn line(&mut self, line: &str) {
        let indented = "  ".repeat(self.depth) + line;
        self.code.lines.push(indented);
    }

    /// Writes a read, a write, or an exchange (a read with its write); says what it reads into.
    fn access(
        &mut self,
        access: &Access,
        exchange: Option<&Access>,
        hangs_on: Option<(&Dep, String)>,
    ) -> Option<String> {
        let write = exchange.unwrap_or(access);
        let (mut place, mut value) = (access.location.to_string(), write.value.to_string());
        match hangs_on {
            None => {}
            Some((dep, read)) => match dep.through {
                Through::Address => place = format!("{place} + ({read} ^ {read})"),
                Through::Data => value = format!("{value} + ({read} ^ {read})"),
                Through::Control => {
                    self.line(&format!("if ({read} == {read}) {{"));
                    self.depth += 1;
                }
            },
        }
        let order = match exchange {
            None => order(access.order, access.order),
            Some(write) => order(access.order, write.order),
        };
        let text = match (access.dir, exchange, order) {
            (Dir::R, Some(_), None) => format!("atomic_exchange({place}, {value})"),
            (Dir::R, Some(_), Some(order)) => {
                format!("atomic_exchange_explicit({place}, {value}, {order})")
            }
            (Dir::R, None, None) => format!("*{}", pointed(&place)),
            (Dir::R, None, Some(order)) => format!("atomic_load_explicit({place}, {order})"),
            (Dir::W, _, None) => {
                self.line(&format!("*{} = {value};", pointed(&place)));
                return None;
            }
            (Dir::W, _, Some(order)) => {
                self.line(&format!(
                    "atomic_store_explicit({place}, {value}, {order});"
                ));
                return None;
            }
        };
        let register = format!("r{}", self.registers);
        self.registers += 1;
        self.line(&format!("int {register} = {text};"));
        Some(register)
    }

    /// Closes the blocks and names the parameters.
    fn end(mut self, accesses: &[Access]) -> Code {
        while self.depth > 0 {
            self.depth -= 1;
            self.line("}");
        }
        for access in accesses {
            let known = |(_, name): &(String, &str)| *name == access.location;
            if !self.code.addresses.iter().any(known) {
                let of = |a: &&Access| a.location == access.location;
                let is_plain = |a: &Access| a.order == AccessOrder::Plain;
                let exchanged = |a: &Access| a.edge.kind == RelaxationKind::Rmw;
                let mut all = accesses.iter().filter(of);
                let plain = all.any(|a| is_plain(a) && !exchanged(a));
                let name = if plain { "int" } else { "atomic_int" };
                self.code
                    .addresses
                    .push((name.to_string(), access.location));
            }
        }
        self.code
    }
}

/// A place behind `*`.
fn pointed(place: &str) -> String {
    match place.contains(' ') {
        true => format!("({place})"),
        false => place.to_string(),
    }
}

/// The memory order of an access, or of an exchange from those of its read and its write.
fn order(read: AccessOrder, write: AccessOrder) -> Option<&'static str> {
    use AccessOrder::{Acquire, Plain, Relaxed, Release, SeqCst};
    Some(match (read, write) {
        (Plain, _) | (_, Plain) => return None,
        (SeqCst, _) | (_, SeqCst) => "memory_order_seq_cst",
        (Acquire, Release) => "memory_order_acq_rel",
        (Acquire, _) => "memory_order_acquire",
        (_, Release) => "memory_order_release",
        (Relaxed | Release, _) => "memory_order_relaxed",
    })
}

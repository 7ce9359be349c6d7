//! Threads as functions of C: what languages share whose accesses are calls.
//!
//! Dependencies compute nothing, as on machines: `r0 ^ r0` is added to an address or a value, and a branch
//! on `r0 == r0` has the rest of the thread in it.

use super::{Access, Code};
use crate::generate::edge::{AccessOrder, Dep, Dir, Edge, RelaxationKind, Through};

/// How a language writes its accesses.
pub(super) trait Words {
    /// A read, as an expression.
    fn load(&self, place: &str, order: AccessOrder) -> String;

    /// A write, as a statement.
    fn store(&self, place: &str, value: &str, order: AccessOrder) -> String;

    /// An exchange, as an expression, with the orders of its read and its write.
    fn exchange(&self, place: &str, value: &str, orders: (AccessOrder, AccessOrder)) -> String;

    /// The type of a location; plain ones have an access without an order.
    fn location(&self, is_plain: bool) -> &'static str;

    /// What stands before and behind two accesses with this edge, if it is around them; such edges in a row
    /// are within one.
    fn around(&self, edge: Edge) -> Option<(&'static str, &'static str)>;
}

/// The function of a thread.
pub(super) fn thread(words: &dyn Words, accesses: &[Access]) -> Code {
    let mut thread = Thread {
        words,
        code: Code::default(),
        registers: 0,
        depth: 0,
    };
    let mut hangs_on = None;
    let mut exchanged = false;
    let mut closing = None;
    for (i, access) in accesses.iter().enumerate() {
        let next = accesses.get(i + 1);
        let around = next.and_then(|_| words.around(access.edge));
        if let (Some((open, _)), None) = (around, closing) {
            thread.control(&mut hangs_on);
            thread.line(open);
        }
        let target = match (access.edge.kind, next) {
            _ if exchanged => None,
            (RelaxationKind::Rmw, Some(write)) => {
                thread.access(access, Some(write), hangs_on.take())
            }
            _ => thread.access(access, None, hangs_on.take()),
        };
        exchanged = access.edge.kind == RelaxationKind::Rmw;
        // An exchange is not torn apart.
        if let (Some(close), None, false) = (closing, around, exchanged) {
            thread.line(close);
        }
        if !exchanged {
            closing = around.map(|(_, close)| close);
        }
        if let (RelaxationKind::Fenced(fence, _), None) = (access.edge.kind, around) {
            thread.line(fence.instruction);
        }
        hangs_on = match (access.edge.kind, &target) {
            (RelaxationKind::Dep(dep, _), Some(register)) => Some((dep, register.clone())),
            _ => None,
        };
        thread.code.targets.push(target);
    }
    thread.end(accesses)
}

/// A thread while its code is written.
struct Thread<'w> {
    words: &'w dyn Words,
    code: Code,
    registers: usize,
    /// Blocks that are open.
    depth: usize,
}

impl Thread<'_> {
    fn line(&mut self, line: &str) {
        let indented = "  ".repeat(self.depth) + line;
        self.code.lines.push(indented);
    }

    /// Begins the branch of a control dependency.
    fn control(&mut self, hangs_on: &mut Option<(&Dep, String)>) {
        if let Some((_, read)) = hangs_on.take_if(|(dep, _)| dep.through == Through::Control) {
            self.line(&format!("if ({read} == {read}) {{"));
            self.depth += 1;
        }
    }

    /// Writes a read, a write, or an exchange (a read with its write); says what it reads into.
    fn access(
        &mut self,
        access: &Access,
        exchange: Option<&Access>,
        mut hangs_on: Option<(&Dep, String)>,
    ) -> Option<String> {
        let write = exchange.unwrap_or(access);
        let (mut place, mut value) = (access.location.to_string(), write.value.to_string());
        self.control(&mut hangs_on);
        match hangs_on {
            Some((dep, read)) if dep.through == Through::Address => {
                place = format!("{place} + ({read} ^ {read})");
            }
            Some((_, read)) => value = format!("{value} + ({read} ^ {read})"),
            None => {}
        }
        let text = match (access.dir, exchange) {
            (Dir::R, Some(write)) => {
                self.words
                    .exchange(&place, &value, (access.order, write.order))
            }
            (Dir::R, None) => self.words.load(&place, access.order),
            (Dir::W, _) => {
                let store = self.words.store(&place, &value, access.order);
                self.line(&store);
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
                let name = self.words.location(plain);
                self.code
                    .addresses
                    .push((name.to_string(), access.location));
            }
        }
        self.code
    }
}

/// What is at a place.
pub(super) fn pointed(place: &str) -> String {
    match place.contains(' ') {
        true => format!("*({place})"),
        false => format!("*{place}"),
    }
}

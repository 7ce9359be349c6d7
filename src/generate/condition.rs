//! Which final state shows that the cycle happened.
//!
//! Registers show what the reads that communicate saw; of the others the cycle has only their place in
//! the program. Final values of memory show coherence: of two writes to a location the later one is
//! seen at the end. Three and more writes are looked at one by one: what reads saw, and that a thread's own
//! accesses to one location are in order, may determine the order of all writes without the final
//! value, or with it. If neither does, the condition could be met without the cycle, and there is no
//! test (`diy` would add threads that observe).

use super::cycle::{Cycle, Event, LOCATIONS};
use super::edge::{Dir, Edge, RelaxationKind};

/// Most writes to a location whose orders are tried one by one.
const MOST_WRITES: u32 = 7;

/// One conjunct of a condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Atom {
    /// A location has a value at the end.
    Memory {
        /// Its name.
        location: &'static str,
        /// The value.
        value: u32,
    },
    /// The register of a read has a value.
    Read {
        /// The read, an index of the cycle's accesses.
        event: usize,
    },
}

/// The conjuncts: memory by name of the location, then registers in program order.
///
/// # Errors
/// A location whose order of writes no condition determines.
pub fn atoms(cycle: &Cycle) -> Result<Vec<Atom>, &'static str> {
    let mut memory = Vec::new();
    for (location, name) in LOCATIONS.into_iter().enumerate() {
        let accesses: Vec<Event> = accesses(cycle, location);
        let writes = count_writes(&accesses);
        match writes {
            0 | 1 => {}
            2 => memory.push((name, writes)),
            _ if determined(&accesses, writes, false) => {}
            _ if determined(&accesses, writes, true) => memory.push((name, writes)),
            _ => return Err(name),
        }
    }
    memory.sort_unstable();
    let memory = memory
        .into_iter()
        .map(|(location, value)| Atom::Memory { location, value });
    let reads = (0..cycle.events.len())
        .filter(|event| is_shown(cycle, *event))
        .map(|event| Atom::Read { event });
    Ok(memory.chain(reads).collect())
}

/// The writes to a location and the reads of it that are shown.
fn accesses(cycle: &Cycle, location: usize) -> Vec<Event> {
    let all = cycle.events.iter().enumerate();
    all.filter(|(i, e)| e.location == location && (e.dir == Dir::W || is_shown(cycle, *i)))
        .map(|(_, event)| *event)
        .collect()
}

fn count_writes(accesses: &[Event]) -> u32 {
    let writes = accesses.iter().filter(|e| e.dir == Dir::W).count();
    u32::try_from(writes).unwrap_or(u32::MAX)
}

/// A read is shown when one of its edges is a communication or an exchange.
fn is_shown(cycle: &Cycle, event: usize) -> bool {
    let before = (event + cycle.edges.len() - 1) % cycle.edges.len();
    let shows = |edge: Edge| edge.is_com() || edge.kind == RelaxationKind::Rmw;
    cycle.events[event].dir == Dir::R && (shows(cycle.edges[event]) || shows(cycle.edges[before]))
}

/// True when every other order of the writes contradicts coherence, given what the reads see and,
/// if `last` is, which write is last.
fn determined(accesses: &[Event], writes: u32, last: bool) -> bool {
    if writes > MOST_WRITES {
        return false;
    }
    let meant: Vec<u32> = (1..=writes).collect();
    orders(&meant)
        .into_iter()
        .filter(|order| *order != meant && (!last || order.last() == meant.last()))
        .all(|order| !coherent(accesses, &order))
}

/// All orders of the values.
fn orders(values: &[u32]) -> Vec<Vec<u32>> {
    if values.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (i, first) in values.iter().enumerate() {
        let rest = [&values[..i], &values[i + 1..]].concat();
        for mut order in orders(&rest) {
            order.insert(0, *first);
            all.push(order);
        }
    }
    all
}

/// True when each thread's accesses agree with an order of the writes: a later access never sees or
/// makes an earlier value, and no read sees a write that comes after it.
fn coherent(accesses: &[Event], order: &[u32]) -> bool {
    let place = |event: &Event| {
        let at = order.iter().position(|v| *v == event.value);
        at.map_or(0, |p| p + 1)
    };
    accesses.iter().enumerate().all(|(i, a)| {
        accesses[i + 1..]
            .iter()
            .filter(|b| a.thread == b.thread)
            .all(|b| match b.dir {
                Dir::W => place(a) < place(b),
                Dir::R => place(a) <= place(b),
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::arch::ppc::Ppc;
    use crate::generate::parse;

    fn check(text: &str, expect: Result<&str, &str>) {
        let edges = parse::cycle(&Ppc, text).expect("edges exist");
        let cycle = Cycle::new(&edges).expect("well-formed");
        let shown = atoms(&cycle).map(|atoms| {
            let texts: Vec<String> = atoms
                .iter()
                .map(|atom| match atom {
                    Atom::Memory { location, value } => format!("{location}={value}"),
                    Atom::Read { event } => format!("#{event}={}", cycle.events[*event].value),
                })
                .collect();
            texts.join(" ")
        });
        assert_eq!(shown.as_deref(), expect.as_ref().copied());
    }

    #[test]
    fn reads_and_final_values() {
        check("PodWW Rfe PodRR Fre", Ok("#2=1 #3=0"));
        check("PodWW Coe PodWW Coe", Ok("x=2 y=2"));
        check("PodWW Coe PodWR Fre", Ok("y=2 #3=0"));
        check("PosWW Coi", Ok("x=2"));
    }

    #[test]
    fn reads_without_communication_are_not_shown() {
        check("PodWW Rfe DpAddrdR PodRR Fre", Ok("#2=1 #4=0"));
        check("PodWW Rfe PosRR PodRR Fre", Ok("#2=1 #4=0"));
    }

    #[test]
    fn three_writes() {
        // The thread's own order and the last value.
        check("PodWW Coi Coe PodWR Fre", Ok("y=3 #4=0"));
        // One thread writes them all.
        check("PosWW Coi PodWW Coe SyncdWR Fre", Ok("y=2 #5=0"));
        // Nothing says that the first write comes before the second.
        check("PodWW Coe Coi PodWR Fre", Err("y"));
    }
}

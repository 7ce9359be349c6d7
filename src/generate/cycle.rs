//! From edges to accesses: which thread, which location, which value.
//!
//! A cycle enters a new thread with each external edge, and a new location with each edge between
//! different locations, until the last of these leads back to the first location. So the accesses of
//! a location stand in a row, and the row is meant to be the order in memory: writes get 1, 2, 3, …
//! along it, a read sees the write before it. The execution that gives these values has the cycle.
//!
//! A cycle that stays at one location contradicts itself somewhere; the row then begins after a
//! program order edge, which is the one that the execution breaks.

use super::edge::{AccessOrder, Dir, Edge};
use super::normal;

/// Names of locations, in the order in which a cycle visits them.
pub const LOCATIONS: [&str; 26] = [
    "x", "y", "z", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p",
    "q", "r", "s", "t", "u", "v", "w",
];

/// An access of the cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// Read or write.
    pub dir: Dir,
    /// Its memory order.
    pub order: AccessOrder,
    /// Its thread, from 0.
    pub thread: usize,
    /// Its location, an index of [`LOCATIONS`].
    pub location: usize,
    /// What it writes, or sees in the execution meant; 0 is the initial value.
    pub value: u32,
    /// Its place among the accesses of its location in the order meant.
    pub position: usize,
}

/// A well-formed cycle in canonical form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cycle {
    /// Edge `i` leads from access `i` to the next, the last one to the first.
    pub edges: Vec<Edge>,
    /// The accesses, thread by thread in program order.
    pub events: Vec<Event>,
}

/// Why edges do not make a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Malformed {
    /// No edges.
    #[error("the cycle has no edges")]
    Empty,
    /// The second edge does not start from what the first leads to.
    #[error(
        "`{0}` cannot come before `{1}`: the one leads to a {target}, the other starts from a {source}",
        target = word(.0.target), source = word(.1.source)
    )]
    Directions(Edge, Edge),
    /// The second edge starts from an access with another memory order than that which the first leads to.
    #[error(
        "`{0}` cannot come before `{1}`: the one leads to an access with the order {target}, the other \
         starts from one with {source}",
        target = .0.orders.1, source = .1.orders.0
    )]
    Orders(Edge, Edge),
    /// One external edge: it leaves a thread that no other leads back to.
    #[error(
        "one edge leaves a thread, and none comes back: a cycle has no or several external edges (Rfe, \
         Fre, Coe)"
    )]
    OneExternalEdge,
    /// No external edge, but several locations, or no communication.
    #[error("a cycle in one thread has a communication (Rfi, Fri, Coi) and a single location")]
    OneThread,
    /// One change of location: no other leads back.
    #[error(
        "one edge changes the location, and none comes back: a cycle has no or several edges between \
         different locations"
    )]
    OneChange,
    /// A single location and no program order: coherence alone forbids it.
    #[error("a cycle needs an edge of program order")]
    OnlyCommunications,
    /// More locations than there are names.
    #[error("the cycle has too many locations")]
    TooManyLocations,
}

fn word(dir: Dir) -> &'static str {
    match dir {
        Dir::R => "read",
        Dir::W => "write",
    }
}

impl Cycle {
    /// Makes sense of edges.
    ///
    /// # Errors
    /// They are no cycle.
    pub fn new(edges: &[Edge]) -> Result<Cycle, Malformed> {
        check_ends(edges)?;
        let changes = edges.iter().filter(|e| e.changes_location()).count();
        match edges.iter().filter(|e| e.is_external()).count() {
            0 if changes > 0 || !edges.iter().any(|e| e.is_com()) => {
                return Err(Malformed::OneThread);
            }
            1 => return Err(Malformed::OneExternalEdge),
            _ if changes == 1 => return Err(Malformed::OneChange),
            _ if changes > LOCATIONS.len() => return Err(Malformed::TooManyLocations),
            _ => {}
        }
        let edges = normal::canonical(edges).ok_or(Malformed::OneThread)?;
        let mut events = place(&edges, changes.max(1));
        let start = if changes > 0 {
            first_of_a_location(&edges)
        } else {
            after_program_order(&edges).ok_or(Malformed::OnlyCommunications)?
        };
        set_values(&mut events, start, changes.max(1));
        Ok(Cycle { edges, events })
    }

    /// How many threads it visits.
    pub fn threads(&self) -> usize {
        normal::threads(&self.edges).len()
    }

    /// True when coherence alone forbids the cycle: a thread accesses a location in another order
    /// than the one meant.
    pub fn breaks_coherence(&self) -> bool {
        self.events.iter().enumerate().any(|(i, a)| {
            self.events[i + 1..].iter().any(|b| {
                a.thread == b.thread && a.location == b.location && a.position > b.position
            })
        })
    }
}

fn check_ends(edges: &[Edge]) -> Result<(), Malformed> {
    let Some(last) = edges.last() else {
        return Err(Malformed::Empty);
    };
    let mut previous = last;
    for edge in edges {
        if previous.target != edge.source {
            return Err(Malformed::Directions(*previous, *edge));
        }
        if !previous.meets(*edge) {
            return Err(Malformed::Orders(*previous, *edge));
        }
        previous = edge;
    }
    Ok(())
}

/// The accesses with threads and locations, without values.
fn place(edges: &[Edge], locations: usize) -> Vec<Event> {
    let (mut thread, mut location) = (0, 0);
    let mut events = Vec::new();
    for edge in edges {
        events.push(Event {
            dir: edge.source,
            order: edge.orders.0,
            thread,
            location,
            value: 0,
            position: 0,
        });
        thread += usize::from(edge.is_external());
        location = (location + usize::from(edge.changes_location())) % locations;
    }
    events
}

fn first_of_a_location(edges: &[Edge]) -> usize {
    let changes = |i: &usize| edges[(*i + edges.len() - 1) % edges.len()].changes_location();
    (0..edges.len()).find(changes).unwrap_or(0)
}

/// The access after an edge of program order and before a communication; a read if there is one, as
/// it sees the initial value.
fn after_program_order(edges: &[Edge]) -> Option<usize> {
    let begins =
        |i: &usize| !edges[(*i + edges.len() - 1) % edges.len()].is_com() && edges[*i].is_com();
    let starts: Vec<usize> = (0..edges.len()).filter(begins).collect();
    let read = starts.iter().find(|i| edges[**i].source == Dir::R);
    read.or(starts.first()).copied()
}

/// Walks round once from the first access of a location.
fn set_values(events: &mut [Event], start: usize, locations: usize) {
    let mut writes = vec![0; locations];
    let mut accesses = vec![0; locations];
    let len = events.len();
    for event in (start..start + len).map(|i| i % len) {
        let event = &mut events[event];
        writes[event.location] += u32::from(event.dir == Dir::W);
        event.value = writes[event.location];
        event.position = accesses[event.location];
        accesses[event.location] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::arch::ppc::Ppc;
    use crate::generate::parse;

    fn build(text: &str) -> Result<Cycle, Malformed> {
        Cycle::new(&parse::cycle(&Ppc, text).expect("edges exist"))
    }

    /// Accesses as `0:Wx1`.
    fn show(text: &str) -> String {
        let cycle = build(text).expect("well-formed");
        let events = cycle
            .events
            .iter()
            .map(|e| format!("{}:{}{}{}", e.thread, e.dir, LOCATIONS[e.location], e.value));
        events.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn accesses_of_cycles() {
        assert_eq!(show("PodWW Rfe PodRR Fre"), "0:Wx1 0:Wy1 1:Ry1 1:Rx0");
        assert_eq!(show("PodWW Coe PodWW Coe"), "0:Wx2 0:Wy1 1:Wy2 1:Wx1");
        assert_eq!(
            show("Rfe PodRR Fre Rfe PodRR Fre"),
            "0:Wx1 1:Rx1 1:Ry0 2:Wy1 3:Ry1 3:Rx0"
        );
        assert_eq!(
            show("Rfi PodRR Fre PodWR Fre"),
            "0:Wx1 0:Ry0 1:Wy1 1:Ry1 1:Rx0"
        );
    }

    #[test]
    fn cycles_of_one_location_break_a_program_order_edge() {
        assert_eq!(show("PosWW Coi"), "0:Wx2 0:Wx1");
        assert_eq!(show("Rfe PosRR Fre"), "0:Wx1 1:Rx1 1:Rx0");
        assert_eq!(show("PosWR Fre Coe"), "0:Wx1 1:Wx2 1:Rx0");
        assert!(
            build("Rfe PosRR Fre")
                .expect("well-formed")
                .breaks_coherence()
        );
        assert!(
            !build("PodWW Rfe PodRR Fre")
                .expect("well-formed")
                .breaks_coherence()
        );
    }

    #[test]
    fn what_is_no_cycle_is_refused() {
        assert_eq!(build(""), Err(Malformed::Empty));
        let error = build("PodWW Fre")
            .expect_err("a write is no read")
            .to_string();
        assert!(error.contains("cannot come before"), "{error}");
        assert_eq!(build("PodWR Fre"), Err(Malformed::OneExternalEdge));
        assert_eq!(build("PodWW Rfe PosRR Fre"), Err(Malformed::OneChange));
        assert_eq!(build("PodWW PodWW"), Err(Malformed::OneThread));
        assert_eq!(build("Coe Coe"), Err(Malformed::OnlyCommunications));
    }
}

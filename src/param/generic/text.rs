//! Cubes of the generic strategy as text: as in a certificate, and a line for each set of moments.

use super::cube::Cube;
use crate::param::certificate::{base_text, literals_text};
use crate::param::cube::{Points, each};
use crate::param::system::System;
use std::fmt::Write as _;

/// One cube as text.
pub fn cube(system: &System, c: &Cube) -> String {
    let mut out = format!("cube {}", c.procs);
    out += if c.snapshot { " snapshot\n" } else { "\n" };
    for (k, r) in c.reads.iter().enumerate() {
        let cell = base_text(system, r.cell);
        let _ = write!(out, "read {} #{} {cell}", r.point, r.by + 1);
        if let Some(o) = c.last[k] {
            let _ = write!(out, " after {o}");
        }
        if c.bars[k] != 0 {
            let _ = write!(out, " not after{}", processes(c.bars[k]));
        }
        out.push('\n');
    }
    out += &literals_text(system, &c.reads, &c.conj);
    for (p, set) in c.after.iter().enumerate().filter(|(_, s)| **s != 0) {
        let _ = writeln!(out, "after {p} :{}", points(*set));
    }
    for o in &c.overs {
        let (cell, by) = (base_text(system, o.cell), processes(o.by));
        let _ = writeln!(out, "overwritten {} {cell} :{by}", o.point);
    }
    for (word, sets) in [("fires", &c.fires), ("commits", &c.commits)] {
        for (p, set) in sets.iter().enumerate().filter(|(_, s)| **s != 0) {
            let _ = writeln!(out, "{word} #{} :{}", p + 1, points(*set));
        }
    }
    for (b, set) in &c.cells {
        let _ = writeln!(out, "cell {} :{}", base_text(system, *b), points(*set));
    }
    out
}

fn points(set: Points) -> String {
    each(set).map(|p| format!(" {p}")).collect()
}

fn processes(set: u32) -> String {
    let all = each(set.into()).map(|p| format!(" #{}", p + 1));
    all.collect()
}

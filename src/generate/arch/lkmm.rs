//! The Linux kernel, in the C of its litmus tests: `READ_ONCE`, `smp_store_release`, `xchg`, barriers and RCU.
//!
//! Names are those of `diy`, and tests have the names that those in the kernel's `tools/memory-model` have:
//! `FenceWmbdWWOnceOnce Rfe PodRRAcquireOnce Fre` is `MP+fencewmbonceonce+poacquireonce`. An access without an
//! annotation is plain (`Na` beside one that has one). `FenceSync-rcu` is a grace period, and two accesses
//! with the edge `Rcu` are in one critical section, as are those of several such edges in a row.

use super::functions::{self, Words, pointed};
use super::{Access, Arch, Code, Layout, NoRegister, PLAIN_DEPENDENCIES};
use crate::generate::edge::{AccessOrder, Dep, Edge, Fence, RelaxationKind};

/// The language.
pub struct Lkmm;

/// In [`FENCES`]: both accesses are in a critical section.
const SECTION: &str = "Rcu";

static FENCES: [Fence; 5] = [
    Fence::new(0, "FenceRmb", "smp_rmb();").local(),
    Fence::new(1, "FenceWmb", "smp_wmb();"),
    Fence::new(2, "FenceMb", "smp_mb();"),
    Fence::new(3, "FenceSync-rcu", "synchronize_rcu();"),
    Fence::new(4, SECTION, "").local(),
];

static ORDERS: [AccessOrder; 3] = [
    AccessOrder::Once,
    AccessOrder::LoadAcquire,
    AccessOrder::StoreRelease,
];

impl Arch for Lkmm {
    fn name(&self) -> &'static str {
        "C"
    }

    fn fences(&self) -> &'static [Fence] {
        &FENCES
    }

    fn deps(&self) -> &'static [Dep] {
        &PLAIN_DEPENDENCIES
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
        Ok(functions::thread(self, accesses))
    }
}

impl Words for Lkmm {
    fn load(&self, place: &str, order: AccessOrder) -> String {
        match order {
            AccessOrder::LoadAcquire => format!("smp_load_acquire({place})"),
            AccessOrder::Plain => pointed(place),
            _ => format!("READ_ONCE({})", pointed(place)),
        }
    }

    fn store(&self, place: &str, value: &str, order: AccessOrder) -> String {
        match order {
            AccessOrder::StoreRelease => format!("smp_store_release({place}, {value});"),
            AccessOrder::Plain => format!("{} = {value};", pointed(place)),
            _ => format!("WRITE_ONCE({}, {value});", pointed(place)),
        }
    }

    fn exchange(&self, place: &str, value: &str, orders: (AccessOrder, AccessOrder)) -> String {
        let suffix = match orders {
            (AccessOrder::LoadAcquire, _) => "_acquire",
            (_, AccessOrder::StoreRelease) => "_release",
            (AccessOrder::Plain, _) => "",
            _ => "_relaxed",
        };
        format!("xchg{suffix}({place}, {value})")
    }

    fn location(&self, _is_plain: bool) -> &'static str {
        "int"
    }

    fn around(&self, edge: Edge) -> Option<(&'static str, &'static str)> {
        match edge.kind {
            RelaxationKind::Fenced(fence, _) if fence.name == SECTION => {
                Some(("rcu_read_lock();", "rcu_read_unlock();"))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::one;

    fn check(cycle: &str, expect: &str) {
        let test = one(&Lkmm, cycle).expect("a cycle").text();
        let (_, functions) = test.split_once("{ }\n").expect("an initial state");
        assert_eq!(functions, expect, "{cycle}");
    }

    #[test]
    fn names_as_in_the_kernel() {
        for (cycle, name) in [
            (
                "FenceWmbdWWOnceOnce RfeOnceAcquire PodRRAcquireOnce FreOnceOnce",
                "MP+fencewmbonceonce+poacquireonce",
            ),
            (
                "FenceMbdWROnceOnce FreOnceOnce FenceMbdWROnceOnce FreOnceOnce",
                "SB+fencembonceonces",
            ),
            (
                "DpCtrldWOnceOnce RfeOnceAcquire PodRWAcquireOnce RfeOnceOnce",
                "LB+ctrlonceonce+poacquireonce",
            ),
        ] {
            let test = one(&Lkmm, cycle).expect("a cycle");
            assert_eq!(test.name, name);
        }
    }

    #[test]
    fn sections_and_grace_periods() {
        check(
            "RcudRROnceOnce FreOnceOnce FenceSync-rcudWWOnceOnce RfeOnceOnce",
            "
P0(int *x, int *y) {
  WRITE_ONCE(*x, 1);
  synchronize_rcu();
  WRITE_ONCE(*y, 1);
}

P1(int *y, int *x) {
  rcu_read_lock();
  int r0 = READ_ONCE(*y);
  int r1 = READ_ONCE(*x);
  rcu_read_unlock();
}

exists (1:r0=1 /\\ 1:r1=0)
",
        );
    }

    #[test]
    fn an_exchange_ends_a_section_and_a_branch_begins_before_one() {
        check(
            "RcudRROnceOnce RmwOnceRelease RfeReleaseAcquire DpCtrldWAcquireRelease RfeReleaseOnce",
            "
P0(int *x, int *y) {
  int r0 = smp_load_acquire(x);
  if (r0 == r0) {
    smp_store_release(y, 1);
  }
}

P1(int *y, int *x) {
  rcu_read_lock();
  int r0 = READ_ONCE(*y);
  int r1 = xchg_release(x, 1);
  rcu_read_unlock();
}

exists (0:r0=1 /\\ 1:r0=1 /\\ 1:r1=0)
",
        );
    }
}

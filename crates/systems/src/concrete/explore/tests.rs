//! Store buffering with and without a fence, on each machine.

use super::{ExplorationLimits, ExplorationResult, explore};
use crate::concrete::Machine;
use crate::cub;
use crate::system::resolve;
use crate::system::{MemorySemantics, StoreOrder};
use base::source::SourceMap;

fn outcome(text: &str, procs: u8, order: StoreOrder) -> ExplorationResult {
    let mut sources = SourceMap::default();
    let file = sources.add("t.cub", text);
    let parsed = cub::parse(&sources, file).expect("the text reads");
    let system = resolve(&parsed, MemorySemantics::Buffered).expect("the text is typed");
    let machine = Machine::new(&system, procs, order, &[]);
    let limits = ExplorationLimits {
        states: 100_000,
        queue: usize::MAX,
        until: None,
    };
    explore(&machine, limits)
}

fn mutex(fence: &str) -> String {
    format!(
        "type l = A | B | C array PC[proc] : l weak array X[proc] : bool \
         init (p) {{ PC[p] = A && X[p] = False }} unsafe (p q) {{ PC[p] = C && PC[q] = C }} \
         transition a ([p]) requires {{ PC[p] = A }} {{ PC[p] := B; X[p] := True }} \
         transition b ([p]) requires {{ PC[p] = B {fence} && forall_other q. X[q] = False }} {{ PC[p] := C }}"
    )
}

#[test]
fn buffers_break_the_naive_mutex_and_a_fence_mends_it() {
    assert!(matches!(
        outcome(&mutex(""), 2, StoreOrder::Sc),
        ExplorationResult::Safe { complete: true, .. }
    ));
    assert!(
        matches!(outcome(&mutex(""), 2, StoreOrder::Tso), ExplorationResult::Unsafe(r) if r.len() == 4)
    );
    for order in [StoreOrder::Tso, StoreOrder::Pso] {
        assert!(matches!(
            outcome(&mutex("&& fence()"), 3, order),
            ExplorationResult::Safe { complete: true, .. }
        ));
    }
}

/// Arbitrary values of a type with infinitely many are guessed, so nothing is proved with them.
#[test]
fn guessed_values_prove_nothing() {
    let text = "type v array A[proc] : v array D[proc] : bool init (p) { D[p] = False } \
        transition t ([p]) requires { D[p] = False } { A[p] := ?; D[p] := True } \
        unsafe (p q r s) { D[p] = True && D[q] = True && D[r] = True && D[s] = True && \
        A[p] <> A[q] && A[p] <> A[r] && A[p] <> A[s] && A[q] <> A[r] && A[q] <> A[s] && A[r] <> A[s] }";
    assert!(!matches!(
        outcome(text, 4, StoreOrder::Sc),
        ExplorationResult::Safe { complete: true, .. }
    ));
}

#[test]
fn pso_reorders_writes() {
    let text = "number_procs 2 type l = A | B | C array PC[proc] : l weak var X : int weak var Y : int \
        init (p) { PC[p] = A && X = 0 && Y = 0 } unsafe (p q) { p = #2 && PC[p] = C } \
        transition w1 ([p]) requires { p = #1 && PC[p] = A } { X := 1; PC[p] := B } \
        transition w2 ([p]) requires { p = #1 && PC[p] = B } { Y := 1; PC[p] := C } \
        transition r1 ([p]) requires { p = #2 && PC[p] = A && Y = 1 } { PC[p] := B } \
        transition r2 ([p]) requires { p = #2 && PC[p] = B && X = 0 } { PC[p] := C }";
    assert!(matches!(
        outcome(text, 2, StoreOrder::Tso),
        ExplorationResult::Safe { complete: true, .. }
    ));
    assert!(
        matches!(outcome(text, 2, StoreOrder::Pso), ExplorationResult::Unsafe(r) if r.len() == 4)
    );
}

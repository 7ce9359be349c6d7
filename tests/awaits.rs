//! Iterations that change nothing are left out: random small programs that wait in loops have the
//! same violations as without that, when their loops are merely unwound.
//!
//! What is violated within two rounds must be violated where rounds are left out, and what is violated
//! there within some more rounds.

use proptest::prelude::*;
use std::path::PathBuf;
use std::rc::Rc;
use wmbmc::base::source::SourceMap;
use wmbmc::check::bmc::{self, CheckTask, Env, check};
use wmbmc::check::outcome::{PropertyStatus, Verdict, sections};
use wmbmc::encode::Reductions;
use wmbmc::encode::order::Backend;
use wmbmc::front::c;
use wmbmc::ir::bounds::Bounds;
use wmbmc::ir::program::{DataModel, Program, PropertyKind};
use wmbmc::lower;
use wmbmc::mm;
use wmbmc::mm::dependencies::unwinding;
use wmbmc::mm::idle::awaits;
use wmbmc::mm::model::Model;
use wmbmc::unroll::Awaits;
use wmbmc::unroll::{self, unroll};

const MODELS: [&str; 5] = ["sc", "tso", "pso", "rmo", "power"];

/// What threads do, a statement each.
const STATEMENTS: [&str; 18] = [
    "pthread_mutex_lock(&m); x = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); x++; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); while (!x) pthread_cond_wait(&c, &m); y++; pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); y++; while (x < 1) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); if (!x) pthread_cond_wait(&c, &m); y++; pthread_mutex_unlock(&m);",
    "x = 1; pthread_cond_signal(&c);",
    "while (atomic_exchange_explicit(&l, 1, memory_order_acquire)) ; y++; \
     atomic_store_explicit(&l, 0, memory_order_release);",
    "while (atomic_exchange_explicit(&l, 1, memory_order_relaxed)) ; y++; \
     atomic_store_explicit(&l, 0, memory_order_relaxed);",
    "while (atomic_exchange(&l, 1)) while (l) ; y++; l = 0;",
    "while (atomic_fetch_or(&l, 1) & 1) ; y++; atomic_fetch_and(&l, ~1);",
    "while (!atomic_load_explicit(&z, memory_order_relaxed)) { int r = y; if (r == 3) x = 7; }",
    "while (!atomic_load_explicit(&z, memory_order_acquire)) assert(l < 2);",
    "atomic_store_explicit(&z, 1, memory_order_release);",
    "atomic_store_explicit(&z, 1, memory_order_relaxed);",
    "if (!pthread_mutex_trylock(&m)) { x = 1; pthread_mutex_unlock(&m); } else y++;",
    "{ int old = z; while (!atomic_compare_exchange_strong(&z, &old, old + 1)) ; }",
    "if (atomic_load_explicit(&z, memory_order_relaxed)) y = 1;",
    "l = 2;",
];

fn text(first: &[usize], second: &[usize], last: u8) -> String {
    let body = |all: &[usize]| -> String { all.iter().map(|i| STATEMENTS[*i]).collect() };
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
         atomic_int l, z;\nint x, y;\n\
         void *other(void *a) {{ {} return 0; }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, other, 0); {}\n\
         pthread_join(t, 0); assert(y != {last}); return 0; }}\n",
        body(first),
        body(second),
    )
}

fn lowered(text: &str, kinds: &[PropertyKind]) -> (SourceMap, Program) {
    let mut path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    path.push(format!("awaits-{}.c", std::process::id()));
    std::fs::write(&path, text).expect("the folder for tests is writable");
    let mut sources = SourceMap::default();
    let unit = c::parse(&mut sources, &path, &c::ParseOptions::default()).expect("well-formed");
    let asked = lower::c::LoweringOptions {
        checks: kinds.to_vec(),
        ..lower::c::LoweringOptions::default()
    };
    let program = lower::c::lower_for(&sources, &unit, DataModel::Lp64, &asked).expect("supported");
    (sources, program)
}

/// Which kinds are violated within some bounds; loops that may leave out no critical section are
/// unwound, as the command line does.
fn violated(
    (sources, program): &(SourceMap, Program),
    model: &Model,
    kinds: &[PropertyKind],
    awaits: Awaits,
    mut bounds: Bounds,
) -> Vec<bool> {
    loop {
        let options = unroll::UnrollOptions {
            awaits,
            ..unwinding(bounds.clone(), [model], kinds)
        };
        let graph = unroll(program, &options, &|| false).expect("the programs unwind");
        let options = bmc::CheckOptions {
            checks: kinds.to_vec(),
            order: Backend::Matrix,
            reductions: Reductions::default(),
            loops_at_bound: false,
        };
        let env = Env {
            now: Rc::new(|| 0.0),
            limit: Rc::new(|| None),
        };
        let task = CheckTask {
            program,
            graph: &graph,
            model,
            sources,
        };
        let outcome = check(&task, &options, &env).expect("the checker finds no fault in itself");
        if let Verdict::SafeUpToBound(loops) = &outcome.verdict
            && let Some(next) = bounds.without_sections(sections(loops))
        {
            bounds = next;
            continue;
        }
        let all = outcome.properties.iter();
        return all.map(|(_, s)| *s == PropertyStatus::Violated).collect();
    }
}

fn agree(text: &str, kinds: &[PropertyKind]) -> Result<(), TestCaseError> {
    let subject = lowered(text, kinds);
    for name in MODELS {
        let model = mm::builtin(name).expect("built in");
        let reduced = awaits(std::iter::once(&model), kinds);
        let bare = Awaits::default();
        let left_out = violated(&subject, &model, kinds, reduced, Bounds::all(2));
        let unwound = violated(&subject, &model, kinds, bare, Bounds::all(2));
        for (kind, (left_out, unwound)) in kinds.iter().zip(left_out.iter().zip(&unwound)) {
            prop_assert!(
                *left_out || !unwound,
                "{kind:?} is missed on {name}:\n{text}"
            );
        }
        if left_out != unwound {
            let further = violated(&subject, &model, kinds, bare, Bounds::all(5));
            prop_assert_eq!(&left_out, &further, "on {}:\n{}", name, text);
        }
    }
    Ok(())
}

fn cases() -> u32 {
    std::env::var("WMBMC_RANDOM_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_missed(
        first in prop::collection::vec(0..STATEMENTS.len(), 1..3),
        second in prop::collection::vec(0..STATEMENTS.len(), 1..3),
        last in 0u8..4,
    ) {
        let text = text(&first, &second, last);
        agree(&text, &[PropertyKind::Assertion, PropertyKind::Race])?;
        agree(&text, &[PropertyKind::Deadlock])?;
    }
}

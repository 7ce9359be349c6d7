//! Is there an initial state at all?
//!
//! `init` holds for every tuple of processes, and the value of a variable of type `proc` is one of
//! them, unless `init` says that some variable is not (`Home <> p`: [`System::outside`](super::system::System::outside)). To see it,
//! look at the processes that are the values of such variables, at least one and at most as many as
//! there are variables: `init` holds of these few among themselves, so if it cannot for any such
//! number, it cannot at all. A system without initial states is safe, and says nothing.

use super::cube::{Base, Kind};
use super::init::instances;
use super::instance::{Cond, Overflow};
use super::pre::Model;
use super::shape::bases_of_lit;
use super::system::Type;
use super::theory::{Facts, close};

/// For more processes than these it is not looked at.
const MOST: u8 = 6;

/// No state is initial, whatever the number of processes.
///
/// # Errors
/// Numbers beyond what is represented.
pub fn is_vacuous(model: &Model) -> Result<bool, Overflow> {
    let system = &*model.system;
    let named = system
        .symbols
        .iter()
        .filter(|s| s.arity == 0 && matches!(system.types[s.ty], Type::Proc))
        .count();
    let fewest = system.fixed.max(1);
    let most = usize::from(system.fixed) + named;
    let Some(most) = u8::try_from(most).ok().filter(|n| *n <= MOST) else {
        return Ok(false);
    };
    let most = most.max(fewest);
    for procs in fewest..=most {
        for cond in instances(model, procs)? {
            let domain = |b: Base| model.domain(&[], b);
            let all_there = system.outside.is_empty() && !has_cells_of_processes(model, &cond);
            let facts = Facts {
                domain: &domain,
                fixed: system.fixed,
                all_procs: all_there.then_some(procs),
            };
            if close(&cond.conj, &facts).is_some() {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// A literal speaks of an array's cell that holds a process, perhaps one of those left out.
fn has_cells_of_processes(model: &Model, cond: &Cond) -> bool {
    let system = &*model.system;
    let bases = cond.conj.lits.iter().flat_map(bases_of_lit);
    bases.into_iter().any(|b| match b.kind() {
        Kind::Cell(sym, ..) => {
            let symbol = &system.symbols[sym];
            symbol.arity > 0 && matches!(system.types[symbol.ty], Type::Proc)
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::is_vacuous;
    use crate::base::source::SourceMap;
    use crate::front::cub;
    use crate::param::pre::Model;
    use crate::param::system::{Memory, resolve};

    fn vacuous(symbols: &str, init: &str) -> bool {
        let mut sources = SourceMap::default();
        let text = format!(
            "{symbols} array A[proc] : int init (p) {{ {init} }} unsafe (p) {{ A[p] = 1 }}"
        );
        let file = sources.add("t.cub", &text);
        let parsed = cub::parse(&sources, file).expect("the text reads");
        let system = resolve(&parsed, Memory::Flat).expect("the text is typed");
        is_vacuous(&Model::new(&system, None)) == Ok(true)
    }

    #[test]
    fn a_variable_is_one_of_the_processes() {
        assert!(vacuous("var H : proc", "(H <> p || A[p] = 2) && A[p] = 0"));
        assert!(vacuous("", "A[p] = 0 && A[p] = 2"));
    }

    #[test]
    fn these_have_initial_states() {
        assert!(!vacuous("var H : proc", "A[p] = 0"));
        assert!(!vacuous(
            "var H : proc var G : proc",
            "(H <> p || G <> p) && A[p] = 0"
        ));
        assert!(!vacuous("array H[proc] : proc", "H[p] <> p"));
    }

    #[test]
    fn a_process_outside_of_the_others_is_none_of_them() {
        assert!(!vacuous("var Home : proc", "Home <> p && A[p] = 0"));
        assert!(!vacuous(
            "var H : proc var G : proc",
            "(H <> p || G <> H) && G <> p"
        ));
        assert!(vacuous("var Home : proc", "Home <> p && Home = p"));
    }
}

//! "Did you mean": the nearest of some names.

use strsim::osa_distance;

/// The name that needs the fewest single-character edits (insert, delete, replace, swap neighbours),
/// if they are few for its length.
pub fn nearest<'a>(typed: &str, names: &[&'a str]) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let best = names.iter().map(|n| (osa_distance(&typed, n), *n)).min()?;
    (best.0 <= 1 + best.1.len() / 4).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["sc", "tso", "power", "power2010"];
        assert_eq!(nearest("TOS", &names), Some("tso"));
        assert_eq!(nearest("powr", &names), Some("power"));
        assert_eq!(nearest("arm", &names), None);
    }
}

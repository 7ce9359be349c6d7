//! "Did you mean": the nearest of some names.

/// The name that needs the fewest single-character edits, if they are few for its length.
pub fn nearest<'a>(typed: &str, names: &[&'a str]) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let best = names.iter().map(|n| (distance(&typed, n), *n)).min()?;
    (best.0 <= 1 + best.1.len() / 4).then_some(best.1)
}

/// Single-character edits between two words: insert, delete, replace, swap neighbours
/// (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut d = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            d[i][j] = match (i, j) {
                (0, _) | (_, 0) => i + j,
                _ => {
                    let replace = d[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                    let edit = replace.min(d[i - 1][j] + 1).min(d[i][j - 1] + 1);
                    if swap {
                        edit.min(d[i - 2][j - 2] + 1)
                    } else {
                        edit
                    }
                }
            };
        }
    }
    d[a.len()][b.len()]
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
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}

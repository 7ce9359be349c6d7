//! Reads edges and cycles as `diy` writes them: `PodWW Rfe DpAddrdR Fre`, lists in brackets for
//! composite candidates (`[Rfi,PodRR]`), `*` for any direction, place or side, and the older names
//! `Ws` for `Co` and `Dp`, `Ctrl` for the usual dependency.

use super::arch::{self, Arch};
use super::edge::Edge;

/// Edges that are used together.
pub type Chunk = Vec<Edge>;

/// A word that is no edge.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unreadable {
    /// The architecture has no such edge.
    #[error("unknown edge `{0}`")]
    UnknownEdge(String),
    /// A bracket without its partner.
    #[error("a bracket has no partner in `{0}`")]
    Bracket(String),
    /// A cycle has one edge in each place, but this stands for several.
    #[error("`{0}` stands for several edges; a cycle needs one")]
    Several(String),
}

/// The edges of a cycle.
///
/// # Errors
/// A word that names no edge, or several.
pub fn cycle(arch: &dyn Arch, text: &str) -> Result<Chunk, Unreadable> {
    let mut edges = Chunk::new();
    for word in words(text)? {
        let parts = word.trim_matches(['[', ']']);
        for part in split(parts) {
            match meanings(arch, part)?.as_slice() {
                [edge] => edges.push(*edge),
                _ => return Err(Unreadable::Several(part.to_string())),
            }
        }
    }
    Ok(edges)
}

/// The candidates of a list: single edges and composites, each once, in the order written.
///
/// # Errors
/// A word that names no edge.
pub fn candidates(arch: &dyn Arch, text: &str) -> Result<Vec<Chunk>, Unreadable> {
    let mut chunks: Vec<Chunk> = Vec::new();
    for word in words(text)? {
        let mut expanded = vec![Chunk::new()];
        for part in split(word.trim_matches(['[', ']'])) {
            let meanings = meanings(arch, part)?;
            expanded = expanded
                .iter()
                .flat_map(|chunk| {
                    meanings.iter().map(move |edge| {
                        let mut longer = chunk.clone();
                        longer.push(*edge);
                        longer
                    })
                })
                .collect();
        }
        expanded.retain(|c| c.windows(2).all(|w| w[0].meets(w[1])));
        for chunk in expanded {
            if !chunk.is_empty() && !chunks.contains(&chunk) {
                chunks.push(chunk);
            }
        }
    }
    Ok(chunks)
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', ',', '\t', '\n']).filter(|p| !p.is_empty())
}

/// Words at the top level; a word in brackets keeps them.
fn words(text: &str) -> Result<Vec<&str>, Unreadable> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let close = rest[open..].find(']').map(|c| open + c);
        let close = close.ok_or_else(|| Unreadable::Bracket(text.to_string()))?;
        words.extend(split(&rest[..open]));
        words.push(&rest[open..=close]);
        rest = &rest[close + 1..];
    }
    words.extend(split(rest));
    if words
        .iter()
        .any(|w| w.trim_matches(['[', ']']).contains(['[', ']']))
        || rest.contains(']')
    {
        return Err(Unreadable::Bracket(text.to_string()));
    }
    Ok(words)
}

/// All edges that a word stands for, at least one.
fn meanings(arch: &dyn Arch, word: &str) -> Result<Vec<Edge>, Unreadable> {
    let name = modern(word);
    let mut edges = arch::edges(arch);
    edges.retain(|e| matches(&name, &e.to_string()));
    if edges.is_empty() {
        return Err(Unreadable::UnknownEdge(word.to_string()));
    }
    Ok(edges)
}

/// Today's name of an edge that may be written in an older way.
fn modern(word: &str) -> String {
    let ending = |prefix: &str| word.strip_prefix(prefix).filter(|e| e.len() == 2);
    if let Some(side) = word.strip_prefix("Ws") {
        return format!("Co{side}");
    }
    if let Some(end) = ending("Dp") {
        let through = if end.ends_with('R') { "Addr" } else { "Data" };
        return format!("Dp{through}{end}");
    }
    if let Some(end) = ending("Ctrl") {
        let through = if end.ends_with('R') {
            "CtrlIsync"
        } else {
            "Ctrl"
        };
        return format!("Dp{through}{end}");
    }
    word.to_string()
}

/// Letter by letter, where `*` stands for any letter.
fn matches(pattern: &str, name: &str) -> bool {
    pattern.len() == name.len()
        && pattern
            .bytes()
            .zip(name.bytes())
            .all(|(p, n)| p == b'*' || p == n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::arch::{ppc::Ppc, x86::X86};
    use crate::generate::edge::spell;

    fn check(text: &str, expect: &str) {
        let chunks = candidates(&Ppc, text).map(|chunks| {
            let texts: Vec<String> = chunks.iter().map(|c| spell(c)).collect();
            texts.join(", ")
        });
        assert_eq!(chunks.unwrap_or_else(|why| why.to_string()), expect);
    }

    #[test]
    fn lists_of_candidates() {
        check("PodWW,Rfe  Fre", "PodWW, Rfe, Fre");
        check("Wse Coe", "Coe");
        check(
            "DpdR DpdW CtrldR CtrldW",
            "DpAddrdR, DpDatadW, DpCtrlIsyncdR, DpCtrldW",
        );
        check("[Rfi,PodRR] PodWW", "Rfi PodRR, PodWW");
        check("SyncdR*", "SyncdRR, SyncdRW");
        check("[Pod*R,Fre]", "PodRR Fre, PodWR Fre");
    }

    #[test]
    fn what_is_no_edge() {
        check("Podrw", "unknown edge `Podrw`");
        check("DpDatadR", "unknown edge `DpDatadR`");
        check("[Rfi,PodRR", "a bracket has no partner in `[Rfi,PodRR`");
        check("Rfi]", "a bracket has no partner in `Rfi]`");
        let error = cycle(&X86, "PodW* Fre").expect_err("two edges");
        assert_eq!(error, Unreadable::Several("PodW*".to_string()));
        assert!(cycle(&X86, "SyncdWW Coe").is_err());
    }
}

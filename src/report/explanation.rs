//! What diagnostics mean, at length: the sections of `docs/diagnostics.md`, one per code.

use base::code::Code;

const TEXTS: &str = include_str!("../../docs/diagnostics.md");

/// What a code means, in a few words.
pub fn title(code: Code) -> &'static str {
    section(code).0
}

/// What a code means, an example, and what to do, in Markdown.
pub fn explanation(code: Code) -> &'static str {
    section(code).1
}

fn section(code: Code) -> (&'static str, &'static str) {
    let heading = format!("\n## {}: ", code.id());
    let begins = TEXTS.find(&heading).map(|at| at + heading.len());
    let rest = &TEXTS[begins.unwrap_or(TEXTS.len())..];
    let section = rest.find("\n## ").map_or(rest, |end| &rest[..end]);
    let (title, body) = section.split_once('\n').unwrap_or((section, ""));
    (title.trim(), body.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_code_has_one_section_in_order() {
        let headings = TEXTS.lines().filter_map(|l| l.strip_prefix("## "));
        let listed: Vec<&str> = headings
            .filter_map(|h| Some(h.split_once(": ")?.0))
            .collect();
        assert_eq!(listed, Code::ALL.map(Code::id));
        let different: BTreeSet<&str> = listed.iter().copied().collect();
        assert_eq!(different.len(), listed.len());
        for code in Code::ALL {
            assert_eq!(Code::of(&code.id().to_lowercase()), Some(code));
            assert!(title(code).len() > 5, "{code:?}");
            assert!(explanation(code).len() > 100, "{code:?}");
        }
    }
}

//! `#pragma pack`: how much of a member's alignment is left, by place in the text.
//!
//! A structure is laid out with the value in force at its closing brace, as in gcc. `push` and `pop`
//! keep a stack, of which the uppermost value is the one that `pack(n)` changes. The compiler's rules
//! (gcc, `c-family/c-pragma.cc`) are followed where it obeys; what it would warn of and ignore is an
//! error here, and so is every other directive that changes layouts.

use super::refusal::Refusal;
use crate::front::c::scan::{CTokenKind, Token, scan};
use base::code::Code;

/// The largest alignment of a member in bytes, from each directive on; 0 is no limit.
#[derive(Debug, Default)]
pub(super) struct Packing {
    changes: Vec<(usize, u8)>,
    /// The limit outside of all pushes.
    base: u8,
    /// Pushed limits, with their names.
    stack: Vec<(u8, Option<String>)>,
}

impl Packing {
    /// The limit at a place.
    pub(super) fn at(&self, offset: usize) -> u8 {
        let before = self.changes.partition_point(|(start, _)| *start <= offset);
        before.checked_sub(1).map_or(0, |i| self.changes[i].1)
    }

    fn limit(&self) -> u8 {
        self.stack.last().map_or(self.base, |(limit, _)| *limit)
    }

    /// Reads a directive.
    ///
    /// # Errors
    /// It changes layouts in a way that is not supported.
    pub(super) fn directive(&mut self, text: &str, token: Token) -> Result<(), Refusal> {
        let line = token.text(text).trim_start_matches('#');
        let tokens = scan(line);
        let words: Vec<&str> = tokens
            .iter()
            .filter(|t| t.kind != CTokenKind::Comment)
            .map(|t| t.text(line))
            .collect();
        let refused = |message: &str| Refusal {
            start: token.start,
            end: token.end,
            code: Code::Unsupported,
            message: message.to_string(),
        };
        let ["pragma", rest @ ..] = &words[..] else {
            return Ok(());
        };
        match rest {
            ["pack", "(", arguments @ .., ")"] => {
                if !self.pack(arguments) {
                    return Err(refused("this `#pragma pack` is not supported"));
                }
                self.changes.push((token.start, self.limit()));
            }
            ["pack", ..] => return Err(refused("this `#pragma pack` is not supported")),
            ["scalar_storage_order", "default"]
            | ["scalar_storage_order", "little", "-", "endian"]
            | ["ms_struct", "off" | "reset"] => {}
            ["scalar_storage_order", ..] => {
                return Err(refused("`#pragma scalar_storage_order` is not supported"));
            }
            ["weak", ..] => return Err(refused("`#pragma weak` is not supported")),
            ["redefine_extname", ..] => {
                return Err(refused("`#pragma redefine_extname` is not supported"));
            }
            ["ms_struct", ..] => return Err(refused("`#pragma ms_struct` is not supported")),
            ["align", ..] => return Err(refused("`#pragma align` is not supported")),
            ["options", "align", ..] => {
                return Err(refused("`#pragma options align` is not supported"));
            }
            _ => {}
        }
        Ok(())
    }

    /// Obeys `pack(…)`; false where it is none that a compiler obeys.
    fn pack(&mut self, arguments: &[&str]) -> bool {
        let limit = |word: &str| match word {
            "0" | "1" | "2" | "4" | "8" | "16" => word.parse::<u8>().ok(),
            _ => None,
        };
        let is_name = |word: &str| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        match arguments {
            [] => self.set(0),
            ["push"] => self.stack.push((self.limit(), None)),
            ["push", ",", name] if is_name(name) => {
                self.stack.push((self.limit(), Some(name.to_string())));
            }
            ["push", ",", n] => match limit(n) {
                Some(n) => self.stack.push((n, None)),
                None => return false,
            },
            ["push", ",", name, ",", n] if is_name(name) => match limit(n) {
                Some(n) => self.stack.push((n, Some(name.to_string()))),
                None => return false,
            },
            // One without a `push` does nothing.
            ["pop"] => {
                self.stack.pop();
            }
            ["pop", ",", name] => {
                let named = |(_, n): &(u8, Option<String>)| n.as_deref() == Some(name);
                match self.stack.iter().rposition(named) {
                    Some(at) => self.stack.truncate(at),
                    None => return false,
                }
            }
            [n] => match limit(n) {
                Some(n) => self.set(n),
                None => return false,
            },
            _ => return false,
        }
        true
    }

    fn set(&mut self, limit: u8) {
        match self.stack.last_mut() {
            Some((top, _)) => *top = limit,
            None => self.base = limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limits behind each line.
    fn limits(text: &str) -> Result<Vec<u8>, Refusal> {
        let mut packing = Packing::default();
        let directives = scan(text).into_iter();
        for token in directives.filter(|t| t.kind == CTokenKind::Directive) {
            packing.directive(text, token)?;
        }
        let ends = text.match_indices('\n').map(|(at, _)| at);
        Ok(ends.map(|at| packing.at(at)).collect())
    }

    #[test]
    fn values_are_pushed_and_popped() {
        let text = "int a;\n#pragma pack(1)\n# pragma pack ( push , 2 )\n#pragma pack(4)\n#pragma pack(pop)\n#pragma pack()\n";
        assert_eq!(limits(text).ok(), Some(vec![0, 1, 2, 4, 1, 0]));
        let named = "#pragma pack(push, a, 1)\n#pragma pack(push, b)\n#pragma pack(8)\n#pragma pack(pop, a)\n";
        assert_eq!(limits(named).ok(), Some(vec![1, 1, 8, 0]));
        assert_eq!(limits("#pragma pack(pop)\n").ok(), Some(vec![0]));
    }

    #[test]
    fn what_compilers_ignore_is_refused() {
        for text in [
            "#pragma pack(3)\n",
            "#pragma pack(pop, a)\n",
            "#pragma pack 1\n",
            "#pragma scalar_storage_order big-endian\n",
            "#pragma ms_struct on\n",
        ] {
            assert!(limits(text).is_err(), "{text}");
        }
        assert!(limits("#pragma omp parallel\n#pragma ms_struct off\n").is_ok());
    }
}

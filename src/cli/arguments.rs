//! The words of `--args`, quoted as for a shell.
//!
//! Words are separated by white space. Between single quotes everything stands for itself; between
//! double quotes a backslash keeps its meaning before `"`, `\`, `$` and `` ` ``; elsewhere it takes
//! the special meaning from the next character. Nothing is substituted or expanded.

/// The words of a line.
///
/// # Errors
/// A sentence: a quotation mark without its partner, or a backslash at the end.
pub fn split(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            c if c.is_whitespace() => words.extend(word.take()),
            '\'' | '"' => quoted(c, &mut rest, word.get_or_insert_default())?,
            '\\' => {
                let next = rest.next().ok_or("--args ends with a backslash")?;
                word.get_or_insert_default().push(next);
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Reads up to the closing quotation mark.
fn quoted(mark: char, rest: &mut std::str::Chars, word: &mut String) -> Result<(), String> {
    let open = || format!("--args has a {mark} without its partner");
    loop {
        match rest.next().ok_or_else(open)? {
            c if c == mark => return Ok(()),
            '\\' if mark == '"' => {
                let next = rest.next().ok_or_else(open)?;
                if !"\"\\$`".contains(next) {
                    word.push('\\');
                }
                word.push(next);
            }
            c => word.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn words_are_split_as_a_shell_does() {
        let cases: [(&str, &[&str]); 7] = [
            ("2 3  1", &["2", "3", "1"]),
            ("", &[]),
            ("'' x", &["", "x"]),
            ("a' 'b\"c d\"", &["a bc d"]),
            (r#""\"\x" '\x'"#, &[r#""\x"#, r"\x"]),
            (r"a\ b \'", &["a b", "'"]),
            ("-n 3", &["-n", "3"]),
        ];
        for (line, words) in cases {
            let words = words.iter().map(|w| (*w).to_string()).collect();
            assert_eq!(split(line), Ok(words), "{line}");
        }
        assert!(split("'a").is_err() && split("\"a\\\"").is_err() && split("a\\").is_err());
    }
}

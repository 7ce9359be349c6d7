//! The calls of a client as they are typed: `push(1),push(2);pop,pop`.
//!
//! A thread is a sequence of calls with commas between them, threads have semicolons between them. Arguments are
//! numbers, names of variables and enumeration constants, addresses `&x`, and `?` for the address of a variable whose
//! value afterwards is a part of the result.

use crate::lower::c::{ClientArgument, ClientCall};

/// Threads, each a sequence of calls.
///
/// # Errors
/// What is wrong, as a sentence.
pub fn threads(typed: &str) -> Result<Vec<Vec<ClientCall>>, String> {
    let mut text = Text::new(typed);
    let mut threads = vec![text.calls()?];
    while text.takes(';') {
        threads.push(text.calls()?);
    }
    text.ends()?;
    Ok(threads)
}

/// A sequence of calls.
///
/// # Errors
/// What is wrong, as a sentence.
pub fn calls(typed: &str) -> Result<Vec<ClientCall>, String> {
    let mut text = Text::new(typed);
    let calls = text.calls()?;
    text.ends()?;
    Ok(calls)
}

/// A text that is read from its beginning.
struct Text<'a> {
    whole: &'a str,
    rest: &'a str,
}

impl<'a> Text<'a> {
    fn new(typed: &'a str) -> Text<'a> {
        Text {
            whole: typed,
            rest: typed.trim_start(),
        }
    }

    fn calls(&mut self) -> Result<Vec<ClientCall>, String> {
        let mut calls = vec![self.call()?];
        while self.takes(',') {
            calls.push(self.call()?);
        }
        Ok(calls)
    }

    fn call(&mut self) -> Result<ClientCall, String> {
        let function = self
            .name()
            .ok_or_else(|| self.wants("the name of a function"))?;
        let mut arguments = Vec::new();
        if self.takes('(') && !self.takes(')') {
            arguments.push(self.argument()?);
            while self.takes(',') {
                arguments.push(self.argument()?);
            }
            if !self.takes(')') {
                return Err(self.wants("`,` or `)`"));
            }
        }
        Ok(ClientCall {
            function,
            arguments,
        })
    }

    fn argument(&mut self) -> Result<ClientArgument, String> {
        if self.takes('?') {
            return Ok(ClientArgument::Out);
        }
        if self.takes('&') {
            let name = self
                .name()
                .ok_or_else(|| self.wants("the name of a variable"))?;
            return Ok(ClientArgument::Address(name));
        }
        if let Some(name) = self.name() {
            return Ok(ClientArgument::Name(name));
        }
        let is_negative = self.takes('-');
        let digits = self.while_is(|c| c.is_ascii_alphanumeric());
        let number = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
            Some(hexadecimal) => i128::from_str_radix(hexadecimal, 16),
            None => digits.parse::<i128>(),
        };
        let number = number.ok().map(|n| if is_negative { -n } else { n });
        // What is beyond the signed numbers of 64 bits is an unsigned one, with the same bits.
        let bits = number.filter(|n| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(n));
        match bits {
            Some(n) => Ok(ClientArgument::Number(n as i64)),
            None => Err(self.wants("a number, a name, `&` and a name, or `?`")),
        }
    }

    fn name(&mut self) -> Option<String> {
        let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
        if !self.rest.starts_with(begins) {
            return None;
        }
        Some(
            self.while_is(|c| c.is_ascii_alphanumeric() || c == '_')
                .to_string(),
        )
    }

    fn while_is(&mut self, is: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !is(c)).unwrap_or(self.rest.len());
        let (found, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        found
    }

    fn takes(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn ends(&self) -> Result<(), String> {
        match self.rest.is_empty() {
            true => Ok(()),
            false => Err(self.wants("`,` or `;`")),
        }
    }

    fn wants(&self, what: &str) -> String {
        let column = self.whole.chars().count() - self.rest.chars().count() + 1;
        let found = match self.rest.chars().next() {
            Some(c) => format!("`{c}`"),
            None => "the end".to_string(),
        };
        format!(
            "{what} is needed in `{}` at column {column}, not {found}",
            self.whole
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(typed: &str) -> Result<String, String> {
        let threads = threads(typed)?;
        let threads = threads.iter().map(|calls| {
            let calls: Vec<String> = calls.iter().map(ToString::to_string).collect();
            calls.join(", ")
        });
        Ok(threads.collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn calls_have_arguments_of_every_kind() {
        let typed = "push(1),push( -0x10 );pop , put(&q,A, ?)";
        let read = "push(1), push(-16); pop(), put(&q, A, ?)";
        assert_eq!(shown(typed).as_deref(), Ok(read));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (typed, column) in [
            ("push(1", 7),
            ("push(1);", 9),
            ("push()pop", 7),
            ("f(1 2)", 5),
        ] {
            let error = shown(typed).expect_err("it is wrong");
            assert!(
                error.contains(&format!("column {column}")),
                "{typed}: {error}"
            );
        }
    }
}

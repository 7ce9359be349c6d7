//! The calls of clients as they are typed: `push(1),push(2);pop,pop`.
//!
//! A thread is a sequence of calls with commas between them, threads have semicolons between them. Arguments are
//! numbers, names of variables and enumeration constants, addresses `&x`, `?` for the address of a variable whose value
//! afterwards is a part of the result, and `*` for any number: as calls can be told apart by equality and order alone of
//! what they are given, so many numbers are tried as there are stars, in each order, some of them equal.

use crate::lower::c::{Client, ClientArgument, ClientCall};
use linearizable::MAX_CALLS;
use std::collections::BTreeSet;

/// Clients that are tried, at most.
const MOST_CLIENTS: usize = 10_000;

/// A call as it is typed; `None` is a star.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypedCall {
    function: String,
    arguments: Vec<Option<ClientArgument>>,
}

/// A client as it is typed.
#[derive(Clone, Debug)]
pub struct TypedClient {
    /// What is called first.
    pub setup: Vec<TypedCall>,
    /// The calls of each thread.
    pub threads: Vec<Vec<TypedCall>>,
    /// What is called at the end.
    pub finally: Vec<TypedCall>,
}

/// Threads, each a sequence of calls.
///
/// # Errors
/// What is wrong, as a sentence.
pub fn threads(typed: &str) -> Result<Vec<Vec<TypedCall>>, String> {
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
pub fn calls(typed: &str) -> Result<Vec<TypedCall>, String> {
    let mut text = Text::new(typed);
    let calls = text.calls()?;
    text.ends()?;
    Ok(calls)
}

/// All threads of so many calls, each one of these operations; threads have no order.
///
/// # Errors
/// The calls are too many, or the clients.
pub fn of_size(
    operations: &[TypedCall],
    threads: usize,
    calls: usize,
) -> Result<Vec<Vec<Vec<TypedCall>>>, String> {
    if threads * calls > MAX_CALLS {
        return Err(format!(
            "clients have up to {MAX_CALLS} calls, and {threads} threads of {calls} are more"
        ));
    }
    let few = |all: Vec<Vec<usize>>| match all.len() > MOST_CLIENTS {
        true => Err(too_many()),
        false => Ok(all),
    };
    let mut sequences: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..calls {
        let longer = sequences
            .iter()
            .flat_map(|s| (0..operations.len()).map(move |o| [s.as_slice(), &[o]].concat()));
        sequences = few(longer.collect())?;
    }
    let mut found: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..threads {
        let more = found.iter().flat_map(|f| {
            let first = f.last().copied().unwrap_or(0);
            (first..sequences.len()).map(move |s| [f.as_slice(), &[s]].concat())
        });
        found = few(more.take(MOST_CLIENTS + 1).collect())?;
    }
    let thread = |s: &usize| {
        sequences[*s]
            .iter()
            .map(|o| operations[*o].clone())
            .collect()
    };
    Ok(found
        .iter()
        .map(|f| f.iter().map(thread).collect())
        .collect())
}

/// The clients with numbers in place of stars, each once up to the order of threads.
///
/// # Errors
/// They are too many.
pub fn with_numbers(typed: &[TypedClient]) -> Result<Vec<Client>, String> {
    let mut seen = BTreeSet::new();
    let mut clients = Vec::new();
    for client in typed {
        let of_threads = client.threads.iter().flatten();
        let calls = of_threads.chain(&client.setup).chain(&client.finally);
        let stars = calls
            .flat_map(|c| &c.arguments)
            .filter(|a| a.is_none())
            .count();
        for numbers in numbers(stars)? {
            let mut numbers = numbers.into_iter();
            let mut call = |call: &TypedCall| ClientCall {
                function: call.function.clone(),
                arguments: call
                    .arguments
                    .iter()
                    .map(|argument| match argument {
                        Some(argument) => argument.clone(),
                        None => ClientArgument::Number(numbers.next().unwrap_or(0)),
                    })
                    .collect(),
            };
            let threads = client.threads.iter();
            let threads: Vec<Vec<ClientCall>> = threads
                .map(|calls| calls.iter().map(&mut call).collect())
                .collect();
            let client = Client {
                setup: client.setup.iter().map(&mut call).collect(),
                finally: client.finally.iter().map(&mut call).collect(),
                threads,
            };
            let shown = |calls: &[ClientCall]| -> Vec<String> {
                calls.iter().map(ToString::to_string).collect()
            };
            let mut of_threads: Vec<Vec<String>> =
                client.threads.iter().map(|c| shown(c)).collect();
            of_threads.sort();
            if seen.insert((shown(&client.setup), of_threads, shown(&client.finally))) {
                clients.push(client);
            }
            if clients.len() > MOST_CLIENTS {
                return Err(too_many());
            }
        }
    }
    Ok(clients)
}

fn too_many() -> String {
    format!(
        "there are more than {MOST_CLIENTS} clients of this kind; numbers in place of `*` make fewer"
    )
}

/// So many numbers from 1 on, without gaps.
fn numbers(count: usize) -> Result<Vec<Vec<i64>>, String> {
    let mut found: Vec<Vec<i64>> = vec![Vec::new()];
    for _ in 0..count {
        let longer = found.iter().flat_map(|numbers| {
            (1..=count as i64).map(move |n| [numbers.as_slice(), &[n]].concat())
        });
        found = longer.collect();
        if found.len() > 1 << 20 {
            return Err(too_many());
        }
    }
    found.retain(|numbers| {
        let different: BTreeSet<i64> = numbers.iter().copied().collect();
        different.last().copied().unwrap_or(0) == different.len() as i64
    });
    Ok(found)
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

    fn calls(&mut self) -> Result<Vec<TypedCall>, String> {
        let mut calls = vec![self.call()?];
        while self.takes(',') {
            calls.push(self.call()?);
        }
        Ok(calls)
    }

    fn call(&mut self) -> Result<TypedCall, String> {
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
        Ok(TypedCall {
            function,
            arguments,
        })
    }

    fn argument(&mut self) -> Result<Option<ClientArgument>, String> {
        if self.takes('*') {
            return Ok(None);
        }
        if self.takes('?') {
            return Ok(Some(ClientArgument::Out));
        }
        if self.takes('&') {
            let name = self
                .name()
                .ok_or_else(|| self.wants("the name of a variable"))?;
            return Ok(Some(ClientArgument::Address(name)));
        }
        if let Some(name) = self.name() {
            return Ok(Some(ClientArgument::Name(name)));
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
            Some(n) => Ok(Some(ClientArgument::Number(n as i64))),
            None => Err(self.wants("a number, a name, `&` and a name, `?`, or `*`")),
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

    /// The clients, threads with semicolons between them.
    fn clients(typed: &str) -> Result<Vec<String>, String> {
        let typed = TypedClient {
            setup: Vec::new(),
            threads: threads(typed)?,
            finally: Vec::new(),
        };
        let shown = with_numbers(&[typed])?.into_iter().map(|client| {
            let threads = client.threads.iter().map(|calls| {
                let calls: Vec<String> = calls.iter().map(ToString::to_string).collect();
                calls.join(", ")
            });
            threads.collect::<Vec<_>>().join("; ")
        });
        Ok(shown.collect())
    }

    #[test]
    fn calls_have_arguments_of_every_kind() {
        let typed = "push(1),push( -0x10 );pop , put(&q,A, ?)";
        let read = "push(1), push(-16); pop(), put(&q, A, ?)";
        assert_eq!(clients(typed), Ok(vec![read.to_string()]));
    }

    #[test]
    fn stars_are_numbers_in_each_order() {
        let two = ["put(1); get(1)", "put(1); get(2)", "put(2); get(1)"];
        assert_eq!(
            clients("put(*);get(*)"),
            Ok(two.map(str::to_string).to_vec())
        );
        // Threads have no order.
        let two = ["put(1); put(1)", "put(1); put(2)"];
        assert_eq!(
            clients("put(*);put(*)"),
            Ok(two.map(str::to_string).to_vec())
        );
        // Numbers of weak orders: OEIS A000670.
        for (count, orders) in [(0, 1), (1, 1), (2, 3), (3, 13), (4, 75), (5, 541)] {
            assert_eq!(numbers(count).map(|n| n.len()), Ok(orders));
        }
        assert!(clients("f(*,*,*,*);f(*,*,*,*);f(*,*,*,*)").is_err());
    }

    #[test]
    fn clients_of_a_size_are_there_once() {
        let operations = calls("put(*),get").expect("two operations");
        // Two threads of two calls: multisets of two of four sequences.
        let count = |threads, calls| of_size(&operations, threads, calls).map(|all| all.len());
        assert_eq!(count(2, 2), Ok(10));
        assert_eq!(count(3, 1), Ok(4));
        assert!(count(3, 3).is_err());
        assert!(of_size(&calls("a,b,c,d,e,f,g").expect("names"), 2, 4).is_err());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (typed, column) in [
            ("push(1", 7),
            ("push(1);", 9),
            ("push()pop", 7),
            ("f(1 2)", 5),
        ] {
            let error = clients(typed).expect_err("it is wrong");
            assert!(
                error.contains(&format!("column {column}")),
                "{typed}: {error}"
            );
        }
    }
}

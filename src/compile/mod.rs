//! Compiles litmus tests in C11 to litmus tests of machines, by the published [`mapping`]s.
//!
//! ```text
//! syntax of C ──► thread (instructions by mapping and machine) ──► text of the machine's test
//! ```
//!
//! What leaves is text, the instructions printed, which the front end reads like any other. The final states
//! of both tests can be compared: [`CompiledTest::places`] says which register of the machine has the value of
//! which name.

mod machine;
pub mod mapping;
mod thread;

use crate::front::litmus::ast::{
    LitmusValue, Machine, Name, Number, Place, Prop, Quantifier, Symbol, Test,
};
use base::diag::Diag;
use mapping::Mapping;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use thread::{Compiled, Thread, unsupported};

/// What has a value at the end: a name of a thread, or a location.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Observed {
    /// A register: thread and name.
    Register(u32, String),
    /// A location.
    Location(String),
}

impl std::fmt::Display for Observed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Observed::Register(thread, name) => write!(f, "{thread}:{name}"),
            Observed::Location(name) => write!(f, "[{name}]"),
        }
    }
}

/// A test for a machine.
#[derive(Clone, Debug)]
pub struct CompiledTest {
    /// Its text.
    pub text: String,
    /// What the source calls what the machine has, all of it: by the machine's place.
    pub places: BTreeMap<Observed, Observed>,
}

/// Compiles a test.
///
/// # Errors
/// What is not supported, with its place.
pub fn compile(test: &Test, mapping: &Mapping) -> Result<CompiledTest, Vec<Diag>> {
    compiled(test, mapping).map_err(|diag| vec![*diag])
}

fn compiled(test: &Test, mapping: &Mapping) -> Compiled<CompiledTest> {
    let spelling = machine::of(mapping.target);
    if test.machine != Machine::C {
        let span = test.threads.first().map_or(test.condition.span, |t| t.span);
        return unsupported(
            span,
            "only tests in C are compiled, others are not supported",
        );
    }
    let locations = locations(test);
    let mut init = initial(test)?;
    let mut labels = 0;
    let mut columns: Vec<Vec<String>> = Vec::new();
    let mut registers: BTreeMap<(u32, String), String> = BTreeMap::new();
    for (place, thread) in test.threads.iter().enumerate() {
        let Some(function) = &thread.function else {
            return unsupported(thread.span, "a thread without a function is not supported");
        };
        if usize::try_from(thread.number) != Ok(place) {
            return unsupported(
                thread.span,
                "threads that are not in order are not supported",
            );
        }
        let mut code = Thread::new(mapping, spelling, function, thread.span, &mut labels);
        code.block(&function.body)?;
        for (location, register) in &code.addresses {
            init.push(format!(
                "{place}:{}={location};",
                (spelling.address)(*register)
            ));
        }
        for (name, register) in &code.names {
            registers.insert((thread.number, name.clone()), (spelling.address)(*register));
        }
        let mut column = vec![format!("P{place}")];
        column.extend(code.lines.iter().map(|line| line.to_string()));
        columns.push(column);
    }
    let mut text = format!(
        "{} {}\n{{ {} }}\n",
        spelling.name,
        test.name,
        init.join(" ")
    );
    text += &table(&columns);
    let shown = registers
        .iter()
        .map(|((thread, _), r)| format!("{thread}:{r};"));
    let shown = shown.chain(locations.iter().map(|l| format!("{l};")));
    let _ = writeln!(text, "locations [{}]", shown.collect::<Vec<_>>().join(" "));
    if let Some(filter) = &test.filter {
        let _ = writeln!(text, "filter {}", prop(filter, &registers)?);
    }
    let quantifier = match test.condition.quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "~exists",
        Quantifier::Forall => "forall",
    };
    let _ = writeln!(
        text,
        "{quantifier} {}",
        prop(&test.condition.prop, &registers)?
    );
    Ok(CompiledTest {
        text,
        places: places(registers, locations),
    })
}

fn places(
    registers: BTreeMap<(u32, String), String>,
    locations: BTreeSet<String>,
) -> BTreeMap<Observed, Observed> {
    let of_threads = registers.into_iter().map(|((thread, name), register)| {
        (
            Observed::Register(thread, register),
            Observed::Register(thread, name),
        )
    });
    let of_memory = locations.into_iter().map(|name| {
        let location = Observed::Location(name);
        (location.clone(), location)
    });
    of_threads.chain(of_memory).collect()
}

/// The names of all locations.
fn locations(test: &Test) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let functions = test.threads.iter().filter_map(|t| t.function.as_ref());
    for param in functions.flat_map(|f| &f.params) {
        all.insert(param.name.text.clone());
    }
    for init in &test.init {
        if let Place::Memory(symbol) = &init.place {
            all.insert(symbol.name.text.clone());
        }
    }
    all
}

/// The initial state, as it is written.
fn initial(test: &Test) -> Compiled<Vec<String>> {
    let mut all = Vec::new();
    for init in &test.init {
        match (&init.place, &init.values[..], init.count) {
            (Place::Memory(_), [], None) => {}
            (Place::Memory(symbol), [LitmusValue::Number(number)], None) if number.fits(32) => {
                all.push(format!("{}={number};", symbol.name.text));
            }
            _ => {
                return unsupported(
                    init.span,
                    "this initial value is not supported by the compiler",
                );
            }
        }
    }
    Ok(all)
}

/// A column per thread.
fn table(columns: &[Vec<String>]) -> String {
    let width = |column: &Vec<String>| column.iter().map(String::len).max().unwrap_or(0);
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = String::new();
    for row in 0..rows {
        let cells = columns.iter().map(|column| {
            let cell = column.get(row).map_or("", String::as_str);
            format!(" {cell:0$} ", width(column))
        });
        let _ = writeln!(text, "{};", cells.collect::<Vec<_>>().join("|"));
    }
    text
}

/// A proposition about the machine's registers.
fn prop(p: &Prop, registers: &BTreeMap<(u32, String), String>) -> Compiled<String> {
    let all = |props: &[Prop], sign: &str| -> Compiled<String> {
        let each = props.iter().map(|p| prop(p, registers));
        let each = each.collect::<Compiled<Vec<String>>>()?;
        Ok(format!("({})", each.join(sign)))
    };
    Ok(match p {
        Prop::Constant(truth) => format!("({truth})"),
        Prop::Equal(place, value) => {
            let value = match value {
                LitmusValue::Number(number) => number.to_string(),
                LitmusValue::Place(place) => place_name(place, registers)?,
                LitmusValue::Address(symbol) => {
                    let message = "addresses as values are not supported by the compiler";
                    return unsupported(symbol.name.span, message);
                }
            };
            format!("({}={value})", place_name(place, registers)?)
        }
        Prop::Not(p) => format!("(~{})", prop(p, registers)?),
        Prop::And(props) => all(props, " /\\ ")?,
        Prop::Or(props) => all(props, " \\/ ")?,
        Prop::Implies(a, b) => format!("({} => {})", prop(a, registers)?, prop(b, registers)?),
    })
}

fn place_name(place: &Place, registers: &BTreeMap<(u32, String), String>) -> Compiled<String> {
    match place {
        Place::Memory(Symbol { name, index: None }) => Ok(name.text.clone()),
        Place::Register {
            thread: Some(thread),
            name,
        } => {
            let number = u32::try_from(thread.bits).unwrap_or(u32::MAX);
            match registers.get(&(number, name.text.clone())) {
                Some(register) => Ok(format!("{number}:{register}")),
                None => unsupported(name.span, "a register that no thread sets is not supported"),
            }
        }
        _ => unsupported(place.span(), "this place is not supported by the compiler"),
    }
}

/// A C11 test whose final states show every register of every thread and every location.
pub fn showing_all(test: &Test) -> Test {
    let mut test = test.clone();
    let mut shown = Vec::new();
    for thread in &test.threads {
        let Some(function) = &thread.function else {
            continue;
        };
        for name in function.registers() {
            let number = Number {
                bits: u64::from(thread.number),
                negative: false,
                span: thread.span,
            };
            let name = Name {
                text: name.to_string(),
                span: thread.span,
            };
            shown.push(Place::Register {
                thread: Some(number),
                name,
            });
        }
        let params = function.params.iter().cloned();
        shown.extend(params.map(Place::Memory));
    }
    let init = test.init.iter().map(|i| i.place.clone());
    shown.extend(init.filter(|place| matches!(place, Place::Memory(_))));
    test.locations.extend(shown);
    test
}

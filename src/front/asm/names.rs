//! Names: every one is declared once and used as what it is. Of a program that passes,
//!
//! * `thread_code` and `unsafe_prop` are there, no variable and no label is declared twice,
//! * every jump and every `eip` has a label that exists, every operand in memory a variable,
//! * all of the code names one thread, the one that executes it, and names it with variables of
//!   `thread_data` only: another name would be the cell of another thread, which is not supported,
//! * counters are used as PMCx86 allows it (Sec. 4, "Translation of operations on counters"): `inc`,
//!   `dec`, `mov` of 0 or `N`, `cmp` with 0 or `N`; and `N` is used with counters only.

use super::ast::{Comparison, Data, Initial, Line, Name, Program, Relation, Term};
use super::property::{RawComparison, RawTerm};
use super::section::{Section, Sections};
use crate::front::litmus::ast::x86::{Op, Operand, Unary};
use base::diag::Diag;
use base::source::Span;
use std::collections::BTreeMap;

/// Resolves the names of a program.
///
/// # Errors
/// Every name that is declared twice, not declared, or used wrongly.
pub(super) fn resolve(sections: Sections) -> Result<Program, Vec<Diag>> {
    let mut errors = Vec::new();
    let begin = |section| {
        let mut begins = sections.begins.iter();
        begins.find(|(s, _)| *s == section).map(|(_, span)| *span)
    };
    for section in [Section::ThreadCode, Section::UnsafeProp] {
        if begin(section).is_none() {
            let message = format!("there is no section `{}`", section.name());
            errors.push(match sections.end {
                Some(end) => Diag::error(end, message),
                None => Diag::bare(message),
            });
        }
    }
    let Some(property_span) = begin(Section::UnsafeProp).filter(|_| errors.is_empty()) else {
        return Err(errors);
    };
    let mut program = Program {
        shared: sections.shared,
        private: sections.private,
        code: sections.code,
        end_labels: sections.end_labels,
        property: Vec::new(),
        property_span,
    };
    declarations(&program, &mut errors);
    for (name, value) in sections.init {
        match data(&mut program, &name.text) {
            Some(data) => data.initial = value,
            None => errors.push(unknown_variable(&name)),
        }
    }
    initial_values(&program, &mut errors);
    threads(&program, &mut errors);
    for line in &program.code {
        instruction(&program, line, &mut errors);
    }
    if sections.property.is_empty() {
        errors.push(Diag::error(property_span, "the property is empty"));
    }
    let mut property = Vec::new();
    for raw in sections.property {
        match comparison(&program, raw) {
            Ok(comparison) => property.push(comparison),
            Err(diag) => errors.push(diag),
        }
    }
    program.property = property;
    if errors.is_empty() {
        return Ok(program);
    }
    errors.sort_by_key(|e| e.labels.first().map(|(span, _)| *span));
    Err(errors)
}

fn data<'a>(program: &'a mut Program, name: &str) -> Option<&'a mut Data> {
    let mut all = program.shared.iter_mut().chain(&mut program.private);
    all.find(|d| d.name.text == name)
}

fn unknown_variable(name: &Name) -> Diag {
    Diag::error(name.span, format!("there is no variable `{}`", name.text))
        .note("variables are declared in `shared_data` and `thread_data`")
}

/// No name is declared twice.
fn declarations(program: &Program, errors: &mut Vec<Diag>) {
    let mut seen: BTreeMap<(&str, &str), Span> = BTreeMap::new();
    let variables = program.shared.iter().chain(&program.private);
    let variables = variables.map(|d| ("variable", &d.name));
    let labels = program.code.iter().flat_map(|l| &l.labels);
    let labels = labels.chain(&program.end_labels).map(|n| ("label", n));
    for (what, name) in variables.chain(labels) {
        if let Some(first) = seen.insert((what, &name.text), name.span) {
            let message = format!("the {what} `{}` stands here twice", name.text);
            errors.push(Diag::error(name.span, message).also(first, "the first is here"));
        }
    }
}

fn initial_values(program: &Program, errors: &mut Vec<Diag>) {
    for data in &program.private {
        if data.counter {
            let message = "a variable of `thread_data` cannot be a counter";
            errors.push(Diag::error(data.name.span, message));
        }
    }
    for data in program.shared.iter().chain(&program.private) {
        match data.initial {
            Initial::Number(n) if data.counter && n.bits != 0 => {
                let message = "a counter begins at 0 or at `N`";
                errors.push(Diag::error(n.span, message));
            }
            Initial::ThreadCount(span) if !data.counter => errors.push(count_elsewhere(span)),
            _ => {}
        }
    }
}

fn count_elsewhere(span: Span) -> Diag {
    Diag::error(
        span,
        "`N`, the number of threads, is used with counters only",
    )
    .note("a counter is declared by `NAME dd 0 ! as counter`")
}

/// The counter that an operand is.
fn counter<'a>(program: &Program, operand: &'a Operand) -> Option<&'a Name> {
    let name = &operand.symbol()?.name;
    let counter = program.shared(&name.text).is_some_and(|d| d.counter);
    counter.then_some(name)
}

fn instruction(program: &Program, line: &Line, errors: &mut Vec<Diag>) {
    if let Op::Jump(_, label) = &line.instr.op
        && program.target(&label.text).is_none()
    {
        errors.push(unknown_label(label));
    }
    let operands = || line.instr.op.operands();
    for symbol in operands().filter_map(Operand::symbol) {
        let name = &symbol.name.text;
        if program.shared(name).is_none() && program.private(name).is_none() {
            errors.push(unknown_variable(&symbol.name));
        }
    }
    let used = operands().find_map(|o| counter(program, o));
    let count = operands().find_map(|o| match o {
        Operand::ThreadCount(span) => Some(*span),
        _ => None,
    });
    let Some(used) = used else {
        errors.extend(count.map(count_elsewhere));
        return;
    };
    let bound = |o: &Operand| match o {
        Operand::Number(n) => n.bits == 0,
        other => matches!(other, Operand::ThreadCount(_)),
    };
    let allowed = match &line.instr.op {
        Op::Unary(op, _) => matches!(op, Unary::Inc | Unary::Dec),
        Op::Mov(a, b) | Op::Cmp(a, b) => counter(program, a).is_some() && bound(b),
        _ => false,
    };
    if !allowed {
        let message = format!("the counter `{}` cannot be used like this", used.text);
        let note = "a counter can be incremented, decremented, set to 0 or `N`, and compared with 0 or `N`";
        errors.push(Diag::error(line.span, message).note(note));
    }
}

/// The first thread that the code names is the one that executes it; there is no other.
fn threads(program: &Program, errors: &mut Vec<Diag>) {
    let operands = program.code.iter().flat_map(|l| l.instr.op.operands());
    let mut own: Option<&Name> = None;
    for operand in operands {
        let Operand::Memory(memory) = operand else {
            continue;
        };
        let (Some(thread), Some(symbol)) = (&memory.thread, operand.symbol()) else {
            continue;
        };
        let variable = &symbol.name.text;
        if program.shared(variable).is_some() {
            errors.push(no_cells(variable, thread.span));
        }
        let first = *own.get_or_insert(thread);
        if first.text != thread.text {
            let (other, first_name) = (&thread.text, &first.text);
            let message = format!("the cell of another thread (`${other}`) is not supported");
            let diag = Diag::unsupported(thread.span, message).also(
                first.span,
                format!("`${first_name}` is the thread that executes the code"),
            );
            errors.push(diag);
        }
    }
}

fn no_cells(variable: &str, span: Span) -> Diag {
    let message = format!("`{variable}` is one variable, without cells");
    Diag::error(span, message)
}

fn unknown_label(label: &Name) -> Diag {
    Diag::error(label.span, format!("there is no label `{}`", label.text))
}

fn comparison(program: &Program, raw: RawComparison) -> Result<Comparison, Diag> {
    let RawComparison {
        left,
        relation,
        right,
        span,
    } = raw;
    let (thread, other) = match (left, right) {
        (RawTerm::Eip(thread, _), other) | (other, RawTerm::Eip(thread, _)) => (thread, other),
        (left, right) => {
            return Ok(Comparison::Values {
                left: term(program, left)?,
                relation,
                right: term(program, right)?,
                span,
            });
        }
    };
    let RawTerm::Name(label) = other else {
        return Err(Diag::error(other.span(), "`eip` is compared with a label"));
    };
    if program.target(&label.text).is_none() {
        return Err(unknown_label(&label));
    }
    let equal = match relation {
        Relation::Eq => true,
        Relation::Ne => false,
        _ => return Err(Diag::error(span, "`eip` is compared by `=` or `<>`")),
    };
    Ok(Comparison::Location {
        thread,
        equal,
        label,
        span,
    })
}

fn term(program: &Program, raw: RawTerm) -> Result<Term, Diag> {
    match raw {
        RawTerm::Register(name, thread) => Ok(Term::Register { name, thread }),
        RawTerm::Indexed(name, thread) => {
            if program.private(&name.text).is_some() {
                return Ok(Term::Private { name, thread });
            }
            if program.shared(&name.text).is_some() {
                let message = format!("`{}` is shared", name.text);
                let note = format!("what a thread sees of it is written `$t:{}`", name.text);
                return Err(Diag::error(name.span, message).note(note));
            }
            Err(unknown_variable(&name))
        }
        RawTerm::Seen(thread, name, cell) => {
            let Some(data) = program.shared(&name.text) else {
                return Err(unknown_variable(&name));
            };
            if data.counter {
                let message = format!("the counter `{}` cannot stand in a property", name.text);
                return Err(Diag::error(name.span, message));
            }
            match cell {
                Some(cell) => Err(no_cells(&name.text, cell.span)),
                None => Ok(Term::Shared { thread, name }),
            }
        }
        RawTerm::Number(number) => Ok(Term::Number(number)),
        RawTerm::Name(name) if name.text == "N" => Err(count_elsewhere(name.span)),
        RawTerm::Name(name) => {
            let message = format!("`{}` is no value", name.text);
            Err(Diag::error(name.span, message)
                .note("a label is compared with `eip[$t]`; a register is written `eax[$t]`"))
        }
        RawTerm::Eip(_, span) => Err(Diag::error(span, "`eip` is compared with a label")),
    }
}

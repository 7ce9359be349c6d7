//! Layouts and initial values against the C compiler of the machine.
//!
//! Random structures and unions (`layout_oracle/types.rs`) with `packed`, `aligned`, `_Alignas`,
//! `#pragma pack` and bit-fields are compiled; the program prints the size and alignment of each, the
//! offset and alignment of each member, and the bytes and members of objects with random initial
//! values. The front end must find the same:
//!
//! 1. numbers as static assertions, of which each batch has a wrong one that must fail;
//! 2. the bytes of objects with static storage in the lowered program, with those of flexible arrays;
//! 3. the members of the same objects as locals, where an interpreter of lowered programs runs
//!    assertions, of which a wrong one must fail.
//!
//! `WMBMC_RANDOM_CASES=20000` looks at more types, `WMBMC_RANDOM_SEED` at others.

mod types;

use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use support::interpreter::{Machine, Stop};
use support::random::seeds;
use types::{Generator, Leaf, PRELUDE, Ty};
use wmbmc::base::diag::Diag;
use wmbmc::base::source::SourceMap;
use wmbmc::front::c::{self, ParseOptions};
use wmbmc::ir::program::{DataModel, Expr, ProcId, Program};
use wmbmc::lower::c::lower;

/// Types of one program.
const BATCH: usize = 50;
/// What C leaves open (DR 413), of a local with a literal of a structure among its values.
const REFUSED: &str = "an initial value of a part of a structure that an expression has initialised \
                       is not supported";

/// Objects per type.
const OBJECTS: usize = 3;

fn compiler() -> String {
    std::env::var("CC").unwrap_or_else(|_| "cc".to_string())
}

/// What a batch has compared.
#[derive(Default)]
struct Counts {
    types: usize,
    members: usize,
    enums: usize,
    objects: usize,
    bytes: usize,
    values: usize,
    /// Locals that the front end refuses.
    refused: usize,
    /// What differs, each with the text that shows it.
    differences: Vec<String>,
}

/// An object and its initial value.
struct Object {
    ty: usize,
    /// Behind its name: an array of so many, and attributes.
    behind: String,
    init: String,
    leaves: Vec<Leaf>,
}

impl Object {
    fn declared(&self, generator: &Generator, name: &str) -> String {
        let (ty, behind) = (generator.type_name(self.ty), &self.behind);
        format!("{ty} {name}{behind} = {};", self.init)
    }

    /// A flexible array member has storage in objects with static storage alone.
    fn is_local(&self, generator: &Generator) -> bool {
        !generator.is_flexible(self.ty)
    }
}

/// What the compiler says of a text: the lines with an error, or with more values than members.
fn faulty_lines(file: &Path, text: &str) -> BTreeSet<usize> {
    std::fs::write(file, text).expect("the folder is writable");
    let output = Command::new(compiler())
        .args(["-std=gnu11", "-fsyntax-only", "-x", "c"])
        .arg(file)
        .output()
        .expect("the compiler has run before");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let wrong =
        |line: &&str| line.contains(": error:") || line.contains("warning: excess elements");
    let number = |line: &str| line.split(':').nth(1)?.parse().ok();
    said.lines().filter(wrong).filter_map(number).collect()
}

/// The types of a batch; of each the line behind it.
fn definitions(generator: &Generator) -> (String, Vec<usize>) {
    let mut text = PRELUDE.to_string();
    let mut ends = Vec::new();
    for (_, definition) in &generator.records {
        text.push_str(definition);
        ends.push(text.lines().count() + 1);
    }
    (text, ends)
}

/// Defines types until the compiler takes all of them.
fn define(generator: &mut Generator, folder: &Path) {
    (0..BATCH).for_each(|_| generator.define());
    let file = folder.join("types.c");
    for _ in 0..10 {
        let (text, ends) = definitions(generator);
        let faulty = faulty_lines(&file, &text);
        let of_line = |line: &usize| ends.partition_point(|end| end <= line);
        let numbers: BTreeSet<usize> = faulty.iter().map(of_line).collect();
        if numbers.is_empty() {
            return;
        }
        numbers.into_iter().for_each(|n| generator.replace(n));
    }
    panic!("the types are no C: {}", definitions(generator).0);
}

/// An object, or an array of them, of a type.
fn object(generator: &mut Generator, ty: usize) -> Object {
    let record = generator.records[ty].0.clone();
    let top = Ty::Top(ty);
    let mut leaves = Vec::new();
    let mut behind = String::new();
    let init = match generator.random.below(6) {
        form @ (0 | 1) if !generator.is_flexible(ty) => {
            let (count, known) = match form {
                0 => (2, 2),
                // It has as many elements as its initial value says, and one at least.
                _ => (3, 1),
            };
            behind = if form == 0 { "[2]" } else { "[]" }.to_string();
            for i in 0..known {
                generator.leaves(&record, &format!("[{i}]"), false, &mut leaves);
            }
            generator.initial(&Ty::Array(Box::new(top), count))
        }
        _ => {
            generator.leaves(&record, "", false, &mut leaves);
            generator.initial(&top)
        }
    };
    if generator.random.below(5) == 0 {
        behind.push_str(&format!(" {}", generator.aligned()));
    }
    Object {
        ty,
        behind,
        init,
        leaves,
    }
}

/// Objects that the compiler takes.
fn objects(generator: &mut Generator, folder: &Path) -> Vec<Object> {
    let mut found = Vec::new();
    for ty in 0..generator.records.len() {
        if generator.has_opaque(&Ty::Top(ty)) {
            continue;
        }
        for _ in 0..OBJECTS {
            found.push(object(generator, ty));
        }
    }
    let (mut text, ends) = definitions(generator);
    let first = ends.last().copied().unwrap_or(1);
    for (i, object) in found.iter().enumerate() {
        let declared = object.declared(generator, &format!("o{i}"));
        writeln!(text, "{declared}").expect("a text takes everything");
    }
    let faulty = faulty_lines(&folder.join("objects.c"), &text);
    let all = found.into_iter().enumerate();
    all.filter(|(i, _)| !faulty.contains(&(first + i)))
        .map(|(_, object)| object)
        .collect()
}

/// Compiles and runs a program; its output, line by line.
fn run(folder: &Path, text: &str) -> Vec<String> {
    let (file, program) = (folder.join("asked.c"), folder.join("asked"));
    std::fs::write(&file, text).expect("the folder is writable");
    let compiled = Command::new(compiler())
        .args(["-std=gnu11", "-w", "-O0", "-o"])
        .arg(&program)
        .arg(&file)
        .output()
        .expect("the compiler has run before");
    let complaint = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{complaint}\n{text}");
    let output = Command::new(&program).output().expect("it was compiled");
    let lines = String::from_utf8(output.stdout).expect("numbers are printed");
    lines.lines().map(str::to_string).collect()
}

/// What the front end makes of a text.
fn lowered(folder: &Path, text: &str) -> Result<Program, Vec<Diag>> {
    let file = folder.join("read.c");
    std::fs::write(&file, text).expect("the folder is writable");
    let mut sources = SourceMap::default();
    let unit = c::parse(&mut sources, &file, &ParseOptions::default())?;
    lower(&sources, &unit, DataModel::Lp64)
}

/// The definitions that a line needs, and the line.
fn needed(generator: &Generator, line: &str) -> String {
    let mut all = BTreeMap::new();
    let mut texts = vec![line.to_string()];
    while let Some(text) = texts.pop() {
        let is_part = |c: char| !(c.is_alphanumeric() || c == '_');
        for word in text.split(is_part) {
            let number = word.strip_prefix('T').and_then(|n| n.parse::<usize>().ok());
            let record = number.and_then(|n| Some((n, generator.records.get(n)?)));
            if let Some((n, (_, definition))) = record
                && all.insert(n, definition.clone()).is_none()
            {
                texts.push(definition.clone());
            }
        }
    }
    let definitions: String = all.into_values().collect();
    format!("{definitions}{line}")
}

/// Complaints, each with the line that it is about and what this needs.
fn explained(generator: &Generator, text: &str, complaints: &[Diag]) -> Vec<String> {
    let explain = |diag: &Diag| {
        let start = diag
            .labels
            .first()
            .map_or(0, |(span, _)| span.start as usize);
        let before = text.get(..start).unwrap_or(text);
        let begin = before.rfind('\n').map_or(0, |at| at + 1);
        let line = text[begin..].lines().next().unwrap_or("");
        format!("{}:\n{}", diag.message, needed(generator, line))
    };
    complaints.iter().map(explain).collect()
}

/// The bytes of an object with static storage.
fn bytes_of(program: &Program, name: &str) -> Option<Vec<u8>> {
    let global = program.globals.iter().find(|g| g.name == name)?;
    let mut bytes = vec![0; program.size_of(global.layout) as usize];
    for (offset, width, value) in &global.init {
        let Expr::Const { value, .. } = value else {
            panic!("`{name}` has numbers alone");
        };
        let (at, count) = (*offset as usize, usize::from(*width) / 8);
        bytes[at..at + count].copy_from_slice(&value.to_le_bytes()[..count]);
    }
    Some(bytes)
}

/// Sizes, alignments and offsets as expressions.
fn questions(generator: &Generator, counts: &mut Counts) -> Vec<String> {
    let mut questions = Vec::new();
    for name in &generator.enums {
        questions.push(format!("sizeof(enum {name})"));
        questions.push(format!("_Alignof(enum {name})"));
        questions.push(format!("(enum {name})-1 < 0"));
        counts.enums += 1;
    }
    for (i, (record, _)) in generator.records.iter().enumerate() {
        let name = generator.type_name(i);
        questions.push(format!("sizeof({name})"));
        questions.push(format!("_Alignof({name})"));
        counts.types += 1;
        let mut members = Vec::new();
        generator.members(record, "", &mut members);
        counts.members += members.len();
        for path in members {
            questions.push(format!("__builtin_offsetof({name}, {path})"));
            questions.push(format!("_Alignof((({name} *)0)->{path})"));
        }
    }
    questions
}

/// The program that prints the answers: of questions, and of objects the bytes and the members.
fn asking(generator: &Generator, questions: &[String], objects: &[Object]) -> String {
    let mut text = format!("#include <stdio.h>\n{}", definitions(generator).0);
    for (i, object) in objects.iter().enumerate() {
        let declared = object.declared(generator, &format!("o{i}"));
        writeln!(text, "static {declared}").expect("a text takes everything");
    }
    text.push_str("static void bytes(const void *p, size_t n) { for (size_t i = 0; i < n; i++) ");
    text.push_str("printf(\"%02x\", ((const unsigned char *)p)[i]); puts(\"\"); }\n");
    text.push_str("int main(void) {\n");
    for question in questions {
        writeln!(text, "printf(\"%zu\\n\", (size_t)({question}));").expect("as above");
    }
    for (i, object) in objects.iter().enumerate() {
        writeln!(text, "printf(\"%zu\\n\", _Alignof(o{i}));").expect("as above");
        // With the elements of a flexible array.
        writeln!(text, "bytes(&o{i}, __builtin_object_size(&o{i}, 0));").expect("as above");
        for leaf in &object.leaves {
            let path = &leaf.path;
            writeln!(text, "printf(\"%lld\\n\", (long long)o{i}{path});").expect("as above");
        }
    }
    text.push_str("return 0; }\n");
    text
}

/// Static assertions: all of the compiler's answers hold, and one that is wrong does not.
fn compare_numbers(
    generator: &mut Generator,
    folder: &Path,
    questions: &[String],
    answers: &mut impl Iterator<Item = String>,
    counts: &mut Counts,
) {
    let (mut asserted, _) = definitions(generator);
    let mut wrong = asserted.clone();
    let chosen = generator.random.below(questions.len());
    for (i, question) in questions.iter().enumerate() {
        let answer = answers.next().and_then(|a| a.parse::<u64>().ok());
        let answer = answer.expect("a number");
        let assertion =
            |n: u64| format!("_Static_assert(({question}) == {n}, \"{question} {n}\");\n");
        asserted.push_str(&assertion(answer));
        if i == chosen {
            wrong.push_str(&assertion(answer + 1));
        }
    }
    let main = "int main(void) { return 0; }\n";
    asserted.push_str(main);
    wrong.push_str(main);
    if let Err(complaints) = lowered(folder, &asserted) {
        let explained = explained(generator, &asserted, &complaints);
        counts.differences.extend(explained);
    } else if lowered(folder, &wrong).is_ok() {
        counts
            .differences
            .push("a wrong number is not found".to_string());
    }
}

/// Objects: the bytes of static ones, the members of local ones.
fn compare_objects(
    generator: &Generator,
    folder: &Path,
    objects: &[Object],
    answers: &mut impl Iterator<Item = String>,
    counts: &mut Counts,
) {
    let (mut text, _) = definitions(generator);
    text.push_str("void __VERIFIER_assert(int);\n");
    let (mut functions, mut uses) = (String::new(), String::new());
    let (mut expected, mut held) = (Vec::new(), Vec::new());
    for (i, object) in objects.iter().enumerate() {
        let align = answers.next().expect("the alignment of an object");
        expected.push(answers.next().expect("the bytes of an object"));
        let local = object.is_local(generator);
        let (mut body, mut values) = (String::new(), 0);
        for leaf in &object.leaves {
            let value = answers.next().expect("the value of a member");
            if local && !leaf.in_union {
                let path = &leaf.path;
                let check = format!("__VERIFIER_assert(((long long)o{path}) == ({value}));");
                body.push_str(&check);
                values += 1;
            }
        }
        held.push(values);
        let declared = object.declared(generator, &format!("o{i}"));
        let assertion = format!("_Static_assert(_Alignof(o{i}) == {align}, \"\");");
        writeln!(text, "{declared} {assertion}").expect("as above");
        writeln!(uses, "f{i}();").expect("as above");
        let declared = if local {
            object.declared(generator, "o")
        } else {
            String::new()
        };
        writeln!(
            functions,
            "static void f{i}(void) {{ (void)*(char *)&o{i}; {declared} {body} }}"
        )
        .expect("as above");
    }
    let text = format!("{text}{functions}int main(void) {{\n{uses}return 0; }}\n");
    let program = match lowered(folder, &text) {
        Ok(program) => program,
        Err(complaints) => {
            let explained = explained(generator, &text, &complaints);
            return counts.differences.extend(explained);
        }
    };
    let mut machine = Machine::new(&program);
    for (i, bytes) in expected.iter().enumerate() {
        let declared = objects[i].declared(generator, &format!("o{i}"));
        let is_function = |p: &ProcId| program.procs[*p].name == format!("f{i}");
        let mut all = program.procs.ids();
        let function = all.find(is_function).expect("it is called by `main`");
        let before = machine.held;
        let result = machine.run(function, &[]);
        if result == Err(Stop::Stuck(REFUSED.to_string())) {
            counts.refused += 1;
            continue;
        }
        let ours = bytes_of(&program, &format!("o{i}")).unwrap_or_default();
        let shown: String = ours.iter().map(|b| format!("{b:02x}")).collect();
        if shown != *bytes {
            let needed = needed(generator, &declared);
            let difference = format!("found {shown}, the compiler {bytes}:\n{needed}");
            counts.differences.push(difference);
        }
        counts.bytes += bytes.len() / 2;
        counts.objects += 1;
        if result != Ok(0) || machine.held - before != held[i] {
            let needed = needed(generator, &declared);
            counts
                .differences
                .push(format!("as a local: {result:?}:\n{needed}"));
        }
        counts.values += held[i];
    }
    if let Some(at) = text.find(")) == (") {
        let mut wrong = text.clone();
        wrong.insert_str(at + ")) == (".len(), "1 + ");
        let program = lowered(folder, &wrong).expect("it differs by a number");
        let main = program.main.expect("there is a `main`");
        let result = Machine::new(&program).run(main, &[]);
        if !matches!(result, Err(Stop::Failed(_))) {
            counts
                .differences
                .push(format!("a wrong value is not found: {result:?}"));
        }
    }
}

fn compare(seed: u64) -> Counts {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let folder = folder.path();
    let mut generator = Generator::new(seed);
    define(&mut generator, folder);
    let objects = objects(&mut generator, folder);
    let mut counts = Counts::default();
    let questions = questions(&generator, &mut counts);
    let mut answers = run(folder, &asking(&generator, &questions, &objects)).into_iter();
    compare_numbers(
        &mut generator,
        folder,
        &questions,
        &mut answers,
        &mut counts,
    );
    compare_objects(&generator, folder, &objects, &mut answers, &mut counts);
    counts
}

#[test]
fn layouts_and_initial_values_are_those_of_the_compiler() {
    if Command::new(compiler()).arg("--version").output().is_err() {
        println!("skipped: there is no C compiler");
        return;
    }
    let batches: Vec<u64> = seeds(2000).step_by(BATCH).collect();
    let all: Vec<Counts> = batches.into_par_iter().map(compare).collect();
    let sum = |of: fn(&Counts) -> usize| all.iter().map(of).sum::<usize>();
    println!(
        "{} types with {} members, {} enumerations, {} objects with {} bytes, {} values of members of locals, \
         {} locals refused",
        sum(|c| c.types),
        sum(|c| c.members),
        sum(|c| c.enums),
        sum(|c| c.objects),
        sum(|c| c.bytes),
        sum(|c| c.values),
        sum(|c| c.refused)
    );
    let differences: Vec<&String> = all.iter().flat_map(|c| &c.differences).collect();
    let shown: Vec<&str> = differences.iter().take(8).map(|d| d.as_str()).collect();
    assert!(
        differences.is_empty(),
        "{} differences, among them\n{}",
        differences.len(),
        shown.join("\n\n")
    );
    assert!(
        sum(|c| c.objects) >= sum(|c| c.types),
        "there is an object for each type"
    );
}

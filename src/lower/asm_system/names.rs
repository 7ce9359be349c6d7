//! Names in the system: capitals for variables and program points, small letters for transitions
//! and processes, and no name twice.

use crate::front::asm::ast::{Comparison, Program, Term};
use crate::front::litmus::ast::x86::{Binary, Condition, Instr, Op, Operand, Test, Unary};
use base::source::SourceMap;
use std::collections::{BTreeMap, BTreeSet};

/// The process that executes a transition.
pub(super) const SELF: &str = "t";

/// The names of a system.
pub(super) struct Names {
    /// The instruction pointer, the last result, what an instruction is about to write.
    pub pc: String,
    pub result: String,
    pub temporary: String,
    /// What a thread is about to write to a counter.
    pub row: String,
    /// The program point of each instruction, and the one behind the last.
    pub points: Vec<String>,
    /// The point of a thread that a counter has stopped.
    pub overflow: String,
    /// What the transitions of each instruction begin with.
    pub instructions: Vec<String>,
    /// Registers that the program uses; they keep their names.
    pub registers: Vec<String>,
    /// The variable for each name of data.
    pub variables: BTreeMap<String, String>,
    /// The threads of the property, each with its process.
    pub threads: Vec<(String, String)>,
}

impl Names {
    pub fn new(sources: &SourceMap, program: &Program) -> Names {
        let registers = registers(program);
        let mut used: BTreeSet<String> = ["True", "False"].map(str::to_string).into();
        used.extend(registers.iter().cloned());
        let mut fresh = |wanted: String| {
            let mut name = wanted.clone();
            let mut k = 2;
            while !used.insert(name.clone()) {
                name = format!("{wanted}_{k}");
                k += 1;
            }
            name
        };
        let [pc, result, temporary, row] =
            ["PC", "RES", "TMP", "ROW"].map(|n| fresh(n.to_string()));
        let overflow = fresh("Counter_out_of_range".to_string());
        let mut points = Vec::new();
        let mut instructions = Vec::new();
        let mut label = "Start".to_string();
        for line in &program.code {
            if let Some(last) = line.labels.last() {
                label = capital(&last.text);
            }
            let number = sources.line_col(line.span.file, line.span.start).line;
            points.push(fresh(format!("{label}_{number}")));
            instructions.push(format!("{}_{number}", mnemonic(&line.instr)));
        }
        points.push(fresh("End".to_string()));
        let data = program.shared.iter().chain(&program.private);
        let variables = data
            .map(|d| (d.name.text.clone(), fresh(capital(&d.name.text))))
            .collect();
        let threads = program.property_threads();
        let threads = threads.iter().enumerate();
        let threads = threads.map(|(i, t)| ((*t).to_string(), format!("{SELF}{}", i + 1)));
        Names {
            pc,
            result,
            temporary,
            row,
            points,
            overflow,
            instructions,
            registers,
            variables,
            threads: threads.collect(),
        }
    }

    /// The process of a thread of the property.
    pub fn thread(&self, name: &str) -> &str {
        let found = self.threads.iter().find(|(t, _)| t == name);
        let (_, process) = found.expect("the names are those of the property");
        process
    }
}

/// A name that begins with a capital and has letters, digits and underscores.
fn capital(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let mut rest = plain.chars();
    match rest.next() {
        Some(first) if first.is_ascii_alphabetic() => {
            first.to_ascii_uppercase().to_string() + rest.as_str()
        }
        _ => format!("L{plain}"),
    }
}

/// The registers that instructions and the property name, in the order of their names.
fn registers(program: &Program) -> Vec<String> {
    let mut all = BTreeSet::new();
    for line in &program.code {
        let op = &line.instr.op;
        all.extend(op.operands().filter_map(|o| match o {
            Operand::Register(name) => Some(name.text.clone()),
            _ => None,
        }));
        if let Op::Xadd(_, source) | Op::Cmpxchg(_, source) = op {
            all.insert(source.text.clone());
        }
        if let Op::Cmpxchg(..) = op {
            all.insert("EAX".to_string());
        }
    }
    for comparison in &program.property {
        if let Comparison::Values { left, right, .. } = comparison {
            for term in [left, right] {
                if let Term::Register { name, .. } = term {
                    all.insert(name.text.clone());
                }
            }
        }
    }
    all.into_iter().collect()
}

/// What an instruction is called in the system.
fn mnemonic(instr: &Instr) -> String {
    let name = match &instr.op {
        Op::Nop => "nop",
        Op::Fence(_) => "mfence",
        Op::Mov(..) => "mov",
        Op::Xchg(..) => "xchg",
        Op::Binary(Binary::Sub, ..) => "sub",
        Op::Binary(..) => "add",
        Op::Unary(Unary::Inc, _) => "inc",
        Op::Unary(Unary::Dec, _) => "dec",
        Op::Unary(..) => "not",
        Op::Bit(..) => "bt",
        Op::Set(..) => "set",
        Op::Cmp(..) => "cmp",
        Op::Test(..) => "test",
        Op::Xadd(..) => "xadd",
        Op::Cmpxchg(..) => "cmpxchg",
        Op::CmpxchgPair(_) => "cmpxchg8b",
        Op::Rdtsc => "rdtsc",
        Op::Jump(None, _) => "jmp",
        Op::Jump(Some(condition), _) => jump(*condition),
    };
    if instr.lock {
        format!("lock_{name}")
    } else {
        name.to_string()
    }
}

fn jump(condition: Condition) -> &'static str {
    let names = match condition.test {
        Test::Equal => ["je", "jne"],
        Test::Less => ["jl", "jge"],
        Test::LessEqual => ["jle", "jg"],
        Test::Below => ["jb", "jae"],
        Test::BelowEqual => ["jbe", "ja"],
        Test::Sign => ["js", "jns"],
        Test::Overflow => ["jo", "jno"],
    };
    names[usize::from(!condition.holds)]
}

//! An oracle for the bytes of objects that belong to no value (C11 6.2.6.1p6, p7): random structures and
//! unions, and statements that store in them as wholes, by members and by bytes.
//!
//! A few lines here say which bytes are what in the end, and which are unspecified.
//! 1. That those which are determined have their values must be SAFE, and a claim about one that is
//!    unspecified must not.
//! 2. The program of a C compiler, with optimisation and without, must have the bytes that are determined.
//!
//! `WMBMC_RANDOM_CASES=5000` looks at more programs, `WMBMC_RANDOM_SEED` at others.

use rayon::prelude::*;
use std::fmt::Write;
use std::process::Command;
use support::Random;
use support::random::seeds;
use support::two_threads::bounded;

/// A type of the program.
#[derive(Clone)]
enum Type {
    /// An unsigned number of so many bytes.
    Number(usize),
    Array(usize, Box<Type>),
    Struct(Vec<Type>),
    Union(Vec<Type>),
}

impl Type {
    fn random(random: &mut Random, depth: u64) -> Type {
        match random.below(if depth == 0 { 2 } else { 5 }) {
            0 | 1 => Type::Number(1 << random.below(4)),
            2 => {
                let elem = Type::random(random, depth - 1);
                Type::Array(1 + random.below(2), Box::new(elem))
            }
            kind => {
                let count = 1 + random.below(3);
                let members = (0..count)
                    .map(|_| Type::random(random, depth - 1))
                    .collect();
                match kind {
                    3 => Type::Union(members),
                    _ => Type::Struct(members),
                }
            }
        }
    }

    fn align(&self) -> usize {
        match self {
            Type::Number(bytes) => *bytes,
            Type::Array(_, elem) => elem.align(),
            Type::Struct(all) | Type::Union(all) => all.iter().map(Type::align).max().unwrap_or(1),
        }
    }

    fn size(&self) -> usize {
        match self {
            Type::Number(bytes) => *bytes,
            Type::Array(count, elem) => count * elem.size(),
            Type::Struct(all) => {
                let offsets = self.offsets();
                let ends = offsets.iter().zip(all).map(|(at, ty)| at + ty.size());
                ends.max().unwrap_or(0).next_multiple_of(self.align())
            }
            Type::Union(all) => {
                let largest = all.iter().map(Type::size).max().unwrap_or(0);
                largest.next_multiple_of(self.align())
            }
        }
    }

    /// Where the members are.
    fn offsets(&self) -> Vec<usize> {
        match self {
            Type::Struct(all) => {
                let mut end = 0;
                let place = |ty: &Type| {
                    let at = usize::next_multiple_of(end, ty.align());
                    end = at + ty.size();
                    at
                };
                all.iter().map(place).collect()
            }
            Type::Union(all) => vec![0; all.len()],
            _ => Vec::new(),
        }
    }

    /// `T name` for a member or variable.
    fn declaration(&self, name: &str) -> String {
        match self {
            Type::Number(bytes) => {
                let number = ["char", "short", "int", "long"][bytes.ilog2() as usize];
                format!("unsigned {number} {name}")
            }
            Type::Array(count, elem) => elem.declaration(&format!("{name}[{count}]")),
            Type::Struct(all) | Type::Union(all) => {
                let kind = if matches!(self, Type::Union(_)) {
                    "union"
                } else {
                    "struct"
                };
                let members = all.iter().enumerate();
                let members = members.map(|(i, m)| m.declaration(&format!("m{i}")) + "; ");
                format!("{kind} {{ {}}} {name}", members.collect::<String>())
            }
        }
    }
}

/// The bytes of an object: `None` for those that are unspecified.
type Bytes = Vec<Option<u8>>;

/// The value of an object is stored where it begins: what is in no scalar of it is unspecified.
fn store_whole(ty: &Type, at: usize, value: &[Option<u8>], bytes: &mut Bytes) {
    let size = ty.size();
    match ty {
        Type::Number(_) => bytes[at..at + size].clone_from_slice(value),
        Type::Array(count, elem) => {
            let size = elem.size();
            for i in 0..*count {
                store_whole(elem, at + i * size, &value[i * size..(i + 1) * size], bytes);
            }
        }
        Type::Struct(all) => {
            bytes[at..at + size].fill(None);
            for (offset, member) in ty.offsets().into_iter().zip(all) {
                let part = &value[offset..offset + member.size()];
                store_whole(member, at + offset, part, bytes);
            }
        }
        // Which member it holds is not known: what is in a number of any of them is kept.
        Type::Union(_) => {
            let mut used = vec![false; size];
            mark_used(ty, 0, &mut used);
            let value = value.iter().zip(used);
            let kept: Bytes = value.map(|(byte, used)| byte.filter(|_| used)).collect();
            bytes[at..at + size].clone_from_slice(&kept);
        }
    }
}

/// Marks the bytes that are in a number of a type.
fn mark_used(ty: &Type, at: usize, used: &mut [bool]) {
    match ty {
        Type::Number(size) => used[at..at + size].fill(true),
        Type::Array(count, elem) => {
            (0..*count).for_each(|i| mark_used(elem, at + i * elem.size(), used));
        }
        Type::Struct(all) | Type::Union(all) => {
            for (offset, member) in ty.offsets().into_iter().zip(all) {
                mark_used(member, at + offset, used);
            }
        }
    }
}

/// A number is stored in an object through the names of members: the way to it, and what it leaves
/// unspecified.
fn store_member(
    ty: &Type,
    at: usize,
    (random, number): (&mut Random, u64),
    path: &mut String,
    bytes: &mut Bytes,
) {
    match ty {
        Type::Number(size) => {
            let value = number.to_le_bytes();
            for (byte, value) in bytes[at..at + size].iter_mut().zip(value) {
                *byte = Some(value);
            }
        }
        Type::Array(count, elem) => {
            let i = random.below(*count);
            match random.below(2) {
                0 => write!(path, "[{i}]").unwrap(),
                _ => write!(path, "[at({i})]").unwrap(),
            }
            store_member(elem, at + i * elem.size(), (random, number), path, bytes);
        }
        Type::Struct(all) | Type::Union(all) => {
            let i = random.below(all.len());
            let offsets = ty.offsets();
            let extents = match ty {
                Type::Union(_) => vec![(0, all[i].size())],
                _ => {
                    let extent = |(at, ty): (&usize, &Type)| (*at, at + ty.size());
                    offsets.iter().zip(all).map(extent).collect()
                }
            };
            for byte in 0..ty.size() {
                if !extents
                    .iter()
                    .any(|(from, to)| (*from..*to).contains(&byte))
                {
                    bytes[at + byte] = None;
                }
            }
            write!(path, ".m{i}").unwrap();
            store_member(&all[i], at + offsets[i], (random, number), path, bytes);
        }
    }
}

/// The statements of a program on two objects of one type, and what these are in the end.
struct Case {
    declaration: String,
    statements: String,
    objects: [Bytes; 2],
}

impl Case {
    fn new(seed: u64) -> Case {
        let mut random = Random::new(seed);
        let mut ty = Type::Number(1);
        while !matches!(ty, Type::Struct(_) | Type::Union(_)) || ty.size() > 40 {
            ty = Type::random(&mut random, 3);
        }
        let size = ty.size();
        let mut objects = [vec![Some(0); size], vec![Some(0); size]];
        let mut statements = String::new();
        for _ in 0..2 + random.below(4) {
            let (to, from) = match random.below(2) {
                0 => (0, 1),
                _ => (1, 0),
            };
            match random.below(7) {
                0 => {
                    let byte = random.below(256) as u8;
                    writeln!(statements, "  memset(&x{to}, {byte}, sizeof x{to});").unwrap();
                    objects[to] = vec![Some(byte); size];
                }
                1 => {
                    writeln!(statements, "  memcpy(&x{to}, &x{from}, sizeof x{to});").unwrap();
                    objects[to] = objects[from].clone();
                }
                2 => {
                    writeln!(statements, "  x{to} = x{from};").unwrap();
                    let value = objects[from].clone();
                    store_whole(&ty, 0, &value, &mut objects[to]);
                }
                3 => {
                    let byte = random.below(size);
                    let value = random.below(256) as u8;
                    writeln!(statements, "  ((unsigned char *)&x{to})[{byte}] = {value};").unwrap();
                    objects[to][byte] = Some(value);
                }
                _ => {
                    let number = random.below(u64::MAX);
                    let mut path = String::new();
                    let value = (&mut random, number);
                    store_member(&ty, 0, value, &mut path, &mut objects[to]);
                    writeln!(statements, "  x{to}{path} = {number}ul;").unwrap();
                }
            }
        }
        Case {
            declaration: ty.declaration("x0, x1"),
            statements,
            objects,
        }
    }

    /// The program with a claim about all bytes that are determined, and `more`.
    fn program(&self, more: &str) -> String {
        let mut claims = String::new();
        for (object, bytes) in self.objects.iter().enumerate() {
            for (at, value) in bytes.iter().enumerate() {
                if let Some(value) = value {
                    writeln!(
                        claims,
                        "  assert(((unsigned char *)&x{object})[{at}] == {value});"
                    )
                    .unwrap();
                }
            }
        }
        format!(
            "#include <assert.h>\n#include <string.h>\nstatic int at(int i) {{ return i; }}\n\
             int main(void) {{\n  {};\n  memset(&x0, 0, sizeof x0);\n  memset(&x1, 0, sizeof x1);\n\
             {}{claims}{more}  return at(0);\n}}\n",
            self.declaration, self.statements
        )
    }

    /// The bytes that are unspecified, by object.
    fn unspecified(&self) -> Vec<(usize, usize)> {
        let objects = self.objects.iter().enumerate();
        let bytes = objects.flat_map(|(o, bytes)| bytes.iter().enumerate().map(move |b| (o, b)));
        let open = bytes.filter(|(_, (_, value))| value.is_none());
        open.map(|(object, (at, _))| (object, at)).collect()
    }
}

#[test]
fn bytes_of_no_value_are_unspecified() {
    let seeds = seeds(400);
    let count = seeds.end - seeds.start;
    let folder = tempfile::tempdir().expect("there is a directory for temporary files");
    let compiler = Command::new("cc").arg("--version").output().is_ok();
    let one = |seed: u64| {
        let case = Case::new(seed);
        let text = case.program("");
        let name = format!("{seed}.c");
        assert!(bounded(&name, &text, "sc"), "{text}");
        let open = case.unspecified();
        for (object, at) in [open.first(), open.last()].into_iter().flatten() {
            let claim = format!("  assert(((unsigned char *)&x{object})[{at}] != 171);\n");
            let text = case.program(&claim);
            assert!(!bounded(&name, &text, "sc"), "{text}");
        }
        for level in ["-O0", "-O2"].into_iter().filter(|_| compiler) {
            let (source, program) = (
                folder.path().join(&name),
                folder.path().join(format!("{seed}{level}")),
            );
            std::fs::write(&source, &text).expect("the program is written");
            let mut cc = Command::new("cc");
            cc.args([level, "-w", "-o"]).arg(&program).arg(&source);
            assert!(cc.status().expect("cc runs").success(), "{text}");
            let run = Command::new(&program).output().expect("the program runs");
            assert!(run.status.success(), "{level}\n{text}");
        }
        open.len()
    };
    let open: usize = seeds.into_par_iter().map(one).sum();
    assert!(open > 0);
    let natively = if compiler {
        "and natively"
    } else {
        "skipped natively: there is no cc"
    };
    println!("{count} programs, {open} bytes are unspecified; checked {natively}");
}

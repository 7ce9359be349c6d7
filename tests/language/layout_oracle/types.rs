//! Random structures and unions with all that moves their members, and random initial values.
//!
//! Whether the text means anything is the compiler's business: initial values may have more items
//! than there are members, and whoever uses them drops what the compiler complains of.

use support::Random;

/// A type.
#[derive(Clone)]
pub enum Ty {
    /// A scalar, as C writes it.
    Scalar(&'static Scalar),
    /// A `typedef` of a scalar, by its name.
    Named(String, &'static Scalar),
    Array(Box<Ty>, u64),
    /// Defined here.
    Inline(Box<Record>),
    /// Defined before, by its number.
    Top(usize),
    /// A `typedef` of such a one, by its name.
    TopNamed(String, usize),
    /// One without values here, which makes room all the same.
    Opaque(&'static str),
    /// A flexible array member.
    Flexible(&'static Scalar),
}

pub struct Scalar {
    pub text: &'static str,
    /// Bits that a bit-field may have; 0 for none.
    pub bits: u64,
    pub pointer: bool,
}

const fn int(text: &'static str, bits: u64) -> Scalar {
    Scalar {
        text,
        bits,
        pointer: false,
    }
}

static SCALARS: [Scalar; 18] = [
    int("char", 8),
    int("signed char", 8),
    int("unsigned char", 8),
    int("short", 16),
    int("unsigned short", 16),
    int("int", 32),
    int("unsigned", 32),
    int("long", 64),
    int("unsigned long", 64),
    int("long long", 64),
    int("_Bool", 1),
    int("_Atomic int", 0),
    int("_Atomic(long)", 0),
    int("volatile short", 0),
    int("enum tiny", 0),
    Scalar {
        text: "void *",
        bits: 0,
        pointer: true,
    },
    int("double", 0),
    int("float", 0),
];

/// Types that GNU C has and this program cannot compute with.
const OPAQUE: [&str; 8] = [
    "__int128",
    "_Atomic unsigned __int128",
    "float _Complex",
    "long double _Complex",
    "_Float16",
    "_Decimal32",
    "int __attribute__((vector_size(8)))",
    "int __attribute__((mode(TI)))",
];

/// Enumerations, whose names are not these.
const ENUM_BYTE: Scalar = int("packed enum", 8);
const ENUM_INT: Scalar = int("enum", 32);

/// What all programs begin with.
pub const PRELUDE: &str = "enum tiny { TINY = -3, LARGE = 100 } __attribute__((packed));\n";

#[derive(Clone)]
pub struct Record {
    pub union: bool,
    pub members: Vec<Member>,
    /// Behind `struct`.
    pre: String,
    /// Behind the brace.
    post: String,
}

#[derive(Clone)]
pub struct Member {
    /// Empty for an anonymous structure, and for padding bits.
    pub name: String,
    pub ty: Ty,
    pub bits: Option<u64>,
    pre: String,
    post: String,
}

/// A scalar of an object.
pub struct Leaf {
    pub path: String,
    /// In a union, so that another member may be what was stored.
    pub in_union: bool,
}

pub struct Generator {
    pub random: Random,
    /// What has been defined, with the text of each.
    pub records: Vec<(Record, String)>,
    /// Names of enumerations that have been defined.
    pub enums: Vec<String>,
    names: usize,
    /// Names of what `#pragma pack(push, …)` has pushed.
    pushed: Vec<Option<String>>,
}

impl Generator {
    pub fn new(seed: u64) -> Generator {
        Generator {
            random: Random::new(seed),
            records: Vec::new(),
            enums: Vec::new(),
            names: 0,
            pushed: Vec::new(),
        }
    }

    fn once_in(&mut self, n: u64) -> bool {
        self.random.one_in(n)
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Defines another structure or union.
    pub fn define(&mut self) {
        let mut before = String::new();
        let record = self.record(2, true, &mut before);
        let number = self.records.len();
        let keyword = if record.union { "union" } else { "struct" };
        for _ in 0..self.random.below(3) {
            if self.once_in(3) {
                before.push_str(&self.pragma());
            }
        }
        if self.once_in(8) {
            before.push_str(&format!("{keyword} T{number};\n"));
        }
        let definition = format!(
            "{keyword} {} T{number} {{ {} }} {}",
            record.pre,
            self.body(&record),
            record.post
        );
        let text = match self.once_in(8) {
            true => format!("{before}typedef {definition} N{number};\n"),
            false => format!("{before}{definition};\n"),
        };
        self.records.push((record, text));
    }

    /// A type that every compiler takes, in place of one that this one does not take.
    pub fn replace(&mut self, number: usize) {
        let union = self.records[number].0.union;
        let record = Record {
            union,
            members: vec![Member {
                name: self.name("m"),
                ty: Ty::Scalar(&SCALARS[5]),
                bits: None,
                pre: String::new(),
                post: String::new(),
            }],
            pre: String::new(),
            post: String::new(),
        };
        let keyword = if union { "union" } else { "struct" };
        let definition = format!("{keyword} T{number} {{ {} }};", self.body(&record));
        let before = &self.records[number].1;
        let kept = before.lines().filter(|line| {
            let words = ["#pragma", "_Pragma", "enum", "typedef"];
            words.iter().any(|w| line.starts_with(w)) && !line.contains('{')
                || line.starts_with("enum")
        });
        let kept: String = kept.map(|line| format!("{line}\n")).collect();
        self.records[number] = (record, format!("{kept}{definition}\n"));
    }

    /// `#pragma pack` in one of its forms.
    fn pragma(&mut self) -> String {
        let limit = self.random.pick(&[1, 2, 4, 8, 16]);
        let text = match self.random.below(9) {
            0 => format!("pack({limit})"),
            1 => "pack()".to_string(),
            2 => "pack(0)".to_string(),
            3 | 4 if self.pushed.is_empty() => {
                self.pushed.push(None);
                match self.once_in(2) {
                    true => format!("pack(push, {limit})"),
                    false => "pack(push)".to_string(),
                }
            }
            3 | 4 => {
                let named = self.pushed.iter().flatten().cloned().collect::<Vec<_>>();
                match named.is_empty() || self.once_in(2) {
                    true => {
                        self.pushed.pop();
                        "pack(pop)".to_string()
                    }
                    false => {
                        let name = self.random.pick(&named);
                        let at = self.pushed.iter().rposition(|p| p.as_ref() == Some(&name));
                        self.pushed.truncate(at.expect("it is one of them"));
                        format!("pack(pop, {name})")
                    }
                }
            }
            5 => {
                let name = self.random.pick(&["here", "there"]).to_string();
                self.pushed.push(Some(name.clone()));
                match self.once_in(2) {
                    true => format!("pack(push, {name}, {limit})"),
                    false => format!("pack(push, {name})"),
                }
            }
            6 => {
                self.pushed.push(None);
                format!("pack ( push,{limit} )")
            }
            _ => {
                self.pushed.clear();
                return "#pragma pack(push, all)\n#pragma pack(pop, all)\n#pragma pack()\n".into();
            }
        };
        match self.once_in(3) {
            true => format!("_Pragma(\"{text}\")\n"),
            false => format!("#pragma {text}\n"),
        }
    }

    /// An enumeration, and what is known of the integers that it needs.
    fn enumeration(&mut self, before: &mut String) -> Ty {
        let name = self.name("E");
        let values: &[&str] = &[
            "0",
            "1",
            "-1",
            "200",
            "-200",
            "70000",
            "0x80000000",
            "0x123456789",
        ];
        let of = self.random.pick(&[2, 3, 5, 8]);
        let (a, b) = (self.random.below(of), self.random.below(of));
        let (pre, post) = match self.random.below(4) {
            0 => ("__attribute__((packed))", ""),
            1 => ("", "__attribute__((__packed__))"),
            2 => ("", "__attribute__((unused))"),
            _ => ("", ""),
        };
        before.push_str(&format!(
            "enum {pre} {name} {{ A{name} = {}, B{name} = {} }} {post};\n",
            values[a], values[b]
        ));
        self.enums.push(name.clone());
        let packed = pre.contains("packed") || post.contains("packed");
        Ty::Named(
            format!("enum {name}"),
            if packed { &ENUM_BYTE } else { &ENUM_INT },
        )
    }

    pub fn aligned(&mut self) -> String {
        let bytes = self.random.pick(&[1, 2, 4, 8, 16, 32]);
        let forms = [
            format!("__attribute__((aligned({bytes})))"),
            format!("__attribute__ ((__aligned__ ({bytes} /* bytes */)))"),
            "__attribute__((aligned))".to_string(),
            format!("__attribute__((unused, aligned(1 << 0), aligned({bytes})))"),
            "__attribute__((aligned(__alignof__(long))))".to_string(),
        ];
        self.random.pick(&forms)
    }

    fn record_attribute(&mut self) -> String {
        match self.random.below(12) {
            0 | 1 => "__attribute__((packed))".to_string(),
            2 => "__attribute__((__packed__, unused))".to_string(),
            3 => self.aligned(),
            4 => format!("__attribute__((packed)) {}", self.aligned()),
            _ => String::new(),
        }
    }

    fn record(&mut self, depth: u32, top: bool, typedefs: &mut String) -> Record {
        let union = self.once_in(4);
        let mut members = Vec::new();
        for _ in 0..1 + self.random.below(5) {
            let mut member = self.member(depth, typedefs);
            if self.once_in(24) {
                let limit = self.random.pick(&["1", "2", "4", ""]);
                let pragma = match self.once_in(2) {
                    true => format!("\n#pragma pack({limit})\n"),
                    false => format!("_Pragma(\"pack({limit})\")"),
                };
                member.pre = format!("{pragma} {}", member.pre);
            }
            members.push(member);
        }
        if members.iter().all(|m| m.bits.is_some()) {
            members.push(self.plain_member(Ty::Scalar(&SCALARS[0])));
        }
        if top && !union && self.once_in(8) {
            let scalar = &SCALARS[self.random.below(SCALARS.len())];
            members.push(self.plain_member(Ty::Flexible(scalar)));
        }
        let pre = match self.once_in(12) {
            true => "[[gnu::packed]]".to_string(),
            false => self.record_attribute(),
        };
        Record {
            union,
            members,
            pre,
            post: self.record_attribute(),
        }
    }

    fn plain_member(&mut self, ty: Ty) -> Member {
        let (pre, post) = self.member_attributes(&ty);
        Member {
            name: self.name("m"),
            ty,
            bits: None,
            pre,
            post,
        }
    }

    /// Attributes in front of and behind a member. `_Alignas` asks for as much as any type has.
    fn member_attributes(&mut self, ty: &Ty) -> (String, String) {
        let none = String::new;
        match self.random.below(14) {
            0 => (none(), "__attribute__((packed))".to_string()),
            1 => (none(), self.aligned()),
            2 => (self.aligned(), none()),
            3 => (
                none(),
                format!("__attribute__((packed)) {}", self.aligned()),
            ),
            4 => ("_Alignas(32)".to_string(), none()),
            5 => match ty {
                Ty::Scalar(s) => (format!("_Alignas({})", s.text), none()),
                _ => ("_Alignas(0)".to_string(), none()),
            },
            _ => (none(), none()),
        }
    }

    fn member(&mut self, depth: u32, typedefs: &mut String) -> Member {
        let scalar = &SCALARS[self.random.below(SCALARS.len())];
        match self.random.below(14) {
            0..=3 if scalar.bits > 0 => {
                let bits = self.random.below(scalar.bits + 1);
                let named = bits > 0 && !self.once_in(6);
                let attribute = match self.random.below(10) {
                    0 => "__attribute__((packed))".to_string(),
                    1 if named => self.aligned(),
                    _ => String::new(),
                };
                let exact = self.random.pick(&[8, 16, 32]);
                let bits = match named && self.once_in(4) && exact <= scalar.bits {
                    true => exact,
                    false => bits,
                };
                let ty = match self.once_in(8) {
                    true => self.named(scalar, 16, typedefs),
                    false => Ty::Scalar(scalar),
                };
                Member {
                    name: if named { self.name("b") } else { String::new() },
                    ty,
                    bits: Some(bits),
                    pre: String::new(),
                    post: if named { attribute } else { String::new() },
                }
            }
            4 if depth > 0 => {
                let inner = self.record(depth - 1, false, typedefs);
                self.plain_member(Ty::Inline(Box::new(inner)))
            }
            5 if depth > 0 => Member {
                name: String::new(),
                ty: Ty::Inline(Box::new(self.record(depth - 1, false, typedefs))),
                bits: None,
                pre: String::new(),
                post: String::new(),
            },
            6 if !self.records.is_empty() => {
                let number = self.random.below(self.records.len());
                match self.is_flexible(number) {
                    true => self.plain_member(Ty::Scalar(scalar)),
                    false if self.once_in(4) => {
                        let (name, aligned) = (self.name("t"), self.aligned());
                        let of = self.type_name(number);
                        typedefs.push_str(&format!("typedef {of} {name} {aligned};\n"));
                        self.plain_member(Ty::TopNamed(name, number))
                    }
                    false => self.plain_member(Ty::Top(number)),
                }
            }
            7 | 8 => {
                let count = 1 + self.random.below(3);
                let mut ty = Ty::Array(Box::new(Ty::Scalar(scalar)), count);
                if self.once_in(4) {
                    ty = Ty::Array(Box::new(ty), 2);
                }
                self.plain_member(ty)
            }
            9 if !self.records.is_empty() => {
                let number = self.random.below(self.records.len());
                match self.is_flexible(number) {
                    true => self.plain_member(Ty::Scalar(scalar)),
                    false => {
                        let ty = Ty::Array(Box::new(Ty::Top(number)), 2);
                        self.plain_member(ty)
                    }
                }
            }
            10 => {
                let ty = self.named(scalar, 32, typedefs);
                self.plain_member(ty)
            }
            11 => {
                let ty = self.enumeration(typedefs);
                let bits = match &ty {
                    Ty::Named(_, s) if self.once_in(2) => Some(1 + self.random.below(s.bits)),
                    _ => None,
                };
                let (pre, post) = self.member_attributes(&ty);
                let name = self.name("m");
                Member {
                    name,
                    ty,
                    bits,
                    pre,
                    post,
                }
            }
            12 if self.once_in(4) => {
                let opaque = Ty::Opaque(OPAQUE[self.random.below(OPAQUE.len())]);
                let several = Ty::Array(Box::new(opaque.clone()), 2);
                let ty = if self.once_in(3) { several } else { opaque };
                self.plain_member(ty)
            }
            _ => self.plain_member(Ty::Scalar(scalar)),
        }
    }

    /// Whether objects of a type have parts without values.
    pub fn has_opaque(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Opaque(_) => true,
            Ty::Array(elem, _) => self.has_opaque(elem),
            ty => {
                let members = self.record_of(ty).map_or(&[][..], |r| &r.members);
                members.iter().any(|m| self.has_opaque(&m.ty))
            }
        }
    }

    pub fn is_flexible(&self, number: usize) -> bool {
        let members = &self.records[number].0.members;
        members.iter().any(|m| matches!(m.ty, Ty::Flexible(_)))
    }

    /// A `typedef` with an alignment. Bit-fields of one with more than 16 bytes are refused.
    fn named(&mut self, scalar: &'static Scalar, most: u32, typedefs: &mut String) -> Ty {
        let name = self.name("t");
        let mut aligned = self.aligned();
        while most < 32 && aligned.contains("32") {
            aligned = self.aligned();
        }
        typedefs.push_str(&format!("typedef {} {name} {aligned};\n", scalar.text));
        Ty::Named(name, scalar)
    }

    fn body(&self, record: &Record) -> String {
        let members = record.members.iter().map(|m| {
            let declared = self.declared(&m.ty, &m.name);
            let bits = m.bits.map_or(String::new(), |b| format!(" : {b}"));
            format!("{} {declared}{bits} {};", m.pre, m.post)
        });
        members.collect::<Vec<_>>().join(" ")
    }

    fn declared(&self, ty: &Ty, name: &str) -> String {
        match ty {
            Ty::Scalar(s) => format!("{} {name}", s.text),
            Ty::Named(t, _) => format!("{t} {name}"),
            Ty::Array(elem, n) => match elem.as_ref() {
                Ty::Array(inner, m) => self.declared(inner, &format!("{name}[{n}][{m}]")),
                elem => self.declared(elem, &format!("{name}[{n}]")),
            },
            Ty::Opaque(text) => format!("{text} {name}"),
            Ty::Flexible(s) => format!("{} {name}[]", s.text),
            Ty::Top(number) => format!("{} {name}", self.type_name(*number)),
            Ty::TopNamed(t, _) => format!("{t} {name}"),
            Ty::Inline(r) => {
                let keyword = if r.union { "union" } else { "struct" };
                format!(
                    "{keyword} {} {{ {} }} {} {name}",
                    r.pre,
                    self.body(r),
                    r.post
                )
            }
        }
    }

    pub fn type_name(&self, number: usize) -> String {
        let keyword = match self.records[number].0.union {
            true => "union",
            false => "struct",
        };
        format!("{keyword} T{number}")
    }

    fn record_of<'a>(&'a self, ty: &'a Ty) -> Option<&'a Record> {
        match ty {
            Ty::Inline(r) => Some(r),
            Ty::Top(number) | Ty::TopNamed(_, number) => Some(&self.records[*number].0),
            _ => None,
        }
    }

    /// The paths to all members that are no bit-fields.
    pub fn members(&self, record: &Record, prefix: &str, out: &mut Vec<String>) {
        for m in &record.members {
            let path = match m.name.as_str() {
                "" => prefix.to_string(),
                name if prefix.is_empty() => name.to_string(),
                name => format!("{prefix}.{name}"),
            };
            if m.bits.is_none() && !m.name.is_empty() {
                out.push(path.clone());
            }
            if let Some(inner) = self.record_of(&m.ty) {
                self.members(inner, &path, out);
            }
        }
    }

    /// All scalars of an object.
    pub fn leaves(&self, record: &Record, prefix: &str, in_union: bool, out: &mut Vec<Leaf>) {
        for m in &record.members {
            let path = match m.name.as_str() {
                "" => prefix.to_string(),
                name => format!("{prefix}.{name}"),
            };
            if m.bits.is_some() && m.name.is_empty() {
                continue;
            }
            self.parts(&m.ty, path, in_union || record.union, out);
        }
    }

    fn parts(&self, ty: &Ty, path: String, in_union: bool, out: &mut Vec<Leaf>) {
        match ty {
            Ty::Scalar(_) | Ty::Named(..) => out.push(Leaf { path, in_union }),
            Ty::Array(elem, n) => {
                for i in 0..*n {
                    self.parts(elem, format!("{path}[{i}]"), in_union, out);
                }
            }
            Ty::Flexible(_) | Ty::Opaque(_) => {}
            Ty::Inline(_) | Ty::Top(_) | Ty::TopNamed(..) => {
                let record = self.record_of(ty).expect("it is one");
                self.leaves(record, &path, in_union, out);
            }
        }
    }

    fn constant(&mut self, scalar: Option<&Scalar>) -> String {
        match scalar {
            Some(s) if s.pointer => "0".to_string(),
            Some(s) if s.text == "_Bool" => self.random.below(2).to_string(),
            Some(s) if s.text == "enum tiny" => "LARGE".to_string(),
            Some(s) if s.text.contains("char") && self.once_in(4) => "'x'".to_string(),
            Some(s) if s.bits == 64 && self.once_in(4) => "0x123456789abcdll".to_string(),
            Some(s) if ["double", "float"].contains(&s.text) && self.once_in(2) => self
                .random
                .pick(&["2.5", "-0.1", "0x1p-3f", "1e3"])
                .to_string(),
            _ => (self.random.below(43) - 3).to_string(),
        }
    }

    /// A string for an array of so many characters: mostly shorter, or without its zero.
    fn string(&mut self, count: u64) -> String {
        let text = &"qrst"[..self.random.below(count.min(4) as usize + 1)];
        match self.once_in(4) {
            true => format!("{{ \"{text}\" }}"),
            false => format!("\"{text}\""),
        }
    }

    /// The initial value of an object: items in braces.
    pub fn initial(&mut self, ty: &Ty) -> String {
        self.list(ty, 3)
    }

    fn list(&mut self, ty: &Ty, depth: u32) -> String {
        let mut items = Vec::new();
        // The direct part that is next, as long as that is sure.
        let mut next = Some(0);
        for _ in 0..1 + self.random.below(4) {
            if depth > 0 && self.once_in(3) {
                let (path, target) = self.designator(ty);
                let value = match (target, self.once_in(5)) {
                    (Some(target), false) => self.value(&target, depth - 1),
                    _ => self.constant(None),
                };
                items.push(format!("{path} = {value}"));
                next = None;
                continue;
            }
            let part = next.and_then(|i| self.part(ty, i));
            let (item, whole) = match part {
                Some(part) if !self.once_in(4) => {
                    (self.value(&part, depth.saturating_sub(1)), true)
                }
                _ => (self.constant(None), false),
            };
            next = next.filter(|_| whole).map(|i| i + 1);
            items.push(item);
        }
        format!("{{ {} }}", items.join(", "))
    }

    /// A value for a whole object.
    fn value(&mut self, ty: &Ty, depth: u32) -> String {
        match ty {
            Ty::Scalar(s) | Ty::Named(_, s) => self.constant(Some(s)),
            Ty::Array(elem, n) => match elem.as_ref() {
                Ty::Scalar(s) if s.text.ends_with("char") && self.once_in(2) => self.string(*n),
                _ => self.list(ty, depth),
            },
            // A literal of the type, which is an expression.
            Ty::Top(number) if self.once_in(10) => {
                let name = self.type_name(*number);
                format!("({name}){}", self.list(ty, depth))
            }
            Ty::Flexible(s) if s.text.ends_with("char") && self.once_in(2) => self.string(4),
            _ => self.list(ty, depth),
        }
    }

    /// The part of an object at a position of the list.
    fn part(&self, ty: &Ty, i: usize) -> Option<Ty> {
        match ty {
            Ty::Array(elem, n) => ((i as u64) < *n).then(|| (**elem).clone()),
            Ty::Flexible(s) => Some(Ty::Scalar(s)),
            Ty::Inline(_) | Ty::Top(_) | Ty::TopNamed(..) => {
                let record = self.record_of(ty)?;
                let named = |m: &&Member| m.bits.is_none() || !m.name.is_empty();
                let mut members = record.members.iter().filter(named);
                let member = members.nth(i).filter(|_| !record.union || i == 0);
                member.map(|m| m.ty.clone())
            }
            _ => None,
        }
    }

    /// A designator of a part, and its type.
    fn designator(&mut self, ty: &Ty) -> (String, Option<Ty>) {
        let (step, part) = match ty {
            Ty::Array(elem, n) => {
                let (a, b) = (self.random.below(*n), self.random.below(*n));
                let step = match a < b && self.once_in(2) {
                    true => format!("[{a} ... {b}]"),
                    false => format!("[{a}]"),
                };
                (step, (**elem).clone())
            }
            Ty::Flexible(s) => (format!("[{}]", self.random.below(3)), Ty::Scalar(s)),
            Ty::Inline(_) | Ty::Top(_) | Ty::TopNamed(..) => {
                let record = self.record_of(ty).expect("it is one").clone();
                let mut named = Vec::new();
                self.named_members(&record, &mut named);
                if named.is_empty() {
                    return (".none".to_string(), None);
                }
                let (name, ty) = self.random.pick(&named);
                (format!(".{name}"), ty)
            }
            _ => return (String::new(), Some(ty.clone())),
        };
        let scalar = matches!(part, Ty::Scalar(_) | Ty::Named(..));
        if !scalar && self.once_in(2) {
            let (rest, target) = self.designator(&part);
            return (format!("{step}{rest}"), target);
        }
        (step, Some(part))
    }

    /// Members with names, those of anonymous structures too.
    fn named_members(&self, record: &Record, out: &mut Vec<(String, Ty)>) {
        for m in &record.members {
            match (m.name.as_str(), self.record_of(&m.ty)) {
                ("", Some(inner)) => self.named_members(inner, out),
                ("", None) => {}
                (name, _) => out.push((name.to_string(), m.ty.clone())),
            }
        }
    }
}

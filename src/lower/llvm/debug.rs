//! Debug information: where in the source an instruction, a function or a variable stands.
//!
//! An instruction that is inlined from a header of the system is at the call of the program that it is
//! inlined to, so that steps are in lines that people wrote.

use crate::front::llvm::ast::{Function, Global, Metadata, MetadataValue, Module};
use base::source::{FileId, SourceMap, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// How many steps a chain of metadata has at most.
const MAX_STEPS: usize = 256;

/// What is known of places in the source.
pub(super) struct DebugInfo {
    /// Of locations, by the number of their metadata.
    locations: BTreeMap<u64, Span>,
    /// Of functions and variables, by the number of their metadata.
    declarations: BTreeMap<u64, Span>,
    /// Functions of the system, by the number of their metadata.
    of_system: BTreeSet<u64>,
    /// Names of the members of structures by their offsets in bytes, by the structure's name without the arguments
    /// of templates.
    members: BTreeMap<String, BTreeMap<u64, String>>,
}

impl DebugInfo {
    /// Reads the debug information of a module, and the files that it names.
    pub(super) fn read(module: &Module, sources: &mut SourceMap) -> DebugInfo {
        let mut reader = Reader {
            module,
            sources,
            files: BTreeMap::new(),
        };
        let mut info = DebugInfo {
            locations: BTreeMap::new(),
            declarations: BTreeMap::new(),
            of_system: BTreeSet::new(),
            members: BTreeMap::new(),
        };
        for (id, node) in &module.metadata {
            match node.kind.as_str() {
                "DILocation" => {
                    if let Some(span) = reader.location(node) {
                        info.locations.insert(*id, span);
                    }
                }
                "DISubprogram" => {
                    if let Some(MetadataValue::Node(file)) = node.field("file")
                        && reader.is_of_the_system(*file)
                    {
                        info.of_system.insert(*id);
                    }
                    if let Some(span) = reader.declaration(node) {
                        info.declarations.insert(*id, span);
                    }
                }
                "DIGlobalVariableExpression" => {
                    let variable = reader.node(node.field("var"));
                    if let Some(span) = variable.and_then(|v| reader.declaration(v)) {
                        info.declarations.insert(*id, span);
                    }
                }
                "DICompositeType" => {
                    let tag = text(node.field("name"));
                    let members = reader.members(node);
                    if let Some(tag) = tag.filter(|_| !members.is_empty()) {
                        let tag = reader.qualified(&tag, node);
                        info.members.entry(tag).or_insert(members);
                    }
                }
                _ => {}
            }
        }
        info
    }

    /// Names of the members of a structure by their offsets, by the structure's name in LLVM: that has a word
    /// before it, no arguments of templates, and a number where several are called so.
    pub(super) fn members(&self, name: &str) -> Option<&BTreeMap<u64, String>> {
        let words = ["struct.", "class.", "union."];
        let name = words.iter().find_map(|w| name.strip_prefix(w));
        let name = name.unwrap_or_default();
        let known = self.members.get(name);
        known.or_else(|| {
            let (plain, number) = name.rsplit_once('.')?;
            let is_number = number.bytes().all(|b| b.is_ascii_digit());
            self.members.get(plain).filter(|_| is_number)
        })
    }

    /// The place of an instruction.
    pub(super) fn place(&self, debug: Option<u64>, otherwise: Span) -> Span {
        let known = debug.and_then(|id| self.locations.get(&id));
        known.copied().unwrap_or(otherwise)
    }

    /// The place of a function.
    pub(super) fn function(&self, f: &Function) -> Span {
        let known = f.debug.and_then(|id| self.declarations.get(&id));
        known.copied().unwrap_or(f.span)
    }

    /// Whether a function stands in a file that comes with a compiler or a library.
    pub(super) fn is_of_the_system(&self, f: &Function) -> bool {
        f.debug.is_some_and(|id| self.of_system.contains(&id))
    }

    /// The place of a variable.
    pub(super) fn variable(&self, g: &Global) -> Span {
        let known = g.debug.and_then(|id| self.declarations.get(&id));
        known.copied().unwrap_or(g.span)
    }
}

struct Reader<'a> {
    module: &'a Module,
    sources: &'a mut SourceMap,
    /// The files that were looked for, by the number of their metadata.
    files: BTreeMap<u64, Option<FileId>>,
}

/// Where a location is.
struct At {
    file: u64,
    line: u64,
    column: u64,
}

impl<'a> Reader<'a> {
    fn node(&self, value: Option<&MetadataValue>) -> Option<&'a Metadata> {
        match value {
            Some(MetadataValue::Node(id)) => self.module.metadata.get(id),
            _ => None,
        }
    }

    /// The file of a scope.
    fn file_of(&self, scope: Option<&MetadataValue>) -> Option<u64> {
        let mut scope = scope;
        for _ in 0..MAX_STEPS {
            let node = self.node(scope)?;
            if let Some(MetadataValue::Node(file)) = node.field("file") {
                return Some(*file);
            }
            scope = node.field("scope");
        }
        None
    }

    fn at(&self, node: &Metadata) -> Option<At> {
        Some(At {
            file: self.file_of(node.field("scope"))?,
            line: number(node.field("line"))?,
            column: number(node.field("column")).unwrap_or(0),
        })
    }

    fn path(&self, file: u64) -> Option<PathBuf> {
        let node = self.module.metadata.get(&file)?;
        let name = text(node.field("filename"))?;
        let folder = text(node.field("directory")).unwrap_or_default();
        Some(Path::new(&folder).join(name))
    }

    /// Whether a file comes with a compiler or a library.
    fn is_of_the_system(&self, file: u64) -> bool {
        let Some(path) = self.path(file) else {
            return true;
        };
        let path = path.to_string_lossy().into_owned();
        path.starts_with("/usr/") || path.contains("/rustc/") || path.contains("/lib/rustlib/")
    }

    fn location(&mut self, node: &'a Metadata) -> Option<Span> {
        let innermost = self.at(node)?;
        let mut found = None;
        let mut next = Some(node);
        for _ in 0..MAX_STEPS {
            let Some(node) = next else { break };
            let at = self.at(node);
            if let Some(at) = at.filter(|at| !self.is_of_the_system(at.file)) {
                found = Some(at);
                break;
            }
            next = self.node(node.field("inlinedAt"));
        }
        let at = found.unwrap_or(innermost);
        let file = self.file(at.file)?;
        span_at(self.sources, file, at.line, at.column)
    }

    fn declaration(&mut self, node: &Metadata) -> Option<Span> {
        let MetadataValue::Node(file) = node.field("file")? else {
            return None;
        };
        let line = number(node.field("line"))?;
        let file = self.file(*file)?;
        span_at(self.sources, file, line, 0)
    }

    fn file(&mut self, file: u64) -> Option<FileId> {
        if let Some(known) = self.files.get(&file) {
            return *known;
        }
        let path = self.path(file);
        let loaded = path.and_then(|path| {
            let shown = path.display().to_string();
            let here = std::env::current_dir().ok();
            let short = here.and_then(|here| Some(path.strip_prefix(here).ok()?.to_path_buf()));
            let path = short.unwrap_or(path.clone());
            let known = self.sources.find(&path.display().to_string());
            known
                .or_else(|| self.sources.find(&shown))
                .or_else(|| self.sources.load(&path).ok())
        });
        self.files.insert(file, loaded);
        loaded
    }

    /// The name of a structure with the scopes around it, without the arguments of templates.
    fn qualified(&self, name: &str, node: &Metadata) -> String {
        let plain = |name: &str| name.split('<').next().unwrap_or(name).to_string();
        let mut whole = plain(name);
        let mut scope = self.node(node.field("scope"));
        for _ in 0..MAX_STEPS {
            let Some(node) = scope else { break };
            match (node.kind.as_str(), text(node.field("name"))) {
                ("DINamespace" | "DICompositeType", Some(name)) => {
                    whole = format!("{}::{whole}", plain(&name));
                }
                ("DIFile" | "DICompileUnit", _) => break,
                _ => {}
            }
            scope = self.node(node.field("scope"));
        }
        whole
    }

    /// The names of the members of a structure by their offsets in bytes.
    fn members(&self, node: &Metadata) -> BTreeMap<u64, String> {
        let Some(list) = self.node(node.field("elements")) else {
            return BTreeMap::new();
        };
        let members = list.fields.iter().filter_map(|(_, value)| {
            let member = self.node(Some(value))?;
            let is_static = |flags: String| flags.contains("DIFlagStaticMember");
            let is_member = text(member.field("tag")).is_some_and(|t| t == "DW_TAG_member")
                && !text(member.field("flags")).is_some_and(is_static);
            let bits = number(member.field("offset")).unwrap_or(0);
            let name = text(member.field("name"))?;
            (is_member && bits.is_multiple_of(8)).then_some((bits / 8, name))
        });
        members.collect()
    }
}

fn number(value: Option<&MetadataValue>) -> Option<u64> {
    match value {
        Some(MetadataValue::Int(n)) => u64::try_from(*n).ok(),
        _ => None,
    }
}

fn text(value: Option<&MetadataValue>) -> Option<String> {
    match value {
        Some(MetadataValue::String(s) | MetadataValue::Text(s)) => Some(s.clone()),
        _ => None,
    }
}

/// The expression that begins in a column of a line: what a call is made on stands before its name, where
/// compilers have the call; it ends with its parentheses, before what separates it from the rest.
fn span_at(sources: &SourceMap, file: FileId, line: u64, column: u64) -> Option<Span> {
    let text = &sources.file(file).text;
    let line = u32::try_from(line).ok().filter(|line| *line > 0)?;
    let begin = sources.line_start(file, line) as usize;
    let line = text.get(begin..)?.lines().next()?;
    let line = line.trim_end();
    let blank = line.len() - line.trim_start().len();
    let (mut start, whole) = match usize::try_from(column).ok()?.checked_sub(1) {
        Some(at) if line.is_char_boundary(at) && at < line.len() => (at, false),
        _ => (blank, true),
    };
    if whole {
        let span = |at: usize| u32::try_from(begin + at).ok();
        return Some(Span {
            file,
            start: span(start)?,
            end: span(line.len().max(start))?,
        });
    }
    let bytes = line.as_bytes();
    let before = |at: usize| -> Option<usize> {
        let previous = bytes[..at].last()?;
        match previous {
            b'.' => Some(at - 1),
            b'>' if bytes[..at].ends_with(b"->") => Some(at - 2),
            b':' if bytes[..at].ends_with(b"::") => Some(at - 2),
            _ => None,
        }
    };
    while let Some(at) = before(start) {
        let is_name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        let len = bytes[..at].iter().rev().take_while(|b| is_name(b)).count();
        start = at - len;
        if len == 0 {
            break;
        }
    }
    let mut depth = 0usize;
    let mut end = line.len();
    for (at, byte) in bytes.iter().enumerate().skip(start) {
        match byte {
            b'(' | b'[' | b'{' if *byte != b'{' || depth > 0 => depth += 1,
            b')' | b']' | b'}' if depth > 0 => depth -= 1,
            b')' | b']' | b'{' | b'}' | b';' | b',' if depth == 0 => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    let end = start + line[start..end].trim_end().len();
    let span = |at: usize| u32::try_from(begin + at).ok();
    Some(Span {
        file,
        start: span(start)?,
        end: span(end.max(start + 1))?,
    })
}

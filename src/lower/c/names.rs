//! Names: scopes, functions and variables.

use super::linker_name::{Linkage, LinkerName};
use crate::front::c::ast;
use crate::front::c::types::{RecordId, TypeId};
use base::id;
use base::idx::IdVec;
use base::source::{FileId, Span};
use ir::program::{GlobalId, LocalId, ProcId};
use std::collections::{BTreeMap, BTreeSet};

id!(
    /// A variable with static storage.
    VariableId,
    "var"
);

id!(
    /// A translation unit.
    UnitId,
    "unit"
);

/// What an ordinary name stands for.
#[derive(Clone, Debug)]
pub enum Entity {
    /// A type, and whether it is `const`.
    Typedef(TypeId, bool),
    /// An enumeration constant.
    Constant(u64, TypeId),
    /// A function, by its name.
    Function,
    /// A variable with static storage.
    Variable(VariableId),
    /// A local that is a register of the body.
    Register(LocalId, TypeId, ProcId),
    /// A local in memory, whose address is in a register of the body.
    Stack(LocalId, TypeId, ProcId),
    /// Its declaration was refused; uses are not reported again.
    Broken,
    /// Its declaration is not supported, for this reason; neither is any use.
    Unsupported(String),
}

/// What a tag stands for.
#[derive(Clone, Copy, Debug)]
pub enum Tag {
    /// A structure or union.
    Record(RecordId),
    /// An enumeration, by its integer type.
    Enum(TypeId),
}

/// A function that has been declared.
#[derive(Debug)]
pub struct Function<'a> {
    /// Its first declaration.
    pub span: Span,
    /// Its type.
    pub ty: TypeId,
    /// Its body.
    pub definition: Option<&'a ast::Function>,
    /// The unit that its body is in.
    pub unit: UnitId,
    /// Which units see it.
    pub linkage: Linkage,
    /// How the linker knows it.
    pub linker: LinkerName,
    /// Where the body of another unit has a type that is not compatible with this one.
    pub misfit: Option<Span>,
    /// Its procedure, once it is mentioned.
    pub proc: Option<ProcId>,
}

/// A variable with static storage.
#[derive(Debug)]
pub struct Variable<'a> {
    /// Its name.
    pub name: String,
    /// Its declaration.
    pub span: Span,
    /// Its type.
    pub ty: TypeId,
    /// The alignment in bytes that declarations ask for.
    pub align: Option<u64>,
    /// Its initial value.
    pub init: Option<&'a ast::Init>,
    /// One a thread.
    pub thread_local: bool,
    /// It is `const`.
    pub constant: bool,
    /// Something declares it without `extern`.
    pub defined: bool,
    /// The unit that declares it.
    pub unit: UnitId,
    /// Which units see it; never [`Linkage::Inline`].
    pub linkage: Linkage,
    /// How the linker knows it.
    pub linker: LinkerName,
    /// The variable of another declaration that has its object.
    pub link: Option<VariableId>,
    /// Its object, once it is mentioned.
    pub global: Option<GlobalId>,
}

#[derive(Debug, Default)]
struct Scope {
    names: BTreeMap<String, Entity>,
    tags: BTreeMap<String, Tag>,
}

/// Nested scopes; the first is the file.
#[derive(Debug)]
pub struct Scopes {
    stack: Vec<Scope>,
}

impl Scopes {
    /// The file scope alone.
    pub fn new() -> Scopes {
        Scopes {
            stack: vec![Scope::default()],
        }
    }

    /// Enters a block.
    pub fn enter(&mut self) {
        self.stack.push(Scope::default());
    }

    /// Leaves a block.
    pub fn leave(&mut self) {
        if self.stack.len() > 1 {
            self.stack.pop();
        }
    }

    /// True outside of all functions.
    pub fn at_file(&self) -> bool {
        self.stack.len() == 1
    }

    fn top(&mut self) -> &mut Scope {
        self.stack.last_mut().expect("the file scope is never left")
    }

    /// Declares a name in the innermost scope.
    pub fn declare(&mut self, name: &str, entity: Entity) {
        self.top().names.insert(name.to_string(), entity);
    }

    /// Declares a tag in the innermost scope.
    pub fn declare_tag(&mut self, name: &str, tag: Tag) {
        self.top().tags.insert(name.to_string(), tag);
    }

    /// What a name stands for here.
    pub fn find(&self, name: &str) -> Option<&Entity> {
        self.stack.iter().rev().find_map(|s| s.names.get(name))
    }

    /// What a name stands for outside of all functions.
    pub fn find_at_file(&self, name: &str) -> Option<&Entity> {
        self.stack.first().and_then(|s| s.names.get(name))
    }

    /// What a name stands for in the innermost scope.
    pub fn find_here(&self, name: &str) -> Option<&Entity> {
        self.stack.last().and_then(|s| s.names.get(name))
    }

    /// What a tag stands for here, or in the innermost scope alone.
    pub fn find_tag(&self, name: &str, innermost: bool) -> Option<Tag> {
        let reach = if innermost { 1 } else { self.stack.len() };
        self.stack
            .iter()
            .rev()
            .take(reach)
            .find_map(|s| s.tags.get(name).copied())
    }
}

/// The names of a translation unit.
#[derive(Debug)]
struct UnitNames<'a> {
    file: FileId,
    scopes: Scopes,
    functions: BTreeMap<String, Function<'a>>,
}

/// A function that has a body, where it has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Home {
    pub(super) unit: UnitId,
    /// Its name there.
    pub(super) name: String,
}

/// What names with external linkage stand for, by the linker's names.
#[derive(Debug, Default)]
pub(super) struct Externals {
    /// Where functions are defined.
    pub(super) functions: BTreeMap<String, Home>,
    /// Functions that no unit defines, once they are mentioned.
    pub(super) without_body: BTreeMap<String, ProcId>,
    /// The variable that has the object, of all that are declared with a name.
    pub(super) variables: BTreeMap<String, VariableId>,
    /// Names that several functions or objects have.
    pub(super) ambiguous: BTreeSet<String>,
}

/// All names, as the unit sees them whose text is lowered.
pub(super) struct Names<'a> {
    unit: UnitId,
    units: IdVec<UnitId, UnitNames<'a>>,
    externals: Externals,
    variables: IdVec<VariableId, Variable<'a>>,
    called: BTreeSet<String>,
    defined: BTreeSet<String>,
    undefined: BTreeSet<String>,
}

impl<'a> Names<'a> {
    /// Units in these files, which declare nothing yet.
    pub(super) fn new(files: impl Iterator<Item = FileId>) -> Names<'a> {
        let unit = |file| UnitNames {
            file,
            scopes: Scopes::new(),
            functions: BTreeMap::new(),
        };
        Names {
            unit: UnitId(0),
            units: files.map(unit).collect(),
            externals: Externals::default(),
            variables: IdVec::new(),
            called: BTreeSet::new(),
            defined: BTreeSet::new(),
            undefined: BTreeSet::new(),
        }
    }

    /// The unit whose text is lowered.
    pub(super) fn unit(&self) -> UnitId {
        self.unit
    }

    /// Goes to the text of a unit; the one that it comes from.
    pub(super) fn enter_unit(&mut self, unit: UnitId) -> UnitId {
        std::mem::replace(&mut self.unit, unit)
    }

    pub(super) fn units(
        &self,
    ) -> impl DoubleEndedIterator<Item = UnitId> + ExactSizeIterator + use<'a> {
        self.units.ids()
    }

    pub(super) fn file_of(&self, unit: UnitId) -> FileId {
        self.units[unit].file
    }

    pub(super) fn scopes(&self) -> &Scopes {
        &self.units[self.unit].scopes
    }

    pub(super) fn scopes_mut(&mut self) -> &mut Scopes {
        &mut self.units[self.unit].scopes
    }

    /// The functions of the unit.
    pub(super) fn functions(&self) -> &BTreeMap<String, Function<'a>> {
        &self.units[self.unit].functions
    }

    pub(super) fn functions_mut(&mut self) -> &mut BTreeMap<String, Function<'a>> {
        &mut self.units[self.unit].functions
    }

    pub(super) fn function(&self, name: &str) -> Option<&Function<'a>> {
        self.functions().get(name)
    }

    /// Whether the unit has the body of a function.
    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.function(name).is_some_and(|f| f.definition.is_some())
    }

    /// The name of the function of the unit that the linker knows by a symbol, if the unit defines it.
    pub(super) fn defined_as(&self, symbol: &str) -> Option<String> {
        let known = self.functions().iter();
        let mut known = known.filter(|(name, f)| f.linker.symbol(name) == symbol);
        // Aliases may be of aliases.
        let (name, function) = known.next()?;
        let own = |d: &ast::Function| function.unit == self.unit && d.name.name == *name;
        match &function.linker.alias {
            _ if function.definition.is_some_and(own) => Some(name.clone()),
            Some(target) if target != symbol => self.defined_as(target),
            _ => None,
        }
    }

    /// The variable of the unit that the linker knows by a symbol, if the unit defines it.
    pub(super) fn variable_defined_as(&self, symbol: &str) -> Option<VariableId> {
        let mut variables = self.variables();
        let found = variables
            .find(|(_, v)| v.unit == self.unit && v.defined && v.linker.symbol(&v.name) == symbol);
        found.map(|(id, _)| id)
    }

    /// The type of a function that the unit declares.
    pub(super) fn function_type(&self, name: &str) -> TypeId {
        self.functions()[name].ty
    }

    pub(super) fn externals(&self) -> &Externals {
        &self.externals
    }

    pub(super) fn externals_mut(&mut self) -> &mut Externals {
        &mut self.externals
    }

    pub(super) fn add_variable(&mut self, variable: Variable<'a>) -> VariableId {
        self.variables.push(variable)
    }

    pub(super) fn variable(&self, id: VariableId) -> &Variable<'a> {
        &self.variables[id]
    }

    /// The variable that has the object of another one.
    pub(super) fn object(&self, id: VariableId) -> VariableId {
        let mut id = id;
        while let Some(other) = self.variables[id].link {
            id = other;
        }
        id
    }

    pub(super) fn variable_mut(&mut self, id: VariableId) -> &mut Variable<'a> {
        &mut self.variables[id]
    }

    pub(super) fn variables(&self) -> impl Iterator<Item = (VariableId, &Variable<'a>)> {
        self.variables.iter_enumerated()
    }

    /// Functions are called, somewhere in the program.
    pub(super) fn note_called(&mut self, mut names: BTreeSet<String>) {
        self.called.append(&mut names);
    }

    /// The names of all functions that are called somewhere: what no call does needs no check.
    pub(super) fn called(&self) -> &BTreeSet<String> {
        &self.called
    }

    pub(super) fn is_called(&self, name: &str) -> bool {
        self.called.contains(name)
    }

    /// A unit of the program defines a function.
    pub(super) fn note_defined(&mut self, name: &str) {
        self.defined.insert(name.to_string());
    }

    /// The names of all functions that some unit defines.
    pub(super) fn defined(&self) -> &BTreeSet<String> {
        &self.defined
    }

    /// The program refers to a name that no unit defines.
    pub(super) fn note_undefined(&mut self, name: &str) {
        self.undefined.insert(name.to_string());
    }

    pub(super) fn into_undefined(self) -> BTreeSet<String> {
        self.undefined
    }
}

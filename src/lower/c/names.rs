//! Names: scopes, functions and variables.

use crate::front::c::ast;
use crate::front::c::types::{RecordId, TypeId};
use base::id;
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
    /// Its procedure, once it is mentioned.
    pub proc: Option<ProcId>,
}

/// Which translation units a name with static storage is known to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linkage {
    /// All of them.
    External,
    /// Its own.
    Internal,
    /// Its own, because every declaration says `inline` and none says `extern`; another unit may have
    /// the external definition.
    Inline,
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
    /// The variable of another declaration that has its object.
    pub link: Option<VariableId>,
    /// Its object, once it is mentioned.
    pub global: Option<GlobalId>,
}

/// The functions whose address is taken, and the types of calls through pointers.
#[derive(Debug, Default)]
pub struct CalledTypes {
    /// Types of functions.
    pub functions: BTreeMap<ProcId, TypeId>,
    /// Types of calls, by the numbers of their assertions.
    pub calls: Vec<TypeId>,
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

/// The names of a translation unit while the text of another one is lowered.
#[derive(Debug)]
pub struct UnitNames<'a> {
    pub file: FileId,
    pub scopes: Scopes,
    pub functions: BTreeMap<String, Function<'a>>,
}

impl UnitNames<'_> {
    /// A unit that declares nothing yet.
    pub fn new(file: FileId) -> Self {
        UnitNames {
            file,
            scopes: Scopes::new(),
            functions: BTreeMap::new(),
        }
    }
}

/// What names with external linkage stand for.
#[derive(Debug, Default)]
pub struct Externals {
    /// The units that define functions.
    pub functions: BTreeMap<String, UnitId>,
    /// Functions that no unit defines, once they are mentioned.
    pub without_body: BTreeMap<String, ProcId>,
    /// The variable that has the object, of all that are declared with a name.
    pub variables: BTreeMap<String, VariableId>,
    /// Names that several functions or objects have.
    pub ambiguous: BTreeSet<String>,
}

impl Externals {
    /// The procedure of a function that no unit defines.
    pub fn without_body(&self, name: &str) -> Option<ProcId> {
        self.without_body.get(name).copied()
    }

    /// Keeps it for the other units, where the function has the same address.
    pub fn keep_without_body(&mut self, name: &str, proc: ProcId) {
        self.without_body.insert(name.to_string(), proc);
    }
}

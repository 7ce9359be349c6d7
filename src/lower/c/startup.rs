//! What runs before `main` and after it: functions with the attributes `constructor` and `destructor`, and before the
//! latter those that the program has given to `atexit`.
//!
//! As with gcc and the GNU linker, constructors run from the lowest priority to the highest, those
//! without one last, and those of one priority in the order of the files and in a file of the
//! definitions; destructors run in the reverse order. They also run in a program that is checked
//! from another function than `main`.

use super::body::Body;
use super::names::UnitId;
use super::{Lowered, Lowering, wrong};
use crate::front::c::ast::{self, Derived, Expr as Ast};
use crate::front::c::library::PREFIX;
use crate::front::c::types::Type;
use base::diag::Diag;
use base::source::Span;
use ir::program::{Callee, Expr, Op, ProcId};

/// The priority of what has none: behind all that have one.
const LAST: u64 = 65_536;

/// Functions with one of the attributes, by priority.
type Ordered = Vec<(u64, ProcId)>;

impl<'a> Lowering<'a> {
    /// Lets the program begin with its constructors, and end with its destructors.
    pub fn around_main(&mut self, units: &'a [ast::TranslationUnit]) {
        let Some(main) = self.program.main else {
            return;
        };
        let (mut before, mut after) = (Ordered::new(), Ordered::new());
        for (id, unit) in self.names.units().zip(units) {
            for item in &unit.items {
                let ast::Item::Function(f) = item else {
                    continue;
                };
                if let Err(refusal) = self.attributes(id, unit, f, &mut before, &mut after) {
                    self.error(refusal);
                }
            }
        }
        let given = self.run_of_given();
        if before.is_empty() && after.is_empty() && given.is_none() {
            return;
        }
        // Both sorts are stable.
        before.sort_by_key(|(priority, _)| *priority);
        after.sort_by_key(|(priority, _)| *priority);
        let after = after.into_iter().rev().map(|(_, proc)| proc);
        self.at_exit = given.into_iter().chain(after).collect();
        let (span, returns) = (
            self.program.procs[main].span,
            self.program.procs[main].returns,
        );
        let (void, id) = (self.types.id(Type::Void), self.program.procs.next_id());
        let mut body = Body::new("main", id, span, void);
        let call = |dst, proc| Op::Call {
            dst,
            callee: Callee::Proc(proc),
            args: Vec::new(),
        };
        before
            .iter()
            .for_each(|(_, proc)| body.emit(call(None, *proc)));
        let result = returns.map(|width| body.local("", width));
        body.emit(call(result, main));
        self.at_exit
            .iter()
            .for_each(|proc| body.emit(call(None, *proc)));
        body.emit(Op::Return(result.map(Expr::Local)));
        body.proc.returns = returns;
        self.program.main = Some(self.program.procs.push(body.finish()));
    }

    /// What runs the functions that `atexit` has been given, if the program calls it.
    fn run_of_given(&mut self) -> Option<ProcId> {
        if !self.names.is_called("atexit") {
            return None;
        }
        let name = format!("{PREFIX}__run_at_exit");
        let units = self.names.units();
        let mut found = units.filter_map(|unit| {
            self.in_unit(unit, |l| {
                let span = l.names.function(&name)?.span;
                Some(l.procedure(&name, span))
            })
        });
        found.next()
    }

    /// Adds a function where its attributes say, which any declaration of it in its file may have.
    fn attributes(
        &mut self,
        id: UnitId,
        unit: &'a ast::TranslationUnit,
        f: &'a ast::Function,
        before: &mut Ordered,
        after: &mut Ordered,
    ) -> Lowered<()> {
        let declarations = unit.items.iter().filter_map(|item| match item {
            ast::Item::Declaration(d) => Some(&d.declarators),
            _ => None,
        });
        let declared = declarations
            .flatten()
            .filter(|d| d.name.name == f.name.name)
            .flat_map(|d| &d.derived);
        let (mut first, mut last) = (None, None);
        for derived in declared.chain(&f.derived) {
            let (known, priority) = match derived {
                Derived::Constructor(priority) => (&mut first, priority),
                Derived::Destructor(priority) => (&mut last, priority),
                _ => continue,
            };
            let priority = match priority {
                Some(e) => self.in_unit(id, |l| l.priority(e))?,
                None => LAST,
            };
            if known
                .replace(priority)
                .is_some_and(|other| other != priority)
            {
                let message = format!("`{}` is given several priorities", f.name.name);
                return wrong(f.name.span, message);
            }
        }
        if first.is_none() && last.is_none() {
            return Ok(());
        }
        let takes =
            |d: &Derived| matches!(d, Derived::Function { params, .. } if !params.is_empty());
        if f.derived.iter().any(takes) {
            let attribute = match first {
                Some(_) => "constructor",
                None => "destructor",
            };
            let message = format!("parameters with the attribute `{attribute}` are not supported");
            return Err(Diag::unsupported(f.name.span, message).into());
        }
        let proc = self.in_unit(id, |l| l.procedure(&f.name.name, f.name.span));
        before.extend(first.map(|priority| (priority, proc)));
        after.extend(last.map(|priority| (priority, proc)));
        Ok(())
    }

    fn priority(&mut self, e: &'a Ast) -> Lowered<u64> {
        let value = self.constant(e)?;
        let known = u64::try_from(value).ok().filter(|n| *n < LAST);
        known.map_or_else(
            || wrong(e.span, "a priority is a number from 0 to 65535"),
            Ok,
        )
    }

    /// Calls what runs when the program ends.
    pub fn run_at_exit(&mut self, span: Span) {
        for proc in self.at_exit.clone() {
            let (dst, callee, args) = (None, Callee::Proc(proc), Vec::new());
            self.body.span = span;
            self.emit(Op::Call { dst, callee, args });
        }
    }
}

//! A `main` that is a client of the data structure in the program: threads that call its operations with given
//! arguments.
//!
//! Each call is a procedure of its own, which puts what it returns into objects that nothing else writes: what the
//! operation returns, and what it leaves in the variables that it is given for that. Each thread is a procedure that
//! makes its calls, and nothing else; see [`ir::client`].

use super::body::Body;
use super::lowering::{Place, TypedValue};
use super::names::Entity;
use super::options::{Client, ClientArgument, ClientCall};
use super::subjects::{Target, parameter_name};
use super::{Lowered, Lowering};
use crate::front::c::ast::IntKind;
use crate::front::c::types::{Type, TypeId};
use base::diag::Diag;
use base::source::Span;
use ir::client::{Call, CallResult, Client as LoweredClient, ClientThread};
use ir::program::{Callee, Expr, Global, MemoryOrder, Op, ProcId, ScalarKind};

/// A variable of a call for what it returns through a parameter.
struct Out {
    /// The variable.
    object: Expr,
    /// Its type.
    ty: TypeId,
    /// The parameter's name.
    parameter: String,
}

/// The calls of a client.
struct Calls {
    setup: Vec<Call>,
    threads: Vec<Vec<Call>>,
    finally: Vec<Call>,
}

impl<'a> Lowering<'a> {
    /// The procedure that execution begins with; `None` after an error.
    pub fn client(&mut self, client: &Client) -> Option<ProcId> {
        let Calls {
            setup,
            threads,
            finally,
        } = match self.client_calls(client) {
            Ok(lowered) => lowered,
            Err(refusal) => {
                self.error(refusal);
                return None;
            }
        };
        let span = threads.iter().flatten().map(|call| call.span).next()?;
        let threads = threads.into_iter();
        let threads: Vec<ClientThread> = threads.map(|c| self.client_thread(c, span)).collect();
        let void = self.types.id(Type::Void);
        let observer = self.program.procs.next_id();
        let body = Body::new("observer", observer, span, void);
        self.program.procs.push(body.finish());
        let main = self.client_main(span, &setup, &threads, &finally);
        self.program.client = Some(LoweredClient {
            main,
            setup,
            threads,
            finally,
            observer,
        });
        Some(main)
    }

    fn client_calls(&mut self, client: &Client) -> Lowered<Calls> {
        let mut number = 0;
        let mut lowered = |l: &mut Self, call: &ClientCall| {
            number += 1;
            l.client_call(call, number)
        };
        let setup = client.setup.iter().map(|c| lowered(self, c));
        let setup = setup.collect::<Lowered<_>>()?;
        let mut threads = Vec::new();
        for thread in &client.threads {
            let calls = thread.iter().map(|c| lowered(self, c));
            threads.push(calls.collect::<Lowered<_>>()?);
        }
        let finally = client.finally.iter().map(|c| lowered(self, c));
        Ok(Calls {
            setup,
            threads,
            finally: finally.collect::<Lowered<_>>()?,
        })
    }

    /// A procedure for one call; `number` tells it from the others.
    fn client_call(&mut self, call: &ClientCall, number: usize) -> Lowered<Call> {
        let target = self.function_named(&call.function)?;
        self.takes_arguments(&target, call)?;
        let (span, text) = (target.span(), call.to_string());
        let void = self.types.id(Type::Void);
        let id = self.program.procs.next_id();
        let body = Body::new(&text, id, span, void);
        self.program.procs.push(body.proc.clone());
        let outer = std::mem::replace(&mut self.body, body);
        let results = self.client_call_body(&target, call, number);
        let body = std::mem::replace(&mut self.body, outer);
        let results = results?;
        self.program.procs[id] = body.finish();
        Ok(Call {
            text,
            span,
            proc: id,
            results,
        })
    }

    fn takes_arguments(&self, target: &Target<'a>, call: &ClientCall) -> Lowered<()> {
        let (given, taken) = (call.arguments.len(), target.ty.params.len());
        if given == taken && !Self::is_variadic(&target.ty) {
            return Ok(());
        }
        let arguments = |n: usize| format!("{n} argument{}", if n == 1 { "" } else { "s" });
        let takes = match Self::is_variadic(&target.ty) {
            true => "any number of arguments, which is not supported here".to_string(),
            false => arguments(taken),
        };
        let message = format!(
            "`{call}` has {}, and `{}` takes {takes}",
            arguments(given),
            target.name
        );
        Err(Diag::error(target.span(), message).into())
    }

    fn client_call_body(
        &mut self,
        target: &Target<'a>,
        call: &ClientCall,
        number: usize,
    ) -> Lowered<Vec<CallResult>> {
        let span = target.span();
        self.body.span = span;
        let (mut args, mut outs) = (Vec::new(), Vec::new());
        for (i, (argument, ty)) in call.arguments.iter().zip(&target.ty.params).enumerate() {
            let ty = self.types.plain(*ty);
            if *argument == ClientArgument::Out {
                let out = self.out_variable(target, i, ty)?;
                args.push(out.object.clone());
                outs.push(out);
                continue;
            }
            let value = self.in_unit(target.unit, |l| l.client_argument(argument, span))?;
            args.push(self.convert(value, ty, span)?.expr);
        }
        if self.types.is_record(target.ty.ret) {
            let message = format!(
                "`{}` returns a structure, which no result can be here",
                target.name
            );
            return Err(Diag::unsupported(span, message)
                .note("a function that returns a number can call it")
                .into());
        }
        let dst = self.types.width(target.ty.ret);
        let dst = dst.map(|w| self.body.local("", w));
        let callee = Callee::Proc(target.proc);
        self.emit(Op::Call { dst, callee, args });
        let mut results = Vec::new();
        if let Some(dst) = dst {
            let value = TypedValue::new(Expr::Local(dst), target.ty.ret);
            results.push(self.client_result(value, (call, number), None, span)?);
        }
        for out in outs {
            let value = self.load(out.object, out.ty, MemoryOrder::Plain, span)?;
            results.push(self.client_result(value, (call, number), Some(out.parameter), span)?);
        }
        Ok(results)
    }

    /// A variable for what a call returns through a parameter.
    fn out_variable(&mut self, target: &Target<'a>, i: usize, ty: TypeId) -> Lowered<Out> {
        let parameter = parameter_name(target.params(), i);
        let span = target.params().get(i).map_or(target.span(), |p| p.span);
        let to = self.types.pointee(ty);
        let to = to.filter(|to| self.types.width(*to).is_some());
        let Some(to) = to else {
            let message = format!(
                "`?` stands for the address of a number, and `{parameter}` of `{}` is a `{}`",
                target.name,
                self.types.show(ty)
            );
            return Err(Diag::error(span, message).into());
        };
        let object = self.argument_object(&parameter, to, true, span)?;
        Ok(Out {
            object,
            ty: to,
            parameter,
        })
    }

    /// The value of an argument, among the names of the unit that defines the function.
    fn client_argument(&mut self, argument: &ClientArgument, span: Span) -> Lowered<TypedValue> {
        let (name, address) = match argument {
            ClientArgument::Number(n) => {
                let ty = self.types.id(Type::Int(IntKind::LongLong));
                return Ok(TypedValue::new(Expr::constant(*n as u64, 64), ty));
            }
            ClientArgument::Name(name) => (name, false),
            ClientArgument::Address(name) => (name, true),
            ClientArgument::Out => unreachable!("a variable of the call stands for it"),
        };
        let entity = self.names.scopes().find_at_file(name).cloned();
        match entity {
            Some(Entity::Constant(value, ty)) if !address => {
                let width = self.scalar_width(ty, span)?;
                Ok(TypedValue::new(Expr::constant(value, width), ty))
            }
            Some(Entity::Variable(id)) => {
                let ty = self.names.variable(id).ty;
                let object = Expr::Global(self.global(id, span)?);
                match address {
                    true => Ok(TypedValue::new(object, self.types.pointer(ty))),
                    false => self.read(Place::object(object, ty), span),
                }
            }
            Some(Entity::Function) => {
                let proc = self.procedure(name, span);
                let ty = self.names.function_type(name);
                Ok(TypedValue::new(Expr::Proc(proc), self.types.pointer(ty)))
            }
            None if name == "NULL" && !address => {
                let ty = self.types.void_pointer();
                Ok(TypedValue::new(self.pointer_constant(0), ty))
            }
            _ => {
                let message = format!(
                    "`{name}` is no variable{} where this function is defined",
                    if address {
                        ""
                    } else {
                        " or enumeration constant"
                    }
                );
                Err(Diag::error(span, message).into())
            }
        }
    }

    /// Puts a part of what a call returns into an object of its own.
    fn client_result(
        &mut self,
        value: TypedValue,
        (call, number): (&ClientCall, usize),
        parameter: Option<String>,
        span: Span,
    ) -> Lowered<CallResult> {
        let ty = self.types.plain(value.ty);
        let width = self.scalar_width(ty, span)?;
        let layout = self.layout(ty, span)?;
        let name = match &parameter {
            None => format!("result of call {number}, {call}"),
            Some(parameter) => format!("{parameter} after call {number}, {call}"),
        };
        let global = self.program.globals.push(Global {
            name,
            span,
            layout,
            init: Vec::new(),
            thread_local: false,
        });
        self.put(&Expr::Global(global), 0, value.expr, span);
        let kind = match self.types.get(ty) {
            Type::Pointer(_) => ScalarKind::Pointer,
            Type::Float(_) => ScalarKind::Float,
            _ => ScalarKind::Integer,
        };
        Ok(CallResult {
            global,
            width,
            signed: self.types.signed(ty),
            kind,
            parameter,
        })
    }

    fn client_thread(&mut self, calls: Vec<Call>, span: Span) -> ClientThread {
        let texts: Vec<&str> = calls.iter().map(|c| c.text.as_str()).collect();
        let void = self.types.id(Type::Void);
        let routine = self.program.procs.next_id();
        let mut body = Body::new(&texts.join(", "), routine, span, void);
        for call in &calls {
            body.span = call.span;
            body.emit(called(call));
        }
        self.program.procs.push(body.finish());
        ClientThread { routine, calls }
    }

    fn client_main(
        &mut self,
        span: Span,
        setup: &[Call],
        threads: &[ClientThread],
        finally: &[Call],
    ) -> ProcId {
        let void = self.types.id(Type::Void);
        let id = self.program.procs.next_id();
        let body = Body::new("main", id, span, void);
        self.program.procs.push(body.proc.clone());
        self.body = body;
        setup
            .iter()
            .for_each(|call| self.emit_at(call.span, called(call)));
        let mut handles = Vec::new();
        for thread in threads {
            let callee = self.with_destructors(Callee::Proc(thread.routine), span);
            let dst = self.body.local("", self.pointer_width());
            let arg = self.pointer_constant(0);
            self.emit_at(span, Op::Spawn { dst, callee, arg });
            handles.push(Expr::Local(dst));
        }
        for handle in handles {
            self.emit_at(span, Op::Join { handle, dst: None });
        }
        finally
            .iter()
            .for_each(|call| self.emit_at(call.span, called(call)));
        let body = Body::new("", ProcId(u32::MAX), span, void);
        self.program.procs[id] = std::mem::replace(&mut self.body, body).finish();
        id
    }
}

fn called(call: &Call) -> Op {
    Op::Call {
        dst: None,
        callee: Callee::Proc(call.proc),
        args: Vec::new(),
    }
}

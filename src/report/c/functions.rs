//! Tests in C as C programs: accesses are functions of `<stdatomic.h>`, or those of the Linux kernel, which
//! `kernel.h` has.
//!
//! Where a function wants a type that a location has not, or an address is computed, there is a cast.
//!
//! **Control dependencies.** In the kernel's model a dependency ends where an `if` ends, in a test and in a
//! program. The jumps of an `if` are written as jumps, which enter and leave nothing else, so that the place
//! where its branches meet is the same. A loop is refused in tests of the kernel: in a program what comes
//! behind it depends on what it read, and in a test it does not. A condition that is assumed is no branch in
//! a test. So the program assumes on a branch of its own that this branch is not taken.

use super::expression::{Thread, name};
use super::objects::{Language, Object, is};
use base::diag::Diag;
use ir::kernel::{
    ACQUIRE, FENCES, IS_LOCKED, LOCK, MB, NORETURN, ONCE, RELEASE, SRCU_LOCK, SRCU_UNLOCK, UNLOCK,
};
use ir::order::Annotation;
use ir::program::*;

/// The ends of names of functions of the kernel that return a value.
fn suffix(annotation: &Annotation) -> Option<&'static str> {
    let suffixes = [
        (&MB, ""),
        (&ONCE, "_relaxed"),
        (&ACQUIRE, "_acquire"),
        (&RELEASE, "_release"),
    ];
    let mut found = suffixes.into_iter().filter(|(a, _)| is(a, annotation));
    found.next().map(|(_, end)| end)
}

/// C11's name of an order.
fn order_name(order: MemoryOrder) -> Option<&'static str> {
    Some(match order {
        MemoryOrder::Relaxed => "memory_order_relaxed",
        MemoryOrder::Acquire => "memory_order_acquire",
        MemoryOrder::Release => "memory_order_release",
        MemoryOrder::AcqRel => "memory_order_acq_rel",
        MemoryOrder::SeqCst => "memory_order_seq_cst",
        _ => return None,
    })
}

impl Thread<'_> {
    /// An instruction that a language has its own words for; `None` if it is none.
    pub(super) fn in_language(&self, pc: usize, instr: &Instr) -> Result<Option<String>, Diag> {
        let e = |e: &Expr| self.expr(e, instr.span);
        let text = match (self.language, &instr.op) {
            (Language::Assembly, _) => return Ok(None),
            (Language::Kernel, Op::Goto { target, .. }) if *target <= pc => {
                let text =
                    "a loop of a test is not written in C: what comes behind it would depend on it";
                return Err(Diag::error(instr.span, text));
            }
            (_, Op::Assign { .. } | Op::Observe { .. } | Op::Goto { .. }) => return Ok(None),
            // Where branches meet again shows.
            (_, Op::ControlBegin(_) | Op::ControlEnd(_)) => ";".to_string(),
            (
                _,
                Op::Load {
                    dst,
                    addr,
                    order: MemoryOrder::Plain,
                },
            ) => {
                let place = self.word(addr, self.proc.locals[*dst].width, instr)?;
                format!("{} = {place};", self.local(*dst))
            }
            (
                _,
                Op::Store {
                    addr,
                    value,
                    order: MemoryOrder::Plain,
                },
            ) => {
                let place = self.word(addr, self.width(value), instr)?;
                format!("{place} = {};", e(value)?)
            }
            (Language::Kernel, Op::Assume(cond)) => {
                format!("if (!({})) __VERIFIER_assume(0);", e(cond)?)
            }
            (Language::Kernel, Op::Havoc { dst }) => {
                format!("{} = __VERIFIER_nondet_ulong();", self.local(*dst))
            }
            (Language::Kernel, _) => self.in_kernel(instr)?,
            (Language::C11, _) => self.in_c11(instr)?,
        };
        Ok(Some(text))
    }

    /// An access or a fence of the kernel.
    fn in_kernel(&self, instr: &Instr) -> Result<String, Diag> {
        let e = |e: &Expr| self.expr(e, instr.span);
        let refused = || self.refused(instr);
        let width = |local: LocalId| self.proc.locals[local].width;
        let pointer =
            |addr: &Expr, object: Object, width: Width| self.pointer(addr, object, width, instr);
        Ok(match &instr.op {
            Op::Load {
                dst,
                addr,
                order: MemoryOrder::Annotated(a),
            } => {
                let word = || self.word(addr, width(*dst), instr);
                let value = match a {
                    a if is(a, &ONCE) => format!("READ_ONCE({})", word()?),
                    a if is(a, &ACQUIRE) => {
                        format!("smp_load_acquire(&{})", word()?)
                    }
                    a if is(a, &IS_LOCKED) => {
                        format!("spin_is_locked({})", pointer(addr, Object::Lock, 0)?)
                    }
                    a if is(a, &SRCU_LOCK) => {
                        format!("srcu_read_lock({})", pointer(addr, Object::Domain, 0)?)
                    }
                    _ => return Err(refused()),
                };
                format!("{} = {value};", self.local(*dst))
            }
            Op::Store {
                addr,
                value,
                order: MemoryOrder::Annotated(a),
            } => {
                let word = || self.word(addr, self.width(value), instr);
                match a {
                    a if is(a, &ONCE) => format!("WRITE_ONCE({}, {});", word()?, e(value)?),
                    a if is(a, &RELEASE) => {
                        format!("smp_store_release(&{}, {});", word()?, e(value)?)
                    }
                    a if is(a, &UNLOCK) => {
                        format!("spin_unlock({});", pointer(addr, Object::Lock, 0)?)
                    }
                    a if is(a, &SRCU_UNLOCK) => {
                        let domain = pointer(addr, Object::Domain, 0)?;
                        format!("srcu_read_unlock({domain}, {});", e(value)?)
                    }
                    _ => return Err(refused()),
                }
            }
            Op::Rmw {
                dst,
                addr,
                op,
                operand,
                order: MemoryOrder::Annotated(a),
            } => {
                let into = self.local(*dst);
                match (op, suffix(a)) {
                    // That it was free is assumed next.
                    (RmwOp::Exchange, None) if is(a, &LOCK) => {
                        format!(
                            "spin_lock({}); {into} = 0;",
                            pointer(addr, Object::Lock, 0)?
                        )
                    }
                    (RmwOp::Exchange, Some(end)) => {
                        let word = self.word(addr, width(*dst), instr)?;
                        format!("{into} = xchg{end}(&{word}, {});", e(operand)?)
                    }
                    (RmwOp::Add | RmwOp::Sub, end) => {
                        let what = if *op == RmwOp::Add { "add" } else { "sub" };
                        let operand = e(operand)?;
                        let counter = pointer(addr, Object::Counter, 0)?;
                        match end {
                            Some(end) => format!(
                                "{into} = atomic_long_fetch_{what}{end}({operand}, {counter});"
                            ),
                            None if is(a, &NORETURN) => {
                                format!("atomic_long_{what}({operand}, {counter});")
                            }
                            None => return Err(refused()),
                        }
                    }
                    _ => return Err(refused()),
                }
            }
            Op::Cas {
                dst,
                addr,
                expected,
                desired,
                success: MemoryOrder::Annotated(a),
                ..
            } => {
                let into = self.local(*dst);
                match suffix(a) {
                    Some(end) => {
                        let word = self.word(addr, width(*dst), instr)?;
                        let (expected, desired) = (e(expected)?, e(desired)?);
                        format!("{into} = cmpxchg{end}(&{word}, {expected}, {desired});")
                    }
                    None if is(a, &LOCK) => {
                        format!(
                            "{into} = !spin_trylock({});",
                            pointer(addr, Object::Lock, 0)?
                        )
                    }
                    None => return Err(refused()),
                }
            }
            Op::Fence(Fence::Annotated(sets)) => {
                let fence = FENCES.iter().find(|(_, of)| of == sets);
                let (name, _) = fence.ok_or_else(refused)?;
                format!("{name}();")
            }
            Op::GracePeriod { addr, .. } => {
                format!("synchronize_srcu({});", pointer(addr, Object::Domain, 0)?)
            }
            _ => return Err(refused()),
        })
    }

    /// An access or a fence of C11.
    fn in_c11(&self, instr: &Instr) -> Result<String, Diag> {
        let e = |e: &Expr| self.expr(e, instr.span);
        let refused = || self.refused(instr);
        let named = |order: &MemoryOrder| order_name(*order).ok_or_else(refused);
        let pointer = |addr: &Expr, width: Width| self.pointer(addr, Object::Atomic, width, instr);
        let width = |local: LocalId| self.proc.locals[local].width;
        Ok(match &instr.op {
            Op::Load { dst, addr, order } => format!(
                "{} = atomic_load_explicit({}, {});",
                self.local(*dst),
                pointer(addr, width(*dst))?,
                named(order)?
            ),
            Op::Store { addr, value, order } => format!(
                "atomic_store_explicit({}, {}, {});",
                pointer(addr, self.width(value))?,
                e(value)?,
                named(order)?
            ),
            Op::Rmw {
                dst,
                addr,
                op,
                operand,
                order,
            } => {
                let function = match op {
                    RmwOp::Exchange => "exchange",
                    RmwOp::Add => "fetch_add",
                    RmwOp::Sub => "fetch_sub",
                    RmwOp::And => "fetch_and",
                    RmwOp::Or => "fetch_or",
                    RmwOp::Xor => "fetch_xor",
                    _ => return Err(refused()),
                };
                format!(
                    "{} = atomic_{function}_explicit({}, {}, {});",
                    self.local(*dst),
                    pointer(addr, width(*dst))?,
                    e(operand)?,
                    named(order)?
                )
            }
            Op::Cas {
                dst,
                addr,
                expected,
                desired,
                success,
                failure,
                weak: None,
            } => format!(
                "{{ uint{}_t was = {}; atomic_compare_exchange_strong_explicit({}, &was, {}, {}, {}); {} = was; }}",
                width(*dst),
                e(expected)?,
                pointer(addr, width(*dst))?,
                e(desired)?,
                named(success)?,
                named(failure)?,
                self.local(*dst)
            ),
            Op::Fence(Fence::C11(order)) => format!("atomic_thread_fence({});", named(order)?),
            _ => return Err(refused()),
        })
    }

    /// The address of an object, as a function wants it.
    fn pointer(
        &self,
        addr: &Expr,
        object: Object,
        width: Width,
        instr: &Instr,
    ) -> Result<String, Diag> {
        if let Expr::Global(id) = addr
            && self.objects[*id] == object
        {
            return Ok(format!("&{}", name(&self.test.program, *id)));
        }
        let addr = self.expr(addr, instr.span)?;
        Ok(format!("({} *)({addr})", object.ty(width)))
    }

    /// The number at an address.
    fn word(&self, addr: &Expr, width: Width, instr: &Instr) -> Result<String, Diag> {
        let program = &self.test.program;
        if let Expr::Global(id) = addr
            && let Layout::Scalar { width: own } = program.layouts[program.globals[*id].layout]
            && own == width
        {
            let object = self.objects[*id];
            match object {
                Object::Word | Object::Counter => {
                    return Ok(format!("{}{}", name(program, *id), object.member()));
                }
                Object::Atomic => {}
                Object::Lock | Object::Domain => return Err(self.refused(instr)),
            }
        }
        let addr = self.expr(addr, instr.span)?;
        Ok(format!("*(uint{width}_t *)({addr})"))
    }
}

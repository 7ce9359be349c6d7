//! The places of a test in C: the functions of C11 with their orders, those of the Linux kernel with their kinds.

use super::cost::Machine;
use super::place::{Change, Ordered, OrderingPlace, PlaceKind, TextEdit, Way, edited};
use crate::front::litmus::ast::c::{Expr, ExprKind, Function, Statement, StatementKind};
use crate::front::litmus::ast::{Name, Test};
use base::source::Span;
use ir::kernel;
use ir::program::MemoryOrder::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};
use ir::sites::SiteKind;

/// What a statement does, in the order of the text.
enum Item<'a> {
    Call(&'a Name, &'a [Expr], Span),
    /// An access that is not atomic.
    Plain,
    /// The end of a simple statement.
    End(Span),
}

/// The barriers of the kernel that order pairs of accesses.
const BARRIERS: [(&str, Ordered, u32); 3] = [
    ("smp_rmb", Ordered::LOAD_LOAD, 4001),
    ("smp_wmb", Ordered::STORE_STORE, 4001),
    ("smp_mb", Ordered::FULL, 10_004),
];

/// Functions of the kernel whose names end with what they order.
const UPDATES: [&str; 16] = [
    "xchg",
    "cmpxchg",
    "atomic_xchg",
    "atomic_cmpxchg",
    "atomic_add_return",
    "atomic_sub_return",
    "atomic_inc_return",
    "atomic_dec_return",
    "atomic_fetch_add",
    "atomic_fetch_sub",
    "atomic_fetch_inc",
    "atomic_fetch_dec",
    "atomic_sub_and_test",
    "atomic_dec_and_test",
    "atomic_inc_and_test",
    "atomic_add_negative",
];

/// A call that accesses memory or is a fence, and its places.
struct Called {
    kind: PlaceKind,
    places: Vec<(PlaceKind, Vec<Way>, usize)>,
}

/// What the functions of a test are read with.
struct Reading<'a> {
    text: &'a str,
    machine: Machine,
    is_kernel: bool,
}

/// The places of a test.
pub(super) fn places(test: &Test, text: &str, machine: Machine) -> Vec<OrderingPlace> {
    let functions = test.threads.iter();
    let functions = functions.filter_map(|thread| Some((thread.number, thread.function.as_ref()?)));
    let functions: Vec<(u32, &Function)> = functions.collect();
    let is_kernel = functions.iter().any(|(_, function)| {
        let calls = items(&function.body).into_iter();
        calls
            .filter_map(|item| match item {
                Item::Call(name, args, _) => Some(is_of_kernel(function, name, args)),
                _ => None,
            })
            .any(|is| is)
    });
    let reading = Reading {
        text,
        machine,
        is_kernel,
    };
    let each = functions.into_iter();
    each.flat_map(|(thread, function)| reading.places(thread, function))
        .collect()
}

/// The edits of a text for the changes of some places.
pub(super) fn edits(chosen: &[(&OrderingPlace, &Change)]) -> Vec<TextEdit> {
    let all = chosen.iter().flat_map(|(_, change)| match change {
        Change::Text(edits) => edits.clone(),
        _ => Vec::new(),
    });
    all.collect()
}

/// Whether a call is one of the kernel's. Its functions that C11 has, too, have the location behind the operand.
fn is_of_kernel(function: &Function, name: &Name, args: &[Expr]) -> bool {
    let is_location = |e: &Expr| match &e.kind {
        ExprKind::Name(name) => function.params.iter().any(|p| p.name.text == *name),
        _ => false,
    };
    match name.text.strip_prefix("atomic_") {
        Some(rest) if rest.starts_with("fetch_") => {
            !args.first().is_some_and(is_location) && args.get(1).is_some_and(is_location)
        }
        Some(rest) => {
            let rest = rest.strip_suffix("_explicit").unwrap_or(rest);
            !matches!(
                rest,
                "load" | "store" | "init" | "exchange" | "thread_fence" | "compare_exchange_strong"
            )
        }
        None => true,
    }
}

fn items(body: &[Statement]) -> Vec<Item<'_>> {
    let mut all = Vec::new();
    for statement in body {
        match &statement.kind {
            StatementKind::Declare(_, value) => value.iter().for_each(|e| expr(e, &mut all)),
            StatementKind::Assign(target, value) => {
                expr(value, &mut all);
                expr(target, &mut all);
            }
            StatementKind::Evaluate(e) => expr(e, &mut all),
            StatementKind::If(cond, then, otherwise) => {
                expr(cond, &mut all);
                all.extend(items(then));
                all.extend(items(otherwise));
                continue;
            }
            StatementKind::While(cond, body) => {
                expr(cond, &mut all);
                all.extend(items(body));
                continue;
            }
            StatementKind::DoWhile(body, cond) => {
                all.extend(items(body));
                expr(cond, &mut all);
                continue;
            }
            StatementKind::Block(body) => {
                all.extend(items(body));
                continue;
            }
        }
        all.push(Item::End(statement.span));
    }
    all
}

fn expr<'a>(e: &'a Expr, all: &mut Vec<Item<'a>>) {
    match &e.kind {
        ExprKind::Number(_) | ExprKind::Name(_) => {}
        ExprKind::Deref(a) => {
            expr(a, all);
            all.push(Item::Plain);
        }
        ExprKind::Address(a) | ExprKind::Unary(_, a) => expr(a, all),
        ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| expr(e, all)),
        ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| expr(e, all)),
        ExprKind::Call(name, args) => {
            // The place that a macro of the kernel is given is no access of its own.
            for arg in args {
                match &arg.kind {
                    ExprKind::Deref(place) => expr(place, all),
                    _ => expr(arg, all),
                }
            }
            all.push(Item::Call(name, args, e.span));
        }
    }
}

impl Reading<'_> {
    fn places(&self, thread: u32, function: &Function) -> Vec<OrderingPlace> {
        let items = items(&function.body);
        let called: Vec<Option<Called>> = items
            .iter()
            .map(|item| match item {
                Item::Call(name, args, span) => self.called(function, name, args, *span),
                Item::Plain => Some(Called {
                    kind: PlaceKind::Load,
                    places: Vec::new(),
                }),
                Item::End(_) => None,
            })
            .collect();
        let is_access = |at: &usize| {
            called[*at]
                .as_ref()
                .is_some_and(|c| c.kind != PlaceKind::Fence)
        };
        let mut places = Vec::new();
        let mut has_access = false;
        for (at, item) in items.iter().enumerate() {
            let mut push = |span, kind, ways: Vec<Way>, now| {
                if ways.len() > 1 {
                    places.push(OrderingPlace {
                        span,
                        thread,
                        kind,
                        ways,
                        now,
                    });
                }
            };
            has_access |= is_access(&at);
            match (item, &called[at]) {
                (Item::Call(.., span), Some(called)) => {
                    for (kind, ways, now) in &called.places {
                        push(*span, *kind, ways.clone(), *now);
                    }
                }
                (Item::End(span), _) => {
                    let next = (at + 1..items.len()).find(|n| called[*n].is_some());
                    let is_open = next.is_some_and(|n| is_access(&n));
                    if std::mem::take(&mut has_access) && is_open && self.is_in_braces(*span) {
                        push(*span, PlaceKind::New, self.new_ways(*span), 0);
                    }
                }
                _ => {}
            }
        }
        places
    }

    /// Whether another statement may stand behind this one: it is not by itself what an `if` or a loop does.
    fn is_in_braces(&self, span: Span) -> bool {
        let before = self.text[..span.start as usize].trim_end();
        before.ends_with(['{', ';', '}', ',']) || before.ends_with("int")
    }

    /// What a fence behind a statement may be.
    fn new_ways(&self, span: Span) -> Vec<Way> {
        let nothing = Way {
            text: String::new(),
            ordered: Ordered::NOTHING,
            cost: 0,
            change: Change::Keep,
        };
        let end = span.end as usize;
        let end = match self.text[..end].ends_with([';', '}']) {
            true => end,
            // A declaration, whose semicolon is not its own.
            false => self.text[end..].find(';').map_or(end, |n| end + n + 1),
        };
        let line = self.text[..span.start as usize].rfind('\n');
        let line = &self.text[line.map_or(0, |n| n + 1)..];
        let indent: String = line
            .chars()
            .take_while(|c| *c == ' ' || *c == '\t')
            .collect();
        let fences = self.fences().into_iter().map(|(text, ordered, cost)| Way {
            change: Change::Text(vec![TextEdit::new(end, end, &format!("\n{indent}{text};"))]),
            text,
            ordered,
            cost,
        });
        std::iter::once(nothing).chain(fences).collect()
    }

    /// The fences, weaker ones first.
    fn fences(&self) -> Vec<(String, Ordered, u32)> {
        if self.is_kernel {
            let all = BARRIERS.iter();
            return all
                .map(|(f, ordered, cost)| (format!("{f}()"), *ordered, *cost))
                .collect();
        }
        let orders = SiteKind::Fence.orders().iter().skip(1);
        let fence = |order: &MemoryOrder| {
            let text = format!("atomic_thread_fence({})", c11_name(*order));
            let cost = self.machine.cost(SiteKind::Fence, *order);
            (text, ordered(*order), cost)
        };
        orders.map(fence).collect()
    }

    fn called(
        &self,
        function: &Function,
        name: &Name,
        args: &[Expr],
        span: Span,
    ) -> Option<Called> {
        match is_of_kernel(function, name, args) {
            true => self.of_kernel(name, args, span),
            false => self.of_c11(name, args, span),
        }
    }

    /// A function of C11, and where its orders are.
    fn of_c11(&self, name: &Name, args: &[Expr], span: Span) -> Option<Called> {
        let rest = name.text.strip_prefix("atomic_")?;
        let explicit = rest.strip_suffix("_explicit");
        let (kind, orders): (PlaceKind, &[(SiteKind, usize)]) = match explicit.unwrap_or(rest) {
            "thread_fence" => (PlaceKind::Fence, &[(SiteKind::Fence, 0)]),
            "load" => (PlaceKind::Load, &[(SiteKind::Load, 1)]),
            "store" => (PlaceKind::Store, &[(SiteKind::Store, 2)]),
            "init" => (PlaceKind::Store, &[]),
            "compare_exchange_strong" => (
                PlaceKind::Update,
                &[(SiteKind::Success, 3), (SiteKind::Failure, 4)],
            ),
            _ => (PlaceKind::Update, &[(SiteKind::Update, 2)]),
        };
        let is_explicit = explicit.is_some() || rest == "thread_fence";
        let mut places = Vec::new();
        for (site, at) in orders {
            let now = match args.get(*at).map(|arg| &arg.kind) {
                Some(ExprKind::Name(order)) => MemoryOrder::of_c11(order)?,
                None if !is_explicit && orders.len() == 1 => SeqCst,
                _ => continue,
            };
            let mut all = site.orders().to_vec();
            if !all.contains(&now) {
                continue;
            }
            let is_fence = *site == SiteKind::Fence;
            let ways = all.iter_mut().map(|order| Way {
                text: match (is_fence, *order) {
                    (true, Relaxed) => String::new(),
                    (true, order) => format!("atomic_thread_fence({})", c11_name(order)),
                    (false, order) => c11_name(order)
                        .trim_start_matches("memory_order_")
                        .to_string(),
                },
                ordered: ordered(*order),
                cost: self.machine.cost(*site, *order),
                change: match (is_fence, is_explicit, *order) {
                    (true, _, Relaxed) => Change::Text(vec![self.removed(span)]),
                    (_, true, order) => {
                        Change::Text(vec![replaced(args[*at].span, c11_name(order))])
                    }
                    (_, false, order) => Change::Text(vec![
                        inserted(name.span.end, "_explicit"),
                        inserted(span.end - 1, &format!(", {}", c11_name(order))),
                    ]),
                },
            });
            let ways: Vec<Way> = ways.collect();
            let now = all.iter().position(|order| *order == now)?;
            let kind = if *site == SiteKind::Failure {
                PlaceKind::Load
            } else {
                kind
            };
            places.push((kind, ways, now));
        }
        Some(Called { kind, places })
    }

    /// A function of the kernel.
    fn of_kernel(&self, name: &Name, args: &[Expr], span: Span) -> Option<Called> {
        let of_pair = |kind, names: [&str; 2], order: Ordered| {
            let now = names.iter().position(|n| *n == name.text)?;
            let cost = if kind == PlaceKind::Load { 1002 } else { 2002 };
            let all = names.iter().zip([(Ordered::NOTHING, 0), (order, cost)]);
            let ways = all.enumerate().map(|(at, (function, (ordered, cost)))| {
                let edits = match at == now {
                    true => Vec::new(),
                    false => self.as_other(name, function, args.first()),
                };
                self.kernel_way(span, edits, ordered, cost)
            });
            Some(Called {
                kind,
                places: vec![(kind, ways.collect(), now)],
            })
        };
        let load = ["READ_ONCE", "smp_load_acquire"];
        let store = ["WRITE_ONCE", "smp_store_release"];
        let pair = of_pair(PlaceKind::Load, load, Ordered::ACQUIRE);
        if let Some(called) = pair.or_else(|| of_pair(PlaceKind::Store, store, Ordered::RELEASE)) {
            return Some(called);
        }
        let is_fence = kernel::FENCES.iter().any(|(f, _)| *f == name.text);
        if is_fence || name.text.starts_with("rcu_read_") {
            let kind = PlaceKind::Fence;
            let mut places = Vec::new();
            if let Some(now) = BARRIERS.iter().position(|(f, ..)| *f == name.text) {
                let mut ways = vec![Way {
                    text: String::new(),
                    ordered: Ordered::NOTHING,
                    cost: 0,
                    change: Change::Text(vec![self.removed(span)]),
                }];
                ways.extend(BARRIERS.iter().map(|(function, ordered, cost)| {
                    let edits = vec![replaced(name.span, function)];
                    self.kernel_way(span, edits, *ordered, *cost)
                }));
                places.push((kind, ways, now + 1));
            }
            return Some(Called { kind, places });
        }
        let kind = PlaceKind::Update;
        let mut places = Vec::new();
        let both = Ordered::ACQUIRE.and(Ordered::RELEASE);
        let ends = [
            ("_relaxed", Ordered::NOTHING, 0),
            ("_acquire", Ordered::ACQUIRE, 1002),
            ("_release", Ordered::RELEASE, 2002),
            ("", both.and(Ordered::SEQ_CST), 10_004),
        ];
        let now = ends.iter().position(|(end, ..)| name.text.ends_with(end))?;
        let base = name.text.strip_suffix(ends[now].0)?;
        if UPDATES.contains(&base) {
            let ways = ends.map(|(end, ordered, cost)| {
                let edits = vec![replaced(name.span, &format!("{base}{end}"))];
                self.kernel_way(span, edits, ordered, cost)
            });
            places.push((kind, ways.to_vec(), now));
        }
        Some(Called { kind, places })
    }

    /// A call with some edits.
    fn kernel_way(&self, span: Span, edits: Vec<TextEdit>, ordered: Ordered, cost: u32) -> Way {
        let (from, to) = (span.start as usize, span.end as usize);
        let within = edits
            .iter()
            .map(|edit| TextEdit::new(edit.from - from, edit.to - from, &edit.text));
        Way {
            text: edited(&self.text[from..to], within.collect()),
            ordered,
            cost,
            change: Change::Text(edits),
        }
    }

    /// A function that is given a place instead of one that is given its address, or the other way round.
    fn as_other(&self, name: &Name, function: &str, arg: Option<&Expr>) -> Vec<TextEdit> {
        let mut edits = vec![replaced(name.span, function)];
        let Some(arg) = arg else {
            return edits;
        };
        match &arg.kind {
            ExprKind::Deref(_) if !function.starts_with("smp_") => {}
            ExprKind::Deref(_) => {
                let star = arg.span.start as usize;
                edits.push(TextEdit::new(star, star + 1, ""));
            }
            ExprKind::Name(_) => edits.push(inserted(arg.span.start, "*")),
            _ => {
                edits.push(inserted(arg.span.start, "*("));
                edits.push(inserted(arg.span.end, ")"));
            }
        }
        edits
    }

    /// A call that goes, with the semicolon behind it; the whole line, if nothing else stands there.
    fn removed(&self, span: Span) -> TextEdit {
        let (from, end) = (span.start as usize, span.end as usize);
        let to = self.text[end..].find(';').map_or(end, |n| end + n + 1);
        let line = self.text[..from].rfind('\n').map_or(0, |n| n + 1);
        let next = self.text[to..]
            .find('\n')
            .map_or(self.text.len(), |n| to + n + 1);
        let is_blank = |text: &str| text.trim().is_empty();
        let is_alone = is_blank(&self.text[line..from]) && is_blank(&self.text[to..next]);
        match (self.is_in_braces(span), is_alone) {
            (true, true) => TextEdit::new(line, next, ""),
            (true, false) => TextEdit::new(from, to, ""),
            // It is all that an `if` or a loop does.
            (false, _) => TextEdit::new(from, to, "{ }"),
        }
    }
}

fn replaced(span: Span, text: &str) -> TextEdit {
    TextEdit::new(span.start as usize, span.end as usize, text)
}

fn inserted(at: u32, text: &str) -> TextEdit {
    TextEdit::new(at as usize, at as usize, text)
}

/// An order as C11 writes it.
fn c11_name(order: MemoryOrder) -> &'static str {
    match order {
        Relaxed => "memory_order_relaxed",
        Acquire => "memory_order_acquire",
        Release => "memory_order_release",
        AcqRel => "memory_order_acq_rel",
        _ => "memory_order_seq_cst",
    }
}

fn ordered(order: MemoryOrder) -> Ordered {
    let both = Ordered::ACQUIRE.and(Ordered::RELEASE);
    match order {
        Acquire => Ordered::ACQUIRE,
        Release => Ordered::RELEASE,
        AcqRel => both,
        SeqCst => both.and(Ordered::SEQ_CST),
        _ => Ordered::NOTHING,
    }
}

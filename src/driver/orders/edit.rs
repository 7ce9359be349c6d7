//! The text of a program with other memory orders.
//!
//! An order that is written as an argument is replaced; a function without one gets its `_explicit` form, an
//! operator on an `_Atomic` object the function that does the same; a fence that nothing needs is taken away. What
//! has no such form is said in words.

use super::outcome::{ChangedFile, Edited, FoundSite};
use crate::check::orders::Orders;
use crate::driver::statements::{Edit, Heads, Statements, changed, order_name as name};
use crate::front::c::scan::{CTokenKind, Token, scan};
use base::source::{FileId, SourceMap, Span};
use ir::program::MemoryOrder;
use ir::sites::SiteKind;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What may be changed. An expression that a macro makes stands in the text as the macro, which has no order to
/// change; that is seen when the changed text is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::driver) enum EditScope {
    /// Calls and operators.
    All,
    /// Calls of functions with orders, and fences.
    Calls,
    /// Nothing.
    Nothing,
}

/// Changes of a file: what becomes of bytes.
#[derive(Default)]
struct Changes(BTreeMap<(usize, usize), String>);

impl Changes {
    fn replace(&mut self, from: usize, to: usize, text: &str) {
        self.0.insert((from, to), text.to_string());
    }

    /// Text before what begins at a place; what is added later stands before it.
    fn before(&mut self, at: usize, text: &str) {
        self.0.entry((at, at)).or_default().insert_str(0, text);
    }

    /// Text behind what ends at a place; what is added later stands behind it.
    fn behind(&mut self, at: usize, text: &str) {
        self.0.entry((at, at)).or_default().push_str(text);
    }
}

/// What happens at a place of the text, and the orders that it is to have.
struct Operation<'a> {
    statements: &'a Statements<'a>,
    text: &'a str,
    span: Span,
    tokens: Vec<Token>,
    /// By kind: the chosen order.
    orders: BTreeMap<SiteKind, MemoryOrder>,
    /// It is the end of a statement, behind which a fence is to stand.
    is_new: bool,
    /// It is no atomic access in the text.
    is_plain: bool,
    scope: EditScope,
}

/// The program with other orders than it has, and with fences at new sites.
pub(in crate::driver) fn edited(
    sources: &SourceMap,
    found: &[FoundSite],
    scope: EditScope,
) -> Edited {
    let chosen: Orders = {
        let all = found
            .iter()
            .map(|site| (site.site, site.chosen.unwrap_or(site.before)));
        all.collect()
    };
    let before: Orders = found.iter().map(|s| (s.site, s.before)).collect();
    let mut places: BTreeMap<FileId, BTreeMap<(u32, Reverse<u32>), Span>> = BTreeMap::new();
    let differing = chosen
        .iter()
        .filter(|(site, order)| before[site] != **order);
    for span in differing.map(|(site, _)| site.span) {
        let of_file = places.entry(span.file).or_default();
        of_file.insert((span.end - span.start, Reverse(span.start)), span);
    }
    let statements = Statements::new(sources);
    let mut edited = Edited::default();
    for (file, spans) in places {
        let text = &sources.file(file).text;
        let mut changes = Changes::default();
        // What is within something else comes first.
        for span in spans.into_values() {
            let orders = chosen.iter().filter(|(site, _)| site.span == span);
            let operation = Operation {
                statements: &statements,
                text,
                span,
                tokens: tokens(&text[span.start as usize..span.end as usize]),
                orders: orders.map(|(site, order)| (site.kind, *order)).collect(),
                is_new: found.iter().any(|s| s.is_new && s.site.span == span),
                is_plain: found
                    .iter()
                    .any(|s| s.site.span == span && !s.before.is_atomic()),
                scope,
            };
            if operation.change(&mut changes).is_none() {
                let orders: Vec<&str> = operation.orders.values().map(|o| name(*o)).collect();
                let (place, text) = (sources.location(span), sources.snippet(span));
                let orders = orders.join(", ");
                let change = format!("{place}: `{text}` as {orders}");
                edited.by_hand.push((span, change));
            }
        }
        let edits = changes.0.into_iter().map(|((from, to), text)| Edit {
            span: Span {
                file,
                start: base::idx::position(from),
                end: base::idx::position(to),
            },
            text,
        });
        let edits: Vec<Edit> = edits.collect();
        let overlap = |pair: &[Edit]| pair[1].span.start < pair[0].span.end;
        if edits.windows(2).any(overlap) && scope != EditScope::Nothing {
            return self::edited(sources, found, EditScope::Nothing);
        }
        if edits.is_empty() {
            continue;
        }
        let (name, after) = (&sources.file(file).name, changed(text, &edits));
        edited.files.push(ChangedFile::new(name, text, after));
    }
    edited.by_hand.sort();
    edited
}

fn tokens(text: &str) -> Vec<Token> {
    let mut all = scan(text);
    all.retain(|token| token.kind != CTokenKind::Comment);
    all
}

/// How a function is called: its name without the order, how many arguments stand before the orders, and whether
/// its name says that there are some.
struct Signature {
    arguments: usize,
    is_explicit: bool,
    is_gnu: bool,
}

fn signature(function: &str) -> Option<Signature> {
    if let Some(gnu) = function.strip_prefix("__atomic_") {
        let arguments = match gnu {
            "thread_fence" => 0,
            "load_n" | "test_and_set" | "clear" => 1,
            "exchange" => 3,
            "compare_exchange" | "compare_exchange_n" => 4,
            _ => 2,
        };
        return Some(Signature {
            arguments,
            is_explicit: true,
            is_gnu: true,
        });
    }
    let of_c11 = function.strip_prefix("__c11_");
    let name = of_c11.unwrap_or(function).strip_prefix("atomic_")?;
    let explicit = name.strip_suffix("_explicit");
    let arguments = match explicit.unwrap_or(name) {
        "thread_fence" => 0,
        "load" | "flag_test_and_set" | "flag_clear" => 1,
        "compare_exchange_strong" | "compare_exchange_weak" => 3,
        _ => 2,
    };
    Some(Signature {
        arguments,
        is_explicit: explicit.is_some() || of_c11.is_some() || name == "thread_fence",
        is_gnu: false,
    })
}

impl Operation<'_> {
    /// Changes the text; `None` when there is no form of it with these orders.
    fn change(&self, changes: &mut Changes) -> Option<()> {
        if self.scope == EditScope::Nothing {
            return None;
        }
        if self.is_new {
            let order = self.orders.get(&SiteKind::Fence)?;
            for edit in self.statements.fence_after(self.span, *order)? {
                let (from, to) = (edit.span.start as usize, edit.span.end as usize);
                match from == to {
                    true if edit.text.ends_with(' ') => changes.before(from, &edit.text),
                    true => changes.behind(from, &edit.text),
                    false => changes.replace(from, to, &edit.text),
                }
            }
            return Some(());
        }
        let is_removed = self.orders.get(&SiteKind::Fence) == Some(&MemoryOrder::Relaxed);
        if is_removed {
            let edit = self.statements.without(self.span, Heads::Kept)?;
            changes.replace(edit.span.start as usize, edit.span.end as usize, &edit.text);
            return Some(());
        }
        let called = self.word(0);
        let is_access = self.is_plain || self.statements.has_atomics(self.span.file);
        match signature(called) {
            Some(signature) if self.is(1, b'(') => self.call(&signature, changes),
            _ if called == "__sync_synchronize" => {
                let order = self.orders.get(&SiteKind::Fence)?;
                let order = name(*order).to_uppercase();
                let text = format!("__atomic_thread_fence(__ATOMIC_{order})");
                let (from, to) = (self.span.start as usize, self.span.end as usize);
                changes.replace(from, to, &text);
                Some(())
            }
            _ if self.scope == EditScope::All && is_access => self.operator(changes),
            _ => None,
        }
    }

    fn word(&self, i: usize) -> &str {
        match self.tokens.get(i) {
            Some(t) if t.kind == CTokenKind::Word => t.text(self.own()),
            _ => "",
        }
    }

    fn own(&self) -> &str {
        &self.text[self.span.start as usize..self.span.end as usize]
    }

    fn is(&self, i: usize, punctuation: u8) -> bool {
        let token = self.tokens.get(i);
        token.is_some_and(|t| t.kind == CTokenKind::Punct(punctuation))
    }

    /// Where a token begins and ends in the file.
    fn place(&self, i: usize) -> (usize, usize) {
        let (start, token) = (self.span.start as usize, &self.tokens[i]);
        (start + token.start, start + token.end)
    }

    /// A function with its orders.
    fn call(&self, signature: &Signature, changes: &mut Changes) -> Option<()> {
        let (mut depth, mut commas, mut close) = (0, Vec::new(), None);
        for i in 1..self.tokens.len() {
            if [b'(', b'[', b'{'].iter().any(|p| self.is(i, *p)) {
                depth += 1;
            } else if [b')', b']', b'}'].iter().any(|p| self.is(i, *p)) {
                depth -= 1;
                if depth == 0 {
                    close = Some(i);
                    break;
                }
            } else if depth == 1 && self.is(i, b',') {
                commas.push(i);
            }
        }
        let close = close.filter(|close| close + 1 == self.tokens.len())?;
        let orders: Vec<String> = self
            .orders
            .values()
            .map(|o| self.order(*o, signature))
            .collect();
        if !signature.is_explicit {
            let (_, behind_name) = self.place(0);
            changes.behind(behind_name, "_explicit");
            let orders: String = orders.iter().map(|o| format!(", {o}")).collect();
            changes.behind(self.place(close).0, &orders);
            return Some(());
        }
        // Between the parenthesis, the commas, and the other parenthesis.
        let ends: Vec<usize> = [1].into_iter().chain(commas).chain([close]).collect();
        for (order, at) in orders.iter().zip(signature.arguments..) {
            let (before, behind) = (*ends.get(at)?, *ends.get(at + 1)?);
            if before + 1 == behind {
                return None;
            }
            let (from, to) = (self.place(before + 1).0, self.place(behind - 1).1);
            if self.text[from..to] != **order {
                changes.replace(from, to, order);
            }
        }
        Some(())
    }

    fn order(&self, order: MemoryOrder, signature: &Signature) -> String {
        match signature.is_gnu {
            true => format!("__ATOMIC_{}", name(order).to_uppercase()),
            false => format!("memory_order_{}", name(order)),
        }
    }

    /// An operator on an `_Atomic` object as a function.
    fn operator(&self, changes: &mut Changes) -> Option<()> {
        let (kind, order) = self.orders.iter().next()?;
        let kind = *kind;
        if self.orders.len() != 1 {
            return None;
        }
        let (from, to) = (self.span.start as usize, self.span.end as usize);
        // An object that is not `_Atomic` has the functions of compilers alone.
        let (function, end) = match self.is_plain {
            true => {
                let order = name(*order).to_uppercase();
                ("__atomic_*_n", format!(", __ATOMIC_{order})"))
            }
            false => {
                let order = name(*order);
                ("atomic_*_explicit", format!(", memory_order_{order})"))
            }
        };
        let begin = |does: &str| function.replace('*', does) + "(&";
        if kind == SiteKind::Load {
            changes.before(from, &begin("load"));
            changes.behind(to, &end);
            return Some(());
        }
        let is_statement = self.statements.around(self.span).is_some_and(|statement| {
            let between = self.text.get(to..statement.end as usize);
            statement.start == self.span.start && between.is_some_and(|rest| rest.trim() == ";")
        });
        let depths = self.depths();
        let top = |i: &usize| depths[*i] == 0;
        let assigns = (1..self.tokens.len())
            .filter(top)
            .find(|i| self.is(*i, b'='));
        let updates = |p: u8| match p {
            b'+' => Some("add"),
            b'-' => Some("sub"),
            b'&' => Some("and"),
            b'|' => Some("or"),
            b'^' => Some("xor"),
            _ => None,
        };
        let punctuation = |i: usize| match self.tokens.get(i).map(|t| t.kind) {
            Some(CTokenKind::Punct(p)) => Some(p),
            _ => None,
        };
        match (kind, assigns) {
            (SiteKind::Store, Some(at)) if is_statement => {
                let (left, right) = (self.place(at - 1).1, self.place(at + 1).0);
                changes.before(from, &begin("store"));
                changes.replace(left, right, ", ");
                changes.behind(to, &end);
                Some(())
            }
            (SiteKind::Update, Some(at)) if is_statement => {
                let does = updates(punctuation(at - 1)?)?;
                let (left, right) = (self.place(at - 2).1, self.place(at + 1).0);
                changes.before(from, &begin(&format!("fetch_{does}")));
                changes.replace(left, right, ", ");
                changes.behind(to, &end);
                Some(())
            }
            (SiteKind::Update, None) => {
                let last = self.tokens.len().checked_sub(1)?;
                let twice = |i: usize| {
                    let p = punctuation(i)?;
                    let is_twice = punctuation(i + 1) == Some(p);
                    updates(p).filter(|_| is_twice && matches!(p, b'+' | b'-'))
                };
                let one = format!(", 1{end}");
                if let Some(does) = last.checked_sub(1).and_then(twice) {
                    let (left, right) = (self.place(last - 2).1, self.place(last).1);
                    changes.before(from, &begin(&format!("fetch_{does}")));
                    changes.replace(left, right, &one);
                    return Some(());
                }
                let does = twice(0).filter(|_| is_statement)?;
                let right = self.place(2).0;
                let call = begin(&format!("fetch_{does}"));
                changes.replace(from, right, &call);
                changes.behind(to, &one);
                Some(())
            }
            _ => None,
        }
    }

    /// Of each token how many brackets are open.
    fn depths(&self) -> Vec<i32> {
        let mut depth = 0;
        let all = (0..self.tokens.len()).map(|i| {
            if [b'(', b'[', b'{'].iter().any(|p| self.is(i, *p)) {
                depth += 1;
                depth - 1
            } else if [b')', b']', b'}'].iter().any(|p| self.is(i, *p)) {
                depth -= 1;
                depth
            } else {
                depth
            }
        });
        all.collect()
    }
}

//! Which memory orders a C program needs: from its sites to the cheapest orders that keep every property, the
//! check of the program with them, and its text. Of litmus tests ([`LitmusOrders`]): which orders, fences and
//! dependencies.
//!
//! First weaker orders than the program's are looked for; if it is wrong with its own, stronger ones that mend it; if
//! there are none, atomic accesses, where they are allowed; and then fences ([`fences`]).
//! The search ([`crate::check::orders`]) unwinds loops so far as bounds say. What it proposes is then checked like
//! any program, and that check is the verdict.

mod edit;
mod fences;
mod litmus;
mod outcome;

pub(super) use edit::{EditScope, edited};
pub(super) use litmus::orders as of_litmus;
pub use litmus::{ChosenPlaces, Explained, FoundPlace, LitmusOrders, LitmusOrdersVerdict};
pub use outcome::{
    AddedExecution, ChangedFile, ChosenOrders, Edited, FoundSite, NeededOrder, OrdersOutcome,
    OrdersVerdict, OtherOrders, Undecided,
};

use super::error::Error;
use super::limits;
use super::outcome::ProgramOutcome;
use super::program::{Context, ProgramSession};
use crate::check::bmc::{self, Env};
use crate::check::orders::{Cheapest, Found, Needed, OpenProgram, Orders, cost_of, search};
use crate::check::outcome::{UnknownReason, Verdict};
use crate::lower::c::registry;
use crate::strengthen::cost::Machine;
use crate::unroll::event::EventKind;
use base::diag::Diag;
use base::source::{SourceMap, Span};
use cat::model::Model;
use ir::program::{MemoryOrder, ProcId, Program};
use ir::sites::{OpenOrders, Site, SiteKind, is_at_most, plain_sites, sites, with_fences};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Executions among which one is looked for that a weaker order adds.
const MOST_ADDED: usize = 5_000;

/// What is looked for.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct OrdersOptions {
    /// The orders of all sites are taken for `seq_cst` first, but for those that are kept.
    pub from_strongest: bool,
    /// Files, as they are named on the command line, and lines whose sites keep their orders.
    pub keep: Vec<(String, u32)>,
    /// Functions whose sites alone are looked at; all where there are none.
    pub only: BTreeSet<String>,
    /// What orders cost.
    pub machine: Machine,
    /// Accesses that are not atomic may become so, where no stronger order mends the program.
    pub makes_atomic: bool,
    /// How many other choices are wanted of which no order can be weaker.
    pub others: usize,
    /// A file and a line: what is violated when an order there is weaker is to be shown.
    pub explain: Option<(String, u32)>,
}

/// Which orders sites may get.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Weaker,
    Stronger,
}

/// What a search has come to.
enum Searched {
    /// The orders, and what is new with the weaker ones in the line that is to be explained.
    Chosen(Box<Cheapest>, Vec<AddedExecution>),
    NotEnough(usize),
    Undecided(UnknownReason),
}

/// A program, the models, and its sites.
struct Sites<'a> {
    session: ProgramSession,
    models: &'a [&'a Model],
    context: &'a Context<'a>,
    machine: Machine,
    /// See [`OrdersOptions::others`].
    others: usize,
    /// See [`OrdersOptions::explain`].
    explain: Option<(String, u32)>,
    start: Instant,
    /// The orders in the text.
    before: Orders,
    /// What the search begins with.
    orders: Orders,
    /// Sites that may get another order.
    free: BTreeSet<Site>,
    /// Fences that are not in the text.
    new: BTreeSet<Site>,
}

/// Looks for the orders that a program needs on all of some models.
///
/// # Errors
/// The program cannot be checked on one of the models, a line that is to be kept has no site, a function does not
/// exist, or a bug of this tool.
pub(super) fn orders(
    session: &ProgramSession,
    models: &[&Model],
    options: &OrdersOptions,
    context: &Context,
) -> Result<OrdersOutcome, Error> {
    let start = Instant::now();
    let mut all = Sites::new(session, models, options, (context, start))?;
    let mut is_repair = false;
    let mut searched = all.search(Direction::Weaker)?;
    if let Searched::NotEnough(_) = searched {
        is_repair = true;
        searched = all.search(Direction::Stronger)?;
    }
    if let (Searched::NotEnough(_), true) = (&searched, options.makes_atomic) {
        all = all.with_atomics()?;
        searched = all.search(Direction::Stronger)?;
    }
    if let Searched::NotEnough(_) = searched {
        all = all.with_fences()?;
        searched = all.search(Direction::Stronger)?;
    }
    let functions = functions(&all.session.lowered().program);
    let own = all.before.iter();
    let own = own.filter(|(site, _)| is_own(context.sources, site));
    let mut found: Vec<FoundSite> = own
        .map(|(site, order)| FoundSite {
            site: *site,
            functions: functions[&site.span].iter().cloned().collect(),
            before: *order,
            chosen: None,
            is_kept: !all.free.contains(site),
            is_new: all.new.contains(site),
            needed: Vec::new(),
        })
        .collect();
    let (mut choices, mut explained, mut others) = (0, Vec::new(), Vec::new());
    let (mut has_all, mut added) = (false, Vec::new());
    let verdict = match searched {
        Searched::Undecided(reason) => OrdersVerdict::Undecided(Undecided::Search(reason)),
        Searched::NotEnough(model) => {
            let strongest = all.open(Direction::Stronger);
            let strongest = strongest.iter().map(|(s, o)| (*s, o[o.len() - 1]));
            let outcome = all.check(&strongest.collect(), models[model])?;
            OrdersVerdict::NotEnough {
                model: models[model].name.clone(),
                outcome: Box::new(outcome),
            }
        }
        Searched::Chosen(cheapest, new) => {
            added = new;
            choices = cheapest.choices;
            has_all = cheapest.has_all;
            let cost = |kind, order| all.machine.cost(kind, order);
            let other = |orders: &Orders| OtherOrders {
                cost: cost_of(orders, &cost),
                differing: differing(&cheapest.orders, orders),
            };
            others = cheapest.others.iter().map(other).collect();
            for site in &mut found {
                site.chosen = cheapest.orders.get(&site.site).copied();
                let needed = cheapest.needed.iter().filter(|n| n.site == site.site);
                let needed = needed.map(|n| NeededOrder {
                    weaker: n.weaker,
                    model: models[n.model].name.clone(),
                    violated: n.violated.clone(),
                });
                site.needed = needed.collect();
            }
            if let Some(line) = &options.explain {
                explained = all.explained(&cheapest, line)?;
            }
            all.verdict(&cheapest.orders, is_repair)?
        }
    };
    // A place for a fence that gets none is nothing to speak of, nor is an access that stays what it is.
    found.retain(|site| {
        let is_fence = site.chosen.is_some_and(|o| o != MemoryOrder::Relaxed);
        let is_atomic = site.chosen.unwrap_or(site.before).is_atomic();
        is_atomic && (!site.is_new || is_fence)
    });
    Ok(OrdersOutcome {
        models: models.iter().map(|m| m.name.clone()).collect(),
        sites: found,
        verdict,
        choices,
        others,
        has_all,
        explained,
        added,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// The formula of a program on a model in which each site's order is a choice among the text's and weaker ones, in DIMACS
/// format; `None` when a limit was exceeded.
///
/// # Errors
/// As of [`orders`].
pub(super) fn formula(
    session: &ProgramSession,
    model: &Model,
    options: &OrdersOptions,
    context: &Context,
) -> Result<Option<String>, Error> {
    let models = [model];
    let all = Sites::new(session, &models, options, (context, Instant::now()))?;
    let open = all.open(Direction::Weaker);
    let weakest = open.iter().map(|(site, orders)| (*site, orders[0]));
    let program = all.session.with_orders(&weakest.collect());
    all.session.has_moments(model, context)?;
    let env = all.env();
    let refused = |e| Error::of_check(context.sources, e);
    let graph = program.unrolled_open(model, &open, context, &env);
    let Ok(graph) = graph.map_err(refused)? else {
        return Ok(None);
    };
    let options = all.session.bmc_options(model, context, false);
    bmc::dimacs(&graph, model, &options, &env).map_err(refused)
}

/// The sites at which other orders differ from those that were chosen, with their orders.
fn differing(chosen: &Orders, others: &Orders) -> Vec<(Site, MemoryOrder)> {
    let all = others
        .iter()
        .filter(|(site, order)| chosen.get(site) != Some(order));
    all.map(|(site, order)| (*site, *order)).collect()
}

/// Whether the text of the program has the site: it is neither in a header of this tool, nor what a function of
/// the library does that is no atomic access.
pub(super) fn is_own(sources: &SourceMap, site: &Site) -> bool {
    let file = sources.file(site.span.file);
    let text = file.text.get(site.span.start as usize..).unwrap_or("");
    let rest = text.trim_start_matches(|c: char| c == '_' || c.is_ascii_alphanumeric());
    let name = &text[..text.len() - rest.len()];
    // An object may have the name of a function whose header is not included.
    let called = rest.trim_start().starts_with('(').then_some(name);
    let header = called
        .and_then(registry::find)
        .map_or("", |(header, _)| header);
    !file.name.starts_with('<') && matches!(header, "" | "stdatomic.h")
}

/// Whether a site begins in a line of a file.
fn stands_in(sources: &SourceMap, site: &Site, (file, line): &(String, u32)) -> bool {
    let span = site.span;
    sources.file(span.file).name == *file && sources.line_col(span.file, span.start).line == *line
}

/// The orders of a text that was changed, in its order, without relaxed fences and what is not atomic.
pub(super) fn orders_after(found: &[FoundSite], edited: &Edited) -> Vec<(SiteKind, MemoryOrder)> {
    let mut orders = Vec::new();
    for site in found {
        let mut by_hand = edited.by_hand.iter();
        let is_changed = !by_hand.any(|(span, _)| *span == site.site.span);
        let order = site.chosen.filter(|_| is_changed).unwrap_or(site.before);
        orders.push((site.site.kind, order));
    }
    orders.retain(|(_, order)| order.is_atomic());
    orders.retain(|(kind, order)| (*kind, *order) != (SiteKind::Fence, MemoryOrder::Relaxed));
    orders
}

/// The orders of a program's own text, likewise.
pub(super) fn orders_of(program: &Program, sources: &SourceMap) -> Vec<(SiteKind, MemoryOrder)> {
    let all = sites(program).into_iter();
    let own = all.filter(|(site, _)| is_own(sources, site));
    let mut orders: Vec<_> = own.map(|(site, order)| (site.kind, order)).collect();
    orders.retain(|(kind, order)| (*kind, *order) != (SiteKind::Fence, MemoryOrder::Relaxed));
    orders
}

/// The sites on lines that are to keep their orders.
fn kept(
    before: &Orders,
    options: &OrdersOptions,
    sources: &SourceMap,
) -> Result<BTreeSet<Site>, Error> {
    let mut kept = BTreeSet::new();
    for place in &options.keep {
        let is_there = |site: &&Site| stands_in(sources, site, place);
        let there: Vec<Site> = before.keys().filter(is_there).copied().collect();
        if there.is_empty() {
            let (file, line) = place;
            let message =
                format!("--keep: there is no access or fence with an order in {file}:{line}");
            return Err(Error::refused(sources, vec![Diag::bare(message)]));
        }
        kept.extend(there);
    }
    Ok(kept)
}

/// By place: the functions that have instructions of it.
fn functions(program: &Program) -> BTreeMap<Span, BTreeSet<String>> {
    let mut found: BTreeMap<Span, BTreeSet<String>> = BTreeMap::new();
    let ids: Vec<ProcId> = program.procs.ids().collect();
    for id in ids {
        let proc = &program.procs[id];
        for instr in &proc.body {
            let names = found.entry(instr.span).or_default();
            names.insert(proc.name.clone());
        }
    }
    found
}

impl<'a> Sites<'a> {
    fn new(
        session: &ProgramSession,
        models: &'a [&'a Model],
        options: &OrdersOptions,
        (context, start): (&'a Context<'a>, Instant),
    ) -> Result<Sites<'a>, Error> {
        let chooses = session.with_choices(models);
        let session = chooses.as_ref().unwrap_or(session);
        let program = &session.lowered().program;
        let sources = context.sources;
        let before = sites(program);
        let kept = kept(&before, options, sources)?;
        let functions = functions(program);
        for name in &options.only {
            if !program.procs.iter().any(|proc| proc.name == *name) {
                let diag = Diag::bare(format!("--only: there is no function `{name}`"));
                return Err(Error::refused(sources, vec![diag]));
            }
        }
        let is_free = |site: &Site| {
            let mut of = functions[&site.span].iter();
            let is_meant = options.only.is_empty() || of.any(|f| options.only.contains(f));
            is_own(sources, site) && is_meant && !kept.contains(site)
        };
        let free: BTreeSet<Site> = before.keys().copied().filter(is_free).collect();
        let first = before
            .iter()
            .map(|(site, order)| match free.contains(site) {
                true if options.from_strongest => (*site, MemoryOrder::SeqCst),
                _ => (*site, *order),
            });
        Ok(Sites {
            session: session.with_program(program.clone()),
            models,
            context,
            machine: options.machine,
            others: options.others,
            explain: options.explain.clone(),
            start,
            orders: first.collect(),
            before,
            free,
            new: BTreeSet::new(),
        })
    }

    /// The same with accesses that are not atomic.
    fn with_atomics(self) -> Result<Sites<'a>, Error> {
        let shared = self.shared()?;
        let plain = plain_sites(&self.session.lowered().program, &shared);
        let own = |(site, _): &(&Site, &MemoryOrder)| is_own(self.context.sources, site);
        let plain: Orders = plain
            .iter()
            .filter(own)
            .map(|(site, order)| (*site, *order))
            .collect();
        let (mut before, mut orders, mut free) = (self.before, self.orders, self.free);
        before.extend(&plain);
        orders.extend(&plain);
        free.extend(plain.into_keys());
        Ok(Sites {
            before,
            orders,
            free,
            ..self
        })
    }

    /// The places of accesses that other threads may see.
    fn shared(&self) -> Result<BTreeSet<Span>, Error> {
        let env = self.env();
        let mut shared = BTreeSet::new();
        for model in self.models {
            let none = OpenOrders::new();
            let graph = self.session.unrolled_open(model, &none, self.context, &env);
            let graph = graph.map_err(|e| Error::of_check(self.context.sources, e))?;
            let events = graph.iter().flat_map(|graph| graph.events.iter());
            let accesses = events.filter(|e| matches!(e.kind, EventKind::Read | EventKind::Write));
            shared.extend(accesses.map(|e| e.span));
        }
        Ok(shared)
    }

    /// The same with places for new fences.
    fn with_fences(self) -> Result<Sites<'a>, Error> {
        let shared = self.shared()?;
        let program = &self.session.lowered().program;
        let behind = fences::places(program, self.context.sources, &shared);
        let session = self.session.with_program(with_fences(program, &behind));
        let kind = SiteKind::Fence;
        let new = behind.into_values().map(|fenced| Site {
            span: fenced.span,
            kind,
        });
        let new: BTreeSet<Site> = new.collect();
        let relaxed = || new.iter().map(|site| (*site, MemoryOrder::Relaxed));
        let (mut before, mut orders, mut free) = (self.before, self.orders, self.free);
        before.extend(relaxed());
        orders.extend(relaxed());
        free.extend(new.iter().copied());
        Ok(Sites {
            session,
            before,
            orders,
            free,
            new,
            ..self
        })
    }

    fn env(&self) -> Env {
        limits::env(self.context.limits, self.start.elapsed().as_secs_f64())
    }

    /// The orders that each site may get, the weakest first.
    fn open(&self, direction: Direction) -> OpenOrders {
        let open = self.orders.iter().map(|(site, now)| {
            let suits = |order: &MemoryOrder| match direction {
                Direction::Weaker => is_at_most(*order, *now),
                Direction::Stronger => is_at_most(*now, *order),
            };
            let own = std::iter::once(*now).filter(|now| !now.is_atomic());
            let all = own.chain(site.kind.orders().iter().copied());
            match self.free.contains(site) {
                true => (*site, all.filter(suits).collect()),
                false => (*site, vec![*now]),
            }
        });
        open.collect()
    }

    fn search(&self, direction: Direction) -> Result<Searched, Error> {
        let open = self.open(direction);
        let weakest = open.iter().map(|(site, orders)| (*site, orders[0]));
        let program = self.session.with_orders(&weakest.collect());
        let env = self.env();
        let refused = |e| Error::of_check(self.context.sources, e);
        let interrupted = |env: &Env| {
            let reason = self.context.limits.passed(env);
            Ok(Searched::Undecided(reason))
        };
        let mut graphs = Vec::new();
        for model in self.models {
            self.session.has_moments(model, self.context)?;
            let graph = program.unrolled_open(model, &open, self.context, &env);
            match graph.map_err(refused)? {
                Ok(graph) => graphs.push(graph),
                Err(error) => {
                    let reason = limits::reason(&error, self.context.limits, &env);
                    return Ok(Searched::Undecided(reason));
                }
            }
        }
        let mut programs = Vec::new();
        for (model, graph) in self.models.iter().zip(&graphs) {
            let options = self.session.bmc_options(model, self.context, false);
            match OpenProgram::new(graph, model, &options, &env).map_err(refused)? {
                Some(program) => programs.push(program),
                None => return interrupted(&env),
            }
        }
        let cost = |kind, order| self.machine.cost(kind, order);
        match search(&mut programs, &open, &cost, self.others).map_err(refused)? {
            Found::Orders(cheapest) => {
                let added = self.added(&mut programs, &cheapest)?;
                Ok(Searched::Chosen(Box::new(cheapest), added))
            }
            Found::NotEnough(model, _) => Ok(Searched::NotEnough(model)),
            Found::Interrupted => interrupted(&env),
        }
    }

    /// What each of the weaker orders in the line that is to be explained allows, the others being as in the text.
    fn added(
        &self,
        programs: &mut [OpenProgram],
        cheapest: &Cheapest,
    ) -> Result<Vec<AddedExecution>, Error> {
        let Some(line) = &self.explain else {
            return Ok(Vec::new());
        };
        let sources = self.context.sources;
        let weakened = |(site, before): &(&Site, &MemoryOrder)| {
            let chosen = cheapest.orders[*site];
            chosen != **before && is_at_most(chosen, **before) && stands_in(sources, site, line)
        };
        let stronger = self.before.iter().filter(weakened);
        let stronger: Orders = stronger.map(|(site, order)| (*site, *order)).collect();
        let mut all = Vec::new();
        for (open, model) in programs.iter_mut().zip(self.models) {
            for (site, before) in &stronger {
                let chosen = cheapest.orders[site];
                let mut weak = self.before.clone();
                weak.insert(*site, chosen);
                let weak = self.session.with_orders(&weak);
                let found = open.added(
                    &self.before,
                    (*site, chosen),
                    (&weak.lowered().program, sources),
                    MOST_ADDED,
                );
                all.push(AddedExecution {
                    site: *site,
                    before: *before,
                    chosen,
                    model: model.name.clone(),
                    added: found.map_err(|e| Error::of_check(sources, e))?,
                });
            }
        }
        Ok(all)
    }

    /// The program with some orders on a model, as any program is checked.
    fn check(&self, orders: &Orders, model: &Model) -> Result<ProgramOutcome, Error> {
        self.session.with_orders(orders).check(model, self.context)
    }

    /// The program with an order in a line one step weaker, for each that is needed.
    fn explained(
        &self,
        cheapest: &Cheapest,
        line: &(String, u32),
    ) -> Result<Vec<ProgramOutcome>, Error> {
        let there = |n: &&Needed| stands_in(self.context.sources, &n.site, line);
        let outcome = |needed: &Needed| {
            let mut weaker = cheapest.orders.clone();
            weaker.insert(needed.site, needed.weaker);
            self.check(&weaker, self.models[needed.model])
        };
        cheapest.needed.iter().filter(there).map(outcome).collect()
    }

    /// Checks what was chosen.
    fn verdict(&self, chosen: &Orders, is_repair: bool) -> Result<OrdersVerdict, Error> {
        let mut outcomes = Vec::new();
        for model in self.models {
            let outcome = self.check(chosen, model)?;
            let name = model.name.clone();
            let reason = match &outcome.result.verdict {
                Verdict::Safe | Verdict::SafeUpToBound(_) => None,
                Verdict::Unsafe(_) => Some(Undecided::Beyond(name)),
                Verdict::Unknown(reason) => Some(Undecided::Check(name, reason.clone())),
            };
            if let Some(reason) = reason {
                return Ok(OrdersVerdict::Undecided(reason));
            }
            outcomes.push(outcome);
        }
        let cost = |kind, order| self.machine.cost(kind, order);
        let before = &self.before;
        Ok(OrdersVerdict::Chosen(Box::new(ChosenOrders {
            is_repair,
            cost: (cost_of(before, &cost), cost_of(chosen, &cost)),
            outcomes,
            edited: Edited::default(),
        })))
    }
}

//! The cheapest memory orders that keep every checked property: an implicit hitting set.
//!
//! The program is unwound once for each model with its sites open ([`ir::sites`]), so that one formula has the
//! executions for every choice of orders, and assumptions say which is meant. A choice is proposed, the cheapest
//! that no known execution refutes (`cheapest.rs`). If an execution violates a property, it is judged again by
//! the model with stronger orders, site by site, as long as it is still allowed and a violation. With all
//! choices that are at most these orders it is one, too: a clause. Otherwise the choice is the answer.
//!
//! This rests on stronger orders forbidding more and racing less, on which the answer does not depend for being
//! right: who asks checks the chosen program by itself.

mod cheapest;

pub use cheapest::{Choice, ChoicePlace, ChoiceStatus, Hit, HittingSet};

use super::bmc::{CheckError, CheckOptions, Env, analyse, encoding, with_queries};
use super::consistent::Consistent;
use super::decode::{Mismatch, Run};
use super::goals::{Goals, goals};
use super::outcome::Trace;
use super::task::CheckTask;
use super::violation::{first_related, harmless, is_robust};
use crate::encode::Encoding;
use crate::unroll::event::{EventGraph, EventId};
use base::source::{SourceMap, Span};
use cat::eval::Evaluator;
use cat::model::Model;
use ir::program::{MemoryOrder, Program, PropertyKind};
use ir::sites::{OpenOrders, Site, SiteKind, is_at_most, one_step_weaker};
use smt::sat::cnf::Lit;
use smt::sat::{Cadical, SatResult, Solver};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

/// An order for each site.
pub type Orders = BTreeMap<Site, MemoryOrder>;

/// What an order costs at a site of a kind.
pub type Cost<'a> = &'a dyn Fn(SiteKind, MemoryOrder) -> u32;

/// What orders cost together.
pub fn cost_of(orders: &Orders, cost: Cost) -> u32 {
    orders.iter().map(|(s, o)| cost(s.kind, *o)).sum()
}

/// A program on one model, with its sites open.
pub struct OpenProgram<'a> {
    graph: &'a EventGraph,
    model: Cow<'a, Model>,
    encoding: Encoding,
    goals: Goals,
    solver: Consistent,
    /// How many executions are left out of the formula.
    left_out: usize,
}

/// The cheapest orders.
#[derive(Clone, Debug)]
pub struct Cheapest {
    /// An order for each site.
    pub orders: Orders,
    /// Other choices of which no order can be weaker, where they were wanted; the cheapest first.
    pub others: Vec<Orders>,
    /// There are no more of these, up to the bounds of loops.
    pub has_all: bool,
    /// How many choices were looked at.
    pub choices: usize,
    /// Why each order has to be as strong as it is.
    pub needed: Vec<Needed>,
}

/// A site that may not have a weaker order than it has.
#[derive(Clone, Debug)]
pub struct Needed {
    /// The site.
    pub site: Site,
    /// An order one step weaker than that which was chosen.
    pub weaker: MemoryOrder,
    /// The model, by its position, on which a property is violated then.
    pub model: usize,
    /// What is violated.
    pub violated: ViolatedThere,
}

/// What an execution violates.
#[derive(Clone, Debug)]
pub struct ViolatedThere {
    /// The kind of property.
    pub kind: PropertyKind,
    /// The property in words; of a race, or of an access to what does not exist, the variable.
    pub what: String,
    /// The places that it is about.
    pub places: Vec<Span>,
}

/// What a weaker order at a site allows that the stronger one does not, up to the bounds of loops.
#[derive(Clone, Debug)]
pub enum Added {
    /// An execution that violates nothing.
    Execution(Box<Trace>),
    /// No execution: the program does the same with either, in so many executions.
    Nothing(usize),
    /// Not known: none of so many executions.
    Unknown(usize),
}

/// What the search has come to.
#[derive(Clone, Debug)]
pub enum Found {
    /// Orders that keep every property, up to the bounds of loops.
    Orders(Cheapest),
    /// With the strongest orders a property of this kind is violated on the model at this position.
    NotEnough(usize, PropertyKind),
    /// A limit was passed.
    Interrupted,
}

enum ChoiceAnswer<'a> {
    Holds,
    Violated(Box<Run<'a>>, PropertyKind),
    Interrupted,
}

impl<'a> OpenProgram<'a> {
    /// Encodes a graph with open sites; `None` when a limit was passed.
    ///
    /// # Errors
    /// See [`CheckError`].
    pub fn new(
        graph: &'a EventGraph,
        model: &'a Model,
        options: &CheckOptions,
        env: &Env,
    ) -> Result<Option<OpenProgram<'a>>, CheckError> {
        let model = with_queries(model, graph, &options.checks);
        let stop = Rc::new(env.interrupt());
        let Some(analysis) = analyse(graph, &model, &*stop)? else {
            return Ok(None);
        };
        let (order, reductions) = (options.order, options.reductions);
        let Some(mut encoding) = encoding(&analysis, order, reductions, &options.checks, &*stop)?
        else {
            return Ok(None);
        };
        drop(analysis);
        let axioms = encoding.lazy.take();
        let mut solver = Consistent::new(Cadical::new(stop.clone()), axioms, stop);
        let goals = goals(graph, &options.checks, &mut encoding);
        solver.add(&encoding.cnf.flat);
        encoding.cnf.flat = Vec::new();
        Ok(Some(OpenProgram {
            graph,
            model,
            encoding,
            goals,
            solver,
            left_out: 0,
        }))
    }

    /// Literals that say which orders sites have.
    fn assumed(&self, orders: &Orders) -> Vec<Lit> {
        let mut assumed = Vec::new();
        for (site, ways) in &self.graph.open_orders {
            for (order, when) in ways {
                // What the formula does not mention makes no difference on this model.
                let known = self.encoding.blaster.known(*when);
                if let Some([lit]) = known.map(|bits| &bits[..]) {
                    assumed.push(if orders[site] == *order { *lit } else { !*lit });
                }
            }
        }
        assumed
    }

    /// Whether a property is violated with these orders.
    fn ask(&mut self, orders: &Orders) -> Result<ChoiceAnswer<'a>, CheckError> {
        let assumed = self.assumed(orders);
        let queries = self.goals.kinds.iter();
        let queries: Vec<_> = queries
            .map(|goal| (goal.kind, goal.violated, goal.excluded))
            .collect();
        for (kind, violated, excluded) in queries {
            if violated == Lit::FALSE {
                continue;
            }
            let mut query = assumed.clone();
            query.extend([violated, !excluded]);
            let mut answer = self.solver.solve(&query);
            let mut unresolved = self.encoding.unresolved.iter();
            if answer == SatResult::Sat && unresolved.any(|u| self.solver.holds(*u)) {
                query.push(!self.goals.unresolved);
                answer = self.solver.solve(&query);
            }
            match answer {
                SatResult::Unsat => {}
                SatResult::Interrupted => return Ok(ChoiceAnswer::Interrupted),
                SatResult::Sat => {
                    let values = self.solver.values(self.encoding.cnf.num_vars());
                    let value = |l: Lit| values[l.var() as usize] == (l.0 > 0);
                    let run = Run::new(self.graph, &self.encoding, &value);
                    // Of the orders that the formula does not mention the solver says nothing.
                    let run = run.and_then(|run| run.with_orders(orders));
                    let run = run.map_err(internal)?;
                    if !self.allows(&run, kind).map_err(internal)? {
                        let text = "the execution found is not one of the chosen orders";
                        return Err(CheckError::Internal(text.to_string()));
                    }
                    return Ok(ChoiceAnswer::Violated(Box::new(run), kind));
                }
            }
        }
        Ok(ChoiceAnswer::Holds)
    }

    /// What one weaker order allows that these orders do not: an execution to its end that violates nothing, among so many. Executions
    /// that the orders allow are left out of the formula from here on.
    ///
    /// # Errors
    /// See [`CheckError`].
    pub fn added(
        &mut self,
        orders: &Orders,
        (site, weaker): (Site, MemoryOrder),
        (program, sources): (&Program, &SourceMap),
        most: usize,
    ) -> Result<Added, CheckError> {
        let mut weak = orders.clone();
        weak.insert(site, weaker);
        let mut assumed = self.assumed(&weak);
        let goals = &self.goals;
        assumed.extend([!goals.bound_reached, !goals.unresolved, !goals.undefined]);
        assumed.extend(goals.kinds.iter().map(|goal| !goal.violated));
        for seen in 0..most {
            match self.solver.solve(&assumed) {
                SatResult::Sat => {}
                SatResult::Unsat => return Ok(Added::Nothing(self.left_out)),
                SatResult::Interrupted => return Ok(Added::Unknown(seen)),
            }
            let values = self.solver.values(self.encoding.cnf.num_vars());
            let value = |l: Lit| values[l.var() as usize] == (l.0 > 0);
            let run = Run::new(self.graph, &self.encoding, &value);
            let run = run.and_then(|run| run.with_orders(&weak));
            let run = run.map_err(internal)?;
            let mut threads = self.graph.threads.iter();
            let is_whole = threads.all(|t| !run.holds(t.guard) || run.holds(t.ended));
            let strong = run.with_orders(orders).map_err(internal)?;
            let evaluator = Evaluator::new(&self.model);
            if is_whole && strong.validate(&evaluator).is_err() {
                let task = CheckTask {
                    program,
                    graph: self.graph,
                    model: &self.model,
                    sources,
                };
                return Ok(Added::Execution(Box::new(harmless(&task, &run)?)));
            }
            let relations = self.encoding.rf.iter().chain(&self.encoding.co);
            let held = relations.filter(|(_, lit)| value(**lit));
            let other: Vec<Lit> = held.map(|(_, lit)| !*lit).collect();
            self.solver.add(&flat(&other));
            self.left_out += 1;
        }
        Ok(Added::Unknown(most))
    }

    /// Whether the model allows an execution, and it violates a property of a kind.
    fn allows(&self, run: &Run, kind: PropertyKind) -> Result<bool, Mismatch> {
        let Ok(execution) = run.validate(&Evaluator::new(&self.model)) else {
            return Ok(false);
        };
        let is_related = |run: &Run, kind: PropertyKind| {
            first_related(run, &self.model, &execution, kind).is_some()
        };
        Ok(match kind {
            PropertyKind::Race => is_related(run, kind),
            PropertyKind::Memory => run.violates(kind) || is_related(run, kind),
            PropertyKind::Robust => is_robust(&self.model, &execution) == Some(false),
            // The values that are read say so.
            _ => true,
        })
    }

    /// What an execution violates.
    fn violated(&self, run: &Run, kind: PropertyKind) -> Result<ViolatedThere, Mismatch> {
        let graph = self.graph;
        let mut checks = graph.checks.iter();
        let check =
            checks.find(|c| c.property.kind == kind && run.holds(c.guard) && !run.holds(c.cond));
        if let Some(check) = check {
            return Ok(ViolatedThere {
                kind,
                what: check.property.text.clone(),
                places: vec![check.span],
            });
        }
        let execution = run.validate(&Evaluator::new(&self.model))?;
        let pair = first_related(run, &self.model, &execution, kind);
        let pair: Vec<EventId> = pair.into_iter().flatten().collect();
        let addr = pair.first().and_then(|e| run.addr.get(e));
        let cell = graph.cells.iter().find(|cell| Some(&cell.addr) == addr);
        Ok(ViolatedThere {
            kind,
            what: cell.map_or(String::new(), |cell| cell.name.clone()),
            places: pair.iter().map(|e| graph.events[*e].span).collect(),
        })
    }

    /// Orders that are as strong as possible with an execution still a violation.
    fn strengthened(
        &self,
        (run, kind): (&Run, PropertyKind),
        sites: &OpenOrders,
        orders: &Orders,
    ) -> Result<Orders, CheckError> {
        let mut strong = orders.clone();
        for (site, all) in sites {
            let now = strong[site];
            let stronger = all.iter().rev().filter(|o| is_at_most(now, **o));
            for order in stronger {
                strong.insert(*site, *order);
                let other = run.with_orders(&strong).map_err(internal)?;
                if *order == now || self.allows(&other, kind).map_err(internal)? {
                    break;
                }
            }
        }
        Ok(strong)
    }
}

/// A clause as solvers take it.
fn flat(clause: &[Lit]) -> Vec<i32> {
    clause.iter().map(|l| l.0).chain([0]).collect()
}

fn internal(mismatch: Mismatch) -> CheckError {
    CheckError::Internal(mismatch.0)
}

/// The cheapest orders of these with which no property is violated on any of the models, and so many others of which
/// none can be weaker.
///
/// # Errors
/// See [`CheckError`].
pub fn search(
    programs: &mut [OpenProgram],
    sites: &OpenOrders,
    cost: Cost,
    others: usize,
) -> Result<Found, CheckError> {
    let places: Vec<ChoicePlace> = sites
        .iter()
        .map(|(site, orders)| {
            let costs = orders.iter().map(|order| cost(site.kind, *order));
            ChoicePlace::new(costs.collect(), |a, b| is_at_most(orders[a], orders[b]))
        })
        .collect();
    let orders = |choice: &Choice| -> Orders {
        let all = sites.iter().zip(choice);
        all.map(|((site, orders), way)| (*site, orders[*way]))
            .collect()
    };
    let choice = |chosen: &Orders| -> Choice {
        let way = |(site, orders): (&Site, &Vec<MemoryOrder>)| {
            let mut ways = orders.iter();
            ways.position(|order| *order == chosen[site]).unwrap_or(0)
        };
        sites.iter().map(way).collect()
    };
    let ask = |programs: &mut [OpenProgram], proposed: &Choice| {
        let (proposed, mut refuting) = (orders(proposed), Vec::new());
        for program in programs.iter_mut() {
            match program.ask(&proposed)? {
                ChoiceAnswer::Holds => {}
                ChoiceAnswer::Interrupted => return Ok(ChoiceStatus::Interrupted),
                ChoiceAnswer::Violated(run, kind) => {
                    let strong = program.strengthened((&run, kind), sites, &proposed)?;
                    refuting.push(choice(&strong));
                }
            }
        }
        Ok(match refuting.is_empty() {
            true => ChoiceStatus::Holds,
            false => ChoiceStatus::Refuted(refuting),
        })
    };
    let mut known = HittingSet::default();
    let chosen = match known.next(&places, |choice| ask(programs, choice))? {
        Hit::Choice(choice) => orders(&choice),
        Hit::Nothing => return not_enough(programs, sites),
        Hit::Interrupted => return Ok(Found::Interrupted),
    };
    let choices = known.choices;
    let (mut minimal, mut has_all) = (Vec::new(), false);
    while !has_all && minimal.len() < others {
        match known.next(&places, |choice| ask(programs, choice))? {
            Hit::Choice(choice) => minimal.push(orders(&choice)),
            Hit::Nothing => has_all = true,
            Hit::Interrupted => break,
        }
    }
    let mut needed = Vec::new();
    for (site, order) in &chosen {
        for weaker in one_step_weaker(&sites[site], *order) {
            let mut less = chosen.clone();
            less.insert(*site, weaker);
            for (model, program) in programs.iter_mut().enumerate() {
                match program.ask(&less)? {
                    ChoiceAnswer::Holds => {}
                    ChoiceAnswer::Interrupted => return Ok(Found::Interrupted),
                    ChoiceAnswer::Violated(run, kind) => {
                        let violated = program.violated(&run, kind).map_err(internal)?;
                        needed.push(Needed {
                            site: *site,
                            weaker,
                            model,
                            violated,
                        });
                        break;
                    }
                }
            }
        }
    }
    Ok(Found::Orders(Cheapest {
        orders: chosen,
        others: minimal,
        has_all,
        choices,
        needed,
    }))
}

/// With the strongest orders a property is violated.
fn not_enough(programs: &mut [OpenProgram], sites: &OpenOrders) -> Result<Found, CheckError> {
    let strongest = sites.iter().map(|(site, all)| (*site, all[all.len() - 1]));
    let strongest: Orders = strongest.collect();
    for (model, program) in programs.iter_mut().enumerate() {
        match program.ask(&strongest)? {
            ChoiceAnswer::Holds => {}
            ChoiceAnswer::Interrupted => return Ok(Found::Interrupted),
            ChoiceAnswer::Violated(_, kind) => return Ok(Found::NotEnough(model, kind)),
        }
    }
    let text = "no orders keep the properties, and the strongest ones do";
    Err(CheckError::Internal(text.to_string()))
}

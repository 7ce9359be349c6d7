//! Proofs that anyone can check.
//!
//! A bounded check that finds nothing says that no execution of an event graph that a memory model
//! allows does something. Its proof is a bundle ([`bundle`]): the graph and the query, the text of the
//! model, and a proof by a SAT solver that a formula has no satisfying assignment. This module reads such
//! bundles and says whether they prove what they say. It writes them, too, but for the solver's part.
//!
//! **What has to be believed** by whoever takes a bundle for a proof:
//!
//! 1. *The graph is the program's.* The front end, lowering and unrolling have made it ([`graph`] says what
//!    is in it), and the table of the machine has given events their sets of the model. This module sees
//!    no program; `check-proof --program` makes the graph again and compares random executions of it with
//!    what an interpreter of the program does (`check::walk`).
//! 2. *The text of the model is read right*: `cat::syntax` and `cat::compile`, which turn it into a graph of
//!    relations and axioms.
//! 3. *This module*: that the clauses of [`formula`] are true of every execution that the model allows,
//!    and that the checker of the solver's proof ([`lrat`]) is right. The solver is not believed, nor is
//!    anything of the search: encoding, reductions, orders, lazily learnt cycles. Nothing here uses them
//!    (kept by a test).
//!
//! **Why the formula is right.** A variable says something of an execution: a bit of a value, that one
//! event reads from another, that one write is before another in coherence, that a relation of the model
//! has a pair, that an event is before another in some total order that an acyclic relation agrees with.
//! Each clause is an instance of a sentence that is true of every execution the model allows ([`gates::Rule`]
//! lists them), or defines a gate. So an execution that does what the query asks for gives a satisfying
//! assignment; there is none, so there is no such execution. The converse is not needed: to leave a clause
//! out, or to take a pair for possible that is not, only makes a proof harder to find. That is why choices
//! of which circles of an order are written down, or which axiom has the edges of another one, need no
//! justification.
//!
//! Files in the order in which one reads them: [`graph`], [`gates`] and `words` (what terms compute),
//! `facts` and `estimates` (which pairs may be related, which must), `sections`, `counters` and `values` (what reads may
//! return), `relations`, `axioms`, `order`, `counting`, `query`, [`learnt`] (reasons in place of axioms that are
//! large), [`formula`], [`lrat`], [`bundle`], [`directory`]. How reasons are found ([`learning`]) need not be believed.
#![forbid(unsafe_code)]
#![warn(missing_docs)]
// The heads of files are for readers of the code, too, and link to private neighbours.
#![allow(rustdoc::private_intra_doc_links)]

mod axioms;
pub mod bundle;
mod counters;
mod counting;
pub mod directory;
mod estimates;
mod facts;
pub mod formula;
pub mod gates;
pub mod graph;
pub mod learning;
pub mod learnt;
pub mod lrat;
mod order;
mod query;
mod relations;
mod sections;
mod values;
mod words;

//! Which fences, orders and dependencies a litmus test needs so that its condition cannot hold.
//!
//! A choice makes another text, which is read and asked like any test. One that allows the condition is made stronger,
//! place by place, as long as it still does; with all choices that are at most that one it is refuted.

use super::{ChangedFile, OrdersOptions};
use crate::check::orders::{Choice, ChoicePlace, ChoiceStatus, Hit, HittingSet};
use crate::check::outcome::UnknownReason;
use crate::driver::error::Error;
use crate::driver::input::Input;
use crate::driver::limits::Limits;
use crate::driver::litmus::LitmusSession;
use crate::driver::options::LitmusOptions;
use crate::driver::outcome::LitmusOutcome;
use crate::front;
use crate::front::litmus::ast;
use crate::strengthen::{OrderingPlace, PlaceKind, Strengthening};
use base::diag::Diag;
use base::source::{SourceMap, Span};
use cat::model::Model;
use ir::litmus::Quantifier;
use std::time::Instant;

/// What was found for a test on some models.
#[non_exhaustive]
pub struct LitmusOrders {
    /// The models, by their short names.
    pub models: Vec<String>,
    /// What is not to hold.
    pub condition: String,
    /// The places, in the order of the text.
    pub places: Vec<FoundPlace>,
    /// The answer.
    pub verdict: LitmusOrdersVerdict,
    /// How many choices were looked at.
    pub choices: usize,
    /// The test with one place weaker, for each that is needed in the line that is to be explained.
    pub explained: Vec<Explained>,
    /// Seconds of all.
    pub seconds: f64,
}

/// The answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LitmusOrdersVerdict {
    /// So the condition does not hold in any execution.
    Chosen(ChosenPlaces),
    /// With everything that orders it still holds in one, on a model.
    NotEnough(String),
    /// A model has no answer.
    Undecided(String, UnknownReason),
}

/// A choice with which the condition does not hold.
#[derive(Clone, Debug)]
pub struct ChosenPlaces {
    /// The condition holds in the test as it is.
    pub is_repair: bool,
    /// Loops were unwound so far as bounds say.
    pub is_bounded: bool,
    /// A way for each place of [`Strengthening`].
    pub choice: Choice,
    /// What the test's places cost, and what the chosen ones do, in thousandths of a weight.
    pub cost: (u32, u32),
    /// The test with them, where it is another one.
    pub file: Option<ChangedFile>,
}

/// A place and what was found of it.
#[derive(Clone, Debug)]
pub struct FoundPlace {
    /// The instruction or the call; of a new one the access before it.
    pub span: Span,
    /// What stands there.
    pub kind: PlaceKind,
    /// The thread: `P0`.
    pub thread: String,
    /// The instruction or the call as it is; empty where there is none.
    pub before: String,
    /// What was chosen for it.
    pub chosen: Option<String>,
    /// It was to stay what it is.
    pub is_kept: bool,
    /// A dependency was chosen for it.
    pub is_dependency: bool,
    /// What is weaker by one step, with a model on which the condition holds then.
    pub needed: Vec<(String, String)>,
}

/// A test that is weaker than the chosen one.
pub struct Explained {
    /// The test.
    pub session: LitmusSession,
    /// Its text.
    pub sources: SourceMap,
    /// What the model says of it.
    pub outcome: LitmusOutcome,
}

/// A test and its places, some of them open.
struct Places<'a> {
    name: &'a str,
    strengthening: &'a Strengthening<'a>,
    models: &'a [&'a Model],
    options: LitmusOptions,
    limits: Limits,
    start: Instant,
    /// Of each place, the ways that it may have.
    open: Vec<Vec<usize>>,
}

/// What is known of a choice.
enum PlacesAnswer {
    /// In no execution that was looked at.
    Forbidden {
        is_bounded: bool,
    },
    /// On the model at this position.
    Allowed(usize),
    Undecided(usize, UnknownReason),
}

/// Looks for the places that a test needs on all of some models.
///
/// # Errors
/// A model cannot be used with the test, a line that is to be kept has no place, or a bug of this tool.
pub(in crate::driver) fn orders(
    session: &LitmusSession,
    sources: &SourceMap,
    models: &[&Model],
    options: (&OrdersOptions, &LitmusOptions),
    limits: Limits,
) -> Result<LitmusOrders, Error> {
    let start = Instant::now();
    let (options, litmus) = options;
    let file = session.test.final_condition.span.file;
    let (name, text) = (&sources.file(file).name, &sources.file(file).text);
    let syntax = front::litmus::parse_file(sources, file);
    let syntax = syntax.map_err(|diags| Error::refused(sources, diags))?;
    let machine = syntax.machine;
    if matches!(machine, ast::Machine::X86_64 | ast::Machine::Arm) {
        let span = session.test.final_condition.span;
        let what = &session.test.machine;
        let message = format!("places for fences in a test for {what} are not supported");
        return Err(Error::refused(
            sources,
            vec![Diag::unsupported(span, message)],
        ));
    }
    let strengthening = Strengthening::new(&syntax, text, options.machine);
    let places = strengthening.places();
    let request = PlacesRequest {
        options,
        name,
        sources,
    };
    request.refuse_what_is_not_there(places)?;
    let before: Choice = places.iter().map(|place| place.now).collect();
    let first_choice: Choice = places
        .iter()
        .map(
            |place| match options.from_strongest && !request.keeps(place) {
                true if place.kind != PlaceKind::New => place.ways.len() - 1,
                _ => place.now,
            },
        )
        .collect();
    let mut all = Places {
        name,
        strengthening: &strengthening,
        models,
        options: LitmusOptions {
            details: false,
            ..litmus.clone()
        },
        limits,
        start,
        open: Vec::new(),
    };
    let first = all.ask(&first_choice)?;
    let is_repair = matches!(first, PlacesAnswer::Allowed(_));
    let ways = |(place, now): (&OrderingPlace, &usize)| -> Vec<usize> {
        let ordered = |way: usize| place.ways[way].ordered;
        let suits = |way: &usize| match (request.keeps(place), is_repair) {
            (true, _) => way == now,
            (_, true) => ordered(*now).is_at_most(ordered(*way)),
            (_, false) => ordered(*way).is_at_most(ordered(*now)),
        };
        (0..place.ways.len()).filter(suits).collect()
    };
    all.open = places.iter().zip(&first_choice).map(ways).collect();
    let (searched, choices) = match first {
        PlacesAnswer::Undecided(model, reason) => (Searched::Undecided(model, reason), 1),
        PlacesAnswer::Forbidden { .. } | PlacesAnswer::Allowed(_) => all.search()?,
    };
    let mut found: Vec<FoundPlace> = places.iter().map(|place| request.found(place)).collect();
    let mut explained = Vec::new();
    let verdict = match searched {
        Searched::Undecided(model, reason) => {
            LitmusOrdersVerdict::Undecided(models[model].name.clone(), reason)
        }
        Searched::NotEnough(model) => LitmusOrdersVerdict::NotEnough(models[model].name.clone()),
        Searched::Choice { choice, is_bounded } => {
            for (at, place) in places.iter().enumerate() {
                let way = &place.ways[choice[at]];
                found[at].chosen = Some(way.text.clone());
                found[at].is_dependency = way.is_dependency();
                for weaker in all.one_step_weaker(at, &choice) {
                    let PlacesAnswer::Allowed(model) = all.ask(&weaker)? else {
                        continue;
                    };
                    let text = place.ways[weaker[at]].text.clone();
                    found[at].needed.push((text, models[model].name.clone()));
                    let mut meant = options.explain.iter();
                    if meant.any(|line| request.stands_in(place, line)) {
                        explained.push(all.explained(&weaker, models[model])?);
                    }
                }
            }
            let after = strengthening.text(&choice);
            LitmusOrdersVerdict::Chosen(ChosenPlaces {
                is_repair,
                is_bounded,
                cost: (all.cost(&before), all.cost(&choice)),
                file: (after != *text).then(|| ChangedFile::new(name, text, after)),
                choice,
            })
        }
    };
    found.retain(|place| {
        let is_something = |text: &String| !text.is_empty();
        place.kind != PlaceKind::New || place.chosen.as_ref().is_some_and(is_something)
    });
    let condition = &session.test.final_condition;
    let claim = match condition.quantifier {
        Quantifier::Forall => format!("~{}", condition.text),
        _ => condition.text.clone(),
    };
    Ok(LitmusOrders {
        models: models.iter().map(|m| m.name.clone()).collect(),
        condition: claim,
        places: found,
        verdict,
        choices,
        explained,
        seconds: start.elapsed().as_secs_f64(),
    })
}

fn thread(place: &OrderingPlace) -> String {
    format!("P{}", place.thread)
}

/// What is wanted of which places.
struct PlacesRequest<'a> {
    options: &'a OrdersOptions,
    /// The file.
    name: &'a str,
    sources: &'a SourceMap,
}

impl PlacesRequest<'_> {
    /// Whether a place is in a line of a file.
    fn stands_in(&self, place: &OrderingPlace, (file, line): &(String, u32)) -> bool {
        let span = place.span;
        *file == self.name && self.sources.line_col(span.file, span.start).line == *line
    }

    /// Whether a place is to stay what it is.
    fn keeps(&self, place: &OrderingPlace) -> bool {
        let OrdersOptions { only, keep, .. } = self.options;
        let is_meant = only.is_empty() || only.contains(&thread(place));
        let mut lines = keep.iter();
        let is_new = place.kind == PlaceKind::New;
        !is_meant || !is_new && lines.any(|line| self.stands_in(place, line))
    }

    /// # Errors
    /// A line that is to be kept has no place, or a thread does not exist.
    fn refuse_what_is_not_there(&self, places: &[OrderingPlace]) -> Result<(), Error> {
        let refused =
            |message: String| Err(Error::refused(self.sources, vec![Diag::bare(message)]));
        for line in &self.options.keep {
            if !places.iter().any(|place| self.stands_in(place, line)) {
                let (f, l) = line;
                return refused(format!(
                    "--keep: there is no access or fence with an order in {f}:{l}"
                ));
            }
        }
        for only in &self.options.only {
            if !places.iter().any(|place| thread(place) == *only) {
                return refused(format!("--only: there is no thread `{only}` with an order"));
            }
        }
        Ok(())
    }

    /// A place before anything is chosen for it.
    fn found(&self, place: &OrderingPlace) -> FoundPlace {
        FoundPlace {
            span: place.span,
            kind: place.kind,
            thread: thread(place),
            before: place.ways[place.now].text.clone(),
            chosen: None,
            is_kept: self.keeps(place),
            is_dependency: false,
            needed: Vec::new(),
        }
    }
}

/// What the search has come to.
enum Searched {
    Choice { choice: Choice, is_bounded: bool },
    NotEnough(usize),
    Undecided(usize, UnknownReason),
}

impl Places<'_> {
    /// The test with a choice.
    fn read(&self, choice: &Choice) -> Result<(LitmusSession, SourceMap), Error> {
        let mut sources = SourceMap::default();
        let text = self.strengthening.text(choice);
        let input = Input::text(self.name, text);
        let session = LitmusSession::read(&mut sources, &input, &self.options)?;
        Ok((session, sources))
    }

    /// What is left of the limits.
    fn limits(&self) -> Limits {
        let passed = self.start.elapsed().as_secs_f64();
        Limits {
            timeout: self.limits.timeout.map(|s| (s - passed).max(0.0)),
            ..self.limits
        }
    }

    /// Whether the condition holds in an execution of the test with a choice.
    fn ask(&self, choice: &Choice) -> Result<PlacesAnswer, Error> {
        let (session, sources) = self.read(choice)?;
        let quantifier = session.test.final_condition.quantifier;
        let mut is_bounded = false;
        for (at, model) in self.models.iter().enumerate() {
            let outcome = session.check(model, &sources, &self.options, self.limits())?;
            for (finding, _) in outcome.answers {
                let is_reached = match quantifier {
                    Quantifier::Forall => finding.fails,
                    Quantifier::Exists | Quantifier::NotExists => finding.holds,
                };
                if is_reached {
                    return Ok(PlacesAnswer::Allowed(at));
                }
                if let Some(reason) = finding.unknown {
                    return Ok(PlacesAnswer::Undecided(at, reason));
                }
                is_bounded |= !finding.loops_at_bound.is_empty();
            }
        }
        Ok(PlacesAnswer::Forbidden { is_bounded })
    }

    /// The places with their open ways.
    fn open_places(&self) -> Vec<ChoicePlace> {
        let places = self.strengthening.places().iter().zip(&self.open);
        places
            .map(|(place, open)| {
                let way = |at: usize| &place.ways[open[at]];
                let costs = (0..open.len()).map(|at| way(at).cost).collect();
                ChoicePlace::new(costs, |a, b| way(a).ordered.is_at_most(way(b).ordered))
            })
            .collect()
    }

    fn cost(&self, choice: &Choice) -> u32 {
        let ways = self.strengthening.places().iter().zip(choice);
        ways.map(|(place, way)| place.ways[*way].cost).sum()
    }

    /// The choice of ways that a choice of open ones is.
    fn closed(&self, choice: &Choice) -> Choice {
        let all = self.open.iter().zip(choice);
        all.map(|(ways, at)| ways[*at]).collect()
    }

    fn search(&self) -> Result<(Searched, usize), Error> {
        let places = self.open_places();
        let mut last = None;
        let mut known = HittingSet::default();
        let hit = known.next(&places, |choice| -> Result<ChoiceStatus, Error> {
            let answer = self.ask(&self.closed(choice))?;
            let status = match answer {
                PlacesAnswer::Forbidden { .. } => ChoiceStatus::Holds,
                PlacesAnswer::Undecided(..) => ChoiceStatus::Interrupted,
                PlacesAnswer::Allowed(_) => {
                    ChoiceStatus::Refuted(vec![self.strengthened(&places, choice)?])
                }
            };
            last = Some(answer);
            Ok(status)
        })?;
        let searched = match (hit, last) {
            (Hit::Choice(choice), Some(PlacesAnswer::Forbidden { is_bounded })) => {
                let choice = self.closed(&choice);
                Searched::Choice { choice, is_bounded }
            }
            (_, Some(PlacesAnswer::Undecided(model, reason))) => Searched::Undecided(model, reason),
            (_, Some(PlacesAnswer::Allowed(model))) => Searched::NotEnough(model),
            _ => return Err(Error::Internal("a search has no last answer".to_string())),
        };
        Ok((searched, known.choices))
    }

    /// A choice that is as strong as possible with the condition still holding in an execution.
    fn strengthened(&self, places: &[ChoicePlace], choice: &Choice) -> Result<Choice, Error> {
        let mut strong = choice.clone();
        for (at, place) in places.iter().enumerate() {
            let now = strong[at];
            let stronger = (0..place.ways()).rev();
            for way in stronger.filter(|way| *way != now && place.is_at_most(now, *way)) {
                strong[at] = way;
                if let PlacesAnswer::Allowed(_) = self.ask(&self.closed(&strong))? {
                    break;
                }
                strong[at] = now;
            }
        }
        Ok(strong)
    }

    /// The choices with one place one step weaker.
    fn one_step_weaker(&self, at: usize, choice: &Choice) -> Vec<Choice> {
        let places = self.open_places();
        let mut open = self.open[at].iter();
        let Some(now) = open.position(|way| *way == choice[at]) else {
            return Vec::new();
        };
        let weaker = places[at].one_step_weaker(now).into_iter();
        weaker
            .map(|way| {
                let mut weaker = choice.clone();
                weaker[at] = self.open[at][way];
                weaker
            })
            .collect()
    }

    /// The test with a choice, with an execution.
    fn explained(&self, choice: &Choice, model: &Model) -> Result<Explained, Error> {
        let (session, sources) = self.read(choice)?;
        let options = LitmusOptions {
            details: true,
            ..self.options.clone()
        };
        let outcome = session.check(model, &sources, &options, self.limits())?;
        Ok(Explained {
            session,
            sources,
            outcome,
        })
    }
}

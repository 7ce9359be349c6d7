//! A bundle on disk: its files are read and checked.

use super::bundle::{self, BundleError, Checked, Claim, Parts};
use super::graph::{Graph, Query};
use super::learnt::Learnt;
use base::source::SourceMap;
use cat::model::Model;
use flate2::read::GzDecoder;
use serde::de::DeserializeOwned;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Component, Path};

/// A proof that has been checked, and what it is about.
pub struct Proof {
    /// How large it is.
    pub checked: Checked,
    /// What it says it is a proof of.
    pub claim: Claim,
    /// The event graph.
    pub graph: Graph,
    /// The model.
    pub model: Model,
}

/// Checks the bundle in a directory.
///
/// # Errors
/// Why it proves nothing; that the formula is too large where `stop`, which is told its clauses, says so.
pub fn check(directory: &Path, stop: &dyn Fn(usize) -> bool) -> Result<Proof, BundleError> {
    let unreadable = |file: &'static str, why: String| BundleError::Unreadable {
        file,
        error: io::Error::other(why),
    };
    let claim: Claim = json(directory, bundle::CLAIM)?;
    if claim.version != bundle::VERSION {
        let why = format!("form {} is not known", claim.version);
        return Err(unreadable(bundle::CLAIM, why));
    }
    let graph: Graph = json(directory, bundle::GRAPH)?;
    let learnt: Learnt = json(directory, bundle::LEARNT)?;
    let mut parts = Path::new(&claim.model).components();
    if !parts.all(|part| matches!(part, Component::Normal(_))) {
        let why = format!("the model `{}` is not in the bundle", claim.model);
        return Err(unreadable(bundle::CLAIM, why));
    }
    let mut sources = SourceMap::default();
    let path = directory.join(bundle::MODEL).join(&claim.model);
    let model = cat::load(&mut sources, &path).map_err(|diags| {
        let first = diags.first().map(|d| d.message.clone());
        unreadable(bundle::MODEL, first.unwrap_or_default())
    })?;
    let parts = Parts {
        graph: &graph,
        model: &model,
        learnt: &learnt,
        formula: &mut unpacked(directory, bundle::FORMULA)?,
        rules: &mut unpacked(directory, bundle::RULES)?,
        proof: &mut unpacked(directory, bundle::PROOF)?,
    };
    let checked = bundle::check(parts, stop)?;
    Ok(Proof {
        checked,
        claim,
        graph,
        model,
    })
}

fn json<T: DeserializeOwned>(directory: &Path, file: &'static str) -> Result<T, BundleError> {
    let text = std::fs::read_to_string(directory.join(file));
    let value = text.and_then(|text| serde_json::from_str(&text).map_err(io::Error::from));
    value.map_err(|error| BundleError::Unreadable { file, error })
}

type Unpacked = BufReader<GzDecoder<BufReader<File>>>;

fn unpacked(directory: &Path, file: &'static str) -> Result<Unpacked, BundleError> {
    let opened = File::open(directory.join(file));
    let opened = opened.map_err(|error| BundleError::Unreadable { file, error })?;
    Ok(BufReader::new(GzDecoder::new(BufReader::new(opened))))
}

/// What the bundle proves.
impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let what = match &self.graph.query {
            Query::Violation { kinds, complete } => {
                let kinds = match &kinds[..] {
                    [] => "any property".to_string(),
                    kinds => kinds.join(", "),
                };
                let bound = if *complete {
                    ""
                } else {
                    ", up to the bounds of its loops"
                };
                format!("violates {kinds}{bound}")
            }
            Query::FinalState(_) => "ends in the states that are asked for".to_string(),
        };
        let (model, checked) = (&self.claim.model, self.checked);
        write!(
            f,
            "VALID: no execution of the graph that {model} allows {what} ({} events, {} clauses, {} steps)",
            checked.events, checked.clauses, checked.steps
        )
    }
}

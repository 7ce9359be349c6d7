//! The folder that the jobs of a plan share: the plan, the inputs, the results.
//!
//! - `plan.json`: the command line of the run, its files with their hashes, the tasks, and which job has
//!   which. Whoever has this file knows what is to be done.
//! - `jobs`: how many there are, for scripts.
//! - `inputs/`: the files of the run, in directories as they were, so that a job works on the same names
//!   on every machine.
//! - `results/N.json`: what task N has come to: a line of JSON, and a line with its hash. A result is
//!   written beside its place and moved there when it is complete, so it is there whole or not at all.

use crate::check::cube::Cube;
use ir::bounds::Bounds;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The form of plans that is written and read.
pub const FORM: u32 = 1;

/// What is to be done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// See [`FORM`].
    pub form: u32,
    /// The tool that has made it; every job and the merge need the same.
    pub tool: String,
    /// The command line of the run that was planned.
    pub arguments: Vec<String>,
    /// Below `inputs`: where that is run.
    pub directory: PathBuf,
    /// The files that the run reads.
    pub files: Vec<InputFile>,
    /// Of a suite: its tests, in order.
    pub tests: Vec<PathBuf>,
    /// Checks that were split into cubes.
    pub splits: Vec<PlannedSplit>,
    /// What is to be done, in the order of the answers.
    pub tasks: Vec<PlannedTask>,
    /// By job: its tasks.
    pub jobs: Vec<Vec<usize>>,
}

/// A file that the run reads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InputFile {
    /// Its path, from where the run was planned.
    pub path: PathBuf,
    /// SHA-256 of its bytes.
    pub sha256: String,
}

/// A check that was split.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlannedSplit {
    /// Position among the inputs.
    pub input: usize,
    /// Position among the models.
    pub model: usize,
    /// Tells the formula from others.
    pub formula: String,
    /// The formula is complete by itself, as other solvers need it.
    pub complete: bool,
    /// How far loops are unwound.
    pub bounds: Bounds,
}

/// A piece of work with a result of its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlannedTask {
    /// Tests of a suite, by their positions.
    Tests(Vec<usize>),
    /// An input on a model, by their positions; of a system maybe one unsafe formula.
    Check {
        /// The input.
        input: usize,
        /// The model.
        model: usize,
        /// Of a system: which unsafe formula.
        formula: Option<usize>,
    },
    /// The executions of a cube.
    Cube {
        /// Which split.
        split: usize,
        /// Which cube.
        cube: Cube,
    },
}

/// What a task has come to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskResult {
    /// SHA-256 of the plan.
    pub plan: String,
    /// The tool that has answered.
    pub tool: String,
    /// The task.
    pub task: usize,
    /// Seconds that passed.
    pub seconds: f64,
    /// Seconds of processors.
    pub processor_seconds: f64,
    /// The process's exit code.
    pub exit: u8,
    /// What it has printed.
    pub out: String,
    /// What it has said beside.
    pub err: String,
}

/// Why a folder or a result cannot be used, a sentence.
pub type Refusal = String;

/// A folder with its plan.
pub struct Folder {
    path: PathBuf,
    /// The plan.
    pub plan: Plan,
    /// SHA-256 of the plan's text.
    pub digest: String,
}

/// The version of this tool, as plans and results keep it: of a build of a working tree, which has no commit, a
/// digest of the program itself.
pub fn tool() -> String {
    static BUILD: OnceLock<String> = OnceLock::new();
    let build = BUILD.get_or_init(|| match crate::cli::manual::COMMIT {
        Some(commit) => commit.to_string(),
        None => match std::env::current_exe().and_then(std::fs::read) {
            Ok(program) => format!("build {}", &sha256(&program)[..16]),
            Err(_) => "unknown".to_string(),
        },
    });
    format!("wmbmc {} ({build})", env!("CARGO_PKG_VERSION"))
}

/// SHA-256 as people compare it.
pub fn sha256(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash.iter().map(|b| format!("{b:02x}")).collect()
}

/// A file's place below a mirror's working directory.
pub fn is_copied(path: &Path) -> bool {
    path.is_relative()
}

impl Folder {
    /// Reads a folder. The tool has to be the one that has made the plan.
    ///
    /// # Errors
    /// Why it is none of this version.
    pub fn open(path: &Path) -> Result<Folder, Refusal> {
        let file = path.join("plan.json");
        let unread = |why: String| format!("{}: {why}", file.display());
        let text = std::fs::read_to_string(&file).map_err(|e| unread(e.to_string()))?;
        let plan: Plan = serde_json::from_str(&text).map_err(|e| unread(e.to_string()))?;
        if plan.form != FORM {
            return Err(unread(format!("plans of form {} are not known", plan.form)));
        }
        if plan.tool != tool() {
            let (theirs, ours) = (&plan.tool, tool());
            return Err(unread(format!(
                "the plan is of {theirs}, and this is {ours}"
            )));
        }
        let path = path.canonicalize().map_err(|e| unread(e.to_string()))?;
        Ok(Folder {
            path,
            plan,
            digest: sha256(text.as_bytes()),
        })
    }

    /// Writes the plan of a new folder.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(path: &Path, plan: &Plan) -> io::Result<()> {
        std::fs::create_dir_all(path.join("results"))?;
        let text = serde_json::to_string_pretty(plan).map_err(io::Error::from)?;
        std::fs::write(path.join("jobs"), format!("{}\n", plan.jobs.len()))?;
        write_whole(&path.join("plan.json"), text.as_bytes())
    }

    /// Where the jobs run.
    pub fn directory(&self) -> PathBuf {
        self.path.join("inputs").join(&self.plan.directory)
    }

    /// Where it is, from the root.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The inputs are those of the plan.
    ///
    /// # Errors
    /// One is missing, or is another one.
    pub fn inputs_agree(&self) -> Result<(), Refusal> {
        for file in &self.plan.files {
            let (shown, place) = (file.path.display(), self.directory().join(&file.path));
            let bytes = std::fs::read(&place);
            let bytes = bytes.map_err(|e| format!("{shown}, which the plan needs: {e}"))?;
            if sha256(&bytes) != file.sha256 {
                return Err(format!(
                    "{shown} is not the file that was planned: its hash differs"
                ));
            }
        }
        Ok(())
    }

    fn result_file(&self, task: usize) -> PathBuf {
        self.path.join("results").join(format!("{task}.json"))
    }

    /// The result of a task; `None` when there is none yet.
    ///
    /// # Errors
    /// The file is truncated, or belongs to something else.
    pub fn result(&self, task: usize) -> Result<Option<TaskResult>, Refusal> {
        let file = self.result_file(task);
        let shown = format!("the result of task {task} ({})", file.display());
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("{shown} cannot be read: {error}")),
        };
        let whole = text.strip_suffix('\n').and_then(|t| t.rsplit_once('\n'));
        let Some((line, _)) = whole.filter(|(line, hash)| sha256(line.as_bytes()) == *hash) else {
            return Err(format!("{shown} is truncated or was changed"));
        };
        let result: TaskResult = serde_json::from_str(line)
            .map_err(|error| format!("{shown} is of another version: {error}"))?;
        if result.tool != tool() {
            let (theirs, ours) = (&result.tool, tool());
            return Err(format!("{shown} is of {theirs}, and this is {ours}"));
        }
        if result.plan != self.digest || result.task != task {
            return Err(format!("{shown} is that of another plan or input"));
        }
        Ok(Some(result))
    }

    /// Keeps the result of a task.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep(&self, result: &TaskResult) -> io::Result<()> {
        let line = serde_json::to_string(result).map_err(io::Error::from)?;
        let text = format!("{line}\n{}\n", sha256(line.as_bytes()));
        write_whole(&self.result_file(result.task), text.as_bytes())
    }

    /// The job that has a task.
    pub fn job_of(&self, task: usize) -> Option<usize> {
        self.plan
            .jobs
            .iter()
            .position(|tasks| tasks.contains(&task))
    }
}

/// Writes a file beside its place, and moves it there.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

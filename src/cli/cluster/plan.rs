//! `wmbmc plan`: from the command line of a run to a folder of jobs.
//!
//! Of a suite every job has each N-th test. Otherwise an input and a model is a task; a system with
//! several unsafe formulas has one for each; and where there are fewer tasks than jobs a program that a
//! short search does not solve is split into cubes, a task each.
//!
//! The files of the run are copied, with every file that they include, into directories as they were,
//! so that jobs give the same names and the same bytes. Files with an absolute path stay where they
//! are: their hashes are kept, and a job needs the same files there.

use super::folder::{
    FORM, Folder, InputFile, Plan, PlannedSplit, PlannedTask, is_copied, sha256, tool,
};
use crate::check::split::Splitting;
use crate::cli::compiler_flags;
use crate::cli::exit::Exit;
use crate::cli::failure::failed;
use crate::cli::options::{Command, CommandLine, PlanArgs};
use crate::cli::output::{self, Answers, Output};
use crate::cli::request::{Request, SuiteRequest};
use crate::cli::values::Format;
use crate::cli::{progress, purpose, suite};
use crate::driver::{Engine, Error, InputKind, ModelName, ParsedInput, Session};
use crate::report::text::Detail;
use base::source::SourceMap;
use clap::{CommandFactory, FromArgMatches};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// Tests of a suite that one task has at most: what is done is kept, task by task.
const TESTS: usize = 64;

/// A run that was planned.
pub enum Run {
    /// Files on models.
    Files(Box<Request>, Output),
    /// A suite.
    Suite(Box<SuiteRequest>, Output),
}

/// The arguments of a process with the options of `plan` itself before the run that it plans, wherever
/// they stand.
pub fn arranged(args: Vec<OsString>) -> Vec<OsString> {
    if args.get(1).is_none_or(|command| command != "plan") {
        return args;
    }
    let (mut own, mut run) = (args[..2].to_vec(), Vec::new());
    let mut rest = args[2..].iter();
    while let Some(arg) = rest.next() {
        let text = arg.to_str().unwrap_or_default();
        match text {
            "--jobs" | "--out" | "--probe" => {
                own.push(arg.clone());
                own.extend(rest.next().cloned());
            }
            "-h" | "--help" => own.push(arg.clone()),
            _ if ["--jobs=", "--out=", "--probe="]
                .iter()
                .any(|o| text.starts_with(o)) =>
            {
                own.push(arg.clone());
            }
            _ => run.push(arg.clone()),
        }
    }
    own.extend(run);
    own
}

/// What a command line means that is run in parts.
///
/// # Errors
/// A sentence: it means nothing, or has an option that parts cannot obey.
pub fn read(arguments: &[String]) -> Result<Run, String> {
    let matches = CommandLine::command().try_get_matches_from(arguments);
    let sentence = |error: clap::Error| {
        let text = error.render().to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        text.trim().to_string()
    };
    let matches = matches.map_err(sentence)?;
    let mut options = CommandLine::from_arg_matches(&matches).map_err(sentence)?;
    options.typed = arguments.to_vec();
    let answers = Answers::default();
    let detail = |quiet: bool, verbose: bool| match (quiet, verbose) {
        (true, _) => Detail::Quiet,
        (_, true) => Detail::Verbose,
        _ => Detail::Normal,
    };
    match &options.command {
        None => {}
        Some(Command::Suite(typed)) => {
            if typed.shard.is_some() {
                return Err("--shard: a plan makes parts of a suite itself".to_string());
            }
            let request = SuiteRequest::from_options(typed)?;
            let output = Output::new(&answers, &typed.shared, detail(typed.quiet, false), false);
            return Ok(Run::Suite(Box::new(request), output));
        }
        Some(_) => return Err("a run of files, or of `suite`, can be planned".to_string()),
    }
    purpose::check_plan(&matches)?;
    purpose::check(&matches, &options)?;
    purpose::take_model(&matches, &mut options);
    let output = Output::new(
        &answers,
        &options.shared,
        detail(options.quiet, options.verbose),
        options.stats,
    );
    let request = Request::from_options(&options)?;
    Ok(Run::Files(Box::new(request), output))
}

/// `wmbmc plan`
pub fn run(typed: &PlanArgs) -> Exit {
    let usage = |message: &str| {
        output::warn(&format!("error: {message}\n"));
        Exit::Usage
    };
    if typed.out.join("plan.json").exists() {
        let out = typed.out.display();
        return usage(&format!(
            "--out {out}: there is a plan already; name another folder"
        ));
    }
    let line = std::iter::once("wmbmc".to_string()).chain(typed.run.iter().cloned());
    let line: Vec<OsString> = line.map(OsString::from).collect();
    let command = CommandLine::command();
    let commands: Vec<&str> = command.get_subcommands().map(|c| c.get_name()).collect();
    let normalized = match compiler_flags::normalize(line, &commands) {
        Ok(normalized) => normalized,
        Err(diag) => return usage(&diag.message),
    };
    let arguments = normalized.args.iter();
    let arguments: Vec<String> = arguments
        .map(|a| a.to_string_lossy().into_owned())
        .collect();
    let run = match read(&arguments) {
        Ok(run) => run,
        Err(message) => return usage(&message),
    };
    let mut maker = Maker {
        typed,
        jobs: typed.jobs as usize,
        files: BTreeSet::new(),
        splits: Vec::new(),
        tasks: Vec::new(),
        hard: BTreeSet::new(),
        tests: Vec::new(),
    };
    let made = match &run {
        Run::Files(request, output) => maker.files(request, output),
        Run::Suite(request, _) => maker.suite(request),
    };
    progress::clear();
    if let Err(exit) = made {
        return exit;
    }
    if let Run::Files(request, _) = &run
        && request.dimacs.is_some()
        && maker.splits.is_empty()
    {
        output::warn(
            "note: --dimacs: no check is hard enough to be split, so no formula is written\n",
        );
    }
    let plan = match maker.plan(arguments) {
        Ok(plan) => plan,
        Err(message) => return usage(&message),
    };
    if let Err(error) = Folder::write(&typed.out, &plan) {
        return usage(&format!(
            "{} cannot be written: {error}",
            typed.out.display()
        ));
    }
    output::print(&said(&plan, typed));
    Exit::Safe
}

/// What was planned, in a few lines.
fn said(plan: &Plan, typed: &PlanArgs) -> String {
    let counted = |n: usize, one: &str, many: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    };
    let cubes = plan
        .tasks
        .iter()
        .filter(|t| matches!(t, PlannedTask::Cube { .. }));
    let mut parts = vec![counted(plan.files.len(), "file", "files")];
    match cubes.count() {
        0 => {}
        cubes => parts.push(counted(cubes, "cube", "cubes")),
    }
    if !plan.tests.is_empty() {
        parts.push(counted(plan.tests.len(), "test", "tests"));
    }
    let (jobs, out) = (plan.jobs.len(), typed.out.display());
    format!(
        "{} in {out}: {}\n  wmbmc job {out} --index 0 … {}, in any order, anywhere; then wmbmc merge {out}\n",
        counted(jobs, "job", "jobs"),
        parts.join(", "),
        jobs.saturating_sub(1),
    )
}

/// A plan on its way.
struct Maker<'a> {
    typed: &'a PlanArgs,
    jobs: usize,
    files: BTreeSet<PathBuf>,
    splits: Vec<PlannedSplit>,
    tasks: Vec<PlannedTask>,
    /// Tasks that a short search did not solve.
    hard: BTreeSet<usize>,
    tests: Vec<PathBuf>,
}

impl Maker<'_> {
    fn suite(&mut self, request: &SuiteRequest) -> Result<(), Exit> {
        let tests = suite::tests(&request.paths).map_err(|message| {
            output::warn(&format!("error: {message}\n"));
            Exit::Usage
        })?;
        self.files.extend(tests.iter().cloned());
        self.files.extend(request.expect.clone());
        let jobs = self.jobs.clamp(1, tests.len().max(1));
        for job in 0..jobs {
            let own: Vec<usize> = (job..tests.len()).step_by(jobs).collect();
            self.tasks
                .extend(own.chunks(TESTS).map(|c| PlannedTask::Tests(c.to_vec())));
        }
        self.tests = tests;
        self.models(&request.models)
    }

    fn models(&mut self, models: &[ModelName]) -> Result<(), Exit> {
        let mut sources = SourceMap::default();
        for name in models {
            // A model that cannot be read is refused by the job that needs it, as it is by a run.
            let _ = name.load(&mut sources);
            if let ModelName::File(path) = name {
                self.files.insert(path.clone());
            }
        }
        self.read(&sources);
        Ok(())
    }

    /// Files that were read are files of the plan.
    fn read(&mut self, sources: &SourceMap) {
        let names = sources.files().map(|file| PathBuf::from(&file.name));
        // What a C compiler reads before every program names the version of its library, no more.
        let counts = |path: &PathBuf| path.is_file() && !path.ends_with("stdc-predef.h");
        self.files.extend(names.filter(counts));
    }

    fn files(&mut self, request: &Request, output: &Output) -> Result<(), Exit> {
        self.models(&request.models)?;
        let pairs = request.inputs.len() * request.models.len();
        let parts = self.jobs / pairs.max(1);
        let bounded = &request.options.program.bounded;
        let splits = parts > 1
            && matches!(bounded.engine, Engine::Auto | Engine::Sat)
            && bounded.incremental.is_none();
        for (i, input) in request.inputs.iter().enumerate() {
            // What is wrong with an input is said by its job, as by a run; headers count as far as it is read.
            let Ok(parsed) = ParsedInput::read(input, &request.options, Box::new(|_| {})) else {
                self.files.insert(input.name.clone());
                self.whole(i, request.models.len(), None);
                continue;
            };
            self.read(parsed.sources());
            let Ok(mut session) = parsed.lower() else {
                self.whole(i, request.models.len(), None);
                continue;
            };
            let program = input.kind == InputKind::Program && !request.options.any_threads
                || input.kind == InputKind::Assembly && request.options.program.threads.is_some();
            let formulas = session.system().map_or(0, |file| file.unsafes.len());
            let plain = output.format == Format::Text && !output.style.stats;
            if formulas > 1 && self.jobs > 1 && plain {
                self.whole(i, request.models.len(), Some(formulas));
                continue;
            }
            // What calls return is told of whole executions.
            let is_client = session.program().is_some_and(|p| p.client.is_some());
            if !splits || !program || is_client {
                self.whole(i, request.models.len(), None);
                continue;
            }
            for (m, name) in request.models.iter().enumerate() {
                progress::show(&format!("{}: {}, splitting", input.shown(), name.text()));
                let split = self.split(&mut session, request, (i, m), parts);
                match split {
                    Ok(true) => {}
                    Ok(false) => self.tasks.push(PlannedTask::Check {
                        input: i,
                        model: m,
                        formula: None,
                    }),
                    Err(error @ Error::Internal(_)) => {
                        return Err(failed(&error, output, Some(&input.shown()), None));
                    }
                    Err(_) => self.tasks.push(PlannedTask::Check {
                        input: i,
                        model: m,
                        formula: None,
                    }),
                }
            }
        }
        Ok(())
    }

    /// Tasks for an input on each model, maybe for each unsafe formula.
    fn whole(&mut self, input: usize, models: usize, formulas: Option<usize>) {
        for model in 0..models {
            match formulas {
                None => self.tasks.push(PlannedTask::Check {
                    input,
                    model,
                    formula: None,
                }),
                Some(formulas) => self.tasks.extend((0..formulas).map(|f| PlannedTask::Check {
                    input,
                    model,
                    formula: Some(f),
                })),
            }
        }
    }

    /// Splits a program on a model, if it is hard.
    fn split(
        &mut self,
        session: &mut Session,
        request: &Request,
        (input, model): (usize, usize),
        parts: usize,
    ) -> Result<bool, Error> {
        let complete = request.dimacs.is_some();
        let named = session.load_model(&request.models[model])?;
        let wanted = Splitting {
            parts,
            probe: self.typed.probe,
        };
        let split = session.split(&named, wanted, complete, request.limits)?;
        let Some(found) = split else {
            return Ok(false);
        };
        if let (Some(path), Some(formula)) = (&request.dimacs, &found.formula) {
            let file =
                request.output_file(path, &request.inputs[input].name, &request.models[model]);
            output::write(&file, formula)
                .map_err(|_| Error::Internal("the formula cannot be written".to_string()))?;
        }
        let split = self.splits.len();
        self.splits.push(PlannedSplit {
            input,
            model,
            formula: found.split.fingerprint,
            complete,
            bounds: found.bounds,
        });
        for leaf in found.split.leaves {
            if leaf.hard {
                self.hard.insert(self.tasks.len());
            }
            self.tasks.push(PlannedTask::Cube {
                split,
                cube: leaf.cube,
            });
        }
        Ok(true)
    }

    /// The plan, and its inputs in the folder.
    fn plan(self, arguments: Vec<String>) -> Result<Plan, String> {
        let files = self.files.into_iter().collect::<Vec<_>>();
        let above = files.iter().filter(|f| is_copied(f)).map(|f| climbs(f));
        let above = above.max().unwrap_or(0);
        let here = std::env::current_dir().and_then(|d| d.canonicalize());
        let here = here.map_err(|e| format!("the current directory is not known: {e}"))?;
        let names: Vec<Component> = here.components().collect();
        if names.len() <= above {
            return Err("a file is above the root".to_string());
        }
        let directory: PathBuf = names[names.len() - above..].iter().collect();
        let mirror = self.typed.out.join("inputs").join(&directory);
        let unwritten = |e: std::io::Error| format!("{} cannot be written: {e}", mirror.display());
        std::fs::create_dir_all(&mirror).map_err(unwritten)?;
        let mut planned = Vec::new();
        for path in files {
            let shown = path.display().to_string();
            let bytes = std::fs::read(&path).map_err(|e| format!("{shown} cannot be read: {e}"))?;
            if is_copied(&path) {
                let place = mirror.join(&path);
                let folder = place.parent().unwrap_or(&mirror);
                std::fs::create_dir_all(folder).map_err(unwritten)?;
                std::fs::write(&place, &bytes).map_err(unwritten)?;
            }
            planned.push(InputFile {
                sha256: sha256(&bytes),
                path,
            });
        }
        let jobs = jobs(
            self.tasks.len(),
            &self.hard,
            self.jobs,
            &self.tests,
            &self.tasks,
        );
        Ok(Plan {
            form: FORM,
            tool: tool(),
            arguments,
            directory,
            files: planned,
            tests: self.tests,
            splits: self.splits,
            tasks: self.tasks,
            jobs,
        })
    }
}

/// The tasks of each job. Of a suite those with every N-th test; of others the hard ones come first, so
/// that no job has two where another has none.
fn jobs(
    tasks: usize,
    hard: &BTreeSet<usize>,
    most: usize,
    tests: &[PathBuf],
    all: &[PlannedTask],
) -> Vec<Vec<usize>> {
    let count = most.clamp(1, tasks.max(1));
    let mut jobs = vec![Vec::new(); count];
    if !tests.is_empty() {
        let count = most.clamp(1, tests.len());
        let mut jobs = vec![Vec::new(); count];
        for (i, task) in all.iter().enumerate() {
            if let PlannedTask::Tests(own) = task
                && let Some(first) = own.first()
            {
                jobs[first % count].push(i);
            }
        }
        return jobs;
    }
    let easy = (0..tasks).filter(|t| !hard.contains(t));
    for (i, task) in hard.iter().copied().chain(easy).enumerate() {
        jobs[i % count].push(task);
    }
    jobs
}

/// How many directories a relative path climbs.
fn climbs(path: &Path) -> usize {
    let (mut depth, mut most) = (0i64, 0i64);
    for component in path.components() {
        match component {
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            _ => {}
        }
        most = most.max(-depth);
    }
    usize::try_from(most).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_options_stand_anywhere() {
        let line = "wmbmc plan a.c --jobs 4 -j 2 --mm tso --out=d --probe 9";
        let args = line.split(' ').map(OsString::from).collect();
        let arranged = arranged(args);
        let texts: Vec<&str> = arranged.iter().filter_map(|a| a.to_str()).collect();
        let expected = "wmbmc plan --jobs 4 --out=d --probe 9 a.c -j 2 --mm tso";
        assert_eq!(texts.join(" "), expected);
    }

    #[test]
    fn paths_climb() {
        let of = |path: &str| climbs(Path::new(path));
        assert_eq!((of("a/b.c"), of("../a.c"), of("a/../../../b")), (0, 1, 2));
    }

    #[test]
    fn hard_tasks_are_spread() {
        let hard = BTreeSet::from([1, 3]);
        assert_eq!(jobs(5, &hard, 2, &[], &[]), [vec![1, 0, 4], vec![3, 2]]);
        assert_eq!(jobs(1, &hard, 8, &[], &[]).len(), 1);
    }
}

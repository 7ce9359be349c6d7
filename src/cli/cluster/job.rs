//! `wmbmc job`: one job of a plan.
//!
//! Each task is done by a process of its own ([`super::task`]), so that whatever ends it (a limit, a
//! lack of memory, a signal) is seen from outside. What is done is kept task by task: a job that was
//! ended somewhere and is started again goes on behind its last result, and one that is complete does
//! nothing.

use super::folder::{Folder, Refusal, TaskResult, tool};
use super::task;
use crate::cli::exit::Exit;
use crate::cli::options::JobArgs;
use crate::cli::{output, progress};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

/// `wmbmc job`
pub fn run(typed: &JobArgs) -> Exit {
    match job(typed) {
        Ok(exit) => exit,
        Err(message) => {
            output::warn(&format!("error: {message}\n"));
            Exit::Input
        }
    }
}

fn job(typed: &JobArgs) -> Result<Exit, Refusal> {
    let folder = Folder::open(&typed.directory)?;
    let jobs = folder.plan.jobs.len();
    let Some(tasks) = folder.plan.jobs.get(typed.index) else {
        return Err(format!(
            "--index {}: the plan has the jobs 0 to {}",
            typed.index,
            jobs - 1
        ));
    };
    if let Some(task) = typed.task
        && !tasks.contains(&task)
    {
        let index = typed.index;
        return Err(format!(
            "--task {task} is none of job {index}: it has {tasks:?}"
        ));
    }
    if let (true, Some(task)) = (typed.print, typed.task) {
        // The job that wants it has looked at the inputs.
        return task::print(&folder, task, typed.answer.as_deref());
    }
    folder.inputs_agree()?;
    let wanted = tasks
        .iter()
        .filter(|t| typed.task.is_none_or(|one| one == **t));
    let (mut done, mut kept) = (0, 0);
    for task in wanted.copied() {
        // One that cannot be used is done again.
        if typed.answer.is_none() && matches!(folder.result(task), Ok(Some(_))) {
            kept += 1;
            continue;
        }
        progress::show(&format!("job {}, task {task}", typed.index));
        let exit = work(&folder, typed, task)?;
        if let Some(exit) = exit {
            progress::clear();
            return Ok(exit);
        }
        done += 1;
    }
    progress::clear();
    let before = match kept {
        0 => String::new(),
        kept => format!(", {kept} were"),
    };
    output::print(&format!("job {}: {done} done{before}\n", typed.index));
    Ok(Exit::Safe)
}

/// Does a task; the exit where nothing has come of it.
fn work(folder: &Folder, typed: &JobArgs, task: usize) -> Result<Option<Exit>, Refusal> {
    let program = std::env::current_exe().map_err(|e| format!("this program is not found: {e}"))?;
    let mut command = Command::new(program);
    command.arg("job").arg(folder.path());
    command.args([
        "--index",
        &typed.index.to_string(),
        "--task",
        &task.to_string(),
        "--print",
    ]);
    if let Some(answer) = &typed.answer {
        let answer: PathBuf = answer.canonicalize().unwrap_or_else(|_| answer.clone());
        command.arg("--answer").arg(answer);
    }
    command.current_dir(folder.directory());
    command.stdin(Stdio::null());
    let (start, before) = (Instant::now(), processor_seconds());
    let ended = command
        .output()
        .map_err(|e| format!("task {task} cannot be started: {e}"))?;
    let (seconds, after) = (start.elapsed().as_secs_f64(), processor_seconds());
    let (out, err) = (text(&ended.stdout), text(&ended.stderr));
    let Some(exit) = ended.status.code().and_then(|code| u8::try_from(code).ok()) else {
        let status = ended.status;
        output::warn(&format!(
            "{err}task {task} was ended ({status}); nothing is kept of it\n"
        ));
        return Ok(Some(Exit::Inconclusive));
    };
    if exit == task::REFUSED {
        output::warn(&err);
        return Ok(Some(Exit::Input));
    }
    let result = TaskResult {
        plan: folder.digest.clone(),
        tool: tool(),
        task,
        seconds,
        processor_seconds: after - before,
        exit,
        out,
        err,
    };
    let kept = folder.keep(&result);
    kept.map_err(|e| format!("the result of task {task} cannot be written: {e}"))?;
    Ok(None)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Seconds that processors have spent on processes of this one that have ended; 0 where the system does
/// not say. Linux counts in hundredths.
fn processor_seconds() -> f64 {
    let Ok(stat) = std::fs::read_to_string("/proc/self/stat") else {
        return 0.0;
    };
    // Behind the name, which may have spaces, the first field is the third.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks = fields.get(13..15).unwrap_or_default().iter();
    ticks.filter_map(|t| t.parse::<f64>().ok()).sum::<f64>() / 100.0
}

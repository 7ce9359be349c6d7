//! `wmbmc progress`: how far the jobs of a plan are.

use super::folder::{Folder, Refusal, TaskResult};
use crate::cli::exit::Exit;
use crate::cli::options::ProgressArgs;
use crate::cli::output;

/// `wmbmc progress`: exit 0 when all is done, 5 otherwise.
pub fn run(typed: &ProgressArgs) -> Exit {
    match text_of(typed) {
        Ok((text, exit)) => {
            output::print(&text);
            exit
        }
        Err(message) => {
            output::warn(&format!("error: {message}\n"));
            Exit::Input
        }
    }
}

fn text_of(typed: &ProgressArgs) -> Result<(String, Exit), Refusal> {
    let folder = Folder::open(&typed.directory)?;
    let tasks = folder.plan.tasks.len();
    let (mut done, mut wrong): (Vec<TaskResult>, Vec<Refusal>) = (Vec::new(), Vec::new());
    for task in 0..tasks {
        match folder.result(task) {
            Ok(result) => done.extend(result),
            Err(why) => wrong.push(why),
        }
    }
    let is_done = |task: &usize| done.iter().any(|r| r.task == *task);
    let jobs = &folder.plan.jobs;
    let open: Vec<usize> = (0..jobs.len())
        .filter(|j| !jobs[*j].iter().all(is_done))
        .collect();
    let (finished, all) = (jobs.len() - open.len(), jobs.len());
    let seconds: f64 = done.iter().map(|r| r.seconds).sum();
    let processors: f64 = done.iter().map(|r| r.processor_seconds).sum();
    let mut text = format!(
        "{finished} of {all} jobs done, {} of {tasks} tasks; {seconds:.1} s so far, {processors:.1} s of processors\n",
        done.len()
    );
    if !open.is_empty() {
        let numbers: Vec<String> = open.iter().map(usize::to_string).collect();
        text += &format!("  open: {}\n", numbers.join(","));
        if !done.is_empty() {
            let each = seconds / done.len() as f64;
            let left = each * (tasks - done.len()) as f64;
            text +=
                &format!("  about {left:.0} s of work are left, if the others are like those\n");
        }
    }
    for why in &wrong {
        text += &format!("  to be done again: {why}\n");
    }
    let exit = match open.is_empty() {
        true => Exit::Safe,
        false => Exit::Inconclusive,
    };
    Ok((text, exit))
}

//! The calls of a client as bars, one row a thread, and why no order explains what they return.
//!
//! ```text
//!   thread 1  |- push(1) -|      |- pop() = 0 -|
//!   thread 2     |- push(2) -|
//! ```

use super::answer::history::HistoryAnswer;

/// The history, a line a thread and a line a sentence, with an empty line behind.
pub(super) fn text(history: &HistoryAnswer) -> String {
    let last = history.calls.iter().map(|c| c.returns).max().unwrap_or(0);
    // How many characters there are between two moments.
    let mut widths = vec![2; last];
    let mut by_length: Vec<_> = history.calls.iter().collect();
    by_length.sort_by_key(|c| c.returns - c.begins);
    for call in by_length {
        let needed = call.shown().chars().count() + 6;
        let given: usize = widths[call.begins..call.returns].iter().sum();
        widths[call.returns - 1] += needed.saturating_sub(given);
    }
    let column = |moment: usize| -> usize { widths[..moment].iter().sum() };
    let mut threads: Vec<usize> = history.calls.iter().map(|c| c.thread).collect();
    threads.dedup();
    let mut out = String::new();
    for thread in threads {
        let mut line = match thread {
            0 => "  main    ".to_string(),
            n => format!("  thread {n}"),
        };
        line += "  ";
        let margin = line.chars().count();
        for call in history.calls.iter().filter(|c| c.thread == thread) {
            let at = margin + column(call.begins);
            line += &" ".repeat(at.saturating_sub(line.chars().count()));
            let width = column(call.returns) - column(call.begins);
            let shown = format!(" {} ", call.shown());
            line += &format!("|{shown:-^inner$}|", inner = width.saturating_sub(2));
        }
        out += line.trim_end();
        out.push('\n');
    }
    out.push('\n');
    for sentence in &history.explanation {
        out += &format!("  {sentence}\n");
    }
    out.push('\n');
    out
}

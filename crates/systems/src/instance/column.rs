//! What the threads of an instance stand for: which transition each choice of a step is.

/// A transition that a thread may fire in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TransitionInstance {
    /// The transition, by its position.
    pub transition: usize,
    /// Its processes, from 0.
    pub args: Vec<u8>,
    /// How many arbitrary values it takes.
    pub choices: usize,
}

/// A thread of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// Which one it is; main is 0.
    pub thread: usize,
    /// How many arbitrary values it takes before its first step.
    pub first: usize,
    /// By step, what it may fire.
    pub steps: Vec<Vec<TransitionInstance>>,
}

impl Column {
    /// What the thread fires where it takes these arbitrary values; each with the position of the
    /// value that chooses it.
    pub fn fired(&self, values: &[u64]) -> Vec<(TransitionInstance, usize)> {
        let mut at = self.first;
        let mut fired = Vec::new();
        for step in &self.steps {
            let chosen = values.get(at).and_then(|v| usize::try_from(*v).ok());
            let call = chosen
                .and_then(|v| v.checked_sub(1))
                .and_then(|i| step.get(i));
            let Some(call) = call else { break };
            fired.push((call.clone(), at));
            at += 1 + call.choices;
        }
        fired
    }
}

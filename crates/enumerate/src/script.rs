//! Threads that are told what they read, instead of any value that may be there.

use super::objects::ThreadKey;
use super::value_set::Ending;
use ir::program::Width;
use ir::shadow::Word;

/// What a thread asks for that it cannot go on without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ThreadQuestion {
    /// What it reads from a location.
    Read { addr: u64, width: Width },
    /// How the thread that it waits for ends.
    Ending(ThreadKey),
}

/// The answers to what one instruction asks for, in the order in which it asks. A thread that has a script
/// and finds no answer there stops within the instruction, with its question
/// ([`asks`](super::thread_state::ThreadState::asks)).
#[derive(Clone, Default, Debug)]
pub(super) struct Script {
    /// What it reads, a piece each.
    pub words: Vec<Word>,
    /// How the thread ends that it waits for.
    pub ending: Option<Ending>,
}

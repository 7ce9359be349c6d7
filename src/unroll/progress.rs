//! Where a pass is: at which instruction, how many it has executed, and whether it is to give up.

use ir::program::ProcId;

/// Instructions between two looks at the limits.
const STEPS: u64 = 32;

pub(super) struct Progress<'a> {
    at: (ProcId, usize),
    clock: u64,
    interrupt: &'a dyn Fn() -> bool,
    stopped: bool,
}

impl<'a> Progress<'a> {
    /// Nothing has been executed; `interrupt` is asked now and then whether to give up.
    pub(super) fn new(main: ProcId, interrupt: &'a dyn Fn() -> bool) -> Progress<'a> {
        Progress {
            at: (main, 0),
            clock: 0,
            interrupt,
            stopped: false,
        }
    }

    /// The time: it is later whenever something has happened in between.
    pub(super) fn now(&self) -> u64 {
        self.clock
    }

    pub(super) fn advance(&mut self) {
        self.clock += 1;
    }

    /// The instruction that is executed.
    pub(super) fn at(&self) -> (ProcId, usize) {
        self.at
    }

    pub(super) fn come_to(&mut self, at: (ProcId, usize)) {
        self.at = at;
    }

    /// Whether to give up, asked once for several instructions.
    pub(super) fn is_to_stop(&mut self) -> bool {
        self.stopped || self.clock.is_multiple_of(STEPS) && self.ask()
    }

    /// Asks whether to give up; what is made after that is of no use.
    pub(super) fn ask(&mut self) -> bool {
        self.stopped = self.stopped || (self.interrupt)();
        self.stopped
    }

    /// The answer has been to give up.
    pub(super) fn has_stopped(&self) -> bool {
        self.stopped
    }

    /// What the answer would be now.
    pub(super) fn is_interrupted(&self) -> bool {
        (self.interrupt)()
    }
}

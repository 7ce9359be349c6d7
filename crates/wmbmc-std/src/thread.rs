//! As `std::thread`. A thread that is not joined leaves its result behind.

mod scoped;

use crate::posix::{self, pthread_t};
use core::ffi::c_void;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr;
use std::io;
use std::time::Duration;

pub use scoped::{Scope, ScopedJoinHandle, scope};
pub use std::thread::Result;

/// Begins a thread that calls a closure.
///
/// # Safety
/// What the closure borrows lives until the thread has ended.
#[inline]
unsafe fn start<F, T>(f: F) -> pthread_t
where
    F: FnOnce() -> T,
{
    extern "C" fn run<F, T>(closure: *mut c_void) -> *mut c_void
    where
        F: FnOnce() -> T,
    {
        // SAFETY: it is the pointer that `start` has made, and this is its only use.
        let f = unsafe { Box::from_raw(closure.cast::<F>()) };
        Box::into_raw(Box::new(f())).cast()
    }
    let closure = Box::into_raw(Box::new(f));
    let mut id = 0;
    // SAFETY: the closure belongs to the thread from here on.
    unsafe { posix::pthread_create(&mut id, ptr::null(), run::<F, T>, closure.cast()) };
    id
}

/// Waits for the end of a thread, and takes its result.
///
/// # Safety
/// [`start`] has begun the thread with a closure of this result, and nothing else joins it.
#[inline]
unsafe fn end<T>(id: pthread_t) -> T {
    let mut result = ptr::null_mut();
    // SAFETY: the result is a box that the thread has made.
    unsafe {
        posix::pthread_join(id, &mut result);
        *Box::from_raw(result.cast::<T>())
    }
}

/// Starts a thread.
#[inline]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    JoinHandle {
        // SAFETY: the closure borrows nothing.
        thread: Thread(unsafe { start(f) }),
        result: PhantomData,
    }
}

/// Lets other threads run.
#[inline]
pub fn yield_now() {
    posix::sched_yield();
}

/// Lets other threads run: nothing is known of their speed, however long this thread sleeps.
#[inline]
pub fn sleep(time: Duration) {
    let _ = time;
    yield_now();
}

/// Waits until another thread has called [`Thread::unpark`], or has since the last time.
#[inline]
pub fn park() {
    posix::__wmbmc_park();
}

/// This thread.
#[inline]
pub fn current() -> Thread {
    Thread(posix::pthread_self())
}

/// A handle of a thread.
#[derive(Clone, Debug)]
pub struct Thread(pthread_t);

/// Identifies a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadId(pthread_t);

impl Thread {
    /// Lets the thread pass [`park`] once.
    #[inline]
    pub fn unpark(&self) {
        posix::__wmbmc_unpark(self.0);
    }

    /// What identifies it.
    #[inline]
    pub fn id(&self) -> ThreadId {
        ThreadId(self.0)
    }
}

/// The right to join a thread; without it the thread is detached.
#[derive(Debug)]
pub struct JoinHandle<T> {
    thread: Thread,
    result: PhantomData<*const T>,
}

// SAFETY: as those of std.
unsafe impl<T> Send for JoinHandle<T> {}
// SAFETY: as those of std.
unsafe impl<T> Sync for JoinHandle<T> {}

impl<T> JoinHandle<T> {
    /// Waits for the end of the thread, and returns its result: a panic has ended the program.
    #[inline]
    #[allow(clippy::missing_errors_doc)]
    pub fn join(self) -> Result<T> {
        let this = ManuallyDrop::new(self);
        // SAFETY: the handle is gone with this.
        Ok(unsafe { end(this.thread.0) })
    }

    /// The thread.
    #[inline]
    pub fn thread(&self) -> &Thread {
        &self.thread
    }
}

impl<T> Drop for JoinHandle<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: it has not been joined.
        unsafe { posix::pthread_detach(self.thread.0) };
    }
}

/// What a thread is started with: names and sizes of stacks are of no account.
#[derive(Debug, Default)]
pub struct Builder(());

impl Builder {
    /// A thread as [`spawn`] starts it.
    #[inline]
    pub fn new() -> Builder {
        Builder(())
    }

    /// Takes a name.
    #[inline]
    pub fn name(self, name: String) -> Builder {
        drop(name);
        self
    }

    /// Takes a size of the stack.
    #[inline]
    pub fn stack_size(self, size: usize) -> Builder {
        let _ = size;
        self
    }

    /// Starts the thread.
    ///
    /// # Errors
    /// None: there is always one more thread.
    #[inline]
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        Ok(spawn(f))
    }
}

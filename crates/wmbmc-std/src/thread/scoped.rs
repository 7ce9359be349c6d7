//! Threads that borrow: all of them have ended when their scope does.

use super::{Result, Thread, end, start};
use crate::posix::{self, pthread_t};
use crate::sync::Mutex;
use core::marker::PhantomData;
use core::ptr;

/// A thread that the scope joins unless its handle does.
struct Running {
    id: pthread_t,
    next: *mut Running,
}

/// Where threads are started that may borrow what lives as long as the scope.
pub struct Scope<'scope, 'env: 'scope> {
    running: Mutex<*mut Running>,
    scope: PhantomData<&'scope mut &'scope ()>,
    environment: PhantomData<&'env mut &'env ()>,
}

// SAFETY: the list is behind its mutex.
unsafe impl Sync for Scope<'_, '_> {}

/// The right to join a thread of a scope.
pub struct ScopedJoinHandle<'scope, T> {
    thread: Thread,
    running: &'scope Mutex<*mut Running>,
    result: PhantomData<*const T>,
}

// SAFETY: as those of std.
unsafe impl<T> Send for ScopedJoinHandle<'_, T> {}
// SAFETY: as those of std.
unsafe impl<T> Sync for ScopedJoinHandle<'_, T> {}

/// Takes a thread from a list; `None` for any.
#[inline]
fn take(running: &Mutex<*mut Running>, id: Option<pthread_t>) -> Option<pthread_t> {
    let mut first = running.locked();
    let mut link: *mut *mut Running = &mut *first;
    // SAFETY: the list is made of boxes, and is this thread's while it is locked.
    unsafe {
        while !(*link).is_null() {
            let found = (**link).id;
            if id.is_none_or(|id| id == found) {
                let taken = Box::from_raw(*link);
                *link = taken.next;
                return Some(found);
            }
            link = &mut (**link).next;
        }
    }
    None
}

/// Calls a closure with a scope, and waits for all threads of the scope.
#[inline]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let scope = Scope {
        running: Mutex::new(ptr::null_mut()),
        scope: PhantomData,
        environment: PhantomData,
    };
    let result = f(&scope);
    while let Some(id) = take(&scope.running, None) {
        // SAFETY: its handle has not joined it.
        unsafe { posix::pthread_join(id, ptr::null_mut()) };
    }
    result
}

impl<'scope> Scope<'scope, '_> {
    /// Starts a thread.
    #[inline]
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        // SAFETY: the scope ends behind the thread.
        let id = unsafe { start(f) };
        let mut first = self.running.locked();
        let next = *first;
        *first = Box::into_raw(Box::new(Running { id, next }));
        drop(first);
        ScopedJoinHandle {
            thread: Thread(id),
            running: &self.running,
            result: PhantomData,
        }
    }
}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits for the end of the thread, and returns its result: a panic has ended the program.
    #[inline]
    #[allow(clippy::missing_errors_doc)]
    pub fn join(self) -> Result<T> {
        take(self.running, Some(self.thread.0));
        // SAFETY: the scope does not join it any more, and the handle is gone with this.
        Ok(unsafe { end(self.thread.0) })
    }

    /// The thread.
    #[inline]
    pub fn thread(&self) -> &Thread {
        &self.thread
    }
}

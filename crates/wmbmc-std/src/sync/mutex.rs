//! Mutexes and condition variables.

use super::{LockResult, TryLockError, TryLockResult};
use crate::posix::{self, RawCondition, RawMutex};
use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};

/// As `std::sync::Mutex`.
pub struct Mutex<T: ?Sized> {
    raw: RawMutex,
    data: UnsafeCell<T>,
}

// SAFETY: one thread at a time has the data.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
// SAFETY: one thread at a time has the data.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}

impl<T> Mutex<T> {
    /// A mutex that is not locked.
    #[inline]
    pub const fn new(value: T) -> Mutex<T> {
        Mutex {
            raw: RawMutex::new(),
            data: UnsafeCell::new(value),
        }
    }

    /// The data.
    #[inline]
    #[allow(clippy::missing_errors_doc)]
    pub fn into_inner(self) -> LockResult<T> {
        Ok(self.data.into_inner())
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Locks it, and waits until that is possible.
    #[inline]
    #[allow(clippy::missing_errors_doc)]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        Ok(self.locked())
    }

    /// Locks it: there is no other outcome.
    #[inline]
    pub(crate) fn locked(&self) -> MutexGuard<'_, T> {
        // SAFETY: it is a mutex.
        unsafe { posix::pthread_mutex_lock(self.raw.get()) };
        MutexGuard { mutex: self }
    }

    /// Locks it if it is not locked.
    ///
    /// # Errors
    /// It is locked.
    #[inline]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        // SAFETY: it is a mutex.
        match unsafe { posix::pthread_mutex_trylock(self.raw.get()) } {
            0 => Ok(MutexGuard { mutex: self }),
            _ => Err(TryLockError::WouldBlock),
        }
    }

    /// The data, which no other thread has.
    #[inline]
    #[allow(clippy::missing_errors_doc)]
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        Ok(self.data.get_mut())
    }
}

impl<T: Default> Default for Mutex<T> {
    #[inline]
    fn default() -> Mutex<T> {
        Mutex::new(T::default())
    }
}

/// A locked mutex, which is unlocked where this ends.
#[must_use]
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
}

// SAFETY: it gives references to the data.
unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the mutex is locked.
        unsafe { &*self.mutex.data.get() }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the mutex is locked.
        unsafe { &mut *self.mutex.data.get() }
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this thread has locked it.
        unsafe { posix::pthread_mutex_unlock(self.mutex.raw.get()) };
    }
}

/// As `std::sync::Condvar`.
pub struct Condvar {
    raw: RawCondition,
}

// SAFETY: threads share it by its functions alone.
unsafe impl Send for Condvar {}
// SAFETY: threads share it by its functions alone.
unsafe impl Sync for Condvar {}

impl Condvar {
    /// A condition variable that no thread waits for.
    #[inline]
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Condvar {
        Condvar {
            raw: RawCondition::new(),
        }
    }

    /// Unlocks the mutex, waits to be notified or for no reason, and locks it.
    #[inline]
    #[allow(clippy::missing_errors_doc)]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        // SAFETY: this thread has locked the mutex.
        unsafe { posix::pthread_cond_wait(self.raw.get(), guard.mutex.raw.get()) };
        Ok(guard)
    }

    /// Waits while a condition holds.
    #[inline]
    #[allow(clippy::missing_errors_doc)]
    pub fn wait_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut guard) {
            // SAFETY: this thread has locked the mutex.
            unsafe { posix::pthread_cond_wait(self.raw.get(), guard.mutex.raw.get()) };
        }
        Ok(guard)
    }

    /// Lets one thread go on.
    #[inline]
    pub fn notify_one(&self) {
        // SAFETY: it is a condition variable.
        unsafe { posix::pthread_cond_signal(self.raw.get()) };
    }

    /// Lets all threads go on.
    #[inline]
    pub fn notify_all(&self) {
        // SAFETY: it is a condition variable.
        unsafe { posix::pthread_cond_broadcast(self.raw.get()) };
    }
}

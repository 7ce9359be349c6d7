//! Locks of many readers or one writer.

use super::{LockResult, TryLockError, TryLockResult};
use crate::posix::{self, RawRwLock};
use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};

/// As `std::sync::RwLock`.
pub struct RwLock<T: ?Sized> {
    raw: RawRwLock,
    data: UnsafeCell<T>,
}

// SAFETY: one thread that writes has the data, or some that read.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
// SAFETY: one thread that writes has the data, or some that read.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}

impl<T> RwLock<T> {
    /// A lock that is not locked.
    #[inline]
    pub const fn new(value: T) -> RwLock<T> {
        RwLock {
            raw: RawRwLock::new(),
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

impl<T: ?Sized> RwLock<T> {
    /// Locks it for reading.
    #[inline]
    #[allow(clippy::missing_errors_doc)]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        // SAFETY: it is a lock.
        unsafe { posix::pthread_rwlock_rdlock(self.raw.get()) };
        Ok(RwLockReadGuard { lock: self })
    }

    /// Locks it for writing.
    #[inline]
    #[allow(clippy::missing_errors_doc)]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        // SAFETY: it is a lock.
        unsafe { posix::pthread_rwlock_wrlock(self.raw.get()) };
        Ok(RwLockWriteGuard { lock: self })
    }

    /// Locks it for reading if that is possible.
    ///
    /// # Errors
    /// It is locked for writing.
    #[inline]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        // SAFETY: it is a lock.
        match unsafe { posix::pthread_rwlock_tryrdlock(self.raw.get()) } {
            0 => Ok(RwLockReadGuard { lock: self }),
            _ => Err(TryLockError::WouldBlock),
        }
    }

    /// Locks it for writing if that is possible.
    ///
    /// # Errors
    /// It is locked.
    #[inline]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        // SAFETY: it is a lock.
        match unsafe { posix::pthread_rwlock_trywrlock(self.raw.get()) } {
            0 => Ok(RwLockWriteGuard { lock: self }),
            _ => Err(TryLockError::WouldBlock),
        }
    }
}

/// A lock that is locked for reading, which is unlocked where this ends.
#[must_use]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
}

/// A lock that is locked for writing, which is unlocked where this ends.
#[must_use]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: it is locked for reading.
        unsafe { &*self.lock.data.get() }
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: it is locked for writing.
        unsafe { &*self.lock.data.get() }
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: it is locked for writing.
        unsafe { &mut *self.lock.data.get() }
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this thread has locked it.
        unsafe { posix::pthread_rwlock_unlock(self.lock.raw.get()) };
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this thread has locked it.
        unsafe { posix::pthread_rwlock_unlock(self.lock.raw.get()) };
    }
}

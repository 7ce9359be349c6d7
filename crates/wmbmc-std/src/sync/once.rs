//! What is done once.

use super::Mutex;
use core::cell::{Cell, UnsafeCell};
use core::mem::MaybeUninit;
use core::ops::Deref;
use core::sync::atomic::{AtomicBool, Ordering};

/// As `std::sync::Once`.
pub struct Once {
    done: AtomicBool,
    running: Mutex<()>,
}

impl Once {
    /// Nothing has been done.
    #[inline]
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Once {
        Once {
            done: AtomicBool::new(false),
            running: Mutex::new(()),
        }
    }

    /// Calls a function unless one has been called, or waits for the thread that calls it.
    #[inline]
    pub fn call_once<F: FnOnce()>(&self, f: F) {
        if self.is_completed() {
            return;
        }
        let running = self.running.locked();
        if !self.done.load(Ordering::Relaxed) {
            f();
            self.done.store(true, Ordering::Release);
        }
        drop(running);
    }

    /// Whether a function has been called, and has returned.
    #[inline]
    pub fn is_completed(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }
}

/// As `std::sync::OnceLock`.
pub struct OnceLock<T> {
    once: Once,
    value: UnsafeCell<MaybeUninit<T>>,
}

// SAFETY: the value is written once, before it is shared.
unsafe impl<T: Send> Send for OnceLock<T> {}
// SAFETY: the value is written once, before it is shared.
unsafe impl<T: Send + Sync> Sync for OnceLock<T> {}

impl<T> OnceLock<T> {
    /// Without a value.
    #[inline]
    #[allow(clippy::new_without_default)]
    pub const fn new() -> OnceLock<T> {
        OnceLock {
            once: Once::new(),
            value: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// The value, if there is one.
    #[inline]
    pub fn get(&self) -> Option<&T> {
        // SAFETY: it has been written, and is not any more.
        let value = || unsafe { (*self.value.get()).assume_init_ref() };
        self.once.is_completed().then(value)
    }

    /// Writes the value unless there is one.
    ///
    /// # Errors
    /// There is one: what is given is returned.
    #[inline]
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.once.call_once(|| {
            if let Some(value) = value.take() {
                // SAFETY: no other thread reads or writes it.
                unsafe { (*self.value.get()).write(value) };
            }
        });
        match value {
            None => Ok(()),
            Some(value) => Err(value),
        }
    }

    /// The value, which a function makes if there is none.
    #[inline]
    pub fn get_or_init<F: FnOnce() -> T>(&self, f: F) -> &T {
        self.once.call_once(|| {
            let value = f();
            // SAFETY: no other thread reads or writes it.
            unsafe { (*self.value.get()).write(value) };
        });
        // SAFETY: it has been written.
        unsafe { (*self.value.get()).assume_init_ref() }
    }
}

impl<T> Drop for OnceLock<T> {
    #[inline]
    fn drop(&mut self) {
        if self.once.is_completed() {
            // SAFETY: it has been written, and this is its last use.
            unsafe { self.value.get_mut().assume_init_drop() };
        }
    }
}

/// As `std::sync::LazyLock`.
pub struct LazyLock<T, F = fn() -> T> {
    value: OnceLock<T>,
    make: Cell<Option<F>>,
}

// SAFETY: the function is called by one thread, and the value is written once, before it is shared.
unsafe impl<T: Send + Sync, F: Send> Sync for LazyLock<T, F> {}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// A value that a function makes when it is first used.
    #[inline]
    pub const fn new(make: F) -> LazyLock<T, F> {
        LazyLock {
            value: OnceLock::new(),
            make: Cell::new(Some(make)),
        }
    }

    /// The value.
    #[inline]
    pub fn force(this: &LazyLock<T, F>) -> &T {
        this.value.get_or_init(|| match this.make.take() {
            Some(make) => make(),
            None => unreachable!(),
        })
    }
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        LazyLock::force(self)
    }
}

//! A ring of places. The producer alone writes `written`, the consumer alone writes `read`; both only grow. A place
//! is the producer's until `written` has passed it, and then the consumer's until `read` has.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How the producer says that an item is there. What it has written to the place has to be seen with that; the
/// textbook has no word on it.
const PUBLISH: Ordering = if cfg!(feature = "textbook") {
    Ordering::Relaxed
} else {
    Ordering::Release
};

struct Ring<T, const N: usize> {
    places: [UnsafeCell<MaybeUninit<T>>; N],
    written: AtomicUsize,
    read: AtomicUsize,
}

// SAFETY: a place belongs to one of the two threads at a time.
unsafe impl<T: Send, const N: usize> Sync for Ring<T, N> {}

impl<T, const N: usize> Drop for Ring<T, N> {
    fn drop(&mut self) {
        for i in *self.read.get_mut()..*self.written.get_mut() {
            // SAFETY: an item that has been written and not read.
            unsafe { self.places[i % N].get_mut().assume_init_drop() };
        }
    }
}

/// The end that items are put in at.
pub struct Producer<T, const N: usize>(Arc<Ring<T, N>>);

/// The end that they are taken out at.
pub struct Consumer<T, const N: usize>(Arc<Ring<T, N>>);

/// Both ends of a queue of at most `N` items.
pub fn queue<T, const N: usize>() -> (Producer<T, N>, Consumer<T, N>) {
    let ring = Arc::new(Ring {
        places: [const { UnsafeCell::new(MaybeUninit::uninit()) }; N],
        written: AtomicUsize::new(0),
        read: AtomicUsize::new(0),
    });
    (Producer(ring.clone()), Consumer(ring))
}

impl<T, const N: usize> Producer<T, N> {
    /// Puts an item in, or returns it if there is no place.
    pub fn push(&mut self, item: T) -> Result<(), T> {
        let ring = &*self.0;
        let written = ring.written.load(Ordering::Relaxed);
        if written - ring.read.load(Ordering::Acquire) == N {
            return Err(item);
        }
        // SAFETY: the consumer has read what was in the place, and does not look at it before it is published.
        unsafe { (*ring.places[written % N].get()).write(item) };
        ring.written.store(written + 1, PUBLISH);
        Ok(())
    }
}

impl<T, const N: usize> Consumer<T, N> {
    /// Takes the oldest item out, if there is one.
    pub fn pop(&mut self) -> Option<T> {
        let ring = &*self.0;
        let read = ring.read.load(Ordering::Relaxed);
        if ring.written.load(Ordering::Acquire) == read {
            return None;
        }
        // SAFETY: the producer has published the item, and does not use the place before it has been read.
        let item = unsafe { (*ring.places[read % N].get()).assume_init_read() };
        ring.read.store(read + 1, Ordering::Release);
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::queue;

    #[test]
    fn what_is_left_is_dropped() {
        let (mut producer, mut consumer) = queue::<Box<u32>, 2>();
        assert_eq!(producer.push(Box::new(1)), Ok(()));
        assert_eq!(producer.push(Box::new(2)), Ok(()));
        assert_eq!(producer.push(Box::new(3)), Err(Box::new(3)));
        assert_eq!(consumer.pop(), Some(Box::new(1)));
    }
}

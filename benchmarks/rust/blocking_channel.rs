// A channel for one message whose ends borrow it; the receiver parks until the message is there. In its broken form
// the receiver looks once.
//
// run: --check assert,memory,deadlock
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso,rc11,aarch64=UNSAFE

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(not(wmbmc))]
use std::thread::{self, Thread};
#[cfg(wmbmc)]
use wmbmc_std::thread::{self, Thread};

struct Channel<T> {
    message: UnsafeCell<MaybeUninit<T>>,
    ready: AtomicBool,
}

unsafe impl<T: Send> Sync for Channel<T> {}

struct Sender<'c, T> {
    channel: &'c Channel<T>,
    receiver: Thread,
}

struct Receiver<'c, T>(&'c Channel<T>);

impl<T> Channel<T> {
    fn new() -> Self {
        Channel {
            message: UnsafeCell::new(MaybeUninit::uninit()),
            ready: AtomicBool::new(false),
        }
    }

    fn split(&mut self) -> (Sender<'_, T>, Receiver<'_, T>) {
        let channel = &*self;
        let receiver = thread::current();
        (Sender { channel, receiver }, Receiver(channel))
    }
}

impl<T> Sender<'_, T> {
    fn send(self, message: T) {
        unsafe { (*self.channel.message.get()).write(message) };
        self.channel.ready.store(true, Ordering::Release);
        self.receiver.unpark();
    }
}

impl<T> Receiver<'_, T> {
    fn receive(self) -> T {
        let is_missing = || !self.0.ready.swap(false, Ordering::Acquire);
        if cfg!(broken) {
            assert!(!is_missing(), "the message is there");
        } else {
            while is_missing() {
                thread::park();
            }
        }
        unsafe { (*self.0.message.get()).assume_init_read() }
    }
}

fn main() {
    let mut channel = Channel::new();
    let (sender, receiver) = channel.split();
    thread::scope(|scope| {
        scope.spawn(|| sender.send((3u8, 4u32)));
        assert_eq!(receiver.receive(), (3, 4));
    });
}

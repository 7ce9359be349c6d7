// A channel for one message, with two ends that threads own. In its broken form the message is announced before it is
// there.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso,rc11,aarch64=UNSAFE

use std::cell::UnsafeCell;
use std::hint::spin_loop;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

struct Channel<T> {
    message: UnsafeCell<MaybeUninit<T>>,
    ready: AtomicBool,
}

unsafe impl<T: Send> Sync for Channel<T> {}

struct Sender<T>(Arc<Channel<T>>);
struct Receiver<T>(Arc<Channel<T>>);

fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let channel = Arc::new(Channel {
        message: UnsafeCell::new(MaybeUninit::uninit()),
        ready: AtomicBool::new(false),
    });
    (Sender(channel.clone()), Receiver(channel))
}

impl<T> Sender<T> {
    fn send(self, message: T) {
        if cfg!(broken) {
            self.0.ready.store(true, Ordering::Release);
        }
        unsafe { (*self.0.message.get()).write(message) };
        self.0.ready.store(true, Ordering::Release);
    }
}

impl<T> Receiver<T> {
    fn receive(self) -> T {
        while !self.0.ready.load(Ordering::Acquire) {
            spin_loop();
        }
        unsafe { (*self.0.message.get()).assume_init_read() }
    }
}

fn main() {
    let (sender, receiver) = channel();
    let thread = thread::spawn(move || sender.send([1u32, 2]));
    assert_eq!(receiver.receive(), [1, 2]);
    thread.join().unwrap();
}

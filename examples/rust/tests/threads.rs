//! The queue between two threads.

use hand_over::queue::queue;
#[cfg(not(wmbmc))]
use std::{hint::spin_loop, thread};
#[cfg(wmbmc)]
use wmbmc_std::{hint::spin_loop, thread};

/// Three items go through two places: the threads wait for each other.
#[test]
fn items_arrive_in_order() {
    let (mut producer, mut consumer) = queue::<Box<u32>, 2>();
    let thread = thread::spawn(move || {
        for item in 1..=3 {
            let mut item = Box::new(item);
            while let Err(back) = producer.push(item) {
                item = back;
                spin_loop();
            }
        }
    });
    for expected in 1..=3 {
        let item = loop {
            match consumer.pop() {
                Some(item) => break item,
                None => spin_loop(),
            }
        };
        assert_eq!(*item, expected);
    }
    thread.join().unwrap();
}

/// Whoever finds an item finds its value.
#[test]
fn an_item_has_its_value() {
    let (mut producer, mut consumer) = queue::<u32, 1>();
    let thread = thread::spawn(move || producer.push(7));
    if let Some(item) = consumer.pop() {
        assert_eq!(item, 7);
    }
    assert_eq!(thread.join().unwrap(), Ok(()));
}

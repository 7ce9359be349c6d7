// A table that many read and one changes, behind a lock of readers and writers. The broken form changes it under two
// locks one after the other.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso,rc11,aarch64=UNSAFE

use std::sync::Arc;
#[cfg(not(wmbmc))]
use std::{sync::RwLock, thread};
#[cfg(wmbmc)]
use wmbmc_std::{sync::RwLock, thread};

struct Table {
    count: u32,
    sum: u32,
}

fn main() {
    let table = Arc::new(RwLock::new(Table { count: 0, sum: 0 }));
    let writer = table.clone();
    let writer = thread::spawn(move || {
        if cfg!(broken) {
            writer.write().unwrap().count += 1;
            writer.write().unwrap().sum += 10;
            return;
        }
        let mut table = writer.write().unwrap();
        table.count += 1;
        table.sum += 10;
    });
    let (count, sum) = {
        let table = table.read().unwrap();
        (table.count, table.sum)
    };
    assert_eq!(sum, 10 * count);
    writer.join().unwrap();
}

//! Limits of time, memory and size: tests that ask how long something takes are here, beside few others.

mod kept;
mod passed;
mod unwinding;

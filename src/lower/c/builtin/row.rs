//! A row of the registry: what is known of a function of the library, and what a call of it does.

use super::call::Call;
use super::{Lowered, Lowering, TypedValue};

/// What a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// It has no result.
    Nothing,
    /// It does not come back.
    Never,
    /// 0: for reasons that are not modelled it does not fail.
    Zero,
    /// 0, or the number of an error.
    Error,
    /// 0, or -1 where it fails.
    Failure,
    /// `thrd_success`, or what C11 says of a failure.
    Status,
    /// 0, or any other number for true.
    Truth,
    /// A number of which the sign alone says something.
    Sign,
    /// What its arguments and memory determine.
    Exact,
    /// A number that is not below this one.
    From(i64),
    /// A number between these.
    Within(i64, i64),
    /// Any value of its type.
    Any,
}

/// What becomes of `errno`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errno {
    /// Nothing.
    Kept,
    /// The error with which the function fails.
    Set,
    /// Any error, or nothing: it may fail for reasons that are not modelled.
    May,
}

/// A part of the lowering of calls.
pub(super) type Lower<T> = for<'a> fn(&mut Lowering<'a>, &Call<'a>) -> Lowered<T>;

/// What the call of a function does, beside `errno` that may be set.
#[derive(Clone, Copy, Debug)]
pub(super) enum Effect {
    /// This; the result is what the row says: 0, or a number of that kind.
    Does(Lower<()>),
    /// This, with a result.
    Gives(Lower<TypedValue>),
    /// The same; without a result it is a function that is not known, called so.
    Perhaps(Lower<Option<TypedValue>>),
}

/// Its arguments are evaluated.
pub(super) const PLAIN: Effect = Effect::Does(|l, c| l.discard_all(c.args));
/// What `front/c/library.c` says.
pub(super) const TEXT: Effect = Effect::Perhaps(|l, c| l.given_call(c));

/// A function.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// What it returns.
    pub returns: Returns,
    /// What becomes of `errno`.
    pub errno: Errno,
    /// The text that says so: a section of C11, or the page of POSIX or of a platform with its name.
    pub source: &'static str,
    /// What has to be so, in words; empty where any arguments will do.
    pub requires: &'static str,
    pub(super) effect: Effect,
}

/// A header, empty for what no header has, and its functions.
pub(super) type Header = (&'static str, &'static [Row]);

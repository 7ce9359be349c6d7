//! Events by their dense numbers.

use crate::id;

id!(
    /// An event that matters to the model, numbered densely.
    Node,
    "n"
);

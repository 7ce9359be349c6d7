//! Events by their dense numbers.

use base::id;

id!(
    /// An event that matters to the model, numbered densely.
    Node,
    "n"
);

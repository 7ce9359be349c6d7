//! Types as memory sees them.

use super::operator::Width;
use base::id;

id!(
    /// A type as memory sees it.
    LayoutId,
    "layout"
);

/// A type as memory sees it: where its scalars are.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum Layout {
    /// An integer or pointer of `width` bits (8, 16, 32 or 64); `_Bool` has 8.
    Scalar {
        /// Bits.
        width: Width,
    },
    /// `count` elements; a flexible array member has count 0.
    Array {
        /// Element type.
        elem: LayoutId,
        /// How many.
        count: u64,
    },
    /// A structure or union: fields with their byte offsets.
    Struct {
        /// Fields in the order of declaration.
        fields: Vec<Field>,
        /// Bytes, padding included.
        size: u64,
        /// Bytes; a packed one has 1.
        align: u64,
    },
}

/// What the bits of a scalar are, for those who look at them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ScalarKind {
    /// An integer, or unknown.
    #[default]
    Integer,
    /// A floating-point number.
    Float,
    /// The address of something.
    Pointer,
}

/// A field of a [`Layout::Struct`].
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Field {
    /// Name; empty for an anonymous member.
    pub name: String,
    /// Byte offset.
    pub offset: u64,
    /// Type.
    pub layout: LayoutId,
}

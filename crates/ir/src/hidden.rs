//! Objects that no file of a program defines, and what is not known of them.

/// What is not known of an object that no file defines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Hidden {
    /// Its type is not complete.
    All,
    /// What the pointers in these bytes, offsets from the first to the one behind the last, point to.
    Pointers(Vec<(u64, u64)>),
}

impl Hidden {
    /// Whether some bytes at an offset are not known.
    pub fn is_at(&self, offset: u64, bytes: u64) -> bool {
        match self {
            Hidden::All => true,
            Hidden::Pointers(all) => all.iter().any(|(begin, end)| {
                offset < *end
                    && offset
                        .checked_add(bytes)
                        .is_none_or(|behind| *begin < behind)
            }),
        }
    }
}

/// What the access is that is not supported of such an object, by its name.
pub fn hidden_text(name: &str) -> String {
    format!("an access to what is not known of `{name}`, which no file defines")
}

//! Comments of the languages that come from OCaml: `(* … *)`, nested.

/// The length of the comment that begins the text; `None` when it is not closed.
pub fn comment_len(bytes: &[u8]) -> Option<usize> {
    let (mut depth, mut at) = (0, 0);
    loop {
        match bytes.get(at..at + 2)? {
            b"(*" => depth += 1,
            b"*)" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return Some(at);
        }
    }
}

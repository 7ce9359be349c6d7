//! Barriers of SPARC, of which nothing else is known.

use crate::front::litmus::template::lines;
use ir::program::Fence;

/// The barriers of a template that has no other instructions.
pub fn barriers(template: &str) -> Option<Vec<Fence>> {
    let lines = lines(template);
    lines.iter().map(|line| barrier(&line.text)).collect()
}

/// `stbar`, or `membar #StoreLoad | #StoreStore`
fn barrier(text: &str) -> Option<Fence> {
    const KNOWN: [&str; 6] = [
        "#loadload",
        "#loadstore",
        "#storeload",
        "#storestore",
        "#sync",
        "#memissue",
    ];
    let text = text.to_lowercase();
    let flags: String = match text.as_str() {
        "stbar" => "#storestore".to_string(),
        _ => text.strip_prefix("membar")?.split_whitespace().collect(),
    };
    if flags.is_empty() || !flags.split('|').all(|f| KNOWN.contains(&f)) {
        return None;
    }
    let has = |flag: &str| {
        ["#sync", "#memissue", flag]
            .iter()
            .any(|f| flags.contains(f))
    };
    Some(Fence::Membar {
        load_load: has("#loadload"),
        load_store: has("#loadstore"),
        store_load: has("#storeload"),
        store_store: has("#storestore"),
    })
}

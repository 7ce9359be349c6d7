use wmbmc::front::c::{self, Options};
use wmbmc::front::source::SourceMap;
use wmbmc::ir::lower::c::lower;
use wmbmc::ir::program::DataModel;
fn main() {
    let mut seed: u64 = std::env::var("SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let mut rnd = move |n: usize| { seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); ((seed >> 33) as usize) % n.max(1) };
    let (mut ok, mut err) = (0, 0);
    let files: Vec<String> = std::env::args().skip(1).collect();
    for f in &files {
        let text = std::fs::read_to_string(f).unwrap();
        let toks = c::scan::scan(&text);
        for _ in 0..15 {
            let mut t = text.clone();
            for _ in 0..1 + rnd(2) {
                let lo = toks.len() / 4; // late tokens are the program
                let a = toks[lo + rnd(toks.len() - lo)]; let b = toks[lo + rnd(toks.len() - lo)];
                if a.end > t.len() || !t.is_char_boundary(a.start) || !t.is_char_boundary(a.end) { continue; }
                match rnd(4) {
                    0 => t.replace_range(a.start..a.end, ""),
                    1 => t.insert_str(a.start, &format!(" {} ", b.text(&text))),
                    2 => t.replace_range(a.start..a.end, b.text(&text)),
                    _ => t.truncate(a.start.max(text.len() / 2)),
                }
            }
            let p = format!("/tmp/ct/fuzz{}.i", std::process::id());
            std::fs::write(&p, &t).unwrap();
            let p2 = p.clone();
            let r = std::panic::catch_unwind(move || {
                let mut s = SourceMap::default();
                let r = c::parse(&mut s, std::path::Path::new(&p2), &Options::default()).and_then(|u| lower(&s, &u, DataModel::Lp64));
                match r { Ok(p) => { if let Err(e) = wmbmc::ir::validate::check(&p) { panic!("INVALID {e}"); } let _ = p.to_string(); true }
                    Err(d) => { for d in &d { assert!(!d.message.is_empty()); assert!(!d.message.contains("failed on this")); let _ = d.render(&s, false); } assert!(!d.is_empty()); false } }
            });
            match r { Ok(true) => ok += 1, Ok(false) => err += 1, Err(_) => { let q = format!("/tmp/ct/crash{}.i", ok + err); std::fs::copy(&p, &q).unwrap(); println!("CRASH {f} {q}"); } }
        }
    }
    println!("ok {ok} err {err}");
}

use wmbmc::front::c::{self, Options};
use wmbmc::front::source::SourceMap;
use wmbmc::ir::lower::c::lower;
use wmbmc::ir::program::DataModel;
fn main() {
    let unknown = std::env::args().any(|a| a == "--unknown");
    let spans = std::env::args().any(|a| a == "--spans");
    for a in std::env::args().skip(1).filter(|a| !a.starts_with("--")) {
        let mut s = SourceMap::default();
        let o = Options { pointer_width: if std::env::var("M32").is_ok() { 32 } else { 64 }, ..Options::default() };
        let dm = if o.pointer_width == 32 { DataModel::Ilp32 } else { DataModel::Lp64 };
        let r = c::parse(&mut s, std::path::Path::new(&a), &o).and_then(|u| lower(&s, &u, dm));
        match r {
            Ok(p) if unknown => {
                for l in p.to_string().lines().filter(|l| l.contains("unknown \"")) { println!("{a}: {l}"); }
            }
            Ok(p) => { print!("{p}");
              if spans { for q in p.procs.iter() { for (i,x) in q.body.iter().enumerate() { println!("{} {i} {} `{}`", q.name, s.location(x.span), s.snippet(x.span)); } } }
              if let Err(e) = wmbmc::ir::validate::check(&p) { println!("INVALID {e}"); } }
            Err(d) => for d in d { print!("{}", d.render(&s, false)); }
        }
    }
}

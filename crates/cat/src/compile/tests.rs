use super::compile;
use crate::model::{Arch, AxiomKind, BaseRel, Model, Rel};
use base::source::SourceMap;
use proptest::prelude::*;

fn model(text: &str) -> Model {
    let mut sources = SourceMap::default();
    let file = sources.add("test.cat", text);
    compile(&mut sources, file, "test").unwrap_or_else(|errors| {
        panic!(
            "{}",
            errors
                .iter()
                .map(|e| e.render(&sources, false))
                .collect::<String>()
        )
    })
}

/// What the last axiom asks about.
fn single(text: &str) -> (Model, Rel) {
    let model = model(text);
    let rel = model.rels[model.axioms.last().expect("the text has an axiom").rel].clone();
    (model, rel)
}

#[test]
fn built_in_models_compile() {
    let arches = [
        Arch::Sc,
        Arch::X86,
        Arch::Pso,
        Arch::Membar,
        Arch::Membar,
        Arch::Power,
        Arch::Power,
        Arch::Arm,
        Arch::Aarch64,
        Arch::Riscv,
    ];
    for ((name, _), arch) in crate::names().zip(arches) {
        let model = model(crate::text(name).expect("listed models have a text"));
        assert_eq!(model.arch, Some(arch), "{name}");
        assert!(crate::builtin(name).is_some());
    }
    assert!(crate::builtin("cos").is_none());
}

#[test]
fn functions_are_inlined_and_unused_things_are_gone() {
    let (model, rel) =
        single("let f(a, b) = a; b\nlet g r = f(r, rf)\nlet unused = po; po\nacyclic g co as a");
    assert!(matches!(rel, Rel::Seq(..)));
    assert_eq!(model.rels.len(), 3);
    assert_eq!(model.axioms[0].name, "a");
}

#[test]
fn names_are_those_of_the_text_that_matter() {
    let (model, _) =
        single("let mine = po | rf\nlet other = po; po\nlet mine = mine | co\nacyclic mine");
    let names: Vec<&str> = model.names.iter().map(|(n, _)| n.as_str()).collect();
    assert_eq!(names, ["mine"]);
    assert_eq!(model.names[0].1, model.axioms[0].rel);
}

#[test]
fn a_definition_sees_the_names_before_it() {
    // The second `a` is made from the first; `f` keeps the first.
    let (_, rel) = single("let a = po\nlet f x = a\nlet a = rf | a\nacyclic f 0");
    assert_eq!(rel, Rel::Base(BaseRel::Po));
}

#[test]
fn transitive_recursion_is_closure() {
    let (model, rel) = single("let rec r = po | r; r | rf\nacyclic r");
    assert!(matches!(rel, Rel::Plus(_)));
    assert!(model.recs.is_empty());
    let (model, rel) = single("let rec r = po | (r; rf) | (co; r)\nacyclic r");
    let (_, same) = single("acyclic co*; po; rf*");
    assert_eq!((model.recs.len(), rel), (0, same));
    let (model, _) = single("let rec r = po | (r; rf) | (r; r)\nacyclic r");
    assert_eq!(model.recs.len(), 1);
    let (model, _) = single("let rec r = po | (co; r; rf)\nacyclic r");
    assert_eq!(model.recs.len(), 1);
    let (model, rel) = single("let rec r = po\nacyclic r");
    assert_eq!((model.recs.len(), rel), (0, Rel::Base(BaseRel::Po)));
}

#[test]
fn recursion_may_subtract_what_does_not_recur() {
    let model = model("let rec r = (po | (s; rf)) \\ co and s = r | rf\nacyclic s");
    assert_eq!(model.recs.len(), 2);
}

#[test]
fn coherence_is_chosen_by_the_execution() {
    let text = "include \"cos.cat\"\nwith co from generate_cos(co0)\nlet fr = (rf^-1; co) \\ id\nacyclic fr";
    let (model, rel) = single(text);
    assert_eq!((model.axioms.len(), rel), (1, Rel::Base(BaseRel::Fr)));
    // What is asked of it besides is an axiom.
    let (model, _) = single("with co from generate_cos(co0 | rf; po-loc)");
    assert_eq!(model.axioms[0].kind, AxiomKind::Empty);
}

#[test]
fn variants_are_off() {
    let (_, rel) = single("if \"v\"\nacyclic rf\nelse\nacyclic po\nend");
    assert_eq!(rel, Rel::Base(BaseRel::Po));
    let (_, rel) =
        single("let r = if not \"v\" && (\"w\" || not \"v\") then po else rf\nacyclic r");
    assert_eq!(rel, Rel::Base(BaseRel::Po));
}

#[test]
fn try_is_for_unknown_names() {
    let (_, rel) = single(
        "let s = try DMB.ISH with emptyset\nlet r = try fencerel(DSB) with 0\nacyclic [s] | r",
    );
    assert_eq!(rel, Rel::Empty);
    let mut sources = SourceMap::default();
    let file = sources.add("test.cat", "let s = try (R; po) with 0");
    assert_eq!(
        compile(&mut sources, file, "test")
            .expect_err("not a relation")
            .len(),
        1
    );
}

#[test]
fn procedures_make_axioms() {
    let (model, _) =
        single("procedure p(a, b) =\n let c = a | b\n acyclic c\nend\ncall p(po, rf) as mine");
    assert_eq!(model.axioms[0].name, "mine");
    assert!(matches!(model.rels[model.axioms[0].rel], Rel::Union(..)));
}

#[test]
fn a_flag_that_cannot_be_raised_is_no_error() {
    let (model, _) = single("flag ~empty (try DMB.OSH with {}) as old\nacyclic po");
    assert_eq!(model.axioms.len(), 1);
}

#[test]
fn what_is_not_known_to_have_an_instruction_for_it_may_have_a_linked_pair() {
    for (name, _) in crate::names() {
        let linked = [
            "alpha",
            "power2010",
            "power",
            "armv7",
            "aarch64",
            "riscv",
            "rc11",
            "lkmm",
        ]
        .contains(&name);
        assert_eq!(
            crate::builtin(name).map(|m| m.linked),
            Some(linked),
            "{name}"
        );
    }
    assert!(model("MEMBAR \"mine\"\nacyclic po").linked);
    assert!(model("\"mine\"\nacyclic po").linked);
}

#[test]
fn the_machine_is_named_or_guessed() {
    assert_eq!(model("PPC \"mine\"\nacyclic po").arch, Some(Arch::Power));
    assert_eq!(
        model("\"mine\"\nacyclic fencerel(MFENCE)").arch,
        Some(Arch::X86)
    );
    assert_eq!(
        model("\"mine\"\nacyclic fencerel(LOADLOAD)").arch,
        Some(Arch::Membar)
    );
    assert_eq!(
        model("\"mine\"\nacyclic fencerel(SYNC | MFENCE)").arch,
        None
    );
    assert_eq!(model("\"mine\"\nacyclic po").arch, None);
}

#[test]
fn unnamed_axioms_are_named_by_their_text() {
    assert_eq!(
        model("acyclic po-loc |\n  rf").axioms[0].name,
        "po-loc | rf"
    );
}

/// Statements that are often right at their beginning.
const BEGINS: [&str; 6] = [
    "let x =",
    "let rec y =",
    "let f x =",
    "acyclic",
    "empty",
    "",
];

const WORDS: &str = "let rec and acyclic irreflexive empty as fun in flag begin end procedure call match with \
    from try if then else not include \"cos.cat\" \"v\" x y f po rf co R W domain generate_cos ( ) { } [ ] _ 0 \
    | || & * ~ + ^-1 \\ ? = ; , -> ++ po rf x y po | ; &";

proptest! {
    #[test]
    fn any_tokens_are_compiled_or_refused(
        lines in proptest::collection::vec((0..BEGINS.len(), proptest::collection::vec(0..64usize, 0..9)), 0..6)
    ) {
        let words: Vec<&str> = WORDS.split_whitespace().collect();
        let line = |(begin, rest): &(usize, Vec<usize>)| {
            let rest: Vec<&str> = rest.iter().map(|w| words[w % words.len()]).collect();
            format!("{} {}\n", BEGINS[*begin], rest.join(" "))
        };
        let mut sources = SourceMap::default();
        let file = sources.add("fuzz.cat", lines.iter().map(line).collect::<String>());
        if let Err(errors) = compile(&mut sources, file, "fuzz") {
            prop_assert!(!errors.is_empty());
            errors.iter().for_each(|e| drop(e.render(&sources, false)));
        }
    }
}

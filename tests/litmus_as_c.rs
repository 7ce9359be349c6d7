//! Litmus tests written as C: the program is accepted, and an execution that the test asks for
//! exists on the same models.

mod common;

use common::MODELS;
use wmbmc::front::litmus;
use wmbmc::front::source::SourceMap;
use wmbmc::ir::{emit, lower};

/// The test as C.
fn c_program(text: &str) -> Result<String, String> {
    let mut sources = SourceMap::default();
    let file = sources.add("t.litmus", text);
    let test = litmus::parse_file(&sources, file)
        .and_then(|t| lower::litmus::lower(&sources, &t))
        .unwrap_or_else(|e| panic!("{}", e[0].render(&sources, false)));
    emit::c_program(&test).map_err(|e| e.message)
}

/// Checks the test as C on all models; `reachable` names those on which the assertion fails.
fn check(name: &str, text: &str, reachable: &str) {
    let program = c_program(text).expect("C has words for it");
    let path = std::env::temp_dir().join(format!("wmbmc-{}-{name}.c", std::process::id()));
    std::fs::write(&path, &program).expect("the folder for temporary files can be written");
    let file = path.display().to_string();
    let fails = MODELS.iter().filter(|model| {
        let output = common::wmbmc([file.as_str(), "--mm", model, "--format", "json"]);
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|e| panic!("{name}: {e}\n{program}\n{output:?}"));
        match answer["verdict"].as_str() {
            Some("UNSAFE") => true,
            Some("SAFE") => false,
            other => panic!("{name} on {model}: {other:?}\n{program}"),
        }
    });
    let fails: Vec<&str> = fails.copied().collect();
    std::fs::remove_file(&path).expect("it was written above");
    assert_eq!(fails.join(" "), reachable, "{name}\n{program}");
}

/// Two threads of Power with the usual registers.
fn ppc(columns: &str, question: &str) -> String {
    let init = "0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x;";
    format!("PPC t\n{{ {init} }}\n P0 | P1 ;\n{columns}{question}\n")
}

#[test]
fn store_buffering() {
    let plain = "X86 t\n{}\n P0 | P1 ;\n mov [x],$1 | mov [y],$1 ;\n\
                 mov EAX,[y] | mov EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";
    check("sb", plain, "tso pso rmo alpha power2010 power");
    let fenced = plain.replace("\nmov EAX,[y]", "\nmfence | mfence ;\nmov EAX,[y]");
    check("sb-mfence", &fenced, "");
    let one = plain.replace("\nmov EAX,[y] |", "\nmfence | ;\nmov EAX,[y] |");
    check("sb-mfence-po", &one, "tso pso rmo alpha power2010 power");
    let locked = "X86 t\n{ 0:EAX=1; 1:EAX=1; }\n P0 | P1 ;\n xchg [x],EAX | lock inc [y] ;\n\
                  mov EAX,[y] | mov EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";
    check("sb-locked", locked, "");
}

#[test]
fn message_passing() {
    let rows = "li r1,1 | lwz r1,0(r2) ;\n stw r1,0(r2) | xor r3,r1,r1 ;\n\
                FENCE | lwzx r5,r3,r4 ;\n stw r1,0(r4) | ;\n";
    let asked = "exists (1:r1=1 /\\ 1:r5=0)";
    check(
        "mp-addr",
        &ppc(&rows.replace("FENCE", ""), asked),
        "pso rmo alpha power2010 power",
    );
    check(
        "mp-lwsync-addr",
        &ppc(&rows.replace("FENCE", "lwsync"), asked),
        "alpha power2010",
    );
    let ctrl = rows.replace("lwzx r5,r3,r4", "lwz r5,0(r4)").replace(
        "xor r3,r1,r1 ;",
        "cmpw r1,r1 ;\n | beq L ;\n | L: isync ;\n",
    );
    let ctrl = ctrl.replace("FENCE", "lwsync");
    check("mp-lwsync-ctrlisync", &ppc(&ctrl, asked), "rmo alpha power2010");
    check(
        "mp-lwsync-ctrl",
        &ppc(&ctrl.replace(" isync", ""), asked),
        "rmo alpha power2010 power",
    );
}

#[test]
fn load_buffering() {
    let rows = "lwz r1,0(r2) | lwz r1,0(r2) ;\n xor r3,r1,r1 | xor r3,r1,r1 ;\n\
                addi r3,r3,1 | addi r3,r3,1 ;\n stw r3,0(r4) | stw r3,0(r4) ;\n";
    let asked = "exists (0:r1=1 /\\ 1:r1=1)";
    check("lb-data", &ppc(rows, asked), "");
    let plain = rows.replace("xor r3,r1,r1", "li r3,0");
    check("lb", &ppc(&plain, asked), "rmo alpha power2010 power");
}

#[test]
fn questions() {
    let program = "X86 t\n{ x=-1; z[2]={3,4}; }\n P0 ;\n mov EAX,[x] ;\n mov [z+4],EAX ;\n";
    for (question, reachable) in [
        ("forall (z[1]=-1 /\\ 0:EAX=0xffffffff)", ""),
        ("forall (z[0]=4)", "sc tso pso rmo alpha power2010 power"),
        ("filter (z[0]=4) forall false", ""),
        (
            "~exists (z[0]=3 => x=0:EAX)",
            "sc tso pso rmo alpha power2010 power",
        ),
        ("exists (not true \\/ 0:EAX=x)", ""),
    ] {
        check("questions", &format!("{program}{question}\n"), reachable);
    }
}

#[test]
fn what_c_has_no_words_for_is_refused() {
    let linked = ppc("lwarx r1,r0,r2 | ;\n", "exists (0:r1=0)");
    assert_eq!(
        c_program(&linked),
        Err("a reservation cannot be written as C".to_string())
    );
    let pointer = ppc("stw r2,0(r4) | ;\n", "exists (y=x)");
    assert_eq!(
        c_program(&pointer),
        Err("an address in memory cannot be written as C".to_string())
    );
}

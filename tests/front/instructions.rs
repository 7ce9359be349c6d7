//! Printing an instruction and reading it are inverse, for every instruction of every machine.

use proptest::prelude::*;
use support::random::properties;
use support::wmbmc;
use wmbmc::base::source::{SourceMap, Span};
use wmbmc::front::litmus::ast::Machine;
use wmbmc::front::litmus::instruction::line;

const X86: &str = "NOP MFENCE SFENCE LFENCE MOV XCHG ADD SUB AND OR XOR INC DEC NEG NOT BT BTS BTR BTC CMP \
    TEST XADD CMPXCHG JMP JE JNE JL JGE JLE JG JB JAE JBE JA JS JNS JO JNO";
const X86_FORMS: &str =
    "|LOCK|{r}|{r},{r}|{r},${n}|[x],{r}|[x],${n}|{r},[x]|[{r}+{b}],{r}|{r},[{r}-{b}]|[x]|L";

const PPC: &str = "nop blr sync lwsync isync eieio li lis mr neg not extsb extsh extsw add sub subf mullw divw \
    divwu and or xor addi subi addis addic. subfic mulli andi. ori xori slwi srwi clrlwi clrldi rlwinm rlwimi \
    mr. neg. add. subf. and. xor. rlwinm. lbz lhz lwz ld lha lwa lbzu lwzu ldu lbzx lwzx ldx lhax lwax lwzux \
    ldux lbarx lharx lwarx ldarx stb sth stw std stbu stwu stwx stdx stwux stbcx. sthcx. stwcx. stdcx. cmpw \
    cmpd cmplw cmpld cmpwi cmpdi cmplwi cmpldi b beq bne blt bge bgt ble";
const PPC_FORMS: &str = "|{r},{r}|{r},{r},{r}|{r},{n}|{r},{r},{n}|{r},{n}({r})|{r},{r},{b}|{r},{r},{b},{b},{b}|\
    cr3,{r},{r}|cr3,{r},{n}|L|cr5,L|{r},0,{r}";

const AARCH64: &str = "NOP RET ISB DMB DSB LDR LDRB LDRH LDRSB LDRSH LDRSW LDUR LDAR LDARB LDAPR LDAPUR LDAPURSH \
    LDXR LDXRH LDAXR STR STRB STRH STUR STLR STLRH STLUR STXR STXRB STLXR SWP SWPA SWPL SWPAL SWPB LDADD LDADDA \
    LDADDALH LDCLR LDEORL LDSET STADD STADDL STCLR STEOR STSETB CAS CASA CASL CASAL CASH B B.EQ B.NE B.HS B.LO \
    B.MI B.PL B.VS B.VC B.HI B.LS B.GE B.LT B.GT B.LE CBZ CBNZ TBZ TBNZ CSEL CSINC CSINV CSNEG CSET CSETM CINC \
    CINV CNEG ADD ADDS SUB SUBS AND ANDS ORR EOR BIC BICS ORN EON MUL LSL LSR ASR CMP CMN TST MOV MVN NEG UXTB \
    UXTH UXTW SXTB SXTH SXTW";
const AARCH64_FORMS: &str = "|SY|LD|ST|W{r},W{r}|X{r},X{r}|W{r},WZR|W{r},W{r},W{r}|XZR,X{r},X{r}|X{r},X{r},W{r},SXTW #2|\
    X{r},X{r},W{r},UXTB|W{r},W{r},W{r},LSL #{b}|X{r},X{r},X{r},ASR #{b}|X{r},X{r},#{n}|W{r},#{n}|W{r},[X{r}]|\
    X{r},[X{r}]|X{r},[X{r},#{n}]|X{r},[X{r},#{n}]!|X{r},[X{r}],#{n}|X{r},[X{r},W{r},SXTW]|X{r},[X{r},X{r}]|\
    W{r},[X{r},#{n}]|W{r},W{r},[X{r}]|X{r},X{r},[X{r}]|W{r},X{r},[X{r}]|W{r},W{r},W{r},[X{r}]|L|X{r},L|\
    W{r},#{b},L|X{r},X{r},X{r},NE|W{r},W{r},W{r},GT|X{r},LS|X{r},X{r},MI|X{r},W{r}|W{r},W{r},LSR #{b}";

const RISCV: &str = "nop ret fence fence.tso fence.i lb lh lw ld lbu lhu lwu lr.w lr.d lr.w.aq lr.d.aqrl lw.aq sb sh \
    sw sd sc.w sc.d sc.w.rl sw.rl amoswap.w amoadd.d amoand.w.aq amoor.d.rl amoxor.w.aqrl beq bne blt bge bltu \
    bgeu bgt ble bgtu bleu beqz bnez blez bgez bltz bgtz j add sub and or xor mul sll srl sra slt sltu addw subw \
    mulw sllw srlw sraw addi andi ori xori slli srli srai slti sltiu addiw slliw srliw sraiw li mv neg negw not \
    seqz snez sext.w";
const RISCV_FORMS: &str = "|rw,w|r,rw|iorw,ow|io,w|x{r},x{r}|x{r},{n}|x{r},x{r},x{r}|x{r},x{r},{n}|x{r},x{r},{b}|\
    x{r},{n}(x{r})|x{r},(x{r})|x{r},x{r},(x{r})|x{r},L|x{r},x{r},L|L";

const MACHINES: [(Machine, &str, &str); 4] = [
    (Machine::X86, X86, X86_FORMS),
    (Machine::Ppc, PPC, PPC_FORMS),
    (Machine::Aarch64, AARCH64, AARCH64_FORMS),
    (Machine::Riscv, RISCV, RISCV_FORMS),
];

/// An instruction with operands of this form.
fn filled(machine: Machine, mnemonic: &str, form: &str, registers: &[u8], number: i64) -> String {
    let mut text = match form.strip_prefix("LOCK") {
        Some(_) => format!("LOCK {mnemonic} [x],{{r}}"),
        None => format!("{mnemonic} {form}"),
    };
    for register in registers.iter().cycle() {
        let name = match machine {
            Machine::X86 => ["EAX", "EBX", "ESI"][usize::from(register % 3)].to_string(),
            Machine::Ppc => format!("r{register}"),
            _ => register.to_string(),
        };
        if !text.contains("{r}") {
            break;
        }
        text = text.replacen("{r}", &name, 1);
    }
    let bit = number.rem_euclid(31).to_string();
    text.replace("{n}", &number.to_string())
        .replace("{b}", &bit)
}

proptest! {
    #![proptest_config(properties(16))]

    #[test]
    fn printing_and_parsing_are_inverse(
        registers in prop::array::uniform4(0u8..30),
        number in -2048i64..2048,
    ) {
        let mut sources = SourceMap::default();
        let file = sources.add("instruction", String::new());
        let span = Span { file, start: 0, end: 0 };
        for (machine, mnemonics, forms) in MACHINES {
            for mnemonic in mnemonics.split_whitespace() {
                let texts = forms.split('|').map(|f| filled(machine, mnemonic, f, &registers, number));
                let read = texts.filter_map(|text| Some((line(machine, &text, span).ok()?, text)));
                let read: Vec<_> = read.collect();
                prop_assert!(!read.is_empty(), "`{}` is in no form", mnemonic);
                for (instr, text) in read {
                    let printed = instr.to_string();
                    let again = line(machine, &printed, span).map_err(|e| e.message);
                    prop_assert_eq!(again, Ok(instr), "`{}` is printed as `{}`", text, printed);
                }
            }
        }
    }
}

/// Instructions in assembly statements of C that several machines have, and what they leave in the first
/// operand where the others are -5, 9 and, in memory, 7.
const SHARED: [(&str, i64); 13] = [
    ("add %0,%1,%2", 4),
    ("sub %0,%1,%2", -14),
    ("and %0,%1,%2", 9),
    ("or %0,%1,%2", -5),
    ("xor %0,%1,%2", -14),
    ("mul %0,%1,%2", -45),
    ("neg %0,%1", 5),
    ("not %0,%1", 4),
    ("li %0,-7", -7),
    ("addi %0,%1,-3", -8),
    ("ori %0,%2,6", 15),
    ("xori %0,%2,-1", -10),
    ("ld %0,%3", 7),
];

/// Names that several machines have, of instructions whose operands tell them apart, or without a result.
const NOT_SHARED: [&str; 10] = [
    "nop", "ret", "b", "beq", "bne", "blt", "bge", "bgt", "ble", "isb",
];

#[test]
fn what_several_machines_have_means_the_same_on_each() {
    let lists = [PPC, AARCH64, RISCV].map(str::to_lowercase);
    let has = |list: &String, name: &str| list.split_whitespace().any(|n| n == name);
    for name in lists.iter().flat_map(|l| l.split_whitespace()) {
        let machines = lists.iter().filter(|l| has(l, name)).count();
        let is_known = SHARED
            .iter()
            .any(|(t, _)| t.split(' ').next() == Some(name));
        let is_told_apart = NOT_SHARED.contains(&name);
        assert!(machines < 2 || is_known || is_told_apart, "{name}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("statement.c");
    for (template, result) in SHARED {
        let text = format!(
            "#include <assert.h>\nint main(void) {{\n  static long in_memory = 7;\n  long x = -5, y = 9, z;\n  \
             __asm__(\"{template}\" : \"=r\"(z) : \"r\"(x), \"r\"(y), \"m\"(in_memory));\n  \
             assert(z == {result});\n}}\n"
        );
        std::fs::write(&file, text).expect("it can be written");
        for target in ["x86_64", "ppc64le", "aarch64", "riscv64"] {
            let path = file.display().to_string();
            let output = wmbmc([&path, "--target", target, "-q"]);
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(
                said.contains("SAFE") && !said.contains("UNSAFE"),
                "{template} on {target}: {said}"
            );
        }
    }
}

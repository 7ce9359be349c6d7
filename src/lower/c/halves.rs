//! Plain accesses that are wider than a word of the machine.
//!
//! A machine of 32 bits moves 64 bits by two instructions (i386 without SSE, ARM without `ldrd`), and
//! compilers are free in which half goes first, so that another thread may see one half of a plain
//! store (C11 5.1.2.4: it is a data race). Such an access is lowered to accesses of both halves, in an
//! order that each execution chooses for itself. Accesses that are atomic for the language stay one.

use super::{Lowering, fold};
use ir::program::{BinOp, Expr, LocalId, MemoryOrder, Op, Width};

impl Lowering<'_> {
    /// Emits a load of a scalar, in halves where the machine has no such load.
    pub(super) fn emit_load(&mut self, dst: LocalId, addr: Expr, order: MemoryOrder) {
        let width = self.body.proc.locals[dst].width;
        if !self.is_wider_than_a_word(width, order) {
            self.emit(Op::Load { dst, addr, order });
            return;
        }
        let half = width / 2;
        let halves = [self.body.local("", half), self.body.local("", half)];
        let addresses = self.addresses_of_halves(addr, half);
        self.in_any_order(&|this, part| {
            let (dst, addr) = (halves[part], addresses[part].clone());
            this.emit(Op::Load { dst, addr, order });
        });
        let [low, high] = halves.map(|h| fold::resize(Expr::Local(h), half, width, false));
        let shift = Expr::constant(u64::from(half), width);
        let high = fold::binary(BinOp::Shl, high, shift, width);
        let value = fold::binary(BinOp::Or, high, low, width);
        self.emit(Op::Assign { dst, value });
    }

    /// Emits a store of a scalar, in halves where the machine has no such store.
    pub(super) fn emit_store(&mut self, addr: Expr, value: Expr, order: MemoryOrder) {
        let width = self.width_of(&value);
        if !self.is_wider_than_a_word(width, order) {
            self.emit(Op::Store { addr, value, order });
            return;
        }
        let half = width / 2;
        let value = self.bind(value);
        let shift = Expr::constant(u64::from(half), width);
        let high = fold::binary(BinOp::Lshr, value.clone(), shift, width);
        let halves = [value, high].map(|part| fold::resize(part, width, half, false));
        let addresses = self.addresses_of_halves(addr, half);
        self.in_any_order(&|this, part| {
            let (addr, value) = (addresses[part].clone(), halves[part].clone());
            this.emit(Op::Store { addr, value, order });
        });
    }

    fn is_wider_than_a_word(&self, width: Width, order: MemoryOrder) -> bool {
        width > self.pointer_width() && !order.is_atomic()
    }

    /// Where the lower and the higher half of a scalar are: all machines here are little-endian.
    fn addresses_of_halves(&mut self, addr: Expr, half: Width) -> [Expr; 2] {
        let low = self.bind(addr);
        let bytes = self.pointer_constant(u64::from(half) / 8);
        let high = fold::binary(BinOp::Add, low.clone(), bytes, self.pointer_width());
        [low, high]
    }

    /// Emits both parts of an access, 0 and 1, in either order.
    fn in_any_order(&mut self, access: &dyn Fn(&mut Self, usize)) {
        let is_low_first = self.body.local("", 1);
        self.emit(Op::Havoc { dst: is_low_first });
        let (low_first, end) = (self.body.label(), self.body.label());
        self.body.jump(Some(Expr::Local(is_low_first)), low_first);
        access(self, 1);
        access(self, 0);
        self.body.jump(None, end);
        self.body.place(low_first);
        access(self, 0);
        access(self, 1);
        self.body.place(end);
    }
}

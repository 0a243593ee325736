//! Memory: static objects, typed loads and stores, counting and destroying.

use super::{Build, error, exit, fail, module};
use simple_core::layout::{
    ARRAY_LEN, COUNT, FIELDS, IMMORTAL, TEXT_BYTE_LEN, TEXT_CHAR_LEN, TEXT_DATA,
};
use simple_core::table::RtFn;
use simple_middle::mir::{
    BinOp, BytesId, Const, ConvOp, Convention, Desc, DescId, FnId, Inst, MTy, Module, Release,
    StaticId, Term, TextId,
};

#[test]
fn a_text_constant_is_an_immortal_object() {
    let field = |ty, offset| {
        exit(|| {
            let mut f = Build::new("main", &[], &[MTy::I64]);
            let text = f.constant(MTy::Ptr, Const::Text(TextId(0)));
            f.push(Inst::Retain(text, false));
            let dst = f.var(ty);
            f.push(Inst::Load(dst, text, offset));
            f.push(Inst::Release(
                text,
                Release {
                    destroy: None,
                    text: true,
                    nullable: false,
                },
            ));
            let wide = f.conv(ConvOp::SExt, dst, MTy::I64);
            f.ret(wide);
            Module {
                texts: vec!["né".into()],
                ..module(vec![f])
            }
        })
    };
    assert_eq!(field(MTy::I64, COUNT), IMMORTAL + 1);
    assert_eq!(field(MTy::I64, TEXT_BYTE_LEN), 3);
    assert_eq!(field(MTy::I64, TEXT_CHAR_LEN), 2);
    assert_eq!(field(MTy::I8, TEXT_DATA), i64::from(b'n'));
}

#[test]
fn module_variables_constant_bytes_and_empty_arrays() {
    let code = exit(|| {
        let mut f = Build::new("main", &[], &[MTy::I64]);
        let variable = f.constant(MTy::Ptr, Const::Static(StaticId(1)));
        let bytes = f.constant(MTy::Ptr, Const::Bytes(BytesId(0)));
        let array = f.constant(MTy::Ptr, Const::Empty(DescId(0)));
        let (zero, byte, len) = (f.var(MTy::I64), f.var(MTy::I8), f.var(MTy::I64));
        f.push(Inst::Load(zero, variable, 8));
        let forty = f.int(40);
        f.push(Inst::Store(variable, 8, forty));
        f.push(Inst::Load(byte, bytes, 2));
        let byte = f.conv(ConvOp::ZExt, byte, MTy::I64);
        f.push(Inst::Load(len, array, ARRAY_LEN));
        let stored = f.var(MTy::I64);
        f.push(Inst::Load(stored, variable, 8));
        let a = f.bin(BinOp::Add, zero, byte);
        let b = f.bin(BinOp::Add, len, stored);
        let total = f.bin(BinOp::Add, a, b);
        f.ret(total);
        let desc = Desc {
            name: "[i64]".into(),
            destroy: None,
            stride: 8,
            retain_elements: None,
            stored_hash: false,
            ..Desc::default()
        };
        Module {
            statics: vec![8, 16],
            bytes: vec![vec![7, 8, 2].into()],
            descs: vec![desc],
            ..module(vec![f])
        }
    });
    assert_eq!(code, 42);
}

#[test]
fn indexed_accesses_of_every_width_and_scale() {
    for (ty, size) in [
        (MTy::I8, 1),
        (MTy::I16, 2),
        (MTy::I32, 4),
        (MTy::I64, 8),
        (MTy::F32, 4),
        (MTy::F64, 8),
    ] {
        for scale in [size, 8, 24, 40] {
            let code = exit(|| {
                let mut f = Build::new("main", &[], &[MTy::I64]);
                f.func.slots = vec![256];
                let base = f.constant(MTy::Ptr, Const::Slot(simple_middle::mir::SlotId(0)));
                let mut total = f.int(0);
                for index in 0..4 {
                    let at = f.int(index);
                    let value = match ty {
                        MTy::F32 | MTy::F64 => f.constant(ty, Const::Float(index as f64 - 10.0)),
                        _ => f.constant(ty, Const::Int(index - 10)),
                    };
                    f.push(Inst::StoreAt(base, at, scale, 16, value));
                }
                for index in 0..4 {
                    let (at, value, address, again) =
                        (f.int(index), f.var(ty), f.var(MTy::Ptr), f.var(ty));
                    f.push(Inst::LoadAt(value, base, at, scale, 16));
                    f.push(Inst::AddrAt(address, base, at, scale, 8));
                    f.push(Inst::Load(again, address, 8));
                    for value in [value, again] {
                        let op = if matches!(ty, MTy::F32 | MTy::F64) {
                            ConvOp::FloatToInt
                        } else {
                            ConvOp::SExt
                        };
                        let int = f.conv(op, value, MTy::I64);
                        total = f.bin(BinOp::Add, total, int);
                    }
                }
                f.ret(total);
                module(vec![f])
            });
            assert_eq!(code, -68, "{ty:?} {scale}");
        }
    }
}

/// A class of one field, `child`, whose destructor adds one to a module variable and frees the object.
fn destroy() -> Build {
    let mut f = Build::new("destroy", &[MTy::Ptr], &[]);
    f.func.convention = Convention::C;
    let object = f.param(0);
    let (counter, count, child) = (
        f.constant(MTy::Ptr, Const::Static(StaticId(0))),
        f.var(MTy::I64),
        f.var(MTy::Ptr),
    );
    f.push(Inst::Load(count, counter, 0));
    let one = f.int(1);
    let count = f.bin(BinOp::Add, count, one);
    f.push(Inst::Store(counter, 0, count));
    f.push(Inst::Load(child, object, FIELDS));
    // By its descriptor: this object's type is not known here.
    f.push(Inst::Release(
        child,
        Release {
            destroy: None,
            text: false,
            nullable: true,
        },
    ));
    let size = f.int(24);
    f.push(Inst::CallRuntime {
        dst: None,
        func: RtFn::Free,
        args: vec![object, size],
        fail: None,
    });
    f.end(Term::Return(vec![]));
    f
}

#[test]
fn the_last_release_destroys_an_object_and_what_it_holds() {
    for (retains, expected) in [(0, 2), (1, 0)] {
        let code = exit(|| {
            let mut f = Build::new("main", &[], &[MTy::I64]);
            let desc = f.constant(MTy::Ptr, Const::Desc(DescId(0)));
            let (size, null) = (f.int(24), f.constant(MTy::Ptr, Const::Int(0)));
            let (child, parent) = (f.var(MTy::Ptr), f.var(MTy::Ptr));
            for (object, field) in [(child, null), (parent, child)] {
                let args = vec![size, desc];
                f.push(Inst::CallRuntime {
                    dst: Some(object),
                    func: RtFn::Alloc,
                    args,
                    fail: None,
                });
                f.push(Inst::Store(object, FIELDS, field));
            }
            for _ in 0..retains {
                f.push(Inst::Retain(parent, true));
            }
            let known = Release {
                destroy: Some(FnId(1)),
                text: false,
                nullable: false,
            };
            f.push(Inst::Release(parent, known));
            f.push(Inst::Release(
                null,
                Release {
                    nullable: true,
                    ..known
                },
            ));
            f.push(Inst::Retain(null, true));
            let (counter, count) = (
                f.constant(MTy::Ptr, Const::Static(StaticId(0))),
                f.var(MTy::I64),
            );
            f.push(Inst::Load(count, counter, 0));
            for _ in 0..retains {
                f.push(Inst::Release(parent, known));
            }
            f.ret(count);
            let desc = Desc {
                name: "Node".into(),
                destroy: Some(FnId(1)),
                stride: 0,
                retain_elements: None,
                stored_hash: false,
                ..Desc::default()
            };
            Module {
                statics: vec![8],
                descs: vec![desc],
                ..module(vec![f, destroy()])
            }
        });
        assert_eq!(code, expected);
    }
}

#[test]
fn a_panic_carries_its_text() {
    let (message, lines) = error(|| {
        let (mut f, unwind) = Build::failing("main", &[], &[MTy::I64]);
        let text = f.constant(MTy::Ptr, Const::Text(TextId(0)));
        f.push(Inst::Panic(text, fail(5, unwind)));
        Module {
            texts: vec!["it broke".into()],
            ..module(vec![f])
        }
    });
    assert_eq!((message.as_str(), lines), ("it broke", vec![6]));
}

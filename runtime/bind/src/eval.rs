//! Values of constant expressions: sizes of arrays, enumerators, macros.
//!
//! Integers have their type of C, because `~0U`, `-1UL` and `1 << 31` depend on it. What is not a number or a text has no value.

use crate::ctype::CType;
use crate::parse::Reader;
use lang_c::ast::*;

/// A constant.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// An integer of a type of 32 or 64 bits.
    Int {
        /// Its value.
        value: i128,
        /// 32 or 64.
        bits: u8,
        /// Whether its type has a sign.
        signed: bool,
    },
    /// A `double`, or a `float`.
    Float(f64),
    /// A text of UTF-8.
    Text(String),
}

impl Value {
    /// An `int`.
    pub const fn int(value: i128) -> Value {
        Value::Int {
            value,
            bits: 32,
            signed: true,
        }
    }

    fn is_true(&self) -> Option<bool> {
        match self {
            Value::Int { value, .. } => Some(*value != 0),
            Value::Float(value) => Some(*value != 0.0),
            Value::Text(_) => None,
        }
    }

    fn float(&self) -> Option<f64> {
        match self {
            Value::Int { value, .. } => Some(*value as f64),
            Value::Float(value) => Some(*value),
            Value::Text(_) => None,
        }
    }
}

/// A number brought into the range of its type.
fn wrapped(value: i128, bits: u8, signed: bool) -> Value {
    let shift = 128 - u32::from(bits);
    let value = match signed {
        true => (value << shift) >> shift,
        false => (((value << shift) as u128) >> shift) as i128,
    };
    Value::Int {
        value,
        bits,
        signed,
    }
}

/// A number of any width, widened to `int` as C does before it computes.
fn promoted(value: i128, bits: u8, signed: bool) -> Value {
    let Value::Int { value, .. } = wrapped(value, bits, signed) else {
        return Value::int(value);
    };
    match bits < 32 {
        true => Value::int(value),
        false => Value::Int {
            value,
            bits,
            signed,
        },
    }
}

impl Reader<'_> {
    /// The value of a constant expression; `None` for one that has none here.
    pub(crate) fn value(&mut self, expression: &Expression) -> Option<Value> {
        match expression {
            Expression::Constant(constant) => constant_value(&constant.node),
            Expression::StringLiteral(literal) => text(&literal.node).map(Value::Text),
            Expression::Identifier(name) => {
                let value = i128::from(*self.constants.get(&name.node.name)?);
                Some(match i32::try_from(value) {
                    Ok(_) => Value::int(value),
                    Err(_) if u32::try_from(value).is_ok() => wrapped(value, 32, false),
                    Err(_) => wrapped(value, 64, true),
                })
            }
            Expression::UnaryOperator(unary) => self.unary(&unary.node),
            Expression::BinaryOperator(binary) => self.binary(&binary.node),
            Expression::Conditional(conditional) => {
                let conditional = &conditional.node;
                match self.value(&conditional.condition.node)?.is_true()? {
                    true => self.value(&conditional.then_expression.node),
                    false => self.value(&conditional.else_expression.node),
                }
            }
            Expression::Cast(cast) => {
                let ty = self.type_name(&cast.node.type_name.node);
                let value = self.value(&cast.node.expression.node)?;
                self.cast(&ty, value)
            }
            Expression::SizeOfTy(size) => {
                let ty = self.type_name(&size.node.0.node);
                Some(wrapped(i128::from(self.unit.layout(&ty)?.size), 64, false))
            }
            Expression::AlignOf(align) => {
                let ty = self.type_name(&align.node.0.node);
                Some(wrapped(i128::from(self.unit.layout(&ty)?.align), 64, false))
            }
            Expression::SizeOfVal(size) => match self.value(&size.node.0.node)? {
                Value::Int { bits, .. } => Some(wrapped(i128::from(bits / 8), 64, false)),
                Value::Float(_) => Some(wrapped(8, 64, false)),
                Value::Text(text) => Some(wrapped(text.len() as i128 + 1, 64, false)),
            },
            _ => None,
        }
    }

    pub(crate) fn cast(&self, ty: &CType, value: Value) -> Option<Value> {
        match (ty, value) {
            (CType::Float, value) => Some(Value::Float(f64::from(value.float()? as f32))),
            (CType::Double, value) => Some(Value::Float(value.float()?)),
            (CType::Bool, value) => Some(Value::int(i128::from(value.is_true()?))),
            (CType::Char, Value::Int { value, .. }) => Some(promoted(value, 8, true)),
            (CType::Char, Value::Float(value)) => Some(promoted(value as i128, 8, true)),
            (CType::Int { bits, signed }, Value::Int { value, .. }) => {
                Some(promoted(value, *bits, *signed))
            }
            (CType::Int { bits, signed }, Value::Float(value)) => {
                Some(promoted(value as i128, *bits, *signed))
            }
            (CType::Enum(index), value) => self.cast(&self.unit.enums[*index].ctype(), value),
            _ => None,
        }
    }

    fn unary(&mut self, unary: &UnaryOperatorExpression) -> Option<Value> {
        let operand = self.value(&unary.operand.node)?;
        match (&unary.operator.node, operand) {
            (UnaryOperator::Plus, operand @ (Value::Int { .. } | Value::Float(_))) => Some(operand),
            (UnaryOperator::Negate, operand) => Some(Value::int(i128::from(!operand.is_true()?))),
            (UnaryOperator::Minus, Value::Float(value)) => Some(Value::Float(-value)),
            (
                UnaryOperator::Minus,
                Value::Int {
                    value,
                    bits,
                    signed,
                },
            ) => Some(wrapped(-value, bits, signed)),
            (
                UnaryOperator::Complement,
                Value::Int {
                    value,
                    bits,
                    signed,
                },
            ) => Some(wrapped(!value, bits, signed)),
            _ => None,
        }
    }

    fn binary(&mut self, binary: &BinaryOperatorExpression) -> Option<Value> {
        use BinaryOperator::*;
        let left = self.value(&binary.lhs.node)?;
        let operator = &binary.operator.node;
        // The other side may have no value, as in `defined_as_0 && 1 / 0`.
        match operator {
            LogicalAnd if !left.is_true()? => return Some(Value::int(0)),
            LogicalOr if left.is_true()? => return Some(Value::int(1)),
            _ => {}
        }
        let right = self.value(&binary.rhs.node)?;
        let truth = |holds: bool| Some(Value::int(i128::from(holds)));
        if let LogicalAnd | LogicalOr = operator {
            return truth(right.is_true()?);
        }
        let (
            Value::Int {
                value: a,
                bits: a_bits,
                signed: a_signed,
            },
            Value::Int {
                value: b,
                bits: b_bits,
                signed: b_signed,
            },
        ) = (&left, &right)
        else {
            let (a, b) = (left.float()?, right.float()?);
            return match operator {
                Multiply => Some(Value::Float(a * b)),
                Divide => Some(Value::Float(a / b)),
                Plus => Some(Value::Float(a + b)),
                Minus => Some(Value::Float(a - b)),
                Less => truth(a < b),
                Greater => truth(a > b),
                LessOrEqual => truth(a <= b),
                GreaterOrEqual => truth(a >= b),
                Equals => truth(a == b),
                NotEquals => truth(a != b),
                _ => None,
            };
        };
        if let ShiftLeft | ShiftRight = operator {
            let by = u32::try_from(*b)
                .ok()
                .filter(|by| *by < u32::from(*a_bits))?;
            let shifted = if *operator == ShiftLeft {
                a << by
            } else {
                a >> by
            };
            return Some(wrapped(shifted, *a_bits, *a_signed));
        }
        // The wider type wins, and of two as wide the one without a sign.
        let bits = *a_bits.max(b_bits);
        let is_unsigned = |width: u8, signed: bool| width == bits && !signed;
        let signed = !(is_unsigned(*a_bits, *a_signed) || is_unsigned(*b_bits, *b_signed));
        let of = |value: i128| match wrapped(value, bits, signed) {
            Value::Int { value, .. } => value,
            _ => value,
        };
        let (a, b) = (of(*a), of(*b));
        let result = match operator {
            Multiply => a.checked_mul(b)?,
            Divide => a.checked_div(b)?,
            Modulo => a.checked_rem(b)?,
            Plus => a + b,
            Minus => a - b,
            BitwiseAnd => a & b,
            BitwiseXor => a ^ b,
            BitwiseOr => a | b,
            Less => return truth(a < b),
            Greater => return truth(a > b),
            LessOrEqual => return truth(a <= b),
            GreaterOrEqual => return truth(a >= b),
            Equals => return truth(a == b),
            NotEquals => return truth(a != b),
            _ => return None,
        };
        Some(wrapped(result, bits, signed))
    }
}

fn constant_value(constant: &Constant) -> Option<Value> {
    match constant {
        Constant::Integer(integer) => integer_value(integer),
        Constant::Float(float) => float_value(float),
        Constant::Character(written) => {
            let inner = written.strip_prefix('\'')?.strip_suffix('\'')?;
            match unescaped(inner)?[..] {
                [byte] => Some(Value::int(i128::from(byte as i8))),
                _ => None,
            }
        }
    }
}

/// An integer literal with the first type of C's list that it fits.
fn integer_value(integer: &Integer) -> Option<Value> {
    if integer.suffix.imaginary {
        return None;
    }
    let radix = match integer.base {
        IntegerBase::Decimal => 10,
        IntegerBase::Octal => 8,
        IntegerBase::Hexadecimal => 16,
        IntegerBase::Binary => 2,
    };
    let value = match &*integer.number {
        "" => 0,
        digits => i128::from_str_radix(digits, radix).ok()?,
    };
    let wide = integer.suffix.size != IntegerSize::Int;
    let any_sign = radix != 10;
    let types = [
        (
            32,
            true,
            !wide && !integer.suffix.unsigned,
            i128::from(i32::MAX),
        ),
        (
            32,
            false,
            !wide && (integer.suffix.unsigned || any_sign),
            i128::from(u32::MAX),
        ),
        (64, true, !integer.suffix.unsigned, i128::from(i64::MAX)),
        (
            64,
            false,
            integer.suffix.unsigned || any_sign,
            i128::from(u64::MAX),
        ),
    ];
    let fits = types
        .iter()
        .find(|(_, _, allowed, most)| *allowed && value <= *most);
    fits.map(|(bits, signed, ..)| Value::Int {
        value,
        bits: *bits,
        signed: *signed,
    })
}

fn float_value(float: &Float) -> Option<Value> {
    if float.suffix.imaginary || float.suffix.format == FloatFormat::LongDouble {
        return None;
    }
    let value = match float.base {
        FloatBase::Decimal => float.number.parse::<f64>().ok()?,
        FloatBase::Hexadecimal => hexadecimal(&float.number)?,
    };
    match float.suffix.format {
        FloatFormat::Float => Some(Value::Float(f64::from(value as f32))),
        _ => Some(Value::Float(value)),
    }
}

/// `1.8p3` without its `0x`.
fn hexadecimal(number: &str) -> Option<f64> {
    let (digits, exponent) = number.split_once(['p', 'P'])?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mantissa = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    // Exact: more than 53 bits are not a double, and the compiler would round them differently.
    let exponent = exponent.parse::<i32>().ok()? - 4 * fraction.len() as i32;
    (mantissa < 1 << 53).then(|| mantissa as f64 * 2f64.powi(exponent))
}

/// The text of literals one after the other; `None` for wide ones, and where it is not UTF-8.
fn text(literal: &[String]) -> Option<String> {
    let mut bytes = Vec::new();
    for part in literal {
        let part = part.strip_prefix("u8").unwrap_or(part);
        bytes.extend(unescaped(part.strip_prefix('"')?.strip_suffix('"')?)?);
    }
    String::from_utf8(bytes).ok()
}

/// The bytes of a literal with its escapes resolved.
fn unescaped(written: &str) -> Option<Vec<u8>> {
    let bytes = written.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            out.push(bytes[at]);
            at += 1;
            continue;
        }
        let escape = *bytes.get(at + 1)?;
        at += 2;
        let simple = match escape {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'e' => 27,
            b'\\' | b'\'' | b'"' | b'?' => escape,
            b'x' | b'0'..=b'7' => {
                let (radix, start, most) = match escape {
                    b'x' => (16, at, 2),
                    _ => (8, at - 1, 3),
                };
                let digits = bytes[start..].iter().take(most);
                let count = digits
                    .take_while(|digit| (**digit as char).is_digit(radix))
                    .count();
                at = start + count;
                let digits = std::str::from_utf8(&bytes[start..at]).ok()?;
                u8::try_from(u32::from_str_radix(digits, radix).ok()?).ok()?
            }
            _ => return None,
        };
        out.push(simple);
    }
    Some(out)
}

"""The twin of big_numbers.spl."""
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import reduce
from math import factorial


def digits_of_e(digits):
    total, term, n = 0, 10 ** (digits + 10), 1
    while term:
        total += term
        term //= n
        n += 1
    shown = str(total // 10 ** 10)
    return f"{shown[0]}.{shown[1:]}"


def arctan_of_inverse(x, scale):
    power = scale // x
    total, n = power, 1
    while power:
        power = int(abs(power) // (x * x)) * (-1 if power > 0 else 1)
        n += 2
        total += abs(power) // n * (1 if power > 0 else -1)
    return total


print("50! =", factorial(50))
print(f"1000! has {len(str(factorial(1000)))} digits")
print("e  =", digits_of_e(50))
scale = 10 ** 60
pi = arctan_of_inverse(5, scale) * 16 - arctan_of_inverse(239, scale) * 4
print("pi =", str(pi)[0] + "." + str(pi)[1:51])
p = 521
mersenne = 2 ** p - 1
s = 4
for _ in range(p - 2):
    s = (s * s - 2) % mersenne
print(f"2 ** {p} - 1 is prime:", str(s == 0).lower())
print(reduce(lambda a, b: a + b, [Fraction(1, n) for n in range(1, 11)]))
with localcontext() as context:
    context.prec = 40
    print(Decimal(2).sqrt(), Decimal(1) / 3)

"""The twin of mandelbrot.spl."""


class Complex:
    __slots__ = ("re", "im")

    def __init__(self, re, im):
        self.re, self.im = re, im

    def __add__(self, o):
        return Complex(self.re + o.re, self.im + o.im)

    def __mul__(self, o):
        return Complex(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)

    def norm(self):
        return self.re * self.re + self.im * self.im

    def __str__(self):
        return f"{self.re}{self.im:+}i"


def escape(c, limit=50):
    z = Complex(0.0, 0.0)
    for n in range(limit):
        if z.norm() > 4.0:
            return n
        z = z * z + c
    return limit


shades = " .:-=+*#%@"
for row in range(21):
    line = ""
    for column in range(64):
        n = escape(Complex(-2.2 + column * 0.05, -1.25 + row * 0.125))
        line += shades[n * 9 // 50]
    print(line.rstrip())
print(Complex(1.0, 2.0) * Complex(3.0, -1.0))

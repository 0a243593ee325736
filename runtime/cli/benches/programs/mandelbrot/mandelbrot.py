SIZE = 2000
LIMIT = 50


def belongs(cr, ci):
    zr = zi = 0.0
    for _ in range(LIMIT):
        r2 = zr * zr
        i2 = zi * zi
        if r2 + i2 > 4.0:
            return False
        zi = 2.0 * zr * zi + ci
        zr = r2 - i2 + cr
    return True


def main():
    inside = 0
    for y in range(SIZE):
        ci = 2.0 * y / SIZE - 1.0
        for x in range(SIZE):
            if belongs(2.0 * x / SIZE - 1.5, ci):
                inside += 1
    print(inside)


main()

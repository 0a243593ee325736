from math import sqrt

SIZE = 1000


def entry(i, j):
    return 1.0 / ((i + j) * (i + j + 1) // 2 + i + 1)


def times(v):
    return [sum(entry(i, j) * x for j, x in enumerate(v)) for i in range(SIZE)]


def times_transposed(v):
    return [sum(entry(j, i) * x for j, x in enumerate(v)) for i in range(SIZE)]


def main():
    u = [1.0] * SIZE
    for _ in range(10):
        v = times_transposed(times(u))
        u = times_transposed(times(v))
    uv = sum(a * b for a, b in zip(u, v))
    vv = sum(b * b for b in v)
    print(f"{sqrt(uv / vv):.9f}")


main()

SIZE = 512


def matrix(first):
    return [first + (k % 17) * 0.25 for k in range(SIZE * SIZE)]


def product(a, b):
    c = []
    for i in range(SIZE):
        for j in range(SIZE):
            total = 0.0
            for k in range(SIZE):
                total += a[i * SIZE + k] * b[k * SIZE + j]
            c.append(total)
    return c


def main():
    c = product(matrix(1.0), matrix(-2.0))
    print(f"{sum(c[i * SIZE + i] for i in range(SIZE)):.4f}")


main()

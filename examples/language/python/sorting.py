"""The twin of sorting.spl."""


class Meter:
    def __init__(self):
        self.comparisons = 0

    def less(self, a, b):
        self.comparisons += 1
        return a < b


def bubble(xs, meter):
    xs = xs[:]
    for end in range(len(xs) - 1, 0, -1):
        for i in range(end):
            if meter.less(xs[i + 1], xs[i]):
                xs[i], xs[i + 1] = xs[i + 1], xs[i]
    return xs


def insertion(xs, meter):
    xs = xs[:]
    for i in range(1, len(xs)):
        j = i
        while j > 0 and meter.less(xs[j], xs[j - 1]):
            xs[j], xs[j - 1] = xs[j - 1], xs[j]
            j -= 1
    return xs


def merge(xs, meter):
    if len(xs) < 2:
        return xs
    middle = len(xs) // 2
    a, b = merge(xs[:middle], meter), merge(xs[middle:], meter)
    i = j = 0
    out = []
    while i < len(a) and j < len(b):
        if meter.less(b[j], a[i]):
            out.append(b[j])
            j += 1
        else:
            out.append(a[i])
            i += 1
    return out + a[i:] + b[j:]


def quick(xs, meter):
    if not xs:
        return []
    pivot, low, high = xs[0], [], []
    for x in xs[1:]:
        (low if meter.less(x, pivot) else high).append(x)
    return quick(low, meter) + [pivot] + quick(high, meter)


def counting(xs):
    counts = [0] * (max(xs) + 1)
    for x in xs:
        counts[x] += 1
    return [x for x, n in enumerate(counts) for _ in range(n)]


def show(value):
    if isinstance(value, list):
        return "[" + ", ".join(show(v) for v in value) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(show(v) for v in value) + ")"
    return str(value)


xs = [i * 7919 % 211 for i in range(200)]
right = sorted(xs)
for name, sort in [("bubble", bubble), ("insertion", insertion), ("merge", merge), ("quick", quick)]:
    meter = Meter()
    print(f"{name:<10} {str(sort(xs, meter) == right).lower()} {meter.comparisons:>6} comparisons")
print("counting  ", str(counting(xs) == right).lower())
people = [("Ann", 31), ("bob", 25), ("Cem", 31), ("Dora", 25)]
print(show(sorted(people, key=lambda p: (-p[1], p[0]))))
print(show(sorted(people, key=lambda p: -len(p[0]))))
print(show(sorted(p[0] for p in people)), show(sorted((p[0] for p in people), key=str.lower)))
print(right[0], right[len(right) // 2], right[-1], show(sorted(people, reverse=True)[0]))

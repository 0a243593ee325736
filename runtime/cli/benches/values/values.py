"""The same as values.spl in Python."""
import time


def timed(name, rounds, work):
    best, total = float("inf"), 0
    for _ in range(rounds):
        start = time.perf_counter_ns()
        total += work()
        best = min(best, time.perf_counter_ns() - start)
    print(f"{name}\t{best // 1000}\t{total}")


def each_index(s):
    found = 0
    for i in range(len(s)):
        if s[i] == "o":
            found += 1
    return found


def each_slice(s):
    length = 0
    for i in range(len(s) // 10):
        length += len(s[i * 10:i * 10 + 5])
    return length


def on_text(kind, s):
    timed(f"{kind} s[i]", 10, lambda: each_index(s))
    timed(f"{kind} s[a:b]", 20, lambda: each_slice(s))
    timed(f"{kind} split()", 20, lambda: len(s.split()))
    timed(f"{kind} split(sep)", 20, lambda: len(s.split(" ")))
    timed(f"{kind} replace", 20, lambda: len(s.replace("o", "00")))
    timed(f"{kind} upper", 20, lambda: len(s.upper()))
    timed(f"{kind} lower", 20, lambda: len(s.lower()))
    timed(f"{kind} find", 20, lambda: max(s.find("nowhere"), 0))


def pop_front(n):
    queue = list(range(n))
    total = 0
    while queue:
        total += queue.pop(0)
    return total


def push_front(n):
    queue = []
    for i in range(n):
        queue.insert(0, i)
    return len(queue)


def main():
    on_text("ascii", "Hello world of texts, " * 21000)
    on_text("other", "Hällo wörld of téxts, " * 18300)
    timed("remove(0)", 10, lambda: pop_front(20000))
    timed("insert(0)", 10, lambda: push_front(20000))


main()

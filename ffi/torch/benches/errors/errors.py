"""What a caught error of libtorch costs in Python: `errors.py [COUNT]`, by default 1,000,000. Prints microseconds of the processor for each."""
import sys
import time

import torch


def fail(a, b, count):
    caught = 0
    for _ in range(count):
        try:
            a.mm(b)
        except RuntimeError:
            caught += 1
    return caught


count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
a, b = torch.randn(2, 3), torch.randn(4, 5)
fail(a, b, 1000)
start = time.process_time()
assert fail(a, b, count) == count
print(f"{(time.process_time() - start) * 1e6 / count:.1f} us")

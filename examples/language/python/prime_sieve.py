"""The twin of prime_sieve.spl."""
from itertools import pairwise
from math import isqrt


def sieve(limit):
    is_prime = [True] * (limit + 1)
    is_prime[0] = is_prime[1] = False
    for n in range(2, isqrt(limit) + 1):
        if is_prime[n]:
            for multiple in range(n * n, limit + 1, n):
                is_prime[multiple] = False
    return [n for n, prime in enumerate(is_prime) if prime]


def factors(n):
    found, divisor = [], 2
    while divisor * divisor <= n:
        while n % divisor == 0:
            found.append(divisor)
            n //= divisor
        divisor += 1
    if n > 1:
        found.append(n)
    return found


primes = sieve(1_000_000)
print(f"{len(primes)} primes below a million, the last is {primes[-1]}")
print(primes[:10])
twins = [(a, b) for a, b in pairwise(primes) if b - a == 2]
print(f"{len(twins)} twins, such as {twins[-1]}")
print("largest gap", max((b - a, a) for a, b in pairwise(primes)))
for n in [360, 97, 1001, 600851475143]:
    print(n, "=", " * ".join(map(str, factors(n))))

"""Writes `python.json`: what Python's `random` draws after seeds. Run it in this folder."""
import json
import random

cases = {}
for seed in [0, 1, -5, 2**63 - 1, 2**40 + 7, "a text", ""]:
    r = random.Random(seed)
    case = {}
    case["random"] = [r.random() for _ in range(5)]
    case["randint"] = [r.randint(1, 6) for _ in range(10)] + [r.randint(-2**40, 2**40) for _ in range(5)]
    case["randrange"] = [r.randrange(100), r.randrange(5, 50, 7), r.randrange(50, 5, -7)]
    case["bits"] = [r.getrandbits(k) for k in (1, 7, 32, 33, 63)]
    case["bytes"] = list(r.randbytes(11))
    case["choice"] = [r.choice(range(17)) for _ in range(5)]
    case["choices"] = r.choices(range(10), k=5) + r.choices(range(3), weights=[1, 5, 2], k=8)
    case["shuffle"] = list(range(20))
    r.shuffle(case["shuffle"])
    case["sample"] = r.sample(range(30), 5) + r.sample(range(1000), 8) + r.sample(range(3), 4, counts=[2, 5, 3])
    case["floats"] = [
        r.uniform(-1, 3), r.triangular(), r.triangular(0, 10, 3), r.gauss(), r.gauss(5, 2), r.gauss(),
        r.normalvariate(1, 2), r.lognormvariate(0, 1), r.expovariate(2), r.gammavariate(3, 2), r.gammavariate(0.5, 2),
        r.gammavariate(1, 2), r.betavariate(2, 3), r.paretovariate(3), r.weibullvariate(1, 2), r.vonmisesvariate(1, 4),
        r.vonmisesvariate(1, 0),
    ]
    for _ in range(1000):
        r.random()
    case["last"] = [r.random()]
    cases[json.dumps(seed)] = case
with open("python.json", "w") as out:
    json.dump(cases, out, indent=1)
    out.write("\n")

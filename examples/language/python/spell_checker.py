"""The twin of spell_checker.spl."""
from collections import Counter

TEXT = """the quick brown fox jumps over the lazy dog the dog sleeps and the fox runs spelling is hard but the
spelling of the words that are common is easy something correct is better than something wrong the weather today"""
LETTERS = "abcdefghijklmnopqrstuvwxyz"
counts = Counter(TEXT.split())


def edits(word):
    splits = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    deletes = [a + b[1:] for a, b in splits if b]
    transposes = [a + b[1] + b[0] + b[2:] for a, b in splits if len(b) > 1]
    replaces = [a + c + b[1:] for a, b in splits if b for c in LETTERS]
    inserts = [a + c + b for a, b in splits for c in LETTERS]
    return list(dict.fromkeys(deletes + transposes + replaces + inserts))


def known(words):
    return [word for word in words if word in counts]


def candidates(word):
    if word in counts:
        return [word]
    return known(edits(word)) or known(dict.fromkeys(e for w in edits(word) for e in edits(w)))


def correct(word):
    found = sorted(candidates(word), key=lambda w: (-counts[w], w))
    return found[0] if found else word


for word in ["teh", "speling", "korrect", "somthing", "dgo", "wether", "fox", "xylophone"]:
    print(f"{word:<10} {correct(word)}")
print(len(edits("fox")), " ".join(correct(word) for word in "the quikc brwn fox".split()))

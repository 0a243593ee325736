#!/usr/bin/env python3
"""Writes the text that the word count reads: 50 MB of lines of made-up words, the same on every machine.

    generate.py FILE

Words are numbers in base 26, drawn so that small ones are common, as in a real text: about 190,000 different ones.
"""
import sys

SIZE = 50_000_000


def word(number):
    letters = ""
    while True:
        letters += chr(ord("a") + number % 26)
        number //= 26
        if number == 0:
            return letters


def main():
    state = 12345
    known = {}
    written = 0
    with open(sys.argv[1], "w", encoding="ascii", newline="\n") as out:
        while written < SIZE:
            words = []
            for _ in range(12):
                state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
                rank = 1 << (state >> 60) + 3
                number = (state >> 20) % rank
                words.append(known.get(number) or known.setdefault(number, word(number)))
            line = " ".join(words) + "\n"
            out.write(line)
            written += len(line)


main()

import sys


def main():
    counts = {}
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file.read().splitlines():
            for word in line.split():
                counts[word] = counts.get(word, 0) + 1
    best = ""
    most = 0
    total = 0
    for word, count in counts.items():
        total += count
        if count > most or (count == most and word < best):
            best = word
            most = count
    print(len(counts), total, best, most)


main()

LIMIT = 10_000_000


def main():
    composite = [False] * (LIMIT + 1)
    count = 0
    for i in range(2, LIMIT + 1):
        if not composite[i]:
            count += 1
            for multiple in range(i * i, LIMIT + 1, i):
                composite[multiple] = True
    print(count)


main()

COUNT = 5_000_000


def main():
    numbers = []
    state = 42
    for _ in range(COUNT):
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
        numbers.append(state)
    numbers.sort()
    check = 0
    for number in numbers:
        check = (check * 31 + number) % 1_000_000_007
    print(numbers[0], numbers[-1], check)


main()

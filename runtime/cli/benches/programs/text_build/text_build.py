COUNT = 10_000_000


def main():
    letters = "abcdefghijklmnopqrstuvwxyz"
    built = ""
    for i in range(COUNT):
        built += letters[i * 7 % 26]
    print(len(built), built[:12], built[-12:])


main()

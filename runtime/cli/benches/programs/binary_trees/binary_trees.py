DEPTH = 18
LEAST = 4


class Node:
    __slots__ = ("left", "right")

    def __init__(self, left, right):
        self.left = left
        self.right = right

    def size(self):
        total = 1
        if self.left is not None:
            total += self.left.size()
        if self.right is not None:
            total += self.right.size()
        return total


def tree(depth):
    return Node(None, None) if depth == 0 else Node(tree(depth - 1), tree(depth - 1))


def main():
    print(f"stretch tree of depth {DEPTH + 1}: {tree(DEPTH + 1).size()}")
    lasting = tree(DEPTH)
    for depth in range(LEAST, DEPTH + 1, 2):
        count = 1 << (DEPTH - depth + LEAST)
        total = 0
        for _ in range(count):
            total += tree(depth).size()
        print(f"{count} trees of depth {depth}: {total}")
    print(f"lasting tree of depth {DEPTH}: {lasting.size()}")


main()

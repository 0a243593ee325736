#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEPTH = 18, LEAST = 4 };

typedef struct Node {
    struct Node *left, *right;
} Node;

static int64_t size(const Node *node) {
    int64_t total = 1;
    if (node->left) total += size(node->left);
    if (node->right) total += size(node->right);
    return total;
}

static Node *tree(int depth) {
    Node *node = malloc(sizeof(Node));
    node->left = depth ? tree(depth - 1) : NULL;
    node->right = depth ? tree(depth - 1) : NULL;
    return node;
}

static void drop(Node *node) {
    if (node->left) drop(node->left);
    if (node->right) drop(node->right);
    free(node);
}

int main(void) {
    Node *stretch = tree(DEPTH + 1);
    printf("stretch tree of depth %d: %lld\n", DEPTH + 1, (long long)size(stretch));
    drop(stretch);
    Node *lasting = tree(DEPTH);
    for (int depth = LEAST; depth <= DEPTH; depth += 2) {
        int64_t count = INT64_C(1) << (DEPTH - depth + LEAST), total = 0;
        for (int64_t i = 0; i < count; i++) {
            Node *node = tree(depth);
            total += size(node);
            drop(node);
        }
        printf("%lld trees of depth %d: %lld\n", (long long)count, depth, (long long)total);
    }
    printf("lasting tree of depth %d: %lld\n", DEPTH, (long long)size(lasting));
    drop(lasting);
    return 0;
}

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 10000000 };

typedef struct {
    char *data;
    size_t len, capacity;
} Text;

static void append(Text *text, const char *added, size_t len) {
    if (text->len + len > text->capacity) {
        text->capacity = text->capacity * 2 < 64 ? 64 : text->capacity * 2;
        text->data = realloc(text->data, text->capacity);
    }
    memcpy(text->data + text->len, added, len);
    text->len += len;
}

int main(void) {
    const char *letters = "abcdefghijklmnopqrstuvwxyz";
    Text built = {0};
    for (int64_t i = 0; i < COUNT; i++) append(&built, &letters[i * 7 % 26], 1);
    printf("%zu %.12s %.12s\n", built.len, built.data, built.data + built.len - 12);
    free(built.data);
    return 0;
}

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char *word;
    size_t len;
    int64_t count;
} Entry;

typedef struct {
    Entry *entries;
    size_t len, capacity;
} Table;

static uint64_t hash(const char *word, size_t len) {
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < len; i++) h = (h ^ (unsigned char)word[i]) * UINT64_C(1099511628211);
    return h;
}

static Entry *find(Table *table, const char *word, size_t len) {
    size_t at = hash(word, len) & (table->capacity - 1);
    while (table->entries[at].word &&
           (table->entries[at].len != len || memcmp(table->entries[at].word, word, len) != 0))
        at = (at + 1) & (table->capacity - 1);
    return &table->entries[at];
}

static void grow(Table *table) {
    Table larger = {calloc(table->capacity * 2, sizeof(Entry)), table->len, table->capacity * 2};
    for (size_t i = 0; i < table->capacity; i++)
        if (table->entries[i].word) *find(&larger, table->entries[i].word, table->entries[i].len) = table->entries[i];
    free(table->entries);
    *table = larger;
}

static void add(Table *table, const char *word, size_t len) {
    Entry *entry = find(table, word, len);
    if (!entry->word) {
        if ((table->len + 1) * 2 > table->capacity) {
            grow(table);
            entry = find(table, word, len);
        }
        entry->word = malloc(len + 1);
        memcpy(entry->word, word, len);
        entry->word[len] = 0;
        entry->len = len;
        table->len++;
    }
    entry->count++;
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    FILE *file = fopen(argv[1], "rb");
    if (!file) return 1;
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *content = malloc(size);
    if (fread(content, 1, size, file) != size) return 1;
    fclose(file);
    Table table = {calloc(1024, sizeof(Entry)), 0, 1024};
    for (size_t at = 0; at < size;) {
        while (at < size && (content[at] == ' ' || content[at] == '\n')) at++;
        size_t start = at;
        while (at < size && content[at] != ' ' && content[at] != '\n') at++;
        if (at > start) add(&table, content + start, at - start);
    }
    const Entry *best = NULL;
    int64_t total = 0;
    for (size_t i = 0; i < table.capacity; i++) {
        const Entry *entry = &table.entries[i];
        if (!entry->word) continue;
        total += entry->count;
        if (!best || entry->count > best->count || (entry->count == best->count && strcmp(entry->word, best->word) < 0))
            best = entry;
    }
    printf("%zu %lld %s %lld\n", table.len, (long long)total, best->word, (long long)best->count);
    return 0;
}

/* In the same folder, so it belongs to the header. */
#ifndef SHOP_TYPES_H
#define SHOP_TYPES_H

/* What a thing costs. */
typedef struct shop_item {
    int price;              /* in cents */
    unsigned char code[12]; /* on its label */
    const char *name;
    struct shop_item *next;
} shop_item;

typedef enum {
    SHOP_COLOR_RED = 1,   /**< like fire */
    SHOP_COLOR_GREEN,
    SHOP_COLOR_BLUE = 7
} shop_color;

/* Flags. */
enum shop_state { SHOP_NEW = 1 << 0, SHOP_OLD = 1 << 1, SHOP_ANY = SHOP_NEW | SHOP_OLD };

enum { SHOP_LIMIT = 100, SHOP_BELOW = -1 };
#endif

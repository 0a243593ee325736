/* Structs, unions, and what keeps them from being described. */
#include <stdint.h>

struct point { float x, y; };
struct line { struct point from, to; struct point *more; };
struct matrix { double cells[2][3]; struct point corners[4]; };
struct nested { char tag; struct { short a; struct { int deep; } inner; } pair; union { int i; float f; }; };
typedef union { int32_t number; double real; void *address; struct point at; } value;
union bytes { char text[16]; int64_t words[2]; };
struct tagged { int kind; union bytes content; value plain; };
struct flexible { int count; char rest[]; };
struct list { struct list *next; struct other *other; int (*visit)(struct list *); };
struct other { struct list *list; unsigned flags : 3; unsigned : 0; int after; };
struct __attribute__((packed)) tight { char a; int b; };
#pragma pack(push, 1)
struct squeezed { char a; double b; };
#pragma pack(pop)
struct aligned { char a; } __attribute__((aligned(16)));
struct wide { long double x; };
struct holds { char a; struct other bits; };
struct holds_array { struct matrix items[2]; char end; };
struct unknown;
typedef struct { int reserved; } *handle;

struct half { union bytes *b; union { float f[2]; } hidden; };
struct point middle(struct line l);
int halves(struct half h, struct half *p);
value get(struct tagged *t);
union bytes take(void);
int bits(struct other o);
int packed(struct tight t, struct squeezed *s);
int wide(struct wide w);
int later(struct unknown u);
int pointers(struct other *o, struct tight *t, struct aligned *a, struct wide *w, struct unknown *u, union bytes *b);
int array_of(struct point *points, int n, struct point (*grid)[4], struct unknown **all);
handle make(struct flexible *f, struct holds *h, struct holds_array *n);
/* A member that has the name of a macro, which C never sees there. */
struct hidden_member { char a; int shown; };
#define shown (*(shown_now()))
int *shown_now(void);
#define HAS_NOTHING __has_attribute
/* Attributes may have underscores around their names. */
struct tight_too { char a; int b; } __attribute__((__packed__));
int packed_too(struct tight_too t);
typedef int word_too __attribute__((__mode__(__DI__)));
word_too moved(word_too w);
float vector(float __attribute__((__vector_size__(16))) v);

struct around { struct inside { int x; }; int y; };
int around_of(struct around a, struct inside i);
struct unions { value both[2]; char end; };
int unions_of(struct unions *u);

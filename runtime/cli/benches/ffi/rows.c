/* The same in C. */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int arguments_count, char **arguments) {
  long rows = atol(arguments[1]);
  sqlite3 *db;
  sqlite3_stmt *insert, *all;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "create table items (id integer primary key, price real, name text)", 0, 0, 0);
  sqlite3_exec(db, "begin", 0, 0, 0);
  sqlite3_prepare_v2(db, "insert into items values (?, ?, ?)", -1, &insert, 0);
  const char *names[] = {"a chair", "a table of oak"};
  for (long i = 0; i < rows; i++) {
    sqlite3_bind_int64(insert, 1, i);
    sqlite3_bind_double(insert, 2, i * 0.5);
    sqlite3_bind_text(insert, 3, names[i & 1], -1, SQLITE_TRANSIENT);
    sqlite3_step(insert);
    sqlite3_reset(insert);
  }
  sqlite3_exec(db, "commit", 0, 0, 0);
  int64_t count = 0, letters = 0;
  double total = 0;
  sqlite3_prepare_v2(db, "select id, price, name from items", -1, &all, 0);
  while (sqlite3_step(all) == SQLITE_ROW) {
    count += sqlite3_column_int64(all, 0);
    total += sqlite3_column_double(all, 1);
    letters += strlen((const char *)sqlite3_column_text(all, 2));
  }
  printf("%" PRId64 " %.1f %" PRId64 "\n", count, total, letters);
}

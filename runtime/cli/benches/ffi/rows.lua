-- The same with LuaJIT's FFI.
local ffi = require("ffi")
ffi.cdef([[
typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
int sqlite3_open(const char *path, sqlite3 **db);
int sqlite3_exec(sqlite3 *db, const char *sql, void *each, void *data, void *message);
int sqlite3_prepare_v2(sqlite3 *db, const char *sql, int length, sqlite3_stmt **made, void *tail);
int sqlite3_bind_int64(sqlite3_stmt *statement, int at, int64_t value);
int sqlite3_bind_double(sqlite3_stmt *statement, int at, double value);
int sqlite3_bind_text(sqlite3_stmt *statement, int at, const char *value, int length, intptr_t free);
int sqlite3_step(sqlite3_stmt *statement);
int sqlite3_reset(sqlite3_stmt *statement);
int64_t sqlite3_column_int64(sqlite3_stmt *statement, int at);
double sqlite3_column_double(sqlite3_stmt *statement, int at);
const char *sqlite3_column_text(sqlite3_stmt *statement, int at);
]])
local lib = ffi.load("libsqlite3.so.0")
local rows = tonumber(arg[1])
local opened = ffi.new("sqlite3 *[1]")
lib.sqlite3_open(":memory:", opened)
local db = opened[0]
lib.sqlite3_exec(db, "create table items (id integer primary key, price real, name text)", nil, nil, nil)
lib.sqlite3_exec(db, "begin", nil, nil, nil)
local made = ffi.new("sqlite3_stmt *[1]")
local function prepared(sql)
    assert(lib.sqlite3_prepare_v2(db, sql, -1, made, nil) == 0)
    return made[0]
end
local insert = prepared("insert into items values (?, ?, ?)")
local names = {[0] = "a chair", "a table of oak"}
for i = 0, rows - 1 do
    lib.sqlite3_bind_int64(insert, 1, i)
    lib.sqlite3_bind_double(insert, 2, i * 0.5)
    lib.sqlite3_bind_text(insert, 3, names[i % 2], -1, -1)
    lib.sqlite3_step(insert)
    lib.sqlite3_reset(insert)
end
lib.sqlite3_exec(db, "commit", nil, nil, nil)
local count, total, letters = 0, 0, 0
local all = prepared("select id, price, name from items")
while lib.sqlite3_step(all) == 100 do
    count = count + tonumber(lib.sqlite3_column_int64(all, 0))
    total = total + lib.sqlite3_column_double(all, 1)
    letters = letters + #ffi.string(lib.sqlite3_column_text(all, 2))
end
print(string.format("%d %.1f %d", count, total, letters))

"""The same with Python's sqlite3."""
import sqlite3
import sys

rows = int(sys.argv[1])
db = sqlite3.connect(":memory:")
db.execute("create table items (id integer primary key, price real, name text)")
names = ["a chair", "a table of oak"]
with db:
    db.executemany("insert into items values (?, ?, ?)", ((i, i * 0.5, names[i & 1]) for i in range(rows)))
count = total = letters = 0
for id, price, name in db.execute("select id, price, name from items"):
    count += id
    total += price
    letters += len(name)
print(f"{count} {total:.1f} {letters}")

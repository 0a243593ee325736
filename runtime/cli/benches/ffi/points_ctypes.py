"""The same with ctypes."""
import ctypes
import sys


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_double), ("y", ctypes.c_double)]


turn = ctypes.CDLL("./libbench.so").turn
turn.argtypes, turn.restype = [Point], Point
p = Point(0.25, 0.5)
for _ in range(int(sys.argv[1])):
    p = turn(p)
print(f"{p.x:.2f} {p.y:.2f}")

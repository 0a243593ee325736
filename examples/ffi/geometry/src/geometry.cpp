// The face of `shapes` for Simple: functions of C over handles, and the table of them. geometry.spl declares them for programs.

#include <cstring>
#include <exception>
#include <memory>
#include <vector>

#include "shapes.hpp"
#include "simple_ffi.h"

namespace {

using shapes::Point, shapes::Polygon, shapes::Shape;

const SffiHost *host;

// Runs the body of a function. No exception may leave it: its message becomes the error of the call in the program.
template <typename Result, typename Body>
Result guarded(Result failed, Body body) {
    try {
        return body();
    } catch (const std::exception &problem) {
        host->fail(reinterpret_cast<const uint8_t *>(problem.what()), static_cast<int64_t>(std::strlen(problem.what())));
    } catch (...) {
        static const char unknown[] = "an exception that is not a std::exception";
        host->fail(reinterpret_cast<const uint8_t *>(unknown), sizeof unknown - 1);
    }
    return failed;
}

// Objects by handle. A handle is a place here plus 1; places are not used again, so a freed handle is known as one.
std::vector<std::unique_ptr<Shape>> all;
int64_t live;

std::unique_ptr<Shape> &shape_of(int64_t handle) {
    if (handle > 0 && handle <= static_cast<int64_t>(all.size()) && all[handle - 1]) return all[handle - 1];
    throw std::runtime_error("this is not the handle of a shape, or the shape has been freed");
}

int64_t handle_of(std::unique_ptr<Shape> shape) {
    all.push_back(std::move(shape));
    live++;
    return static_cast<int64_t>(all.size());
}

// Points cross as an array of their coordinates.
std::vector<Point> points_of(const double *coordinates, int64_t count) {
    if (count % 2 != 0) throw std::invalid_argument("the last point has no y");
    std::vector<Point> points;
    for (int64_t at = 0; at < count; at += 2) points.push_back({coordinates[at], coordinates[at + 1]});
    return points;
}

// The functions, as C sees them.

int64_t circle(double x, double y, double radius) {
    return guarded(int64_t{0}, [&] { return handle_of(std::make_unique<shapes::Circle>(Point{x, y}, radius)); });
}

int64_t polygon(const double *coordinates, int64_t count) {
    return guarded(int64_t{0}, [&] { return handle_of(std::make_unique<Polygon>(points_of(coordinates, count))); });
}

int64_t around(const double *coordinates, int64_t count) {
    return guarded(int64_t{0}, [&] { return handle_of(Polygon::around(points_of(coordinates, count))); });
}

double area(int64_t handle) {
    return guarded(-1.0, [&] { return shape_of(handle)->area(); });
}

double outline(int64_t handle) {
    return guarded(-1.0, [&] { return shape_of(handle)->outline(); });
}

uint8_t contains(int64_t handle, double x, double y) {
    return guarded(uint8_t{0}, [&] { return static_cast<uint8_t>(shape_of(handle)->contains({x, y})); });
}

SffiBuffer corners(int64_t handle) {
    return guarded(SffiBuffer{}, [&] {
        const auto *polygon = dynamic_cast<const Polygon *>(shape_of(handle).get());
        const size_t count = polygon == nullptr ? 0 : polygon->points().size() * 2;
        SffiBuffer out{host->alloc_array(SFFI_TYPE_ARRAY_F64, static_cast<int64_t>(count)), static_cast<int64_t>(count)};
        if (out.data != nullptr && count > 0) std::memcpy(out.data, polygon->points().data(), count * sizeof(double));
        return out;
    });
}

void release(int64_t handle) {
    guarded(0, [&] { return shape_of(handle).reset(), live--, 0; });
}

int64_t live_handles() { return live; }

// What Simple is told about the functions; it compares the declarations of programs with this.
const uint8_t three_numbers[] = {SFFI_TYPE_F64, SFFI_TYPE_F64, SFFI_TYPE_F64};
const uint8_t numbers[] = {SFFI_TYPE_ARRAY_F64};
const uint8_t a_handle[] = {SFFI_TYPE_I64};
const uint8_t handle_and_point[] = {SFFI_TYPE_I64, SFFI_TYPE_F64, SFFI_TYPE_F64};

template <typename Function>
const void *address(Function *function) { return reinterpret_cast<const void *>(function); }

// name, address, parameters and their number, result, how a failure shows, effects, the value that shows it
const SffiFunction functions[] = {
    {"geometry_circle", address(circle), three_numbers, 3, SFFI_TYPE_I64, SFFI_FAILURE_VALUE, SFFI_EFFECT_NEW_HANDLE, 0},
    {"geometry_polygon", address(polygon), numbers, 1, SFFI_TYPE_I64, SFFI_FAILURE_VALUE, SFFI_EFFECT_NEW_HANDLE, 0},
    {"geometry_around", address(around), numbers, 1, SFFI_TYPE_I64, SFFI_FAILURE_VALUE, SFFI_EFFECT_NEW_HANDLE, 0},
    {"geometry_area", address(area), a_handle, 1, SFFI_TYPE_F64, SFFI_FAILURE_FLAG, SFFI_EFFECT_READS, 0},
    {"geometry_outline", address(outline), a_handle, 1, SFFI_TYPE_F64, SFFI_FAILURE_FLAG, SFFI_EFFECT_READS, 0},
    {"geometry_contains", address(contains), handle_and_point, 3, SFFI_TYPE_BOOL, SFFI_FAILURE_FLAG, SFFI_EFFECT_READS, 0},
    {"geometry_corners", address(corners), a_handle, 1, SFFI_TYPE_ARRAY_F64, SFFI_FAILURE_VALUE, SFFI_EFFECT_READS, 0},
    {"geometry_free", address(release), a_handle, 1, SFFI_TYPE_UNIT, SFFI_FAILURE_FLAG, SFFI_EFFECT_FREES, 0},
};

const SffiManifest manifest = {
    SFFI_ABI_VERSION, sizeof(SffiFunction), "geometry 0.1.0", functions, std::size(functions), live_handles,
};

}  // namespace

extern "C" uint32_t simple_ffi_abi_version() { return SFFI_ABI_VERSION; }

extern "C" const SffiManifest *simple_ffi_init(const SffiHost *given) {
    host = given;
    return &manifest;
}

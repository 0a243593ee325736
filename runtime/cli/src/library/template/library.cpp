// NAME: a library for Simple. NAME.spl declares its functions for programs.

#include <cmath>
#include <cstring>
#include <exception>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "simple_ffi.h"

namespace {

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

// A result in memory of the host.
SffiBuffer to_host(const std::string &text) {
    SffiBuffer out{host->alloc_text(static_cast<int64_t>(text.size())), static_cast<int64_t>(text.size())};
    if (out.data != nullptr) std::memcpy(out.data, text.data(), text.size());
    return out;
}

SffiBuffer to_host(const std::vector<double> &values) {
    const auto count = static_cast<int64_t>(values.size());
    SffiBuffer out{host->alloc_array(SFFI_TYPE_ARRAY_F64, count), count};
    if (out.data != nullptr && count > 0) std::memcpy(out.data, values.data(), values.size() * sizeof(double));
    return out;
}

class Series {
public:
    void add(double value) { values.push_back(value); }

    double mean() const {
        if (values.empty()) throw std::runtime_error("a series without numbers has no mean");
        return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    }

private:
    std::vector<double> values;
};

// Objects by handle. A handle is a place here plus 1; places are not used again, so a freed handle is known as one.
std::vector<std::unique_ptr<Series>> all;
int64_t live;

std::unique_ptr<Series> &series_of(int64_t handle) {
    if (handle > 0 && handle <= static_cast<int64_t>(all.size()) && all[handle - 1]) return all[handle - 1];
    throw std::runtime_error("this is not the handle of a series, or the series has been freed");
}

// The functions, as C sees them.

SffiBuffer greeting(const uint8_t *name, int64_t length) {
    return guarded(SffiBuffer{}, [&] {
        return to_host("Hello, " + std::string(reinterpret_cast<const char *>(name), static_cast<size_t>(length)) + "!");
    });
}

SffiBuffer scaled(const double *values, int64_t count, double factor) {
    return guarded(SffiBuffer{}, [&] {
        if (std::isnan(factor)) throw std::invalid_argument("the factor is not a number");
        std::vector<double> out(values, values + count);
        for (double &value : out) value *= factor;
        return to_host(out);
    });
}

int64_t series_new() {
    return guarded(int64_t{0}, [] {
        all.push_back(std::make_unique<Series>());
        live++;
        return static_cast<int64_t>(all.size());
    });
}

void series_add(int64_t handle, double value) {
    guarded(0, [&] { return series_of(handle)->add(value), 0; });
}

double series_mean(int64_t handle) {
    return guarded(0.0, [&] { return series_of(handle)->mean(); });
}

void series_free(int64_t handle) {
    guarded(0, [&] { return series_of(handle).reset(), live--, 0; });
}

int64_t live_handles() { return live; }

// What Simple is told about the functions; it compares the declarations of programs with this.
const uint8_t a_text[] = {SFFI_TYPE_TEXT};
const uint8_t array_and_number[] = {SFFI_TYPE_ARRAY_F64, SFFI_TYPE_F64};
const uint8_t a_handle[] = {SFFI_TYPE_I64};
const uint8_t handle_and_number[] = {SFFI_TYPE_I64, SFFI_TYPE_F64};

template <typename Function>
const void *address(Function *function) { return reinterpret_cast<const void *>(function); }

// name, address, parameters and their number, result, how a failure shows, effects, the value that shows it
const SffiFunction functions[] = {
    {"NAME_greeting", address(greeting), a_text, 1, SFFI_TYPE_TEXT, SFFI_FAILURE_VALUE, SFFI_EFFECT_PURE, 0},
    {"NAME_scaled", address(scaled), array_and_number, 2, SFFI_TYPE_ARRAY_F64, SFFI_FAILURE_VALUE, SFFI_EFFECT_PURE, 0},
    {"NAME_series_new", address(series_new), nullptr, 0, SFFI_TYPE_I64, SFFI_FAILURE_VALUE, SFFI_EFFECT_NEW_HANDLE, 0},
    {"NAME_series_add", address(series_add), handle_and_number, 2, SFFI_TYPE_UNIT, SFFI_FAILURE_FLAG, SFFI_EFFECT_WRITES, 0},
    {"NAME_series_mean", address(series_mean), a_handle, 1, SFFI_TYPE_F64, SFFI_FAILURE_FLAG, SFFI_EFFECT_READS, 0},
    {"NAME_series_free", address(series_free), a_handle, 1, SFFI_TYPE_UNIT, SFFI_FAILURE_FLAG, SFFI_EFFECT_FREES, 0},
};

const SffiManifest manifest = {
    SFFI_ABI_VERSION, sizeof(SffiFunction), "NAME 0.1.0", functions, std::size(functions), live_handles,
};

}  // namespace

extern "C" uint32_t simple_ffi_abi_version() { return SFFI_ABI_VERSION; }

extern "C" const SffiManifest *simple_ffi_init(const SffiHost *given) {
    host = given;
    return &manifest;
}

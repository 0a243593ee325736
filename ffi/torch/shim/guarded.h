// How every function of the shim fails: it catches everything and returns null, or its reason in memory from malloc.

#pragma once

#include <cstring>
#include <exception>
#include <string>

#include <c10/util/Exception.h>

inline char* reason(const std::string& text) { return strdup(text.c_str()); }

// Runs `body`, which returns a reason or null.
template <typename Body>
char* guarded(Body body) noexcept {
  try {
    return body();
  } catch (const c10::Error& error) {
    return strdup(error.what_without_backtrace());
  } catch (const std::exception& error) {
    return strdup(error.what());
  } catch (...) {
    return strdup("a C++ exception of an unknown kind");
  }
}

// The driver of CUDA and its compiler NVRTC, as far as `lib.kernel` calls them, for the fake devices in main memory: a kernel is compiled as C++, with a
// function that calls it for each thread, one after the other. One library is both `libcuda.so.1` and `libnvrtc.so.13`.
//
// Not there: shared memory, `__syncthreads`, anything of a warp, and a failure where an address is not a multiple of a vector's size.
//
//   FAKE_CUDA_KERNELS   a folder for what is compiled

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Program {
  std::string source, entry, log, image;
};

struct Function {
  std::string name;
  void (*run)(const unsigned*, void**);
};

const char* setting(const char* name) {
  const char* value = getenv(name);
  return value && *value ? value : nullptr;
}

void note(const std::string& line) {
  const char* log = setting("FAKE_CUDA_LOG");
  if (!log) return;
  int file = open(log, O_WRONLY | O_APPEND | O_CREAT, 0644);
  std::string text = line + "\n";
  if (file < 0 || write(file, text.data(), text.size()) < 0) abort();
  close(file);
}

const char* const BEFORE = R"(
#include <cmath>
#define __global__
#define __device__
struct dim3 { unsigned x, y, z; };
static dim3 gridDim, blockDim, blockIdx, threadIdx;
struct alignas(16) float4 { float x, y, z, w; };
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
)";

// The type of a parameter: what is before its name.
std::string type_of(const std::string& parameter) {
  std::string text = parameter.substr(0, parameter.find_last_not_of(" \n") + 1);
  return text.substr(0, text.find_last_of("* ") + 1);
}

// A function `run_NAME` for each kernel, which takes the sizes and the addresses of the arguments.
std::string runners(const std::string& source) {
  std::string made;
  std::regex kernel(R"(__global__\s+void\s+(\w+)\s*\(([^)]*)\))");
  for (std::sregex_iterator at(source.begin(), source.end(), kernel), end; at != end; ++at) {
    std::string arguments, one;
    std::stringstream list((*at)[2].str());
    for (int i = 0; std::getline(list, one, ','); i++) {
      arguments += (i ? ", *(" : "*(") + type_of(one) + "*)a[" + std::to_string(i) + "]";
    }
    made += "extern \"C\" void run_" + (*at)[1].str() + "(const unsigned* n, void** a) {\n  gridDim = {n[0], n[1], n[2]};\n  blockDim = {n[3], n[4], n[5]};\n" +
            "  for (unsigned b = 0; b < n[0] * n[1] * n[2]; b++)\n    for (unsigned t = 0; t < n[3] * n[4] * n[5]; t++) {\n" +
            "      blockIdx = {b % n[0], b / n[0] % n[1], b / n[0] / n[1]};\n      threadIdx = {t % n[3], t / n[3] % n[4], t / n[3] / n[4]};\n      " + (*at)[1].str() +
            "(" + arguments + ");\n    }\n}\n";
  }
  return made;
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return 0;
}

const char* nvrtcGetErrorString(int) { return "error of the fake NVRTC"; }

int nvrtcGetNumSupportedArchs(int* count) {
  *count = 1;
  return 0;
}

int nvrtcGetSupportedArchs(int* room) {
  *room = 90;
  return 0;
}

int nvrtcCreateProgram(Program** program, const char* source, const char*, int, void*, void*) {
  *program = new Program{source};
  return 0;
}

int nvrtcDestroyProgram(Program** program) {
  delete *program;
  return 0;
}

int nvrtcAddNameExpression(Program* program, const char* name) {
  program->entry = name;
  return 0;
}

int nvrtcGetLoweredName(Program* program, const char*, const char** lowered) {
  *lowered = program->entry.c_str();
  return 0;
}

int nvrtcCompileProgram(Program* program, int, const char* const*) {
  const char* folder = setting("FAKE_CUDA_KERNELS");
  if (!folder) return 1;
  static int number = 0;
  std::string base = std::string(folder) + "/" + std::to_string(getpid()) + "_" + std::to_string(number++);
  std::ofstream(base + ".cpp") << BEFORE << program->source << runners(program->source);
  std::string command = std::string(setting("CXX") ? setting("CXX") : "c++") + " -std=c++17 -O1 -shared -fPIC -w -o " + base + ".so " + base + ".cpp 2>" + base + ".log";
  int code = system(command.c_str());
  std::stringstream log;
  log << std::ifstream(base + ".log").rdbuf();
  program->log = log.str();
  program->image = base + ".so";
  return code ? 6 : 0;
}

int nvrtcGetProgramLogSize(Program* program, size_t* size) {
  *size = program->log.size() + 1;
  return 0;
}

int nvrtcGetProgramLog(Program* program, char* room) {
  strcpy(room, program->log.c_str());
  return 0;
}

int nvrtcGetPTXSize(Program* program, size_t* size) {
  *size = program->image.size() + 1;
  return 0;
}

int nvrtcGetPTX(Program* program, char* room) {
  strcpy(room, program->image.c_str());
  return 0;
}

int nvrtcGetCUBINSize(Program*, size_t* size) {
  *size = 0;
  return 0;
}

int nvrtcGetCUBIN(Program*, char*) { return 1; }

int cuInit(unsigned) { return 0; }

int cuGetErrorName(int, const char** name) {
  *name = "error of the fake driver";
  return 0;
}

int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}

int cuDeviceGetCount(int* count) {
  *count = setting("FAKE_CUDA_DEVICES") ? atoi(setting("FAKE_CUDA_DEVICES")) : 2;
  return 0;
}

int cuDeviceGet(int* device, int number) {
  *device = number;
  return 0;
}

// The compute capability is 9.0.
int cuDeviceGetAttribute(int* value, int what, int) {
  *value = what == 75 ? 9 : 0;
  return 0;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = reinterpret_cast<void*>(static_cast<intptr_t>(device) + 1);
  return 0;
}

int cuCtxPushCurrent_v2(void*) { return 0; }

int cuCtxPopCurrent_v2(void** context) {
  *context = nullptr;
  return 0;
}

int cuModuleLoadData(void** loaded, const void* image) {
  *loaded = dlopen(static_cast<const char*>(image), RTLD_NOW | RTLD_LOCAL);
  return *loaded ? 0 : 200;
}

int cuModuleGetFunction(Function** function, void* loaded, const char* name) {
  void* run = dlsym(loaded, (std::string("run_") + name).c_str());
  if (!run) return 500;
  *function = new Function{name, reinterpret_cast<void (*)(const unsigned*, void**)>(run)};
  return 0;
}

// A block has at most 1024 threads.
int cuFuncGetAttribute(int* value, int, Function*) {
  *value = 1024;
  return 0;
}

int cuFuncSetAttribute(Function*, int, int) { return 0; }

int cuLaunchKernel(Function* function, unsigned bx, unsigned by, unsigned bz, unsigned tx, unsigned ty, unsigned tz, unsigned, void* stream, void** arguments, void*) {
  note("launch " + function->name + " blocks=" + std::to_string(bx * by * bz) + " threads=" + std::to_string(tx * ty * tz) +
       " stream=" + std::to_string(reinterpret_cast<intptr_t>(stream)));
  const unsigned sizes[] = {bx, by, bz, tx, ty, tz};
  function->run(sizes, arguments);
  return 0;
}

int cuStreamSynchronize(void*) { return 0; }

}  // extern "C"

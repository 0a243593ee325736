// A stand-in for CUDA's runtime, libcudart.so.13, under libtorch's own CUDA part: it has devices whose memory is main memory and whose
// kernels do nothing. It reads the environment as driver.c does, and:
//   FAKE_MALLOC  what cudaMalloc returns (0): 2 out of memory, 46 busy, 719 a failed launch
// What no function here stands for fails with 801, "operation not supported".

#include "fake.h"

#include <dlfcn.h>

enum { NO_DEVICE = 100, INVALID_DEVICE = 101, NOT_SUPPORTED = 801 };

static __thread int current, last;

__attribute__((constructor)) static void opened(void) { note("open libcudart"); }

static int failed(int error) { return last = error; }

int cudaGetDeviceCount(int* count) {
  *count = devices();
  return *count ? 0 : failed(NO_DEVICE);
}

int cudaDriverGetVersion(int* version) {
  *version = setting("FAKE_VERSION", 13000);
  return 0;
}

int cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return 0;
}

int cudaGetDevice(int* device) {
  *device = current;
  return 0;
}

int cudaSetDevice(int device) {
  if (device < 0 || device >= devices()) return failed(INVALID_DEVICE);
  current = device;
  return 0;
}

// The beginning of cudaDeviceProp of CUDA 13; it has 1,008 bytes.
int cudaGetDeviceProperties(char* properties, int device) {
  memset(properties, 0, 512);
  snprintf(properties, 256, "Fake GPU %d", device);
  *(size_t*)(properties + 288) = MEMORY;
  *(int*)(properties + 308) = 32;
  *(int*)(properties + 360) = 8;
  *(int*)(properties + 364) = 6;
  *(int*)(properties + 388) = 1;
  return 0;
}

int cudaDeviceGetAttribute(int* value, int attribute, int device) {
  *value = 1;
  return 0;
}

int cudaMalloc(void** memory, size_t bytes) {
  int error = setting("FAKE_MALLOC", 0);
  if (error) return failed(error);
  *memory = calloc(1, bytes);
  return 0;
}

int cudaFree(void* memory) { return 0; }

int cudaHostAlloc(void** memory, size_t bytes, unsigned flags) {
  *memory = calloc(1, bytes);
  return 0;
}

int cudaMemGetInfo(size_t* unused, size_t* all) {
  *unused = *all = MEMORY;
  return 0;
}

int cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind, void* stream) {
  memcpy(to, from, bytes);
  return 0;
}

int cudaGetLastError(void) {
  int error = last;
  last = 0;
  return error;
}

int cudaPeekAtLastError(void) { return last; }

const char* cudaGetErrorName(int error) { return "cudaErrorOfTheFake"; }

const char* cudaGetErrorString(int error) {
  switch (error) {
    case 2: return "out of memory";
    case 46: return "CUDA-capable device(s) is/are busy or unavailable";
    case NO_DEVICE: return "no CUDA-capable device is detected";
    case INVALID_DEVICE: return "invalid device ordinal";
    case 719: return "unspecified launch failure";
    default: return "operation not supported";
  }
}

int cudaStreamIsCapturing(void* stream, int* is) {
  *is = 0;
  return 0;
}

int cudaThreadExchangeStreamCaptureMode(int* mode) { return 0; }
int cudaLaunchKernel(void) { return 0; }
int cudaStreamSynchronize(void* stream) { return 0; }
int cudaStreamQuery(void* stream) { return 0; }
int cudaDeviceSynchronize(void) { return 0; }

int cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return 0;
}

void** __cudaRegisterFatBinary(void* binary) {
  static void* handle;
  return &handle;
}

int __cudaPushCallConfiguration(void) { return 0; }
int __cudaPopCallConfiguration(void) { return 0; }
char __cudaInitModule(void** handle) { return 0; }
void __cudaRegisterFatBinaryEnd(void) {}
void __cudaRegisterFunction(void) {}
void __cudaRegisterVar(void) {}
void __cudaUnregisterFatBinary(void) {}

int __cudaGetKernel(void** kernel, const void* entry) {
  *kernel = (void*)entry;
  return 0;
}

int __cudaLaunchKernel(void) { return 0; }

static int lacking(void) { return NOT_SUPPORTED; }

// libtorch asks for functions of the driver this way.
int cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version, unsigned long long flags, int* status) {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY);
  *function = driver ? dlsym(driver, name) : NULL;
  if (!*function) *function = lacking;
  if (status) *status = 0;
  return 0;
}

#define LACKS(name)             \
  int name(void) {              \
    note("no " #name);          \
    return failed(NOT_SUPPORTED); \
  }
LACKS(cudaDeviceCanAccessPeer)
LACKS(cudaDeviceEnablePeerAccess)
LACKS(cudaDeviceGetDefaultMemPool)
LACKS(cudaDeviceGetPCIBusId)
LACKS(cudaEventCreate)
LACKS(cudaEventCreateWithFlags)
LACKS(cudaEventDestroy)
LACKS(cudaEventElapsedTime)
LACKS(cudaEventQuery)
LACKS(cudaEventRecord)
LACKS(cudaEventRecordWithFlags)
LACKS(cudaEventSynchronize)
LACKS(cudaFreeAsync)
LACKS(cudaFreeHost)
LACKS(cudaFuncGetAttributes)
LACKS(cudaFuncSetAttribute)
LACKS(cudaGetSymbolAddress)
LACKS(cudaGraphDebugDotPrint)
LACKS(cudaGraphDestroy)
LACKS(cudaGraphExecDestroy)
LACKS(cudaGraphGetNodes)
LACKS(cudaGraphInstantiateWithFlags)
LACKS(cudaGraphLaunch)
LACKS(cudaGraphNodeGetDependencies)
LACKS(cudaHostRegister)
LACKS(cudaHostUnregister)
LACKS(cudaIpcCloseMemHandle)
LACKS(cudaIpcGetEventHandle)
LACKS(cudaIpcGetMemHandle)
LACKS(cudaIpcOpenEventHandle)
LACKS(cudaIpcOpenMemHandle)
LACKS(cudaLaunchCooperativeKernel)
LACKS(cudaLaunchHostFunc)
LACKS(cudaLaunchKernelExC)
LACKS(cudaMallocAsync)
LACKS(cudaMemPoolGetAttribute)
LACKS(cudaMemPoolSetAccess)
LACKS(cudaMemPoolSetAttribute)
LACKS(cudaMemPoolTrimTo)
LACKS(cudaMemcpy2DAsync)
LACKS(cudaMemcpy)
LACKS(cudaMemcpyPeerAsync)
LACKS(cudaMemcpyToSymbol)
LACKS(cudaMemset)
LACKS(cudaMemsetAsync)
LACKS(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
LACKS(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
LACKS(cudaPointerGetAttributes)
LACKS(cudaProfilerStart)
LACKS(cudaProfilerStop)
LACKS(cudaStreamAddCallback)
LACKS(cudaStreamBeginCapture)
LACKS(cudaStreamCreate)
LACKS(cudaStreamCreateWithPriority)
LACKS(cudaStreamDestroy)
LACKS(cudaStreamEndCapture)
LACKS(cudaStreamGetCaptureInfo)
LACKS(cudaStreamGetPriority)
LACKS(cudaStreamWaitEvent)

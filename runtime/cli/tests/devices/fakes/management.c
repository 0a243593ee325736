// A stand-in for NVML, libnvidia-ml.so.1.
//
// The environment says what it is like, beside what driver.c reads:
//   FAKE_NVML_INIT  what nvmlInit_v2 returns (0): 9 the driver is not loaded, 18 versions of driver and library differ
//   FAKE_LOST       1: every device has fallen off the bus
//   FAKE_FULL       1: other processes hold nearly all memory

#include "fake.h"

__attribute__((constructor)) static void opened(void) { note("open libnvidia-ml"); }

enum { INVALID_ARGUMENT = 2, NOT_FOUND = 6, GPU_IS_LOST = 15 };

typedef struct {
  unsigned version;
  unsigned long long total, reserved, free, used;
} Memory;

// A device is its number and one.
static int number(void* device) { return (int)(intptr_t)device - 1; }

int nvmlInit_v2(void) { return setting("FAKE_NVML_INIT", 0); }
int nvmlInitWithFlags(unsigned flags) { return nvmlInit_v2(); }
int nvmlShutdown(void) { return 0; }

const char* nvmlErrorString(int number) {
  switch (number) {
    case 9: return "Driver Not Loaded";
    case 15: return "GPU is lost";
    case 18: return "Driver/library version mismatch";
    default: return "Unknown Error";
  }
}

int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  snprintf(text, size, "%s", setting("FAKE_VERSION", 13000) < 13000 ? "570.86.10" : "580.65.06");
  return 0;
}

int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = setting("FAKE_VERSION", 13000);
  return 0;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = devices();
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if ((int)index >= devices()) return INVALID_ARGUMENT;
  *device = (void*)(intptr_t)(index + 1);
  return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) { return nvmlDeviceGetHandleByIndex_v2(0, device); }

int nvmlDeviceGetName(void* device, char* name, unsigned size) {
  snprintf(name, size, "Fake GPU %d", number(device));
  return setting("FAKE_LOST", 0) ? GPU_IS_LOST : 0;
}

int nvmlDeviceGetUUID(void* device, char* uuid, unsigned size) {
  int n = number(device);
  snprintf(uuid, size, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n);
  return 0;
}

int nvmlDeviceGetMemoryInfo(void* device, unsigned long long memory[3]) {
  if (setting("FAKE_LOST", 0)) return GPU_IS_LOST;
  memory[0] = MEMORY;
  memory[1] = setting("FAKE_FULL", 0) ? (size_t)1 << 30 : (size_t)20 << 30;
  memory[2] = memory[0] - memory[1];
  return 0;
}

int nvmlDeviceGetMemoryInfo_v2(void* device, Memory* memory) {
  if (setting("FAKE_LOST", 0)) return GPU_IS_LOST;
  memory->total = MEMORY;
  memory->free = setting("FAKE_FULL", 0) ? (size_t)1 << 30 : (size_t)20 << 30;
  memory->used = memory->total - memory->free;
  return 0;
}

int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  *major = 8;
  *minor = 6;
  return 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, void* processes) {
  *count = 0;
  return 0;
}

int nvmlDeviceGetComputeRunningProcesses(void* device, unsigned* count, void* processes) {
  return nvmlDeviceGetComputeRunningProcesses_v3(device, count, processes);
}

// libtorch asks for these about links between GPUs; here they have no answer.
#define LACKS(name) \
  int name(void) { return NOT_FOUND; }
LACKS(nvmlDeviceGetNvLinkRemoteDeviceType)
LACKS(nvmlDeviceGetNvLinkRemotePciInfo_v2)
LACKS(nvmlDeviceGetGpuFabricInfoV)

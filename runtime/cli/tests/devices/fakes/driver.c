// A stand-in for NVIDIA's driver, libcuda.so.1: as much of it as says which devices there are. CUDA's real runtime does not take it for a
// whole driver, so programs compute on none of them.
//
// The environment says what it is like:
//   FAKE_DEVICES  how many devices there are (1)
//   FAKE_VERSION  the newest CUDA that it can do (13000)
//   FAKE_INIT     what cuInit returns (0): 2 out of memory, 100 no device, 999 unknown
//   FAKE_CRASH    1: cuInit crashes
//   FAKE_LOG      a file to which a line is added for what happens

#include "fake.h"

__attribute__((constructor)) static void opened(void) { note("open libcuda"); }

enum { NOT_SUPPORTED = 801, INVALID_DEVICE = 101, CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };

int cuDriverGetVersion(int* version) {
  *version = setting("FAKE_VERSION", 13000);
  return 0;
}

int cuInit(unsigned flags) {
  note("cuInit");
  if (setting("FAKE_CRASH", 0)) *(volatile int*)16 = 1;
  return setting("FAKE_INIT", 0);
}

int cuDeviceGetCount(int* count) {
  *count = devices();
  return 0;
}

int cuDeviceGet(int* device, int number) {
  if (number < 0 || number >= devices()) return INVALID_DEVICE;
  *device = number;
  return 0;
}

int cuDeviceGetName(char* name, int size, int device) {
  snprintf(name, size, "Fake GPU %d", device);
  return 0;
}

int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  *bytes = MEMORY;
  return 0;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  *value = attribute == CAPABILITY_MAJOR ? 8 : attribute == CAPABILITY_MINOR ? 6 : 1;
  return 0;
}

int cuDeviceGetUuid_v2(char* uuid, int device) {
  memset(uuid, device, 16);
  return 0;
}

// libtorch asks before it uses a device whether somebody else does.
int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  *flags = 0;
  *active = 1;
  return 0;
}

int other(void) { return NOT_SUPPORTED; }

int cuGetProcAddress_v2(const char* name, void** function, int version, uint64_t flags, int* status) {
  static const struct {
    const char* name;
    void* function;
  } known[] = {
      {"cuDriverGetVersion", cuDriverGetVersion},     {"cuInit", cuInit},
      {"cuDeviceGetCount", cuDeviceGetCount},         {"cuDeviceGet", cuDeviceGet},
      {"cuDeviceGetName", cuDeviceGetName},           {"cuDeviceTotalMem", cuDeviceTotalMem_v2},
      {"cuDeviceGetAttribute", cuDeviceGetAttribute}, {"cuDeviceGetUuid", cuDeviceGetUuid_v2},
      {"cuGetProcAddress", cuGetProcAddress_v2},
  };
  *function = other;
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
    if (!strcmp(name, known[i].name)) *function = known[i].function;
  }
  if (status) *status = 0;
  return 0;
}

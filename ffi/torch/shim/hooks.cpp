// What libtorch asks about CUDA while CUDA's part is not open, and afterwards.
//
// libtorch makes one object for these questions, when they are first asked, and keeps it for good. Convolutions, batch norms and passes of its
// autograd engine ask on the CPU too. Without an object of our own, libtorch would then make one that says "no CUDA" forever, and CUDA could not
// be opened any more. Ours says so until `cuda_hooks_found`, and hands every question to CUDA's own object from then on.

#include <atomic>
#include <memory>
#include <typeinfo>

#include <ATen/core/Generator.h>
#include <ATen/detail/CUDAHooksInterface.h>

#include "hooks.h"

namespace at {

struct CudaHooksOnDemand final : CUDAHooksInterface {
  explicit CudaHooksOnDemand(CUDAHooksArgs) {}

  // CUDA's own object, which is never freed; null until CUDA's part is open.
  static std::atomic<const CUDAHooksInterface*> found;

  static const CUDAHooksInterface& now() {
    static const CUDAHooksInterface none;
    const CUDAHooksInterface* there = found.load(std::memory_order_acquire);
    return there ? *there : none;
  }

  void init() const override { now().init(); }
  bool isBuilt() const override { return now().isBuilt(); }
  bool isAvailable() const override { return now().isAvailable(); }
  bool hasPrimaryContext(DeviceIndex device) const override { return now().hasPrimaryContext(device); }
  DeviceIndex deviceCount() const override { return now().deviceCount(); }
  void setCurrentDevice(DeviceIndex device) const override { now().setCurrentDevice(device); }
  DeviceIndex getCurrentDevice() const override { return now().getCurrentDevice(); }
  DeviceIndex exchangeDevice(DeviceIndex device) const override { return now().exchangeDevice(device); }
  DeviceIndex maybeExchangeDevice(DeviceIndex device) const override { return now().maybeExchangeDevice(device); }
  bool isPinnedPtr(const void* data) const override { return now().isPinnedPtr(data); }
  Allocator* getPinnedMemoryAllocator() const override { return now().getPinnedMemoryAllocator(); }
  Device getDeviceFromPtr(void* data) const override { return now().getDeviceFromPtr(data); }
  const Generator& getDefaultGenerator(DeviceIndex device) const override { return now().getDefaultGenerator(device); }
  Generator getNewGenerator(DeviceIndex device) const override { return now().getNewGenerator(device); }
  bool hasCUDA() const override { return now().hasCUDA(); }
  bool hasCUDART() const override { return now().hasCUDART(); }
  bool hasMAGMA() const override { return now().hasMAGMA(); }
  bool hasCuDNN() const override { return now().hasCuDNN(); }
  bool hasCuSOLVER() const override { return now().hasCuSOLVER(); }
  bool hasCuBLASLt() const override { return now().hasCuBLASLt(); }
  bool hasROCM() const override { return now().hasROCM(); }
  bool hasCKSDPA() const override { return now().hasCKSDPA(); }
  bool hasCKGEMM() const override { return now().hasCKGEMM(); }
  const at::cuda::NVRTC& nvrtc() const override { return now().nvrtc(); }
  DeviceIndex current_device() const override { return now().current_device(); }
  Allocator* getCUDADeviceAllocator() const override { return now().getCUDADeviceAllocator(); }
  bool compiledWithCuDNN() const override { return now().compiledWithCuDNN(); }
  bool compiledWithMIOpen() const override { return now().compiledWithMIOpen(); }
  bool supportsDilatedConvolutionWithCuDNN() const override { return now().supportsDilatedConvolutionWithCuDNN(); }
  bool supportsDepthwiseConvolutionWithCuDNN() const override { return now().supportsDepthwiseConvolutionWithCuDNN(); }
  bool supportsBFloat16ConvolutionWithCuDNNv8() const override { return now().supportsBFloat16ConvolutionWithCuDNNv8(); }
  bool supportsBFloat16RNNWithCuDNN() const override { return now().supportsBFloat16RNNWithCuDNN(); }
  long versionCuDNN() const override { return now().versionCuDNN(); }
  long versionRuntimeCuDNN() const override { return now().versionRuntimeCuDNN(); }
  long versionCuDNNFrontend() const override { return now().versionCuDNNFrontend(); }
  long versionMIOpen() const override { return now().versionMIOpen(); }
  long versionHipBLASLt() const override { return now().versionHipBLASLt(); }
  long versionCUDART() const override { return now().versionCUDART(); }
  std::string showConfig() const override { return now().showConfig(); }
  double batchnormMinEpsilonCuDNN() const override { return now().batchnormMinEpsilonCuDNN(); }
  int64_t cuFFTGetPlanCacheMaxSize(DeviceIndex device) const override { return now().cuFFTGetPlanCacheMaxSize(device); }
  void cuFFTSetPlanCacheMaxSize(DeviceIndex device, int64_t size) const override { now().cuFFTSetPlanCacheMaxSize(device, size); }
  int64_t cuFFTGetPlanCacheSize(DeviceIndex device) const override { return now().cuFFTGetPlanCacheSize(device); }
  void cuFFTClearPlanCache(DeviceIndex device) const override { now().cuFFTClearPlanCache(device); }
  int getNumGPUs() const override { return now().getNumGPUs(); }
#ifdef USE_ROCM
  bool isGPUArch(const std::vector<std::string>& archs, DeviceIndex device) const override { return now().isGPUArch(archs, device); }
  const std::vector<std::string>& getHipblasltPreferredArchs() const override { return now().getHipblasltPreferredArchs(); }
  const std::vector<std::string>& getHipblasltSupportedArchs() const override { return now().getHipblasltSupportedArchs(); }
#endif
  void deviceSynchronize(DeviceIndex device) const override { now().deviceSynchronize(device); }
};

std::atomic<const CUDAHooksInterface*> CudaHooksOnDemand::found{nullptr};

// With the lowest priority: CUDA's part puts its own in place of ours when it is opened. Where it is open already, ours is not needed.
static const bool registered = [] {
  if (CUDAHooksRegistry()->Has("CUDAHooks")) return false;
  auto make = [](CUDAHooksArgs args) { return std::make_unique<CudaHooksOnDemand>(args); };
  CUDAHooksRegistry()->Register("CUDAHooks", make, c10::REGISTRY_FALLBACK);
  return true;
}();

}  // namespace at

namespace simple {

bool cuda_hooks_found() {
  if (!at::registered || at::CudaHooksOnDemand::found.load()) return true;
  std::unique_ptr<at::CUDAHooksInterface> own = at::CUDAHooksRegistry()->Create("CUDAHooks", at::CUDAHooksArgs{});
  const at::CUDAHooksInterface& made = *own;
  if (typeid(made) == typeid(at::CudaHooksOnDemand)) return false;
  at::CudaHooksOnDemand::found.store(own.release(), std::memory_order_release);
  return true;
}

}  // namespace simple

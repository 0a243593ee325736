// What the parts of the shim tell `recent.cpp`.

#pragma once

namespace simple {

// Notes work of the GPU that libtorch's observer does not see, once CUDA is open: replays of graphs, kernels of the program's own. The name is cut after
// 54 bytes.
void note_work(const char* name);

}  // namespace simple

//! `libsimple_torch.so`: the functions in Rust (`../src`) and the C++ that they call (`../shim`), linked. Nothing else is here.

use simple_torch_functions as _;
use simple_torch_shim as _;

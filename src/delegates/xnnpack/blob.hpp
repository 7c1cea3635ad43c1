// How is a part written down for the run time of xnnpack?
#pragma once

#include "n2d2/delegates/delegate.hpp"

namespace n2d2::delegates {

/// Of a part whose nodes are all taken: bytes, sizes of scratch and handle, layers of the debug handles.
Blob xnnpack_blob(const graph::Graph& part);

}  // namespace n2d2::delegates

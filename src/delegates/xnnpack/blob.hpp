// How is a part written down for the run time of xnnpack?
#pragma once

#include "n2d2/delegates/delegate.hpp"

namespace n2d2::delegates {

/// Returns the blob of a part of which XNNPACK takes every node: the bytes, the sizes of scratch and handle,
/// and the layers of the debug handles.
Blob xnnpack_blob(const graph::Graph& part);

}  // namespace n2d2::delegates

// How is a planned program written as the blob that runtime/loopback.cpp runs?
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "n2d2/program/kernel.hpp"
#include "n2d2/program/program.hpp"

namespace n2d2::delegates {

/// Whether the run time knows a kernel.
bool is_in_loopback(std::string_view kernel);
/// How many inputs of a sum it adds.
size_t most_summands();

/// Whether a layer's factors are whole numbers.
bool has_multipliers(const graph::Node& node);

/// runtime/blob.hpp says what stands where. The program has one memory, which holds its inputs, and no state;
/// its cells are the layers, whose numbers are the debug handles. `copied`: init keeps a copy.
std::vector<std::byte> blob_of(const program::Program& program, bool copied);

/// Bytes of a handle, with the copy of a blob of this size (0: without).
program::Bytes handle_bytes(program::Bytes copied);

}  // namespace n2d2::delegates

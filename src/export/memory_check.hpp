// Does a run need nothing but what its plan keeps? Every other byte of the arenas is overwritten before each
// step, and the outputs are compared with those of a plan in which nothing shares a byte.
#pragma once

#include "planned_network.hpp"

namespace n2d2::exporter {

/// The same map with a plan in which every buffer that is in no other one has bytes of its own, scanned
/// top-down; memories are unlimited.
MemoryMap without_reuse(const MemoryMap& map);

/// Runs a sample (1,C,H,W f32) without reuse, in the network's plan, and in that plan with free and guard bytes
/// filled with 0xA5 and with 0x5A. ExportError naming the first layer that differs in each run, and each layer
/// that writes outside the arenas.
void check_memory(const PlannedNetwork& network, const Tensor& sample);

}  // namespace n2d2::exporter

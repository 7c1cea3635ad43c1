// Part of an exported project; may be used without condition. Only this source of the driver has the network.
#include "../include/driven.hpp"

#include "../include/Network.hpp"

namespace N2D2_Export {

const NetworkFacts& facts() {
  static const NetworkFacts all = {ENV_SIZE_X,
                                   ENV_SIZE_Y,
                                   ENV_NB_OUTPUTS,
                                   ElementTypeOf<Input_T>::value,
                                   static_cast<int>(sizeof(Input_T)),
                                   NB_BITS > 0 && NB_BITS <= 8 ? 255 : 65535,
                                   ENV_SCALE,
                                   static_cast<double>(ENV_ZERO_POINT),
                                   NETWORK_TARGETS,
                                   OUTPUTS_WIDTH,
                                   OUTPUTS_HEIGHT,
                                   NB_OUTPUTS,
                                   NB_TARGET,
                                   OUTPUTS_SIZE,
                                   OUTPUTS_DATA,
                                   OUTPUTS_SCALE,
                                   OUTPUTS_CELL};
  return all;
}

int outputs_before(int target) {
  return Network::outputs_offset(target);
}

int propagate(const void* inputs, int32_t* outputs, const Watchers& watchers) {
  Network network;
  network.set_dump(watchers.dump, watchers.dump_user);
  network.set_time(watchers.time, watchers.time_user);
  return network.propagate(static_cast<const Input_T*>(inputs), outputs);
}

void release_network() {
  Network::release();
}

bool is_memory_intact() {
#ifdef CHECK_MEMORY
  return Network::memory_intact();
#else
  return true;
#endif
}

}  // namespace N2D2_Export

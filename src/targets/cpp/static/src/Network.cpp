// Part of an exported project; may be used without condition.
#include "../include/Network.hpp"

namespace N2D2_Export {

int Network::input_height() {
  return ENV_SIZE_Y;
}
int Network::input_width() {
  return ENV_SIZE_X;
}
int Network::input_channels() {
  return ENV_NB_OUTPUTS;
}
int Network::input_size() {
  return ENV_OUTPUTS_SIZE;
}

int Network::targets() {
  return NETWORK_TARGETS;
}
int Network::output_height(int target) {
  return OUTPUTS_HEIGHT[target];
}
int Network::output_width(int target) {
  return OUTPUTS_WIDTH[target];
}
int Network::output_channels(int target) {
  return NB_OUTPUTS[target];
}
int Network::outputs_size(int target) {
  return OUTPUTS_SIZE[target];
}

int Network::outputs_offset(int target) {
  int offset = 0;
  for (int t = 0; t < target; ++t) offset += OUTPUTS_SIZE[t];
  return offset;
}

}  // namespace N2D2_Export

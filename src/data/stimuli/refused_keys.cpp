#include "refused_keys.hpp"

namespace n2d2::data {

void refuse_keys(const KeySource& keys, std::initializer_list<RefusedKey> refused, const std::string& why,
                 Diagnostics& diagnostics) {
  for (const RefusedKey& key : refused) {
    if (!key.is_set) continue;
    if (const auto found = keys.find(key.name))
      diagnostics.error(found->where, fmt::format("{} {}: '{}' is not supported: {}", keys.subject(),
                                                  key.name, found->text, why));
  }
}

}  // namespace n2d2::data

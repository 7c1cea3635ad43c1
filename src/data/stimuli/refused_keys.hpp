// Which keys of a step are known and not supported?
#pragma once

#include <initializer_list>
#include <string>

#include "n2d2/base/fields.hpp"

namespace n2d2::data {

struct RefusedKey {
  const char* name;
  /// Whether it has a value that asks for something.
  bool is_set;
};

/// An error "[sp.T] <key>: '<value>' is not supported: <why>" for each that is set.
void refuse_keys(const KeySource& keys, std::initializer_list<RefusedKey> refused, const std::string& why,
                 Diagnostics& diagnostics);

}  // namespace n2d2::data

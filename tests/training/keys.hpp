// Keys written down in a test.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "n2d2/base/fields.hpp"

namespace n2d2::training {

/// "[conv1]" at net.ini; the header is on the given line, the keys in alphabetical order on the next ones.
class MapKeys final : public KeySource {
 public:
  explicit MapKeys(std::map<std::string, std::string> keys, std::string subject = "[conv1]", int line = 10)
      : keys_(std::move(keys)), subject_(std::move(subject)), line_(line) {}
  std::optional<KeyText> find(std::string_view key) const override {
    const auto it = keys_.find(std::string(key));
    if (it == keys_.end()) return std::nullopt;
    return KeyText{it->second, {"net.ini", line_ + 1 + static_cast<int>(std::distance(keys_.begin(), it))}};
  }
  SourceLocation where() const override { return {"net.ini", line_}; }
  std::string subject() const override { return subject_; }

 private:
  std::map<std::string, std::string> keys_;
  std::string subject_;
  int line_;
};

/// The one error of a list.
inline std::string only_error(const Diagnostics& diagnostics) {
  return diagnostics.errors().size() == 1 ? diagnostics.errors().front().text()
                                          : fmt::format("{} errors", diagnostics.errors().size());
}

}  // namespace n2d2::training

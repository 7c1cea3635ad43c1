#include "warning_log.hpp"

#include <algorithm>
#include <filesystem>

namespace n2d2::app {

namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

}  // namespace

WarningLog::WarningLog() : before_(log::set_sink({})) {
  log::set_sink([this](log::Level level, std::string_view text) {
    if (level >= log::Level::Warning) texts_.emplace_back(text);
    before_(level, text);
  });
}

WarningLog::~WarningLog() {
  log::set_sink(std::move(before_));
}

std::vector<std::string> WarningLog::texts(const Options& options) const {
  std::vector<std::string> paths{options.model};
  for (const TypedOption& option : options.typed)
    for (const std::string& argument : option.arguments) paths.push_back(argument);
  // The longest first: one path may be the beginning of another.
  std::sort(paths.begin(), paths.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  std::vector<std::string> out;
  for (std::string text : texts_) {
    if (text.starts_with("N2D2_")) continue;  // variables of the environment say what this machine does
    for (const std::string& path : paths)
      if (path.find('/') != std::string::npos)
        replace_all(text, path, std::filesystem::path(path).filename().string());
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
  }
  return out;
}

}  // namespace n2d2::app

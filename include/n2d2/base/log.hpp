// How does the library say something? Through these functions; only `app` decides where it goes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace n2d2::log {

enum class Level { Debug, Info, Notice, Warning, Error };

/// One message, without trailing newline; shown as presentable() makes it.
void write(Level level, std::string_view message);

template <class... Args>
void debug(fmt::format_string<Args...> text, Args&&... args) {
  write(Level::Debug, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void info(fmt::format_string<Args...> text, Args&&... args) {
  write(Level::Info, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void notice(fmt::format_string<Args...> text, Args&&... args) {
  write(Level::Notice, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void warn(fmt::format_string<Args...> text, Args&&... args) {
  write(Level::Warning, fmt::format(text, std::forward<Args>(args)...));
}

/// Where messages go. The default writes Info to standard output, Notice and above to standard error
/// with "Notice: " and "Warning: " in front. Returns the sink that was set before. Called at start only.
using Sink = std::function<void(Level, std::string_view)>;
Sink set_sink(Sink sink);

/// Collects messages while it lives (tests).
class Capture {
 public:
  Capture();
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  /// All messages of at least this level, one per line.
  std::string text(Level at_least = Level::Notice) const;

 private:
  Sink previous_;
  std::vector<std::pair<Level, std::string>> lines_;
};

}  // namespace n2d2::log

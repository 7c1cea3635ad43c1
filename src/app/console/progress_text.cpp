#include "progress_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "n2d2/base/bytes.hpp"
#include "n2d2/base/text.hpp"

namespace n2d2::app {

namespace {

/// Names come from files: no control character reaches a terminal.
std::string line_of(const std::string& text) {
  std::string out = presentable(text);
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

std::string counted(int64_t count, const std::string& unit) {
  return unit.empty() ? with_thousands(count) : fmt::format("{} {}", with_thousands(count), unit);
}

std::string share_text(const TaskState& task) {
  const auto done = static_cast<double>(task.done - task.from), total = static_cast<double>(task.total);
  std::string out = fmt::format("{} %", static_cast<int>(100 * static_cast<double>(task.done) / total));
  if (task.seconds >= 1 && done > 0) {
    const double left = task.seconds / done * std::max(0.0, total - static_cast<double>(task.done));
    out += fmt::format(", {} left", duration_text(left));
  }
  if (!task.detail.empty()) out += ", " + task.detail;
  return out + fmt::format(" ({} of {})", with_thousands(task.done), counted(task.total, task.unit));
}

}  // namespace

std::string duration_text(double seconds) {
  const auto s = static_cast<int64_t>(seconds + 0.5);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", s / 3600, s / 60 % 60);
}

std::string progress_text(const TaskState& task) {
  std::string out = task.what + ": ";
  if (task.total > 0) return line_of(out + share_text(task));
  if (task.done > task.from) out += counted(task.done, task.unit) + ", ";
  out += duration_text(task.seconds);
  if (!task.detail.empty()) out += ", " + task.detail;
  return line_of(out);
}

std::string end_text(const TaskState& task) {
  const std::string count =
      task.done > task.from ? counted(task.done - task.from, task.unit) + ", " : std::string();
  return line_of(fmt::format("{}: {}{:.1f} s", task.what, count, task.seconds));
}

std::string cut_to(const std::string& text, size_t columns) {
  constexpr std::string_view kDots = "...";
  if (text.size() <= columns) return text;
  if (columns <= kDots.size()) return std::string(beginning(text, columns));
  return fmt::format("{}{}", beginning(text, columns - kDots.size()), kDots);
}

}  // namespace n2d2::app

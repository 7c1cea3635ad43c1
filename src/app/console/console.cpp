#include "console.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "n2d2/base/text.hpp"

namespace n2d2::app {

namespace {

/// Tasks that last less are not shown on a terminal.
constexpr double kSecondsBefore = 1;
constexpr double kSecondsOfTerminal = 0.2, kSecondsOfPipe = 10;

/// Codes of ECMA-48.
constexpr std::string_view kErase = "\r\x1b[K";
constexpr std::string_view kBold = "1", kRed = "1;31", kYellow = "1;33", kCyan = "36";

}  // namespace

Console::Console(Surface out, Surface err, std::function<double()> seconds)
    : out_(std::move(out)), err_(std::move(err)), seconds_(std::move(seconds)) {}

void Console::set_volume(Volume volume) {
  const std::lock_guard lock(mutex_);
  erase();
  volume_ = volume;
}

void Console::print(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (volume_ == Volume::Silent) return;
  erase();
  out_.write(text);
}

void Console::message(log::Level level, std::string_view text) {
  using log::Level;
  if (level == Level::Debug) return;
  const std::lock_guard lock(mutex_);
  if (volume_ == Volume::Silent && level < Level::Error) return;
  if (volume_ == Volume::Quiet && level < Level::Warning) return;
  erase();
  if (level == Level::Info) return out_.write(fmt::format("{}\n", text));
  const std::string prefix = level == Level::Notice    ? painted(kCyan, "Notice: ")
                             : level == Level::Warning ? painted(kYellow, "Warning: ")
                                                       : std::string();
  err_.write(fmt::format("{}{}\n", prefix, text));
}

void Console::fail(std::string_view text) {
  const std::lock_guard lock(mutex_);
  erase();
  std::string out;
  for (const std::string& line : split(text, '\n'))
    out += painted(line.starts_with("  hint: ") ? kCyan : kRed, line) + "\n";
  err_.write(out);
}

void Console::began(const progress::Task& task) {
  const std::lock_guard lock(mutex_);
  const double now = seconds_();
  if (tasks_.empty()) last_ = now;
  tasks_.push_back({&task, now, task.from(), {}, now});
}

void Console::moved(const progress::Task& task, const progress::Detail& detail) {
  const std::lock_guard lock(mutex_);
  Shown* shown = find(task);
  if (shown == nullptr) return;
  shown->done = task.done();
  const double now = seconds_();
  if (volume_ <= Volume::Quiet || err_.kind == Surface::Kind::File) return;
  if (shown->detail.empty() || now - shown->detailed >= kSecondsOfTerminal) {
    shown->detail = detail ? detail() : std::string();
    shown->detailed = now;
  }
  if (is_due(now)) show(now);
}

void Console::ended(const progress::Task& task) {
  const std::lock_guard lock(mutex_);
  const Shown* shown = find(task);
  if (shown == nullptr) return;
  erase();
  if (volume_ == Volume::Verbose) err_.write(end_text(state_of(*shown, seconds_())) + "\n");
  tasks_.erase(tasks_.begin() + (shown - tasks_.data()));
}

void Console::tick() {
  const std::lock_guard lock(mutex_);
  const double now = seconds_();
  if (is_due(now)) show(now);
}

Console::Shown* Console::find(const progress::Task& task) {
  const auto found = std::ranges::find(tasks_, &task, &Shown::task);
  return found == tasks_.end() ? nullptr : &*found;
}

TaskState Console::state_of(const Shown& shown, double now) const {
  const progress::Task& task = *shown.task;
  return {task.what(), task.unit(), task.total(), task.from(), shown.done, now - shown.began, shown.detail};
}

bool Console::is_due(double now) const {
  if (volume_ <= Volume::Quiet || tasks_.empty()) return false;
  switch (err_.kind) {
    case Surface::Kind::Terminal:
      return now - tasks_.front().began >= kSecondsBefore &&
             (!is_drawn_ || now - last_ >= kSecondsOfTerminal);
    case Surface::Kind::Pipe:
      return now - last_ >= kSecondsOfPipe;
    case Surface::Kind::File:
      return false;
  }
  return false;
}

void Console::show(double now) {
  last_ = now;
  if (err_.kind == Surface::Kind::Terminal) return draw(text(now));
  err_.write(text(now) + "\n");
}

std::string Console::text(double now) const {
  std::string out;
  for (const Shown& shown : tasks_)
    if (out.empty() || now - shown.began >= kSecondsBefore)
      out += (out.empty() ? "" : " > ") + progress_text(state_of(shown, now));
  return out;
}

void Console::draw(const std::string& text) {
  // The last column stays free: a line that fills it is wrapped.
  const size_t columns = err_.columns();
  const std::string line = cut_to(text, columns > 1 ? columns - 1 : columns);
  const size_t name = std::min(line.find(':'), line.size());
  err_.write(fmt::format("\r{}{}\x1b[K", painted(kBold, line.substr(0, name)), line.substr(name)));
  is_drawn_ = true;
}

void Console::erase() {
  if (is_drawn_) err_.write(kErase);
  is_drawn_ = false;
}

std::string Console::painted(std::string_view color, std::string_view text) const {
  return err_.has_colors && !text.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", color, text) : std::string(text);
}

}  // namespace n2d2::app

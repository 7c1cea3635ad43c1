#include "n2d2/base/log.hpp"

#include <memory>
#include <mutex>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "n2d2/base/text.hpp"

namespace n2d2::log {

namespace {

std::shared_ptr<spdlog::logger> make_logger(const char* name, const spdlog::sink_ptr& sink) {
  auto logger = std::make_shared<spdlog::logger>(name, sink);
  logger->set_pattern("%v");
  logger->flush_on(spdlog::level::trace);
  return logger;
}

void write_to_console(Level level, std::string_view message) {
  static const auto out = make_logger("out", std::make_shared<spdlog::sinks::stdout_sink_mt>());
  static const auto err = make_logger("err", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  switch (level) {
    case Level::Debug:
      break;
    case Level::Info:
      out->info("{}", message);
      break;
    case Level::Notice:
      err->info("Notice: {}", message);
      break;
    case Level::Warning:
      err->info("Warning: {}", message);
      break;
    case Level::Error:
      err->info("{}", message);
      break;
  }
}

struct State {
  std::mutex mutex;
  Sink sink = write_to_console;
};

State& state() {
  static State instance;
  return instance;
}

}  // namespace

void write(Level level, std::string_view message) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.sink(level, presentable(message));
}

Sink set_sink(Sink sink) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return std::exchange(s.sink, std::move(sink));
}

Capture::Capture() {
  previous_ =
      set_sink([this](Level level, std::string_view message) { lines_.emplace_back(level, message); });
}

Capture::~Capture() {
  set_sink(std::move(previous_));
}

std::string Capture::text(Level at_least) const {
  std::string out;
  for (const auto& [level, line] : lines_)
    if (level >= at_least) out += line + "\n";
  return out;
}

}  // namespace n2d2::log

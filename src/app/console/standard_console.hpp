// Which console shows what the process prints?
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "console.hpp"

namespace n2d2::app {

/// print() of files.hpp, messages of the library and its tasks go to the console while the scope lives.
class ConsoleScope {
 public:
  explicit ConsoleScope(Console& console);
  ~ConsoleScope();
  ConsoleScope(const ConsoleScope&) = delete;
  ConsoleScope& operator=(const ConsoleScope&) = delete;

 private:
  Console* before_;
  log::Sink sink_;
  progress::Watcher* watcher_;
};

/// Where print() goes; null: to standard output.
Console* console_of_process();

/// The console of the standard streams, with a thread that lets it know of the time.
class StandardConsole {
 public:
  StandardConsole();
  ~StandardConsole();
  StandardConsole(const StandardConsole&) = delete;
  StandardConsole& operator=(const StandardConsole&) = delete;

  void set_volume(Volume volume) { console_.set_volume(volume); }
  void fail(std::string_view text) { console_.fail(text); }

 private:
  void tick_until_end();

  Console console_;
  ConsoleScope scope_;
  std::mutex mutex_;
  std::condition_variable ends_;
  bool is_over_ = false;
  std::thread ticks_;
};

}  // namespace n2d2::app

// How far is work that takes its time? The library says it here; only `app` decides what is shown.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace n2d2::progress {

/// What is shown beside a count, such as "93.40 % right". Called only where it is shown; it logs nothing.
using Detail = std::function<std::string()>;

class Task;

/// Receives tasks on the threads on which they run.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void began(const Task& task) = 0;
  virtual void moved(const Task& task, const Detail& detail) = 0;
  virtual void ended(const Task& task) = 0;
};

/// Null, the default, shows nothing. Returns the watcher that was set before. Called while no task lives.
Watcher* set_watcher(Watcher* watcher);

/// Work in progress, from construction to destruction. A task that begins while another lives is a part of
/// that one, and ends before it.
class Task {
 public:
  /// `what`: "Calibrating". `total`: how many of `unit` ("samples") there are, 0: not known. `from`: how
  /// many of them were done before.
  explicit Task(std::string what, int64_t total = 0, std::string unit = {}, int64_t from = 0);
  ~Task();
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  /// This many are done.
  void at(int64_t done, const Detail& detail = {});

  const std::string& what() const { return what_; }
  const std::string& unit() const { return unit_; }
  int64_t total() const { return total_; }
  int64_t from() const { return from_; }
  int64_t done() const { return done_; }

 private:
  const std::string what_, unit_;
  const int64_t total_, from_;
  int64_t done_;
  Watcher* const watcher_;
};

}  // namespace n2d2::progress

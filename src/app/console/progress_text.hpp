// How is said how far a task is?
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace n2d2::app {

/// "28 s", "3 min 05 s", "2 h 10 min"
std::string duration_text(double seconds);

/// A task as it is seen at one moment.
struct TaskState {
  std::string what, unit;
  int64_t total = 0, from = 0, done = 0;  ///< as of progress::Task
  double seconds = 0;                     ///< since it began
  std::string detail = {};
};

/// "Learning: 12 %, 28 s left, 93.40 % right (1,200 of 10,000 stimuli)"; without a total
/// "Planning memory: 12 plans, 3 s". One line. The time that is left follows from the mean speed so far, once
/// the task has lasted a second.
std::string progress_text(const TaskState& task);

/// "Calibrating: 1,000 samples, 34.2 s": what is said of a task that is over.
std::string end_text(const TaskState& task);

/// The text in at most `columns` columns of a terminal; a text that is cut ends in "...". Each byte is taken
/// for a column, which no character of UTF-8 exceeds.
std::string cut_to(const std::string& text, size_t columns);

}  // namespace n2d2::app

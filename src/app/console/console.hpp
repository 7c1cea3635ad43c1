// What of a run is shown, and when? Results and messages in lines; between them how far the run is.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/base/log.hpp"
#include "n2d2/base/progress.hpp"

#include "progress_text.hpp"
#include "surface.hpp"

namespace n2d2::app {

enum class Volume {
  Silent,  ///< the error that ends a run
  Quiet,   ///< results, warnings and errors
  Usual,   ///< information, notices and progress, too
  Verbose  ///< and what each task took
};

/// Results and information go to one surface (standard output), all else to the other (standard error).
/// Progress is a line that is rewritten on a terminal: from the second on that a task lasts, at most five
/// times a second, erased before anything else is written. On a pipe it is a line every ten seconds, in a
/// file nothing. Functions may be called on any thread.
class Console : public progress::Watcher {
 public:
  /// `seconds`: a clock that is never set back.
  Console(Surface out, Surface err, std::function<double()> seconds);

  void set_volume(Volume volume);

  /// A result, whole lines.
  void print(std::string_view text);
  /// A message of the library, without the end of its line.
  void message(log::Level level, std::string_view text);
  /// The error that ends a run, without the end of its last line.
  void fail(std::string_view text);

  void began(const progress::Task& task) override;
  void moved(const progress::Task& task, const progress::Detail& detail) override;
  void ended(const progress::Task& task) override;
  /// Time has passed: shows the tasks anew where that is due.
  void tick();

 private:
  struct Shown {
    const progress::Task* task;
    double began;
    int64_t done;
    std::string detail;
    double detailed;  ///< when the detail was asked for
  };
  Shown* find(const progress::Task& task);
  TaskState state_of(const Shown& shown, double now) const;
  bool is_due(double now) const;
  void show(double now);
  /// The tasks in one line, the outermost first.
  std::string text(double now) const;
  void draw(const std::string& text);
  void erase();
  std::string painted(std::string_view color, std::string_view text) const;

  const Surface out_, err_;
  const std::function<double()> seconds_;
  Volume volume_ = Volume::Usual;
  std::mutex mutex_;
  std::vector<Shown> tasks_;
  double last_ = 0;        // when progress was shown, or the outermost task began
  bool is_drawn_ = false;  // a line that is rewritten stands there
};

}  // namespace n2d2::app

#include "n2d2/base/progress.hpp"

#include <atomic>
#include <utility>

namespace n2d2::progress {

namespace {

std::atomic<Watcher*> watcher_of_all{nullptr};

}  // namespace

Watcher* set_watcher(Watcher* watcher) {
  return watcher_of_all.exchange(watcher);
}

Task::Task(std::string what, int64_t total, std::string unit, int64_t from)
    : what_(std::move(what)),
      unit_(std::move(unit)),
      total_(total),
      from_(from),
      done_(from),
      watcher_(watcher_of_all) {
  if (watcher_ != nullptr) watcher_->began(*this);
}

Task::~Task() {
  if (watcher_ != nullptr) watcher_->ended(*this);
}

void Task::at(int64_t done, const Detail& detail) {
  done_ = done;
  if (watcher_ != nullptr) watcher_->moved(*this, detail);
}

}  // namespace n2d2::progress

// How is a picture that took time to make kept for the next reader?
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "n2d2/data/image.hpp"

namespace n2d2::data {

/// Slots filled on first use, up to a number of bytes; what does not fit is made again each time. Several
/// threads may ask for the same slot: both make it, one result is kept, so what get() returns never depends
/// on the other.
class PictureCache {
 public:
  PictureCache(size_t slots, int64_t max_bytes) : slots_(max_bytes > 0 ? slots : 0), left_bytes_(max_bytes) {}
  ~PictureCache() {
    for (auto& slot : slots_) delete slot.load();
  }
  PictureCache(const PictureCache&) = delete;
  PictureCache& operator=(const PictureCache&) = delete;

  /// Owns its picture, or borrows it from the cache.
  class Picture {
   public:
    explicit Picture(const Image* kept) : kept_(kept) {}
    explicit Picture(std::unique_ptr<const Image> own) : own_(std::move(own)), kept_(own_.get()) {}
    const Image& operator*() const { return *kept_; }
    const Image* operator->() const { return kept_; }

   private:
    std::unique_ptr<const Image> own_;
    const Image* kept_;
  };

  template <class Make>
  Picture get(size_t slot, const Make& make) {
    if (slots_.empty()) return Picture(std::make_unique<const Image>(make()));
    if (const Image* kept = slots_[slot].load(std::memory_order_acquire)) return Picture(kept);
    auto made = std::make_unique<const Image>(make());
    const int64_t bytes = made->bytes() + static_cast<int64_t>(sizeof(Image));
    if (left_bytes_.fetch_sub(bytes) < bytes) {
      left_bytes_ += bytes;
      return Picture(std::move(made));
    }
    const Image* expected = nullptr;
    if (!slots_[slot].compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) {
      left_bytes_ += bytes;
      return Picture(expected);
    }
    return Picture(made.release());
  }

 private:
  std::vector<std::atomic<const Image*>> slots_;
  std::atomic<int64_t> left_bytes_;
};

}  // namespace n2d2::data

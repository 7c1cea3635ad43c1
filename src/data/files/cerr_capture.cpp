#include "cerr_capture.hpp"

#include <iostream>
#include <streambuf>

namespace n2d2::data {

namespace {

/// Where this thread's text goes; null: on.
thread_local std::string* kept_text = nullptr;

/// Stands before the buffer of std::cerr. It has no state but that one, so that threads may write at once.
class Router final : public std::streambuf {
 public:
  explicit Router(std::streambuf* behind) : behind_(behind) {}

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    if (kept_text == nullptr) return behind_->sputc(traits_type::to_char_type(c));
    kept_text->push_back(traits_type::to_char_type(c));
    return c;
  }
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    if (kept_text == nullptr) return behind_->sputn(text, count);
    kept_text->append(text, static_cast<size_t>(count));
    return count;
  }
  int sync() override { return kept_text == nullptr ? behind_->pubsync() : 0; }

 private:
  std::streambuf* behind_;
};

}  // namespace

CerrCapture::CerrCapture() {
  // Never deleted: std::cerr is used until the program has ended.
  static Router* const router = [] {
    auto* before = new Router(std::cerr.rdbuf());  // NOLINT(cppcoreguidelines-owning-memory): as above
    std::cerr.rdbuf(before);
    return before;
  }();
  static_cast<void>(router);
  kept_text = &text_;
}

CerrCapture::~CerrCapture() {
  kept_text = nullptr;
}

}  // namespace n2d2::data

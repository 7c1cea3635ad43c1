// What does a library write to std::cerr on this thread, instead of returning it?
#pragma once

#include <string>

namespace n2d2::data {

/// While it lives, what this thread writes to std::cerr is kept, not printed. Other threads are not touched.
/// One at a time on a thread.
class CerrCapture {
 public:
  CerrCapture();
  ~CerrCapture();
  CerrCapture(const CerrCapture&) = delete;
  CerrCapture& operator=(const CerrCapture&) = delete;

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace n2d2::data

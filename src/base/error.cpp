#include "n2d2/base/error.hpp"

#include <algorithm>

#include "n2d2/base/log.hpp"
#include "n2d2/base/text.hpp"

namespace n2d2 {

std::string Diagnostic::text() const {
  std::string out;
  if (!where.file.empty()) {
    out += where.file;
    if (where.line > 0) out += ":" + std::to_string(where.line);
    out += ": ";
  }
  out += message;
  if (!hint.empty()) out += "\n  hint: " + hint;
  return presentable(out);
}

Error::Error(std::vector<Diagnostic> findings) : findings_(std::move(findings)) {
  for (const Diagnostic& finding : findings_) text_ += (text_.empty() ? "" : "\n") + finding.text();
}

void Diagnostics::error(SourceLocation where, std::string message, std::string hint) {
  errors_.push_back({std::move(where), std::move(message), std::move(hint)});
}

void Diagnostics::warn(SourceLocation where, std::string message, std::string hint) {
  warnings_.push_back({std::move(where), std::move(message), std::move(hint)});
}

void Diagnostics::warn_key(SourceLocation where, std::string message, std::string hint) {
  (strict_ ? errors_ : warnings_).push_back({std::move(where), std::move(message), std::move(hint)});
}

void Diagnostics::add(const Error& error) {
  errors_.insert(errors_.end(), error.findings().begin(), error.findings().end());
}

void Diagnostics::flush_warnings() {
  for (const Diagnostic& warning : sorted(std::exchange(warnings_, {})))
    log::write(log::Level::Warning, warning.text());
}

std::vector<Diagnostic> Diagnostics::sorted(std::vector<Diagnostic> findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.where.file, a.where.line) < std::tie(b.where.file, b.where.line);
  });
  return findings;
}

}  // namespace n2d2

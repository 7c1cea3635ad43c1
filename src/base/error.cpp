#include "n2d2/base/error.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

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

namespace {

/// Their texts; a hint that several have stands below the first of them.
std::vector<std::string> texts_of(const std::vector<Diagnostic>& findings) {
  std::map<std::string_view, size_t> uses;
  for (const Diagnostic& finding : findings)
    if (!finding.hint.empty()) ++uses[finding.hint];
  std::vector<std::string> out;
  for (Diagnostic finding : findings) {
    const auto hint = uses.find(finding.hint);
    const size_t count = hint == uses.end() ? 0 : std::exchange(hint->second, 0);
    if (count == 0) finding.hint.clear();
    if (count > 1) finding.hint += fmt::format(" (for {} findings)", count);
    out.push_back(finding.text());
  }
  return out;
}

}  // namespace

Error::Error(std::vector<Diagnostic> findings)
    : findings_(std::move(findings)), text_(join(texts_of(findings_), "\n")) {}

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
  for (const std::string& warning : texts_of(sorted(std::exchange(warnings_, {}))))
    log::write(log::Level::Warning, warning);
}

std::vector<Diagnostic> Diagnostics::sorted(std::vector<Diagnostic> findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.where.file, a.where.line) < std::tie(b.where.file, b.where.line);
  });
  return findings;
}

}  // namespace n2d2

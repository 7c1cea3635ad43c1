// How do we fail? Three errors a user can act on, one that is ours, and a list that collects findings.
#pragma once

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace n2d2 {

/// A place an editor can jump to. An empty file means "no place known"; line 0 means "the whole file".
struct SourceLocation {
  std::string file;
  int line = 0;
  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

/// One finding: place, "subject: expected ..., got ...", and at most one hint.
struct Diagnostic {
  SourceLocation where;
  std::string message;
  std::string hint;
  /// "file:line: message" and, on a second line, "  hint: ...", presentable(). No trailing newline.
  std::string text() const;
  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

/// Base of everything this program throws on purpose. what() holds all findings, one after the other.
class Error : public std::exception {
 public:
  explicit Error(std::vector<Diagnostic> findings);
  const char* what() const noexcept override { return text_.c_str(); }
  const std::vector<Diagnostic>& findings() const { return findings_; }

 private:
  std::vector<Diagnostic> findings_;
  std::string text_;
};

/// INI, command line, data files: the user wrote or gave something we cannot use.
class ConfigError : public Error {
 public:
  explicit ConfigError(std::vector<Diagnostic> findings) : Error(std::move(findings)) {}
  explicit ConfigError(std::string message, SourceLocation where = {}, std::string hint = {})
      : Error({Diagnostic{std::move(where), std::move(message), std::move(hint)}}) {}
};

/// Shapes, operators, model files: the network itself does not hold together.
class ModelError : public Error {
 public:
  explicit ModelError(std::vector<Diagnostic> findings) : Error(std::move(findings)) {}
  explicit ModelError(std::string message, SourceLocation where = {}, std::string hint = {})
      : Error({Diagnostic{std::move(where), std::move(message), std::move(hint)}}) {}
};

/// No kernel, no memory, no folder: the network is fine but cannot be exported as asked.
class ExportError : public Error {
 public:
  explicit ExportError(std::vector<Diagnostic> findings) : Error(std::move(findings)) {}
  explicit ExportError(std::string message, SourceLocation where = {}, std::string hint = {})
      : Error({Diagnostic{std::move(where), std::move(message), std::move(hint)}}) {}
};

/// A broken invariant: our bug. Thrown by N2D2_CHECK.
class InternalError : public Error {
 public:
  InternalError(const std::string& message, const char* file, int line)
      : Error({Diagnostic{{file, line}, "internal error: " + message, {}}}) {}
};

/// Collects findings so that one run reports all of them, in file order.
class Diagnostics {
 public:
  explicit Diagnostics(bool strict = false) : strict_(strict) {}

  void error(SourceLocation where, std::string message, std::string hint = {});
  /// A warning says what was assumed. Reported through log::warn by flush().
  void warn(SourceLocation where, std::string message, std::string hint = {});
  /// A warning about an INI key; an error when strict (`-strict`).
  void warn_key(SourceLocation where, std::string message, std::string hint = {});
  /// Takes over the findings of a caught error.
  void add(const Error& error);

  bool has_errors() const { return !errors_.empty(); }
  const std::vector<Diagnostic>& errors() const { return errors_; }
  const std::vector<Diagnostic>& warnings() const { return warnings_; }

  /// Logs the warnings in file order and forgets them; throws E with all errors if there are any.
  template <class E>
  void finish() {
    flush_warnings();
    if (has_errors()) throw E(sorted(std::exchange(errors_, {})));
  }

 private:
  void flush_warnings();
  static std::vector<Diagnostic> sorted(std::vector<Diagnostic> findings);

  bool strict_;
  std::vector<Diagnostic> errors_, warnings_;
};

}  // namespace n2d2

/// Checks an invariant of ours. The message is an fmt format string with arguments.
#define N2D2_CHECK(condition, ...)                                                               \
  do {                                                                                           \
    if (!(condition)) throw ::n2d2::InternalError(fmt::format(__VA_ARGS__), __FILE__, __LINE__); \
  } while (false)

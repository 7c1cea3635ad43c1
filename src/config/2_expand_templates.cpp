#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "n2d2/base/text.hpp"

#include "expand_templates.hpp"

namespace n2d2::config {

namespace {

constexpr int kMaxTags = 32, kMaxIncludes = 16;
constexpr int kMaxSteps = 100'000;
constexpr size_t kMaxExpanded = size_t{1} << 20;

struct Piece {
  enum class Kind { Text, Parameter, Tag } kind;
  std::string_view text;  // between the delimiters
  int line;
};

/// A template as a tree: Text and Parameter are leaves, tags hold what stands between them and their end.
struct Element {
  Piece piece;
  std::vector<std::string> tokens;
  std::vector<Element> body, otherwise;
};

/// "{{X}}" and "{% ... %}" cut out of the text.
std::vector<Piece> cut(std::string_view text, const std::string& file) {
  std::vector<Piece> out;
  int line = 1;
  size_t position = 0;
  const auto advance = [&](Piece::Kind kind, size_t begin, size_t end, size_t next) {
    if (end > begin || kind != Piece::Kind::Text)
      out.push_back({kind, text.substr(begin, end - begin), line});
    for (; position < next; ++position) line += text[position] == '\n' ? 1 : 0;
  };
  while (position < text.size()) {
    size_t open = position;
    while (open < text.size() && !text.substr(open).starts_with("{{") &&
           !text.substr(open).starts_with("{%")) {
      ++open;
      open = std::min(text.find('{', open), text.size());
    }
    advance(Piece::Kind::Text, position, open, open);
    if (open == text.size()) break;
    const bool tag = text[open + 1] == '%';
    const size_t close = text.find(tag ? "%}" : "}}", open + 2);
    if (close == std::string_view::npos)
      throw ConfigError(
          fmt::format("template: expected '{}' after '{}', found none", tag ? "%}" : "}}", tag ? "{%" : "{{"),
          {file, line});
    advance(tag ? Piece::Kind::Tag : Piece::Kind::Parameter, open + 2, close, close + 2);
  }
  return out;
}

std::vector<std::string> tag_tokens(std::string_view text) {
  std::vector<std::string> out;
  std::string token;
  for (const char c : std::string(text) + ' ') {
    if (std::string_view(" \t\r\n\v\f(),").find(c) == std::string_view::npos) {
      token += c;
    } else if (!token.empty()) {
      out.push_back(std::move(token));
      token.clear();
    }
  }
  return out;
}

/// Pieces to a tree; checks the words of each tag.
class TreeBuilder {
 public:
  TreeBuilder(std::vector<Piece> pieces, const std::string& file) : pieces_(std::move(pieces)), file_(file) {}

  std::vector<Element> build() {
    std::vector<Element> out = sequence(0);
    if (next_ < pieces_.size()) fail(pieces_[next_], "expected an open tag that it ends, found none", {});
    return out;
  }

 private:
  /// Elements up to the first tag that ends or splits the surrounding one.
  std::vector<Element> sequence(int depth) {
    std::vector<Element> out;
    while (next_ < pieces_.size()) {
      Element element{pieces_[next_], {}, {}, {}};
      if (element.piece.kind == Piece::Kind::Tag) {
        element.tokens = tag_tokens(element.piece.text);
        if (is_end(element.tokens)) return out;
        ++next_;
        fill(element, depth);
      } else {
        ++next_;
      }
      out.push_back(std::move(element));
    }
    return out;
  }
  static bool is_end(const std::vector<std::string>& tokens) {
    return !tokens.empty() && (tokens[0] == "else" || tokens[0].starts_with("end"));
  }

  void fill(Element& tag, int depth) {
    const auto& t = tag.tokens;
    const std::string kind = t.empty() ? "" : t[0];
    if (depth >= kMaxTags) fail(tag.piece, fmt::format("nested more than {} deep", kMaxTags), {});
    if (kind == "include") {
      if (t.size() != 2) fail(tag.piece, "expected a path", "{% include path %}");
      return;
    }
    if (kind == "block") {
      if (t.size() != 2) fail(tag.piece, "expected the name of a parameter", "{% block ARR %}");
    } else if (kind == "set") {
      if (t.size() != 2) fail(tag.piece, "expected the name of a parameter", "{% set VAR %}");
    } else if (kind == "for") {
      if (t.size() < 5 || t.size() > 6 || t[2] != "in" || t[3] != "range")
        fail(tag.piece, "expected a variable and a range", "{% for VAR in range(start, end) %}");
    } else if (kind == "if") {
      const bool compares = t.size() == 4 && (t[2] == "==" || t[2] == "!=");
      const bool asks = t.size() == 3 && (t[2] == "exists" || t[2] == "not_exists");
      if (!compares && !asks)
        fail(tag.piece, "expected a comparison with one word, or exists, or not_exists",
             "{% if VAR == value %}, {% if VAR exists %}");
    } else {
      const std::vector<std::string> known{"block", "for", "if", "include", "set"};
      fail(tag.piece, "expected block, for, if, include or set" + did_you_mean(kind, known), {});
    }
    tag.body = sequence(depth + 1);
    if (kind == "if" && at_tag("else")) {
      ++next_;
      tag.otherwise = sequence(depth + 1);
    }
    if (!at_tag("end" + kind))
      fail(tag.piece,
           fmt::format("expected {{% end{} %}} after it, found {}", kind,
                       next_ < pieces_.size() ? tag_text(pieces_[next_]) : "the end of the file"),
           {});
    ++next_;
  }
  bool at_tag(std::string_view word) const {
    if (next_ >= pieces_.size()) return false;
    const auto tokens = tag_tokens(pieces_[next_].text);
    return tokens.size() == 1 && tokens[0] == word;
  }
  static std::string tag_text(const Piece& piece) { return fmt::format("{{%{}%}}", piece.text); }
  [[noreturn]] void fail(const Piece& piece, std::string_view what, std::string hint) const {
    throw ConfigError(fmt::format("template {}: {}", tag_text(piece), what), {file_, piece.line},
                      hint.empty() ? "" : "write " + hint);
  }

  std::vector<Piece> pieces_;
  const std::string& file_;
  size_t next_ = 0;
};

/// Text with the template line of each of its lines. Counts its bytes into `written`.
class Output {
 public:
  explicit Output(size_t& written) : written_(written) {}

  /// All of `text` was written on `line`, or, `moving`, starts there and moves on at each '\n'.
  void append(std::string_view text, SourceLocation where, bool moving) {
    written_ += text.size();
    for (const char c : text) {
      if (!open_) lines_.push_back({"", where});
      open_ = c != '\n';
      if (!open_) {
        if (moving) ++where.line;
        placed_ = false;
        continue;
      }
      if (!placed_ && c != ' ' && c != '\t' && c != '\r') {
        placed_ = true;
        lines_.back().where = where;
      }
      lines_.back().text += c;
    }
  }
  std::vector<Line> lines() && { return std::move(lines_); }
  /// The whole text, without its places.
  std::string text() const {
    std::string out;
    for (size_t i = 0; i < lines_.size(); ++i)
      out += lines_[i].text + (i + 1 < lines_.size() || !open_ ? "\n" : "");
    return out;
  }

 private:
  std::vector<Line> lines_;
  size_t& written_;
  bool open_ = false;
  bool placed_ = false;
};

class Renderer {
 public:
  Renderer(Parameters parameters, const FileReader& files, Diagnostics& diagnostics)
      : parameters_(std::move(parameters)), files_(files), diagnostics_(diagnostics) {}

  std::vector<Line> lines(std::string_view text, const std::string& file) {
    Output out(written_);
    render_file(text, file, out);
    return std::move(out).lines();
  }

 private:
  void render_file(std::string_view text, const std::string& file, Output& out) {
    const std::vector<Element> tree = TreeBuilder(cut(text, file), file).build();
    const std::string outer = std::exchange(file_, file);
    render(tree, out);
    file_ = outer;
  }
  void render(const std::vector<Element>& elements, Output& out) {
    for (const Element& element : elements) {
      const SourceLocation where{file_, element.piece.line};
      step(where);
      switch (element.piece.kind) {
        case Piece::Kind::Text:
          out.append(element.piece.text, where, true);
          break;
        case Piece::Kind::Parameter:
          parameter(element.piece.text, where, out);
          break;
        case Piece::Kind::Tag:
          tag(element, where, out);
          break;
      }
    }
  }
  void parameter(std::string_view name, const SourceLocation& where, Output& out) {
    if (const auto it = parameters_.find(name); it != parameters_.end()) {
      out.append(it->second, where, false);
      return;
    }
    const bool blanks = trim(name) != name && parameters_.contains(trim(name));
    undefined(name, fmt::format("{{{{{}}}}}", name), where,
              blanks ? fmt::format("write {{{{{}}}}}: blanks are part of the name", trim(name)) : "");
  }
  void undefined(std::string_view name, std::string_view subject, const SourceLocation& where,
                 std::string hint) {
    if (!reported_.emplace(where.file, where.line, std::string(name)).second) return;
    std::vector<std::string> known;
    for (const auto& [key, value] : parameters_) known.push_back(key);
    const std::string guess = did_you_mean(name, known);
    diagnostics_.error(where,
                       fmt::format("template {}: undefined parameter '{}'{}", subject, name,
                                   guess.empty() ? "; known: " + join(known, ", ") : guess),
                       std::move(hint));
  }
  const std::string* value(const std::string& name, const Element& tag, const SourceLocation& where,
                           const std::string& hint = {}) {
    const auto it = parameters_.find(name);
    if (it != parameters_.end()) return &it->second;
    undefined(name, fmt::format("{{%{}%}}", tag.piece.text), where, hint);
    return nullptr;
  }
  /// A literal, or the value of a parameter.
  std::optional<int64_t> count(const std::string& token, const Element& tag, const SourceLocation& where) {
    if (const auto number = parse_integer(token)) return number;
    const std::string* text = value(token, tag, where);
    if (text == nullptr) return std::nullopt;
    const auto number = parse_integer(*text);
    if (!number)
      diagnostics_.error(where, fmt::format("template {{%{}%}}: expected '{}' to be an integer, got '{}'",
                                            tag.piece.text, token, *text));
    return number;
  }

  void tag(const Element& tag, const SourceLocation& where, Output& out) {
    const std::string& kind = tag.tokens[0];
    if (kind == "block")
      block(tag, where, out);
    else if (kind == "for")
      loop(tag, where, out);
    else if (kind == "if")
      branch(tag, where, out);
    else if (kind == "include")
      include(tag.tokens[1], where, out);
    else
      set(tag);
  }
  void block(const Element& tag, const SourceLocation& where, Output& out) {
    const std::string& array = tag.tokens[1];
    const std::string* text = value(array, tag, where);
    if (text == nullptr) return;
    const auto size = parse_integer(*text);
    if (!size || *size < 0) {
      diagnostics_.error(where,
                         fmt::format("template {{%{}%}}: expected '{}' to be an integer >= 0, got '{}'",
                                     tag.piece.text, array, *text));
      return;
    }
    const Parameters outer = parameters_;
    for (int64_t i = 0; i < *size; ++i) {
      step(where);
      parameters_ = outer;
      const std::string item = fmt::format("{}[{}]", array, i);
      for (auto it = outer.lower_bound(item); it != outer.end() && it->first.starts_with(item); ++it)
        parameters_[it->first.substr(item.size())] = it->second;
      parameters_["#"] = std::to_string(i);
      render(tag.body, out);
    }
    parameters_ = outer;
  }
  void loop(const Element& tag, const SourceLocation& where, Output& out) {
    const std::string& variable = tag.tokens[1];
    if (parameters_.contains(variable)) {
      diagnostics_.error(where,
                         fmt::format("template {{%{}%}}: expected a new loop variable, '{}' exists already",
                                     tag.piece.text, variable));
      return;
    }
    const auto start = tag.tokens.size() == 6 ? count(tag.tokens[4], tag, where) : int64_t{0};
    const auto end = count(tag.tokens.back(), tag, where);
    if (!start || !end) return;
    for (int64_t i = *start; i < *end; ++i) {
      step(where);
      parameters_[variable] = std::to_string(i);
      render(tag.body, out);
    }
    parameters_.erase(variable);
  }
  void branch(const Element& tag, const SourceLocation& where, Output& out) {
    const std::string& op = tag.tokens[2];
    bool holds = parameters_.contains(tag.tokens[1]) == (op == "exists");
    if (op == "==" || op == "!=") {
      const std::string* text = value(tag.tokens[1], tag, where, "ask {% if VAR exists %} first");
      if (text == nullptr) return;
      holds = (*text == tag.tokens[3]) == (op == "==");
    }
    render(holds ? tag.body : tag.otherwise, out);
  }
  void include(const std::string& path, const SourceLocation& where, Output& out) {
    if (++includes_ > kMaxIncludes)
      throw ConfigError(fmt::format("template include: nested more than {} deep", kMaxIncludes), where);
    const std::string beside = (std::filesystem::path(where.file).parent_path() / path).string();
    std::string found = path;
    auto text = files_(path);
    if (!text && beside != path) {
      found = beside;
      text = files_(beside);
    }
    if (text)
      render_file(*text, found, out);
    else
      diagnostics_.error(where, fmt::format("template include: cannot read '{}'", path),
                         fmt::format("looked in the working directory and for '{}'", beside));
    --includes_;
  }
  void set(const Element& tag) {
    Output captured(written_);
    render(tag.body, captured);
    parameters_[tag.tokens[1]] = captured.text();
  }
  void step(const SourceLocation& where) {
    if (++steps_ > kMaxSteps || written_ > kMaxExpanded)
      throw ConfigError("template: expected a result of at most 1 MB and 100000 steps, got more", where);
  }

  Parameters parameters_;
  const FileReader& files_;
  Diagnostics& diagnostics_;
  std::set<std::tuple<std::string, int, std::string>> reported_;
  std::string file_;
  size_t written_ = 0;
  int steps_ = 0;
  int includes_ = 0;
};

}  // namespace

std::vector<Line> render_template(std::string_view text, const std::string& file, Parameters parameters,
                                  const FileReader& files, Diagnostics& diagnostics) {
  try {
    return Renderer(std::move(parameters), files, diagnostics).lines(text, file);
  } catch (const ConfigError& error) {
    diagnostics.add(error);
    return {};
  }
}

}  // namespace n2d2::config

#include "n2d2/training/learning_state.hpp"

#include <bit>
#include <charconv>
#include <cstring>
#include <map>
#include <span>

#include "n2d2/base/durable_file.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/base/sha256.hpp"
#include "n2d2/base/staged_folder.hpp"
#include "n2d2/base/text.hpp"
#include "n2d2/graph/text.hpp"

namespace n2d2::training {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "n2d2 learning state 1";
constexpr const char* kText = "state.txt";
constexpr const char* kValues = "values.bin";
constexpr const char* kHint = "another state, or no '-l': the run begins anew";
/// Bounds of what is read: no state that we write is near them.
constexpr int64_t kMostText = int64_t{1} << 28, kMostValues = int64_t{1} << 37;

static_assert(std::endian::native == std::endian::little && sizeof(float) == 4);

/// A name without ": " and line feeds, blanks as they are.
std::string escaped(const std::string& name) {
  std::vector<std::string> words = split(name, ' ');
  for (std::string& word : words) {
    word = graph::escaped_name(word);
    for (size_t at = 0; (at = word.find(':', at)) != std::string::npos;) word.replace(at, 1, "\\x3a");
  }
  return join(words, " ");
}

// ---- writing
// -----------------------------------------------------------------------------------------------

class Writer {
 public:
  void line(std::string text) { text_ += std::move(text) + '\n'; }
  void values(std::span<const float> values) {
    values_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  void write(const fs::path& folder) {
    line(fmt::format("values {} {}", values_.size(), sha256(values_)));
    text_ += "lines " + sha256(text_) + '\n';
    write_durably(folder / kText, text_);
    write_durably(folder / kValues, values_);
  }

 private:
  std::string text_, values_;
};

void write_solver(Writer& out, const SolverState& solver) {
  out.line(fmt::format("solver {} {} {} {} {}", solver.updates, solver.batches, solver.accumulated.size(),
                       solver.first.size(), solver.second.size()));
  for (const auto* values : {&solver.accumulated, &solver.first, &solver.second}) out.values(*values);
}

void write_quantizer(Writer& out, const QuantizerState& state) {
  out.line(fmt::format("learnt {} {} {} {} {}", state.is_started ? 1 : 0, state.raises, state.steps.size(),
                       state.starts.size(), state.mask.size()));
  for (const auto* values : {&state.steps, &state.starts, &state.mask}) out.values(*values);
}

void write_trainer(Writer& out, const TrainerState& state) {
  out.line(fmt::format("batches {}", state.next_step));
  out.line(fmt::format("portions {} {}", state.next_epoch, state.in_portion));
  out.line(fmt::format("stimuli {} {}", state.done, state.logged));
  out.line(fmt::format("epochs {}", state.epoch));
  if (state.best)
    out.line(fmt::format("best {} {}", *state.best, state.without_progress));
  else
    out.line("no best");
  out.line(fmt::format("window {}", state.window.size()));
  out.values(state.window);
  const Interval& interval = state.interval;
  out.line(fmt::format("interval {} {} {} {}", interval.stimuli, interval.scored, interval.loss_sum,
                       interval.success_sum));
  out.line(fmt::format("curve {}", state.curve.size()));
  for (const CurvePoint& point : state.curve)
    out.line(fmt::format("log {} {} {} {} {}", point.done, point.epoch, point.loss, point.success,
                         point.validation ? fmt::format("{}", *point.validation) : "none"));
  out.line(fmt::format("constants {}", state.constants.size()));
  for (const TrainerState::Constant& constant : state.constants) {
    std::string text = "constant " + graph::escaped_name(constant.name);
    for (const int64_t extent : constant.now.shape().dims()) text += fmt::format(" {}", extent);
    out.line(std::move(text));
    out.values(constant.now.span());
    if (state.best) out.values(constant.best.span());
  }
  out.line(fmt::format("solvers {}", state.solvers.size()));
  for (const SolverState& solver : state.solvers) write_solver(out, solver);
  if (state.quantizers.empty()) return;
  out.line(fmt::format("quantizers {}", state.quantizers.size()));
  for (const TrainerState::Quantizer& quantizer : state.quantizers) {
    out.line("quantizer " + graph::escaped_name(quantizer.name));
    write_quantizer(out, quantizer.now);
    write_quantizer(out, quantizer.best);
    write_solver(out, quantizer.step_solver);
  }
}

// ---- reading
// -----------------------------------------------------------------------------------------------

std::string read_file(const fs::path& path, int64_t most) {
  try {
    return read_regular_file(path, most);
  } catch (const FileError& error) {
    throw ConfigError("learning state: " + error.reason, {path.string(), 0},
                      "'-l <folder>' names the folder of a state, as learning writes net_state");
  }
}

/// What is read has passed both hashes: what does not fit is of a program that writes another form.
class Reader {
 public:
  explicit Reader(const fs::path& folder) : where_((folder / kText).string()) {
    text_ = read_file(folder / kText, kMostText);
    check_lines();
    values_ = read_file(folder / kValues, kMostValues);
    check_values(folder / kValues);
  }

  LearningState state() {
    LearningState out;
    if (line() != kMagic) fail(fmt::format("'{}'", kMagic));
    for (std::string_view next = line(); next != "run ends"; next = line()) {
      const size_t colon = next.find(": ");
      if (!next.starts_with("run ") || colon == std::string_view::npos)
        fail("'run <name>: <text>' or 'run ends'");
      const auto name = graph::unescaped(next.substr(4, colon - 4));
      if (!name) fail("a name");
      out.run.emplace_back(*name, next.substr(colon + 2));
    }
    out.total = numbers("total", 1)[0];
    trainer(out.trainer);
    if (!rest_.empty() || at_ != values_.size()) fail("the end of the state");
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    throw ConfigError(fmt::format("learning state: expected {}", expected), {where_, line_}, kHint);
  }

  /// The last line is the hash of those before it.
  void check_lines() {
    const size_t last = text_.rfind("\nlines ");
    if (!text_.starts_with(kMagic) && text_.starts_with("n2d2 learning state"))
      throw ConfigError(
          fmt::format("learning state: expected '{}', found '{}'", kMagic, text_.substr(0, text_.find('\n'))),
          {where_, 1}, "it is of another version of the program");
    if (last == std::string::npos ||
        text_.substr(last + 1) != "lines " + sha256(std::string_view(text_).substr(0, last + 1)) + "\n")
      throw ConfigError("learning state: the file is cut or changed, its hash is another", {where_, 0},
                        kHint);
    text_.resize(last + 1);
    rest_ = text_;
  }

  void check_values(const fs::path& path) {
    const size_t last = rest_.rfind("\nvalues ");
    if (last == std::string_view::npos) fail("'values <bytes> <hash>'");
    const std::string_view said = rest_.substr(last + 1);
    const auto bytes = number(split(trim(said), ' ').at(1));
    if (bytes != static_cast<int64_t>(values_.size()))
      throw ConfigError(fmt::format("learning state: expected {} bytes, found {}", with_thousands(bytes),
                                    with_thousands(static_cast<int64_t>(values_.size()))),
                        {path.string(), 0}, kHint);
    if (said != fmt::format("values {} {}\n", bytes, sha256(values_)))
      throw ConfigError("learning state: the values are changed, their hash is another", {path.string(), 0},
                        kHint);
    rest_ = rest_.substr(0, last + 1);
  }

  std::string_view line() {
    const size_t end = rest_.find('\n');
    ++line_;
    if (end == std::string_view::npos) fail("another line");
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return found;
  }

  int64_t number(std::string_view word) const {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || value < 0) fail("a number");
    return value;
  }

  /// So many behind the first word of a line.
  std::vector<int64_t> numbers(std::string_view head, size_t count) {
    std::vector<int64_t> out;
    for (const std::string& word : words(head, count)) out.push_back(number(word));
    return out;
  }

  void take(std::span<float> to) {
    if (to.size_bytes() > values_.size() - at_) fail("fewer values");
    if (!to.empty()) std::memcpy(to.data(), values_.data() + at_, to.size_bytes());
    at_ += to.size_bytes();
  }

  std::vector<float> vector(int64_t count) {
    if (static_cast<uint64_t>(count) > values_.size() / sizeof(float)) fail("fewer values");
    std::vector<float> out(static_cast<size_t>(count));
    take(out);
    return out;
  }

  void best(TrainerState& state) {
    const std::string_view text = line();
    if (text == "no best") return;
    const std::vector<std::string> found = split(text, ' ');
    if (found.size() != 3 || found[0] != "best") fail("'best <metric> <validations since>' or 'no best'");
    state.best = real(found[1]);
    state.without_progress = static_cast<int>(number(found[2]));
  }

  double real(const std::string& word) const {
    const auto value = parse_real(word);
    if (!value) fail("a real number");
    return *value;
  }

  std::vector<std::string> words(std::string_view head, size_t count) {
    std::vector<std::string> found = split(line(), ' ');
    if (found.size() != count + 1 || found[0] != head) fail(fmt::format("'{}' and {} words", head, count));
    found.erase(found.begin());
    return found;
  }

  Interval interval() {
    const auto found = words("interval", 4);
    return {number(found[0]), number(found[1]), real(found[2]), real(found[3])};
  }

  CurvePoint point() {
    const auto found = words("log", 5);
    CurvePoint out{number(found[0]), number(found[1]), real(found[2]), real(found[3]), {}};
    if (found[4] != "none") out.validation = real(found[4]);
    return out;
  }

  TrainerState::Constant constant(bool has_best) {
    const std::vector<std::string> found = split(line(), ' ');
    const auto name = found.size() >= 2 && found[0] == "constant" ? graph::unescaped(found[1]) : std::nullopt;
    if (!name) fail("'constant <name> <extents>'");
    std::vector<int64_t> extents;
    int64_t elements = 1;
    for (size_t i = 2; i < found.size(); ++i) {
      extents.push_back(number(found[i]));
      if (extents.back() > 0 && elements > kMostValues / extents.back()) fail("a smaller constant");
      elements *= extents.back();
    }
    if (elements > static_cast<int64_t>((values_.size() - at_) / sizeof(float))) fail("a smaller constant");
    TrainerState::Constant out{*name, Tensor(Shape(extents)), {}};
    take(out.now.span());
    if (has_best) {
      out.best = Tensor(Shape(extents));
      take(out.best.span());
    }
    return out;
  }

  void trainer(TrainerState& state) {
    state.next_step = static_cast<uint64_t>(numbers("batches", 1)[0]);
    const auto portions = numbers("portions", 2);
    state.next_epoch = static_cast<uint64_t>(portions[0]);
    state.in_portion = portions[1];
    const auto stimuli = numbers("stimuli", 2);
    state.done = stimuli[0];
    state.logged = stimuli[1];
    state.epoch = numbers("epochs", 1)[0];
    best(state);
    state.window = vector(numbers("window", 1)[0]);
    state.interval = interval();
    for (int64_t left = numbers("curve", 1)[0]; left > 0; --left) state.curve.push_back(point());
    for (int64_t left = numbers("constants", 1)[0]; left > 0; --left)
      state.constants.push_back(constant(state.best.has_value()));
    for (int64_t left = numbers("solvers", 1)[0]; left > 0; --left) state.solvers.push_back(solver());
    if (rest_.empty()) return;
    for (int64_t left = numbers("quantizers", 1)[0]; left > 0; --left) {
      const auto name = graph::unescaped(words("quantizer", 1)[0]);
      if (!name) fail("a name");
      TrainerState::Quantizer& quantizer = state.quantizers.emplace_back();
      quantizer.name = *name;
      quantizer.now = quantizer_state();
      quantizer.best = quantizer_state();
      quantizer.step_solver = solver();
    }
  }

  SolverState solver() {
    const auto found = numbers("solver", 5);
    SolverState solver{found[0], found[1], {}, {}, {}};
    solver.accumulated = vector(found[2]);
    solver.first = vector(found[3]);
    solver.second = vector(found[4]);
    return solver;
  }

  QuantizerState quantizer_state() {
    const auto found = numbers("learnt", 5);
    QuantizerState state{found[0] != 0, {}, {}, {}, found[1]};
    state.steps = vector(found[2]);
    state.starts = vector(found[3]);
    state.mask = vector(found[4]);
    return state;
  }

  std::string where_, text_, values_;
  std::string_view rest_;
  int line_ = 0;
  size_t at_ = 0;
};

}  // namespace

void save_state(const LearningState& state, const fs::path& folder) {
  Writer out;
  out.line(std::string(kMagic));
  for (const auto& [name, text] : state.run) {
    N2D2_CHECK(text.find('\n') == std::string::npos, "'{}' of a run has several lines", name);
    out.line("run " + escaped(name) + ": " + text);
  }
  out.line("run ends");
  out.line(fmt::format("total {}", state.total));
  write_trainer(out, state.trainer);
  try {
    StagedFolder staged(folder);
    out.write(staged.fresh());
    flush_folder(staged.fresh());
    staged.commit();
    flush_folder(folder.has_parent_path() ? folder.parent_path() : fs::path("."));
  } catch (const FolderError& error) {
    throw ConfigError(error.reason, {error.path.string(), 0}, error.hint);
  }
}

LearningState load_state(const fs::path& folder) {
  return Reader(folder).state();
}

std::vector<Difference> differences(const RunDescription& before, const RunDescription& now) {
  const std::map<std::string, std::string> old(before.begin(), before.end()), other(now.begin(), now.end());
  std::vector<Difference> out;
  for (const auto& [name, text] : before)
    if (const auto found = other.find(name); found == other.end() || found->second != text)
      out.push_back({name, text, found == other.end() ? "" : found->second});
  for (const auto& [name, text] : now)
    if (!old.contains(name)) out.push_back({name, "", text});
  return out;
}

}  // namespace n2d2::training

#include "n2d2/program/memory_check.hpp"

#include "n2d2/program/free_bytes.hpp"
#include "n2d2/program/run.hpp"

namespace n2d2::program {

namespace {

std::string name_of(const Cell* cell) {
  return cell == nullptr ? "env" : cell->name;
}

class Check {
 public:
  Check(const Planned& planned, const Tensor& values, const std::string& subject)
      : program_(planned.program), values_(values), subject_(subject), free_(free_bytes(planned.program)) {
    const Planned apart = without_reuse(planned);
    expect_valid(apart, subject);
    for (LayerValues& layer : run_layers(apart.program, values))
      expected_.emplace_back(name_of(layer.cell), std::move(layer.tensor));
  }

  void run() {
    compare(run_layers(program_, values_), "buffers share memory");
    for (const int pattern : {0xA5, 0x5A}) run_poisoned(static_cast<std::byte>(pattern));
    findings_.finish<ExportError>();
  }

 private:
  void run_poisoned(std::byte pattern) {
    bool is_outside = false;
    std::string who;
    RunHooks hooks;
    hooks.start = [&](Arena& arena) { arena.fill(pattern); };
    hooks.before_call = [&](CallId call, Arena& arena) {
      for (const FreeBytes& free : free_[static_cast<size_t>(call)]) arena.fill(free, pattern);
    };
    hooks.after_cell = [&](const Cell* cell, Arena& arena) {
      if (is_outside || arena.guards_hold(pattern)) return;
      is_outside = true;
      who = name_of(cell);
    };
    compare(run_layers(program_, values_, hooks),
            fmt::format("free memory holds 0x{:02X}", static_cast<int>(pattern)));
    if (is_outside) findings_.error({}, fmt::format("{}: [{}] writes outside the arena", subject_, who));
  }

  void compare(const std::vector<LayerValues>& found, const std::string& when) {
    for (size_t i = 0; i < expected_.size(); ++i)
      if (!(expected_[i].second == found.at(i).tensor))
        return findings_.error(
            {}, fmt::format("{}: [{}] has another output when {}", subject_, expected_[i].first, when));
  }

  const Program& program_;
  const Tensor& values_;
  const std::string& subject_;
  std::vector<std::vector<FreeBytes>> free_;  // before each call, and after the last one
  std::vector<std::pair<std::string, Tensor>> expected_;
  Diagnostics findings_;
};

}  // namespace

void check_memory(const Planned& planned, const Tensor& values, const std::string& subject) {
  Check(planned, values, subject).run();
}

}  // namespace n2d2::program

// Part of an exported project; may be used without condition.
#include "../include/timing.hpp"

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <sstream>

#include "../include/driven.hpp"
#include "../include/forms.hpp"
#if defined(N2D2_DISPATCH)
#include <string.h>

#include "../include/dispatch.hpp"

extern "C" {
const N2D2_Export_form_t* N2D2_Export_forms_on_sse2();
const N2D2_Export_form_t* N2D2_Export_forms_on_avx2();
const N2D2_Export_form_t* N2D2_Export_forms_on_avxvnni();
const N2D2_Export_form_t* N2D2_Export_forms_on_avx512vnni();
const N2D2_Export_form_t* N2D2_Export_forms_on_amx();
}
#endif

namespace N2D2_Export {
namespace {

typedef std::chrono::steady_clock Clock;

double microseconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::micro>(to - from).count();
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Returns "conv2d (packed_avx2)", for several calls "concat_part, concat_part".
std::string kernels_of(const std::string& cell) {
  std::string text;
  for (const N2D2_Export_form_t* call = forms_that_run(); call->cell; ++call) {
    if (cell != call->cell) continue;
    if (!text.empty()) text += ", ";
    text += call->kernel;
    if (call->form) text += std::string(" (") + call->form + ")";
  }
  return text;
}

TimeSummary summarize(const std::string& name, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  const double median = values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
  const size_t p95 = (values.size() * 95 + 99) / 100 - 1;
  const TimeSummary summary = {name, values.front(), median, mean(values), values[p95], kernels_of(name)};
  return summary;
}

}  // namespace

const N2D2_Export_form_t* forms_that_run() {
#if defined(N2D2_DISPATCH)
  const char* const isa = instruction_set();
#if defined(N2D2_DISPATCH_amx)
  if (strcmp(isa, "amx") == 0) return N2D2_Export_forms_on_amx();
#endif
#if defined(N2D2_DISPATCH_avx512vnni)
  if (strcmp(isa, "avx512vnni") == 0) return N2D2_Export_forms_on_avx512vnni();
#endif
#if defined(N2D2_DISPATCH_avxvnni)
  if (strcmp(isa, "avxvnni") == 0) return N2D2_Export_forms_on_avxvnni();
#endif
#if defined(N2D2_DISPATCH_avx2)
  if (strcmp(isa, "avx2") == 0) return N2D2_Export_forms_on_avx2();
#endif
  (void)isa;
  return N2D2_Export_forms_on_sse2();
#else
  return forms();
#endif
}

void CellTimes::on_cell(const char* cell, void* user) {
  CellTimes& times = *static_cast<CellTimes*>(user);
  const Clock::time_point at = Clock::now();
  if (cell) {
    if (times.next_ == times.cells_.size()) {
      times.cells_.push_back(Cell());
      times.cells_.back().name = cell;
    }
    times.cells_[times.next_++].microseconds.push_back(microseconds(times.last_, at));
  } else {
    times.next_ = 0;
  }
  times.last_ = Clock::now();
}

std::string CellTimes::running_means() const {
  std::ostringstream text;
  text << std::fixed << std::setprecision(3);
  double all = 0;
  for (size_t i = 0; i < cells_.size(); ++i) {
    const double own = mean(cells_[i].microseconds);
    all += own;
    text << cells_[i].name << ": " << own << " us, " << all << " us so far\n";
  }
  text << "forward: " << all << " us\n";
  return text.str();
}

std::vector<TimeSummary> measure(const Stimulus& stimulus, int repetitions) {
  std::vector<int32_t> outputs(static_cast<size_t>(outputs_before(facts().targets)));
  const Watchers nobody = Watchers();
  std::vector<double> total;
  propagate(&stimulus.data[0], &outputs[0], nobody);
  for (int i = 0; i < repetitions; ++i) {
    const Clock::time_point start = Clock::now();
    propagate(&stimulus.data[0], &outputs[0], nobody);
    total.push_back(microseconds(start, Clock::now()));
  }
  CellTimes cells;
  Watchers watchers = nobody;
  watchers.time = CellTimes::on_cell, watchers.time_user = &cells;
  for (int i = 0; i < repetitions; ++i) propagate(&stimulus.data[0], &outputs[0], watchers);
  std::vector<TimeSummary> times;
  for (size_t i = 0; i < cells.cells().size(); ++i)
    times.push_back(summarize(cells.cells()[i].name, cells.cells()[i].microseconds));
  times.push_back(summarize("total", total));
  return times;
}

std::string time_report(const std::vector<TimeSummary>& times) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(3);
  for (size_t i = 0; i < times.size(); ++i)
    text << times[i].name << ": min " << times[i].min << " us, median " << times[i].median << " us, mean "
         << times[i].mean << " us, p95 " << times[i].p95 << " us" << (times[i].kernels.empty() ? "" : "; ")
         << times[i].kernels << "\n";
  return text.str();
}

std::string time_json(const std::vector<TimeSummary>& times) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(3) << "[";
  for (size_t i = 0; i < times.size(); ++i)
    text << (i > 0 ? ", " : "") << "{\"cell\": \"" << times[i].name << "\", \"min_us\": " << times[i].min
         << ", \"median_us\": " << times[i].median << ", \"mean_us\": " << times[i].mean
         << ", \"p95_us\": " << times[i].p95 << ", \"kernels\": \"" << times[i].kernels << "\"}";
  return text.str() + "]";
}

}  // namespace N2D2_Export

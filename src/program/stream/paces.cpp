#include "paces.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace n2d2::program {

namespace {

constexpr int64_t kHighestRate = 4096;

int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

int64_t made(const Pace& pace, int64_t turn) {
  return floor_div(turn * pace.rows + pace.lead, pace.every);
}

/// The first turn after which so many rows are made.
int64_t turn_of(const Pace& pace, int64_t rows) {
  return -floor_div(-(rows * pace.every - pace.lead), pace.rows);
}

}  // namespace

Paces::Paces(const Members& members, ViewId result, int step, int phases)
    : m_(members), result_(result), step_(step), phases_(phases), reads_of_(size()), read_of_(size()) {
  for (const Dependence& d : m_.inner())
    reads_of_[at(d.reader)].push_back(&d), read_of_[at(d.maker)].push_back(&d);
}

bool Paces::find_rates() {
  rates_.assign(size(), 0);
  for (const CallId c : m_.makers_of(result_)) rates_[at(c)] = 1;
  for (CallId c = m_.end() - 1; c >= m_.first(); --c) {
    for (const Dependence* d : read_of_[at(c)]) {
      const int64_t rate = rates_[at(d->reader)] * by_rows(d->window).stride;
      if (rates_[at(c)] != 0 && rates_[at(c)] != rate) return false;
      rates_[at(c)] = rate;
    }
    if (rates_[at(c)] == 0 || rates_[at(c)] > kHighestRate) return false;
  }
  const int64_t highest = *std::max_element(rates_.begin(), rates_.end()), most = highest * phases_;
  paces_.assign(size(), {});
  for (size_t i = 0; i < size(); ++i) {
    if (highest % rates_[i] != 0) return false;
    const int64_t rows = rates_[i] * step_, common = std::gcd(rows, most);
    paces_[i].rows = static_cast<int>(rows / common), paces_[i].every = static_cast<int>(most / common);
  }
  return true;
}

void Paces::find_leads(const std::map<CallId, int>& early) {
  if (!is_latest_known_) find_latest();
  for (size_t i = 0; i < size(); ++i) paces_[i].lead = latest_[i];
  for (const auto& [call, by] : early) make_early(call, by);
  start_at_turn_0();
}

int Paces::turns() const {
  int64_t last = 0;
  for (CallId c = m_.first(); c < m_.end(); ++c) last = std::max(last, turn_of(paces_[at(c)], m_.height(c)));
  return static_cast<int>(last) + 1;
}

void Paces::find_latest() {
  latest_.assign(size(), 0);
  const auto& final = m_.makers_of(result_);
  for (CallId c = m_.end() - 1; c >= m_.first(); --c) {
    std::optional<int64_t> lead;
    if (std::find(final.begin(), final.end(), c) != final.end()) lead = 0;
    for (const Dependence* d : read_of_[at(c)])
      lead = std::max(lead.value_or(least_lead(*d)), least_lead(*d));
    latest_[at(c)] = paces_[at(c)].lead = static_cast<int>(lead.value());
  }
  is_latest_known_ = true;
}

int64_t Paces::needed(const Dependence& d, int64_t turn) const {
  const Window window = by_rows(d.window);
  return (made(paces_[at(d.reader)], turn) - 1) * window.stride - window.pad + window.extent;
}

int64_t Paces::period(const Dependence& d) const {
  return std::lcm<int64_t>(paces_[at(d.reader)].every, paces_[at(d.maker)].every);
}

int64_t Paces::least_lead(const Dependence& d) const {
  const Pace& pace = paces_[at(d.maker)];
  std::optional<int64_t> lead;
  for (int64_t t = 0; t < period(d); ++t) {
    const int64_t wanted = pace.every * needed(d, t) - t * pace.rows;
    lead = std::max(lead.value_or(wanted), wanted);
  }
  return *lead;
}

bool Paces::is_fed(CallId call) const {
  for (const Dependence* d : reads_of_[at(call)])
    for (int64_t t = 0; t < period(*d); ++t)
      if (made(paces_[at(d->maker)], t) < needed(*d, t)) return false;
  return true;
}

void Paces::make_early(CallId call, int most) {
  if (reads_of_[at(call)].empty()) return;
  int& lead = paces_[at(call)].lead;
  const int latest = lead;
  int fed = 0, unfed = most + 1;
  while (unfed - fed > 1) {
    const int middle = fed + (unfed - fed) / 2;
    lead = latest + middle;
    (is_fed(call) ? fed : unfed) = middle;
  }
  lead = latest + fed;
}

void Paces::start_at_turn_0() {
  std::optional<int64_t> start;
  for (const Pace& pace : paces_) start = std::min(start.value_or(turn_of(pace, 1)), turn_of(pace, 1));
  for (Pace& pace : paces_) pace.lead += static_cast<int>(*start * pace.rows);
}

}  // namespace n2d2::program

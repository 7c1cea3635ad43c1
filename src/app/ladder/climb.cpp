#include "climb.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "n2d2/base/text.hpp"

namespace n2d2::app {

namespace {

constexpr size_t kMostSearched = 12;
/// Choices that are measured in search of fewer values.
constexpr size_t kMostMeasured = 1000;

/// Places of the candidates: those that cost no byte first, then by gain a byte.
std::vector<size_t> by_gain(const std::vector<Candidate>& candidates) {
  const auto key = [&](size_t i) {
    const Candidate& c = candidates[i];
    const double a_byte = c.bytes > 0 ? c.gain / static_cast<double>(c.bytes) : c.gain;
    return std::tuple(c.gain <= 0, c.bytes > 0, -a_byte);
  };
  std::vector<size_t> out(candidates.size());
  std::iota(out.begin(), out.end(), size_t{0});
  std::stable_sort(out.begin(), out.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  return out;
}

size_t count(const std::vector<bool>& chosen) {
  return static_cast<size_t>(std::count(chosen.begin(), chosen.end(), true));
}

/// One of the two parts of a layer.
struct Part {
  std::vector<bool> Widening::*chosen;
  const std::vector<Candidate>* candidates;
  std::vector<size_t> order;
  const char* what;  ///< "16 bits for values"
};

class Climb {
 public:
  Climb(const Candidates& candidates, const Figures& first, const Measure& measure)
      : measure_(measure),
        values_{&Widening::values, &candidates.values, by_gain(candidates.values), "values of 16 bits"},
        weights_{&Widening::weights, &candidates.weights, by_gain(candidates.weights), "weights of 8 bits"} {
    none_.values.resize(candidates.values.size());
    none_.weights.resize(candidates.weights.size());
    known_[none_] = first;
  }

  Climbed run() {
    if (std::optional<Widening> found = widen(values_, none_)) {
      take(fewer(needed(values_, *found)));
    } else if (found = widen(weights_, none_); found) {
      take(needed(weights_, *found));
    } else if (const Widening all = with(weights_, none_, weights_.order.size());
               weights_.order.empty() || !(found = widen(values_, all))) {
      take(none_);
    } else {
      take(needed(weights_, needed(values_, *found)));
    }
    return std::move(out_);
  }

 private:
  const std::optional<Figures>& figures(const Widening& widening) {
    const auto [known, is_new] = known_.try_emplace(widening);
    if (is_new) known->second = measure_(widening);
    return known->second;
  }
  bool holds(const Widening& widening) {
    const std::optional<Figures>& found = figures(widening);
    return found && found->holds();
  }

  static Widening with(const Part& part, Widening from, size_t many) {
    for (size_t i = 0; i < many; ++i) (from.*part.chosen)[part.order[i]] = true;
    return from;
  }

  void add_rung(std::string what, const Widening& widening) {
    if (const std::optional<Figures>& found = figures(widening))
      out_.rungs.push_back({std::move(what), widening, *found});
  }

  /// The candidates that can be widened together: those that no kernel or memory budget takes beside the ones
  /// before them are passed over.
  std::vector<size_t> accepted(const Part& part, const Widening& from) {
    if (figures(with(part, from, part.order.size()))) return part.order;
    std::vector<size_t> out;
    Widening so_far = from;
    for (const size_t i : part.order) {
      Widening tried = so_far;
      (tried.*part.chosen)[i] = true;
      if (!figures(tried)) continue;
      so_far = std::move(tried);
      out.push_back(i);
    }
    return out;
  }

  /// The first candidates of a part that are enough: 1, 2, 4 ... of them, then between the last two.
  std::optional<Widening> widen(Part part, const Widening& from) {
    part.order = accepted(part, from);
    const size_t all = part.order.size();
    size_t low = 0, high = 0;
    while (high < all) {
      low = high;
      high = std::min(all, std::max<size_t>(1, 2 * high));
      const Widening tried = with(part, from, high);
      add_rung(text(part, tried), tried);
      if (holds(tried)) break;
      if (high == all) return {};
    }
    if (all == 0) return {};
    while (high - low > 1) {
      const size_t middle = low + (high - low) / 2;
      (holds(with(part, from, middle)) ? high : low) = middle;
    }
    return with(part, from, high);
  }

  /// Without those of the part that are not needed: the least useful values are tried first, so that few are
  /// left, and the largest weights, so that they take little flash.
  Widening needed(const Part& part, Widening from) {
    std::vector<size_t> order(part.order.rbegin(), part.order.rend());
    if (part.chosen == &Widening::weights)
      std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return (*part.candidates)[a].bytes > (*part.candidates)[b].bytes;
      });
    for (const size_t i : order) {
      if (!(from.*part.chosen)[i]) continue;
      Widening tried = from;
      (tried.*part.chosen)[i] = false;
      if (holds(tried)) from = std::move(tried);
    }
    return from;
  }

  /// The smallest choice of values that is enough, where there are few enough to measure all.
  Widening fewer(const Widening& found) {
    const size_t n = values_.order.size();
    if (n > kMostSearched) return found;
    size_t measured = 0;
    for (size_t many = 1; many <= count(found.values); ++many) {
      const std::optional<Widening> best = best_of(many, measured);
      if (measured > kMostMeasured) return found;
      if (best) {
        out_.is_fewest = true;
        return *best;
      }
    }
    return found;
  }

  /// The choice with the least RAM among all of so many values that are enough.
  std::optional<Widening> best_of(size_t many, size_t& measured) {
    std::optional<Widening> best;
    std::vector<bool> places(values_.order.size());
    std::fill_n(places.begin(), many, true);
    do {
      Widening tried = none_;
      for (size_t i = 0; i < places.size(); ++i) tried.values[values_.order[i]] = places[i];
      measured += known_.contains(tried) ? 0 : 1;
      if (measured > kMostMeasured) return {};
      if (!holds(tried)) continue;
      if (!best || costs_less(*figures(tried), *figures(*best))) best = tried;
    } while (std::prev_permutation(places.begin(), places.end()));
    return best;
  }

  static bool costs_less(const Figures& a, const Figures& b) {
    return std::tuple(a.ram, a.of_wide, -a.right) < std::tuple(b.ram, b.of_wide, -b.right);
  }

  void take(const Widening& widening) {
    std::vector<std::string> parts;
    for (const Part* part : {&values_, &weights_})
      if (count(widening.*part->chosen) > 0) parts.push_back(text(*part, widening));
    add_rung(parts.empty() ? "nothing widened" : "needed: " + join(parts, "; "), widening);
  }

  static std::string text(const Part& part, const Widening& widening) {
    std::vector<std::string> names;
    for (const size_t i : part.order)
      if ((widening.*part.chosen)[i]) names.push_back(presentable((*part.candidates)[i].layer));
    constexpr size_t kFew = 6;
    const size_t all = names.size();
    names.resize(std::min(kFew, all));
    return fmt::format("{} for {}{}", part.what, join(names, ", "),
                       all > kFew ? fmt::format(" and {} more", all - kFew) : "");
  }

  const Measure& measure_;
  const Part values_, weights_;
  Widening none_;
  std::map<Widening, std::optional<Figures>> known_;
  Climbed out_;
};

}  // namespace

Climbed climb(const Candidates& candidates, const Figures& first, const Measure& measure) {
  return Climb(candidates, first, measure).run();
}

}  // namespace n2d2::app

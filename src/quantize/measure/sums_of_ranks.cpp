#include "sums_of_ranks.hpp"

#include "n2d2/cluster/message.hpp"

namespace n2d2::quantize {

namespace {

/// Calls body(member) for each sum over a value, in one order.
template <class S, class Body>
void for_sums(S& s, Body&& body) {
  for (auto* one : {&s.min, &s.max, &s.smallest, &s.sum, &s.sum_of_squares}) body(*one);
  body(s.count);
}

/// And for each list of sums over its channels.
template <class S, class Body>
void for_channels(S& s, Body&& body) {
  for (auto* all :
       {&s.channel_sums, &s.channel_squares, &s.channel_peaks, &s.channel_peak_sums, &s.channel_peak_squares})
    body(*all);
}

}  // namespace

/// As many bytes on every rank, whatever it has seen.
cluster::Bytes SumsOfRanks::packed(int64_t read) const {
  cluster::Writer to;
  to.put(ended_by_);
  to.put(read);
  for (const Observed& observed : values_) {
    for_sums(observed.statistics, [&](const auto& sum) { to.put(sum); });
    for_channels(observed.statistics, [&](std::vector<double> sums) {
      sums.resize(static_cast<size_t>(graph_.value(observed.id).type.shape.c()));
      to.put_all(std::span<const double>(sums));
    });
  }
  return to.bytes();
}

void SumsOfRanks::unpack(const cluster::Bytes& bytes, int64_t& read) {
  cluster::Reader from(bytes);
  ended_by_ = from.get<int>();
  read = from.get<int64_t>();
  for (Observed& observed : values_) {
    for_sums(observed.statistics, [&](auto& sum) { sum = from.get<std::decay_t<decltype(sum)>>(); });
    for_channels(observed.statistics, [&](std::vector<double>& sums) { sums = from.get_all<double>(); });
  }
}

void SumsOfRanks::take_over(int64_t& read) {
  const bool begins = !has_begun_ && cluster_.is_first();
  has_begun_ = true;
  if (begins) return;
  cluster::Bytes sums = packed(0);
  cluster_.receive((cluster_.rank() + cluster_.size() - 1) % cluster_.size(), sums);
  unpack(sums, read);
}

void SumsOfRanks::hand_on(int64_t read) const {
  cluster_.send((cluster_.rank() + 1) % cluster_.size(), packed(read));
}

void SumsOfRanks::finish(int64_t& read) {
  take_over(read);
  if (ended_by_ < 0) ended_by_ = cluster_.rank();
  if ((cluster_.rank() + 1) % cluster_.size() != ended_by_) hand_on(read);
}

}  // namespace n2d2::quantize

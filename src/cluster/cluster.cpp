#include "n2d2/cluster/cluster.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <optional>
#include <thread>

#include "n2d2/base/log.hpp"
#include "n2d2/base/text.hpp"

namespace n2d2::cluster {

namespace {

using Clock = Patience::Clock;

/// Bytes of one message at most: lengths in MPI are of 31 bits.
constexpr size_t kMostBytes = size_t{64} << 20;
/// Elements of a tile of 64 KiB.
constexpr int64_t kTile = 16384;

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

template <class T>
std::span<std::byte> writable_bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

/// Calls body(piece) for pieces of bytes that one message holds.
template <class Span, class F>
void for_pieces(Span bytes, F&& body) {
  for (; bytes.size() > kMostBytes; bytes = bytes.subspan(kMostBytes)) body(bytes.first(kMostBytes));
  if (!bytes.empty()) body(bytes);
}

Bytes copy_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// Name and value of each fact, each of them ended by a zero.
std::string text_of(std::span<const Fact> facts) {
  std::string out;
  for (const Fact& fact : facts) out += fact.name + '\0' + fact.value + '\0';
  return out;
}

std::vector<Fact> facts_of(const Bytes& bytes) {
  std::vector<std::string> words(1);
  for (const std::byte byte : bytes) {
    if (const char c = static_cast<char>(byte); c != '\0')
      words.back() += c;
    else
      words.emplace_back();
  }
  std::vector<Fact> out;
  for (size_t i = 0; i + 1 < words.size(); i += 2) out.push_back({words[i], words[i + 1]});
  return out;
}

/// A long value is known by its begin.
std::string shown(const std::string& value) {
  constexpr size_t kMost = 120;
  return presentable(value.size() > kMost ? value.substr(0, kMost) + "..." : value);
}

}  // namespace

Cluster::Cluster(std::unique_ptr<Transport> transport, Patience patience)
    : transport_(std::move(transport)),
      patience_(std::move(patience)),
      rank_(transport_->rank()),
      size_(transport_->size()),
      hosts_(static_cast<size_t>(size_)) {
  if (is_alone()) return;
  const std::vector<Bytes> hosts = gather(copy_of(transport_->host()));
  for (size_t r = 0; r < hosts.size(); ++r)
    hosts_[r].assign(reinterpret_cast<const char*>(hosts[r].data()), hosts[r].size());
}

std::string Cluster::name(int rank) const {
  const std::string host = hosts_.empty() ? "" : hosts_.at(static_cast<size_t>(rank));
  return host.empty() ? fmt::format("rank {}", rank) : fmt::format("rank {} ({})", rank, presentable(host));
}

/// Polls: quickly at first, then yielding, then asleep, so that ranks that share a processor get on.
void Cluster::wait(const std::function<bool()>& is_done, const std::function<std::string()>& what) const {
  constexpr int kQuick = 200, kYielding = 20'000;
  std::optional<Clock::time_point> start;
  bool warned = false;
  for (int64_t i = 0; !is_done(); ++i) {
    if (i < kQuick) continue;
    if (!start) start = patience_.now();
    if (i < kYielding)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    const Clock::duration waited = patience_.now() - *start;
    const auto seconds = [&] { return std::chrono::duration_cast<std::chrono::seconds>(waited).count(); };
    if (waited >= patience_.ends)
      throw Unanswered(fmt::format("{}: nothing from {} for {} s", name(rank_), what(), seconds()),
                       "it hangs or is slow: 'N2D2_CLUSTER_SECONDS=60,6000' waits longer");
    if (warned || waited < patience_.warns) continue;
    log::write(log::Level::Error, fmt::format("{}: waits for {} since {} s", name(rank_), what(), seconds()));
    warned = true;
  }
}

void Cluster::begin_send(int to, std::span<const std::byte> bytes) const {
  for_pieces(bytes, [&](std::span<const std::byte> piece) { transport_->send(to, piece); });
}

void Cluster::settle() const {
  if (!transport_) return;
  wait([&] { return transport_->sent(); }, [] { return std::string("a rank that takes what was sent"); });
  in_flight_.clear();
}

void Cluster::send(int to, std::span<const std::byte> bytes) const {
  if (transport_->sent()) in_flight_.clear();
  begin_send(to, in_flight_.emplace_back(bytes.begin(), bytes.end()));
}

void Cluster::receive(int from, std::span<std::byte> bytes) const {
  for_pieces(bytes, [&](std::span<std::byte> piece) {
    wait([&] { return transport_->receive(from, piece); }, [&] { return name(from); });
  });
}

std::vector<Bytes> Cluster::gather(std::span<const std::byte> bytes) const {
  std::vector<Bytes> out(static_cast<size_t>(size_));
  out[static_cast<size_t>(rank_)].assign(bytes.begin(), bytes.end());
  if (is_alone()) return out;
  const uint64_t length = bytes.size();
  const auto other = [&](int distance) { return (rank_ + distance) % size_; };
  for (int d = 1; d < size_; ++d) {
    begin_send(other(d), bytes_of(length));
    begin_send(other(d), bytes);
  }
  for (int d = size_ - 1; d > 0; --d) {
    uint64_t expected = 0;
    receive(other(d), writable_bytes_of(expected));
    Bytes& place = out[static_cast<size_t>(other(d))];
    place.resize(expected);
    receive(other(d), place);
  }
  settle();
  return out;
}

bool Cluster::any(bool word) const {
  const std::vector<Bytes> words = gather(bytes_of(word));
  return std::any_of(words.begin(), words.end(), [](const Bytes& w) { return w.at(0) != std::byte{0}; });
}

/// Along the ranks from `from` on, piece by piece.
void Cluster::broadcast(std::span<std::byte> bytes, int from) const {
  if (is_alone()) return;
  const int distance = (rank_ - from + size_) % size_, next = (rank_ + 1) % size_;
  constexpr size_t kPiece = kTile * sizeof(float);
  for (size_t begin = 0; begin < bytes.size(); begin += kPiece) {
    const auto piece = bytes.subspan(begin, std::min(kPiece, bytes.size() - begin));
    if (distance > 0) receive((rank_ + size_ - 1) % size_, piece);
    if (distance < size_ - 1) transport_->send(next, piece);
  }
  settle();
}

bool Cluster::broadcast(bool word, int from) const {
  broadcast(writable_bytes_of(word), from);
  return word;
}

void Cluster::fold(std::span<float> sum, int last, const AddOwn& add) const {
  if (rank_ > last) return;
  const auto size = static_cast<int64_t>(sum.size());
  for (int64_t begin = 0; begin < size; begin += kTile) {
    const std::span<float> tile =
        sum.subspan(static_cast<size_t>(begin), static_cast<size_t>(std::min(kTile, size - begin)));
    if (rank_ > 0) receive(rank_ - 1, std::as_writable_bytes(tile));
    add(begin, tile, rank_ == 0);
    if (rank_ < last) transport_->send(rank_ + 1, std::as_bytes(tile));
  }
}

void Cluster::add(std::span<uint64_t> counts) const {
  if (is_alone()) return;
  const std::vector<uint64_t> own(counts.begin(), counts.end());
  for (size_t begin = 0; begin < counts.size(); begin += kTile) {
    const auto tile = counts.subspan(begin, std::min<size_t>(kTile, counts.size() - begin));
    if (rank_ > 0) {
      receive(rank_ - 1, std::as_writable_bytes(tile));
      for (size_t i = 0; i < tile.size(); ++i) tile[i] += own[begin + i];
    }
    if (rank_ + 1 < size_) send(rank_ + 1, std::as_bytes(tile));
  }
  broadcast(std::as_writable_bytes(counts), size_ - 1);
}

void Cluster::check(std::span<const Fact> facts) const {
  if (is_alone()) return;
  const std::vector<Bytes> texts = gather(copy_of(text_of(facts)));
  const std::vector<Fact> expected = facts_of(texts.front());
  Diagnostics findings;
  for (size_t r = 1; r < texts.size(); ++r) {
    const std::vector<Fact> found = facts_of(texts[r]);
    for (size_t i = 0; i < std::max(found.size(), expected.size()); ++i) {
      const Fact none{"nothing", ""};
      const Fact& here = i < found.size() ? found[i] : none;
      const Fact& first = i < expected.size() ? expected[i] : none;
      if (here.name == first.name && here.value == first.value) continue;
      findings.error({},
                     fmt::format("{}: {} '{}', {} has '{}'", name(static_cast<int>(r)), here.name,
                                 shown(here.value), name(0), shown(first.value)),
                     i < facts.size() ? facts[i].hint : "");
    }
  }
  findings.finish<ConfigError>();
}

void Cluster::leave() const {
  if (!transport_) return;
  while (!transport_->leave()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void Cluster::abort(int code) const {
  if (transport_) transport_->abort(code);
}

const Cluster& alone() {
  static const Cluster cluster;
  return cluster;
}

}  // namespace n2d2::cluster

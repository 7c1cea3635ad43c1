#include "ranks.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <sched.h>

#include "n2d2/base/log.hpp"
#include "n2d2/base/parallel.hpp"
#include "n2d2/cluster/load.hpp"
#include "n2d2/cluster/message.hpp"
#include "n2d2/cluster/shards.hpp"
#include "n2d2/compute/library.hpp"
#include "n2d2/modules/interface.hpp"
#include "n2d2/quantize/stored_calibration.hpp"

#include "failure.hpp"
#include "files.hpp"
#include "provenance.hpp"

namespace n2d2::app {

namespace {

constexpr const char* kAlone = "alone";

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

/// "mpi", "alone", or "" where neither an option nor a variable says.
std::string asked_cluster(const Options& o) {
  if (!o.cluster.empty()) return o.cluster;
  const std::string asked = variable("N2D2_CLUSTER");
  const std::vector<std::string> known{"mpi", kAlone};
  if (!asked.empty() && std::find(known.begin(), known.end(), asked) == known.end())
    throw ConfigError(fmt::format("N2D2_CLUSTER: expected one of {}, got '{}'{}", join(known, ", "), asked,
                                  did_you_mean(asked, known)));
  return asked;
}

/// N2D2_CLUSTER_SECONDS=<warns>,<ends>
cluster::Patience patience() {
  const std::string text = variable("N2D2_CLUSTER_SECONDS");
  if (text.empty()) return {};
  const std::vector<std::string> parts = split(text, ',');
  std::vector<int64_t> seconds;
  for (const std::string& part : parts)
    if (const auto value = parse_whole(part); value && *value > 0) seconds.push_back(*value);
  if (parts.size() != 2 || seconds.size() != 2 || seconds[0] > seconds[1])
    throw ConfigError(fmt::format("N2D2_CLUSTER_SECONDS: expected two rising integers >= 1, got '{}'", text),
                      {}, "'60,600' warns after a minute of silence, and ends the run after ten");
  cluster::Patience out;
  out.warns = std::chrono::seconds(seconds[0]);
  out.ends = std::chrono::seconds(seconds[1]);
  return out;
}

/// Null: this process is alone.
std::unique_ptr<cluster::Transport> start_transport(const Options& o) {
  const std::string asked = asked_cluster(o);
  const auto launched = cluster::launched([](const char* name) { return std::getenv(name); });
  if (asked == kAlone || (asked.empty() && !launched)) return nullptr;
  std::unique_ptr<cluster::Transport> transport = cluster::load_mpi(N2D2_VERSION);
  if (launched && launched->size > 0 && transport->size() != launched->size)
    throw ConfigError(fmt::format("-cluster: {} has started {} processes, MPI knows of {}",
                                  launched->launcher, launched->size, transport->size()),
                      {}, "the launcher of the MPI that n2d2-mpi is built with; 'srun --mpi=pmix'");
  return transport;
}

/// What is not shared out yet, by name.
void refuse_unshared(const Options& o) {
  const std::pair<bool, const char*> unshared[] = {{o.finds_rate(), "find-lr"},
                                                   {o.bn_reestimate > 0, "bn-reestimate"},
                                                   {o.check, "check"},
                                                   {o.pareto, "pareto"}};
  for (const auto& [is_asked, name] : unshared)
    if (is_asked)
      throw ConfigError(fmt::format("option -{}: one process alone does it, not a cluster", name), {},
                        "-learn, -learn-epoch, -test, -calibOnly and -export with -calib are shared out");
}

int allowed_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : max_threads();
}

void check_program(const cluster::Cluster& cluster, const Options& o) {
  const std::vector<cluster::Fact> facts{
      {"version", fmt::format("{}, interface {}", N2D2_VERSION, N2D2_INTERFACE), "one n2d2 on all machines"},
      {"library", compute::library_text(),
       "ONEDNN_MAX_CPU_ISA=<the least of them> on all machines, and one version of oneDNN"},
      {"command", origin_rows(o).back().second, "one command line for all ranks"}};
  cluster.check(facts);
  const int processors = allowed_processors();
  if (cluster.any(processors < max_threads()))
    log::warn(
        "-cluster: some ranks may use fewer processors than they have threads ({} and {} on rank 0)\n"
        "  hint: 'mpirun --bind-to none', or '--map-by slot:PE=<threads>'",
        processors, max_threads());
}

/// What a rank waits before it tells of a failure: all ranks fail alike at what all of them read, and the
/// first one ends the others.
constexpr std::chrono::seconds kForTheFirst(3);

[[noreturn]] void end_all(const cluster::Cluster& cluster, const Failure& failure) {
  if (!cluster.is_first()) std::this_thread::sleep_for(kForTheFirst);
  const std::string name = cluster.is_first() ? "" : cluster.name(cluster.rank()) + ": ";
  print_failure(name + failure.text);
  cluster.abort(failure.code);
  std::_Exit(failure.code);
}

}  // namespace

int on_rank(const Options& o, const std::function<int(const cluster::Cluster&)>& body) {
  std::unique_ptr<cluster::Transport> transport = start_transport(o);
  if (!transport) return body(cluster::alone());
  const cluster::Cluster cluster(std::move(transport), patience());
  if (!cluster.is_first()) be_silent();
  try {
    if (cluster.is_alone()) {
      log::notice("-cluster: there is one process; 'mpirun -n 4 n2d2 ...' starts four");
    } else {
      log::info("Cluster: {} ranks, {} threads each", cluster.size(), max_threads());
      check_program(cluster, o);
      refuse_unshared(o);
    }
    const int code = body(cluster);
    cluster.leave();
    return code;
  } catch (...) {
    end_all(cluster, failure_of(std::current_exception()));
  }
}

std::string name_of_later_rank() {
  const auto launched = cluster::launched([](const char* name) { return std::getenv(name); });
  if (!launched || launched->rank == 0) return "";
  std::this_thread::sleep_for(kForTheFirst);
  return fmt::format("rank {}: ", launched->rank);
}

void check_ranks(const cluster::Cluster& cluster, const loader::Network& net) {
  if (cluster.is_alone()) return;
  using data::Partition;
  const std::string hint = "one copy of the files for all ranks";
  std::vector<cluster::Fact> facts{{"network and weights", quantize::fingerprint(net.graph), hint},
                                   {"seed", std::to_string(net.seed), "'-seed n' on all ranks"}};
  for (const Partition partition : {Partition::Learn, Partition::Validation, Partition::Test})
    facts.push_back({fmt::format("samples of {}", data::to_string(partition)),
                     hash_of_samples(*net.database, partition), hint});
  facts.push_back({"transformations", net.data->describe(), hint});
  cluster.check(facts);
}

void warn_of_idle_ranks(const cluster::Cluster& cluster, int64_t samples, int64_t batch) {
  const int64_t batches = (samples + batch - 1) / batch;
  if (batches >= cluster.size()) return;
  log::notice("-cluster: {} batches of {} samples for {} ranks: {} without work", batches, batch,
              cluster.size(), cluster.size() - batches);
}

void warn_of_idle_ranks(const cluster::Cluster& cluster, int64_t batch) {
  const int working = cluster::ranks_of_batch(batch, cluster.size());
  if (working == cluster.size()) return;
  log::notice(
      "-cluster: a batch of {} samples has {} shards of {} for {} ranks: {} without work\n"
      "  hint: a larger BatchSize, or fewer ranks",
      batch, working, cluster::kShard, cluster.size(), cluster.size() - working);
}

int largest_of_ranks(const cluster::Cluster& cluster, int value) {
  for (const cluster::Bytes& bytes : cluster.gather(std::as_bytes(std::span(&value, 1))))
    value = std::max(value, cluster::Reader(bytes).get<int>());
  return value;
}

std::string of_ranks(const cluster::Cluster& cluster) {
  return cluster.is_alone() ? "" : fmt::format("; one of {} ranks", cluster.size());
}

}  // namespace n2d2::app

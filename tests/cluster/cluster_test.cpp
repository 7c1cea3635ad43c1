#include "n2d2/cluster/cluster.hpp"

#include <cmath>
#include <cstring>
#include <map>

#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/base/random.hpp"
#include "n2d2/cluster/load.hpp"
#include "n2d2/cluster/message.hpp"

#include "cluster/ranks.hpp"

namespace n2d2::cluster {
namespace {

constexpr int64_t kTile = 16384;

/// Terms that no order but one adds to these bytes.
std::vector<std::vector<float>> blocks_of_terms(int blocks, int64_t size) {
  Rng rng(3, "terms");
  std::vector<std::vector<float>> out(static_cast<size_t>(blocks));
  for (auto& block : out)
    for (int64_t i = 0; i < size; ++i)
      block.push_back(static_cast<float>(rng.normal() * std::exp(4 * rng.normal())));
  return out;
}

/// The sum that one process makes.
std::vector<float> sum_in_order(const std::vector<std::vector<float>>& blocks) {
  std::vector<float> out = blocks.front();
  for (size_t b = 1; b < blocks.size(); ++b)
    for (size_t i = 0; i < out.size(); ++i) out[i] += blocks[b][i];
  return out;
}

bool same_bytes(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

/// Fold of blocks that are dealt to ranks as neighbours, and the broadcast of the sum.
std::vector<std::vector<float>> folded(const std::vector<std::vector<float>>& blocks, int size, Post& post) {
  std::vector<std::vector<float>> sums(static_cast<size_t>(size));
  const auto count = static_cast<int>(blocks.size()), last = std::min(size, count) - 1;
  on_ranks(
      size,
      [&](const Cluster& cluster) {
        const int rank = cluster.rank(), ranks = last + 1;
        std::vector<float>& sum = sums[static_cast<size_t>(rank)];
        sum.assign(blocks.front().size(), -1);
        cluster.fold(sum, last, [&](int64_t begin, std::span<float> tile, bool begins) {
          for (int b = count * rank / ranks; b < count * (rank + 1) / ranks; ++b)
            for (size_t i = 0; i < tile.size(); ++i) {
              const float term = blocks[static_cast<size_t>(b)][static_cast<size_t>(begin) + i];
              tile[i] = begins && b == 0 ? term : tile[i] + term;
            }
        });
        cluster.broadcast(std::as_writable_bytes(std::span(sum)), last);
      },
      post);
  return sums;
}

TEST(Cluster, FoldsToTheBytesOfOneProcess) {
  for (const int64_t size : {int64_t{1}, kTile, kTile + 1, 3 * kTile + 5})
    for (const int count : {1, 3, 8, 12}) {
      const auto blocks = blocks_of_terms(count, size);
      const std::vector<float> expected = sum_in_order(blocks);
      for (int ranks = 1; ranks <= 8; ++ranks) {
        Post post;
        for (const std::vector<float>& sum : folded(blocks, ranks, post))
          EXPECT_TRUE(same_bytes(sum, expected)) << size << " floats, " << count << " blocks, " << ranks;
      }
    }
}

TEST(Cluster, AFoldSendsEachTileAlongTheRanksOnceAndBackOnce) {
  constexpr int64_t kSize = 2 * kTile + 1;
  for (int ranks = 2; ranks <= 4; ++ranks) {
    Post nothing, post;
    on_ranks(
        ranks, [](const Cluster&) {}, nothing);  // ranks tell their machines
    folded(blocks_of_terms(8, kSize), ranks, post);
    const auto others = static_cast<size_t>(ranks - 1);
    EXPECT_EQ(post.messages() - nothing.messages(), 2 * others * 3);
    EXPECT_EQ(post.bytes() - nothing.bytes(), 2 * others * kSize * sizeof(float));
  }
}

TEST(Cluster, GathersMessagesOfAnyLength) {
  for (int size = 1; size <= 8; ++size)
    on_ranks(size, [&](const Cluster& cluster) {
      const Bytes own(static_cast<size_t>(3 * cluster.rank()), static_cast<std::byte>(cluster.rank()));
      const std::vector<Bytes> all = cluster.gather(own);
      ASSERT_EQ(all.size(), static_cast<size_t>(size));
      for (int r = 0; r < size; ++r)
        EXPECT_EQ(all[static_cast<size_t>(r)], Bytes(static_cast<size_t>(3 * r), static_cast<std::byte>(r)));
    });
}

TEST(Cluster, AgreesOnWordsAndCounts) {
  for (int size = 1; size <= 5; ++size)
    on_ranks(size, [&](const Cluster& cluster) {
      EXPECT_TRUE(cluster.any(cluster.rank() == size - 1));
      EXPECT_FALSE(cluster.any(false));
      for (int from = 0; from < size; ++from) {
        EXPECT_EQ(cluster.broadcast(cluster.rank() == from, from), true);
        EXPECT_EQ(cluster.broadcast(cluster.rank() != from, from), false);
      }
      std::vector<uint64_t> counts(kTile + 3, static_cast<uint64_t>(cluster.rank() + 1));
      cluster.add(counts);
      EXPECT_EQ(counts, std::vector<uint64_t>(counts.size(), static_cast<uint64_t>(size * (size + 1) / 2)));
    });
}

TEST(Cluster, NamesRanksByTheirMachines) {
  on_ranks(3, [](const Cluster& cluster) {
    EXPECT_EQ(cluster.name(2), "rank 2 (c)");
    EXPECT_EQ(cluster.is_first(), cluster.rank() == 0);
  });
  EXPECT_EQ(alone().name(0), "rank 0");
  EXPECT_TRUE(alone().is_first());
  EXPECT_TRUE(alone().is_alone());
}

TEST(Cluster, EveryRankRefusesWhatDiffersAndNamesTheRank) {
  std::vector<std::string> texts(3);
  on_ranks(3, [&](const Cluster& cluster) {
    const std::vector<Fact> facts{
        {"version", "0.1.0"},
        {"instruction set", cluster.rank() == 1 ? "avx2" : "avx512_core", "ONEDNN_MAX_CPU_ISA=AVX2 on all"}};
    try {
      cluster.check(facts);
    } catch (const ConfigError& error) {
      texts[static_cast<size_t>(cluster.rank())] = error.what();
    }
  });
  for (const std::string& text : texts)
    EXPECT_EQ(text,
              "rank 1 (b): instruction set 'avx2', rank 0 (a) has 'avx512_core'\n"
              "  hint: ONEDNN_MAX_CPU_ISA=AVX2 on all");
}

TEST(Cluster, FactsMayHaveEveryTextAndMayBeMissing) {
  std::string text;
  on_ranks(2, [&](const Cluster& cluster) {
    cluster.check(std::vector<Fact>{{"network", "[fc]\nType=Fc\x01"}});
    std::vector<Fact> facts{{"network", ""}};
    if (cluster.is_first()) facts.push_back({"samples", "3"});
    try {
      cluster.check(facts);
    } catch (const ConfigError& error) {
      if (cluster.is_first()) text = error.what();
    }
  });
  EXPECT_EQ(text, "rank 1 (b): nothing '', rank 0 (a) has '3'");
}

TEST(Cluster, ARankThatDoesNotAnswerIsNamedThenGivenUp) {
  Post post;
  const std::string host = "b";  // what rank 1 has sent before it fell silent: how much it sends, its name
  const uint64_t length = host.size();
  post.put(1, 0, std::as_bytes(std::span(&length, 1)));
  post.put(1, 0, std::as_bytes(std::span(host)));
  Patience patience;
  patience.now = [time = Patience::Clock::time_point()]() mutable {
    return time += std::chrono::seconds(50);
  };
  const Cluster cluster(std::make_unique<ThreadTransport>(post, 0, 2), patience);
  const log::Capture log;
  std::byte byte{};
  try {
    cluster.receive(1, std::span(&byte, 1));
    FAIL() << "nobody has sent";
  } catch (const Unanswered& error) {
    EXPECT_EQ(std::string(error.what()),
              "rank 0 (a): nothing from rank 1 (b) for 600 s\n"
              "  hint: it hangs or is slow: 'N2D2_CLUSTER_SECONDS=60,6000' waits longer");
  }
  EXPECT_EQ(log.text(log::Level::Error), "rank 0 (a): waits for rank 1 (b) since 100 s\n");
}

TEST(Message, NumbersComeBackAndAnEarlyEndIsFound) {
  Writer to;
  to.put(7);
  to.put_all(std::span<const double>(std::vector<double>{1.5, -2}));
  to.put_all(std::span<const double>());
  Reader from(to.bytes());
  EXPECT_EQ(from.get<int>(), 7);
  EXPECT_EQ(from.get_all<double>(), (std::vector<double>{1.5, -2}));
  EXPECT_TRUE(from.get_all<double>().empty());
  EXPECT_THROW(from.get<int>(), InternalError);
  Reader again(std::span(to.bytes()).first(20));
  again.get<int>();
  EXPECT_THROW(again.get_all<double>(), InternalError);
}

TEST(Launched, ReadsTheVariablesOfLaunchers) {
  using Variables = std::map<std::string, const char*>;
  const auto found = [](const Variables& variables) {
    return launched([&](const char* name) {
      const auto it = variables.find(name);
      return it == variables.end() ? nullptr : it->second;
    });
  };
  EXPECT_EQ(found({}), std::nullopt);
  EXPECT_EQ(found({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "2"}}),
            (Launched{"mpirun", 2, 4}));
  EXPECT_EQ(found({{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}}), std::nullopt);
  EXPECT_EQ(found({{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "3"}}), (Launched{"srun", 3, 8}));
  EXPECT_EQ(found({{"SLURM_NTASKS", "8"}}), std::nullopt);  // a batch script, which is one process
  EXPECT_EQ(found({{"PMIX_RANK", "1"}, {"PMIX_NAMESPACE", "x"}}), (Launched{"PMIx", 1, 0}));
}

}  // namespace
}  // namespace n2d2::cluster

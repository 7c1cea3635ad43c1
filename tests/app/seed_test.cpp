#include "seed.hpp"

#include "n2d2/base/log.hpp"

#include "folder_test.hpp"

namespace n2d2::app {
namespace {

class SeedTest : public FolderTest {
 protected:
  static Options options(int64_t seed, bool learns) {
    Options o;
    o.seed = seed;
    o.learn = learns ? 1 : 0;
    return o;
  }
  static config::IniDocument database(const std::string& keys) {
    return config::parse_ini("[database]\n" + keys, "net.ini");
  }
};

TEST_F(SeedTest, IsTheOptionAndIsKeptWhenLearning) {
  log::Capture quiet;
  EXPECT_EQ(find_seed(options(5, false)).value, 5U);
  const Seed seed = find_seed(options(5, true));
  settle_seed(seed, database("Validation=0.1\n"));
  EXPECT_FALSE(std::filesystem::exists("seed.dat"));  // something may refuse the run yet
  keep_seed(seed);
  EXPECT_EQ(read("seed.dat"), "5\n");
}

TEST_F(SeedTest, IsNotWrittenWithoutLearning) {
  log::Capture quiet;
  keep_seed(find_seed(options(5, false)));
  EXPECT_FALSE(std::filesystem::exists("seed.dat"));
}

TEST_F(SeedTest, ComesFromTheFileOfTheLearningRun) {
  write("seed.dat", "42\n");
  EXPECT_EQ(find_seed(options(0, false)).value, 42U);
  EXPECT_FALSE(find_seed(options(0, false)).assumed);
}

TEST_F(SeedTest, OfWhatComesBeforeLearningIsAnySeed) {
  Options o = options(0, false);
  EXPECT_TRUE(find_seed(o).assumed);
  o.find_lr = 100;
  EXPECT_FALSE(find_seed(o).assumed);
  EXPECT_FALSE(find_seed(o).is_kept);
  o = options(0, false);
  o.check = true;
  EXPECT_FALSE(find_seed(o).assumed);
  o.test = true;
  EXPECT_TRUE(find_seed(o).assumed) << "what is tested are not the samples that were learnt";
}

TEST_F(SeedTest, IsDrawnWhenLearningWithoutOption) {
  write("seed.dat", "42\n");
  EXPECT_GT(find_seed(options(0, true)).value, 0U);
  EXPECT_TRUE(find_seed(options(0, true)).is_kept);
}

TEST_F(SeedTest, IsThatOfTheStateUnlessTheOptionSaysAnother) {
  write("seed.dat", "42\n");
  EXPECT_EQ(seed_of_state(options(0, true), 7).value, 7U);
  EXPECT_TRUE(seed_of_state(options(0, true), 7).is_kept);
  EXPECT_EQ(seed_of_state(options(5, true), 7).value, 5U);  // which the state will refuse
}

TEST_F(SeedTest, RefusesAFileThatIsNoSeed) {
  for (const std::string text : {"x", "", "0", "-5", "1.5", "7\n8", "1e30"}) {
    write("seed.dat", text);
    EXPECT_THROW(find_seed(options(0, false)), ConfigError) << text;
  }
  write("seed.dat", std::string(1000, '1'));
  EXPECT_THROW(find_seed(options(0, false)), ConfigError);
}

TEST_F(SeedTest, IsAssumedOnlyWhereNoSplitDependsOnIt) {
  log::Capture quiet;
  const Seed seed = find_seed(options(0, false));
  EXPECT_TRUE(seed.assumed);
  EXPECT_NO_THROW(settle_seed(seed, database("Type=MNIST_IDX_Database\n")));
  EXPECT_NO_THROW(settle_seed(seed, database("Type=MNIST_IDX_Database\nValidation=0\n")));
  EXPECT_NO_THROW(settle_seed(seed, database("Type=X\nValidation=0.1\nRandomPartitioning=0\n")));
  EXPECT_NO_THROW(settle_seed(seed, database("Type=Glyphs_Database\nValidation=10\n")));
  try {
    settle_seed(seed, database("Type=MNIST_IDX_Database\nValidation=0.1\n"));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(
        error.what(),
        "net.ini:1: no seed: the samples of Learn, Validation and Test depend on that of the learning run\n"
        "  hint: give its '-seed n', or run beside the seed.dat it wrote");
  }
}

}  // namespace
}  // namespace n2d2::app

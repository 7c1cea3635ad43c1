// Samples are read of regular files alone: whoever opened a pipe would wait for its other end without end.
#include <sys/stat.h>

#include "files/array_file.hpp"
#include "files/container_file.hpp"
#include "samples.hpp"

namespace n2d2::data {
namespace {

const std::string kPgm = std::string("P5\n2 1\n255\n") + "\x05\x06";

class RegularFiles : public testing::Test {
 protected:
  template <class Read>
  std::string failure_of_a_pipe(const std::string& name, const Read& read) const {
    EXPECT_EQ(::mkfifo(folder_.path(name).c_str(), 0600), 0);
    return folder_.anonymous(config_error([&] { read(folder_.path(name)); }));
  }
  const Folder folder_;
};

TEST_F(RegularFiles, PicturesAreNoPipes) {
  for (const std::string name : {"a/0.pgm", "a/1.png"}) folder_.write(name, kPgm);
  const auto db = database("DIR_Database", {{"DataPath", folder_.path()}, {"Learn", "1"}});
  ASSERT_EQ(db->size(), 2);
  for (const int64_t id : {0, 1}) {
    std::filesystem::remove(folder_.path(db->name(id)));
    EXPECT_EQ(failure_of_a_pipe(db->name(id), [&](const std::string&) { db->image(id); }),
              "DIR/" + db->name(id) + ": expected a regular file, found a pipe");
  }
}

TEST_F(RegularFiles, ArraysAreNoPipes) {
  for (const std::string name : {"a.npy", "a.csv", "a.bin"})
    EXPECT_EQ(failure_of_a_pipe(name, [](const std::string& path) { const ArrayFile file(path, {}); }),
              "DIR/" + name + ": expected a regular file, found a pipe");
}

TEST_F(RegularFiles, ContainersAreNoPipes) {
  EXPECT_EQ(failure_of_a_pipe("train.gz", [](const std::string& path) { read_bytes(path); }),
            "DIR/train.gz: expected a regular file, found a pipe");
}

TEST_F(RegularFiles, APipeInAFolderOfSamplesIsNoSample) {
  folder_.write("a/0.pgm", kPgm);
  ASSERT_EQ(::mkfifo(folder_.path("a/1.pgm").c_str(), 0600), 0);
  EXPECT_EQ(database("DIR_Database", {{"DataPath", folder_.path()}, {"Learn", "1"}})->size(), 1);
}

}  // namespace
}  // namespace n2d2::data

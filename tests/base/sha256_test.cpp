// The examples of NIST (FIPS 180-2, appendix B, and the byte-oriented vectors of SHAVS), and every length
// around a block.
#include "n2d2/base/sha256.hpp"

#include <gtest/gtest.h>

namespace n2d2 {
namespace {

TEST(Sha256, GivesTheDigestsOfNist) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("\xd3"), "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1");
}

TEST(Sha256, DoesNotDependOnThePiecesThatAreAdded) {
  for (size_t length = 50; length < 140; ++length) {
    const std::string text(length, 'x');
    for (const size_t first : {size_t{1}, size_t{7}, length / 2, length}) {
      Sha256 sum;
      sum.add(text.substr(0, first));
      sum.add(text.substr(first));
      EXPECT_EQ(sum.hex(), sha256(text)) << length << " " << first;
    }
  }
}

}  // namespace
}  // namespace n2d2

#include "boards.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "n2d2/base/text.hpp"

namespace n2d2::targets::cortexm {

namespace {

constexpr int64_t kK = 1024, kM = 1024 * 1024;

/// From the datasheets of the makers. Of several RAMs with gaps between their addresses, the largest counts.
constexpr std::array kBoards{
    Part{"AMA3B1KK", "m4", 48, 1 * kM, 384 * kK},  // Apollo3 Blue
    Part{"ATSAM3X8E", "m3", 84, 512 * kK, 96 * kK},
    Part{"ATSAMD21G18", "m0plus", 48, 256 * kK, 32 * kK},
    Part{"ATSAMD51J20", "m4", 120, 1 * kM, 256 * kK},
    Part{"ATSAMD51P19", "m4", 120, 512 * kK, 192 * kK},
    Part{"ATSAME70Q21", "m7", 300, 2 * kM, 384 * kK},
    Part{"ATSAML10E16", "m23", 32, 64 * kK, 16 * kK},
    Part{"CC2652R1F", "m4", 48, 352 * kK, 80 * kK},
    Part{"Corstone-300-AN547", "m55", 32, 512 * kK, 512 * kK},
    Part{"EFR32MG24B310F1536", "m33", 78, 1536 * kK, 256 * kK},
    Part{"LPC1768", "m3", 100, 512 * kK, 32 * kK},
    Part{"LPC55S69", "m33", 150, 640 * kK, 256 * kK},
    Part{"M2351KIAAEES", "m23", 64, 512 * kK, 96 * kK},
    Part{"MAX78000", "m4", 100, 512 * kK, 128 * kK},
    Part{"MIMXRT1062", "m7", 600, 0, 512 * kK},
    Part{"MK64FN1M0", "m4", 120, 1 * kM, 256 * kK},
    Part{"MSP432P401R", "m4", 48, 256 * kK, 64 * kK},
    Part{"nRF51822-AA", "m0", 16, 256 * kK, 16 * kK},
    Part{"nRF52832-AA", "m4", 64, 512 * kK, 64 * kK},
    Part{"nRF52833", "m4", 64, 512 * kK, 128 * kK},
    Part{"nRF52840", "m4", 64, 1 * kM, 256 * kK},
    Part{"nRF5340", "m33", 128, 1 * kM, 512 * kK},
    Part{"nRF9160", "m33", 64, 1 * kM, 256 * kK},
    Part{"Pico", "m0plus", 133, 2 * kM, 264 * kK},
    Part{"Pico2", "m33", 150, 4 * kM, 520 * kK},
    Part{"R7FA4M1AB", "m4", 48, 256 * kK, 32 * kK},
    Part{"R7FA6M4AF", "m33", 200, 1 * kM, 256 * kK},
    Part{"R7FA6M5BH", "m33", 200, 2 * kM, 512 * kK},
    Part{"R7FA8M1AH", "m85", 480, 2 * kM, 896 * kK},
    Part{"RP2040", "m0plus", 133, 0, 264 * kK},
    Part{"RP2350", "m33", 150, 0, 520 * kK},
    Part{"STM32F030R8", "m0", 48, 64 * kK, 8 * kK},
    Part{"STM32F072RB", "m0", 48, 128 * kK, 16 * kK},
    Part{"STM32F103RB", "m3", 72, 128 * kK, 20 * kK},
    Part{"STM32F207ZG", "m3", 120, 1 * kM, 128 * kK},
    Part{"STM32F401RE", "m4", 84, 512 * kK, 96 * kK},
    Part{"STM32F407VG", "m4", 168, 1 * kM, 128 * kK},
    Part{"STM32F411RE", "m4", 100, 512 * kK, 128 * kK},
    Part{"STM32F429ZI", "m4", 180, 2 * kM, 192 * kK},
    Part{"STM32F446RE", "m4", 180, 512 * kK, 128 * kK},
    Part{"STM32F746ZG", "m7", 216, 1 * kM, 320 * kK},
    Part{"STM32F767ZI", "m7", 216, 2 * kM, 512 * kK},
    Part{"STM32G071RB", "m0plus", 64, 128 * kK, 36 * kK},
    Part{"STM32G0B1RE", "m0plus", 64, 512 * kK, 144 * kK},
    Part{"STM32G474RE", "m4", 170, 512 * kK, 128 * kK},
    Part{"STM32H563ZI", "m33", 250, 2 * kM, 640 * kK},
    Part{"STM32H743ZI", "m7", 480, 2 * kM, 512 * kK},
    Part{"STM32H7B3LI", "m7", 280, 2 * kM, 1 * kM},
    Part{"STM32L053R8", "m0plus", 32, 64 * kK, 8 * kK},
    Part{"STM32L152RE", "m3", 32, 512 * kK, 80 * kK},
    Part{"STM32L476RG", "m4", 80, 1 * kM, 96 * kK},
    Part{"STM32L4R5ZI", "m4", 120, 2 * kM, 640 * kK},
    Part{"STM32L552ZE", "m33", 110, 512 * kK, 256 * kK},
    Part{"STM32N657X0", "m55", 800, 0, 2 * kM},
    Part{"STM32U575ZI", "m33", 160, 2 * kM, 768 * kK},
    Part{"STM32U585AI", "m33", 160, 2 * kM, 768 * kK},
    Part{"Teensy41", "m7", 600, 8 * kM, 512 * kK},
    Part{"TM4C123GH6PM", "m4", 80, 256 * kK, 32 * kK},
    Part{"TM4C1294NCPDT", "m4", 120, 1 * kM, 256 * kK},
};

bool is_same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

bool is_same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), is_same_letter);
}

}  // namespace

std::span<const Part> boards() {
  return kBoards;
}

const Part* find_board(std::string_view name) {
  const auto* found = std::find_if(kBoards.begin(), kBoards.end(),
                                   [&](const Part& part) { return is_same_word(part.name, name); });
  return found == kBoards.end() ? nullptr : found;
}

std::string unknown_board(std::string_view name) {
  std::vector<std::string> names;
  for (const Part& part : kBoards) names.emplace_back(part.name);
  const std::string guess = did_you_mean(name, names);
  return fmt::format("unknown part '{}'{}", name, guess.empty() ? "; known: " + join(names, " ") : guess);
}

bool has_core(const Part& part, std::string_view core) {
  return part.core == core.substr(0, core.find('+'));
}

}  // namespace n2d2::targets::cortexm

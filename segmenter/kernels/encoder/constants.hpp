// Numbers of the arithmetic that are the same in every file.
#pragma once
#include <cstdint>

namespace segmenter {
namespace encoder {

constexpr int32_t kMostKey = 4095;                            // of queries and keys
constexpr int32_t kGelu[4] = {4012, 5311, -25051, 20828};     // 13 fraction bits
constexpr int32_t kPower[4] = {65531, -45309, 15137, -2595};  // 2^-f, 16 fraction bits

}  // namespace encoder
}  // namespace segmenter

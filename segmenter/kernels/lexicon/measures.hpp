// Measure words. A measure word after a numeral is a word of its own, 三/本 like 两/本, whatever
// words the lexicon has. docs/en/numbers.md says which pairs are left to lexicon and model;
// tests/reference/runs.py is the readable form.
#pragma once
#include <cstdint>
#include <vector>

#include "lexicon/double_array.hpp"

namespace segmenter {

// Measure words of one character. 日 and 年 belong to the rules of dates.
constexpr char32_t kMeasures[] =
    U"个本张只条件位名家台辆架艘把支枝根块片颗粒朵棵株头匹峰双副套对群批份封篇部首幅页层栋座间所"
    U"项次回遍趟场顿番杯碗盘瓶桶箱袋包盒罐元斤吨克米升里天周秒句段章节门种类样款届期集员户口盏扇面"
    U"堵道股缕滴团堆串排列队班组伙捆束卷册盆筐篮壶匙勺锅笼桌席剂贴针枚圈步拳眼曲幕出站楼岁倍寸尺丈"
    U"亩顷声号";

// A numeral before one of these is whole, 一百/年 and 二十/分钟. Whether there is a boundary
// between them is left to the rules of dates, to lexicon and model.
constexpr char32_t kCounted[] = U"年日度公分平";

// Where a numeral and a measure word may be one word, or another word begins with the measure word.
// Lexicon and model decide: always; if one of `next` follows; or unless one of `next` follows,
// where a comma stands for everything but Han characters.
enum class Left : uint8_t { kAlways, kIf, kUnless };
struct MeasureWord {
  char32_t numeral, measure;
  Left left;
  const char32_t* next;
};
constexpr MeasureWord kMeasureWords[] = {
    {U'一', U'个', Left::kAlways, U""},
    {U'一', U'样', Left::kUnless, U"东菜礼"},
    {U'一', U'面', Left::kUnless, U",镜墙旗锣鼓盾"},
    {U'一', U'道', Left::kUnless, U",菜题门墙光裂伤闪命"},
    {U'一', U'头', Left::kUnless, U",牛猪羊驴狮熊象鹿骡蒜"},
    {U'一', U'眼', Left::kUnless, U",井泉窑"},
    {U'一', U'口', Left::kUnless, U",井锅饭水血痰"},
    {U'一', U'步', Left::kUnless, U","},
    {U'一', U'里', Left::kUnless, U",路地"},
    {U'一', U'把', Left::kIf, U"手"},
    {U'一', U'门', Left::kUnless, U",课学技手炮"},
    {U'四', U'周', Left::kUnless, U"时后前内课假"},
    {U'四', U'面', Left::kUnless, U",镜墙旗锣鼓盾"},
    {U'八', U'面', Left::kUnless, U",镜墙旗锣鼓盾"},
    {U'三', U'本', Left::kIf, U"院校大线学专批生"},
    {U'五', U'台', Left::kIf, U"县区"},
    {U'三', U'包', Left::kIf, U"政服责规"},
    {U'三', U'门', Left::kIf, U"县区湾"},
    {U'九', U'天', Left::kIf, U"揽玄仙"},
    {U'二', U'元', Left::kIf, U"函方论结关对分变色"},
};

// A measure word and the characters before which it ends: 三/个/人, not 三/个人; 三/天/后.
struct MeasureBreak {
  const char32_t *measures, *next;
};
constexpr MeasureBreak kMeasureBreaks[] = {
    {U"个", U"人"},
    {U"本", U"书"},
    {U"天周秒", U"后前内"},
    {U"件", U"事"},
};

// Units of time after a number, 十五日, 三个工作日, 两周. 内 after them is no part of 内向:
// 十五日内/向甲方支付.
constexpr char32_t kUnitsOfTime[] = U"个工作日天年月周小时分钟秒季度星期";
constexpr uint32_t kMostOfTime = 4;  // characters of such a unit, as in 个工作日

// The characters of these tables, by the ids of a lexicon.
struct Measures {
  enum : uint8_t { kIs = 1, kBroken = 2, kBreaks = 4, kAfter = 8, kTimes = 16, kOfTime = 32 };
  std::vector<uint8_t> bits;  // by id
  uint64_t pairs[4] = {};     // a Bloom filter of kMeasureWords

  void prepare(const CharMap& map, uint32_t n_ids) {
    bits.assign(n_ids, 0);
    auto set = [&](const char32_t* characters, uint8_t bit) {
      for (const char32_t* c = characters; *c; ++c)
        if (const uint32_t id = map.id(*c); id && id < n_ids) bits[id] |= bit;
    };
    set(kMeasures, kIs);
    set(kCounted, kAfter);
    set(U"百千万亿", kTimes);
    set(kUnitsOfTime, kOfTime);
    for (const MeasureWord& word : kMeasureWords) {
      const uint32_t bit = hash(map.id(word.numeral), map.id(word.measure));
      pairs[bit >> 6] |= uint64_t(1) << (bit & 63);
    }
    for (const MeasureBreak& entry : kMeasureBreaks) {
      set(entry.measures, kBreaks);
      set(entry.next, kBroken);
    }
  }
  bool is(uint32_t id) const { return bits[id] & kIs; }
  // Whether a numeral and a measure word are in kMeasureWords; true may be wrong.
  bool may_be_word(uint32_t numeral, uint32_t measure) const {
    const uint32_t bit = hash(numeral, measure);
    return pairs[bit >> 6] >> (bit & 63) & 1;
  }
  // Whether a measure word and the character after it are in kMeasureBreaks; true may be wrong.
  bool may_break(uint32_t measure, uint32_t next) const {
    return bits[measure] & kBreaks && bits[next] & kBroken;
  }

 private:
  static uint32_t hash(uint32_t numeral, uint32_t measure) {
    return (numeral * 37 + measure) & 255;
  }
};

}  // namespace segmenter

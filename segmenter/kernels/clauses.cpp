// The implementation of clauses.hpp.
#include "clauses.hpp"

#include <algorithm>

namespace segmenter {

// A clause with one of these is Cantonese.
constexpr char32_t kCantonese[] = U"咗嘅喺佢哋啲嗰冇嚟嘢噉㗎唔咩乜谂睇瞓攞畀啫嬲";
// In a Cantonese clause 緊, 晒 and 過 after one of these verbs are words of their own, like 咗.
constexpr char32_t kVerbs[] =
    U"食饮睇讲做等谂听搵揾玩去用买卖打行坐瞓写教攞俾畀见试煮洗开住学读养返问着";
constexpr char32_t kAspects[] = U"紧晒过";

// A clause that ends with one of kLast or contains one of kOld is classical, and so is a clause
// with several of kOften. A clause with one of kModern is not.
constexpr char32_t kLast[] = U"也矣哉兮焉邪乎之";
constexpr char32_t kOld[] = U"吾汝孰兮矣哉";
constexpr char32_t kOften[] = U"曰之而其者于以为不无何莫所且则乃若夫非未勿故岂";
constexpr char32_t kModern[] = U"的了这那们吗吧呢很个被么没说你他她它着里都就还让给啊哦到在和";

// In a classical clause the tags decide on the two characters after one of these: the name of a
// person.
constexpr char32_t kSurnames[] =
    U"王李张刘陈杨赵黄吴徐孙朱胡郭高林罗郑梁谢宋唐许韩冯邓曹彭曾萧田董袁潘蒋蔡杜叶程苏魏吕丁"
    U"任沈"
    U"姚卢姜崔钟谭陆汪范石廖贾韦傅邹孟熊秦邱薛侯雷段郝孔邵史毛常顾赖康庞樊兰殷施洪翟颜倪严温";

// Characters of names from other languages. Those of kRare are rare in other words.
constexpr char32_t kRare[] = U"斯尔弗蒂娜莎莱雷勒迪埃韦伊赫姆诺佩茨奥伦穆玛娅涅";
constexpr char32_t kNames[] =
    U"阿艾安巴班贝本比宾伯博布查达戴丹德登丁多恩法菲费芬夫福盖戈格古哈海汉霍基吉居加杰金卡凯康考"
    U"科克肯库拉兰朗劳里利莲林卢鲁罗洛马迈曼梅米蒙明莫纳奈内尼努欧帕皮普奇齐乔切琴塞桑瑟沙舍什"
    U"史索塔泰坦特提托图瓦万威维温文沃乌伍西希夏辛休雅亚扬耶因尤泽扎詹兹佐朱谢通顿"
    U"萨森逊翰波列勃钦契纽楚采厄茹舒赛珀潘芙诃佛捷茜蕾琳";

// Characters that add marks beside others: cut_prepositions() and cut_beside_name().
constexpr char32_t kBack[] = U"里线长点向", kBefore[] = U"在行会要内", kOn[] = U"太而依点",
                   kAfter[] = U"大家一", kBeside[] = U"的左右头本";

void Watched::prepare(const CharMap& map, uint32_t n_ids) {
  bits.assign(n_ids, 0);
  const uint32_t other = map.id(0x3FFFE);  // the id of Han characters that are in no word
  auto set = [&](const char32_t* characters, uint16_t bit) {
    for (const char32_t* c = characters; *c; ++c)
      if (const uint32_t id = map.id(*c); id && id != other && id < n_ids) bits[id] |= bit;
  };
  set(kCantonese, kIsCantonese);
  set(kVerbs, kIsVerb);
  set(kAspects, kIsAspect);
  set(kLast, kIsLast);
  set(kOld, kIsOld);
  set(kOften, kIsOften);
  set(kModern, kIsModern);
  set(kSurnames, kIsSurname);
  set(kBefore, kIsBefore);
  set(kBeside, kIsBeside);
  set(kAfter, kIsAfter);
  set(kBack, kLooksBack);
  set(kOn, kLooksOn);
  set(kRare, kIsRare | kIsName);
  set(kNames, kIsName);
}

void ClauseMarks::add(const uint32_t* begin, const uint32_t* end, uint32_t origin) {
  const uint16_t* const ids = ids_;
  const uint16_t* const table = bits_;
  for (; begin != end; ++begin) {
    const uint32_t k = *begin - origin;
    const uint32_t bits = table[ids[k]];
    if (!bits) continue;
    const uint32_t before = k ? table[ids[k - 1]] : 0, after = table[ids[k + 1]];
    bool decides = bits & (Watched::kIsCantonese | Watched::kIsOld) || is_last(k);
    if (looks_at_neighbour(bits, before, after)) {
      cut_prepositions(k);
      decides |= is_now(k);
    }
    if (bits & Watched::kIsRare) {
      uint32_t wider = before | after | table[ids[k + 2]];
      if (k > 1) wider |= table[ids[k - 2]];
      if (wider & Watched::kIsBeside) cut_beside_name(k);
      if ((before | after) & Watched::kIsName && k >= name_end_) join_name(k);
    }
    if (decides && k >= clause_end_) mark_clause(k);
  }
}

// Whether k begins 而家 or 依家, Cantonese for "now": not in 而家长 or 皈依家人.
bool ClauseMarks::is_now(uint32_t k) const {
  if (k + 2 >= n_ || !(is(k, U'而') || is(k, U'依')) || !is(k + 1, U'家')) return false;
  const Runs runs{lex_, ids_, n_};
  if (k && runs.among(ids_[k - 1], U"我你佢哋"))
    return !runs.among(ids_[k + 2], U"人里长庭中属教乡境");
  return (k == 0 || !is_han(k - 1)) &&
         (!is_han(k + 2) || runs.among(ids_[k + 2], U"好几喺係先就都冇未唔开嘅仲呢啲"));
}

// Cuts after a preposition or an auxiliary that could begin a word, but stands alone: 在/行里,
// 会/长高, 要/点一份, 太大/会, 十五日内/向. Also around 而家, and 八点/一直.
void ClauseMarks::cut_prepositions(uint32_t k) {
  struct Preposition {
    char32_t character, before;
    const char32_t* after;
  };
  static constexpr Preposition kPrepositions[] = {{U'行', U'在', U"里"},
                                                  {U'线', U'在', U"上"},
                                                  {U'长', U'会', U"高大胖出满成"},
                                                  {U'点', U'要', U"什"}};
  if (k && is(k, U'向') && is(k - 1, U'内') && follows_time_span(k - 1)) cut(k);
  if (k + 2 < n_ && is(k, U'太') && is(k + 1, U'大') && is(k + 2, U'会')) cut(k + 2);
  const Runs runs{lex_, ids_, n_};
  if (is_now(k)) {
    cut_around(k, k + 2);
    join(k + 1);
  }
  if (k > 1 && is(k, U'里')) --k;  // 在行里 by its 里, which is rarer than 行
  if (k == 0 || k + 1 >= n_) return;
  // 八点/一直, where Runs sees no fraction
  if (is(k, U'点') && is(k + 1, U'一') &&
      (class_at(k - 1) == kHanNum || class_at(k - 1) == kDigit) &&
      runs.class_end(k + 1, kHanNum) == k + 2 && runs.fraction_end(k + 1) == k + 1)
    cut(k + 1);
  for (const Preposition& entry : kPrepositions) {
    if (!is(k, entry.character) || !is(k - 1, entry.before)) continue;
    const bool is_quantity = entry.character == U'点' && class_at(k + 1) == kHanNum && k + 2 < n_ &&
                             lex_.measures.is(ids_[k + 2]);
    const bool is_title =
        entry.character == U'长' && k > 1 && runs.among(ids_[k - 2], U"副协商学总议国老");
    const bool is_longer_word =
        entry.character != U'点' && word_end(k + 1, n_) > k + 2;  // 在线/上课, 会长/成立
    if (!is_title && !is_longer_word && (is_quantity || runs.among(ids_[k + 1], entry.after))) {
      cut(k);
      if (entry.character == U'长') join(k + 1);
      else if (entry.before == U'在') cut(k + 1);
    }
  }
}

// Whether a number and a unit of time precede k: 十五日内/向.
bool ClauseMarks::follows_time_span(uint32_t k) const {
  const uint8_t* const units = lex_.measures.bits.data();
  uint32_t start = k;
  while (start > 0 && k - start < kMostOfTime && units[ids_[start - 1]] & Measures::kOfTime)
    --start;
  if (start == k || start == 0) return false;
  const CharClass c = class_at(start - 1);
  return c == kHanNum || c == kDigit;
}

// Whether k is inside a word of several characters.
bool ClauseMarks::in_word(uint32_t k) const {
  for (uint32_t start = k > 5 ? k - 5 : 0; start <= k; ++start)
    if (const uint32_t end = word_end(start, n_); end > k && end > start + 1) return true;
  return false;
}

// Marks the clause around k, if it is Cantonese or classical.
void ClauseMarks::mark_clause(uint32_t k) {
  uint32_t start = k, end = k;
  while (start > clause_end_ && is_han(start - 1)) --start;
  bool is_cantonese = false;
  for (; end < n_ && is_han(end); ++end)
    is_cantonese |= has(end, Watched::kIsCantonese) || (has(end, Watched::kLooksOn) && is_now(end));
  steps += end - start;
  clause_end_ = end + 1;
  if (is_cantonese) return mark_cantonese(start, end);
  if (!is_classical(start, end, 3)) return;
  cut_clause(start, end);
  // the clause before it, 民不畏死，奈何以死惧之
  if (start < 2 || !clause_goes_on(lex_, ids_[start - 1])) return;
  uint32_t previous_start = start - 1;
  while (previous_start > 0 && start - previous_start < 14 && is_han(previous_start - 1))
    --previous_start;
  if (!(previous_start > 0 && is_han(previous_start - 1)) &&
      is_classical(previous_start, start - 1, 1))
    cut_clause(previous_start, start - 1);
}

void ClauseMarks::mark_cantonese(uint32_t start, uint32_t end) {
  // words of two characters
  static constexpr char32_t kWhole[][3] = {U"而家", U"依家", U"屋企", U"讲笑", U"几点", U"呢个"};
  for (uint32_t k = start; k < end; ++k) {
    const uint32_t next = k + 1 < end ? ids_[k + 1] : 0;
    auto next_is = [&](char32_t c) { return next && next == lex_.map.id(c); };
    if (is(k, U'咗')) {
      if (k == start || !(is(k - 1, U'除') || is(k - 1, U'为'))) cut(k);
      cut(k + 1);
    } else if (is(k, U'嘅')) {
      cut(k);
      if (!next_is(U'话')) cut(k + 1);
    } else if (is(k, U'喺')) {
      cut(k);
      if (!next_is(U'度')) cut(k + 1);
    } else if (has(k, Watched::kIsAspect) && k > start && has(k - 1, Watched::kIsVerb) &&
               !(next && word_end(k, k + 2) == k + 2)) {
      cut_around(k, k + 1);
    } else if (next) {
      for (const auto& word : kWhole) {
        if (!is(k, word[0]) || !next_is(word[1])) continue;
        cut_around(k, k + 2);
        join(k + 1);
      }
    }
  }
}

// Whether a clause has `least` signs of classical text, one of them strong, and no sign of modern
// or Cantonese text. `least` 1: one sign of any kind is enough.
bool ClauseMarks::is_classical(uint32_t start, uint32_t end, uint32_t least) const {
  uint32_t signs = 0, covered = start;
  bool strong = least == 1;
  for (uint32_t k = start; k < end; ++k)
    if (has(k, Watched::kIsModern | Watched::kIsCantonese)) return false;
  for (uint32_t k = start; k < end; ++k) {
    const uint32_t end_of_word = word_end(k, end);
    signs += has(k, Watched::kIsOften);
    if (k >= covered && end_of_word == k + 1) {
      const bool at_end = k + 1 == end && k > start + 1 && is_last(k);
      if ((has(k, Watched::kIsOld) && !has(k + 1, Watched::kIsRare)) || at_end) {  // not 吾尔
        strong = true;
        signs += is(k, U'之') ? 1 : at_end ? 3 : 2;
      }
    }
    covered = std::max(covered, end_of_word);
  }
  return strong && signs >= least;
}

// Cuts a classical clause wherever no word of the lexicon crosses, but not in what may be the name
// of a person. Idioms stay whole.
void ClauseMarks::cut_clause(uint32_t start, uint32_t end) {
  uint32_t covered = start;
  for (uint32_t k = start; k < end; ++k) {
    const bool in_name = (k > start && k >= covered && has(k - 1, Watched::kIsSurname)) ||
                         (k > start + 1 && has(k - 2, Watched::kIsSurname));
    if (k >= covered && !in_name &&
        !(k > start && class_at(k - 1) == kHanNum && class_at(k) == kHanNum))
      cut(k);
    const uint32_t end_of_word = word_end(k, end);
    steps += end_of_word - k;
    if (k >= covered && end_of_word >= k + 4) {  // 民不畏死
      for (uint32_t p = k + 1; p < end_of_word; ++p) join(p);
      cut(end_of_word);
    }
    covered = std::max(covered, end_of_word);
  }
  cut(end);
}

// Cuts beside a name with a character at k: around 的, and around what follows a name, 左路.
void ClauseMarks::cut_beside_name(uint32_t k) {
  for (uint32_t p = k > 1 ? k - 2 : 0; p < k + 3 && p < n_; ++p) {
    if (is(p, U'的') && !in_word(p)) cut_around(p, p + 1);
    if (p > k && has(p - 1, Watched::kIsName)) cut_after_name(p);
  }
}

void ClauseMarks::cut_after_name(uint32_t k) {
  static constexpr char32_t kWords[][3] = {U"左路", U"右路", U"左脚", U"右脚", U"头球", U"本人"};
  if (k + 1 >= n_ || !has(k, Watched::kIsBeside)) return;
  for (const auto& word : kWords)
    if (is(k, word[0]) && is(k + 1, word[1]) && word_end(k + 1, n_) == k + 2) cut_around(k, k + 2);
}

// Forbids boundaries in the name around k that no lexicon has: at least four characters of names,
// or three of which two are rare elsewhere. Words that are no part of names are removed from its
// ends, unless nothing that could be a name remains, 奥斯/梅恩.
void ClauseMarks::join_name(uint32_t k) {
  uint32_t start = k, end = k + 1, rare = 0;
  while (start > 0 && k - start < 12 && has(start - 1, Watched::kIsName)) --start;
  while (end < n_ && end - k < 12 && has(end, Watched::kIsName) && !(marks_[end] & kMarkCut)) ++end;
  name_end_ = end;
  for (uint32_t p = start; p < end; ++p) rare += has(p, Watched::kIsRare);
  const uint32_t least = rare > 1 ? 3 : 4;
  if (end < start + least) return;
  cut_after_name(end);
  bool after_word = false;  // 教练/斯卡洛尼
  for (uint32_t p = start > 4 ? start - 4 : 0; p < start; ++p)
    if (const uint32_t end_of_word = word_end(p, n_);
        end_of_word > p + 1 && end_of_word >= start &&
        !(end_of_word > start && end_of_word == p + 2 && words_.is_rare(p, end_of_word))) {  // 天格
      start = end_of_word;
      after_word = true;
    }
  uint32_t full_start = start, full_end = end;  // before words are removed
  for (uint32_t p = start; p < end; ++p) {
    const uint32_t end_of_word = word_end(p, n_);
    if (end_of_word == p + 1 || (end_of_word < p + 4 && words_.is_rare(p, end_of_word))) continue;
    if (end_of_word > p + 2) return;
    if (end_of_word > end) {
      if (word_end(end, n_) == end + 1) full_end = end = p;
    } else if ((p == start || end_of_word == end) && !has(p, Watched::kIsRare) &&
               !has(p + 1, Watched::kIsRare)) {
      if (p == start) start = end_of_word;
      else end = p;
    }
  }
  if (end < start + least && rare > 1) {
    start = full_start;
    end = full_end;
  }
  if (end < start + least) return;
  if (after_word && start == full_start) cut(start);
  for (uint32_t p = start + 1; p < end; ++p) join(p);
  if (!has(end, Watched::kIsName) && !has(end + 1, Watched::kIsName) && word_end(end, n_) > end + 1)
    cut(end);
}

}  // namespace segmenter

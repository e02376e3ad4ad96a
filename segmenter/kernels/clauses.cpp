// The implementation of clauses.hpp.
#include "clauses.hpp"

#include <algorithm>

namespace segmenter {

// A clause with one of these is Cantonese.
constexpr char32_t kCantonese[] = U"咗嘅喺佢哋啲嗰冇嚟嘢噉㗎唔咩乜谂睇瞓攞畀啫嬲";
// In such a clause 緊, 晒 and 過 after one of these verbs are words of their own, as 咗 is.
constexpr char32_t kVerbs[] =
    U"食饮睇讲做等谂听搵揾玩去用买卖打行坐瞓写教攞俾畀见试煮洗开住学读养返问着";
constexpr char32_t kAspects[] = U"紧晒过";

// A clause that ends with one of kLast, or has one of kOld, reads as classical; so do several of kOften.
// None of kModern stands in it.
constexpr char32_t kLast[] = U"也矣哉兮焉邪乎之";
constexpr char32_t kOld[] = U"吾汝孰兮矣哉";
constexpr char32_t kOften[] = U"曰之而其者于以为不无何莫所且则乃若夫非未勿故岂";
constexpr char32_t kModern[] = U"的了这那们吗吧呢很个被么没说你他她它着里都就还让给啊哦到在和";

// A clause leaves two characters after one of these to the tags: a person's name.
constexpr char32_t kSurnames[] =
    U"王李张刘陈杨赵黄吴徐孙朱胡郭高林罗郑梁谢宋唐许韩冯邓曹彭曾萧田董袁潘蒋蔡杜叶程苏魏吕丁"
    U"任沈"
    U"姚卢姜崔钟谭陆汪范石廖贾韦傅邹孟熊秦邱薛侯雷段郝孔邵史毛常顾赖康庞樊兰殷施洪翟颜倪严温";

// Characters of names from other languages. Of these `kRare` are rare in other words.
constexpr char32_t kRare[] = U"斯尔弗蒂娜莎莱雷勒迪埃韦伊赫姆诺佩茨奥伦穆玛娅涅";
constexpr char32_t kNames[] =
    U"阿艾安巴班贝本比宾伯博布查达戴丹德登丁多恩法菲费芬夫福盖戈格古哈海汉霍基吉居加杰金卡凯康考"
    U"科克肯库拉兰朗劳里利莲林卢鲁罗洛马迈曼梅米蒙明莫纳奈内尼努欧帕皮普奇齐乔切琴塞桑瑟沙舍什"
    U"史索塔泰坦特提托图瓦万威维温文沃乌伍西希夏辛休雅亚扬耶因尤泽扎詹兹佐朱谢通顿"
    U"萨森逊翰波列勃钦契纽楚采厄茹舒赛珀潘芙诃佛捷茜蕾琳";

// Characters that decide something beside others: see beside().
constexpr char32_t kBack[] = U"里线长点向", kBefore[] = U"在行会要内", kOn[] = U"太而依点",
                   kAfter[] = U"大家一", kBeside[] = U"的左右头本";

void Watched::prepare(const CharMap& map, uint32_t n_ids) {
  bits.assign(n_ids, 0);
  const uint32_t other = map.id(0x3FFFE);  // of the Han characters that are in no word
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

void ClauseMarks::add(const uint32_t* from, const uint32_t* to, uint32_t origin) {
  const uint16_t* const ids = ids_;
  const uint16_t* const of = bits_;
  for (; from != to; ++from) {
    const uint32_t k = *from - origin;
    const uint32_t bits = of[ids[k]];
    if (!bits) continue;
    const uint32_t before = k ? of[ids[k - 1]] : 0, after = of[ids[k + 1]];
    bool reads = bits & (Watched::kIsCantonese | Watched::kIsOld) || is_last(k);
    if (looks(bits, before, after)) {
      beside(k);
      reads |= is_now(k);
    }
    if (bits & Watched::kIsRare) {
      uint32_t wider = before | after | of[ids[k + 2]];
      if (k > 1) wider |= of[ids[k - 2]];
      if (wider & Watched::kIsBeside) name(k);
      if ((before | after) & Watched::kIsName && k >= named_) whole_name(k);
    }
    if (reads && k >= read_) clause(k);
  }
}

// Whether 而家 or 依家 stands at k, "now" in Cantonese: not in 而家长 or 皈依家人.
bool ClauseMarks::is_now(uint32_t k) const {
  if (k + 2 >= n_ || !(is(k, U'而') || is(k, U'依')) || !is(k + 1, U'家')) return false;
  const Runs in{lex_, ids_, n_};
  if (k && in.among(ids_[k - 1], U"我你佢哋")) return !in.among(ids_[k + 2], U"人里长庭中属教乡境");
  return (k == 0 || !han(k - 1)) &&
         (!han(k + 2) || in.among(ids_[k + 2], U"好几喺係先就都冇未唔开嘅仲呢啲"));
}

// Words that begin with a preposition or an auxiliary, where it stands alone: 在/行里, 会/长高, 要/点一份,
// 太大/会, 十五日内/向; and 而家, 八点/一直.
void ClauseMarks::beside(uint32_t k) {
  struct Place {
    char32_t at, before;
    const char32_t* after;
  };
  static constexpr Place kPlaces[] = {{U'行', U'在', U"里"},
                                      {U'线', U'在', U"上"},
                                      {U'长', U'会', U"高大胖出满成"},
                                      {U'点', U'要', U"什"}};
  if (k && is(k, U'向') && is(k - 1, U'内') && within(k - 1)) cut(k);
  if (k + 2 < n_ && is(k, U'太') && is(k + 1, U'大') && is(k + 2, U'会')) cut(k + 2);
  const Runs in{lex_, ids_, n_};
  if (is_now(k)) {
    apart(k, k + 2);
    join(k + 1);
  }
  if (k > 1 && is(k, U'里')) --k;  // 在行里 by its 里, which is rarer than 行
  if (k == 0 || k + 1 >= n_) return;
  // 八点/一直, where Runs sees no fraction
  if (is(k, U'点') && is(k + 1, U'一') && (cls(k - 1) == kHanNum || cls(k - 1) == kDigit) &&
      in.class_end(k + 1, kHanNum) == k + 2 && in.fraction_end(k + 1) == k + 1)
    cut(k + 1);
  for (const Place& p : kPlaces) {
    if (!is(k, p.at) || !is(k - 1, p.before)) continue;
    const bool counted =
        p.at == U'点' && cls(k + 1) == kHanNum && k + 2 < n_ && lex_.measures.is(ids_[k + 2]);
    const bool named = p.at == U'长' && k > 1 && in.among(ids_[k - 2], U"副协商学总议国老");
    const bool other = p.at != U'点' && word_end(k + 1, n_) > k + 2;  // 在线/上课, 会长/成立
    if (!named && !other && (counted || in.among(ids_[k + 1], p.after))) {
      cut(k);
      if (p.at == U'长') join(k + 1);
      else if (p.before == U'在') cut(k + 1);
    }
  }
}

// Whether a number and a unit of time stand before k: 十五日内/向.
bool ClauseMarks::within(uint32_t k) const {
  const uint8_t* const units = lex_.measures.bits.data();
  uint32_t s = k;
  while (s > 0 && k - s < kMostOfTime && units[ids_[s - 1]] & Measures::kOfTime) --s;
  if (s == k || s == 0) return false;
  const CharClass c = cls(s - 1);
  return c == kHanNum || c == kDigit;
}

// Whether a word of several characters holds the one at k.
bool ClauseMarks::in_word(uint32_t k) const {
  for (uint32_t s = k > 5 ? k - 5 : 0; s <= k; ++s)
    if (const uint32_t e = word_end(s, n_); e > k && e > s + 1) return true;
  return false;
}

// Reads the clause around k.
void ClauseMarks::clause(uint32_t k) {
  uint32_t s = k, e = k;
  while (s > read_ && han(s - 1)) --s;
  bool is_cantonese = false;
  for (; e < n_ && han(e); ++e)
    is_cantonese |= has(e, Watched::kIsCantonese) || (has(e, Watched::kLooksOn) && is_now(e));
  steps += e - s;
  read_ = e + 1;
  if (is_cantonese) return cantonese(s, e);
  if (!classical(s, e, 3)) return;
  fall_apart(s, e);
  // the clause before it, 民不畏死，奈何以死惧之
  if (s < 2 || !clause_goes_on(lex_, ids_[s - 1])) return;
  uint32_t from = s - 1;
  while (from > 0 && s - from < 14 && han(from - 1)) --from;
  if (!(from > 0 && han(from - 1)) && classical(from, s - 1, 1)) fall_apart(from, s - 1);
}

void ClauseMarks::cantonese(uint32_t s, uint32_t e) {
  // words, and what parts after their first character
  static constexpr char32_t kWhole[][3] = {U"而家", U"依家", U"屋企", U"讲笑", U"几点", U"呢个"};
  for (uint32_t k = s; k < e; ++k) {
    const uint32_t next = k + 1 < e ? ids_[k + 1] : 0;
    auto then = [&](char32_t c) { return next && next == lex_.map.id(c); };
    if (is(k, U'咗')) {
      if (k == s || !(is(k - 1, U'除') || is(k - 1, U'为'))) cut(k);
      cut(k + 1);
    } else if (is(k, U'嘅')) {
      cut(k);
      if (!then(U'话')) cut(k + 1);
    } else if (is(k, U'喺')) {
      cut(k);
      if (!then(U'度')) cut(k + 1);
    } else if (has(k, Watched::kIsAspect) && k > s && has(k - 1, Watched::kIsVerb) &&
               !(next && word_end(k, k + 2) == k + 2)) {
      apart(k, k + 1);
    } else if (next) {
      for (const auto& word : kWhole) {
        if (!is(k, word[0]) || !then(word[1])) continue;
        apart(k, k + 2);
        join(k + 1);
      }
    }
  }
}

// Whether a clause has `least` signs of classical text, among them a strong one, and none of another.
// `least` 1: any of them is enough.
bool ClauseMarks::classical(uint32_t s, uint32_t e, uint32_t least) const {
  uint32_t signs = 0, known = s;
  bool strong = least == 1;
  for (uint32_t k = s; k < e; ++k)
    if (has(k, Watched::kIsModern | Watched::kIsCantonese)) return false;
  for (uint32_t k = s; k < e; ++k) {
    const uint32_t end = word_end(k, e);
    signs += has(k, Watched::kIsOften);
    if (k >= known && end == k + 1) {
      const bool at_end = k + 1 == e && k > s + 1 && is_last(k);
      if ((has(k, Watched::kIsOld) && !has(k + 1, Watched::kIsRare)) || at_end) {  // not 吾尔
        strong = true;
        signs += is(k, U'之') ? 1 : at_end ? 3 : 2;
      }
    }
    known = std::max(known, end);
  }
  return strong && signs >= least;
}

// Boundaries at all places of a clause that no word of the lexicon goes over, but not in what may be
// a person's name; idioms stay whole.
void ClauseMarks::fall_apart(uint32_t s, uint32_t e) {
  uint32_t known = s;
  for (uint32_t k = s; k < e; ++k) {
    const bool in_name = (k > s && k >= known && has(k - 1, Watched::kIsSurname)) ||
                         (k > s + 1 && has(k - 2, Watched::kIsSurname));
    if (k >= known && !in_name && !(k > s && cls(k - 1) == kHanNum && cls(k) == kHanNum)) cut(k);
    const uint32_t end = word_end(k, e);
    steps += end - k;
    if (k >= known && end >= k + 4) {  // 民不畏死
      for (uint32_t p = k + 1; p < end; ++p) join(p);
      cut(end);
    }
    known = std::max(known, end);
  }
  cut(e);
}

// Beside the character of a name at k: 的 is no part of the name, nor is what players do, 左路.
void ClauseMarks::name(uint32_t k) {
  for (uint32_t p = k > 1 ? k - 2 : 0; p < k + 3 && p < n_; ++p) {
    if (is(p, U'的') && !in_word(p)) apart(p, p + 1);
    if (p > k && has(p - 1, Watched::kIsName)) after_name(p);
  }
}

void ClauseMarks::after_name(uint32_t k) {
  static constexpr char32_t kWords[][3] = {U"左路", U"右路", U"左脚", U"右脚", U"头球", U"本人"};
  if (k + 1 >= n_ || !has(k, Watched::kIsBeside)) return;
  for (const auto& word : kWords)
    if (is(k, word[0]) && is(k + 1, word[1]) && word_end(k + 1, n_) == k + 2) apart(k, k + 2);
}

// Forbids boundaries in the name around k that no lexicon has: four characters of names and more, or
// three of which two are rare elsewhere. At its ends it loses words that are no part of names, unless nothing
// that could be a name is left, 奥斯/梅恩.
void ClauseMarks::whole_name(uint32_t k) {
  uint32_t s = k, e = k + 1, rare = 0;
  while (s > 0 && k - s < 12 && has(s - 1, Watched::kIsName)) --s;
  while (e < n_ && e - k < 12 && has(e, Watched::kIsName) && !(marks_[e] & kMarkCut)) ++e;
  named_ = e;
  for (uint32_t p = s; p < e; ++p) rare += has(p, Watched::kIsRare);
  const uint32_t least = rare > 1 ? 3 : 4;
  if (e < s + least) return;
  after_name(e);
  bool after_word = false;  // 教练/斯卡洛尼
  for (uint32_t p = s > 4 ? s - 4 : 0; p < s; ++p)
    if (const uint32_t to = word_end(p, n_);
        to > p + 1 && to >= s && !(to > s && to == p + 2 && words_.is_rare(p, to))) {  // 天格
      s = to;
      after_word = true;
    }
  uint32_t first = s, end = e;  // before words are lost
  for (uint32_t p = s; p < e; ++p) {
    const uint32_t to = word_end(p, n_);
    if (to == p + 1 || (to < p + 4 && words_.is_rare(p, to))) continue;
    if (to > p + 2) return;
    if (to > e) {
      if (word_end(e, n_) == e + 1) end = e = p;
    } else if ((p == s || to == e) && !has(p, Watched::kIsRare) && !has(p + 1, Watched::kIsRare)) {
      if (p == s) s = to;
      else e = p;
    }
  }
  if (e < s + least && rare > 1) {
    s = first;
    e = end;
  }
  if (e < s + least) return;
  if (after_word && s == first) cut(s);
  for (uint32_t p = s + 1; p < e; ++p) join(p);
  if (!has(e, Watched::kIsName) && !has(e + 1, Watched::kIsName) && word_end(e, n_) > e + 1) cut(e);
}

}  // namespace segmenter

// Tables of characters, which tables.py writes from segmenter/text.
#pragma once
#include "lexicon/variants.hpp"

namespace segmenter {

// The variants of Han characters: segmenter/text/variants.py.
const VariantTable& variant_table();

}  // namespace segmenter

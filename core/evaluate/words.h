// Which word of the system is which word of gold (Zeman et al. 2018, section 4).
#pragma once

#include "evaluate/edit_script.h"

namespace caesura::evaluate {

// The words of one side: spans, whether in a multi-word token, ids of lower-cased forms.
struct Words {
    Longs start, end;
    Flags multi;
    Longs form;
    Long size() const { return std::ssize(start); }
};

// Words that have a width: `partner[g]` becomes the word of the system that word g of gold is.
void align_wide(const Words& gold, const Words& system, View<Long> partner, Cancel& cancel);

// Words of no width: the same place and form.
void align_bare(const Words& gold, const Words& system, View<Long> partner, Cancel& cancel);

}  // namespace caesura::evaluate

// The words of sentences as tests take them, too.
#pragma once

#include "bind/arrays.h"
#include "parse/branching_trees.h"

namespace caesura {

// Words and bounds of sentences, checked.
parse::hybrid::Batch batch_of(Hashes2 table, Longs bounds);

}  // namespace caesura

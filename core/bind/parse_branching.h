// The branching parser as an object that tests take, too.
#pragma once

#include <utility>

#include "bind/parse.h"
#include "parse/branching_trees.h"

namespace caesura {

// A parser that keeps the arrays of its templates alive.
class SharedBrancher : public parse::hybrid::Brancher {
   public:
    SharedBrancher(SharedTemplates templates, parse::hybrid::Classifier classifier,
                   const parse::hybrid::SearchOptions& options, parse::hybrid::Headless headless,
                   std::int32_t root_label)
        : Brancher(std::move(classifier), options, headless, root_label),
          templates_(std::move(templates)) {}

   private:
    SharedTemplates templates_;
};

// Words and bounds of sentences, checked.
parse::hybrid::Batch batch_of(const In2<std::uint64_t>& table, const In<std::int64_t>& bounds);

}  // namespace caesura

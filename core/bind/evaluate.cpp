#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "evaluate/spans.h"
#include "evaluate/words.h"

namespace caesura {
namespace {

using evaluate::Gap;
using evaluate::Words;

void fill_gaps(Longs a, Longs b, Matrix<const Long> gaps, View<Long> partner) {
    require(gaps.columns() == 4, "gaps must have four columns");
    require_lengths("partner must be as long as a", a, partner);
    const View<const Gap> parts(reinterpret_cast<const Gap*>(gaps.data()), gaps.rows());
    for (const Gap& gap : parts)
        require(0 <= gap.a0 && gap.a0 <= gap.a1 && gap.a1 <= std::ssize(a) && 0 <= gap.b0 &&
                    gap.b0 <= gap.b1 && gap.b1 <= std::ssize(b),
                "a gap lies outside of its sequences");
    Cancel cancel;
    evaluate::fill_gaps(a, b, parts, partner, cancel);
}

std::vector<Long> align_words(Longs gold_start, Longs gold_end, Flags gold_multi, Longs gold_form,
                              Longs start, Longs end, Flags multi, Longs form, bool bare) {
    const Words gold{gold_start, gold_end, gold_multi, gold_form}, system{start, end, multi, form};
    for (const Words& words : {gold, system})
        require_lengths("the arrays of a side must be of the same length", words.start, words.end,
                        words.multi, words.form);
    std::vector<Long> partner(gold.start.size(), -1);
    Cancel cancel;
    (bare ? evaluate::align_bare : evaluate::align_wide)(gold, system, partner, cancel);
    return partner;
}

void slide(View<Long> at, Longs ours, Longs theirs, Flags begins) {
    require_lengths("at, ours and begins must be of the same length", at, ours, begins);
    require_range<Long>(at, -1, std::ssize(theirs), "at");
    evaluate::slide(at, ours, theirs, begins);
}

std::vector<Long> hash_spans(Codes chars, Longs start, Longs end) {
    require_lengths("start and end must be of the same length", start, end);
    require_range(start, 0, std::ssize(chars) + 1, "start");
    require_range(end, 0, std::ssize(chars) + 1, "end");
    std::vector<Long> hashes(start.size());
    evaluate::hash_spans(chars, start, end, hashes);
    return hashes;
}

void expand(View<Long> at, Longs ours, Longs theirs, Longs first, Longs size, Longs their_start,
            Longs there) {
    require_lengths("at must be as long as ours", at, ours);
    require_lengths("theirs and their_start must match", theirs, their_start);
    require_lengths("first, size and there must be of the same length", first, size, there);
    require_range(first, 0, std::ssize(ours) + 1, "first");
    evaluate::expand(at, ours, theirs, first, size, their_start, there);
}

void prefer(View<Long> best, Longs other) {
    require_lengths("best and other must be of the same length", best, other);
    evaluate::prefer(best, other);
}

void gather(Longs parent, View<Long> low, View<Long> high, View<Long> empty) {
    require_lengths("the columns must be of the same length", parent, low, high, empty);
    require_range(parent, -1, std::ssize(parent), "parent");
    evaluate::gather(parent, low, high, empty);
}

std::vector<Long> climb(Longs head, Flags marks, Long unknown) {
    require_lengths("head and marks must be of the same length", head, marks);
    require_range(head, INT64_MIN, std::ssize(head), "head");
    std::vector<Long> found(head.size());
    evaluate::climb(head, marks, unknown, found);
    return found;
}

void find_circles(Longs head, Longs bounds, View<bool> found) {
    require(found.size() + 1 == bounds.size(), "found must have a place for each sentence");
    require_range(head, INT64_MIN, std::ssize(head), "head");
    require_rising(bounds, 0, std::ssize(head), "bounds");
    evaluate::find_circles(head, bounds, found);
}

}  // namespace

void bind_evaluate(nb::module_& m) {
    m.def("fill_gaps", &fill_gaps, without_gil, "a"_a, "b"_a, "gaps"_a, "partner"_a,
          "Align the parts of two sequences that lie in gaps (rows of a from, a to, b from, b to) "
          "by shortest edit scripts.");
    m.def("align_words", &align_words, without_gil, "gold_start"_a, "gold_end"_a, "gold_multi"_a,
          "gold_form"_a, "start"_a, "end"_a, "multi"_a, "form"_a, "bare"_a,
          "The word of the system that each word of gold is, or -1; `bare` for words of no width.");
    m.def("slide_gaps", &slide, "at"_a, "ours"_a, "theirs"_a, "begins"_a,
          "Slide the gaps of an alignment to the edges of tokens.");
    m.def("hash_spans", &hash_spans, "chars"_a, "start"_a, "end"_a,
          "A hash of the characters of each span.");
    m.def("expand_tokens", &expand, "at"_a, "ours"_a, "theirs"_a, "first"_a, "size"_a,
          "their_start"_a, "there"_a, "Match the letters of tokens that are matched.");
    m.def("prefer_alignment", &prefer, "best"_a, "other"_a,
          "Take the other alignment where it matches more.");
    m.def("gather_spans", &gather, "parent"_a, "low"_a, "high"_a, "empty"_a,
          "Widen every node to its children.");
    m.def("climb_heads", &climb, "head"_a, "marks"_a, "unknown"_a,
          "The nearest ancestor of each word that is no mark; `unknown` if there is a circle.");
    m.def("find_circles", &find_circles, "head"_a, "bounds"_a, "found"_a,
          "Mark the sentences in which a word is its own ancestor.");
}

}  // namespace caesura

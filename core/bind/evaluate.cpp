#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "evaluate/spans.h"
#include "evaluate/words.h"

namespace caesura {
namespace {

using namespace nb::literals;
using evaluate::Gap;
using Long = std::int64_t;

Long length(const In<Long>& a) { return static_cast<Long>(a.shape(0)); }

void fill_gaps(In<Long> a, In<Long> b, In2<Long> gaps, Out<Long> partner) {
    require(gaps.shape(1) == 4, "gaps must have four columns");
    require(partner.shape(0) == a.shape(0), "partner must be as long as a");
    const View<const Gap> parts(reinterpret_cast<const Gap*>(gaps.data()), gaps.shape(0));
    for (const Gap& gap : parts)
        require(0 <= gap.a0 && gap.a0 <= gap.a1 && gap.a1 <= length(a) && 0 <= gap.b0 &&
                    gap.b0 <= gap.b1 && gap.b1 <= length(b),
                "a gap lies outside of its sequences");
    const auto va = view(a), vb = view(b);
    const auto out = view(partner);
    Cancel cancel;
    nb::gil_scoped_release release;
    evaluate::fill_gaps(va, vb, parts, out, cancel);
}

Array<Long> align_words(In<Long> gold_start, In<Long> gold_end, In<bool> gold_multi,
                        In<Long> gold_form, In<Long> start, In<Long> end, In<bool> multi,
                        In<Long> form, bool bare) {
    const evaluate::Words gold{view(gold_start), view(gold_end), view(gold_multi), view(gold_form)};
    const evaluate::Words system{view(start), view(end), view(multi), view(form)};
    for (const evaluate::Words& words : {gold, system})
        require(words.end.size() == words.start.size() &&
                    words.multi.size() == words.start.size() &&
                    words.form.size() == words.start.size(),
                "the arrays of a side must be of the same length");
    std::vector<Long> partner(gold.start.size(), -1);
    {
        Cancel cancel;
        nb::gil_scoped_release release;
        (bare ? evaluate::align_bare : evaluate::align_wide)(gold, system, partner, cancel);
    }
    return to_numpy(std::move(partner));
}

void slide(Out<Long> at, In<Long> ours, In<Long> theirs, In<bool> begins) {
    require(ours.shape(0) == at.shape(0) && begins.shape(0) == at.shape(0),
            "at, ours and begins must be of the same length");
    require_range<Long>({at.data(), at.shape(0)}, -1, length(theirs), "at");
    evaluate::slide(view(at), view(ours), view(theirs), view(begins));
}

Array<Long> hash_spans(In<std::uint32_t> chars, In<Long> start, In<Long> end) {
    require(start.shape(0) == end.shape(0), "start and end must be of the same length");
    require_range(view(start), 0, chars.shape(0) + 1, "start");
    require_range(view(end), 0, chars.shape(0) + 1, "end");
    std::vector<Long> hashes(start.shape(0));
    evaluate::hash_spans(view(chars), view(start), view(end), hashes);
    return to_numpy(std::move(hashes));
}

void expand(Out<Long> at, In<Long> ours, In<Long> theirs, In<Long> first, In<Long> size,
            In<Long> their_start, In<Long> there) {
    require(ours.shape(0) == at.shape(0), "at must be as long as ours");
    require(their_start.shape(0) == theirs.shape(0), "theirs and their_start must match");
    require(size.shape(0) == first.shape(0) && there.shape(0) == first.shape(0),
            "first, size and there must be of the same length");
    require_range(view(first), 0, length(ours) + 1, "first");
    evaluate::expand(view(at), view(ours), view(theirs), view(first), view(size),
                     view(their_start), view(there));
}

void prefer(Out<Long> best, In<Long> other) {
    require(best.shape(0) == other.shape(0), "best and other must be of the same length");
    evaluate::prefer(view(best), view(other));
}

void gather(In<Long> parent, Out<Long> low, Out<Long> high, Out<Long> empty) {
    for (const Out<Long>& column : {low, high, empty})
        require(column.shape(0) == parent.shape(0), "the columns must be of the same length");
    require_range(view(parent), -1, length(parent), "parent");
    evaluate::gather(view(parent), view(low), view(high), view(empty));
}

Array<Long> climb(In<Long> head, In<bool> marks, Long unknown) {
    require(marks.shape(0) == head.shape(0), "head and marks must be of the same length");
    require_range(view(head), INT64_MIN, length(head), "head");
    std::vector<Long> found(head.shape(0));
    evaluate::climb(view(head), view(marks), unknown, found);
    return to_numpy(std::move(found));
}

void find_circles(In<Long> head, In<Long> bounds, Out<bool> found) {
    require(found.shape(0) + 1 == bounds.shape(0), "found must have a place for each sentence");
    require_range(view(head), INT64_MIN, length(head), "head");
    require_rising(view(bounds), 0, length(head), "bounds");
    evaluate::find_circles(view(head), view(bounds), view(found));
}

}  // namespace

void bind_evaluate(nb::module_& m) {
    m.def("fill_gaps", &fill_gaps, "a"_a.noconvert(), "b"_a.noconvert(), "gaps"_a.noconvert(),
          "partner"_a.noconvert(),
          "Align the parts of two sequences that lie in gaps (rows of a from, a to, b from, b to) "
          "by shortest edit scripts.");
    m.def("align_words", &align_words, "gold_start"_a.noconvert(), "gold_end"_a.noconvert(),
          "gold_multi"_a.noconvert(), "gold_form"_a.noconvert(), "start"_a.noconvert(),
          "end"_a.noconvert(), "multi"_a.noconvert(), "form"_a.noconvert(), "bare"_a,
          "The word of the system that each word of gold is, or -1; `bare` for words of no width.");
    m.def("slide_gaps", &slide, "at"_a.noconvert(), "ours"_a.noconvert(), "theirs"_a.noconvert(),
          "begins"_a.noconvert(), "Slide the gaps of an alignment to the edges of tokens.");
    m.def("hash_spans", &hash_spans, "chars"_a.noconvert(), "start"_a.noconvert(),
          "end"_a.noconvert(), "A hash of the characters of each span.");
    m.def("expand_tokens", &expand, "at"_a.noconvert(), "ours"_a.noconvert(),
          "theirs"_a.noconvert(), "first"_a.noconvert(), "size"_a.noconvert(),
          "their_start"_a.noconvert(), "there"_a.noconvert(),
          "Match the letters of tokens that are matched.");
    m.def("prefer_alignment", &prefer, "best"_a.noconvert(), "other"_a.noconvert(),
          "Take the other alignment where it matches more.");
    m.def("gather_spans", &gather, "parent"_a.noconvert(), "low"_a.noconvert(),
          "high"_a.noconvert(), "empty"_a.noconvert(), "Widen every node to its children.");
    m.def("climb_heads", &climb, "head"_a.noconvert(), "marks"_a.noconvert(), "unknown"_a,
          "The nearest ancestor of each word that is no mark; `unknown` if there is a circle.");
    m.def("find_circles", &find_circles, "head"_a.noconvert(), "bounds"_a.noconvert(),
          "found"_a.noconvert(), "Mark the sentences in which a word is its own ancestor.");
}

}  // namespace caesura

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "document/rows.h"

namespace caesura {
namespace {

using namespace nb::literals;
using Ids = In<std::int32_t>;
using Longs = In<std::int64_t>;
using Lines = std::vector<std::pair<std::int64_t, std::string>>;

// A string as UTF-8, with U+FFFD in place of NUL and of lone surrogates, which no file may hold.
std::string encoded(nb::handle string) {
    Py_ssize_t size;
    if (const char* bytes = PyUnicode_AsUTF8AndSize(string.ptr(), &size)) {
        std::string_view view(bytes, static_cast<std::size_t>(size));
        if (view.find('\0') == view.npos) return std::string(view);
    } else if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
        throw nb::python_error();
    }
    PyErr_Clear();
    const auto bytes = nb::steal<nb::bytes>(
        PyUnicode_AsEncodedString(string.ptr(), "utf-8", "surrogatepass"));
    if (!bytes.is_valid()) throw nb::python_error();
    std::string out;
    const char* from = bytes.c_str();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const auto c = static_cast<unsigned char>(from[i]);
        const bool surrogate = c == 0xED && static_cast<unsigned char>(from[i + 1]) >= 0xA0;
        if (c == 0 || surrogate)
            out += "\xEF\xBF\xBD";
        else
            out += from[i];
        if (surrogate) i += 2;
    }
    return out;
}

std::vector<std::string> encoded(nb::list strings) {
    std::vector<std::string> out;
    out.reserve(strings.size());
    for (nb::handle string : strings) out.push_back(encoded(string));
    return out;
}

// Keeps the encoded strings of one table over calls.
class RowWriter {
public:
    // The table of strings of the next calls: the list of its strings, which only grows.
    void set_table(nb::typed<nb::list, nb::str> table) {
        table_ = table;
        strings_.reset();
    }

    nb::bytes rows(Ids form, Ids lemma, Ids upos, Ids xpos, Ids feats, Ids head, Ids deprel,
                   Ids deps, Ids misc, nb::typed<nb::list, nb::str> others, Longs starts,
                   nb::typed<nb::list, nb::str> comments,
                   nb::typed<nb::list, nb::typed<nb::tuple, int, nb::str>> before,
                   nb::typed<nb::list, nb::typed<nb::tuple, int, nb::str>> after) {
        const auto other = encoded(others);
        const auto size = form.shape(0);
        strings_.grow(table_.size());
        is_broken_ = false;
        for (const Ids* column : {&form, &lemma, &upos, &xpos, &feats, &deprel, &deps, &misc}) {
            require(column->shape(0) == size, "the columns must be of the same length");
            for (const std::int32_t number : view(*column)) {
                encode(number, other.size());
                if (column != &form && number >= 0) is_broken_ |= strings_.is_broken(number);
            }
        }
        for (const std::string& value : other)
            is_broken_ |= value.find_first_of("\t\n\r") != value.npos;
        require(head.shape(0) == size, "the columns must be of the same length");
        require_rising(view(starts), 0, static_cast<std::int64_t>(size), "starts");
        require(starts.shape(0) == comments.size() + 1, "comments must be one for each sentence");
        const auto comment = encoded(comments);
        const OtherLines lines{comment, encoded_lines(before), encoded_lines(after)};
        const WordColumns words{view(form), view(lemma),  view(upos), view(xpos), view(feats),
                                view(head), view(deprel), view(deps), view(misc)};
        const auto first_words = view(starts);
        {
            nb::gil_scoped_release release;
            buffer_.clear();
            outside_ = write_rows(strings_, other, words, first_words, lines, buffer_);
        }
        return nb::bytes(buffer_.data(), buffer_.size());
    }

    std::pair<Array<std::int64_t>, Array<std::int64_t>> spacing(
        In<std::uint32_t> text, Longs start, Longs end, Ids misc, Longs first_word, Ids form,
        In<bool> paragraph, In<std::int8_t> sentence, bool text_before) {
        const auto n = start.shape(0);
        require(end.shape(0) == n && misc.shape(0) == n && first_word.shape(0) == n + 1 &&
                    paragraph.shape(0) == n && sentence.shape(0) == n,
                "the columns must be of the same length");
        const auto size = static_cast<std::int64_t>(text.shape(0));
        for (std::size_t i = 0; i < n; ++i)
            require(0 <= start.data()[i] && start.data()[i] <= end.data()[i] &&
                        end.data()[i] <= size,
                    "a token lies outside of the text");
        require_rising(view(first_word), 0, static_cast<std::int64_t>(form.shape(0)), "first_word");
        strings_.grow(table_.size());
        for (const std::int32_t number : view(misc)) encode(number, 0);
        for (const std::int32_t number : view(form)) encode(number, 0);
        auto found =
            respace(strings_, {view(text), view(start), view(end), view(first_word), view(misc),
                               view(form), view(paragraph), view(sentence), text_before});
        return {to_numpy(std::move(found.glued)), to_numpy(std::move(found.unclear))};
    }

    bool is_broken() const { return is_broken_; }
    std::int64_t outside() const { return outside_; }

private:
    void encode(std::int32_t number, std::size_t n_others) {
        if (number < 0) {
            require(static_cast<std::size_t>(-1 - number) < n_others, "no such string");
        } else {
            require(static_cast<std::size_t>(number) < strings_.size(), "no such string");
            if (!strings_.has(number)) strings_.add(number, encoded(nb::handle(table_[number])));
        }
    }

    static Lines encoded_lines(nb::list lines) {
        Lines out;
        for (nb::handle line : lines)
            out.emplace_back(nb::cast<std::int64_t>(line[0]), encoded(nb::handle(line[1])));
        std::stable_sort(out.begin(), out.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        return out;
    }

    nb::list table_;
    EncodedStrings strings_;
    std::string buffer_;
    bool is_broken_ = false;
    std::int64_t outside_ = -1;
};

}  // namespace

void bind_document(nb::module_& m) {
    auto none = [](const char* name) { return nb::arg(name).noconvert(); };
    nb::class_<RowWriter>(m, "RowWriter", "Writes the lines of CoNLL-U of documents.")
        .def(nb::init<>())
        .def("set_table", &RowWriter::set_table, "strings"_a,
             "Set the table of strings that the numbers of later calls refer to.")
        .def("rows", &RowWriter::rows, none("form"), none("lemma"), none("upos"), none("xpos"),
             none("feats"), none("head"), none("deprel"), none("deps"), none("misc"), "others"_a,
             none("starts"), "comments"_a, "before"_a, "after"_a,
             "Return the lines of the sentences of a document. A number below 0 refers to "
             "`others`: -1 is the first. `starts` holds the first word of each sentence and the "
             "number of words.")
        .def("spacing", &RowWriter::spacing, none("text"), none("start"), none("end"),
             none("misc"), none("first_word"), none("form"), none("paragraph"), none("sentence"),
             "text_before"_a,
             "Return the tokens that need SpaceAfter=No, and those whose spaces need a closer "
             "look.")
        .def_prop_ro("is_broken", &RowWriter::is_broken,
                     "Whether a value of the last rows besides FORM holds a tab or a line end.")
        .def_prop_ro("outside", &RowWriter::outside,
                     "The first word of the last rows whose head is in another sentence, or -1.");
}

}  // namespace caesura

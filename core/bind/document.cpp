#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/checks.h"
#include "document/rows.h"

namespace caesura {
namespace {

using Strings = nb::typed<nb::list, nb::str>;
using StringTable = nb::typed<nb::dict, nb::str, int>;
using NumberedStrings = nb::typed<nb::list, nb::typed<nb::tuple, int, nb::str>>;
using Lines = std::vector<std::pair<Long, std::string>>;

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

// The numbers of values in a table from strings to numbers. New strings are added to the table and
// to the list of its strings; the table raises an error for what is no string.
std::vector<std::int32_t> intern(StringTable table, Strings strings,
                                 nb::typed<nb::iterable, nb::str> values) {
    std::vector<std::int32_t> numbers;
    for (nb::handle value : values) {
        if (PyObject* known = PyDict_GetItemWithError(table.ptr(), value.ptr())) {
            numbers.push_back(nb::cast<std::int32_t>(nb::handle(known)));
        } else if (PyErr_Occurred()) {
            throw nb::python_error();
        } else if (nb::isinstance<nb::str>(value)) {
            numbers.push_back(static_cast<std::int32_t>(strings.size()));
            table[value] = numbers.back();
            strings.append(value);
        } else {
            numbers.push_back(nb::cast<std::int32_t>(table.attr("__getitem__")(value)));
        }
    }
    return numbers;
}

// Keeps the encoded strings of one table over calls.
class RowWriter {
public:
    // The table of strings of the next calls: the list of its strings, which only grows.
    void set_table(Strings table) {
        table_ = table;
        strings_.reset();
    }

    nb::bytes rows(Ints form, Ints lemma, Ints upos, Ints xpos, Ints feats, Ints head, Ints deprel,
                   Ints deps, Ints misc, Strings others, Longs starts, Strings comments,
                   NumberedStrings before, NumberedStrings after) {
        require_lengths("the columns must be of the same length", form, lemma, upos, xpos, feats,
                        head, deprel, deps, misc);
        require_rising(starts, 0, std::ssize(form), "starts");
        require(starts.size() == comments.size() + 1, "comments must be one for each sentence");
        const auto other = encoded(others), comment = encoded(comments);
        strings_.grow(table_.size());
        is_broken_ = false;
        for (const std::int32_t number : form) encode(number, other.size());
        for (const Ints column : {lemma, upos, xpos, feats, deprel, deps, misc})
            for (const std::int32_t number : column) {
                encode(number, other.size());
                if (number >= 0) is_broken_ |= strings_.is_broken(number);
            }
        for (const std::string& value : other)
            is_broken_ |= value.find_first_of("\t\n\r") != value.npos;
        const OtherLines lines{comment, encoded_lines(before), encoded_lines(after)};
        {
            nb::gil_scoped_release release;
            buffer_.clear();
            outside_ = write_rows(strings_, other,
                                  {form, lemma, upos, xpos, feats, head, deprel, deps, misc},
                                  starts, lines, buffer_);
        }
        return nb::bytes(buffer_.data(), buffer_.size());
    }

    auto spacing(Codes text, Longs start, Longs end, Ints misc, Longs first_word, Ints form,
                 Flags paragraph, Signs sentence, bool text_before) {
        require_lengths("the columns must be of the same length", start, end, misc, paragraph,
                        sentence);
        require(first_word.size() == start.size() + 1, "the columns must be of the same length");
        require_spans(start, end, text.size(), "a token lies outside of the text");
        require_rising(first_word, 0, std::ssize(form), "first_word");
        strings_.grow(table_.size());
        for (const Ints column : {misc, form})
            for (const std::int32_t number : column) encode(number, 0);
        Respaced found = respace(strings_, {text, start, end, first_word, misc, form, paragraph,
                                            sentence, text_before});
        return std::pair(std::move(found.glued), std::move(found.unclear));
    }

    bool is_broken() const { return is_broken_; }
    Long outside() const { return outside_; }

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
            out.emplace_back(nb::cast<Long>(line[0]), encoded(nb::handle(line[1])));
        std::stable_sort(out.begin(), out.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        return out;
    }

    nb::list table_;
    EncodedStrings strings_;
    std::string buffer_;
    bool is_broken_ = false;
    Long outside_ = -1;
};

}  // namespace

void bind_document(nb::module_& m) {
    m.def("intern", &intern, "table"_a, "strings"_a, "values"_a,
          "Return the numbers of strings in a table; new ones are added to it and to the list.");
    nb::class_<RowWriter>(m, "RowWriter", "Writes the lines of CoNLL-U of documents.")
        .def(nb::init<>())
        .def("set_table", &RowWriter::set_table, "strings"_a,
             "Set the table of strings that the numbers of later calls refer to.")
        .def("rows", &RowWriter::rows, "form"_a, "lemma"_a, "upos"_a, "xpos"_a, "feats"_a, "head"_a,
             "deprel"_a, "deps"_a, "misc"_a, "others"_a, "starts"_a, "comments"_a, "before"_a,
             "after"_a,
             "Return the lines of the sentences of a document. A number below 0 refers to "
             "`others`: -1 is the first. `starts` holds the first word of each sentence and the "
             "number of words.")
        .def("spacing", &RowWriter::spacing, "text"_a, "start"_a, "end"_a, "misc"_a, "first_word"_a,
             "form"_a, "paragraph"_a, "sentence"_a, "text_before"_a,
             "Return the tokens that need SpaceAfter=No, and those whose spaces need a closer "
             "look.")
        .def_prop_ro("is_broken", &RowWriter::is_broken,
                     "Whether a value of the last rows besides FORM holds a tab or a line end.")
        .def_prop_ro("outside", &RowWriter::outside,
                     "The first word of the last rows whose head is in another sentence, or -1.");
}

}  // namespace caesura

#include "document/rows.h"

#include <charconv>

namespace caesura {
namespace {

bool is_blank(char c) { return c == '\t' || c == '\n' || c == '\r'; }

void append_number(std::string& out, Long number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    out.append(digits, end);
}

// Append a value with each run of tabs and line ends as one space.
void append_one_line(std::string& out, std::string_view value) {
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (!is_blank(value[i]))
            out += value[i];
        else if (i == 0 || !is_blank(value[i - 1]))
            out += ' ';
    }
}

// Whether some characters are the text of a UTF-8 string. NUL and surrogates equal nothing: a
// string has U+FFFD in their place.
bool equals(Codes text, std::string_view utf8) {
    std::size_t at = 0;
    for (const std::uint32_t c : text) {
        char bytes[4];
        std::size_t n;
        if (c == 0 || (c >= 0xD800 && c < 0xE000)) return false;
        if (c < 0x80) {
            bytes[0] = static_cast<char>(c);
            n = 1;
        } else if (c < 0x800) {
            bytes[0] = static_cast<char>(0xC0 | (c >> 6));
            n = 2;
        } else if (c < 0x10000) {
            bytes[0] = static_cast<char>(0xE0 | (c >> 12));
            n = 3;
        } else {
            bytes[0] = static_cast<char>(0xF0 | (c >> 18));
            n = 4;
        }
        for (std::size_t i = 1; i < n; ++i)
            bytes[i] = static_cast<char>(0x80 | ((c >> (6 * (n - 1 - i))) & 0x3F));
        if (utf8.size() - at < n) return false;
        for (std::size_t i = 0; i < n; ++i)
            if (utf8[at + i] != bytes[i]) return false;
        at += n;
    }
    return at == utf8.size();
}

}  // namespace

SpacesSaid spaces_said(std::string_view misc) {
    bool says_after = false;
    std::string_view after;
    while (!misc.empty()) {
        const std::string_view item = misc.substr(0, misc.find('|'));
        misc.remove_prefix(std::min(item.size() + 1, misc.size()));
        const std::size_t equals = item.find('=');
        if (equals == item.npos) continue;
        const std::string_view key = item.substr(0, equals), value = item.substr(equals + 1);
        if (key == "SpaceAfter" && value == "No") {
            if (!says_after) after = {};
            says_after = true;
        } else if (key == "SpacesAfter") {
            after = value;
            says_after = true;
        } else if (key == "SpacesBefore" || key == "SpacesInToken" ||
                   (key == "NewPar" && value == "Yes")) {
            return SpacesSaid::Other;
        }
    }
    if (!says_after) return SpacesSaid::Nothing;
    return after.empty() ? SpacesSaid::NoneAfter : SpacesSaid::Other;
}

void EncodedStrings::reset() {
    entries_.clear();
    bytes_.clear();
}

void EncodedStrings::grow(std::size_t size) {
    if (size > entries_.size()) entries_.resize(size);
}

void EncodedStrings::add(std::int32_t number, std::string_view utf8) {
    Entry& entry = entries_[number];
    entry.start = std::ssize(bytes_);
    entry.length = static_cast<std::uint32_t>(utf8.size());
    entry.said = spaces_said(utf8);
    for (const char c : utf8) entry.broken |= is_blank(c);
    bytes_ += utf8;
}

Long write_rows(const EncodedStrings& strings, View<const std::string> others,
                const WordColumns& words, Longs starts, const OtherLines& lines, std::string& out) {
    auto value = [&](std::int32_t number) -> std::string_view {
        return number >= 0 ? strings[number] : std::string_view(others[-1 - number]);
    };
    auto cell = [&](std::int32_t number) {
        const std::string_view content = value(number);
        out += '\t';
        if (content.empty())
            out += '_';
        else
            out += content;
    };
    auto before = lines.before.begin(), after = lines.after.begin();
    for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
        const Long first = starts[s], last = starts[s + 1];
        if (s > 0) out += '\n';
        if (const std::string& comments = lines.comments[s]; !comments.empty()) {
            out += comments;
            out += '\n';
        }
        for (Long word = first; word < last; ++word) {
            for (; before != lines.before.end() && before->first <= word; ++before) {
                out += before->second;
                out += '\n';
            }
            append_number(out, word - first + 1);
            const std::int32_t form = words.form[word];
            if (form >= 0 && strings.is_broken(form)) {
                out += '\t';
                append_one_line(out, strings[form]);
            } else {
                cell(form);
            }
            cell(words.lemma[word]);
            cell(words.upos[word]);
            cell(words.xpos[word]);
            cell(words.feats[word]);
            out += '\t';
            const std::int32_t head = words.head[word];
            if (head == kUnknownHead) {
                out += '_';
            } else if (head < 0) {
                out += '0';
            } else {
                if (head < first || head >= last) return word;
                append_number(out, head - first + 1);
            }
            cell(words.deprel[word]);
            cell(words.deps[word]);
            cell(words.misc[word]);
            out += '\n';
            for (; after != lines.after.end() && after->first <= word; ++after) {
                out += after->second;
                out += '\n';
            }
        }
    }
    out += '\n';
    return -1;
}

Respaced respace(const EncodedStrings& strings, const SpacedTokens& tokens) {
    const Long n = std::ssize(tokens.start);
    const Long n_text = std::ssize(tokens.text);
    // Whether the gap between a token and the next is empty, or what is usual there.
    auto gap = [&](Long token, bool& is_none, bool& is_usual) {
        const Long from = tokens.end[token], size = tokens.start[token + 1] - from;
        auto at = [&](Long i) { return tokens.text[std::min(i, n_text - 1)]; };
        const bool paragraph = tokens.paragraph[token + 1];
        is_none = size == 0;
        is_usual = paragraph ? size == 2 && at(from) == '\n' && at(from + 1) == '\n'
                             : size == 1 && at(from) == ' ';
    };
    Respaced found;
    for (Long token = 0; token < n; ++token) {
        const bool starts_sentence = token == 0 || tokens.sentence[token] == 1;
        const Long word = tokens.first_word[token];
        const bool is_single = tokens.first_word[token + 1] - word == 1;
        const Long from = tokens.start[token];
        const std::size_t length = static_cast<std::size_t>(tokens.end[token] - from);
        bool easy = token + 1 < n && !(tokens.paragraph[token] && !starts_sentence) &&
                    !(token == 0 && tokens.text_before) &&
                    strings.said(tokens.misc[token + 1]) != SpacesSaid::Other &&
                    (!is_single ||
                     equals({tokens.text.data() + from, length}, strings[tokens.form[word]]));
        if (easy) {
            bool is_none, is_usual;
            gap(token, is_none, is_usual);
            const SpacesSaid said = strings.said(tokens.misc[token]);
            if ((said == SpacesSaid::Nothing && is_usual) ||
                (said == SpacesSaid::NoneAfter && is_none))
                continue;
            if (said == SpacesSaid::Nothing && is_none && tokens.misc[token] == 0) {
                found.glued.push_back(token);
                continue;
            }
        }
        found.unclear.push_back(token);
    }
    return found;
}

}  // namespace caesura

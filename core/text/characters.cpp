#include "text/characters.h"

namespace caesura::text {
namespace {

constexpr std::uint8_t unseen_class = 255;

bool may_be_picture(std::uint32_t code) {
    return (0x231A <= code && code <= 0x2B55) || (0x1F004 <= code && code <= 0x1FAFF);
}

}  // namespace

std::uint8_t signs_of(Codes codes, Kinds classes) {
    unsigned found = 0;
    bool at = false, hyphen = false;
    std::uint32_t before = 0;
    for (const std::uint32_t code : codes) {
        if (classes[code] == unseen_class) found |= UNSEEN;
        at |= code == '@';
        hyphen |= code == '-';
        if (code == '/' && before == '/') found |= ADDRESSES;
        if (code >= 0xB0) {
            if (code == 0xB0 || code == 0xBA) found |= DEGREES;
            if (may_be_picture(code)) found |= PICTURES;
        }
        before = code;
    }
    if (at && hyphen) found |= NAMES;
    return static_cast<std::uint8_t>(found);
}

}  // namespace caesura::text

#include "base/cpu.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>

#if defined(__x86_64__) || defined(_M_X64)
#define CAESURA_X86 1
#ifdef _MSC_VER
#include <intrin.h>
#endif
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace caesura {
namespace {

// Bits of what was found and of what may be used.
enum : std::uint32_t {
    kAvx2 = 1, kAvxVnni = 2, kAvx512 = 4, kVnni = 8, kAmx = 16, kDotprod = 32, kI8mm = 64,
    kUnread = 1u << 31,
};

struct Set {
    const char* name;
    std::uint32_t own;       // the bit that the processor must have; 0: none
    std::uint32_t contains;  // with those below it
};

constexpr Set kSets[] = {
    {"portable", 0, 0},
    {"avx2", kAvx2, kAvx2},
    {"avxvnni", kAvxVnni, kAvx2 | kAvxVnni},
    {"avx512", kAvx512, kAvx2 | kAvx512},
    {"vnni", kVnni, kAvx2 | kAvx512 | kVnni},
    {"amx", kAmx, kAvx2 | kAvx512 | kVnni | kAmx},
    {"dotprod", kDotprod, kDotprod},
    {"i8mm", kI8mm, kDotprod | kI8mm},
};

#ifdef CAESURA_X86
struct Registers {
    std::uint32_t a, b, c, d;
};

Registers cpuid(std::uint32_t leaf, std::uint32_t part) {
    Registers r{};
#ifdef _MSC_VER
    int out[4];
    __cpuidex(out, static_cast<int>(leaf), static_cast<int>(part));
    r = {static_cast<std::uint32_t>(out[0]), static_cast<std::uint32_t>(out[1]),
         static_cast<std::uint32_t>(out[2]), static_cast<std::uint32_t>(out[3])};
#else
    __asm__ volatile("cpuid"
                     : "=a"(r.a), "=b"(r.b), "=c"(r.c), "=d"(r.d)
                     : "a"(leaf), "c"(part));
#endif
    return r;
}

// The registers that the system saves when it switches threads.
std::uint64_t saved_registers() {
#ifdef _MSC_VER
    return _xgetbv(0);
#else
    std::uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (static_cast<std::uint64_t>(high) << 32) | low;
#endif
}

// Linux saves the tiles of AMX only for processes that ask for it.
bool tiles_permitted() {
#if defined(__linux__)
    constexpr long kRequestPermission = 0x1023;
    constexpr long kTileData = 18;
    return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
    return false;
#endif
}

constexpr bool all(std::uint64_t value, std::uint64_t bits) { return (value & bits) == bits; }
constexpr std::uint32_t bit(int n) { return 1u << n; }

std::uint32_t read_features() {
    if (cpuid(0, 0).a < 7) return 0;
    const Registers one = cpuid(1, 0);
    // FMA, POPCNT, OSXSAVE, AVX; the system saves the registers of SSE and AVX.
    if (!all(one.c, bit(12) | bit(23) | bit(27) | bit(28))) return 0;
    const std::uint64_t saved = saved_registers();
    const Registers seven = cpuid(7, 0);
    if (!all(saved, 6) || !all(seven.b, bit(3) | bit(5) | bit(8))) return 0;  // BMI, AVX2, BMI2
    std::uint32_t found = kAvx2;
    if (seven.a >= 1 && all(cpuid(7, 1).a, bit(4))) found |= kAvxVnni;
    // F, DQ, BW, VL
    if (!all(saved, 0xE6) || !all(seven.b, bit(16) | bit(17) | bit(30) | bit(31))) return found;
    found |= kAvx512;
    if (!all(seven.c, bit(11))) return found;
    found |= kVnni;
    if (all(seven.d, bit(24) | bit(25)) && all(saved, 0x600E6) && tiles_permitted()) found |= kAmx;
    return found;
}
#elif defined(__aarch64__) && defined(__linux__)
std::uint32_t read_features() {
    std::uint32_t found = 0;
    if (getauxval(AT_HWCAP) & (1ul << 20)) found |= kDotprod;
    if (found && (getauxval(AT_HWCAP2) & (1ul << 13))) found |= kI8mm;
    return found;
}
#elif defined(__aarch64__) && defined(__APPLE__)
bool has(const char* name) {
    int value = 0;
    std::size_t size = sizeof value;
    return sysctlbyname(name, &value, &size, nullptr, 0) == 0 && value != 0;
}
std::uint32_t read_features() {
    std::uint32_t found = has("hw.optional.arm.FEAT_DotProd") ? kDotprod : 0;
    if (found && has("hw.optional.arm.FEAT_I8MM")) found |= kI8mm;
    return found;
}
#else
std::uint32_t read_features() { return 0; }
#endif

std::uint32_t found_features() {
    static const std::uint32_t found = read_features();
    return found;
}

std::atomic<std::uint32_t> used{kUnread};

std::uint32_t features() {
    const std::uint32_t now = used.load(std::memory_order_relaxed);
    if (now != kUnread) return now;
    const char* wanted = std::getenv("CAESURA_CPU");
    if (wanted == nullptr || !restrict_cpu(wanted)) restrict_cpu("");
    return used.load(std::memory_order_relaxed);
}

}  // namespace

Cpu cpu() {
    const std::uint32_t f = features();
    return {(f & kAvx2) != 0,  (f & kAvxVnni) != 0, (f & kAvx512) != 0, (f & kVnni) != 0,
            (f & kAmx) != 0,   (f & kDotprod) != 0, (f & kI8mm) != 0};
}

const char* cpu_name() {
    const char* name = "";
    const std::uint32_t f = features();
    for (const Set& set : kSets)
        if ((f & set.own) == set.own) name = set.name;
    return name;
}

bool restrict_cpu(std::string_view name) {
    const std::uint32_t found = found_features();
    if (name.empty()) {
        used.store(found, std::memory_order_relaxed);
        return true;
    }
    for (const Set& set : kSets)
        if (name == set.name && (found & set.own) == set.own) {
            used.store(found & set.contains, std::memory_order_relaxed);
            return true;
        }
    return false;
}

}  // namespace caesura

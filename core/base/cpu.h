// What the processor can do, read with cpuid and xgetbv (x86-64) or from the system (aarch64).
// The environment variable CAESURA_CPU restricts it to one instruction set and those below it.
#pragma once

#include <string_view>

namespace caesura {

// One member for each ending of a file name in variants.cmake. AVX-512 is F, BW, DQ and VL;
// VNNI is the one of 512 bits. NEON itself is part of every aarch64 processor.
struct Cpu {
    bool avx2 = false;
    bool avxvnni = false;
    bool avx512 = false;
    bool vnni = false;
    bool amx = false;
    bool dotprod = false;
    bool i8mm = false;
};

// The instruction sets that may be used. Threads may call it; it costs one load.
Cpu cpu();

// The name of the largest one: the argument of restrict_cpu() that changes nothing.
const char* cpu_name();

// Restricts cpu() to an instruction set and those that it contains, for tests: "portable", "avx2",
// "avxvnni", "avx512", "vnni", "amx", "dotprod", "i8mm"; "" removes the restriction. False if the
// name is unknown or the processor lacks the set; nothing changes then. Objects that selected
// their variant before keep it.
bool restrict_cpu(std::string_view name);

}  // namespace caesura

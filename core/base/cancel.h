// Cancels long calls. A call that takes longer than a moment polls; the main thread looks for
// Ctrl-C, and every other thread at the flag that the main thread sets.
#pragma once

#include <atomic>
#include <cstdint>

namespace caesura {

class Cancel {
   public:
    Cancel();
    // Throws Cancelled if the user pressed Ctrl-C; cheap enough for every few thousand words.
    void poll();

   private:
    std::uint64_t generation_;
    std::int64_t last_ = 0;
};

// Makes every call that is under way in any thread throw Cancelled at its next poll.
void cancel_all();

}  // namespace caesura

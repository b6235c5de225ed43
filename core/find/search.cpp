#include "find/search.h"

#include <algorithm>
#include <vector>

#include "base/errors.h"

namespace caesura::find {
namespace {

class Machine {
   public:
    Machine(View<const Instruction> code, const Words& words, Long slots, const Limits& limits)
        : code_(code), words_(words), limits_(limits), word_of_(slots, -1), cursor_(code.size()),
          limit_(code.size()), stack_(code.size() + 1) {}

    // All matches of a sentence; true if it was cut short.
    bool run(Long sentence, Matrix<std::int32_t> rows, Long& count) {
        start_ = words_.bounds[sentence];
        end_ = words_.bounds[sentence + 1];
        steps_ = 0;
        depth_ = 0;
        Long at = 0, found = 0;
        bool forward = true;
        while (true) {
            if (!forward) {
                if (depth_ == 0) return false;
                at = stack_[depth_ - 1];
                if (code_[at].operation == NOT) {
                    // The part that must fail has failed.
                    depth_--;
                    at = code_[at].a + 1;
                } else {
                    const bool bound = bind_next(at);
                    if (steps_ > limits_.steps) return true;
                    if (!bound) {
                        depth_--;
                        continue;
                    }
                    at++;
                }
                forward = true;
                continue;
            }
            const Instruction& now = code_[at];
            switch (now.operation) {
                case BIND:
                    begin_binding(at);
                    stack_[depth_++] = at;
                    forward = false;
                    continue;
                case RELATED:
                    forward = related(now);
                    break;
                case SAME: {
                    const auto left = words_.columns(now.b, word_of_[now.a]);
                    const auto right = words_.columns(now.d, word_of_[now.c]);
                    forward = (left == right && left != 0) == (now.e == 1);
                    break;
                }
                case TEST:
                    forward = passes(word_of_[now.a], now.b);
                    break;
                case NOT:
                    stack_[depth_++] = at;
                    break;
                case END_NOT:
                    // The part that must fail has not: forget what it tried, and go back.
                    while (stack_[depth_ - 1] != now.a) depth_--;
                    depth_--;
                    forward = false;
                    break;
                default:
                    emit(rows[count++]);
                    if (++found >= limits_.matches) return true;
                    forward = false;
            }
            if (forward) at++;
        }
    }

   private:
    bool passes(Long word, std::int32_t test) const { return words_.tests[word] >> test & 1; }

    void emit(View<std::int32_t> row) const {
        std::fill(row.begin(), row.end(), -1);
        for (const Instruction& step : code_)
            if (step.operation == BIND && step.g >= 0)
                row[step.a] = static_cast<std::int32_t>(word_of_[step.a]);
    }

    bool related(const Instruction& now) {
        const Long a = word_of_[now.b], b = word_of_[now.c];
        if (now.a == DESCENDANT) steps_ += 1 + (end_ - start_) / 16;
        return holds(now.a, a, b, now.d, now.e) && (now.f < 0 || passes(b, now.f));
    }

    bool holds(std::int32_t relation, Long a, Long b, Long low, Long high) const {
        const Ints& heads = words_.heads;
        if (relation == CHILD) return heads[b] == a;
        if (relation == ORDER) return low <= b - a && b - a <= high;
        if (relation == DESCENDANT) {
            Long word = b;
            for (Long depth = 1; depth <= std::min(high, end_ - start_); depth++) {
                word = heads[word];
                if (word < 0) return false;
                if (word == a && depth >= low) return true;
            }
            return false;
        }
        if (heads[a] < 0 || heads[a] != heads[b] || a == b) return false;
        if (relation == SIBLING_BEFORE) return a < b;
        if (relation == SIBLING_NEXT) return words_.next_child[a] == b;
        return true;
    }

    void begin_binding(Long at) {
        const Instruction& now = code_[at];
        const Ints& heads = words_.heads;
        if (now.b == ALL) {
            cursor_[at] = start_;
            limit_[at] = end_;
            return;
        }
        const Long base = word_of_[now.c];
        switch (now.b) {
            case HEAD:
                cursor_[at] = heads[base];
                limit_[at] = 1;
                break;
            case CHILDREN:
                cursor_[at] = words_.first_child[base];
                break;
            case ANCESTORS:
                cursor_[at] = heads[base];
                limit_[at] = end_ - start_;
                break;
            case AFTER:
                cursor_[at] = base + now.d;
                limit_[at] = std::min(end_, base + now.e + 1);
                break;
            case BEFORE:
                cursor_[at] = std::max(start_, base - now.e);
                limit_[at] = base - now.d + 1;
                break;
            default:
                cursor_[at] = heads[base] >= 0 ? words_.first_child[heads[base]] : -1;
        }
    }

    // Whether a word is bound that the node may be and that passes its test.
    bool bind_next(Long at) {
        const Instruction& now = code_[at];
        while (true) {
            const Long word = cursor_[at];
            if (now.b == ALL || now.b == AFTER || now.b == BEFORE) {
                if (word >= limit_[at]) return false;
                cursor_[at] = word + 1;
            } else if (word < 0) {
                return false;
            } else if (now.b == CHILDREN || now.b == SIBLINGS) {
                cursor_[at] = words_.next_child[word];
            } else {
                cursor_[at] = --limit_[at] > 0 ? words_.heads[word] : -1;
            }
            steps_++;
            if (now.f >= 0 && !passes(word, now.f)) continue;
            if (is_taken(word)) continue;
            word_of_[now.a] = word;
            return true;
        }
    }

    // Words of one part are different; those of a part that must not be are any.
    bool is_taken(Long word) const {
        for (Long step = depth_ - 2; step >= 0; step--) {
            const Instruction& other = code_[stack_[step]];
            if (other.operation == NOT) return false;
            if (word_of_[other.a] == word) return true;
        }
        return false;
    }

    View<const Instruction> code_;
    const Words& words_;
    const Limits& limits_;
    std::vector<Long> word_of_, cursor_, limit_, stack_;
    Long start_ = 0, end_ = 0, steps_ = 0, depth_ = 0;
};

void require_below(Long value, Long size, const char* what) {
    if (value < 0 || value >= size) throw ArgumentError(std::string("a pattern names ") + what);
}

}  // namespace

void find_family(Ints heads, View<std::int32_t> first_child, View<std::int32_t> next_child) {
    std::fill(first_child.begin(), first_child.end(), -1);
    std::fill(next_child.begin(), next_child.end(), -1);
    for (Long word = std::ssize(heads) - 1; word >= 0; word--) {
        const std::int32_t head = heads[word];
        if (head < 0) continue;
        next_child[word] = first_child[head];
        first_child[head] = static_cast<std::int32_t>(word);
    }
}

Progress search(View<const Instruction> code, const Words& words, Long begin, Long slots,
                const Limits& limits, Matrix<std::int32_t> rows, View<bool> cut, Cancel& cancel) {
    Machine machine(code, words, slots, limits);
    const Long sentences = std::ssize(words.bounds) - 1;
    Long count = 0;
    for (Long sentence = begin; sentence < sentences; sentence++) {
        if (count + limits.matches > static_cast<Long>(rows.rows())) return {count, sentence};
        if (sentence % 64 == 0) cancel.poll();
        if (machine.run(sentence, rows, count)) cut[sentence] = true;
    }
    return {count, sentences};
}

void check_program(View<const Instruction> code, const Words& words, Long slots, Long width) {
    const Long size = std::ssize(code);
    const Long columns = static_cast<Long>(words.columns.rows());
    bool emits = false;
    std::vector<Long> open;
    for (Long at = 0; at < size; at++) {
        const Instruction& now = code[at];
        switch (now.operation) {
            case BIND:
                require_below(now.a, slots, "a node that does not exist");
                if (now.b != ALL) require_below(now.c, slots, "a node that does not exist");
                if (now.b == AFTER || now.b == BEFORE) require_below(now.d, INT32_MAX, "a distance below 0");
                if (now.f >= 0) require_below(now.f, 63, "a test that does not exist");
                if (now.g >= 0) require_below(now.a, width, "a node without a column");
                break;
            case RELATED:
                require_below(now.b, slots, "a node that does not exist");
                require_below(now.c, slots, "a node that does not exist");
                if (now.f >= 0) require_below(now.f, 63, "a test that does not exist");
                break;
            case SAME:
                require_below(now.a, slots, "a node that does not exist");
                require_below(now.b, columns, "a column that does not exist");
                require_below(now.c, slots, "a node that does not exist");
                require_below(now.d, columns, "a column that does not exist");
                break;
            case TEST:
                require_below(now.a, slots, "a node that does not exist");
                require_below(now.b, 63, "a test that does not exist");
                break;
            case NOT:
                open.push_back(at);
                require_below(now.a, size, "an end that does not exist");
                break;
            case END_NOT:
                if (open.empty() || open.back() != now.a || code[now.a].a != at)
                    throw ArgumentError("the parts of a pattern do not match");
                open.pop_back();
                break;
            case EMIT:
                emits = true;
                break;
            default:
                throw ArgumentError("a pattern has an unknown instruction");
        }
    }
    if (!open.empty() || !emits || code[size - 1].operation != EMIT)
        throw ArgumentError("the parts of a pattern do not match");
}

}  // namespace caesura::find

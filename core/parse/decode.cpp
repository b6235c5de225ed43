#include "parse/decode.h"

namespace caesura::parse {
namespace {

std::size_t place(Long k) { return static_cast<std::size_t>(k); }

// The last item that all items of the beam descend from; marks what lies between.
std::int32_t common_ancestor(const Arena& arena, const Beam& beam,
                             std::vector<std::int32_t>& marks) {
    marks.assign(place(arena.n_items()), 0);
    std::int32_t heads = 0;
    for (const std::int32_t item : beam.items()) {
        heads += marks[place(item)] == 0;
        marks[place(item)] = 1;
    }
    for (std::int32_t item = arena.n_items() - 1; item > 0; --item) {
        if (marks[place(item)] == 0) continue;
        if (heads == 1) return item;
        std::int32_t& parent = marks[place(arena.item(item).parent)];
        heads -= parent;
        parent = 1;
    }
    return 0;
}

}  // namespace

void write_path(const JointSystem& system, const Arena& arena, std::int32_t number,
                Long begin, Trees& trees) {
    const auto start = [&](std::int32_t word, float margin, float share) {
        trees.start_margins[place(begin + word)] = margin;
        trees.start_shares[place(begin + word)] = share;
    };
    while (number > 0) {  // parents lie before their children
        const Item& item = arena.item(number);
        const float share =
            item.rivals > 0 ? static_cast<float>(item.heirs) / static_cast<float>(item.rivals) : 1.0f;
        if (item.action == sb) {
            trees.starts[place(begin + item.dependent)] = 1;
            start(item.dependent, item.margin, share);
        } else if (item.action == shift) {
            // A word that was shifted without SB before it; one shifted again keeps its margin.
            const Item& parent = arena.item(item.parent);
            if (parent.swapped < 0 && parent.last != parent.next)
                start(parent.next, -item.margin, share);
        } else if (item.action > sb) {
            const std::size_t word = place(begin + item.dependent);
            trees.heads[word] = item.head;
            trees.labels[word] = system.label(item.action);
            trees.arc_margins[word] = item.margin;
            trees.arc_shares[word] = share;
        }
        number = item.parent;
    }
}

void commit(const JointSystem& system, Arena& arena, Beam& beam, Long begin, Trees& trees,
            std::vector<std::int32_t>& marks) {
    const std::int32_t common = common_ancestor(arena, beam, marks);
    write_path(system, arena, common, begin, trees);
    // Items, parents before children; `marks` becomes the new number of each.
    std::int32_t n_items = 0;
    for (std::int32_t k = common; k < arena.n_items(); ++k) {
        if (k != common && marks[place(k)] == 0) continue;
        marks[place(k)] = n_items;
        Item item = arena.item(k);
        item.parent = k > common ? marks[place(item.parent)] : -1;
        arena.item(n_items++) = item;
    }
    beam.renumber(marks);
    // Nodes, of which only the stacks of the beam are still needed.
    marks.assign(place(arena.n_nodes()), 0);
    for (const std::int32_t k : beam.items()) {
        const Item& item = arena.item(k);
        marks[place(item.stack)] = 1;
        if (item.swapped >= 0) marks[place(item.swapped)] = 1;
    }
    for (std::int32_t k = arena.n_nodes() - 1; k > 0; --k)
        if (marks[place(k)] != 0 && arena.node(k).below >= 0) marks[place(arena.node(k).below)] = 1;
    std::int32_t n_nodes = 1;
    marks[0] = 0;
    for (std::int32_t k = 1; k < arena.n_nodes(); ++k) {
        if (marks[place(k)] == 0) continue;
        marks[place(k)] = n_nodes;
        Node node = arena.node(k);
        if (node.below >= 0) node.below = marks[place(node.below)];
        arena.node(n_nodes++) = node;
    }
    for (const std::int32_t k : beam.items()) {
        Item& item = arena.item(k);
        item.stack = marks[place(item.stack)];
        if (item.swapped >= 0) item.swapped = marks[place(item.swapped)];
    }
    arena.shrink(n_items, n_nodes);
}

}  // namespace caesura::parse

// One function for each folder of the core: it adds the folder's classes and functions to `_core`.
#pragma once

#include <nanobind/nanobind.h>

namespace caesura {

void bind_document(nanobind::module_& m);
void bind_text(nanobind::module_& m);
void bind_layout(nanobind::module_& m);
void bind_tokenize(nanobind::module_& m);
void bind_tag(nanobind::module_& m);
void bind_tag_learning(nanobind::module_& m);
void bind_learn(nanobind::module_& m);
void bind_parse(nanobind::module_& m);
void bind_parse_branching(nanobind::module_& m);
void bind_parse_learning(nanobind::module_& m);
void bind_network(nanobind::module_& m);
void bind_network_lemmas(nanobind::module_& m);
void bind_network_text(nanobind::module_& m);
void bind_induce(nanobind::module_& m);
void bind_cluster(nanobind::module_& m);
void bind_evaluate(nanobind::module_& m);
void bind_find(nanobind::module_& m);
void bind_guidelines(nanobind::module_& m);
void bind_language(nanobind::module_& m);
// Only with CAESURA_TESTING.
void bind_testing(nanobind::module_& m);
void bind_testing_hybrid(nanobind::module_& m);
void bind_testing_learn(nanobind::module_& m);
void bind_testing_parse(nanobind::module_& m);
void bind_testing_tokenize(nanobind::module_& m);

}  // namespace caesura

// The extension module `caesura._core`.
#include <nanobind/nanobind.h>

#include "base/cancel.h"
#include "base/errors.h"
#include "bind/bind.h"

namespace nb = nanobind;

NB_MODULE(_core, m) {
    m.doc() = "Compiled core of Caesura: every loop over characters, words, states and vectors.";
    nb::set_leak_warnings(false);

    nb::exception<caesura::DamagedModel>(m, "DamagedModel", PyExc_ValueError);
    nb::register_exception_translator([](const std::exception_ptr& error, void*) {
        try {
            std::rethrow_exception(error);
        } catch (const caesura::Cancelled&) {
            PyErr_SetNone(PyExc_KeyboardInterrupt);
        }
    });
    m.def("cancel_all", &caesura::cancel_all,
          "Make every call of the core that is under way raise KeyboardInterrupt.");

    caesura::bind_document(m);
    caesura::bind_text(m);
    caesura::bind_layout(m);
    caesura::bind_tokenize(m);
    caesura::bind_tag(m);
    caesura::bind_tag_learning(m);
    caesura::bind_learn(m);
    caesura::bind_guidelines(m);
    caesura::bind_parse(m);
    caesura::bind_parse_branching(m);
    caesura::bind_parse_learning(m);
    caesura::bind_network(m);
    caesura::bind_network_lemmas(m);
    caesura::bind_network_text(m);
    caesura::bind_induce(m);
    caesura::bind_cluster(m);
    caesura::bind_evaluate(m);
    caesura::bind_find(m);
    caesura::bind_language(m);
#ifdef CAESURA_TESTING
    nb::module_ testing = m.def_submodule("_testing", "Inner functions for tests; not in wheels.");
    caesura::bind_testing(testing);
#endif
}

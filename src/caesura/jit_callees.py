"""Kernels that are called by kernels, compiled no further than their callers need them.

Numba gives every function that it compiles a wrapper for Python and machine code of its own, also
where it is linked into its callers alone, in whose code it is then optimised once more. Here a
callee is typed and lowered, and goes to its callers as it is: wrappers, optimisation and machine
code are for what Python calls. That halves the time of a first run.
"""

from __future__ import annotations

from types import MethodType
from typing import Any, NamedTuple, cast

from llvmlite import binding
from numba.core import codegen, compiler, dispatcher, event, sigutils, typing
from numba.core.compiler_lock import global_compiler_lock

__all__ = ["as_known", "link_callees", "linking", "not_for_linking"]

numba_compiler = cast(Any, compiler)
numba_event = cast(Any, event)


class Callee(NamedTuple):
    """What a caller needs: the types, and the key under which the code is linked."""

    signature: Any
    key: object


def as_known() -> bool:
    """Whether this Numba has the steps that are taken here."""
    library: Any = codegen.JITCodeLibrary
    own: Any = dispatcher.Dispatcher
    steps = ("_optimize_final_module", "_finalize_final_module", "_get_module_for_linking")
    asks = ("get_call_template", "get_overload", "compile")
    return (
        all(hasattr(library, name) for name in steps)
        and all(hasattr(own, name) for name in asks)
        and hasattr(numba_compiler.Flags, "no_compile")
    )


def link_callees(kernel: Any) -> None:
    """Let callers of a kernel link its code; calls from Python go Numba's own way."""
    kernel.callees = {}
    kernel.get_call_template = MethodType(_call_template, kernel)
    kernel.get_overload = MethodType(_overload, kernel)


def linking(decorator: Any) -> Any:
    """A decorator of Numba's own functions (`min`, `np.zeros`) that lets callers link them, too."""

    def with_options(**options: Any) -> Any:
        decorate = decorator(**options)

        def decorated(function: Any) -> Any:
            found = decorate(function)
            link_callees(found)
            return found

        return decorated

    return with_options


def not_for_linking(result: Any) -> None:
    """Leave out of a compiled kernel what others would link, which would be kept with it.

    Of that Numba reads the names alone, by which it finds the machine code.
    """
    found = result.fndesc
    names = (found.llvm_func_name, found.llvm_cpython_wrapper_name, found.llvm_cfunc_wrapper_name)
    source = "\n".join(f'define void @"{name}"() {{ ret void }}' for name in names)
    result.library._shared_module = binding.parse_assembly(source)


def _call_template(kernel: Any, args: Any, keywords: Any) -> Any:
    """The types of a call, as `Dispatcher.get_call_template` tells them."""
    described, folded = kernel._compiler.fold_argument_types(args, keywords)
    found = _callee(kernel, tuple(folded))
    name = kernel.py_func.__name__
    template = cast(Any, typing).make_concrete_template(
        f"CallTemplate({name})", key=name, signatures=[found.signature]
    )
    return template, described, folded, {}


def _overload(kernel: Any, signature: Any) -> object:
    """The key of the code for a signature, as `Dispatcher.get_overload` tells it."""
    args, _ = cast(Any, sigutils).normalize_signature(signature)
    return kernel.callees[tuple(args)].key


def _callee(kernel: Any, args: tuple[Any, ...]) -> Callee:
    found = kernel.callees.get(args)
    if found is None:
        with global_compiler_lock, kernel._compiling_counter:
            found = kernel.callees[args] = _compile(kernel, args)
    return cast(Callee, found)


def _compile(kernel: Any, args: tuple[Any, ...]) -> Callee:
    own, target = kernel._compiler, kernel.targetdescr
    context = target.target_context
    flags = numba_compiler.Flags()
    target.options.parse_as_flags(flags, kernel.targetoptions)
    flags = own._customize_flags(flags)
    flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    details = {"dispatcher": kernel, "args": args, "return_type": None}
    with numba_event.trigger_event("numba:compile", data=details):
        result = numba_compiler.compile_extra(
            target.typing_context,
            context,
            kernel.py_func,
            args=args,
            return_type=None,
            flags=flags,
            locals=kernel.locals,
            library=cast(Any, CalleeLibrary)(context.codegen(), kernel.py_func.__qualname__),
            pipeline_class=own.pipeline_class,
        )
    if result.typing_error is not None:
        raise result.typing_error
    found = Callee(result.signature, object())
    context.insert_user_function(found.key, result.fndesc, [result.library])
    return found


class CalleeLibrary(codegen.JITCodeLibrary):
    """Code that is linked into that of callers, and optimised there."""

    def _optimize_functions(self: Any, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def finalize(self: Any) -> None:
        for other in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(other._reload_init)
            self._final_module.link_in(other._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True

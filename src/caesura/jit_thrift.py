"""What Numba does over and over while it compiles, done once.

Of the time of a first run Numba spends a quarter on questions that it has answered before: which
function is meant by `+` of two integers, how large a type is (for which it has LLVM parse a module
each time), where a file lies, on what machine it runs, what kind of thing an instruction holds.
While a kernel is compiled, answers are kept and asked for no second time. They are Numba's own, so
that the code is the same; nothing is changed once the kernel is there, or for code of others.
Functions of Numba's that kernels call (`min`, `np.zeros`) are linked like kernels: `jit_callees`.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final, cast

from llvmlite import binding
from llvmlite import ir as llvm
from llvmlite.binding import newpassmanagers
from numba.core import ir, targetconfig, types
from numba.core.typing import templates

from caesura import jit_callees

__all__ = ["as_known", "thriftily"]

#: Objects that are made before it is looked which of them are garbage.
_MANY: Final = 1_000_000

_Function: Any = cast(Any, types).BaseFunction
_Type: Any = cast(Any, llvm).Type
_Location: Any = cast(Any, ir).Loc
_Instruction: Any = cast(Any, ir).Inst
_Variable: Any = cast(Any, ir).Var
_Config: Any = cast(Any, targetconfig).TargetConfig
_Stack: Any = cast(Any, targetconfig).ConfigStack
_Overloads: Any = cast(Any, templates)._OverloadFunctionTemplate


def as_known() -> bool:
    """Whether this Numba asks its questions where they are answered here."""
    asked = (
        (_Function, "get_call_type"),
        (_Type, "get_abi_size"),
        (_Location, "_get_path"),
        (_Instruction, "_rec_list_vars"),
        (_Config, "__eq__"),
        (_Stack, "top_or_none"),
        (_Overloads, "_get_jit_decorator"),
        (binding, "get_process_triple"),
        (newpassmanagers, "dump_refprune_stats"),
    )
    return all(hasattr(place, name) for place, name in asked)


@contextlib.contextmanager
def thriftily() -> Iterator[None]:
    """Compile with answers kept; Numba's lock is held, and kernels are compiled one in another."""
    if _Answers.asked:
        yield
        return
    kept = _answers()
    before = gc.get_threshold()
    # A compiler makes objects by the million and hardly any cycles: look for them less often.
    gc.set_threshold(_MANY, *before[1:])
    own = [(place, name, getattr(place, name)) for place, name, _ in kept.patches()]
    _Answers.asked = True
    try:
        for place, name, instead in kept.patches():
            setattr(place, name, instead)
        yield
    finally:
        for place, name, was in own:
            setattr(place, name, was)
        _Answers.asked = False
        gc.set_threshold(*before)


#: What an instruction of Numba's holds, by its type: nothing that is a variable, one, an
#: instruction, some values, values by name.
_NOTHING, _ONE, _WITHIN, _SOME, _NAMED = range(5)
_kinds: dict[type, int] = {}


def _kind_of(kind: type) -> int:
    if issubclass(kind, _Variable):
        return _ONE
    if issubclass(kind, _Instruction):
        return _WITHIN
    if issubclass(kind, list | tuple):
        return _SOME
    return _NAMED if issubclass(kind, dict) else _NOTHING


def _variables(self: Any, value: Any) -> list[Any]:
    """The variables in a value, in their order, as `Inst._rec_list_vars` lists them."""
    known = _kinds.get(type(value))
    if known is None:
        known = _kinds[type(value)] = _kind_of(type(value))
    if known == _ONE:
        return [value]
    if known == _WITHIN:
        return cast(list[Any], value.list_vars())
    if known == _NOTHING:
        return []
    found: list[Any] = []
    for one in value if known == _SOME else value.values():
        kind = _kinds.get(type(one))
        if kind == _ONE:
            found.append(one)
        elif kind != _NOTHING:
            found += _variables(self, one)
    return found


@cache
def _answers() -> _Answers:
    return _Answers()


class _Answers:
    """The answers to all kernels of a process, so many that they are worth their memory."""

    #: Whether a kernel is being compiled.
    asked = False

    def __init__(self) -> None:
        self._calls: dict[Any, Any] = {}
        self._sizes: dict[str, int] = {}
        self._target: Any = None
        self._pruned: Any = None
        self._flags: dict[int, tuple[Any, str]] = {}
        self._paths: dict[str, str] = {}
        self._triple = ""
        self._resolve: Any = _Function.get_call_type
        self._measure: Any = _Type.get_abi_size
        self._find: Any = _Location._get_path
        self._ask_triple: Any = cast(Any, binding).get_process_triple
        self._ask_pruned: Any = cast(Any, newpassmanagers).dump_refprune_stats
        self._compare: Any = _Config.__eq__
        self._decorate: Any = _Overloads._get_jit_decorator

    def patches(self) -> list[tuple[Any, str, Callable[..., Any]]]:
        kept = self

        def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
            return kept.call_type(self, context, args, kws)

        def get_abi_size(self: Any, target: Any, context: Any = None) -> int:
            return kept.size(self, target, context)

        def get_path(self: Any) -> str:
            return kept.path(self)

        def equal(self: Any, other: Any) -> Any:
            return True if self is other else kept._compare(self, other)

        def decorator(self: Any) -> Any:
            return jit_callees.linking(kept._decorate(self))

        return [
            (_Function, "get_call_type", get_call_type),
            (_Type, "get_abi_size", get_abi_size),
            (_Location, "_get_path", get_path),
            (_Instruction, "_rec_list_vars", _variables),
            (_Config, "__eq__", equal),
            (_Overloads, "_get_jit_decorator", decorator),
            (binding, "get_process_triple", self.triple),
            (newpassmanagers, "dump_refprune_stats", self.pruned),
        ]

    def call_type(self, function: Any, context: Any, args: Any, kws: Any) -> Any:
        """What a function of Numba gives for arguments of some types."""
        key = (function, tuple(args), tuple(kws.items()), self._set_flags())
        found = self._calls.get(key)
        if found is None:
            found = self._calls[key] = self._resolve(function, context, args, kws)
        return found

    def _set_flags(self) -> str:
        """What was asked of the function that is compiled, on which those that it calls depend."""
        flags = _Stack.top_or_none()
        if flags is None:
            return ""
        known = self._flags.get(id(flags))
        if known is None:
            known = self._flags[id(flags)] = (flags, repr(sorted(flags._values.items())))
        return known[1]

    def size(self, kind: Any, target: Any, context: Any) -> int:
        """The bytes of a type; one with a name may become another."""
        spelled = str(kind)
        if context is not None or "%" in spelled:
            return cast(int, self._measure(kind, target, context))
        if target is not self._target:  # there is one, the processor
            self._target = target
            self._sizes.clear()
        found = self._sizes.get(spelled)
        if found is None:
            found = self._sizes[spelled] = self._measure(kind, target, context)
        return found

    def path(self, location: Any) -> str:
        found = self._paths.get(location.filename)
        if found is None:
            found = self._paths[location.filename] = self._find(location)
        return found

    def pruned(self, *args: Any) -> Any:
        """Counts of references that were left out, of which nobody here wants to know."""
        self._pruned = self._pruned or self._ask_pruned(*args)
        return self._pruned

    def triple(self) -> str:
        self._triple = self._triple or self._ask_triple()
        return self._triple

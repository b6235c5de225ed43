"""On what a network runs: the processor, or a graphics card.

Which one onnxruntime offers depends on the package that is installed: `onnxruntime` knows the
processor alone, `onnxruntime-gpu` CUDA too. Where it does not, PyTorch is taken if it is installed
and sees a card. What is asked for and not there is refused; nothing falls back to the processor
unsaid.
"""

from __future__ import annotations

import importlib.util
from typing import Any, Final

from caesura.errors import UsageError

__all__ = ["CPU", "DEVICES", "check_used", "providers", "runs_by_torch"]

CPU: Final = "cpu"

#: Devices by name, and what onnxruntime calls them.
DEVICES: Final = {CPU: "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}


def providers(device: str, available: list[str]) -> list[str]:
    """What onnxruntime is to run a network on, of what it has `available`."""
    if device not in DEVICES:
        raise UsageError(
            f"there is no device {device!r}", remedy=f"Devices are: {', '.join(DEVICES)}."
        )
    if DEVICES[device] not in available:
        raise UsageError(
            f"the device {device} needs the package onnxruntime-gpu, or torch and onnx with a card "
            f"that they can use; this onnxruntime offers {', '.join(available) or 'nothing'}",
            remedy="Install it in the place of onnxruntime (pip uninstall onnxruntime; "
            "pip install onnxruntime-gpu), or leave the device out.",
        )
    # What a card has no kernel for is done by the processor.
    return list(dict.fromkeys([DEVICES[device], DEVICES[CPU]]))


def runs_by_torch(device: str, available: list[str]) -> bool:
    """Whether PyTorch has to run a network, and can."""
    if device == CPU or device not in DEVICES or DEVICES[device] in available:
        return False
    if any(importlib.util.find_spec(name) is None for name in ("torch", "onnx")):
        return False
    import torch

    return bool(torch.cuda.is_available())


def check_used(device: str, session: Any) -> None:
    """Refuse a session that fell back to the processor, as it does where drivers are missing."""
    if DEVICES[device] not in session.get_providers():
        raise UsageError(
            f"onnxruntime cannot use the device {device} here",
            remedy="See that the driver and the libraries of CUDA that it asks for are installed "
            "(`nvidia-smi`), or leave the device out.",
        )

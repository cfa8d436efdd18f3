"""The Python engine: the readable reference implementation, against which the native engine is tested."""

from canfetch.core.reference.compiled import CompiledFile, compile_file

__all__ = ["CompiledFile", "compile_file"]

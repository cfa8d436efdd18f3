"""The Python engine: the readable statement of the protocol, and the oracle of the native one."""

from canfetch.core.reference.compiled import CompiledFile, compile_file

__all__ = ["CompiledFile", "compile_file"]

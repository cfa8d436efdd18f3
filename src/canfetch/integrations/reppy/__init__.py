"""reppy's interface: each module here replaces the module of the same name in `reppy`.

Source: reppy 0.4.14.
"""

from canfetch.integrations.reppy.robots import Agent, Robots

__all__ = ["Agent", "Robots"]

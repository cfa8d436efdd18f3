"""Puts canfetch's `RobotFileParser` in place of urllib.robotparser's."""

import sys
import urllib
import urllib.error
import urllib.request
from types import ModuleType

from canfetch.integrations import robotparser

module = ModuleType("urllib.robotparser")
vars(module).update(vars(robotparser))
sys.modules["urllib.robotparser"] = module
urllib.robotparser = module  # type: ignore[attr-defined]  # the name of the module

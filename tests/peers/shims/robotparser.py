"""Puts canfetch's `RobotFileParser` in place of urllib.robotparser's."""

import os
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

if profile := os.environ["PEER_SUITE_PROFILE"]:

    class RobotFileParser(robotparser.RobotFileParser):
        """The parser with the profile of the suite."""

        def __init__(self, url: str = "") -> None:
            super().__init__(url, profile=profile)

    vars(module).update(RobotFileParser=RobotFileParser)

"""Puts canfetch's `Protego` in place of Protego's. The modules of Protego with private functions are its own."""

import os
import sys
from pathlib import Path
from types import ModuleType

from canfetch.integrations.protego import Protego, RequestRate, VisitTime

package = ModuleType("protego")
package.__path__ = [str(Path(os.environ["PEER_SUITE_FOLDER"]) / "src" / "protego")]
vars(package).update(Protego=Protego, RequestRate=RequestRate, VisitTime=VisitTime)
sys.modules["protego"] = package

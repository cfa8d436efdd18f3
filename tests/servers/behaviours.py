"""Every behaviour by its name; `NAME-ARGUMENT` where it takes one."""

from tests.servers import broken, coded, proper, redirects, slow
from tests.servers.web import Behaviour

BEHAVIOURS: dict[str, Behaviour] = {
    **proper.BEHAVIOURS,
    **redirects.BEHAVIOURS,
    **slow.BEHAVIOURS,
    **broken.BEHAVIOURS,
    **coded.BEHAVIOURS,
}

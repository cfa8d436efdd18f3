"""All behaviours by name. A behaviour with an argument is requested as `NAME-ARGUMENT`."""

from tests.servers import broken, encoded, redirects, slow, valid
from tests.servers.web import Behaviour

BEHAVIOURS: dict[str, Behaviour] = {
    **valid.BEHAVIOURS,
    **redirects.BEHAVIOURS,
    **slow.BEHAVIOURS,
    **broken.BEHAVIOURS,
    **encoded.BEHAVIOURS,
}

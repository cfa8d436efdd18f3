"""Redirects."""

from tests.servers.valid import rules
from tests.servers.web import Behaviour, Exchange


def redirect(location: str, status: int = 302) -> Behaviour:
    """Redirect to `location`, which is sent unchanged."""

    async def behaviour(exchange: Exchange) -> None:
        await exchange.respond(status, b"Disallow: /\n", f"Location: {location}", reason="Found")

    return behaviour


async def loop(exchange: Exchange) -> None:
    """Redirect from `loop` to `loop-back` and back."""
    await redirect(exchange.sibling_url("loop" if exchange.argument else "loop-back"))(exchange)


async def itself(exchange: Exchange) -> None:
    await redirect(exchange.sibling_url("itself"))(exchange)


async def chain(exchange: Exchange) -> None:
    """Redirect several times: `chain-5` takes five redirects to the rules."""
    left = int(exchange.argument)
    if left:
        status = (301, 302, 303, 307, 308)[left % 5]
        await redirect(exchange.sibling_url(f"chain-{left - 1}"), status)(exchange)
    else:
        await rules(exchange)


async def relative(exchange: Exchange) -> None:
    """Redirect to a relative URL."""
    await redirect("rules")(exchange)


BEHAVIOURS: dict[str, Behaviour] = {
    "loop": loop,
    "itself": itself,
    "chain": chain,
    "relative": relative,
    "nowhere": redirect(""),
    "mail": redirect("mailto:webmaster@example.com"),
    "raw-location": redirect("/größe"),
}

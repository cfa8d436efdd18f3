"""Answers that send elsewhere."""

from tests.servers.proper import rules
from tests.servers.web import Behaviour, Exchange


def redirecting(place: str, status: int = 302) -> Behaviour:
    """Send to that place, as written."""

    async def behaviour(exchange: Exchange) -> None:
        await exchange.answer(status, b"Disallow: /\n", f"Location: {place}", reason="Elsewhere")

    return behaviour


async def loop(exchange: Exchange) -> None:
    """Send back and forth: `loop` to `loop-back` and back."""
    await redirecting(exchange.neighbour("loop" if exchange.argument else "loop-back"))(exchange)


async def itself(exchange: Exchange) -> None:
    await redirecting(exchange.neighbour("itself"))(exchange)


async def chain(exchange: Exchange) -> None:
    """Send on so many times: `chain-5` takes five redirects to the rules."""
    left = int(exchange.argument)
    if left:
        status = (301, 302, 303, 307, 308)[left % 5]
        await redirecting(exchange.neighbour(f"chain-{left - 1}"), status)(exchange)
    else:
        await rules(exchange)


async def relative(exchange: Exchange) -> None:
    """Send to a place on the same host, without its scheme and host."""
    await redirecting("rules")(exchange)


BEHAVIOURS: dict[str, Behaviour] = {
    "loop": loop,
    "itself": itself,
    "chain": chain,
    "relative": relative,
    "nowhere": redirecting(""),
    "mail": redirecting("mailto:webmaster@example.com"),
    "raw-location": redirecting("/größe"),
}

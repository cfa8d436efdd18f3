"""The transport of the commands, as the network options configure it."""

from collections.abc import Collection
from ssl import SSLContext

from canfetch.access.responses import Failure, Response
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.network_options import NO_PROXY, NetworkOptions
from canfetch.client.options import Options
from canfetch.client.request_headers import combine_headers, is_foreign, without_credentials
from canfetch.client.transports import Route, TransportRequest
from canfetch.client.transports.http_transport import HTTPTransport
from canfetch.client.transports.tls import create_ssl_context
from canfetch.core.origin import Origin
from canfetch.errors import InvalidOption


class CommandTransport:
    """Sends the requests of a command.

    Args:
        options: The network options.
        credential_origins: The origins that the user named, which receive headers with credentials. None means that
            all origins of the command were named.
    Raises: CommandError: An option is invalid.
    """

    def __init__(self, options: NetworkOptions, *, credential_origins: Collection[Origin] | None = None) -> None:
        self._options = options
        self._credential_origins = credential_origins
        self._transport = create_http_transport(options)

    @property
    def route(self) -> Route:
        """What the transport can reach. A failure of a proxy does not count for commands with another proxy."""
        return self._transport.route

    def check_options(self, options: Options) -> None:
        """Check that `--public-only` can be guaranteed.

        Raises: InvalidOption: It cannot.
        """
        try:
            self._transport.check_options(options)
        except InvalidOption:
            raise InvalidOption(
                "--public-only cannot be guaranteed with a proxy, which hides the addresses of the servers: "
                f"pass --proxy {NO_PROXY} to connect directly"
            ) from None

    def send(self, request: TransportRequest) -> Response | Failure:
        """Send a request, without credentials if the user did not name its origin, or after another origin.

        Raises: InvalidURL: The URL is invalid or has no host.
        """
        named = self._credential_origins
        if request.cross_origin or (named is not None and is_foreign(request.url, named)):
            request = request._replace(headers=without_credentials(request.headers), cross_origin=True)
        return self._transport.send(request)

    def get(self, url: str, *, accept: str, max_bytes: int, cross_origin: bool) -> Response | Failure:
        """Request a URL with the network options.

        Args:
            accept: The Accept header.
            max_bytes: The size limit of the body.
            cross_origin: Whether a redirect has led to another origin.
        Raises: InvalidURL: The URL is invalid or has no host.
        """
        options = self._options
        return self.send(
            TransportRequest(
                url=url,
                headers=combine_headers((("User-Agent", options.user_agent), ("Accept", accept)), options.headers),
                max_bytes=max_bytes,
                connect_timeout=options.wait_seconds,
                read_timeout=options.wait_seconds,
                timeout=options.timeout,
                allow_private=not options.public_only,
                cross_origin=cross_origin,
            )
        )

    def close(self) -> None:
        """Release all resources."""
        self._transport.close()


def create_http_transport(options: NetworkOptions) -> HTTPTransport:
    """Return a transport with the proxy and the TLS settings of a command.

    Raises: CommandError: An option is invalid.
    """
    is_direct = options.proxy == NO_PROXY
    try:
        return HTTPTransport(
            ssl_context=_create_ssl_context(options),
            proxy=None if is_direct else options.proxy,
            # Without requests, an unsupported proxy does not matter.
            trust_env=not is_direct and not options.offline,
        )
    except InvalidOption as error:
        message = str(error).replace("pass trust_env=False to the transport", f"pass --proxy {NO_PROXY}")
        raise CommandError(f"--proxy: {message}" if options.proxy is not None else message) from None


def _create_ssl_context(options: NetworkOptions) -> SSLContext | None:
    if options.ca_file is None and options.client_cert is None and options.client_key is None:
        return None
    if options.client_cert is None and options.client_key is not None:
        raise CommandError("--client-key requires --client-cert FILE")
    try:
        return create_ssl_context(
            ca_file=options.ca_file, client_cert=options.client_cert, client_key=options.client_key
        )
    except InvalidOption as error:
        # The name of an option is before the name of the file, which is quoted.
        start, quote, rest = str(error).partition("'")
        for name in ("ca_file", "client_cert", "client_key"):
            start = start.replace(name, f"--{name.replace('_', '-')}")
        message = f"{start}{quote}{rest}"
        raise CommandError(message.replace("its password is required", "pass a key without a password")) from None

from tests.servers.fixtures import authority

__all__ = ["authority"]

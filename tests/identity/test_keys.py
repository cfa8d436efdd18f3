"""Keys of signed requests: thumbprints, keys of other kinds, and sets with faults."""

import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from canfetch.client.identity.keys import (
    MAX_KEY_SET_BYTES,
    MAX_KEYS,
    SignatureAlgorithm,
    decode_base64url,
    encode_base64url,
    parse_key,
    parse_key_set,
    public_jwk,
    thumbprint,
)
from canfetch.errors import InvalidKey

# RFC 9421 appendix B.1.4, RFC 8037 appendix A, and RFC 7638 section 3.1.
TEST_KEY = {"kty": "OKP", "crv": "Ed25519", "x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}
RSA_KEY = {
    "kty": "RSA",
    "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjB"
    "ZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8"
    "KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_"
    "xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
    "e": "AQAB",
}


@pytest.mark.parametrize(
    "jwk, expected",
    [
        (TEST_KEY, "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"),
        ({**TEST_KEY, "key_ops": ["sign", "verify", 5]}, "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"),
        ({**TEST_KEY, "kid": "other", "use": "sig"}, "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"),
        (
            {"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},
            "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
        ),
        (RSA_KEY, "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"),
    ],
)
def test_thumbprints_of_the_standards(jwk: dict[str, Any], expected: str) -> None:
    assert thumbprint(jwk) == expected
    assert parse_key(jwk).thumbprint == expected


def test_a_new_key_is_read_as_written() -> None:
    private = ed25519.Ed25519PrivateKey.generate()
    jwk = public_jwk(private.public_key())
    key = parse_key({**jwk, "nbf": 1_700_000_000, "exp": 1_800_000_000.5})
    assert (key.thumbprint, key.algorithm) == (jwk["kid"], SignatureAlgorithm.ED25519)
    assert (key.not_before, key.not_after) == (1_700_000_000.0, 1_800_000_000.5)
    assert isinstance(key.key, ed25519.Ed25519PublicKey)
    assert key.key.public_bytes_raw() == private.public_key().public_bytes_raw()


def test_other_kinds_of_keys() -> None:
    numbers = ec.generate_private_key(ec.SECP256R1()).public_key().public_numbers()
    point = {name: encode_base64url(getattr(numbers, name).to_bytes(32)) for name in ("x", "y")}
    assert parse_key({"kty": "EC", "crv": "P-256", **point, "alg": "ES256"}).algorithm == "ecdsa-p256-sha256"
    assert isinstance(parse_key({**RSA_KEY, "alg": "PS512"}).key, rsa.RSAPublicKey)


EC_KEY = {
    "kty": "EC",
    "crv": "P-256",
    "x": "qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA",
    "y": "Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0",
}


@pytest.mark.parametrize(
    "jwk, problem",
    [
        ({}, "its member 'kty' is missing or no text"),
        ({**TEST_KEY, "kty": "oct"}, "unknown key type 'oct'"),
        ({**TEST_KEY, "crv": "X25519"}, "unknown curve 'X25519'"),
        ({**TEST_KEY, "x": "JrQLj5P_89iXES8"}, "has 11 bytes, not 32"),
        ({**TEST_KEY, "x": "JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs"}, "member 'x': it is not valid base64url"),
        ({**TEST_KEY, "x": TEST_KEY["x"] + "="}, "member 'x': it is not valid base64url"),
        ({**TEST_KEY, "x": TEST_KEY["x"][:-1] + "t"}, "member 'x': it is not valid base64url"),
        ({**TEST_KEY, "x": 5}, "its member 'x' is missing or no text"),
        ({**TEST_KEY, "x": "\u00e4"}, "its member 'x' is missing or no text"),
        ({**TEST_KEY, "d": "n4Ni"}, "it is a private key (member 'd'), which anybody can use now"),
        ({**TEST_KEY, "use": "enc"}, "its use is 'enc', not 'sig'"),
        ({**TEST_KEY, "key_ops": ["sign"]}, "its operations (key_ops) are \"['sign']\", not a list with 'verify'"),
        ({**TEST_KEY, "use": "sig", "key_ops": []}, "its operations (key_ops) are '[]', not a list with 'verify'"),
        ({**TEST_KEY, "key_ops": "verify"}, "its operations (key_ops) are 'verify', not a list with 'verify'"),
        ({**TEST_KEY, "key_ops": None}, "its operations (key_ops) are 'None', not a list with 'verify'"),
        ({**TEST_KEY, "alg": "PS512"}, "its algorithm 'PS512' is not one of its key type"),
        ({**TEST_KEY, "nbf": "now"}, "its member 'nbf' is not a time in seconds"),
        ({**TEST_KEY, "exp": float("nan")}, "its member 'exp' is not a time in seconds"),
        ({**TEST_KEY, "exp": 10**400}, "its member 'exp' is not a time in seconds"),
        ({**RSA_KEY, "e": "AQ"}, "it is not a valid key"),
        ({**RSA_KEY, "e": ""}, "its member 'e' is empty, or starts with a zero byte"),
        ({**RSA_KEY, "n": f"AAAA{RSA_KEY['n']}"}, "its member 'n' is empty, or starts with a zero byte"),
        ({**RSA_KEY, "e": "Ag"}, "it is not a valid key"),
        (
            {**RSA_KEY, "n": "AQAB"},
            "an RSA key of 17 bits with an exponent of 17 bits: expected 2048 to 8192 with at most 33",
        ),
        ({**RSA_KEY, "e": "AgAAAAE"}, "with an exponent of 34 bits: expected 2048 to 8192 with at most 33"),
        ({"kty": "EC", "crv": "P-256", "x": "AQAB", "y": "AQAB"}, "its member 'x' has 3 bytes, not 32"),
        # The same point would have another thumbprint than the test key.
        ({**EC_KEY, "x": f"AAAA{EC_KEY['x']}"}, "its member 'x' has 35 bytes, not 32"),
        ({"kty": "EC", "crv": "P-256", "x": "A" * 43, "y": "A" * 43}, "it is not a valid key"),
    ],
)
def test_keys_with_faults(jwk: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidKey) as caught:
        parse_key(jwk)
    assert problem in str(caught.value)


# The points of the orders 1, 2, 4 and 8, in all encodings: with the prime added, and with each sign.
PRIME = 2**255 - 19
ORDER_8 = int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little")
SMALL_ORDER = [0, 1, PRIME - 1, ORDER_8, PRIME - ORDER_8, PRIME, PRIME + 1]


@pytest.mark.parametrize("sign", [0, 1])
@pytest.mark.parametrize("y", SMALL_ORDER)
def test_points_of_small_order_are_not_keys(y: int, sign: int) -> None:
    point = (y | sign << 255).to_bytes(32, "little")
    with pytest.raises(InvalidKey, match="a point of small order, for which anybody can sign"):
        parse_key({**TEST_KEY, "x": encode_base64url(point)})
    for other in (2, 3, PRIME - 2, PRIME + 2):
        parse_key({**TEST_KEY, "x": encode_base64url((other | sign << 255).to_bytes(32, "little"))})


def test_a_key_with_a_fault_costs_no_other_key() -> None:
    private = {**TEST_KEY, "d": "n4Ni"}
    keys = [private, 5, {**TEST_KEY, "kid": "key\x1b[31m-1"}, RSA_KEY, TEST_KEY]
    found = parse_key_set(json.dumps({"keys": keys}).encode())
    assert list(found.keys) == [thumbprint(TEST_KEY), thumbprint(RSA_KEY)]
    assert [problem.partition(":")[0] for problem in found.problems] == ["key 1", "key 2", "key 3"]
    assert all(problem.isprintable() for problem in found.problems)
    assert found.absence("other") == "the directory does not contain the key"


def test_why_a_key_cannot_be_used() -> None:
    key = {**TEST_KEY, "use": "enc", "kid": "first"}
    found = parse_key_set(json.dumps({"keys": [key]}).encode())
    for name in (thumbprint(TEST_KEY), "first"):
        assert found.absence(name) == "the key in the directory cannot be used: its use is 'enc', not 'sig'"


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"{}", b'{"keys": {}}', b"\xff", b"[" * 100_000, b'{"keys": ' + b"1" * 5_000 + b"}"],
)
def test_content_that_is_no_set_of_keys(content: bytes) -> None:
    with pytest.raises(InvalidKey):
        parse_key_set(content)


def test_sets_of_keys_are_bounded() -> None:
    with pytest.raises(InvalidKey, match="longer than 262,144 bytes"):
        parse_key_set(b" " * (MAX_KEY_SET_BYTES + 1))
    found = parse_key_set(json.dumps({"keys": [TEST_KEY] * (MAX_KEYS + 1)}).encode())
    assert (len(found.keys), found.problems) == (1, ("only the first 100 of 101 keys are read",))
    assert found.absence("other") == "the first 100 keys of the directory do not contain the key"


def test_base64url() -> None:
    assert [decode_base64url(encode_base64url(bytes(range(size)))) for size in range(5)] == [
        bytes(range(size)) for size in range(5)
    ]

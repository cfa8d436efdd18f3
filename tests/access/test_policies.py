"""Access policies by name, and policies with other values of some settings."""

import pickle
from typing import Any

import pytest

import canfetch
from canfetch.access.policies import POLICIES, AccessPolicy, UnreachablePhase, get_policy
from canfetch.errors import InvalidOption, UnknownPolicy

RFC9309 = POLICIES["rfc9309"]
FOREVER = (UnreachablePhase(0, "copy", "full-disallow"),)
THEN_ALLOWED = (UnreachablePhase(0, "copy", "full-disallow"), UnreachablePhase(2_592_000, "full-allow", "full-allow"))


def test_replace_returns_a_policy_with_the_new_value() -> None:
    policy = RFC9309.replace(unauthorized="full-disallow")

    assert isinstance(policy, AccessPolicy)
    assert policy.unauthorized == "full-disallow"
    assert policy.name == "rfc9309+unauthorized=full-disallow"
    assert policy.summary == "The policy rfc9309 with unauthorized=full-disallow."
    assert policy._replace(name=RFC9309.name, summary=RFC9309.summary, unauthorized="full-allow") == RFC9309


@pytest.mark.parametrize(
    "settings, suffix",
    [
        ({}, ""),
        ({"unauthorized": "full-allow"}, ""),
        ({"unauthorized": "unreachable", "redirect_limit": 10}, "+redirect_limit=10+unauthorized=unreachable"),
        ({"redirect_limit": 10, "unauthorized": "unreachable"}, "+redirect_limit=10+unauthorized=unreachable"),
        ({"while_unreachable": FOREVER}, "+while_unreachable=0:copy:full-disallow"),
        (
            {"while_unreachable": list(THEN_ALLOWED)},
            "+while_unreachable=0:copy:full-disallow,2592000:full-allow:full-allow",
        ),
        ({"max_freshness": 600, "min_freshness": 600}, "+max_freshness=600+min_freshness=600"),
        ({"misconfigured_origins": ()}, ""),
        (
            {"misconfigured_origins": ["https://B.example:443/x", "http://a.example:81", "https://b.example"]},
            "+misconfigured_origins=http://a.example:81,https://b.example",
        ),
    ],
    ids=["none", "standard", "two", "two-reversed", "one-phase", "two-phases", "freshness", "no-origin", "origins"],
)
def test_names_are_canonical_and_can_be_read_back(settings: dict[str, Any], suffix: str) -> None:
    policy = RFC9309.replace(**settings)

    assert policy.name == f"rfc9309{suffix}"
    assert get_policy(policy.name) == policy
    assert get_policy(policy) == policy
    assert pickle.loads(pickle.dumps(policy)) == policy  # noqa: S301 - the test's own data


def test_replacing_twice_is_replacing_once() -> None:
    policy = RFC9309.replace(unauthorized="full-disallow").replace(too_many_requests="full-allow")

    assert policy == RFC9309.replace(too_many_requests="full-allow", unauthorized="full-disallow")
    assert policy.replace(unauthorized="full-allow", too_many_requests="unreachable") is RFC9309


def test_adjusted_names_accept_any_order_and_standard_values() -> None:
    name = "google+unauthorized=full-disallow+redirect_limit=5+client_error=unreachable"

    assert get_policy(name).name == "google+client_error=unreachable+unauthorized=full-disallow"


@pytest.mark.parametrize("name", POLICIES)
def test_policies_have_their_names(name: str) -> None:
    assert get_policy(name) is POLICIES[name]
    assert POLICIES[name].name == name


@pytest.mark.parametrize(
    "settings, message",
    [
        (
            {"unauthorised": "full-allow"},
            "unknown setting 'unauthorised' of access policies: did you mean 'unauthorized'? (choose from ",
        ),
        ({"name": "mine"}, "unknown setting 'name' of access policies: choose from 'other_success', "),
        (
            {"unauthorized": "full-dissallow"},
            "unknown value 'full-dissallow' of unauthorized: did you mean 'full-disallow'? (choose from 'full-allow', ",
        ),
        ({"unauthorized": "rules"}, "unknown value 'rules' of unauthorized: choose from 'full-allow', "),
        ({"unauthorized": True}, "unknown value True of unauthorized: choose from "),
        ({"unauthorized": ["full-allow"]}, "unknown value ['full-allow'] of unauthorized: choose from "),
        ({"redirect_limit": 51}, "invalid redirect_limit 51: expected an integer from 0 to 50"),
        ({"redirect_limit": -1}, "invalid redirect_limit -1: expected an integer from 0 to 50"),
        ({"redirect_limit": True}, "invalid redirect_limit True: expected an integer from 0 to 50"),
        ({"redirect_limit": "5"}, "invalid redirect_limit '5': expected an integer from 0 to 50"),
        ({"max_freshness": 10**9}, "invalid max_freshness 1000000000: expected an integer from 0 to 2592000"),
        ({"min_freshness": 90_000}, "invalid min_freshness 90000: expected at most max_freshness, 86400"),
        ({"while_unreachable": ()}, "invalid while_unreachable (): expected 1 to 8 phases"),
        ({"while_unreachable": "copy"}, "invalid while_unreachable 'copy': expected 1 to 8 phases"),
        (
            {"while_unreachable": ("copy",)},
            "invalid phase 'copy' of while_unreachable: expected a canfetch.UnreachablePhase",
        ),
        (
            {"while_unreachable": (UnreachablePhase(1, "copy", "full-allow"),)},
            "invalid while_unreachable '1:copy:full-allow': expected ascending times from 0",
        ),
        (
            {"while_unreachable": (*FOREVER, *FOREVER)},
            "invalid while_unreachable '0:copy:full-disallow,0:copy:full-disallow': expected ascending times from 0",
        ),
        ({"while_unreachable": ((0, "copy", "copy"),)}, "unknown value 'copy' of without_copy: choose from "),
        ({"while_unreachable": ((0, "rules", "full-allow"),)}, "unknown value 'rules' of with_copy: choose from "),
        (
            {"misconfigured_origins": "https://a.example"},
            "invalid misconfigured_origins 'https://a.example': ",
        ),
        ({"misconfigured_origins": ["/x"]}, "invalid origin '/x' of misconfigured_origins: expected one such as "),
        ({"misconfigured_origins": [1]}, "invalid origin 1 of misconfigured_origins: expected one such as "),
        ({"misconfigured_origins": ["https://a+b"]}, "invalid origin 'https://a+b' of misconfigured_origins"),
        (
            {"misconfigured_origins": [f"https://{number}.example" for number in range(101)]},
            "invalid misconfigured_origins ['https://0.example', ",
        ),
        ({"while_unreachable": ((0.5, "copy", "full-allow"),)}, "invalid from_seconds 0.5: expected an integer from 0"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "message",
)
def test_invalid_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        RFC9309.replace(**settings)

    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "name, error, message",
    [
        ("bing", UnknownPolicy, "unknown access policy 'bing': choose from 'rfc9309', "),
        ("rfc9039", UnknownPolicy, "unknown access policy 'rfc9039': did you mean 'rfc9309'? (choose from "),
        ("bing+unauthorized=full-allow", UnknownPolicy, "unknown access policy 'bing': choose from "),
        (3, UnknownPolicy, "unknown access policy 3: choose from "),
        (["rfc9309"], UnknownPolicy, "unknown access policy ['rfc9309']: choose from "),
        (
            "rfc9309+unauthorized",
            InvalidOption,
            "invalid setting 'unauthorized' of access policy 'rfc9309+unauthorized': expected SETTING=VALUE, as in ",
        ),
        ("rfc9309+", InvalidOption, "invalid setting '' of access policy 'rfc9309+': expected SETTING=VALUE, as in "),
        (
            "rfc9309+unauthorized=full-allow+unauthorized=full-allow",
            InvalidOption,
            "access policy 'rfc9309+unauthorized=full-allow+unauthorized=full-allow' sets unauthorized twice",
        ),
        ("rfc9309+unauthorized=deny", InvalidOption, "unknown value 'deny' of unauthorized: choose from "),
        ("rfc9309+redirect_limit=ten", InvalidOption, "invalid redirect_limit 'ten': expected an integer from 0"),
        ("rfc9309+redirect_limit=\u0665", InvalidOption, "invalid redirect_limit '\u0665': expected an integer"),
        ("rfc9309+redirect_limit=" + "9" * 5000, InvalidOption, "invalid redirect_limit '99"),
        (
            "rfc9309+while_unreachable=copy",
            InvalidOption,
            "invalid phase 'copy' of while_unreachable: expected SECONDS:WITH_COPY:WITHOUT_COPY, such as ",
        ),
        (
            "google2019+misconfigured_origins=",
            InvalidOption,
            "invalid origin '' of misconfigured_origins: expected one",
        ),
        (
            "google2019+misconfigured_origins=" + "https://a.example," * 200,
            InvalidOption,
            "invalid misconfigured_origins",
        ),
        ("rfc9309+while_unreachable=x:copy:full-allow", InvalidOption, "invalid from_seconds 'x': expected an integer"),
        (
            "rfc9309+while_unreachable=" + ",".join(f"{at}:copy:full-allow" for at in range(9)),
            InvalidOption,
            "invalid while_unreachable ",
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
def test_invalid_names(name: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        get_policy(name)

    assert str(caught.value).startswith(message)
    assert len(str(caught.value)) < 600


def test_policies_whose_values_differ_from_their_name_are_rejected() -> None:
    with pytest.raises(InvalidOption, match=r"'rfc9309' has values that its name does not: use its replace\(\)"):
        canfetch.Client(user_agent="ExampleBot/1.0", policy=RFC9309._replace(unauthorized="full-disallow"))

    with pytest.raises(UnknownPolicy, match="unknown access policy 'mine'"):
        RFC9309._replace(name="mine").replace(unauthorized="full-disallow")

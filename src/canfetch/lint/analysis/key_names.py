# ruff: noqa: RUF001 - the tables hold letters of other scripts, some of which look like ASCII
"""Keys: their usual spelling, their misspellings and their translations.

Keys are never translated in robots.txt, but people and translation tools do so anyway.
"""

import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from canfetch.core.keys import NAMES, SPELLINGS
from canfetch.core.text import display_text

USER_AGENT: Final = b"User-agent"
ALLOW: Final = b"Allow"
DISALLOW: Final = b"Disallow"
SITEMAP: Final = b"Sitemap"
CRAWL_DELAY: Final = b"Crawl-delay"

CORE_NAMES: Final = frozenset(NAMES[kind] for kind, _ in SPELLINGS)
CORE_SPELLINGS: Final[Mapping[bytes, bytes]] = {
    spelling: NAMES[kind].capitalize() for kind, spellings in SPELLINGS for spelling in spellings
}
# The keys that the audit of Lighthouse recognises.
LIGHTHOUSE_KEYS: Final = frozenset(
    {
        "user-agent",
        "disallow",
        "allow",
        "sitemap",
        "crawl-delay",
        "clean-param",
        "host",
        "request-rate",
        "visit-time",
        "noindex",
        "content-signal",
        "license",
    }
)
# In the order in which Google's parser tries them.
PREFIXES: Final = tuple((spelling, NAMES[kind]) for kind, spellings in SPELLINGS for spelling in spellings)

# Keys that are long enough to be recognised with one or two wrong letters.
_SUGGESTED: Final = (
    b"user-agent",
    b"disallow",
    b"allow",
    b"sitemap",
    b"crawl-delay",
    b"clean-param",
    b"request-rate",
    b"visit-time",
    b"robot-version",
    b"content-signal",
    b"content-usage",
    b"license",
)
_SHORT_LENGTH: Final = 5
_MAX_EDITS: Final = 2


def _allowed_edits(name: bytes) -> int:
    return 1 if len(name) <= _SHORT_LENGTH else _MAX_EDITS


# The keys that a key of each length can be a misspelling of, with their letters and the allowed edits.
_SUGGESTED_BY_LENGTH: Final = {
    length: [
        (name, frozenset(name), _allowed_edits(name))
        for name in _SUGGESTED
        if abs(len(name) - length) <= _allowed_edits(name)
    ]
    for length in range(max(map(len, _SUGGESTED)) + _MAX_EDITS + 1)
}

_TRANSLATIONS: Final[Mapping[bytes, str]] = {
    USER_AGENT: (
        "agente utente|agente-utente|utente-agente|utente agente|programma utente|"
        "agente de usuario|agente-de-usuario|agente del usuario|agente usuario|"
        "agent utilisateur|agent-utilisateur|agent d'utilisateur|agent d’utilisateur|agent de l'utilisateur|"
        "benutzeragent|benutzer-agent|benutzer agent|nutzeragent|nutzer-agent|"
        "agente do usuário|agente do usuario|agente-do-usuário|agente de usuário|agente do utilizador|"
        "agente de utilizador|gebruikersagent|gebruikers-agent|gebruiker-agent|gebruikersagens|"
        "agent użytkownika|agent-użytkownika|klient użytkownika|"
        "агент пользователя|агент-пользователя|пользовательский агент|пользователь-агент|юзер-агент|"
        "kullanıcı aracısı|kullanıcı-aracısı|kullanıcı ajanı|kullanıcı-ajanı|kullanici-araci|kullanici araci|"
        "用户代理|用户-代理|使用者代理|用戶代理|用戶端代理|"
        "ユーザーエージェント|ユーザエージェント|ユーザー エージェント|ユーザー-エージェント|"
        "사용자 에이전트|사용자-에이전트|사용자에이전트|유저 에이전트|유저에이전트|유저-에이전트"
    ),
    DISALLOW: (
        "non consentire|non permettere|vieta|vietare|vietato|nega|negare|impedisci|disconsenti|rifiuta|"
        "rechazar|no permitir|no-permitir|no permitido|denegar|prohibir|prohibido|desautorizar|deshabilitar|"
        "interdire|interdit|refuser|rejeter|désautoriser|ne pas autoriser|non autorisé|"
        "verbieten|verboten|nicht zulassen|nicht erlauben|nicht erlaubt|ablehnen|"
        "não permitir|nao permitir|proibir|proibido|rejeitar|negar|recusar|não permitido|"
        "niet toestaan|niet toegestaan|weigeren|afwijzen|"
        "zabroń|zabron|nie zezwalaj|nie pozwalaj|zakaz|odrzuć|"
        "запретить|запрещено|не разрешать|запрет|отклонить|"
        "izin verme|izin vermeyin|yasakla|engelle|"
        "不允许|不允許|禁止|拒绝|拒絕|不許可|許可しない|拒否|"
        "허용 안 함|허용 안함|허용안함|허용하지 않음|금지|비허용|거부"
    ),
    ALLOW: (
        "consenti|consentire|permetti|permettere|autorizza|permitir|permitido|"
        "autoriser|permettre|autorisé|erlauben|erlaubt|zulassen|toestaan|toegestaan|"
        "zezwól|zezwalaj|pozwól|разрешить|разрешено|позволить|izin ver|izin verin|"
        "允许|允許|許可|許可する|허용|허가"
    ),
    SITEMAP: (
        "mappa del sito|mappa sito|mapa del sitio|mapa de sitio|plan du site|plan de site|seitenübersicht|"
        "mapa do site|mapa do sítio|sitekaart|siteoverzicht|mapa strony|mapa witryny|карта сайта|"
        "site haritası|网站地图|站点地图|網站地圖|サイトマップ|사이트맵|사이트 맵"
    ),
    CRAWL_DELAY: (
        "ritardo di scansione|retardo de rastreo|retraso de rastreo|demora de rastreo|délai d'exploration|"
        "délai de crawl|crawl-verzögerung|atraso de rastreamento|opóźnienie indeksowania|"
        "задержка сканирования|задержка обхода|tarama gecikmesi|抓取延迟|爬行延迟|クロール遅延|"
        "크롤링 지연|크롤링 딜레이"
    ),
    b"Request-rate": "tasa de solicitud|tasso di richiesta|taxa de solicitação",
    b"Visit-time": "hora de visita|orario di visita|tiempo de visita",
    b"Host": "anfitrión|anfitrion",
}
TRANSLATED_KEYS: Final[Mapping[str, bytes]] = {
    word: name for name, words in _TRANSLATIONS.items() for word in words.split("|")
}


def fold_key(key: bytes) -> str:
    """Return a key as text in lower case and NFC, with single spaces."""
    text = display_text(key)
    if not text.isascii():
        # The lower case of this Turkish capital has two characters.
        text = unicodedata.normalize("NFC", text.replace("İ", "i"))
    return " ".join(text.lower().split())


def translate_key(key: bytes) -> bytes | None:
    """Return the key that `key` is a translation of, in its usual spelling, or None."""
    return TRANSLATED_KEYS.get(fold_key(key))


@lru_cache(maxsize=4096)
def suggest_key(key: bytes) -> bytes | None:
    """Return the key that `key` is a misspelling of, in its usual spelling, or None. `key` is in lower case.

    Cost: O(1), because long keys are skipped.
    """
    suggested = _SUGGESTED_BY_LENGTH.get(len(key))
    if not suggested or not key.isascii():
        return None
    key = key.replace(b"_", b"-").replace(b" ", b"-").replace(b"\t", b"-")
    letters = set(key)
    best: bytes | None = None
    fewest = _MAX_EDITS + 1
    for name, wanted, allowed in suggested:
        most = min(fewest - 1, allowed)
        if abs(len(name) - len(key)) > most or len(wanted - letters) > most or len(letters - wanted) > most:
            continue
        edits = edit_distance(key, name, most)
        if edits <= most:
            best, fewest = name, edits
    return None if best is None else best.capitalize()


def edit_distance(one: bytes, other: bytes, most: int) -> int:
    """Return the number of bytes that are added, removed, replaced, or swapped with the next one.

    Args:
        most: The largest distance of interest. A larger one is returned as `most + 1` or more.
    Cost: O(bytes of one times bytes of the other).
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, byte in enumerate(one, 1):
        before, above, row = row, before, [i]
        for j, wanted in enumerate(other, 1):
            least = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (byte != wanted))
            if i > 1 and j > 1 and byte == other[j - 2] and one[i - 2] == wanted:
                least = min(least, above[j - 2] + 1)
            row.append(least)
        if min(row) > most:
            return most + 1
    return row[-1]

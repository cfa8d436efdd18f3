"""What generated files are made of: the pieces that robots.txt parsers stumble over.

Tables repeat a piece to give it weight, so that drawing from them is one call.
"""

from typing import Final

# --- keys and what stands around values ------------------------------------------------------------------------------

RULE_KEYS: Final = (
    [b"Disallow"] * 30
    + [b"Allow"] * 24
    + [b"disallow", b"allow", b"DISALLOW", b"ALLOW", b"dIsAlLoW", b"aLLow"] * 2
    + [b"Dissallow", b"dissalow", b"Disalow", b"Diasllow", b"disallaw", b"DISSALOW"]
    + [b"Disallowed", b"Disallow-all", b"DisallowAITraining", b"Allowed", b"AllowAITraining", b"allow all", b"disalow-x"]
    + [b"Disallow\x00", b"Allow\t", b"Dis allow", b"isallow", b"-Allow", b"Al\xc5\x82ow", b"Dissallo", b"\xc2\xa0Disallow"]
    + [b" Disallow", b"\tAllow", b"\x0bDisallow", b"\x0cAllow ", b"Disallow\x1f", b"\xef\xbb\xbfDisallow"]
)
USER_AGENT_KEYS: Final = (
    [b"User-agent"] * 30
    + [b"user-agent", b"USER-AGENT", b"User-Agent", b"uSER-aGENT"] * 3
    + [b"Useragent", b"User agent", b"useragent", b"USER AGENT", b"User-agents", b"User-agent-purpose", b"UserAgentX"]
    + [b"User_agent", b"User  agent", b"ser-agent", b"User-agent\x00", b" User-agent", b"\tUser-agent ", b"\x0cUser-agent"]
    + [b"User-agen", b"User\tagent", b"\xef\xbb\xbfUser-agent", b"User-agent\xef\xbc\x9a"]
)
SEPARATORS: Final = (
    [b": "] * 50
    + [b":"] * 14
    + [b" : ", b":\t", b"\t:\t", b":  ", b":\x0b", b"\x0c: ", b":: ", b": :", b" :", b":\x00"]
    + [b" ", b"\t", b"  ", b" \t ", b"\x0b", b"\x0c", b" \x0b", b"\x0b ", b"\xef\xbc\x9a", b"\xef\xbc\x9a ", b"=", b"", b"\xc2\xa0"]
)
TAILS: Final = (
    [b""] * 60
    + [b" ", b"  ", b"\t", b" \t", b"\x0b", b"\x0c", b" \x0c"]
    + [b"#", b" # note", b"#note", b" #", b"# a:b", b"\t# \xff", b" # \xc3\xa9"]
    + [b" x", b" x y", b"\x00", b"\x00/a", b" \x00", b"\x1f", b"\xc2\xa0", b"\xe3\x80\x80", b"\x85", b"\xc2\x85", b"\xe2\x80\xa8"]
)
LINE_ENDS: Final = (
    [(b"\n",)] * 10
    + [(b"\r\n",)] * 4
    + [(b"\r",)] * 3
    + [(b"\n", b"\r", b"\r\n", b"\n\r", b"\r\r\n", b"\n\n", b"\r\n\r\n", b"\x0b\n", b"\x0c\r", b" \r\n")] * 4
)
BEGINNINGS: Final = (
    [b""] * 80
    + [b"\xef\xbb\xbf"] * 6
    + [b"\xef", b"\xef\xbb", b"\xef\xbb\xbf\xef\xbb\xbf", b"\xef\xbf\xbb", b"\xff\xfe", b"\xfe\xff", b"\xbb\xbf", b"\xef\xef\xbb\xbf"]
    + [b"\xef\xbb\n", b"\n", b"\r", b"\r\n\n", b" ", b"\xef\n\xbb", b"\x00", b"\xef\xbbU"]
)
OTHER_LINES: Final = (
    [b"", b"", b"", b"# comment", b"#", b" ", b"\t ", b"\x0c"]
    + [b"Sitemap: https://example.com/s.xml", b"sitemap:/s.xml#x", b"site-map: s", b"Sitemaps: s", b"SITEMAP s", b"Sitemap:", b"Sitemap:\xff"]
    + [b"Crawl-delay: 1", b"Crawl-delay 1", b"crawl-delay:", b"Host: example.com", b"Clean-param: a&b /", b"Noindex: /", b"Content-Signal: ai-train=no"]
    + [b"foo", b"foo bar", b"foo bar baz", b": x", b":", b" : /", b"foo:", b"foo: bar: baz", b"\x00", b"\x00Disallow: /", b"a\x00b: /"]
    + [b"User-agent", b"User-agent # x", b"Disallow", b"Disallow #", b"Allow / # x", b"allow /a", b"disallow  /a", b"user-agent a", b"Useragent *"]
    + [b"<html>", b"\xef\xbb\xbf", b"\xff", b"Disallow / /", b"/a", b"*", b"Allow\x0b/", b"Allow\x0b/ ", b"\x1cAllow: /", b"Unknown\xff: \xfe"]
)

# --- product tokens --------------------------------------------------------------------------------------------------

TOKENS: Final = (
    [b"a", b"b", b"bot", b"FooBot", b"foobot", b"Foo-Bot", b"foo_bar", b"Googlebot", b"Googlebot-Image"] * 3
    + [b"MJ12bot", b"MJ", b"360Spider", b"a.b", b"b\xc3\xb6t", b"bo\xe2\x84\xaa", b"bok", b"-", b"_", b"foo", b"bot@x", b"bot:1"]
)
# `@` stands for one of the file's own tokens.
USER_AGENT_VALUES: Final = (
    [b"@"] * 44
    + [b"*"] * 16
    + [b"@/1.0", b"@ x", b"@*", b"@, b", b"@,b", b"@\tx", b"@;", b"@\x00", b"@\x00x", b"@\xc3\xa9", b"@1", b"@.", b"@\x0b", b"@#x", b"@ #x"]
    + [b"* x", b"*x", b"**", b"*\tx", b"*\x0bx", b"*\x00", b"*/", b"*,a", b"*-", b"* # all", b"*\xc2\xa0", b"*\x0c", b"*\x1f"]
    + [b"", b" ", b"#", b"\x00", b"\xff", b"/@", b"1@", b".@", b"'@'", b"@@", b"Mozilla/5.0 (compatible; @/1.0)", b"User-agent: @", b":@", b"@:"]
)
ASKERS: Final = [b"nobody", b"*", b"bot", b"Mozilla", b"MJ", b"x"]

# --- patterns --------------------------------------------------------------------------------------------------------

PATTERN_STARTS: Final = [b"/"] * 40 + [b"/*", b"*", b"//", b"", b"$", b"a", b"%2F", b"%2f", b"?", b".", b"*/", b"\xc3\xa9", b"#", b"~", b":"]

PLAIN: Final = [b"/", b"/", b"a", b"b", b"c", b"ab", b"abc", b"fish", b"/a", b".html", b"-", b"_", b"~", b".", b"aa", b"A", b" "]
PERCENT: Final = (
    [b"%", b"%%", b"%%%", b"%4", b"%2", b"%41", b"%61", b"%34", b"%2f", b"%2F", b"%25", b"%252F", b"%2525", b"%3", b"%zz", b"%g1", b"%1g"]
    + [b"%2a", b"%2A", b"%24", b"%3f", b"%3F", b"%23", b"%c3%a9", b"%C3%A9", b"%c3", b"%7e", b"%7E", b"%7f", b"%00", b"%20", b"%2e", b"%2D"]
    + [b"41", b"4", b"1", b"2", b"F", b"f", b"a", b"/", b"~", b"5", b"%F", b"%f", b"%5", b"%35", b"%46", b"%66", b"%5f", b"%5B", b"%5d", b"%61%"]
)
WILD: Final = [b"*", b"*", b"**", b"$", b"$", b"a", b"a", b"b", b"ab", b"ba", b"/", b"*$", b"$*", b".php", b"%24", b"%2A", b"*a", b"*a*", b"a$", b"?"]
QUERY: Final = (
    [b"?", b"?", b"&", b"=", b":", b"/", b"[", b"]", b"@", b"!", b"'", b"(", b")", b"+", b",", b";", b"a", b"b", b"*", b"$"]
    + [b"%3A", b"%2F", b"%3f", b"%3F", b"%5B", b"%5d", b"%40", b"%21", b"%27", b"%28", b"%29", b"%2B", b"%2c", b"%3b", b"%3D", b"%26", b"%2A", b"%24"]
    + [b"://", b"?u=https://x.y/z", b"?a[]=1", b"??", b"a=b", b"%23"]
)
UNICODE: Final = (
    [b"\xc3\xa9", b"\xc3\xb6", b"\xc3", b"\xa9", b"\xff", b"\x80", b"\xe3\x83\x84", b"\xf0\x9f\x90\x9f", b"\xed\xb2\x80", b"\xed\xa0\x80", b"\xef\xbb\xbf"]
    + [b"\xc0\xaf", b"\xc2\x85", b"\xc2\xa0", b"\xe2\x84\xaa", b"\xc4\xb1", b"%C3%A9", b"%c3%a9", b"%C3", b"%A9", b"a", b"b", b"/", b"*", b"$", b"?"]
)
CONTROLS: Final = (
    [b"\x01", b"\t", b"\x0b", b"\x0c", b" ", b"\x1f", b"\x7f", b'"', b"<", b">", b"\\", b"^", b"`", b"{", b"|", b"}", b"\x00", b"#", b":"]
    + [b"%01", b"%09", b"%20", b"%22", b"%5C", b"%5c", b"%7B", b"%7f", b"%23", b"a", b"b", b"/", b"*", b"?", b"\x1c"]
)
INDEX: Final = (
    [b"index.html", b"/index.html", b"/index.htm", b"index.htm", b"/index.ht", b"/INDEX.HTML", b"/index.htmx", b"/index.html$", b"/index.html*"]
    + [b"/%69ndex.html", b"/index.html?a=/b", b"/index.html/", b"/*/index.html", b"/", b"/", b"/a", b"$", b"*", b"a", b"\xc3\xa9", b"%2f", b"?"]
)
DOTS: Final = [b"/.", b"/..", b"/./", b"/../", b"%2e", b"%2E", b"/%2e%2e/", b"/.%2E", b"..", b"...", b".", b"a", b"/a", b"/", b"?", b"//", b"*", b"$", b"/robots.txt"]

THEMES: Final[tuple[list[bytes], ...]] = (
    PLAIN,
    PERCENT,
    WILD,
    QUERY,
    UNICODE,
    CONTROLS,
    INDEX,
    DOTS,
    PLAIN + WILD,
    PERCENT + WILD,
    PERCENT + UNICODE + DOTS,
    PLAIN + QUERY + INDEX + WILD,
    PLAIN + PERCENT + WILD + QUERY + UNICODE + CONTROLS + INDEX + DOTS,
)

# --- URLs ------------------------------------------------------------------------------------------------------------

SUFFIXES: Final = [b"", b"a", b"/", b"/b", b"?a=b", b"?", b"#", b"#x?y/z", b";", b"$", b"*", b"%", b".html", b"index.html", b"/..", b"?u=https://x/", b"%2F", b"ab", b"\xff"]
AUTHORITIES: Final = (
    [b""] * 40
    + [b"https://example.com"] * 24
    + [b"http://example.com", b"HTTPS://EXAMPLE.COM", b"https://example.com:443", b"https://example.com:", b"https://example.com:00080", b"//example.com"]
    + [b"https://user:pw@example.com", b"https://a@b@example.com:80", b"https://@example.com", b"https://[::1]:443", b"https://[::1]", b"//[::1]"]
    + [b"https://\xc3\xa9x.com", b"foo+1.-://h", b"https://example.com;p", b"https://h%41", b"https://a!$&'()*+,;=b", b"//u@h:1", b"h://example.com"]
    + [b"https://example.com.evil", b"https://EXAMPLE.com:443", b"https://other.example", b"https://example.com@x", b"https://:1", b"https://example.com:1;"]
)
# No URL, or one that is hard to take apart.
ODD_URLS: Final = (
    [b"", b"a", b"*", b"?a", b"#a", b" /a", b"example.com/a", b"mailto:a", b"https:", b"https:/a", b"https://", b"https:///a", b"https://?a", b"https://#a", b"https://:80/"]
    + [b"https://exa mple.com/a", b"https://example.com:65536/", b"https://example.com:65535/a", b"https://example.com:8a/", b"https://example.com:-1/"]
    + [b"https://example.com:000000000000000065535/a", b"https://example.com:99999999999999999999/", b"https://example.com:\xd9\xa1/", b"https://u:p@/a"]
    + [b"https://[::1/a", b"https://[]/a", b"https://[::1]a/", b"https://[::1]:/a", b"https://::1]/a", b"https://[a b]/", b"https://a[b]/", b"https://a]b/", b"https://u@[::1]:80/a"]
    + [b"1http://x/", b"ht tp://x/a", b"\xc3\xa9://x/a", b"-a://x/", b"a\x00://x/", b"a_b://x/a", b"+://x/", b"://x/", b"https//example.com/a"]
    + [b"//", b"///", b"///a", b"//?a", b"//#", b"//#a/b", b"//;a", b"//a", b"//a?b", b"//a;b/c", b"//a#b/c", b"//[", b"//a b/", b"//a:x/", b"//@/", b"//:1/a", b"//a//b"]
    + [b"/", b"/?", b"/#", b"/;", b"/*", b"/$", b"/%", b"/a://b/c", b"/a?b://c/d", b"//a?b://c/d", b"//a/b://c", b"https://h?u=http://x/y", b"https://h;u=http://x/y"]
    + [b"https://h#a://b/c", b"https://h#/a", b"https://h/#a?b", b"https://h?#/a", b"https://h?a/b", b"https://h;a/b?c", b"https://h;", b"https://h?", b"https://h#"]
    + [b"/robots.txt", b"https://h/robots.txt", b"https://h/robots.txt?a", b"https://h/robots.txt#a", b"/a/../robots.txt", b"/robots%2Etxt", b"/%72obots.txt", b"/Robots.txt"]
    + [b"https://h\x00/a", b"https://h\x7f/a", b"https://h\\/a", b"https://h<a/", b"https://h|/a", b"https://h^/", b"https://h`/", b"https://{h}/", b'https://"/', b"https://h%/a"]
)
ODD_TEXTS: Final = [
    "https://exämple.com/ä",
    "/\udcff\udc80",
    "/\ud800",
    "/a\udfff",
    "/\udd00\udc7f",
    "/🐟",
    "/\udcc3\udca9",
    "/\udbff\udfff",
    "\udcff",
    "https://h\udcff/a",
    "https://h\ud800/",
    "/\u2028",
]
NO_URLS: Final[list[object]] = [None, 0, 1.5, bytearray(b"/a"), memoryview(b"/a"), ["/a"], ("/a",), object]

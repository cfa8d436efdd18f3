"""The vocabulary of generated files: text that robots.txt parsers often treat differently.

Tables repeat a piece to give it weight, so that drawing from them is one call.
"""

from typing import Final


def pieces(text: str) -> list[bytes]:
    r"""Split a text at its white space; `\s` is a space, `\e` an empty piece, `\t` and `\xNN` as in Python."""
    words = (word.replace(r"\s", r"\x20").replace(r"\e", "") for word in text.split())
    return [word.encode("latin-1").decode("unicode_escape").encode("latin-1") for word in words]


# --- keys and separators ---------------------------------------------------------------------------------------------

RULE_KEYS: Final = (
    pieces(r"Disallow") * 30
    + pieces(r"Allow") * 24
    + pieces(r"disallow allow DISALLOW ALLOW dIsAlLoW aLLow") * 2
    + pieces(
        r"""
        Dissallow dissalow Disalow Diasllow disallaw DISSALOW Disallowed Disallow-all DisallowAITraining Allowed
        AllowAITraining allow\sall disalow-x Disallow\x00 Allow\t Dis\sallow isallow -Allow Al\xC5\x82ow Dissallo
        \xC2\xA0Disallow \sDisallow \tAllow \x0BDisallow \x0CAllow\s Disallow\x1F \xEF\xBB\xBFDisallow
        """
    )
)
USER_AGENT_KEYS: Final = (
    pieces(r"User-agent") * 30
    + pieces(r"user-agent USER-AGENT User-Agent uSER-aGENT") * 3
    + pieces(
        r"""
        Useragent User\sagent useragent USER\sAGENT User-agents User-agent-purpose UserAgentX User_agent User\s\sagent
        ser-agent User-agent\x00 \sUser-agent \tUser-agent\s \x0CUser-agent User-agen User\tagent \xEF\xBB\xBFUser-agent
        User-agent\xEF\xBC\x9A
        """
    )
)
SEPARATORS: Final = (
    pieces(r":\s") * 50
    + pieces(r":") * 14
    + pieces(
        r"""
        \s:\s :\t \t:\t :\s\s :\x0B \x0C:\s ::\s :\s: \s: :\x00 \s \t \s\s \s\t\s \x0B \x0C \s\x0B \x0B\s \xEF\xBC\x9A
        \xEF\xBC\x9A\s = \e \xC2\xA0
        """
    )
)
TAILS: Final = pieces(r"\e") * 60 + pieces(
    r"""
        \s \s\s \t \s\t \x0B \x0C \s\x0C # \s#\snote #note \s# #\sa:b \t#\s\xFF \s#\s\xC3\xA9 \sx \sx\sy \x00 \x00/a
        \s\x00 \x1F \xC2\xA0 \xE3\x80\x80 \x85 \xC2\x85 \xE2\x80\xA8
        """
)
LINE_ENDS: Final = (
    [(b"\n",)] * 10
    + [(b"\r\n",)] * 4
    + [(b"\r",)] * 3
    + [(b"\n", b"\r", b"\r\n", b"\n\r", b"\r\r\n", b"\n\n", b"\r\n\r\n", b"\x0b\n", b"\x0c\r", b" \r\n")] * 4
)
BEGINNINGS: Final = (
    pieces(r"\e") * 80
    + pieces(r"\xEF\xBB\xBF") * 6
    + pieces(
        r"""
        \xEF \xEF\xBB \xEF\xBB\xBF\xEF\xBB\xBF \xEF\xBF\xBB \xFF\xFE \xFE\xFF \xBB\xBF \xEF\xEF\xBB\xBF \xEF\xBB\n \n \r
        \r\n\n \s \xEF\n\xBB \x00 \xEF\xBBU
        """
    )
)
OTHER_LINES: Final = pieces(
    r"""
    \e \e \e #\scomment # \s \t\s \x0C Sitemap:\shttps://example.com/s.xml sitemap:/s.xml#x site-map:\ss
    Sitemaps:\ss SITEMAP\ss Sitemap: Sitemap:\xFF Crawl-delay:\s1 Crawl-delay\s1 crawl-delay: Host:\sexample.com
    Clean-param:\sa&b\s/ Noindex:\s/ Content-Signal:\sai-train=no foo foo\sbar foo\sbar\sbaz :\sx : \s:\s/ foo:
    foo:\sbar:\sbaz \x00 \x00Disallow:\s/ a\x00b:\s/ User-agent User-agent\s#\sx Disallow Disallow\s# Allow\s/\s#\sx
    allow\s/a disallow\s\s/a user-agent\sa Useragent\s* <html> \xEF\xBB\xBF \xFF Disallow\s/\s/ /a * Allow\x0B/
    Allow\x0B/\s \x1CAllow:\s/ Unknown\xFF:\s\xFE
    """
)

# --- product tokens --------------------------------------------------------------------------------------------------

TOKENS: Final = pieces(r"a b bot FooBot foobot Foo-Bot foo_bar Googlebot Googlebot-Image") * 3 + pieces(
    r"MJ12bot MJ 360Spider a.b b\xC3\xB6t bo\xE2\x84\xAA bok - _ foo bot@x bot:1"
)
# `@` stands for one of the file's own tokens.
USER_AGENT_VALUES: Final = (
    pieces(r"@") * 44
    + pieces(r"*") * 16
    + pieces(
        r"""
        @/1.0 @\sx @* @,\sb @,b @\tx @; @\x00 @\x00x @\xC3\xA9 @1 @. @\x0B @#x @\s#x *\sx *x ** *\tx *\x0Bx *\x00 */ *,a
        *- *\s#\sall *\xC2\xA0 *\x0C *\x1F \e \s # \x00 \xFF /@ 1@ .@ '@' @@ Mozilla/5.0\s(compatible;\s@/1.0)
        User-agent:\s@ :@ @:
        """
    )
)
OTHER_AGENTS: Final = pieces(r"unnamed * bot Mozilla MJ x")

# --- patterns --------------------------------------------------------------------------------------------------------

PATTERN_STARTS: Final = pieces(r"/") * 40 + pieces(r"/* * // \e $ a %2F %2f ? . */ \xC3\xA9 # ~ :")
PLAIN: Final = pieces(r"/ / a b c ab abc fish /a .html - _ ~ . aa A \s")
PERCENT: Final = pieces(
    r"""
    % %% %%% %4 %2 %41 %61 %34 %2f %2F %25 %252F %2525 %3 %zz %g1 %1g %2a %2A %24 %3f %3F %23 %c3%a9 %C3%A9 %c3 %7e
    %7E %7f %00 %20 %2e %2D 41 4 1 2 F f a / ~ 5 %F %f %5 %35 %46 %66 %5f %5B %5d %61%
    """
)
WILD: Final = pieces(r"* * ** $ $ a a b ab ba / *$ $* .php %24 %2A *a *a* a$ ?")
QUERY: Final = pieces(
    r"""
    ? ? & = : / [ ] @ ! ' ( ) + , ; a b * $ %3A %2F %3f %3F %5B %5d %40 %21 %27 %28 %29 %2B %2c %3b %3D %26 %2A %24
    :// ?u=https://x.y/z ?a[]=1 ?? a=b %23
    """
)
UNICODE: Final = pieces(
    r"""
    \xC3\xA9 \xC3\xB6 \xC3 \xA9 \xFF \x80 \xE3\x83\x84 \xF0\x9F\x90\x9F \xED\xB2\x80 \xED\xA0\x80 \xEF\xBB\xBF
    \xC0\xAF \xC2\x85 \xC2\xA0 \xE2\x84\xAA \xC4\xB1 %C3%A9 %c3%a9 %C3 %A9 a b / * $ ?
    """
)
CONTROLS: Final = pieces(
    r"""
    \x01 \t \x0B \x0C \s \x1F \x7F \x22 < > \x5C ^ ` { | } \x00 # : %01 %09 %20 %22 %5C %5c %7B %7f %23 a b / * ?
    \x1C
    """
)
INDEX: Final = pieces(
    r"""
    index.html /index.html /index.htm index.htm /index.ht /INDEX.HTML /index.htmx /index.html$ /index.html*
    /%69ndex.html /index.html?a=/b /index.html/ /*/index.html / / /a $ * a \xC3\xA9 %2f ?
    """
)
DOTS: Final = pieces(r"/. /.. /./ /../ %2e %2E /%2e%2e/ /.%2E .. ... . a /a / ? // * $ /robots.txt")

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

SUFFIXES: Final = pieces(r"\e a / /b ?a=b ? # #x?y/z ; $ * % .html index.html /.. ?u=https://x/ %2F ab \xFF \x00 \x00b")
AUTHORITIES: Final = (
    pieces(r"\e") * 40
    + pieces(r"https://example.com") * 24
    + pieces(
        r"""
        http://example.com HTTPS://EXAMPLE.COM https://example.com:443 https://example.com: https://example.com:00080
        //example.com https://user:pw@example.com https://a@b@example.com:80 https://@example.com https://[::1]:443
        https://[::1] //[::1] https://\xC3\xA9x.com foo+1.-://h https://example.com;p https://h%41 https://a!$&'()*+,;=b
        //u@h:1 h://example.com https://example.com.evil https://EXAMPLE.com:443 https://other.example
        https://example.com@x https://:1 https://example.com:1;
        """
    )
)
# Invalid URLs, and valid ones that are hard to split.
ODD_URLS: Final = pieces(
    r"""
    \e a * ?a #a \s/a example.com/a mailto:a https: https:/a https:// https:///a https://?a https://#a https://:80/
    https://exa\smple.com/a https://example.com:65536/ https://example.com:65535/a https://example.com:8a/
    https://example.com:-1/ https://example.com:000000000000000065535/a https://example.com:99999999999999999999/
    https://example.com:\xD9\xA1/ https://u:p@/a https://[::1/a https://[]/a https://[::1]a/ https://[::1]:/a
    https://::1]/a https://[a\sb]/ https://a[b]/ https://a]b/ https://u@[::1]:80/a 1http://x/ ht\stp://x/a
    \xC3\xA9://x/a -a://x/ a\x00://x/ a_b://x/a +://x/ ://x/ https//example.com/a // /// ///a //?a //# //#a/b //;a
    //a //a?b //a;b/c //a#b/c //[ //a\sb/ //a:x/ //@/ //:1/a //a//b / /? /# /; /* /$ /% /a://b/c /a?b://c/d
    //a?b://c/d //a/b://c https://h?u=http://x/y https://h;u=http://x/y https://h#a://b/c https://h#/a
    https://h/#a?b https://h?#/a https://h?a/b https://h;a/b?c https://h; https://h? https://h# /robots.txt
    https://h/robots.txt https://h/robots.txt?a https://h/robots.txt#a /a/../robots.txt /robots%2Etxt /%72obots.txt
    /Robots.txt https://h\x00/a https://h\x7F/a https://h\x5C/a https://h<a/ https://h|/a https://h^/ https://h`/
    https://{h}/ https://\x22/ https://h%/a
    """
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
NOT_URLS: Final[list[object]] = [None, 0, 1.5, bytearray(b"/a"), memoryview(b"/a"), ["/a"], ("/a",), object]

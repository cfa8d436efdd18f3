"""Figures of studies about robots.txt files, as published. Nothing here is estimated.

| study | source |
| --- | --- |
| HTTP Archive, July 2025 | Web Almanac 2025, chapter SEO, desktop |
| robotstxt-study, 2023 | padas-lab-de/robotstxt-study, tables of 2023, of the robots.txt captures of CC-MAIN-2023-50 |
| Common Crawl, CC-MAIN-2023-50 | commoncrawl/robotstxt-experiments, robotstxt-status-counts-topk.csv, 2M |
| IMC 2025, October 2024 | ucsdsysnet/ai-crawler-imc-25, all_ua_stats.json, all_mentioned_props.json, snapshot 2024-42 |
"""

from typing import Final, NamedTuple

# HTTP Archive, shares of all sites. It has 1.0 % of timeouts, which leave no response: they count as 504.
HTTP_ARCHIVE_STATUSES: Final = {200: 0.849, 404: 0.133, 504: 0.010, 403: 0.005, 500: 0.001}
HTTP_ARCHIVE_EMPTY: Final = 0.018
HTTP_ARCHIVE_NAMED: Final = {
    "*": 0.7704,
    "AdsBot-Google": 0.0982,
    "AhrefsBot": 0.0929,
    "MJ12bot": 0.0731,
    "Googlebot": 0.0622,
    "Nutch": 0.0503,
    "AdsBot-Google-Mobile": 0.0476,
    "Pinterest": 0.0459,
    "DotBot": 0.0458,
    "AhrefsSiteAudit": 0.0457,
    "GPTBot": 0.045,
    "PetalBot": 0.040,
    "ClaudeBot": 0.036,
    "CCBot": 0.035,
    "Google-Extended": 0.034,
    "Amazonbot": 0.033,
    "SemrushBot": 0.030,
    "FacebookBot": 0.029,
    "PerplexityBot": 0.028,
    "ChatGPT-User": 0.028,
    "Meta-ExternalAgent": 0.028,
}
# The same in 2024, as far as the chapter of 2025 has it.
HTTP_ARCHIVE_NAMED_2024: Final = {
    "GPTBot": 0.029,
    "CCBot": 0.027,
    "anthropic-ai": 0.020,
    "ChatGPT-User": 0.020,
    "ClaudeBot": 0.019,
}

# robotstxt-study: of the valid files, those that name a user agent, and of these, those that disallow it everything.
STUDY_NAMED: Final = {
    "*": 0.9638,
    "Googlebot": 0.1285,
    "AhrefsBot": 0.1139,
    "AdsBot-Google": 0.0954,
    "PetalBot": 0.0782,
    "AdsBot-Google-Mobile": 0.0708,
    "bingbot": 0.0592,
    "MJ12bot": 0.0481,
    "Mediapartners-Google": 0.0466,
    "Baiduspider": 0.0401,
    "ia_archiver": 0.0352,
    "SemrushBot": 0.0265,
    "Yandex": 0.0261,
    "Yahoo! Slurp": 0.0253,
    "YandexBot": 0.0249,
    "DotBot": 0.0243,
    "Nutch": 0.0236,
    "Sosospider": 0.0225,
    "SeznamBot": 0.0224,
    "Sogou Spider": 0.0220,
}
STUDY_CLOSED: Final = {
    "*": 0.0312,
    "AdsBot-Google": 0.0019,
    "AhrefsBot": 0.1871,
    "Baiduspider": 0.3746,
    "bingbot": 0.3019,
    "CCBot": 0.9897,
    "ChatGPT-User": 0.9548,
    "Googlebot": 0.0183,
    "Google-Extended": 0.9992,
    "GPTBot": 0.9961,
    "ia_archiver": 0.1973,
    "Mediapartners-Google": 0.0046,
    "MJ12bot": 0.5098,
    "PetalBot": 0.9908,
    "Yandex": 0.2523,
}
# Means of a valid file.
STUDY_BYTES: Final = 464.0
STUDY_LINES: Final = 17.8
STUDY_USER_AGENTS: Final = 3.5

# Common Crawl: hosts by the class of their response. The class of files of another type is empty since 2021.
COMMON_CRAWL_CLASSES: Final = {
    "forbidden": 27_056,
    "defer-visits": 22_587,
    "allow-all": 173_474,
    "redirect-unresolved": 43_894,
    "no-text": 0,
    "no-rules": 44_629,
    "with-rules": 636_902,
}


class AgentCounts(NamedTuple):
    """How many files disallow an agent fully, partially and not, and of those, the ones that name it."""

    fully: int
    partially: int
    unrestricted: int
    named_fully: int
    named_partially: int
    named_unrestricted: int

    @property
    def named(self) -> int:
        """The files that name the agent."""
        return self.named_fully + self.named_partially + self.named_unrestricted


# IMC 2025. The shares of figure 3 are of the files and the sites with status 404; they are multiplied by these here.
IMC_FILES: Final = 29_867
IMC_MISSING: Final = 2_725
IMC_ERRORS: Final = 7_828
IMC_AGENTS: Final = {
    "Amazonbot": AgentCounts(1_256, 22_634, 5_977, 756, 68, 27),
    "anthropic-ai": AgentCounts(1_828, 22_168, 5_871, 1_336, 262, 2),
    "Applebot": AgentCounts(608, 23_227, 6_032, 161, 136, 79),
    "Applebot-Extended": AgentCounts(1_325, 22_607, 5_935, 834, 242, 0),
    "Bytespider": AgentCounts(1_508, 22_438, 5_921, 1_018, 262, 12),
    "CCBot": AgentCounts(2_513, 21_536, 5_818, 2_019, 293, 13),
    "ChatGPT-User": AgentCounts(2_001, 22_007, 5_859, 1_513, 286, 17),
    "Claude-Web": AgentCounts(1_600, 22_365, 5_902, 1_107, 25, 1),
    "ClaudeBot": AgentCounts(1_721, 22_239, 5_907, 1_228, 268, 13),
    "cohere-ai": AgentCounts(1_282, 22_667, 5_918, 788, 239, 1),
    "Diffbot": AgentCounts(1_171, 22_728, 5_968, 674, 245, 1),
    "FacebookBot": AgentCounts(1_440, 22_441, 5_986, 948, 262, 53),
    "Google-Extended": AgentCounts(2_002, 22_011, 5_854, 1_520, 86, 9),
    "GPTBot": AgentCounts(3_182, 20_928, 5_757, 2_704, 375, 71),
    "Meta-ExternalAgent": AgentCounts(953, 22_922, 5_992, 457, 231, 13),
    "Meta-ExternalFetcher": AgentCounts(585, 23_291, 5_991, 87, 226, 1),
    "OAI-SearchBot": AgentCounts(952, 22_916, 5_999, 458, 17, 9),
    "omgili": AgentCounts(1_460, 22_471, 5_936, 964, 27, 0),
    "PerplexityBot": AgentCounts(1_522, 22_383, 5_962, 1_029, 253, 2),
    "Timpibot": AgentCounts(743, 23_131, 5_993, 244, 226, 0),
    "Webzio-Extended": AgentCounts(698, 23_170, 5_999, 200, 0, 0),
    "YouBot": AgentCounts(946, 22_933, 5_988, 450, 5, 0),
}
# AI2Bot and Kangaroo Bot, for which Google's parser finds no group, so that `*` applies. The study counts mentions of
# them by other means, in 0.4 % of the files at most.
IMC_UNNAMED: Final = AgentCounts(499, 23_366, 6_002, 0, 0, 0)

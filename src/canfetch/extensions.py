"""The values of records beyond allow and disallow: delays, rates, sitemaps, usage preferences, licenses.

`RobotsTxt.extensions` returns them; `RobotsTxt.usage`, `RobotsTxt.licenses` and similar methods answer questions
about them.
"""

from canfetch.core.extensions.acap import AcapField
from canfetch.core.extensions.clean_param import CleanParam
from canfetch.core.extensions.collection import Extensions
from canfetch.core.extensions.content_signal import ContentSignal
from canfetch.core.extensions.content_usage import ContentUsage
from canfetch.core.extensions.crawl_delay import CacheDelay, CrawlDelay
from canfetch.core.extensions.document_urls import CatalogURL, License, SitemapURL
from canfetch.core.extensions.extended_standard import Comment, RobotVersion
from canfetch.core.extensions.host import HostName
from canfetch.core.extensions.path_rules import AITrainingRule, PathPageRule
from canfetch.core.extensions.preference import Preference, UsagePreference, UsagePurpose
from canfetch.core.extensions.record import Extension, ExtensionNote, ExtensionScope
from canfetch.core.extensions.request_rate import RequestRate
from canfetch.core.extensions.usage import Usage, UsageStatement
from canfetch.core.extensions.windows import DailyWindow

__all__ = [
    "AITrainingRule",
    "AcapField",
    "CacheDelay",
    "CatalogURL",
    "CleanParam",
    "Comment",
    "ContentSignal",
    "ContentUsage",
    "CrawlDelay",
    "DailyWindow",
    "Extension",
    "ExtensionNote",
    "ExtensionScope",
    "Extensions",
    "HostName",
    "License",
    "PathPageRule",
    "Preference",
    "RequestRate",
    "RobotVersion",
    "SitemapURL",
    "Usage",
    "UsagePreference",
    "UsagePurpose",
    "UsageStatement",
]

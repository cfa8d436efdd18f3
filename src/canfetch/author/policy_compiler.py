"""Compiling a site policy to a robots.txt: one group for each intent, with all rules that apply to its crawlers."""

from canfetch.author.draft import Draft, DraftGroup
from canfetch.author.resolution import Resolution, resolve
from canfetch.author.site_policy import EVERY_PATH, Intent, SitePolicy
from canfetch.core.extensions.preference import UsagePurpose


def compile_policy(policy: SitePolicy, resolution: Resolution | None = None) -> Draft:
    """Return the draft of a policy.

    Raises: InvalidDraft: A name, a pattern or a URL is not valid in a robots.txt.
    """
    draft = Draft()
    for text in policy.comments:
        draft.comment(text)
    draft.license(*policy.licenses)
    for intent, tokens in (resolution or resolve(policy)).groups:
        _add_rules(draft.group(*tokens), intent)
    draft.sitemap(*policy.sitemaps)
    return draft


def _add_rules(group: DraftGroup, intent: Intent) -> None:
    for rule in intent.rules:
        (group.allow if rule.allow else group.disallow)(rule.pattern)
    if not intent.fetch:
        group.disallow(EVERY_PATH)
    elif not intent.rules:
        group.allow_everything()
    # A delay of 0 is an explicit "none" that overrides everyone's.
    if intent.crawl_delay and not intent.disallows_everything:
        group.crawl_delay(intent.crawl_delay)
    if intent.usage is not None and not intent.disallows_everything:
        training, search, ai_use = (intent.usage.get(use) for use in UsagePurpose)
        group.content_usage(training=training, search=search, ai_use=ai_use)
        group.content_signal(training=training, search=search, ai_use=ai_use)
    for url in intent.licenses:
        group.license(url)

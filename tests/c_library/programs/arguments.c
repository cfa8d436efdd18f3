// Each function rejects what it can recognize as invalid, and writes a result that is safe to use.

#include <canfetch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);           \
            exit(EXIT_FAILURE);                                                       \
        }                                                                             \
    } while (0)

// A constant text, and its length.
#define TEXT(text) (text), (sizeof(text) - 1)
#define OK CANFETCH_STATUS_OK

// A pointer that is not an address, and must not be followed.
#define UNALIGNED(type) ((type *)(uintptr_t)3)
#define TOO_LONG ((size_t)-1 / 2 + 1)

static const char FILE_TEXT[] = "User-agent: *\nDisallow: /private\nAllow: /private/press\nCrawl-delay: 2.5\n"
                                "Sitemap: https://example.com/a.xml\nSitemap: https://example.com/b\xff.xml\n";

static void test_constants(void) {
    CHECK(strcmp(canfetch_version(), EXPECTED_VERSION) == 0);
    for (int32_t status = -2; status < 12; status++) {
        CHECK(strlen(canfetch_status_message(status)) > 0);
    }
    CHECK(strcmp(canfetch_status_message(INT32_MIN), "unknown status") == 0);
    CHECK(strcmp(canfetch_reason_name(CANFETCH_REASON_EMPTY_RULE), "empty-rule") == 0);
    CHECK(strcmp(canfetch_reason_name(CANFETCH_REASON_UNDECIDED), "undecided") == 0);
    CHECK(strcmp(canfetch_reason_name(INT32_MAX), "unknown reason") == 0);
    CHECK(strcmp(canfetch_version(), CANFETCH_VERSION) == 0);
}

static void test_parse(void) {
    CanfetchRobots *robots = UNALIGNED(CanfetchRobots);
    CHECK(canfetch_parse(NULL, 1, &robots) == CANFETCH_STATUS_INVALID_POINTER && robots == NULL);
    CHECK(canfetch_parse("", 0, NULL) == CANFETCH_STATUS_INVALID_POINTER);
    CHECK(canfetch_parse("", 0, UNALIGNED(CanfetchRobots *)) == CANFETCH_STATUS_INVALID_POINTER);
    CHECK(canfetch_parse("a", TOO_LONG, &robots) == CANFETCH_STATUS_INVALID_NUMBER && robots == NULL);
    CHECK(canfetch_parse("a", (size_t)-1, &robots) == CANFETCH_STATUS_INVALID_NUMBER);
    CHECK(canfetch_parse_as("", 0, TEXT("opera"), 0, &robots) == CANFETCH_STATUS_UNKNOWN_PROFILE);
    CHECK(canfetch_parse_as("", 0, TEXT("\xff"), 0, &robots) == CANFETCH_STATUS_UNKNOWN_PROFILE);
    CHECK(canfetch_parse_as("", 0, NULL, 6, 0, &robots) == CANFETCH_STATUS_INVALID_POINTER);
    CHECK(canfetch_parse_as("", 0, NULL, 0, 511999, &robots) == CANFETCH_STATUS_INVALID_NUMBER);
    CHECK(canfetch_parse_as("", 0, NULL, 0, 536870913, &robots) == CANFETCH_STATUS_INVALID_NUMBER && robots == NULL);
    CHECK(canfetch_parse_as(NULL, 0, TEXT("google"), 536870912, &robots) == OK && robots != NULL);
    canfetch_close(robots);
    canfetch_close(NULL);
    canfetch_rules_close(NULL);
}

static void test_file(const CanfetchRobots *robots) {
    bool allowed = true;
    CanfetchVerdict verdict = {.allowed = true, .line = 9};
    double seconds = 0;
    size_t length = 9;
    CHECK(canfetch_allows(NULL, TEXT("Bot"), TEXT("/"), &allowed) == CANFETCH_STATUS_INVALID_POINTER && !allowed);
    CHECK(canfetch_allows(robots, TEXT("Bot"), TEXT("/"), NULL) == CANFETCH_STATUS_INVALID_POINTER);
    allowed = true;
    CHECK(canfetch_allows(robots, NULL, 0, TEXT("/"), &allowed) == CANFETCH_STATUS_INVALID_AGENT && !allowed);
    CHECK(canfetch_allows(robots, NULL, 3, TEXT("/"), &allowed) == CANFETCH_STATUS_INVALID_POINTER);
    CHECK(canfetch_allows(robots, TEXT("a b"), TEXT("/"), &allowed) == CANFETCH_STATUS_INVALID_AGENT);
    CHECK(canfetch_allows(robots, TEXT("a\0b"), TEXT("/"), &allowed) == CANFETCH_STATUS_INVALID_AGENT);
    CHECK(canfetch_allows(robots, TEXT("\xff"), TEXT("/"), &allowed) == CANFETCH_STATUS_INVALID_AGENT);
    CHECK(canfetch_allows(robots, TEXT("Bot"), NULL, 0, &allowed) == CANFETCH_STATUS_INVALID_URL);
    CHECK(canfetch_allows(robots, TEXT("Bot"), NULL, 1, &allowed) == CANFETCH_STATUS_INVALID_POINTER);
    CHECK(canfetch_allows(robots, TEXT("Bot"), "/", TOO_LONG, &allowed) == CANFETCH_STATUS_INVALID_NUMBER && !allowed);
    CHECK(canfetch_allows(robots, TEXT("Bot"), TEXT("/"), &allowed) == OK && allowed);

    CHECK(canfetch_decide(NULL, TEXT("Bot"), TEXT("/"), &verdict) == CANFETCH_STATUS_INVALID_POINTER);
    CHECK(!verdict.allowed && verdict.reason == CANFETCH_REASON_UNDECIDED && verdict.line == 0);
    CHECK(canfetch_decide(robots, TEXT("Bot"), TEXT("/"), NULL) == CANFETCH_STATUS_INVALID_POINTER);
    CHECK(canfetch_decide(robots, TEXT("Bot"), TEXT("private"), &verdict) == CANFETCH_STATUS_INVALID_URL);
    CHECK(canfetch_decide(robots, TEXT("Bot"), TEXT("/private/a"), &verdict) == OK);
    CHECK(!verdict.allowed && verdict.reason == CANFETCH_REASON_DISALLOW_RULE && !verdict.is_allow_rule);
    CHECK(verdict.line == 2 && verdict.group_line == 1 && verdict.specificity == 8);
    CHECK(verdict.pattern_length == 8 && memcmp(verdict.pattern, "/private", 8) == 0);
    CHECK(canfetch_decide(robots, TEXT("Bot"), TEXT("/other"), &verdict) == OK);
    CHECK(verdict.allowed && verdict.line == 0 && verdict.group_line == 1 && verdict.pattern == NULL);

    CHECK(canfetch_crawl_delay(robots, TEXT("Bot"), &seconds) == OK && seconds == 2.5);
    CHECK(canfetch_crawl_delay(robots, TEXT("a/b"), &seconds) == CANFETCH_STATUS_INVALID_AGENT && seconds == -1.0);
    CHECK(canfetch_crawl_delay(robots, TEXT("Bot"), NULL) == CANFETCH_STATUS_INVALID_POINTER);
    CHECK(canfetch_crawl_delay(NULL, TEXT("Bot"), &seconds) == CANFETCH_STATUS_INVALID_POINTER);

    const char *data = "";
    CHECK(canfetch_sitemap(robots, 0, &data, &length) == OK);
    CHECK(length == 25 && memcmp(data, "https://example.com/a.xml", length) == 0);
    CHECK(canfetch_sitemap(robots, 1, &data, &length) == OK);
    CHECK(length == 28 && memcmp(data, "https://example.com/b%FF.xml", length) == 0);
    CHECK(canfetch_sitemap(robots, 2, &data, &length) == CANFETCH_STATUS_NO_SUCH_ENTRY && data == NULL && length == 0);
    CHECK(canfetch_sitemap(robots, (size_t)-1, &data, &length) == CANFETCH_STATUS_NO_SUCH_ENTRY);
    length = 9;
    CHECK(canfetch_sitemap(robots, 0, NULL, &length) == CANFETCH_STATUS_INVALID_POINTER && length == 0);
    data = "";
    CHECK(canfetch_sitemap(robots, 0, &data, NULL) == CANFETCH_STATUS_INVALID_POINTER && data == NULL);
    CHECK(canfetch_sitemap(NULL, 0, &data, &length) == CANFETCH_STATUS_INVALID_POINTER);
}

static void test_explain(const CanfetchRobots *robots) {
    static const char EXPECTED[] = "allowed: line 3, Allow: /private/press (/private/press)\n"
                                   "also matched: line 2, Disallow: /private";
    const size_t expected = sizeof EXPECTED - 1;
    char buffer[200] = "unchanged";
    size_t length = 9;
    CHECK(canfetch_explain(robots, TEXT("Bot"), TEXT("/private/press"), NULL, 0, &length) ==
          CANFETCH_STATUS_BUFFER_TOO_SMALL);
    CHECK(length == expected);
    CHECK(canfetch_explain(robots, TEXT("Bot"), TEXT("/private/press"), buffer, expected, &length) ==
          CANFETCH_STATUS_BUFFER_TOO_SMALL);
    CHECK(strcmp(buffer, "unchanged") == 0);
    CHECK(canfetch_explain(robots, TEXT("Bot"), TEXT("/private/press"), NULL, 200, &length) ==
          CANFETCH_STATUS_INVALID_POINTER);
    CHECK(length == 0);
    CHECK(canfetch_explain(robots, TEXT("Bot"), TEXT("/private/press"), buffer, 200, NULL) ==
          CANFETCH_STATUS_INVALID_POINTER);
    CHECK(canfetch_explain(robots, TEXT("Bot"), TEXT("private"), buffer, 200, &length) == CANFETCH_STATUS_INVALID_URL);
    CHECK(length == 0 && strcmp(buffer, "unchanged") == 0);
    CHECK(canfetch_explain(NULL, TEXT("Bot"), TEXT("/"), buffer, 200, &length) == CANFETCH_STATUS_INVALID_POINTER);
    CHECK(canfetch_explain(robots, TEXT("Bot"), TEXT("/private/press"), buffer, expected + 1, &length) == OK);
    CHECK(length == expected && strcmp(buffer, EXPECTED) == 0);
    CHECK(canfetch_explain(robots, TEXT("Bot"), TEXT("/\0\x1b"), buffer, 200, &length) == OK);
    CHECK(strlen(buffer) == length && strchr(buffer, '\x1b') == NULL);
}

static void test_rules(CanfetchRobots *robots) {
    const CanfetchText tokens[] = {{TEXT("First")}, {TEXT("Second")}}, none = {NULL, 3}, invalid = {TEXT("a b")};
    CanfetchRules *rules = UNALIGNED(CanfetchRules);
    bool allowed = true;
    CanfetchVerdict verdict;
    double seconds = 0;
    size_t length = 0;
    CHECK(canfetch_rules(NULL, TEXT("Bot"), &rules) == CANFETCH_STATUS_INVALID_POINTER && rules == NULL);
    CHECK(canfetch_rules(robots, TEXT("Bot"), NULL) == CANFETCH_STATUS_INVALID_POINTER);
    CHECK(canfetch_rules(robots, NULL, 3, &rules) == CANFETCH_STATUS_INVALID_POINTER);
    CHECK(canfetch_rules(robots, TEXT(""), &rules) == CANFETCH_STATUS_INVALID_AGENT && rules == NULL);
    CHECK(canfetch_rules_for_tokens(robots, NULL, 0, 1, &rules) == CANFETCH_STATUS_INVALID_AGENT);
    CHECK(canfetch_rules_for_tokens(robots, NULL, 1, 1, &rules) == CANFETCH_STATUS_INVALID_POINTER);
    CHECK(canfetch_rules_for_tokens(robots, UNALIGNED(CanfetchText), 1, 1, &rules) == CANFETCH_STATUS_INVALID_POINTER);
    CHECK(canfetch_rules_for_tokens(robots, tokens, (size_t)-1 / 16, 1, &rules) == CANFETCH_STATUS_INVALID_NUMBER);
    CHECK(canfetch_rules_for_tokens(robots, &none, 1, 1, &rules) == CANFETCH_STATUS_INVALID_POINTER);
    CHECK(canfetch_rules_for_tokens(robots, &invalid, 1, 1, &rules) == CANFETCH_STATUS_INVALID_AGENT);
    CHECK(canfetch_rules_for_tokens(robots, tokens, 2, 2, &rules) == CANFETCH_STATUS_INVALID_NUMBER && rules == NULL);
    CHECK(canfetch_rules_for_header(robots, TEXT("Mozilla/5.0"), 1, &rules) == CANFETCH_STATUS_INVALID_AGENT);
    CHECK(canfetch_rules_for_header(robots, TEXT("Bot/1"), -2, &rules) == CANFETCH_STATUS_INVALID_NUMBER);
    CHECK(canfetch_rules_for_header(robots, NULL, 4, 1, &rules) == CANFETCH_STATUS_INVALID_POINTER && rules == NULL);

    CHECK(canfetch_rules_for_tokens(robots, tokens, 2, CANFETCH_STAR_IGNORED, &rules) == OK);
    CHECK(canfetch_rules_decide(rules, TEXT("/private"), &verdict) == OK && verdict.allowed);
    CHECK(verdict.reason == CANFETCH_REASON_NO_GROUP && verdict.group_line == 0);
    CHECK(canfetch_rules_crawl_delay(rules, &seconds) == OK && seconds == -1.0);
    canfetch_rules_close(rules);

    CHECK(canfetch_rules_for_header(robots, TEXT("Bot/1.0 (+https://example.com)"), CANFETCH_STAR_DEFAULT, &rules) == OK);
    // The rules keep the file.
    canfetch_close(robots);
    CHECK(canfetch_rules_allows(rules, TEXT("/private"), &allowed) == OK && !allowed);
    CHECK(canfetch_rules_allows(rules, TEXT(""), &allowed) == CANFETCH_STATUS_INVALID_URL && !allowed);
    CHECK(canfetch_rules_allows(NULL, TEXT("/"), &allowed) == CANFETCH_STATUS_INVALID_POINTER);
    CHECK(canfetch_rules_allows(rules, TEXT("/"), NULL) == CANFETCH_STATUS_INVALID_POINTER);
    CHECK(canfetch_rules_decide(rules, TEXT("/private/press"), &verdict) == OK && verdict.is_allow_rule);
    CHECK(verdict.pattern_length == 14 && memcmp(verdict.pattern, "/private/press", 14) == 0);
    CHECK(canfetch_rules_decide(rules, TEXT("/"), NULL) == CANFETCH_STATUS_INVALID_POINTER);
    CHECK(canfetch_rules_decide(NULL, TEXT("/"), &verdict) == CANFETCH_STATUS_INVALID_POINTER && !verdict.allowed);
    CHECK(canfetch_rules_explain(NULL, TEXT("/"), NULL, 0, &length) == CANFETCH_STATUS_INVALID_POINTER);
    CHECK(canfetch_rules_explain(rules, TEXT("/"), NULL, 0, &length) == CANFETCH_STATUS_BUFFER_TOO_SMALL && length > 0);
    CHECK(canfetch_rules_crawl_delay(rules, &seconds) == OK && seconds == 2.5);
    CHECK(canfetch_rules_crawl_delay(rules, NULL) == CANFETCH_STATUS_INVALID_POINTER);
    CHECK(canfetch_rules_crawl_delay(NULL, &seconds) == CANFETCH_STATUS_INVALID_POINTER && seconds == -1.0);
    canfetch_rules_close(rules);
}

int main(void) {
    CanfetchRobots *robots;
    test_constants();
    test_parse();
    CHECK(canfetch_parse(FILE_TEXT, sizeof FILE_TEXT - 1, &robots) == OK);
    test_file(robots);
    test_explain(robots);
    test_rules(robots);
    return EXIT_SUCCESS;
}

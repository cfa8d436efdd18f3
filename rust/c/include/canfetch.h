// canfetch: whether a crawler may fetch a URL, and why. The Robots Exclusion Protocol (RFC 9309).
//
// Generated from rust/c/src by rust/header: edit these sources, not this file. docs/c.md has examples.
//
// Texts are pointers and lengths in bytes. They need no NUL byte, and a length of 0 allows NULL. Each function states who
// owns what it returns. Each place for a result is written, also after an error, unless its pointer is NULL or not
// aligned.

#ifndef CANFETCH_H
#define CANFETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The version of this header. canfetch_version() returns that of the library.
#define CANFETCH_VERSION "0.1.0"

// The default of an agent: the groups for `*` apply, unless its first token is the name of a crawler that ignores them,
// such as AdsBot-Google.
#define CANFETCH_STAR_DEFAULT (-1)

// The groups for `*` do not apply.
#define CANFETCH_STAR_IGNORED 0

// The groups for `*` apply if no group names the agent.
#define CANFETCH_STAR_APPLIES 1

// The result of a call. canfetch_status_message() describes it.
enum CanfetchStatus
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // The call succeeded.
  CANFETCH_STATUS_OK = 0,
  // A required pointer is NULL, or not aligned for its type.
  CANFETCH_STATUS_INVALID_POINTER = 1,
  // A length or a number is out of range.
  CANFETCH_STATUS_INVALID_NUMBER = 2,
  // The URL is neither absolute, nor `//host/path`, nor a path that starts with `/`.
  CANFETCH_STATUS_INVALID_URL = 3,
  // The agent has no product token, or an invalid one.
  CANFETCH_STATUS_INVALID_AGENT = 4,
  // No profile has this name.
  CANFETCH_STATUS_UNKNOWN_PROFILE = 5,
  // The text does not fit into the buffer.
  CANFETCH_STATUS_BUFFER_TOO_SMALL = 6,
  // The list has no entry with this index.
  CANFETCH_STATUS_NO_SUCH_ENTRY = 7,
  // There is not enough memory for the file.
  CANFETCH_STATUS_OUT_OF_MEMORY = 8,
  // A defect in the library. The handles stay valid.
  CANFETCH_STATUS_INTERNAL_ERROR = 9,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CanfetchStatus CanfetchStatus;
#else
typedef int32_t CanfetchStatus;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What decides.
enum CanfetchReason
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // No decision, because the call failed.
  CANFETCH_REASON_UNDECIDED = 0,
  // `/robots.txt` itself is allowed.
  CANFETCH_REASON_ROBOTS_TXT = 1,
  // No group applies to the agent.
  CANFETCH_REASON_NO_GROUP = 2,
  // No rule matches.
  CANFETCH_REASON_NO_MATCH = 3,
  // An allow rule decides.
  CANFETCH_REASON_ALLOW_RULE = 4,
  // A disallow rule decides.
  CANFETCH_REASON_DISALLOW_RULE = 5,
  // An empty rule matches, which allows.
  CANFETCH_REASON_EMPTY_RULE = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CanfetchReason CanfetchReason;
#else
typedef int32_t CanfetchReason;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// A parsed robots.txt. Threads can share it: see canfetch_parse().
typedef struct CanfetchRobots CanfetchRobots;

// The rules of a file that apply to one agent. Threads can share it: see canfetch_rules().
typedef struct CanfetchRules CanfetchRules;

// Whether an agent may fetch a URL, and why.
typedef struct CanfetchVerdict {
  // Whether the agent may fetch the URL. After an error it is false.
  bool allowed;
  // Whether the deciding rule is an allow rule.
  bool is_allow_rule;
  // What decides.
  CanfetchReason reason;
  // The line of the deciding rule from 1, or 0 if no rule decides.
  uint32_t line;
  // The first user-agent line that names the agent, or `*` if the groups for `*` apply. It counts from 1, and is 0 if no
  // group applies. The deciding rule may be in a later group.
  uint32_t group_line;
  // The length in bytes of the canonical pattern. In most profiles, the highest one decides.
  uint32_t specificity;
  // The value of the deciding rule as written, or NULL. It need not be UTF-8, and no NUL byte follows. The bytes belong
  // to the file or rules that the call was made with, and are valid until they are closed.
  const char *pattern;
  // The number of bytes of the pattern.
  size_t pattern_length;
} CanfetchVerdict;

// Bytes of the caller, which need no NUL byte at the end.
typedef struct CanfetchText {
  // The bytes.
  const char *data;
  // Their number.
  size_t length;
} CanfetchText;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Return the version of the library, such as "0.1.0". The text is constant and ends with a NUL byte.
const char *canfetch_version(void);

// Return the description of a status in English. The text is constant and ends with a NUL byte.
//
// It is never NULL, also if the number is not a status.
const char *canfetch_status_message(int32_t status);

// Return the name of a reason, such as "disallow-rule". The text is constant and ends with a NUL byte.
//
// It is never NULL, also if the number is not a reason.
const char *canfetch_reason_name(int32_t reason);

// Parse a robots.txt as RFC 9309 specifies. Content is never an error. At most 512,000 bytes are read.
//
// If the file is longer, pass at least 512,001 bytes: the library then ignores the line that the limit cuts. A part of a
// line may disallow more than the whole line.
//
// The content is copied, so the caller may free it after the call. On success, `*robots` is a handle that the caller frees
// with canfetch_close(). After an error it is NULL.
//
// Threads can use one handle at the same time, with every function except canfetch_close().
//
// Safety: `content` points to `length` bytes. `robots` points to memory for a pointer.
CanfetchStatus canfetch_parse(const char *content,
                              size_t length,
                              struct CanfetchRobots **robots);

// Parse a robots.txt as canfetch_parse() does, with a profile and a limit.
//
// `profile` is the name of a profile, such as "google". A `profile_length` of 0 selects "rfc9309". `max_bytes` is the
// number of bytes that are read, from 512,000 to 536,870,912. 0 selects 512,000. If the file is longer, pass more bytes
// than the limit.
//
// Safety: As for canfetch_parse(). `profile` points to `profile_length` bytes.
CanfetchStatus canfetch_parse_as(const char *content,
                                 size_t length,
                                 const char *profile,
                                 size_t profile_length,
                                 size_t max_bytes,
                                 struct CanfetchRobots **robots);

// Free a file. NULL is ignored. Rules that were made from the file stay valid.
//
// Safety: `robots` is NULL, or a handle that is not closed and that no thread is using.
void canfetch_close(struct CanfetchRobots *robots);

// Check whether an agent may fetch a URL. The fragment of the URL is ignored.
//
// `agent` is a product token, such as "ExampleBot". After an error, `*allowed` is false. For many URLs and one agent,
// canfetch_rules_allows() is faster.
//
// Safety: `robots` is an open handle. `agent` and `url` point to as many bytes as their lengths. `allowed` points to a `bool`.
CanfetchStatus canfetch_allows(const struct CanfetchRobots *robots,
                               const char *agent,
                               size_t agent_length,
                               const char *url,
                               size_t url_length,
                               bool *allowed);

// Decide whether an agent may fetch a URL, with the reason and the deciding rule.
//
// After an error, `verdict->allowed` is false and `verdict->reason` is CANFETCH_REASON_UNDECIDED. `verdict->pattern` belongs
// to `robots`: do not free it, and copy it before you close the file.
//
// Safety: As for canfetch_allows(). `verdict` points to memory for a verdict.
CanfetchStatus canfetch_decide(const struct CanfetchRobots *robots,
                               const char *agent,
                               size_t agent_length,
                               const char *url,
                               size_t url_length,
                               struct CanfetchVerdict *verdict);

// Explain a decision in English: the verdict, the deciding rule, and the other rules that match, one on each line.
//
// The text is UTF-8 without control characters other than line feeds. It is copied into `buffer`, which has `size` bytes,
// with a NUL byte at the end. `*length` is its length without the NUL byte. If `size` is too small, the buffer is
// unchanged, and the status is CANFETCH_STATUS_BUFFER_TOO_SMALL: call again with `*length + 1` bytes. `buffer` may be NULL
// if `size` is 0. After another error, `*length` is 0.
//
// Safety: As for canfetch_allows(). `buffer` points to `size` bytes. `length` points to a `size_t` outside of them.
CanfetchStatus canfetch_explain(const struct CanfetchRobots *robots,
                                const char *agent,
                                size_t agent_length,
                                const char *url,
                                size_t url_length,
                                char *buffer,
                                size_t size,
                                size_t *length);

// Find the longest valid Crawl-delay of the groups that apply to an agent, in seconds. Without one, `*seconds` is -1.
//
// Safety: `robots` is an open handle. `agent` points to `agent_length` bytes. `seconds` points to a `double`.
CanfetchStatus canfetch_crawl_delay(const struct CanfetchRobots *robots,
                                    const char *agent,
                                    size_t agent_length,
                                    double *seconds);

// Find the value of a sitemap record by its index from 0, in file order.
//
// The text is UTF-8 without control characters, and no NUL byte follows. It belongs to `robots`: do not free it, and copy it
// before you close the file. After the last record, the status is CANFETCH_STATUS_NO_SUCH_ENTRY. After an error, `*data` is
// NULL and `*length` is 0.
//
// Safety: `robots` is an open handle. `data` points to memory for a pointer, and `length` to a `size_t`.
CanfetchStatus canfetch_sitemap(const struct CanfetchRobots *robots,
                                size_t index,
                                const char **data,
                                size_t *length);

// Find the rules of a file that apply to an agent. Use them to check many URLs.
//
// `agent` is a product token. On success, `*rules` is a handle that the caller frees with canfetch_rules_close(). After an
// error it is NULL. The rules share the file and may outlive its handle.
//
// Threads can use one handle at the same time, with every function except canfetch_rules_close().
//
// Safety: `robots` is an open handle. `agent` points to `agent_length` bytes. `rules` points to memory for a pointer.
CanfetchStatus canfetch_rules(const struct CanfetchRobots *robots,
                              const char *agent,
                              size_t agent_length,
                              struct CanfetchRules **rules);

// Find the rules of a file that apply to an agent with several product tokens, in the order in which they are tried.
//
// The groups of the first token that has any apply, or else the groups for `*`. `star` is CANFETCH_STAR_DEFAULT,
// CANFETCH_STAR_APPLIES or CANFETCH_STAR_IGNORED. `*rules` is as for canfetch_rules().
//
// Safety: As for canfetch_rules(). `tokens` points to `count` texts, each of which points to as many bytes as its length.
CanfetchStatus canfetch_rules_for_tokens(const struct CanfetchRobots *robots,
                                         const struct CanfetchText *tokens,
                                         size_t count,
                                         int32_t star,
                                         struct CanfetchRules **rules);

// Find the rules of a file that apply to the crawler that a User-Agent header identifies.
//
// A crawler knows its own product token. This is for other programs, such as those that read access logs. `star` and
// `*rules` are as for canfetch_rules_for_tokens(). A header without a crawler, such as that of a browser, results in
// CANFETCH_STATUS_INVALID_AGENT.
//
// Safety: As for canfetch_rules(). `header` points to `length` bytes.
CanfetchStatus canfetch_rules_for_header(const struct CanfetchRobots *robots,
                                         const char *header,
                                         size_t length,
                                         int32_t star,
                                         struct CanfetchRules **rules);

// Free rules. NULL is ignored.
//
// Safety: `rules` is NULL, or a handle that is not closed and that no thread is using.
void canfetch_rules_close(struct CanfetchRules *rules);

// Check whether the agent may fetch a URL, as canfetch_allows() does.
//
// Safety: `rules` is an open handle. `url` points to `url_length` bytes. `allowed` points to a `bool`.
CanfetchStatus canfetch_rules_allows(const struct CanfetchRules *rules,
                                     const char *url,
                                     size_t url_length,
                                     bool *allowed);

// Decide whether the agent may fetch a URL, as canfetch_decide() does. `verdict->pattern` belongs to `rules`.
//
// Safety: As for canfetch_rules_allows(). `verdict` points to memory for a verdict.
CanfetchStatus canfetch_rules_decide(const struct CanfetchRules *rules,
                                     const char *url,
                                     size_t url_length,
                                     struct CanfetchVerdict *verdict);

// Explain a decision, as canfetch_explain() does.
//
// Safety: As for canfetch_rules_allows(). `buffer` points to `size` bytes. `length` points to a `size_t` outside of them.
CanfetchStatus canfetch_rules_explain(const struct CanfetchRules *rules,
                                      const char *url,
                                      size_t url_length,
                                      char *buffer,
                                      size_t size,
                                      size_t *length);

// Find the longest valid Crawl-delay of the groups that apply, as canfetch_crawl_delay() does.
//
// Safety: `rules` is an open handle. `seconds` points to a `double`.
CanfetchStatus canfetch_rules_crawl_delay(const struct CanfetchRules *rules, double *seconds);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CANFETCH_H */

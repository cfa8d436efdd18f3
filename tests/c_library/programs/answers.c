// Answers conformance cases. tests/conformance/case_lines.py explains the lines.

#define _POSIX_C_SOURCE 200809L
#include <canfetch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 6, TOKENS = 64 };

static void require(int condition, const char *what) {
    if (!condition) {
        fprintf(stderr, "%s\n", what);
        exit(EXIT_FAILURE);
    }
}

// Decode hexadecimal digits into memory of exactly this size, so that valgrind finds each byte that is read after it.
static CanfetchText decode(const char *digits) {
    size_t length = strlen(digits) / 2;
    char *data = malloc(length);
    require(data != NULL || length == 0, "no memory");
    for (size_t index = 0; index < length; index++) {
        const char pair[3] = {digits[2 * index], digits[2 * index + 1], '\0'};
        data[index] = (char)strtol(pair, NULL, 16);
    }
    return (CanfetchText){data, length};
}

static void release(CanfetchText text) {
    free((char *)text.data);
}

static CanfetchRules *rules_of(const CanfetchRobots *robots, char *agents, int star) {
    CanfetchRules *rules;
    CanfetchStatus status;
    if (strncmp(agents, "header ", 7) == 0) {
        CanfetchText header = decode(agents + 7);
        status = canfetch_rules_for_header(robots, header.data, header.length, star, &rules);
        release(header);
    } else {
        CanfetchText tokens[TOKENS];
        size_t count = 0;
        for (char *token = strtok(agents, " "); token != NULL; token = strtok(NULL, " ")) {
            require(count < TOKENS, "too many tokens");
            tokens[count++] = decode(token);
        }
        status = canfetch_rules_for_tokens(robots, tokens, count, star, &rules);
        while (count > 0) {
            release(tokens[--count]);
        }
    }
    require(status == CANFETCH_STATUS_OK, canfetch_status_message(status));
    return rules;
}

static void answer(char *fields[FIELDS]) {
    CanfetchText content = decode(fields[4]), url = decode(fields[5]);
    CanfetchRobots *robots;
    CanfetchStatus status = canfetch_parse_as(content.data, content.length, fields[0], strlen(fields[0]),
                                              (size_t)strtoull(fields[1], NULL, 10), &robots);
    require(status == CANFETCH_STATUS_OK, canfetch_status_message(status));
    release(content);
    CanfetchRules *rules = rules_of(robots, fields[3], atoi(fields[2]));
    canfetch_close(robots);

    bool allowed = true;
    size_t length = 1;
    CanfetchVerdict verdict;
    status = canfetch_rules_decide(rules, url.data, url.length, &verdict);
    require(canfetch_rules_allows(rules, url.data, url.length, &allowed) == status, "two statuses");
    require(allowed == verdict.allowed, "two verdicts");
    CanfetchStatus explained = canfetch_rules_explain(rules, url.data, url.length, NULL, 0, &length);
    if (status == CANFETCH_STATUS_OK) {
        require(explained == CANFETCH_STATUS_BUFFER_TOO_SMALL, "no explanation");
        char *text = malloc(length + 1);
        require(text != NULL, "no memory");
        require(canfetch_rules_explain(rules, url.data, url.length, text, length + 1, &length) == CANFETCH_STATUS_OK,
                "no explanation");
        require(strlen(text) == length, "another length");
        require(strncmp(text, allowed ? "allowed: " : "disallowed: ", allowed ? 9 : 12) == 0, "another explanation");
        free(text);
        // The pattern is followed here, so that it must be valid after the file was closed.
        require((verdict.line == 0) == (verdict.pattern == NULL), "a rule without a pattern");
        require(verdict.pattern == NULL || memchr(verdict.pattern, '\n', verdict.pattern_length) == NULL, "two lines");
        require(verdict.line == 0 || (verdict.group_line > 0 && verdict.group_line < verdict.line), "no group");
        printf("%d\t%u\t%s\n", allowed, (unsigned)verdict.line, canfetch_reason_name(verdict.reason));
    } else {
        require(status == CANFETCH_STATUS_INVALID_URL, canfetch_status_message(status));
        require(explained == status && !allowed && verdict.reason == CANFETCH_REASON_UNDECIDED, "a verdict");
        printf("error\n");
    }
    canfetch_rules_close(rules);
    release(url);
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    while ((length = getline(&line, &size, stdin)) > 0) {
        char *fields[FIELDS], *next = line;
        line[length - 1] = '\0';
        for (int index = 0; index < FIELDS; index++) {
            require(next != NULL, "expected six fields");
            fields[index] = next;
            next = strchr(next, '\t');
            if (next != NULL) {
                *next++ = '\0';
            }
        }
        answer(fields);
    }
    free(line);
    return EXIT_SUCCESS;
}

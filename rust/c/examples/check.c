// Check URLs against a robots.txt, with the line that decides.
//
// usage: check ROBOTS_FILE AGENT URL...

#include <canfetch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The library reads 512,000 bytes by default. One more byte shows that the file is longer.
static char content[512001];

int main(int count, char **arguments) {
    if (count < 4) {
        fprintf(stderr, "usage: check ROBOTS_FILE AGENT URL...\n");
        return EXIT_FAILURE;
    }
    FILE *file = fopen(arguments[1], "rb");
    if (file == NULL) {
        perror(arguments[1]);
        return EXIT_FAILURE;
    }
    size_t length = fread(content, 1, sizeof content, file);
    if (ferror(file)) {
        perror(arguments[1]);
        return EXIT_FAILURE;
    }
    fclose(file);

    CanfetchRobots *robots = NULL;
    CanfetchRules *rules = NULL;
    CanfetchStatus status = canfetch_parse(content, length, &robots);
    if (status == CANFETCH_STATUS_OK) {
        status = canfetch_rules(robots, arguments[2], strlen(arguments[2]), &rules);
    }
    for (int index = 3; status == CANFETCH_STATUS_OK && index < count; index++) {
        CanfetchVerdict verdict;
        status = canfetch_rules_decide(rules, arguments[index], strlen(arguments[index]), &verdict);
        if (status != CANFETCH_STATUS_OK) {
            break;
        }
        printf("%s: %s, %s", arguments[index], verdict.allowed ? "allowed" : "disallowed",
               canfetch_reason_name(verdict.reason));
        if (verdict.line != 0) {
            printf(", line %u: %.*s (user-agent: line %u)", (unsigned)verdict.line, (int)verdict.pattern_length,
                   verdict.pattern, (unsigned)verdict.group_line);
        }
        printf("\n");
    }
    if (status != CANFETCH_STATUS_OK) {
        fprintf(stderr, "%s\n", canfetch_status_message(status));
    }
    canfetch_rules_close(rules);
    canfetch_close(robots);
    return status == CANFETCH_STATUS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

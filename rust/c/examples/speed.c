// Measure the time of calls in nanoseconds: `make bench-c`. A figure is the best of 200 rounds.

#define _POSIX_C_SOURCE 200809L
#include <canfetch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 200, FILES = 20, CALLS = 1000 };

static const int RULES[] = {20, 100, 2000};
static const char AGENT[] = "ExampleBot", URL[] = "https://example.com/shop3/cart9/item?x=1";
static char content[100000];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double least(double best, double begun, int calls) {
    double time = (now() - begun) / calls;
    return time < best ? time : best;
}

static void check(CanfetchStatus status) {
    if (status != CANFETCH_STATUS_OK) {
        fprintf(stderr, "%s\n", canfetch_status_message(status));
        exit(EXIT_FAILURE);
    }
}

int main(void) {
    printf("rules  bytes  parse  allows  rules_allows  rules_decide\n");
    for (size_t index = 0; index < sizeof RULES / sizeof *RULES; index++) {
        size_t length = (size_t)sprintf(content, "User-agent: *\n");
        for (int rule = 0; rule < RULES[index]; rule++) {
            length += (size_t)sprintf(content + length, "Disallow: /shop%d/cart%d/\n", rule % 30, rule);
        }
        double parse = 1e18, allows = 1e18, rules_allows = 1e18, rules_decide = 1e18;
        for (int round = 0; round < ROUNDS; round++) {
            CanfetchRobots *robots;
            CanfetchRules *rules;
            CanfetchVerdict verdict;
            bool allowed;
            double begun = now();
            for (int call = 0; call < FILES; call++) {
                check(canfetch_parse(content, length, &robots));
                canfetch_close(robots);
            }
            parse = least(parse, begun, FILES);
            check(canfetch_parse(content, length, &robots));
            check(canfetch_rules(robots, AGENT, strlen(AGENT), &rules));
            begun = now();
            for (int call = 0; call < CALLS; call++) {
                check(canfetch_allows(robots, AGENT, strlen(AGENT), URL, strlen(URL), &allowed));
            }
            allows = least(allows, begun, CALLS);
            begun = now();
            for (int call = 0; call < CALLS; call++) {
                check(canfetch_rules_allows(rules, URL, strlen(URL), &allowed));
            }
            rules_allows = least(rules_allows, begun, CALLS);
            begun = now();
            for (int call = 0; call < CALLS; call++) {
                check(canfetch_rules_decide(rules, URL, strlen(URL), &verdict));
            }
            rules_decide = least(rules_decide, begun, CALLS);
            canfetch_rules_close(rules);
            canfetch_close(robots);
        }
        printf("%5d  %5zu  %5.0f  %6.0f  %12.0f  %12.0f\n", RULES[index], length, parse, allows, rules_allows,
               rules_decide);
    }
    return EXIT_SUCCESS;
}

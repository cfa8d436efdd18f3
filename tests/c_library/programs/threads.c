// Threads share a file and the rules of an agent, and get the answers of one thread.

#include <canfetch.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 200 };

static const char FILE_TEXT[] = "User-agent: *\nDisallow: /a\nAllow: /a/b\nSitemap: https://example.com/a.xml\n";
static CanfetchRobots *robots;
static CanfetchRules *rules;

static void *work(void *argument) {
    const char *agent = argument;
    for (int round = 0; round < ROUNDS; round++) {
        bool allowed;
        CanfetchVerdict verdict;
        const char *data;
        size_t length;
        if (canfetch_allows(robots, agent, strlen(agent), "/a/b/c", 6, &allowed) != CANFETCH_STATUS_OK || !allowed ||
            canfetch_rules_decide(rules, "/a/c", 4, &verdict) != CANFETCH_STATUS_OK || verdict.line != 2 ||
            canfetch_sitemap(robots, 0, &data, &length) != CANFETCH_STATUS_OK || length != 25) {
            fprintf(stderr, "%s: wrong answer in round %d\n", agent, round);
            exit(EXIT_FAILURE);
        }
    }
    return NULL;
}

int main(void) {
    static char names[THREADS][8];
    pthread_t threads[THREADS];
    if (canfetch_parse(FILE_TEXT, sizeof FILE_TEXT - 1, &robots) != CANFETCH_STATUS_OK ||
        canfetch_rules(robots, "Bot", 3, &rules) != CANFETCH_STATUS_OK) {
        return EXIT_FAILURE;
    }
    for (int index = 0; index < THREADS; index++) {
        snprintf(names[index], sizeof names[index], "Bot-%d", index);
        if (pthread_create(&threads[index], NULL, work, names[index]) != 0) {
            return EXIT_FAILURE;
        }
    }
    for (int index = 0; index < THREADS; index++) {
        pthread_join(threads[index], NULL);
    }
    canfetch_close(robots);
    canfetch_rules_close(rules);
    return EXIT_SUCCESS;
}

// Loaded before the library: writes a line to standard error for each file that is parsed.

#define _GNU_SOURCE
#include <canfetch.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef CanfetchStatus Parse(const char *, size_t, CanfetchRobots **);

CanfetchStatus canfetch_parse(const char *content, size_t length, CanfetchRobots **robots) {
    void *symbol = dlsym(RTLD_NEXT, "canfetch_parse");
    Parse *parse;
    // C has no conversion from an object pointer to a function pointer.
    memcpy(&parse, &symbol, sizeof parse);
    fprintf(stderr, "parsed\n");
    return parse(content, length, robots);
}

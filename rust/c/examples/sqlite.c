// Functions of SQLite that decide with canfetch:
//
//     robots_allows(content, agent, url)   1 or 0
//     robots_reason(content, agent, url)   the name of the reason, such as 'disallow-rule'
//     robots_line(content, agent, url)     the line of the deciding rule, or NULL
//     robots_explain(content, agent, url)  the decision in words
//
// `content` is a robots.txt as TEXT or BLOB, and `agent` a product token. If an argument is NULL, or `url` is not a URL, the
// result is NULL. An invalid agent is an error. SQLite keeps a parsed file for as long as `content` is constant in a
// statement, such as a parameter.
//
//     gcc -shared -fPIC sqlite.c -o robots.so $(pkg-config --cflags --libs canfetch)

#include <canfetch.h>

#include <sqlite3ext.h>
#include <stdint.h>

SQLITE_EXTENSION_INIT1

enum { ALLOWS, REASON, LINE, EXPLAIN };

static void fail(sqlite3_context *context, CanfetchStatus status) {
    if (status == CANFETCH_STATUS_OUT_OF_MEMORY) {
        sqlite3_result_error_nomem(context);
    } else if (status == CANFETCH_STATUS_INVALID_URL) {
        sqlite3_result_null(context);
    } else {
        sqlite3_result_error(context, canfetch_status_message(status), -1);
    }
}

// The bytes of an argument, which belong to SQLite. Text is UTF-8, whatever the encoding of the database is.
static int read_text(sqlite3_value *value, CanfetchText *text) {
    if (sqlite3_value_type(value) == SQLITE_BLOB) {
        text->data = sqlite3_value_blob(value);
    } else {
        text->data = (const char *)sqlite3_value_text(value);
        if (text->data == NULL) {
            return 0;
        }
    }
    text->length = (size_t)sqlite3_value_bytes(value);
    return 1;
}

static void explain(sqlite3_context *context, const CanfetchRobots *robots, CanfetchText agent, CanfetchText url) {
    size_t length;
    CanfetchStatus status = canfetch_explain(robots, agent.data, agent.length, url.data, url.length, NULL, 0, &length);
    if (status != CANFETCH_STATUS_BUFFER_TOO_SMALL) {
        fail(context, status);
        return;
    }
    char *buffer = sqlite3_malloc64(length + 1);
    if (buffer == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    status = canfetch_explain(robots, agent.data, agent.length, url.data, url.length, buffer, length + 1, &length);
    if (status == CANFETCH_STATUS_OK) {
        // SQLite frees the buffer.
        sqlite3_result_text64(context, buffer, length, sqlite3_free, SQLITE_UTF8);
    } else {
        sqlite3_free(buffer);
        fail(context, status);
    }
}

static void answer(sqlite3_context *context, const CanfetchRobots *robots, CanfetchText agent, CanfetchText url) {
    intptr_t wanted = (intptr_t)sqlite3_user_data(context);
    if (wanted == EXPLAIN) {
        explain(context, robots, agent, url);
        return;
    }
    CanfetchVerdict verdict;
    CanfetchStatus status = canfetch_decide(robots, agent.data, agent.length, url.data, url.length, &verdict);
    if (status != CANFETCH_STATUS_OK) {
        fail(context, status);
    } else if (wanted == ALLOWS) {
        sqlite3_result_int(context, verdict.allowed);
    } else if (wanted == REASON) {
        sqlite3_result_text(context, canfetch_reason_name(verdict.reason), -1, SQLITE_STATIC);
    } else if (verdict.line != 0) {
        sqlite3_result_int64(context, verdict.line);
    }
}

static void close_file(void *robots) {
    canfetch_close(robots);
}

static void decide(sqlite3_context *context, int count, sqlite3_value **values) {
    CanfetchText agent, url, content;
    for (int index = 0; index < count; index++) {
        if (sqlite3_value_type(values[index]) == SQLITE_NULL) {
            return;
        }
    }
    if (!read_text(values[1], &agent) || !read_text(values[2], &url)) {
        sqlite3_result_error_nomem(context);
        return;
    }
    CanfetchRobots *robots = sqlite3_get_auxdata(context, 0);
    if (robots != NULL) {
        answer(context, robots, agent, url);
        return;
    }
    if (!read_text(values[0], &content)) {
        sqlite3_result_error_nomem(context);
        return;
    }
    CanfetchStatus status = canfetch_parse(content.data, content.length, &robots);
    if (status != CANFETCH_STATUS_OK) {
        fail(context, status);
        return;
    }
    answer(context, robots, agent, url);
    // The last use: SQLite closes the file at once if the content is not constant.
    sqlite3_set_auxdata(context, 0, robots, close_file);
}

#ifdef _WIN32
__declspec(dllexport)
#endif
int sqlite3_robots_init(sqlite3 *database, char **message, const sqlite3_api_routines *api) {
    static const char *const NAMES[] = {"robots_allows", "robots_reason", "robots_line", "robots_explain"};
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    (void)message;
    SQLITE_EXTENSION_INIT2(api);
    for (intptr_t wanted = ALLOWS; wanted <= EXPLAIN; wanted++) {
        int result = sqlite3_create_function_v2(database, NAMES[wanted], 3, flags, (void *)wanted, decide, NULL, NULL, NULL);
        if (result != SQLITE_OK) {
            return result;
        }
    }
    return SQLITE_OK;
}

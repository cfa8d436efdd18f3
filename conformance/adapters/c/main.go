// The C library of canfetch, through cgo. It also answers the line, the reason and the code of an error, as `--program`
// expects. The argument --version prints its version.
package main

// #cgo pkg-config: canfetch
// #include <canfetch.h>
// #include <stdlib.h>
import "C"

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"unsafe"
)

// A question. README.md of the conformance suite explains it. Bytes are base64 in JSON.
type question struct {
	Profile     string   `json:"profile"`
	Agents      []string `json:"agents"`
	UserAgent   string   `json:"user_agent"`
	StarApplies bool     `json:"star_applies"`
	Robots      []byte   `json:"robots"`
	RobotsURL   *string  `json:"robots_url"`
	MaxBytes    uint     `json:"max_bytes"`
	URL         []byte   `json:"url"`
}

// The pointer of bytes, which the library reads only during the call.
func pointer(bytes []byte) *C.char {
	if len(bytes) == 0 {
		return nil
	}
	return (*C.char)(unsafe.Pointer(&bytes[0]))
}

func message(status C.CanfetchStatus) string {
	return C.GoString(C.canfetch_status_message(C.int32_t(status)))
}

func rulesFor(robots *C.CanfetchRobots, asked question) (rules *C.CanfetchRules, status C.CanfetchStatus) {
	var star C.int32_t = C.CANFETCH_STAR_IGNORED
	if asked.StarApplies {
		star = C.CANFETCH_STAR_APPLIES
	}
	if len(asked.Agents) == 0 {
		header := []byte(asked.UserAgent)
		status = C.canfetch_rules_for_header(robots, pointer(header), C.size_t(len(header)), star, &rules)
		return rules, status
	}
	// Go allows no pointers to memory of Go in memory that C reads, so the tokens are copied.
	tokens := make([]C.CanfetchText, len(asked.Agents))
	for index, token := range asked.Agents {
		tokens[index] = C.CanfetchText{data: C.CString(token), length: C.size_t(len(token))}
		defer C.free(unsafe.Pointer(tokens[index].data))
	}
	status = C.canfetch_rules_for_tokens(robots, &tokens[0], C.size_t(len(tokens)), star, &rules)
	return rules, status
}

func answer(asked question) map[string]any {
	if asked.RobotsURL != nil {
		return map[string]any{"skip": "the library does not compare origins"}
	}
	var robots *C.CanfetchRobots
	profile := []byte(asked.Profile)
	status := C.canfetch_parse_as(pointer(asked.Robots), C.size_t(len(asked.Robots)), pointer(profile),
		C.size_t(len(profile)), C.size_t(asked.MaxBytes), &robots)
	if status == C.CANFETCH_STATUS_UNKNOWN_PROFILE {
		return map[string]any{"skip": message(status)}
	}
	if status != C.CANFETCH_STATUS_OK {
		return map[string]any{"error": message(status)}
	}
	defer C.canfetch_close(robots)
	rules, status := rulesFor(robots, asked)
	if status != C.CANFETCH_STATUS_OK {
		return map[string]any{"error": message(status)}
	}
	defer C.canfetch_rules_close(rules)

	var verdict C.CanfetchVerdict
	var allowed C.bool
	status = C.canfetch_rules_decide(rules, pointer(asked.URL), C.size_t(len(asked.URL)), &verdict)
	if status == C.CANFETCH_STATUS_INVALID_URL {
		return map[string]any{"error": "invalid-url"}
	}
	if status != C.CANFETCH_STATUS_OK {
		return map[string]any{"error": message(status)}
	}
	status = C.canfetch_rules_allows(rules, pointer(asked.URL), C.size_t(len(asked.URL)), &allowed)
	if status != C.CANFETCH_STATUS_OK || allowed != verdict.allowed {
		return map[string]any{"error": "two answers"}
	}
	reason := C.GoString(C.canfetch_reason_name(C.int32_t(verdict.reason)))
	return map[string]any{"allowed": bool(verdict.allowed), "line": uint32(verdict.line), "reason": reason}
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "--version" {
		fmt.Println(C.GoString(C.canfetch_version()))
		return
	}
	input := bufio.NewReader(os.Stdin)
	decoder, encoder := json.NewDecoder(input), json.NewEncoder(os.Stdout)
	for decoder.More() {
		var asked question
		if err := decoder.Decode(&asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := encoder.Encode(answer(asked)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

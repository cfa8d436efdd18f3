// Command temoto asks github.com/temoto/robotstxt, which takes the path of a URL. It reads questions from standard
// input, and writes the answers to standard output: one line of JSON each.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/temoto/robotstxt"
)

type question struct {
	Robots []byte   `json:"robots"`
	Agents []string `json:"agents"`
	URL    []byte   `json:"url"`
}

// path returns a URL without scheme, authority and fragment.
func path(url string) string {
	url, _, _ = strings.Cut(url, "#")
	scheme, rest, found := strings.Cut(url, "//")
	if found && (scheme == "" || strings.HasSuffix(scheme, ":")) {
		if start := strings.IndexAny(rest, "/?"); start >= 0 {
			url = rest[start:]
		} else {
			url = ""
		}
	}
	if !strings.HasPrefix(url, "/") {
		url = "/" + url
	}
	return url
}

func answer(asked question) map[string]any {
	if len(asked.Agents) != 1 {
		return map[string]any{"skip": "only one product token is supported"}
	}
	robots, err := robotstxt.FromBytes(asked.Robots)
	if err != nil {
		return map[string]any{"exception": fmt.Sprintf("%.200s", err)}
	}
	return map[string]any{"allowed": robots.TestAgent(path(string(asked.URL)), asked.Agents[0])}
}

func main() {
	input := bufio.NewReader(os.Stdin)
	output := json.NewEncoder(os.Stdout)
	for {
		line, err := input.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		var asked question
		if err := json.Unmarshal(line, &asked); err != nil {
			panic(err)
		}
		if err := output.Encode(answer(asked)); err != nil {
			panic(err)
		}
	}
}

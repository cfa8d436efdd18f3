// Command colly asks github.com/gocolly/colly/v2 whether it requests a page. It reads questions from standard input, and
// writes the answers to standard output: one line of JSON each.
package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"time"

	"github.com/gocolly/colly/v2"
)

type question struct {
	Agents []string `json:"agents"`
	URL    []byte   `json:"url"`
}

// answer visits a URL. The collector reports a request after it has checked robots.txt, which is then allowed. Without a
// usable robots.txt, it returns an error and requests nothing.
func answer(asked question) map[string]any {
	collector := colly.NewCollector(colly.UserAgent(asked.Agents[0]))
	collector.IgnoreRobotsTxt = false
	collector.SetRequestTimeout(10 * time.Second)
	requested := false
	collector.OnRequest(func(request *colly.Request) {
		requested = true
		request.Abort()
	})
	// The error is that of robots.txt, because the request for the page is aborted.
	_ = collector.Visit(string(asked.URL))
	return map[string]any{"allowed": requested}
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

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
	Client *int     `json:"client"`
}

// crawl is a collector and whether it has requested the page.
type crawl struct {
	collector *colly.Collector
	client    *int
	requested bool
}

// newCrawl returns a collector that reports a request after it has checked robots.txt, which is then allowed.
func newCrawl(client *int) *crawl {
	created := &crawl{collector: colly.NewCollector(colly.AllowURLRevisit()), client: client}
	created.collector.IgnoreRobotsTxt = false
	created.collector.SetRequestTimeout(10 * time.Second)
	created.collector.OnRequest(func(request *colly.Request) {
		created.requested = true
		request.Abort()
	})
	return created
}

// kept is the collector of the last question.
var kept *crawl

// answer visits a URL, with the collector of the last question if it has the same client. Without a usable robots.txt,
// the collector returns an error and requests nothing.
func answer(asked question) map[string]any {
	if kept == nil || kept.client == nil || asked.Client == nil || *kept.client != *asked.Client {
		kept = newCrawl(asked.Client)
	}
	kept.collector.UserAgent = asked.Agents[0]
	kept.requested = false
	// The error is that of robots.txt, because the request for the page is aborted.
	_ = kept.collector.Visit(string(asked.URL))
	return map[string]any{"allowed": kept.requested}
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

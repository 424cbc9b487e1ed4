package gobuild

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// reporter turns messages of the go command into progress lines. One goroutine passes on the messages, and a ticker prints from another.
type reporter struct {
	name    string
	started time.Time

	mu         sync.Mutex
	out        io.Writer
	what       string
	total      int
	compiled   int
	downloaded int
	kept       []string
}

func newReporter(name string, out io.Writer, started time.Time) *reporter {
	return &reporter{name: name, out: out, started: started}
}

func (r *reporter) say(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _ = fmt.Fprintf(r.out, "%s: %s\n", r.name, text)
}

// phase starts a phase of the build. total is the number of packages that it will compile, 0 if unknown.
func (r *reporter) phase(what string, total int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.what, r.total = what, total
}

// line receives one line of the go command's output: the name of a package that it compiles, a module that it downloads, or a message for an error.
func (r *reporter) line(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case strings.HasPrefix(text, "go: downloading "):
		r.downloaded++
	case text != "" && !strings.ContainsAny(text, " \t:"):
		r.compiled++
	default:
		if len(r.kept) == keptMessages {
			r.kept = r.kept[1:]
		}
		r.kept = append(r.kept, text)
	}
}

func (r *reporter) messages() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.kept, "\n")
}

// status returns the text of a progress line after the given time.
func (r *reporter) status(elapsed time.Duration) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := fmt.Sprintf("%s elapsed, %s", elapsed.Round(time.Second), r.what)
	if r.downloaded > 0 && r.compiled == 0 {
		text += fmt.Sprintf(", %d modules downloaded", r.downloaded)
	}
	switch {
	// The main package is always counted, but may be compiled already.
	case r.total > 0 && r.compiled >= r.total-1:
		text = fmt.Sprintf("%s elapsed, linking", elapsed.Round(time.Second))
	case r.total > 0:
		text += fmt.Sprintf(" (%d of %d packages)", r.compiled, r.total)
	}
	return text
}

// every prints a progress line at each interval until stop is called, which may be called more than once.
func (r *reporter) every(interval time.Duration) (stop func()) {
	ticker := time.NewTicker(interval)
	done := make(chan struct{})
	var finished sync.WaitGroup
	finished.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				r.say(r.status(time.Since(r.started)))
			}
		}
	})
	return sync.OnceFunc(func() {
		ticker.Stop()
		close(done)
		finished.Wait()
	})
}

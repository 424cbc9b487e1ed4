package pagetest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var (
	pages  = flag.String("pages", "", "the folder of the pages, which `make page-test` writes")
	update = flag.Bool("update", false, "write the images of the example")
)

// browser is the browser that all tests share. Each opens its own tab.
var browser context.Context

func TestMain(m *testing.M) { os.Exit(startAndTest(m)) }

// startAndTest starts the browser and runs the tests.
func startAndTest(m *testing.M) int {
	flag.Parse()
	if *pages == "" {
		fmt.Fprintln(os.Stderr, "No folder of pages is given with -pages. Run `make page-test`.")
		return 1
	}
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless_shell"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		fmt.Fprintln(os.Stderr, "This test needs Chromium, and none is on the PATH. Install it, for example with `apt-get install chromium`.")
		return 1
	}
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(program), chromedp.WindowSize(1280, 900)}
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium has no sandbox for root
	}
	var closeBrowser context.CancelFunc
	browser, closeBrowser = chromedp.NewContext(context.Background(), chromedp.WithAllocatorOptions(options...))
	defer closeBrowser()
	if err := chromedp.Do(browser); err != nil {
		fmt.Fprintln(os.Stderr, "Chromium does not start:", err)
		return 1
	}
	return m.Run()
}

// tab is a page in the browser, with the requests that the page has sent and the messages that it has logged.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string
	messages []string
}

// open opens a page. At the end of the test, it checks that the browser has requested only the page itself, and that the page has logged no message.
func open(t *testing.T, name string) *tab {
	t.Helper()
	out := openWithoutCheck(t, name)
	t.Cleanup(func() {
		out.mu.Lock()
		defer out.mu.Unlock()
		if len(out.requests) != 1 || !strings.HasPrefix(out.requests[0], "file://") {
			t.Errorf("the page sent requests: %v", out.requests)
		}
		if len(out.messages) > 0 {
			t.Errorf("the page logged messages: %v", out.messages)
		}
	})
	return out
}

func openWithoutCheck(t *testing.T, name string) *tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(browser)
	t.Cleanup(closeTab)
	out := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, out.record); err != nil {
		t.Fatal(err)
	}
	call(out, network.Enable, network.EnableParams{})
	call(out, log.Enable, cdp.Empty{})
	out.do(chromedp.Navigate("file://"+filepath.ToSlash(filepath.Join(*pages, name+".html"))), chromedp.WaitReady("#matrix .body"))
	return out
}

// record records requests, violations of the content security policy, errors and messages on the console.
func (p *tab) record(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch event := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, event.Request.URL)
	case *log.EventEntryAdded:
		p.messages = append(p.messages, event.Entry.Text)
	case *runtime.EventConsoleAPICalled:
		p.messages = append(p.messages, fmt.Sprint("console: ", event.Type))
	case *runtime.EventExceptionThrown:
		p.messages = append(p.messages, event.ExceptionDetails.Text)
	}
}

// run runs an action and returns its result. It waits at most a minute.
func run[T any](p *tab, action chromedp.Action[T]) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	out, err := chromedp.Run(ctx, action)
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

// call calls a command of the browser.
func call[P, R any](p *tab, command cdp.Command[P, R], params P) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, command, params); err != nil {
		p.t.Fatal(err)
	}
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	run(p, chromedp.Steps(steps...))
}

// execute executes statements in the page.
func (p *tab) execute(script string) {
	p.t.Helper()
	run(p, chromedp.Evaluate[any]("(() => {"+script+"})()"))
}

// text returns the value of an expression, which must be a string.
func (p *tab) text(expression string) string {
	p.t.Helper()
	return run(p, chromedp.Evaluate[string](expression))
}

// number returns the value of an expression, which must be a number.
func (p *tab) number(expression string) int {
	p.t.Helper()
	return run(p, chromedp.Evaluate[int](expression))
}

// shows checks that the text of an element has all the given texts.
func (p *tab) shows(selector string, wants ...string) {
	p.t.Helper()
	got := p.text(fmt.Sprintf("document.querySelector(%q).innerText", selector))
	for _, want := range wants {
		if !strings.Contains(got, want) {
			p.t.Errorf("%s: missing %q in:\n%s", selector, want, got)
		}
	}
}

// press presses keys on the focused element.
func (p *tab) press(keys ...string) {
	p.t.Helper()
	for _, key := range keys {
		p.do(chromedp.KeyEvent(key))
	}
}

// focused returns the label or the text of the focused element.
func (p *tab) focused() string {
	p.t.Helper()
	return p.text(`document.activeElement.ariaLabel || document.activeElement.innerText || document.activeElement.tagName`)
}

// theme sets the color scheme and the medium.
func (p *tab) theme(scheme, medium string) {
	p.t.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

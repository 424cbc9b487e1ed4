package pagetest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const visibleRows = `document.querySelectorAll("#matrix .row").length`

// TestMatrix checks totals, cells and the texts about placements.
func TestMatrix(t *testing.T) {
	p := open(t, "small")
	p.shows("#totals", "6 placements", "delete", "All")
	p.shows("#matrix", "Object", "Deployment web/web", "member-1")
	p.shows("#status", "Showing 19 of 19 objects on 5 of 5 clusters.")
	p.shows("#placements", "Placement if-no-diff-differs (2 clusters): 1 conflict", "when_to_take_over", "set strategy.apply_strategy.when_to_take_over", "not checked: ")
	if labels := p.text(`[...document.querySelectorAll("#matrix .cell")].map((cell) => cell.innerText + " " + cell.ariaLabel).join("\n")`); !strings.Contains(labels, "\u2260 not taken over") ||
		!strings.Contains(labels, "? cluster not checked") {
		t.Errorf("no sign with a label:\n%s", labels)
	}
	for what, expression := range map[string]string{
		"rows": `document.querySelector("#matrix").getAttribute("aria-rowcount")`, "columns": `document.querySelector("#matrix").getAttribute("aria-colcount")`,
	} {
		if got, want := p.text(expression), map[string]string{"rows": "20", "columns": "6"}[what]; got != want {
			t.Errorf("%s: %s instead of %s", what, got, want)
		}
	}
}

// TestTotals checks that the totals of all placements do not include previews with assumptions, which have rows of their own.
func TestTotals(t *testing.T) {
	p := open(t, "assumed")
	p.shows("#totals", "2 placements, 2 previews with assumptions, ", "removals (assumed: member-1 is gone from the fleet)")
	rows := p.text(`JSON.stringify([...document.querySelectorAll("#totals tbody tr")].map((tr) => [...tr.children].map((cell) => cell.innerText)))`)
	var cells [][]string
	if err := json.Unmarshal([]byte(rows), &cells); err != nil || len(cells) != 5 || cells[4][0] != "All, without assumptions" {
		t.Fatalf("%v, rows:\n%s", err, rows)
	}
	number := func(text string) (out int) {
		if text != "" {
			if _, err := fmt.Sscan(text, &out); err != nil {
				t.Fatal(err)
			}
		}
		return out
	}
	sum := 0
	for i := 1; i < len(cells[0]); i++ {
		if number(cells[0][i]) != number(cells[1][i]) || number(cells[2][i]) != number(cells[3][i]) { // the assumptions change nothing in these previews
			t.Errorf("column %d: %s", i, rows)
		}
		all := number(cells[4][i])
		if sum += all; all != number(cells[0][i])+number(cells[2][i]) {
			t.Errorf("column %d has %d in all: %s", i, all, rows)
		}
	}
	if sum == 0 {
		t.Errorf("the totals are empty: %s", rows)
	}
}

// TestFilters checks each filter and the reset.
func TestFilters(t *testing.T) {
	p := open(t, "small")
	set := func(id, value string) {
		t.Helper()
		p.execute(fmt.Sprintf(`const e = document.getElementById(%q); if (e.type === "checkbox") e.checked = true; else e.value = %q;
			for (const type of ["input", "change"]) e.dispatchEvent(new Event(type));`, id, value))
	}
	all := p.number(visibleRows)
	for _, c := range []struct {
		what string
		set  func()
		rows int
	}{
		{"action", func() { p.do(chromedp.Click(`[data-action="leave_alone"]`)) }, 1},
		{"two actions", func() {
			p.do(chromedp.Click(`[data-action="leave_alone"]`), chromedp.Click(`[data-action="unknown"]`))
		}, 2},
		{"placement", func() { set("filter-placement", "drift") }, 2},
		{"cluster", func() { set("filter-cluster", "member-3") }, 5},
		{"kind", func() { set("filter-kind", "Secret") }, 1},
		{"owner", func() { set("filter-owner", "kubectl") }, 6},
		{"text of an object", func() { set("filter-text", "DAEMONSET") }, 1},
		{"text of a value", func() { set("filter-text", "nginx:1.25") }, 2},
		{"text of a cluster", func() { set("filter-text", "member-3") }, 5},
		{"nothing", func() { set("filter-text", "nonesuch") }, 0},
		{"weighs", func() { set("filter-weighs", "") }, 12},
	} {
		c.set()
		if got := p.number(visibleRows); got != c.rows {
			t.Errorf("%s: %d rows instead of %d", c.what, got, c.rows)
		}
		p.shows("#status", fmt.Sprintf("Showing %d of 19 objects", c.rows))
		p.do(chromedp.Click(`#filters [type=reset]`))
		if got := p.number(visibleRows); got != all {
			t.Errorf("%s: %d rows after the reset instead of %d", c.what, got, all)
		}
	}
}

// TestKeyboard checks the skip link, the moves in the matrix, and the dialog.
func TestKeyboard(t *testing.T) {
	p := open(t, "small")
	at := func(row, column int) {
		t.Helper()
		want := fmt.Sprintf("%d/%d", row, column)
		if got := p.text(`document.activeElement.dataset.row + "/" + document.activeElement.dataset.column`); got != want {
			t.Errorf("the focus is at %s instead of %s", got, want)
		}
		if n := p.number(`document.querySelectorAll('#matrix [tabindex="0"]').length`); n != 1 {
			t.Errorf("%d cells can be reached with Tab", n)
		}
	}
	p.press(kb.Tab)
	if got := p.focused(); got != "Skip to the matrix" {
		t.Errorf("the first element is %q", got)
	}
	p.press(kb.Enter)
	at(0, -1)
	p.press(kb.ArrowRight, kb.ArrowRight, kb.ArrowDown)
	at(1, 1)
	if outline := p.text(`getComputedStyle(document.activeElement).outlineStyle`); outline != "solid" {
		t.Errorf("the focus has outline %q", outline)
	}
	p.press(kb.End)
	at(1, 4)
	p.press(kb.ArrowRight, kb.Home)
	at(1, -1)
	p.press(kb.ArrowUp, kb.ArrowUp)
	at(0, -1)
	p.press(kb.ArrowDown, kb.ArrowDown, kb.ArrowDown, kb.ArrowDown, kb.ArrowRight, kb.ArrowRight)
	at(4, 1)
	p.press(kb.Enter)
	p.shows("#details", "Deployment web/web", "member-2", "not taken over", "Owner", "spec.replicas", "kubectl-client-side-apply")
	if got := p.focused(); got != "Deployment web/web" {
		t.Errorf("the dialog focuses %q", got)
	}
	p.press(kb.Escape)
	if p.number(`document.querySelectorAll("dialog[open]").length`) != 0 {
		t.Error("Esc does not close the dialog")
	}
	at(4, 1)
	p.press(kb.Home, kb.Enter)
	p.shows("#details", "member-1", "member-2", "create", "not taken over")
	p.press(kb.Escape)
}

// TestHostile checks that texts from clusters are shown as they are, and that nothing in them is executed.
func TestHostile(t *testing.T) {
	p := open(t, "hostile")
	p.shows("#placements", "hostile</script><script>document.title='executed'</script>")
	p.shows("#matrix", "<img src=x onerror=", `\u202eabc`, "__proto__", "SCRIPT_TEXT")
	for range 3 {
		p.execute(`document.querySelector("#matrix").focus()`)
		p.press(kb.ArrowDown, kb.Enter)
		p.shows("#details", "data[")
		p.press(kb.Escape)
	}
	if title := p.text("document.title"); title != "Preview of placements" {
		t.Errorf("the title is %q", title)
	}
	if n := p.number(`document.querySelectorAll("img, script:not([type]) ~ script, iframe, a[href^=javascript]").length`); n != 0 {
		t.Errorf("%d elements of the texts are in the page", n)
	}
}

// TestPolicy checks that the content security policy of the page stops what a text could do if it became markup.
func TestPolicy(t *testing.T) {
	p := openWithoutCheck(t, "small")
	p.execute(`
		const script = document.createElement("script");
		script.textContent = "document.title = 'executed'";
		document.body.append(script);
		const image = document.createElement("img");
		image.setAttribute("onerror", "document.title = 'executed'");
		image.src = "http://127.0.0.1:9/x.png";
		document.body.append(image);
	`)
	if got := run(p, chromedp.Evaluate[string](`fetch("http://127.0.0.1:9/x").then(() => "sent", () => "blocked")`, chromedp.EvalAwaitPromise)); got != "blocked" {
		t.Errorf("a request was %s", got)
	}
	if title := p.text("document.title"); title != "Preview of placements" {
		t.Errorf("the title is %q", title)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	violations := slices.DeleteFunc(slices.Clone(p.messages), func(text string) bool { return !strings.Contains(text, "Content Security Policy") })
	if len(violations) < 3 {
		t.Errorf("the policy stopped only %d of them: %v", len(violations), p.messages)
	}
}

// TestLarge checks that only the visible rows of a large fleet have elements, and that the keyboard reaches the others.
func TestLarge(t *testing.T) {
	p := open(t, "large")
	p.shows("#status", "Showing 1,000 of 1,000 objects on 100 of 100 clusters.")
	if n := p.number(visibleRows); n == 0 || n > 60 {
		t.Errorf("%d rows have elements", n)
	}
	p.execute(`document.querySelector("#matrix").focus()`)
	p.do(chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(kb.ModifierCtrl)))
	if got := p.text(`document.activeElement.dataset.row + "/" + document.activeElement.dataset.column`); got != "999/99" {
		t.Errorf("the focus is at %s", got)
	}
	if hidden := p.text(`(() => { const cell = document.activeElement.getBoundingClientRect(), box = document.querySelector("#matrix").getBoundingClientRect();
		return String(cell.top < box.top || cell.bottom > box.bottom + 1 || cell.right > box.right + 1); })()`); hidden != "false" {
		t.Error("the focused cell is not visible")
	}
	p.press(kb.PageUp)
	if n := p.number(visibleRows); n == 0 || n > 60 {
		t.Errorf("%d rows have elements after scrolling", n)
	}
	t.Logf("ready %s ms after the navigation", p.text(`String(Math.round(performance.getEntriesByType("navigation")[0].domComplete))`))
}

// TestThemes checks that both color schemes are legible, and that the images of the example show the current page. With -update, it writes the images.
func TestThemes(t *testing.T) {
	for _, scheme := range []string{"light", "dark"} {
		p := open(t, "small")
		p.theme(scheme, "screen")
		for tone, contrast := range p.contrasts() {
			if contrast < 4.5 {
				t.Errorf("%s, %s: the contrast is %.1f", scheme, tone, contrast)
			}
		}
		p.do(chromedp.EmulateViewport(1280, 1500))
		image := run(p, chromedp.CaptureScreenshot())
		if len(image) > 200<<10 {
			t.Errorf("the image has %d bytes", len(image))
		}
		p.compareText(filepath.Join("testdata", "images.txt"))
		if *update {
			write(t, filepath.Join("..", "..", "..", "examples", "pull-request", "page-"+scheme+".png"), image)
		}
	}
}

// compareText compares the text of the page with the text at the time when the images were taken: the pixels depend on the fonts of the machine.
func (p *tab) compareText(file string) {
	p.t.Helper()
	text := p.text("document.body.innerText") + "\n"
	if *update {
		write(p.t, file, []byte(text))
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	if text != string(want) {
		p.t.Errorf("the images of the example show another page. To take them again, run `make page-test TESTFLAGS=-update`. The text of the page:\n%s", text)
	}
}

func write(t *testing.T, file string, content []byte) {
	t.Helper()
	if err := os.WriteFile(file, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// contrasts returns the contrast of texts and signs to their background, by the class of the element.
func (p *tab) contrasts() map[string]float64 {
	p.t.Helper()
	out := run(p, chromedp.Evaluate[map[string]float64](`(() => {
		const light = ([r, g, b]) => [r, g, b].map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
			.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
		const numbers = (color) => color.match(/[\d.]+/g).map(Number);
		const behind = (e) => { const c = numbers(getComputedStyle(e).backgroundColor); return c.length === 4 && c[3] === 0 ? behind(e.parentElement) : c; };
		const out = {};
		for (const e of document.querySelectorAll("#legend .sign, .hint, #matrix .name, #matrix .cluster, .advice, button, thead th, body")) {
			const [a, b] = [light(numbers(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
			out[e.tagName + " " + e.className] = (a + 0.05) / (b + 0.05);
		}
		return out;
	})()`))
	if len(out) < 10 {
		p.t.Errorf("only %d colors were compared", len(out))
	}
	return out
}

// TestPrint checks that paper has the totals, the changes with their differences, and the texts about placements, but not the matrix.
func TestPrint(t *testing.T) {
	p := open(t, "small")
	p.do(chromedp.Click(`[data-action="leave_alone"]`))
	p.theme("light", "print")
	p.execute(`window.dispatchEvent(new Event("beforeprint"))`)
	if visible := p.text(`String(document.querySelector("#printed section")?.checkVisibility())`); visible != "true" {
		t.Fatalf("the list for paper is visible: %s\n%s", visible, p.text(`document.querySelector("#printed").outerHTML + document.querySelector("#status").outerHTML`))
	}
	p.shows("body", "6 placements", "Filters: actions not taken over.", "On member-2", "spec.replicas", "kubectl-client-side-apply", "Placement drift")
	for _, selector := range []string{"#matrix", "#filters", ".skip", "dialog"} {
		if display := p.text(fmt.Sprintf(`String(document.querySelector(%q).checkVisibility())`, selector)); display != "false" {
			t.Errorf("%s is on paper", selector)
		}
	}
	p.theme("light", "screen")
	p.execute(`window.dispatchEvent(new Event("afterprint"))`)
	p.do(chromedp.Click(`#filters [type=reset]`))
	// The browser sends both events when it prints.
	p.execute(`new MutationObserver(() => { document.body.dataset.printed = document.querySelectorAll("#printed section").length || document.body.dataset.printed; })
		.observe(document.querySelector("#printed"), { childList: true })`)
	if paper := run(p, chromedp.PrintToPDF()); len(paper) < 10<<10 {
		t.Errorf("the document has %d bytes", len(paper))
	}
	p.do(chromedp.WaitReady("body[data-printed='19']"))
	if n := p.number(`document.querySelector("#printed").childElementCount`); n != 0 {
		t.Errorf("%d printed elements remain on the screen", n)
	}
}

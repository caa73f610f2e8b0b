package browser

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const troubled = "test/given/troubled"

// report writes a report of a cluster with many faults.
func report(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	text := rung(t, "report", "-o", "html", "-f", troubled, "--expectations", troubled+"/expectations.yaml", "--at-time", "2026-11-27T09:00:00Z")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// contrasts is a script: text whose contrast with what is behind it is below 4.5, which WCAG asks
// for, or 3 where it is large.
const contrasts = `(() => {
	const parse = c => c.match(/[\d.]+/g).map(Number);
	const light = ([r, g, b]) => [r, g, b].map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
	const behind = e => {
		for (; e; e = e.parentElement) {
			const c = parse(getComputedStyle(e).backgroundColor);
			if (c.length < 4 || c[3] > 0) return c;
		}
		return [255, 255, 255];
	};
	const bad = new Set(), walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	let seen = 0;
	for (let n; n = walk.nextNode();) {
		const e = n.parentElement;
		if (!n.data.trim() || e.closest("script,style,[hidden]")) continue;
		const style = getComputedStyle(e), svg = e.closest("svg");
		const [a, b] = [light(parse(svg ? style.fill : style.color)), light(behind(svg ? svg.parentElement : e))];
		const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
		seen++;
		if (ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5)) bad.add(ratio.toFixed(2) + " " + e.tagName + "." + (e.getAttribute("class") ?? "") + ": " + n.data.slice(0, 30));
	}
	return seen < 100 ? ["only " + seen + " texts"] : [...bad];
})()`

// TestReport looks at a report in three widths, light and dark, and on paper.
func TestReport(t *testing.T) {
	file := report(t)
	for _, width := range []int{360, 900, 1600} {
		for _, dark := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d dark=%t", width, dark), func(t *testing.T) {
				b := open(t, file, width, 900, dark)
				if got := eval[int](b, `document.documentElement.scrollWidth`); got > width {
					t.Errorf("the page is %d wide: it has to be moved sideways", got)
				}
				for _, text := range eval[[]string](b, contrasts) {
					t.Errorf("contrast %s", text)
				}
				shown := eval[string](b, `getComputedStyle(document.documentElement).backgroundColor`)
				if (shown == "rgb(255, 255, 255)") == dark {
					t.Errorf("dark=%t has the background %s", dark, shown)
				}
				picture(b, fmt.Sprintf("report-%d-%t.png", width, dark))
				b.checkQuiet()
			})
		}
	}
	t.Run("paper", func(t *testing.T) {
		b := open(t, file, 800, 900, true)
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print", Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
		if got := eval[string](b, `getComputedStyle(document.documentElement).backgroundColor`); got != "rgb(255, 255, 255)" {
			t.Errorf("paper is %s", got)
		}
		if got := eval[[]string](b, `[...document.querySelectorAll("nav, .tools")].filter(e => e.offsetHeight).map(e => e.tagName)`); len(got) > 0 {
			t.Errorf("printed are %v", got)
		}
		// A table that is wider than the paper would be cut.
		for _, text := range eval[[]string](b, `[...document.querySelectorAll("table, svg.map")].filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.parentElement.getAttribute("aria-label"))`) {
			t.Errorf("wider than the paper: %s", text)
		}
		// A search that hides rows on the screen hides none on paper.
		eval[bool](b, `(search.value = "no such row", search.dispatchEvent(new Event("input")), true)`)
		if got := eval[int](b, `[...document.querySelectorAll("tbody tr")].filter(e => !e.offsetHeight).length`); got > 0 {
			t.Errorf("%d rows are not printed", got)
		}
		pdf := call(b, page.PrintToPDF, page.PrintToPDFParams{}).Data
		if pages := bytes.Count(pdf, []byte("/Type /Page\n")); !bytes.HasPrefix(pdf, []byte("%PDF-")) || pages < 3 || pages > 40 {
			t.Errorf("%d pages, %d bytes", pages, len(pdf))
		}
		b.checkQuiet()
	})
}

// picture keeps a picture of the page where RUNG_PICTURES names a folder.
func picture(b *tab, name string) {
	if dir := os.Getenv("RUNG_PICTURES"); dir != "" {
		data, err := chromedp.Run(b, chromedp.FullScreenshot(100))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			b.t.Error(err)
		}
	}
}

// TestReportByKeyboard reads a report without a mouse, and as a screen reader does.
func TestReportByKeyboard(t *testing.T) {
	b := open(t, report(t), 1200, 900, false)
	// Tab goes from the top down through everything that can be reached, each thing once.
	n := eval[int](b, `document.querySelectorAll("a[href], input, button, [tabindex='0']").length`)
	if n < 50 {
		t.Fatalf("%d things can be reached", n)
	}
	eval[bool](b, `(window.steps = [], document.addEventListener("focusin", e => steps.push(e.target)), true)`)
	for range n {
		b.do(chromedp.KeyEvent(kb.Tab))
	}
	if wrong := eval[[]string](b, `steps.slice(1).filter((e, i) => !(steps[i].compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING)).map(e => e.outerHTML.slice(0, 80))`); len(wrong) > 0 {
		t.Errorf("the order of focus goes back to %q", wrong)
	}
	if got := eval[int](b, `new Set(steps).size`); got != n {
		t.Errorf("%d of %d things were reached", got, n)
	}
	if first := eval[string](b, `steps[0].textContent`); first != "Skip to the content" {
		t.Errorf("first is %q", first)
	}
	// Everything that can be reached has a name, and tables their heads.
	for _, node := range call(b, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes {
		if node.Ignored || node.Role == nil {
			continue
		}
		role := strings.Trim(string(node.Role.Value), `"`)
		switch role {
		case "button", "link", "searchbox", "region", "heading", "img", "columnheader":
			if node.Name == nil || strings.Trim(string(node.Name.Value), `" `) == "" {
				t.Errorf("a %s has no name", role)
			}
		}
	}
	// A slash begins the search; rows that do not match go, and come back.
	call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kb.KeyDown, Key: "/", Code: "Slash", Text: "/"}) // as a keyboard does: no letter where the key is taken
	if got := eval[string](b, `document.activeElement.id`); got != "search" {
		t.Fatalf("/ goes to %q", got)
	}
	all := eval[int](b, `[...document.querySelectorAll("tbody tr")].filter(e => e.offsetHeight).length`)
	b.do(chromedp.KeyEvent("quarantine"))
	some := eval[int](b, `[...document.querySelectorAll("tbody tr")].filter(e => e.offsetHeight).length`)
	found := eval[string](b, `document.getElementById("found").textContent`)
	if some == 0 || some >= all/2 || found != fmt.Sprintf("%d of %d rows", some, all) {
		t.Errorf("%d of %d rows are left, and it says %q", some, all, found)
	}
	if got := eval[int](b, `[...document.querySelectorAll("tbody tr")].filter(e => e.offsetHeight && !(e.textContent + (e.closest(".scroll").previousElementSibling?.textContent ?? "")).includes("quarantine") && !e.classList.contains("under") && !e.nextElementSibling?.classList.contains("under")).length`); got > 0 {
		t.Errorf("%d rows do not match", got)
	}
	if got := eval[[]string](b, `[...document.querySelectorAll(".none")].filter(e => e.offsetHeight).map(e => e.textContent)`); len(got) == 0 || got[0] != "No row matches the search." {
		t.Errorf("tables without a row say %q", got)
	}
	b.do(chromedp.KeyEvent(kb.Escape))
	if got := eval[int](b, `[...document.querySelectorAll("tbody tr")].filter(e => e.offsetHeight).length`); got != all {
		t.Errorf("%d of %d rows are back", got, all)
	}
	// A head sorts, numbers by value, and the rows under another stay with it.
	sorted := func(section, head string) []string {
		eval[bool](b, fmt.Sprintf(`([...document.querySelectorAll("#%s th button")].find(e => e.textContent === %q).focus(), true)`, section, head))
		b.do(chromedp.KeyEvent(kb.Enter))
		return eval[[]string](b, fmt.Sprintf(`(() => {
			const b = document.activeElement, i = b.parentElement.cellIndex;
			return [b.parentElement.getAttribute("aria-sort") ?? "", ...[...b.closest("table").tBodies[0].rows].map(r => r.cells[i].textContent)];
		})()`))
	}
	if got := sorted("input", "BYTES"); got[0] != "ascending" || got[1] != "573" || got[len(got)-1] != "10,988" {
		t.Errorf("sorted %q", got)
	}
	if got := sorted("ladder", "ACLS"); got[0] != "ascending" || got[len(got)-1] != "12" {
		t.Errorf("sorted %q", got)
	}
	if got := sorted("ladder", "ACLS"); got[0] != "descending" || got[1] != "12" {
		t.Errorf("sorted %q", got)
	}
	if got := sorted("ladder", "ACLS"); got[0] != "" || got[1] != "" || got[2] != "2" {
		t.Errorf("not sorted any more: %q", got)
	}
	under := `[...document.querySelectorAll("#findings tr.under")].map(e => { let p = e; while (p.classList.contains("under")) p = p.previousElementSibling; return p.cells[2].textContent + " " + e.cells[1].textContent; }).sort().join()`
	before := eval[string](b, under)
	sorted("findings", "POLICY")
	if after := eval[string](b, under); after != before || before == "" {
		t.Errorf("findings left their cause:\n%s\n%s", before, after)
	}
	// The map says where one is.
	eval[bool](b, `(document.querySelector("svg.map").focus(), true)`)
	b.do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowDown))
	if got := eval[string](b, `document.querySelector(".told").textContent`); got != "from blue-dev to blue-dev: deny" {
		t.Errorf("the map says %q", got)
	}
	b.checkQuiet()
}

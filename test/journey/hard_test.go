//go:build unix

package journey_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"rung/test/term"
)

// TestSmallestScreen: Rung starts where there is room for one character, takes
// keys there, and is all there when the window grows.
func TestSmallestScreen(t *testing.T) {
	t.Parallel()
	c := open(t, setup{w: 1, h: 1, args: []string{"--traffic", "0"}})
	c.until("draws something", func(f *frame) bool { return f.AltScreen })
	c.press("j", "enter", "?", "esc", "/", "a", "esc", "1", "j", "j")
	for _, size := range [][2]int{{2, 1}, {1, 5}, {12, 3}, {39, 9}} {
		c.Resize(size[0], size[1])
		c.press("j", "k")
	}
	c.Resize(120, 34)
	c.until("shows the ladder", func(f *frame) bool { return strings.Contains(f.Text(), "Ladder") })
	c.press("1").at("Ladder").ready()
	c.pick("cluster-contr").press("enter").at("cluster-control")
	c.Resize(1, 1)
	c.press("esc")
	c.Resize(80, 24)
	c.at("Ladder").pick("└ quarantine")
	c.quits()
}

// TestMarginsOfOldSize: the window grows while a frame for the smaller one is on its
// way, which ends by setting the margins to that size. What is drawn below them would
// scroll the header away, and every page after it.
func TestMarginsOfOldSize(t *testing.T) {
	t.Parallel()
	c := open(t, setup{w: 80, h: 24, args: []string{"--traffic", "0"}}).ready()
	c.Resize(120, 34, ansi.SetTopBottomMargins(1, 12))
	whole := func(page string) func(*frame) bool {
		at := onPage(page)
		return func(f *frame) bool {
			return at(f) && strings.Contains(f.Line(0), "rung")
		}
	}
	c.press("3")
	c.until("shows the zones, whole", whole("zones"))
	c.press("esc")
	c.until("shows the ladder, whole", whole("Ladder"))
	c.quits()
}

// Keys that are pressed at random: all but those that leave the program, stop
// it, or type the name of such an action.
var randomKeys = strings.Fields(`j j j k k down up enter enter esc esc tab shift+tab g G pgdown pgup ctrl+d ctrl+u left right
	w > < S z space n m e L l p D R v s i r t o [ ] f a c b x y U W M 1 2 3 4 5 6 h B O K + - / N home end ctrl+r ctrl+s alt+right d 2 5`)

// TestRandomResize: the window changes its size at random for 10 s while keys are
// pressed; afterwards everything works.
func TestRandomResize(t *testing.T) {
	t.Parallel()
	const seed = 20260317
	rnd := rand.New(rand.NewPCG(seed, 1))
	c := open(t, setup{args: []string{"--traffic", "40", "--churn", "5"}, editor: "true", dir: t.TempDir()}).ready() // what is typed may be the path of a file
	keys, sizes := 0, 0
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		if rnd.IntN(3) == 0 {
			w, h := 1+rnd.IntN(220), 1+rnd.IntN(70)
			if rnd.IntN(4) == 0 {
				w, h = 1+rnd.IntN(8), 1+rnd.IntN(6)
			}
			c.Resize(w, h)
			sizes++
		}
		switch rnd.IntN(12) {
		case 0:
			c.Click([]int{term.MouseLeft, term.MouseWheelDown, term.MouseWheelUp}[rnd.IntN(3)], rnd.IntN(200), rnd.IntN(60))
		default:
			c.Press(randomKeys[rnd.IntN(len(randomKeys))])
		}
		keys++
		time.Sleep(time.Duration(rnd.IntN(12)) * time.Millisecond)
	}
	t.Logf("%d keys and clicks, %d sizes (seed %d)", keys, sizes, seed)
	c.Resize(120, 34)
	c.catchesUp()
	c.home()
	c.press("3").at("zones").sees("ovn-worker2").press("esc").at("Ladder")
	c.press(":")
	c.Type("policy break-glass")
	c.press("enter").at("break-glass").press("esc").at("Ladder")
	c.nothingBroke()
	c.press("ctrl+c").closed(0)
}

// catchesUp waits until the program has read every key. One that comes while an
// editor has the terminal is the editor's, and lost with it.
func (c *console) catchesUp() {
	c.t.Helper()
	for end := time.Now().Add(patience); ; {
		c.press("esc", "3")
		_, err := c.Terminal.WaitUntil("zones", onPage("zones"), 2*time.Second)
		if err == nil {
			return
		}
		if time.Now().After(end) {
			c.t.Fatal(err)
		}
	}
}

// home goes back to the ladder, whatever is open: one Esc after the other, since
// many at once are read as one.
func (c *console) home() {
	c.t.Helper()
	for range 100 {
		c.press("esc")
		if first(c.Frame()) {
			c.at("Ladder")
			return
		}
	}
	c.t.Fatalf("Esc does not lead back to the ladder\n%s", c.Frame().Boxed())
}

// first says whether the screen says that this is the first page.
func first(f *frame) bool { return strings.Contains(lastLine(f), "nothing to go back to") }

// nothingBroke looks for reports of internal errors.
func (c *console) nothingBroke() {
	c.t.Helper()
	names, err := filepath.Glob(filepath.Join(c.Home(), "state", "rung", "error-*"))
	if err != nil || len(names) > 0 {
		c.t.Errorf("internal errors were reported: %v, %v", names, err)
	}
}

// TestUnfriendlyText: control and bidi characters in names are shown cleaned, on
// every page, and do nothing to the terminal.
func TestUnfriendlyText(t *testing.T) {
	t.Parallel()
	dir := examples(t)
	write(t, filepath.Join(dir, "50-evil.yaml"), strings.Replace(policyText("evil", 50), "name: from-monitoring",
		`name: "pay\e[2J\e]2;owned\aload\u202Egnp.exe\u2066\r\n\u009b31m"`, 1))
	c := open(t, setup{files: []string{dir}, args: []string{"--traffic", "0"}}).ready()
	clean := func() {
		t.Helper()
		f := c.Frame()
		for y := range f.Height {
			for _, r := range f.Line(y) {
				if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
					t.Errorf("%U stands on the screen\n%s", r, f.Boxed())
				}
			}
		}
		if strings.Contains(f.Title, "owned") {
			t.Errorf("the name set the title: %q", f.Title)
		}
	}
	c.pick("evil").press("enter").at("evil").sees("pay�[2J�]2;owned�load�gnp.exe��")
	clean()
	c.press("v").sees("[YAML]", `\u202E`)
	clean()
	c.press("shift+tab", "shift+tab").sees("[rules").pick("ingress 0").press("enter").at(`ingress 0 "pay�[2J`).sees("term by term")
	clean()
	c.pick("ACL", "Ingress:0:None").press("enter").at("ACL").sees("_uuid")
	clean()
	c.quits()
}

// TestFileVanishes: a watched file goes away and comes back: what it held goes and
// comes with it, the screen says so, and nothing else is lost.
func TestFileVanishes(t *testing.T) {
	t.Parallel()
	dir := examples(t)
	single := filepath.Join(short(t), "single.yaml")
	text := policyText("lonely", 77)
	write(t, single, text)
	c := open(t, setup{files: []string{dir, single}, args: []string{"--traffic", "0"}, w: 170}).ready()
	before := c.rows("cluster-control")
	if len(c.rows("lonely")) != 6 {
		t.Fatalf("rows of lonely: %v", c.rows("lonely"))
	}
	c.sees("77 ─ lonely", "not read · 1 object ")
	if err := os.Remove(single); err != nil {
		t.Fatal(err)
	}
	c.sees("single.yaml: missing since", "1 object removed", "not read · 2 objects", "ANP 10").misses("77 ─ lonely")
	c.follows("lonely", "gone", func(rows map[string]acl) bool { return len(rows) == 0 })
	if now := c.rows("cluster-control"); same(before, now) != "" || !moved(before, now, 0) {
		t.Errorf("rows of another policy changed: %s", same(before, now))
	}
	for _, name := range []string{"break-glass", "cluster-contr", "quarantine", "default", "old-form"} {
		c.sees(name)
	}
	write(t, single, text)
	c.sees("77 ─ lonely", "not read · 1 object ", "ANP 11").misses("missing since")
	c.follows("lonely", "back", func(rows map[string]acl) bool { return len(rows) == 6 })
	c.quits()
}

// TestBadFiles: every kind of bad input is listed with its error, and the good
// objects beside it are there.
func TestBadFiles(t *testing.T) {
	t.Parallel()
	dir := examples(t)
	var says [][]string
	for _, x := range []struct {
		name, text string
		says       []string // on one line of the ladder
	}{
		{"malformed", "apiVersion: v1\nkind: [\n", []string{"60-malformed.yaml:2", "is not YAML"}},
		{"unknown", strings.Replace(policyText("with-unknown", 51), "priority:", "prioritee:", 1), []string{"✗ with-unknown", "60-unknown.yaml:6", "spec.prioritee: unknown field"}},
		{"cidr", cidr("with-cidr", "10.0.0.0/33"), []string{"✗ with-cidr", "spec.egress[0].to[0].networks[0]", "Invalid CIDR"}},
		{"mapped", cidr("with-mapped", "::ffff:10.0.0.0/112"), []string{"✗ with-mapped", "spec.egress[0].to[0].networks[0]", "Invalid CIDR"}},
		{"priority", policyText("with-priority", 1001), []string{"✗ with-priority", "1001 should be less than or equal to 1000"}},
		{"rules", manyRules("with-rules", 101), []string{"✗ with-rules", "must have at most 100 items"}},
		{"domain", strings.Replace(cidr("with-domain", "x"), "networks:\n      - x", "domainNames:\n      - example.org", 1),
			[]string{"53", "with-domain", "not enforced: OVN-Kubernetes", "■ profile"}},
		{"annotation", strings.Replace(policyText("with-annotation", 52), "spec:", "  annotations:\n    k8s.ovn.org/acl-logging: '{\"deny\":\"loud\"}'\nspec:", 1),
			[]string{"52", "with-annotation", "not enforced: bad logging"}},
		{"baseline", strings.Replace(read(t, filepath.Join(dir, "20-baseline.yaml")), "name: default\n", "name: second\n", 1),
			[]string{"✗ second", `metadata.name="default"`}},
		{"host-bits", cidr("with-host-bits", "10.20.30.40/16"), []string{"53", "with-host-bits"}}, // accepted, and masked
		{"kind", "apiVersion: v1\nkind: Frobnicator\nmetadata:\n  name: what\n", nil},             // left aside; lint tells
	} {
		write(t, filepath.Join(dir, "60-"+x.name+".yaml"), x.text)
		if x.says != nil {
			says = append(says, x.says)
		}
	}
	c := open(t, setup{files: []string{dir}, args: []string{"--traffic", "0"}, w: 200, h: 60}).ready()
	c.sees("break-glass", "cluster-control", "quarantine", "experimental", "not read · 8 objects")
	for _, words := range says {
		c.until(fmt.Sprintf("lists %q", words), func(f *frame) bool {
			for y := range f.Height {
				if line := f.Line(y); !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(line, w) }) {
					return true
				}
			}
			return false
		})
	}
	c.pick("✗ old-form").does("enter", "not read", "spec.ingress[0].from[0].namespaces.namespaceSelector", "unknown field", "old form of a peer").answers("not read", "esc")
	for _, policy := range []string{"with-rules", "with-priority", "with-cidr", "with-domain", "second"} {
		if rows := c.rows(policy); len(rows) > 0 {
			t.Errorf("%s has rows: %v", policy, rows)
		}
	}
	c.press("5").at("activity").press("/")
	c.Type("with-rules")
	c.press("enter").sees("filter: with-rules  0 of ") // nor had for a moment
	c.quits()
}

func cidr(name, network string) string {
	text := policyText(name, 53)
	i := strings.Index(text, "    to:\n") + len("    to:\n")
	return text[:i] + "    - networks:\n      - " + network + "\n"
}

func manyRules(name string, n int) string {
	text := policyText(name, 54)
	i := strings.Index(text, "  egress:\n")
	var b strings.Builder
	b.WriteString(text[:i] + "  egress:\n")
	for j := range n {
		fmt.Fprintf(&b, "  - name: r%d\n    action: Allow\n    to:\n    - networks: [10.%d.0.0/16]\n", j, j)
	}
	return b.String()
}

// exists waits for a file.
func exists(t *testing.T, path string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
	t.Fatalf("%s never exists", path)
}

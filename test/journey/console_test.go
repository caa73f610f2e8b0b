//go:build unix

package journey_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rung/test/install"
	"rung/test/term"
	"rung/test/wait"
)

// patience is how long a journey waits for one thing. Only a failure takes as
// long; a machine that runs every package's tests at once may be slow.
const patience = wait.Patience

// grace is how long a question takes no keys after it appeared.
const grace = 170 * time.Millisecond

// console is Rung on a screen, with what a journey says and sees.
type console struct {
	*term.Driver
	t  *testing.T
	db string // folder of the sandbox, which is Rung's own: one socket per zone
	// pidFile has Rung's process id where a shell was started.
	pidFile string
}

// setup says how a journey's console is started.
type setup struct {
	demo   bool
	files  []string // -f; none is the troubled cluster
	args   []string // more arguments
	env    []string
	home   string
	dir    string
	w, h   int
	colour term.Profile
	light  bool
	editor string // body of a shell script; $1 is the file, $n the number of the call
	shell  bool   // under a shell with job control, which says what it sees
}

// open starts Rung.
func open(t *testing.T, s setup) *console {
	t.Helper()
	db := filepath.Join(short(t), "db")
	var args []string
	if s.demo {
		args = []string{"demo"}
	} else if len(s.files) == 0 {
		s.files = []string{examples(t)}
	}
	for _, f := range s.files {
		args = append(args, "-f", f)
	}
	// On a machine that has OVN, too, journeys are on what every machine has.
	args = append(args, "--sandbox-dir", db, "--sandbox-ovn", "off")
	args = append(args, s.args...)
	env := s.env
	if s.editor != "" {
		env = append(slices.Clip(env), "EDITOR="+script(t, s.editor))
	}
	path := install.Binary(t)
	if s.shell {
		path, args = underShell(t, path, args)
	}
	d := term.Start(t, term.Options{Path: path, Args: args, Env: env, Home: s.home, Dir: s.dir,
		Width: s.w, Height: s.h, Profile: s.colour, Light: s.light})
	c := &console{Driver: d, t: t, db: db}
	if s.shell {
		c.pidFile = args[3]
		t.Cleanup(c.killAll) // jobs of a shell are not the terminal's to end
	}
	return c
}

// ready waits until the rows of every policy were compared.
func (c *console) ready() *console {
	c.t.Helper()
	c.until("shows a ladder whose rows were all read", func(f *term.Frame) bool {
		text := f.Text()
		return cursor(f) >= 0 && (strings.Contains(text, "FINDINGS") || strings.Contains(text, "●")) && !strings.Contains(text, "starting") && !strings.Contains(text, "settling")
	})
	return c
}

// short makes a folder whose name leaves room for a socket's.
func short(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rj")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// script makes an editor: a shell script that counts its calls in $n.
func script(t *testing.T, body string) string {
	t.Helper()
	dir := short(t)
	path, count := filepath.Join(dir, "editor"), filepath.Join(dir, "calls")
	write(t, path, "#!/bin/sh\nset -e\necho >>'"+count+"'\nn=$(wc -l <'"+count+"')\n"+body+"\n")
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// examples copies the manifests of the troubled cluster into a folder.
func examples(t *testing.T) string {
	t.Helper()
	root, err := install.Root()
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(root, "test", "given", "troubled", "[0-9]*.yaml"))
	if err != nil || len(names) == 0 {
		t.Fatalf("the examples: %v, %v", names, err)
	}
	dir := short(t)
	for _, name := range names {
		write(t, filepath.Join(dir, filepath.Base(name)), read(t, name))
	}
	return dir
}

// until waits for a frame.
func (c *console) until(what string, fits func(*term.Frame) bool) {
	c.t.Helper()
	if _, err := c.Terminal.WaitUntil(what, fits, patience); err != nil {
		c.t.Fatal(err)
	}
}

// sees waits until every text is on the screen at once.
func (c *console) sees(texts ...string) *console {
	c.t.Helper()
	c.until(fmt.Sprintf("shows %q", texts), func(f *term.Frame) bool {
		text := f.Text()
		return !slices.ContainsFunc(texts, func(want string) bool { return !strings.Contains(text, want) })
	})
	return c
}

// misses waits until none of the texts is on the screen.
func (c *console) misses(texts ...string) *console {
	c.t.Helper()
	c.until(fmt.Sprintf("is rid of %q", texts), func(f *term.Frame) bool {
		text := f.Text()
		return !slices.ContainsFunc(texts, func(not string) bool { return strings.Contains(text, not) })
	})
	return c
}

// press presses keys. After Esc it waits a moment for what that changes; there may be
// nothing.
func (c *console) press(keys ...string) *console {
	c.t.Helper()
	for _, key := range keys {
		if key != "esc" {
			c.Press(key)
			continue
		}
		before := c.Frame()
		c.Press("csi esc")
		_, _ = c.Terminal.WaitUntil("changes", func(f *frame) bool { return !f.Same(before) }, time.Second)
	}
	return c
}

// does presses a key and waits for what it leads to.
func (c *console) does(key string, texts ...string) *console {
	c.t.Helper()
	return c.press(key).sees(texts...)
}

// answers waits for a question, and for the moment in which it takes no keys,
// and presses keys.
func (c *console) answers(question string, keys ...string) *console {
	c.t.Helper()
	c.sees(question)
	time.Sleep(grace)
	return c.press(keys...)
}

// types answers a question by typing a name.
func (c *console) types(question, name string) *console {
	c.t.Helper()
	c.answers(question)
	c.Type(name)
	return c.sees("> " + name).press("enter")
}

// selected is the line with the cursor, without its mark.
func (c *console) selected() string { return selection(c.Frame()) }

// cursor is the line the cursor is on, -1 without one.
func cursor(f *term.Frame) int {
	for y := range f.Height {
		if mark(f.Line(y)) {
			return y
		}
	}
	return -1
}

func mark(line string) bool { return strings.HasPrefix(line, "▸") || strings.HasPrefix(line, "> ") }

// selection is the text of the cursor's line with single spaces.
func selection(f *term.Frame) string {
	y := cursor(f)
	if y < 0 {
		return ""
	}
	line := strings.TrimPrefix(strings.TrimPrefix(f.Line(y), "▸"), ">")
	return strings.Join(strings.Fields(line), " ")
}

// pick moves the cursor down, and from the top again, to the line that has every
// one of the words.
func (c *console) pick(words ...string) *console {
	c.t.Helper()
	return c.pickBy("j", words...)
}

// pickBy is pick with a key of choice, "j" or "k".
func (c *console) pickBy(key string, words ...string) *console {
	c.t.Helper()
	has := func(line string) bool {
		line, _, _ = strings.Cut(line, "│")               // the pane at the right is only to be read
		narrow := strings.Join(strings.Fields(line), " ") // columns stand apart where there is room
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(line, w) && !strings.Contains(narrow, w) })
	}
	on := func(f *term.Frame) bool { at := cursor(f); return at >= 0 && has(f.Line(at)) }
	top := false
	for range 300 {
		f := c.Frame()
		if on(f) {
			c.reads() // a line may have changed for another reason than the last key
			if on(c.Frame()) {
				return c
			}
			continue
		}
		if c.moves(f, key) {
			continue
		}
		if top {
			break
		}
		top = true
		c.moves(c.Frame(), map[string]string{"j": "g", "k": "G"}[key]) // or it is there
	}
	c.t.Fatalf("no line with %q can be picked\n%s", words, c.Frame().Boxed())
	return c
}

// moves says whether a key moves the cursor or the list.
func (c *console) moves(was *term.Frame, key string) bool {
	c.t.Helper()
	line, at := selection(was), cursor(was)
	moved := func(f *term.Frame) bool { return cursor(f) != at || selection(f) != line }
	c.Press(key)
	if _, err := c.Terminal.WaitUntil("moves the cursor", moved, 700*time.Millisecond); err == nil {
		return true
	}
	c.reads()
	return moved(c.Frame())
}

// reads waits until the program has worked on every key pressed on a page so far: it
// takes them in order, and what the last one does is to be seen.
func (c *console) reads() {
	c.t.Helper()
	open := func(f *term.Frame) bool { return paletteTitle.MatchString(f.Text()) }
	c.Press(":")
	c.until("opens the palette", open)
	c.Press("csi esc")
	c.until("closes the palette", func(f *term.Frame) bool { return !open(f) })
}

// paletteTitle is the upper border of the palette.
var paletteTitle = regexp.MustCompile(`[┌+][─-] command [─-]`)

// crumbs is the line that says where one is.
func crumbs(f *term.Frame) string { return f.Line(1) }

// at waits until the last crumb begins with text.
func (c *console) at(crumb string) *console {
	c.t.Helper()
	c.until(fmt.Sprintf("is on the page %q", crumb), onPage(crumb))
	return c
}

func onPage(crumb string) func(*term.Frame) bool {
	return func(f *term.Frame) bool {
		line := crumbs(f)
		for _, sign := range []string{" › ", " > "} {
			if i := strings.LastIndex(line, sign); i >= 0 {
				line = line[i+len(sign):]
			}
		}
		return strings.HasPrefix(strings.TrimSpace(line), crumb)
	}
}

// quits leaves the program by ctrl+c and looks whether the terminal is as it
// was.
func (c *console) quits() {
	c.t.Helper()
	c.press("ctrl+c")
	c.ended(0)
}

// ended waits for the end of the program and looks at the terminal it leaves.
func (c *console) ended(want int) {
	c.t.Helper()
	if f := c.closed(want); strings.TrimSpace(f.Text()) != "" {
		c.t.Errorf("something was left on the screen:\n%s", f.Boxed())
	}
}

// closed is ended where a key may have come while an editor had the terminal:
// that one the terminal itself shows, below every program.
func (c *console) closed(want int) *frame {
	c.t.Helper()
	code, err := c.Terminal.Wait(patience)
	if err != nil {
		c.t.Fatal(err)
	}
	f := c.Frame()
	if code != want {
		c.t.Errorf("ended with code %d, want %d\n%s", code, want, f.Boxed())
	}
	c.restored(f)
	c.nothingLeft()
	return f
}

// ends sends a signal to a process of ours.
func signal(t *testing.T, pid int, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, sig); err != nil {
		t.Fatalf("sending %v to %d: %v", sig, pid, err)
	}
}

// run runs a program and returns what it prints.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	var out, bad strings.Builder
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, &bad
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, bad.String())
	}
	return out.String()
}

// TestDemoLag: the last zone of the demo answers after a while; until then the header and the zones page say so.
func TestDemoLag(t *testing.T) {
	c := open(t, setup{demo: true, args: []string{"--lag", "1h"}})
	c.until("shows a zone that does not answer", func(f *term.Frame) bool { return strings.Contains(f.Text(), "3 zones ●●◐") })
	c.Type("3")
	c.WaitFor("simulated: the zone answers in")
	c = open(t, setup{demo: true, args: []string{"--lag", "2s"}})
	c.until("shows three zones that answer", func(f *term.Frame) bool { return strings.Contains(f.Text(), "3 zones ●●●") })
}

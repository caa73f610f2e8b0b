package kube_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"rung/test/term"
)

const (
	// mostHang is how long the screen may take to answer a key: less than any server
	// stands still here, and more than a busy machine keeps a program from its cores.
	mostHang = 3 * time.Second
	// hangLimit ends the wait for an answer that is late already.
	hangLimit = 10 * time.Second
	keyPause  = 20 * time.Millisecond
)

// presser is somebody who never stops pressing keys: the cursor, pages, filters,
// help, and previews of moves that are never made. Each key has an answer that
// can be told from a screen that changes by itself; the time to it is measured.
type presser struct {
	screen *term.Driver
	rand   *rand.Rand

	turn sync.Mutex // held while keys are pressed; others take it to use the screen

	presses  int
	slowest  time.Duration
	slowKey  string
	previews int
	late     []string // answers that took more than mostHang, with the screen
	ended    error
}

func newPresser(screen *term.Driver, seed uint64) *presser {
	return &presser{screen: screen, rand: rand.New(rand.NewPCG(seed, 3))}
}

// run presses keys until ctx ends or the program does.
func (p *presser) run(ctx context.Context) {
	acts := []func(){p.cursor, p.cursor, p.pages, p.filter, p.help, p.palette, p.move, p.open}
	for ctx.Err() == nil && p.ended == nil && len(p.late) < 5 {
		p.turn.Lock()
		p.home()
		acts[p.rand.IntN(len(acts))]()
		p.turn.Unlock()
		time.Sleep(keyPause) // a turn for others
	}
}

// key presses a key and measures the time to a frame that fits. It says whether
// there was one.
func (p *presser) key(key, what string, fits func(*term.Frame) bool) bool {
	if p.ended != nil {
		return false
	}
	took, err := p.screen.Terminal.LatencyUntil(key, what, fits, hangLimit)
	switch {
	case errors.Is(err, term.ErrEnded):
		p.ended = err
	case errors.Is(err, term.ErrTimeout):
		p.presses++
		p.late = append(p.late, err.Error())
	case err != nil:
		return false // it was so before the key: nothing was measured
	default:
		p.presses++
		if took > p.slowest {
			p.slowest, p.slowKey = took, key+": "+what
		}
		if took > mostHang {
			p.late = append(p.late, fmt.Sprintf("%q took %v to %s\n%s", key, took, what, p.screen.Frame().Boxed()))
		}
	}
	time.Sleep(keyPause)
	return err == nil
}

// foot is the line with the keys, a filter being typed, or a note.
func foot(f *term.Frame) string { return strings.TrimSpace(f.Line(f.Height - 1)) }

// atHome says whether the ladder is shown, all of it, and nothing lies over it.
func atHome(f *term.Frame) bool {
	title, keys := strings.TrimSpace(f.Line(1)), foot(f)
	return strings.HasPrefix(title, "Ladder") && !strings.Contains(title, "›") && !strings.Contains(title, "filter:") &&
		strings.HasPrefix(strings.TrimSpace(f.Line(2)), "PRIO") && !strings.Contains(f.Text(), "┌─") &&
		!strings.HasPrefix(keys, "/") && !strings.Contains(keys, "esc ")
}

// home leaves whatever is open.
func (p *presser) home() {
	for range 12 {
		before := p.screen.Frame()
		if atHome(before) {
			return
		}
		_ = p.screen.Terminal.Press("esc") // one that ended is noticed by the next key
		time.Sleep(60 * time.Millisecond)
		_, _ = p.screen.Terminal.WaitUntil("is the ladder", atHome, 150*time.Millisecond)
	}
}

// selected is the line under the cursor and its row.
func selected(f *term.Frame) (line string, row int) {
	for y := range f.Height {
		if line := f.Line(y); strings.HasPrefix(line, "▸") {
			return line, y
		}
	}
	return "", -1
}

// bottom says that nothing can be selected below the cursor: the tiers below have
// nothing in them.
func bottom(f *term.Frame) bool {
	_, row := selected(f)
	return row < 0 || f.Line(row+1) == "" || strings.Contains(f.Line(row+1), "── tier 2")
}

func (p *presser) cursor() {
	key := "j"
	for range 8 {
		f := p.screen.Frame()
		if bottom(f) {
			key = "k"
		} else if line, _ := selected(f); strings.Contains(line, "── tier 0") {
			key = "j" // nothing is above it
		}
		p.step(key)
	}
}

// step moves the cursor by one line.
func (p *presser) step(key string) {
	was, at := selected(p.screen.Frame())
	p.key(key, "moves the cursor", func(f *term.Frame) bool {
		now, row := selected(f)
		return row != at || now != was
	})
}

func (p *presser) pages() {
	for _, page := range []struct{ key, title string }{{"2", "rows"}, {"3", "zones"}, {"4", "logs"}, {"5", "activity"}, {"6", "plan"}} {
		p.key(page.key, "shows the "+page.title, func(f *term.Frame) bool { return strings.Contains(f.Line(1), "› "+page.title) })
		if p.rand.IntN(3) == 0 {
			p.key("1", "shows the ladder", atHome)
		}
	}
}

func (p *presser) filter() {
	p.key("/", "asks for a filter", func(f *term.Frame) bool { return strings.HasPrefix(foot(f), "/") })
	for i, want := range []string{"/p", "/p-"} {
		p.key(want[i+1:], "filters by "+want, func(f *term.Frame) bool { return strings.HasPrefix(foot(f), want) })
	}
	p.key("esc", "clears the filter", atHome)
}

func (p *presser) help() {
	p.key("?", "shows help", func(f *term.Frame) bool { return strings.Contains(f.Text(), "keys on this page") })
	p.key("esc", "leaves help", atHome)
}

func (p *presser) palette() {
	p.key(":", "shows the palette", func(f *term.Frame) bool { return strings.Contains(f.Text(), "─ command") })
	p.key("z", "searches", func(f *term.Frame) bool { return strings.Contains(f.Text(), ":z") })
	p.key("esc", "leaves the palette", atHome)
}

// onPolicy says whether the cursor is on a policy's line.
func onPolicy(f *term.Frame) bool {
	line, _ := selected(f)
	return strings.Contains(line, "─ p-") || strings.Contains(line, "─ guard-blue")
}

// atTop says whether the cursor is on the first line: that of tier 0, or, where tier 0 had
// nothing in it when the key came, the first below the heading of tier 1. The cursor stays
// there when rows of tier 0 are read again.
func atTop(f *term.Frame) bool {
	line, row := selected(f)
	return strings.Contains(line, "── tier 0") || row > 0 && strings.Contains(f.Line(row-1), "── tier 1")
}

// policy goes to a policy's line.
func (p *presser) policy() bool {
	at := onPolicy
	p.key("g", "goes to the top", atTop)
	for range 2 + p.rand.IntN(12) {
		if f := p.screen.Frame(); at(f) && p.rand.IntN(3) == 0 || bottom(f) {
			break
		}
		p.step("j")
	}
	for range 20 {
		if f := p.screen.Frame(); at(f) || bottom(f) {
			break
		}
		p.step("j")
	}
	return at(p.screen.Frame())
}

// move previews a move: the rows, the connections and the API server's dry run,
// which may not answer. It makes none.
func (p *presser) move() {
	if !p.policy() {
		return
	}
	carried := func(f *term.Frame) bool { return strings.Contains(f.Line(1), "moving") }
	// Or the policy went in that moment, and rows of it are left under the cursor.
	if !p.key("m", "picks the policy up", func(f *term.Frame) bool { return carried(f) || !onPolicy(f) }) || !carried(p.screen.Frame()) {
		return
	}
	for range 1 + p.rand.IntN(4) {
		text := p.screen.Frame().Text()
		p.key("j", "carries the policy", func(f *term.Frame) bool { return f.Text() != text })
	}
	p.key("enter", "puts the policy down", func(f *term.Frame) bool { return !carried(f) })
	if atHome(p.screen.Frame()) {
		return // where it was: nothing to preview
	}
	p.previews++
	time.Sleep(time.Duration(p.rand.IntN(300)) * time.Millisecond) // with or without the server's answer
	p.key("esc", "leaves the preview", atHome)
}

func (p *presser) open() {
	if !p.policy() {
		return
	}
	if p.key("enter", "opens the policy", func(f *term.Frame) bool { return strings.Contains(f.Line(1), "Ladder ›") }) {
		for range 4 {
			text := p.screen.Frame().Text()
			p.key("tab", "shows another tab", func(f *term.Frame) bool { return f.Text() != text })
		}
	}
	p.key("esc", "is the ladder", atHome)
}

//go:build unix

package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"rung/change"
	"rung/change/gate"
)

// A file that is edited while the question stands is not changed by a yes to what
// was shown before: the change is shown once more, and asked about once more.
func TestChangedWhileAsked(t *testing.T) {
	noLeaks(t)
	for _, c := range []struct {
		name, question, answer string
		args                   []string
		wait                   time.Duration // until the edit was read
	}{
		{"y", "Apply? [y/N] ", "y\n", []string{"move", "guard-db", "31"}, 3 * time.Second},
		{"y at once", "Apply? [y/N] ", "y\n", []string{"move", "guard-db", "31"}, 0},
		{"a name", "Type guard-db to confirm: ", "guard-db\n", []string{"delete", "guard-db"}, 0},
		{"a plan", "Apply? [y/N] ", "y\n", []string{"plan", "--step", "5", "--run"}, 3 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := cluster(t)
			path := filepath.Join(dir, "policies.yaml")
			keyboard, terminal, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer keyboard.Close()
			defer terminal.Close()
			r := startWith(t, terminal, append(c.args, "-f", dir, "--write-back")...)
			r.until(&r.errs, c.question)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			mine := strings.ReplaceAll(string(before), "action: Deny", "action: Allow")
			if mine == string(before) {
				t.Fatal("the policies of the test have another text")
			}
			if err := os.WriteFile(path, []byte(mine), 0o600); err != nil {
				t.Fatal(err)
			}
			// However far the edit was noticed by then: at the gate, or where the file is
			// written.
			answer := func(text string) {
				if _, err := keyboard.WriteString(text); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(c.wait)
			answer(c.answer)
			if c.wait > 0 {
				r.until(&r.errs, "changed: look again: ")
				r.untilCount(&r.errs, c.question, 2)
				answer("n\n")
			}
			if code := r.wait(); code == exitOK {
				t.Errorf("exit %d\n%s", code, r.errs.String())
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != mine {
				t.Errorf("the edit is gone: %v\n%s", err, after)
			}
		})
	}
}

// What a change became is what the next question is about; where nobody is asked
// it is an answer of no, with the change as it is now.
func TestConfirmedAgain(t *testing.T) {
	was := &gate.Preview{Title: "Move ANP a from 1 to 2", Objects: []change.ObjectChange{{}}}
	now := &gate.Preview{Title: "Move ANP a from 1 to 2", Objects: []change.ObjectChange{{}},
		Notes: []string{"now it shares a priority"}}
	for _, c := range []struct {
		name, typed string
		flags       changeFlags
		commits     int
		refused     bool
	}{
		{"yes, and yes again", "y\ny\n", changeFlags{}, 2, false},
		{"yes, and no", "y\nn\n", changeFlags{}, 1, true},
		{"--yes", "", changeFlags{yes: true}, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errs strings.Builder
			a := &app{in: strings.NewReader(c.typed), out: &out, err: &errs}
			var got []*gate.Preview
			made := false
			show := func(p *gate.Preview) error { return a.print(previewAnswer(p, "")) }
			p, err := a.confirmed(&c.flags, was, show, func(p *gate.Preview, _ gate.Confirm) error {
				got = append(got, p)
				if p == was {
					return fmt.Errorf("gate: %w", &gate.StaleError{Title: p.Title, What: "ANP b came", Preview: now})
				}
				made = true
				return nil
			})
			if len(got) != c.commits || made == c.refused || c.refused && !errors.Is(err, errRefused) || p != now {
				t.Errorf("%d commits, made %t, %v", len(got), made, err)
			}
			if n := strings.Count(out.String(), "now it shares a priority"); n != 1 {
				t.Errorf("the new change was shown %d times\n%s", n, out.String())
			}
			if !strings.Contains(errs.String()+fmt.Sprint(err), "changed: look again: ANP b came") {
				t.Errorf("not said: %q %v", errs.String(), err)
			}
		})
	}
}

// untilCount waits until a text was printed n times.
func (r *running) untilCount(b *buffer, text string, n int) {
	r.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for ; strings.Count(b.String(), text) < n; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("not %d times %q in\n%s", n, text, b.String())
		}
	}
}

// A change that cannot be made is refused whatever else its preview says: notes do not make
// it a change that is there already.
func TestBlockedIsRefused(t *testing.T) {
	for _, flags := range []changeFlags{{yes: true}, {dryRun: true}} {
		var out, errs strings.Builder
		a := &app{in: strings.NewReader(""), out: &out, err: &errs}
		p := &gate.Preview{Title: "Continue: Re-space", Blocked: "allow-blue-mon is new at 25, where it passes", Notes: []string{"1 of 9 done"}}
		show := func(p *gate.Preview) error { return a.print(stepsAnswer(p, "")) }
		_, err := a.confirmed(&flags, p, show, func(*gate.Preview, gate.Confirm) error {
			t.Error("it is made")
			return nil
		})
		if !errors.Is(err, errRefused) || !strings.Contains(err.Error(), p.Blocked) {
			t.Errorf("%+v: %v", flags, err)
		}
		if strings.Contains(out.String(), "every step is made") {
			t.Errorf("it is said to be made:\n%s", out.String())
		}
	}
}

package plan

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func respaced(t *testing.T) Plan {
	t.Helper()
	p, err := board(t, sketch, 99).Respace(10, 10)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProgressRoundTrip(t *testing.T) {
	for done := range 8 {
		for _, back := range []bool{false, true} {
			p := &Progress{Context: "kind-ovn", Plan: respaced(t), Done: done, Back: back}
			raw, err := p.Encode()
			if err != nil {
				t.Fatal(err)
			}
			got, err := DecodeProgress(raw)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(p, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	}
}

func TestDecodeProgressRefuses(t *testing.T) {
	good, err := (&Progress{Context: "demo", Plan: respaced(t), Done: 2}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	change := func(old, new string) string {
		if !strings.Contains(string(good), old) {
			t.Fatalf("%s has no %s", good, old)
		}
		return strings.Replace(string(good), old, new, 1)
	}
	for name, text := range map[string]string{
		"nothing":                  "",
		"not JSON":                 "k of n",
		"another version":          change(`"version": 1`, `"version": 2`),
		"more done than there is":  change(`"done": 2`, `"done": 8`),
		"less than nothing done":   change(`"done": 2`, `"done": -1`),
		"an unknown field":         change(`"done": 2`, `"done": 2, "force": true`),
		"more text":                string(good) + "{}",
		"a step from elsewhere":    change(`"from": 30`, `"from": 31`),
		"a step to elsewhere":      change(`"to": 10`, `"to": 11`),
		"a step that inverts":      change(`"to": 10`, `"to": 35`),
		"another policy":           change(`"policy": "break-glass"`, `"policy": "break-wood"`),
		"a name with an escape":    strings.ReplaceAll(string(good), "break-glass", `break\u001b[2J`),
		"a context with an escape": change(`"demo"`, `"\u202edemo"`),
		"a priority out of range":  change(`"priority": 120`, `"priority": 1200`),
		"a range out of range":     change(`"max_priority": 99`, `"max_priority": 9999`),
		"a wrong end":              change(`"then": [`, `"then": [{"policy":"ghost","priority":1},`),
		"far too long":             string(good) + strings.Repeat(" ", MaxProgressSize),
	} {
		if p, err := DecodeProgress([]byte(text)); err == nil {
			t.Errorf("%s is taken: %+v", name, p)
		} else if !strings.HasPrefix(err.Error(), "reading the progress of a plan: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (&Progress{Plan: respaced(t), Done: 99}).Encode(); err == nil {
		t.Error("99 of 7 steps done is stored")
	}
}

func TestProgressThereAndBack(t *testing.T) {
	p := &Progress{Context: "demo", Plan: respaced(t)}
	at := p.Plan.Now
	walk := func(limit int) {
		for range limit {
			s, ok := p.Next()
			if !ok {
				return
			}
			next, err := Replay(at, []Step{s})
			if err != nil {
				t.Fatal(err)
			}
			at = next
			p.Advance()
			want, err := p.At()
			if err != nil || show(at) != show(want) {
				t.Fatalf("after %d steps at %s, %v; want %s", p.Done, show(at), err, show(want))
			}
			if done, err := p.Locate(at); err != nil || done != p.Done {
				t.Fatalf("located at %d, %v; want %d", done, err, p.Done)
			}
		}
	}
	walk(4)
	if p.Done != 4 || p.Finished() {
		t.Fatalf("%d done, finished %v", p.Done, p.Finished())
	}
	p.Back = true
	walk(2)
	p.Back = false
	walk(99)
	if !p.Finished() || show(at) != show(p.Plan.Then) {
		t.Fatalf("at the end: %s", show(at))
	}
	p.Advance()
	if p.Done != 7 {
		t.Errorf("%d done after the end", p.Done)
	}
	p.Back = true
	walk(99)
	if !p.Finished() || p.Done != 0 || show(at) != show(p.Plan.Now) {
		t.Errorf("back at the start: %s", show(at))
	}
}

func TestLocate(t *testing.T) {
	p := &Progress{Context: "demo", Plan: respaced(t), Done: 1}
	tests := []struct {
		name, now string
		done      int
		err       string
	}{
		{name: "as recorded", now: strings.Replace(sketch, "30 break", "10 break", 1), done: 1},
		{name: "a step further than recorded", now: "10 break-glass; 20 cluster-control; 40 blue green; 43 isolation; 60 metrics quarantine; 120 experimental", done: 2},
		{name: "put back", now: sketch, done: 0},
		{name: "one moved by hand", now: strings.Replace(sketch, "43 isolation", "44 isolation", 1), err: "the ladder is not where the plan left it: break-glass stands at 30, not 10"},
		{name: "one gone", now: strings.Replace(sketch, "43 isolation;", "", 1), err: "the ladder is not where the plan left it: isolation is gone"},
		{name: "one new", now: sketch + "; 70 z; 71 y", err: "the ladder is not where the plan left it: new on it: y, z"},
	}
	for _, tt := range tests {
		done, err := p.Locate(slots(tt.now))
		if tt.err != "" {
			if !errors.Is(err, ErrElsewhere) || err.Error() != tt.err {
				t.Errorf("%s: error %v, want %s", tt.name, err, tt.err)
			}
			continue
		}
		if err != nil || done != tt.done {
			t.Errorf("%s: %d, %v; want %d", tt.name, done, err, tt.done)
		}
	}
}

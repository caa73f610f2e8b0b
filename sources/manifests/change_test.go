package manifests

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// What leads from one text to another leads back, whatever they are: nothing, no file,
// letters of several bytes, parts far apart.
func TestChangeLeadsBack(t *testing.T) {
	long := strings.Repeat("a line of some length: é\n", 2000)
	for _, c := range []struct {
		before, after string
		most          int // bytes that are kept of the texts
	}{
		{"", "", 0}, {"a", "a", 0}, {"", "new\n", 4}, {"gone\n", "", 5},
		{"é", "è", 4}, {"aéb", "aèb", 4}, {"aa", "aaa", 1},
		{"x\n" + long + "y\n", "z\n" + long + "w\n", 100}, // two lines far apart
	} {
		ch := NewTextChange("x.yaml", []byte(c.before), []byte(c.after))
		back, ok := ch.TextBefore([]byte(c.after))
		if !ok || string(back) != c.before {
			t.Errorf("%.20q to %.20q: back to %.20q, %v", c.before, c.after, back, ok)
		}
		kept := 0
		for _, h := range ch.Hunks {
			kept += len(h.Is) + len(h.Was)
		}
		if kept > c.most {
			t.Errorf("%.20q to %.20q: %d bytes are kept", c.before, c.after, kept)
		}
		if _, ok := ch.TextBefore([]byte(c.after + "#")); ok {
			t.Errorf("%.20q to %.20q: another text is led back", c.before, c.after)
		}
	}
	made := NewTextChange("x.yaml", nil, []byte("text"))
	if back, ok := made.TextBefore([]byte("text")); !ok || back != nil {
		t.Errorf("a file that was made goes back to %q, %v", back, ok)
	}
	gone := NewTextChange("x.yaml", []byte("text"), nil)
	if back, ok := gone.TextBefore(nil); !ok || string(back) != "text" {
		t.Errorf("a file that is gone comes back as %q, %v", back, ok)
	}
	if _, ok := gone.TextBefore([]byte{}); ok {
		t.Error("a file that is there again counts as gone")
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		text := func() []byte {
			var b strings.Builder
			for range r.IntN(600) {
				fmt.Fprintf(&b, "%d\n", r.IntN(3)*7919)
			}
			return []byte(b.String())
		}
		before, after := text(), text()
		ch := NewTextChange("x.txt", before, after)
		if back, ok := ch.TextBefore(after); !ok || string(back) != string(before) {
			t.Fatalf("%q to %q: back to %q, %v", before, after, back, ok)
		}
	}
}

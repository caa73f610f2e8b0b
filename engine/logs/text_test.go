package logs

import (
	"strings"
	"testing"
	"time"

	"rung/model/logline"
)

// What a filter looks at is the sentence, with an arrow that can be typed.
func TestTextIsTheSentence(t *testing.T) {
	e := &Entry{Line: logline.Line{At: time.Date(2026, 11, 3, 14, 5, 0, 7e6, time.UTC), Zone: "ovn-worker", Proto: "tcp", DstPort: 443},
		Src: End{Addr: "10.244.0.5"}, Dst: End{Addr: "8.8.8.8"}, Action: "dropped"}
	if want := "10.244.0.5 → 8.8.8.8 tcp 443 dropped by an ACL without a name"; e.Sentence() != want {
		t.Errorf("the sentence is %q, want %q", e.Sentence(), want)
	}
	if want := "14:05:00.007 ovn-worker " + strings.Replace(e.Sentence(), "→", ">", 1); e.Text() != want {
		t.Errorf("the text is %q, want %q", e.Text(), want)
	}
}

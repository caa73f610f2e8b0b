package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"rung/change/write"
	"rung/model"
	"rung/sources/kube"
)

// late gives its text after a while: a reading that is over sooner is told nothing of.
type late struct{ text *strings.Reader }

func (l *late) Read(p []byte) (int, error) {
	if l.text.Len() == int(l.text.Size()) {
		time.Sleep(250 * time.Millisecond)
	}
	return l.text.Read(p)
}

// While files are read for the first time their state says how far that is; afterwards
// it says nothing of it.
func TestFilesSayHowFarTheyAre(t *testing.T) {
	var text strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&text, "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ns-%d}\n", i)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var states []model.SourceState
	write.NewFiles(write.FileOptions{Paths: []string{"-"}, Stdin: &late{strings.NewReader(text.String())}}).Run(ctx, func(u kube.SourceUpdate) {
		states = append(states, u.State)
		if u.Loaded {
			cancel()
		}
	})
	if len(states) < 3 {
		t.Fatalf("the states were %+v", states)
	}
	first, end := states[0], states[len(states)-1]
	if first.Conn != model.ConnStarting || first.Read <= 0 || first.Total < first.Read || first.Total > int64(text.Len()) {
		t.Errorf("while it is read: %+v", first)
	}
	if end.Conn != model.ConnSynced || end.Read != 0 || end.Total != 0 {
		t.Errorf("when it was read: %+v", end)
	}
}

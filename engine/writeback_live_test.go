package engine

import (
	"testing"
	"time"
)

// TestWriteBackLive: what is written is read again, and neither is lost.
func TestWriteBackLive(t *testing.T) {
	w := newLiveWorld(t, anp("one", 10, "tenant=blue", "in deny *"), anp("two", 20, "tenant=red", "in deny *"))
	r := w.run(func(c *Config) {
		c.Writer = c.Sources[0].(*Files)
		c.Mode.WriteBack = true
	})
	r.until(10*time.Second, "read", func(rev *Revision) bool { return rev.Loaded })
	r.change(applied(anp("three", 30, "", "in deny *")))
	r.change(Mutation{Op: OpDelete, Policy: anpKey("one")})
	r.change(movedTo("two", 21))
	r.change(movedTo("three", 31))
	r.change(Mutation{Op: OpUndo})
	read := func(name string, priority int32) func(*Revision) bool {
		return func(rev *Revision) bool {
			p := rev.Cluster.Policy(anpKey(name))
			return p != nil && p.Priority == priority && p.Origin.Line > 0
		}
	}
	r.until(10*time.Second, "three is read where it was written", read("three", 30))
	r.until(10*time.Second, "two is read where it stands now", read("two", 21))
	r.until(10*time.Second, "nothing is kept over the files", func(*Revision) bool {
		n := -1
		r.do(func(s *state) { n = len(s.overlay) })
		return n == 0
	})
	w.file("policies.yaml", anp("two", 22, "tenant=red", "in deny *"))
	r.until(10*time.Second, "the next change of the file", read("two", 22))
	if r.Revision().Cluster.Policy(anpKey("one")) != nil {
		t.Error("one is back")
	}
}

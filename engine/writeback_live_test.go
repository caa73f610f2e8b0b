package engine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"rung/change"
	"rung/change/write"
	"rung/revision"
	"rung/test/given"
)

// TestWriteBackLive: what is written is read again, and neither is lost.
func TestWriteBackLive(t *testing.T) {
	w := newLiveWorld(t, given.ANP("one", 10, "tenant=blue", "in deny *"), given.ANP("two", 20, "tenant=red", "in deny *"))
	r := w.run(func(c *Config) {
		c.Writer = c.Sources[0].(*write.Files)
		c.Mode.WriteBack = true
	})
	r.until("read", func(rev *revision.Revision) bool { return rev.Loaded })
	r.change(applied(given.ANP("three", 30, "", "in deny *")))
	r.change(change.Mutation{Op: change.OpDelete, Policy: given.ANPKey("one")})
	r.change(movedTo("two", 21))
	r.change(movedTo("three", 31))
	r.change(change.Mutation{Op: change.OpUndo})
	read := func(name string, priority int32) func(*revision.Revision) bool {
		return func(rev *revision.Revision) bool {
			p := rev.Cluster.Policy(given.ANPKey(name))
			return p != nil && p.Priority == priority && p.Origin.Line > 0
		}
	}
	r.until("three is read where it was written", read("three", 30))
	r.until("two is read where it stands now", read("two", 21))
	r.until("nothing is kept over the files", func(*revision.Revision) bool {
		n := -1
		r.runInLoop(func(s *loopState) { n = len(s.overlay) })
		return n == 0
	})
	w.file("policies.yaml", given.ANP("two", 22, "tenant=red", "in deny *"))
	r.until("the next change of the file", read("two", 22))
	if r.Revision().Cluster.Policy(given.ANPKey("one")) != nil {
		t.Error("one is back")
	}
}

// A file that an undo takes away with the policy it was made for is missed by nobody; a
// deleted policy is back in its place, and read from there.
func TestUndoInFilesLive(t *testing.T) {
	one, two, three := given.ANP("one", 10, "tenant=blue", "in deny *"), given.ANP("two", 20, "tenant=red", "in deny *"),
		given.ANP("three", 30, "tenant=red", "in deny *")
	w := newLiveWorld(t, one, two, three)
	r := w.run(func(c *Config) {
		c.Writer = c.Sources[0].(*write.Files)
		c.Mode.WriteBack = true
	})
	files := func(want string) func(*revision.Revision) bool {
		return func(rev *revision.Revision) bool { return rev.Loaded && rev.Sources[0].Detail == want }
	}
	r.until("read", files("2 files"))
	r.change(applied(given.ANP("four", 40, "", "in deny *")))
	r.until("the new file is read", files("3 files"))
	r.change(change.Mutation{Op: change.OpUndo})
	rev := r.until("its file is gone", func(rev *revision.Revision) bool {
		_, err := os.Lstat(filepath.Join(w.manifests, "anp-four.yaml"))
		return errors.Is(err, fs.ErrNotExist) && rev.Sources[0].Detail == "2 files"
	})
	if len(rev.Broken) > 0 || rev.Sources[0].Error != "" {
		t.Errorf("it is missed: %v %q", rev.Broken, rev.Sources[0].Error)
	}
	r.change(change.Mutation{Op: change.OpDelete, Policy: given.ANPKey("two")})
	r.change(change.Mutation{Op: change.OpUndo})
	r.until("two is read where it was", func(rev *revision.Revision) bool {
		p := rev.Cluster.Policy(given.ANPKey("two"))
		return p != nil && p.Origin.Doc == 1 && p.Origin.Line > 0
	})
	text, err := os.ReadFile(filepath.Join(w.manifests, "policies.yaml"))
	if want := one + "---\n" + two + "---\n" + three; err != nil || string(text) != want {
		t.Errorf("%v: the file is\n%s\nwant\n%s", err, text, want)
	}
}

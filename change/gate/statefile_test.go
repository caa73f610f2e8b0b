package gate

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/change/history"
	"rung/test/changing"
	"rung/test/faultfs"
	"rung/test/given"
)

// A torn last line, of a process that was killed, must not take the next record
// with it.
func TestAuditAfterATornLine(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "audit.jsonl")
	if err := os.WriteFile(path, []byte(`{"title":"whole","result":"ok"}`+"\n"+`{"title":"to`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := history.NewAudit(nil, dir).Write(history.AuditRecord{Title: "next"}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range auditLines(t, path) {
		got = append(got, r.Title)
	}
	if s := strings.Join(got, ","); s != "whole,next" {
		t.Errorf("read back: %s", s)
	}
}

// auditLines are the records of an audit file that can be read.
func auditLines(t testing.TB, path string) (out []history.AuditRecord) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var r history.AuditRecord
		if json.Unmarshal([]byte(line), &r) == nil {
			out = append(out, r)
		}
	}
	return out
}

// A change that cannot be audited is not made: not by an audit that can be
// opened and has no room, either.
func TestNoChangeWithoutRoomForItsLine(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Log("no /dev/full here; TestStateFilesAtRandom has full disks of its own")
		return
	}
	dir := t.TempDir()
	w := newWorld(t, given.ANP("blue", 40, "tenant=blue", "in allow tenant=blue"))
	g := w.Gate(dir)
	if err := os.Symlink("/dev/full", filepath.Join(dir, "audit.jsonl")); err != nil {
		t.Fatal(err)
	}
	p, err := g.Preview(context.Background(), w.Current(), changing.Move("blue", 41))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := g.Commit(context.Background(), p, yes); r != nil || err == nil || w.Priority("blue") != 40 {
		t.Errorf("%+v %v, at %d", r, err, w.Priority("blue"))
	}
}

// A change whose outcome cannot be written down was made, which is said; its line
// is there, from before, and says that the outcome is unknown.
func TestOutcomeThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	w := newWorld(t, given.ANP("blue", 40, "tenant=blue", "in allow tenant=blue"))
	g := w.Gate(dir)
	reserved := false
	g.Config.Audit = history.NewAudit(&faultfs.FS{Before: func(op faultfs.Op) error {
		if reserved && op.Kind == "write" {
			return faultfs.ErrIO
		}
		reserved = reserved || op.Kind == "sync"
		return nil
	}}, dir)
	p := g.resolveMutation(w.Current(), changing.Move("blue", 41))
	r, err := g.Commit(context.Background(), p, yes)
	if r == nil || !errors.Is(err, change.ErrNotRecorded) || w.Priority("blue") != 41 {
		t.Fatalf("%+v %v", r, err)
	}
	lines := auditLines(t, filepath.Join(dir, "audit.jsonl"))
	if len(lines) != 1 || lines[0].Result != history.Unknown || lines[0].Title != p.Title || lines[0].By != "cli" {
		t.Errorf("%+v", lines)
	}
	// The next one has a line of its own.
	g.Config.Audit = history.NewAudit(nil, dir)
	do(t, w, g, changing.Move("blue", 42), yes)
	lines = auditLines(t, filepath.Join(dir, "audit.jsonl"))
	if len(lines) != 2 || lines[1].Result != history.OK {
		t.Errorf("%+v", lines)
	}
}

// An outcome has room whatever an error says, and when two are under way at once.
func TestReservedLines(t *testing.T) {
	dir := t.TempDir()
	a, b := history.NewAudit(nil, dir), history.NewAudit(nil, dir)
	first, err := a.Reserve(history.AuditRecord{Title: "first"})
	if err != nil {
		t.Fatal(err)
	}
	second, err := b.Reserve(history.AuditRecord{Title: "second"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []func() error{
		func() error {
			return a.Finish(first, history.AuditRecord{Title: "first", Result: history.Failed, Error: strings.Repeat("é\"\n", 5000)})
		},
		func() error {
			return b.Finish(second, history.AuditRecord{Title: "second", Result: history.OK, Undo: 7})
		},
		func() error { return a.Write(history.AuditRecord{Title: "third", Result: history.Refused}) },
	} {
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, r := range changing.ReadAudit(t, dir) { // every line is JSON
		got = append(got, r.Title+" "+r.Result)
		if r.Result == history.Failed && (len(r.Error) < 2000 || !strings.HasSuffix(r.Error, " …")) {
			t.Errorf("the error: %d bytes", len(r.Error))
		}
	}
	if diff := cmp.Diff([]string{"first failed", "second ok", "third refused"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	// The audit is put away between the two: the outcome has a line in the new one.
	third, err := a.Reserve(history.AuditRecord{Title: "fourth"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(a.Path, a.Path+".1"); err != nil {
		t.Fatal(err)
	}
	if err := a.Finish(third, history.AuditRecord{Title: "fourth", Result: history.OK}); err != nil {
		t.Fatal(err)
	}
	if lines := changing.ReadAudit(t, dir); len(lines) != 1 || lines[0].Result != history.OK {
		t.Errorf("%+v", lines)
	}
}

// A change has room for its history before it is made, as for its audit. Without that room it is
// not made; with it the disk may fill up meanwhile.
func TestNoChangeWithoutRoomForItsHistory(t *testing.T) {
	for _, c := range []struct {
		name string
		room int  // bytes that the disk has for the history
		want bool // whether the change is made
	}{{"full", 100, false}, {"full once the change is made", 64 << 10, true}} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			w := newWorld(t, given.ANP("blue", 40, "tenant=blue", "in allow tenant=blue"))
			disk := &faultfs.FS{Full: true, Room: c.room}
			h, err := history.Open(disk, dir, "test")
			if err != nil {
				t.Fatal(err)
			}
			g := w.NewGate(Config{Writer: fillingDisk{w, disk}, History: h, Audit: history.NewAudit(nil, dir)})
			p, err := g.Preview(t.Context(), w.Current(), changing.Move("blue", 41))
			if err != nil {
				t.Fatal(err)
			}
			_, err = g.Commit(t.Context(), p, yes)
			if (err == nil) != c.want || (w.Priority("blue") == 41) != c.want {
				t.Fatalf("%v, at %d", err, w.Priority("blue"))
			}
			lines := auditLines(t, filepath.Join(dir, "audit.jsonl"))
			if len(lines) != 1 || (lines[0].Result == history.OK) != c.want {
				t.Errorf("audit %+v", lines)
			}
			again, err := history.Open(nil, dir, "test")
			if err != nil {
				t.Fatal(err)
			}
			if n := len(again.Entries()); (n == 1) != c.want || again.SkippedLines() > 0 {
				t.Errorf("%d entries, %d lines that cannot be read", n, again.SkippedLines())
			}
			if info, err := os.Lstat(again.Path()); c.want && (err != nil || info.Size() > 4<<10) {
				t.Errorf("room stays in the file: %v, %v", info.Size(), err)
			}
		})
	}
}

// fillingDisk is a writer beside which the disk fills up.
type fillingDisk struct {
	change.Writer
	disk *faultfs.FS
}

func (w fillingDisk) Write(ctx context.Context, changes []change.ObjectChange) error {
	w.disk.Room = 0
	return w.Writer.Write(ctx, changes)
}

// A change that fails gives its room back.
func TestFailedChangeGivesRoomBack(t *testing.T) {
	dir := t.TempDir()
	w := newWorld(t, given.ANP("blue", 40, "tenant=blue", "in allow tenant=blue"))
	g := w.Gate(dir)
	g.Config.Writer = failingWriter{w}
	p, err := g.Preview(t.Context(), w.Current(), changing.Move("blue", 41))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Commit(t.Context(), p, yes); err == nil {
		t.Fatal("it was made")
	}
	if info, err := os.Lstat(g.Config.History.Path()); err != nil || info.Size() > 0 {
		t.Errorf("%d bytes stay, %v", info.Size(), err)
	}
}

type failingWriter struct{ change.Writer }

func (failingWriter) Write(context.Context, []change.ObjectChange) error { return faultfs.ErrIO }

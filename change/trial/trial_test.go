package trial

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/change/history"
	"rung/model"
	"rung/revision"
	"rung/sources/files"
	"rung/test/changing"
	"rung/test/faultfs"
	"rung/test/gating"
	"rung/test/given"
)

// process is one that makes changes of a world on trial.
type process struct {
	*Trials
	g    *gate.Gate
	w    *gating.World
	disk files.FS
	told []revision.UnconfirmedChange
}

// dies ends a process as a kill does: its locks end with it.
func (p *process) dies() {
	p.disk.(*faultfs.FS).Kill()
	p.work.ReleaseLock()
}

func startProcess(w *gating.World, dir string, disk files.FS, c Config) *process {
	w.T.Helper()
	h, err := history.Open(disk, dir, "test")
	if err != nil {
		w.T.Fatal(err)
	}
	p := &process{w: w, disk: disk, g: w.NewGate(gate.Config{Writer: w, History: h, Audit: history.NewAudit(disk, dir)})}
	c.Dir, c.Context, c.Disk = dir, "test", disk
	c.Publish = func(u *revision.UnconfirmedChange) { p.told = append(p.told, *u) }
	p.Trials = New(p.g, c)
	return p
}

// try makes a change on trial for a minute.
func (p *process) try(m change.Mutation) (*gate.Result, error) {
	p.w.T.Helper()
	ctx := context.Background()
	pre, err := p.g.Preview(ctx, p.w.Current(), m)
	if err != nil {
		p.w.T.Fatal(err)
	}
	return p.g.Commit(ctx, pre, gate.Confirm{Yes: true, Name: pre.ConfirmName, By: "cli", TrialTime: time.Minute})
}

func (p *process) mustTry(m change.Mutation) {
	p.w.T.Helper()
	if r, err := p.try(m); err != nil || r.Trial == nil || !r.Trial.IsOpen() || !r.Trial.IsOwn {
		p.w.T.Fatalf("%+v, %v", r, err)
	}
}

func (p *process) ended() string {
	if n := len(p.told); n > 0 {
		return p.told[n-1].Ended
	}
	return ""
}

func trialWorld(t *testing.T) *gating.World {
	return gating.NewWorld(t, given.ANP("control", 34, "", "in allow team=ops", "in deny *"), given.ANP("blue", 40, "tenant=blue", "in allow tenant=blue"))
}

func stored(t *testing.T, dir string) bool {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "revert", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	return len(all) > 0
}

var Bg = context.Background()

func TestTrialIsPutBackAtItsTime(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		w := trialWorld(t)
		p := startProcess(w, dir, nil, Config{Adopts: true})
		p.mustTry(changing.Move("control", 36))
		w.Wait(59 * time.Second)
		if next := p.runStep(Bg, true); next != time.Second {
			t.Errorf("comes again in %s", next)
		}
		w.Expect("control", 36, "a second before its time")
		if dir != "" && !stored(t, dir) {
			t.Error("nothing is stored while it waits")
		}
		w.Wait(time.Second)
		p.runStep(Bg, true)
		w.Expect("control", 34, "at its time")
		if got := p.ended(); got != "reverted: not confirmed within 60s" || p.job != nil || dir != "" && stored(t, dir) {
			t.Errorf("%q, %+v", got, p.job)
		}
		h := p.g.Config.History.Entries()
		if len(h) != 2 || h[0].By != unconfirmed || h[0].Undoes != h[1].ID || !h[1].Undone || h[0].Title != "Undo: Move ANP control from 34 to 36" {
			t.Errorf("history %+v", h)
		}
		if dir != "" {
			all := changing.ReadAudit(t, dir)
			if len(all) != 2 || all[1].Op != change.OpRevert || all[1].By != unconfirmed || all[1].Result != history.OK || all[1].Undo != h[0].ID {
				t.Errorf("audit %+v", all)
			}
		}
		// The change can be made again, and others go on.
		gating.Do(t, w, p.g, change.Mutation{Op: change.OpRedo}, gating.Typed("control"))
		w.Expect("control", 36, "redone")
	}
}

func TestTrialIsConfirmed(t *testing.T) {
	dir := t.TempDir()
	w := trialWorld(t)
	p := startProcess(w, dir, nil, Config{Adopts: true})
	p.mustTry(changing.Move("control", 36))
	w.Wait(time.Minute - time.Nanosecond) // at the last moment
	if title, err := p.ConfirmTrial("cli"); err != nil || title != "Move ANP control from 34 to 36" {
		t.Fatal(title, err)
	}
	w.Wait(time.Hour)
	p.runStep(Bg, true)
	w.Expect("control", 36, "confirmed")
	if stored(t, dir) || p.ended() != "confirmed" {
		t.Errorf("%q", p.ended())
	}
	if all := changing.ReadAudit(t, dir); all[len(all)-1].Op != "confirm" || all[len(all)-1].By != "cli" {
		t.Errorf("audit %+v", all)
	}
	if _, err := p.ConfirmTrial("cli"); !errors.Is(err, change.ErrBlocked) {
		t.Errorf("confirmed twice: %v", err)
	}
	// Too late is too late, though nobody has put it back yet.
	p.mustTry(changing.Move("control", 34))
	w.Wait(time.Minute)
	if _, err := p.ConfirmTrial("cli"); !errors.Is(err, change.ErrBlocked) || !strings.Contains(err.Error(), "too late") {
		t.Errorf("%v", err)
	}
	p.runStep(Bg, true)
	w.Expect("control", 36, "put back")
}

func TestTrialWhoseChangeIsRefused(t *testing.T) {
	dir := t.TempDir()
	w := trialWorld(t)
	p := startProcess(w, dir, nil, Config{})
	w.Fail = errors.New("no permission")
	if r, err := p.try(changing.Move("control", 36)); r != nil || !errors.Is(err, w.Fail) {
		t.Fatalf("%+v, %v", r, err)
	}
	p.runStep(Bg, false) // at once, not in a minute
	if stored(t, dir) || p.job != nil || len(w.Written) > 0 {
		t.Error("it still waits")
	}
	w.Fail = nil
	gating.Do(t, w, p.g, changing.Move("control", 35), gating.Typed("control"))
}

// The way back has to be on the disk first.
func TestTrialNeedsItsFile(t *testing.T) {
	dir := t.TempDir()
	w := trialWorld(t)
	disk := &faultfs.FS{}
	p := startProcess(w, dir, disk, Config{})
	disk.Before = func(op faultfs.Op) error {
		if op.Kind == "sync" && strings.Contains(op.Path, filepath.Join(dir, "revert")) {
			return faultfs.ErrIO
		}
		return nil
	}
	if r, err := p.try(changing.Move("control", 36)); r != nil || err == nil || !strings.Contains(err.Error(), "nothing was changed: recording how to revert it") {
		t.Fatalf("%+v, %v", r, err)
	}
	w.Expect("control", 34, "without its file")
	if all := changing.ReadAudit(t, dir); len(all) != 1 || all[0].Result != history.Refused {
		t.Errorf("audit %+v", all)
	}
	disk.Before = nil
	p.mustTry(changing.Move("control", 36))
}

// Who leaves while a change is being made waits until it is, and puts it back; who cannot
// wait leaves its file to the next start.
func TestTrialLeftWhileItIsMade(t *testing.T) {
	for _, patient := range []bool{true, false} {
		w := trialWorld(t)
		dir := t.TempDir()
		p := startProcess(w, dir, nil, Config{Adopts: true})
		writing, goOn := make(chan struct{}), make(chan struct{})
		w.Before = func() { w.Before = nil; close(writing); <-goOn }
		made := make(chan error)
		go func() { _, err := p.try(changing.Move("control", 36)); made <- err }()
		<-writing
		ctx, cancel := context.WithCancel(Bg)
		left := make(chan *revision.UnconfirmedChange)
		go func() { left <- p.RevertAtExit(ctx) }()
		if patient {
			select {
			case <-left:
				t.Error("left while the change was being made")
			case <-time.After(20 * time.Millisecond): // longer finds no more
			}
			close(goOn)
			if err := <-made; err != nil {
				t.Fatal(err)
			}
			if u := <-left; u.IsOpen() || u.Ended != "reverted: Rung ended before it was confirmed" {
				t.Errorf("%+v", u)
			}
			w.Expect("control", 34, "left")
		} else {
			cancel()
			<-left
			if !stored(t, dir) {
				t.Error("how to put it back is not there for the next start")
			}
			close(goOn)
			<-made
		}
		cancel()
	}
}

func TestTrialLeavesForeignEditsAlone(t *testing.T) {
	dir := t.TempDir()
	w := trialWorld(t)
	p := startProcess(w, dir, nil, Config{})
	p.mustTry(changing.Apply(given.ANP("control", 36, "", "in allow team=ops", "in deny *") + "---\n" + given.ANP("blue", 41, "tenant=blue", "in allow tenant=blue") +
		"---\n" + given.ANP("new", 50, "", "in allow team=ops")))
	w.Edit(given.ANP("blue", 77, "tenant=blue", "in allow tenant=blue"))
	w.Wait(time.Minute)
	p.runStep(Bg, true)
	w.Expect("control", 34, "nobody else touched it")
	w.Expect("new", -1, "nobody else touched it")
	w.Expect("blue", 77, "somebody else changed it")
	if got := p.ended(); got != "reverted but for ANP blue was changed meanwhile and is left alone" || stored(t, dir) {
		t.Errorf("%q", got)
	}

	p.mustTry(changing.Move("control", 36))
	w.Edit(given.ANP("control", 60, "", "in allow team=ops"))
	writes := len(w.Written)
	w.Wait(time.Minute)
	p.runStep(Bg, true)
	w.Expect("control", 60, "somebody else changed it")
	all := changing.ReadAudit(t, dir)
	if got := p.ended(); got != "not reverted: ANP control was changed meanwhile and is left alone" || stored(t, dir) || len(w.Written) != writes ||
		all[len(all)-1].Op != change.OpRevert || all[len(all)-1].Result != history.Refused {
		t.Errorf("%q, %+v", got, all[len(all)-1])
	}

	// One that was deleted is not made again, nor is a deleted one that is there again.
	p.mustTry(changing.Move("control", 36))
	w.Apply(nil, []model.Key{given.ANPKey("control")})
	w.Wait(time.Minute)
	p.runStep(Bg, true)
	w.Expect("control", -1, "somebody else deleted it")
	p.mustTry(changing.Remove("blue"))
	w.Edit(given.ANP("blue", 12, "", "in allow team=ops"))
	w.Wait(time.Minute)
	p.runStep(Bg, true)
	w.Expect("blue", 12, "somebody else made it again")
}

// The API server is out of reach when the time is over, and comes back.
func TestTrialIsTriedAgain(t *testing.T) {
	dir := t.TempDir()
	w := trialWorld(t)
	p := startProcess(w, dir, nil, Config{})
	p.mustTry(changing.Move("control", 36))
	w.Fail = errors.New("connection refused")
	w.Wait(time.Minute)
	p.runStep(Bg, true)
	if u := p.told[len(p.told)-1]; !u.IsOpen() || !u.IsOver || !strings.Contains(u.Why, "connection refused") || !stored(t, dir) {
		t.Fatalf("%+v", u)
	}
	tries := len(changing.ReadAudit(t, dir))
	p.runStep(Bg, true) // not yet
	if n := len(changing.ReadAudit(t, dir)); n != tries {
		t.Error("tried again without a pause")
	}
	w.Fail = nil
	w.Wait(revertPause)
	p.runStep(Bg, true)
	w.Expect("control", 34, "once it is back")

	// As long as that is not possible, it can still be decided to keep the change.
	p.mustTry(changing.Move("control", 36))
	w.Fail = errors.New("connection refused")
	w.Wait(time.Minute)
	p.runStep(Bg, true)
	if _, err := p.ConfirmTrial("cli"); err != nil || stored(t, dir) {
		t.Fatal(err)
	}
}

// A clock that goes back makes the time no longer, here or in the next process.
func TestTrialWhoseClockGoesBack(t *testing.T) {
	for _, again := range []bool{false, true} {
		dir := t.TempDir()
		w := trialWorld(t)
		p := startProcess(w, dir, &faultfs.FS{}, Config{Adopts: true})
		p.mustTry(changing.Move("control", 36))
		w.Wait(-time.Hour)
		if again {
			p.dies()
			p = startProcess(w, dir, nil, Config{Adopts: true})
		}
		p.runStep(Bg, true)
		w.Expect("control", 34, "an hour back")
	}
}

// The time of a process does not follow the clock: its own runs on.
func TestTrialByTheProcessesOwnTime(t *testing.T) {
	w := trialWorld(t)
	p := startProcess(w, "", nil, Config{})
	p.mustTry(changing.Move("control", 36))
	p.job.Until = p.job.Until.Add(-30 * time.Second) // suspended, or set on
	if p.timeLeft() != 30*time.Second {
		t.Error(p.timeLeft())
	}
	p.dueAt = p.dueAt.Add(-40 * time.Second) // the clock was set back by 10 s, then 40 s went by
	if p.timeLeft() != 20*time.Second {
		t.Error(p.timeLeft())
	}
}

func TestTrialIsUndone(t *testing.T) {
	dir := t.TempDir()
	w := trialWorld(t)
	p := startProcess(w, dir, nil, Config{})
	p.mustTry(changing.Move("control", 36))
	if pre, err := p.g.Preview(Bg, w.Current(), changing.Move("blue", 41)); err != nil || !strings.Contains(pre.Blocked, "is not confirmed yet") {
		t.Errorf("another change: %q", pre.Blocked)
	}
	gating.Do(t, w, p.g, change.Mutation{Op: change.OpUndo}, gating.Typed("control"))
	if stored(t, dir) || p.ended() != "undone" {
		t.Errorf("%q", p.ended())
	}
	gating.Do(t, w, p.g, changing.Move("blue", 41), gating.Typed("blue"))
	w.Wait(time.Minute)
	p.runStep(Bg, true)
	w.Expect("control", 34, "undone")

	// An undo on trial becomes a redo.
	gating.Do(t, w, p.g, changing.Move("control", 36), gating.Typed("control"))
	p.mustTry(change.Mutation{Op: change.OpUndo})
	w.Wait(time.Minute)
	p.runStep(Bg, true)
	w.Expect("control", 36, "the undo was put back")
	if h := p.g.Config.History.Entries()[0]; h.Title != "Redo: Move ANP control from 34 to 36" {
		t.Errorf("%+v", h)
	}
}

// A file that is none keeps nobody from working, is kept, and is told.
func TestTrialThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	w := trialWorld(t)
	path := history.OpenJournal(nil, dir, history.Trial, "test").Path
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("{"), 0o600)); err != nil {
		t.Fatal(err)
	}
	p := startProcess(w, dir, nil, Config{})
	if u := p.RevertExpired(Bg); u == nil || u.IsOpen() || !strings.Contains(u.Ended, "cannot be read: check the policies yourself") {
		t.Fatalf("%+v", u)
	}
	if _, err := os.Stat(path + ".unreadable-1"); err != nil {
		t.Error(err)
	}
	p.mustTry(changing.Move("control", 36))
}

func TestTrialOfAPlan(t *testing.T) {
	w := trialWorld(t)
	p := startProcess(w, "", nil, Config{})
	w.Plan = &revision.PlanState{State: revision.PlanRunning}
	w.Publish()
	if _, err := p.try(changing.Move("control", 36)); !errors.Is(err, change.ErrBlocked) || !strings.Contains(err.Error(), "a plan is under way") {
		t.Error(err)
	}
	if _, err := p.g.Commit(Bg, &gate.Preview{Title: "Undo: plan", Mutation: change.Mutation{Op: change.OpUndo, Plan: true}},
		gate.Confirm{Yes: true, TrialTime: time.Minute}); !errors.Is(err, change.ErrBlocked) {
		t.Error(err)
	}
}

// FuzzRevertFile: nothing that stands in the file of a change on trial is a panic, or is
// about anything but policies.
func FuzzRevertFile(f *testing.F) {
	for _, s := range []string{`{}`, `{"id":"a","title":"t","within":60,"objects":[{"Key":{"Kind":"AdminNetworkPolicy","Name":"a"},"Before":"x"}]}`,
		`{"id":"a","within":-1,"objects":[{}]}`, `{"id":"a","title":"t","objects":[{"Key":{"Kind":"AdminNetworkPolicy","Name":"a"},"Before":"x"}]}`, `{"entry":99999999999999999}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		j, err := decodeRevert(text)
		if err != nil {
			return
		}
		if j.Within < 0 || slices.ContainsFunc(j.Objects, func(o history.Object) bool { return !change.IsChangeable(o.Key.Kind) }) {
			t.Fatalf("%+v", j)
		}
		r := &Trials{job: j, gate: &gate.Gate{Config: gate.Config{Now: time.Now}}}
		if left := r.timeLeft(); left < 0 || left > j.Within {
			t.Fatal(left)
		}
	})
}

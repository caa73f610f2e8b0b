package trial

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"rung/change"
	"rung/test/changing"
	"rung/test/faultfs"
)

// Killed after the file and before the change: there is nothing to revert.
func TestTrialKilledBeforeItsChange(t *testing.T) {
	dir := t.TempDir()
	w := trialWorld(t)
	p := startProcess(w, dir, &faultfs.FS{}, Config{})
	w.Fail = errors.New("killed")
	if _, err := p.try(changing.Move("control", 36)); err == nil || !stored(t, dir) {
		t.Fatalf("%v, stored: %v", err, stored(t, dir))
	}
	p.dies()
	w.Fail = nil
	w.Wait(time.Minute)
	next := startProcess(w, dir, nil, Config{})
	if u := next.RevertExpired(Bg); u.IsOpen() || !strings.HasSuffix(u.Ended, "nothing to revert") || stored(t, dir) || len(next.g.Config.History.Entries()) != 0 {
		t.Errorf("%+v", u)
	}
}

func TestTrialOfTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	w := trialWorld(t)
	one, two := startProcess(w, dir, nil, Config{Adopts: true}), startProcess(w, dir, nil, Config{Adopts: true})
	one.mustTry(changing.Move("control", 36))
	two.runStep(Bg, true)
	if u := two.told[0]; u.IsOwn || u.PID != os.Getpid() || !u.IsOpen() || two.holdsLock {
		t.Fatalf("%+v", u)
	}
	if r, err := two.try(changing.Move("blue", 41)); r != nil || !errors.Is(err, change.ErrBlocked) {
		t.Errorf("two trials: %v", err)
	}
	w.Wait(time.Minute)
	two.runStep(Bg, true)
	w.Expect("control", 36, "the other process has it")
	one.runStep(Bg, true)
	w.Expect("control", 34, "put back by its owner")
	two.runStep(Bg, true)
	if got := two.ended(); got != "undone or reverted by another Rung" {
		t.Errorf("%q", got)
	}

	one.mustTry(changing.Move("control", 36))
	if _, err := two.ConfirmTrial("cli"); err != nil {
		t.Fatal(err)
	}
	w.Wait(time.Minute)
	one.runStep(Bg, true)
	w.Expect("control", 36, "confirmed elsewhere")
	if got := one.ended(); got != "confirmed by another Rung" {
		t.Errorf("%q", got)
	}
}

// Of somebody who confirms and the end of the time one wins, wholly.
func TestTrialConfirmedWhileItIsPutBack(t *testing.T) {
	for range 30 {
		dir := t.TempDir()
		w := trialWorld(t)
		one, two := startProcess(w, dir, nil, Config{Adopts: true}), startProcess(w, dir, nil, Config{})
		one.mustTry(changing.Move("control", 36))
		two.runStep(Bg, false)
		two.timeLeft() // its own time is not over: it is the owner's clock that decides
		one.mu.Lock()
		one.dueAt = w.Clock()
		one.mu.Unlock()
		var wg sync.WaitGroup
		var err error
		wg.Go(func() { one.runStep(Bg, true) })
		wg.Go(func() { _, err = two.ConfirmTrial("cli") })
		wg.Wait()
		want := int32(34)
		if err == nil {
			want = 36
		}
		w.Expect("control", want, "afterwards")
		if stored(t, dir) {
			t.Fatal("it still waits")
		}
	}
}

// A console takes over what a killed one left, with the time that is left; a command only
// says so.
func TestTrialFoundInTime(t *testing.T) {
	dir := t.TempDir()
	w := trialWorld(t)
	killed := startProcess(w, dir, &faultfs.FS{}, Config{})
	killed.mustTry(changing.Move("control", 36))
	killed.dies()
	w.Wait(20 * time.Second)
	command := startProcess(w, dir, nil, Config{})
	if u := command.RevertExpired(Bg); !u.IsOpen() || u.IsOwn || u.TimeLeft(w.Clock()) != 40*time.Second || command.holdsLock {
		t.Fatalf("%+v", u)
	}
	readonly := startProcess(w, dir, nil, Config{ReadOnly: true, Adopts: true})
	console := startProcess(w, dir, nil, Config{Adopts: true})
	console.runStep(Bg, true)
	if u := console.told[0]; !u.IsOwn || u.TimeLeft(w.Clock()) != 40*time.Second {
		t.Fatalf("%+v", u)
	}
	if u := console.RevertAtExit(Bg); u.IsOpen() || u.Ended != "reverted: Rung ended before it was confirmed" {
		t.Errorf("%+v", u)
	}
	w.Expect("control", 34, "left")

	killed = startProcess(w, dir, &faultfs.FS{}, Config{})
	killed.mustTry(changing.Move("control", 36))
	killed.dies()
	w.Wait(time.Minute)
	readonly.runStep(Bg, true)
	if u := readonly.RevertExpired(Bg); u.Why != "started with --readonly" || !u.IsOpen() {
		t.Errorf("%+v", u)
	}
	w.Expect("control", 36, "read-only")
	w.SetWrites(false) // switched off is not read-only for ever: it was agreed to
	command.runStep(Bg, false)
	command.RevertExpired(Bg)
	w.Expect("control", 34, "over")
}

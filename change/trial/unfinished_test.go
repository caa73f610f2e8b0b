package trial

import (
	"errors"
	"strings"
	"testing"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/model"
	"rung/test/changing"
	"rung/test/faultfs"
	"rung/test/gating"
	"rung/test/given"
)

// three is a change of three objects: one is moved, one is changed and one is new.
var three = given.ANP("control", 36, "", "in allow team=ops", "in deny *") + "---\n" +
	given.ANP("blue", 41, "tenant=blue", "in allow tenant=blue") + "---\n" + given.ANP("new", 50, "", "in allow team=ops")

// made makes a change for good.
func (p *process) made(m change.Mutation) error {
	p.w.T.Helper()
	pre, err := p.g.Preview(Bg, p.w.Current(), m)
	if err != nil {
		p.w.T.Fatal(err)
	}
	_, err = p.g.Commit(Bg, pre, gate.Confirm{Yes: true, Name: pre.ConfirmName, By: "cli"})
	return err
}

// killedAfter is a state folder that a process left which was killed when it had written so
// many of three objects.
func killedAfter(t *testing.T, n int) (w *gating.World, dir string) {
	t.Helper()
	dir, w = t.TempDir(), trialWorld(t)
	disk := &faultfs.FS{}
	p := startProcess(w, dir, disk, Config{})
	w.Partly, w.Fail = n, faultfs.ErrDead
	w.Before = disk.Kill
	if err := p.made(changing.Apply(three)); !errors.Is(err, faultfs.ErrDead) {
		t.Fatal(err)
	}
	w.Partly, w.Fail, w.Before = 0, nil, nil
	p.dies()
	w.Wait(time.Second)
	return w, dir
}

func stand(w *gating.World) [3]int32 {
	return [3]int32{w.Priority("control"), w.Priority("blue"), w.Priority("new")}
}

// What a killed change wrote is said by the next start, which finishes it or takes it back;
// until then no other change is made.
func TestKilledChangeIsFinishedOrTakenBack(t *testing.T) {
	for n := 1; n <= 2; n++ {
		for _, finish := range []bool{true, false} {
			w, dir := killedAfter(t, n)
			next := startProcess(w, dir, nil, Config{})
			u := next.RevertExpired(Bg)
			if !u.IsOpen() || u.IsOwn || !strings.HasPrefix(u.Partly, []string{"", "1 of 3 written, at ", "2 of 3 written, at "}[n]) {
				t.Fatalf("%d written: %+v", n, u)
			}
			if err := next.made(changing.Move("blue", 44)); !errors.Is(err, change.ErrBlocked) || !strings.Contains(err.Error(), "of 3 written") {
				t.Errorf("another change: %v", err)
			}
			want := [3]int32{34, 40, -1}
			if finish {
				want = [3]int32{36, 41, 50}
				if _, err := next.ConfirmTrial("cli"); err != nil {
					t.Fatal(err)
				}
			} else if err := next.made(change.Mutation{Op: change.OpUndo}); err != nil {
				t.Fatal(err)
			}
			if got := stand(w); got != want || stored(t, dir) {
				t.Errorf("%d written, finish %v: %v, still stored: %v", n, finish, got, stored(t, dir))
			}
			if last := next.told[len(next.told)-1]; last.IsOpen() {
				t.Errorf("%d written, finish %v: %+v", n, finish, last)
			}
			// What was finished is one change, which can be undone.
			if finish {
				if h := next.g.Config.History.Entries(); len(h) != 1 || len(h[0].Objects) != 3 {
					t.Errorf("history %+v", h)
				}
				if err := next.made(change.Mutation{Op: change.OpUndo}); err != nil || stand(w) != [3]int32{34, 40, -1} {
					t.Errorf("undone: %v, %v", stand(w), err)
				}
			}
		}
	}
}

// A change of which nothing, or everything, was written needs no answer.
func TestKilledChangeThatIsWhole(t *testing.T) {
	for n, want := range map[int]int{0: 0, 3: 1} {
		w, dir := killedAfter(t, n)
		before := stand(w)
		next := startProcess(w, dir, nil, Config{})
		if u := next.RevertExpired(Bg); u.IsOpen() || stored(t, dir) || stand(w) != before || len(next.g.Config.History.Entries()) != want {
			t.Errorf("%d written: %+v, stored %v, history %+v", n, u, stored(t, dir), next.g.Config.History.Entries())
		}
	}
}

// A policy that others changed meanwhile stays as it is, whichever way it goes on.
func TestKilledChangeLeavesForeignEditsAlone(t *testing.T) {
	w, dir := killedAfter(t, 2)
	w.Edit(given.ANP("blue", 77, "tenant=blue", "in allow tenant=blue"))
	next := startProcess(w, dir, nil, Config{})
	if u := next.RevertExpired(Bg); !u.IsOpen() {
		t.Fatalf("%+v", u)
	}
	if _, err := next.ConfirmTrial("cli"); err != nil {
		t.Fatal(err)
	}
	w.Expect("blue", 77, "somebody else changed it")
	w.Expect("control", 36, "finished")
	w.Expect("new", 50, "finished")
}

// A change that is whole leaves no record; as long as it is being made others only wait.
func TestChangeOfSeveralLeavesNoRecord(t *testing.T) {
	dir := t.TempDir()
	w := trialWorld(t)
	p, other := startProcess(w, dir, nil, Config{}), startProcess(w, dir, nil, Config{Adopts: true})
	w.Before = func() {
		if !stored(t, dir) {
			t.Error("the way back is not there before the first object is written")
		}
		other.runStep(Bg, true)
	}
	if err := p.made(changing.Apply(three)); err != nil || stored(t, dir) {
		t.Fatalf("%v, stored %v", err, stored(t, dir))
	}
	w.Before = nil
	other.runStep(Bg, true)
	if len(p.told)+len(other.told) > 0 {
		t.Errorf("told %+v, %+v", p.told, other.told)
	}
	w.Before = nil
	if err := other.made(changing.Move("control", 38)); err != nil || stored(t, dir) {
		t.Error(err)
	}
}

// Whoever may not write says what stands, and leaves it.
func TestKilledChangeReadOnly(t *testing.T) {
	w, dir := killedAfter(t, 2)
	next := startProcess(w, dir, nil, Config{ReadOnly: true, Adopts: true})
	next.runStep(Bg, true)
	if u := next.RevertExpired(Bg); !u.IsOpen() || u.Partly == "" || !stored(t, dir) {
		t.Errorf("%+v", u)
	}
	console := startProcess(w, dir, nil, Config{Adopts: true})
	console.runStep(Bg, true)
	if u := console.RevertAtExit(Bg); !u.IsOpen() || u.Text(w.Clock()) == "" {
		t.Errorf("%+v", u)
	}
	if got := stand(w); got[2] == -1 && got[0] == 34 {
		t.Errorf("put back by itself: %v", got)
	}
}

// A level for good ends the session and says so; a change on trial comes first.
func TestLogSessionAndOtherChanges(t *testing.T) {
	w := trialWorld(t)
	p, k := startProcess(w, t.TempDir(), nil, Config{}), given.ANPKey("blue")
	gating.Do(t, w, p.g, changing.Session(time.Minute, k), gating.Typed(""))
	w.Wait(time.Minute)
	p.mustTry(changing.Move("control", 36))
	q, err := p.g.Preview(Bg, w.Current(), changing.Timed(k))
	if err != nil || !strings.Contains(q.Blocked, "is not confirmed yet") {
		t.Errorf("%q", q.Blocked)
	}
	if _, err := p.ConfirmTrial("cli"); err != nil {
		t.Fatal(err)
	}
	pre, err := p.g.Preview(Bg, w.Current(), change.Mutation{Op: change.OpLogLevel, Policy: k, Levels: model.LogLevels{Deny: "alert"}})
	if err != nil || !strings.Contains(strings.Join(pre.Notes, "\n"), "not restored: no annotation") {
		t.Fatalf("%v, %v", pre.Notes, err)
	}
	if _, err := p.g.Commit(Bg, pre, gate.Confirm{Yes: true, By: "console"}); err != nil {
		t.Fatal(err)
	}
	if got := w.Logging(k); got != `{"deny":"alert"}` {
		t.Errorf("%q", got)
	}
	if e := p.g.EndedSessions(); len(e) != 1 || e[0].How != "Set logging of ANP blue to deny=alert (ada)" {
		t.Errorf("%+v", e)
	}
}

// The level of a namespace that was set on trial is put back by the next process, too.
func TestTrialOfANamespacesLevel(t *testing.T) {
	w, dir := gating.NewWorld(t, given.NP("blue", "web", "{podSelector: {}}")), t.TempDir()
	p := startProcess(w, dir, &faultfs.FS{}, Config{Adopts: true})
	p.mustTry(change.Mutation{Op: change.OpLogLevel, Policy: changing.NsKey("blue"), Levels: model.LogLevels{Deny: "alert"}})
	if got := w.Logging(changing.NsKey("blue")); got != `{"deny":"alert"}` {
		t.Fatal(got)
	}
	p.dies()
	w.Wait(time.Minute)
	p = startProcess(w, dir, nil, Config{Adopts: true})
	p.runStep(Bg, true)
	if got := w.Logging(changing.NsKey("blue")); got != "-" || stored(t, dir) {
		t.Errorf("%q", got)
	}
}

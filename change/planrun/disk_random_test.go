package planrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/change/history"
	"rung/change/write"
	"rung/engine/statedir"
	"rung/model/plan"
	"rung/sources/files"
	"rung/sources/kube"
	"rung/test/changing"
	"rung/test/faultfs"
	"rung/test/gating"
	"rung/test/given"
	"rung/test/install"
)

// TestStateFilesAtRandom makes changes while every file of Rung's is cut, torn,
// swapped, unreadable or on a full disk, at any operation. What was acknowledged
// has its line in the audit, what was made has one too, and nothing is read that
// was not written whole. RUNG_SOAK=1
// takes 1,000 rounds, RUNG_SEED repeats a run.
func TestStateFilesAtRandom(t *testing.T) {
	seed, rounds := uint64(time.Now().UnixNano()), 200
	if os.Getenv(install.SoakVar) == "1" {
		rounds = 1000
	}
	if s := os.Getenv("RUNG_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("RUNG_SEED=%d", seed)
	const parts, each = 8, 25 // rounds that one state folder lives through
	sums := make([]stateSum, parts)
	t.Run("parts", func(t *testing.T) {
		for part := range parts {
			t.Run(strconv.Itoa(part), func(t *testing.T) {
				t.Parallel()
				var r *stateRun
				for n := range rounds / parts {
					if n%each == 0 {
						r = newStateRun(t, &sums[part], rand.New(rand.NewPCG(seed, uint64(1000*part+n))))
					}
					r.round()
					if t.Failed() {
						t.Fatalf("round %d: %s\nto repeat: RUNG_SEED=%d", n, strings.Join(r.story, "\n  "), seed)
					}
				}
			})
		}
	})
	var sum stateSum
	for _, s := range sums {
		sum.OK += s.OK
		sum.Refused += s.Refused
		sum.Unrecorded += s.Unrecorded
		sum.Killed += s.Killed
		sum.Damaged += s.Damaged
	}
	t.Logf("%+v", sum)
	if !t.Failed() && (sum.OK < rounds/5 || sum.Refused < rounds/20 || sum.Unrecorded == 0 || sum.Killed < rounds/50 || sum.Damaged < rounds/10) {
		t.Errorf("too little of something happened: %+v", sum)
	}
}

type stateSum struct{ OK, Refused, Unrecorded, Killed, Damaged int }

// stateRun is a state folder and manifests that live through some rounds.
type stateRun struct {
	*rand.Rand
	t          *testing.T
	sum        *stateSum
	state, dir string
	w          *gating.World
	n          int
	pushed     map[string]history.Entry // by By, which is of one change alone
	given      map[uint64]string        // numbers of acknowledged changes
	kept       map[string]bool          // texts of saved pages and drafts
	stored     map[int]bool             // plans that may be found, by steps done
	flipped    bool                     // bytes were changed: what is read then may be anything
	story      []string
}

func newStateRun(t *testing.T, sum *stateSum, rng *rand.Rand) *stateRun {
	r := &stateRun{Rand: rng, t: t, sum: sum, state: filepath.Join(t.TempDir(), "state"), dir: t.TempDir(),
		pushed: map[string]history.Entry{}, given: map[uint64]string{}, kept: map[string]bool{}, stored: map[int]bool{}}
	text := "# kept as it is\n" + given.ANP("blue", 40, "tenant=blue", "in allow tenant=blue") + "---\n# to the end\n" + given.ANP("red", 50, "tenant=red", "in deny tenant=blue")
	if err := os.WriteFile(r.policies(), []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	r.w = gating.NewWorld(t)
	return r
}

func (r *stateRun) policies() string { return filepath.Join(r.dir, "policies.yaml") }
func (r *stateRun) audit() string    { return filepath.Join(r.state, "audit.jsonl") }
func (r *stateRun) history() string {
	return history.OpenJournal(nil, r.state, history.Changes, "test").Path
}

func (r *stateRun) say(format string, args ...any) {
	r.story = append(r.story, fmt.Sprintf(format, args...))
}

// disk is a file system with one fault, or none.
func (r *stateRun) disk() *faultfs.FS {
	d := &faultfs.FS{}
	at := 1 + r.IntN(250)
	fault := []error{faultfs.ErrFull, faultfs.ErrIO, fs.ErrPermission}[r.IntN(3)]
	switch r.IntN(6) {
	case 0:
		r.say("no fault")
	case 1:
		d.Full, d.Room = true, r.IntN(12_000)
		r.say("a disk with room for %d bytes", d.Room)
	case 2:
		r.say("operation %d fails: %v", at, fault)
		d.Before = func(op faultfs.Op) error {
			if op.N == at {
				r.say("that is: %s of %s", op.Kind, filepath.Base(op.Path))
				return fault
			}
			return nil
		}
	case 3:
		kind := []string{"open", "write", "sync", "read", "rename", "place", "exchange", "lock", "stat"}[r.IntN(9)]
		r.say("every %s fails from operation %d on: %v", kind, at, fault)
		d.Before = func(op faultfs.Op) error {
			if op.N >= at && op.Kind == kind {
				return fault
			}
			return nil
		}
	case 4:
		r.say("killed at operation %d", at)
		d.Before = func(op faultfs.Op) error {
			if op.N == at {
				d.Kill()
				return faultfs.ErrDead
			}
			return nil
		}
	case 5:
		part := r.Float64()
		r.say("the first write from operation %d on is torn", at)
		d.Tear = func(op faultfs.Op, n int) int {
			if op.N < at {
				return -1
			}
			return int(part * float64(n))
		}
	}
	return d
}

// damage spoils a state file, as a bad disk or another program does; it returns
// how that ends.
func (r *stateRun) damage() (heal func()) {
	heal = func() {}
	path := []string{r.audit(), r.history(), r.plans(nil).work.Path}[r.IntN(3)]
	text, err := os.ReadFile(path)
	if err != nil || r.IntN(3) > 0 {
		return heal
	}
	r.sum.Damaged++
	put := func(path string, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	name := filepath.Base(path)
	r.given = map[uint64]string{} // what bore the highest number may be gone
	switch r.IntN(5) {
	case 0:
		at := r.IntN(len(text) + 1)
		r.say("%s is cut to %d of %d bytes", name, at, len(text))
		put(path, text[:at])
	case 1:
		r.say("%s has a torn line", name)
		put(path, append(text, `{"entry":{"ID":99,"Title":"torn","time":"2026`...))
	case 2:
		other := r.audit()
		if path == other {
			other = r.history()
		}
		if theirs, err := os.ReadFile(other); err == nil {
			r.say("%s and %s are swapped", name, filepath.Base(other))
			put(path, theirs)
			put(other, text)
		}
	case 3:
		for range 1 + r.IntN(20) {
			if len(text) > 0 {
				text[r.IntN(len(text))] = byte(r.IntN(256))
			}
		}
		r.say("%s has other bytes", name)
		r.flipped = true
		put(path, text)
	case 4:
		r.say("a folder stands in the place of %s", name)
		if err := errors.Join(os.Rename(path, path+".away"), os.Mkdir(path, 0o700)); err != nil {
			r.t.Fatal(err)
		}
		heal = func() {
			if err := errors.Join(os.Remove(path), os.Rename(path+".away", path)); err != nil {
				r.t.Error(err)
			}
		}
	}
	return heal
}

func (r *stateRun) round() {
	r.story = nil
	heal := r.damage()
	d := r.disk()
	files := write.NewFiles(write.FileOptions{Paths: []string{r.dir}, Disk: d})
	ctx, enough := context.WithCancel(context.Background())
	var read kube.SourceUpdate
	files.Run(ctx, func(u kube.SourceUpdate) {
		if u.HasBroken && read.Upsert == nil {
			read = u
			enough()
		}
	})
	enough()
	if len(read.Upsert) == 0 || len(read.Broken) > 0 {
		r.t.Errorf("the manifests: %+v", read)
		return
	}
	r.w.Mu.Lock()
	r.w.Cluster, _ = r.w.Cluster.Upsert(read.Upsert, nil)
	r.w.Publish()
	r.w.Mu.Unlock()
	if h, err := history.Open(d, r.state, "test"); err == nil {
		g := r.w.NewGate(gate.Config{Writer: both{files, r.w}, History: h, Audit: history.NewAudit(d, r.state)})
		for range 1 + r.IntN(3) {
			r.change(g)
		}
	} else {
		r.say("the history: %v", err)
	}
	r.storePlan(d)
	r.keepTexts(d)
	_, err := d.Lstat(r.dir)
	dead := errors.Is(err, faultfs.ErrDead)
	d.Kill()
	heal()
	if dead {
		r.sum.Killed++
	}
	r.check(dead)
}

// both is write-back as the engine does it.
type both struct {
	files *write.Files
	w     *gating.World
}

func (b both) Write(ctx context.Context, changes []change.ObjectChange) error {
	if err := b.files.Write(ctx, changes); err != nil {
		return err
	}
	return b.w.Write(ctx, changes)
}

// change moves a policy and looks at what is on the disk, as anybody could.
func (r *stateRun) change(g *gate.Gate) {
	r.n++
	by := fmt.Sprintf("change %d", r.n)
	name, to := []string{"blue", "red"}[r.IntN(2)], int32(1+r.IntN(99))
	p, err := g.Preview(context.Background(), r.w.Current(), changing.Move(name, to))
	if err != nil || p.Blocked != "" {
		return
	}
	before := r.read(r.policies())
	was := r.w.Current().Cluster.Policy(given.ANPKey(name)).Priority
	after := moved(before, name, was, to)
	r.pushed[by] = history.Entry{Title: p.Title, By: by, Objects: []history.Object{{Key: given.ANPKey(name), Before: change.PolicyText(p.Objects[0].Old), After: change.PolicyText(p.Objects[0].New)}}}
	res, err := g.Commit(context.Background(), p, gate.Confirm{Yes: true, Name: p.ConfirmName, By: by})
	now := r.read(r.policies())
	r.say("%s: %s: %v, %v", by, p.Title, res, err)
	dead := errors.Is(err, faultfs.ErrDead)
	made := now == after && now != before
	line, whole := r.line(by)
	switch {
	case now != before && now != after:
		r.t.Errorf("the manifests hold what nobody wrote:\n%s", now)
	case res == nil && made && !dead:
		r.t.Errorf("said not to be made, and was: %v", err)
	case res != nil && !made:
		r.t.Error("said to be made, and was not")
	case made && !line:
		r.t.Error("made, and not in the audit")
	case res != nil && err == nil && (whole == nil || whole.Result != history.OK || whole.Undo != res.Undo || whole.Title != p.Title):
		r.t.Errorf("acknowledged, and the audit says %+v", whole)
	case res != nil && err != nil && !errors.Is(err, change.ErrNotRecorded):
		r.t.Errorf("made, and %v", err)
	}
	switch {
	case res == nil:
		r.sum.Refused++
	case err != nil:
		r.sum.Unrecorded++
	default:
		r.sum.OK++
		if other := r.given[res.Undo]; other != "" {
			r.t.Errorf("%s and %s have the number %d", other, by, res.Undo)
		}
		r.given[res.Undo] = by
	}
}

// moved is the text of the manifests once a policy moved.
func moved(text, name string, from, to int32) string {
	i := strings.Index(text, "name: "+name+"\n")
	return text[:i] + strings.Replace(text[i:], fmt.Sprintf("priority: %d\n", from), fmt.Sprintf("priority: %d\n", to), 1)
}

// line looks a change up in the audit: whether there is a line that names it, and
// the record, if it can be read.
func (r *stateRun) line(by string) (found bool, whole *history.AuditRecord) {
	text, err := os.ReadFile(r.audit())
	if err != nil {
		return false, nil // not there, or a folder
	}
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, `"by":"`+by+`"`) {
			continue
		}
		found = true
		var rec history.AuditRecord
		if json.Unmarshal([]byte(line), &rec) == nil {
			whole = &rec
		}
	}
	return found, whole
}

func (r *stateRun) read(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

// plans are those of a process.
func (r *stateRun) plans(d files.FS) *Plans {
	return New(nil, Config{Dir: r.state, Context: "test", Disk: d})
}

// storePlan writes the progress of a plan.
func (r *stateRun) storePlan(d files.FS) {
	p := r.plans(d)
	job := &planJob{By: "cli", Progress: &plan.PlanProgress{Context: "test", Done: r.IntN(3), Plan: plan.Plan{Max: 99,
		Now: []plan.Placement{{Policy: "a", Priority: 1}}, Then: []plan.Placement{{Policy: "a", Priority: 3}},
		Steps: []plan.Step{{Policy: "a", From: 1, To: 2}, {Policy: "a", From: 2, To: 3}}}}}
	err := p.storeProgress(job)
	r.say("the plan, %d done: %v", job.Progress.Done, err)
	if err == nil {
		clear(r.stored)
	}
	r.stored[job.Progress.Done] = true
}

// keepTexts writes a saved page and a draft.
func (r *stateRun) keepTexts(d files.FS) {
	text := fmt.Sprintf("begin %d\n%send\n", r.n, strings.Repeat("x", r.IntN(3000)))
	r.kept[text] = true
	if path, err := statedir.KeepFileOnDisk(d, filepath.Join(r.state, "saved"), "page.txt", []byte(text)); err == nil && r.read(path) != text {
		r.t.Errorf("%s is not what was saved", path)
	}
	if path, err := statedir.NewDraftOnDisk(d, r.state, "blue", text); err == nil && r.read(path) != text {
		r.t.Errorf("%s is not what is edited", path)
	}
}

// check reads everything with a disk that works.
func (r *stateRun) check(dead bool) {
	h, err := history.Open(nil, r.state, "test")
	if err != nil {
		r.t.Errorf("the history cannot be opened any more: %v", err)
		return
	}
	seen := map[uint64]bool{}
	for _, e := range h.Entries() {
		want, ok := r.pushed[e.By]
		if !ok || e.Title != want.Title || len(e.Objects) != 1 || e.Objects[0] != want.Objects[0] || e.ID == 0 {
			if !r.flipped {
				r.t.Errorf("the history holds what nobody wrote: %+v", e)
			}
		}
		if seen[e.ID] && len(r.given) > 0 {
			r.t.Errorf("number %d stands twice in the history", e.ID)
		}
		seen[e.ID] = true
	}
	for _, folder := range []string{"saved", "edit"} {
		entries, _ := os.ReadDir(filepath.Join(r.state, folder))
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), ".") && !r.kept[r.read(filepath.Join(r.state, folder, e.Name()))] {
				r.t.Errorf("%s/%s is not whole", folder, e.Name())
			}
		}
	}
	p := r.plans(nil)
	if raw, err := files.ReadPrivate(files.OS, p.work.Path, 1<<20); err == nil {
		var in planJob
		if json.Unmarshal(raw, &in) == nil {
			if got, err := plan.DecodeProgress(in.Encoded); err == nil && !r.stored[got.Done] {
				r.t.Errorf("the plan has %d done, which nobody stored", got.Done)
			}
		}
	}
	for _, folder := range []string{r.dir, r.state, filepath.Join(r.state, "saved"), filepath.Join(r.state, "plan"), filepath.Join(r.state, "edit")} {
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			if strings.Contains(e.Name(), ".rung-") {
				if !dead && !strings.Contains(strings.Join(r.story, " "), "remove of") {
					r.t.Errorf("%s stays behind in %s", e.Name(), folder)
				}
				_ = os.Remove(filepath.Join(folder, e.Name()))
			}
		}
	}
}

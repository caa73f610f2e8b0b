package write

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/change/gate"
	"rung/change/history"
	"rung/model"
	"rung/sources/files"
	"rung/test/gating"
	"rung/test/given"
	"rung/test/install"
)

// filesWorld is a gate in front of manifests on a disk: what is written is read
// again after every change, as the engine does.
type filesWorld struct {
	*gating.World
	d     *disk
	g     *gate.Gate
	state string
}

func newFilesWorld(t *testing.T, files map[string]string, paths ...string) *filesWorld {
	t.Helper()
	f := &filesWorld{World: gating.NewWorld(t), d: newDisk(t, files, paths...), state: t.TempDir()}
	f.restart()
	f.look()
	return f
}

// restart opens the history again, as another run of Rung does.
func (f *filesWorld) restart() {
	f.T.Helper()
	h, err := history.Open(nil, f.state, "test")
	if err != nil {
		f.T.Fatal(err)
	}
	f.g = f.NewGate(gate.Config{Writer: f.d.files, History: h, Audit: history.NewAudit(nil, f.state)})
}

// look has what the files hold now be what there is.
func (f *filesWorld) look() {
	f.T.Helper()
	was := f.d.read
	f.d.look()
	var upsert []model.Object
	var remove []model.Key
	for _, p := range f.d.read {
		upsert = append(upsert, p.Object())
	}
	for k := range was {
		if f.d.read[k] == nil {
			remove = append(remove, k)
		}
	}
	f.Apply(upsert, remove)
}

func (f *filesWorld) preview(m change.Mutation) *gate.Preview {
	f.T.Helper()
	p, err := f.g.Preview(context.Background(), f.Current(), m)
	if err != nil {
		f.T.Fatal(err)
	}
	return p
}

// do makes a change and returns its preview.
func (f *filesWorld) do(m change.Mutation) *gate.Preview {
	f.T.Helper()
	p := f.preview(m)
	if _, err := f.g.Commit(context.Background(), p, gate.Confirm{Yes: true, Name: p.ConfirmName, By: "test"}); err != nil {
		f.T.Fatalf("%s: %v", p.Title, err)
	}
	f.look()
	return p
}

// notes are those of a preview that say where something goes.
func (f *filesWorld) notes(p *gate.Preview) string {
	var out []string
	for _, n := range p.Notes {
		if strings.Contains(n, " goes ") || strings.Contains(n, " was in ") || strings.Contains(n, " cannot ") {
			out = append(out, strings.ReplaceAll(n, f.d.dir+string(filepath.Separator), ""))
		}
	}
	return strings.Join(out, "; ")
}

// doc is a policy as somebody wrote it: comments, quotes, an order of its own.
func doc(name string, priority int) string {
	return fmt.Sprintf(`# why %[1]s is there
kind: "AdminNetworkPolicy"   # the kind first
apiVersion: policy.networking.k8s.io/v1alpha1
metadata: {name: '%[1]s'}   # in braces

spec:
  # the number
  priority:   %[2]d
  subject: &all
    namespaces: {}
  ingress:
  - from: [ *all ]
    action: "Deny"
# the end of %[1]s
`, name, priority)
}

func item(name string, priority int) string {
	return "  # before " + name + "\n" +
		"  - kind: AdminNetworkPolicy # " + name + "\n    apiVersion: policy.networking.k8s.io/v1alpha1\n" +
		fmt.Sprintf("    metadata: {name: %s}\n    spec: {priority: %d, subject: {namespaces: {}}}\n", name, priority)
}

func jsonDoc(name string, priority int) string {
	return fmt.Sprintf("{\n   \"kind\":\"AdminNetworkPolicy\", \"apiVersion\":\"policy.networking.k8s.io/v1alpha1\",\n   \"metadata\":{\"name\":\"%s\"},\n"+
		"   \"spec\":{\"priority\":%d,\"subject\":{\"namespaces\":{}}}\n}", name, priority)
}

const listHead = "# a list\napiVersion: v1\nkind: List\nitems:\n"

// deletionFiles are files with the policy "two" in all kinds of places.
var deletionFiles = map[string]string{
	"the first":                  doc("two", 2) + "---\n" + doc("three", 3),
	"in the middle":              doc("one", 1) + "---\n" + doc("two", 2) + "--- # with a word\n" + doc("three", 3),
	"the last":                   doc("one", 1) + "---\n" + doc("two", 2),
	"the only one":               doc("two", 2),
	"the only one, with a mark":  "# licence\n---\n" + doc("two", 2) + "...\n# tail\n",
	"no newline at the end":      doc("one", 1) + "---\n" + strings.TrimSuffix(doc("two", 2), "\n"),
	"before one without newline": doc("two", 2) + "---\n" + strings.TrimSuffix(doc("one", 1), "\n"),
	"crlf":                       strings.ReplaceAll(doc("one", 1)+"---\n"+doc("two", 2)+"---\n"+doc("three", 3), "\n", "\r\n"),
	"with a byte order mark":     "\ufeff" + doc("two", 2) + "---\n" + doc("three", 3),
	"empty documents around":     doc("one", 1) + "---\n---\n# nothing\n---\n" + doc("two", 2) + "---\n\n---\n" + doc("three", 3),
	"a broken one beside":        "a: [\n---\n" + doc("two", 2) + "---\n}: x\n",
	"item, the first":            listHead + item("two", 2) + item("three", 3),
	"item, in the middle":        listHead + item("one", 1) + item("two", 2) + item("three", 3) + "# tail\n",
	"item, the last":             listHead + item("one", 1) + item("two", 2),
	"item, the only one":         listHead + item("two", 2) + "metadata: {}\n",
	"item of a flow list":        "{apiVersion: v1, kind: List, items: [" + strings.Join([]string{jsonDoc("one", 1), jsonDoc("two", 2)}, " , ") + "]}\n",
	"json":                       jsonDoc("one", 1) + "\n" + jsonDoc("two", 2) + "  \n\n" + jsonDoc("three", 3) + "\n",
	"json, the only one":         jsonDoc("two", 2),
	"json list":                  "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[" + jsonDoc("one", 1) + "," + jsonDoc("two", 2) + "]}",
}

// A policy that was deleted goes back to where it was with its own text, and the
// redo of that deletes it again: byte for byte, over a restart too.
func TestUndoOfADeletionGoesBack(t *testing.T) {
	for name, text := range deletionFiles {
		t.Run(name, func(t *testing.T) {
			file := "a.yaml"
			if strings.HasPrefix(name, "json") {
				file = "a.json"
			}
			f := newFilesWorld(t, map[string]string{file: text, "z.yaml": doc("zed", 60)})
			f.do(change.Mutation{Op: change.OpDelete, Policy: given.ANPKey("two")})
			without := f.d.text(file)
			if without == text {
				t.Fatal("nothing was deleted")
			}
			f.restart()
			p := f.do(change.Mutation{Op: change.OpUndo})
			if d := cmp.Diff(text, f.d.text(file)); d != "" {
				t.Errorf("after the undo (-want +got):\n%s", d)
			}
			if got := f.notes(p); !strings.HasPrefix(got, "ANP two goes back to where it was: "+file) || strings.Contains(got, ";") {
				t.Errorf("the preview does not say where it goes: %q", got)
			}
			if d := cmp.Diff([]string{file, "z.yaml"}, f.d.names()); d != "" {
				t.Errorf("files (-want +got):\n%s", d)
			}
			redo := f.g.Config.History.Entries()[0].ID
			f.do(change.Mutation{Op: change.OpUndo, Undo: redo})
			if d := cmp.Diff(without, f.d.text(file)); d != "" {
				t.Errorf("after the redo (-want +got):\n%s", d)
			}
			f.do(change.Mutation{Op: change.OpUndo, Undo: f.g.Config.History.Entries()[0].ID})
			if d := cmp.Diff(text, f.d.text(file)); d != "" {
				t.Errorf("after the undo of the redo (-want +got):\n%s", d)
			}
		})
	}
}

// A file that changed meanwhile gets the policy between the neighbours that are still
// there, else at its end; where it cannot have it, another one does. The
// preview says which.
func TestUndoOfADeletionInAChangedFile(t *testing.T) {
	three := doc("one", 1) + "---\n" + doc("two", 2) + "---\n" + doc("three", 3)
	list := listHead + item("one", 1) + item("two", 2) + item("three", 3)
	for _, c := range []struct {
		name, text string
		now        func(t *testing.T, d *disk) // changes the file after the deletion
		want       string                      // the file after the undo, "" where it is not looked at
		note       string
		elsewhere  string // the file that has it instead
	}{
		{name: "another document came", text: three,
			now:  func(_ *testing.T, d *disk) { d.write("a.yaml", d.text("a.yaml")+"---\n"+doc("four", 4)) },
			want: three + "---\n" + doc("four", 4), note: "ANP two goes back to a.yaml (changed since), between ANP one and ANP three"},
		{name: "the one above is gone", text: three,
			now:  func(_ *testing.T, d *disk) { d.write("a.yaml", doc("zero", 9)+"---\n"+doc("three", 3)) },
			want: doc("zero", 9) + "---\n" + doc("two", 2) + "---\n" + doc("three", 3),
			note: "ANP two goes back to a.yaml (changed since), between ANP zero and ANP three"},
		{name: "the first, before one without a mark", text: doc("two", 2) + "---\n" + doc("three", 3),
			now:  func(_ *testing.T, d *disk) { d.write("a.yaml", "# new\n"+doc("three", 3)) },
			want: doc("two", 2) + "---\n# new\n" + doc("three", 3), note: "ANP two goes back to a.yaml (changed since), before ANP three"},
		{name: "its neighbours are gone", text: three,
			now:  func(_ *testing.T, d *disk) { d.write("a.yaml", doc("other", 9)) },
			want: doc("other", 9) + "---\n" + doc("two", 2), note: "ANP two goes to the end of a.yaml: its neighbors there are gone"},
		{name: "emptied", text: three,
			now:  func(_ *testing.T, d *disk) { d.write("a.yaml", "") },
			want: doc("two", 2), note: "ANP two goes back to a.yaml (changed since)"},
		{name: "the file is gone", text: three,
			now:       func(t *testing.T, d *disk) { unlink(t, d, "a.yaml") },
			note:      "ANP two was in a.yaml, which is gone; ANP two goes to anp-two.yaml instead",
			elsewhere: "anp-two.yaml"},
		{name: "item, another came", text: list,
			now:  func(_ *testing.T, d *disk) { d.write("a.yaml", d.text("a.yaml")+item("four", 4)) },
			want: strings.Replace(list, item("two", 2), "", 1) + item("four", 4), // see below
			note: "ANP two goes back to a.yaml (changed since), between ANP one and ANP three"},
		{name: "item, the List is gone", text: list,
			now:  func(_ *testing.T, d *disk) { d.write("a.yaml", doc("one", 1)) },
			note: "ANP two goes to the end of a.yaml: its List is gone"},
		{name: "item of a json list", text: "",
			now: func(_ *testing.T, d *disk) {
				d.write("a.json", strings.Replace(d.text("a.json"), `"priority":1,`, `"priority":5,`, 1))
			},
			note: "ANP two goes back to a.json (changed since), after ANP one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, text := "a.yaml", c.text
			if text == "" {
				file, text = "a.json", deletionFiles["json list"]
			}
			f := newFilesWorld(t, map[string]string{file: text, "z.yaml": doc("zed", 60)})
			f.do(change.Mutation{Op: change.OpDelete, Policy: given.ANPKey("two")})
			c.now(t, f.d)
			f.look()
			was := f.d.text(file)
			p := f.do(change.Mutation{Op: change.OpUndo})
			if got := f.notes(p); got != c.note {
				t.Errorf("the preview says\n%q, want\n%q", got, c.note)
			}
			got := f.d.text(file)
			switch {
			case strings.HasPrefix(c.name, "item, another"):
				// Its own line comment comes back; the comment above it never left.
				c.want = strings.Replace(was, "    spec: {priority: 1, subject: {namespaces: {}}}\n",
					"    spec: {priority: 1, subject: {namespaces: {}}}\n"+strings.TrimPrefix(item("two", 2), "  # before two\n"), 1)
				if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
			case c.want != "":
				if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
			case c.elsewhere != "":
				if d := cmp.Diff(doc("two", 2), f.d.text(c.elsewhere)); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
			}
			if q := f.d.read[given.ANPKey("two")]; q == nil || q.Priority != 2 {
				t.Errorf("it is not back: %+v\n%s", q, got)
			}
		})
	}
}

func unlink(t *testing.T, d *disk, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(d.dir, name)); err != nil {
		t.Fatal(err)
	}
}

// unwritable is a file system on which one file cannot be written to.
type unwritable struct {
	files.FS
	path string
}

func (u unwritable) Open(name string, flag int, perm fs.FileMode) (files.File, error) {
	if name == u.path && flag&(os.O_WRONLY|os.O_RDWR) != 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return u.FS.Open(name, flag, perm)
}

// A file that cannot be written to any more: the policy goes elsewhere, and where there
// is nowhere else the preview is blocked.
func TestUndoIntoAFileThatCannotBeWritten(t *testing.T) {
	for _, c := range []struct{ path, note, blocked string }{
		{path: ".", note: "ANP two was in a.yaml, which cannot be written to; ANP two goes to anp-two.yaml instead"},
		{path: "a.yaml", blocked: "permission denied"},
	} {
		f := newFilesWorld(t, map[string]string{"a.yaml": deletionFiles["in the middle"]}, c.path)
		f.do(change.Mutation{Op: change.OpDelete, Policy: given.ANPKey("two")})
		f.d.files.disk = unwritable{f.d.files.disk, filepath.Join(f.d.dir, "a.yaml")}
		p := f.preview(change.Mutation{Op: change.OpUndo})
		if got := f.notes(p); got != c.note || !strings.Contains(p.Blocked, c.blocked) || (p.Blocked == "") != (c.blocked == "") {
			t.Errorf("%s: the preview says %q, blocked %q", c.path, got, p.Blocked)
		}
		if c.blocked == "" {
			f.do(change.Mutation{Op: change.OpUndo})
			if f.d.read[given.ANPKey("two")] == nil {
				t.Error("it is not back")
			}
		}
	}
}

// A file that is changed and was not read again yet is not written: the preview says
// so before the yes.
func TestUndoBeforeTheFileIsRead(t *testing.T) {
	f := newFilesWorld(t, map[string]string{"a.yaml": deletionFiles["in the middle"]})
	f.do(change.Mutation{Op: change.OpDelete, Policy: given.ANPKey("two")})
	f.d.write("a.yaml", doc("one", 1))
	if p := f.preview(change.Mutation{Op: change.OpUndo}); !strings.Contains(p.Blocked, "changed since it was read") {
		t.Errorf("blocked: %q, notes %q", p.Blocked, p.Notes)
	}
}

// The undo of a creation takes that document out and nothing else; one of an edit
// gives the very text back.
func TestUndoOfOthersGoesBack(t *testing.T) {
	text := deletionFiles["in the middle"]
	edited := strings.NewReplacer("# the number", "# another", "priority:   2", "priority: 22", "# why two is there\n", "").Replace(doc("two", 2))
	for name, c := range map[string]struct {
		m    func(f *filesWorld) change.Mutation
		then string // appended to the file before the undo
		one  bool   // the file is named, not found in a folder
	}{
		"a new document": {m: func(*filesWorld) change.Mutation {
			return change.Mutation{Op: change.OpApply, YAML: []byte(doc("new", 9))}
		}, one: true},
		"a new document, changed": {m: func(*filesWorld) change.Mutation {
			return change.Mutation{Op: change.OpApply, YAML: []byte(doc("new", 9))}
		}, one: true, then: "---\n" + doc("last", 10)},
		"a new file": {m: func(*filesWorld) change.Mutation {
			return change.Mutation{Op: change.OpApply, YAML: []byte(doc("new", 9))}
		}},
		"an edit":          {m: editOfTwo(edited)},
		"an edit, changed": {m: editOfTwo(edited), then: "---\n" + doc("last", 10)},
		"a move": {m: func(*filesWorld) change.Mutation {
			return change.Mutation{Op: change.OpMove, Policy: given.ANPKey("two"), Priority: 7}
		}},
		"a log level": {m: func(*filesWorld) change.Mutation {
			return change.Mutation{Op: change.OpLogLevel, Policy: given.ANPKey("two"), Levels: model.LogLevels{Deny: "alert"}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			paths := []string{"."}
			if c.one {
				paths = []string{"a.yaml"}
			}
			f := newFilesWorld(t, map[string]string{"a.yaml": text}, paths...)
			f.do(c.m(f))
			if c.then != "" {
				f.d.write("a.yaml", f.d.text("a.yaml")+c.then)
				f.look()
			}
			f.restart()
			p := f.do(change.Mutation{Op: change.OpUndo})
			if says := strings.Contains(strings.Join(p.Notes, "\n"), "anp-new.yaml is removed: it holds nothing else"); says != (name == "a new file") {
				t.Errorf("notes %q", p.Notes)
			}
			if d := cmp.Diff(text+c.then, f.d.text("a.yaml")); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if d := cmp.Diff([]string{"a.yaml"}, f.d.names()); d != "" {
				t.Errorf("files (-want +got):\n%s", d)
			}
		})
	}
}

func editOfTwo(to string) func(*filesWorld) change.Mutation {
	return func(f *filesWorld) change.Mutation {
		return change.Mutation{Op: change.OpApply, YAML: []byte(to), Base: []byte(f.d.read[given.ANPKey("two")].YAML)}
	}
}

// Random files, formats and places: a deletion and its undo give the same bytes,
// and so do several, taken back one after the other.
func TestUndoGivesTheSameBytes(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, 1))
	rounds := 20
	if os.Getenv(install.SoakVar) == "1" {
		rounds = 60
	}
	for round := range rounds {
		files, names := map[string]string{}, []string(nil)
		for i := range 1 + r.IntN(2) {
			name := fmt.Sprintf("f%d.%s", i, []string{"yaml", "json"}[r.IntN(2)])
			text, in := randomFile(r, strings.HasSuffix(name, "json"), 10*i)
			files[name], names = text, append(names, in...)
		}
		f := newFilesWorld(t, files)
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		n := min(len(names), 1+r.IntN(3))
		deleted := 0
		for _, name := range names[:n] {
			p := f.preview(change.Mutation{Op: change.OpDelete, Policy: given.ANPKey(name)})
			if _, err := f.g.Commit(context.Background(), p, gate.Confirm{Yes: true, Name: p.ConfirmName}); err != nil {
				t.Logf("round %d: %v", round, err) // one that cannot be taken out alone
				continue
			}
			deleted++
			f.look()
		}
		for range deleted {
			f.do(change.Mutation{Op: change.OpUndo})
		}
		for name, text := range files {
			if d := cmp.Diff(text, f.d.text(name)); d != "" {
				t.Fatalf("round %d, %s (-want +got):\n%s", round, name, d)
			}
		}
	}
}

// randomFile writes a few policies in some form, and says which.
func randomFile(r *rand.Rand, json bool, from int) (text string, names []string) {
	n := 1 + r.IntN(4)
	var parts []string
	list := r.IntN(3) == 0
	for i := range n {
		name := fmt.Sprintf("p%d", from+i)
		names = append(names, name)
		switch {
		case json:
			parts = append(parts, jsonDoc(name, from+i))
		case list:
			parts = append(parts, item(name, from+i))
		case r.IntN(4) == 0:
			parts = append(parts, given.ANP(name, from+i, "", "in deny *"))
		default:
			parts = append(parts, doc(name, from+i))
		}
	}
	switch {
	case json && list:
		text = `{"apiVersion":"v1","kind":"List","items":[` + strings.Join(parts, []string{",", ",\n", " , "}[r.IntN(3)]) + "]}"
	case json:
		text = strings.Join(parts, []string{"\n", "\n\n", " "}[r.IntN(3)])
	case list:
		text = listHead + strings.Join(parts, "")
	default:
		text = strings.Join(parts, []string{"---\n", "--- # mark\n", "...\n---\n", "---\n---\n"}[r.IntN(4)])
		if r.IntN(2) == 0 {
			text = "---\n" + text
		}
		if r.IntN(3) == 0 {
			text = strings.TrimSuffix(text, "\n")
		}
		if r.IntN(3) == 0 {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
	}
	return text, names
}

// What the history keeps of files counts, so that it stays bounded.
func TestHistoryCountsFiles(t *testing.T) {
	h, err := history.Open(nil, t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	f := newFilesWorld(t, map[string]string{"a.yaml": "# " + strings.Repeat("x", historyBytes/4) + "\n" + given.ANP("two", 2, "")})
	f.do(change.Mutation{Op: change.OpDelete, Policy: given.ANPKey("two")})
	e := f.g.Config.History.Entries()[0]
	if len(e.Files) != 1 || e.Files[0].SizeBytes() < historyBytes/4 {
		t.Fatalf("%d files are kept", len(e.Files))
	}
	for range 5 {
		if _, err := h.Push(e); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(h.Entries()); n == 0 || n > 4 {
		t.Errorf("%d entries of a quarter of the bound and more are kept", n)
	}
}

// What an undo does hangs on the files that are written, too.
func TestSeenWhereItIsWritten(t *testing.T) {
	f := newFilesWorld(t, map[string]string{"a.yaml": deletionFiles["in the middle"]})
	f.do(change.Mutation{Op: change.OpDelete, Policy: given.ANPKey("two")})
	p := f.preview(change.Mutation{Op: change.OpUndo})
	unlink(t, f.d, "a.yaml")
	f.d.files.forgetFile(filepath.Join(f.d.dir, "a.yaml"))
	_, err := f.g.Commit(t.Context(), p, gate.Confirm{Yes: true, Name: p.ConfirmName})
	if !errors.Is(err, change.ErrStale) || !strings.Contains(err.Error(), "which is gone") {
		t.Errorf("%v: it goes elsewhere than the preview said", err)
	}
}

// historyBytes is how much the history keeps.
const historyBytes = 8 << 20

// The preview of a created policy names its file.
func TestCreatedFileIsNamed(t *testing.T) {
	f := newFilesWorld(t, map[string]string{"a.yaml": deletionFiles["in the middle"]}, ".")
	p := f.preview(change.Mutation{Op: change.OpApply, YAML: []byte(doc("fresh", 20))})
	const want = "ANP fresh is written to the new file "
	if !slices.ContainsFunc(p.Notes, func(n string) bool { return strings.HasPrefix(n, want) && strings.HasSuffix(n, "anp-fresh.yaml") }) {
		t.Errorf("%q lacks %q", p.Notes, want)
	}
}

package gate

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/change"
	"rung/change/history"
	"rung/change/rewrite"
	"rung/model"
	"rung/revision"
	"rung/sources/manifests"
	"rung/test/changing"
	"rung/test/given"
)

func end(targets ...model.Key) change.Mutation {
	return change.Mutation{Op: change.OpLogEnd, Policies: targets}
}

// Logging is the raw annotation of an object, "-" where it has none.
func (w *world) Logging(k model.Key) string {
	w.T.Helper()
	p := w.Current().Cluster.Changeable(k)
	if p == nil {
		return "gone"
	}
	text, has := p.RawAnnotation(model.AnnotationLogging)
	if !has {
		text = "-"
	}
	if _, has := p.RawAnnotation(model.AnnotationLogSession); has {
		text += " (session)"
	}
	return text
}

func withLogging(policy, quoted string) string {
	return strings.Replace(policy, "\nspec:", "\n  annotations:\n    k8s.ovn.org/acl-logging: "+quoted+"\nspec:", 1)
}

// What was there before a session comes back byte for byte: nothing, an empty value, one
// of odd bytes, and one that is not valid at all.
func TestLogSessionRestores(t *testing.T) {
	for _, c := range []struct{ name, quoted, want string }{
		{"absent", "", "-"},
		{"empty", `""`, ""},
		{"a level", `'{"deny": "alert",  "allow":"info"}'`, `{"deny": "alert",  "allow":"info"}`},
		{"odd", `"{\n\t\"deny\": \"alert\" }\u200b \u00e9\n"`, "{\n\t\"deny\": \"alert\" }\u200b \u00e9\n"},
		{"not valid", `'{"deny": "ALERT'`, `{"deny": "ALERT`},
	} {
		for _, how := range []string{"time", "end", "undo"} {
			t.Run(c.name+" "+how, func(t *testing.T) {
				text := given.ANP("control", 34, "", "in allow team=ops", "in deny *")
				if c.quoted != "" {
					text = withLogging(text, c.quoted)
				}
				w := newWorld(t, text)
				g, k := w.Gate(t.TempDir()), given.ANPKey("control")
				before := w.Current().Cluster.Policy(k).YAML
				if got := w.Logging(k); got != c.want {
					t.Fatalf("it begins with %q", got)
				}
				do(t, w, g, changing.Session(time.Minute, k), typed("control"))
				if got := w.Logging(k); got != `{"deny":"info"} (session)` {
					t.Fatalf("on: %q", got)
				}
				// A session that is begun again remembers what was before the first.
				do(t, w, g, changing.Session(time.Hour, k), typed("control"))
				switch how {
				case "time":
					w.Wait(time.Hour)
					w.SetWrites(false) // it was agreed to when it began
					do(t, w, g, changing.Timed(k), typed("control"))
				case "end":
					do(t, w, g, end(k), typed("control"))
				case "undo":
					do(t, w, g, change.Mutation{Op: change.OpUndo}, typed("control"))
					do(t, w, g, change.Mutation{Op: change.OpUndo, Undo: 1}, typed("control"))
				}
				if got := w.Logging(k); got != c.want {
					t.Errorf("off: %q, want %q", got, c.want)
				}
				if now := w.Current().Cluster.Policy(k).YAML; how != "undo" && now != before && c.name == "absent" {
					t.Errorf("the text is\n%s\nit was\n%s", now, before)
				}
			})
		}
	}
}

func TestLogSessionOfANamespace(t *testing.T) {
	w := newWorld(t, given.NP("blue", "web", "{podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}"))
	g, k := w.Gate(t.TempDir()), changing.NsKey("blue")
	p, err := g.Preview(context.Background(), w.Current(), changing.Session(time.Minute, k))
	if err != nil || p.Blocked != "" {
		t.Fatal(p, err)
	}
	if got := rowText(p.Rows); len(got) == 0 || !strings.Contains(strings.Join(got, "\n"), "log false→true severity →info") {
		t.Errorf("rows %v", got)
	}
	if got := p.Commands; len(got) != 1 || !strings.HasPrefix(got[0], "kubectl annotate namespace blue 'k8s.ovn.org/acl-logging={") {
		t.Errorf("commands %v", got)
	}
	labels := w.Current().Cluster.Namespace("blue").Labels
	if _, err := g.Commit(context.Background(), p, typed("")); err != nil {
		t.Fatal(err)
	}
	if l := revision.NamespaceLogging(w.Current(), "blue"); l.Levels.Deny != "info" || w.Current().Cluster.Namespace("blue").Labels.Key() != labels.Key() {
		t.Errorf("%+v", l)
	}
	if s := revision.LogSessions(w.Current()); len(s) != 1 || s[0].Target != k || s[0].Changed || s[0].Problem != "" {
		t.Errorf("%+v", s)
	}
	w.Wait(time.Minute)
	do(t, w, g, changing.Timed(k), typed(""))
	if got := w.Logging(k); got != "-" {
		t.Errorf("%q", got)
	}
	if e := g.EndedSessions(); len(e) != 1 || e[0].Target != k || e[0].How != "expired; the annotation is restored: no annotation" || !strings.HasPrefix(e[0].By, "ada") {
		t.Errorf("%+v", e)
	}
	// Undo and redo are about other changes.
	if u, r := g.UndoTitle(), g.RedoTitle(); u != "" || r != "" {
		t.Errorf("undo %q, redo %q", u, r)
	}
	for _, m := range []change.Mutation{
		{Op: change.OpLogLevel, Policy: k, Levels: model.LogLevels{Pass: "info"}},
		{Op: change.OpLogLevel, Policy: given.NPKey("blue", "web"), Levels: model.LogLevels{Deny: "info"}},
		{Op: change.OpLogLevel, Policy: k, Levels: model.LogLevels{Deny: "loud"}},
		changing.Session(-1, k), changing.Session(time.Millisecond, k), changing.Session(40*24*time.Hour, k),
		{Op: change.OpLogLevel, Policy: k, Session: true, SessionTime: time.Minute},
		changing.Session(time.Minute, changing.NsKey("nowhere")),
	} {
		if p := g.resolveMutation(w.Current(), m); p.Blocked == "" {
			t.Errorf("%s is not refused", p.Title)
		}
	}
}

// What somebody else did meanwhile stays, and is said.
func TestLogSessionLeavesTheChangesOfOthers(t *testing.T) {
	w := newWorld(t, given.ANP("control", 34, "", "in deny *"), given.ANP("blue", 40, "", "in deny *"))
	g, k := w.Gate(t.TempDir()), given.ANPKey("control")
	do(t, w, g, changing.Session(time.Minute, k), typed(""))
	now, _ := rewrite.WithAnnotations(w.Current().Cluster.Policy(k), map[string]string{
		model.AnnotationLogging:    `{"deny":"warning"}`,
		model.AnnotationLogSession: change.RawLogAnnotations(w.Current().Cluster.Policy(k))[model.AnnotationLogSession]}, manifests.Options{})
	w.Apply([]model.Object{now}, nil)
	if s := revision.FindLogSession(w.Current(), k); s == nil || !s.Changed {
		t.Errorf("%+v", s)
	}
	p, err := g.Preview(context.Background(), w.Current(), end(k))
	if err != nil || !strings.Contains(strings.Join(p.Notes, "\n"), `the level of ANP control was changed meanwhile and is left alone: {"deny":"warning"}`) {
		t.Errorf("%v, %v", p.Notes, err)
	}
	w.Wait(time.Minute)
	do(t, w, g, changing.Timed(k), typed(""))
	if got := w.Logging(k); got != `{"deny":"warning"}` {
		t.Errorf("%q", got)
	}
	if e := g.EndedSessions(); len(e) != 1 || !strings.Contains(e[0].How, "the level was changed since and is kept") {
		t.Errorf("%+v", e)
	}
	// A record that is none of Rung's is taken away, and nothing else.
	now, _ = rewrite.WithAnnotations(w.Current().Cluster.Policy(k), map[string]string{model.AnnotationLogging: "x", model.AnnotationLogSession: "{"}, manifests.Options{})
	w.Apply([]model.Object{now}, nil)
	if s := revision.LogSessions(w.Current()); len(s) != 1 || s[0].Problem == "" {
		t.Errorf("%+v", s)
	}
	if p := g.resolveMutation(w.Current(), changing.Timed(k)); !strings.Contains(p.Blocked, "has not expired") {
		t.Errorf("%q", p.Blocked)
	}
	do(t, w, g, end(k, given.ANPKey("blue")), typed(""))
	if got := w.Logging(k); got != "x" {
		t.Errorf("%q", got)
	}
	if p := g.resolveMutation(w.Current(), end(k)); !p.IsNoChange() {
		t.Errorf("a second end: %q", p.Blocked)
	}
}

// Several policies are one change, ended one by one or at once; a time that is not over
// ends nothing, nor does it while changes are switched off.
func TestLogSessionOfSeveral(t *testing.T) {
	w := newWorld(t, given.ANP("control", 34, "", "in deny *"), withLogging(given.ANP("blue", 40, "", "in deny *"), `'{"allow":"info"}'`), given.BANP("", "in deny *"))
	g := w.Gate(t.TempDir())
	all := []model.Key{given.ANPKey("control"), given.ANPKey("blue"), {Kind: model.KindBANP, Name: "default"}, changing.NsKey("red")}
	do(t, w, g, changing.Session(0, all...), typed(""))
	for _, k := range all {
		if s := revision.FindLogSession(w.Current(), k); s == nil || !s.IsOpen() || s.ID != revision.LogSessions(w.Current())[0].ID {
			t.Errorf("%s: %+v", k, s)
		}
	}
	w.Wait(1000 * time.Hour)
	p, _ := g.resolveOnServer(context.Background(), w.Current(), changing.Timed(all[0]), nil)
	if !strings.Contains(p.Blocked, "has not expired") {
		t.Errorf("%q", p.Blocked)
	}
	w.SetWrites(false)
	if p := g.resolveMutation(w.Current(), end(all...)); !p.ReadOnly {
		t.Errorf("%q", p.Blocked)
	}
	w.SetWrites(true)
	do(t, w, g, end(all...), typed(""))
	if got := w.Logging(all[0]) + w.Logging(all[1]) + w.Logging(all[2]) + w.Logging(all[3]); got != `-{"allow":"info"}--` {
		t.Errorf("%q", got)
	}
	if len(revision.LogSessions(w.Current())) != 0 || len(g.EndedSessions()) != 4 {
		t.Errorf("%+v", g.EndedSessions())
	}
}

// A session between a change and its undo is no change of what the undo is about: the undo
// leaves the logging as it is.
func TestUndoBesideALogSession(t *testing.T) {
	w := newWorld(t, given.ANP("control", 34, "", "in deny *"))
	g, k := w.Gate(t.TempDir()), given.ANPKey("control")
	do(t, w, g, changing.Move("control", 36), typed("control"))
	id := g.Config.History.Entries()[0].ID
	do(t, w, g, changing.Session(time.Minute, k), typed(""))
	do(t, w, g, change.Mutation{Op: change.OpUndo, Undo: id}, typed("control"))
	if got := w.Logging(k); got != `{"deny":"info"} (session)` || w.Priority("control") != 34 {
		t.Errorf("%q at %d", got, w.Priority("control"))
	}
	do(t, w, g, changing.Move("control", 37), typed("control")) // its text has the record
	w.Wait(time.Minute)
	do(t, w, g, changing.Timed(k), typed(""))
	do(t, w, g, change.Mutation{Op: change.OpUndo}, typed("control"))
	if got := w.Logging(k); got != "-" || w.Priority("control") != 34 {
		t.Errorf("%q at %d", got, w.Priority("control"))
	}
	if e := g.EndedSessions(); len(e) != 1 {
		t.Errorf("%+v", e)
	}
	// The end of a session is not undone.
	ends := g.Config.History.Entries()[1]
	if p := g.resolveMutation(w.Current(), change.Mutation{Op: change.OpUndo, Undo: ends.ID}); !ends.Ends || !strings.Contains(p.Blocked, "cannot be undone") {
		t.Errorf("%+v %q", ends, p.Blocked)
	}
}

// The end of a session is one line of the audit, though several ask for it: by hand, by its
// time, and another Rung in the same moment.
func TestLogSessionEndsOnceInTheAudit(t *testing.T) {
	ends := func(dir string) (out []string) {
		for _, r := range changing.ReadAudit(t, dir) {
			if r.Op == change.OpLogEnd {
				out = append(out, r.By+" "+r.Result)
			}
		}
		return out
	}
	k := given.ANPKey("control")
	for _, c := range []struct {
		name  string
		ended func(t *testing.T, w *world, g, other *Gate)
		want  []string
	}{
		{"by hand, then its time", func(t *testing.T, w *world, g, other *Gate) {
			do(t, w, g, end(k), yes)
			w.Wait(time.Hour)
			for range 3 {
				if ended, err := other.EndExpired(context.Background(), k); len(ended) != 0 || err != nil {
					t.Error(ended, err)
				}
			}
		}, []string{"cli ok"}},
		{"its time, in two at once", func(t *testing.T, w *world, g, other *Gate) {
			w.Wait(time.Hour)
			asked := 0
			g.Config.CurrentRevision = func() *revision.Revision {
				asked++
				if asked == 2 { // between its preview and its turn
					if ended, err := other.EndExpired(context.Background(), k); len(ended) != 1 || err != nil {
						t.Error(ended, err)
					}
				}
				return w.Current()
			}
			if ended, err := g.EndExpired(context.Background(), k); len(ended) != 0 || err != nil {
				t.Error(ended, err)
			}
		}, []string{"time ok"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			w := newWorld(t, given.ANP("control", 34, "", "in deny *"))
			g, other := w.Gate(dir), w.Gate(dir)
			do(t, w, g, changing.Session(time.Minute, k), typed(""))
			c.ended(t, w, g, other)
			if got := ends(dir); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			if got := w.Logging(k); got != "-" {
				t.Errorf("%q", got)
			}
		})
	}
}

// The time counts from when the change is made, not from when it was previewed.
func TestLogSessionBeginsWhenItIsMade(t *testing.T) {
	w := newWorld(t, given.ANP("control", 34, "", "in allow team=ops", "in deny *"), given.ANP("blue", 40, "tenant=blue", "in allow tenant=blue"))
	g, k := w.Gate(""), given.ANPKey("blue")
	p, err := g.Preview(context.Background(), w.Current(), changing.Session(time.Minute, k))
	if err != nil {
		t.Fatal(err)
	}
	w.Wait(10 * time.Minute)
	if _, err := g.Commit(context.Background(), p, typed("")); err != nil {
		t.Fatal(err)
	}
	if s := revision.FindLogSession(w.Current(), k); s == nil || !s.Until.Equal(w.Clock().Add(time.Minute).Truncate(time.Millisecond)) {
		t.Errorf("%+v", s)
	}
	// Another level meanwhile is another change.
	p, _ = g.Preview(context.Background(), w.Current(), changing.Session(time.Minute, k))
	now, _ := rewrite.WithAnnotations(w.Current().Cluster.Policy(k), map[string]string{model.AnnotationLogging: "{}"}, manifests.Options{})
	w.Apply([]model.Object{now}, nil)
	if _, err := g.Commit(context.Background(), p, typed("")); !errors.Is(err, change.ErrStale) {
		t.Errorf("%v", err)
	}
}

// What it costs is said before: rows, the meter, and what is logged now where that is known.
func TestLogSessionCost(t *testing.T) {
	w := newWorld(t, given.ANP("control", 34, "", "in allow team=ops", "in deny *", "out deny *"))
	h, _ := history.Open(nil, "", "")
	g := w.NewGate(Config{Writer: w, History: h, Audit: history.NewAudit(nil, ""), LogRate: func(k model.Key) (int, bool) { return 7, k.Name == "control" }})
	p, err := g.Preview(context.Background(), w.Current(), changing.Session(time.Minute, given.ANPKey("control")))
	const want = "2 rows with log=true in each zone; the meter was not read; by default it limits each to 20 lines/s, so at most 40 lines/s on each node and 80 on 2 nodes; the rest is silently discarded; current rate: 7 lines/s"
	if err != nil || !strings.Contains(strings.Join(p.Notes, "\n"), want) {
		t.Errorf("%s\n%v", strings.Join(p.Notes, "\n"), err)
	}
	m := changing.Session(time.Minute, given.ANPKey("control"))
	m.Levels = model.LogLevels{Pass: "info"}
	if p, _ := g.Preview(context.Background(), w.Current(), m); !slices.Contains(p.Warnings, "no line can come from ANP control: no rule has an action with a level") {
		t.Errorf("%v", p.Notes)
	}
}

// Where no line can come the preview says why.
func TestLoggingThatCannotLog(t *testing.T) {
	w := newWorld(t, given.ANP("far", 120, "", "in deny *"), given.ANP("empty", 34, "tenant=none", "in deny *"))
	for name, why := range map[string]string{"far": "it is not enforced: above 99", "empty": "it applies to no pods"} {
		p, err := w.Gate("").Preview(context.Background(), w.Current(), changing.Session(time.Minute, given.ANPKey(name)))
		if want := "no line can come from ANP " + name + ": " + why; err != nil || !slices.Contains(p.Warnings, want) {
			t.Errorf("%v: %q lacks %q", err, p.Warnings, want)
		}
	}
}

// A session of what is logged anyway says so, that nobody waits for more lines; one of
// other levels does not.
func TestLogSessionOfWhatLogs(t *testing.T) {
	w := newWorld(t, withLogging(given.ANP("control", 34, "", "in deny *"), `'{"deny":"alert","allow":"alert","pass":"alert"}'`), given.NP("blue", "web", "{podSelector: {}}"))
	g, k := w.Gate(t.TempDir()), given.ANPKey("control")
	all := model.LogLevels{Deny: "alert", Allow: "alert", Pass: "alert"}
	for _, c := range []struct {
		key    model.Key
		levels model.LogLevels
		title  string
		same   bool
	}{
		{k, all, "Log ANP control for 15 min: allow, deny and pass at alert", true},
		{k, model.LogLevels{Deny: "alert"}, "Log ANP control for 15 min: deny=alert", false},
		{changing.NsKey("blue"), model.LogLevels{Deny: "alert"}, "Log Namespace blue for 15 min: deny=alert", false},
	} {
		m := changing.Session(DefaultSession, c.key)
		m.Levels = c.levels
		p, err := g.Preview(context.Background(), w.Current(), m)
		if err != nil || p.Title != c.title {
			t.Errorf("%s: %q, %v", c.key, p.Title, err)
		}
		if got := strings.Contains(strings.Join(p.Notes, "\n"), " already logs this: no row changes"); got != c.same {
			t.Errorf("%s %s: %v", c.key, c.levels, p.Notes)
		}
	}
}

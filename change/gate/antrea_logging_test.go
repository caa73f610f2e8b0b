package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"rung/change"
	"rung/model"
	"rung/model/logline"
	"rung/revision"
	"rung/test/changing"
)

// loggedText is a policy whose rules log in every way in which a rule can be written.
const loggedText = `apiVersion: crd.antrea.io/v1beta1
kind: ClusterNetworkPolicy # as written
metadata:
  name: p
spec:
  priority: 5 # five
  appliedTo: [{podSelector: {matchLabels: {app: web}}}]
  ingress:
  - {name: a, action: Drop, from: [{podSelector: {matchLabels: {x: a}}}]} # not written
  - name: b
    action: Reject
    enableLogging: false # off
    logLabel: mine
    from: [{podSelector: {matchLabels: {x: b}}}]
  - {name: c, action: Drop, enableLogging: true, from: [{podSelector: {matchLabels: {x: c}}}]}
  - {action: Allow, enableLogging: true, logLabel: all, from: [{podSelector: {}}]}
  egress:
  - {action: Allow, to: [{podSelector: {}}]}
  - {action: Pass, to: [{ipBlock: {cidr: 10.0.0.0/8}}]} # the rest
`

var ruleWise = model.LogLevels{Deny: logline.On}

func ruleSession(l model.LogLevels, lasts time.Duration, targets ...model.Key) change.Mutation {
	return change.Mutation{Op: change.OpLogLevel, Policies: targets, Levels: l, Session: true, SessionTime: lasts}
}

// ruleLogging says how each rule of a policy logs, as it is written, and whether a session is on.
func (w *world) ruleLogging(k model.Key) string {
	w.T.Helper()
	p := w.Current().Cluster.Policy(k)
	if p == nil {
		return "gone"
	}
	spec, _ := p.Original.(*unstructured.Unstructured).Object["spec"].(map[string]any)
	var out []string
	for _, side := range []string{"ingress", "egress"} {
		rules, _ := spec[side].([]any)
		for _, r := range rules {
			text := "-"
			if on, has := r.(map[string]any)["enableLogging"]; has {
				text = fmt.Sprint(on)
			}
			if label, has := r.(map[string]any)["logLabel"]; has {
				text += fmt.Sprintf(" %v", label)
			}
			out = append(out, text)
		}
	}
	text := strings.Join(out, ", ")
	if _, has := p.RawAnnotation(model.AnnotationLogSession); has {
		text += " (session)"
	}
	return text
}

const asLogged = "-, false mine, true, true all, -, -"

// A session of a policy whose rules log one by one is given back rule by rule, to the byte, whoever ends
// it and on a server too; and so on from there.
func TestRuleSessionRestores(t *testing.T) {
	k := antreaKinds["acnp"]
	for _, server := range []bool{false, true} {
		for _, how := range []string{"time", "end", "undo", "again"} {
			t.Run(fmt.Sprint(how, " server=", server), func(t *testing.T) {
				w := antreaWorld(t, loggedText)
				g := w.Gate(t.TempDir())
				if server {
					g = w.serverGate(t, g)
				}
				before := w.Current().Cluster.Policy(k).YAML
				do(t, w, g, ruleSession(ruleWise, time.Minute, k), typed("p"))
				if got := w.ruleLogging(k); got != "true, true mine, true, true all, -, - (session)" {
					t.Fatalf("on: %q", got)
				}
				s := revision.FindLogSession(w.Current(), k)
				if s == nil || s.Changed || s.Problem != "" || s.Level != "deny=on allow=some" || logline.FormerText(s.LogSession) != "ingress 0 (a), ingress 1 (b) without enableLogging" {
					t.Fatalf("%+v", s)
				}
				if l := revision.PolicyLogging(w.Current(), w.Current().Cluster.Policy(k)); l.Session.ID != s.ID {
					t.Errorf("%+v", l)
				}
				switch how {
				case "again": // what was before the first comes back
					m := ruleSession(model.LogLevels{Deny: logline.Off, Allow: logline.On}, time.Minute, k)
					m.LogLabel = "new"
					do(t, w, g, m, typed("p"))
					if got := w.ruleLogging(k); got != "-, false mine, -, true new, true new, - (session)" {
						t.Fatalf("again: %q", got)
					}
					do(t, w, g, end(k), typed("p"))
				case "time":
					w.Wait(time.Minute)
					w.SetWrites(false) // it was agreed to when it began
					do(t, w, g, changing.Timed(k), typed("p"))
				case "end":
					do(t, w, g, end(k), typed("p"))
				case "undo":
					do(t, w, g, change.Mutation{Op: change.OpUndo}, typed("p"))
					do(t, w, g, change.Mutation{Op: change.OpRedo}, typed("p"))
					do(t, w, g, change.Mutation{Op: change.OpUndo}, typed("p"))
				}
				if got := w.ruleLogging(k); got != asLogged {
					t.Errorf("off: %q", got)
				}
				now := w.Current().Cluster.Policy(k).YAML
				if !server && (strings.Count(now, "#") != strings.Count(before, "#") || how == "undo" && now != before) {
					t.Errorf("the text is\n%s\nit was\n%s", now, before)
				}
				if e := g.EndedSessions(); how == "time" && (len(e) != 1 || e[0].How != "expired; its rules log as before the session: ingress 0 (a), ingress 1 (b) without enableLogging") {
					t.Errorf("%+v", e)
				}
			})
		}
	}
}

// Logging for good: words by action, the others stay; off is off for all.
func TestRuleLoggingForGood(t *testing.T) {
	k := antreaKinds["acnp"]
	for _, tt := range []struct {
		levels model.LogLevels
		label  string
		want   string
	}{
		{model.LogLevels{Deny: "on"}, "", "true, true mine, true, true all, -, -"},
		{model.LogLevels{Deny: "on", Pass: "on"}, "x", "true x, true x, true x, true all, -, true x"},
		{model.LogLevels{Allow: "off"}, "", "-, false mine, true, - all, -, -"},
		{model.LogLevels{Deny: "off", Allow: "on", Pass: "keep"}, "", "-, false mine, -, true all, true, -"},
		{model.LogLevels{}, "", "-, false mine, -, - all, -, -"},
	} {
		for _, server := range []bool{false, true} {
			w := antreaWorld(t, loggedText)
			g := w.Gate(t.TempDir())
			if server {
				g = w.serverGate(t, g)
			}
			do(t, w, g, change.Mutation{Op: change.OpLogLevel, Policy: k, Levels: tt.levels, LogLabel: tt.label}, typed("p"))
			if got := w.ruleLogging(k); got != tt.want {
				t.Errorf("%+v %q server=%v: %q, want %q", tt.levels, tt.label, server, got, tt.want)
			}
			do(t, w, g, change.Mutation{Op: change.OpUndo}, typed("p"))
			if got := w.ruleLogging(k); got != asLogged {
				t.Errorf("%+v undone: %q", tt.levels, got)
			}
		}
	}
}

// What is done to the policy while a session is on: rules that come, go and are edited, logging that
// somebody else changes.
func TestRuleSessionAmongOtherChanges(t *testing.T) {
	k := antreaKinds["acnp"]
	for _, tt := range []struct{ name, old, now, want, says string }{
		{"a rule before them", "  ingress:\n", "  ingress:\n  - {name: z, action: Allow, from: [{podSelector: {matchLabels: {z: z}}}]}\n", "-, " + asLogged, ""},
		{"a rule that was edited", "x: a", "x: other", asLogged, ""},
		{"a rule that was taken away", "  - {name: a, action: Drop, from: [{podSelector: {matchLabels: {x: a}}}], enableLogging: true} # not written\n", "", strings.TrimPrefix(asLogged, "-, "), ""},
		{"logging of one", "{name: a, action: Drop,", "{name: a, action: Drop, logLabel: theirs,", "true theirs, false mine, true, true all, -, -", "changed since and kept: ingress 0 (a)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := antreaWorld(t, loggedText)
			g := w.Gate(t.TempDir())
			do(t, w, g, ruleSession(ruleWise, time.Minute, k), typed("p"))
			text := w.Current().Cluster.Policy(k).YAML
			edited := strings.Replace(text, tt.old, tt.now, 1)
			if edited == text {
				t.Fatalf("no %q in\n%s", tt.old, text)
			}
			do(t, w, g, change.Mutation{Op: change.OpApply, YAML: []byte(edited), Base: []byte(text)}, typed("p"))
			w.Wait(time.Minute)
			p, err := g.Preview(context.Background(), w.Current(), changing.Timed(k))
			if err != nil || !strings.Contains(strings.Join(p.Notes, "\n"), tt.says) {
				t.Errorf("%v, %v", p.Notes, err)
			}
			do(t, w, g, changing.Timed(k), typed("p"))
			if got := w.ruleLogging(k); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			// The undo of the edit leaves the logging alone.
			do(t, w, g, change.Mutation{Op: change.OpUndo}, typed("p"))
			if got := w.ruleLogging(k); tt.says == "" && got != asLogged {
				t.Errorf("undone: %q", got)
			}
		})
	}
}

// The undo of a change leaves a session alone that began since.
func TestUndoLeavesARuleSession(t *testing.T) {
	k := antreaKinds["acnp"]
	w := antreaWorld(t, loggedText)
	g := w.Gate(t.TempDir())
	do(t, w, g, change.Mutation{Op: change.OpMove, Policy: k, Priority: 7}, typed("p"))
	do(t, w, g, ruleSession(ruleWise, time.Minute, k), typed("p"))
	do(t, w, g, change.Mutation{Op: change.OpUndo, Undo: 1}, typed("p"))
	if got, at := w.ruleLogging(k), w.Current().Cluster.Policy(k).Tiered.Priority; got != "true, true mine, true, true all, -, - (session)" || at != 5 {
		t.Errorf("%q at %v", got, at)
	}
	do(t, w, g, end(k), typed("p"))
	if got := w.ruleLogging(k); got != asLogged {
		t.Errorf("%q", got)
	}
}

// What cannot be logged is refused with a reason; a record of somebody else is taken away alone.
func TestRuleLoggingRefused(t *testing.T) {
	k := antreaKinds["acnp"]
	w := antreaWorld(t, loggedText)
	g := w.Gate(t.TempDir())
	for says, m := range map[string]change.Mutation{
		"have no log level: want on or off":   {Op: change.OpLogLevel, Policy: k, Levels: model.LogLevels{Deny: "alert"}},
		"nothing would be logged":             ruleSession(model.LogLevels{Deny: logline.Off}, time.Minute, k),
		"want 1 second to 30 days":            ruleSession(ruleWise, time.Millisecond, k),
		"each rule logs by its enableLogging": {Op: change.OpLogLevel, Policy: changing.NsKey("blue"), Levels: model.LogLevels{Deny: "info"}},
		"there is no ACNP nobody":             ruleSession(ruleWise, time.Minute, model.Key{Kind: model.KindACNP, Name: "nobody"}),
		"nothing to apply":                    {Op: change.OpLogLevel, Policy: k, Levels: model.LogLevels{Deny: logline.Keep}},
	} {
		if p := g.resolveMutation(w.Current(), m); !strings.Contains(p.Blocked, says) {
			t.Errorf("%q, want %q", p.Blocked, says)
		}
	}
	s, _ := model.NewLogSession("X", "eve", w.Now, time.Minute, "whatever", true)
	s.Set = "theirs"
	quoted, _ := json.Marshal(s.AnnotationText())
	w.Edit(strings.Replace(loggedText, "name: p\n", "name: p\n  annotations: {rung/log-session: "+string(quoted)+"}\n", 1))
	if all := revision.LogSessions(w.Current()); len(all) != 1 || all[0].Problem == "" {
		t.Errorf("%+v", all)
	}
	p, err := g.Preview(context.Background(), w.Current(), end(k))
	if err != nil || !slices.ContainsFunc(p.Notes, func(n string) bool {
		return strings.Contains(n, "the logging of its rules is kept: deny=some allow=some")
	}) {
		t.Errorf("%v %v", p.Notes, err)
	}
	do(t, w, g, end(k), typed("p"))
	if got := w.ruleLogging(k); got != asLogged {
		t.Errorf("%q", got)
	}
}

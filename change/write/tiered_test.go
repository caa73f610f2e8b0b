package write

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/change/gate"
	"rung/model"
	"rung/system"
)

// tieredObjects are objects of crd.antrea.io as somebody wrote them, each with what is edited in it.
var tieredObjects = []struct {
	key           model.Key
	text, was, is string
}{
	{model.Key{Kind: model.KindACNP, Name: "p"}, `# why p is there
kind: "ClusterNetworkPolicy"   # the kind first
apiVersion: crd.antrea.io/v1beta1
metadata: {name: 'p'}   # in braces
spec:
  # the number
  priority:   5   # five
  tier: mine
  appliedTo: [{podSelector: {matchLabels: {app: web}}}]
  ingress:
  - {name: a, action: Drop, from: [{podSelector: {matchLabels: {x: a}}}]} # first
  - name:   b
    action: Reject
    enableLogging:   true # as ever
    from:
    - podSelector: {}
`, "action: Reject", "action: Drop"},
	{model.Key{Kind: model.KindANNP, Namespace: "blue", Name: "own"}, `apiVersion: crd.antrea.io/v1beta1
kind: NetworkPolicy
metadata:
    namespace: blue
    name:   own
spec:
    priority: 6.5
    appliedTo:
    - podSelector: {}
    egress:
    - action: Drop # out
      to: [ {ipBlock: {cidr: 192.0.2.0/24} } ]
`, "192.0.2.0", "198.51.100.0"},
	{model.Key{Kind: model.KindTier, Name: "spare"}, "apiVersion: crd.antrea.io/v1beta1\nkind:   Tier\nmetadata: {name: spare}\nspec: {priority: 61, description: 'one'} # spare\n", "'one'", "'two'"},
	{model.Key{Kind: model.KindClusterGroup, Name: "g"}, "apiVersion: crd.antrea.io/v1beta1\nkind: ClusterGroup # of pods\nmetadata: {name: g}\nspec: {podSelector: {matchLabels: {app:   web}}}\n", "app:   web", "app:   db"},
	{model.Key{Kind: model.KindGroup, Namespace: "blue", Name: "g"}, "apiVersion: crd.antrea.io/v1beta1\nkind: Group\nmetadata: {namespace: blue, name: g}\nspec:\n  podSelector: {matchLabels: {app: web}} # them\n", "app: web", "app: db"},
}

const tierMine = "apiVersion: crd.antrea.io/v1beta1\nkind: Tier # before\nmetadata: {name: mine}\nspec: {priority:   60}\n"
const configAfter = "# not Rung's\napiVersion: v1\nkind: ConfigMap\nmetadata: {name:   kept}\ndata: {a:  'b'}\n"

// tieredMutations are all changes of an object that is there.
func tieredMutations(k model.Key, text, edited string) map[string]change.Mutation {
	out := map[string]change.Mutation{
		"edit":   {Op: change.OpApply, YAML: []byte(edited), Base: []byte(text)},
		"delete": {Op: change.OpDelete, Policy: k},
	}
	if k.Kind.CanMove() {
		out["move"] = change.Mutation{Op: change.OpMove, Policy: k, Priority: 5.05}
		out["to a tier"] = change.Mutation{Op: change.OpMove, Policy: k, Tier: "mine2", TierOnly: true}
		out["to a tier and priority"] = change.Mutation{Op: change.OpMove, Policy: k, Tier: "baseline", Priority: 9}
		out["log"] = change.Mutation{Op: change.OpLogLevel, Policy: k, Levels: model.LogLevels{Deny: "on"}, LogLabel: "seen"}
		out["session"] = change.Mutation{Op: change.OpLogLevel, Policy: k, Levels: model.LogLevels{Deny: "on"}, Session: true, SessionTime: time.Minute}
	}
	return out
}

// Every change of every kind of crd.antrea.io in files: its object alone changes, undo gives the very
// bytes back and redo those after the change; what is refused leaves the file alone.
func TestTieredKindsInFiles(t *testing.T) {
	forms := map[string]func(docs []string) string{
		"documents": func(docs []string) string { return strings.Join(docs, "---\n") },
		"marked":    func(docs []string) string { return "---\n" + strings.Join(docs, "--- # mark\n") },
		"crlf":      func(docs []string) string { return strings.ReplaceAll(strings.Join(docs, "---\n"), "\n", "\r\n") },
		"no end":    func(docs []string) string { return strings.TrimSuffix(strings.Join(docs, "---\n"), "\n") },
	}
	for _, o := range tieredObjects {
		edited := strings.Replace(o.text, o.was, o.is, 1)
		for _, form := range slices.Sorted(maps.Keys(forms)) {
			mutations := tieredMutations(o.key, o.text, edited)
			for _, name := range slices.Sorted(maps.Keys(mutations)) {
				t.Run(strings.Join([]string{o.key.Label(), form, name}, " "), func(t *testing.T) {
					text := forms[form]([]string{tierMine, o.text, strings.ReplaceAll(strings.ReplaceAll(tierMine, "mine", "mine2"), "60", "62"), configAfter})
					f := newFilesWorld(t, map[string]string{"a.yaml": text})
					f.System = system.Antrea
					m := mutations[name]
					if m.Op == change.OpApply {
						m.Base = []byte(f.Current().Cluster.Changeable(o.key).YAML)
						m.YAML = []byte(strings.Replace(string(m.Base), o.was, o.is, 1))
					}
					if p := f.preview(m); p.ConfirmName != "" { // a guard rail wants the name
						if _, err := f.g.Commit(t.Context(), p, gate.Confirm{Yes: true, By: "test"}); err == nil || f.d.text("a.yaml") != text {
							t.Fatalf("made without the name: %v", err)
						}
					} else if m.Op == change.OpDelete {
						t.Fatal("a deletion wants no name")
					}
					f.do(m)
					is := f.d.text("a.yaml")
					const mark = "kind: Tier # before" // of the one before it, and of the one after it
					head := text[:strings.Index(text, mark)+len(mark)+len("\nmetadata: {name: mine}\nspec: {priority:   60}")]
					tail := text[strings.LastIndex(text, mark):]
					if is == text || !strings.HasPrefix(is, head) || !strings.HasSuffix(is, tail) {
						t.Fatalf("the rest changed:\n%s\nwas\n%s", is, text)
					}
					for range 2 {
						f.restart()
						f.do(change.Mutation{Op: change.OpUndo})
						if diff := cmp.Diff(text, f.d.text("a.yaml")); diff != "" {
							t.Fatalf("undone (-want +got)\n%s", diff)
						}
						f.do(change.Mutation{Op: change.OpRedo})
						if diff := cmp.Diff(is, f.d.text("a.yaml")); diff != "" {
							t.Fatalf("redone (-want +got)\n%s", diff)
						}
					}
					if name == "session" { // its end is as its undo, but for the style of what Rung wrote
						f.do(change.Mutation{Op: change.OpLogEnd, Policy: o.key})
						if diff := cmp.Diff(text, f.d.text("a.yaml")); diff != "" {
							t.Errorf("ended (-want +got)\n%s", diff)
						}
					}
				})
			}
		}
		t.Run(o.key.Label()+" new", func(t *testing.T) {
			text := tierMine + "---\n" + configAfter
			f := newFilesWorld(t, map[string]string{"a.yaml": text})
			f.System = system.Antrea
			f.do(change.Mutation{Op: change.OpApply, YAML: []byte(o.text)})
			if got := f.Current().Cluster.Changeable(o.key); got == nil || f.d.text("a.yaml") != text {
				t.Fatalf("%v, the other file:\n%s", got, f.d.text("a.yaml"))
			}
			files := f.d.names()
			f.do(change.Mutation{Op: change.OpUndo})
			if got := f.Current().Cluster.Changeable(o.key); got != nil {
				t.Errorf("%v", got)
			}
			f.do(change.Mutation{Op: change.OpRedo})
			if diff := cmp.Diff(files, f.d.names()); diff != "" || f.Current().Cluster.Changeable(o.key) == nil {
				t.Errorf("%s", diff)
			}
		})
	}
	text := tierMine + "---\n" + tieredObjects[0].text
	for says, m := range map[string]change.Mutation{
		"used by ACNP p: it cannot be deleted": {Op: change.OpDelete, Policy: model.Key{Kind: model.KindTier, Name: "mine"}},
		"its tier gone does not exist":         {Op: change.OpMove, Policy: tieredObjects[0].key, Tier: "gone", TierOnly: true},
		"want 1.0 to 10000.0":                  {Op: change.OpMove, Policy: tieredObjects[0].key, Priority: 0.5},
		"want on or off":                       {Op: change.OpLogLevel, Policy: tieredObjects[0].key, Levels: model.LogLevels{Deny: "alert"}},
	} {
		f := newFilesWorld(t, map[string]string{"a.yaml": text})
		f.System = system.Antrea
		p := f.preview(m)
		if !strings.Contains(p.Blocked, says) || f.d.text("a.yaml") != text {
			t.Errorf("%q, want %q; the file is\n%s", p.Blocked, says, f.d.text("a.yaml"))
		}
	}
}

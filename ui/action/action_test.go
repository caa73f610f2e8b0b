package action

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/model"
	"rung/revision"
	"rung/ui/nav"
)

func TestTable(t *testing.T) {
	ids := map[ID]bool{}
	form := regexp.MustCompile(`^[a-z]+\.[a-z][a-z-]*$`)
	for _, a := range ScopedActions() {
		if ids[a.ID] || !form.MatchString(string(a.ID)) {
			t.Errorf("%s: the id is double or not of the form view.what", a.ID)
		}
		ids[a.ID] = true
		if a.Title == "" || a.Help == "" || len(a.Keys) == 0 && a.Hidden || strings.HasSuffix(a.Help, ".") {
			t.Errorf("%s: needs a title, a key or a place in the palette, and help without a full stop", a.ID)
		}
		if a.Op != "" && a.Danger == change.Harmless {
			t.Errorf("%s: changes something without confirmation", a.ID)
		}
		for _, k := range a.Keys {
			if n, ok := NormalKey(k); !ok || n != k {
				t.Errorf("%s: %q is not how the key is spelt (%q)", a.ID, k, n)
			}
			// A line has them as a shell has, and others besides.
			if (k == "ctrl+a" || k == "ctrl+b") && (a.Scope != Input || len(a.Keys) == 1) {
				t.Errorf("%s: %q belongs to terminal multiplexers", a.ID, k)
			}
			if (k == "d" || k == "x") && a.Danger == change.Typed {
				t.Errorf("%s: %q is too near to moving about", a.ID, k)
			}
		}
	}
}

func TestNoDefaultConflicts(t *testing.T) {
	m, report := NewKeymap(nil)
	for _, r := range report {
		t.Error(r)
	}
	// A view may hide a key that holds everywhere only where it is said.
	meant := map[ID]bool{PreviewNo: true, CarryCancel: true}
	for _, a := range m.AllActions() {
		for _, k := range a.Keys {
			o := m.byKey[Global][k]
			if o == nil || a.Scope == Global || a.Scope == Input || meant[a.ID] {
				continue
			}
			if a.Meaning() != o.Meaning() && doubles[k] == "" {
				t.Errorf("%s hides %s: %q", a.ID, o.ID, k)
			}
		}
	}
}

// TestLetters holds that no letter has two meanings over all pages, but for the few
// with a reason.
func TestLetters(t *testing.T) {
	for _, l := range letters() {
		why := doubles[l.key]
		if len(l.means) > 1 && why == "" {
			t.Errorf("%q has several meanings: %+v", l.key, l.means)
		}
		if len(l.means) == 1 && why != "" || len(l.means) > 2 {
			t.Errorf("%q is said to have two meanings: %+v", l.key, l.means)
		}
	}
	for k := range doubles {
		if !slices.ContainsFunc(letters(), func(l letter) bool { return l.key == k }) {
			t.Errorf("%q is no letter of the table", k)
		}
	}
	// What is meant by a word has one letter where it can: those who look for a thing
	// find it under the same key on the next page.
	keys := map[string]string{}
	for _, a := range ScopedActions() {
		if a.Scope == Input || len(a.Keys) == 0 || !isLetter(a.Keys[0]) || a.Scope == Global {
			continue
		}
		if have := keys[a.Meaning()]; have != "" && have != a.Keys[0] {
			t.Errorf("%s: %q is under %q here and under %q elsewhere", a.ID, a.Meaning(), a.Keys[0], have)
		}
		keys[a.Meaning()] = a.Keys[0]
	}
}

func TestOverrides(t *testing.T) {
	m, report := NewKeymap(map[string][]string{
		"ladder.new":  {"J", "Ctrl+Return", "bogus key"},
		"ladder.move": {"e"},
		"app.quit":    {"ctrl+q"},
		"list.down":   {":"},
		"no.such":     {"x"},
		"logs.seek":   {"x"},
		"go.rows":     {"ctrl+c"},
		"input.left":  {"h", "space", "ctrl+g", "ctrl+l"},
	})
	want := []string{
		`keys.go.rows: ctrl+c always quits; it cannot do anything else`,
		`keys.input.left: "h" is typed into the line (allowed: keys that type nothing)`,
		`keys.input.left: "space" is typed into the line (allowed: keys that type nothing)`,
		`keys.ladder.move: "e" is wanted by ladder.move and ladder.edit; ladder.move keeps it`,
		`keys.ladder.new: "bogus key" is not a key (allowed: ` + keyHelp + `)`,
		`keys.list.down: ":" hides app.palette on this page (lists)`,
		`keys.logs.seek: removed: ` + NoSeek,
		`keys.no.such: no such action (allowed: those in docs/keys.md)`,
	}
	var said []string
	for _, r := range report {
		said = append(said, r.String())
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	scopes := []Scope{PageScope(nav.Ladder), List, Global}
	for key, want := range map[string]ID{"J": LadderNew, "ctrl+enter": LadderNew, "e": LadderMove, "ctrl+q": Quit,
		"ctrl+c": Quit, ":": Down, "?": Help, "j": "", "n": ""} {
		var got ID
		if a := m.LookupKey(scopes, key); a != nil {
			got = a.ID
		}
		if got != want {
			t.Errorf("%q is %q, want %q", key, got, want)
		}
	}
}

func TestInHidesShadowedKeys(t *testing.T) {
	m, _ := NewKeymap(nil)
	for _, a := range m.ActionsIn([]Scope{PageScope(nav.Preview), Global}) {
		if a.ID == Back && len(a.Keys) > 0 {
			t.Errorf("back still shows %v although the preview took them", a.Keys)
		}
	}
}

func TestWhyNot(t *testing.T) {
	m, _ := NewKeymap(nil)
	anp := nav.ToPolicy(model.Key{Kind: model.KindANP, Name: "a"})
	banp := nav.ToPolicy(model.Key{Kind: model.KindBANP, Name: "default"})
	np := nav.ToPolicy(model.Key{Kind: model.KindNP, Namespace: "blue", Name: "web"})
	ef := nav.ToPolicy(model.Key{Kind: model.KindEF, Namespace: "blue", Name: "default"})
	open := revision.Mode{Writes: true}
	tests := []struct {
		id   ID
		c    Context
		want string
	}{
		{LadderMove, Context{Selected: anp}, "read-only"},
		{LadderMove, Context{Selected: anp, Mode: revision.Mode{WhyNot: "started with --readonly"}}, "started with --readonly"},
		{LadderMove, Context{Selected: anp, Mode: open}, ""},
		{PolicyMove, Context{Page: anp, Mode: open}, ""},
		{PolicyMove, Context{Page: banp, Mode: open}, "BANP default has no priority"},
		{PolicyMove, Context{Page: np, Mode: open}, "a NetworkPolicy has no priority to move"},
		{PolicyMove, Context{Page: ef, Mode: open}, "an EgressFirewall has no priority to move"},
		{PlanMove, Context{Selected: nav.ToNew(3), Mode: open}, "no AdminNetworkPolicy here"},
		{LadderGaps, Context{}, ""},
		{Undo, Context{Mode: open}, "nothing to undo"},
		{Undo, Context{Mode: open, Undo: "move"}, ""},
	}
	for _, tt := range tests {
		if got := m.ActionByID(tt.id).WhyNot(tt.c); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.id, got, tt.want)
		}
	}
}

var update = flag.Bool("update", false, "write docs/keys.md")

// TestDocs fails when docs/keys.md is stale; go generate ./ui/action mends it.
func TestDocs(t *testing.T) {
	if *update {
		if err := os.WriteFile("../../docs/keys.md", []byte(markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile("../../docs/keys.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(have), markdown()); diff != "" {
		t.Errorf("docs/keys.md is stale, run go generate ./ui/action (-have +want):\n%s", diff)
	}
}

func TestNoPermission(t *testing.T) {
	const policies = "adminnetworkpolicies.policy.networking.k8s.io"
	refused := func(verb string) revision.Permission { return revision.Permission{Verb: verb, Resource: policies} }
	blue := model.PolicyKey{Kind: model.KindANP, Name: "blue"}
	c := Context{Mode: revision.Mode{Writes: true}, Selected: nav.ToPolicy(blue),
		Access: revision.NewAccess([]revision.Permission{refused("create"), refused("delete"), {Verb: "patch", Resource: policies, Allowed: true}})}
	for _, tt := range []struct {
		id   ID
		want string
	}{{LadderNew, "no permission: cannot create "}, {LadderDelete, "no permission: cannot delete "}, {LadderMove, ""}, {LadderEdit, ""}} {
		for _, a := range ScopedActions() {
			if why := a.WhyNot(c); a.ID == tt.id && (why == "") != (tt.want == "") || a.ID == tt.id && !strings.HasPrefix(why, tt.want) {
				t.Errorf("%s: %q", a.ID, why)
			}
		}
	}
}

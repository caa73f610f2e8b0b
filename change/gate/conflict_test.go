package gate

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/change/rewrite"
	"rung/sources/manifests"
	"rung/test/changing"
	"rung/test/given"
)

func TestMerge(t *testing.T) {
	lines := func(s string) string { return strings.ReplaceAll(s, " ", "\n") }
	for _, c := range []struct{ name, base, a, b, want string }{
		{"nothing", "1 2 3", "1 2 3", "1 2 3", "1 2 3"},
		{"one side", "1 2 3", "1 x 3", "1 2 3", "1 x 3"},
		{"other side", "1 2 3", "1 2 3", "1 x 3", "1 x 3"},
		{"far apart", "1 2 3 4 5", "x 2 3 4 5", "1 2 3 4 y", "x 2 3 4 y"},
		{"neighbours", "1 2 3", "x 2 3", "1 y 3", "x y 3"},
		{"one line", "1 2 3", "1 x 3", "1 y 3", ""},
		{"the same change", "1 2 3 4", "1 x 3 4", "1 x 3 y", "1 x 3 y"},
		{"added at one place", "1 2", "1 x 2", "1 y 2", ""},
		{"the same added", "1 2", "1 x 2", "1 x 2", "1 x 2"},
		{"added beside a change", "1 2", "1 x 2", "1 y", ""},
		{"removed and changed", "1 2 3", "1 3", "1 x 3", ""},
		{"removed apart", "1 2 3 4 5", "2 3 4 5", "1 2 3 4", "2 3 4"},
		{"from nothing", "", "1", "", "1"},
		{"everything at once", "1 2 3", "", "1 2 3", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := manifests.MergeTexts(rewrite.EndWithNewline(lines(c.base)), rewrite.EndWithNewline(lines(c.a)), rewrite.EndWithNewline(lines(c.b)))
			if c.name == "everything at once" {
				if !ok || got != "" {
					t.Errorf("%v %q", ok, got)
				}
				return
			}
			if ok != (c.want != "") || ok && got != lines(c.want)+"\n" {
				t.Errorf("%v %q, want %q", ok, got, lines(c.want))
			}
		})
	}
}

// Somebody else changes the object between the change and its undo, or while it
// is edited.
func TestUndoOfAChangedObject(t *testing.T) {
	before := given.ANP("blue", 40, "tenant=blue", "in allow tenant=blue", "in deny tenant=red")
	for _, c := range []struct {
		name, now string
		m         change.Mutation // made by Rung
		blocked   string
		merged    string
	}{
		{"untouched", "", changing.Move("blue", 45), "", ""},
		{"read again", before, changing.Move("blue", 45), "", ""},
		{"another line", strings.Replace(strings.Replace(before, "priority: 40", "priority: 45", 1), "tenant: red", "tenant: green", 1), changing.Move("blue", 45),
			"ANP blue was changed meanwhile: spec.ingress[1].from[0].namespaces.matchLabels.tenant from red to green", strings.Replace(before, "tenant: red", "tenant: green", 1)},
		{"the same line", strings.Replace(before, "priority: 40", "priority: 50", 1), changing.Move("blue", 45), "ANP blue was changed meanwhile: spec.priority from 45 to 50", ""},
		{"undone by hand", before, changing.Move("blue", 45), "", ""},
		{"removed", "-", changing.Move("blue", 45), "ANP blue was removed meanwhile", ""},
		{"removed by Rung, made again", strings.Replace(before, "priority: 40", "priority: 41", 1), changing.Remove("blue"), "ANP blue was changed meanwhile", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, before)
			g := w.Gate("")
			do(t, w, g, c.m, typed("blue"))
			switch c.now {
			case "":
			case "-":
				w.Edit(given.ANP("x", 1, "tenant=red"), given.ANPKey("blue"))
			case before:
				if c.name == "read again" {
					w.Edit(strings.Replace(before, "priority: 40", "priority: 45 # as Rung left it", 1))
				} else {
					w.Edit(before)
				}
			default:
				w.Edit(c.now)
			}
			p, err := g.Preview(context.Background(), w.Current(), change.Mutation{Op: change.OpUndo})
			if err != nil {
				t.Fatal(err)
			}
			want := c.blocked
			if c.name == "undone by hand" {
				want = "nothing to undo: ANP blue is already as before the change"
			}
			if p.Blocked != want {
				t.Fatalf("blocked %q, want %q", p.Blocked, want)
			}
			if (p.Conflict != nil) != (c.blocked != "") {
				t.Fatalf("conflict %+v", p.Conflict)
			}
			if p.Conflict == nil {
				return
			}
			if p.Conflict.Key != given.ANPKey("blue") || p.Conflict.Diff == "" {
				t.Errorf("%+v", p.Conflict)
			}
			if diff := cmp.Diff(c.merged, p.Conflict.Merged); diff != "" {
				t.Errorf("merged (-want +got)\n%s", diff)
			}
			if c.merged == "" {
				return
			}
			// What was merged goes through the gate as any text does.
			do(t, w, g, change.Mutation{Op: change.OpApply, YAML: []byte(p.Conflict.Merged), Base: []byte(p.Conflict.Now)}, typed("blue"))
			if w.Priority("blue") != 40 {
				t.Errorf("at %d after the merge", w.Priority("blue"))
			}
		})
	}
}

func TestApplyOverAChange(t *testing.T) {
	base := given.ANP("blue", 40, "tenant=blue", "in allow tenant=blue", "in deny tenant=red")
	at := func(p string) string { return strings.Replace(base, "priority: 40", "priority: "+p, 1) }
	red := func(s string) string { return strings.Replace(s, "tenant: red", "tenant: green", 1) }
	for _, c := range []struct{ name, now, wanted, blocked, merged string }{
		{"nobody else", base, at("41"), "", ""},
		{"another line", at("50"), red(base), "ANP blue was changed meanwhile: spec.priority from 40 to 50", red(at("50"))},
		{"the same line", at("50"), at("51"), "ANP blue was changed meanwhile: spec.priority from 40 to 50", ""},
		{"the same change", at("50"), at("50"), "nothing to apply", ""},
		{"gone", "", at("41"), "ANP blue was removed meanwhile", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			if c.now != "" {
				w.Edit(c.now)
			}
			p := w.Gate("").resolveMutation(w.Current(), change.Mutation{Op: change.OpApply, YAML: []byte(c.wanted), Base: []byte(base)})
			merged := ""
			if p.Conflict != nil {
				merged = p.Conflict.Merged
			}
			if p.Blocked != c.blocked || merged != c.merged {
				t.Errorf("blocked %q, merged\n%s", p.Blocked, merged)
			}
		})
	}
	w := newWorld(t, base)
	renamed := strings.Replace(base, "name: blue", "name: navy", 1)
	p := w.Gate("").resolveMutation(w.Current(), change.Mutation{Op: change.OpApply, YAML: []byte(renamed), Base: []byte(base)})
	if p.Blocked != "" || p.Title != "Create ANP navy" || p.Notes[0] != "ANP blue is kept: the text now describes another policy" {
		t.Errorf("%q %q %v", p.Title, p.Blocked, p.Notes)
	}
}

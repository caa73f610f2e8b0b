package gate

import (
	"context"
	"strings"
	"testing"

	"rung/change"
	"rung/test/changing"
	"rung/test/given"
)

// What a webhook makes of a change is said in the preview and once the change is made, by field. Fields
// of others that an apply leaves alone are not.
func TestServerChanges(t *testing.T) {
	next := strings.Replace(blueText, "priority: 40", "priority: 41", 1)
	apply := func(text string, serverSide bool) change.Mutation {
		m := changing.Apply(text)
		m.ServerSide = serverSide
		return m
	}
	label := func(obj map[string]any) {
		obj["metadata"].(map[string]any)["labels"] = map[string]any{"team": "net"}
	}
	action := func(obj map[string]any) {
		label(obj)
		obj["spec"].(map[string]any)["ingress"].([]any)[0].(map[string]any)["action"] = "Deny"
	}
	for _, c := range []struct {
		name    string
		m       change.Mutation
		webhook func(obj map[string]any)
		want    string
	}{
		{"apply", apply(next, true), action, "the server (a webhook?) changed metadata.labels.team and spec.ingress[0].action of ANP blue"},
		{"update", apply(next, false), action, "the server (a webhook?) changed metadata.labels.team and spec.ingress[0].action of ANP blue"},
		{"patch", changing.Move("blue", 41), label, "the server (a webhook?) changed metadata.labels.team of ANP blue"},
		{"create", apply(given.ANP("navy", 60, "tenant=green", "in allow tenant=red"), true), action,
			"the server (a webhook?) changed metadata.labels.team and spec.ingress[0].action of ANP navy"},
		{"no webhook", apply(next, true), nil, ""},
		{"another's label, which an apply leaves alone",
			apply(strings.Replace(next, "  name: blue\n", "  name: blue\n  annotations: {note: new}\n", 1), true), func(obj map[string]any) {
				obj["metadata"].(map[string]any)["labels"] = map[string]any{"owner": "them"}
			}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			was := blueText
			if strings.HasPrefix(c.name, "another's") {
				was = strings.Replace(was, "  name: blue\n", "  name: blue\n  labels: {owner: them}\n", 1)
			}
			w := newKubeWorld(t, was)
			w.s.Mutates(c.webhook)
			p := w.preview(c.m)
			if p.Blocked != "" {
				t.Fatal(p.Blocked)
			}
			if said := strings.Contains(strings.Join(p.Notes, "\n"), "the server changes metadata.labels.team"); said != (c.want != "") {
				t.Errorf("the preview says: %q", p.Notes)
			}
			res, err := w.g.Commit(context.Background(), p, typed(p.ConfirmName))
			if err != nil {
				t.Fatal(err)
			}
			if res.ServerChanged != c.want {
				t.Errorf("%q, want %q", res.ServerChanged, c.want)
			}
		})
	}
}

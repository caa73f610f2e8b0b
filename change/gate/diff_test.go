package gate

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/change/effect"
	"rung/change/history"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/manifests"
	"rung/test/changing"
	"rung/test/given"
)

func TestFieldChanges(t *testing.T) {
	parse := func(s string) *model.Policy {
		p, broken := manifests.ParsePolicy([]byte(s))
		if p == nil {
			t.Fatal(broken)
		}
		return p
	}
	rules := []string{"in allow tenant=a", "in allow tenant=b", "in allow tenant=c"}
	base := given.ANP("x", 5, "tenant=blue", rules...)
	for _, c := range []struct {
		name, now string
		want      []change.FieldChange
	}{
		{"nothing", base, nil},
		{"another order of the text", given.ANP("x", 5, "tenant=blue", rules...) + "# a comment\n", nil},
		{"a default written out", given.ANP("x", 5, "tenant=blue", "in allow tenant=a tcp:80"), []change.FieldChange{
			{Path: "spec.ingress[0].ports", Old: "", New: `[{"portNumber":{"port":80,"protocol":"TCP"}}]`},
			{Path: "spec.ingress[1]", Old: `{"action":"Allow","from":[{"namespaces":{"matchLabels":{"tenant":"b"}}}]}`, New: ""},
			{Path: "spec.ingress[2]", Old: `{"action":"Allow","from":[{"namespaces":{"matchLabels":{"tenant":"c"}}}]}`, New: ""}}},
		{"a rule in front", given.ANP("x", 5, "tenant=blue", "in deny tenant=z", rules[0], rules[1], rules[2]), []change.FieldChange{
			{Path: "spec.ingress[0]", Old: "", New: `{"action":"Deny","from":[{"namespaces":{"matchLabels":{"tenant":"z"}}}]}`}}},
		{"a rule out of the middle", given.ANP("x", 5, "tenant=blue", rules[0], rules[2]), []change.FieldChange{
			{Path: "spec.ingress[1]", Old: `{"action":"Allow","from":[{"namespaces":{"matchLabels":{"tenant":"b"}}}]}`, New: ""}}},
		{"a rule changed", given.ANP("x", 5, "tenant=blue", rules[0], "in deny tenant=b", rules[2]), []change.FieldChange{
			{Path: "spec.ingress[1].action", Old: "Allow", New: "Deny"}}},
		{"priority and direction", given.ANP("x", 6, "tenant=blue", append([]string{"out deny 10.0.0.0/8"}, rules...)...), []change.FieldChange{
			{Path: "spec.egress", Old: "", New: `[{"action":"Deny","to":[{"networks":["10.0.0.0/8"]}]}]`}, {Path: "spec.priority", Old: "5", New: "6"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, now := parse(base), parse(c.now)
			if diff := cmp.Diff(c.want, effect.FieldChanges(old, now)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if same := model.SameContent(old, now); same != (c.want == nil) {
				t.Errorf("same content: %v", same)
			}
		})
	}
	if model.SameContent(nil, parse(base)) || !model.SameContent(nil, nil) {
		t.Error("an object that is not there")
	}
}

// A policy that carries no digests is compared as one that does, and another
// priority is the only change that a plan does not see.
func TestDigests(t *testing.T) {
	policies := func(bare bool) (out []*model.Policy) {
		for _, text := range []string{given.ANP("x", 5, "", "in allow tenant=a"), given.ANP("x", 6, "", "in allow tenant=a"), given.ANP("x", 5, "", "in deny tenant=a"),
			given.ANP("z", 5, "", "in allow tenant=a"), given.BANP("", "in allow *")} {
			p, broken := manifests.ParsePolicy([]byte(text))
			if p == nil {
				t.Fatal(broken)
			}
			if bare {
				p.Digested = model.PolicyDigests{}
			}
			out = append(out, p)
		}
		return out
	}
	for i, a := range policies(false) {
		for j, b := range policies(true) {
			if same := model.SameContent(a, b); same != (i == j) {
				t.Errorf("%d and %d: %v", i, j, same)
			}
			if same, want := a.Digests().Unplaced == b.Digests().Unplaced, i == j || i < 2 && j < 2; same != want {
				t.Errorf("%d and %d but for the priority: %v", i, j, same)
			}
		}
	}
}

// What the API server and kubectl add is no difference.
func TestContentIsTheAuthors(t *testing.T) {
	const plain = "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata:\n  name: x\n"
	const spec = "spec:\n  priority: 5\n  subject: {namespaces: {}}\n  egress: [{action: Allow, to: [{networks: [10.0.0.0/8]}], ports: [{portNumber: {port: 80}}]}]\n"
	const served = plain + "  uid: 1-2-3\n  resourceVersion: '7'\n  generation: 2\n  creationTimestamp: 2026-03-01T12:00:00Z\n" +
		"  annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}\n" +
		"spec:\n  priority: 5\n  subject: {namespaces: {}}\n  egress: [{action: Allow, to: [{networks: [10.0.0.0/8]}], ports: [{portNumber: {port: 80, protocol: TCP}}]}]\n" +
		"status: {conditions: []}\n"
	a, broken := manifests.ParsePolicy([]byte(plain + spec))
	b, broken2 := manifests.ParsePolicy([]byte(served))
	if a == nil || b == nil {
		t.Fatal(broken, broken2)
	}
	if !model.SameContent(a, b) {
		t.Errorf("%s\n%s", model.CompactJSON(a.AuthoredContent()), model.CompactJSON(b.AuthoredContent()))
	}
}

func TestRowChanges(t *testing.T) {
	acl := func(id string, priority int) *nb.ACL {
		return &nb.ACL{ExternalIDs: map[string]string{nb.KeyID: id}, Priority: priority, Action: nb.ActionDrop, Tier: 1}
	}
	set := func(members ...string) *nb.AddressSet {
		return &nb.AddressSet{Name: "s", ExternalIDs: map[string]string{nb.KeyID: "set"}, Addresses: members}
	}
	k := given.ANPKey("x")
	got := effect.RowChanges(k,
		&model.PolicyRows{ACLs: []*nb.ACL{acl("stays", 1), acl("changes", 1), acl("goes", 1)}, AddressSets: []*nb.AddressSet{set("1", "2", "4")}},
		&model.PolicyRows{ACLs: []*nb.ACL{acl("stays", 1), acl("changes", 2), acl("comes", 1)}, AddressSets: []*nb.AddressSet{set("2", "3")}})
	all := func(live bool) (out []model.FieldDiff) {
		for _, f := range [][2]string{{"action", "drop"}, {"external_ids", ""}, {"log", "false"}, {"priority", "1"}, {"tier", "1"}} {
			d := model.FieldDiff{Column: f[0], Desired: f[1]}
			if live {
				d.Desired, d.Live = "", f[1]
			}
			out = append(out, d)
		}
		return out
	}
	comes, goes := all(false), all(true)
	comes[1].Desired, goes[1].Live = nb.KeyID+"=comes", nb.KeyID+"=goes"
	want := []change.RowChange{
		{Policy: k, RowDiff: model.RowDiff{Kind: model.DiffDifferent, Table: nb.TableACL, ID: "changes", Fields: []model.FieldDiff{{Column: "priority", Desired: "2", Live: "1"}}}},
		{Policy: k, RowDiff: model.RowDiff{Kind: model.DiffMissing, Table: nb.TableACL, ID: "comes", Fields: comes}},
		{Policy: k, RowDiff: model.RowDiff{Kind: model.DiffExtra, Table: nb.TableACL, ID: "goes", Fields: goes}},
		{Policy: k, RowDiff: model.RowDiff{Kind: model.DiffDifferent, Table: nb.TableAddressSet, ID: "set", Fields: []model.FieldDiff{
			{Column: "addresses", Desired: "2", Live: "3", Missing: []string{"3"}, Extra: []string{"1", "4"}}}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := effect.RowChanges(k, nil, &model.PolicyRows{None: &model.NoRows{}}); got != nil {
		t.Errorf("%v", got)
	}
}

// Several may write the audit at once: every line is whole.
func TestAuditByMany(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			a := history.NewAudit(nil, dir)
			for range 25 {
				if err := a.Write(history.AuditRecord{User: "ada", Title: "a line", Commands: []string{"kubectl 'x\n'"}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(changing.ReadAudit(t, dir)); n != 100 {
		t.Errorf("%d lines", n)
	}
	if err := history.NewAudit(nil, "").Write(history.AuditRecord{}); err != nil {
		t.Errorf("an audit that keeps nothing: %v", err)
	}
}

package gate

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/model"
	"rung/test/changing"
	"rung/test/given"
)

// TestPreviewNetpol: with a NetworkPolicy come and go the rows that stand for
// several, each told once, and what that means for the pods.
func TestPreviewNetpol(t *testing.T) {
	web := given.NP("blue", "web", "{podSelector: {matchLabels: {app: web}}, ingress: [{from: [{podSelector: {matchLabels: {app: db}}}], ports: [{port: 80}]}]}")
	deny := given.NP("blue", "deny", "{podSelector: {}, policyTypes: [Ingress, Egress]}")
	defaultDeny := []string{
		"missing ACL blue:Egress:arpAllow", "missing ACL blue:Egress:defaultDeny", "missing Port_Group blue:Egress",
		"missing ACL blue:Ingress:arpAllow", "missing ACL blue:Ingress:defaultDeny", "missing Port_Group blue:Ingress",
	}
	set := "missing Address_Set blue_LS{ML:{app: db,},}:v4"
	hairpin := []string{"missing ACL allow-hairpinning:Egress", "missing ACL allow-hairpinning:Ingress"}
	own := []string{"missing ACL blue:web:Ingress:0:tcp:-1", "missing Port_Group blue:web"}
	goes := func(rows ...string) (out []string) {
		for _, r := range rows {
			out = append(out, strings.Replace(r, "missing", "extra", 1))
		}
		return out
	}
	isolates := func(n, dir string) string {
		drops := map[string]string{
			"ingress": "new connections that no policy allows are denied; established ones keep working, with loss (seen on OVN 25.03)",
			"egress":  "connections that no policy allows are denied, established ones too (seen on OVN 25.03)",
		}
		return "isolates " + n + " of blue (" + dir + ") that no NetworkPolicy isolated before: " + drops[dir]
	}
	for _, c := range []struct {
		name        string
		world       []string
		m           change.Mutation
		rows, notes []string
	}{
		{"the first", nil, changing.Apply(web), slices.Concat(own, defaultDeny, []string{set}, hairpin), []string{"applies to 1 pod", isolates("1 pod", "ingress")}},
		{"two at once", nil, changing.Apply(web, deny), slices.Concat([]string{"missing Port_Group blue:deny"}, defaultDeny, hairpin, own, []string{set}),
			[]string{"applies to 2 pods", isolates("2 pods", "ingress"), isolates("2 pods", "egress"), "applies to 1 pod"}},
		{"another", []string{web}, changing.Apply(deny), []string{"missing Port_Group blue:deny",
			"different Port_Group blue:Egress ports 0→2 +blue_db-1,blue_web-0 -", "different Port_Group blue:Ingress ports 1→2 +blue_db-1 -"},
			[]string{"applies to 2 pods", isolates("1 pod", "ingress"), isolates("2 pods", "egress")}},
		{"another direction", []string{web}, changing.Apply(strings.Replace(web, "spec: {", "spec: {policyTypes: [Ingress, Egress], ", 1)),
			[]string{"different Port_Group blue:Egress ports 0→1 +blue_web-0 -"}, []string{"applies to 1 pod", isolates("1 pod", "egress")}},
		{"one of two goes", []string{web, deny}, change.Mutation{Op: change.OpDelete, Policy: given.NPKey("blue", "web")}, goes(append(own, set)...), []string{"no longer applies to 1 pod"}},
		{"the last goes", []string{web}, change.Mutation{Op: change.OpDelete, Policy: given.NPKey("blue", "web")}, goes(slices.Concat(own, defaultDeny, []string{set}, hairpin)...),
			[]string{"no longer applies to 1 pod", "1 pod of blue no longer isolated: ingress is now allowed unless a rule denies it"}},
		{"a firewall", nil, changing.Apply(given.EF("blue", "{type: Deny, to: {cidrSelector: 0.0.0.0/0}}")), []string{"missing ACL blue:0"},
			[]string{"applies to 2 pods", "a new egress Deny also cuts established connections (seen on OVN 25.03)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, c.world...)
			p, err := w.Gate("").Preview(context.Background(), w.Current(), c.m)
			if err != nil || p.Blocked != "" {
				t.Fatalf("%v %s", err, p.Blocked)
			}
			if diff := cmp.Diff([][]string{c.rows, c.notes}, [][]string{rowText(p.Rows), p.Notes}); diff != "" {
				t.Errorf("rows and notes (-want +got)\n%s", diff)
			}
		})
	}
}

// TestTier2HasNoLevelsOfItsOwn: what the namespace says, and priorities, are not to
// be set on a NetworkPolicy.
func TestTier2HasNoLevelsOfItsOwn(t *testing.T) {
	w := newWorld(t, given.NP("blue", "web", "{podSelector: {}}"))
	rev := w.Current()
	p := w.Gate("").resolveMutation(rev, change.Mutation{Op: change.OpLogLevel, Policy: given.NPKey("blue", "web"), Levels: model.LogLevels{Deny: "info"}})
	if p.Blocked != "the annotation of namespace blue sets the logging of NP blue/web: change it there" {
		t.Error(p.Blocked)
	}
	p = w.Gate("").resolveMutation(rev, change.Mutation{Op: change.OpMove, Policy: given.NPKey("blue", "web"), Priority: 3})
	if p.Blocked != "NP blue/web has no priority: it cannot be moved" || p.Title != "Move NP blue/web to 3" {
		t.Errorf("%q %q", p.Title, p.Blocked)
	}
}

// What a cluster's OVN-Kubernetes was found to run with holds for a preview as well:
// rows that a change does not touch do not seem to come or go.
func TestPreviewCompilesAsZonesAreCompared(t *testing.T) {
	w := newWorld(t, given.NP("blue", "web", "{podSelector: {}}"))
	w.Options.AllowICMP = true
	w.Publish()
	p, err := w.Gate("").Preview(t.Context(), w.Current(), changing.Apply(given.NP("blue", "db", "{podSelector: {matchLabels: {app: db}}}")))
	if err != nil || p.Blocked != "" {
		t.Fatal(err, p.Blocked)
	}
	for _, r := range p.Rows {
		if r.Kind == model.DiffExtra {
			t.Errorf("a row goes: %s %s", r.Table, r.ID)
		}
	}
}

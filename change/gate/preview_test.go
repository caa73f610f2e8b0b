package gate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/change/effect"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/changing"
	"rung/test/given"
)

func rowText(rows []change.RowChange) (out []string) {
	for _, r := range rows {
		_, id, _ := strings.Cut(r.ID, ":")
		_, id, _ = strings.Cut(id, ":")
		s := fmt.Sprintf("%s %s %s", r.Kind, r.Table, id)
		if r.Kind == model.DiffDifferent {
			for _, f := range r.Fields {
				if len(f.Missing)+len(f.Extra) > 0 {
					s += fmt.Sprintf(" %s %s→%s +%s -%s", f.Column, f.Live, f.Desired, strings.Join(f.Missing, ","), strings.Join(f.Extra, ","))
				} else {
					s += fmt.Sprintf(" %s %s→%s", f.Column, f.Live, f.Desired)
				}
			}
		}
		out = append(out, s)
	}
	return out
}

func TestPreviewMove(t *testing.T) {
	w := newWorld(t, given.ANP("break-glass", 30, "", "in allow *"), given.ANP("control", 34, "tenant=blue", "in allow team=ops", "in deny *"),
		given.ANP("blue", 40, "tenant=blue", "in allow tenant=blue"), given.ANP("green", 40, "tenant=green", "in allow tenant=green"))
	g := w.Gate("")
	for _, c := range []struct {
		m                change.Mutation
		title            string
		blocked          string
		fields           []change.FieldChange
		rows, notes, cmd []string
		diff             string
	}{
		{m: changing.Move("control", 36), title: "Move ANP control from 34 to 36",
			fields: []change.FieldChange{{Path: "spec.priority", Old: "34", New: "36"}},
			rows: []string{"different ACL control:Ingress:0:None priority 26600→26400",
				"different ACL control:Ingress:1:None priority 26599→26399"},
			notes: []string{"no other policy at 36", "34 becomes free", "order against break-glass (30) and blue (40) unchanged", "applies to 2 pods"},
			cmd:   []string{`kubectl patch anp control --type=json -p '[{"op":"test","path":"/spec/priority","value":34},{"op":"replace","path":"/spec/priority","value":36}]'`},
			diff:  "-  priority: 34\n+  priority: 36\n",
		},
		{m: changing.Move("control", 40), title: "Move ANP control from 34 to 40",
			fields: []change.FieldChange{{Path: "spec.priority", Old: "34", New: "40"}},
			rows: []string{"different ACL control:Ingress:0:None priority 26600→26000",
				"different ACL control:Ingress:1:None priority 26599→25999"},
			notes: []string{"40 is shared with blue and green: lower rule numbers decide first, and where rules with the same number disagree, which one wins is undefined",
				"34 becomes free", "applies to 2 pods"},
		},
		{m: changing.Move("green", 20), title: "Move ANP green from 40 to 20",
			fields: []change.FieldChange{{Path: "spec.priority", Old: "40", New: "20"}},
			rows:   []string{"different ACL green:Ingress:0:None priority 26000→28000"},
			notes: []string{"no other policy at 20", "blue remains at 40",
				"moves above break-glass (30), control (34) and blue (40): now decides before them", "no longer shares a priority with blue (40)", "applies to 2 pods"},
		},
		{m: changing.Move("break-glass", 99), title: "Move ANP break-glass from 30 to 99",
			fields: []change.FieldChange{{Path: "spec.priority", Old: "30", New: "99"}},
			rows:   []string{"different ACL break-glass:Ingress:0:None priority 27000→20100"},
			notes: []string{"no other policy at 99", "30 becomes free",
				"moves below control (34), blue (40) and green (40): now decides after them", "applies to 8 pods"},
		},
		{m: changing.Move("control", 120), title: "Move ANP control from 34 to 120",
			fields: []change.FieldChange{{Path: "spec.priority", Old: "34", New: "120"}},
			notes:  []string{"34 becomes free", "will not be enforced: above 99"},
		},
		{m: changing.Move("control", 34), title: "Move ANP control from 34 to 34", blocked: "nothing to apply", notes: []string{"ANP control needs no change"}},
		{m: changing.Move("control", 1001), title: "Move ANP control from 34 to 1001", blocked: "not valid: "},
		{m: changing.Move("control", -1), title: "Move ANP control from 34 to -1", blocked: "not valid: "},
		{m: changing.Move("nobody", 3), title: "Move ANP nobody to 3", blocked: "there is no ANP nobody"},
	} {
		t.Run(c.title, func(t *testing.T) {
			p, err := g.Preview(context.Background(), w.Current(), c.m)
			if err != nil {
				t.Fatal(err)
			}
			if p.Title != c.title || (p.Blocked == "") != (c.blocked == "") || !strings.HasPrefix(p.Blocked, c.blocked) {
				t.Fatalf("%q, blocked %q", p.Title, p.Blocked)
			}
			var fields []change.FieldChange
			for _, o := range p.Objects {
				fields = append(fields, o.Fields...)
				if !strings.Contains(o.Diff, c.diff) {
					t.Errorf("diff\n%s", o.Diff)
				}
			}
			if diff := cmp.Diff([][]string{c.rows, c.notes}, [][]string{rowText(p.Rows), p.Notes}); diff != "" && p.Blocked == "" {
				t.Errorf("rows and notes (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(c.fields, fields); diff != "" && p.Blocked == "" {
				t.Errorf("fields (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(c.cmd, p.Commands); diff != "" && c.cmd != nil {
				t.Errorf("commands (-want +got)\n%s", diff)
			}
		})
	}
}

func TestPreviewApply(t *testing.T) {
	control := given.ANP("control", 34, "tenant=blue", "in allow team=ops", "in deny *")
	for _, c := range []struct {
		name        string
		m           change.Mutation
		title       string
		blocked     string
		fields      []string
		rows, notes []string
		findings    []string // codes that must be among them
	}{
		{name: "create", m: changing.Apply(given.ANP("new", 50, "tenant=red", "out deny 10.0.0.0/8")), title: "Create ANP new",
			rows: []string{"missing ACL new:Egress:0:None", "missing Address_Set new:Egress:0:v4", "missing Port_Group new"},
			notes: []string{"no other policy at 50", "decides after control (34)", "applies to 2 pods",
				"a new egress Deny also cuts established connections (seen on OVN 25.03)"}},
		{name: "update", m: changing.Apply(given.ANP("control", 34, "tenant=green", "in deny team=ops", "in allow tenant=red", "in deny *")), title: "Update ANP control",
			fields: []string{"spec.ingress[0].action Allow→Deny", "spec.ingress[1] →" + `{"action":"Allow","from":[{"namespaces":{"matchLabels":{"tenant":"red"}}}]}`,
				"spec.subject.namespaces.matchLabels.tenant blue→green"},
			rows: []string{
				"different ACL control:Ingress:0:None action allow-related→drop",
				"different ACL control:Ingress:1:None action drop→allow-related",
				"missing ACL control:Ingress:2:None",
				"different Address_Set control:Ingress:1:v4 addresses 8→2 + -10.244.0.2,10.244.0.3,10.244.0.4,10.244.0.5,10.244.0.6,10.244.0.7",
				"missing Address_Set control:Ingress:2:v4",
				"different Port_Group control acls 2→3 +default-network-controller:AdminNetworkPolicy:control:Ingress:2:None - ports 2→2 +green_db-1,green_web-0 -blue_db-1,blue_web-0",
			},
			notes: []string{"applies to 2 pods", "newly selected: green/db-1 and green/web-0", "no longer selected: blue/db-1 and blue/web-0",
				"a new ingress Deny does not end established connections: they keep working, with loss (seen on OVN 25.03)"}},
		{name: "two documents", m: changing.Apply(control, given.ANP("a", 10, "tenant=red"), given.ANP("b", 11, "tenant=red")), title: "Create ANP a, ANP b",
			rows: []string{"missing Port_Group a", "missing Port_Group b"},
			notes: []string{"ANP control needs no change", "no other policy at 10", "decides before b (11)", "applies to 2 pods",
				"no other policy at 11", "decides after a (10) and before control (34)", "applies to 2 pods"}},
		{name: "nothing", m: changing.Apply(control), title: "No change", blocked: "nothing to apply"},
		{name: "empty", m: changing.Apply(""), title: "No change", blocked: "there is no policy in the text"},
		{name: "not YAML", m: changing.Apply("a: [b"), title: "No change", blocked: "not valid: "},
		{name: "not a policy", m: changing.Apply("apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n"), title: "No change",
			blocked: "not valid: Namespace/x: is not a policy: only policies can be applied"},
		{name: "a good and a bad one", m: changing.Apply(given.ANP("a", 10, "tenant=red"), given.ANP("b", 2000, "tenant=red")), title: "Create ANP a", blocked: "not valid: "},
		{name: "the old form of a peer", m: changing.Apply(strings.Replace(control, "[{namespaces: {matchLabels: {team: ops}}}]",
			"[{namespaces: {namespaceSelector: {}}}]", 1)), title: "Update ANP control", blocked: "not valid: "},
		{name: "a NetworkPolicy", m: changing.Apply("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: x, namespace: red}\nspec: {podSelector: {}}\n"),
			title: "Create NP red/x", rows: []string{"missing Port_Group red:x", "missing ACL red:Egress:arpAllow", "missing ACL red:Egress:defaultDeny",
				"missing Port_Group red:Egress", "missing ACL red:Ingress:arpAllow", "missing ACL red:Ingress:defaultDeny", "missing Port_Group red:Ingress",
				"missing ACL allow-hairpinning:Egress", "missing ACL allow-hairpinning:Ingress"},
			notes: []string{"applies to 2 pods", "isolates 2 pods of red (ingress) that no NetworkPolicy isolated before: " +
				"new connections that no policy allows are denied; established ones keep working, with loss (seen on OVN 25.03)"}},
		{name: "a bad annotation is a finding", m: changing.Apply(strings.Replace(control, "name: control\n", "name: control\n  annotations: {k8s.ovn.org/acl-logging: loud}\n", 1)),
			title: "Update ANP control", fields: []string{"metadata.annotations[k8s.ovn.org/acl-logging] →loud"},
			notes: []string{"will not be enforced: bad logging annotation"}, findings: []string{"logging-annotation-invalid"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, control)
			p, err := w.Gate("").Preview(context.Background(), w.Current(), c.m)
			if err != nil {
				t.Fatal(err)
			}
			if p.Title != c.title || (p.Blocked == "") != (c.blocked == "") || !strings.HasPrefix(p.Blocked, c.blocked) {
				t.Fatalf("%q, blocked %q", p.Title, p.Blocked)
			}
			if c.blocked != "" {
				return
			}
			var fields []string
			for _, o := range p.Objects {
				for _, f := range o.Fields {
					fields = append(fields, f.Path+" "+f.Old+"→"+f.New)
				}
			}
			if diff := cmp.Diff([][]string{c.fields, c.rows, c.notes}, [][]string{fields, rowText(p.Rows), p.Notes}); diff != "" {
				t.Errorf("fields, rows and notes (-want +got)\n%s", diff)
			}
			for _, code := range c.findings {
				found := false
				for _, f := range p.Findings {
					found = found || f.Code == code
				}
				if !found {
					t.Errorf("no finding %s in %v", code, p.Findings)
				}
			}
		})
	}
}

func TestPreviewDelete(t *testing.T) {
	w := newWorld(t, given.ANP("control", 34, "tenant=blue", "in allow team=ops"))
	p, err := w.Gate("").Preview(context.Background(), w.Current(), changing.Remove("control"))
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"extra ACL control:Ingress:0:None", "extra Address_Set control:Ingress:0:v4", "extra Port_Group control"},
		{"34 becomes free", "no longer applies to 2 pods"}, {"kubectl delete anp control"}}
	if diff := cmp.Diff(want, [][]string{rowText(p.Rows), p.Notes, p.Commands}); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !strings.Contains(p.Objects[0].Diff, "-kind: AdminNetworkPolicy") {
		t.Errorf("diff\n%s", p.Objects[0].Diff)
	}
}

// Rows that are frozen keep deciding: the preview says so.
func TestPreviewFrozen(t *testing.T) {
	w := newWorld(t, given.ANP("control", 50, "tenant=blue", "in allow team=ops"))
	k := given.ANPKey("control")
	w.Zones = []*model.ZoneState{{Name: "worker", Conn: model.ConnSynced, SyncedAt: w.Now, Policies: map[model.PolicyKey]*model.PolicyInZone{
		k: {Policy: k, InSync: true, LiveACLs: 1, LivePriority: 50}}}}
	w.Publish()
	p, err := w.Gate("").Preview(context.Background(), w.Current(), changing.Move("control", 120))
	if err != nil {
		t.Fatal(err)
	}
	if last := p.Notes[len(p.Notes)-1]; last != "will not be programmed (above 99): its old rows remain and still decide at 50" || len(p.Rows) != 0 {
		t.Errorf("%q, rows %v", last, rowText(p.Rows))
	}
	if strings.Contains(strings.Join(p.Notes, "\n"), "becomes free") || !strings.Contains(p.Effect.Text(), "once the rows of ANP control are gone") &&
		!strings.Contains(p.Effect.Text(), "no other verdict changes") {
		t.Errorf("%q beside %q", p.Notes, p.Effect.Text())
	}
	w.Edit(given.ANP("control", 120, "tenant=blue", "in allow team=ops"))
	p, err = w.Gate("").Preview(context.Background(), w.Current(), changing.Remove("control"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(p.Notes, "\n"), "the frozen rows, which still decide, are deleted in 1 zone") {
		t.Errorf("%v", p.Notes)
	}
}

func TestPreviewLogLevel(t *testing.T) {
	w := newWorld(t, given.ANP("control", 34, "tenant=blue", "in allow team=ops", "in deny *"), given.BANP("tenant=blue", "in deny *"))
	g := w.Gate("")
	p, err := g.Preview(context.Background(), w.Current(), change.Mutation{Op: change.OpLogLevel, Policy: given.ANPKey("control"), Levels: model.LogLevels{Deny: "alert"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"different ACL control:Ingress:1:None log false→true severity →alert"}, rowText(p.Rows)); diff != "" || p.Blocked != "" {
		t.Errorf("%s %s", p.Blocked, diff)
	}
	for _, c := range []struct {
		k       model.PolicyKey
		l       model.LogLevels
		blocked string
		title   string
	}{
		{given.ANPKey("control"), model.LogLevels{}, "nothing to apply", "Switch logging of ANP control off"},
		{given.ANPKey("control"), model.LogLevels{Deny: "ALERT"}, "disabling deny logging due to an invalid deny annotation.", "Set logging of ANP control to deny=ALERT"},
		{given.ANPKey("gone"), model.LogLevels{Deny: "alert"}, "there is no ANP gone", "Set logging of ANP gone to deny=alert"},
		{model.PolicyKey{Kind: model.KindBANP, Name: "default"}, model.LogLevels{Deny: "info"}, "", "Set logging of BANP default to deny=info"},
	} {
		p := g.resolveMutation(w.Current(), change.Mutation{Op: change.OpLogLevel, Policy: c.k, Levels: c.l})
		if !strings.HasPrefix(p.Blocked, c.blocked) || p.Title != c.title {
			t.Errorf("%q blocked %q", p.Title, p.Blocked)
		}
	}
	w.SetWrites(false)
	p = g.resolveMutation(w.Current(), changing.Move("control", 35))
	if p.Blocked != "read-only: changes are switched off" || len(p.Objects) != 1 {
		t.Errorf("%q, %d objects", p.Blocked, len(p.Objects))
	}
}

// Counts of a preview are those of the ladder, and no priority is said to be free of
// others while rows decide there.
func TestPreviewCounts(t *testing.T) {
	tunnel := `apiVersion: v1
kind: Pod
metadata: {name: tunnel-0, namespace: blue, annotations: {k8s.ovn.org/pod-networks: '{"blue/net":{"ip_addresses":["10.100.0.5/16"],"role":"primary"}}'}}
spec: {nodeName: worker, containers: [{name: c}]}
status: {phase: Running, podIPs: [{ip: 10.244.0.99}]}`
	w := newWorld(t, tunnel, given.ANP("control", 34, "tenant=blue", "in allow team=ops"), given.ANP("far", 120, "tenant=red", "in deny *"))
	far := given.ANPKey("far")
	w.Zones = []*model.ZoneState{{Name: "worker", Conn: model.ConnSynced, Policies: map[model.PolicyKey]*model.PolicyInZone{
		far: {Policy: far, None: &model.NoRows{Code: "priority"}, LiveACLs: 1, LivePriority: 50}}}}
	w.Publish()
	for _, c := range []struct {
		m    change.Mutation
		note string
	}{
		{changing.Move("control", 50), "other live rows decide at 50: ANP far (frozen)"},
		{changing.Move("control", 50), "no other policy at 50"},
		{changing.Move("control", 50), "applies to 2 of 3 pods: 1 on a user-defined network"},
		{changing.Apply(given.ANP("control", 34, "tenant=red", "in allow team=ops")), "applies to 2 pods; before: 2 of 3 pods: 1 on a user-defined network"},
		{changing.Remove("control"), "no longer applies to 2 of 3 pods: 1 on a user-defined network"},
	} {
		p, err := w.Gate("").Preview(context.Background(), w.Current(), c.m)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(p.Notes, c.note) {
			t.Errorf("%s lacks %q: %q", p.Title, c.note, p.Notes)
		}
	}
}

func TestCountRows(t *testing.T) {
	var rows []change.RowChange
	add := func(kind model.DiffKind, table string) {
		rows = append(rows, change.RowChange{RowDiff: model.RowDiff{Kind: kind, Table: table}})
	}
	add(model.DiffMissing, nb.TableACL)
	add(model.DiffDifferent, nb.TableACL)
	add(model.DiffDifferent, nb.TableACL)
	add(model.DiffExtra, nb.TablePortGroup)
	rows[1].Fields = []model.FieldDiff{{Column: "priority", Desired: "100", Live: "300"}, {Column: "match", Desired: "x", Live: "y"}}
	want := []effect.RowCount{{Table: nb.TableACL, Added: 1, Changed: 2, Text: "1 added · 2 changed: match, priority −200"},
		{Table: nb.TableAddressSet}, {Table: nb.TablePortGroup, Removed: 1, Text: "1 removed"}}
	if diff := cmp.Diff(want, effect.CountRows(rows)); diff != "" {
		t.Error(diff)
	}
}

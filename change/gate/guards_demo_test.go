package gate

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/change/effect"
	"rung/compiler"
	"rung/model"
	"rung/model/plan"
	"rung/model/verdict/diff"
	"rung/revision"
	"rung/sources/manifests"
	"rung/test/changing"
	"rung/test/given"
	"rung/test/given/troubled"
)

// demoWorld is the cluster of rung demo.
func demoWorld(t *testing.T, objects []model.Object) *world {
	w := newWorld(t)
	var was []model.Key
	for o := range w.Current().Cluster.Pods() {
		was = append(was, o.Key)
	}
	for _, name := range []string{"kube-public", "green", "red", "blue"} {
		was = append(was, model.Key{Kind: model.KindNamespace, Name: name})
	}
	w.Options = compiler.Options{IPv4: true, ClusterSubnets: []netip.Prefix{netip.MustParsePrefix("10.244.0.0/16")},
		DNS: map[string][]string{"mirror.example.com": {"192.0.2.80", "198.51.100.80"}}}
	w.Apply(nil, was)
	w.Apply(objects, nil)
	return w
}

func demoObjects(t *testing.T) []model.Object {
	t.Helper()
	res, err := manifests.Read(t.Context(), manifests.Options{FS: troubled.Files, Paths: []string{"."}, SkipSchema: true})
	if err != nil {
		t.Fatal(err)
	}
	return res.Objects
}

// editedDemo is the text of a policy of the demo with something in it replaced, once.
func editedDemo(t *testing.T, objects []model.Object, name, old, now string) change.Mutation {
	t.Helper()
	for _, o := range objects {
		if p, ok := o.(*model.Policy); ok && p.Name == name {
			if !strings.Contains(p.YAML, old) {
				t.Fatalf("%s has no %q:\n%s", name, old, p.YAML)
			}
			return changing.Apply(strings.Replace(p.YAML, old, now, 1))
		}
	}
	t.Fatalf("there is no %s", name)
	return change.Mutation{}
}

// TestGuardsOfTheDemo: changes of the demo with the rails that each runs into, whatever way it
// comes in: asked for as what it is, as texts that are applied, redone after an undo, and as the
// step of a plan. Its undo runs into what the same change backwards runs into.
func TestGuardsOfTheDemo(t *testing.T) {
	objects := demoObjects(t)
	edit := func(name, old, now string) change.Mutation { return editedDemo(t, objects, name, old, now) }
	np := func(ns, name string) change.Mutation {
		return change.Mutation{Op: change.OpDelete, Policy: given.NPKey(ns, name)}
	}
	for _, c := range demoChanges(edit, np) {
		t.Run(c.name, func(t *testing.T) {
			w := demoWorld(t, objects)
			g := w.Gate("")
			if c.log != "" {
				g.Config.LogConnections = func(allowed bool) *diff.LogConnections {
					if !allowed {
						return nil
					}
					return changing.Logged(t, w.Current().Cluster, c.log)
				}
			}
			preview := func(m change.Mutation) *Preview {
				t.Helper()
				p, err := g.Preview(t.Context(), w.Current(), m)
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			p := preview(c.m)
			if p.Blocked != "" {
				t.Fatalf("blocked: %s", p.Blocked)
			}
			if diff := cmp.Diff(strings.Fields(c.want), codesOf(p)); diff != "" {
				t.Fatalf("rails (-want +got)\n%s%s\n%s", diff, messages(p), orNone(p.Effect))
			}
			if (p.ConfirmName != "") != (c.want != "") {
				t.Errorf("the name to type is %q", p.ConfirmName)
			}
			// As texts.
			var texts []string
			for _, o := range p.Objects {
				if o.New != nil {
					texts = append(texts, o.New.YAML)
				}
			}
			if len(texts) == len(p.Objects) && c.m.Op != change.OpApply {
				if diff := cmp.Diff(codesOf(p), codesOf(preview(changing.Apply(texts...)))); diff != "" {
					t.Errorf("applied (-as it is +applied)\n%s", diff)
				}
			}
			if c.m.Op == change.OpMove {
				checkPlan(t, w, p)
			}
			if _, err := g.Commit(t.Context(), p, Confirm{Yes: true, Name: p.ConfirmName}); err != nil {
				t.Fatal(err)
			}
			undo := preview(change.Mutation{Op: change.OpUndo})
			var back []string
			for _, o := range undo.Objects {
				if o.New != nil {
					back = append(back, o.New.YAML)
				}
			}
			if len(back) == len(undo.Objects) {
				if diff := cmp.Diff(codesOf(preview(changing.Apply(back...))), codesOf(undo)); diff != "" {
					t.Errorf("undo (-applied +undone)\n%s", diff)
				}
			} else if slices.Contains(codesOf(undo), "deletes") != undo.Effect.FlipsVerdicts() {
				t.Errorf("the undo, just after, deletes a policy; verdicts change: %t, rails %v", undo.Effect.FlipsVerdicts(), codesOf(undo))
			}
			if _, err := g.Commit(t.Context(), undo, Confirm{Yes: true, Name: undo.ConfirmName}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Fields(c.want), codesOf(preview(change.Mutation{Op: change.OpRedo}))); diff != "" {
				t.Errorf("redo (-want +got)\n%s", diff)
			}
		})
	}
}

// checkPlan holds the rails of a move against those of a plan with this one step. A plan never
// reverses two policies, and so has few of them: what its steps run into is asked alone.
func checkPlan(t *testing.T, w *world, p *Preview) {
	t.Helper()
	o := p.Objects[0]
	out := &Preview{Steps: []plan.Step{{Policy: o.Key.Name, From: o.Old.Priority, To: o.New.Priority}}}
	nothing := func(*revision.Revision, int) string { return "" }
	if err := w.Gate("").addStepEffects(t.Context(), t.Context(), w.Current(), nil, out, nothing); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(codesOf(p), codesOf(out)); diff != "" {
		t.Errorf("as a step of a plan (-moved +stepped)\n%s", diff)
	}
}

func orNone(e *effect.Effect) string {
	if e == nil {
		return "no effect"
	}
	return e.Text()
}

func messages(p *Preview) (out string) {
	for _, g := range p.Guards {
		out += g.Code + ": " + g.Message + "\n"
	}
	return out
}

// codesOf are the codes of a preview's rails, each once and in order.
func codesOf(p *Preview) []string {
	out := []string{}
	for _, g := range p.Guards {
		out = append(out, g.Code)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

type demoChange struct {
	name string
	m    change.Mutation
	log  string // a line that is held
	want string // codes, in order
}

// demoChanges are changes that admins make, by accident or on purpose.
func demoChanges(edit func(name, old, now string) change.Mutation, np func(ns, name string) change.Mutation) []demoChange {
	const none = ""
	return []demoChange{
		// Deleted: always asked for, whatever else it does.
		{"delete break-glass", changing.Remove("break-glass"), "", "deletes"},
		{"delete cluster-control", changing.Remove("cluster-control"), "", "api-cut deletes dns-cut much-cut opens system-cut"},
		{"delete the isolation of tenants", changing.Remove("multi-tenant-isolation"), "", "deletes"},
		{"delete a tenant's Allow", changing.Remove("blue-tenant"), "", "deletes"},
		{"delete what conflicts", changing.Remove("quarantine"), "", "deletes"},
		{"delete what nobody enforces", changing.Remove("experimental"), "", "deletes"},
		{"delete the baseline", change.Mutation{Op: change.OpDelete, Policy: model.PolicyKey{Kind: model.KindBANP, Name: "default"}}, "", "deletes opens"},
		{"delete a NetworkPolicy", np("blue", "allow-web"), "", "deletes opens"},
		{"delete another", np("green", "db-from-api"), "", "deletes opens"},
		{"delete the NetworkPolicy of the vault", np("restricted", "vault-from-blue"), "", "deletes opens"},
		{"delete an EgressFirewall", change.Mutation{Op: change.OpDelete, Policy: model.PolicyKey{Kind: model.KindEF, Namespace: "yellow", Name: "default"}}, "", "deletes opens"},
		// Moved.
		{"move cluster-control a little", changing.Move("cluster-control", 36), "", none},
		{"move it below the tenants", changing.Move("cluster-control", 41), "", "opens"},
		{"move it below the isolation", changing.Move("cluster-control", 50), "", "opens"},
		{"move it above break-glass", changing.Move("cluster-control", 20), "", none},
		{"move it to a tie with the tenants", changing.Move("cluster-control", 40), "", "opens"},
		{"move the isolation above the tenants", changing.Move("multi-tenant-isolation", 38), "", none},
		{"move the isolation above all", changing.Move("multi-tenant-isolation", 5), "", none},
		{"move a conflict apart, the Deny first", changing.Move("quarantine", 59), "", none},
		{"move a conflict apart, the Allow first", changing.Move("allow-metrics", 59), "", none},
		{"move quarantine above all", changing.Move("quarantine", 2), "", none},
		{"move break-glass to the end", changing.Move("break-glass", 90), "", none},
		{"enforce the experiment", changing.Move("experimental", 10), "", none},
		{"take cluster-control out of what is enforced", changing.Move("cluster-control", 120), "", "api-cut dns-cut much-cut opens system-cut"},
		// New.
		{"allow all, above all", changing.Apply(given.ANP("open-all", 1, "", "in allow *", "out allow *")), "", "opens"},
		{"allow all within a tenant", changing.Apply(given.ANP("own", 1, "tenant=blue", "in allow tenant=blue", "out allow tenant=blue")), "", "opens"},
		{"allow one tenant to another", changing.Apply(given.ANP("friends", 1, "tenant=blue", "in allow tenant=green")), "", none},
		{"deny all, above all", changing.Apply(given.ANP("close-all", 1, "", "in deny *", "out deny *")), "", "dns-cut much-cut system-cut"},
		{"deny monitoring everywhere", changing.Apply(given.ANP("no-metrics", 1, "", "in deny name=monitoring")), "", "much-cut system-cut"},
		{"deny ingress to a tenant", changing.Apply(given.ANP("no-ingress", 1, "tenant=blue", "in deny name=ingress-nginx")), "", none},
		{"deny all networks at 70", changing.Apply(given.ANP("no-net", 70, "", "out deny 0.0.0.0/0")), "", none},
		{"deny all networks above all", changing.Apply(given.ANP("no-net", 1, "", "out deny 0.0.0.0/0")), "", "api-cut dns-cut much-cut system-cut"},
		{"deny the API server to a tenant", changing.Apply(given.ANP("no-api", 1, "tenant=blue", "out deny * tcp:6443", "out deny 172.18.0.0/16")), "", "api-cut"},
		{"deny one tenant to another", changing.Apply(given.ANP("apart", 1, "tenant=blue", "in deny tenant=green")), "", none},
		{"deny within a namespace", changing.Apply(given.NP("splunk", "shut", "{podSelector: {matchLabels: {app: none}}}")), "", none},
		{"isolate a namespace of the system", changing.Apply(given.NP("kube-system", "shut", "{podSelector: {}}")), "", "dns-cut system-cut"},
		{"deny what the log has seen", changing.Apply(given.ANP("no-splunk", 1, "name=splunk", "in deny tenant=open tcp:8991")), "open/portal-d0 splunk/splunk-hec-0 8991 allow", "log-cut"},
		{"deny what the log has not", changing.Apply(given.ANP("no-splunk", 1, "name=splunk", "in deny tenant=open tcp:8991")), "", none},
		{"open the vault to all", changing.Apply(given.NP("restricted", "open", "{podSelector: {}, ingress: [{}]}")), "", "opens"},
		// Edited.
		{"narrow the DNS rule", edit("cluster-control", "port: 5353", "port: 5354"), "", "dns-cut much-cut opens"},
		{"let the API server's rule go", edit("cluster-control", "port: 6443", "port: 6444"), "", "api-cut opens system-cut"},
		{"rename a rule", edit("cluster-control", "allow-to-splunk", "allow-to-logs"), "", none},
		{"a tenant leaves the isolation", edit("multi-tenant-isolation", "[red, blue, green, yellow]", "[red, blue, green]"), "", none},
		{"allow one more network", edit("cluster-control", "- 10.0.69.0/24", "- 10.0.69.0/24\n      - 203.0.113.0/24"), "", "opens"},
	}
}

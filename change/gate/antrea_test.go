package gate

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"rung/change"
	"rung/change/write"
	"rung/model"
	"rung/model/antrea"
	"rung/sources/kube"
	"rung/sources/manifests"
	"rung/system"
	"rung/test/apiserver"
	"rung/test/changing"
)

// Objects of Antrea, each in a text of its own with a comment that stays.
func crdObject(kind, meta, spec string) string {
	return "apiVersion: crd.antrea.io/v1beta1\nkind: " + kind + " # as written\nmetadata: {" + meta + "}\nspec: {" + spec + "}\n"
}

const appliedToWeb = "appliedTo: [{podSelector: {matchLabels: {app: web}}}]"

func acnpText(name, spec string) string {
	return crdObject("ClusterNetworkPolicy", "name: "+name, spec)
}

func annpText(spec string) string {
	return crdObject("NetworkPolicy", "name: own, namespace: blue", spec)
}

func tierText(name string, priority int) string {
	return crdObject("Tier", "name: "+name, fmt.Sprintf("priority: %d, description: mine", priority))
}

func groupText(name, spec string) string { return crdObject("ClusterGroup", "name: "+name, spec) }

// antreaWorld is a world on Antrea.
func antreaWorld(t testing.TB, objects ...string) *world {
	t.Helper()
	w := newWorld(t)
	w.System = system.Antrea
	w.Edit(strings.Join(objects, "---\n"))
	return w
}

var antreaKinds = map[string]model.Key{
	"acnp":  {Kind: model.KindACNP, Name: "p"},
	"annp":  {Kind: model.KindANNP, Namespace: "blue", Name: "own"},
	"tier":  {Kind: model.KindTier, Name: "mine"},
	"group": {Kind: model.KindClusterGroup, Name: "g"},
	"owned": {Kind: model.KindGroup, Namespace: "blue", Name: "g"},
}

// Each kind of Antrea's is created, edited, moved where it can be, and deleted through the gate; each is
// taken back to the very text and made again, and so on from there.
func TestAntreaThroughTheGate(t *testing.T) {
	group := func(spec string) string { return crdObject("Group", "name: g, namespace: blue", spec) }
	const drop = ", ingress: [{action: Drop, from: [{podSelector: {}}]}]"
	for name, texts := range map[string][]string{ // new, edited
		"acnp":  {acnpText("p", "priority: 5, "+appliedToWeb+drop), acnpText("p", "priority: 5, "+appliedToWeb+strings.Replace(drop, "Drop", "Reject", 1))},
		"annp":  {annpText("priority: 5, " + appliedToWeb + drop), annpText("priority: 5, " + appliedToWeb + strings.Replace(drop, "Drop", "Allow", 1))},
		"tier":  {tierText("mine", 60), strings.Replace(tierText("mine", 60), "description: mine", "description: ours", 1)},
		"group": {groupText("g", "podSelector: {matchLabels: {app: web}}"), groupText("g", "podSelector: {matchLabels: {app: db}}")},
		"owned": {group("podSelector: {matchLabels: {app: web}}"), group("serviceReference: {name: web}")},
	} {
		for _, server := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " server=", server), func(t *testing.T) {
				w := antreaWorld(t, tierText("spare", 61))
				g := w.Gate(t.TempDir())
				if server {
					g = w.serverGate(t, g)
				}
				k := antreaKinds[name]
				text := func() string {
					if p := w.Current().Cluster.Changeable(k); p != nil {
						return p.YAML
					}
					return ""
				}
				do := func(m change.Mutation) {
					t.Helper()
					p, err := g.Preview(t.Context(), w.Current(), m)
					if err != nil || p.Blocked != "" {
						t.Fatalf("%s: %v %s", p.Title, err, p.Blocked)
					}
					if _, err := g.Commit(t.Context(), p, Confirm{Yes: true, By: "test", Name: p.ConfirmName}); err != nil {
						t.Fatal(err)
					}
				}
				steps := []change.Mutation{changing.Apply(texts[0]), {Op: change.OpApply, YAML: []byte(texts[1]), Base: []byte(texts[0])}}
				if k.Kind.CanMove() {
					steps = append(steps, change.Mutation{Op: change.OpMove, Policy: k, Priority: 5.05}, change.Mutation{Op: change.OpMove, Policy: k, Tier: "spare", TierOnly: true},
						change.Mutation{Op: change.OpMove, Policy: k, Tier: "baseline", Priority: 7})
				}
				steps = append(steps, change.Mutation{Op: change.OpDelete, Policy: k})
				for i, m := range steps {
					if i == 1 && server { // the base is what the server has
						m.Base = []byte(text())
					}
					was := text()
					do(m)
					is := text()
					if is == was || !server && m.Op != change.OpDelete && !strings.Contains(is, "# as written") {
						t.Fatalf("step %d:\n%s", i, is)
					}
					do(change.Mutation{Op: change.OpUndo})
					if back := text(); back != was {
						t.Fatalf("step %d undone:\n%s\nwas\n%s", i, back, was)
					}
					do(change.Mutation{Op: change.OpRedo})
					if again := text(); again != is {
						t.Fatalf("step %d redone:\n%s\nwas\n%s", i, again, is)
					}
				}
			})
		}
	}
}

// refusedSentences has a change for each sentence of Antrea's documentation that admission refuses.
// The world has tier mine (60) with ACNP in, group child of group parent, and a ClusterIP Service.
var refusedSentences = []struct {
	code string
	m    change.Mutation
	says string
}{
	{antrea.TierMissing, changing.Apply(acnpText("p", "priority: 5, tier: gone, "+appliedToWeb)), "its tier gone does not exist"},
	{antrea.TierMissing, change.Mutation{Op: change.OpMove, Policy: model.Key{Kind: model.KindACNP, Name: "in"}, Tier: "gone", TierOnly: true}, "its tier gone does not exist"},
	{antrea.TierDeleted, change.Mutation{Op: change.OpDelete, Policy: antreaKinds["tier"]}, "used by ACNP in: it cannot be deleted"},
	{antrea.TierTaken, changing.Apply(tierText("other", 60)), "priority 60 is already used by tier mine"},
	{antrea.TierReserved, changing.Apply(tierText("other", 250)), "priority 250 is reserved"},
	{antrea.TierStatic, changing.Apply(tierText("mine", 62)), "a tier's priority cannot be changed from 60"},
	{antrea.TierStatic, changing.Apply(tierText("emergency", 50)), "is Antrea's own and read-only"},
	{antrea.GroupMissing, changing.Apply(groupText("new", "childGroups: [nobody]")), "ClusterGroup nobody does not exist"},
	{antrea.GroupMissing, change.Mutation{Op: change.OpDelete, Policy: model.Key{Kind: model.KindClusterGroup, Name: "child"}}, "is a child of ClusterGroup parent: it cannot be deleted"},
	{antrea.GroupNested, changing.Apply(groupText("new", "childGroups: [parent]")), "groups nest one level"},
	{antrea.GroupNested, changing.Apply(groupText("child", "childGroups: [lone]")), "is a child of ClusterGroup parent and cannot have childGroups"},
	{antrea.GroupCycle, changing.Apply(groupText("new", "childGroups: [new]")), "is its own child"},
	{antrea.GroupForms, changing.Apply(groupText("new", "podSelector: {}, childGroups: [lone]")), "only one is allowed"},
	{antrea.ServiceType, changing.Apply(acnpText("p", "priority: 5, appliedTo: [{service: {name: web, namespace: blue}}], ingress: [{action: Drop}]")), "has type ClusterIP, not NodePort"},
	{antrea.AppliedToNamespaces, changing.Apply(annpText("priority: 5, appliedTo: [{group: wide}], ingress: [{action: Drop}]")), "has a namespaceSelector"},
	{antrea.PriorityRange, change.Mutation{Op: change.OpMove, Policy: model.Key{Kind: model.KindACNP, Name: "in"}, Priority: 0.5}, "want 1.0 to 10000.0"},
	{antrea.PriorityRange, change.Mutation{Op: change.OpMove, Policy: model.Key{Kind: model.KindACNP, Name: "in"}, Priority: 10000.5}, "want 1.0 to 10000.0"},
	{antrea.BaselinePass, changing.Apply(acnpText("p", "priority: 5, tier: baseline, "+appliedToWeb+", ingress: [{action: Pass}]")), "Pass in the baseline tier"},
	{antrea.AppliedToBoth, changing.Apply(acnpText("p", "priority: 5, "+appliedToWeb+", ingress: [{action: Drop, "+appliedToWeb+"}]")), "only one"},
	{antrea.AppliedToSome, changing.Apply(acnpText("p", "priority: 5, ingress: [{action: Drop, "+appliedToWeb+"}, {action: Allow}]")), "set for 1 of 2 rules"},
	{antrea.AppliedToNothing, changing.Apply(acnpText("p", "priority: 5, ingress: [{action: Drop}]")), "applies to nothing"},
	{antrea.AppliedToBlock, changing.Apply(acnpText("p", "priority: 5, appliedTo: [{ipBlock: {cidr: 10.0.0.0/8}}], ingress: [{action: Drop}]")), "cannot be in appliedTo"},
	{antrea.AppliedToForms, changing.Apply(acnpText("p", "priority: 5, appliedTo: [{podSelector: {}, nodeSelector: {}}], ingress: [{action: Drop}]")), "has several forms"},
	{antrea.AccountAlone, changing.Apply(acnpText("p", "priority: 5, appliedTo: [{serviceAccount: {name: a, namespace: b}, podSelector: {}}], ingress: [{action: Drop}]")), "any other field"},
	{antrea.PeerForms, changing.Apply(acnpText("p", "priority: 5, "+appliedToWeb+", ingress: [{action: Drop, from: [{}]}]")), "selects nothing"},
	{antrea.NamespacesSelector, changing.Apply(acnpText("p", "priority: 5, "+appliedToWeb+", ingress: [{action: Drop, from: [{namespaces: {match: Self}, namespaceSelector: {}}]}]")), "cannot be set with namespaceSelector"},
	{antrea.NamespacesANNP, changing.Apply(annpText("priority: 5, " + appliedToWeb + ", ingress: [{action: Drop, from: [{namespaces: {match: Self}}]}]")), "is not allowed in an Antrea NetworkPolicy"},
	{antrea.IPBlockExcept, changing.Apply(acnpText("p", "priority: 5, "+appliedToWeb+", ingress: [{action: Drop, from: [{ipBlock: {cidr: 10.0.0.0/8, except: [11.1.0.0/16]}}]}]")), "is not inside 10.0.0.0/8"},
	{antrea.FQDNIngress, changing.Apply(acnpText("p", "priority: 5, "+appliedToWeb+", ingress: [{action: Drop, from: [{fqdn: a.b}]}]")), "egress only"},
	{antrea.EndPort, changing.Apply(acnpText("p", "priority: 5, "+appliedToWeb+", ingress: [{action: Drop, ports: [{protocol: TCP, port: http, endPort: 90}]}]")), "needs port as a number"},
	{antrea.IGMPAlone, changing.Apply(acnpText("p", "priority: 5, "+appliedToWeb+", egress: [{action: Drop, protocols: [{igmp: {igmpType: 0x16}}], ports: [{port: 5}]}]")), "cannot be used with ICMP"},
	{antrea.IGMPType, changing.Apply(acnpText("p", "priority: 5, "+appliedToWeb+", egress: [{action: Drop, protocols: [{igmp: {igmpType: 0x11}}]}]")), "0x11 is not an IGMP type for egress rules"},
	{antrea.IGMPGroup, changing.Apply(acnpText("p", "priority: 5, "+appliedToWeb+", ingress: [{action: Drop, protocols: [{igmp: {igmpType: 0x11, groupAddress: 225.1.2.3}}]}]")), "only queries to 224.0.0.1"},
	{antrea.MulticastAction, changing.Apply(acnpText("p", "priority: 5, "+appliedToWeb+", egress: [{action: Reject, to: [{ipBlock: {cidr: 225.1.2.3/32}}]}]")), "not supported for multicast"},
	{antrea.MulticastIngress, changing.Apply(acnpText("p", "priority: 5, "+appliedToWeb+", ingress: [{action: Drop, from: [{ipBlock: {cidr: 225.1.2.3/32}}]}]")), "is multicast"},
	{antrea.RuleNames, changing.Apply(acnpText("p", "priority: 5, "+appliedToWeb+", ingress: [{action: Drop, name: a}, {action: Allow, name: a}]")), `name "a" is also used by`},
	{antrea.ToServicesMixed, changing.Apply(acnpText("p", "priority: 5, "+appliedToWeb+", egress: [{action: Drop, toServices: [{name: web, namespace: blue}], ports: [{port: 80}]}]")), "cannot be used with to or ports"},
	{antrea.ToServicesIngress, changing.Apply(acnpText("p", "priority: 5, "+appliedToWeb+", ingress: [{action: Drop, toServices: [{name: web, namespace: blue}]}]")), "is for egress rules only"},
	{antrea.ServiceAlone, changing.Apply(acnpText("p", "priority: 5, appliedTo: [{service: {name: np, namespace: blue}, podSelector: {}}], ingress: [{action: Drop}]")), "any other field"},
	{antrea.ServiceMixed, changing.Apply(acnpText("p", "priority: 5, appliedTo: [{service: {name: np, namespace: blue}}, {podSelector: {}}], ingress: [{action: Drop}]")), "only one"},
	{antrea.ServiceEgress, changing.Apply(acnpText("p", "priority: 5, appliedTo: [{service: {name: np, namespace: blue}}], egress: [{action: Drop}]")), "only ingress rules"},
	{antrea.ServicePeers, changing.Apply(acnpText("p", "priority: 5, appliedTo: [{service: {name: np, namespace: blue}}], ingress: [{action: Drop, from: [{podSelector: {}}]}]")), "must be an ipBlock"},
}

// What Antrea's admission refuses is refused before anything is sent, each sentence of the
// documentation once, in one line, with its code.
func TestAntreaRefusesBeforeSending(t *testing.T) {
	objects := []string{tierText("mine", 60), acnpText("in", "priority: 5, tier: mine, "+appliedToWeb), groupText("child", "podSelector: {}"), groupText("lone", "podSelector: {}"),
		groupText("parent", "childGroups: [child]"), crdObject("Group", "name: wide, namespace: blue", "namespaceSelector: {}"),
		"apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: blue}\nspec: {clusterIP: 10.96.0.1}\n",
		"apiVersion: v1\nkind: Service\nmetadata: {name: np, namespace: blue}\nspec: {type: NodePort, clusterIP: 10.96.0.2}\n"}
	seen := map[string]bool{}
	for _, tt := range refusedSentences {
		t.Run(tt.code+" "+tt.says, func(t *testing.T) {
			seen[tt.code] = true
			w := antreaWorld(t, objects...)
			g := w.Gate(t.TempDir())
			g = w.serverGate(t, g)
			p, err := g.Preview(t.Context(), w.Current(), tt.m)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Errors) != 1 || p.Errors[0].Code != tt.code || !strings.Contains(p.Errors[0].Message, tt.says) || !strings.Contains(p.Blocked, tt.says) || strings.Contains(p.Blocked, "more)") {
				t.Errorf("blocked %q, errors %+v", p.Blocked, p.Errors)
			}
			if _, err := g.Commit(t.Context(), p, Confirm{Yes: true, By: "test", Name: p.ConfirmName}); err == nil {
				t.Error("it was committed")
			}
			if sent := w.sent(); len(sent) > 0 {
				t.Errorf("sent: %q", sent)
			}
		})
	}
	for _, s := range antrea.DocumentedRules {
		// A policy names a group that is refused: such a group does not come to be.
		if s.Severity == model.SeverityError && !seen[s.Code] && s.Code != antrea.GroupRefused {
			t.Errorf("no change is refused by %s: %s", s.Code, s.Meaning)
		}
	}
}

// A Tier that is deleted while a policy in it is edited stops the change with one line.
func TestTierDeletedWhileEdited(t *testing.T) {
	text := acnpText("in", "priority: 5, tier: mine, "+appliedToWeb)
	w := antreaWorld(t, tierText("mine", 60), text)
	g := w.Gate(t.TempDir())
	edited := change.Mutation{Op: change.OpApply, YAML: []byte(strings.Replace(text, "priority: 5", "priority: 6", 1)), Base: []byte(text)}
	p, err := g.Preview(t.Context(), w.Current(), edited)
	if err != nil || p.Blocked != "" {
		t.Fatal(err, p.Blocked)
	}
	w.Apply(nil, []model.Key{antreaKinds["tier"]})
	_, err = g.Commit(t.Context(), p, Confirm{Yes: true, By: "test", Name: p.ConfirmName})
	if err == nil || !strings.Contains(err.Error(), "its tier mine was deleted") || strings.Contains(err.Error(), "\n") {
		t.Errorf("committed: %v", err)
	}
	p, err = g.Preview(t.Context(), w.Current(), edited)
	if err != nil || len(p.Errors) != 1 || !strings.Contains(p.Blocked, "its tier mine was deleted") || p.Errors[0].Remedy != "create the tier, or use another" {
		t.Errorf("previewed: %v, %q, %+v", err, p.Blocked, p.Errors)
	}
}

// sent are the requests that would have changed something, and dry runs.
func (w *world) sent() (out []string) {
	if w.requests == nil {
		return nil
	}
	for _, r := range w.requests() {
		if r.Method != http.MethodGet {
			out = append(out, r.Method+" "+r.Path)
		}
	}
	return out
}

// serverGate puts a gate in front of a server that has what the world has; the world follows what is
// written.
func (w *world) serverGate(t *testing.T, g *Gate) *Gate {
	t.Helper()
	s, kubeconfig := apiserver.New(t)
	c, err := kube.Open(kube.Options{Kubeconfig: kubeconfig})
	if err != nil {
		t.Fatal(err)
	}
	for o := range w.Current().Cluster.Objects() {
		p := model.AsPolicy(o)
		if p == nil || p.Kind == model.KindNamespace {
			continue
		}
		tree, err := manifests.PolicyTree(p)
		if err != nil {
			t.Fatal(err)
		}
		s.Put(resourcePath(p.Key), tree)
	}
	writer := followingWriter{write.NewKubeWriter(c).(serverWriter), w}
	g.Config.Writer, g.server = writer, writer
	w.requests = s.Requests
	return g
}

func resourcePath(k model.Key) string {
	r := kube.PolicyResources[k.Kind]
	path := "/apis/" + r.GroupVersion().String() + "/"
	if k.Namespace != "" {
		path += "namespaces/" + k.Namespace + "/"
	}
	return path + r.Resource + "/" + k.Name
}

// followingWriter is a server whose watch is never late.
type followingWriter struct {
	serverWriter
	w *world
}

func (f followingWriter) Write(ctx context.Context, changes []change.ObjectChange) error {
	if err := f.serverWriter.Write(ctx, changes); err != nil {
		return err
	}
	return f.w.Write(ctx, changes)
}

// A policy that leaves a tie, or comes into one, is no new finding of those that were tied before: only
// the names in their findings change. One that was alone has a new one.
func TestTiesOfUntouchedPolicies(t *testing.T) {
	tied := func(name, action string, priority int) string {
		return acnpText(name, fmt.Sprintf("priority: %d, %s, ingress: [{action: %s, from: [{podSelector: {}}]}]", priority, appliedToWeb, action))
	}
	for _, tt := range []struct {
		name string
		to   float64
		want string
	}{{"c", 7, ""}, {"d", 5, "d"}, {"d", 9, "d e"}} {
		w := antreaWorld(t, tied("a", "Drop", 5), tied("b", "Allow", 5), tied("c", "Drop", 5), tied("d", "Allow", 6), tied("e", "Drop", 9))
		p, err := w.Gate(t.TempDir()).Preview(t.Context(), w.Current(), change.Mutation{Op: change.OpMove, Policy: model.Key{Kind: model.KindACNP, Name: tt.name}, Priority: tt.to})
		if err != nil || p.Blocked != "" {
			t.Fatal(err, p.Blocked)
		}
		var got []string
		for _, f := range p.Findings {
			if f.Code == antrea.PriorityTie {
				got = append(got, f.Policy.Name)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s to %v: new ties of %q, want %q", tt.name, tt.to, got, tt.want)
		}
	}
}

package uitest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
)

// ClusterFacts is the demo's objects as those of a cluster that is observed, with every
// resource followed and everything allowed. A test changes what it wants.
func ClusterFacts(t testing.TB) *revision.Facts {
	t.Helper()
	p := DemoFacts(t)
	p.Mode = revision.Mode{Name: revision.ClusterMode, Title: "prod-eu", Server: "https://api.prod-eu.example:6443", User: "admin@example"}
	at := Now.Add(-10 * time.Minute)
	src := model.SourceState{Name: "prod-eu", Detail: p.Mode.Server, Conn: model.ConnSynced, At: at, ReadAt: Now}
	for _, r := range []struct {
		name     string
		kind     model.Kind
		optional bool
	}{{"namespaces", model.KindNamespace, false}, {"pods", model.KindPod, false}, {"nodes", model.KindNode, false},
		{"adminnetworkpolicies.policy.networking.k8s.io", model.KindANP, false},
		{"baselineadminnetworkpolicies.policy.networking.k8s.io", model.KindBANP, false},
		{"networkpolicies.networking.k8s.io", model.KindNP, false},
		{"egressfirewalls.k8s.ovn.org", model.KindEF, true}, {"events", model.KindEvent, true}} {
		src.Resources = append(src.Resources, model.SourceResource{Name: r.name, Kind: r.kind, Conn: model.ConnSynced, At: model.Stamp{Time: at}, Count: p.Cluster.Count(r.kind), Optional: r.optional})
	}
	p.Sources = []model.SourceState{src}
	for i, z := range p.Zones {
		next := *z
		next.Writes, next.Endpoint = false, "exec:ovn-kubernetes/ovnkube-node-"+z.Name[len(z.Name)-2:]+"/nb-ovsdb"
		p.Zones[i] = &next
	}
	AllowChanges(p, true)
	return p
}

// adminVerbs change policies.
var adminVerbs = []string{"create", "delete", "patch", "update"}

// adminResources are AdminNetworkPolicies and the baseline.
var adminResources = []string{"adminnetworkpolicies.policy.networking.k8s.io", "baselineadminnetworkpolicies.policy.networking.k8s.io"}

// AllowChanges sets what the API server lets the user do: everything but the resources
// ("pods/exec") that are refused, and changes of policies where changes is false.
func AllowChanges(p *revision.Facts, changes bool, refused ...string) {
	var all []revision.Permission
	add := func(resource, namespace string, allowed bool, verbs ...string) {
		why := ""
		allowed = allowed && !slices.Contains(refused, resource)
		if !allowed {
			why = "RBAC: no rule matches"
		}
		for _, v := range verbs {
			all = append(all, revision.Permission{Verb: v, Resource: resource, Namespace: namespace, Allowed: allowed, Why: why,
				Command: canI(p.Mode.Title, v, resource, namespace)})
		}
	}
	for _, r := range adminResources {
		add(r, "", changes, adminVerbs...)
	}
	add("pods/exec", "ovn-kubernetes", true, "create")
	add("pods/log", "ovn-kubernetes", true, "get")
	for _, r := range []string{"namespaces", "pods", "nodes", "events", adminResources[0], adminResources[1]} {
		add(r, "", true, "list", "watch")
	}
	p.Access = revision.NewAccess(all)
}

// canI asks the server for a permission by hand.
func canI(context, verb, resource, namespace string) string {
	words := []string{"auth", "can-i", verb}
	what, sub, found := strings.Cut(resource, "/")
	words = append(words, what)
	if found {
		words = append(words, "--subresource="+sub)
	}
	if namespace != "" {
		words = append(words, "-n", namespace)
	}
	return model.Kubectl{Flags: "--context=" + context}.CommandLine(words...)
}

// ManyZones replaces the zones by n nodes of their own: the first 20 followed, the others
// read in turn, every policy in sync.
func ManyZones(p *revision.Facts, n int) {
	var gone []model.Key
	for node := range p.Cluster.Nodes() {
		gone = append(gone, node.Key)
	}
	var nodes []model.Object
	for i := range n {
		nodes = append(nodes, &model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: fmt.Sprintf("worker-%03d", i)}}, Ready: true})
	}
	i := 0
	for pod := range p.Cluster.Pods() {
		if pod.NodeName != "" {
			moved := *pod
			moved.NodeName = fmt.Sprintf("worker-%03d", i%n)
			nodes = append(nodes, &moved)
			i++
		}
	}
	shared := p.Zones[0].Policies
	p.Cluster, _ = p.Cluster.Upsert(nodes, gone)
	p.Zones = nil
	const followed = 20
	for i := range n {
		name := fmt.Sprintf("worker-%03d", i)
		z := &model.ZoneState{Name: name, Endpoint: "exec:ovn-kubernetes/ovnkube-node-" + name[7:] + "/nb-ovsdb", Server: "ovsdb-server 3.4.1", Conn: model.ConnSwept,
			ConnAt: Now.Add(-time.Duration(2+i%50) * time.Second), Rows: 2013, Policies: shared}
		z.SyncedAt = z.ConnAt
		if i < followed {
			z.Conn, z.SyncedAt = model.ConnSynced, Now
			z.DB = (*nb.DB)(nil).Apply([]nb.RowChange{{New: &nb.Global{UUID: UUID(name), Name: name}}})
		}
		p.Zones = append(p.Zones, z)
	}
	p.Sweep = revision.SweepState{Total: n - followed, Read: n - followed, Oldest: Now.Add(-51 * time.Second), Round: 3}
}

// PolicyBehind makes a policy differ in a zone, as one whose row was altered.
func PolicyBehind(p *revision.Facts, zone string, k model.PolicyKey) {
	alterZone(p, zone, func(z *model.ZoneState) {
		z.Policies = maps.Clone(z.Policies)
		at := z.SyncedAt.Add(-2 * time.Minute)
		in := &model.PolicyInZone{Policy: k, Different: 1, DiffSince: at, Touched: at, LiveACLs: 12,
			Diffs: []model.RowDiff{{Kind: model.DiffDifferent, Table: nb.TableACL, UUID: UUID(zone + k.Name), ID: nb.DefaultController + ":AdminNetworkPolicy:" + k.Name + ":Egress:0:None",
				Fields: []model.FieldDiff{{Column: "action", Desired: "drop", Live: "allow-related"}}}}}
		z.Policies[k] = in
	})
}

// FirewallLeft gives a zone the row that OVN-Kubernetes leaves when an EgressFirewall
// gets shorter, and says whose it is.
func FirewallLeft(p *revision.Facts, zone string) (k model.PolicyKey, uuid string) {
	for f := range p.Cluster.Policies(model.KindEF) {
		k = f.Key
		uuid = UUID(zone + "left")
		row := &nb.ACL{UUID: uuid, Tier: 2, Priority: 10000 - len(f.Egress), Direction: nb.ToLport, Action: nb.ActionDrop, Match: "ip4.dst == 10.0.0.0/8",
			ExternalIDs: nb.IDs(nb.DefaultController, nb.OwnerEgressFirewall, nb.IDPair{Key: nb.KeyName, Value: k.Namespace}, nb.IDPair{Key: nb.KeyRuleIndex, Value: fmt.Sprint(len(f.Egress))})}
		alterZone(p, zone, func(z *model.ZoneState) {
			z.Writes = false
			z.DB = z.DB.Apply([]nb.RowChange{{New: row}})
			z.Policies = maps.Clone(z.Policies)
			at := z.SyncedAt.Add(-2 * time.Minute)
			z.Policies[k] = &model.PolicyInZone{Policy: k, Extra: 1, DiffSince: at, Touched: at, LiveACLs: len(f.Egress) + 1, LivePriority: -1,
				Diffs: []model.RowDiff{{Kind: model.DiffExtra, Table: nb.TableACL, UUID: uuid, ID: row.ID()}}}
		})
		break
	}
	return k, uuid
}

// DeadZone makes a zone one that cannot be reached any more.
func DeadZone(p *revision.Facts, zone string) {
	alterZone(p, zone, func(z *model.ZoneState) {
		z.Conn, z.ConnAt, z.Attempts = model.ConnLost, Now.Add(-4*time.Minute), 9
		z.SyncedAt = Now.Add(-5 * time.Minute)
		z.Error = "pod ovn-kubernetes/ovnkube-node-" + zone[7:] + " is not running: its node is NotReady"
	})
}

func alterZone(p *revision.Facts, zone string, f func(*model.ZoneState)) {
	for i, z := range p.Zones {
		if z.Name == zone {
			next := *z
			f(&next)
			p.Zones[i] = &next
		}
	}
}

// ControllerReports gives a policy the conditions of its zones: ready half an hour ago, failing
// with a message where failed names one.
func ControllerReports(p *revision.Facts, k model.PolicyKey, failed map[string]string, zones ...string) {
	policy := *p.Cluster.Policy(k)
	policy.Conditions = nil
	for i, z := range zones {
		c := model.Condition{Type: revision.ReadyPrefix + z, Status: "True", Reason: "SetupSucceeded", Message: "Setting up OVN DB plumbing was successful",
			Changed: model.Stamp{Time: Now.Add(-30*time.Minute - time.Duration(i)*time.Second)}}
		if text, bad := failed[z]; bad {
			c.Status, c.Reason, c.Message, c.Changed = "False", "SetupFailed", text, model.Stamp{Time: Now.Add(-7 * time.Minute)}
		}
		policy.Conditions = append(policy.Conditions, c)
	}
	p.Cluster, _ = p.Cluster.Upsert([]model.Object{&policy}, nil)
}

package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/dialect"
	"rung/model/ovn/nb"
	"rung/reconciler"
	"rung/revision"
	"rung/sources/manifests"
)

// knownWorld is a namespace of tenant blue with pods on one node, one of another
// tenant, and policies about them.
const knownWorld = `
apiVersion: v1
kind: Node
metadata: {name: w}
---
apiVersion: v1
kind: Namespace
metadata: {name: blue, labels: {tenant: blue}}
---
apiVersion: v1
kind: Namespace
metadata: {name: red, labels: {tenant: red}}
---
apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: a}
spec:
  priority: 5
  subject: {namespaces: {matchLabels: {tenant: red}}}
  ingress:
  - {action: Deny, from: [{namespaces: {matchLabels: {tenant: blue}}}]}
  egress:
  - {action: Allow, to: [{namespaces: {matchLabels: {tenant: blue}}}], ports: [{namedPort: http}]}
  - {action: Allow, to: [{pods: {namespaceSelector: {matchLabels: {tenant: blue}}, podSelector: {matchLabels: {app: web}}}}]}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: "np", namespace: red}
spec:
  podSelector: {}
  ingress: [{from: [{namespaceSelector: {matchLabels: {tenant: blue}}}]}]
---
apiVersion: k8s.ovn.org/v1
kind: EgressFirewall
metadata: {name: default, namespace: blue}
spec:
  egress:
  - {type: Deny, to: {cidrSelector: 1.0.0.0/8}}
  - {type: Deny, to: {cidrSelector: 2.0.0.0/8}}
  - {type: Deny, to: {cidrSelector: 3.0.0.0/8}}
  - {type: Deny, to: {cidrSelector: 4.0.0.0/8}}
`

var knownNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func knownPods() []*model.Pod {
	pod := func(ns, name, ip string, age time.Duration, labels map[string]string) *model.Pod {
		return &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: ns, Name: name}, UID: ns + name, Labels: model.NewLabels(labels), Created: knownNow.Add(-age)},
			NodeName: "w", Phase: "Running", IPs: []string{ip}, Ports: []model.ContainerPort{{Name: "http", Protocol: "TCP", Port: 8080}}}
	}
	web := map[string]string{"app": "web"}
	return []*model.Pod{pod("blue", "web-0", "10.244.0.5", 5*time.Hour, web), pod("blue", "web-1", "10.244.0.6", 4*time.Hour, web),
		pod("blue", "db-0", "10.244.0.7", 5*time.Hour, nil), pod("red", "x", "10.244.0.20", 5*time.Hour, nil)}
}

// knownCase is what happened between the controller's last look and Rung's.
type knownCase struct {
	name string
	// pods changes them; text replaces the policies.
	pods func(pods map[string]*model.Pod)
	text func(string) string
	// seen replaces the policies as Rung saw them first; the rows are of those before.
	seen func(string) string
	// rows changes what the controller left behind.
	rows func(db *nb.DB) []nb.RowChange
	// unwatched says that Rung came after it happened.
	unwatched bool
	// want is "id: code" of every difference of policies, code empty for none.
	want []string
}

func (c *knownCase) run(t *testing.T) *revision.Revision {
	t.Helper()
	read := func(text string, pods []*model.Pod) []model.Object {
		res := manifests.Parse("a.yaml", []byte(text), manifests.Options{})
		for _, b := range res.Broken {
			t.Fatal(b)
		}
		for _, p := range pods {
			res.Objects = append(res.Objects, p)
		}
		return res.Objects
	}
	first := read(knownWorld, knownPods())
	begin := first
	if c.seen != nil {
		begin = read(c.seen(knownWorld), knownPods())
	}
	before, _ := (*model.Cluster)(nil).Upsert(begin, nil)
	was := compiler.Compile(before, compiler.Options{IPv4: true})
	byName := map[string]*model.Pod{}
	for _, p := range knownPods() {
		byName[p.Name] = p
	}
	if c.pods != nil {
		c.pods(byName)
	}
	text := knownWorld
	if c.text != nil {
		text = c.text(text)
	}
	var left []*model.Pod
	for _, p := range byName {
		left = append(left, p)
	}
	now := read(text, left)
	kept := map[model.Key]bool{}
	for _, o := range now {
		kept[o.ObjectKey()] = true
	}
	var gone []model.Key
	for _, o := range first {
		if !kept[o.ObjectKey()] {
			gone = append(gone, o.ObjectKey())
		}
	}
	after, changes := before.Upsert(now, gone)
	d := compiler.Compile(after, compiler.Options{IPv4: true})
	db := dialectRows(first, "w", compiler.Options{IPv4: true})
	if c.rows != nil {
		db = db.Apply(c.rows(db))
	}
	old := knownNow.Add(-time.Hour)
	z := &model.ZoneState{Name: "w", Conn: model.ConnSynced, SyncedAt: knownNow, DB: db}
	z.Policies = reconciler.NewZoneDiffer(d).JudgeZone(reconciler.ZoneRead{Zone: "w", DB: db, At: old})
	f := revision.Facts{At: knownNow, Cluster: after, Desired: d, Zones: []*model.ZoneState{z}, Loaded: true}
	if !c.unwatched {
		f.Past = f.Past.RememberChanges(changes, was)
	}
	return revision.New(f, nil)
}

func (c *knownCase) found(t *testing.T) (out []string) {
	r := c.run(t)
	z := r.Zones[0]
	for _, p := range z.Policies {
		if !p.Policy.Kind.IsPolicy() {
			continue
		}
		causes := revision.KnownCauses(r, z, p)
		for i, d := range p.Diffs {
			text := strings.TrimPrefix(d.ID, nb.DefaultController+":"+string(p.Policy.Kind)+":") + " " + string(d.Kind) + ":"
			if causes != nil && causes[i] != nil {
				text += " " + causes[i].Code
			}
			out = append(out, text)
		}
	}
	slices.Sort(out)
	return out
}

func TestKnown(t *testing.T) {
	move := func(name, ip string) func(map[string]*model.Pod) {
		return func(pods map[string]*model.Pod) { pods[name].IPs = []string{ip} }
	}
	rename := func(pods map[string]*model.Pod) { pods["web-0"].Ports[0].Name = "www" }
	firewall := func(rules int) func(string) string {
		return func(text string) string {
			for i := 4; i > rules; i-- {
				text = strings.Replace(text, fmt.Sprintf("  - {type: Deny, to: {cidrSelector: %d.0.0.0/8}}\n", i), "", 1)
			}
			return text
		}
	}
	without := func(kind string) func(string) string {
		return func(text string) string {
			docs := strings.Split(text, "---\n")
			return strings.Join(slices.DeleteFunc(docs, func(s string) bool { return strings.Contains(s, "kind: "+kind+"\n") }), "---\n")
		}
	}
	set := func(db *nb.DB, id string) *nb.AddressSet {
		s := *db.AddressSetByName(nb.HashedName(nb.DefaultController + ":AdminNetworkPolicy:" + id))
		return &s
	}
	// moved is what a replaced address of web-0 leaves in a.
	moved := func(code string) []string {
		if code != "" {
			code = " " + code
		}
		return []string{"a:Egress:0:tcp-namedPort different:" + code, "a:Egress:0:v4 different:" + code, "a:Egress:1:v4 different:" + code, "a:Ingress:0:v4 different:" + code}
	}
	for _, c := range []knownCase{
		{name: "nothing happened"},
		{name: "an address replaced, seen by Rung", pods: move("web-1", "10.244.0.66"), want: moved("pod-address-unseen")},
		{name: "an address replaced before Rung came, and a younger pod is in the rows", unwatched: true, pods: move("web-0", "10.244.0.55"), want: moved("pod-address-unseen")},
		{name: "the youngest pod's address, before Rung came", unwatched: true, pods: move("web-1", "10.244.0.66"), want: moved("")},
		{name: "the same, and the annotation has the former one", unwatched: true, pods: func(pods map[string]*model.Pod) {
			move("web-1", "10.244.0.66")(pods)
			pods["web-1"].Networks = []model.PodNetwork{{Name: "default", IPs: []string{"10.244.0.6"}}}
		}, want: moved("pod-address-unseen")},
		{name: "the same, and its logical port has the former one", unwatched: true, pods: move("web-1", "10.244.0.66"), rows: func(db *nb.DB) []nb.RowChange {
			old := db.PortByName("blue_web-1")
			now := *old
			now.Addresses = []string{"0a:58:0a:f4:00:06 10.244.0.6"}
			return []nb.RowChange{{Old: old, New: &now}}
		}, want: moved("pod-address-unseen")},
		{name: "a container port renamed", pods: rename, want: []string{"a:Egress:0:tcp-namedPort different: pod-ports-unseen"}},
		{name: "a container port renumbered", pods: func(pods map[string]*model.Pod) { pods["web-0"].Ports[0].Port = 9090 }, want: []string{"a:Egress:0:tcp-namedPort different: pod-ports-unseen"}},
		{name: "all named ports gone", pods: func(pods map[string]*model.Pod) {
			for _, p := range pods {
				p.Ports = nil
			}
		}, want: []string{"a:Egress:0:tcp-namedPort extra: pod-ports-unseen"}},
		{name: "renamed before Rung came, a younger pod is in the rows", unwatched: true, pods: rename, want: []string{"a:Egress:0:tcp-namedPort different: pod-ports-unseen"}},
		{name: "a pod that runs is in no port group", rows: func(db *nb.DB) []nb.RowChange {
			old := db.PortGroupByName(nb.HashedName(nb.DefaultController + ":AdminNetworkPolicy:a"))
			now := *old
			now.Ports = nil
			return []nb.RowChange{{Old: old, New: &now}}
		}, want: []string{"a different:"}},
		{name: "a pod that does not run yet was passed over", pods: func(pods map[string]*model.Pod) { pods["x"].Phase = "Pending" }, rows: func(db *nb.DB) []nb.RowChange {
			old := db.PortGroupByName(nb.HashedName(nb.DefaultController + ":AdminNetworkPolicy:a"))
			now := *old
			now.Ports = nil
			return []nb.RowChange{{Old: old, New: &now}}
		}, want: []string{"a different: pod-passed-over"}},

		// What looks alike and is something else.
		{name: "a pod went and another came, nothing was computed", pods: func(pods map[string]*model.Pod) {
			p := *pods["web-1"]
			p.Name, p.UID, p.IPs, p.Created = "web-2", "new", []string{"10.244.0.66"}, knownNow.Add(-time.Minute)
			delete(pods, "web-1")
			pods["web-2"] = &p
		}, want: moved("")},
		{name: "a pod was made anew under its name", pods: func(pods map[string]*model.Pod) {
			move("web-1", "10.244.0.66")(pods)
			pods["web-1"].UID, pods["web-1"].Created = "new", knownNow.Add(-time.Minute)
		}, want: moved("")},
		{name: "an address replaced and a label with it: that is noticed", pods: func(pods map[string]*model.Pod) {
			move("web-1", "10.244.0.66")(pods)
			pods["web-1"].Labels = model.NewLabels(map[string]string{"app": "web", "touched": "yes"})
		}, want: moved("")},
		{name: "one set was mended by hand", pods: move("web-1", "10.244.0.66"), rows: func(db *nb.DB) []nb.RowChange {
			s := set(db, "a:Ingress:0:v4")
			old := *s
			s.Addresses = slices.Clone(s.Addresses)
			s.Addresses[slices.Index(s.Addresses, "10.244.0.6")] = "10.244.0.66"
			return []nb.RowChange{{Old: &old, New: s}}
		}, want: moved("")[:3]},
		{name: "another pod has the former address", pods: func(pods map[string]*model.Pod) {
			move("web-1", "10.244.0.66")(pods)
			move("x", "10.244.0.6")(pods)
		}, want: moved("")},
		{name: "the priority differs as well: nothing was computed at all", pods: move("web-1", "10.244.0.66"),
			text: func(s string) string { return strings.Replace(s, "priority: 5", "priority: 6", 1) },
			want: append([]string{"a:Egress:1:None different:", "a:Ingress:0:None different:"}, moved("")...)},
		{name: "an address only lacks", rows: func(db *nb.DB) []nb.RowChange {
			s := set(db, "a:Ingress:0:v4")
			old := *s
			s.Addresses = s.Addresses[1:]
			return []nb.RowChange{{Old: &old, New: s}}
		}, want: []string{"a:Ingress:0:v4 different:"}},
		{name: "a number changed by hand in a row", unwatched: true, rows: func(db *nb.DB) []nb.RowChange {
			old := db.ACLByID(nb.DefaultController + ":AdminNetworkPolicy:a:Egress:0:tcp-namedPort")
			now := *old
			now.Match = strings.Replace(now.Match, "10.244.0.6 && tcp.dst == 8080", "10.244.0.6 && tcp.dst == 22", 1)
			return []nb.RowChange{{Old: old, New: &now}}
		}, want: []string{"a:Egress:0:tcp-namedPort different:"}},

		// EgressFirewall (ovn-kubernetes.md#stale-firewall-row).
		{name: "a firewall got shorter", text: firewall(3), want: []string{"blue:3 extra: firewall-row-left"}},
		{name: "by two rules: only the first is left", text: firewall(2), want: []string{"blue:2 extra: firewall-row-left", "blue:3 extra:"}},
		{name: "a firewall is gone", text: without("EgressFirewall"), want: []string{"blue:0 extra:", "blue:1 extra:", "blue:2 extra:", "blue:3 extra:"}},

		// Policies that are gone.
		{name: "a policy is gone, and its rows are there", text: without("AdminNetworkPolicy"),
			want: []string{"a extra:", "a:Egress:0:tcp-namedPort extra:", "a:Egress:0:v4 extra:", "a:Egress:1:None extra:", "a:Egress:1:v4 extra:", "a:Ingress:0:None extra:", "a:Ingress:0:v4 extra:"}},
		{name: "a policy that was refused is gone", text: without("AdminNetworkPolicy"), seen: func(s string) string {
			return strings.Replace(s, "metadata: {name: a}", "metadata: {name: a, annotations: {k8s.ovn.org/acl-logging: bad}}", 1)
		}, want: []string{"a extra: rows-not-deleted", "a:Egress:0:tcp-namedPort extra: rows-not-deleted", "a:Egress:0:v4 extra: rows-not-deleted",
			"a:Egress:1:None extra: rows-not-deleted", "a:Egress:1:v4 extra: rows-not-deleted", "a:Ingress:0:None extra: rows-not-deleted", "a:Ingress:0:v4 extra: rows-not-deleted"}},
		{name: "a policy is gone but for its sets", text: without("AdminNetworkPolicy"), rows: func(db *nb.DB) (out []nb.RowChange) {
			out = append(out, nb.RowChange{Old: db.PortGroupByName(nb.HashedName(nb.DefaultController + ":AdminNetworkPolicy:a"))})
			for a := range db.ACLs() {
				if strings.Contains(a.ID(), ":AdminNetworkPolicy:a:") {
					out = append(out, nb.RowChange{Old: a})
				}
			}
			return out
		}, want: []string{"a:Egress:0:v4 extra: sets-left", "a:Egress:1:v4 extra: sets-left", "a:Ingress:0:v4 extra: sets-left"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			slices.Sort(c.want)
			if diff := cmp.Diff(c.want, c.found(t)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What is remembered of a pod is what OVN-Kubernetes last noticed of it.
func TestRecall(t *testing.T) {
	base := func(change func(*model.Pod)) *model.Pod {
		p := &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: "a", Name: "p"}, UID: "1"}, NodeName: "w", Phase: "Running", IPs: []string{"10.0.0.1"}}
		change(p)
		return p
	}
	same := func(*model.Pod) {}
	address := func(ip string) func(*model.Pod) { return func(p *model.Pod) { p.IPs = []string{ip} } }
	var none *revision.PastState
	d := compiler.Compile(&model.Cluster{}, compiler.Options{})
	steps := func(all ...func(*model.Pod)) string {
		p := none
		for i := 1; i < len(all); i++ {
			ch := model.Change{Old: base(all[i-1])}
			if all[i] != nil {
				ch.New = base(all[i])
			}
			p = p.RememberChanges([]model.Change{ch}, d)
			if all[i] == nil {
				break
			}
		}
		if p == nil || len(p.Pods) == 0 {
			return ""
		}
		was := p.Pods[base(same).Key]
		return strings.Join(was.IPs, " ") + " " + was.NodeName
	}
	for _, c := range []struct{ name, want, got string }{
		{"nothing", "", steps(same, same)},
		{"an address replaced", "10.0.0.1 w", steps(same, address("10.0.0.2"))},
		{"and again", "10.0.0.1 w", steps(same, address("10.0.0.2"), address("10.0.0.3"))},
		{"and back", "", steps(same, address("10.0.0.2"), same)},
		{"then a label", "", steps(same, address("10.0.0.2"), func(p *model.Pod) {
			address("10.0.0.2")(p)
			p.Labels = model.NewLabels(map[string]string{"x": "y"})
		})},
		{"then it goes", "", steps(same, address("10.0.0.2"), nil)},
		{"one more address", "", steps(same, func(p *model.Pod) { p.IPs = append(p.IPs, "10.0.0.2") })},
		{"it begins to run", "", steps(func(p *model.Pod) { p.Phase = "Pending" }, address("10.0.0.2"))},
		{"another pod of the name", "", steps(same, func(p *model.Pod) { p.UID = "2"; p.IPs = []string{"10.0.0.2"} })},
		{"it is being deleted", "", steps(same, func(p *model.Pod) { p.Deleting = true; p.IPs = []string{"10.0.0.2"} })},
		{"its node", "10.0.0.1 ", steps(func(p *model.Pod) { p.NodeName = "" }, same)},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

// What a defect leaves is a finding of its own, with what helps, and what it does not
// explain stays the other.
func TestKnownFindings(t *testing.T) {
	c := knownCase{text: func(text string) string {
		return strings.NewReplacer("  - {type: Deny, to: {cidrSelector: 4.0.0.0/8}}\n", "", "  - {type: Deny, to: {cidrSelector: 3.0.0.0/8}}\n", "").Replace(text)
	}}
	r := c.run(t)
	var got []string
	for _, f := range revision.ZoneFindings(r, knownNow) {
		if f.Policy.Kind == model.KindEF {
			got = append(got, f.Code+": "+f.Message+" → "+f.Remedy)
		}
	}
	const id = "default-network-controller:EgressFirewall:blue:"
	want := []string{
		"known-defect: zone w: ACL " + id + "2 is extra; seen since 11:00:00, for 1h0m0s: OVN-Kubernetes leaves this row when the list of rules gets shorter, a known defect: OVN still enforces it → remove the row from the namespace's port group: OVN-Kubernetes does not",
		"zone-lags: zone w: ACL " + id + "3 is extra; seen since 11:00:00, for 1h0m0s → look at the zone's ovnkube-controller: it has not written these rows",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r.Zones[0].Writes = true
	if revision.KnownCauses(r, r.Zones[0], r.Zones[0].PolicyJoin(model.PolicyKey{Kind: model.KindEF, Namespace: "blue", Name: "default"})) != nil {
		t.Error("where Rung writes, nothing is left by OVN-Kubernetes")
	}
}

// Rows of one defect with different pods behind them are told of with their own: one
// finding for each, of the rows that it is true of.
func TestKnownFindingsOfSeveralPods(t *testing.T) {
	c := knownCase{pods: func(pods map[string]*model.Pod) {
		pods["web-1"].IPs = []string{"10.244.0.66"}
		pods["db-0"].IPs = []string{"10.244.0.77"}
	}}
	var got []string
	for _, f := range revision.ZoneFindings(c.run(t), knownNow) {
		if f.Code == "known-defect" {
			rows, detail, _ := strings.Cut(f.Message, "; seen since 11:00:00, for 1h0m0s: OVN-Kubernetes does not notice when an address of a pod is replaced by another, a known defect: ")
			got = append(got, strings.ReplaceAll(rows, nb.DefaultController+":AdminNetworkPolicy:", "")+" | "+detail)
		}
	}
	slices.Sort(got)
	want := []string{
		"zone w: ACL a:Egress:0:tcp-namedPort differs: match | pod blue/web-1; pod blue/db-0",
		"zone w: Address_Set a:Egress:0:v4 differs: addresses without 10.244.0.66 10.244.0.77 with 10.244.0.6 10.244.0.7 too many; Address_Set a:Ingress:0:v4 differs: addresses without 10.244.0.66 10.244.0.77 with 10.244.0.6 10.244.0.7 too many | pod blue/web-1 has 10.244.0.66 now, and had 10.244.0.6; pod blue/db-0 has 10.244.0.77 now, and had 10.244.0.7",
		"zone w: Address_Set a:Egress:1:v4 differs: addresses without 10.244.0.66 with 10.244.0.6 too many | pod blue/web-1 has 10.244.0.66 now, and had 10.244.0.6",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A refused policy that is gone has its rows, which a controller that is down leaves
// just as well: what is said is true of both.
func TestNotDeletedIsNotClaimed(t *testing.T) {
	d := dialect.NotDeleted
	if !strings.Contains(d.Meaning, "is down, or ") || !strings.Contains(d.Remedy, "make sure the zone's ovnkube-node pod runs") {
		t.Errorf("%s → %s", d.Meaning, d.Remedy)
	}
}

// Causes are worked out once for a judgement, and for the screen beforehand.
func TestCausesAreKept(t *testing.T) {
	c := knownCase{pods: func(pods map[string]*model.Pod) { pods["web-1"].IPs = []string{"10.244.0.66"} }}
	r := c.run(t)
	z := r.Zones[0]
	p := z.PolicyJoin(model.PolicyKey{Kind: model.KindANP, Name: "a"})
	first := revision.KnownCauses(r, z, p)
	next := func(change func(*revision.Facts)) *revision.Revision {
		f := r.Facts
		f.Number++
		change(&f)
		r = revision.New(f, r)
		return r
	}
	if again := revision.KnownCauses(next(func(*revision.Facts) {}), z, p); len(first) == 0 || &first[0] != &again[0] {
		t.Error("worked out twice for the same objects and rows")
	}
	if revision.CachedCauses(r, z, p) == nil {
		t.Error("before anybody works them out beforehand, the screen waits")
	}
	// Other objects: the former causes are at hand until they are worked out anew.
	next(func(f *revision.Facts) { f.Cluster, f.Past = &model.Cluster{}, nil })
	if revision.ExplainBehind(r, knownNow, false) {
		t.Error("causes from other objects are called current")
	}
	if at := revision.CachedCauses(r, z, p); len(at) == 0 || &at[0] != &first[0] {
		t.Error("the screen waits for causes that were worked out before")
	}
	if !revision.ExplainBehind(r, knownNow, true) || !revision.ExplainBehind(r, knownNow, false) {
		t.Error("they are worked out anew, and are not called current")
	}
	// A judgement nobody has explained: the screen does not wait, and then has it.
	next(func(f *revision.Facts) {
		state, judged := *z, *p
		z, p = &state, &judged
		z.Policies = map[model.PolicyKey]*model.PolicyInZone{p.Policy: p}
		f.Zones = []*model.ZoneState{z}
		f.Cluster, f.Past = c.run(t).Cluster, c.run(t).Past
	})
	if revision.CachedCauses(r, z, p) != nil {
		t.Error("the screen worked it out itself")
	}
	if !revision.ExplainBehind(r, knownNow, false) || revision.CachedCauses(r, z, p) == nil || len(revision.SettledZoneFindings(r, knownNow)) == 0 {
		t.Error("what was never explained is explained at once")
	}
}

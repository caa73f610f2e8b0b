package logs

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"rung/model"
	"rung/model/logline"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/revision"
	"rung/sources/manifests"
	"rung/test/changing"
	"rung/test/given"
)

// seen is a dropped line "FROM TO PORT", or one that was dropped on arrival with an "in"
// behind it.
func seen(t *testing.T, rev *revision.Revision, lines ...string) (out []diff.LoggedConnection) {
	t.Helper()
	for _, text := range lines {
		f := strings.Fields(text)
		end := func(text string) verdict.Endpoint {
			if a, err := netip.ParseAddr(text); err == nil {
				return verdict.AddrEnd(a)
			}
			ns, name, _ := strings.Cut(text, "/")
			e := verdict.PodEnd(ns, name)
			e.Addr = netip.MustParseAddr(rev.Cluster.Pod(ns, name).IPs[0])
			return e
		}
		s := diff.LoggedConnection{Lines: 1, LoggedVerdict: verdict.Deny, Stage: model.StageAfterLB, Connection: verdict.Connection{From: end(f[0]), To: end(f[1]), Protocol: verdict.TCP}}
		for _, c := range f[2] {
			s.Connection.Port = s.Connection.Port*10 + uint16(c-'0')
		}
		if len(f) > 3 {
			s.Stage = model.StageToLport
		}
		out = append(out, s)
	}
	return out
}

func TestMake(t *testing.T) {
	wall := strings.Replace(given.ANP("wall", 50, "tenant=blue", "out deny tenant=red", "in deny tenant=red"), "  egress:\n", "  # what leaves\n  egress:\n", 1)
	const twin = "apiVersion: v1\nkind: Pod\nmetadata: {name: NAME, namespace: blue, labels: {app: web}}\n" +
		"spec: {nodeName: worker, containers: [{name: c}]}\nstatus: {phase: Running, podIPs: [{ip: 10.244.0.99}]}\n"
	const nowhere = "apiVersion: v1\nkind: Service\nmetadata: {name: nowhere, namespace: red}\n" +
		"spec: {clusterIP: 10.96.7.7, clusterIPs: [10.96.7.7], selector: {app: nobody}, ports: [{port: 80}]}\n"
	for _, c := range []struct {
		name, target string
		world        []string
		lines        []string
		action       model.Action
		says, has    []string
		fails        string
	}{
		{"into the policy that drops it, which has others in its subject", "wall", []string{wall}, []string{"blue/web-0 red/web-0 80", "blue/web-0 red/web-0 81"}, model.Allow,
			nil, nil, "no rules of ANP wall can cover exactly these lines: it opens 1 pair without log lines: blue/db-1 → red/web-0, TCP 80–81; for example blue/db-1 → red/web-0 tcp 80; use a new policy"},
		{"into the policy that drops it, before the rule that does", "wall", []string{wall}, []string{"blue/web-0 red/web-0 80", "blue/db-1 red/web-0 80"}, model.Allow,
			[]string{"opens only the logged connections.", "1 rule that allows the connections of 2 lines."},
			[]string{"# what leaves", "portNumber", "app: web"}, ""},
		{"a new one before it, about both ends", "door", []string{wall}, []string{"blue/web-0 red/web-0 80"}, model.Allow,
			[]string{"opens only the logged connections.", "2 rules", "New at priority 49."}, []string{"priority: 49", "portNumber", "ingress:", "egress:"}, ""},
		{"a new one at a priority that comes too late", "door=60", []string{wall}, []string{"blue/web-0 red/web-0 80"}, model.Allow, nil, nil,
			"priority 60 does not come before ANP wall, which decides: use a number below 50"},
		{"a new one at the priority of what decides", "door=50", []string{wall}, []string{"blue/web-0 red/web-0 80"}, model.Allow, nil, nil, "use a number below 50"},
		{"denied on arrival as well", "door", []string{wall, given.ANP("gate", 20, "tenant=red", "in deny tenant=blue")}, []string{"blue/web-0 red/web-0 80"}, model.Allow,
			[]string{"2 rules that allow the connections of 1 line. New at priority 19."}, []string{"priority: 19"}, ""},
		{"denied by what comes after all policies of pods", "door", []string{given.EF("blue", "{type: Deny, to: {cidrSelector: 8.8.8.0/24}}")}, []string{"blue/web-0 8.8.8.8 443"}, model.Allow,
			[]string{"1 rule that allows the connections of none of 1 line; 1 stays denied by other rules.", "1 line stays denied: EF blue/default egress 0 decides"}, nil, ""},
		{"a policy about both ends, and about everybody", "all", []string{given.ANP("all", 50, "", "out deny tenant=red", "in deny tenant=blue")}, []string{"blue/web-0 red/web-0 80"}, model.Allow,
			nil, nil, "no rules of ANP all can cover exactly these lines: it opens 10 pairs without log lines"},
		{"twins of a pod, which no label tells apart", "door", []string{wall, strings.Replace(twin, "NAME", "web-9", 1)}, []string{"blue/web-0 red/web-0 80"}, model.Allow,
			[]string{"opens 1 pair without log lines: blue/web-9 → red/web-0, TCP 80; for example blue/web-9 → red/web-0 tcp 80."}, nil, ""},
		{"a baseline that denies", "BANP/default", []string{given.BANP("tenant=blue", "out allow tenant=green")}, []string{"blue/web-0 red/web-0 80", "blue/db-1 red/web-0 80"}, model.Deny,
			[]string{"denies only the logged connections.", "1 rule that denies"}, []string{"kind: BaselineAdminNetworkPolicy", "action: Deny"}, ""},
		{"to a Service that has no endpoint", "door", []string{wall, nowhere}, []string{"blue/web-0 10.96.7.7 80"}, model.Allow, nil, nil,
			"no rule of the policy can match any of these lines"},
		{"to a Service, and to a pod", "door", []string{wall, nowhere}, []string{"blue/web-0 10.96.7.7 80", "blue/web-0 red/web-0 80"}, model.Allow,
			[]string{"allow the connections of 1 line.", "1 line left out: 10.96.7.7 is the ClusterIP of service "}, nil, ""},
		{"a NetworkPolicy, and an address", "blue/np", []string{given.NP("blue", "np", "{podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress, Egress]}")},
			[]string{"blue/web-0 8.8.8.8 443", "monitoring/prom-0 blue/web-0 8080 in"}, model.Allow,
			[]string{"2 rules that allow the connections of 2 lines."}, []string{"cidr: 8.8.8.8/32", "port: 443", "namespaceSelector"}, ""},
		{"addresses of one network", "door", []string{wall}, []string{"blue/web-0 8.8.8.8 443", "blue/web-0 8.8.8.9 443"}, model.Deny,
			[]string{"denies only the logged connections."}, []string{"- 8.8.8.8/31"}, ""},
		{"part of a network that another rule names", "door", []string{given.ANP("net", 50, "tenant=blue", "out deny 8.8.8.8/31")}, []string{"blue/web-0 8.8.8.9 443"}, model.Allow,
			[]string{"opens only the logged connections."}, []string{"- 8.8.8.9/32"}, ""},
		{"pods that nobody can tell apart by the policy", "wall", []string{wall}, []string{"green/web-0 red/web-0 80"}, model.Allow, nil, nil,
			"no rule of the policy can match any of these lines"},
		{"a NetworkPolicy cannot deny", "blue/np", []string{given.NP("blue", "np", "{podSelector: {}}")}, []string{"blue/web-0 red/web-0 80"}, model.Deny, nil, nil,
			"a NetworkPolicy cannot deny"},
	} {
		w := changing.New(t, c.world...)
		rev := w.Current()
		target, err := ParseTarget(rev, c.target, c.action)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		p, err := MakeProposal(t.Context(), rev, target, seen(t, rev, c.lines...))
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		notes := strings.Join(p.Notes(), "\n")
		for _, s := range c.says {
			if !strings.Contains(notes, s) {
				t.Errorf("%s: no %q in\n%s", c.name, s, notes)
			}
		}
		for _, s := range c.has {
			if !strings.Contains(p.Text, s) {
				t.Errorf("%s: no %q in\n%s", c.name, s, p.Text)
			}
		}
		// What was written is what was judged.
		next, broken := manifests.ParsePolicy([]byte(p.Text))
		if next == nil || len(broken) > 0 || next.Key != p.Policy {
			t.Fatalf("%s: %v\n%s", c.name, broken, p.Text)
		}
		want := map[model.Action]verdict.Verdict{model.Allow: verdict.Allow, model.Deny: verdict.Deny}[c.action]
		after := rev.WithPolicies([]model.Object{next}, nil).Verdicts()
		for _, s := range p.Seen {
			a, err := verdict.FromPolicies(after, s.Connection)
			if err != nil || (a.Verdict != want) != (len(p.Kept) > 0) {
				t.Errorf("%s: %s: %s, %v; still %v", c.name, s.Connection, a.Verdict, err, p.Kept)
			}
		}
	}
}

// The first sentence promises no more than what becomes of the lines.
func TestReached(t *testing.T) {
	still := func(v verdict.Verdict, n int) KeptVerdict { return KeptVerdict{Verdict: v, Lines: n} }
	for want, p := range map[string]*Proposal{
		"1 line": {Proposal: &logline.Proposal{Lines: 1}},
		"53 of 181 lines; 128 stay denied by other rules":         {Proposal: &logline.Proposal{Lines: 181}, Kept: []KeptVerdict{still(verdict.Deny, 100), still(verdict.Deny, 28)}},
		"none of 2 lines; 2 stay denied by other rules":           {Proposal: &logline.Proposal{Lines: 2}, Kept: []KeptVerdict{still(verdict.Deny, 2)}},
		"1 of 3 lines; 2 stay denied or undefined by other rules": {Proposal: &logline.Proposal{Lines: 3}, Kept: []KeptVerdict{still(verdict.Deny, 1), still(verdict.Undefined, 1)}},
	} {
		if got := p.reachedText(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestLeft(t *testing.T) {
	w := changing.New(t, given.ANP("wall", 50, "tenant=blue", "out deny tenant=red"))
	rev := w.Current()
	target, _ := ParseTarget(rev, "wall", model.Allow)
	p, err := MakeProposal(t.Context(), rev, target, seen(t, rev, "green/web-0 red/web-0 80", "green/web-0 red/db-1 80"))
	if !errors.Is(err, logline.ErrNothing) || p == nil {
		t.Fatal(p, err)
	}
	want := "2 lines left out: the subject of ANP wall does not select the source; for example green/web-0 → red/web-0 tcp 80."
	if got := strings.Join(LeftTexts(p.Left), "\n"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if _, err := MakeProposal(t.Context(), rev, target, nil); err == nil {
		t.Error("a proposal of nothing")
	}
}

func TestParseTarget(t *testing.T) {
	w := changing.New(t, given.ANP("default", 50, "tenant=blue", "out deny tenant=red"), given.BANP("", "in deny *"), given.ANP("wall", 5, "", "out deny tenant=red"))
	for text, want := range map[string]string{
		"wall":         "ANP wall -1",
		"anp/wall":     "ANP wall -1",
		"BANP/default": "BANP default -1",
		"new":          "ANP new -1",
		"new=7":        "ANP new 7",
		"default":      `"default" is ambiguous: ANP default or BANP default`,
		"wall=7":       "ANP wall already exists: omit the priority",
		"new=100":      `priority "100": use 0 to 99`,
		"new=x":        `priority "x": use 0 to 99`,
		"blue/none":    `no policy "blue/none"; a new policy can only be an AdminNetworkPolicy`,
		" ":            "a name is missing: " + TargetHelp,
	} {
		got, err := ParseTarget(w.Current(), text, model.Allow)
		said := ""
		if err != nil {
			said = err.Error()
		} else {
			said = fmt.Sprint(got.Policy.Label(), " ", got.Priority)
		}
		if said != want {
			t.Errorf("%q: %s, want %s", text, said, want)
		}
	}
}

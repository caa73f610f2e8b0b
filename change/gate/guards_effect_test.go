package gate

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/change/effect"
	"rung/change/guard"
	"rung/model"
	"rung/test/changing"
	"rung/test/given"
)

// Each case is a world, a change, and the guards it runs into: "code policy". says is part
// of the guards' messages, and connections what is said of them.
func TestGuards(t *testing.T) {
	wall := given.ANP("wall", 50, "tenant=blue", "in deny *", "out deny *")
	door := given.ANP("door", 40, "tenant=blue", "in allow team=ops", "out allow name=kube-system udp:5353")
	for _, c := range []struct {
		name              string
		world             []string
		m                 change.Mutation
		want              []string
		says, connections string
	}{
		{"a Deny between tenants", nil, changing.Apply(given.ANP("a", 10, "tenant=blue", "in deny tenant=red")), nil, "", "4 pairs allow → deny"},
		{"a Deny to everywhere without DNS", nil, changing.Apply(given.ANP("a", 10, "tenant=blue", "out deny 0.0.0.0/0")),
			[]string{"dns-cut a", "api-cut a", "system-cut a", "much-cut a"},
			"cuts cluster DNS: 2 pods can no longer reach kube-system/dns-0 on TCP 5353, UDP 5353, for example blue/db-1 → kube-system/dns-0", "allow → deny"},
		{"a Deny to everywhere below DNS and API", []string{given.ANP("need", 5, "tenant=blue", "out allow name=kube-system", "out allow 172.18.0.0/16")},
			changing.Apply(given.ANP("a", 10, "tenant=blue", "out deny 0.0.0.0/0")), []string{"system-cut a", "much-cut a"}, "cuts connections of monitoring (2 pairs)", "allow → deny"},
		{"the API server alone", nil, changing.Apply(given.ANP("a", 10, "tenant=blue", "out deny 172.18.0.0/16")), []string{"api-cut a"},
			"cuts the API server: 2 pods can no longer reach 172.18.0.3 on TCP 6443, for example blue/db-1 → 172.18.0.3 tcp 6443, denied by ANP a egress 0", ""},
		{"nodes on another port", nil, changing.Apply(given.ANP("a", 10, "tenant=blue", "out deny 172.18.0.0/16 tcp:22")), nil, "", ""},
		{"to a system namespace", nil, changing.Apply(given.ANP("a", 10, "name=kube-system", "in deny tenant=red tcp:8080")), []string{"system-cut a"},
			"cuts connections of kube-system (2 pairs) on TCP 8080, for example red/db-1 → kube-system/dns-0 tcp 8080, denied by ANP a ingress 0", "2 pairs allow → deny"},
		{"isolates system pods", nil, changing.Apply(given.NP("kube-system", "a", "{podSelector: {}}")), []string{"dns-cut a", "system-cut a", "much-cut a"},
			"denied by default deny of kube-system, ingress", ""},
		{"the Allow of DNS goes", []string{wall, door}, changing.Remove("door"), []string{"dns-cut door", "system-cut door", "much-cut door", "deletes door"}, "denied by ANP wall egress 0", ""},
		{"the Allow of DNS moves below", []string{wall, door}, changing.Move("door", 60), []string{"dns-cut door", "system-cut door", "much-cut door"}, "denied by ANP wall egress 0", "4 pairs allow → deny"},
		{"the Allow of DNS moves to a tie", []string{wall, door}, changing.Move("door", 50), []string{"dns-cut door", "system-cut door"},
			"may cut cluster DNS: 2 pods may no longer reach kube-system/dns-0 on UDP 5353, for example blue/db-1 → kube-system/dns-0 udp 5353, undefined between", "→ undefined"},
		{"the Deny moves above", []string{wall, door}, changing.Move("wall", 30), []string{"dns-cut wall", "system-cut wall", "much-cut wall"}, "", "4 pairs allow → deny"},
		{"the Allow moves a little", []string{wall, door}, changing.Move("door", 45), nil, "", "no verdict changes"},

		// What the guards of policies alone said falsely.
		{"an Allow goes that another policy denies before and after", []string{given.ANP("first", 10, "tenant=blue", "in deny *"),
			given.ANP("wall", 50, "tenant=blue", "in deny *"), given.ANP("door", 40, "tenant=blue", "in allow team=ops")}, changing.Remove("door"), []string{"deletes door"}, "deletes ANP door",
			"no verdict changes; its rules never apply: ANP first decides first"},
		{"an Allow that cannot match", []string{given.ANP("first", 10, "tenant=blue", "in deny *")}, changing.Apply(given.ANP("door", 40, "tenant=blue", "in allow team=ops")), nil, "",
			"no verdict changes; its rules never apply: ANP first decides first"},
		{"an Allow above another that stays", []string{wall, door, given.ANP("wide", 45, "", "in allow *", "out allow *")}, changing.Remove("door"), []string{"deletes door"}, "",
			"no verdict changes; 4 pairs are decided by another rule"},
		{"a tie stays a tie", []string{given.ANP("a", 40, "tenant=blue", "in allow team=ops"), given.ANP("b", 40, "tenant=blue", "in deny team=ops")},
			changing.Apply(given.ANP("b", 40, "tenant=blue", "in deny team=ops", "in allow tenant=red")), nil, "", "no verdict changes"},
		{"a Deny moves below an Allow", []string{given.ANP("a", 40, "tenant=blue", "in allow team=ops"), given.ANP("b", 30, "tenant=blue", "in deny team=ops")},
			changing.Move("b", 50), []string{"opens b"}, "opens 2 pairs across namespaces, denied today, into blue (2 pairs): for example monitoring/prom-0 → blue/db-1 tcp 80, denied before by ANP b ingress 0",
			"2 pairs deny → allow"},
		{"a tie whose rules interleave by number", []string{given.ANP("a", 40, "tenant=blue", "in allow tenant=green", "in allow team=ops"), given.ANP("b", 30, "tenant=blue", "in pass tenant=red", "in pass tenant=green", "in deny team=ops")},
			changing.Move("b", 40), []string{"opens b"}, "opens 2 pairs across namespaces, denied today, into blue (2 pairs)", "2 pairs deny → allow"},

		{"a Deny goes", []string{wall}, changing.Remove("wall"), []string{"opens wall", "deletes wall"}, "opens 24 pairs across namespaces, denied today, into blue (12 pairs), green (4 pairs), ", "deny → allow"},
		{"an Allow above a Deny", []string{wall}, changing.Apply(door), []string{"opens door"}, "", "deny → allow"},
		{"a NetworkPolicy over the baseline", []string{given.BANP("tenant=blue", "in deny *")},
			changing.Apply(given.NP("blue", "a", "{podSelector: {}, ingress: [{}]}")), []string{"opens a"}, "", "deny → allow"},
		{"what is denied within a namespace", []string{given.ANP("wall", 50, "tenant=blue", "in deny tenant=blue")}, changing.Move("wall", 99), nil, "", "no verdict changes"},
		{"within a namespace it opens", []string{given.NP("blue", "shut", "{podSelector: {}, policyTypes: [Ingress]}")},
			changing.Apply(given.NP("blue", "a", "{podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}")), nil, "", "2 pairs deny → allow"},
		{"from monitoring to every pod", nil, changing.Apply(given.ANP("a", 10, "", "in deny team=ops")), []string{"dns-cut a", "system-cut a", "much-cut a"}, "cuts connections of monitoring (7 pairs), kube-system (1 pair) on any port", "allow → deny"},
		{"every IPv6 address of a cluster that has none", nil, changing.Apply(given.ANP("a", 10, "tenant=blue", "out deny ::/0")), nil, "",
			"no verdict changes"},
		{"logging", []string{wall}, change.Mutation{Op: change.OpLogLevel, Policy: given.ANPKey("wall"), Levels: model.LogLevels{Deny: "alert"}}, nil, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, append(c.world, given.Services)...)
			p, err := w.Gate("").Preview(context.Background(), w.Current(), c.m)
			if err != nil {
				t.Fatal(err)
			}
			if p.Blocked != "" {
				t.Fatalf("blocked: %s", p.Blocked)
			}
			var got []string
			said := ""
			for _, g := range p.Guards {
				got = append(got, g.Code+" "+g.Policy.Name)
				said += g.Message + "\n"
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("guards (-want +got)\n%s%s", diff, said)
			}
			if !strings.Contains(said, c.says) {
				t.Errorf("%q does not say %q", said, c.says)
			}
			text := ""
			if p.Effect != nil {
				text = p.Effect.Text()
			}
			if !strings.Contains(text, c.connections) {
				t.Errorf("%q, want %q", text, c.connections)
			}
			want := ""
			if len(c.want) > 0 {
				_, want, _ = strings.Cut(c.want[0], " ")
			}
			if p.ConfirmName != want {
				t.Errorf("the name to type is %q, want %q", p.ConfirmName, want)
			}
		})
	}
}

// Where it is not known what a change does to connections that is said, and the guards are
// those of the policies alone.
func TestGuardsWhereUnknown(t *testing.T) {
	w := newWorld(t)
	defer func(was time.Duration) { effect.MaxTime = was }(effect.MaxTime)
	effect.MaxTime = time.Nanosecond
	p, err := w.Gate("").Preview(context.Background(), w.Current(), changing.Apply(given.ANP("a", 10, "", "out deny 0.0.0.0/0")))
	if err != nil {
		t.Fatal(err)
	}
	if text := p.Effect.Text(); text != "effect on connections unknown: not computed in time" {
		t.Errorf("%q", text)
	}
	if len(p.Guards) != 3 || p.Guards[2].Code != guard.Unjudged || p.Guards[0].Code != guard.DenySystem || p.Guards[1].Code != guard.DenyAllNetworks || p.ConfirmName != "a" {
		t.Errorf("%v", p.Guards)
	}
}

// A rule that decides nothing is told of where it is new, and not where it was so before.
func TestIdleRules(t *testing.T) {
	wall := given.ANP("wall", 10, "tenant=blue", "in deny *")
	const idle = "ANP door ingress 0 never applies: ANP wall ingress 0 decides first"
	for _, c := range []struct {
		world []string
		m     change.Mutation
		want  bool
	}{
		{[]string{wall}, changing.Apply(given.ANP("door", 40, "tenant=blue", "in allow team=ops")), true},
		{[]string{wall, given.ANP("door", 5, "tenant=blue", "in allow team=ops")}, changing.Move("door", 20), true},
		{[]string{wall, given.ANP("door", 40, "tenant=blue", "in allow team=ops")}, changing.Move("door", 30), false},
		{[]string{given.ANP("wall", 50, "tenant=blue", "in deny *")}, changing.Apply(given.ANP("door", 40, "tenant=blue", "in allow team=ops")), false},
	} {
		w := newWorld(t, c.world...)
		p, err := w.Gate("").Preview(context.Background(), w.Current(), c.m)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(p.Warnings, idle); got != c.want || got != slices.Contains(p.Notes, idle) {
			t.Errorf("%s: %q", p.Title, p.Notes)
		}
	}
}

// What only one end denies, where both did, is said; it is no rail.
func TestHangsOnOneEnd(t *testing.T) {
	wall, net := given.ANP("wall", 50, "tenant=blue", "in deny tenant=red"), given.ANP("net", 60, "tenant=red", "out deny tenant=blue")
	for _, c := range []struct {
		world []string
		m     change.Mutation
		want  string
	}{
		{[]string{wall, net}, changing.Remove("wall"), "4 pairs are still denied by the senders' egress alone (ANP net egress 0): for example red/db-1 → blue/db-1 tcp 80"},
		{[]string{wall, net}, changing.Remove("net"), "4 pairs are still denied by the receivers' ingress alone (ANP wall ingress 0): for example red/db-1 → blue/db-1 tcp 80"},
		{[]string{wall, net}, changing.Move("net", 70), ""},
		{[]string{wall}, changing.Apply(net), ""},
		{[]string{wall, net, given.ANP("more", 70, "tenant=blue", "in deny *")}, changing.Remove("wall"), ""},
	} {
		w := newWorld(t, c.world...)
		p, err := w.Gate("").Preview(t.Context(), w.Current(), c.m)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, n := range p.Notes {
			if strings.Contains(n, "still denied by") {
				got += n
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", p.Title, got, c.want)
		}
	}
}

// A namespace that the configuration names is protected as those of the platform are.
func TestProtectedByConfiguration(t *testing.T) {
	w := newWorld(t)
	deny := changing.Apply(given.ANP("a", 10, "tenant=blue", "in deny tenant=green tcp:8080"))
	for _, protected := range [][]string{nil, {"green"}} {
		g := w.Gate("")
		g.Config.Protected = protected
		p, err := g.Preview(t.Context(), w.Current(), deny)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(p.Guards, func(g change.Guard) bool {
			return g.Code == guard.System && strings.HasPrefix(g.Message, "cuts connections of green (4 pairs) on TCP 8080, ")
		}); got != (protected != nil) {
			t.Errorf("protected %v: %v", protected, p.Guards)
		}
	}
}

package ladder_test

import (
	"strings"
	"testing"

	"rung/model"
	"rung/pages/ladder"
	"rung/revision"
	"rung/test/uitest"
)

// line is that of a policy, as a screen or a command has it.
func line(t *testing.T, r *revision.Revision, opt ladder.LadderOptions, k model.Key) *ladder.Line {
	t.Helper()
	opt.Now, opt.Filtered = uitest.Now, true // a filter looks into every heading
	for _, l := range ladder.LadderLines(r, opt) {
		if l.ID == ladder.PolicyID(k) {
			return l
		}
	}
	t.Fatalf("no line of %s", k)
	return nil
}

// What only the screen said of pods without a port a command says as well, and neither
// gives a priority to what decides nothing: the screen said 10000, the command 0.
func TestToldTheSame(t *testing.T) {
	p := uitest.DemoFacts(t)
	empty := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindEF, Namespace: "green", Name: "default"}}, Tier: model.TierNetwork,
		Subject: model.Subject{Namespace: "green", Pods: model.SelectEverything(), AllPods: true}}
	p.Cluster, _ = p.Cluster.Upsert([]model.Object{empty}, nil)
	waits := model.Key{Kind: model.KindANP, Name: "cluster-control"}
	z := *p.Zones[0]
	z.Policies = map[model.PolicyKey]*model.PolicyInZone{}
	for k, x := range p.Zones[0].Policies {
		judged := *x
		if k == waits {
			judged.Waiting = 2
		}
		z.Policies[k] = &judged
	}
	p.Zones[0] = &z
	r := revision.New(*p, nil)
	for _, opt := range []ladder.LadderOptions{{}, {Screen: true}, {Stage: model.StageToLport}, {Stage: model.StageToLport, Screen: true}} {
		table := ladder.LadderTable(r, opt)
		cell := func(l *ladder.Line, key string) string {
			for _, c := range table.Columns {
				if c.Key == key {
					return c.Cell(l).String()
				}
			}
			t.Fatalf("no column %s", key)
			return ""
		}
		if state := cell(line(t, r, opt, waits), "state"); !strings.HasSuffix(state, "2 pods wait") {
			t.Errorf("%+v: %q", opt, state)
		}
		if priority := cell(line(t, r, opt, empty.Key), "priority"); priority != "" {
			t.Errorf("%+v: an EgressFirewall without rules has priority %q", opt, priority)
		}
	}
}

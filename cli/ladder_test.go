package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/cli/command"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
)

// Live rows that no policy stands for are between the policies by what decides
// first, in a table and in JSON.
func TestLadderWithRowsOfOthers(t *testing.T) {
	anp := func(name string, priority int32) *model.Policy {
		return &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindANP, Name: name}}, Tier: model.TierAdmin,
			Priority: priority,
			Subject:  model.Subject{Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true},
			Egress:   []model.Rule{{Direction: model.Egress, Action: model.Deny}}}
	}
	cluster, _ := (&model.Cluster{}).Upsert([]model.Object{anp("first", 10), anp("second", 20)}, nil)
	acl := func(uuid string, tier, priority int, stage model.Stage, ids map[string]string) nb.RowChange {
		a := &nb.ACL{UUID: uuid, Tier: tier, Priority: priority, Direction: nb.ToLport, Action: nb.ActionDrop,
			ExternalIDs: ids}
		if stage != model.StageToLport {
			a.Direction = nb.FromLport
		}
		if stage == model.StageAfterLB {
			a.Options = map[string]string{nb.OptAfterLB: "true"}
		}
		return nb.RowChange{New: a}
	}
	db := (*nb.DB)(nil).Apply([]nb.RowChange{
		acl("1", 0, 1000, model.StageFromLport, nb.IDs(nb.DefaultController, nb.OwnerUDNIsolation,
			nb.IDPair{Key: nb.KeyName, Value: "DenyPrimaryUDN"}, nb.IDPair{Key: nb.KeyDirection, Value: "Egress"})),
		acl("2", 1, 28500, model.StageAfterLB, nil),
		acl("3", 2, 3000, model.StageToLport, nb.IDs("lab", "Honeypot", nb.IDPair{Key: nb.KeyName, Value: "bees"})),
	})
	r := revision.New(revision.Facts{Cluster: cluster, Loaded: true,
		Zones: []*model.ZoneState{{Name: "alpha", DB: db, Conn: model.ConnSynced, SyncedAt: time.Now()}}}, nil)
	text := func(stage model.Stage) string {
		var out []string
		for _, l := range strings.Split(command.PlainText(ladderAnswer((&command.App{}), r, stage, &Selection{}, time.Now()).Text(false)), "\n")[1:] {
			f := strings.Fields(l)
			out = append(out, strings.Join(f, " "))
		}
		return strings.Join(out, "\n")
	}
	want := `0 1000 ◦ UDN isolation DenyPrimaryUDN, egress 1D 1 1/1 rows of OVN-Kubernetes itself, from-lport
1 ┊ 10 free 0–9
1 10 first ns: all – 1D 0 1 off 0/1 unknown
1 ┊ 9 free 11–19
1 28500 ◦ no owner 1D 1 1/1 rows Rung does not compile (PRIO is OVN's), from-lport-after-lb
1 20 second ns: all – 1D 0 1 off 0/1 unknown
1 ┊ 79 free 21–99
2 3000 ◦ owner Honeypot of controller lab: bees 1D 1 1/1 rows Rung does not compile, to-lport
`
	if diff := cmp.Diff(want, text("")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := text(model.StageFromLport); got != "0 1000 ◦ UDN isolation DenyPrimaryUDN, egress 1D 1 1/1 rows of OVN-Kubernetes itself, from-lport\n" {
		t.Errorf("from-lport:\n%s", got)
	}

	raw, err := json.Marshal(ladderAnswer((&command.App{}), r, model.StageToLport, &Selection{}, time.Now()).Value)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tiers []struct{ Tier int }
		Rows  []map[string]any
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	rows := []map[string]any{{"tier": 2., "stage": "to-lport", "ovn_priority": 3000., "last_ovn_priority": 3000.,
		"owner": "owner Honeypot of controller lab: bees", "form": "unknown", "rows": 1.,
		"actions": map[string]any{"allow": 0., "deny": 1., "pass": 0.}, "zones": []any{"alpha"}}}
	if diff := cmp.Diff(rows, got.Rows); diff != "" || len(got.Tiers) != 4 {
		t.Errorf("%d tiers, rows (-want +got):\n%s", len(got.Tiers), diff)
	}
}

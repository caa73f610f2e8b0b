package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/pages/rows"
	"rung/revision"
)

// A known defect of OVN-Kubernetes is named where it left a row, in words and in JSON,
// and the row is drift all the same.
func TestDriftKnowsTheCause(t *testing.T) {
	const uuid = "00000000-0000-0000-0000-000000000001"
	k := model.PolicyKey{Kind: model.KindEF, Namespace: "a", Name: "default"}
	firewall := &model.Policy{Meta: model.Meta{Key: k}, Tier: model.TierNetwork,
		Subject: model.Subject{Namespace: "a", Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true},
		Egress: []model.Rule{{Direction: model.Egress, Action: model.Deny,
			Peers: []model.Peer{{Kind: model.PeerNetworks, Networks: []string{"10.0.0.0/8"}}}}}}
	cluster, _ := (*model.Cluster)(nil).Upsert([]model.Object{&model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: "a"}}}, firewall}, nil)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := now.Add(-time.Minute)
	r := revision.New(revision.Facts{Cluster: cluster, Loaded: true,
		Zones: []*model.ZoneState{{Name: "w", Conn: model.ConnSynced, SyncedAt: now,
			Policies: map[model.PolicyKey]*model.PolicyInZone{k: {Policy: k, Extra: 1, LivePriority: -1, Touched: at,
				DiffSince: at,
				Diffs: []model.RowDiff{{Kind: model.DiffExtra, Table: nb.TableACL, UUID: uuid,
					ID: "default-network-controller:EgressFirewall:a:1"}}}}}}}, nil)
	out := rows.ListDrift(r, r.Zones, now, model.SettleTime)
	if len(out) != 1 || out[0].Policy != k.String() || out[0].State != model.StateBehind || len(out[0].Rows) != 1 ||
		out[0].Rows[0].UUID != uuid {
		t.Fatalf("%+v", out)
	}
	text := driftText(out, false)
	for _, want := range []string{"extra     ACL",
		"known: OVN-Kubernetes leaves this row when the list of rules gets shorter", "→ remove the row"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	raw, err := json.Marshal(out[0].Rows[0].Known)
	if err != nil || !strings.Contains(string(raw), `"code":"firewall-row-left"`) ||
		!strings.Contains(string(raw), `"doc":"ovn-kubernetes.md#stale-firewall-row"`) {
		t.Errorf("%s %v", raw, err)
	}
	// As long as it settles nothing is said of a cause.
	young := rows.ListDrift(r, r.Zones, at.Add(time.Second), model.SettleTime)
	if len(young) != 1 || young[0].State != model.StateSettling || young[0].Rows[0].Known != nil {
		t.Errorf("%+v", young)
	}
}

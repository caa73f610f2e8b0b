package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"rung/engine/revision"
	"rung/model"
	"rung/ui/uitest"
)

// A known defect of OVN-Kubernetes is named where it left a row, in words and in JSON,
// and the row is drift all the same.
func TestDriftKnowsTheCause(t *testing.T) {
	p := uitest.Demo(t)
	k, uuid := uitest.FirewallLeft(p, "ovn-worker")
	r := revision.New(*p, nil)
	out := drift(r, r.Zones, uitest.Now, model.SettleTime)
	if len(out) != 1 || out[0].Policy != k.String() || out[0].State != model.StateBehind || len(out[0].Rows) != 1 || out[0].Rows[0].UUID != uuid {
		t.Fatalf("%+v", out)
	}
	text := driftText(out, false)
	for _, want := range []string{"extra     ACL", "known: OVN-Kubernetes leaves this row when the list of rules gets shorter", "→ take the row out"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	raw, err := json.Marshal(out[0].Rows[0].Known)
	if err != nil || !strings.Contains(string(raw), `"code":"firewall-row-left"`) || !strings.Contains(string(raw), `"doc":"ovn-kubernetes.md#stale-firewall-row"`) {
		t.Errorf("%s %v", raw, err)
	}
	// As long as it settles nothing is said of a cause.
	in := r.Zone("ovn-worker").Policy(k)
	young := drift(r, r.Zones, in.Touched.Add(time.Second), model.SettleTime)
	if len(young) != 1 || young[0].State != model.StateSettling || young[0].Rows[0].Known != nil {
		t.Errorf("%+v", young)
	}
}

package ladder

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ladder"
	"rung/test/made"
)

func TestLadderJSON(t *testing.T) {
	l := ladder.New(made.LadderCluster(), ladder.Options{Max: 119,
		Broken: []model.Broken{{Origin: model.Origin{File: "a.yaml", Line: 3}, Code: "yaml", Message: "not YAML"}}})
	raw, err := json.Marshal(NewFacts(l))
	if err != nil {
		t.Fatal(err)
	}
	// The contract alone, as a script reads it.
	var got struct {
		Tiers []struct {
			Tier  int
			Kind  string
			Rungs []struct {
				Priority               int
				Policies               []string
				Duplicate, Unsupported bool
			}
			Gaps []struct{ From, To int }
		}
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(got.Tiers)
	want := "[{0 Isolation [] []} {1 AdminNetworkPolicy [{30 [break-glass] false false} {60 [allow-metrics quarantine] true false} " +
		"{120 [experimental experimental-2] true true}] [{0 29} {31 59} {61 119}]} {2 NetworkPolicy [] []} " +
		"{3 BaselineAdminNetworkPolicy [{0 [default] false false}] []}]"
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, part := range []string{`"max_priority":119`, `"counts":{"EgressFirewall":1,"NetworkPolicy":1}`,
		`"conflicts":[{"policies":["allow-metrics","quarantine"],"priority":60,"direction":"Ingress","rule":0,"actions":["Allow","Deny"],"witness":"red/web-1 → blue/web-1 tcp 9090"}]`,
		`"broken":[{"file":"a.yaml","line":3,"code":"yaml","message":"not YAML"}]`,
		`{"kind":"AdminNetworkPolicy","name":"quarantine","subject":"ns: all","ingress":{"allow":0,"deny":1,"pass":0},"egress":{"allow":0,"deny":0,"pass":0}}`} {
		if !strings.Contains(string(raw), part) {
			t.Errorf("%s misses %s", raw, part)
		}
	}
	empty, err := json.Marshal(NewFacts(ladder.New(nil, ladder.Options{})))
	if err != nil || strings.Contains(string(empty), "null") {
		t.Errorf("empty ladder: %s, %v", empty, err)
	}
}

func TestLadderJSONOfAStage(t *testing.T) {
	l := ladder.New(made.Tier2Cluster(), ladder.Options{Units: []model.Key{{Kind: model.KindNetpolDefault,
		Name: "allow-hairpinning"},
		{Kind: model.KindMulticastNS, Namespace: "blue", Name: "default"}}})
	raw, err := json.Marshal(NewFacts(l.OfStage(model.StageToLport)))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"stage":"to-lport"`,
		`{"kind":"EgressFirewall","namespace":"blue","name":"default","stages":[{"stage":"to-lport","ovn_priority":10000,"last_ovn_priority":9999}]}`,
		`{"kind":"NetpolNamespace","namespace":"green","name":"Ingress","stages":[{"stage":"to-lport","ovn_priority":1000,"last_ovn_priority":1000}]}`,
		`{"kind":"NetpolDefault","name":"allow-hairpinning","stages":[{"stage":"to-lport","ovn_priority":1001,"last_ovn_priority":1001}]}`} {
		if !strings.Contains(string(raw), part) {
			t.Errorf("%s misses %s", raw, part)
		}
	}
	if strings.Contains(string(raw), "from-lport-after-lb") || strings.Contains(string(raw), `"rungs":null`) {
		t.Errorf("what is of another stage: %s", raw)
	}
}

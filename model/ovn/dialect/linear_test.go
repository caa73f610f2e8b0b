package dialect

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
)

// rolled is a policy of three rules over the same n pods, each of which has another
// address than the rows, and the facts about it; asked counts what Before is asked.
func rolled(n int, recorded bool) (p *model.PolicyInZone, f *Facts, asked *int) {
	k := model.PolicyKey{Kind: model.KindANP, Name: "a"}
	created := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	pods := make([]*model.Pod, n, n+1)
	was := map[*model.Pod][]*model.Pod{}
	var now, former, want, have []string
	for i := range pods {
		pod := &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: "ns", Name: fmt.Sprint("p", i)}, Created: created},
			Phase: "Running", NodeName: "w", IPs: []string{fmt.Sprintf("10.1.%d.%d", i/250, i%250)},
			Ports: []model.ContainerPort{{Name: "http", Protocol: "TCP", Port: 80}}}
		before := *pod
		before.IPs = []string{fmt.Sprintf("10.2.%d.%d", i/250, i%250)}
		if recorded {
			was[pod] = []*model.Pod{&before}
		}
		pods[i] = pod
		now, former = append(now, pod.IPs[0]), append([]string{before.IPs[0]}, former...)
		item := func(ip string) string { return "(ip4.dst == " + ip + " && tcp.dst == 80)" }
		want, have = append(want, item(pod.IPs[0])), append(have, item(before.IPs[0]))
	}
	if !recorded { // a younger pod is in the rows: they were computed since
		pods = append(pods, &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: "ns", Name: "young"}, Created: created.Add(time.Hour)},
			Phase: "Running", NodeName: "w", IPs: []string{"10.3.0.1"}})
	}
	p = &model.PolicyInZone{Policy: k}
	policy := &model.Policy{Meta: model.Meta{Key: k}}
	id := nb.DefaultController + ":AdminNetworkPolicy:a:Egress:"
	for i := range 3 {
		policy.Egress = append(policy.Egress, model.Rule{Direction: model.Egress, Index: i})
		p.Diffs = append(p.Diffs, model.RowDiff{Kind: model.DiffDifferent, Table: nb.TableAddressSet, ID: fmt.Sprint(id, i, ":v4"),
			Fields: []model.FieldDiff{{Column: "addresses", Missing: now, Extra: former}}})
	}
	if recorded {
		policy.Egress[0].Ports = []model.Port{{Name: "http"}}
		p.Diffs = append(p.Diffs, model.RowDiff{Kind: model.DiffDifferent, Table: nb.TableACL, ID: id + "0:tcp-namedPort", Fields: []model.FieldDiff{{Column: "match"}}})
	}
	asked = new(int)
	row := func(items []string) string {
		return "inport == @a && tcp && (" + strings.Join(items, " || ") + ")"
	}
	return p, &Facts{Policy: policy,
		Peers:    func(model.Direction, int) []*model.Pod { return pods },
		Subjects: func() []*model.Pod { return nil },
		Owned:    func(string) bool { return false },
		Before: func(p *model.Pod) []*model.Pod {
			*asked++
			return was[p]
		},
		Match: func(*model.RowDiff) (desired, live string) { return row(want), row(have) }}, asked
}

// What a pod was is asked once for all rows of a policy, and everything else is asked
// by address: the screen waits for none of it.
func TestLinear(t *testing.T) {
	for _, recorded := range []bool{true, false} {
		const n = 1000
		p, f, asked := rolled(n, recorded)
		began := time.Now()
		causes := ExplainDiffs(p, f)
		took := time.Since(began)
		if causes == nil || *asked > n {
			t.Errorf("recorded %v: explained %v; asked %d times what %d pods were", recorded, causes != nil, *asked, n)
		}
		if took > time.Second { // it takes two milliseconds
			t.Errorf("recorded %v: %v for %d pods", recorded, took, n)
		}
	}
}

func BenchmarkExplain(b *testing.B) {
	for _, recorded := range []bool{true, false} {
		b.Run(fmt.Sprint("recorded=", recorded), func(b *testing.B) {
			p, f, _ := rolled(5000, recorded)
			for b.Loop() {
				if ExplainDiffs(p, f) == nil {
					b.Fatal("not explained")
				}
			}
		})
	}
}

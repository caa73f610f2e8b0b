package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"rung/model"
	"rung/revision"
)

// Ten thousand policies have a bounded number of series, and complete counts.
func TestPolicySeriesAreBounded(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	var objects []model.Object
	units := map[model.PolicyKey]*model.PolicyInZone{}
	for i := range 10_000 {
		p := &model.Policy{Meta: model.Meta{Key: model.PolicyKey{Kind: model.KindANP, Name: fmt.Sprintf("p-%05d", i)}}, Priority: int32(i % 100)}
		objects = append(objects, p)
		in := &model.PolicyInZone{Policy: p.Key, InSync: i%2 == 0}
		if !in.InSync {
			in.Missing, in.DiffSince, in.Touched = 1, now.Add(-time.Duration(i)*time.Second), now.Add(-time.Duration(i)*time.Second)
		}
		units[p.Key] = in
	}
	c, _ := (*model.Cluster)(nil).Upsert(objects, nil)
	z := &model.ZoneState{Name: "n1", Conn: model.ConnSynced, SyncedAt: now, Policies: units}
	r := revision.New(revision.Facts{Number: 1, At: now, Cluster: c, Loaded: true, Zones: []*model.ZoneState{z}}, nil)
	m := newPolicyTimes()
	m.takeRevision(r)
	series, sum := map[string]int{}, 0.0
	m.collect(r, now, func(d *prometheus.Desc, v float64, labels ...string) {
		series[d.String()]++
		if d == policiesByState {
			sum += v
		}
	})
	for d, most := range map[*prometheus.Desc]int{policiesByState: 8, policyInForce: seriesInForce, policyNotInForce: seriesDiffers, policyDiffers: 3 * seriesDiffers} {
		if n := series[d.String()]; n == 0 || n > most {
			t.Errorf("%s: %d series", d, n)
		}
	}
	if sum != 10_000 {
		t.Errorf("%v policies are counted", sum)
	}
}

// The time to rows begins when the change is read, and ends when the zone is in sync with it.
func TestTimeToRows(t *testing.T) {
	at := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	key := model.PolicyKey{Kind: model.KindANP, Name: "p"}
	m := newPolicyTimes()
	take := func(after time.Duration, yaml string, in model.PolicyInZone) {
		p := &model.Policy{Meta: model.Meta{Key: key}, YAML: yaml}
		c, _ := (*model.Cluster)(nil).Upsert([]model.Object{p}, nil)
		in.Policy = key
		z := &model.ZoneState{Name: "n1", Conn: model.ConnSynced, SyncedAt: at, Policies: map[model.PolicyKey]*model.PolicyInZone{key: &in}}
		m.takeRevision(revision.New(revision.Facts{At: at.Add(after), Cluster: c, Loaded: true, Zones: []*model.ZoneState{z}}, nil))
	}
	take(0, "spec: {a: 1}", model.PolicyInZone{InSync: true})
	take(time.Second, "spec: {a: 2}", model.PolicyInZone{Touched: at.Add(time.Second)})
	take(3*time.Second, "spec: {a: 2}", model.PolicyInZone{InSync: true})
	take(4*time.Second, "spec: {a: 2}", model.PolicyInZone{Different: 1, Touched: at.Add(4 * time.Second)})
	take(9*time.Second, "spec: {a: 2}", model.PolicyInZone{InSync: true}) // drift that was mended: no change of the policy
	r := prometheus.NewRegistry()
	r.MustRegister(m.seconds)
	all, err := r.Gather()
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	h := all[0].Metric[0].Histogram
	if h.GetSampleCount() != 1 || h.GetSampleSum() != 2 {
		t.Errorf("%d samples of %v s together, want one of 2 s", h.GetSampleCount(), h.GetSampleSum())
	}
}

package lab

import (
	"context"
	"rung/engine/zones"
	"rung/model"
	"rung/revision"
	"strings"
	"testing"
	"time"
)

// TestChurn: simulated pods come and go at any rate, keep to the families of the
// cluster, and leave pods of other names alone.
func TestChurn(t *testing.T) {
	c, _ := (*model.Cluster)(nil).Upsert(nil, nil)
	l := New(Config{})
	l.Cluster = func() *model.Cluster { return c }
	l.Apply = func(upsert []model.Object, remove []model.Key) { c, _ = c.Upsert(upsert, remove) }
	own := &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: "n", Name: churnPrefix + "0"}}, NodeName: "x", Phase: "Pending"}
	six := &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: "n", Name: "six"}}, NodeName: "x", IPs: []string{"fd00::1"}}
	if k := l.churnPod(0); k != (model.Key{}) {
		t.Errorf("made after no pod: %v", k)
	}
	l.Apply([]model.Object{own, six}, nil)
	for slot := range churnPods {
		l.churnPod(slot)
	}
	pods := 0
	for p := range c.Pods() {
		pods++
		if strings.HasPrefix(p.Name, churnPrefix) && p != own && !strings.HasPrefix(p.IPs[0], "fd00:ffff::") {
			t.Errorf("%s: %v", p.Name, p.IPs)
		}
	}
	if pods != churnPods+1 || c.Pod("n", own.Name) != own {
		t.Errorf("%d pods, of %d", pods, churnPods+1)
	}
	for _, rate := range []float64{1e-300, 0.5, maxRate} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		l.Loop = zones.NewLoop(ctx, time.Now)
		l.Loop.Start(func(*revision.Revision) *revision.Revision { return nil })
		l.runChurn(rate)
		l.Close()
		cancel()
	}
}

// Many nodes or pods are not put on OVN unasked.
func TestTooManyForOVN(t *testing.T) {
	if err := tooManyZones(&model.Cluster{}, autoOVNZones); err != nil {
		t.Error(err)
	}
	const want = "9 nodes and 0 pods; --sandbox-ovn auto is for up to 8 nodes and 500 pods"
	if err := tooManyZones(&model.Cluster{}, autoOVNZones+1); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

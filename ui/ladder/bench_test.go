package ladder_test

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/revision"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

// large is a cluster of 1,000 pods and 50 policies of 20 rules.
func large(tb testing.TB) *revision.Facts {
	sel := func(k, v string) model.Selector {
		s, err := model.NewSelector(&metav1.LabelSelector{MatchLabels: map[string]string{k: v}})
		if err != nil {
			tb.Fatal(err)
		}
		return s
	}
	var objects []model.Object
	for n := range 3 {
		objects = append(objects, &model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: fmt.Sprintf("node-%d", n)}}, Ready: true})
	}
	for n := range 40 {
		ns := fmt.Sprintf("ns-%d", n)
		objects = append(objects, &model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: ns},
			Labels: model.NewLabels(map[string]string{"team": fmt.Sprint(n % 10)})}})
		for i := range 25 {
			objects = append(objects, &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: ns, Name: fmt.Sprintf("pod-%d", i)},
				Labels: model.NewLabels(map[string]string{"app": fmt.Sprint(i % 12)})},
				NodeName: fmt.Sprintf("node-%d", i%3), Phase: "Running", IPs: []string{fmt.Sprintf("10.%d.%d.9", n, i)}})
		}
	}
	for n := range 50 {
		p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindANP, Name: fmt.Sprintf("policy-%d", n)}}, Tier: model.TierAdmin,
			Priority: int32(n*2 - n%5/4), Subject: model.Subject{Namespaces: sel("team", fmt.Sprint(n%10)), Pods: model.SelectEverything(), AllPods: true}}
		for i := range 20 {
			r := model.Rule{Direction: model.Egress, Index: i / 2, Action: model.Allow, Name: fmt.Sprintf("rule-%d", i),
				Peers: []model.Peer{{Kind: model.PeerPods, Namespaces: sel("team", fmt.Sprint((n+i)%10)), Pods: sel("app", fmt.Sprint(i%12))}},
				Ports: []model.Port{{Protocol: "TCP", Start: int32(80 + i), End: int32(80 + i)}}}
			if i%2 == 0 {
				r.Direction = model.Ingress
				p.Ingress = append(p.Ingress, r)
			} else {
				p.Egress = append(p.Egress, r)
			}
		}
		objects = append(objects, p)
	}
	c, _ := (&model.Cluster{}).Upsert(objects, nil)
	parts := &revision.Facts{Number: 1, At: uitest.Now, Cluster: c, Loaded: true, Mode: revision.Mode{Title: "large", Sandbox: true, Writes: true}}
	uitest.Sync(parts)
	return parts
}

// BenchmarkKey is a key press to a whole frame; the goal is 16 ms in the
// pseudo-terminal with everything around it.
func BenchmarkKey(b *testing.B) {
	s := uitest.OpenWith(b, uitest.NewFake(large(b)), ui.Options{Page: nav.NewPage(nav.Ladder), StateDir: b.TempDir()})
	s.Resize(160, 50)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%60 < 30 {
			s.Press("j")
		} else {
			s.Press("k")
		}
	}
}

// BenchmarkRevision is a new revision to a whole frame.
func BenchmarkRevision(b *testing.B) {
	p := large(b)
	s := uitest.OpenWith(b, uitest.NewFake(p), ui.Options{Page: nav.NewPage(nav.Ladder), StateDir: b.TempDir()})
	s.Resize(160, 50)
	b.ReportAllocs()
	for b.Loop() {
		p.Number++
		s.Console.Set(p)
		s.Refresh()
	}
}

package gate

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"rung/bench/workload"
	"rung/change"
	"rung/model"
	"rung/revision"
	"rung/test/changing"
	"rung/test/given"
)

// largeWorld has pods in namespaces of ten tenants and policies of twenty rules.
func largeWorld(t testing.TB, pods, policies int) *world {
	w := newWorld(t)
	var objects []model.Object
	for i := range 200 {
		name := fmt.Sprint("ns", i)
		objects = append(objects, &model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: name},
			Labels: model.NewLabels(map[string]string{"tenant": fmt.Sprint("t", i%10), "kubernetes.io/metadata.name": name})}})
	}
	for i := range pods {
		objects = append(objects, &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: fmt.Sprint("ns", i%200), Name: fmt.Sprint("pod", i)},
			Labels: model.NewLabels(map[string]string{"app": fmt.Sprint("a", i%40)})}, NodeName: "worker", Phase: "Running",
			IPs: []string{fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255)}})
	}
	w.Cluster, _ = w.Cluster.Upsert(objects, nil)
	var text string
	for i := range policies {
		var rules []string
		for r := range 10 {
			rules = append(rules, fmt.Sprintf("in allow tenant=t%d tcp:%d", r, 8000+i), fmt.Sprintf("out deny tenant=t%d tcp:%d", (r+1)%10, 9000+i))
		}
		text += "---\n" + given.ANP(fmt.Sprint("p", i), i%100, fmt.Sprintf("tenant=t%d", i%10), append(rules, "in deny *", "out allow *")...)
	}
	w.Edit(text)
	return w
}

// A preview is read by somebody who waits for it: 10,000 pods, 100 policies of
// 22 rules.
func BenchmarkPreview(b *testing.B) {
	w := largeWorld(b, 10000, 100)
	_ = revision.FindingsOfObjects(w.Rev)
	g := w.Gate("")
	for _, m := range []change.Mutation{changing.Move("p3", 77), changing.Remove("p3"), changing.Apply(given.ANP("new", 0, "", "in deny *"))} {
		b.Run(string(m.Op), func(b *testing.B) {
			for b.Loop() {
				if p, err := g.Preview(context.Background(), w.Current(), m); err != nil || p.Blocked != "" {
					b.Fatalf("%v %s", err, p.Blocked)
				}
			}
		})
	}
}

// BenchmarkPreviewEdit edits one rule where labels are drawn at random: 10,000 pods, 50
// policies of 40 rules. It may take 200 ms.
func BenchmarkPreviewEdit(b *testing.B) {
	c, err := workload.Cluster(workload.W2)
	if err != nil {
		b.Fatal(err)
	}
	w := newWorld(b)
	w.Mu.Lock()
	w.Cluster = c
	w.Publish()
	w.Mu.Unlock()
	var old *model.Policy
	for p := range c.Policies(model.KindANP) {
		old = p
		break
	}
	text := strings.Replace(change.PolicyText(old), "action: Allow", "action: Deny", 1)
	_ = revision.FindingsOfObjects(w.Current())
	w.Current().Verdicts()
	g := w.Gate("")
	flips := 0
	for b.Loop() {
		p, err := g.Preview(context.Background(), w.Current(), changing.Apply(text))
		if err != nil || p.Blocked != "" || p.Effect == nil {
			b.Fatalf("%v %s", err, p.Blocked)
		}
		flips = len(p.Effect.Flips)
	}
	b.ReportMetric(float64(flips), "flips")
}

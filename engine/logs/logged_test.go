package logs

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/test/changing"
	"rung/test/given"
)

// A rule without a hit is idle only while it logs, and its lines would come.
func TestIdleRules(t *testing.T) {
	deny := given.ANP("control", 34, "", "in deny *", "out allow *")
	w := changing.New(t, strings.Replace(deny, "  name: control\n",
		"  name: control\n  annotations:\n    k8s.ovn.org/acl-logging: '{\"deny\":\"alert\"}'\n", 1))
	w.Rev.Mode = revision.Mode{Name: "files", Sandbox: true, Simulated: true}
	l := logWorld(t, w, 100)
	p := w.Current().Cluster.Policy(given.ANPKey("control"))
	tick := func(d time.Duration) {
		w.Mu.Lock()
		defer w.Mu.Unlock()
		w.Now = w.Now.Add(d)
	}
	want := func(what string, made bool, ingress, egress, policy string) {
		t.Helper()
		tick(time.Second)
		s := l.HitSummary(made)
		got := []string{s.UseOfRule(p, p.Rule(model.Ingress, 0)).ShortText(), s.UseOfRule(p, p.Rule(model.Egress, 0)).ShortText(), s.OfPolicy(p).ShortText()}
		if d := cmp.Diff([]string{ingress, egress, policy}, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", what, d)
		}
	}
	want("from the start", true, "logged, no hit", "not logged", "logged, no hit")
	if since := l.HitSummary(true).UseOfRule(p, p.Rule(model.Ingress, 0)).Since; !since.Equal(l.begunAt) {
		t.Errorf("idle since %v, want %v", since, l.begunAt)
	}
	l.takeArrival(arrival{line: line(w, "ANP:control:Ingress:0", "drop", nb.ToLport, "tcp", "10.244.0.3", "10.244.0.4", 80)})
	want("a hit", true, "1", "not logged", "1")
	both := *p
	both.Logging = `{"deny":"info","allow":"info"}`
	l.Observe([]model.Change{{Old: p, New: &both}})
	switched := w.Clock()
	want("the other level is switched on", true, "1", "logged, no hit", "1, 1 rule no hit")
	if since := l.HitSummary(true).UseOfRule(p, p.Rule(model.Egress, 0)).Since; !since.Equal(switched) {
		t.Errorf("idle since %v, want %v: from when it logs", since, switched)
	}
	tick(20 * time.Minute)
	l.takeArrival(arrival{line: line(w, "ANP:control:Ingress:0", "drop", nb.ToLport, "tcp", "10.244.0.3", "10.244.0.4", 80)})
	want("lately", true, "2, 1 in 15 min", "logged, no hit", "2, 1 in 15 min, 1 rule no hit")
	l.Observe([]model.Change{{Old: &both}})
	want("the policy is gone", true, "2, 1 in 15 min", "not logged", "2, 1 in 15 min")
	l.Observe([]model.Change{{New: &both}})
	streams := []logline.Stream{{Zone: "a", State: logline.StreamLost}}
	l.ListStreamsWith(func() []logline.Stream { return streams })
	want("no stream", false, "2, 1 in 15 min", "log not followed", "2, 1 in 15 min")
	streams = append(streams, logline.Stream{Zone: "b", State: logline.StreamOpen})
	want("one of two streams", false, "2, 1 in 15 min", "no hit, 1 node not followed", "2, 1 in 15 min, 1 rule no hit")
}

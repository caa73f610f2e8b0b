package flows_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
)

// Changes of a cluster, and what a run may take for flows once hv_cfg has followed.
const (
	changes     = 30
	soakChanges = 200
	followed    = 2 * time.Second
)

// clusters are what rung demo opens, as it is and with what a cluster may have beside:
// every switch of OVN-Kubernetes on, and two families.
var clusters = []struct {
	name    string
	options compiler.Options
	dual    bool
}{
	{name: "demo"},
	{name: "every switch", options: compiler.Options{Observability: true, AllowICMP: true, Stateless: true, Defaults: compiler.On, Multicast: compiler.On}},
	{name: "dual stack", options: compiler.Options{IPv4: true, IPv6: true, Multicast: compiler.On}, dual: true},
}

// Every logical flow of the ACL stages of a real Southbound database is an ACL's, found by
// its hint, or named as OVN's own, and every ACL has its flows: of the demo, and after
// each change of policies and pods, within 2 s of hv_cfg.
func TestFlowsFound(t *testing.T) {
	seed, n, tried := seedOf(t), changes, clusters[:1]
	if long() {
		n, tried = soakChanges, clusters
	}
	for i, c := range tried {
		t.Run(c.name, func(t *testing.T) {
			objects := demo(t)
			if c.dual {
				objects = dual(objects)
			}
			c.options.ClusterSubnets = []netip.Prefix{netip.MustParsePrefix("10.244.0.0/16")}
			c.options.DNS = map[string][]string{"mirror.example.com": {"192.0.2.80", "198.51.100.80"}}
			w := start(t, objects, c.options)
			f := &finding{world: w, kinds: map[string]int{}}
			f.check("at first")
			draw := &changer{Rand: rand.New(rand.NewPCG(seed, uint64(i))), dual: c.dual}
			for k := range n {
				what, upsert, remove := draw.step(w.cluster)
				w.change(upsert, remove)
				f.check(fmt.Sprintf("after change %d, %s", k+1, what))
			}
			f.report(t)
		})
	}
}

// dual gives pods a second address.
func dual(objects []model.Object) []model.Object {
	out := slices.Clone(objects)
	for i, o := range out {
		if p, ok := o.(*model.Pod); ok && len(p.IPs) == 1 {
			q := *p
			v4 := netip.MustParseAddr(p.IPs[0]).As4()
			q.IPs = []string{p.IPs[0], fmt.Sprintf("fd01::%d:%x", v4[2], v4[3])}
			out[i] = &q
		}
	}
	return out
}

// finding checks a world's flows, and counts.
type finding struct {
	*world
	checks, acls, flows, own, shared int
	kinds                            map[string]int
	rows, made, clean                []time.Duration // until rows are written, until hv_cfg followed, and from then on
}

// check waits until the rows are written and hv_cfg has followed, and then until flows
// and rows agree.
func (f *finding) check(what string) {
	f.t.Helper()
	began := time.Now()
	ctx, cancel := bounded(f.t)
	defer cancel()
	if err := f.written(ctx); err != nil {
		f.t.Fatalf("%s: %v", what, err)
	}
	f.rows = append(f.rows, time.Since(began))
	for _, z := range f.zones {
		raised := time.Now()
		if err := z.raise(ctx); err != nil {
			f.t.Fatalf("%s: %v", what, err)
		}
		done := time.Now()
		f.made = append(f.made, done.Sub(raised))
		late, cancel := context.WithTimeout(ctx, followed)
		err := z.until(late, func() string { return z.disagrees() })
		cancel()
		f.clean = append(f.clean, time.Since(done))
		if err != nil {
			f.t.Fatalf("%s, %v after hv_cfg: %v", what, followed, err)
		}
		raw, err := z.raw(ctx)
		if err != nil {
			f.t.Fatalf("%s: %v", what, err)
		}
		f.tally(what, z, raw)
	}
}

// disagrees says where rows and flows of the zone do not agree.
func (z *zone) disagrees() string {
	j := flow.JoinFlows(z.nb.Load(), z.sb.Load())
	for _, a := range j.ACLs {
		if s := a.State(); s != flow.StateMade && s != flow.StateNoPort || j.WhyMissing(a) != "" && s == flow.StateMade {
			return fmt.Sprintf("ACL %s %q (%s, tier %d) is %s: %s; %s", a.UUID, a.Name, a.Action, a.Tier, s, j.WhyMissing(a), differences(a))
		}
		if why := wrong(a); why != "" {
			return fmt.Sprintf("ACL %s %q (%s, tier %d): %s", a.UUID, a.Name, a.Action, a.Tier, why)
		}
	}
	for _, x := range j.Surplus {
		return fmt.Sprintf("left over: %+v", *x.Row)
	}
	for _, x := range j.Own {
		if x.Own == "a flow of OVN's own" {
			return fmt.Sprintf("not named: %+v", *x.Row)
		}
	}
	if j.UnknownActions > 0 {
		return fmt.Sprintf("%d actions are not known", j.UnknownActions)
	}
	return ""
}

func differences(a *flow.ACL) string {
	var out []string
	for _, f := range a.Flows {
		out = append(out, f.Differs...)
	}
	return strings.Join(append(out, a.Missing...), ", ")
}

// wrong says what of an ACL's flows is not as ovn-kubernetes.md#logical-flows-of-an-acl
// has it: on each switch of the ACL one flow for each hint, that does what the row says.
func wrong(a *flow.ACL) string {
	hints := map[string][]flow.Hint{nb.ActionAllowRelated: {flow.HintAllowNew, flow.HintAllow}, nb.ActionAllow: {flow.HintAllowNew, flow.HintAllow},
		nb.ActionDrop: {flow.HintDrop, flow.HintBlock}, nb.ActionReject: {flow.HintDrop, flow.HintBlock},
		nb.ActionPass: {0}, nb.ActionAllowStateless: {0}}[a.Action]
	got := map[string][]flow.Hint{}
	for _, f := range a.Flows {
		if f.Part != flow.PartEval {
			continue
		}
		for _, d := range f.Datapaths {
			got[d.Name] = append(got[d.Name], f.Hint)
		}
		if f.Row.Priority != a.Priority+flow.PriorityOffset || string(f.Stage) != a.Stage() && model.Stage(a.Stage()) != f.Stage {
			return fmt.Sprintf("priority %d in %s", f.Row.Priority, f.Stage)
		}
		if (f.Log != nil) != a.Log {
			return "log"
		}
		if f.Log != nil && (f.Log.Name != a.Name || f.Log.Severity != severity(a.ACL) || f.Log.Meter != a.Meter+"__"+a.UUID) {
			return fmt.Sprintf("logged as %+v, the row says %q %s", *f.Log, a.Name, a.Severity)
		}
	}
	for _, name := range a.Switches {
		slices.Sort(got[name])
		if !slices.Equal(got[name], hints) {
			return fmt.Sprintf("on %s flows for %v, want %v", name, got[name], hints)
		}
	}
	return ""
}

func severity(a *nb.ACL) string {
	if a.Severity == "" {
		return "info"
	}
	return a.Severity
}

// tally counts, and holds what Rung has read against all flows there are.
func (f *finding) tally(what string, z *zone, raw []rawFlow) {
	f.t.Helper()
	j := flow.JoinFlows(z.nb.Load(), z.sb.Load())
	f.checks++
	f.acls += len(j.ACLs)
	f.own += len(j.Own)
	found := map[string]bool{}
	hints := map[string]bool{}
	for _, a := range j.ACLs {
		hints[a.UUID[:8]] = true
		f.flows += len(a.Flows)
		for _, x := range a.Flows {
			found[x.Row.UUID] = true
			if x.OtherACLHint != "" {
				f.shared++
			}
			f.kinds[string(x.Stage)+" "+a.Action]++
		}
	}
	for _, x := range j.Own {
		found[x.Row.UUID] = true
	}
	seen := 0
	for _, r := range raw {
		acl := strings.Contains(r.stage, "acl")
		switch {
		case acl && !flow.IsACLStage(r.stage):
			f.t.Fatalf("%s: zone %s has a stage of ACLs that Rung does not read: %+v", what, z.name, r)
		case !acl && hints[r.hint]:
			f.t.Fatalf("%s: zone %s has a flow of an ACL in another stage: %+v", what, z.name, r)
		case acl && !found[r.uuid]:
			f.t.Fatalf("%s: zone %s has a flow that was not found: %+v", what, z.name, r)
		case acl:
			seen++
		}
	}
	if seen != len(found) {
		f.t.Fatalf("%s: zone %s has %d flows of ACL stages, %d were found", what, z.name, seen, len(found))
	}
}

func (f *finding) report(t *testing.T) {
	t.Logf("%d times in a zone: %d ACLs with %d flows (%d under the hint of another), %d of OVN's own; none left over, none missing: %v", f.checks, f.acls, f.flows, f.shared, f.own, f.kinds)
	t.Logf("rows written: %s; nb_cfg to hv_cfg: %s; agreed after hv_cfg: %s", spread(f.rows), spread(f.made), spread(f.clean))
	for _, kind := range []string{"from-lport-after-lb allow-related", "from-lport-after-lb drop", "from-lport-after-lb pass", "to-lport allow-related", "to-lport drop", "to-lport pass"} {
		if f.kinds[kind] == 0 {
			t.Errorf("no flows of %s", kind)
		}
	}
}

// spread is median, p99 and maximum.
func spread(d []time.Duration) string {
	d = slices.Sorted(slices.Values(d))
	if len(d) == 0 {
		return "nothing"
	}
	at := func(p int) time.Duration { return d[min(len(d)-1, len(d)*p/100)].Round(100 * time.Microsecond) }
	return fmt.Sprintf("median %v, p99 %v, at most %v (%d)", at(50), at(99), at(100), len(d))
}

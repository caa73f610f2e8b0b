//go:build linux

package e2e_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/plan"
	"rung/revision"
	"rung/test/install"
	"rung/test/ovsdb"
	"rung/test/wait"
)

// crowd are 24 policies, some at one priority.
func crowd() (policies []string, at map[string]int) {
	at = map[string]int{}
	for i := range 24 {
		name := fmt.Sprintf("c%02d", i)
		at[name] = []int{0, 1, 2, 2, 3, 5, 8, 8, 8, 9, 10, 11, 20, 21, 21, 30, 31, 32, 33, 50, 60, 61, 98, 99}[i]
		policies = append(policies, anp(name, at[name], "team="+[]string{"blue", "green", "red", "ops"}[i%4], "in Allow team=green TCP:80", "in Deny *", "out Pass 10.0.0.0/8"))
	}
	return policies, at
}

// watchOrder lets an independent monitor on a zone judge every state of the
// rows: no two policies that were apart are ever tied or the other way round,
// and no policy is ever seen half moved.
func watchOrder(t *testing.T, addr string, at map[string]int) *monitor {
	return acls(t, addr, func(_ []rowEvent, now ladder) error {
		spans := now.spans()
		if len(spans) != len(at) || len(now) != 3*len(at) {
			return fmt.Errorf("%d policies with %d ACLs", len(spans), len(now))
		}
		for a, pa := range at {
			if s := spans[a]; s[1]-s[0] != 1 {
				return fmt.Errorf("%s is half moved: %v", a, s)
			}
			for b, pb := range at {
				// The lower the policy's priority, the higher its ACLs'.
				if pa < pb && spans[a][0] <= spans[b][1] {
					return fmt.Errorf("%s (%d at first, ACLs %v) does not come before %s (%d, %v)", a, pa, spans[a], b, pb, spans[b])
				}
			}
		}
		return nil
	})
}

// A plan of many steps pauses while one zone's server stands still, goes on
// when that does, and no zone ever shows two policies inverted. What the
// stalled zone says meanwhile is known to be old.
func TestStalledZone(t *testing.T) {
	t.Parallel()
	policyKeys, at := crowd()
	c := newCluster(t, append(policyKeys, banp("*", "in Deny team=red"))...)
	r := c.start()
	rev := r.settle()
	var monitors []*monitor
	for _, z := range zoneNames {
		monitors = append(monitors, watchOrder(t, c.address(z), at))
	}
	b, err := plan.BoardOfCluster(rev.Cluster, model.MaxPriority, false)
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.Respace(5, 3)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Steps) < 20 {
		t.Fatalf("only %d steps", len(p.Steps))
	}
	pre, err := r.PreviewPlan(r.ctx, change.RunPlan(&p))
	if err != nil || pre.Blocked != "" {
		t.Fatalf("%v %s", err, pre.Blocked)
	}
	if err := r.BeginPlan(r.ctx, pre, gate.Confirm{Yes: true, Name: pre.ConfirmName, By: "test"}); err != nil {
		t.Fatal(err)
	}
	r.until("a few steps are done", func(rev *revision.Revision) bool { return rev.Plan.Done >= 4 })
	signal(t, c.sockets, "n2", syscall.SIGSTOP)
	stopped := time.Now()
	running := true
	defer func() {
		if running {
			signal(t, c.sockets, "n2", syscall.SIGCONT)
		}
	}()
	rev = r.until("the plan pauses", func(rev *revision.Revision) bool { return rev.Plan.State == revision.PlanWaiting })
	t.Logf("paused %v after SIGSTOP at step %d of %d: %s", time.Since(stopped).Round(time.Millisecond), rev.Plan.Done, rev.Plan.Total, rev.Plan.Why)
	if !strings.Contains(rev.Plan.Why, "n2") {
		t.Errorf("it pauses for %q", rev.Plan.Why)
	}
	done := rev.Plan.Done

	rev = r.until("the zone is known to be lost", func(rev *revision.Revision) bool {
		z := rev.Zone("n2")
		return z.Conn == model.ConnLost && z.Error != ""
	})
	z := rev.Zone("n2")
	age := r.Now().Sub(z.SyncedAt)
	t.Logf("lost after %v: %s; rows %v old, %d attempts; %s", time.Since(stopped).Round(time.Millisecond), z.Error, age.Round(time.Millisecond), z.Attempts, z.Paused)
	if age < 4*time.Second || z.DB == nil || z.Paused == "" {
		t.Errorf("%v old, database %t, paused %q", age, z.DB != nil, z.Paused)
	}
	if s := revision.SummarizePolicy(rev, anpKey("c23"), r.Now()); s.State != model.StateStale || s.Text != "stale n2" || s.InSync != 2 {
		t.Errorf("summary of a policy: %+v", s)
	}
	// The others go on.
	began := time.Now()
	r.change(change.Mutation{Op: change.OpLogLevel, Policy: model.PolicyKey{Kind: model.KindBANP, Name: "default"}, Levels: model.LogLevels{Deny: "alert"}})
	for _, name := range []string{"n1", "n3"} {
		wait.Within(t, patience, name+" goes on", func() bool {
			return byID(t, ovsdb.Dump(t, c.address(name)), nb.TableACL, "BaselineAdminNetworkPolicy:default:Ingress:0:None")["log"] == true
		})
	}
	t.Logf("the others show a change after %v", time.Since(began).Round(time.Millisecond))
	if now := r.Revision().Plan; now.State != revision.PlanWaiting || now.Done != done {
		t.Errorf("the plan went on without the zone: %+v", now)
	}

	signal(t, c.sockets, "n2", syscall.SIGCONT)
	running, began = false, time.Now()
	r.until("the plan is done", func(rev *revision.Revision) bool { return rev.Plan.State == revision.PlanDone })
	if rev := r.Revision(); rev.Plan.Done != len(p.Steps) {
		t.Errorf("%+v", rev.Plan)
	}
	rev = r.settle()
	t.Logf("done %v after SIGCONT", time.Since(began).Round(time.Millisecond))

	for i, name := range zoneNames {
		db := ovsdb.Dump(t, c.address(name))
		asCompiled(t, rev.Cluster, name, db)
		spans := ladderOf(db)
		wait.Within(t, patience, "the monitor of "+name+" has seen it all", func() bool {
			_, seen, _ := monitors[i].state()
			return fmt.Sprint(seen) == fmt.Sprint(spans)
		})
		updates, _, err := monitors[i].state()
		if err != nil {
			t.Errorf("%s, after %d updates: %v", name, updates, err)
		}
		if updates <= len(p.Steps)/2 {
			t.Errorf("%s: only %d updates for %d steps", name, updates, len(p.Steps))
		}
		t.Logf("%s: %d states of the rows judged", name, updates)
		for _, s := range p.Then {
			if got := spans[s.Policy][1]; got != 30000-100*int(s.Priority) {
				t.Errorf("%s: %s has ACLs at %d, planned for %d", name, s.Policy, got, s.Priority)
			}
		}
	}
}

// A zone whose server stands still is known to be lost within ten seconds.
func TestTimingStalledZone(t *testing.T) {
	limit := time.Duration(install.Timing(t)) * 10 * time.Second
	policies, _ := crowd()
	c := newCluster(t, policies...)
	r := c.start()
	r.settle()
	signal(t, c.sockets, "n2", syscall.SIGSTOP)
	defer signal(t, c.sockets, "n2", syscall.SIGCONT)
	r.untilWithin(limit, "the zone is known to be lost", func(rev *revision.Revision) bool {
		z := rev.Zone("n2")
		return z.Conn == model.ConnLost && z.Error != ""
	})
}

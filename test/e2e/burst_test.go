//go:build linux

package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"rung/change"
	"rung/model"
	"rung/revision"
	"rung/test/install"
	"rung/test/ovsdb"
)

func TestKilledInABurst(t *testing.T) { burst(t, 3, 160, false) }

// Longer bursts, with servers that stand still for a while as well.
func TestSoakBursts(t *testing.T) {
	install.Soak(t)
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { burst(t, seed, 500, true) })
	}
}

// burst makes changes of policies and pods in quick succession, while servers
// are killed with SIGKILL and come back: in the end the rows are those of a
// fresh compilation.
func burst(t *testing.T, seed uint64, changes int, stalls bool) {
	c := newCluster(t, banp("*", "in Deny team=red"))
	r := c.start()
	rng := rand.New(rand.NewPCG(seed, 14))
	pick := func(s ...string) string { return s[rng.IntN(len(s))] }
	text := func(name string) string {
		var rules []string
		for range 1 + rng.IntN(4) {
			rules = append(rules, pick("in", "out")+" "+pick("Allow", "Deny", "Pass")+" "+
				pick("team=blue", "team=green", "team=red", "*")+pick("", " TCP:80", " TCP:443", " UDP:53", " http"))
		}
		if rng.IntN(2) == 0 {
			rules = append(rules, "out Deny 192.168.0.0/16")
		}
		return anp(name, rng.IntN(100), pick("team=blue", "team=green", "*"), rules...)
	}
	for i := range 8 {
		r.apply(text(fmt.Sprint("p", i)))
	}
	r.settle()

	lost := make(chan struct{})
	go func() {
		_ = r.WaitFor(r.ctx, func(r *revision.Revision) bool {
			for _, z := range r.Zones {
				if z.Conn == model.ConnLost && z.Error != "" && z.Paused != "" {
					return true
				}
			}
			return false
		})
		close(lost)
	}()
	kills, began := 0, time.Now()
	for i := range changes {
		if stalls && i%40 == 0 {
			zone, long := zoneNames[rng.IntN(len(zoneNames))], time.Duration(rng.IntN(2500))*time.Millisecond
			for _, p := range serversIn(t, c.sockets) {
				// This very process: another may have taken its place when it goes on.
				if strings.Contains(p.command, "/"+zone+".sock ") && syscall.Kill(p.pid, syscall.SIGSTOP) == nil {
					time.AfterFunc(long, func() { _ = syscall.Kill(p.pid, syscall.SIGCONT) })
				}
			}
		}
		if i%20 == 10 {
			signal(t, c.sockets, zoneNames[kills%len(zoneNames)], syscall.SIGKILL)
			kills++
		}
		name := fmt.Sprint("p", rng.IntN(10))
		there := r.Revision().Cluster.Policy(anpKey(name)) != nil
		switch n := rng.IntN(10); {
		case !there || n < 4:
			r.apply(text(name))
		case n < 7:
			to := int32(rng.IntN(100))
			if r.Revision().Cluster.Policy(anpKey(name)).Priority != to {
				r.move(name, to)
			}
		case n < 8:
			r.change(change.Mutation{Op: change.OpDelete, Policy: anpKey(name)})
		default:
			levels := model.LogLevels{Deny: pick("alert", "info", "debug"), Allow: pick("notice", "warning", "info")}
			if r.Revision().Cluster.Policy(anpKey(name)).Logging != levels.AnnotationText() {
				r.change(change.Mutation{Op: change.OpLogLevel, Policy: anpKey(name), Levels: levels})
			}
		}
		if i%5 == 0 {
			pod := fmt.Sprintf("%s/%s-%d", pick("blue", "green", "red"), pick(zoneNames...), rng.IntN(5))
			if _, ok := c.pods[pod]; ok && rng.IntN(2) == 0 {
				delete(c.pods, pod)
			} else {
				node, _, _ := strings.Cut(strings.SplitN(pod, "/", 2)[1], "-")
				c.pods[pod] = fmt.Sprintf("app=%s=10.244.%d.%d", node, 2+i/250, i%250+1)
			}
			c.writePods()
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Logf("%d changes in %v, %d servers killed", changes, time.Since(began).Round(time.Millisecond), kills)
	select {
	case <-lost:
	case <-time.After(patience):
		t.Error("the loss was never to be seen")
	}
	r.until("the last pods are read", func(r *revision.Revision) bool {
		n := 0
		for p := range r.Cluster.Pods() {
			if f := strings.Split(c.pods[p.Namespace+"/"+p.Name], "="); len(f) != 3 || f[2] != p.IPs[0] {
				return false
			}
			n++
		}
		return n == len(c.pods)
	})
	began = time.Now()
	rev := r.settle()
	t.Logf("settled %v after the last change", time.Since(began).Round(time.Millisecond))
	for _, z := range zoneNames {
		// The last pods may still be on their way: "in sync" is judged policy by
		// policy.
		want := wanted(rev.Cluster, z, nil)
		end := time.Now().Add(patience)
		for !equal(want, ovsdb.Dump(t, c.address(z)).Policies()) && time.Now().Before(end) {
			time.Sleep(20 * time.Millisecond)
		}
		asCompiled(t, rev.Cluster, z, ovsdb.Dump(t, c.address(z)))
	}
}

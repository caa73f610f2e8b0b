package kube_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rung/test/install"
	"rung/test/kube/cluster"
	"rung/test/wait"
)

// reportEvery is the time between two signs of life of the agents of these tests: short, so that silence is missed soon.
const reportEvery = 2 * time.Second

// onlooker may look at what policies need, and at what agents write, and run no program in a pod.
const onlooker = "onlooker"

// withAgents makes a cluster ready for agents: their resource, their namespace, and a user that only looks.
func withAgents(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	root, err := install.Root()
	must(t, err)
	definition, err := os.ReadFile(filepath.Join(root, "deploy", "observe", "crd.yaml"))
	must(t, err)
	must(t, c.Apply(t.Context(), string(definition)))
	_, err = c.Kubectl(t.Context(), cluster.Admin, "", "wait", "--for=condition=Established", "--timeout=30s", "crd", "zonereports.rung.dev")
	must(t, err)
	_, err = c.Kubectl(t.Context(), cluster.Admin, "", "create", "namespace", "rung")
	must(t, err)
	var all []permission
	for _, r := range []struct{ group, resources string }{{"", "pods namespaces nodes services events"},
		{"policy.networking.k8s.io", "adminnetworkpolicies baselineadminnetworkpolicies"}, {"networking.k8s.io", "networkpolicies"},
		{"k8s.ovn.org", "*"}, {"k8s.cni.cncf.io", "*"}, {"discovery.k8s.io", "endpointslices"}, {"rung.dev", "zonereports"},
		{"coordination.k8s.io", "leases"}} {
		for resource := range strings.FieldsSeq(r.resources) {
			for _, verb := range []string{"get", "list", "watch"} {
				all = append(all, permission{verb: verb, group: r.group, resource: resource})
			}
		}
	}
	grant(t, c, onlooker, all)
}

// agentOf starts the agent of a zone.
func agentOf(t testing.TB, c *cluster.Cluster, z databases, zone string, more ...string) *replica {
	t.Helper()
	for i, arg := range z.NB() {
		if address, ok := strings.CutPrefix(arg, zone+"="); ok && z.NB()[i-1] == "--nb" {
			return serviceAs(t, c, cluster.Admin, "agent-"+zone, append([]string{"observe", "--nb", zone + "=" + address, "--report-every", reportEvery.String(),
				"--agent", "agent-" + zone}, more...)...)
		}
	}
	t.Fatalf("no database of %s in %v", zone, z.NB())
	return nil
}

// report is the report of a zone, nil if there is none.
func report(t testing.TB, c *cluster.Cluster, zone string) (out *zoneReport) {
	text, err := c.Kubectl(t.Context(), cluster.Admin, "", "get", "zonereport", zone, "-o", "json")
	if err != nil {
		return nil
	}
	var o struct{ Report zoneReport }
	must(t, json.Unmarshal([]byte(text), &o))
	return &o.Report
}

type zoneReport struct {
	Agent     string
	Units     int
	Differing []struct{ Name, State string }
}

// TestObserve: agents on three nodes, and a console of a user who may run nothing in pods. A row that is changed by
// hand is on the screen at once; what an agent said that is dead now is not.
func TestObserve(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	asked, flags := newAudit(t)
	c := start(t, cluster.Config{APIServer: flags})
	small(t, c)
	z, err := c.AddZones(ctx, smallNodes...)
	must(t, err)
	writer := reconcile(t, c, z, "writer")
	asCompiled(t, c, z, smallNodes...)
	withAgents(t, c)
	agents := map[string]*replica{}
	for _, zone := range smallNodes {
		agents[zone] = agentOf(t, c, z, zone)
	}
	for _, zone := range smallNodes {
		wait.Within(t, patience, "the report of "+zone, func() bool {
			r := report(t, c, zone)
			return r != nil && r.Units > 0 && len(r.Differing) == 0
		})
	}

	// Time to rows, as the agents measured it.
	must(t, c.Apply(ctx, anp("timed", 42, "tenant=red", "in Deny tenant=blue")))
	wait.Within(t, patience, "the time to rows is measured", func() bool {
		return strings.Contains(strings.Join(agents["n1"].metric("rung_policy_rows_seconds_count"), ""), `{zone="n1"} 1`)
	})
	if got := agents["n1"].metric("rung_policies"); !strings.Contains(strings.Join(got, "\n"), `state="in sync"`) {
		t.Errorf("rung_policies: %v", got)
	}
	writer.signal(syscall.SIGTERM) // nobody mends rows any more
	wait.Within(t, patience, "the writer ends", func() bool { return !writer.running() })

	d := console(t, c, onlooker)
	d.WaitFor("guard-blue")
	d.Press("3")
	done := phase(t, "observe: start to reported zones")
	d.WaitMatch(`n1 +by agent`)
	d.WaitMatch(`n2 +by agent`)
	done()

	// Drift by hand: the agent tells, and the console shows it.
	_, err = z.Transact(ctx, "n1", `["OVN_Northbound",{"op":"update","table":"ACL","where":[["priority","==",`+fmt.Sprint(30000-42*100)+`]],"row":{"action":"allow"}}]`)
	must(t, err)
	done = phase(t, "observe: a row changed by hand to the screen")
	d.WaitMatch(`n1 +by agent.*timed`)
	done()
	if got := strings.Join(agents["n1"].metric("rung_policy_differing_rows"), "\n"); !strings.Contains(got, `policy="timed"`) {
		t.Errorf("rung_policy_differing_rows: %v", got)
	}

	// A dead agent: the zone is not in sync because it once was.
	agents["n2"].signal(syscall.SIGKILL)
	d.WaitMatch(`n2 +lost`)
	d.WaitFor("silent since")
	// Another agent on the node waits for the Lease, and then reports.
	agents["n2"] = agentOf(t, c, z, "n2", "--agent", "second-n2")
	wait.Within(t, patience, "the second agent reports", func() bool { r := report(t, c, "n2"); return r != nil && r.Agent == "second-n2" })
	d.WaitMatch(`n2 +by agent`)
	for _, r := range asked.of(t, onlooker) {
		if strings.Contains(r.resource, "exec") {
			t.Errorf("the console asked to %s", r)
		}
	}
}

// TestObserveCluster: two replicas judge a whole cluster by the reports of its agents; one leads. Expectations come from a
// file that may change.
func TestObserveCluster(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := start(t, cluster.Config{})
	small(t, c)
	z, err := c.AddZones(ctx, smallNodes...)
	must(t, err)
	reconcile(t, c, z, "writer")
	withAgents(t, c)
	for _, zone := range smallNodes {
		agentOf(t, c, z, zone)
	}
	expect := filepath.Join(t.TempDir(), "expectations")
	replicas := map[string]*replica{}
	for _, name := range []string{"one", "two"} {
		replicas[name] = serviceAs(t, c, onlooker, name, "observe", "--whole-cluster", "--expect", expect, "--report-namespace", "rung",
			"--report-every", reportEvery.String(), "--agent", name, "--log-level", "warn")
	}
	leader := func() (name string) {
		for n, r := range replicas {
			if r.running() && strings.HasSuffix(strings.Join(r.metric("rung_observe_leader"), ""), " 1") {
				name += n
			}
		}
		return name
	}
	// An onlooker may not write the Lease: it says so, and nobody judges.
	wait.Within(t, patience, "it says what it may not", func() bool {
		return strings.Contains(replicas["one"].said(), `cannot create resource \"leases\"`)
	})
	if name := leader(); name != "" {
		t.Errorf("%s leads without a Lease", name)
	}
	_, err = c.Kubectl(ctx, cluster.Admin, "", "-n", "rung", "create", "role", "leader", "--verb=create,update", "--resource=leases.coordination.k8s.io")
	must(t, err)
	_, err = c.Kubectl(ctx, cluster.Admin, "", "-n", "rung", "create", "rolebinding", "leader", "--role=leader", "--user="+onlooker)
	must(t, err)
	wait.Within(t, patience, "one leads", func() bool { return leader() == "one" || leader() == "two" })
	first := leader()
	wait.Within(t, patience, "all agents are fresh", func() bool {
		return strings.Contains(strings.Join(replicas[first].metric("rung_agents"), "\n"), fmt.Sprintf(`state="fresh"} %d`, len(smallNodes)))
	})

	must(t, os.WriteFile(expect, []byte("- {name: blue is shut, expect: allow, from: {namespace: red}, to: {namespace: blue}, port: 80}\n"), 0o600))
	wait.Within(t, patience, "an expectation is broken", func() bool {
		return strings.Contains(strings.Join(replicas[first].metric("rung_expectation_broken"), ""), `name="blue is shut"`)
	})
	must(t, os.WriteFile(expect, []byte("- {name: blue is shut, expect: deny, from: {namespace: red}, to: {namespace: blue}, port: 80}\n"), 0o600))
	wait.Within(t, patience, "it holds", func() bool {
		return strings.Contains(strings.Join(replicas[first].metric("rung_expectations"), "\n"), `result="held"} 1`)
	})

	replicas[first].signal(syscall.SIGKILL)
	second := map[string]string{"one": "two", "two": "one"}[first]
	wait.Within(t, patience, "the other leads", func() bool { return leader() == second })
}

// TestRolesOfAgents: with the printed roles an agent is refused nothing, and uses every right to write. Without one of
// them it says which.
func TestRolesOfAgents(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	log, args := newAudit(t)
	c := start(t, cluster.Config{APIServer: args})
	addKinds(t, c, "crd.antrea.io.yaml", "")
	addKinds(t, c, "k8s.ovn.org.yaml", "clusternetworkconnects.")
	small(t, c)
	withAgents(t, c)
	var all []permission
	for _, role := range []string{"rung-observe-objects", "rung-observe-report", "rung-observe-leases"} {
		all = append(all, permissionsIn(t, role, "deploy/observe/rbac.yaml")...)
	}
	next := 0
	begin := func(t *testing.T, without permission) (user string, r *replica) {
		user = fmt.Sprintf("agent%02d", next)
		next++
		must(t, c.AddNode(ctx, user, 50+next))
		z, err := c.AddZones(ctx, user)
		must(t, err)
		t.Cleanup(z.Close)
		grant(t, c, user, slices.DeleteFunc(slices.Clone(all), func(p permission) bool { return p == without }))
		return user, serviceAs(t, c, user, user, append([]string{"observe", "--report-namespace", user, "--agent", user, "--report-every", reportEvery.String()}, z.NB()...)...)
	}
	user, _ := begin(t, permission{})
	used := func(p permission) bool {
		return slices.ContainsFunc(log.of(t, user), func(r request) bool { return p.covers(r.permission, user) })
	}
	for _, p := range all {
		wait.Within(t, patience, p.String()+" is used", func() bool { return used(p) })
	}
	for _, r := range log.of(t, user) {
		if r.code == http.StatusForbidden {
			t.Errorf("with all permissions it was refused: %s %s", r.permission, r.names)
		}
	}
	for _, p := range all {
		if p.group != "rung.dev" && p.resource != "leases" && p.resource != "adminnetworkpolicies" {
			continue // read like the objects of rung reconcile: TestRolesOfReconcile
		}
		_, r := begin(t, p)
		wait.Within(t, patience, "without "+p.String()+" it says so", func() bool {
			return strings.Contains(r.said(), fmt.Sprintf(`cannot %s resource \"%s\"`, p.verb, p.resource))
		})
	}
}

// TestObserveFaults: the API server hangs and dies, a database is lost and comes back empty, and a report is overwritten:
// the console says so, and never shows a zone as in sync that nobody knows.
func TestObserveFaults(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := start(t, cluster.Config{})
	small(t, c)
	z, err := c.AddZones(ctx, smallNodes...)
	must(t, err)
	writer := reconcile(t, c, z, "writer")
	asCompiled(t, c, z, smallNodes...)
	withAgents(t, c)
	for _, zone := range smallNodes {
		agentOf(t, c, z, zone)
	}
	d := console(t, c, onlooker)
	d.WaitFor("guard-blue")
	d.Press("3").WaitMatch(`n1 +by agent`)
	d.WaitMatch(`n2 +by agent`)
	writer.signal(syscall.SIGTERM)

	// Silence of the API server is silence of the agents, as far as the console can tell.
	must(t, c.StopAPI())
	time.Sleep(4 * reportEvery)
	d.WaitFor("silent since")
	must(t, c.ContAPI())
	d.WaitGone("silent since")
	d.WaitMatch(`n1 +by agent`)
	must(t, c.KillAPI())
	d.WaitFor("silent since")
	must(t, c.StartAPI(ctx))
	d.WaitMatch(`n1 +by agent`)
	d.WaitGone("silent since")

	// A report of somebody else, in the name of another agent.
	forged := `[{"op":"replace","path":"/report/agent","value":"somebody"}]`
	_, err = c.Kubectl(ctx, cluster.Admin, "", "patch", "zonereport", "n1", "--type=json", "-p", forged)
	must(t, err)
	d.WaitFor("the report is by somebody")

	// The database of n2 loses all rows of policies: they are missing, as the agent sees it.
	_, err = z.Transact(ctx, "n2", `["OVN_Northbound",{"op":"update","table":"Port_Group","where":[],"row":{"acls":["set",[]]}}]`)
	must(t, err)
	d.WaitMatch(`n2 +by agent.*(behind|settling)`)
	// And then it is gone.
	z.Close()
	d.WaitMatch(`n2 +lost`)
	d.WaitMatch(`guard-blue +stale +stale`)
}

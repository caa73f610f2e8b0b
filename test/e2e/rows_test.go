//go:build linux

package e2e_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/change/gate"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/test/ovsdb"
	"rung/test/wait"
)

// settledAt waits until all zones show the policy at a priority.
func (r *run) settledAt(name string, priority int32) *revision.Revision {
	r.t.Helper()
	r.until("the rows are there", func(rev *revision.Revision) bool {
		for _, z := range rev.Zones {
			in := z.PolicyJoin(anpKey(name))
			if in == nil || !in.InSync || in.LivePriority != priority || in.None != nil {
				return false
			}
		}
		return true
	})
	return r.settle()
}

// Rows keep their UUIDs over every change that leaves their ids alone; a changed
// id is another row, in the same transaction.
func TestRowsKeepTheirUUIDs(t *testing.T) {
	base := func() string {
		return anp("one", 34, "team=blue", "in Allow team=green TCP:80", "in Deny team=red", "out Allow 10.0.0.0/8 UDP:53")
	}
	c := newCluster(t, base(), anp("other", 60, "team=red", "in Deny *"))
	r := c.start()
	r.settle()
	addr := c.address("n1")
	before := uuids(ovsdb.Dump(t, addr), "one")
	if len(before) != 3+3+1 {
		t.Fatalf("%v", before)
	}
	keeps := func(what string, priority int32, fields string) {
		t.Helper()
		rev := r.settledAt("one", priority)
		db := ovsdb.Dump(t, addr)
		asCompiled(t, rev.Cluster, "n1", db)
		if diff := cmp.Diff(before, uuids(db, "one")); diff != "" {
			t.Errorf("%s (%s): rows were made anew: %s", what, fields, diff)
		}
	}
	r.move("one", 36)
	keeps("a move", 36, "priority")
	r.apply(strings.Replace(strings.Replace(base(), "priority: 34", "priority: 36", 1), "Allow, from", "Pass, from", 1))
	keeps("another action", 36, "action")
	r.apply(strings.Replace(base(), "port: 80", "port: 8443", 1))
	keeps("another port of the same protocol, and back to 34", 34, "ports")
	r.apply(strings.Replace(base(), "subject: {namespaces: {matchLabels: {team: blue}}}", "subject: {namespaces: {}}", 1))
	keeps("another subject", 34, "subject")
	r.apply(strings.Replace(base(), "team: green", "team: ops", 1))
	keeps("another peer", 34, "peers")
	r.change(change.Mutation{Op: change.OpLogLevel, Policy: anpKey("one"), Levels: model.LogLevels{Deny: "alert", Allow: "info"}})
	keeps("logging", 34, "logging")
	if a := byID(t, ovsdb.Dump(t, addr), nb.TableACL, "AdminNetworkPolicy:one:Ingress:1:None"); a["log"] != true || a["severity"] != "alert" {
		t.Errorf("%+v", a)
	}
	r.apply(base())
	keeps("everything as it was", 34, "all")

	// Every update that a monitor sees is one transaction's.
	var seen [][]rowEvent
	m := acls(t, addr, func(changed []rowEvent, _ ladder) error { seen = append(seen, changed); return nil })
	updates := func() [][]rowEvent {
		m.mu.Lock()
		defer m.mu.Unlock()
		out := seen
		seen = nil
		return out
	}
	updates()
	kinds := func(u []rowEvent) (out []string) {
		for _, c := range u {
			out = append(out, c.kind+" "+strings.TrimPrefix(c.id, id("one:")))
		}
		slices.Sort(out)
		return out
	}
	for _, step := range []struct {
		what, text string
		same, anew []string // ids of ACLs
		update     []string
	}{
		// The others move one index on: the ids of before keep their rows, and
		// the last is a new one.
		{"a rule in front of the others", strings.Replace(base(), "  ingress:\n", "  ingress:\n  - {action: Deny, from: [{namespaces: {matchLabels: {team: ops}}}], ports: [{portNumber: {protocol: TCP, port: 22}}]}\n", 1),
			[]string{"Ingress:0:tcp", "Egress:0:udp"}, []string{"Ingress:1:tcp", "Ingress:2:None"},
			[]string{"delete Ingress:1:None", "insert Ingress:1:tcp", "insert Ingress:2:None", "new Ingress:0:tcp"}},
		{"that rule away again", base(),
			[]string{"Ingress:0:tcp", "Egress:0:udp"}, []string{"Ingress:1:None"},
			[]string{"delete Ingress:1:tcp", "delete Ingress:2:None", "insert Ingress:1:None", "new Ingress:0:tcp"}},
		{"another protocol", strings.Replace(base(), "protocol: TCP", "protocol: SCTP", 1),
			[]string{"Ingress:1:None", "Egress:0:udp"}, []string{"Ingress:0:sctp"},
			[]string{"delete Ingress:0:tcp", "insert Ingress:0:sctp"}},
	} {
		was := rowsOf(ovsdb.Dump(t, addr), nb.TableACL, "one")
		r.apply(step.text)
		rev := r.settledAt("one", 34)
		db := ovsdb.Dump(t, addr)
		asCompiled(t, rev.Cluster, "n1", db)
		is := rowsOf(db, nb.TableACL, "one")
		if len(is) != len(step.same)+len(step.anew) {
			t.Errorf("%s: %d ACLs", step.what, len(is))
		}
		for _, end := range step.same {
			if was[id("one:"+end)].UUID() != is[id("one:"+end)].UUID() {
				t.Errorf("%s: %s was made anew", step.what, end)
			}
		}
		for _, end := range step.anew {
			if is[id("one:"+end)] == nil || slices.ContainsFunc(slices.Collect(maps.Values(was)), func(o ovsdb.Record) bool { return o.UUID() == is[id("one:"+end)].UUID() }) {
				t.Errorf("%s: %s is not a new row", step.what, end)
			}
		}
		var got [][]rowEvent
		wait.Within(t, patience, step.what+" in the monitor", func() bool { got = append(got, updates()...); return len(got) > 0 })
		if len(got) != 1 || !cmp.Equal(kinds(got[0]), step.update) {
			t.Errorf("%s: updates %v, want %v in one", step.what, got, step.update)
		}
	}
}

// textOf are the whole rows of a policy as JSON, UUIDs and all.
func textOf(t testing.TB, d ovsdb.Database, policy string) string {
	t.Helper()
	var out []string
	for _, table := range []string{nb.TableACL, nb.TableAddressSet, nb.TablePortGroup} {
		for _, r := range rowsOf(d, table, policy) {
			line, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, table+" "+string(line))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// A policy that OVN-Kubernetes refuses keeps its old rows, and they decide.
func TestFrozen(t *testing.T) {
	base := func() string { return anp("one", 50, "team=blue", "in Allow team=green TCP:80", "in Deny *") }
	c := newCluster(t, base(), anp("other", 60, "team=red", "in Deny *"))
	r := c.start()
	r.settle()
	addr := c.address("n2")
	before := textOf(t, ovsdb.Dump(t, addr), "one")
	frozen := func(what, condition string) {
		t.Helper()
		r.until(what+": frozen", func(rev *revision.Revision) bool {
			s := revision.SummarizePolicy(rev, anpKey("one"), r.Now())
			return s.State == model.StateFrozen && s.Text == "frozen: still enforced at 50"
		})
		if is := textOf(t, ovsdb.Dump(t, addr), "one"); is != before {
			t.Errorf("%s: the rows changed:\n%s\nto\n%s", what, before, is)
		}
		r.until(what+": in the conditions", func(rev *revision.Revision) bool {
			return conditions(rev, "one", "False", "SetupFailed", condition)
		})
		r.until(what+": the other policy follows", func(rev *revision.Revision) bool {
			return revision.SummarizePolicy(rev, anpKey("other"), r.Now()).State == model.StateInSync
		})
	}
	mended := func(what string) {
		t.Helper()
		rev := r.settledAt("one", 50)
		db := ovsdb.Dump(t, addr)
		asCompiled(t, rev.Cluster, "n2", db)
		if is := textOf(t, db, "one"); is != before {
			t.Errorf("%s: the rows are not those of before:\n%s\nto\n%s", what, before, is)
		}
		r.until(what+": in the conditions", func(rev *revision.Revision) bool {
			return conditions(rev, "one", "True", "SetupSucceeded", "Setting up OVN DB plumbing was successful")
		})
	}
	mended("at first")

	r.move("one", 120)
	frozen("moved to 120", "error attempting to add ANP one with priority 120 because, OVNK only supports priority ranges 0-99")
	r.until("an event of every zone", func(rev *revision.Revision) bool {
		return events(rev, "one", "ANPWithUnsupportedPriority",
			"This ANP one has an unsupported priority 120; Please update the priority to a value between 0(highest priority) and 99(lowest priority)")
	})
	// New pods and rules do not come in while it is frozen.
	c.pods["blue/n2-7"] = "app=n2=10.244.3.7"
	c.writePods()
	r.until("the pod is read", func(rev *revision.Revision) bool { return rev.Cluster.Pod("blue", "n2-7") != nil })
	r.apply(strings.Replace(strings.Replace(base(), "priority: 50", "priority: 120", 1), "port: 80", "port: 81", 1))
	frozen("changed at 120", "priority 120")
	delete(c.pods, "blue/n2-7")
	c.writePods()
	r.until("the pod is gone", func(rev *revision.Revision) bool { return rev.Cluster.Pod("blue", "n2-7") == nil })
	r.apply(base())
	mended("moved back")

	r.apply(logging(base(), `{"deny":"loud"}`))
	frozen("a bad logging annotation", "")
	r.apply(logging(strings.Replace(base(), "port: 80", "port: 81", 1), `not json`))
	frozen("another one", "")
	r.apply(base())
	mended("the annotation away")

	// One that was never programmed has no rows that could decide.
	r.apply(anp("late", 100, "team=ops", "in Deny *"))
	r.until("not enforced", func(rev *revision.Revision) bool {
		s := revision.SummarizePolicy(rev, anpKey("late"), r.Now())
		return s.State == model.StateNotEnforced && s.Text == "not enforced: above 99"
	})
	if rows := textOf(t, ovsdb.Dump(t, addr), "late"); rows != "" {
		t.Errorf("rows of a policy that is not enforced: %s", rows)
	}
	// Two at one priority work, with an event of the later one.
	r.apply(anp("twin", 50, "team=green", "in Deny *"))
	r.settledAt("twin", 50)
	r.until("an event of the twin", func(rev *revision.Revision) bool {
		return events(rev, "twin", "ANPWithDuplicatePriority", "This ANP twin has a conflicting priority with ANP one:Please verify your rules are "+
			"non-lapping between all policies at same priority to avoid undefined behavior") && conditions(rev, "twin", "True", "SetupSucceeded", "")
	})
	r.change(change.Mutation{Op: change.OpDelete, Policy: anpKey("twin")})
	r.settle()

	// A CIDR that cannot be one never gets as far as the rows: neither through
	// the gate nor by the file.
	for _, cidr := range []string{"10.0.0.0/33", "::ffff:10.0.0.0/104", "ten"} {
		p, err := r.Preview(r.ctx, change.Mutation{Op: change.OpApply, YAML: []byte(base() + "  egress: [{action: Deny, to: [{networks: ['" + cidr + "']}]}]\n")})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Errors) == 0 || p.Blocked == "" {
			t.Errorf("%s was taken: %+v", cidr, p)
		}
		if _, err := r.Commit(r.ctx, p, gate.Confirm{Yes: true, Name: p.ConfirmName}); err == nil {
			t.Errorf("%s was committed", cidr)
		}
		c.write("policies.yaml", base()+"  egress: [{action: Deny, to: [{networks: ['"+cidr+"']}]}]\n"+anp("other", 61, "team=red", "in Deny *"))
		r.until(cidr+" is broken", func(rev *revision.Revision) bool {
			return slices.ContainsFunc(rev.Broken, func(b model.Broken) bool { return b.IsError() && strings.Contains(b.String(), "one") }) &&
				rev.Cluster.Policy(anpKey("other")).Priority == 61
		})
		c.write("policies.yaml", base()+anp("other", 60, "team=red", "in Deny *"))
		r.until(cidr+" is mended", func(rev *revision.Revision) bool {
			return len(rev.Broken) == 0 && rev.Cluster.Policy(anpKey("other")).Priority == 60
		})
	}
	mended("after bad CIDRs")
}

// conditions says whether every zone reports the same about a policy.
func conditions(rev *revision.Revision, policy, status, reason, message string) bool {
	n := 0
	for _, c := range rev.Conditions(anpKey(policy)) {
		zone, ok := strings.CutPrefix(c.Type, "Ready-In-Zone-")
		if ok && slices.Contains(zoneNames, zone) && c.Status == status && c.Reason == reason && strings.Contains(c.Message, message) && !c.Changed.IsZero() {
			n++
		}
	}
	return n == len(zoneNames)
}

// events says whether every zone reported an event about a policy.
func events(rev *revision.Revision, policy, reason, message string) bool {
	var from []string
	for _, e := range rev.Events(anpKey(policy)) {
		if e.Reason == reason && e.Message == message && e.Type == "Warning" {
			from = append(from, e.Reporter)
		}
	}
	slices.Sort(from)
	return slices.Equal(from, zoneNames)
}

package engine

import (
	"context"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/sources/sandbox"
	"rung/test/lab"
	"rung/test/wait"
)

// A Southbound database given by its address is read once somebody looks at flows, and
// let go some time later. Missing and surplus flows are told with their cause: northd
// stands still. Without the database the rows are there all the same.
func TestSouthboundOfLab(t *testing.T) {
	defer wait.NoLeaks(t)
	z, _, end := lab.One(t)
	defer end()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	e, err := New(ctx, Config{Mode: revision.Mode{Name: "rows", Title: "x"}, NB: map[string]string{"n1": z.NB()}, SB: map[string]string{"n1": z.SB()}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	r := &liveRun{Engine: e, t: t, ctx: ctx}
	rev := r.until("the rows", func(r *revision.Revision) bool { z := r.Zone("n1"); return z != nil && z.DB != nil })
	if s := rev.Southbound("n1"); s == nil || s.Followed || s.Endpoint != z.SB() || s.DB != nil {
		t.Fatalf("nobody looked at flows yet: %+v", s)
	}
	var sw string
	for s := range rev.Zone("n1").DB.Switches() {
		if s.Name == "n1" {
			sw = s.UUID
		}
	}
	add := nb.Mutation{Column: "acls", Insert: true, Refs: []nb.Ref{{Name: "a"}}}
	if err := z.Transact(ctx, nb.Op{Kind: nb.OpInsert, Table: nb.TableACL, UUIDName: "a", Row: map[string]any{"direction": "to-lport", "priority": 1001,
		"match": "ip4.dst == 10.9.9.9", "action": "drop", "log": true, "name": "mine", "severity": "info", "tier": 2}},
		nb.Op{Kind: nb.OpMutate, Table: nb.TableSwitch, UUID: sw, Mutations: []nb.Mutation{add}}); err != nil {
		t.Fatal(err)
	}
	if _, err := z.WaitSynced(ctx); err != nil {
		t.Fatal(err)
	}
	mine := func(r *revision.Revision) *nb.ACL {
		for a := range r.Zone("n1").DB.ACLs() {
			if a.Name == "mine" {
				return a
			}
		}
		return nil
	}
	flowsOf := func(r *revision.Revision) revision.ACLFlows {
		a := mine(r)
		if a == nil {
			return revision.ACLFlows{}
		}
		return revision.FlowsOfACL(r, r.Zone("n1"), a, e.Now())
	}
	e.LookAtFlows("n1", "nowhere")
	rev = r.until("the flows", func(r *revision.Revision) bool { return flowsOf(r).State == flow.StateMade })
	f := flowsOf(rev)
	if len(f.Flows) != 1 || f.Flows[0].Row.Priority != 2001 || f.Flows[0].Log == nil || f.Flows[0].Log.Name != "mine" || f.Text != "1 flow on n1." {
		t.Errorf("flows of the ACL: %+v", f)
	}
	if p := revision.ReadProgress(rev, rev.Zone("n1")); !p.Known || !p.IsTracked() || p.BehindText(e.Now()) != "" {
		t.Errorf("progress %+v: %q", p, p.BehindText(e.Now()))
	}

	// northd stands still: a number that is raised is not followed, a changed row not made.
	if err := lab.Stop(z, sandbox.Northd); err != nil {
		t.Fatal(err)
	}
	if err := z.Transact(ctx, nb.Op{Kind: nb.OpUpdate, Table: nb.TableACL, UUID: mine(rev).UUID, Row: map[string]any{"priority": 1002}},
		nb.Op{Kind: nb.OpUpdate, Table: nb.TableGlobal, UUID: rev.Zone("n1").DB.Global().UUID,
			Row: map[string]any{"nb_cfg": int(rev.Zone("n1").DB.Global().Written.Cfg) + 100}}); err != nil {
		t.Fatal(err)
	}
	rev = r.until("old flows", func(r *revision.Revision) bool { return flowsOf(r).State == flow.StateOld })
	if text := flowsOf(rev).Text; !strings.HasPrefix(text, "Made of an older row") || !strings.Contains(text, ": northd is behind: rows #") {
		t.Errorf("it says %q; %+v", text, rev.Zone("n1").DB.Global())
	}
	wait.Within(t, wait.Patience, "northd is behind", func() bool {
		r := e.Revision()
		p := revision.ReadProgress(r, r.Zone("n1"))
		return strings.HasPrefix(p.BehindText(e.Now()), "northd is behind for 2 s")
	})
	if err := z.Transact(ctx, nb.Op{Kind: nb.OpMutate, Table: nb.TableSwitch, UUID: sw,
		Mutations: []nb.Mutation{{Column: "acls", Refs: []nb.Ref{{UUID: mine(rev).UUID}}}}}); err != nil {
		t.Fatal(err)
	}
	rev = r.until("surplus flows", func(r *revision.Revision) bool {
		return revision.TallyFlows(r, r.Zone("n1"), e.Now()).Surplus == 1
	})
	if text := revision.TallyFlows(rev, rev.Zone("n1"), e.Now()).Text; !strings.HasPrefix(text, "1 flow of a deleted ACL") {
		t.Errorf("it says %q", text)
	}
	if err := lab.Cont(z, sandbox.Northd); err != nil {
		t.Fatal(err)
	}
	r.until("nothing left over", func(r *revision.Revision) bool {
		return revision.TallyFlows(r, r.Zone("n1"), e.Now()).Text == "" && revision.TallyFlows(r, r.Zone("n1"), e.Now()).Known
	})

	// A server that died is told, with what was read; one that stands still blocks nobody.
	if err := lab.Kill(z, sandbox.SBServer); err != nil {
		t.Fatal(err)
	}
	rev = r.until("the loss", func(r *revision.Revision) bool { return r.Southbound("n1").Conn == model.ConnLost })
	if s := rev.Southbound("n1"); s.Error == "" || s.DB == nil || s.SyncedAt.IsZero() || rev.Zone("n1").Conn != model.ConnSynced {
		t.Errorf("%+v, zone %s", s, rev.Zone("n1").Conn)
	}
	r.until("it is back", func(r *revision.Revision) bool { return r.Southbound("n1").IsCurrent() })

	if err := lab.Stop(z, sandbox.SBServer); err != nil {
		t.Fatal(err)
	}
	if err := z.Transact(ctx, nb.Op{Kind: nb.OpInsert, Table: nb.TableAddressSet, Row: map[string]any{"name": "later"}}); err != nil {
		t.Fatal(err)
	}
	r.until("rows beside a server that stands still", func(r *revision.Revision) bool { return r.Zone("n1").DB.AddressSetByName("later") != nil })
	if err := lab.Cont(z, sandbox.SBServer); err != nil {
		t.Fatal(err)
	}
}

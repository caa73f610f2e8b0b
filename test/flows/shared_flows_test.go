package flows_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
	"rung/test/lab"
)

// swap takes ACLs off the port group and puts others on, in one transaction.
func (n *node) swap(off []string, on ...map[string]any) error {
	db, err := nbdb.Dial(nbdb.Config{Addr: n.NB(), AnyName: true}).Read(n.t.Context())
	if err != nil {
		return err
	}
	var ops []nb.Op
	var gone, come []nb.Ref
	for _, uuid := range off {
		gone = append(gone, nb.Ref{UUID: uuid})
	}
	for i, row := range on {
		id := fmt.Sprint("acl", i)
		ops, come = append(ops, sandbox.InsertOp(nb.TableACL, id, row)), append(come, nb.Ref{Name: id})
	}
	return n.Transact(n.t.Context(), append(ops, nb.Op{Kind: nb.OpMutate, Table: nb.TablePortGroup, UUID: db.PortGroupByName(group).UUID,
		Mutations: []nb.Mutation{{Column: "acls", Refs: gone}, {Column: "acls", Insert: true, Refs: come}}})...)
}

// joined holds the zone's rows against its flows, once these have followed.
func (n *node) joined() *flow.JoinedFlows {
	n.t.Helper()
	n.sync()
	ctx, cancel := bounded(n.t)
	defer cancel()
	up, err := nbdb.Dial(nbdb.Config{Addr: n.NB(), AnyName: true}).Read(ctx)
	if err != nil {
		n.t.Fatal(err)
	}
	down, err := nbdb.DialSouthbound(nbdb.Config{Addr: n.SB()}).Read(ctx)
	if err != nil {
		n.t.Fatal(err)
	}
	return flow.JoinFlows(up, down)
}

// ACLs that differ in nothing a flow has share one, under the hint of one of them, and
// northd may leave that hint when its ACL changes or goes: it does where it works on what
// changed, not where it makes all flows anew, as it sometimes does on a busy machine
// (ovn-kubernetes.md#acls-that-share-flows). Join finds the flow of every ACL either way.
func TestFlowsShared(t *testing.T) {
	n := alone(t, unbound)
	row := func(name string) map[string]any {
		return map[string]any{"priority": 1000, "tier": 2, "direction": nb.ToLport, "action": nb.ActionDrop, "name": name,
			"match": "outport == @" + group + " && udp.dst == 77"}
	}
	// stand says of each ACL by its name: how it stands, and whose hint its flow has.
	stand := func() (string, []string) {
		t.Helper()
		j := n.joined()
		names := map[string]string{}
		uuids := make([]string, 0, len(j.ACLs))
		for _, a := range j.ACLs {
			names[a.UUID[:8]] = a.Name
			uuids = append(uuids, a.UUID)
		}
		var own, shared, gone int
		for _, a := range j.ACLs {
			if a.State() != flow.StateMade || len(a.Flows) != 1 {
				t.Errorf("%s is %s with %d flows: %s", a.Name, a.State(), len(a.Flows), differences(a))
				continue
			}
			switch twin := a.Flows[0].OtherACLHint; {
			case twin == "":
				own++
			case names[twin] != "":
				shared++
			default:
				gone++
			}
		}
		for _, f := range j.Surplus {
			t.Errorf("left over: %+v", *f.Row)
		}
		return fmt.Sprintf("own %d, of another %d, of one that is gone %d", own, shared, gone), uuids
	}
	check := func(what string, want ...string) []string {
		t.Helper()
		got, uuids := stand()
		if !slices.Contains(want, got) {
			t.Errorf("%s: hints: %s, want %s", what, got, strings.Join(want, " or "))
		}
		return uuids
	}
	const ownOne, both, anew = "own 1, of another 0, of one that is gone 0", "own 1, of another 1, of one that is gone 0", "own 2, of another 0, of one that is gone 0"
	const left = "own 0, of another 0, of one that is gone 1"
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(n.swap(nil, row("a")))
	all := check("one", ownOne)
	do(n.swap(all, row("b")))
	all = check("replaced in one transaction", left, ownOne)
	do(n.swap(all))
	check("none", "own 0, of another 0, of one that is gone 0")
	do(n.swap(nil, row("c"), row("d")))
	check("two", both)
	var holder string
	for _, a := range n.joined().ACLs {
		if a.Flows[0].OtherACLHint == "" {
			holder = a.UUID
		}
	}
	do(n.Transact(t.Context(), nb.Op{Kind: nb.OpUpdate, Table: nb.TableACL, UUID: holder, Row: map[string]any{"priority": 1001}}))
	check("whose hint it was moved on", both, anew)
	do(n.swap([]string{holder}))
	check("and went", left, ownOne)
}

// ovn-controller refuses the flows of an ACL whose name it cannot read, and the ACL decides
// nothing: what it should drop is delivered (ovn-kubernetes.md#log-action). Join says so.
func TestNamesRefused(t *testing.T) {
	n := alone(t, unbound)
	for i, c := range []struct {
		name    string
		refused bool
	}{
		{"x", false}, {`a"b`, true}, {`a\`, true}, {`a\qb`, true}, {`\n`, false}, {strings.Repeat("x", 63), false},
		{strings.Repeat("日", 21), false}, {strings.Repeat("日", 22), true}, {"a\x1b;b{", false},
	} {
		port := uint16(2000 + i)
		if err := n.swap(nil, map[string]any{"priority": 1000, "direction": nb.ToLport, "action": nb.ActionDrop, "log": true, "name": c.name,
			"severity": "info", "match": fmt.Sprintf("outport == @%s && udp.dst == %d", group, port)}); err != nil {
			t.Fatal(err)
		}
		j := n.joined()
		out, err := lab.SendLogged(t.Context(), n.Zone, []sandbox.Packet{{EntryPort: n.pods[0].lport, Src: n.pods[0].v4, Dst: n.pods[1].v4, Proto: sandbox.UDP, SrcPort: 9, DstPort: port}})
		if err != nil {
			t.Fatal(err)
		}
		lines := len(aclLines(t, n.written()))
		if got := out[0].Delivered(n.pods[1].lport); got != c.refused || (lines == 0) != c.refused {
			t.Errorf("%q: delivered %v with %d lines, want %v", c.name, got, lines, c.refused)
		}
		for _, a := range j.ACLs {
			if !strings.HasSuffix(a.Match, fmt.Sprint(port)) {
				continue
			}
			if said := strings.Contains(j.WhyMissing(a), "cannot read the name"); said != c.refused || a.State() != flow.StateMade {
				t.Errorf("%q is %s: %q, %s", c.name, a.State(), j.WhyMissing(a), differences(a))
			}
		}
	}
	// The database refuses what has more than 63 characters.
	if err := n.swap(nil, map[string]any{"priority": 1, "direction": nb.ToLport, "action": nb.ActionDrop, "match": "1", "name": strings.Repeat("x", 64)}); err == nil {
		t.Error("the database takes a name of 64 characters")
	}
}

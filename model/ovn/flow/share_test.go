package flow_test

import (
	"slices"
	"strings"
	"testing"

	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
)

// onGroup puts an ACL on the port group of another.
func (z *zone) onGroup(t *testing.T, of *nb.ACL, acl *nb.ACL) {
	t.Helper()
	for i, g := range z.PortGroups {
		if slices.Contains(g.ACLs, of.UUID) {
			c := *g
			c.ACLs = append(slices.Clone(g.ACLs), acl.UUID)
			z.PortGroups[i] = &c
			return
		}
	}
	t.Fatalf("no port group has %s", of.UUID)
}

// northd makes one flow for ACLs that are alike, and leaves its hint when the ACL of that
// hint goes or changes.
func TestSharedFlows(t *testing.T) {
	z := realZone(t)
	one := z.acl(t, "ANP:cluster-control:Egress:4") // passes, and does not log
	two := *one
	two.UUID, two.Name = "99999999-0000-4000-8000-000000000001", "another name, which no flow has"
	z.onGroup(t, one, &two)
	stands := func(j *flow.JoinedFlows, a *nb.ACL, twin string) {
		t.Helper()
		x := of(t, j, a)
		if x.State() != flow.StateMade || len(x.Flows) != 1 || x.Flows[0].OtherACLHint != twin || j.WhyMissing(x) != "" {
			t.Errorf("%s %s is %s with %d flows, cause %q", a.UUID, a.Name, x.State(), len(x.Flows), j.WhyMissing(x))
		}
	}
	hint := one.UUID[:8]
	with := func(j *flow.JoinedFlows, a *nb.ACL, want ...*nb.ACL) {
		t.Helper()
		got := of(t, j, a).Flows[0].SharedBy
		if !slices.EqualFunc(got, want, func(g, w *nb.ACL) bool { return g.UUID == w.UUID }) {
			t.Errorf("%s shares with %d: %+v", a.UUID, len(got), got)
		}
	}
	j := flow.JoinFlows(z.rows(&two), z.flows())
	stands(j, one, "")
	stands(j, &two, hint)
	with(j, one, one, &two)
	with(j, &two, one, &two)
	const want = "87 flows of 46 ACLs · 11 ACLs without ports in this zone" // the shared one is counted once
	if got := j.SummaryText(); got != want {
		t.Errorf("summary %q, want %q", got, want)
	}

	j = flow.JoinFlows(z.rows(&two).Apply([]nb.RowChange{{Old: one}}), z.flows())
	stands(j, &two, hint)
	with(j, &two)
	if len(j.Surplus) != 0 {
		t.Errorf("left over: %+v", j.Surplus[0].Row)
	}

	moved := *one
	moved.Priority++
	var flows []flow.Row
	for _, f := range z.Flows {
		if f.Hint == hint {
			c := *f
			c.UUID, c.Priority = "99999999-0000-4000-8000-00000000000f", c.Priority+1
			flows = append(flows, &c)
		}
	}
	j = flow.JoinFlows(z.rows(&two, &moved), z.flows(flows...))
	stands(j, &moved, "")
	stands(j, &two, hint)

	// A label is in the flow: its ACL shares with none that has no label.
	two.Label = 7
	if x := of(t, flow.JoinFlows(z.rows(&two), z.flows()), &two); x.State() != flow.StateMissing {
		t.Errorf("with a label it is %s", x.State())
	}
}

// A flow of the level, name or meter that its ACL had before is an old one.
func TestOldLog(t *testing.T) {
	z := realZone(t)
	for what, change := range map[string]func(*nb.ACL){
		"severity alert, the row says info": func(a *nb.ACL) { a.Severity = "" },
		"another name":                      func(a *nb.ACL) { a.Name = "renamed" },
		"another meter":                     func(a *nb.ACL) { a.Meter = "" },
	} {
		a := *z.acl(t, "ANP:quarantine:Egress:0")
		change(&a)
		x := of(t, flow.JoinFlows(z.rows(&a), z.flows()), &a)
		if x.State() != flow.StateOld || !slices.Equal(x.Flows[0].Differs, []string{what}) {
			t.Errorf("%s: the ACL is %s, %v", what, x.State(), x.Flows[0].Differs)
		}
	}
}

// A name in a log action that ovn-controller cannot read: the flow is in no node.
func TestUnreadableName(t *testing.T) {
	for name, want := range map[string]bool{`x`: false, `a"b`: true, `a\`: true, `a\q`: true, `a\n`: false, "a\x1b": false,
		strings.Repeat("x", 63): false, strings.Repeat("x", 64): true, strings.Repeat("日", 21): false, strings.Repeat("日", 22): true} {
		z := realZone(t)
		a := *z.acl(t, "ANP:quarantine:Egress:0")
		for i, f := range z.Flows {
			if f.Hint == a.UUID[:8] {
				c := *f
				c.Actions = strings.Replace(c.Actions, `"`+a.Name+`"`, `"`+name+`"`, 1)
				z.Flows[i] = &c
			}
		}
		a.Name = name
		j := flow.JoinFlows(z.rows(&a), z.flows())
		x := of(t, j, &a)
		if got := strings.Contains(j.WhyMissing(x), "cannot read the name"); got != want || x.State() != flow.StateMade {
			t.Errorf("%q is %s, cause %q, %v", name, x.State(), j.WhyMissing(x), x.Flows[0].Differs)
		}
	}
}

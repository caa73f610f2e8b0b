package flow

import (
	"encoding/json"
	"slices"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
)

// Priorities of OVN's own flows in the ACL stages (ovn-kubernetes.md#logical-flows-of-an-acl).
const (
	prioNoACLs  = 65535
	prioRelated = 65533 // replies logged by an ACL with a label
	prioFixed   = 65532
	prioOwn     = 34000
)

// flowPurpose is the purpose of some of OVN's own flows. They are of a part and a range of priorities (any if
// high is 0). Their match, as northd writes it, is equal to match, begins with begins, and contains in.
type flowPurpose struct {
	part              StagePart
	low, high         int
	match, begins, in string
	text              string
}

// ownPurposes are tried in order; the last of each part fits every flow.
var ownPurposes = []flowPurpose{
	{part: PartBefore, in: "inport ==", text: "a port without connection tracking, such as the router's"},
	{part: PartBefore, in: "outport ==", text: "a port without connection tracking, such as the router's"},
	{part: PartBefore, in: "svc_monitor_mac", text: "health checks of load balancers skip connection tracking"},
	{part: PartBefore, in: "nd_rs", text: "neighbour discovery, MLD and DHCPv6 skip connection tracking"},
	{part: PartBefore, match: "eth.mcast", text: "multicast skips connection tracking"},
	{part: PartBefore, in: "icmp4.type == 3", text: "\"packet too big\" skips connection tracking"},
	{part: PartBefore, low: 1, high: prioNoACLs, match: "ip", text: "IP packets go to connection tracking"},
	{part: PartBefore, text: "everything else goes on"},

	{part: PartHint, match: "1", text: "no ACLs, or nothing to tell apart"},
	{part: PartHint, in: "!ct.trk", text: "untracked packets"},
	{part: PartHint, begins: "ct.new", text: "new connections"},
	{part: PartHint, in: "ct_mark.blocked == 1", text: "connections that a Deny has marked"},
	{part: PartHint, begins: "!ct.est", text: "packets of no established connection"},
	{part: PartHint, text: "established connections"},

	{part: PartSample, match: "1", text: "nothing is sampled"},
	{part: PartSample, text: "sends samples for observability"},

	{part: PartEval, low: prioNoACLs, high: prioNoACLs, text: "no ACLs here"},
	{part: PartEval, low: prioFixed, high: prioNoACLs, in: "ct.inv", text: "invalid packets, and replies of cut connections, are dropped"},
	{part: PartEval, low: prioFixed, high: prioNoACLs, in: "allow_established", text: "connections that an ACL lets through for as long " +
		"as they last"},
	{part: PartEval, low: prioFixed, high: prioNoACLs, in: "!ct.est && ct.rel", text: "packets related to an allowed connection, such as " +
		"ICMP errors"},
	{part: PartEval, low: prioFixed, high: prioNoACLs, in: "ct.rpl", text: "replies of allowed connections"},
	{part: PartEval, low: prioFixed, high: prioNoACLs, begins: "nd", text: "neighbour discovery and MLD"},
	{part: PartEval, low: prioFixed, high: prioNoACLs, begins: "reg0[", text: "was let through before load balancing, as a reply or for good"},
	{part: PartEval, low: prioOwn, high: prioOwn, in: "svc_monitor_mac", text: "health checks of load balancers"},
	{part: PartEval, low: prioOwn, high: prioOwn, text: "answers of OVN's own DHCP and DNS"},
	{part: PartEval, match: "ip && !ct.est", text: "no ACL of this tier decides: the new connection is remembered"},
	{part: PartEval, in: "ct.est && ct_mark.blocked == 1", text: "no ACL of this tier decides: the cut connection is let through again"},
	{part: PartEval, match: "1", text: "no ACL of this tier decides"},
	{part: PartEval, text: "a flow of OVN's own"},
}

// PurposeText returns the purpose of a flow without an ACL; it is never empty.
func (r *Reading) PurposeText(priority int) string {
	for _, p := range ownPurposes {
		if p.part == r.Part && (p.high == 0 || p.low <= priority && priority <= p.high) && (p.match == "" || p.match == r.Match) &&
			strings.HasPrefix(r.Match, p.begins) && strings.Contains(r.Match, p.in) {
			return p.text
		}
	}
	return r.carryingOutText()
}

// carryingOutText returns the purpose of a flow that carries out a verdict.
func (r *Reading) carryingOutText() string {
	switch r.Verdict {
	case ActAllow:
		return "let through: an ACL allowed it"
	case ActDrop:
		return "dropped: an ACL said so"
	case ActReject:
		return "rejected: an ACL said so"
	}
	for _, a := range r.Acts {
		switch a.Code {
		case ActTier:
			return "no ACL of this tier decided: " + a.Text
		case ActDrop:
			return "no ACL decided: dropped"
		}
	}
	return "no ACL decided: let through"
}

// sharedFlowKey is the common key of ACLs that share flows.
type sharedFlowKey struct {
	part     StagePart
	stage    model.Stage
	priority int // the ACL's
	match    string
}

// shareFlows gives ACLs without flows the flows that northd made once for several ACLs. The hint names one of
// them, and stays when its ACL changes or goes.
func (j *JoinedFlows) shareFlows() {
	if !slices.ContainsFunc(j.ACLs, func(a *ACL) bool { return len(a.Missing) > 0 }) {
		return
	}
	flows, holder := map[sharedFlowKey][]*Flow{}, map[*Flow]*ACL{}
	add := func(f *Flow) {
		if (f.Part == PartEval || f.Part == PartBefore) && f.Row.Priority != prioRelated && !f.HasAction(ActSample) {
			k := sharedFlowKey{f.Part, f.Stage, f.Row.Priority - PriorityOffset, f.Match}
			flows[k] = append(flows[k], f)
		}
	}
	for _, a := range j.ACLs {
		for _, f := range a.Flows {
			add(f)
			holder[f] = a
		}
	}
	for _, f := range j.Surplus {
		add(f)
	}
	taken := map[*Flow][]sharedFlow{}
	for _, a := range j.ACLs {
		if len(a.Missing) == 0 || a.Label != 0 || a.SampleNew != "" || a.SampleEst != "" {
			continue
		}
		keys := []sharedFlowKey{{PartEval, model.Stage(a.Stage()), a.Priority, a.Match}}
		if a.Action == nb.ActionAllowStateless {
			keys = append(keys, sharedFlowKey{PartBefore, model.Stage(a.Direction), a.Priority, a.Match})
		}
		for _, k := range keys {
			for _, f := range flows[k] {
				if f.isOnSwitch(a.Missing) && len(flowDifferences(a.ACL, f)) == 0 {
					own := *f
					own.Differs, own.OtherACLHint = nil, f.Row.Hint
					a.Flows, taken[f] = append(a.Flows, &own), append(taken[f], sharedFlow{a.ACL, &own})
				}
			}
		}
		a.Missing = missingSwitches(a)
	}
	for _, a := range j.ACLs { // a taken flow that differs was made from an older row of this ACL
		a.Flows = slices.DeleteFunc(a.Flows, func(f *Flow) bool { return taken[f] != nil && len(f.Differs) > 0 })
	}
	j.Surplus = slices.DeleteFunc(j.Surplus, func(f *Flow) bool { return taken[f] != nil })
	for f, twins := range taken {
		if a := holder[f]; a != nil && len(f.Differs) == 0 {
			twins = append([]sharedFlow{{a.ACL, f}}, twins...)
		}
		if len(twins) < 2 {
			continue
		}
		with := make([]*nb.ACL, len(twins))
		for i, t := range twins {
			with[i] = t.acl
			t.flow.SharedBy = with
		}
	}
}

// sharedFlow pairs an ACL with its copy of a shared flow.
type sharedFlow struct {
	acl  *nb.ACL
	flow *Flow
}

// isOnSwitch reports whether the flow is for one of the switches.
func (f *Flow) isOnSwitch(switches []string) bool {
	return slices.ContainsFunc(f.Datapaths, func(d *Datapath) bool { return slices.Contains(switches, d.Name) })
}

// maxLogName is the longest name that ovn-controller accepts, in bytes; the database counts characters.
const maxLogName = 63

// isRefusedByName reports whether ovn-controller rejects the flow because of the name it logs
// (ovn-kubernetes.md#log-action).
func (f *Flow) isRefusedByName() bool {
	_, rest, ok := strings.Cut(f.Row.Actions, "log(name=\"")
	if !ok || f.Part != PartEval {
		return false
	}
	name, _, ok := strings.Cut(rest, "\", severity=")
	if !ok {
		return true
	}
	var said string
	// Names contain raw control characters, which JSON does not allow.
	plain := strings.Map(func(r rune) rune {
		if r < ' ' {
			return '.'
		}
		return r
	}, name)
	if json.Unmarshal([]byte("\""+plain+"\""), &said) != nil {
		return true
	}
	return len(strings.ReplaceAll(said, "\uFFFD", ".")) > maxLogName // a cleaned character may have been one byte
}

package flow

import (
	"encoding/json"
	"slices"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/ovn/sb"
)

// Priorities of OVN's own flows in the stages of ACLs
// (ovn-kubernetes.md#logical-flows-of-an-acl).
const (
	prioNoACLs  = 65535
	prioRelated = 65533 // replies that an ACL with a label logs
	prioFixed   = 65532
	prioOwn     = 34000
)

// Purpose says what a flow is for that was made for no ACL; it is never empty.
func (r *Reading) Purpose(priority int) string {
	switch r.Part {
	case PartBefore:
		return r.before(priority)
	case PartHint:
		return r.hints()
	case PartSample:
		if r.Match == "1" {
			return "nothing is sampled"
		}
		return "sends samples for observability"
	case PartAction:
		return r.action()
	}
	return r.eval(priority)
}

func (r *Reading) before(priority int) string {
	switch {
	case strings.Contains(r.Match, "inport ==") || strings.Contains(r.Match, "outport =="):
		return "a port without connection tracking, such as the router's"
	case strings.Contains(r.Match, "svc_monitor_mac"):
		return "health checks of load balancers skip connection tracking"
	case strings.Contains(r.Match, "nd_rs"):
		return "neighbour discovery, MLD and DHCPv6 skip connection tracking"
	case r.Match == "eth.mcast":
		return "multicast skips connection tracking"
	case strings.Contains(r.Match, "icmp4.type == 3"):
		return "\"packet too big\" skips connection tracking"
	case r.Match == "ip" && priority > 0:
		return "IP packets go to connection tracking"
	}
	return "everything else goes on"
}

func (r *Reading) hints() string {
	switch {
	case r.Match == "1":
		return "no ACLs, or nothing to tell apart"
	case strings.Contains(r.Match, "!ct.trk"):
		return "untracked packets"
	case strings.HasPrefix(r.Match, "ct.new"):
		return "new connections"
	case strings.Contains(r.Match, "ct_mark.blocked == 1"):
		return "connections that a Deny has marked"
	case strings.HasPrefix(r.Match, "!ct.est"):
		return "packets of no established connection"
	}
	return "established connections"
}

func (r *Reading) action() string {
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

func (r *Reading) eval(priority int) string {
	switch {
	case priority == prioNoACLs:
		return "no ACLs here"
	case priority >= prioFixed && strings.Contains(r.Match, "ct.inv"):
		return "packets that fit no connection, and replies of cut ones, are dropped"
	case priority >= prioFixed && strings.Contains(r.Match, "allow_established"):
		return "connections that an ACL lets through for as long as they last"
	case priority >= prioFixed && strings.Contains(r.Match, "!ct.est && ct.rel"):
		return "packets related to an allowed connection, such as ICMP errors"
	case priority >= prioFixed && strings.Contains(r.Match, "ct.rpl"):
		return "replies of allowed connections"
	case priority >= prioFixed && strings.HasPrefix(r.Match, "nd"):
		return "neighbour discovery and MLD"
	case priority >= prioFixed && strings.HasPrefix(r.Match, "reg0["):
		return "was let through before load balancing, as a reply or for good"
	case priority == prioOwn && strings.Contains(r.Match, "svc_monitor_mac"):
		return "health checks of load balancers"
	case priority == prioOwn:
		return "answers of OVN's own DHCP and DNS"
	case r.Match == "ip && !ct.est":
		return "no ACL of this tier decides: the new connection is remembered"
	case strings.Contains(r.Match, "ct.est && ct_mark.blocked == 1"):
		return "no ACL of this tier decides: the cut connection is let through again"
	case r.Match == "1":
		return "no ACL of this tier decides"
	}
	return "a flow of OVN's own"
}

// alike is what ACLs have in common that may share flows.
type alike struct {
	part     Part
	stage    model.Stage
	priority int // the ACL's
	match    string
}

// share gives ACLs without flows those that northd made once for them and for others: the
// hint is that of one of them, and stays when its ACL changes or goes.
func (j *Joined) share() {
	if !slices.ContainsFunc(j.ACLs, func(a *ACL) bool { return len(a.Missing) > 0 }) {
		return
	}
	flows, holder := map[alike][]*Flow{}, map[*Flow]*ACL{}
	add := func(f *Flow) {
		if (f.Part == PartEval || f.Part == PartBefore) && f.Row.Priority != prioRelated && !f.sampled() {
			k := alike{f.Part, f.Stage, f.Row.Priority - PriorityOffset, f.Match}
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
	taken := map[*Flow][]twin{}
	for _, a := range j.ACLs {
		if len(a.Missing) == 0 || a.Label != 0 || a.SampleNew != "" || a.SampleEst != "" {
			continue
		}
		keys := []alike{{PartEval, model.Stage(a.Stage()), a.Priority, a.Match}}
		if a.Action == nb.ActionAllowStateless {
			keys = append(keys, alike{PartBefore, model.Stage(a.Direction), a.Priority, a.Match})
		}
		for _, k := range keys {
			for _, f := range flows[k] {
				if f.on(a.Missing) && len(differs(a.ACL, f)) == 0 {
					own := *f
					own.Differs, own.Twin = nil, f.Row.Hint
					a.Flows, taken[f] = append(a.Flows, &own), append(taken[f], twin{a.ACL, &own})
				}
			}
		}
		a.Missing = missing(a)
	}
	for _, a := range j.ACLs { // a flow that is another's as it is was made of an older row of this one
		a.Flows = slices.DeleteFunc(a.Flows, func(f *Flow) bool { return taken[f] != nil && len(f.Differs) > 0 })
	}
	j.Surplus = slices.DeleteFunc(j.Surplus, func(f *Flow) bool { return taken[f] != nil })
	for f, twins := range taken {
		if a := holder[f]; a != nil && len(f.Differs) == 0 {
			twins = append([]twin{{a.ACL, f}}, twins...)
		}
		if len(twins) < 2 {
			continue
		}
		with := make([]*nb.ACL, len(twins))
		for i, t := range twins {
			with[i] = t.acl
			t.flow.With = with
		}
	}
}

// twin is a flow as one of the ACLs has it that share it.
type twin struct {
	acl  *nb.ACL
	flow *Flow
}

// on says whether the flow is for one of the switches.
func (f *Flow) on(switches []string) bool {
	return slices.ContainsFunc(f.Datapaths, func(d *sb.Datapath) bool { return slices.Contains(switches, d.Name) })
}

func (f *Flow) sampled() bool {
	return slices.ContainsFunc(f.Acts, func(a Act) bool { return a.Code == ActSample })
}

// maxLogName is the longest name that ovn-controller takes, in bytes; the database counts
// characters.
const maxLogName = 63

// unreadable says whether ovn-controller refuses the flow for the name that it logs
// (ovn-kubernetes.md#log-action).
func (f *Flow) unreadable() bool {
	_, rest, ok := strings.Cut(f.Row.Actions, "log(name=\"")
	if !ok || f.Part != PartEval {
		return false
	}
	name, _, ok := strings.Cut(rest, "\", severity=")
	if !ok {
		return true
	}
	var said string
	// Control characters stand in a name as they are, which JSON does not allow.
	plain := strings.Map(func(r rune) rune {
		if r < ' ' {
			return '.'
		}
		return r
	}, name)
	if json.Unmarshal([]byte("\""+plain+"\""), &said) != nil {
		return true
	}
	return len(strings.ReplaceAll(said, "\uFFFD", ".")) > maxLogName // what was cleaned may have been one byte
}

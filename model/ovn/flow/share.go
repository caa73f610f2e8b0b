package flow

import (
	"encoding/json"
	"slices"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/ovn/sb"
)

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

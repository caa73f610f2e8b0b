package guard

import (
	"context"
	"slices"

	"rung/model"
	"rung/model/lint/vital"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/revision"
	"rung/revision/connections"
)

// Asked says what a cluster has besides its objects.
type Asked struct {
	// Protected are namespaces that are protected besides those of the platform.
	Protected []string
	// Log are the connections that the log has seen allowed; nil where there is none.
	Log *diff.Log
}

func (a *Asked) protects(namespace string) bool {
	return model.IsPlatformNamespace(namespace) || slices.Contains(a.Protected, namespace)
}

// Judge says what a change does to connections, from what is to what will be, and the rails
// that it runs into. The error is that of the context: then nothing is known.
func Judge(ctx context.Context, rev, next *revision.Revision, changes []Change, a Asked) (*diff.Difference, []Guard, error) {
	v := connections.Vital(rev)
	ask := diff.Asked{Watches: watches(v), Protected: a.protects}
	for i := range changes {
		ask.About = append(ask.About, changes[i].Key)
	}
	d, err := connections.Differ(rev, ctx, next, ask)
	if err != nil {
		return nil, nil, err
	}
	j := &judge{ctx: ctx, rev: rev, next: next, changes: changes, d: d}
	j.closes()
	j.much()
	j.log(a.Log)
	j.nodes(v)
	j.opens()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	return d, j.out, nil
}

// Policies are the rails of a change of which it is not known what it does to connections,
// and why not. Where there is nothing that could connect they are all there is to ask.
func Policies(rev *revision.Revision, changes []Change, a Asked, why string, anything bool) []Guard {
	out := ofPolicies(rev.Judged(), changes, enforcing{rev.Flags.MaxPriority, rev.Flags.CompileCNP}, a.protects)
	if anything && len(changes) > 0 {
		out = append(out, rail(Unjudged, changes[0].Key, "what it does to connections is unknown: %s", why))
	}
	return out
}

// watches are the connections that nearly every pod needs, in the order of watched.
func watches(v vital.Endpoints) []diff.Watch {
	dns := map[model.Key]bool{}
	for _, p := range v.DNS {
		dns[p.Key] = true
	}
	var ports []verdict.PortRange
	for _, proto := range []verdict.Protocol{verdict.UDP, verdict.TCP} {
		if n := v.DNSPorts[string(proto)]; n > 0 {
			ports = append(ports, verdict.PortRange{Protocol: proto, Lo: uint16(n), Hi: uint16(n)})
		}
	}
	api := uint16(v.APIPort)
	return []diff.Watch{
		{To: func(p *model.Pod) bool { return dns[p.Key] && len(ports) > 0 }, Ports: ports},
		{Addrs: v.API, Ports: []verdict.PortRange{{Protocol: verdict.TCP, Lo: api, Hi: api}}},
	}
}

// judge collects the rails of one change.
type judge struct {
	ctx       context.Context
	rev, next *revision.Revision
	changes   []Change
	d         *diff.Difference
	out       []Guard
}

// changed is the policy of the change that a rail is about: one that decides, else the first.
func (j *judge) changed(by ...[]verdict.Decider) model.PolicyKey {
	for _, ds := range by {
		for i := range ds {
			if slices.ContainsFunc(j.changes, func(c Change) bool { return c.Key == ds[i].Policy }) {
				return ds[i].Policy
			}
		}
	}
	return j.changes[0].Key
}

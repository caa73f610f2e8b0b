package revision

import (
	"fmt"
	"slices"

	"rung/model"
	"rung/model/verdict"
	"rung/system"
)

// OmissionsOfAnswers returns the omissions that can change verdicts from policies; with rows, also from rows.
func OmissionsOfAnswers(r *Revision, rows bool) []model.Omission {
	return append(model.Filter(r.Omissions(), func(o model.Omission) bool {
		return (o.Code != model.OmittedZone || rows) && decidesConnections(r, o.Key.Kind)
	}), assumedHost(r)...)
}

// assumedHost returns the assumption about the namespace that represents the nodes.
func assumedHost(r *Revision) (out []model.Omission) {
	if o := r.Desired.Options(); o.HostAssumed {
		out = append(out, model.Omission{Code: model.OmittedSetting, Remedy: "--host-network-namespace",
			Why: o.HostNetworkNamespace + " represents the nodes: the namespace exists and no setting names another"})
	}
	return out
}

// OmissionsOfZones returns the omissions about some databases, about all if none is given.
func OmissionsOfZones(r *Revision, zones ...*model.ZoneState) []model.Omission {
	return model.Filter(r.Omissions(), func(o model.Omission) bool {
		return o.Code == model.OmittedZone && (len(zones) == 0 ||
			slices.ContainsFunc(zones, func(z *model.ZoneState) bool { return z.Name == o.Zone }))
	})
}

// OmissionsOfRows returns the omissions that can change how the zones' rows compare with the policies.
func OmissionsOfRows(r *Revision, zones []*model.ZoneState) []model.Omission {
	return append(OmissionsOfObjects(r), OmissionsOfZones(r, zones...)...)
}

// OmissionsOfPolicy returns the omissions that can change the content and effect of one policy by itself. It
// leaves out those about other policies.
func OmissionsOfPolicy(r *Revision, k model.PolicyKey) []model.Omission {
	return slices.DeleteFunc(OmissionsOfObjects(r), func(o model.Omission) bool { return o.Key.Kind.IsPolicy() && o.Key != k })
}

// OmissionsOfObjects returns the input that was rejected or not read, for pages and commands that list
// objects. It leaves out valid policies without rows, which show that themselves, and assumptions, such as a
// pod's place. Pods that do not exist yet are included, because they are counted there.
func OmissionsOfObjects(r *Revision) (out []model.Omission) {
	for _, o := range r.Omissions() {
		if o.Code == model.OmittedZone || o.Code == model.OmittedPlace || o.IsAssumption() && o.Code != model.OmittedPlanned ||
			!decidesConnections(r, o.Key.Kind) {
			continue
		}
		if o.Code == model.OmittedRows {
			if p := r.Cluster.Policy(o.Key); p != nil && !p.IsRejected() {
				continue
			}
		}
		out = append(out, o)
	}
	return out
}

// decidesConnections reports whether objects of a kind (empty if unknown) affect connections in this system.
func decidesConnections(r *Revision, k model.Kind) bool {
	switch k {
	case model.KindCNP:
		return r.System.AsksPolicies(k) && r.Flags.CompileCNP
	case model.KindEvent:
		return false
	case model.KindACNP, model.KindANNP:
		// If the plugin is only guessed, another plugin may enforce a rejected policy in tiers.
		guessed := (r.Flags.System == "" || r.Flags.System == system.Auto) && len(r.Zones) == 0 && system.OtherSystemsFound(r.Cluster) == ""
		return r.System.AsksPolicies(k) || guessed
	}
	return r.System.AsksPolicies(k) // a misspelt kind may be meant as a policy
}

// UnjudgedOmissions returns the omissions that make an answer incomplete: all except assumptions, and except
// codes in allowed. "all" allows every code.
func UnjudgedOmissions(all []model.Omission, allowed ...string) []model.Omission {
	return model.Filter(all, func(o model.Omission) bool {
		return !o.IsAssumption() && !slices.Contains(allowed, "all") && !slices.Contains(allowed, string(o.Code))
	})
}

// OmissionFilter finds the omissions that can change answers of one revision. PodKind caches, so only one
// goroutine may use a filter.
type OmissionFilter struct {
	r         *Revision
	omissions []model.Omission
	podKinds  map[model.Key]int32 // see PodKind
	kindIDs   map[string]int32
}

// NewFilter returns a filter for a revision; with rows its answers come also from the zones' rows.
func NewFilter(r *Revision, rows bool) *OmissionFilter {
	return &OmissionFilter{r: r, omissions: OmissionsOfAnswers(r, rows), podKinds: map[model.Key]int32{}, kindIDs: map[string]int32{}}
}

// AllOmissions returns the omissions that can change any answer.
func (f *OmissionFilter) AllOmissions() []model.Omission { return f.omissions }

// OmissionsChanging returns the omissions that can change the verdict of a connection.
func (f *OmissionFilter) OmissionsChanging(a *verdict.Answer) []model.Omission {
	return model.Filter(f.omissions, func(o model.Omission) bool { return f.CouldChange(&o, a) })
}

// CouldChange reports whether an omission can change the verdict of a connection.
func (f *OmissionFilter) CouldChange(o *model.Omission, a *verdict.Answer) bool {
	k, c := o.Key.Kind, &a.Connection
	switch o.Code {
	case model.OmittedFile:
		return true
	case model.OmittedNetwork:
		return false // a connection is judged on the network of its ends
	case model.OmittedZone:
		return len(a.Paths) == 0 || slices.ContainsFunc(a.Paths, func(p verdict.Path) bool {
			return p.From.Zone == o.Zone || p.To.Zone == o.Zone
		})
	case model.OmittedPlanned:
		return f.isFuturePodEnd(c.From) || f.isFuturePodEnd(c.To) || c.To.Key.Kind == model.KindService
	case model.OmittedPlace:
		return f.r.IsPlaceAssumed(c.From.Key) || f.r.IsPlaceAssumed(c.To.Key)
	case model.OmittedSetting:
		if o.Key.Name == "" {
			return true
		}
	}
	switch k {
	case model.KindNamespace:
		return o.Key.Name == "" || c.From.Key.Namespace == o.Key.Name || c.To.Key.Namespace == o.Key.Name
	case model.KindPod:
		is := func(e verdict.Endpoint) bool {
			return o.Key.Name == "" || e.Key == o.Key || e.Key == (model.Key{})
		}
		return is(c.From) || is(c.To) || slices.ContainsFunc(a.Paths, func(p verdict.Path) bool { return is(p.To.Endpoint) }) ||
			c.To.Key.Kind == model.KindService
	case model.KindService, model.KindEndpointSlice: // a group address is never a Service's
		return c.To.Key.Kind == model.KindService || c.To.Key == (model.Key{}) && !c.To.Addr.IsMulticast()
	case model.KindNode:
		plain := func(e verdict.Endpoint) bool { return e.Key.Kind == model.KindNode || e.Key == (model.Key{}) }
		return o.Key.Name == "" || plain(c.From) || plain(c.To)
	}
	if !k.IsPolicy() {
		return true // tiers and groups affect policies
	}
	return slices.ContainsFunc(a.Paths, func(p verdict.Path) bool { return f.couldChangePath(o, &p) })
}

// PodKind returns the same number for pods that no omission tells apart. If the same rules decide at every
// stage, CouldChange gives the same answer for their connections.
func (f *OmissionFilter) PodKind(k model.Key) int32 {
	id, ok := f.podKinds[k]
	if ok {
		return id
	}
	pod := f.r.JudgedPod(k.Namespace, k.Name)
	kind := fmt.Appendf(nil, "%s %t %t", k.Namespace, pod != nil && pod.Planned != nil, f.r.IsPlaceAssumed(k))
	for i := range f.omissions {
		o := &f.omissions[i]
		switch c := f.r.Desired.Policy(o.Key); {
		case o.Code == model.OmittedZone:
			if pod != nil {
				kind = append(kind, " "+pod.NodeName...)
			}
		case o.Key == k:
			kind = append(kind, " itself"...)
		case c != nil && pod != nil:
			kind = fmt.Append(kind, f.r.Desired.IsSubject(c, pod))
		}
	}
	id, ok = f.kindIDs[string(kind)]
	if !ok {
		id = int32(len(f.kindIDs))
		f.kindIDs[string(kind)] = id
	}
	f.podKinds[k] = id
	return id
}

// couldChangePath reports whether an unknown policy can change the verdict of a path. It must apply at the
// stage that denies, or at any stage if none denies.
func (f *OmissionFilter) couldChangePath(o *model.Omission, p *verdict.Path) bool {
	if o.Key.Kind == model.KindEF {
		return f.couldFirewallPath(o, p)
	}
	some := false
	for i := range p.Stages {
		s := &p.Stages[i]
		could := f.couldDecideStage(o, p, s)
		if s.Verdict == verdict.Deny && !could {
			return false // denied whatever the policy says
		}
		some = some || could
	}
	return some
}

// couldFirewallPath reports whether an unknown EgressFirewall can change a path. Its stage has no other
// policies, so none decides before it. Connections that others deny stay denied. A known firewall's verdict
// may change, since a namespace has only one.
func (f *OmissionFilter) couldFirewallPath(o *model.Omission, p *verdict.Path) bool {
	for i := range p.Stages {
		if s := &p.Stages[i]; s.Verdict == verdict.Deny && (s.Decided == nil || s.Decided.Policy.Kind != model.KindEF) {
			return false
		}
	}
	if p.From.Key.Kind != model.KindPod || o.Key.Namespace != "" && o.Key.Namespace != p.From.Key.Namespace {
		return false
	}
	return p.To.Key.Kind != model.KindPod
}

// couldDecideStage reports whether an unknown policy can decide a stage: its subject may contain the stage's
// pod, and no known rule decides before it.
func (f *OmissionFilter) couldDecideStage(o *model.Omission, p *verdict.Path, s *verdict.StageVerdict) bool {
	about := p.To
	if s.Stage.IsArriving() == s.Reply {
		about = p.From
	}
	if about.Key.Kind != model.KindPod || o.Key.Namespace != "" && o.Key.Namespace != about.Key.Namespace {
		return false
	}
	if c := f.r.Desired.Policy(o.Key); c != nil && o.Code != model.OmittedObject && isBoundToSubject(c.Policy) {
		// No row knows of a pod that is judged as if it were scheduled.
		if pod := f.r.Cluster.Pod(about.Key.Namespace, about.Key.Name); pod != nil && !f.r.IsPlaceAssumed(about.Key) &&
			!f.r.Desired.IsSubject(c, pod) {
			return false
		}
	}
	return s.Decided == nil || s.Verdict == verdict.Unknown || !f.decidesBefore(s.Decided, o)
}

// isFuturePodEnd reports whether an end is a pod that does not exist yet.
func (f *OmissionFilter) isFuturePodEnd(e verdict.Endpoint) bool {
	p := f.r.Cluster.Pod(e.Key.Namespace, e.Key.Name)
	return e.Key.Kind == model.KindPod && p != nil && p.Planned != nil
}

// isBoundToSubject reports whether a policy's rows affect only its subject: its selectors are valid, and no
// ingress rule has a named port, which would match other pods too (ovn-kubernetes.md#acls-of-a-rule).
func isBoundToSubject(p *model.Policy) bool {
	return p.Subject.Namespaces.Err() == nil && p.Subject.Pods.Err() == nil && !slices.ContainsFunc(p.Ingress, func(r model.Rule) bool {
		return slices.ContainsFunc(r.Ports, func(port model.Port) bool { return port.Name != "" })
	})
}

// decidesBefore reports whether a rule decides before an unknown policy.
func (f *OmissionFilter) decidesBefore(d *verdict.Decider, o *model.Omission) bool {
	if f.r.System.Order != nil {
		return false // the order depends on tiers that may be unknown
	}
	tier := 1
	switch o.Key.Kind {
	case model.KindNP:
		tier = 2
	case model.KindBANP:
		tier = 3
	}
	if o.Key.Kind == model.KindCNP || d.Tier != tier {
		return d.Tier < tier
	}
	by := f.r.Cluster.Policy(d.Policy)
	return o.Priority != nil && by != nil && by.Key.Kind.HasPriority() && by.Priority < *o.Priority
}

// MergeOmissions appends to all the omissions of more that are not in it yet.
func MergeOmissions(all, more []model.Omission) []model.Omission {
	all = slices.Clip(all)
	for _, o := range more {
		if !slices.ContainsFunc(all, func(a model.Omission) bool {
			return a.Code == o.Code && a.Key == o.Key && a.Origin == o.Origin && a.Zone == o.Zone && a.Why == o.Why
		}) {
			all = append(all, o)
		}
	}
	return all
}

// AssumedSettings returns the settings that rows are compiled with although Rung only assumes them.
func AssumedSettings(r *Revision) (out []model.Omission) {
	if r.Desired.Options().HairpinAssumed {
		out = append(out, model.Omission{Code: model.OmittedSetting, Remedy: "--masquerade-subnets",
			Why: "nodes masquerade with 169.254.0.0/17 and fd69::/112: primary user-defined networks exist"})
	}
	return append(out, assumedHost(r)...)
}

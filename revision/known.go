package revision

import (
	"maps"
	"net/netip"
	"slices"
	"strings"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/known"
	"rung/model/ovn/nb"
)

// KeptNames is how many names per column are kept of a zone that is swept.
const KeptNames = 20

// wholeJudgement says whether all of a judgement was kept: of swept zones it may be a
// part.
func wholeJudgement(z *model.ZoneState, p *model.PolicyInZone) bool {
	waiting := 0
	if p.Waiting > 0 {
		waiting = 1 // ports that wait are listed, and not counted
	}
	if p.Missing+p.Extra+p.Different+waiting != len(p.Diffs) {
		return false
	}
	return z.Conn != model.ConnSwept || !slices.ContainsFunc(p.Diffs, func(d model.RowDiff) bool {
		return slices.ContainsFunc(d.Fields, func(f model.FieldDiff) bool { return max(len(f.Missing), len(f.Extra)) >= KeptNames })
	})
}

func (r *Revision) factsOf(z *model.ZoneState, k model.PolicyKey) *known.Facts {
	c := r.Desired.Policy(k)
	f := &known.Facts{Policy: r.Cluster.Policy(k), PodOf: r.PortPod,
		Owned: func(addr string) bool { return len(r.Address(addr)) > 0 },
		Subjects: func() (here []*model.Pod) {
			for _, p := range r.Desired.Subjects(c) {
				if p.NodeName == z.Name {
					here = append(here, p)
				}
			}
			return here
		},
		Before: func(p *model.Pod) []*model.Pod { return r.before(z, p) },
		Match:  r.matches(z, k),
	}
	type at struct {
		dir  model.Direction
		rule int
	}
	peers := map[at][]*model.Pod{}
	f.Peers = func(dir model.Direction, rule int) []*model.Pod {
		pods, listed := peers[at{dir, rule}]
		if written := f.Policy.Rule(dir, rule); !listed && written != nil {
			for i := range written.Peers {
				pods = append(pods, r.Desired.PeerPods(c, dir, rule, i)...)
			}
			peers[at{dir, rule}] = pods
		}
		return pods
	}
	if r.Past != nil {
		f.Refused = r.Past.refused[k]
	}
	if k.Kind == model.KindBANP {
		f.Baselines = r.otherBaselines(z, k)
	}
	return f
}

// otherBaselines are those besides the one with that key.
func (r *Revision) otherBaselines(z *model.ZoneState, k model.PolicyKey) (out []known.OtherBaseline) {
	spec := func(p *model.Policy) string { return model.CompactJSON(p.Content()["spec"]) }
	for b := range r.Cluster.Policies(model.KindBANP) {
		if b.Key == k {
			continue
		}
		p := r.Cluster.Policy(k)
		in := z.Policy(b.Key)
		out = append(out, known.OtherBaseline{Same: p != nil && spec(p) == spec(b), Rowless: in == nil || in.LiveACLs == 0})
	}
	return out
}

// before are what a pod is known to have been: what OVN-Kubernetes noticed of it last,
// as Rung saw it, and the addresses that its own records have.
func (r *Revision) before(z *model.ZoneState, p *model.Pod) (out []*model.Pod) {
	if r.Past != nil {
		if was := r.Past.Pods[p.Key]; was != nil && was.UID == p.UID {
			out = append(out, was)
		}
	}
	recorded := func(addrs []string) {
		if len(addrs) > 0 && !slices.Equal(addrs, p.IPs) {
			was := *p
			was.IPs = addrs
			out = append(out, &was)
		}
	}
	for _, n := range p.Networks {
		if n.Name == "default" {
			recorded(n.IPs)
		}
	}
	if z.DB != nil {
		if port := z.DB.PortByName(nb.PortName(p.Namespace, p.Name)); port != nil {
			recorded(portAddresses(port))
		}
	}
	return out
}

// portAddresses are the addresses of a logical switch port, whose first word is its
// MAC.
func portAddresses(port *nb.LogicalSwitchPort) (out []string) {
	for _, text := range port.Addresses {
		for _, word := range strings.Fields(text) {
			if a, err := netip.ParseAddr(word); err == nil {
				out = append(out, a.String())
			}
		}
	}
	return out
}

// matches gives the matches of an ACL that differs, as far as they are at hand. The
// desired rows are made once.
func (r *Revision) matches(z *model.ZoneState, k model.PolicyKey) func(*model.RowDiff) (desired, live string) {
	var wanted map[string]string // by id
	return func(d *model.RowDiff) (desired, live string) {
		switch d.Kind {
		case model.DiffDifferent:
			for i := range d.Fields {
				if d.Fields[i].Column == "match" {
					return d.Fields[i].Desired, d.Fields[i].Live
				}
			}
		case model.DiffMissing:
			if wanted == nil {
				wanted = map[string]string{}
				for _, a := range r.ACLs(k, z.Name) {
					wanted[a.ID()] = a.Match
				}
			}
			return wanted[d.ID], ""
		case model.DiffExtra:
			if z.DB == nil {
				break
			}
			if a := z.DB.ACL(d.UUID); a != nil {
				return "", a.Match
			}
		}
		return "", ""
	}
}

// Past is what was so and hangs on: it explains what OVN-Kubernetes leaves. It is
// replaced, never changed.
type Past struct {
	// pods are those that changed in a way OVN-Kubernetes' filter does not see, as
	// they were before; refused the policies that were deleted while OVN-Kubernetes
	// refused them.
	Pods    map[model.Key]*model.Pod
	refused map[model.PolicyKey]bool
}

// pastMost bounds what is remembered.
const pastMost = 4096

// Recall takes changes of objects into account; before are the desired rows until now.
func (p *Past) Recall(changes []model.Change, before *compiler.Desired) *Past {
	next := p
	edit := func() *Past {
		if next == p {
			next = &Past{Pods: map[model.Key]*model.Pod{}, refused: map[model.PolicyKey]bool{}}
			if p != nil {
				maps.Copy(next.Pods, p.Pods)
				maps.Copy(next.refused, p.refused)
			}
		}
		return next
	}
	has := func(k model.Key) bool { return next != nil && next.Pods[k] != nil }
	for _, ch := range changes {
		switch old := ch.Old.(type) {
		case *model.Pod:
			now, _ := ch.New.(*model.Pod)
			switch {
			case now != nil && now.UID == old.UID && now.Deleting:
			case now == nil || now.UID != old.UID || noticed(old, now) || has(old.Key) && sameToRows(next.Pods[old.Key], now):
				if has(old.Key) {
					delete(edit().Pods, old.Key)
				}
			case !has(old.Key) && !sameToRows(old, now) && (next == nil || len(next.Pods) < pastMost):
				edit().Pods[old.Key] = old
			}
		case *model.Policy:
			if ch.New != nil || !old.Kind.IsAdmin() {
				continue
			}
			if c := before.Policy(old.Key); c != nil && c.None != nil && (next == nil || len(next.refused) < pastMost) {
				edit().refused[old.Key] = true
			}
		case nil:
			if now, ok := ch.New.(*model.Policy); ok && next != nil && next.refused[now.Key] {
				delete(edit().refused, now.Key)
			}
		}
	}
	return next
}

// noticed says whether OVN-Kubernetes takes an update of a pod for one that matters
// (ovn-kubernetes.md#event-filters).
func noticed(old, now *model.Pod) bool {
	return old.Labels.Key() != now.Labels.Key() || len(old.IPs) != len(now.IPs) ||
		(old.Phase == "Running") != (now.Phase == "Running") || old.Completed() != now.Completed()
}

// sameToRows says whether two versions of a pod give the same rows.
func sameToRows(a, b *model.Pod) bool {
	return a.NodeName == b.NodeName && slices.Equal(a.IPs, b.IPs) && slices.Equal(a.Ports, b.Ports)
}

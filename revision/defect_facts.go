package revision

import (
	"net/netip"
	"slices"
	"strings"

	"rung/model"
	"rung/model/network"
	"rung/model/ovn/dialect"
	"rung/model/ovn/nb"
)

// KeptNames limits the names kept per column of a swept zone.
const KeptNames = 20

// wholeJudgement reports whether a judgement was kept completely; a swept zone may keep only part of it.
func wholeJudgement(z *model.ZoneState, p *model.PolicyInZone) bool {
	waiting := 0
	if p.Waiting > 0 {
		waiting = 1 // waiting ports are listed but not counted
	}
	if p.Missing+p.Extra+p.Different+waiting != len(p.Diffs) {
		return false
	}
	return z.Conn != model.ConnSwept || !slices.ContainsFunc(p.Diffs, func(d model.RowDiff) bool {
		return slices.ContainsFunc(d.Fields, func(f model.FieldDiff) bool { return max(len(f.Missing), len(f.Extra)) >= KeptNames })
	})
}

func dialectFacts(r *Revision, z *model.ZoneState, k model.PolicyKey) *dialect.Facts {
	c := r.Desired.Policy(k)
	f := &dialect.Facts{Policy: r.Cluster.Policy(k), FindPod: func(lsp string) *model.Pod { return PortPod(r, lsp) },
		Owned: func(addr string) bool { return len(r.AddressOwners(addr)) > 0 },
		Subjects: func() []*model.Pod {
			return model.Filter(r.Desired.SubjectPods(c), func(p *model.Pod) bool { return p.NodeName == z.Name })
		},
		Before: func(p *model.Pod) []*model.Pod { return earlierStates(r, z, p) },
		Match:  newACLMatchFinder(r, z, k),
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
	if k.Network != "" && c != nil && c.Policy != nil {
		f.Policy, f.OtherNetwork = c.Policy, elsewhere(r, k, c.Policy)
	}
	if f.Policy != nil {
		k = f.Policy.Key
	}
	if r.Past != nil {
		f.Refused = r.Past.Refused[k]
	}
	if k.Kind == model.KindBANP {
		f.Baselines = otherBaselines(r, z, k)
	}
	return f
}

// elsewhere describes how a policy applies to the network of its unit; nil if the network is unknown.
func elsewhere(r *Revision, k model.PolicyKey, p *model.Policy) *dialect.OtherNetwork {
	t := r.Desired.Networks()
	n := t.Network(k.Network)
	if n == nil {
		return nil
	}
	e := &dialect.OtherNetwork{HasNoAddresses: !n.GivesAddresses(), Own: map[string]bool{}}
	for _, key := range n.NADs {
		ns, name, _ := strings.Cut(key, "/")
		a := dialect.Attachment{Key: key}
		if o, _ := r.Cluster.Get(model.Key{Kind: model.KindNAD, Namespace: ns, Name: name}).(*network.Attachment); o != nil {
			a.Created = o.Created
		}
		e.Attachments = append(e.Attachments, a)
		e.Own[key] = p.Kind == model.KindNP && ns == p.Namespace
	}
	if p.Kind == model.KindMNP {
		for _, target := range t.PolicyTargets(p) {
			e.Own[target.Key] = target.Network == n
		}
	}
	return e
}

// otherBaselines returns the BaselineAdminNetworkPolicies other than k.
func otherBaselines(r *Revision, z *model.ZoneState, k model.PolicyKey) (out []dialect.OtherBaseline) {
	spec := func(p *model.Policy) string { return model.CompactJSON(p.AuthoredContent()["spec"]) }
	for b := range r.Cluster.Policies(model.KindBANP) {
		if b.Key == k {
			continue
		}
		p := r.Cluster.Policy(k)
		in := z.PolicyJoin(b.Key)
		out = append(out, dialect.OtherBaseline{IsSameSpec: p != nil && spec(p) == spec(b), HasNoRows: in == nil || in.LiveACLs == 0})
	}
	return out
}

// earlierStates returns known earlier states of a pod: the last that OVN-Kubernetes noticed, as Rung saw it,
// and copies with the addresses in OVN-Kubernetes' own records.
func earlierStates(r *Revision, z *model.ZoneState, p *model.Pod) (out []*model.Pod) {
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

// newACLMatchFinder returns a function for the matches of an ACL that differs, empty if unknown. The desired rows
// are made once.
func newACLMatchFinder(r *Revision, z *model.ZoneState, k model.PolicyKey) func(*model.RowDiff) (desired, live string) {
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

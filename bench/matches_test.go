package bench

import (
	"net/netip"
	"testing"

	"rung/bench/workload"
	"rung/compiler"
	"rung/model"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
)

// desiredEnv is what the matches of desired rows refer to.
type desiredEnv struct {
	groups map[string]map[string]bool
	sets   map[string]*match.AddrSet
}

func (e desiredEnv) PortGroupHas(name, lport string) bool { return e.groups[name][lport] }

func (e desiredEnv) AddressSet(name string) (*match.AddrSet, bool) {
	s, ok := e.sets[name]
	return s, ok
}

// Every match Rung writes in W1, and for NetworkPolicies beside it, is read back
// to the same text, and matches the connections that its rule means: those between
// its subject and the pods of its peers, to the ports it names.
func TestMatchesOfTheWorkload(t *testing.T) {
	size := workload.W1
	size.NetworkPolicies = 40
	c := cluster(t, size)
	d := compiler.Compile(c, compiler.Options{Defaults: compiler.On, Multicast: compiler.On})
	env := desiredEnv{map[string]map[string]bool{}, map[string]*match.AddrSet{}}
	for p := range d.Policies() {
		rows := d.RowsOfUnit(p.Key, "", nil)
		if g := rows.PortGroup; g != nil {
			env.groups[g.Name] = map[string]bool{}
			for _, lsp := range g.Ports {
				env.groups[g.Name][lsp] = true
			}
		}
		for _, s := range rows.AddressSets {
			env.sets[s.Name] = match.NewAddrSet(s.Addresses)
		}
	}
	var pods []*model.Pod
	for p := range c.Pods() {
		pods = append(pods, p)
		if len(pods) == 60 {
			break
		}
	}
	parsed, hits := 0, map[string]int{}
	for p := range d.Policies() {
		for _, a := range d.ACLs(p, "", nil) {
			e, err := match.Parse(a.Match)
			if err != nil {
				t.Fatalf("%s: %s: %v", a.ID(), a.Match, err)
			}
			parsed++
			if text := e.String(); text != a.Match {
				t.Errorf("%s: %s is written back as %s", a.ID(), a.Match, text)
			}
			for i, from := range pods {
				to := pods[(i*7+1)%len(pods)]
				conn := match.Packet{InPort: nb.PortName(from.Namespace, from.Name), OutPort: nb.PortName(to.Namespace, to.Name),
					Src: netip.MustParseAddr(from.IPs[0]), Dst: netip.MustParseAddr(to.IPs[0]), Proto: match.TCP, SrcPort: 40000, DstPort: 80}
				got, err := match.Eval(e, conn, env)
				if err != nil {
					t.Fatalf("%s: %s: %v", a.ID(), a.Match, err)
				}
				if got {
					hits[string(p.Key.Kind)]++
				}
				if p.Key.Kind == model.KindANP && a.ExternalIDs[nb.KeyProtocol] == "None" {
					if want := means(d, p, a, from, to); got != want {
						t.Fatalf("%s: %s: %s to %s: matches %t, the rule means %t", a.ID(), a.Match, from.Key, to.Key, got, want)
					}
				}
			}
		}
	}
	if parsed < 400 || hits[string(model.KindANP)] == 0 || hits[string(model.KindNP)] == 0 || hits[string(model.KindNetpolNamespace)] == 0 {
		t.Errorf("%d matches, hits %v: the workload proves nothing", parsed, hits)
	}
}

// means says whether a rule without ports means a connection, by its policy and
// the addresses of its peers.
func means(d *compiler.Desired, c *compiler.CompiledUnit, a *nb.ACL, from, to *model.Pod) bool {
	subject, peer := to, from
	if a.Direction == nb.FromLport {
		subject, peer = from, to
	}
	if !d.IsSubject(c, subject) {
		return false
	}
	ip := netip.MustParseAddr(peer.IPs[0])
	for _, s := range c.Sets {
		if s.ExternalIDs[nb.KeyDirection] != a.ExternalIDs[nb.KeyDirection] || s.ExternalIDs[nb.KeyGressIndex] != a.ExternalIDs[nb.KeyGressIndex] {
			continue
		}
		for _, m := range d.SetMembers(s) {
			if p, err := netip.ParsePrefix(m); err == nil && p.Contains(ip) || m == ip.String() {
				return true
			}
		}
	}
	return false
}

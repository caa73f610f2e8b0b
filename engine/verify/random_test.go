package verify

import (
	"fmt"
	"math/rand/v2"

	"rung/compiler"
	"rung/model"
	"rung/revision"
	"rung/test/made"
)

// drawn draws clusters with policies that meet, tie and pass, on few ports.
type drawn struct{ *rand.Rand }

func draw(seed uint64) drawn { return drawn{rand.New(rand.NewPCG(seed, 7))} }

func (d drawn) pick(s ...string) string { return s[d.IntN(len(s))] }

var drawnPorts = []int32{80, 81, 82, 443}

func (d drawn) peer() model.Peer {
	switch d.IntN(5) {
	case 0:
		return made.NSPeer(d.pick("*", "tenant=t0", "tenant=t1", "env=e1"))
	case 1:
		return made.NetPeer(d.pick("10.1.0.0/30", "10.0.0.0/8", "0.0.0.0/0", "fd00::/125"))
	}
	return made.PodPeer(d.pick("*", "tenant=t0", "env=e0"), d.pick("*", "tier=x0", "tier=x1", "tier in (x2,x3)"))
}

func (d drawn) rules(most int, network bool) (out []model.Rule) {
	for range d.IntN(most + 1) {
		var ports []model.Port
		for range d.IntN(3) {
			p := made.TCP(drawnPorts[d.IntN(4)])
			p.Protocol = d.pick("TCP", "TCP", "UDP")
			if d.IntN(4) == 0 {
				p.End, p.Range = p.Start+int32(d.IntN(3)), true
			}
			ports = append(ports, p)
		}
		peer := d.peer()
		for !network && peer.Kind == model.PeerNetworks {
			peer = d.peer()
		}
		out = append(out, made.Rule(model.Action(d.pick("Allow", "Deny", "Deny", "Pass")), made.Peers(peer), ports...))
	}
	return out
}

// revision draws a cluster.
func (d drawn) revision() *revision.Revision {
	c := made.RandomCluster(d.Rand, 3, 5+d.IntN(9))
	objects := []model.Object{made.Node("n0", "role=a", "172.18.0.2"), made.Node("n1", "role=b", "172.18.0.3")}
	for p := range c.Pods() {
		q := *p
		if q.NodeName != "" {
			q.NodeName = fmt.Sprintf("n%d", d.IntN(2))
		}
		if d.IntN(3) == 0 {
			q.Ports = []model.ContainerPort{{Name: "http", Protocol: "TCP", Port: drawnPorts[d.IntN(4)]}}
		}
		objects = append(objects, &q)
	}
	for i := range d.IntN(5) {
		p := made.ANP(fmt.Sprintf("anp%d", i), int32(1+d.IntN(3)), d.pick("*", "tenant=t0", "env=e1"), d.rules(3, false), d.rules(3, true))
		if len(p.Ingress) > 0 && d.IntN(4) == 0 {
			p.Ingress[0].Ports = []model.Port{{Name: "http"}}
		}
		objects = append(objects, p)
	}
	c, _ = c.Upsert(objects, nil)
	return revision.New(revision.Facts{Cluster: c, Loaded: true, Desired: compiler.Compile(c, compiler.Options{IPv4: true, IPv6: true})}, nil)
}

package flows_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"rung/model"
	"rung/test/made"
)

// changer draws what an admin and a cluster do.
type changer struct {
	*rand.Rand
	made int  // objects
	dual bool // pods have an IPv6 address, too
}

func (c *changer) pick(s ...string) string { return s[c.IntN(len(s))] }

func one[T any](c *changer, list []T) T { return list[c.IntN(len(list))] }

// steps are the kinds of changes; each says what it did, "" where there is nothing to do
// it to.
var steps = []func(c *changer, now *model.Cluster) (what string, upsert []model.Object, remove []model.Key){
	(*changer).add, (*changer).edit, (*changer).drop, (*changer).move, (*changer).move, (*changer).level, (*changer).levels,
	(*changer).come, (*changer).gone, (*changer).label,
}

// step draws a change.
func (c *changer) step(now *model.Cluster) (what string, upsert []model.Object, remove []model.Key) {
	for what == "" {
		what, upsert, remove = one(c, steps)(c, now)
	}
	return what, upsert, remove
}

func policies(now *model.Cluster, kinds ...model.Kind) (out []*model.Policy) {
	for _, k := range kinds {
		out = slices.AppendSeq(out, now.Policies(k))
	}
	return out
}

func (c *changer) namespace(now *model.Cluster) *model.Namespace {
	return one(c, slices.Collect(now.Namespaces()))
}

func (c *changer) add(now *model.Cluster) (string, []model.Object, []model.Key) {
	c.made++
	name := fmt.Sprintf("made-%d", c.made)
	var p *model.Policy
	switch c.IntN(6) {
	case 0, 1, 2:
		p = c.rules(made.ANP(name, int32(c.IntN(100)), c.pick("*", "tenant=restricted", "kubernetes.io/metadata.name in (blue,red)"), nil, nil))
		p.Logging, p.HasLogging = c.logging(), true
	case 3, 4:
		p = made.ANP(name, 0, "*", nil, nil)
		p.Kind, p.Namespace, p.Tier = model.KindNP, c.namespace(now).Name, model.TierNetwork
		p.Subject = model.Subject{Namespaces: model.SelectEverything(), Pods: made.Sel(c.pick("*", "app=web", "app notin (db)")), Namespace: p.Namespace}
		p.Subject.AllPods = p.Subject.Pods.String() == ""
		p.IsolatesIngress, p.IsolatesEgress = c.IntN(2) == 0, c.IntN(2) == 0
		p = c.rules(p)
	default:
		p = made.ANP("default", 0, "*", nil, nil)
		p.Kind, p.Namespace, p.Tier = model.KindEF, c.namespace(now).Name, model.TierNetwork
		p.Subject = model.Subject{Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true, Namespace: p.Namespace}
		p = c.rules(p)
	}
	return "add " + p.Key.String(), []model.Object{p}, nil
}

// rules gives a policy other rules, as its kind has them.
func (c *changer) rules(p *model.Policy) *model.Policy {
	next := *p
	next.Ingress, next.Egress = nil, nil
	for _, dir := range []model.Direction{model.Ingress, model.Egress} {
		if dir == model.Ingress && p.Kind == model.KindEF {
			continue
		}
		for i := range c.IntN(5) {
			r := model.Rule{Direction: dir, Index: i, Action: model.Allow}
			switch p.Kind {
			case model.KindANP:
				r.Action = model.Action(c.pick("Allow", "Deny", "Pass"))
			case model.KindBANP, model.KindEF:
				r.Action = model.Action(c.pick("Allow", "Deny"))
			}
			switch n := c.IntN(4); {
			case p.Kind == model.KindEF || n == 0 && dir == model.Egress:
				r.Peers = made.Peers(made.NetPeer(c.pick("0.0.0.0/0", "198.51.100.0/24", "172.30.0.0/16")))
			case n < 2:
				r.Peers = made.Peers(made.NSPeer(c.pick("*", "tenant=open", "kubernetes.io/metadata.name=blue")), made.PodPeer("*", "app=db"))
			default:
				r.Peers = made.Peers(made.PodPeer(c.pick("*", "tenant=restricted"), c.pick("app=web", "app in (api,db)")))
			}
			for range c.IntN(3) {
				n := int32(1 + c.IntN(3))
				r.Ports = append(r.Ports, model.Port{Protocol: c.pick("TCP", "UDP", "SCTP"), Start: 80, End: 79 + n, Range: n > 1})
			}
			list := &next.Ingress
			if dir == model.Egress {
				list = &next.Egress
			}
			*list = append(*list, r)
		}
	}
	return &next
}

func (c *changer) logging() string {
	return c.pick(`{"deny":"alert"}`, `{"allow":"info","deny":"warning","pass":"debug"}`, `{"allow":"notice","deny":"info"}`, `{}`)
}

func (c *changer) edit(now *model.Cluster) (string, []model.Object, []model.Key) {
	p := c.rules(one(c, policies(now, model.KindANP, model.KindBANP, model.KindNP, model.KindEF)))
	return "edit " + p.Key.String(), []model.Object{p}, nil
}

func (c *changer) drop(now *model.Cluster) (string, []model.Object, []model.Key) {
	list := policies(now, model.KindANP, model.KindBANP, model.KindNP, model.KindEF)
	if len(list) < 4 {
		return "", nil, nil
	}
	p := one(c, list)
	return "delete " + p.Key.String(), nil, []model.Key{p.Key}
}

func (c *changer) move(now *model.Cluster) (string, []model.Object, []model.Key) {
	list := policies(now, model.KindANP)
	if len(list) == 0 {
		return "", nil, nil
	}
	p := *one(c, list)
	p.Priority = int32(c.IntN(100))
	return fmt.Sprint("move ", p.Key, " to ", p.Priority), []model.Object{&p}, nil
}

func (c *changer) level(now *model.Cluster) (string, []model.Object, []model.Key) {
	list := policies(now, model.KindANP, model.KindBANP)
	if len(list) == 0 {
		return "", nil, nil
	}
	p := *one(c, list)
	p.Logging, p.HasLogging = c.logging(), true
	return "log level of " + p.Key.String() + " " + p.Logging, []model.Object{&p}, nil
}

func (c *changer) levels(now *model.Cluster) (string, []model.Object, []model.Key) {
	ns := *c.namespace(now)
	ns.Annotations = maps.Clone(ns.Annotations)
	if ns.Annotations == nil {
		ns.Annotations = map[string]string{}
	}
	ns.Annotations[model.AnnotationLogging] = c.logging()
	return "log levels of namespace " + ns.Name, []model.Object{&ns}, nil
}

func (c *changer) come(now *model.Cluster) (string, []model.Object, []model.Key) {
	c.made++
	p := made.Pod(fmt.Sprintf("%s/made-%d", c.namespace(now).Name, c.made), "app="+c.pick("web", "api", "db"))
	nodes := slices.Collect(now.Nodes())
	n := c.IntN(len(nodes))
	p.NodeName, p.UID = nodes[n].Name, fmt.Sprint("uid-", c.made)
	p.IPs = []string{fmt.Sprintf("10.244.%d.%d", n, 100+c.made%150)}
	if c.dual {
		p.IPs = append(p.IPs, fmt.Sprintf("fd01::%d:%x", n, 0x1000+c.made))
	}
	return "pod " + p.Key.String() + " comes", []model.Object{p}, nil
}

func (c *changer) gone(now *model.Cluster) (string, []model.Object, []model.Key) {
	pods := slices.Collect(now.Pods())
	if len(pods) < 20 {
		return "", nil, nil
	}
	p := one(c, pods)
	return "pod " + p.Key.String() + " goes", nil, []model.Key{p.Key}
}

func (c *changer) label(now *model.Cluster) (string, []model.Object, []model.Key) {
	p := *one(c, slices.Collect(now.Pods()))
	p.Labels = made.Pod("a/b", "app="+c.pick("web", "api", "db", "dns")).Labels
	return "label of pod " + p.Key.String(), []model.Object{&p}, nil
}

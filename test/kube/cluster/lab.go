package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"rung/model/ovn/nb"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
	"rung/test/lab"
)

// Lab are nodes that run OVN itself: both databases, ovn-northd, ovn-controller and
// ovs-vswitchd for each, some 100 MB. Packets can be put in. The rows beside the
// policies' are written by Follow, not by Rung's sandbox.
type Lab struct {
	*lab.Lab
	Databases
	// Tools are the programs it runs on, ovn-trace and ovn-nbctl among them.
	Tools *sandbox.Tools

	client kubernetes.Interface
}

// AddLab starts OVN for each of the nodes, which are in the cluster, and follows their
// pods once.
func (c *Cluster) AddLab(ctx context.Context, tools *sandbox.Tools, nodes ...string) (*Lab, error) {
	cfg := lab.Config{Dir: c.path("ovn")}
	if err := os.Mkdir(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of OVN: %w", err)
	}
	for _, name := range nodes {
		node, err := c.Client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("reading node %s: %w", name, err)
		}
		zone, err := zoneOf(node)
		if err != nil {
			return nil, err
		}
		cfg.Zones = append(cfg.Zones, zone)
	}
	lab, err := lab.Start(ctx, tools, cfg)
	if err != nil {
		return nil, err
	}
	l := &Lab{Lab: lab, Databases: Databases{}, Tools: tools, client: c.Client}
	c.labs = append(c.labs, l)
	for _, z := range lab.Zones() {
		l.Databases[z.Name()] = z.NB()
	}
	return l, l.Follow(ctx)
}

// zoneOf is what OVN has to know of a node: its annotation has the pods' subnets.
func zoneOf(node *corev1.Node) (sandbox.ZoneConfig, error) {
	cfg := sandbox.ZoneConfig{Name: node.Name, Foreign: true}
	var subnets map[string][]netip.Prefix
	if err := json.Unmarshal([]byte(node.Annotations["k8s.ovn.org/node-subnets"]), &subnets); err != nil {
		return cfg, fmt.Errorf("the subnets of node %s: %w", node.Name, err)
	}
	cfg.Subnets = subnets["default"]
	for _, a := range node.Status.Addresses {
		if a.Type != corev1.NodeInternalIP {
			continue
		}
		ip, err := netip.ParseAddr(a.Address)
		if err != nil {
			return cfg, fmt.Errorf("the addresses of node %s: %w", node.Name, err)
		}
		cfg.Host = append(cfg.Host, ip)
	}
	return cfg, nil
}

// Follow writes what OVN-Kubernetes keeps beside policies: the ports of the pods there
// are now, and the groups of their namespaces. It returns when all is flows.
func (l *Lab) Follow(ctx context.Context) error {
	pods, err := l.client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing pods: %w", err)
	}
	namespaces, err := l.client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing namespaces: %w", err)
	}
	for _, z := range l.Zones() {
		db, err := nbdb.Dial(nbdb.Config{Addr: z.NB(), AnyName: true}).Read(ctx)
		if err != nil {
			return err
		}
		if ops := ports(z.Name(), db, pods.Items, namespaces.Items); len(ops) > 0 {
			if err := z.Transact(ctx, ops...); err != nil {
				return err
			}
		}
	}
	return l.Sync(ctx)
}

// ports are the operations that give a zone the ports and groups it lacks and take
// those whose pods are gone. Groups stay: namespaces do not end here.
func ports(zone string, db *nb.DB, pods []corev1.Pod, namespaces []corev1.Namespace) (ops []nb.Op) {
	members := map[string][]nb.Ref{}
	var add, remove []nb.Ref
	there := map[string]bool{}
	for i := range pods {
		p := &pods[i]
		if p.Spec.NodeName != zone || p.Spec.HostNetwork || len(p.Status.PodIPs) == 0 {
			continue
		}
		name := nb.PortName(p.Namespace, p.Name)
		there[name] = true
		if db.PortByName(name) != nil {
			continue
		}
		address := []string{sandbox.DeriveMAC(p.Status.PodIPs[0].IP, "")}
		for _, ip := range p.Status.PodIPs {
			address = append(address, ip.IP)
		}
		id := nb.Ref{Name: fmt.Sprint("port", i)}
		ops = append(ops, sandbox.PodPortOp(id.Name, zone, name, p.Namespace, string(p.UID), strings.Join(address, " ")))
		add = append(add, id)
		members[p.Namespace] = append(members[p.Namespace], id)
	}
	for p := range db.Ports() {
		if p.ExternalIDs["pod"] == "true" && !there[p.Name] {
			remove = append(remove, nb.Ref{UUID: p.UUID})
		}
	}
	for i := range namespaces {
		ids := sandbox.NamespaceIDs(namespaces[i].Name)
		name := nb.HashedName(ids[nb.KeyID])
		switch g := db.PortGroupByName(name); {
		case g == nil:
			ops = append(ops, sandbox.InsertOp(nb.TablePortGroup, "", map[string]any{"name": name, "external_ids": ids, "ports": members[namespaces[i].Name]}))
		case len(members[namespaces[i].Name]) > 0:
			ops = append(ops, nb.Op{Kind: nb.OpMutate, Table: nb.TablePortGroup, UUID: g.UUID,
				Mutations: []nb.Mutation{{Column: "ports", Insert: true, Refs: members[namespaces[i].Name]}}})
		}
	}
	for _, m := range []nb.Mutation{{Column: "ports", Insert: true, Refs: add}, {Column: "ports", Refs: remove}} {
		if len(m.Refs) > 0 {
			ops = append(ops, nb.Op{Kind: nb.OpMutate, Table: nb.TableSwitch, UUID: db.SwitchByName(zone).UUID, Mutations: []nb.Mutation{m}})
		}
	}
	return ops
}

// Sync waits until every row that is there decides about packets, in all zones.
func (l *Lab) Sync(ctx context.Context) error {
	var mu sync.Mutex
	var errs []error
	var all sync.WaitGroup
	for _, z := range l.Zones() {
		all.Go(func() {
			_, err := z.WaitSynced(ctx)
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// Nodes are their names.
func (l *Lab) Nodes() []string { return slices.Sorted(maps.Keys(l.Databases)) }

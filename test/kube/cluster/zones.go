package cluster

import (
	"context"
	"fmt"
	"os/exec"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"rung/model"
	"rung/sources/sandbox"
)

// Zones are the Northbound databases of nodes: one real ovsdb-server each, whose
// rows beside the policies' follow the cluster's pods and namespaces.
type Zones struct {
	*sandbox.Sandbox
	Databases
	stop func()

	mu   sync.Mutex
	seen *model.Cluster
}

// AddZones starts a database for each of the nodes, which are in the cluster,
// and waits until the pods there are have their ports.
func (c *Cluster) AddZones(ctx context.Context, nodes ...string) (*Zones, error) {
	server, err := exec.LookPath("ovsdb-server")
	if err != nil {
		return nil, fmt.Errorf("%w (Debian: openvswitch-common)", err)
	}
	z := &Zones{}
	// Its own folder: a second set of zones of the same nodes is another one.
	c.mu.Lock()
	dir := c.path(fmt.Sprintf("z%d", len(c.zones)))
	c.zones = append(c.zones, z)
	c.mu.Unlock()
	z.Sandbox, err = sandbox.Start(ctx, sandbox.Config{Zones: nodes, Dir: dir, Server: server, ForeignRows: true})
	if err != nil {
		return nil, fmt.Errorf("starting the zones' databases: %w", err)
	}
	z.Databases = z.Endpoints()
	run, cancel := context.WithCancel(context.Background())
	factory := informers.NewSharedInformerFactory(c.Client, 0)
	z.stop = func() { cancel(); factory.Shutdown() }
	core := factory.Core().V1()
	for _, i := range []cache.SharedIndexInformer{core.Nodes().Informer(), core.Namespaces().Informer(), core.Pods().Informer()} {
		_, err := i.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(o any) { z.put(o, false) },
			UpdateFunc: func(_, o any) { z.put(o, false) },
			DeleteFunc: func(o any) { z.put(o, true) },
		})
		if err != nil {
			return nil, fmt.Errorf("watching the cluster: %w", err)
		}
	}
	factory.Start(run.Done())
	factory.WaitForCacheSync(ctx.Done())
	return z, ctx.Err()
}

// Close ends the servers. A second call does nothing.
func (z *Zones) Close() {
	z.mu.Lock()
	stop := z.stop
	z.stop = nil
	z.mu.Unlock()
	if stop != nil {
		stop()
		z.Sandbox.Close()
	}
}

// ReadPods tells the keepers of all pods now. After many outages the informers may wait for a minute
// before they look again.
func (c *Cluster) ReadPods(ctx context.Context, z *Zones) error {
	pods, err := c.Client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing pods for the zones: %w", err)
	}
	for i := range pods.Items {
		z.put(&pods.Items[i], false)
	}
	return nil
}

// put tells the databases' keepers of an object.
func (z *Zones) put(o any, gone bool) {
	if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = last.Obj
	}
	m := toModel(o)
	if m == nil {
		return
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	var changes []model.Change
	if gone {
		z.seen, changes = z.seen.Upsert(nil, []model.Key{m.ObjectKey()})
	} else {
		z.seen, changes = z.seen.Upsert([]model.Object{m}, nil)
	}
	z.SetPods(z.seen, changes)
}

// toModel says of an object what the keepers read.
func toModel(o any) model.Object {
	switch o := o.(type) {
	case *corev1.Node:
		return &model.Node{Meta: meta(model.KindNode, o)}
	case *corev1.Namespace:
		return &model.Namespace{Meta: meta(model.KindNamespace, o)}
	case *corev1.Pod:
		p := &model.Pod{Meta: meta(model.KindPod, o), NodeName: o.Spec.NodeName, HostNetwork: o.Spec.HostNetwork,
			Phase: string(o.Status.Phase), Deleting: o.DeletionTimestamp != nil}
		for _, ip := range o.Status.PodIPs {
			p.IPs = append(p.IPs, ip.IP)
		}
		return p
	}
	return nil
}

func meta(kind model.Kind, o interface {
	GetNamespace() string
	GetName() string
},
) model.Meta {
	uid := ""
	if u, ok := o.(*corev1.Pod); ok {
		uid = string(u.UID)
	}
	return model.Meta{Key: model.Key{Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName()}, UID: uid}
}

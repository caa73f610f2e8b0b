package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	yamlutil "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"rung/bench/workload"
	"rung/model"
)

// bulkWorkers is how many requests are under way at once when much is written.
const bulkWorkers = 32

// Bulk writes many objects at once, as the administrator: with protobuf, and
// without a limit worth mentioning on the client's side.
type Bulk struct {
	client kubernetes.Interface
	any    dynamic.Interface
}

// Bulk makes a client for many objects.
func (c *Cluster) Bulk() (*Bulk, error) {
	cfg := rest.CopyConfig(c.rest)
	cfg.QPS, cfg.Burst = 5000, 5000
	b := &Bulk{}
	var err error
	if b.any, err = dynamic.NewForConfig(cfg); err != nil { // definitions know JSON only
		return nil, fmt.Errorf("making a client: %w", err)
	}
	cfg.ContentType, cfg.AcceptContentTypes = "application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf,application/json"
	if b.client, err = kubernetes.NewForConfig(cfg); err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	return b, nil
}

// Load writes a workload: its nodes, namespaces, policies and pods, these with
// their status.
func (b *Bulk) Load(ctx context.Context, s workload.Size) error {
	var text bytes.Buffer
	some := s
	some.Namespaces, some.Pods = 0, 0
	if err := workload.Write(&text, some); err != nil {
		return fmt.Errorf("writing the manifests: %w", err)
	}
	if err := b.create(ctx, &text); err != nil {
		return err
	}
	objects, err := workload.Objects(s)
	if err != nil {
		return err
	}
	var namespaces, pods []func() error
	for _, o := range objects {
		switch o := o.(type) {
		case *model.Namespace:
			namespaces = append(namespaces, func() error { return b.addNamespace(ctx, o) })
		case *model.Pod:
			pods = append(pods, func() error { return b.AddPod(ctx, o) })
		}
	}
	return errors.Join(atOnce(namespaces), atOnce(pods))
}

// resources are what the documents of a workload are, by kind.
var resources = map[string]schema.GroupVersionResource{
	"Node":               {Version: "v1", Resource: "nodes"},
	"AdminNetworkPolicy": {Group: "policy.networking.k8s.io", Version: "v1alpha1", Resource: "adminnetworkpolicies"},
}

// create writes the objects of a stream of YAML documents.
func (b *Bulk) create(ctx context.Context, text io.Reader) error {
	var work []func() error
	d := yamlutil.NewYAMLOrJSONDecoder(text, 4096)
	for {
		u := &unstructured.Unstructured{}
		if err := d.Decode(&u.Object); errors.Is(err, io.EOF) {
			return atOnce(work)
		} else if err != nil {
			return fmt.Errorf("reading manifests: %w", err)
		}
		to, ok := resources[u.GetKind()]
		if !ok {
			return fmt.Errorf("a workload does not have %s %s", u.GetKind(), u.GetName())
		}
		work = append(work, func() error {
			if _, err := b.any.Resource(to).Create(ctx, u, metav1.CreateOptions{}); err != nil {
				return fmt.Errorf("creating %s %s: %w", u.GetKind(), u.GetName(), err)
			}
			return nil
		})
	}
}

func (b *Bulk) addNamespace(ctx context.Context, n *model.Namespace) error {
	o := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels.Map()}}
	if _, err := b.client.CoreV1().Namespaces().Create(ctx, o, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("creating namespace %s: %w", n.Name, err)
	}
	return nil
}

// AddPod writes a pod and then its status.
func (b *Bulk) AddPod(ctx context.Context, p *model.Pod) error {
	o, err := b.NewPod(ctx, p)
	if err != nil {
		return err
	}
	return b.StartPod(ctx, p, o)
}

// NewPod writes a pod that does not run yet: it has no address.
func (b *Bulk) NewPod(ctx context.Context, p *model.Pod) (*corev1.Pod, error) {
	o := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: p.Namespace, Labels: p.Labels.Map()},
		Spec: corev1.PodSpec{NodeName: p.NodeName, Containers: []corev1.Container{{Name: "c", Image: "none.invalid/c"}}}}
	for _, port := range p.Ports {
		o.Spec.Containers[0].Ports = append(o.Spec.Containers[0].Ports,
			corev1.ContainerPort{Name: port.Name, ContainerPort: int32(port.Port), Protocol: corev1.Protocol(port.Protocol)})
	}
	o, err := b.client.CoreV1().Pods(p.Namespace).Create(ctx, o, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("creating pod %s/%s: %w", p.Namespace, p.Name, err)
	}
	return o, nil
}

// StartPod writes the status of a pod that NewPod made: it runs, at its
// addresses.
func (b *Bulk) StartPod(ctx context.Context, p *model.Pod, o *corev1.Pod) error {
	o.Status = corev1.PodStatus{Phase: corev1.PodPhase(p.Phase), PodIP: p.IPs[0],
		Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}
	for _, ip := range p.IPs {
		o.Status.PodIPs = append(o.Status.PodIPs, corev1.PodIP{IP: ip})
	}
	if _, err := b.client.CoreV1().Pods(p.Namespace).UpdateStatus(ctx, o, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("writing the status of pod %s/%s: %w", p.Namespace, p.Name, err)
	}
	return nil
}

// atOnce does the work with bulkWorkers goroutines; after an error each begins
// nothing more.
func atOnce(work []func() error) error {
	todo := make(chan func() error, len(work))
	for _, w := range work {
		todo <- w
	}
	close(todo)
	errs := make([]error, bulkWorkers)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for w := range todo {
				errs[i] = w()
				if errs[i] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

package kube

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"rung/model/clean"
)

const (
	// zonePodsFor is how long a list serves, where nothing else is said: a pod that restarts is found again
	// within it, and 500 zones that reconnect ask once.
	zonePodsFor = 5 * time.Second
	// zonePodsPage is how many pods one answer carries.
	zonePodsPage = 250
	// zonePodsWithin bounds reading a namespace, whoever waits for it.
	zonePodsWithin = 20 * time.Second
)

// zonePodLists holds the last list of each namespace. The zero value is ready.
type zonePodLists struct {
	keep time.Duration // how long a list serves; 0 is zonePodsFor

	mu   sync.Mutex
	byNS map[string]*zonePodList
}

// zonePodList is one list, made once; ready is closed when it has come.
type zonePodList struct {
	ready chan struct{}
	until time.Time // set with the fields below, before ready
	pods  map[string][]zonePodInfo
	err   error
}

// list returns the pods labelled as ovnkube-node of a namespace by node. Whoever
// comes while somebody else reads waits for that. A failure is kept as long as a
// list: it would not be another for the next zone.
func (l *zonePodLists) list(ctx context.Context, client kubernetes.Interface, ns string) (map[string][]zonePodInfo, error) {
	l.mu.Lock()
	have := l.byNS[ns]
	if have != nil {
		select {
		case <-have.ready:
			if time.Now().After(have.until) {
				have = nil
			}
		default:
		}
	}
	if have == nil {
		have = &zonePodList{ready: make(chan struct{})}
		if l.byNS == nil {
			l.byNS = map[string]*zonePodList{}
		}
		l.byNS[ns] = have
		// Not under the first asker's context: others wait for it, too.
		go have.read(context.WithoutCancel(ctx), client, ns, cmp.Or(l.keep, zonePodsFor))
	}
	l.mu.Unlock()
	select {
	case <-have.ready:
		return have.pods, have.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (z *zonePodList) read(ctx context.Context, client kubernetes.Interface, ns string, keep time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, zonePodsWithin)
	defer cancel()
	defer close(z.ready)
	defer func() { z.until = time.Now().Add(keep) }()
	owners := daemonSets{client: client, ns: ns, uids: map[string]string{}}
	for _, selector := range []string{"app=ovnkube-node", "name=ovnkube-node"} {
		pods := map[string][]zonePodInfo{}
		opt := metav1.ListOptions{LabelSelector: selector, Limit: zonePodsPage}
		for {
			page, err := client.CoreV1().Pods(ns).List(ctx, opt)
			if err != nil {
				z.err = askError(err, "list", "pods", ns)
				return
			}
			for i := range page.Items {
				p := &page.Items[i]
				info := readZonePod(p)
				if info.notOurs, err = owners.check(ctx, p); err != nil {
					z.err = err
					return
				}
				pods[p.Spec.NodeName] = append(pods[p.Spec.NodeName], info)
			}
			if opt.Continue = page.Continue; opt.Continue == "" {
				break
			}
		}
		if z.pods = pods; len(pods) > 0 {
			return
		}
	}
}

// daemonSets knows the DaemonSets of a namespace that pods name as their owners.
type daemonSets struct {
	client kubernetes.Interface
	ns     string
	uids   map[string]string // by name; empty: there is none
}

// check says why a pod is none of OVN-Kubernetes, or that it could not be found
// out.
func (d *daemonSets) check(ctx context.Context, p *corev1.Pod) (notOurs, err error) {
	refuse := func(why string) error {
		return fmt.Errorf("%w: pod %s/%s %s", ErrNotOurPod, clean.Text(p.Namespace), clean.Text(p.Name), clean.Text(why))
	}
	if p.Namespace != d.ns {
		return refuse("is in another namespace"), nil
	}
	owner := metav1.GetControllerOf(p)
	if owner == nil || owner.Kind != "DaemonSet" || owner.APIVersion != "apps/v1" {
		return refuse("is not owned by a DaemonSet"), nil
	}
	uid, ok := d.uids[owner.Name]
	if !ok {
		got, err := d.client.AppsV1().DaemonSets(d.ns).Get(ctx, owner.Name, metav1.GetOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return nil, askError(err, "get", "daemonsets.apps", d.ns)
		}
		if err == nil {
			uid = string(got.UID)
		}
		d.uids[owner.Name] = uid
	}
	switch {
	case uid == "":
		return refuse("names a DaemonSet " + owner.Name + " that does not exist"), nil
	case uid != string(owner.UID):
		return refuse("names a DaemonSet " + owner.Name + " with another UID"), nil
	}
	return nil, nil
}

// askError says what a request that failed was for.
func askError(err error, verb, resource, ns string) error {
	if apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) {
		return fmt.Errorf("%w: %s; needed: kubectl auth can-i %s %s -n %s", fs.ErrPermission, clean.Text(err.Error()), verb, resource, clean.Text(ns))
	}
	return fmt.Errorf("%s %s of namespace %s: %w", verb, resource, clean.Text(ns), cleanError{err})
}

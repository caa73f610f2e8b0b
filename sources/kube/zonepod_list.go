package kube

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model/clean"
)

const (
	// zonePodsFor is how long a list serves, where nothing else is said: a pod that
	// restarts is found again within it, and 500 zones that reconnect ask once.
	zonePodsFor = 5 * time.Second
	// zonePodsWithin bounds reading a namespace, whoever waits for it.
	zonePodsWithin = 20 * time.Second
)

// zonePodsIn returns the pods labelled as ovnkube-node of a namespace by node.
func (c *Cluster) zonePodsIn(ctx context.Context, ns string) (map[string][]zonePodInfo, error) {
	return c.zonePods.Get(ctx, ns, func(ctx context.Context) (map[string][]zonePodInfo, error) {
		client := c.Builtin()
		owners := daemonSets{cluster: c, client: client, ns: ns, uids: map[string]string{}}
		pods := map[string][]zonePodInfo{}
		for _, selector := range []string{"app=ovnkube-node", "name=ovnkube-node"} {
			var unknown error // whose pod it is
			err := EachPod(ctx, client, ns, metav1.ListOptions{LabelSelector: selector}, func(p *corev1.Pod) error {
				info := readZonePod(p)
				info.notOurs, unknown = owners.check(ctx, p)
				pods[p.Spec.NodeName] = append(pods[p.Spec.NodeName], info)
				return unknown
			})
			switch {
			case unknown != nil:
				return nil, unknown
			case err != nil:
				return nil, c.askError(err, "list", "pods", ns)
			case len(pods) > 0:
				return pods, nil
			}
		}
		return pods, nil
	})
}

// daemonSets knows the DaemonSets of a namespace that pods name as their owners.
type daemonSets struct {
	cluster *Cluster
	client  *Builtin
	ns      string
	uids    map[string]string // by name; empty: there is none
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
		got, err := d.client.DaemonSets(d.ns).Get(ctx, owner.Name, metav1.GetOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return nil, d.cluster.askError(err, "get", "daemonsets.apps", d.ns)
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
func (c *Cluster) askError(err error, verb, resource, ns string) error {
	if apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) {
		return fmt.Errorf("%w: %s; needed: %s", fs.ErrPermission, clean.Text(err.Error()),
			c.Kubectl("auth", "can-i", verb, resource, "-n", clean.Text(ns)))
	}
	return fmt.Errorf("%s %s of namespace %s: %w", verb, resource, clean.Text(ns), cleanError{err})
}

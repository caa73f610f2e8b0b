package kube

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"rung/model/clean"
)

// OVNNamespaces are where OVN-Kubernetes runs when nobody says otherwise:
// upstream and OpenShift (ovn-kubernetes.md#zones-and-their-pods).
func OVNNamespaces() []string { return []string{"ovn-kubernetes", "openshift-ovn-kubernetes"} }

// Errors of looking for a zone's pod. No permission is fs.ErrPermission.
var (
	// ErrNoZonePod says that no ovnkube-node pod runs on the node.
	ErrNoZonePod = errors.New("no ovnkube-node pod on the node")
	// ErrManyZonePods says that more than one could be it, or that OVN-Kubernetes
	// seems to run in several namespaces.
	ErrManyZonePods = errors.New("several ovnkube-node pods")
	// ErrZonePodNotReady says that the pod or its container does not run.
	ErrZonePodNotReady = errors.New("the ovnkube-node pod is not ready")
	// ErrNotOurPod says that a pod is labelled like one of OVN-Kubernetes and is
	// not one: nothing is run in it.
	ErrNotOurPod = errors.New("not a pod of OVN-Kubernetes")
)

// ZonePod is the ovnkube-node pod of a node.
type ZonePod struct {
	Namespace, Name, UID, Node string
	// Container is the one to read the Northbound database in.
	Container string
	// Containers are the names of all, in the order of the pod's spec.
	Containers []string
}

// Target is where commands about the database run.
func (z ZonePod) Target() ExecTarget { return ExecTarget{z.Namespace, z.Name, z.Container} }

// ZonePod finds the ovnkube-node pod of a node in the namespaces given, those of
// OVNNamespaces when none is. Whoever can label a pod elsewhere must not receive
// an admin's exec: only a pod whose controller is a DaemonSet that exists, with
// the UID the pod names, in one of these namespaces is taken.
//
// All nodes share one list per namespace, kept for some seconds.
func (c *Cluster) ZonePod(ctx context.Context, node string, namespaces []string) (ZonePod, error) {
	if len(namespaces) == 0 {
		namespaces = OVNNamespaces()
	}
	var found []zonePodInfo
	var denied error
	home := "" // where there are pods of OVN-Kubernetes, on any node
	for _, ns := range namespaces {
		pods, err := c.zonePodsIn(ctx, ns)
		switch {
		case err == nil && !anyOurs(pods):
			found = append(found, pods[node]...)
		case err == nil && home != "":
			return ZonePod{}, fmt.Errorf("%w: in %s and in %s; say which is OVN-Kubernetes' with --ovn-namespace",
				ErrManyZonePods, clean.Text(home), clean.Text(ns))
		case err == nil:
			home, found = ns, append(found, pods[node]...)
		case ctx.Err() != nil:
			return ZonePod{}, fmt.Errorf("look for the pod of zone %s: %w", clean.Text(node), context.Cause(ctx))
		case !errors.Is(err, fs.ErrPermission):
			return ZonePod{}, err // the pod may be there, and one elsewhere is then not it
		case denied == nil:
			denied = err
		}
	}
	pod, err := chooseZonePod(found)
	if errors.Is(err, ErrNoZonePod) && denied != nil {
		err = denied
	}
	if err != nil {
		if errors.Is(err, ErrNoZonePod) {
			err = fmt.Errorf("%w in %s; if OVN-Kubernetes runs in another namespace, give --ovn-namespace", err,
				clean.Text(strings.Join(namespaces, ", ")))
		}
		return ZonePod{}, err
	}
	return pod, nil
}

// anyOurs says whether there is a pod of OVN-Kubernetes, running or not. One
// installation has one namespace: where two have such pods, whoever may make
// namespaces (on OpenShift, every user) could have made the other, and a node
// whose own pod is away would lead there.
func anyOurs(byNode map[string][]zonePodInfo) bool {
	for _, pods := range byNode {
		if slices.ContainsFunc(pods, func(p zonePodInfo) bool { return p.notOurs == nil }) {
			return true
		}
	}
	return false
}

// zonePodInfo is what is kept of a pod that is labelled as ovnkube-node.
type zonePodInfo struct {
	ZonePod
	notOurs error // why it is refused; nil for one of OVN-Kubernetes
	wait    string
}

// chooseZonePod picks the one that is of OVN-Kubernetes and runs.
func chooseZonePod(pods []zonePodInfo) (ZonePod, error) {
	var ours []zonePodInfo
	var refused, waiting error
	for _, p := range pods {
		switch {
		case p.notOurs != nil:
			refused = p.notOurs
		case p.wait != "":
			waiting = fmt.Errorf("%w: %s/%s: %s", ErrZonePodNotReady, p.Namespace, p.Name, p.wait)
		default:
			ours = append(ours, p)
		}
	}
	switch {
	case len(ours) == 1:
		return ours[0].ZonePod, nil
	case len(ours) > 1:
		return ZonePod{}, fmt.Errorf("%w: %s/%s and %s/%s", ErrManyZonePods, ours[0].Namespace, ours[0].Name,
			ours[1].Namespace, ours[1].Name)
	case waiting != nil:
		return ZonePod{}, waiting
	case refused != nil:
		return ZonePod{}, refused
	}
	return ZonePod{}, ErrNoZonePod
}

// readZonePod takes from a pod what ZonePod tells, and whether it runs.
func readZonePod(p *corev1.Pod) (out zonePodInfo) {
	out.ZonePod = ZonePod{Namespace: clean.Text(p.Namespace), Name: clean.Text(p.Name), UID: string(p.UID),
		Node: p.Spec.NodeName}
	for i := range p.Spec.Containers {
		out.Containers = append(out.Containers, p.Spec.Containers[i].Name)
	}
	out.Container = databaseContainer(p)
	switch {
	case p.DeletionTimestamp != nil:
		out.wait = "it is being deleted"
	case p.Status.Phase != corev1.PodRunning:
		out.wait = "phase " + clean.Text(string(p.Status.Phase))
	case out.Container == "":
		out.wait = "none of its containers mounts " + ovnRunDir
	case !running(p, out.Container):
		out.wait = "container " + clean.Text(out.Container) + " is not running"
	}
	return out
}

// ovnRunDir is where every container of OVN has the sockets
// (ovn-kubernetes.md#zones-and-their-pods).
const ovnRunDir = "/var/run/ovn"

// databaseContainer finds the container to reach the database in: the one that
// runs its server, by upstream's and OpenShift's name, else one that sees the
// sockets, those with a name we know first. It is empty where there is none, as
// in a DPU host's pod.
func databaseContainer(p *corev1.Pod) string {
	sees := func(c *corev1.Container) bool {
		return slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool {
			dir := path.Clean(m.MountPath)
			return dir == ovnRunDir || "/var"+dir == ovnRunDir // /run is /var/run
		})
	}
	for _, name := range []string{"nb-ovsdb", "nbdb"} {
		for i := range p.Spec.Containers {
			if p.Spec.Containers[i].Name == name {
				return name
			}
		}
	}
	found := ""
	for _, name := range []string{"ovnkube-controller", "northd", "ovn-northd", ""} {
		for i := range p.Spec.Containers {
			if c := &p.Spec.Containers[i]; sees(c) && (c.Name == name || name == "" && found == "") {
				found = c.Name
			}
		}
		if found != "" {
			return found
		}
	}
	return ""
}

func running(p *corev1.Pod, container string) bool {
	return slices.ContainsFunc(p.Status.ContainerStatuses, func(s corev1.ContainerStatus) bool {
		return s.Name == container && s.State.Running != nil
	})
}

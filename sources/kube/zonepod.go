package kube

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model/words"
)

// OVNNamespaces returns OVN-Kubernetes' default namespaces (ovn-kubernetes.md#zones-and-their-pods).
func OVNNamespaces() []string { return []string{"ovn-kubernetes", "openshift-ovn-kubernetes"} }

// Errors of looking for a zone's pod. A missing permission is fs.ErrPermission.
var (
	// ErrNoZonePod means no ovnkube-node pod runs on the node.
	ErrNoZonePod = errors.New("no ovnkube-node pod on the node")
	// ErrManyZonePods means several pods match, or OVN-Kubernetes seems to run in several namespaces.
	ErrManyZonePods = errors.New("several ovnkube-node pods")
	// ErrZonePodNotReady means the pod or its container does not run.
	ErrZonePodNotReady = errors.New("the ovnkube-node pod is not ready")
	// ErrNotOurPod means a pod only has the labels of OVN-Kubernetes. No command is run in it.
	ErrNotOurPod = errors.New("not a pod of OVN-Kubernetes")
)

// ZonePod is the ovnkube-node pod of a node.
type ZonePod struct {
	Namespace, Name string
	// Container is the container for reading the Northbound database.
	Container string
	// Containers names all containers, in the order of the pod's spec.
	Containers []string
}

// Target returns the container for commands about the database.
func (z ZonePod) Target() ExecTarget { return ExecTarget{z.Namespace, z.Name, z.Container} }

// ZonePod finds the ovnkube-node pod of a node in the given namespaces, by default OVNNamespaces. A user who
// can label a pod elsewhere must not receive an admin's exec. So the pod's controller must be an existing
// DaemonSet in its namespace, with the UID named by the pod.
//
// All nodes share one list per namespace, kept for some seconds.
func (c *Cluster) ZonePod(ctx context.Context, node string, namespaces []string) (ZonePod, error) {
	if len(namespaces) == 0 {
		namespaces = OVNNamespaces()
	}
	var found []zonePodInfo
	var denied error
	home := "" // namespace with pods of OVN-Kubernetes, on any node
	for _, ns := range namespaces {
		pods, err := c.zonePodsIn(ctx, ns)
		switch {
		case err == nil && !hasOVNKPod(pods):
			found = append(found, pods[node]...)
		case err == nil && home != "":
			return ZonePod{}, fmt.Errorf("%w: in %s and in %s; choose OVN-Kubernetes' namespace with --ovn-namespace",
				ErrManyZonePods, words.CleanText(home), words.CleanText(ns))
		case err == nil:
			home, found = ns, append(found, pods[node]...)
		case ctx.Err() != nil:
			return ZonePod{}, fmt.Errorf("look for the pod of zone %s: %w", words.CleanText(node), context.Cause(ctx))
		case !errors.Is(err, fs.ErrPermission):
			return ZonePod{}, err // the pod may be here, so do not take one elsewhere
		case denied == nil:
			denied = err
		}
	}
	pod, err := chooseZonePod(found)
	if errors.Is(err, ErrNoZonePod) {
		err = cmp.Or(denied, fmt.Errorf("%w in %s; if OVN-Kubernetes runs in another namespace, give --ovn-namespace", err,
			words.CleanText(strings.Join(namespaces, ", "))))
	}
	return pod, err
}

// hasOVNKPod reports whether any pod belongs to OVN-Kubernetes, running or not. One installation has one
// namespace. If two have such pods, anybody who may make namespaces (on OpenShift, every user) could have made
// the second. A node whose own pod is away would lead there.
func hasOVNKPod(byNode map[string][]zonePodInfo) bool {
	for _, pods := range byNode {
		if slices.ContainsFunc(pods, func(p zonePodInfo) bool { return p.whyNotOVNK == nil }) {
			return true
		}
	}
	return false
}

// zonePodInfo holds the facts kept about a pod labelled as ovnkube-node.
type zonePodInfo struct {
	ZonePod
	whyNotOVNK error // why it is refused; nil for a pod of OVN-Kubernetes
	wait       string
}

// chooseZonePod picks the running pod of OVN-Kubernetes.
func chooseZonePod(pods []zonePodInfo) (ZonePod, error) {
	var ours []zonePodInfo
	var refused, waiting error
	for _, p := range pods {
		switch {
		case p.whyNotOVNK != nil:
			refused = p.whyNotOVNK
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
	}
	return ZonePod{}, cmp.Or(waiting, refused, ErrNoZonePod)
}

// readZonePod reads the facts of a pod, and whether it runs.
func readZonePod(p *corev1.Pod) (out zonePodInfo) {
	out.ZonePod = ZonePod{Namespace: words.CleanText(p.Namespace), Name: words.CleanText(p.Name)}
	for i := range p.Spec.Containers {
		out.Containers = append(out.Containers, p.Spec.Containers[i].Name)
	}
	out.Container = databaseContainer(p)
	switch {
	case p.DeletionTimestamp != nil:
		out.wait = "it is being deleted"
	case p.Status.Phase != corev1.PodRunning:
		out.wait = "phase " + words.CleanText(string(p.Status.Phase))
	case out.Container == "":
		out.wait = "none of its containers mounts " + ovnRunDir
	case !slices.ContainsFunc(p.Status.ContainerStatuses, func(s corev1.ContainerStatus) bool {
		return s.Name == out.Container && s.State.Running != nil
	}):
		out.wait = "container " + words.CleanText(out.Container) + " is not running"
	}
	return out
}

// ovnRunDir is the folder of the sockets in every OVN container (ovn-kubernetes.md#zones-and-their-pods).
const ovnRunDir = "/var/run/ovn"

// databaseContainer finds the container for reaching the database: upstream's or OpenShift's server container,
// else one that mounts the sockets, known names first. It is empty without both, as on a DPU host.
func databaseContainer(p *corev1.Pod) string {
	sees := func(c *corev1.Container) bool {
		return slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool {
			dir := path.Clean(m.MountPath)
			return dir == ovnRunDir || "/var"+dir == ovnRunDir // /run is /var/run
		})
	}
	for _, name := range []string{"nb-ovsdb", "nbdb"} {
		if slices.ContainsFunc(p.Spec.Containers, func(c corev1.Container) bool { return c.Name == name }) {
			return name
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

const (
	// zonePodsFor is how long a list is reused: 500 reconnecting zones ask once, a new pod is found soon.
	zonePodsFor = 5 * time.Second
	// zonePodsWithin bounds the time to read a namespace, whoever waits.
	zonePodsWithin = 20 * time.Second
)

// zonePodsIn returns a namespace's pods labelled as ovnkube-node, by node.
func (c *Cluster) zonePodsIn(ctx context.Context, ns string) (map[string][]zonePodInfo, error) {
	return c.zonePods.Get(ctx, ns, func(ctx context.Context) (map[string][]zonePodInfo, error) {
		client := c.Builtin()
		owners := daemonSets{cluster: c, client: client, ns: ns, uids: map[string]string{}}
		pods := map[string][]zonePodInfo{}
		for _, selector := range []string{"app=ovnkube-node", "name=ovnkube-node"} {
			var unknown error // the owner could not be read
			err := EachPod(ctx, client, ns, metav1.ListOptions{LabelSelector: selector}, func(p *corev1.Pod) error {
				info := readZonePod(p)
				info.whyNotOVNK, unknown = owners.checkPod(ctx, p)
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

// daemonSets caches the DaemonSets of a namespace that own pods.
type daemonSets struct {
	cluster *Cluster
	client  *Builtin
	ns      string
	uids    map[string]string // by name; empty if it does not exist
}

// checkPod returns why a pod does not belong to OVN-Kubernetes, or an error if that is unknown.
func (d *daemonSets) checkPod(ctx context.Context, p *corev1.Pod) (notOurs, err error) {
	refuse := func(why string) error {
		return fmt.Errorf("%w: pod %s/%s %s", ErrNotOurPod, words.CleanText(p.Namespace), words.CleanText(p.Name), words.CleanText(why))
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

// askError adds to an error what the failed request was for.
func (c *Cluster) askError(err error, verb, resource, ns string) error {
	if apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) {
		return fmt.Errorf("%w: %s; needed: %s", fs.ErrPermission, words.CleanText(err.Error()),
			c.Kubectl("auth", "can-i", verb, resource, "-n", words.CleanText(ns)))
	}
	return fmt.Errorf("%s %s of namespace %s: %w", verb, resource, words.CleanText(ns), cleanError{err})
}

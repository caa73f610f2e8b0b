package kube

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"rung/model/logline"
)

var (
	// ErrNoLogPod means the node has no ovnkube-node pod.
	ErrNoLogPod = errors.New("no ovnkube-node pod on the node")
	// ErrNoContainer means the pod has no container with the log.
	ErrNoContainer = errors.New("no container with that log")
)

// The containers by the logs they write (ovn-kubernetes.md#zones-and-their-pods, #where-the-log-is).
// OpenShift's ovn-controller keeps ACL lines off its console; ovn-acl-logging prints them.
var (
	aclContainers        = []string{"ovn-acl-logging", "ovn-controller"}
	controllerContainers = []string{"ovnkube-controller", "ovnkube-node"}
)

// podSelector selects OVN-Kubernetes' node pods, upstream and on OpenShift.
const podSelector = "app=ovnkube-node"

const (
	// listedFor is how long a list of pods is reused; a node with a replaced pod asks again afterwards.
	listedFor = 5 * time.Second
	// listedWithin bounds the time to read a list.
	listedWithin = 30 * time.Second
)

// logPod holds the facts kept about an ovnkube-node pod.
type logPod struct {
	name, node string
	containers []string
	running    bool
	created    time.Time
}

// ACLLog finds the container whose log has a node's acl_log lines, by its containers, not by the product.
func (p *Reader) ACLLog(ctx context.Context, node string, namespaces []string) (LogTarget, error) {
	return p.findContainer(ctx, node, namespaces, aclContainers)
}

// FindController finds the ovnkube-controller of a node.
func (p *Reader) FindController(ctx context.Context, node string, namespaces []string) (LogTarget, error) {
	return p.findContainer(ctx, node, namespaces, controllerContainers)
}

func (p *Reader) findContainer(ctx context.Context, node string, namespaces, containers []string) (LogTarget, error) {
	var denied error
	if len(namespaces) == 0 {
		namespaces = OVNNamespaces()
	}
	for _, ns := range namespaces {
		pods, err := p.nodePods(ctx, ns)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return LogTarget{}, ctx.Err()
		case !isDenied(err):
			return LogTarget{}, err
		}
		denied = cmp.Or(denied, err)
		pod := onNode(pods, node)
		if pod == nil {
			continue
		}
		if i := slices.IndexFunc(containers, func(c string) bool { return slices.Contains(pod.containers, c) }); i >= 0 {
			return LogTarget{Namespace: ns, Pod: pod.name, Container: containers[i]}, nil
		}
		return LogTarget{}, fmt.Errorf("pod %s/%s of node %s: %w: it has %s, want %s", ns, pod.name, node, ErrNoContainer,
			strings.Join(pod.containers, ", "), strings.Join(containers, " or "))
	}
	if denied != nil {
		return LogTarget{}, denied
	}
	return LogTarget{}, fmt.Errorf("node %s: %w: looked for pods with %s in %s; for another namespace give --ovn-namespace", node,
		ErrNoLogPod, podSelector, strings.Join(namespaces, " and "))
}

// onNode returns the pod of a node, or nil: a running pod first, then the newest.
func onNode(pods []logPod, node string) *logPod {
	var best *logPod
	for i := range pods {
		x := &pods[i]
		switch {
		case x.node != node:
		case best == nil, x.running && !best.running, x.running == best.running && x.created.After(best.created):
			best = x
		}
	}
	return best
}

// listError names the namespace of a failed list of pods.
type listError struct {
	namespace string
	err       error
}

func (e *listError) Error() string {
	return fmt.Sprintf("list pods in namespace %s: %v", e.namespace, e.err)
}
func (e *listError) Unwrap() error { return e.err }

// nodePods lists the ovnkube-node pods of a namespace; all nodes share one answer for some seconds.
func (p *Reader) nodePods(ctx context.Context, ns string) ([]logPod, error) {
	return p.lists.Get(ctx, ns, func(ctx context.Context) (pods []logPod, err error) {
		err = EachPod(ctx, p.currentClient(), ns, metav1.ListOptions{LabelSelector: podSelector}, func(x *corev1.Pod) error {
			pod := logPod{name: x.Name, node: x.Spec.NodeName, created: x.CreationTimestamp.Time,
				running: x.Status.Phase == corev1.PodRunning && x.DeletionTimestamp == nil}
			for _, c := range x.Spec.Containers {
				pod.containers = append(pod.containers, c.Name)
			}
			pods = append(pods, pod)
			return nil
		})
		if err != nil {
			return nil, &listError{ns, err}
		}
		return pods, nil
	})
}

// containerID identifies one run of a container: another run has another log.
type containerID struct {
	LogTarget
	uid       types.UID
	container string // the container's id
	restarts  int32
}

// identifyTarget reads which run of a container a target is now; only its names if the pod is forbidden.
func (p *Reader) identifyTarget(ctx context.Context, t LogTarget) (containerID, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	id := containerID{LogTarget: t}
	pod, err := p.currentClient().Pods(t.Namespace).Get(ctx, t.Pod, metav1.GetOptions{})
	switch {
	case apierrors.IsForbidden(err):
		return id, nil
	case err != nil:
		return id, fmt.Errorf("get pod %s/%s: %w", t.Namespace, t.Pod, err)
	}
	id.uid = pod.UID
	for i := range pod.Status.ContainerStatuses {
		if c := &pod.Status.ContainerStatuses[i]; c.Name == t.Container {
			id.container, id.restarts = c.ContainerID, c.RestartCount
		}
	}
	return id, nil
}

// isPodOf reports whether the pod is the same one; the id is empty if the pod is forbidden.
func (c containerID) isPodOf(o containerID) bool {
	return c.LogTarget == o.LogTarget && (c.uid == o.uid || c.uid == "" || o.uid == "")
}

// isRunOf reports whether the pod's container did not restart.
func (c containerID) isRunOf(o containerID) bool {
	return c.restarts == o.restarts && (c.container == o.container || c.container == "" || o.container == "")
}

func isDenied(err error) bool { return apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) }

// explainError explains in one line why a log cannot be read, with the remedy.
func (p *Reader) explainError(t LogTarget, err error) (logline.StreamState, string) {
	var list *listError
	can := func(ns string, words ...string) string {
		return p.c.Kubectl(slices.Concat([]string{"auth", "can-i"}, words, []string{"-n", ns})...)
	}
	switch {
	case err == nil:
		return logline.StreamOpen, ""
	case errors.Is(err, ErrNoLogPod):
		return logline.StreamNoPod, SingleLine(err.Error())
	case errors.Is(err, ErrNoContainer):
		return logline.StreamNoContainer, SingleLine(err.Error())
	case apierrors.IsUnauthorized(err):
		return logline.StreamDenied, "the API server rejected the credentials (401): they are wrong or expired; log in again"
	case apierrors.IsForbidden(err) && errors.As(err, &list):
		return logline.StreamDenied, "no permission to list pods in " + list.namespace + "; to check: " + can(list.namespace,
			"list", "pods")
	case apierrors.IsForbidden(err):
		return logline.StreamDenied, "no permission to get pods/log in " + t.Namespace + "; to check: " + can(t.Namespace,
			"get", "pods", "--subresource=log")
	}
	return logline.StreamLost, SingleLine(err.Error())
}

package kube

import (
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

	"rung/model"
)

var (
	// ErrNoLogPod says that no ovnkube-node pod is on a node.
	ErrNoLogPod = errors.New("no ovnkube-node pod on the node")
	// ErrNoLogContainer says that a pod has no container with the log.
	ErrNoLogContainer = errors.New("no container with that log")
)

// The containers by what they log (ovn-kubernetes.md#zones-and-their-pods,
// #where-the-log-is). OpenShift's ovn-controller keeps ACL lines off its console;
// ovn-acl-logging prints them.
var (
	aclContainers        = []string{"ovn-acl-logging", "ovn-controller"}
	controllerContainers = []string{"ovnkube-controller", "ovnkube-node"}
)

// podSelector finds the pods of OVN-Kubernetes' nodes upstream and on OpenShift.
const podSelector = "app=ovnkube-node"

// listedFor is how long a list of pods serves; a node whose pod was replaced
// asks again after it.
const listedFor = 5 * time.Second

// logPod is what is kept of an ovnkube-node pod.
type logPod struct {
	name, node string
	containers []string
	running    bool
	created    time.Time
}

type podList struct {
	at   time.Time
	pods []logPod
	err  error
}

// logNamespaces are where ovnkube-node pods are looked for when nobody says where.
func logNamespaces(given []string) []string {
	if len(given) == 0 {
		return OVNNamespaces()
	}
	return given
}

// ACLLog finds the container whose log has a node's acl_log lines, by probing
// the pod and not the product.
func (p *PodLogs) ACLLog(ctx context.Context, node string, namespaces []string) (LogTarget, error) {
	return p.find(ctx, node, namespaces, aclContainers)
}

// Controller finds the ovnkube-controller of a node.
func (p *PodLogs) Controller(ctx context.Context, node string, namespaces []string) (LogTarget, error) {
	return p.find(ctx, node, namespaces, controllerContainers)
}

func (p *PodLogs) find(ctx context.Context, node string, namespaces, containers []string) (LogTarget, error) {
	var denied error
	namespaces = logNamespaces(namespaces)
	for _, ns := range namespaces {
		pods, err := p.pods(ctx, ns)
		if err != nil {
			if ctx.Err() != nil {
				return LogTarget{}, ctx.Err()
			}
			if !isDenied(err) {
				return LogTarget{}, err
			}
			if denied == nil {
				denied = err
			}
			continue
		}
		pod := onNode(pods, node)
		if pod == nil {
			continue
		}
		for _, c := range containers {
			if slices.Contains(pod.containers, c) {
				return LogTarget{Namespace: ns, Pod: pod.name, Container: c}, nil
			}
		}
		return LogTarget{}, fmt.Errorf("pod %s/%s of node %s: %w: it has %s, wanted is %s", ns, pod.name, node, ErrNoLogContainer,
			strings.Join(pod.containers, ", "), strings.Join(containers, " or "))
	}
	if denied != nil {
		return LogTarget{}, denied
	}
	return LogTarget{}, fmt.Errorf("node %s: %w: looked for pods with %s in %s; --ovn-namespace names another", node, ErrNoLogPod,
		podSelector, strings.Join(namespaces, " and "))
}

// onNode is the pod that serves a node: one that runs before one that does not,
// the newest of several.
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

// listError says which list of pods failed.
type listError struct {
	namespace string
	err       error
}

func (e *listError) Error() string {
	return fmt.Sprintf("list pods in namespace %s: %v", e.namespace, e.err)
}
func (e *listError) Unwrap() error { return e.err }

// pods lists the ovnkube-node pods of a namespace; all nodes share one answer
// for some seconds. Whoever waits for another's question leaves with ctx.
func (p *PodLogs) pods(ctx context.Context, ns string) ([]logPod, error) {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if l, ok := p.list[ns]; ok && time.Since(l.at) < listedFor {
		return l.pods, l.err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	l := podList{}
	opt := metav1.ListOptions{LabelSelector: podSelector, Limit: 250}
	for {
		page, err := p.client().CoreV1().Pods(ns).List(ctx, opt)
		if err != nil {
			if errors.Is(ctx.Err(), context.Canceled) {
				return nil, ctx.Err() // says nothing for the others
			}
			l.pods, l.err = nil, &listError{ns, err}
			break
		}
		for i := range page.Items {
			l.pods = append(l.pods, trimPod(&page.Items[i]))
		}
		if opt.Continue = page.Continue; opt.Continue == "" {
			break
		}
	}
	l.at = time.Now()
	p.list[ns] = l
	return l.pods, l.err
}

func trimPod(x *corev1.Pod) logPod {
	out := logPod{name: x.Name, node: x.Spec.NodeName, created: x.CreationTimestamp.Time,
		running: x.Status.Phase == corev1.PodRunning && x.DeletionTimestamp == nil}
	for _, c := range x.Spec.Containers {
		out.containers = append(out.containers, c.Name)
	}
	return out
}

// logIdentity is one container's life: the log of another begins anew.
type logIdentity struct {
	LogTarget
	uid       types.UID
	container string // id of the container
	restarts  int32
}

// identify asks whose log a target is now. Without permission to get the pod its
// name must do.
func (p *PodLogs) identify(ctx context.Context, t LogTarget) (logIdentity, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	id := logIdentity{LogTarget: t}
	pod, err := p.client().CoreV1().Pods(t.Namespace).Get(ctx, t.Pod, metav1.GetOptions{})
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

// logChange is how the log at hand follows on the one before.
type logChange int

const (
	logNew logChange = iota
	logSame
	logRestarted
	logReplaced
)

func (r *follower) change(now logIdentity) logChange {
	was := r.id
	switch {
	case !r.known:
		return logNew
	case now.Namespace != was.Namespace || now.Pod != was.Pod || now.uid != was.uid && now.uid != "" && was.uid != "":
		return logReplaced
	case now.Container != was.Container:
		return logReplaced
	case now.restarts != was.restarts || now.container != was.container && now.container != "" && was.container != "":
		return logRestarted
	}
	return logSame
}

func isDenied(err error) bool { return apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) }

// explain says what keeps a log away, in one line with the remedy.
func (p *PodLogs) explain(t LogTarget, err error) (model.StreamState, string) {
	var list *listError
	can := func(ns string, words ...string) string {
		return p.c.kubectl(slices.Concat([]string{"auth", "can-i"}, words, []string{"-n", ns})...)
	}
	switch {
	case err == nil:
		return model.StreamOpen, ""
	case errors.Is(err, ErrNoLogPod):
		return model.StreamNoPod, oneLine(err.Error())
	case errors.Is(err, ErrNoLogContainer):
		return model.StreamNoContainer, oneLine(err.Error())
	case apierrors.IsUnauthorized(err):
		return model.StreamDenied, "the API server does not take the credentials (401): they are wrong or have expired; log in again"
	case apierrors.IsForbidden(err) && errors.As(err, &list):
		return model.StreamDenied, "no permission to list pods in " + list.namespace + "; to check: " + can(list.namespace, "list", "pods")
	case apierrors.IsForbidden(err):
		return model.StreamDenied, "no permission to get pods/log in " + t.Namespace + "; to check: " + can(t.Namespace, "get", "pods", "--subresource=log")
	}
	return model.StreamLost, oneLine(err.Error())
}

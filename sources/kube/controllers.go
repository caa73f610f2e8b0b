package kube

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"rung/model/words"
)

// policyContainers are the containers that may run a zone's OVN-Kubernetes controller, over all releases and
// ways of installing. Their pods do not show whether AdminNetworkPolicy is enabled.
var policyContainers = []string{"ovnkube-controller", "ovnkube-node", "ovnkube-node-controller",
	"ovnkube-controller-with-node", "ovnkube-master"}

// Controller is a running controller of OVN-Kubernetes.
type Controller struct{ Node, Namespace, Pod, Container string }

// String returns "namespace/pod container".
func (c Controller) String() string { return c.Namespace + "/" + c.Pod + " " + c.Container }

// maxControllerPods bounds a list of pods: OVN-Kubernetes has a few on each node.
const maxControllerPods = 50_000

// Controllers lists the controllers of OVN-Kubernetes in the namespaces that run or may be running. An empty
// node means all nodes. An error means that the controllers are unknown.
func (c *Cluster) Controllers(ctx context.Context, namespaces []string, node string) ([]Controller, error) {
	var out []Controller
	for _, ns := range namespaces {
		opt := metav1.ListOptions{}
		if node != "" {
			opt.FieldSelector = fields.OneTermEqualSelector("spec.nodeName", node).String()
		}
		seen := 0
		err := EachPod(ctx, c.Builtin(), ns, opt, func(p *corev1.Pod) error {
			seen++
			if seen > maxControllerPods {
				return fmt.Errorf("more than %d", maxControllerPods)
			}
			if name := runsController(p); name != "" {
				out = append(out, Controller{words.CleanText(p.Spec.NodeName), words.CleanText(p.Namespace), words.CleanText(p.Name), name})
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("list the pods of namespace %s: %w", ns, cleanError{err})
		}
	}
	return out, nil
}

// runsController returns the name of the pod's container that may be running a controller, else "". A
// container without a status may have been started.
func runsController(p *corev1.Pod) string {
	if p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
		return ""
	}
	for i := range p.Spec.Containers {
		name := p.Spec.Containers[i].Name
		if !slices.Contains(policyContainers, name) {
			continue
		}
		at := slices.IndexFunc(p.Status.ContainerStatuses, func(s corev1.ContainerStatus) bool { return s.Name == name })
		if at < 0 && p.Spec.NodeName != "" {
			return name
		}
		if at >= 0 {
			// A terminated or waiting container may restart at any moment, unless its policy is Never.
			s := p.Status.ContainerStatuses[at]
			if s.State.Running != nil || s.Ready || s.State.Waiting != nil || s.State.Terminated == nil ||
				p.Spec.RestartPolicy != corev1.RestartPolicyNever {
				return name
			}
		}
	}
	return ""
}

package manifests

import (
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
)

// API is a workload kind with the supported API versions: today's first, then those in old manifests.
type API struct {
	Kind     model.Kind
	Versions []string
	// PlainSelector means the selector is a map of labels: the form Matching.
	PlainSelector bool
}

// APIs are the supported workload kinds.
var APIs = []API{
	{model.KindDeployment, []string{"apps/v1", "apps/v1beta2", "apps/v1beta1", "extensions/v1beta1"}, false},
	{model.KindReplicaSet, []string{"apps/v1", "apps/v1beta2", "extensions/v1beta1"}, false},
	{model.KindStatefulSet, []string{"apps/v1", "apps/v1beta2", "apps/v1beta1"}, false},
	{model.KindDaemonSet, []string{"apps/v1", "apps/v1beta2", "extensions/v1beta1"}, false},
	{model.KindReplicationController, []string{"v1"}, true},
	{model.KindJob, []string{"batch/v1"}, false},
	{model.KindCronJob, []string{"batch/v1", "batch/v1beta1"}, false},
	{model.KindDeploymentConfig, []string{"apps.openshift.io/v1", "v1"}, true},
	{model.KindRollout, []string{"argoproj.io/v1alpha1"}, false},
	{model.KindVM, []string{"kubevirt.io/v1", "kubevirt.io/v1alpha3"}, false},
}

// Workload is an object that keeps pods running.
type Workload struct {
	model.Meta
	// Owner is the workload that made this one, as a Deployment makes ReplicaSets, in the form of
	// model.Pod.Workload; empty if a person wrote it.
	Owner string
	// Wanted is the number of pods the workload keeps; a DaemonSet keeps one on each of its nodes.
	Wanted int
	// NodeSelector selects the nodes of its pods.
	NodeSelector map[string]string
	// Pod has the template's labels, ports, account and network; nil if that is TemplateWorkload's.
	Pod              *model.Pod
	TemplateWorkload string
}

// Ref returns the workload as named by its pods: its owner, if it has one.
func (w *Workload) Ref() string {
	if w.Owner != "" {
		return w.Owner
	}
	return refText(w.Kind, w.Name)
}

// refText returns the form of model.Pod.Workload.
func refText(kind model.Kind, name string) string { return strings.ToLower(string(kind)) + "/" + name }

// cronJobRun matches the name of a CronJob's Job: with the scheduled time in minutes since 1970.
var cronJobRun = regexp.MustCompile(`^(.+)-[0-9]{8,10}$`)

// PodWorkload returns the workload of a pod, in the form of model.Pod.Workload: the one a person wrote, not the
// ReplicaSet or Job between. Empty without an owner.
func PodWorkload(p *corev1.Pod) string { return controllingWorkload(p.OwnerReferences, p.Labels) }

// controllingWorkload returns the workload behind the controlling owner of an object with these labels.
func controllingWorkload(owners []metav1.OwnerReference, labels map[string]string) string {
	for _, o := range owners {
		if o.Controller == nil || !*o.Controller {
			continue
		}
		kind := model.Kind(o.Kind)
		switch kind {
		case model.KindReplicaSet:
			for _, hash := range []struct {
				label string
				kind  model.Kind
			}{{"rollouts-pod-template-hash", model.KindRollout}, {model.LabelTemplateHash, model.KindDeployment}} {
				if name, found := strings.CutSuffix(o.Name, "-"+labels[hash.label]); found && labels[hash.label] != "" {
					return refText(hash.kind, name)
				}
			}
		case model.KindReplicationController:
			if name := labels["deploymentconfig"]; name != "" {
				return refText(model.KindDeploymentConfig, name)
			}
		case model.KindJob:
			if m := cronJobRun.FindStringSubmatch(o.Name); m != nil {
				return refText(model.KindCronJob, m[1])
			}
		case "VirtualMachineInstance":
			kind = model.KindVM
		default:
			if !kind.IsWorkload() {
				continue
			}
		}
		return refText(kind, o.Name)
	}
	return ""
}

package workload

import (
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
)

// The kinds whose meaning differs from that of a Deployment.
const (
	kindDeployment            = model.Kind("Deployment")
	kindDaemonSet             = model.Kind("DaemonSet")
	kindStatefulSet           = model.Kind("StatefulSet")
	kindReplicaSet            = model.Kind("ReplicaSet")
	kindReplicationController = model.Kind("ReplicationController")
	kindDeploymentConfig      = model.Kind("DeploymentConfig")
	kindRollout               = model.Kind("Rollout")
	kindJob                   = model.Kind("Job")
	kindCronJob               = model.Kind("CronJob")
	kindVM                    = model.Kind("VirtualMachine")
)

// API is a kind of workloads with the API versions in which it is read: today's first, then those
// that the manifests of old repositories still have.
type API struct {
	Kind     model.Kind
	Versions []string
	// PlainSelector says that its selector is a map of labels: the form Matching.
	PlainSelector bool
}

// APIs are the kinds that are read.
var APIs = []API{
	{kindDeployment, []string{"apps/v1", "apps/v1beta2", "apps/v1beta1", "extensions/v1beta1"}, false},
	{kindReplicaSet, []string{"apps/v1", "apps/v1beta2", "extensions/v1beta1"}, false},
	{kindStatefulSet, []string{"apps/v1", "apps/v1beta2", "apps/v1beta1"}, false},
	{kindDaemonSet, []string{"apps/v1", "apps/v1beta2", "extensions/v1beta1"}, false},
	{kindReplicationController, []string{"v1"}, true},
	{kindJob, []string{"batch/v1"}, false},
	{kindCronJob, []string{"batch/v1", "batch/v1beta1"}, false},
	{kindDeploymentConfig, []string{"apps.openshift.io/v1", "v1"}, true},
	{kindRollout, []string{"argoproj.io/v1alpha1"}, false},
	{kindVM, []string{"kubevirt.io/v1", "kubevirt.io/v1alpha3"}, false},
}

// Workload is an object that keeps pods running.
type Workload struct {
	model.Meta
	// Owner is the workload that made this one, as Deployments make ReplicaSets, in the form of
	// model.Pod.Workload; empty for one that somebody wrote.
	Owner string
	// Wanted is how many pods it keeps; a DaemonSet keeps one on each of its nodes.
	Wanted int
	// NodeSelector are the labels of the nodes that its pods run on.
	NodeSelector map[string]string
	// Pod has the labels, ports, service account and network that its template gives pods. nil
	// where TemplateOf names the workload whose template it takes.
	Pod        *model.Pod
	TemplateOf string
}

// Ref is the workload as its pods name it: its own owner's name where it has one.
func (w *Workload) Ref() string {
	if w.Owner != "" {
		return w.Owner
	}
	return refText(w.Kind, w.Name)
}

// refText is the form of model.Pod.Workload.
func refText(kind model.Kind, name string) string { return strings.ToLower(string(kind)) + "/" + name }

// cronJobRun is the name of a Job that a CronJob made: behind the CronJob's name are the minutes
// since 1970 for which it was made.
var cronJobRun = regexp.MustCompile(`^(.+)-[0-9]{8,10}$`)

// OwnerOf is the workload that a pod belongs to, in the form of model.Pod.Workload: what somebody
// wrote, not the ReplicaSet or the Job between. Empty for a pod of its own.
func OwnerOf(p *corev1.Pod) string { return ownerOf(p.OwnerReferences, p.Labels) }

// ownerOf is the workload behind the owner that controls an object. labels are the object's own.
func ownerOf(owners []metav1.OwnerReference, labels map[string]string) string {
	for _, o := range owners {
		if o.Controller == nil || !*o.Controller {
			continue
		}
		switch kind := model.Kind(o.Kind); kind {
		case kindReplicaSet:
			for _, hash := range []struct {
				label string
				kind  model.Kind
			}{{"rollouts-pod-template-hash", kindRollout}, {model.LabelTemplateHash, kindDeployment}} {
				if name, found := strings.CutSuffix(o.Name, "-"+labels[hash.label]); found && labels[hash.label] != "" {
					return refText(hash.kind, name)
				}
			}
			return refText(kind, o.Name)
		case kindReplicationController:
			if name := labels["deploymentconfig"]; name != "" {
				return refText(kindDeploymentConfig, name)
			}
			return refText(kind, o.Name)
		case kindJob:
			if m := cronJobRun.FindStringSubmatch(o.Name); m != nil {
				return refText(kindCronJob, m[1])
			}
			return refText(kind, o.Name)
		case "VirtualMachineInstance":
			return refText(kindVM, o.Name)
		case kindDeployment, kindStatefulSet, kindDaemonSet, kindDeploymentConfig, kindRollout, kindCronJob, kindVM:
			return refText(kind, o.Name)
		}
	}
	return ""
}

package selectors

import (
	"slices"
	"strings"

	"rung/model"
)

// ReplicaKey is equal for pods that are replicas of one thing, as far as policies can tell: of
// one namespace, and with equal labels but for those that Kubernetes makes up for every
// pod, rollout or run.
func ReplicaKey(p *model.Pod) string {
	lines := strings.Split(strings.TrimSuffix(p.Labels.Key(), "\n"), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool {
		key, _, _ := strings.Cut(l, "=")
		return generated[key]
	})
	return p.Namespace + "\t" + strings.Join(lines, "\t")
}

// generated are the labels that tell replicas, rollouts and runs of one thing
// apart.
var generated = map[string]bool{
	model.LabelTemplateHash: true, "pod-template-generation": true, "controller-revision-hash": true,
	"statefulset.kubernetes.io/pod-name": true, "apps.kubernetes.io/pod-index": true,
	"controller-uid": true, "job-name": true,
	"batch.kubernetes.io/controller-uid": true, "batch.kubernetes.io/job-name": true,
	"batch.kubernetes.io/job-completion-index": true,
}

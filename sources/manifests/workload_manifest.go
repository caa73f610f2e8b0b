package manifests

import (
	"cmp"
	"strings"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"

	"rung/model"
	"rung/model/words"
	"rung/sources/manifests/yamltree"
)

// Selecting is the manifest of a workload whose selector has expressions: Deployment, ReplicaSet, StatefulSet,
// DaemonSet, Rollout. It also serves Job and CronJob, whose selector the API server makes.
type Selecting = Manifest[metav1.LabelSelector]

// Matching is the manifest of a ReplicationController or DeploymentConfig, which selects by a map of labels.
type Matching = Manifest[map[string]string]

// Manifest has the parts read of a workload; S is the form of its selector.
type Manifest[S any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              Spec[S] `json:"spec"`
	Status            struct {
		// CompletionTime is when a Job succeeded.
		CompletionTime *metav1.Time `json:"completionTime"`
	} `json:"status"`
}

// Spec has the fields read of a workload's spec.
type Spec[S any] struct {
	podsSpec `json:",inline"`
	Selector *S `json:"selector"`
}

// podsSpec has the fields that do not depend on the form of the selector.
type podsSpec struct {
	// Replicas is the number of pods; a Job has Parallelism and Completions.
	Replicas    *int32 `json:"replicas"`
	Parallelism *int32 `json:"parallelism"`
	Completions *int32 `json:"completions"`
	// Template describes the pods; a CronJob has it in JobTemplate.
	Template    *corev1.PodTemplateSpec `json:"template"`
	JobTemplate *JobTemplate            `json:"jobTemplate"`
	// WorkloadRef names the Deployment whose template a Rollout uses.
	WorkloadRef *struct {
		Kind string `json:"kind"`
		Name string `json:"name"`
	} `json:"workloadRef"`
	// Running and RunStrategy tell whether a VirtualMachine should run.
	Running     *bool  `json:"running"`
	RunStrategy string `json:"runStrategy"`
}

// JobTemplate describes the Jobs made by a CronJob.
type JobTemplate struct {
	Spec Spec[metav1.LabelSelector] `json:"spec"`
}

// labelSelector returns the selector; nil if it has none.
func (s *Spec[S]) labelSelector() *metav1.LabelSelector {
	if sel, ok := any(s.Selector).(*map[string]string); ok && sel != nil {
		return &metav1.LabelSelector{MatchLabels: *sel}
	}
	sel, _ := any(s.Selector).(*metav1.LabelSelector)
	return sel
}

// workloadFields are the fields kept of a workload's spec; most others have nothing to do with connections.
var workloadFields = func() yamltree.Fields {
	pod := yamltree.Fields{"nodeName": nil, "nodeSelector": nil, "hostNetwork": nil, "serviceAccountName": nil, "serviceAccount": nil,
		"containers": {"ports": nil}}
	spec := yamltree.Fields{"replicas": nil, "parallelism": nil, "completions": nil, "selector": nil, "running": nil, "runStrategy": nil,
		"workloadRef": {"kind": nil, "name": nil}, "template": {"metadata": {"labels": nil}, "spec": pod}}
	spec["jobTemplate"] = yamltree.Fields{"spec": spec}
	return spec
}()

// keepWorkloadFields removes the unread fields from a workload's tree.
func keepWorkloadFields(n *yaml.Node) {
	workloadFields.KeepIn(yamltree.Get(n, "spec"))
	yamltree.Fields{"completionTime": nil}.KeepIn(yamltree.Get(n, "status"))
}

// readWorkload converts a manifest to a Workload, from which pods are made; nil if the API server would reject
// the manifest.
func readWorkload[S any](d *decoder, o metav1.Object, meta model.Meta) model.Object {
	m := o.(*Manifest[S])
	spec := m.Spec.podsSpec
	w := &Workload{Meta: meta, Owner: controllingWorkload(m.OwnerReferences, meta.Labels.Map()), Wanted: podsWanted(meta.Kind, &spec)}
	refuse := func(field, message, remedy string) model.Object {
		d.reportIssue(meta.Origin, meta.Key, Issue{Severity: model.SeverityError, Code: CodeSchema, Field: field,
			Message: words.CleanText(message), Remedy: remedy})
		return nil
	}
	field := "spec."
	if meta.Kind == model.KindCronJob {
		field = "spec.jobTemplate.spec."
		if spec.JobTemplate == nil {
			return refuse("spec.jobTemplate", "is missing", "")
		}
		spec = spec.JobTemplate.Spec.podsSpec
		w.Wanted = podsWanted(model.KindJob, &spec)
	}
	if m.Status.CompletionTime != nil {
		w.Wanted = 0
	}
	if ref := spec.WorkloadRef; ref != nil && spec.Template == nil {
		w.TemplateWorkload = refText(model.Kind(cmp.Or(ref.Kind, string(model.KindDeployment))), ref.Name)
		return w
	}
	if spec.Template == nil {
		return refuse(field+"template", "is missing: no pod can be made", "")
	}
	if field, message, remedy := checkSelector(meta.Kind, &spec, m.Spec.labelSelector()); message != "" {
		return refuse(field, message, remedy)
	}
	w.NodeSelector = spec.Template.Spec.NodeSelector
	meta.Labels = d.internLabels(spec.Template.Labels)
	w.Pod = d.convertPod(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: spec.Template.Labels}, Spec: spec.Template.Spec}, meta).(*model.Pod)
	return w
}

// podsWanted returns how many pods the controller keeps; for a DaemonSet one per node.
func podsWanted(kind model.Kind, s *podsSpec) int {
	n := int32(1)
	switch kind {
	case model.KindJob:
		n = ptr.Deref(s.Parallelism, 1)
		n = min(n, ptr.Deref(s.Completions, n))
	case model.KindVM:
		if s.Replicas == nil && !ptr.Deref(s.Running, true) || strings.EqualFold(s.RunStrategy, "Halted") {
			n = 0
		}
	case model.KindDaemonSet, model.KindCronJob:
	default:
		n = ptr.Deref(s.Replicas, 1)
	}
	return int(max(0, n))
}

// checkSelector returns why the API server rejects a selector: it must select the template's labels.
func checkSelector(kind model.Kind, s *podsSpec, selects *metav1.LabelSelector) (field, message, remedy string) {
	const labelsField, giveLabels = "spec.template.metadata.labels", "give the template the labels of spec.selector"
	switch kind {
	case model.KindJob, model.KindCronJob, model.KindVM:
		return "", "", ""
	}
	if len(s.Template.Labels) == 0 {
		return labelsField, "is missing: the selector selects no pod of a template without labels", giveLabels
	}
	if selects == nil {
		switch kind {
		case model.KindReplicationController, model.KindDeploymentConfig: // the API server fills it in
			return "", "", ""
		}
		return "spec.selector", "is missing", "select the labels of spec.template"
	}
	selector, err := metav1.LabelSelectorAsSelector(selects)
	if err != nil {
		return "spec.selector", err.Error(), ""
	}
	if !selector.Matches(labels.Set(s.Template.Labels)) {
		return labelsField, "do not match spec.selector", giveLabels
	}
	return "", "", ""
}

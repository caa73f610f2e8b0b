package manifests

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/words"
)

// workloadKinds returns the workload kinds, one entry per supported version.
func workloadKinds() (out []kindInfo) {
	for _, api := range APIs {
		for _, text := range api.Versions {
			group, version, grouped := strings.Cut(text, "/")
			if !grouped {
				group, version = "", text
			}
			k := kindInfo{api.Kind, group, version, reflect.TypeFor[Selecting](), readWorkload[metav1.LabelSelector], nil}
			if api.PlainSelector {
				k.goType, k.toModel = reflect.TypeFor[Matching](), readWorkload[map[string]string]
			}
			out = append(out, k)
		}
	}
	return out
}

// makePods replaces the workloads by their pods.
func (r *Result) makePods(o Options, seen map[model.Key]model.Origin) {
	isToBe := func(o model.Object) bool {
		p, is := o.(*model.Pod)
		return is && p.Planned != nil
	}
	if !slices.ContainsFunc(r.Objects, func(o model.Object) bool { return o.ObjectKey().Kind.IsWorkload() || isToBe(o) }) {
		return
	}
	set := NewSet()
	objects := r.Objects[:0]
	for _, obj := range r.Objects {
		set.Put(obj)
		if !obj.ObjectKey().Kind.IsWorkload() {
			objects = append(objects, obj)
		}
	}
	for i, o := range objects { // the objects themselves stay unchanged for the next update
		if isToBe(o) {
			objects[i] = set.OnNetwork(o.(*model.Pod))
		}
	}
	pods, idle, lost := set.Pods()
	for _, p := range pods {
		seen[p.Key] = p.Origin
		objects = append(objects, p)
	}
	r.Objects = objects
	for _, w := range lost {
		r.Broken = append(r.Broken, model.Broken{Severity: model.SeverityError, Origin: w.Origin, Key: w.Key, Field: "spec.workloadRef",
			Code: CodeSchema, Message: "names " + w.TemplateWorkload + ", which does not exist: no pod can be made"})
	}
	for _, w := range set.CutWorkloads() {
		r.Broken = append(r.Broken, model.Broken{Severity: model.SeverityWarning, Origin: w.Origin, Key: w.Key, Field: "spec.replicas",
			Code:    CodeCut,
			Message: fmt.Sprintf("has %d pods, and policies select by pod number: only the first %d are evaluated", w.Wanted, MostNumbered)})
	}
	if len(idle) > 0 {
		var names []string
		for _, w := range idle {
			names = append(names, w.Namespace+"/"+w.Ref())
		}
		r.Broken = append(r.Broken, model.Broken{Severity: model.SeverityInfo, Origin: model.Origin{Source: o.Source, Item: -1}, Key: idle[0].Key,
			Code: CodeIdle, Message: fmt.Sprintf("%s no pods (scaled to 0 or completed): %s",
				words.OneOrMany(len(names), "the workload has", "workloads have"), words.JoinAtMost(names, ", ", 5))})
	}
}

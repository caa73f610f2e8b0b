package gate

import (
	"maps"

	"sigs.k8s.io/network-policy-api/apis/v1alpha1"

	"rung/model"
	"rung/model/clean"
	"rung/sources/manifests"
	"rung/sources/manifests/edit"
)

// rewritten is the policy with one value changed in its own text, so that
// comments and order stay; where that cannot be done, in a text made anew.
func rewritten(old *model.Policy, m Mutation) (*model.Policy, []model.Broken) {
	typed := retyped(old, m)
	if typed == nil {
		return nil, broken(old, "there is no such value in an object of this kind")
	}
	want, err := manifests.FromObject(typed, old.Origin)
	if err != nil {
		return nil, broken(old, err.Error())
	}
	if text, err := edit.Rewrite([]byte(old.YAML), old.Key, typed); err == nil {
		if now, broken := manifests.ParsePolicy(text); now != nil && model.SameContent(now, want) {
			return now, broken
		}
	}
	return manifests.ParsePolicy([]byte(want.YAML))
}

func broken(p *model.Policy, why string) []model.Broken {
	return []model.Broken{{Severity: model.SeverityError, Origin: p.Origin, Key: p.Key,
		Code: manifests.CodeProfile, Message: clean.Text(why)}}
}

// retyped is a copy of the policy's typed object with another priority or
// annotation, nil for kinds that have none.
func retyped(p *model.Policy, m Mutation) any {
	switch o := p.Original.(type) {
	case *v1alpha1.AdminNetworkPolicy:
		c := o.DeepCopy()
		if m.Op == OpMove {
			c.Spec.Priority = m.Priority
		} else {
			c.Annotations = withLevels(c.Annotations, m.Levels)
		}
		return c
	case *v1alpha1.BaselineAdminNetworkPolicy:
		if m.Op == OpLogLevel {
			c := o.DeepCopy()
			c.Annotations = withLevels(c.Annotations, m.Levels)
			return c
		}
	}
	return nil
}

// withLevels sets the logging annotation in a map of its own; levels that are
// all off take it away.
func withLevels(in map[string]string, l model.LogLevels) map[string]string {
	out := map[string]string{}
	maps.Copy(out, in)
	if l.Any() {
		out[model.AnnotationLogging] = l.Annotation()
	} else {
		delete(out, model.AnnotationLogging)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

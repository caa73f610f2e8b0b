package lint

import (
	"strings"

	"rung/model"
	"rung/model/clean"
	"rung/model/lint/codes"
)

// namespaceLogging reports the annotation of a policy's namespace by which its
// rows log, where OVN-Kubernetes leaves a level off because of it. Other than
// with AdminNetworkPolicies that is soft: the policy is programmed all the same
// (ovn-kubernetes.md#namespace-logging).
func (l *linter) namespaceLogging(p *model.Policy) {
	wrong, known := l.levels[p.Namespace]
	if !known {
		if l.levels == nil {
			l.levels = map[string]string{}
		}
		if n := l.c.Namespace(p.Namespace); n != nil {
			_, problems := model.NamespaceLogLevels(n.Annotations[model.AnnotationLogging])
			wrong = clean.Text(strings.Join(problems, "; "))
		}
		l.levels[p.Namespace] = wrong
	}
	if wrong != "" {
		l.about(p, codes.NamespaceLogging, model.SeverityWarning,
			"the annotation "+model.AnnotationLogging+" of namespace "+p.Namespace+": "+wrong,
			`use JSON such as {"deny":"alert","allow":"info"}; levels: `+
				strings.Join(model.LogSeverities, ", ")+`, or "" for off`)
	}
}

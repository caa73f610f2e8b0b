package verify

import (
	"net/netip"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/engine/trace"
	"rung/model"
	"rung/model/words"
	"rung/sources/manifests/yamltree"
)

// readEnds reads one end or a list of them.
func (r *fileReader) readEnds(n *yaml.Node, source bool) (out []StatementEnd) {
	if n.Kind != yaml.SequenceNode {
		return []StatementEnd{r.readEnd(n, source)}
	}
	if len(n.Content) == 0 {
		r.addProblem(n, "is empty")
	}
	r.readItems(n, func(e *yaml.Node) { out = append(out, r.readEnd(e, source)) })
	return out
}

var endFields = []string{"namespace", "pod", "workload", "node", "service", "address"}

func (r *fileReader) readEnd(n *yaml.Node, source bool) StatementEnd {
	e := StatementEnd{FilePlace: r.nodePlace(n)}
	switch n.Kind {
	case yaml.ScalarNode:
		e.Name = r.readText(n)
		r.checkName(n, e.Name, source)
		return e
	case yaml.MappingNode:
	default:
		r.addProblem(n, "want %s, or a mapping of %s", trace.Ends, strings.Join(endFields, ", "))
		return e
	}
	r.readFields(n, endFields, func(name string, _, v *yaml.Node) {
		switch name {
		case "namespace":
			e.Namespace = r.readChoice(v, true)
		case "pod":
			e.Pod = r.readChoice(v, true)
		case "workload":
			e.Workload = r.readChoice(v, false)
		case "node":
			e.Node = r.readChoice(v, true)
		case "service":
			e.Service = r.readChoice(v, false)
			if source {
				r.addProblem(v, "a Service begins no connections; ask from its pods")
			}
		case "address":
			e.Address = r.readChoice(v, false)
			for _, a := range e.Address.Names {
				if _, err := netip.ParseAddr(a); err != nil {
					r.addProblem(v, "%q is not an address", a)
				}
			}
		}
	})
	others := 0
	for _, c := range []*ObjectChoice{&e.Node, &e.Address, &e.Service} {
		if c.isSet {
			others++
		}
	}
	switch {
	case r.hasProblem:
	case len(n.Content) == 0:
		r.addProblem(n, "is empty: want %s", strings.Join(endFields, ", "))
	case others > 1, (e.Node.isSet || e.Address.isSet) && (e.Pod.isSet || e.Workload.isSet || e.Namespace.isSet),
		e.Service.isSet && (e.Pod.isSet || e.Workload.isSet), e.Pod.isSet && e.Workload.isSet:
		r.addProblem(n, "want a namespace and its pods, workloads or Service, or a node, or an address")
	case e.Service.isSet && (!e.Namespace.byName() || len(e.Namespace.Names) != 1 || len(e.Service.Names) != 1):
		r.addProblem(n, "a Service needs one namespace and one name")
	}
	return e
}

// checkName reports mistakes in a named end that do not depend on the cluster.
func (r *fileReader) checkName(n *yaml.Node, name string, source bool) {
	if r.hasProblem {
		return
	}
	if _, err := netip.ParsePrefix(name); err == nil {
		r.addProblem(n, "%q is a network: name single addresses", name)
		return
	}
	at, err := trace.ParseEnd(name)
	switch {
	case err != nil && !trace.IsBareName(name):
		r.addProblem(n, "%v", err)
	case err == nil && source && at.Key.Kind == model.KindService:
		r.addProblem(n, "a Service begins no connections; ask from its pods")
	}
}

// readChoice reads a name, a list of names, or labels if allowed.
func (r *fileReader) readChoice(n *yaml.Node, labels bool) ObjectChoice {
	c := ObjectChoice{FilePlace: r.nodePlace(n), isSet: true}
	switch {
	case n.Kind == yaml.ScalarNode:
		c.Names = []string{r.readText(n)}
	case n.Kind == yaml.SequenceNode:
		c.Names = []string{}
		if len(n.Content) == 0 {
			r.addProblem(n, "is empty")
		}
		c.Names = append(c.Names, r.readValues(n)...)
	case !labels:
		r.addProblem(n, "want a name")
	default:
		r.readSelector(n, &c)
	}
	return c
}

// readSelector reads labels, {app: web} or {app: [web, api]}, or a selector as in policies, {matchLabels: …,
// matchExpressions: …}.
func (r *fileReader) readSelector(n *yaml.Node, c *ObjectChoice) {
	s := &metav1.LabelSelector{MatchLabels: map[string]string{}}
	m, e := yamltree.Get(n, "matchLabels"), yamltree.Get(n, "matchExpressions")
	isNoScalar := func(e *yaml.Node) bool { return e.Kind != yaml.ScalarNode } // scalars are the values of a label
	if m != nil && m.Kind == yaml.MappingNode || e != nil && e.Kind == yaml.SequenceNode && slices.ContainsFunc(e.Content, isNoScalar) {
		r.readFields(n, []string{"matchLabels", "matchExpressions"}, func(name string, _, v *yaml.Node) {
			switch {
			case name == "matchLabels" && v.Kind == yaml.MappingNode:
				r.readLabels(v, s)
			case name == "matchExpressions" && v.Kind == yaml.SequenceNode:
				r.readItems(v, func(x *yaml.Node) { r.readExpression(x, s) })
			default:
				r.addProblem(v, "want the form used in policies")
			}
		})
	} else {
		r.readLabels(n, s)
	}
	if r.hasProblem {
		return
	}
	var err error
	if c.Selector, err = model.NewSelector(s); err != nil {
		r.addProblem(n, "bad selector: %s", words.CleanText(strings.ReplaceAll(err.Error(), "\n", " ")))
	}
	c.Labels, c.labelsOnly = s.MatchLabels, len(s.MatchExpressions) == 0
}

func (r *fileReader) readLabels(n *yaml.Node, into *metav1.LabelSelector) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		r.readStep(yamltree.FieldStep(k.Value), func() {
			_, twice := into.MatchLabels[k.Value]
			switch {
			case twice || slices.ContainsFunc(into.MatchExpressions, func(e metav1.LabelSelectorRequirement) bool { return e.Key == k.Value }):
				r.addProblem(k, "is given twice")
			case v.Kind == yaml.SequenceNode:
				into.MatchExpressions = append(into.MatchExpressions, metav1.LabelSelectorRequirement{Key: k.Value, Operator: metav1.LabelSelectorOpIn,
					Values: r.readValues(v)})
			case v.Kind == yaml.ScalarNode && v.Value == "" && yamltree.Tag(v) == "!!str":
				into.MatchLabels[k.Value] = ""
			default:
				into.MatchLabels[k.Value] = r.readText(v)
			}
		})
	}
}

func (r *fileReader) readValues(n *yaml.Node) (out []string) {
	r.readItems(n, func(e *yaml.Node) { out = append(out, r.readText(e)) })
	return out
}

func (r *fileReader) readExpression(n *yaml.Node, into *metav1.LabelSelector) {
	if n.Kind != yaml.MappingNode {
		r.addProblem(n, "want key, operator and values")
		return
	}
	var e metav1.LabelSelectorRequirement
	r.readFields(n, []string{"key", "operator", "values"}, func(name string, _, v *yaml.Node) {
		switch {
		case name == "key":
			e.Key = r.readText(v)
		case name == "operator":
			e.Operator = metav1.LabelSelectorOperator(r.readText(v))
		case v.Kind == yaml.SequenceNode:
			e.Values = r.readValues(v)
		default:
			r.addProblem(v, "want a list")
		}
	})
	into.MatchExpressions = append(into.MatchExpressions, e)
}

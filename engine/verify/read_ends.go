package verify

import (
	"net/netip"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/engine/trace"
	"rung/model"
	"rung/model/clean"
	"rung/sources/manifests/yamltree"
)

// ends reads one end or a list of them.
func (r *reader) ends(n *yaml.Node, source bool) (out []End) {
	if n.Kind != yaml.SequenceNode {
		return []End{r.end(n, source)}
	}
	if len(n.Content) == 0 {
		r.wrong(n, "is empty")
	}
	for i, e := range n.Content {
		r.in(yamltree.Step{Index: i}, func() { out = append(out, r.end(e, source)) })
	}
	return out
}

var endFields = []string{"namespace", "pod", "node", "service", "address"}

func (r *reader) end(n *yaml.Node, source bool) End {
	e := End{Place: r.place(n)}
	switch n.Kind {
	case yaml.ScalarNode:
		e.Name = r.text(n)
		r.checkName(n, e.Name, source)
		return e
	case yaml.MappingNode:
	default:
		r.wrong(n, "want %s, or a mapping of %s", trace.Ends, strings.Join(endFields, ", "))
		return e
	}
	r.fields(n, endFields, func(name string, _, v *yaml.Node) {
		switch name {
		case "namespace":
			e.Namespace = r.choice(v, true)
		case "pod":
			e.Pod = r.choice(v, true)
		case "node":
			e.Node = r.choice(v, true)
		case "service":
			e.Service = r.choice(v, false)
			if source {
				r.wrong(v, "a Service begins no connections; ask from its pods")
			}
		case "address":
			e.Address = r.choice(v, false)
			for _, a := range e.Address.Names {
				if _, err := netip.ParseAddr(a); err != nil {
					r.wrong(v, "%q is no address", a)
				}
			}
		}
	})
	others := 0
	for _, c := range []*Choice{&e.Node, &e.Address, &e.Service} {
		if c.made {
			others++
		}
	}
	switch {
	case r.bad:
	case len(n.Content) == 0:
		r.wrong(n, "is empty: want %s", strings.Join(endFields, ", "))
	case others > 1, (e.Node.made || e.Address.made) && (e.Pod.made || e.Namespace.made), e.Service.made && e.Pod.made:
		r.wrong(n, "want a namespace and its pods or Service, or a node, or an address")
	case e.Service.made && (!e.Namespace.byName() || len(e.Namespace.Names) != 1 || len(e.Service.Names) != 1):
		r.wrong(n, "a Service wants the name of its namespace and its own")
	}
	return e
}

// checkName says what is wrong with an end that is written as a name, whatever the cluster.
func (r *reader) checkName(n *yaml.Node, name string, source bool) {
	if r.bad {
		return
	}
	if _, err := netip.ParsePrefix(name); err == nil {
		r.wrong(n, "%q: a network cannot be asked, name addresses of it", name)
		return
	}
	at, err := trace.ParseEnd(name)
	switch {
	case err != nil && !trace.Bare(name):
		r.wrong(n, "%v", err)
	case err == nil && source && at.Key.Kind == model.KindService:
		r.wrong(n, "a Service begins no connections; ask from its pods")
	}
}

// choice reads a name, a list of names, or labels where they may be.
func (r *reader) choice(n *yaml.Node, labels bool) Choice {
	c := Choice{Place: r.place(n), made: true}
	switch {
	case n.Kind == yaml.ScalarNode:
		c.Names = []string{r.text(n)}
	case n.Kind == yaml.SequenceNode:
		c.Names = []string{}
		if len(n.Content) == 0 {
			r.wrong(n, "is empty")
		}
		for i, e := range n.Content {
			r.in(yamltree.Step{Index: i}, func() { c.Names = append(c.Names, r.text(e)) })
		}
	case !labels:
		r.wrong(n, "want a name")
	default:
		r.selector(n, &c)
	}
	return c
}

// selector reads labels, {app: web} or {app: [web, api]}, or a selector as policies have
// it, {matchLabels: …, matchExpressions: …}.
func (r *reader) selector(n *yaml.Node, c *Choice) {
	s := &metav1.LabelSelector{}
	m, e := yamltree.Get(n, "matchLabels"), yamltree.Get(n, "matchExpressions")
	if m != nil && m.Kind == yaml.MappingNode || e != nil && e.Kind == yaml.SequenceNode && !scalars(e) {
		r.fields(n, []string{"matchLabels", "matchExpressions"}, func(name string, _, v *yaml.Node) {
			switch {
			case name == "matchLabels" && v.Kind == yaml.MappingNode:
				r.labels(v, s)
			case name == "matchExpressions" && v.Kind == yaml.SequenceNode:
				for i, x := range v.Content {
					r.in(yamltree.Step{Index: i}, func() { r.expression(x, s) })
				}
			default:
				r.wrong(v, "want the form that policies have")
			}
		})
	} else {
		r.labels(n, s)
	}
	if r.bad {
		return
	}
	var err error
	if c.Selector, err = model.NewSelector(s); err != nil {
		r.wrong(n, "bad selector: %s", clean.Text(strings.ReplaceAll(err.Error(), "\n", " ")))
	}
	c.Labels, c.plain = s.MatchLabels, len(s.MatchExpressions) == 0
}

func (r *reader) labels(n *yaml.Node, into *metav1.LabelSelector) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		r.in(yamltree.Field(k.Value), func() {
			_, twice := into.MatchLabels[k.Value]
			switch {
			case twice || slices.ContainsFunc(into.MatchExpressions, func(e metav1.LabelSelectorRequirement) bool { return e.Key == k.Value }):
				r.wrong(k, "is given twice")
			case v.Kind == yaml.SequenceNode:
				into.MatchExpressions = append(into.MatchExpressions, metav1.LabelSelectorRequirement{Key: k.Value, Operator: metav1.LabelSelectorOpIn, Values: r.values(v)})
			case v.Kind == yaml.ScalarNode && v.Value == "" && yamltree.Tag(v) == "!!str":
				r.label(into, k.Value, "")
			default:
				r.label(into, k.Value, r.text(v))
			}
		})
	}
}

func (r *reader) label(into *metav1.LabelSelector, k, v string) {
	if into.MatchLabels == nil {
		into.MatchLabels = map[string]string{}
	}
	into.MatchLabels[k] = v
}

func (r *reader) values(n *yaml.Node) (out []string) {
	for i, e := range n.Content {
		r.in(yamltree.Step{Index: i}, func() { out = append(out, r.text(e)) })
	}
	return out
}

func (r *reader) expression(n *yaml.Node, into *metav1.LabelSelector) {
	if n.Kind != yaml.MappingNode {
		r.wrong(n, "want key, operator and values")
		return
	}
	var e metav1.LabelSelectorRequirement
	r.fields(n, []string{"key", "operator", "values"}, func(name string, _, v *yaml.Node) {
		switch {
		case name == "key":
			e.Key = r.text(v)
		case name == "operator":
			e.Operator = metav1.LabelSelectorOperator(r.text(v))
		case v.Kind == yaml.SequenceNode:
			e.Values = r.values(v)
		default:
			r.wrong(v, "want a list")
		}
	})
	into.MatchExpressions = append(into.MatchExpressions, e)
}

// scalars says whether a list has only scalars: the values of a label.
func scalars(n *yaml.Node) bool {
	return !slices.ContainsFunc(n.Content, func(e *yaml.Node) bool { return e.Kind != yaml.ScalarNode })
}

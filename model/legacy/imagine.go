package legacy

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
)

// mostImagined bounds the pods that are imagined for a proof.
const mostImagined = 400

// Where imagined pods have their addresses: networks for tests, which no cluster uses.
var (
	imagined4 = netip.MustParseAddr("198.18.0.1")
	imagined6 = netip.MustParseAddr("2001:db8:7275::1")
)

// Imagine are pods and namespaces that do not exist, one for each selector that the
// NetworkPolicies of isolated namespaces have, and one that none of them means: a proof
// over them too holds for labels that nobody has yet. all is false where there would be
// too many.
func Imagine(c *model.Cluster) (objects []model.Object, pods int, all bool) {
	im := &imagination{next4: imagined4, next6: imagined6, all: true}
	plain := map[string]string{}
	byNamespace := map[string][]map[string]string{} // pods to imagine
	var spaces []map[string]string                  // namespaces to imagine, by their labels
	var anywhere []map[string]string                // pods of those
	for p := range c.Policies(model.KindNP) {
		o, typed := p.Original.(*networkingv1.NetworkPolicy)
		if !typed || !Isolated(c, p.Namespace) {
			continue
		}
		own := &o.Spec.PodSelector
		byNamespace[p.Namespace] = append(byNamespace[p.Namespace], matching(own))
		for _, r := range o.Spec.Ingress {
			for _, f := range r.From {
				if f.PodSelector != nil && f.NamespaceSelector == nil {
					byNamespace[p.Namespace] = append(byNamespace[p.Namespace], matching(f.PodSelector))
				}
				if f.NamespaceSelector != nil {
					spaces = append(spaces, matching(f.NamespaceSelector))
					if f.PodSelector != nil {
						anywhere = append(anywhere, matching(f.PodSelector))
					}
				}
			}
		}
	}
	for ns := range c.Namespaces() {
		if Isolated(c, ns.Name) {
			im.pods(ns.Name, append(byNamespace[ns.Name], plain))
		}
	}
	for i, labels := range append(distinct(spaces), plain) {
		name := fmt.Sprintf("rung-imagined-%d", i)
		ns := maps.Clone(labels)
		ns["kubernetes.io/metadata.name"] = name
		maps.Copy(ns, labels) // where a selector wants another name, it has that
		im.objects = append(im.objects, &model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: name}, Labels: model.NewLabels(ns)}})
		im.pods(name, append(anywhere, plain))
	}
	return im.objects, im.count, im.all
}

type imagination struct {
	objects      []model.Object
	count        int
	all          bool
	next4, next6 netip.Addr
}

// pods imagines one pod of a namespace for each distinct set of labels.
func (im *imagination) pods(namespace string, sets []map[string]string) {
	for i, labels := range distinct(sets) {
		if im.count == mostImagined {
			im.all = false
			return
		}
		im.count++
		im.objects = append(im.objects, &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: namespace,
			Name: fmt.Sprintf("rung-imagined-%d", i)}, Labels: model.NewLabels(labels)},
			NodeName: "rung-imagined", Phase: "Running", IPs: []string{im.next4.String(), im.next6.String()}})
		im.next4, im.next6 = im.next4.Next(), im.next6.Next()
	}
}

// distinct leaves each set of labels once, in order.
func distinct(sets []map[string]string) (out []map[string]string) {
	for _, s := range sets {
		if !slices.ContainsFunc(out, func(o map[string]string) bool { return maps.Equal(o, s) }) {
			out = append(out, s)
		}
	}
	return out
}

// matching are labels that a selector matches, as far as there are some.
func matching(s *metav1.LabelSelector) map[string]string {
	out := maps.Clone(s.MatchLabels)
	if out == nil {
		out = map[string]string{}
	}
	for _, e := range s.MatchExpressions {
		_, has := out[e.Key]
		switch {
		case has:
		case e.Operator == metav1.LabelSelectorOpIn && len(e.Values) > 0:
			out[e.Key] = e.Values[0]
		case e.Operator == metav1.LabelSelectorOpExists:
			out[e.Key] = "imagined"
		}
	}
	return out
}

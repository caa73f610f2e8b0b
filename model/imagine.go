package model

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model/words"
)

const mostImagined = 400

// The first addresses of imagined pods, from test networks that no cluster uses.
var (
	imagined4 = netip.MustParseAddr("198.18.0.1")
	imagined6 = netip.MustParseAddr("2001:db8:7275::1")
)

// ImaginePods returns pods and namespaces that do not exist: one for each selector in NetworkPolicies of
// isolated namespaces, and one that no selector means. A proof that includes them also holds for future
// labels. all is false if they would be too many.
func ImaginePods(c *Cluster) (objects []Object, pods int, all bool) {
	im := &podImagination{next4: imagined4, next6: imagined6, isComplete: true}
	plain := map[string]string{}
	byNamespace := map[string][]map[string]string{} // labels of pods to imagine
	var spaces []map[string]string                  // labels of namespaces to imagine
	var anywhere []map[string]string                // labels of pods in those namespaces
	for p := range c.Policies(KindNP) {
		o, typed := p.Original.(*networkingv1.NetworkPolicy)
		if !typed || !IsIsolated(c, p.Namespace) {
			continue
		}
		own := &o.Spec.PodSelector
		byNamespace[p.Namespace] = append(byNamespace[p.Namespace], labelsMatching(own))
		for _, r := range o.Spec.Ingress {
			for _, f := range r.From {
				if f.PodSelector != nil && f.NamespaceSelector == nil {
					byNamespace[p.Namespace] = append(byNamespace[p.Namespace], labelsMatching(f.PodSelector))
				}
				if f.NamespaceSelector != nil {
					spaces = append(spaces, labelsMatching(f.NamespaceSelector))
					if f.PodSelector != nil {
						anywhere = append(anywhere, labelsMatching(f.PodSelector))
					}
				}
			}
		}
	}
	for ns := range c.Namespaces() {
		if IsIsolated(c, ns.Name) {
			im.imaginePods(ns.Name, append(byNamespace[ns.Name], plain))
		}
	}
	for i, labels := range append(distinctLabelSets(spaces), plain) {
		name := fmt.Sprintf("rung-imagined-%d", i)
		ns := maps.Clone(labels)
		ns["kubernetes.io/metadata.name"] = name
		maps.Copy(ns, labels) // a selector's value replaces the name
		im.objects = append(im.objects, &Namespace{Meta: Meta{Key: Key{Kind: KindNamespace, Name: name}, Labels: NewLabels(ns)}})
		im.imaginePods(name, append(anywhere, plain))
	}
	return im.objects, im.count, im.isComplete
}

type podImagination struct {
	objects      []Object
	count        int
	isComplete   bool
	next4, next6 netip.Addr
}

// imaginePods imagines one pod of a namespace for each distinct set of labels.
func (im *podImagination) imaginePods(namespace string, sets []map[string]string) {
	for i, labels := range distinctLabelSets(sets) {
		if im.count == mostImagined {
			im.isComplete = false
			return
		}
		im.count++
		im.objects = append(im.objects, &Pod{Meta: Meta{Key: Key{Kind: KindPod, Namespace: namespace,
			Name: fmt.Sprintf("rung-imagined-%d", i)}, Labels: NewLabels(labels)},
			NodeName: "rung-imagined", Phase: "Running", IPs: []string{im.next4.String(), im.next6.String()}})
		im.next4, im.next6 = im.next4.Next(), im.next6.Next()
	}
}

// distinctLabelSets returns each distinct set of labels once, in order.
func distinctLabelSets(sets []map[string]string) (out []map[string]string) {
	for _, s := range sets {
		if !slices.ContainsFunc(out, func(o map[string]string) bool { return maps.Equal(o, s) }) {
			out = append(out, s)
		}
	}
	return out
}

// labelsMatching returns labels that a selector matches, as far as possible.
func labelsMatching(s *metav1.LabelSelector) map[string]string {
	out := map[string]string{}
	maps.Copy(out, s.MatchLabels)
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

// denyName is the name of the NetworkPolicy that isolates a namespace in place of the annotation.
const denyName = "default-deny-ingress"

// Conversion is the modern equivalent of the annotation and NetworkPolicies of 2016.
type Conversion struct {
	// NewPolicies are NetworkPolicies of today's API by namespace: first the isolating policy, then those that
	// allow.
	NewPolicies []*networkingv1.NetworkPolicy
	// ReplacedPolicies are the NetworkPolicies of 2016 that were replaced or had no effect.
	ReplacedPolicies []Key
	Notes            []ConversionNote
}

// ConversionNote is a note about a converted object.
type ConversionNote struct {
	About Key
	Text  string
}

func (c *Conversion) addNote(about Key, format string, args ...any) {
	c.Notes = append(c.Notes, ConversionNote{about, fmt.Sprintf(format, args...)})
}

// ToNetworkPolicies converts a cluster's annotations and NetworkPolicies of 2016.
func ToNetworkPolicies(c *Cluster) *Conversion {
	out := &Conversion{}
	byNamespace := map[string][]*Policy{}
	for p := range c.Policies(KindNP) {
		byNamespace[p.Namespace] = append(byNamespace[p.Namespace], p)
		if IsNetpol2016(p) {
			out.ReplacedPolicies = append(out.ReplacedPolicies, p.Key)
			if !IsIsolated(c, p.Namespace) {
				out.addNote(p.Key, "not converted: namespace %s is not isolated, so it had no effect; today it would isolate its pods", p.Namespace)
			}
		}
	}
	for ns := range c.Namespaces() {
		i, there := NamespaceIsolation(ns)
		switch {
		case there && i.Isolated:
			out.convertNamespace(ns, byNamespace[ns.Name])
		case there:
			out.addNote(ns.Key, "not isolated: the annotation %s", i.Problem)
		}
	}
	return out
}

func (c *Conversion) convertNamespace(ns *Namespace, policies []*Policy) {
	names := map[string]bool{}
	denied := ""
	for _, p := range policies {
		names[p.Name] = true
		if !IsNetpol2016(p) && p.IsolatesDirection(Ingress) && p.Subject.Pods.MatchesEverything() {
			denied = p.Name
		}
	}
	if denied != "" {
		c.addNote(ns.Key, "NetworkPolicy %s already isolates all its pods: no default deny was added", denied)
	} else {
		name := denyName
		for i := 2; names[name]; i++ {
			name = denyName + "-" + strconv.Itoa(i)
		}
		c.NewPolicies = append(c.NewPolicies, newIngressPolicy(metav1.ObjectMeta{Name: name, Namespace: ns.Name}, metav1.LabelSelector{}, nil))
	}
	c.addNote(ns.Key, "the annotation %s can be removed", AnnotationIsolation)
	for _, p := range policies {
		if IsNetpol2016(p) {
			c.convertPolicy(p)
		}
	}
}

// convertPolicy converts a NetworkPolicy of 2016 in an isolated namespace.
func (c *Conversion) convertPolicy(p *Policy) {
	o, typed := p.Original.(*networkingv1.NetworkPolicy)
	if !typed {
		c.addNote(p.Key, "not converted: not readable as a NetworkPolicy")
		return
	}
	var rules []networkingv1.NetworkPolicyIngressRule
	for i := range o.Spec.Ingress {
		if MatchesNothing(p, &p.Ingress[i]) {
			c.addNote(p.Key, "ingress rule %d not converted: its empty list matched nothing in 2016 but matches everything today", i)
			continue
		}
		rules = append(rules, *o.Spec.Ingress[i].DeepCopy())
	}
	if len(o.Spec.Egress) > 0 {
		c.addNote(p.Key, "%s not converted: the API of 2016 had no egress", words.Count(len(o.Spec.Egress), "egress rule"))
	}
	if newer := slices.DeleteFunc(NewerFields(p), func(f string) bool { return f == "egress" || f == "policyTypes" }); len(newer) > 0 {
		c.addNote(p.Key, "has fields newer than the API of 2016: %s; converted unchanged", strings.Join(newer, ", "))
	}
	if len(rules) == 0 {
		c.addNote(p.Key, "not converted: it allows nothing, and the default deny is already there")
		return
	}
	meta := metav1.ObjectMeta{Name: o.Name, Namespace: p.Namespace, Labels: o.Labels, Annotations: maps.Clone(o.Annotations)}
	for _, ofOldObject := range []string{lastApplied, AnnotationLogSession} {
		delete(meta.Annotations, ofOldObject)
	}
	if len(meta.Annotations) == 0 {
		meta.Annotations = nil
	}
	c.NewPolicies = append(c.NewPolicies, newIngressPolicy(meta, o.Spec.PodSelector, rules))
}

// newIngressPolicy returns a NetworkPolicy of today's API that isolates ingress.
func newIngressPolicy(meta metav1.ObjectMeta, pods metav1.LabelSelector,
	rules []networkingv1.NetworkPolicyIngressRule) *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{TypeMeta: metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: string(KindNP)}, ObjectMeta: meta,
		Spec: networkingv1.NetworkPolicySpec{PodSelector: *pods.DeepCopy(), Ingress: rules,
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}}}
}

package manifests

import (
	"unique"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"

	"rung/model"
	"rung/model/clean"
)

// Typed brings objects of the API server, as client-go decodes them, into the
// model's form: the same reading as that of manifests, without gate 1, which the
// server has run. It is used by one goroutine at a time.
type Typed struct {
	d *decoder // of reports only: it would remember every string for ever
	// sets are label sets met before, shared by all objects that have them.
	sets map[string]model.Labels
}

// maxSets bounds the label sets remembered; pods of jobs have sets of their own,
// so that the number of those ever seen has no bound.
const maxSets = 16 << 10

// NewTyped makes a converter; source is what Origin.Source of its objects says.
func NewTyped(source string) *Typed {
	return &Typed{d: newDecoder(Options{Source: source}), sets: map[string]model.Labels{}}
}

// Object brings one object into the model's form: a *corev1.Namespace, Pod, Node,
// Service or Event, a *discoveryv1.EndpointSlice, a *networkingv1.NetworkPolicy,
// or an *unstructured.Unstructured of an ANP, a BANP or an EgressFirewall. Nothing
// of obj is kept but a policy's typed form, without managedFields, which are taken
// out of obj. The result is nil for what cannot be taken in: broken says why then,
// and holds doubts about what was taken in otherwise.
func (t *Typed) Object(obj any) (o model.Object, broken []model.Broken) { return t.Again(obj, nil) }

// Again is Object for one that was read before: old is what it was then, or nil,
// and what did not change is taken from it.
func (t *Typed) Again(obj any, old model.Object) (o model.Object, broken []model.Broken) {
	t.d.out = &outcome{}
	if k, m := kindOfTyped(obj); m != nil {
		if i := nameIssue(k, m.GetNamespace(), m.GetName()); i != nil {
			key := model.Key{Kind: k, Namespace: m.GetNamespace(), Name: m.GetName()}
			t.d.report(t.origin(), shortKey(key), *i)
			return nil, t.d.out.broken
		}
	}
	switch v := obj.(type) {
	case *corev1.Namespace:
		o = &model.Namespace{Meta: withNameLabel(t.meta(model.KindNamespace, v))}
	case *corev1.Pod:
		o = t.pod(v)
	case *corev1.Node:
		o = t.node(v)
	case *corev1.Service:
		o = t.service(v)
	case *discoveryv1.EndpointSlice:
		o = t.endpointSlice(v)
	case *corev1.Event:
		o = t.event(v)
	case *networkingv1.NetworkPolicy:
		v.ManagedFields = nil
		o = t.policy(v, v, old)
	case *unstructured.Unstructured:
		unstructured.RemoveNestedField(v.Object, "metadata", "managedFields")
		o = t.policy(v, v, old)
	}
	return o, t.d.out.broken
}

// kindOfTyped is the kind of an object whose name is checked; nil for others.
func kindOfTyped(obj any) (model.Kind, metav1.Object) {
	switch v := obj.(type) {
	case *corev1.Namespace:
		return model.KindNamespace, v
	case *corev1.Pod:
		return model.KindPod, v
	case *corev1.Node:
		return model.KindNode, v
	case *corev1.Service:
		return model.KindService, v
	case *discoveryv1.EndpointSlice:
		return model.KindEndpointSlice, v
	}
	return "", nil
}

func (t *Typed) origin() model.Origin { return model.Origin{Source: t.d.opts.Source, Item: -1} }

func (t *Typed) meta(k model.Kind, o metav1.Object) model.Meta {
	m := model.Meta{
		Key: model.Key{Kind: k, Namespace: shared(o.GetNamespace()), Name: clean.Text(o.GetName())},
		UID: clean.Text(string(o.GetUID())), Version: clean.Text(o.GetResourceVersion()),
		Created: o.GetCreationTimestamp().Time, Labels: t.labels(o.GetLabels()), Origin: t.origin(),
	}
	for name, text := range o.GetAnnotations() {
		if keptAnnotations[name] {
			if m.Annotations == nil {
				m.Annotations = map[string]string{}
			}
			m.Annotations[name] = clean.Block(text)
		}
	}
	return m
}

// shared is a clean string that many objects have, stored once.
func shared(s string) string {
	if s == "" {
		return ""
	}
	return unique.Make(clean.Text(s)).Value()
}

func (t *Typed) labels(raw map[string]string) model.Labels {
	m := make(map[string]string, len(raw))
	for k, v := range raw {
		m[shared(k)] = shared(v)
	}
	l := model.NewLabels(m)
	if known, ok := t.sets[l.Key()]; ok {
		return known
	}
	if len(t.sets) >= maxSets {
		clear(t.sets)
	}
	t.sets[l.Key()] = l
	return l
}

func (t *Typed) pod(o *corev1.Pod) model.Object {
	p := &model.Pod{Meta: t.meta(model.KindPod, o), NodeName: shared(o.Spec.NodeName), HostNetwork: o.Spec.HostNetwork,
		Phase: shared(string(o.Status.Phase)), Deleting: o.DeletionTimestamp != nil}
	if p.Phase == "" {
		p.Phase = "Pending"
	}
	for _, c := range o.Status.Conditions {
		p.Ready = p.Ready || c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	}
	for i := range o.Spec.Containers {
		for _, cp := range o.Spec.Containers[i].Ports {
			p.Ports = append(p.Ports, model.ContainerPort{Name: shared(cp.Name), Protocol: protocolOf(cp.Protocol), Port: cp.ContainerPort})
		}
	}
	if a, ok := o.Annotations[model.AnnotationPodNetworks]; ok {
		nets, err := podNetworks(a)
		if err != nil {
			t.d.warnAnnotation(p.Meta, model.AnnotationPodNetworks, "cannot be read: "+clean.Text(err.Error()))
		}
		p.Networks = nets
	}
	ips := make([]string, len(o.Status.PodIPs))
	for i := range o.Status.PodIPs {
		ips[i] = o.Status.PodIPs[i].IP
	}
	p.IPs = podIPs(ips, p.Networks, o.Status.PodIP)
	return p
}

// protocolOf is a port's protocol as protocol reads it from text.
func protocolOf(p corev1.Protocol) string {
	switch p {
	case corev1.ProtocolTCP, corev1.ProtocolUDP, corev1.ProtocolSCTP:
		return string(p)
	case "":
		return "TCP"
	}
	return ""
}

func (t *Typed) node(o *corev1.Node) model.Object {
	n := &model.Node{Meta: t.meta(model.KindNode, o)}
	for _, c := range o.Status.Conditions {
		n.Ready = n.Ready || c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	}
	for _, a := range o.Status.Addresses {
		if ip := canonicalIP(a.Address); a.Type == corev1.NodeInternalIP && ip != "" {
			n.InternalIPs = append(n.InternalIPs, ip)
		}
	}
	if a, ok := o.Annotations[model.AnnotationHostCIDRs]; ok {
		t.d.hostAddresses(n, a)
	}
	t.d.nodeAddresses(n, func(name string) (string, bool) { a, ok := o.Annotations[name]; return a, ok })
	return n
}

func (t *Typed) service(o *corev1.Service) model.Object {
	s := &model.Service{Meta: t.meta(model.KindService, o), Selector: t.labels(o.Spec.Selector), Type: shared(string(o.Spec.Type))}
	if s.Type == "" {
		s.Type = "ClusterIP"
	}
	ips := o.Spec.ClusterIPs
	if len(ips) == 0 {
		ips = []string{o.Spec.ClusterIP}
	}
	for _, text := range ips {
		if ip := canonicalIP(text); ip != "" { // "None" is no address
			s.ClusterIPs = append(s.ClusterIPs, ip)
		}
	}
	for _, p := range o.Spec.Ports {
		sp := model.ServicePort{Name: shared(p.Name), Protocol: protocolOf(p.Protocol), Port: p.Port}
		if p.TargetPort != (intstr.IntOrString{}) {
			sp.TargetPort = shared(p.TargetPort.String())
		}
		s.Ports = append(s.Ports, sp)
	}
	return s
}

func (t *Typed) endpointSlice(o *discoveryv1.EndpointSlice) model.Object {
	s := &model.EndpointSlice{Meta: t.meta(model.KindEndpointSlice, o)}
	s.Service = s.Labels.Get(discoveryv1.LabelServiceName)
	for i := range o.Endpoints {
		for _, a := range o.Endpoints[i].Addresses {
			if ip := canonicalIP(a); ip != "" {
				s.Addresses = append(s.Addresses, ip)
			}
		}
	}
	return s
}

func (t *Typed) event(o *corev1.Event) model.Object {
	about := o.InvolvedObject
	e := &model.Event{Meta: t.meta(model.KindEvent, o),
		About: model.Key{Kind: model.Kind(shared(about.Kind)), Namespace: shared(about.Namespace), Name: shared(about.Name)},
		Type:  shared(o.Type), Reason: shared(o.Reason), Message: clean.Text(o.Message), Count: int(max(1, o.Count))}
	for _, r := range []string{o.ReportingInstance, o.Source.Host, o.Source.Component, o.ReportingController} {
		if e.Reporter = shared(r); e.Reporter != "" {
			break
		}
	}
	times := []metav1.Time{o.LastTimestamp, {Time: o.EventTime.Time}, o.FirstTimestamp}
	if o.Series != nil {
		times = append(times, metav1.Time{Time: o.Series.LastObservedTime.Time})
		e.Count = max(e.Count, int(o.Series.Count))
	}
	for _, at := range times {
		if at.Time.After(e.Last) {
			e.Last = at.Time
		}
	}
	return e
}

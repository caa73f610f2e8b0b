package manifests

import (
	"cmp"
	"maps"
	"net/netip"
	"unique"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"rung/model"
	"rung/model/words"
)

// keptAnnotations are the annotations kept as text; others are only read.
var keptAnnotations = map[string]bool{
	model.AnnotationLogging:    true,
	model.AnnotationLogSession: true,
	model.AnnotationConverted:  true,
	model.AnnotationStateless:  true,
	model.AnnotationMulticast:  true,
	model.AnnotationIsolation:  true,
	model.AnnotationPolicyFor:  true,
}

// labelNamespaceName is set on every namespace by the API server.
const labelNamespaceName = "kubernetes.io/metadata.name"

// readMeta reads the common metadata, except the version: a file's says nothing.
func (d *decoder) readMeta(k *kindInfo, o metav1.Object, origin model.Origin) model.Meta {
	m := model.Meta{Key: model.Key{Kind: k.kind, Name: words.CleanText(o.GetName())}, UID: words.CleanText(string(o.GetUID())),
		Created: o.GetCreationTimestamp().Time, Labels: d.internLabels(o.GetLabels()), Origin: origin}
	if k.kind.IsNamespaced() {
		m.Namespace = cmp.Or(internClean(o.GetNamespace()), "default")
	}
	for name, text := range o.GetAnnotations() {
		if keptAnnotations[name] {
			if m.Annotations == nil {
				m.Annotations = map[string]string{}
			}
			m.Annotations[name] = words.CleanBlock(text)
		}
	}
	return m
}

// internClean returns a clean string, stored once for all objects.
func internClean(s string) string {
	if s == "" {
		return ""
	}
	return unique.Make(words.CleanText(s)).Value()
}

// maxSets bounds the remembered label sets: each pod of a job has its own set, so their number would grow
// without bound.
const maxSets = 16 << 10

func (d *decoder) internLabels(raw map[string]string) model.Labels {
	m := make(map[string]string, len(raw))
	for k, v := range raw {
		m[internClean(k)] = internClean(v)
	}
	l := model.NewLabels(m)
	if known, ok := d.sets[l.Key()]; ok {
		return known
	}
	if len(d.sets) >= maxSets {
		clear(d.sets)
	}
	d.sets[l.Key()] = l
	return l
}

func (d *decoder) convertNamespace(_ *corev1.Namespace, m model.Meta) model.Object {
	return &model.Namespace{Meta: withNameLabel(m)}
}

// withNameLabel adds the label that the API server sets on every namespace.
func withNameLabel(m model.Meta) model.Meta {
	if m.Labels.Get(labelNamespaceName) == m.Name {
		return m
	}
	l := make(map[string]string, len(m.Labels.Map())+1)
	maps.Copy(l, m.Labels.Map())
	l[labelNamespaceName] = m.Name
	m.Labels = model.NewLabels(l)
	return m
}

func (d *decoder) convertPod(o *corev1.Pod, m model.Meta) model.Object {
	p := &model.Pod{Meta: m, NodeName: internClean(o.Spec.NodeName), HostNetwork: o.Spec.HostNetwork,
		ServiceAccount: cmp.Or(internClean(o.Spec.ServiceAccountName), internClean(o.Spec.DeprecatedServiceAccount), "default"),
		Phase:          internClean(string(o.Status.Phase)), Deleting: o.DeletionTimestamp != nil,
		Workload: internClean(PodWorkload(o))}
	for _, c := range o.Status.Conditions {
		p.Ready = p.Ready || c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	}
	for i := range o.Spec.Containers {
		for _, cp := range o.Spec.Containers[i].Ports {
			p.Ports = append(p.Ports, model.ContainerPort{Name: internClean(cp.Name), Protocol: portProtocol(cp.Protocol),
				Port: cp.ContainerPort})
		}
	}
	d.podNetworks(p, o.Annotations)
	ips := make([]string, len(o.Status.PodIPs))
	for i := range o.Status.PodIPs {
		ips[i] = o.Status.PodIPs[i].IP
	}
	p.IPs = podIPs(ips, p.Networks, o.Status.PodIP)
	switch {
	case p.Phase != "":
	case len(ips) > 0 || o.Status.PodIP != "":
		p.Phase = "Running" // a pod gets its address when it starts
	default:
		p.Phase = "Pending" // the API server's default
		// Without status and networks the pod does not exist yet, unless host-networked on a node.
		if len(p.Networks) == 0 && (p.NodeName == "" || !p.HostNetwork) {
			p.Planned, p.NodeName = &model.PlannedPod{Node: p.NodeName}, ""
		}
	}
	return p
}

// podNetworks reads a pod's annotations about networks.
func (d *decoder) podNetworks(p *model.Pod, all map[string]string) {
	p.Networks, p.NetworksErr = readAnnotation(d, p.Meta, all, model.AnnotationPodNetworks,
		"this pod's address sets on other networks are frozen", PodNetworks)
	p.Attachments, p.AttachmentsErr = readAnnotation(d, p.Meta, all, model.AnnotationAttachments,
		"address sets that select this pod on secondary networks are frozen",
		func(text string) ([]string, error) { return Attachments(text, p.Namespace) })
	p.OpenPorts, _ = readAnnotation(d, p.Meta, all, model.AnnotationOpenPorts, "no port is left open on the default network", OpenPorts)
}

// portProtocol returns a port's protocol: TCP by default, empty if OVN-Kubernetes does not know it.
func portProtocol(p corev1.Protocol) string {
	switch p {
	case corev1.ProtocolTCP, corev1.ProtocolUDP, corev1.ProtocolSCTP:
		return string(p)
	case "":
		return "TCP"
	}
	return ""
}

func (d *decoder) convertNode(o *corev1.Node, m model.Meta) model.Object {
	n := &model.Node{Meta: m, PodCIDRs: podCIDRs(&o.Spec)}
	for _, c := range o.Status.Conditions {
		n.Ready = n.Ready || c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	}
	for _, a := range o.Status.Addresses {
		if ip := canonicalIP(a.Address); a.Type == corev1.NodeInternalIP && ip != "" {
			n.InternalIPs = append(n.InternalIPs, ip)
		}
	}
	d.nodeAddresses(n, o.Annotations)
	return n
}

// podCIDRs returns the pod networks of a node in canonical text.
func podCIDRs(s *corev1.NodeSpec) (out []string) {
	all := s.PodCIDRs
	if len(all) == 0 {
		all = []string{s.PodCIDR}
	}
	for _, text := range all {
		if p, err := netip.ParsePrefix(text); err == nil {
			out = append(out, p.Masked().String())
		}
	}
	return out
}

func (d *decoder) convertService(o *corev1.Service, m model.Meta) model.Object {
	s := &model.Service{Meta: m, Selector: d.internLabels(o.Spec.Selector), Type: cmp.Or(internClean(string(o.Spec.Type)), "ClusterIP")}
	ips := o.Spec.ClusterIPs
	if len(ips) == 0 {
		ips = []string{o.Spec.ClusterIP} // "None" is not an address
	}
	s.ClusterIPs, s.ExternalIPs = canonicalIPs(ips), canonicalIPs(o.Spec.ExternalIPs)
	for _, in := range o.Status.LoadBalancer.Ingress {
		if in.IPMode == nil || *in.IPMode != corev1.LoadBalancerIPModeProxy { // in Proxy mode packets go to the load balancer itself
			s.LoadBalancerIPs = append(s.LoadBalancerIPs, canonicalIPs([]string{in.IP})...)
		}
	}
	for _, p := range o.Spec.Ports {
		sp := model.ServicePort{Name: internClean(p.Name), Protocol: portProtocol(p.Protocol), Port: p.Port, NodePort: p.NodePort}
		if p.TargetPort != (intstr.IntOrString{}) {
			sp.TargetPort = internClean(p.TargetPort.String())
		}
		s.Ports = append(s.Ports, sp)
	}
	return s
}

// canonicalIPs returns the valid addresses in canonical text.
func canonicalIPs(texts []string) (out []string) {
	for _, text := range texts {
		if ip := canonicalIP(text); ip != "" {
			out = append(out, ip)
		}
	}
	return out
}

func (d *decoder) endpointSlice(o *discoveryv1.EndpointSlice, m model.Meta) model.Object {
	s := &model.EndpointSlice{Meta: m}
	s.Service = s.Labels.Get(discoveryv1.LabelServiceName)
	for i := range o.Endpoints {
		s.Addresses = append(s.Addresses, canonicalIPs(o.Endpoints[i].Addresses)...)
	}
	for i := range o.Ports {
		if p := &o.Ports[i]; p.Port != nil {
			s.Ports = append(s.Ports, model.EndpointPort{Name: internClean(ptr.Deref(p.Name, "")),
				Protocol: portProtocol(ptr.Deref(p.Protocol, "")), Port: *p.Port})
		}
	}
	return s
}

func (d *decoder) convertEvent(o *corev1.Event, m model.Meta) model.Object {
	about := o.InvolvedObject
	e := &model.Event{Meta: m,
		About: model.Key{Kind: model.Kind(internClean(about.Kind)), Namespace: internClean(about.Namespace), Name: internClean(about.Name)},
		Type:  internClean(o.Type), Reason: internClean(o.Reason), Message: words.CleanText(o.Message), Count: int(max(1, o.Count)),
		Reporter: cmp.Or(internClean(o.ReportingInstance), internClean(o.Source.Host), internClean(o.Source.Component),
			internClean(o.ReportingController))}
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

// newEvent reads an events.k8s.io event by converting it to a core one, which has all fields needed here.
func (d *decoder) newEvent(o *eventsv1.Event, m model.Meta) model.Object {
	old := &corev1.Event{InvolvedObject: o.Regarding, Source: o.DeprecatedSource, Type: o.Type, Reason: o.Reason, Message: o.Note,
		FirstTimestamp: o.DeprecatedFirstTimestamp, LastTimestamp: o.DeprecatedLastTimestamp, EventTime: o.EventTime,
		Count: o.DeprecatedCount, ReportingController: o.ReportingController, ReportingInstance: o.ReportingInstance}
	if o.Series != nil {
		old.Series = &corev1.EventSeries{Count: o.Series.Count, LastObservedTime: o.Series.LastObservedTime}
	}
	return d.convertEvent(old, m)
}

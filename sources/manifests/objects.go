package manifests

import (
	"maps"
	"time"

	"go.yaml.in/yaml/v3"

	"rung/model"
	"rung/model/clean"
)

// keptAnnotations matter to Rung; others are not kept, but for what is read out
// of them.
var keptAnnotations = map[string]bool{
	model.AnnotationLogging:   true,
	model.AnnotationStateless: true,
	model.AnnotationMulticast: true,
}

// labelNamespaceName is put on every namespace by the API server.
const labelNamespaceName = "kubernetes.io/metadata.name"

// meta reads what every object has.
func (d *decoder) meta(n *yaml.Node, k *kindInfo, origin model.Origin) model.Meta {
	md := get(n, "metadata")
	m := model.Meta{Key: model.Key{Kind: k.kind, Name: d.text(get(md, "name"))}, Origin: origin}
	if k.namespaced {
		if m.Namespace = d.text(get(md, "namespace")); m.Namespace == "" {
			m.Namespace = "default"
		}
	}
	m.UID = clean.Text(str(get(md, "uid")))
	m.Created = timeOf(get(md, "creationTimestamp"))
	m.Labels = d.labels(get(md, "labels"))
	if a := get(md, "annotations"); a != nil && a.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(a.Content); i += 2 {
			if keptAnnotations[a.Content[i].Value] {
				if m.Annotations == nil {
					m.Annotations = map[string]string{}
				}
				m.Annotations[a.Content[i].Value] = clean.Block(str(a.Content[i+1]))
			}
		}
	}
	return m
}

func annotation(n *yaml.Node, name string) (string, bool) {
	a := dig(n, "metadata", "annotations", name)
	return str(a), a != nil
}

// text is a clean string, stored once however often it occurs.
func (d *decoder) text(n *yaml.Node) string { return d.intern(clean.Text(str(n))) }

func (d *decoder) labels(n *yaml.Node) model.Labels {
	if n == nil || n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		return model.NewLabels(nil)
	}
	m := make(map[string]string, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		m[d.text(n.Content[i])] = d.text(n.Content[i+1])
	}
	return d.internLabels(model.NewLabels(m))
}

func timeOf(n *yaml.Node) time.Time {
	t, err := time.Parse(time.RFC3339, str(n))
	if err != nil {
		return time.Time{}
	}
	return t
}

func ready(n *yaml.Node) bool {
	for _, c := range items(dig(n, "status", "conditions")) {
		if str(get(c, "type")) == "Ready" {
			return str(get(c, "status")) == "True"
		}
	}
	return false
}

func (d *decoder) namespace(_ *yaml.Node, m model.Meta) model.Object {
	return &model.Namespace{Meta: withNameLabel(m)}
}

// withNameLabel adds the label the API server puts on every namespace.
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

func (d *decoder) pod(n *yaml.Node, m model.Meta) model.Object {
	spec, status := get(n, "spec"), get(n, "status")
	p := &model.Pod{Meta: m,
		NodeName:    d.text(get(spec, "nodeName")),
		HostNetwork: truth(get(spec, "hostNetwork")),
		Phase:       d.text(get(status, "phase")),
		Ready:       ready(n),
	}
	if p.Phase == "" {
		p.Phase = "Pending" // as the API server sets it
	}
	if t := dig(n, "metadata", "deletionTimestamp"); t != nil && !isNull(t) {
		p.Deleting = true
	}
	for _, c := range items(get(spec, "containers")) {
		for _, cp := range items(get(c, "ports")) {
			p.Ports = append(p.Ports, model.ContainerPort{
				Name:     d.text(get(cp, "name")),
				Protocol: protocol(get(cp, "protocol")),
				Port:     int32(number(get(cp, "containerPort"))),
			})
		}
	}
	if a, ok := annotation(n, model.AnnotationPodNetworks); ok {
		nets, err := podNetworks(a)
		if err != nil {
			d.warnAnnotation(m, model.AnnotationPodNetworks, "cannot be read: "+clean.Text(err.Error()))
		}
		p.Networks = nets
	}
	var ips []string
	for _, e := range items(get(status, "podIPs")) {
		ips = append(ips, str(get(e, "ip")))
	}
	p.IPs = podIPs(ips, p.Networks, str(get(status, "podIP")))
	return p
}

// protocol is a port's protocol: TCP when none is written, empty when it is not
// one OVN-Kubernetes knows.
func protocol(n *yaml.Node) string {
	switch p := str(n); p {
	case "TCP", "UDP", "SCTP":
		return p
	case "":
		return "TCP"
	}
	return ""
}

func (d *decoder) node(n *yaml.Node, m model.Meta) model.Object {
	o := &model.Node{Meta: m, Ready: ready(n)}
	for _, a := range items(dig(n, "status", "addresses")) {
		if str(get(a, "type")) == "InternalIP" {
			if ip := canonicalIP(str(get(a, "address"))); ip != "" {
				o.InternalIPs = append(o.InternalIPs, ip)
			}
		}
	}
	if a, ok := annotation(n, model.AnnotationHostCIDRs); ok {
		d.hostAddresses(o, a)
	}
	d.nodeAddresses(o, func(name string) (string, bool) { return annotation(n, name) })
	return o
}

func (d *decoder) service(n *yaml.Node, m model.Meta) model.Object {
	spec := get(n, "spec")
	s := &model.Service{Meta: m, Selector: d.labels(get(spec, "selector")), Type: d.text(get(spec, "type"))}
	if s.Type == "" {
		s.Type = "ClusterIP"
	}
	ips := items(get(spec, "clusterIPs"))
	if one := get(spec, "clusterIP"); len(ips) == 0 && one != nil {
		ips = []*yaml.Node{one}
	}
	for _, e := range ips {
		if ip := canonicalIP(str(e)); ip != "" { // "None" is no address
			s.ClusterIPs = append(s.ClusterIPs, ip)
		}
	}
	for _, e := range items(get(spec, "ports")) {
		s.Ports = append(s.Ports, model.ServicePort{
			Name:       d.text(get(e, "name")),
			Protocol:   protocol(get(e, "protocol")),
			TargetPort: d.text(get(e, "targetPort")),
			Port:       int32(number(get(e, "port"))),
		})
	}
	return s
}

func (d *decoder) endpointSlice(n *yaml.Node, m model.Meta) model.Object {
	s := &model.EndpointSlice{Meta: m, Service: m.Labels.Get("kubernetes.io/service-name")}
	for _, e := range items(get(n, "endpoints")) {
		for _, a := range items(get(e, "addresses")) {
			if ip := canonicalIP(str(a)); ip != "" {
				s.Addresses = append(s.Addresses, ip)
			}
		}
	}
	return s
}

// event reads both forms, core/v1 and events.k8s.io/v1.
func (d *decoder) event(n *yaml.Node, m model.Meta) model.Object {
	about := first(get(n, "involvedObject"), get(n, "regarding"))
	source := first(get(n, "source"), get(n, "deprecatedSource"))
	e := &model.Event{Meta: m,
		About: model.Key{Kind: model.Kind(d.text(get(about, "kind"))),
			Namespace: d.text(get(about, "namespace")), Name: d.text(get(about, "name"))},
		Type:    d.text(get(n, "type")),
		Reason:  d.text(get(n, "reason")),
		Message: clean.Text(str(first(get(n, "message"), get(n, "note")))),
	}
	for _, r := range []*yaml.Node{get(n, "reportingInstance"), get(source, "host"), get(source, "component"),
		get(n, "reportingComponent"), get(n, "reportingController")} {
		if e.Reporter = d.text(r); e.Reporter != "" {
			break
		}
	}
	for _, t := range []*yaml.Node{get(n, "lastTimestamp"), get(n, "deprecatedLastTimestamp"),
		dig(n, "series", "lastObservedTime"), get(n, "eventTime"), get(n, "firstTimestamp")} {
		if at := timeOf(t); at.After(e.Last) {
			e.Last = at
		}
	}
	e.Count = int(max(1, number(get(n, "count")), number(get(n, "deprecatedCount")), number(dig(n, "series", "count"))))
	return e
}

func first(nodes ...*yaml.Node) *yaml.Node {
	for _, n := range nodes {
		if n != nil && !isNull(n) {
			return n
		}
	}
	return nil
}

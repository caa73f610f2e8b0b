package manifests

import (
	"cmp"
	"strconv"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"rung/model"

	"rung/model/words"
	"rung/sources/manifests/yamltree"
)

// Manifests of traffic from outside, with the fields read: hosts, paths and Services.
type (
	// Ingress is an Ingress of networking.k8s.io.
	Ingress struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			DefaultBackend *ingressBackend `json:"defaultBackend"`
			Rules          []struct {
				Host string `json:"host"`
				HTTP *struct {
					Paths []struct {
						Path    string         `json:"path"`
						Backend ingressBackend `json:"backend"`
					} `json:"paths"`
				} `json:"http"`
			} `json:"rules"`
		} `json:"spec"`
	}
	ingressBackend struct {
		Service *struct {
			Name string `json:"name"`
			Port struct {
				Name   string `json:"name"`
				Number int32  `json:"number"`
			} `json:"port"`
		} `json:"service"`
	}
	// HTTPRoute is an HTTPRoute of the Gateway API.
	HTTPRoute struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			Hostnames []string `json:"hostnames"`
			Rules     []struct {
				Matches []struct {
					Path *struct {
						Value string `json:"value"`
					} `json:"path"`
				} `json:"matches"`
				BackendRefs []struct {
					Kind      string `json:"kind"`
					Name      string `json:"name"`
					Namespace string `json:"namespace"`
					Port      int32  `json:"port"`
				} `json:"backendRefs"`
			} `json:"rules"`
		} `json:"spec"`
	}
	// Route is a Route of OpenShift.
	Route struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			Host              string        `json:"host"`
			Path              string        `json:"path"`
			To                routeTarget   `json:"to"`
			AlternateBackends []routeTarget `json:"alternateBackends"`
			Port              *struct {
				TargetPort intstr.IntOrString `json:"targetPort"`
			} `json:"port"`
		} `json:"spec"`
	}
	routeTarget struct {
		Kind string `json:"kind"`
		Name string `json:"name"`
	}
)

// IsKind reports whether objects of the kind route outside traffic to Services.
func IsKind(k model.Kind) bool {
	return k == model.KindIngress || k == model.KindHTTPRoute || k == model.KindRoute
}

// KeepWayInFields removes the unread fields from the tree of an Ingress, HTTPRoute or Route.
func KeepWayInFields(n *yaml.Node) {
	spec := yamltree.Get(n, "spec")
	yamltree.KeepFields(n, "apiVersion", "kind", "metadata", "spec")
	yamltree.KeepFields(spec, "defaultBackend", "rules", "hostnames", "host", "path", "to", "alternateBackends", "port")
	yamltree.KeepFields(yamltree.Get(spec, "to"), "kind", "name")
	for _, b := range yamltree.ItemsAt(spec, "alternateBackends") {
		yamltree.KeepFields(b, "kind", "name")
	}
	for _, r := range yamltree.ItemsAt(spec, "rules") {
		yamltree.KeepFields(r, "host", "http", "matches", "backendRefs")
		for _, p := range yamltree.ItemsAt(r, "http", "paths") {
			yamltree.KeepFields(p, "path", "backend")
			yamltree.KeepFields(yamltree.Get(p, "backend"), "service")
		}
		for _, m := range yamltree.ItemsAt(r, "matches") {
			yamltree.KeepFields(m, "path")
			yamltree.KeepFields(yamltree.Get(m, "path"), "value")
		}
		for _, b := range yamltree.ItemsAt(r, "backendRefs") {
			yamltree.KeepFields(b, "kind", "name", "namespace", "port")
		}
	}
}

// WayIn converts an Ingress to the model's form.
func (o *Ingress) WayIn(m model.Meta) *model.EntryPoint {
	w := &model.EntryPoint{Meta: m}
	add := func(host, path string, b *ingressBackend) {
		if b == nil || b.Service == nil {
			return
		}
		port := b.Service.Port.Name
		if b.Service.Port.Number != 0 {
			port = strconv.Itoa(int(b.Service.Port.Number))
		}
		w.Targets = append(w.Targets, model.Target{Host: words.CleanText(host), Path: words.CleanText(path), Namespace: m.Namespace,
			Service: words.CleanText(b.Service.Name), Port: words.CleanText(port)})
	}
	for i := range o.Spec.Rules {
		r := &o.Spec.Rules[i]
		if r.HTTP == nil {
			continue
		}
		for k := range r.HTTP.Paths {
			add(r.Host, r.HTTP.Paths[k].Path, &r.HTTP.Paths[k].Backend)
		}
	}
	add("", "", o.Spec.DefaultBackend)
	return w
}

// WayIn converts an HTTPRoute to the model's form: the first path of each rule, for each host.
func (o *HTTPRoute) WayIn(m model.Meta) *model.EntryPoint {
	w := &model.EntryPoint{Meta: m}
	hosts := o.Spec.Hostnames
	if len(hosts) == 0 {
		hosts = []string{""}
	}
	for _, r := range o.Spec.Rules {
		path := ""
		if len(r.Matches) > 0 && r.Matches[0].Path != nil {
			path = r.Matches[0].Path.Value
		}
		for _, b := range r.BackendRefs {
			if b.Kind != "" && b.Kind != string(model.KindService) {
				continue
			}
			for _, host := range hosts {
				port := ""
				if b.Port != 0 {
					port = strconv.Itoa(int(b.Port))
				}
				w.Targets = append(w.Targets, model.Target{Host: words.CleanText(host), Path: words.CleanText(path),
					Namespace: cmp.Or(words.CleanText(b.Namespace), m.Namespace),
					Service:   words.CleanText(b.Name), Port: port})
			}
		}
	}
	return w
}

// WayIn converts a Route to the model's form.
func (o *Route) WayIn(m model.Meta) *model.EntryPoint {
	w := &model.EntryPoint{Meta: m}
	port := ""
	if o.Spec.Port != nil {
		port = o.Spec.Port.TargetPort.String()
	}
	for _, t := range append([]routeTarget{o.Spec.To}, o.Spec.AlternateBackends...) {
		if t.Name != "" && (t.Kind == "" || t.Kind == string(model.KindService)) {
			w.Targets = append(w.Targets, model.Target{Host: words.CleanText(o.Spec.Host), Path: words.CleanText(o.Spec.Path),
				Namespace: m.Namespace, Service: words.CleanText(t.Name), Port: words.CleanText(port)})
		}
	}
	return w
}

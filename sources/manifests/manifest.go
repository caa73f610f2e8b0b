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

// wayInFields are the fields kept of an Ingress, HTTPRoute or Route; those of an Ingress' paths are pathFields.
var (
	target      = yamltree.Fields{"kind": nil, "name": nil}
	wayInFields = yamltree.Fields{"apiVersion": nil, "kind": nil, "metadata": nil, "spec": {"defaultBackend": nil, "hostnames": nil,
		"host": nil, "path": nil, "port": nil, "to": target, "alternateBackends": target,
		"rules": {"host": nil, "http": nil, "matches": {"path": {"value": nil}},
			"backendRefs": {"kind": nil, "name": nil, "namespace": nil, "port": nil}}}}
	pathFields = yamltree.Fields{"path": nil, "backend": {"service": nil}}
)

// keepWayInFields removes the unread fields from the tree of an Ingress, HTTPRoute or Route.
func keepWayInFields(n *yaml.Node) {
	wayInFields.KeepIn(n)
	for _, r := range yamltree.ItemsAt(n, "spec", "rules") {
		pathFields.KeepIn(yamltree.Get(r, "http", "paths"))
	}
}

// addTarget adds a Service and one of its ports: number, or the name port if that is 0.
func addTarget(w *model.EntryPoint, host, path, namespace, name, port string, number int32) {
	if number != 0 {
		port = strconv.Itoa(int(number))
	}
	w.Targets = append(w.Targets, model.Target{Host: words.CleanText(host), Path: words.CleanText(path),
		Namespace: cmp.Or(words.CleanText(namespace), w.Namespace), Service: words.CleanText(name), Port: words.CleanText(port)})
}

func (d *decoder) ingressOf(o *Ingress, m model.Meta) model.Object {
	w := &model.EntryPoint{Meta: m}
	add := func(host, path string, b *ingressBackend) {
		if b != nil && b.Service != nil {
			addTarget(w, host, path, "", b.Service.Name, b.Service.Port.Name, b.Service.Port.Number)
		}
	}
	for _, r := range o.Spec.Rules {
		if r.HTTP != nil {
			for _, p := range r.HTTP.Paths {
				add(r.Host, p.Path, &p.Backend)
			}
		}
	}
	add("", "", o.Spec.DefaultBackend)
	return w
}

// httpRouteOf converts an HTTPRoute to the model's form: the first path of each rule, for each host.
func (d *decoder) httpRouteOf(o *HTTPRoute, m model.Meta) model.Object {
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
				addTarget(w, host, path, b.Namespace, b.Name, "", b.Port)
			}
		}
	}
	return w
}

func (d *decoder) routeOf(o *Route, m model.Meta) model.Object {
	w := &model.EntryPoint{Meta: m}
	port := ""
	if o.Spec.Port != nil {
		port = o.Spec.Port.TargetPort.String()
	}
	for _, t := range append([]routeTarget{o.Spec.To}, o.Spec.AlternateBackends...) {
		if t.Name != "" && (t.Kind == "" || t.Kind == string(model.KindService)) {
			addTarget(w, o.Spec.Host, o.Spec.Path, "", t.Name, port, 0)
		}
	}
	return w
}

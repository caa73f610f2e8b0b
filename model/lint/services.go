package lint

import (
	"net/netip"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/overlap"
)

// services are what nearly every pod needs: the cluster's DNS and the API
// server, as the destination is after load balancing, because ANP rules match
// there.
type services struct {
	pods  overlap.PodSet // DNS pods
	ports map[string]int32
	// api are the API server's addresses and its port.
	api     []netip.Prefix
	apiPort int32
}

// Vital is what nearly every pod needs, for others than the linter.
type Vital struct {
	DNS      []*model.Pod
	DNSPorts map[string]int32 // by protocol
	API      []netip.Addr
	APIPort  int32
}

// FindVital looks for the cluster's DNS pods and its API server.
func FindVital(c *model.Cluster, x *overlap.PodIndex) Vital {
	s := (&linter{c: c, x: x}).findServices()
	v := Vital{DNSPorts: s.ports, APIPort: s.apiPort}
	for p := range x.Pods(s.pods) {
		v.DNS = append(v.DNS, p)
	}
	for _, n := range s.api {
		v.API = append(v.API, n.Addr())
	}
	return v
}

// The usual ports: of DNS behind a Service or without one, of OpenShift's and
// other unprivileged DNS pods, of the API server.
const (
	dnsPort    = 53
	altDNSPort = 5353
	apiPort    = 6443
)

// apiEndpoints are the API server's.
var apiEndpoints = model.Key{Kind: model.KindEndpointSlice, Namespace: "default", Name: "kubernetes"}

// found looks for them once.
func (l *linter) found() *services {
	if l.services == nil {
		l.services = l.findServices()
	}
	return l.services
}

func (l *linter) findServices() *services {
	s := &services{ports: map[string]int32{}, apiPort: apiPort}
	for svc := range l.c.Services() {
		switch {
		case svc.Namespace == "default" && svc.Name == "kubernetes":
			for _, p := range svc.Ports {
				if n, err := strconv.ParseUint(p.TargetPort, 10, 16); err == nil && n > 0 {
					s.apiPort = int32(n)
				}
			}
		case model.IsSystemNamespace(svc.Namespace):
			l.addDNSService(s, svc)
		}
	}
	if s.pods.Empty() {
		l.findDNSPods(s)
	}
	// A client that gets a cut answer over UDP asks again over TCP, whatever
	// the Service lists.
	for proto, other := range map[string]string{"UDP": "TCP", "TCP": "UDP"} {
		if s.ports[proto] == 0 {
			s.ports[proto] = s.ports[other]
		}
	}
	l.findAPI(s)
	return s
}

func (l *linter) addDNSService(s *services, svc *model.Service) {
	if len(svc.Selector.Map()) == 0 {
		return
	}
	sel, err := model.NewSelector(&metav1.LabelSelector{MatchLabels: svc.Selector.Map()})
	if err != nil {
		return
	}
	for _, p := range svc.Ports {
		proto := p.Protocol
		if proto == "" {
			proto = "TCP"
		}
		if p.Port != dnsPort || proto != "UDP" && proto != "TCP" {
			continue
		}
		pods := l.x.MatchIn(svc.Namespace, sel).And(l.x.Eligible())
		pod := l.x.First(pods)
		if pod == nil {
			continue
		}
		s.pods = s.pods.Or(pods)
		s.ports[proto] = targetPort(p, proto, pod)
	}
}

func targetPort(p model.ServicePort, proto string, pod *model.Pod) int32 {
	if n, err := strconv.ParseUint(p.TargetPort, 10, 16); err == nil && n > 0 {
		return int32(n)
	}
	for _, c := range pod.Ports {
		if p.TargetPort != "" && c.Name == p.TargetPort && c.Protocol == proto {
			return c.Port
		}
	}
	return p.Port
}

// findDNSPods takes pods of the system that declare a port as DNS servers do.
func (l *linter) findDNSPods(s *services) {
	for n := range l.x.Namespaces(model.Everything()) {
		if !model.IsSystemNamespace(n.Name) {
			continue
		}
		for _, name := range []string{"dns", "dns-tcp"} {
			pods := l.x.MatchIn(n.Name, model.Everything()).And(l.x.WithPort(name))
			pod := l.x.First(pods)
			if pod == nil {
				continue
			}
			s.pods = s.pods.Or(pods)
			for _, c := range pod.Ports {
				if c.Name == name {
					s.ports[c.Protocol] = c.Port
				}
			}
		}
	}
}

func (l *linter) findAPI(s *services) {
	if o, ok := l.c.Get(apiEndpoints).(*model.EndpointSlice); ok {
		s.addAPI(o.Addresses)
	}
	if len(s.api) > 0 {
		return
	}
	for n := range l.c.Nodes() {
		_, cp := n.Labels.Map()["node-role.kubernetes.io/control-plane"]
		_, master := n.Labels.Map()["node-role.kubernetes.io/master"]
		if cp || master {
			if s.addAPI(n.InternalIPs); len(n.InternalIPs) == 0 {
				s.addAPI(n.HostIPs)
			}
		}
	}
}

func (s *services) addAPI(addrs []string) {
	for _, text := range addrs {
		if a, err := netip.ParseAddr(text); err == nil {
			s.api = append(s.api, netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()))
		}
	}
}

package lint

import (
	"net/netip"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/selectors"
)

// VitalServices are the services that nearly every pod needs: the cluster's DNS and the API
// server, as the destination is after load balancing, because ANP rules match there.
type VitalServices struct {
	DNSPods  selectors.PodSet
	DNSPorts map[string]int32
	// API are the API server's addresses and its port.
	API     []netip.Prefix
	APIPort int32
}

// VitalEndpoints are the same services as lists of pods and addresses, for others than the
// linter.
type VitalEndpoints struct {
	DNS      []*model.Pod
	DNSPorts map[string]int32 // by protocol
	API      []netip.Addr
	APIPort  int32
}

// FindVitalEndpoints looks for the cluster's DNS pods and its API server.
func FindVitalEndpoints(c *model.Cluster, x *selectors.PodIndex) VitalEndpoints {
	s := FindVitalServices(c, x)
	v := VitalEndpoints{DNSPorts: s.DNSPorts, APIPort: s.APIPort}
	for p := range x.Pods(s.DNSPods) {
		v.DNS = append(v.DNS, p)
	}
	for _, n := range s.API {
		v.API = append(v.API, n.Addr())
	}
	return v
}

// The usual ports: of DNS behind a Service or without one, of OpenShift's and
// other unprivileged DNS pods, of the API server.
const (
	DNSPort    = 53
	AltDNSPort = 5353
	apiPort    = 6443
)

// apiEndpoints are the API server's.
var apiEndpoints = model.Key{Kind: model.KindEndpointSlice, Namespace: "default", Name: "kubernetes"}

// serviceFinder looks for services in a cluster.
type serviceFinder struct {
	c *model.Cluster
	x *selectors.PodIndex
}

// FindVitalServices looks for the DNS pods and the API server of a cluster; where neither a Service nor
// a pod says so, the ports are the usual ones.
func FindVitalServices(c *model.Cluster, x *selectors.PodIndex) *VitalServices {
	f := serviceFinder{c, x}
	s := &VitalServices{DNSPorts: map[string]int32{}, APIPort: apiPort}
	for svc := range f.c.Services() {
		switch {
		case svc.Namespace == "default" && svc.Name == "kubernetes":
			for _, p := range svc.Ports {
				if n, err := strconv.ParseUint(p.TargetPort, 10, 16); err == nil && n > 0 {
					s.APIPort = int32(n)
				}
			}
		case model.IsSystemNamespace(svc.Namespace):
			f.addDNSService(s, svc)
		}
	}
	if s.DNSPods.IsEmpty() {
		f.findDNSPods(s)
	}
	// A client that gets a cut answer over UDP asks again over TCP, whatever
	// the Service lists.
	for proto, other := range map[string]string{"UDP": "TCP", "TCP": "UDP"} {
		if s.DNSPorts[proto] == 0 {
			s.DNSPorts[proto] = s.DNSPorts[other]
		}
	}
	f.findAPI(s)
	return s
}

func (f serviceFinder) addDNSService(s *VitalServices, svc *model.Service) {
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
		if p.Port != DNSPort || proto != "UDP" && proto != "TCP" {
			continue
		}
		pods := f.x.PodsMatchingIn(svc.Namespace, sel).And(f.x.EligiblePods())
		pod := f.x.FirstPod(pods)
		if pod == nil {
			continue
		}
		s.DNSPods = s.DNSPods.Or(pods)
		s.DNSPorts[proto] = targetPort(p, proto, pod)
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
func (f serviceFinder) findDNSPods(s *VitalServices) {
	for n := range f.x.NamespacesMatching(model.SelectEverything()) {
		if !model.IsSystemNamespace(n.Name) {
			continue
		}
		for _, name := range []string{"dns", "dns-tcp"} {
			pods := f.x.PodsMatchingIn(n.Name, model.SelectEverything()).And(f.x.WithPort(name))
			pod := f.x.FirstPod(pods)
			if pod == nil {
				continue
			}
			s.DNSPods = s.DNSPods.Or(pods)
			for _, c := range pod.Ports {
				if c.Name == name {
					s.DNSPorts[c.Protocol] = c.Port
				}
			}
		}
	}
}

func (f serviceFinder) findAPI(s *VitalServices) {
	if o, ok := f.c.Get(apiEndpoints).(*model.EndpointSlice); ok {
		s.addAPI(o.Addresses)
	}
	if len(s.API) > 0 {
		return
	}
	for n := range f.c.Nodes() {
		_, cp := n.Labels.Map()["node-role.kubernetes.io/control-plane"]
		_, master := n.Labels.Map()["node-role.kubernetes.io/master"]
		if cp || master {
			s.addAPI(n.InternalIPs)
			if len(n.InternalIPs) == 0 {
				s.addAPI(n.HostIPs)
			}
		}
	}
}

func (s *VitalServices) addAPI(addrs []string) {
	for _, text := range addrs {
		if a, err := netip.ParseAddr(text); err == nil {
			s.API = append(s.API, netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()))
		}
	}
}

package lint

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"

	"rung/model"
	"rung/model/selectors"
	"rung/model/verdict"
)

// VitalEndpoints are services that nearly every pod needs: the cluster's DNS and the API server. Their
// addresses and ports are those after load balancing, because ANP rules match there.
type VitalEndpoints struct {
	DNS      []*model.Pod
	DNSPorts map[string]int32 // by protocol
	API      []netip.Addr
	APIPort  int32
}

// VitalServices is VitalEndpoints with the set of the DNS pods.
type VitalServices struct {
	VitalEndpoints
	DNSPods selectors.PodSet
}

// Usual ports: DNS, unprivileged DNS pods such as OpenShift's, and the API server.
const (
	DNSPort    = 53
	AltDNSPort = 5353
	apiPort    = 6443
)

// apiEndpoints is the EndpointSlice of the API server.
var apiEndpoints = model.Key{Kind: model.KindEndpointSlice, Namespace: "default", Name: "kubernetes"}

// FindVitalServices finds the DNS pods and the API server of a cluster. Unnamed ports are the usual ones.
func FindVitalServices(c *model.Cluster, x *selectors.PodIndex) *VitalServices {
	s := &VitalServices{VitalEndpoints: VitalEndpoints{DNSPorts: map[string]int32{}, APIPort: apiPort}}
	for svc := range c.Services() {
		switch {
		case svc.Namespace == "default" && svc.Name == "kubernetes":
			for _, p := range svc.Ports {
				if n, err := strconv.ParseUint(p.TargetPort, 10, 16); err == nil && n > 0 {
					s.APIPort = int32(n)
				}
			}
		case model.IsSystemNamespace(svc.Namespace):
			s.addDNSService(x, svc)
		}
	}
	if s.DNSPods.IsEmpty() {
		s.findDNSPods(x)
	}
	// A client with a truncated UDP answer asks again over TCP, whatever the Service lists.
	for proto, other := range map[string]string{"UDP": "TCP", "TCP": "UDP"} {
		if s.DNSPorts[proto] == 0 {
			s.DNSPorts[proto] = s.DNSPorts[other]
		}
	}
	s.findAPI(c)
	s.DNS = slices.Collect(x.Pods(s.DNSPods))
	return s
}

// FindVitalEndpoints finds the cluster's DNS pods and its API server.
func FindVitalEndpoints(c *model.Cluster, x *selectors.PodIndex) VitalEndpoints {
	return FindVitalServices(c, x).VitalEndpoints
}

func (s *VitalServices) addDNSService(x *selectors.PodIndex, svc *model.Service) {
	if len(svc.Selector.Map()) == 0 {
		return
	}
	for _, p := range svc.Ports {
		proto := cmp.Or(p.Protocol, "TCP")
		if p.Port != DNSPort || proto != "UDP" && proto != "TCP" {
			continue
		}
		pods := x.PodsMatchingIn(svc.Namespace, model.SelectLabels(svc.Selector)).And(x.EligiblePods())
		pod := x.FirstPod(pods)
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

// findDNSPods takes system pods that declare a DNS port by name.
func (s *VitalServices) findDNSPods(x *selectors.PodIndex) {
	for n := range x.NamespacesMatching(model.SelectEverything()) {
		if !model.IsSystemNamespace(n.Name) {
			continue
		}
		for _, name := range []string{"dns", "dns-tcp"} {
			pods := x.PodsMatchingIn(n.Name, model.SelectEverything()).And(x.WithPort(name))
			pod := x.FirstPod(pods)
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

func (s *VitalServices) findAPI(c *model.Cluster) {
	if o, ok := c.Get(apiEndpoints).(*model.EndpointSlice); ok {
		s.API = verdict.ParseAddrs(o.Addresses)
	}
	if len(s.API) > 0 {
		return
	}
	for n := range c.Nodes() {
		_, cp := n.Labels.Map()["node-role.kubernetes.io/control-plane"]
		_, master := n.Labels.Map()["node-role.kubernetes.io/master"]
		switch {
		case !cp && !master:
		case len(n.InternalIPs) > 0:
			s.API = append(s.API, verdict.ParseAddrs(n.InternalIPs)...)
		default:
			s.API = append(s.API, verdict.ParseAddrs(n.HostIPs)...)
		}
	}
}

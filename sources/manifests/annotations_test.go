package manifests

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
)

func selects(tenant string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"tenant": tenant}}
}

// textOf is an error's text, empty for none.
func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestPodNetworks(t *testing.T) {
	own := model.PodNetwork{Name: "default", IPs: []string{"10.244.1.9"}}
	const def = `"default":{"ip_addresses":["10.244.1.9/24"]}`
	for _, c := range []struct {
		name, annotation string
		want             []model.PodNetwork
		err              string
	}{
		{"the default network", `{` + def + `}`, []model.PodNetwork{own}, ""},
		{"the default network without a mask", `{"default":{"ip_addresses":["10.244.1.9"]}}`, []model.PodNetwork{own}, ""},
		{"others by name", `{"b/udn":{"ip_addresses":["10.9.0.4/16","FD09:0::4/64"],"role":"primary"},` + def + `,"a/l2/1":{"ip_address":"10.8.0.4/16"}}`,
			[]model.PodNetwork{own, {Name: "a/l2/1", IPs: []string{"10.8.0.4"}}, {Name: "b/udn", Role: "primary", IPs: []string{"10.9.0.4", "fd09::4"}}}, ""},
		{"both forms", `{` + def + `,"b/udn":{"ip_addresses":["10.9.0.4/16"],"ip_address":"10.9.0.4/16"}}`, []model.PodNetwork{own, {Name: "b/udn", IPs: []string{"10.9.0.4"}}}, ""},
		{"forms that disagree", `{` + def + `,"b/udn":{"ip_addresses":["10.9.0.4/16"],"ip_address":"10.9.0.5/16"}}`, []model.PodNetwork{own, {Name: "b/udn"}}, "b/udn: ip_address 10.9.0.5/16 is not the first of ip_addresses, 10.9.0.4/16"},
		{"no mask", `{` + def + `,"b/udn":{"ip_addresses":["10.9.0.4"],"role":"primary"}}`, []model.PodNetwork{own, {Name: "b/udn", Role: "primary"}}, `b/udn: "10.9.0.4" is not an address with its mask`},
		{"two that are wrong", `{"b/udn":{"ip_addresses":["x"]},"a/udn":{"ip_address":"y"}}`, []model.PodNetwork{{Name: "a/udn"}, {Name: "b/udn"}}, `a/udn: "y" is not an address with its mask`},
		{"no JSON", `{`, nil, "annotation k8s.ovn.org/pod-networks: unexpected end of JSON input"},
		{"another form", `[]`, nil, "annotation k8s.ovn.org/pod-networks: json: cannot unmarshal array into Go value of type map[string]manifests.podEntry"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := PodNetworks(c.annotation)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if textOf(err) != c.err {
				t.Errorf("error %q, want %q", textOf(err), c.err)
			}
		})
	}
}

func TestAttachments(t *testing.T) {
	for _, c := range []struct {
		name, annotation string
		want             []string
		err              string
	}{
		{"empty", "", nil, ""},
		{"names", "l2net, red/l2net@eth1 ,other@net2,", []string{"blue/l2net", "red/l2net", "blue/other"}, ""},
		{"repeated", "l2net,blue/l2net,l2net@x,red/a", []string{"blue/l2net", "blue/l2net/1", "blue/l2net/2", "red/a"}, ""},
		{"JSON", `[{"name":"l2net"},{"name":"l2net","namespace":"red","interface":"eth1","ips":["10.1.1.1/24"]},{"name":"l2net","namespace":"blue"}]`, []string{"blue/l2net", "red/l2net", "blue/l2net/1"}, ""},
		{"JSON without a name", `[{"namespace":"red"}]`, nil, ""},
		{"no JSON", `[{"name":"l2net"`, nil, "is not a JSON list of networks: unexpected end of JSON input"},
		{"JSON of another form", `{"name":"l2net"}`, nil, "is not a JSON list of networks: json: cannot unmarshal object into Go value of type []manifests.selection"},
		{"three parts", "a/b/c", nil, `"a/b/c" must be name, namespace/name or namespace/name@interface`},
		{"two interfaces", "a@b@c", nil, `"a@b@c" must be name, namespace/name or namespace/name@interface`},
		{"no name", "red/", nil, `"red/" must be name, namespace/name or namespace/name@interface`},
		{"capitals", "L2net", nil, `"L2net" must be name, namespace/name or namespace/name@interface`},
		{"a hyphen at the end", "l2net-", nil, `"l2net-" must be name, namespace/name or namespace/name@interface`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Attachments(c.annotation, "blue")
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if textOf(err) != c.err {
				t.Errorf("error %q, want %q", textOf(err), c.err)
			}
		})
	}
}

func TestOpenPorts(t *testing.T) {
	for _, c := range []struct {
		name, annotation string
		want             []string
		err              string
	}{
		{"all protocols", "- protocol: tcp\n  port: 80\n- protocol: icmp\n- {protocol: udp, port: 53}\n- {protocol: sctp, port: 0}\n", []string{"tcp.dst == 80", "icmp", "udp.dst == 53", "sctp.dst == 0"}, ""},
		{"JSON", `[{"protocol":"tcp","port":80}]`, []string{"tcp.dst == 80"}, ""},
		{"empty", "", nil, ""},
		{"no port", "- protocol: tcp\n", nil, `tcp needs a port from 0 to 65535, not ""`},
		{"no such port", "- {protocol: udp, port: 65536}\n", nil, `udp needs a port from 0 to 65535, not "65536"`},
		{"a port of icmp", "- {protocol: icmp, port: 1}\n", nil, "icmp has no port, but 1 is given"},
		{"no such protocol", "- {protocol: TCP, port: 1}\n", nil, `protocol "TCP" must be tcp, udp, sctp or icmp`},
		{"no list", "protocol: tcp\n", nil, "is not a list of ports"},
		{"no YAML", "[", nil, "is not YAML: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := OpenPorts(c.annotation)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if text := textOf(err); text != c.err && (c.name != "no YAML" || len(text) <= len(c.err)) {
				t.Errorf("error %q, want %q", text, c.err)
			}
		})
	}
}

func TestNodeSubnets(t *testing.T) {
	for _, c := range []struct {
		name, annotation string
		own              []string
		others           map[string][]string
		err              string
	}{
		{"the default network", `{"default":["10.244.2.77/24","fd01:0:0:3::/64"]}`, []string{"10.244.2.0/24", "fd01:0:0:3::/64"}, nil, ""},
		{"others", `{"default":"10.244.2.0/24","team-a_blue-net":["10.20.1.7/24","10.22.1.0/24"],"cluster_udn_green":"fd30::/64"}`, []string{"10.244.2.0/24"},
			map[string][]string{"team-a_blue-net": {"10.20.1.0/24", "10.22.1.0/24"}, "cluster_udn_green": {"fd30::/64"}}, ""},
		{"one that is wrong", `{"default":"10.244.2.0/24","a":["x"],"b":["10.20.1.0/24"],"c":[1]}`, []string{"10.244.2.0/24"}, map[string][]string{"b": {"10.20.1.0/24"}}, `subnet of network a: netip.ParsePrefix("x"): no '/'`},
		{"the default network is wrong", `{"default":["10.244.2.0"],"b":["10.20.1.0/24"]}`, nil, nil, `subnet of the default network: netip.ParsePrefix("10.244.2.0"): no '/'`},
		{"no object", `[]`, nil, nil, "is not a JSON object of networks: json: cannot unmarshal array into Go value of type map[string]json.RawMessage"},
	} {
		t.Run(c.name, func(t *testing.T) {
			own, others, err := NodeSubnets(c.annotation)
			if d := cmp.Diff(c.own, own); d != "" {
				t.Errorf("own (-want +got)\n%s", d)
			}
			if d := cmp.Diff(c.others, others); d != "" {
				t.Errorf("others (-want +got)\n%s", d)
			}
			if textOf(err) != c.err {
				t.Errorf("error %q, want %q", textOf(err), c.err)
			}
		})
	}
}

package manifests

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNodeAddresses(t *testing.T) {
	mgmt := func(annotation string) ([]string, error) {
		subnets, _, err := NodeSubnets(annotation)
		return managementIPs(subnets), err
	}
	for _, test := range []struct {
		name, annotation string
		read             func(string) ([]string, error)
		want             []string
		bad              bool
	}{
		{"one subnet", `{"default":["10.244.2.0/24"]}`, mgmt, []string{"10.244.2.2"}, false},
		{"dual", `{"default":["10.244.2.0/24","fd01:0:0:3::/64"],"blue":["10.1.0.0/24"]}`, mgmt, []string{"10.244.2.2", "fd01:0:0:3::2"}, false},
		{"the old form", `{"default":"10.244.2.0/24"}`, mgmt, []string{"10.244.2.2"}, false},
		{"host bits", `{"default":["10.244.2.77/24"]}`, mgmt, []string{"10.244.2.2"}, false},
		{"no room", `{"default":["10.244.2.1/32"]}`, mgmt, nil, false},
		{"another network", `{"blue":["10.1.0.0/24"]}`, mgmt, nil, false},
		{"no JSON", `10.244.2.0/24`, mgmt, nil, true},
		{"no subnet", `{"default":["10.244.2.0"]}`, mgmt, nil, true},
		{"no text", `{"default":[1]}`, mgmt, nil, true},
		{"gateway", `{"default":{"ipv4":"100.64.0.2/16","ipv6":"fd98::2/64"}}`, gatewayIPs, []string{"100.64.0.2", "fd98::2"}, false},
		{"gateway of one family", `{"default":{"ipv4":"100.64.0.2/16"}}`, gatewayIPs, []string{"100.64.0.2"}, false},
		{"gateway of another network", `{"blue":{"ipv4":"100.65.0.2/16"}}`, gatewayIPs, nil, false},
		{"no address", `{"default":{"ipv4":"100.64.0.2"}}`, gatewayIPs, nil, true},
		{"no object", `[]`, gatewayIPs, nil, true},
	} {
		got, err := test.read(test.annotation)
		if (err != nil) != test.bad {
			t.Errorf("%s: error %v", test.name, err)
		}
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%s: (-want +got)\n%s", test.name, d)
		}
	}
}

package rows

import (
	"crypto/sha256"
	"net"
	"net/netip"

	"rung/model/ovn/nb"
)

// Pod is the port of a pod on its node's switch; id is what the transaction calls
// the row. The switch refers to it besides.
func Pod(id, zone, name, namespace, uid, address string) nb.Op {
	return Insert(nb.TablePort, id, map[string]any{
		"name": name, "addresses": []string{address}, "port_security": []string{address},
		"options":      map[string]string{"requested-chassis": zone, "iface-id-ver": uid},
		"external_ids": map[string]string{"namespace": namespace, "pod": "true"}})
}

// NamespaceIDs are the external_ids of the group that the pods of a namespace
// form (ovn-kubernetes.md#owner-types).
func NamespaceIDs(namespace string) map[string]string {
	return nb.IDs(nb.DefaultController, nb.OwnerNamespace, nb.Pair{Key: nb.KeyName, Value: namespace})
}

// MAC is the hardware address that OVN-Kubernetes derives from an address; where
// there is none, other text serves.
func MAC(ip, otherwise string) string {
	if a, err := netip.ParseAddr(ip); err == nil {
		return nb.MAC(a)
	}
	h := sha256.Sum256([]byte(otherwise))
	return net.HardwareAddr{0x0a, 0x58, h[0], h[1], h[2], h[3]}.String()
}

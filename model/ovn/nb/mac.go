package nb

import (
	"crypto/sha256"
	"fmt"
	"net/netip"
)

// MAC is the hardware address that OVN-Kubernetes gives to the owner of an address:
// 0a:58 and the four bytes of an IPv4 address, or the first of the SHA-256 of an IPv6
// address as it is written (ovn-kubernetes.md#hardware-addresses). It is empty for none.
func MAC(a netip.Addr) string {
	if !a.IsValid() {
		return ""
	}
	a = a.Unmap()
	var b [4]byte
	if a.Is4() {
		b = a.As4()
	} else {
		h := sha256.Sum256([]byte(a.String()))
		copy(b[:], h[:])
	}
	return fmt.Sprintf("0a:58:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3])
}

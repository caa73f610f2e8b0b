package verdict

import (
	"net/netip"

	"rung/model"
)

// Ends are the ends of one side of connections.
type Ends struct {
	Pods       int
	Some       []model.Key // the first three pods
	Namespaces []string    // of the pods, in order
	// Outside are networks and single addresses, as far as they are no pod's and no Service's,
	// without those of Except: of several that hold an address the narrowest says which it is.
	Outside, Except []netip.Prefix
}

// Has says whether an address outside is one of the ends.
func (e *Ends) Has(a netip.Addr) bool {
	narrowest := func(list []netip.Prefix) (bits int) {
		bits = -1
		for _, n := range list {
			if n.Contains(a) {
				bits = max(bits, n.Bits())
			}
		}
		return bits
	}
	return narrowest(e.Outside) > narrowest(e.Except)
}

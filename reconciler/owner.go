package reconciler

import (
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/nb"
)

// form says how a live row relates to what Rung compiles.
type form uint8

const (
	// foreign rows belong to somebody else, or to nobody we can name.
	foreign form = iota
	// ours are rows of an ANP or BANP with an id as compile-spec §0.1 says.
	ours
	// odd rows carry an owner type of ours with an id in a form of another
	// release.
	odd
)

// owner is what the external_ids of a row say.
type owner struct {
	policy model.PolicyKey
	form   form
	index  int // gress index of an ACL or address set
}

var (
	families  = []string{"v4", "v6"}
	protocols = []string{"None", "tcp", "udp", "sctp", "tcp-namedPort", "udp-namedPort", "sctp-namedPort"}
)

// ownerOf reads whose a row is from its id alone: the other keys may have been
// altered, and then they differ from the desired ones. Policy names have no
// colon, so the id of these owner types can be split.
func ownerOf(table string, ids map[string]string) owner {
	t := ids[nb.KeyOwnerType]
	if (t != nb.OwnerANP && t != nb.OwnerBANP) || ids[nb.KeyOwnerController] != nb.DefaultController {
		return owner{}
	}
	o := owner{policy: model.PolicyKey{Kind: model.Kind(t), Name: ids[nb.KeyName]}, form: odd}
	rest, ok := strings.CutPrefix(ids[nb.KeyID], nb.DefaultController+":"+t+":")
	if ok {
		parts := strings.Split(rest, ":")
		switch table {
		case nb.TablePortGroup:
			ok = len(parts) == 1
		case nb.TableAddressSet:
			ok = len(parts) == 4 && slices.Contains(families, parts[3])
		default:
			ok = len(parts) == 4 && slices.Contains(protocols, parts[3])
		}
		if ok && len(parts) == 4 {
			n, err := strconv.Atoi(parts[2])
			ok = err == nil && n >= 0 && strconv.Itoa(n) == parts[2] &&
				(parts[1] == string(model.Ingress) || parts[1] == string(model.Egress))
			if ok {
				o.index = n
			}
		}
		if ok = ok && parts[0] != ""; ok {
			o.policy.Name, o.form = parts[0], ours
		}
	}
	if o.policy.Name == "" {
		return owner{} // nobody to show it under
	}
	return o
}

// ownerOfRow is ownerOf for a row of any table; rows of tables without owners
// are foreign.
func ownerOfRow(r nb.Row) owner {
	switch r := r.(type) {
	case *nb.ACL:
		return ownerOf(nb.TableACL, r.ExternalIDs)
	case *nb.AddressSet:
		return ownerOf(nb.TableAddressSet, r.ExternalIDs)
	case *nb.PortGroup:
		return ownerOf(nb.TablePortGroup, r.ExternalIDs)
	}
	return owner{}
}

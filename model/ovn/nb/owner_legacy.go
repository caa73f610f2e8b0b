package nb

import (
	"slices"
	"strconv"
	"strings"
)

// keyRuleIdx held the index of an EgressFirewall rule when the id ended in its
// priority (ovn-kubernetes.md#older-forms).
const keyRuleIdx = "rule-idx"

// keyOldName named a port group before groups had owners.
const keyOldName = "name"

// byLegacyID takes an id apart that the enhancement of 2023 or an older release
// wrote. The forms are those of ovn-kubernetes.md#older-forms: nothing is guessed
// beyond them.
func (o *Owner) byLegacyID(table, rest string) (ok bool) {
	p := strings.Split(rest, ":")
	n := *o
	n.Index = -1
	if o.Controller == controllerOf2023 {
		// <policy>:ANPEgress:<OVN priority>[:<family>]
		want := map[string]int{TableACL: 3, TableAddressSet: 4}[table]
		if (o.Type != OwnerANP && o.Type != OwnerBANP) || len(p) != want || !isNumber(p[2]) {
			return false
		}
		kind := strings.TrimSuffix(strings.TrimSuffix(p[1], "Ingress"), "Egress")
		ok = (kind == "ANP" || kind == "BANP" && o.Type == OwnerBANP) && n.direction(p[1][len(kind):])
		n.Name, n.Detail = p[0], p[2]
		if want == 4 {
			n.Family, ok = p[3], ok && slices.Contains(idFamilies, p[3])
		}
	} else if o.Controller == DefaultController && table == TableACL {
		ok = n.olderRelease(p)
	}
	if ok = ok && n.Name != ""; ok {
		n.Form = FormLegacy
		*o = n
	}
	return ok
}

// olderRelease takes ids of the default network's controller apart that now
// look otherwise.
func (o *Owner) olderRelease(p []string) bool {
	switch o.Type {
	case OwnerEgressFirewall: // <namespace>:<priority>
		if len(p) != 2 || p[0] == "" || !isNumber(p[1]) {
			return false
		}
		prio, err := strconv.Atoi(p[1])
		o.Namespace, o.Name, o.Index, o.Detail = p[0], "default", 10000-prio, p[1]
		return err == nil && prio >= 2000 && prio <= 10000
	case OwnerMulticastNS: // <namespace>:Allow_Ingress
		if len(p) != 2 || p[0] == "" {
			return false
		}
		dir, ok := strings.CutPrefix(p[1], "Allow_")
		o.Namespace, o.Name = p[0], "default"
		return ok && o.direction(dir)
	case OwnerNetworkPolicy: // <namespace>:<policy>:egress:<rule>:<port entry>:<ip block>
		if len(p) != 6 || p[0] == "" || !isIndex(p[4]) || !isIndex(p[5]) {
			return false
		}
		dir := map[string]string{"ingress": "Ingress", "egress": "Egress"}[p[2]]
		o.Namespace, o.Name, o.Detail, o.Block = p[0], p[1], p[4], p[5]
		return o.gress(dir, p[3])
	}
	return false
}

// isIndex is a number, or -1 for none.
func isIndex(s string) bool { return s == "-1" || isNumber(s) }

func isNumber(s string) bool { return new(Owner).index(s) }

// legacyGroup knows a port group of the enhancement of 2023: its one id is
// "name", the policy and its priority.
func legacyGroup(table string, ids map[string]string, o *Owner) bool {
	i := strings.LastIndexByte(ids[keyOldName], '_')
	if table != TablePortGroup || i <= 0 || len(ids) != 1 {
		return false
	}
	name, prio := ids[keyOldName][:i], ids[keyOldName][i+1:]
	n, err := strconv.Atoi(prio)
	// The ranges of the two kinds (ovn-kubernetes.md#older-forms).
	if err != nil || !isNumber(prio) || !(n >= 20000 && n <= 30000 || n >= 1650 && n <= 1750) {
		return false
	}
	o.Name, o.Detail = name, prio
	return true
}

package revision

import (
	"cmp"
	"slices"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
)

// PriorityTie compares an ACL with others of the same stage, tier and priority.
type PriorityTie uint8

const (
	// NoTie means that only the row, or its rule, has the priority.
	NoTie PriorityTie = iota
	// TieSame means that others share the priority and have the same verdict.
	TieSame
	// TieUndefined means that others share the priority and have another verdict: if both match, either may
	// decide (ovn-kubernetes.md#stages).
	TieUndefined
)

// String returns the tie as on the command line.
func (t PriorityTie) String() string {
	switch t {
	case TieSame:
		return "same verdict"
	case TieUndefined:
		return "undefined if both match"
	}
	return ""
}

func tiesIn(sorted []*nb.ACL) []PriorityTie {
	out := make([]PriorityTie, len(sorted))
	for from := 0; from < len(sorted); {
		to := from + 1
		for to < len(sorted) && samePlace(sorted[from], sorted[to]) {
			to++
		}
		setTies(sorted[from:to], out[from:to])
		from = to
	}
	return out
}

func samePlace(a, b *nb.ACL) bool {
	return a.Tier == b.Tier && a.Priority == b.Priority && a.Stage() == b.Stage()
}

// setTies sets the ties of rows at one place. They may be all rules of all NetworkPolicies, so rows are
// counted, not compared with each other.
func setTies(rows []*nb.ACL, out []PriorityTie) {
	if len(rows) == 1 {
		return
	}
	owners := make([]nb.Owner, len(rows))
	all := map[string]int{} // rows by verdict
	byType, byNamespace := map[[2]string]int{}, map[[3]string]int{}
	byRule := map[nb.Owner]int{}
	for i, a := range rows {
		o, v := ruleOfACL(a), actionVerdict(a.Action)
		owners[i] = o
		all[v]++
		if isRule(o) {
			byRule[o]++
		}
		if isInNamespace(o) {
			byType[[2]string{o.Type, v}]++
			byNamespace[[3]string{o.Type, o.Namespace, v}]++
		}
	}
	for i, a := range rows {
		o, own := owners[i], actionVerdict(a.Action)
		for v, n := range all {
			if isInNamespace(o) {
				n += byNamespace[[3]string{o.Type, o.Namespace, v}] - byType[[2]string{o.Type, v}]
			}
			if v == own {
				n -= max(1, byRule[o])
			}
			switch {
			case n > 0 && v != own:
				out[i] = TieUndefined
			case n > 0 && out[i] == NoTie:
				out[i] = TieSame
			}
		}
	}
}

// isRule reports whether an owner is a rule. Its rows have one priority and action: no tie.
func isRule(o nb.Owner) bool { return o.Form == nb.FormKnown && o.Index >= 0 }

// isInNamespace reports whether a row affects only the pods of one namespace. Rows of one owner type in
// different namespaces never match the same connection at the same place (ovn-kubernetes.md#isolation-groups,
// #firewall-rows, #multicast).
func isInNamespace(o nb.Owner) bool { return o.Form == nb.FormKnown && o.Namespace != "" }

// FindTies returns the other rows with an ACL's stage, tier and priority that may match the same packets, and
// the tie. Rows with another verdict come first.
func FindTies(db *nb.DB, a *nb.ACL) (others []*nb.ACL, tie PriorityTie) {
	own := ruleOfACL(a)
	unlike := func(x *nb.ACL) bool { return actionVerdict(x.Action) != actionVerdict(a.Action) }
	for x := range db.ACLs() {
		if x.UUID == a.UUID || !samePlace(a, x) {
			continue
		}
		o := ruleOfACL(x)
		if isInNamespace(o) && isInNamespace(own) && o.Type == own.Type && o.Namespace != own.Namespace || isRule(own) && o == own && !unlike(x) {
			continue
		}
		others = append(others, x)
		tie = max(tie, TieSame)
		if unlike(x) {
			tie = TieUndefined
		}
	}
	slices.SortFunc(others, func(x, y *nb.ACL) int {
		return cmp.Or(model.FalseFirst(unlike(y), unlike(x)), CompareACLs(x, y))
	})
	return others, tie
}

// ruleOfACL returns the owner of an ACL, equal for all rows of one rule.
func ruleOfACL(a *nb.ACL) nb.Owner {
	o := nb.ParseOwner(nb.TableACL, a.ExternalIDs)
	o.Protocol, o.Block = "", ""
	return o
}

// actionVerdict returns the effect of an action on a connection: all forms of allow are allow, and reject is drop.
func actionVerdict(action string) string {
	switch action {
	case nb.ActionAllow, nb.ActionAllowRelated, nb.ActionAllowStateless:
		return nb.ActionAllow
	case nb.ActionReject:
		return nb.ActionDrop
	}
	return action
}

// AfterAllow is the remark on rows of AfterEgressAllow.
const AfterAllow = "decides even after an ANP egress Allow"

// AfterEgressAllow reports whether a row in the to-lport stage decides about packets that a pod sends: it
// decides even after an egress Allow. Such rows belong to an EgressFirewall or to multicast
// (ovn-kubernetes.md#firewall-rows,
// #multicast).
func AfterEgressAllow(a *nb.ACL, o nb.Owner) bool {
	if a.Stage() != nb.ToLport || o.Form == nb.FormNone || o.Form == nb.FormUnknown {
		return false
	}
	return o.Type == nb.OwnerEgressFirewall || o.Type == nb.OwnerMulticastNS || o.Type == nb.OwnerMulticastCluster
}

// MatchProblem returns why a match cannot be parsed, empty if it can.
func MatchProblem(text string) string {
	if text == "" {
		return "the match is empty"
	}
	if _, err := match.Parse(text); err != nil {
		return err.Error()
	}
	return ""
}

// FindACLHolder returns OVN-Kubernetes' own row that holds the ACLs of a policy or unit, such as a namespace's port
// group for an EgressFirewall (ovn-kubernetes.md#firewall-rows). It is empty for an own group.
func FindACLHolder(k model.PolicyKey) (table, name string) {
	h := compiler.HolderForUnit(k)
	return h.Table, h.Name
}

// ACLHolders maps the ACLs of a database to the port groups and switches that hold them. A row that none holds
// decides nothing.
type ACLHolders struct {
	lists        []holderList
	holdersByACL map[string][]nb.Row
}

type holderList struct {
	row  nb.Row
	acls []string
}

// NewACLHolders returns the holders in a database. old is an earlier result or nil. It is returned again if no
// group or switch has another list of ACLs, since ports change much more often.
func NewACLHolders(db *nb.DB, old *ACLHolders) *ACLHolders {
	h := &ACLHolders{}
	for g := range db.PortGroups() {
		h.lists = append(h.lists, holderList{g, g.ACLs})
	}
	for s := range db.Switches() {
		h.lists = append(h.lists, holderList{s, s.ACLs})
	}
	if old != nil && slices.EqualFunc(h.lists, old.lists, func(a, b holderList) bool {
		return a.row == b.row || a.row.RowUUID() == b.row.RowUUID() && nb.TableName(a.row) == nb.TableName(b.row) &&
			holderName(a.row) == holderName(b.row) && slices.Equal(a.acls, b.acls)
	}) {
		return old
	}
	h.holdersByACL = map[string][]nb.Row{}
	for _, l := range h.lists {
		for _, uuid := range l.acls {
			h.holdersByACL[uuid] = append(h.holdersByACL[uuid], l.row)
		}
	}
	return h
}

// HoldersOfACL returns the port groups and switches that hold an ACL, groups first.
func (h *ACLHolders) HoldersOfACL(a *nb.ACL) []nb.Row { return h.holdersByACL[a.UUID] }

// HolderNames returns the names of the rows of HoldersOfACL, for people.
func (h *ACLHolders) HolderNames(a *nb.ACL) []string {
	return model.MapList(h.HoldersOfACL(a), holderName)
}

// holderName returns the owner of a port group, else its name; for a switch its name.
func holderName(r nb.Row) string {
	switch r := r.(type) {
	case *nb.PortGroup:
		if o := nb.ParseOwner(nb.TablePortGroup, r.ExternalIDs); o.Form != nb.FormNone {
			return o.Label()
		}
		return "group " + r.Name
	case *nb.LogicalSwitch:
		return "switch " + r.Name
	}
	return ""
}

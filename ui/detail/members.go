package detail

import (
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
	"rung/ui/nav"
	"rung/ui/widget"
)

// addPortGroup explains a port group and lists its first ports.
func (x *MatchExplainer) addPortGroup(id, term, name string) {
	st := x.sheet.St
	own := x.Policy.Name != "" && name == revision.GroupName(x.Rev, x.Policy)
	what := "port group"
	switch table, _ := revision.FindACLHolder(x.Policy); {
	case own && table != "" && x.Policy.Namespace != "":
		what = "port group of namespace " + x.Policy.Namespace
	case own && table == "":
		what = "port group of the subject"
	}
	db := x.zoneDB()
	live := db.PortGroupByName(name)
	if live == nil {
		if db != nil {
			var desired nb.Row
			if d := x.Rev.DesiredGroup(x.Policy, x.Zone.Name); own && d != nil {
				desired = d
			}
			x.addStyled(id+"@"+name, widget.StyledLine("  "+term, x.linkStyle(RowPage(x.Zone, nil, desired))),
				widget.StyledLine(words.Differs+" "+what+" is missing here: nothing matches", st.Error), RowPage(x.Zone, nil, desired))
			return
		}
		x.desiredGroup(id, term, name, what, own)
		return
	}
	if !own {
		what = "port group of " + revision.OwnerName(live.ExternalIDs)
	}
	to := RowPage(x.Zone, live, nil)
	meaning := widget.PlainLine(what + ": " + words.Count(len(live.Ports), "logical port") + " here")
	diff := x.Zone.PolicyJoin(x.unitOfRow(live)).DiffOfRow(nb.TablePortGroup, live.ID()).DiffOfColumn("ports")
	if diff != nil {
		meaning = meaning.Add(fmt.Sprintf("  "+words.Differs+" %s missing, %s extra", words.Thousands(len(diff.Missing)),
			words.Thousands(len(diff.Extra))), st.Error)
	}
	x.addStyled(id+"@"+name, widget.StyledLine("  "+term, x.linkStyle(to)), meaning, to)
	x.addDiffering(id+"@"+name, diff, func(n string) (string, nav.Page) { return PortPod(x.Rev, n) })
	names := PortNames(db, live.Ports[:min(len(live.Ports), sortable)])
	n := len(live.Ports)
	if diff != nil && len(diff.Extra) > 0 {
		names = slices.DeleteFunc(names, func(p string) bool { return slices.Contains(diff.Extra, p) })
		n -= len(diff.Extra)
	}
	x.addNames(id+"@"+name, names, n, to, func(n string) (string, nav.Page) { return PortPod(x.Rev, n) })
}

// sortable is the greatest number of members to sort before showing the first; longer lists stay unsorted.
const sortable = 2000

// PortNames returns the names of live logical ports, in natural order; a missing port keeps its UUID.
func PortNames(db *nb.DB, uuids []string) []string {
	names := make([]string, len(uuids))
	for i, uuid := range uuids {
		names[i] = uuid
		if p := db.Port(uuid); p != nil {
			names[i] = p.Name
		}
	}
	slices.SortFunc(names, words.CompareNatural)
	return names
}

// NaturalOrder returns a copy of a list in natural order.
func NaturalOrder(in []string) []string {
	out := slices.Clone(in)
	slices.SortFunc(out, words.CompareNatural)
	return out
}

func (x *MatchExplainer) desiredGroup(id, term, name, what string, own bool) {
	zone := ""
	if x.Zone != nil {
		zone = x.Zone.Name
	}
	d := x.Rev.DesiredGroup(x.Policy, zone)
	if !own || d == nil {
		x.addRow(id+"@"+name, term, what+", not read", nav.Page{})
		return
	}
	to := RowPage(x.Zone, nil, d)
	x.addRow(id+"@"+name, term, what+": "+words.Count(len(d.Ports), "logical port")+" desired", to)
	x.addNames(id+"@"+name, d.Ports, len(d.Ports), to, func(n string) (string, nav.Page) { return PortPod(x.Rev, n) })
}

// addAddressSet explains an address set and lists its first members.
func (x *MatchExplainer) addAddressSet(id, term, name string) {
	st := x.sheet.St
	id += "$" + name
	db := x.zoneDB()
	live := db.AddressSetByName(name)
	var desired *nb.AddressSet
	if live == nil && x.Policy.Name != "" {
		desired = x.Rev.DesiredSet(x.Policy, name)
	}
	to := RowPage(x.Zone, live, desired)
	show, what := live, "address set"
	switch {
	case live == nil && db != nil:
		x.addStyled(id, widget.StyledLine("  "+term, x.linkStyle(to)),
			widget.StyledLine(words.Differs+" address set is missing here: nothing matches", st.Error), to)
		return
	case live == nil && desired == nil:
		x.addRow(id, term, "address set, not read", nav.Page{})
		return
	case live == nil:
		show, what = desired, "desired address set"
	}
	if k := x.unitOfRow(show); x.Policy.Name != "" && k != x.Policy {
		what += " shared with others"
	}
	if x.Policy.Name == "" {
		what += " of " + revision.OwnerName(show.ExternalIDs)
	} else if f := show.ExternalIDs[nb.KeyIPFamily]; f != "" && f != "v4" {
		what += " " + f
	}
	meaning := widget.PlainLine(what + ", " + words.Count(len(show.Addresses), "member"))
	meaning = meaning.AddIf(len(show.Addresses) == 0, ": empty now", st.Warn)
	var diff *model.FieldDiff
	if live != nil && x.Policy.Name != "" {
		diff = x.Zone.PolicyJoin(x.unitOfRow(live)).DiffOfRow(nb.TableAddressSet, live.ID()).DiffOfColumn("addresses")
		meaning = widget.JoinLines(meaning, x.equalInZones(live))
	}
	x.addStyled(id, widget.StyledLine("  "+term, x.linkStyle(to)), meaning, to)
	behind := func(a string) (string, nav.Page) { return AddressOwners(x.Rev, a) }
	x.addDiffering(id, diff, behind)
	members := show.Addresses
	if len(members) <= sortable {
		members = NaturalOrder(members)
	}
	if diff != nil && len(diff.Extra) > 0 {
		members = slices.DeleteFunc(slices.Clone(members), func(a string) bool { return slices.Contains(diff.Extra, a) })
	}
	x.addNames(id, members, len(members), to, behind)
}

// unitOfRow returns the unit a row is judged with: the policy, or the unit that shares the row with others
// (ovn-kubernetes.md#pod-selector-sets).
func (x *MatchExplainer) unitOfRow(r nb.Row) model.PolicyKey {
	if k, ok := revision.UnitOfOwner(nb.OwnerOfRow(r)); ok && x.Policy.Name != "" && slices.Contains(x.Rev.RelatedUnits(x.Policy), k) {
		return k
	}
	return x.Policy
}

// equalInZones describes whether a set is as desired in every zone read.
func (x *MatchExplainer) equalInZones(set *nb.AddressSet) widget.Line {
	unit, id := x.unitOfRow(set), set.ID()
	st := x.sheet.St
	var differ []string
	read := 0
	for _, z := range x.Rev.Zones {
		p := z.PolicyJoin(unit)
		if z.DB == nil && z.Conn != model.ConnSwept || p == nil {
			continue
		}
		read++
		if p.DiffOfRow(nb.TableAddressSet, id) != nil {
			differ = append(differ, z.Name)
		}
	}
	switch {
	case len(differ) > 0:
		return widget.StyledLine(", "+words.Differs+" differs in "+words.List(differ, 3), st.Error)
	case read == len(x.Rev.Zones):
		return widget.PlainLine(", equal in every zone")
	}
	return widget.PlainLine(fmt.Sprintf(", equal in %s of %s zones, the others were not read", words.Thousands(read),
		words.Thousands(len(x.Rev.Zones))))
}

// addDiffering lists missing and extra members, before the others.
func (x *MatchExplainer) addDiffering(id string, d *model.FieldDiff, behind func(string) (string, nav.Page)) {
	if d == nil {
		return
	}
	st := x.sheet.St
	for _, part := range []struct {
		names []string
		word  string
	}{{d.Missing, "missing here: "}, {d.Extra, "not desired: "}} {
		for i, n := range part.names {
			if i == x.First && len(part.names) > x.First+1 {
				x.sheet.Add(id+part.word+"more", widget.StyledLine(fmt.Sprintf("     "+words.Differs+" %s more %s", words.Thousands(len(part.names)-i),
					strings.TrimSuffix(part.word, ": ")), st.Error), nav.Page{})
				break
			}
			text, to := behind(n)
			x.addMember(id+part.word+n, words.Differs, n, widget.StyledLine(part.word, st.Error).Add(text, st.Text), to)
		}
	}
}

// addNames shows the first members; all is the page with the rest.
func (x *MatchExplainer) addNames(id string, names []string, n int, all nav.Page, behind func(string) (string, nav.Page)) {
	shown := min(len(names), x.First)
	if n == x.First+1 && len(names) == n {
		shown = n // one more line instead of "1 more"
	}
	for i, name := range names[:shown] {
		text, to := behind(name)
		x.addMember(id+"."+name, branchSign(i, n), name, widget.PlainLine(text), to)
	}
	if n > shown {
		x.sheet.Add(id+".more", widget.StyledLine(fmt.Sprintf("     └ %s more", words.Thousands(n-shown)), x.sheet.St.Accent), all)
	}
}

func branchSign(i, n int) string { return words.Choose(i == n-1, "└", "├") }

func (x *MatchExplainer) addMember(id, mark, name string, text widget.Line, to nav.Page) {
	st := x.sheet.St
	look := words.Choose(mark == words.Differs, st.Error, st.Dim)
	x.addStyled(id, widget.Line{{Text: "     " + mark + " ", Style: look}, {Text: name, Style: x.linkStyle(to)}}, text, to)
}

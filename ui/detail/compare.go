package detail

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"rung/engine/revision"
	"rung/model"
	"rung/model/nb"
	"rung/model/words"
	"rung/themes"
	"rung/ui/nav"
	"rung/ui/widget"
)

// Field is one column of a row, desired beside live, for people.
type Field struct {
	Name          string
	Desired, Live string
	Differs       bool
}

// none stands for a column without a value.
const none = "–"

// CompareACL lists the columns of an ACL in the order in which an admin asks for
// them. Either row may be nil. Columns that OVN-Kubernetes does not write are
// left out unless they are set.
func CompareACL(desired, live *nb.ACL) []Field {
	var out []Field
	add := func(name string, value func(*nb.ACL) string, always bool) {
		f := Field{Name: name}
		if desired != nil {
			f.Desired = value(desired)
		}
		if live != nil {
			f.Live = value(live)
		}
		f.Differs = desired != nil && live != nil && f.Desired != f.Live
		if always || f.Desired != none && f.Desired != "" || f.Live != none && f.Live != "" {
			out = append(out, f)
		}
	}
	add("action", func(a *nb.ACL) string { return orNone(a.Action) }, true)
	add("direction", func(a *nb.ACL) string { return orNone(a.Direction) }, true)
	add("options", func(a *nb.ACL) string { return options(a.Options) }, true)
	add("priority", func(a *nb.ACL) string { return strconv.Itoa(a.Priority) }, true)
	add("tier", func(a *nb.ACL) string { return strconv.Itoa(a.Tier) }, true)
	add("log", func(a *nb.ACL) string { return strconv.FormatBool(a.Log) }, true)
	add("severity", func(a *nb.ACL) string { return orNone(a.Severity) }, true)
	add("meter", func(a *nb.ACL) string { return orNone(a.Meter) }, true)
	add("name", func(a *nb.ACL) string { return orNone(a.Name) }, true)
	add("match", func(a *nb.ACL) string { return orNone(a.Match) }, true)
	add("external_ids", func(a *nb.ACL) string { return mapText(a.ExternalIDs) }, true)
	return out
}

func orNone(s string) string {
	if s == "" {
		return none
	}
	return s
}

// options is the option of ovn-kubernetes.md#direction-and-action by its name; others
// in full.
func options(m map[string]string) string {
	switch {
	case len(m) == 0:
		return none
	case len(m) == 1 && m[nb.OptAfterLB] == "true":
		return nb.OptAfterLB
	}
	return mapText(m)
}

func mapText(m map[string]string) string {
	if len(m) == 0 {
		return none
	}
	parts := make([]string, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, k+"="+m[k])
	}
	return strings.Join(parts, " ")
}

// ColumnsDiffer is "1 column differs", "2 columns differ".
func ColumnsDiffer(n int) string {
	return words.Total(n, "column") + words.Form(n, " differs", " differ")
}

// MapDiffers lists the keys in which two maps differ, sorted, without the prefix
// that all of OVN-Kubernetes' keys share.
func MapDiffers(a, b map[string]string) []string {
	var keys []string
	for k, v := range a {
		if w, ok := b[k]; !ok || w != v {
			keys = append(keys, k)
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for i := range keys {
		keys[i] = strings.TrimPrefix(keys[i], "k8s.ovn.org/")
	}
	return keys
}

// DiffOf is the difference of one row of a policy in a zone, nil when it is as
// desired. Members that only wait for something are not meant.
func DiffOf(p *model.PolicyInZone, table, id string) *model.RowDiff {
	if p == nil {
		return nil
	}
	for i := range p.Diffs {
		if d := &p.Diffs[i]; d.Table == table && d.ID == id && d.Waiting == "" {
			return d
		}
	}
	return nil
}

// FieldOf is the difference of one column, nil when it is equal.
func FieldOf(d *model.RowDiff, column string) *model.FieldDiff {
	if d == nil {
		return nil
	}
	for i := range d.Fields {
		if d.Fields[i].Column == column {
			return &d.Fields[i]
		}
	}
	return nil
}

// GroupName is the name of the port group that a policy's ACLs hang on: its own,
// or the one of its namespace (ovn-kubernetes.md#firewall-rows). It is empty for what
// hangs on no port group.
func GroupName(k model.PolicyKey) string {
	pairs := []nb.Pair{{Key: nb.KeyName, Value: k.Name}}
	switch table, name := revision.HolderOf(k); {
	case table == nb.TablePortGroup:
		return name
	case table != "" || k.Kind == model.KindPodSelector || k.Kind == model.KindEFDNS:
		return ""
	case k.Kind == model.KindNP:
		pairs[0].Value = k.Namespace + ":" + k.Name
	case k.Kind == model.KindNetpolNamespace:
		pairs[0].Value = k.Namespace
		pairs = append(pairs, nb.Pair{Key: nb.KeyDirection, Value: k.Name})
	}
	return nb.HashedName(nb.IDs(nb.DefaultController, string(k.Kind), pairs...)[nb.KeyID])
}

// LiveACLs are the ACLs in a policy's live port group, by id; of a group that is
// not its own, those that are the policy's.
func LiveACLs(db *nb.DB, k model.PolicyKey) []*nb.ACL {
	g := db.PortGroupByName(GroupName(k))
	if g == nil {
		return nil
	}
	table, _ := revision.HolderOf(k)
	out := make([]*nb.ACL, 0, len(g.ACLs))
	for _, uuid := range g.ACLs {
		a := db.ACL(uuid)
		if a == nil {
			continue
		}
		if unit, ok := revision.UnitOf(nb.OwnerOfRow(a)); table == "" || ok && unit == k {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b *nb.ACL) int { return strings.Compare(a.ID()+a.UUID, b.ID()+b.UUID) })
	return out
}

// RowPage is the page of a live row, or of the desired one where there is no
// live one, or no place.
func RowPage(z *model.ZoneState, live, desired nb.Row) nav.Page {
	zone := ""
	if z != nil {
		zone = z.Name
	}
	switch {
	case !isNil(live):
		return nav.ToRow(zone, nb.TableOf(live), live.RowUUID())
	case !isNil(desired):
		return nav.Page{Kind: nav.Row, Zone: zone, Table: nb.TableOf(desired), ID: desired.IDs()[nb.KeyID]}
	}
	return nav.Page{}
}

// isNil also sees a nil pointer in an interface.
func isNil(r nb.Row) bool {
	switch r := r.(type) {
	case nil:
		return true
	case *nb.ACL:
		return r == nil
	case *nb.AddressSet:
		return r == nil
	case *nb.PortGroup:
		return r == nil
	case *nb.LogicalSwitch:
		return r == nil
	case *nb.LogicalSwitchPort:
		return r == nil
	}
	return false
}

// ShortID leaves out of an id what every row of the default network shares, and
// the owner type and name where the page says them already.
func ShortID(id string, k model.PolicyKey) string {
	s := strings.TrimPrefix(id, nb.DefaultController+":")
	about := string(k.Kind) + ":"
	if k.Namespace != "" {
		about += k.Namespace + ":"
	}
	if k.Kind != model.KindEF && k.Kind != model.KindMulticastNS { // one for each namespace
		about += k.Name + ":"
	}
	rest, own := strings.CutPrefix(s, about)
	if own && k.Kind == model.KindEF {
		return "rule " + rest // a number alone would be taken for a priority
	}
	return rest
}

// Pipeline brings ACLs into the order in which they decide.
func Pipeline(acls []*nb.ACL) []*nb.ACL {
	changes := make([]nb.RowChange, len(acls))
	for i, a := range acls {
		changes[i] = nb.RowChange{New: a}
	}
	return revision.PipelineOrder((*nb.DB)(nil).Apply(changes))
}

// ACLLine is an ACL in one line: what decides when, and whose it is. Of rows of
// the policy k only the rest of the id is said.
func ACLLine(a *nb.ACL, k model.PolicyKey, st *themes.Styles) widget.Line {
	action := st.Deny
	switch a.Action {
	case nb.ActionAllow, nb.ActionAllowRelated, nb.ActionAllowStateless:
		action = st.Allow
	case nb.ActionPass:
		action = st.Pass
	}
	owner := revision.OwnerName(a.ExternalIDs)
	if p, _, _, ok := revision.RuleOf(a.ExternalIDs); ok && p == k {
		owner = ShortID(a.ID(), k)
	}
	l := widget.Line{{Text: "  " + pad(a.Stage(), 20)}, {Text: pad(strconv.Itoa(a.Tier)+" · "+strconv.Itoa(a.Priority), 12)}}
	return l.Add(pad(a.Action, 15), action).Add(owner, st.Accent)
}

func pad(s string, w int) string {
	if len(s) < w {
		return s + blank(w-len(s))
	}
	return s + " "
}

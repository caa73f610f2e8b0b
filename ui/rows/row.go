package rows

import (
	"cmp"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// RowView shows one row: a live one by its UUID, or a desired one by its id.
type RowView struct {
	detail.PanePage
	page nav.Page

	state         *model.ZoneState
	live, desired nb.Row
	diff          *model.RowDiff
	// id and name as last seen, to find the successor of a replaced row.
	id, name string
	owner    nb.Owner
	policy   model.PolicyKey // policy it is compiled for, or zero for other rows
	// knowsNetwork: the row's network is known
	knowsNetwork bool
	link         nav.Page // rule or policy it belongs to

	// replaced: the opened row is gone and this one replaced it
	replaced bool

	refs rowReferrers
}

// NewRow makes the view of a row.
func NewRow(page nav.Page) view.View {
	v := &RowView{PanePage: detail.NewPage(), page: page, id: page.ID}
	v.Pane.Empty = "nothing to show"
	return v
}

// Sync makes the lines from the revision.
func (v *RowView) Sync(env *view.Env) {
	v.state = env.Rev.Zone(v.page.Zone)
	env.Console.LookAt(v.page.Zone)
	if v.page.Table == nb.TableACL {
		env.Console.LookAtFlows(v.page.Zone)
	}
	v.findRow(env)
	s := &detail.Sheet{St: env.Styles, W: env.W}
	if v.live == nil && v.desired == nil {
		v.addGone(env, s)
	} else {
		v.addLines(env, s)
	}
	v.Pane.SetItems(s.Lines)
}

// findRow finds the row, and the desired row it should equal.
func (v *RowView) findRow(env *view.Env) {
	v.live, v.desired, v.diff, v.policy, v.link, v.replaced = nil, nil, nil, model.PolicyKey{}, nav.Page{}, false
	var db *nb.DB
	if v.state != nil {
		db = v.state.DB
	}
	switch {
	case v.page.UUID != "":
		v.live = db.Row(v.page.Table, v.page.UUID)
		if v.live == nil {
			v.live = successorRow(db, v.page.Table, v.id, v.name)
			v.replaced = v.live != nil
		}
	case v.page.Table == nb.TableACL:
		if a := db.ACLByID(v.page.ID); a != nil {
			v.live = a
		}
	default:
		v.live = rowByName(db, v.page.Table, nb.HashedName(v.page.ID))
	}
	if v.live != nil {
		v.id, v.name = v.live.IDs()[nb.KeyID], v.live.RowName()
	}
	v.owner = nb.OwnerOfRow(v.live)
	if v.live == nil {
		v.owner = ownerByID(v.page.Table, v.id)
	}
	v.findLink(env)
	v.knowsNetwork = env.Rev.Desired.KnowsNetwork(v.owner.Network())
	k, ok := revision.UnitOfOwner(v.owner)
	if !ok || !k.Kind.IsAdmin() && v.state.PolicyJoin(k) == nil && !env.Rev.IsCompiled(k) {
		return
	}
	v.policy = k
	v.desired = desiredRow(env.Rev, k, v.page.Table, v.page.Zone, v.id, v.name)
	if v.live == nil && v.desired != nil {
		v.name = v.desired.RowName()
	}
	v.diff = v.rowDifference(v.state.PolicyJoin(k))
}

// successorRow returns the row that replaced a deleted one: by id, or by name in tables with unique names.
func successorRow(db *nb.DB, table, id, name string) nb.Row {
	if table == nb.TableACL {
		if a := db.ACLByID(id); a != nil && id != "" {
			return a
		}
		return nil
	}
	if name == "" {
		return nil
	}
	return rowByName(db, table, name)
}

// rowDifference returns the known difference of the live row from the desired one, by UUID: two rows may share
// one id.
func (v *RowView) rowDifference(p *model.PolicyInZone) *model.RowDiff {
	if p == nil || v.live == nil {
		return nil
	}
	for i := range p.Diffs {
		if d := &p.Diffs[i]; d.Table == v.page.Table && d.UUID == v.live.RowUUID() && (d.Waiting == "" || len(d.Fields) == 0) {
			return d
		}
	}
	return nil
}

// findLink finds the page of the row's rule or policy, also for rows that are not compared.
func (v *RowView) findLink(env *view.Env) {
	k, ok := revision.PolicyOfOwner(v.owner)
	if !ok || env.Rev.Cluster.Policy(k) == nil && (!k.Kind.IsAdmin() || v.owner.Form == nb.FormLegacy) {
		return
	}
	dir := v.ruleDirection()
	if dir == "" || v.owner.Index < 0 || v.owner.Form != nb.FormKnown {
		v.link = nav.ToPolicy(k)
		return
	}
	v.link = nav.ToRule(k, dir, v.owner.Index)
	v.link.Zone = v.page.Zone
}

// ruleDirection returns the direction of the rule, which EgressFirewall rows do not write.
func (v *RowView) ruleDirection() model.Direction {
	if v.owner.Type == nb.OwnerEgressFirewall {
		return model.Egress
	}
	return model.Direction(v.owner.Direction)
}

// ownerByID parses the owner from the id of a missing row: controller, owner type, rest.
func ownerByID(table, id string) nb.Owner {
	parts := strings.SplitN(id, ":", 3)
	if len(parts) < 3 {
		return nb.Owner{Index: -1}
	}
	return nb.ParseOwner(table, map[string]string{nb.KeyOwnerController: parts[0], nb.KeyOwnerType: parts[1], nb.KeyID: id})
}

func rowByName(db *nb.DB, table, name string) nb.Row {
	switch table {
	case nb.TableAddressSet:
		if s := db.AddressSetByName(name); s != nil {
			return s
		}
	case nb.TablePortGroup:
		if g := db.PortGroupByName(name); g != nil {
			return g
		}
	}
	return nil
}

// desiredRow returns the desired row of a policy in a zone, nil if none of that id.
func desiredRow(r *revision.Revision, k model.PolicyKey, table, zone, id, name string) nb.Row {
	switch table {
	case nb.TableACL:
		for _, a := range r.ACLs(k, zone) {
			if a.ID() == id {
				return a
			}
		}
	case nb.TableAddressSet:
		if name == "" {
			name = nb.HashedName(id)
		}
		if s := r.DesiredSet(k, name); s != nil {
			return s
		}
	case nb.TablePortGroup:
		if g := r.DesiredGroup(k, zone); g != nil && (g.Name == name || g.ID() == id) {
			return g
		}
	}
	return nil
}

// addGone says that the zone or the row does not exist, or why the zone's rows are not available.
func (v *RowView) addGone(env *view.Env, s *detail.Sheet) {
	st := env.Styles
	switch z := v.state; {
	case z == nil:
		s.AddNote("gone", 0, words.Failed, st.Error, st.Text, "Zone "+v.page.Zone+" does not exist.")
		return
	case z.DB == nil:
		s.AddNote("gone", 0, words.Unknown, st.Dim, st.Text, "Zone "+z.Name+": "+detail.WhyNoRows(z, env.Now))
		return
	}
	s.AddNote("gone", 0, words.Failed, st.Error, st.Text, v.page.Table+" "+cmp.Or(v.page.UUID, v.page.ID)+" is not in "+v.page.Zone+".")
}

// Do carries out the actions of a row.
func (v *RowView) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.RowOwner:
		env.OpenPage(v.link)
	case action.RowLogs:
		env.OpenPage(nav.Page{Kind: nav.Logs, Key: v.link.Key, Dir: v.link.Dir, Rule: v.link.Rule})
	case action.RowNextZone:
		v.openInZone(env, 1)
	case action.RowPrevZone:
		v.openInZone(env, -1)
	default:
		return v.PanePage.Do(env, id)
	}
	return true
}

// openInZone opens the same row in the next zone (d 1) or previous zone (d -1) that has it.
func (v *RowView) openInZone(env *view.Env, d int) {
	for zone := revision.NextZone(env.Rev, v.page.Zone, d); zone != v.page.Zone; zone = revision.NextZone(env.Rev, zone, d) {
		z := env.Rev.Zone(zone)
		if there := successorRow(z.DB, v.page.Table, v.id, v.name); there != nil {
			env.ReplacePage(detail.RowPage(z, there, nil))
			return
		}
	}
	env.ShowText("no other zone read has this row")
}

// WhyNot says why an action is not possible for this row.
func (v *RowView) WhyNot(env *view.Env, id action.ID) string {
	switch id {
	case action.RowOwner, action.RowLogs:
		if v.link.IsNone() {
			return "no known policy owns this row"
		}
	case action.RowNextZone, action.RowPrevZone:
		if len(env.Rev.Zones) < 2 {
			return "there is " + words.Count(len(env.Rev.Zones), "zone")
		}
	}
	return ""
}

// Crumb names the row.
func (v *RowView) Crumb() string {
	what := detail.TableWord(v.page.Table)
	switch {
	case v.policy.Name != "" && v.page.Table == nb.TablePortGroup:
		return what + " of " + v.policy.ShortLabel()
	case v.policy.Name != "" && v.id != "":
		return what + " " + v.policy.ShortLabel() + " " + detail.ShortID(v.id, v.policy)
	case v.name != "" && v.owner.Form == nb.FormNone: // ports and switches are identified by their names
		return what + " " + v.name
	case v.page.UUID != "":
		return what + " " + v.page.UUID[:min(8, len(v.page.UUID))]
	}
	return what
}

// StateLine names the zone.
func (v *RowView) StateLine(env *view.Env) widget.Line {
	return detail.ZoneStatus(env, v.state, action.RowPrevZone, action.RowNextZone)
}

// Copies returns the texts of the row that can be copied.
func (v *RowView) Copies(*view.Env) []view.CopyItem {
	if r := v.shownRow(); r != nil {
		return detail.RowCopies(v.state, r)
	}
	return nil
}

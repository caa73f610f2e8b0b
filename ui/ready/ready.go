package ready

import (
	"strings"
	"time"

	"rung/model"
	"rung/pages/ready"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// View shows the reports of all policies, or of one.
type View struct {
	view.List
	key      model.PolicyKey // empty: all policies
	policies *widget.Table[*ready.PolicyReports]
	zones    *widget.Table[*ready.ZoneReport]
	trouble  bool // only what is not in order

	// The reports shown were made from the objects of cluster at the time at.
	cluster         *model.Cluster
	takenAt         time.Time
	allReports      []*ready.PolicyReports
	onlyReport      *ready.PolicyReports
	rev             *revision.Revision
	st              *themes.StyleSet
	linesAboveTable int // lines over the table in the last frame
}

// New makes the view; a page without a policy is that of all.
func New(page nav.Page) view.View {
	v := &View{key: page.Key}
	if v.key.Name == "" {
		v.policies = widget.TableOf(ready.Policies, &v.st)
		v.Of = v.policies
	} else {
		v.zones = widget.TableOf(ready.Zones, &v.st)
		v.Of = v.zones
	}
	return v
}

// again is how often reports and rows are put together anew while the objects stay:
// 500 zones that are read in turn bring many revisions a second.
const again = time.Second

// Sync puts reports and rows together.
func (v *View) Sync(env *view.Env) {
	v.rev = env.Rev
	if v.policies != nil {
		v.policies.Empty = env.Rev.EmptyText(ready.Policies.Empty, model.KindANP, model.KindBANP)
	}
	fresh := v.cluster == env.Rev.Cluster && v.st == env.Styles && !env.Now.Before(v.takenAt) && env.Now.Sub(v.takenAt) < again
	v.st = env.Styles
	if fresh {
		return
	}
	v.cluster, v.takenAt = env.Rev.Cluster, env.Now
	if v.policies != nil {
		v.allReports = ready.AllReports(env.Rev, env.Now)
	} else {
		v.onlyReport = ready.ReportsOfPolicy(env.Rev, v.key, env.Now)
	}
	v.fillTable()
}

// fillTable gives the table what is to be shown.
func (v *View) fillTable() {
	if v.policies != nil {
		var items []*ready.PolicyReports
		for _, p := range v.allReports {
			if !v.trouble || !p.InOrder() {
				items = append(items, p)
			}
		}
		v.policies.SetItems(items)
		return
	}
	var items []*ready.ZoneReport
	for _, z := range v.onlyReport.Reports {
		if !v.trouble || !z.InOrder() {
			items = append(items, z)
		}
	}
	v.zones.SetItems(items)
}

// Do leads on from the line under the cursor.
func (v *View) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.Open:
		env.OpenPage(v.SelectedPage())
	case action.ReadyTrouble:
		v.trouble = !v.trouble
		v.fillTable()
	case action.ReadyController:
		key, zone := v.worstZone()
		env.OpenPage(nav.Page{Kind: nav.Controller, Key: key, Zone: zone})
	case action.ReadyPolicy:
		if key, _ := v.worstZone(); key.Name != "" {
			env.OpenPage(nav.ToPolicy(key))
		}
	default:
		return v.List.Do(env, id)
	}
	return true
}

// worstZone is the policy that is meant and the zone whose controller to ask first: that
// under the cursor, or of a policy the one that stands worst.
func (v *View) worstZone() (model.PolicyKey, string) {
	if v.policies == nil {
		z, _ := v.zones.SelectedItem()
		if z == nil {
			return v.key, ""
		}
		return v.key, z.Zone
	}
	p, _ := v.policies.SelectedItem()
	if p == nil {
		return model.PolicyKey{}, ""
	}
	for i := range p.Reports {
		if p.Reports[i].Status != ready.Gone {
			return p.Key, p.Reports[i].Zone
		}
	}
	return p.Key, ""
}

// WhyNot says why there is no controller to ask.
func (v *View) WhyNot(_ *view.Env, id action.ID) string {
	if id != action.ReadyController && id != action.ReadyPolicy {
		return ""
	}
	key, zone := v.worstZone()
	switch {
	case key.Name == "":
		return "no policy here"
	case id == action.ReadyPolicy:
		return ""
	case zone == "":
		return "no zone here"
	}
	if z, _ := v.selectedZone(); z != nil && z.Status == ready.Gone {
		return "the node of zone " + zone + " is gone, and its controller with it"
	}
	return ""
}

func (v *View) selectedZone() (*ready.ZoneReport, bool) {
	if v.zones == nil {
		return nil, false
	}
	return v.zones.SelectedItem()
}

// SelectedPage is the policy's zones, or the policy's rows in the zone.
func (v *View) SelectedPage() nav.Page {
	if v.policies != nil {
		if p, ok := v.policies.SelectedItem(); ok && p != nil {
			return nav.Page{Kind: nav.Ready, Key: p.Key}
		}
		return nav.Page{}
	}
	if z, ok := v.zones.SelectedItem(); ok && z != nil && v.rev.Zone(z.Zone) != nil {
		return nav.Page{Kind: nav.Rows, Key: v.key, Zone: z.Zone, Text: detail.RowsFilter(v.key)}
	}
	return nav.Page{}
}

// Click puts the cursor on a line of the table.
func (v *View) Click(env *view.Env, x, y int) bool { return v.List.Click(env, x, y-v.linesAboveTable) }

// Copies are the policy, what failed, and the command that shows the conditions.
func (v *View) Copies(env *view.Env) []view.CopyItem {
	key, _ := v.worstZone()
	if key.Name == "" {
		return nil
	}
	out := view.CopiesOf(env, nav.ToPolicy(key))
	if z, _ := v.selectedZone(); z != nil && z.Message != "" {
		out = append(out, view.CopyItem{What: "message", Text: z.Message})
	}
	if resource := strings.ToLower(string(key.Kind)); key.Kind.IsAdmin() {
		out = append(out, view.CopyItem{What: "kubectl command", Text: env.Rev.Mode.Kubectl.CommandLine("get", resource, key.Name, "-o", "jsonpath={.status.conditions}")})
	}
	return out
}

package ui

import (
	"fmt"
	"strings"

	"rung/engine/convert"
	"rung/model"
	"rung/model/words"
	"rung/ui/nav"
)

// paletteItem is one thing the palette can do.
type paletteItem struct {
	text string // what is typed against: "anp cluster-control"
	// names are what it is found by as well: the name another tool has for it, an
	// address.
	names  []string
	key    string
	help   string
	whyNot string
	// narrow is what is typed instead of doing something: what begins so is then
	// shown.
	narrow string
	do     func(*root)
}

// maxNames bounds how many pods, and how many rules, the palette offers.
const maxNames = 20_000

// kinds are the policies with what they are called in the palette, as kubectl calls them; ruled
// are those whose rules have names.
var (
	kinds = []model.Kind{model.KindANP, model.KindBANP, model.KindNP, model.KindEF, model.KindCNP, model.KindACNP, model.KindANNP}
	ruled = []model.Kind{model.KindANP, model.KindBANP, model.KindACNP, model.KindANNP}
)

// itemsOf is everything the palette offers: what can be done here, then places by
// name.
func itemsOf(m *root) []paletteItem {
	var out []paletteItem
	e := m.top()
	m.sync(e)
	for _, a := range actionsOn(m, e) {
		if a.Hidden {
			continue
		}
		out = append(out, paletteItem{text: a.Title, names: a.Also, key: a.Shown(), help: a.Help, whyNot: m.whyNot(e, &a),
			do: func(m *root) { m.act(&a) }})
	}
	out = append(out, listsOf(m)...)
	place := func(text, help string, to nav.Page, names ...string) {
		out = append(out, paletteItem{text: text, help: help, names: names, do: func(m *root) { m.open(to, false) }})
	}
	for _, k := range kinds {
		for o := range m.rev.Cluster.Policies(k) {
			name := strings.TrimPrefix(o.Namespace+"/"+o.Name, "/")
			place(strings.ToLower(k.Short())+" "+name, about(o), nav.ToPolicy(o.Key), "policy "+name)
		}
	}
	for ns := range m.rev.Cluster.Namespaces() {
		place("matrix "+ns.Name, "connections of the namespace with the others", nav.ToMatrix(ns.Name, ""))
	}
	for _, to := range convert.Targets {
		place("convert "+string(to), "the policies as "+to.Kind()+", rule by rule, with a proof", nav.ToConvert(string(to)))
	}
	for _, z := range m.rev.Zones {
		place("zone "+z.Name, "rows of the zone · "+string(z.Conn), nav.Page{Kind: nav.Rows, Zone: z.Name})
	}
	out = append(out, podsOf(m)...)
	out = append(out, rulesOf(m)...)
	for _, name := range m.opt.Themes.Names() {
		out = append(out, paletteItem{text: "theme " + name, help: "change the colours", do: func(m *root) {
			m.theme = name
			m.restyle()
		}})
	}
	return out
}

// listsOf are the kinds that have no page of their own: their word lists what there is.
func listsOf(m *root) []paletteItem {
	count := m.rev.Cluster.Count
	return []paletteItem{
		{text: "np", help: words.Count(count(model.KindNP), "NetworkPolicy") + ", by name", narrow: "np ", names: []string{"netpol", "networkpolicies"}},
		{text: "ef", help: words.Count(count(model.KindEF), "EgressFirewall") + ", by name", narrow: "ef ", names: []string{"egressfirewalls"}},
		{text: "pods", help: words.Count(count(model.KindPod), "pod") + ", by name or address", narrow: "pod ", names: []string{"pod", "po"}},
		{text: "rules", help: "rules by policy or name", narrow: "rule ", names: []string{"rule"}},
	}
}

// about tells policies of one name apart.
func about(p *model.Policy) string {
	switch p.Kind {
	case model.KindANP:
		return fmt.Sprintf("AdminNetworkPolicy, priority %d", p.Priority)
	case model.KindBANP:
		return "BaselineAdminNetworkPolicy"
	case model.KindCNP:
		return fmt.Sprintf("ClusterNetworkPolicy, tier %d, priority %d", p.Tier, p.Priority)
	case model.KindNP:
		return "NetworkPolicy of namespace " + p.Namespace
	}
	if p.Tiered != nil {
		return fmt.Sprintf("%s, tier %s, priority %g", p.Kind.Title(), p.Tiered.Tier, p.Tiered.Priority)
	}
	return "EgressFirewall of namespace " + p.Namespace
}

// podsOf are the pods, each with its node and addresses.
func podsOf(m *root) []paletteItem {
	out := make([]paletteItem, 0, min(maxNames, m.rev.Cluster.Count(model.KindPod)))
	for o := range m.rev.Cluster.Pods() {
		if len(out) == maxNames {
			break
		}
		key, help := o.Key, o.NodeName
		for _, ip := range o.IPs {
			help = strings.TrimPrefix(help+" · "+ip, " · ")
		}
		if o.Phase != "" && o.Phase != "Running" {
			help = strings.TrimPrefix(help+" · "+o.Phase, " · ")
		}
		out = append(out, paletteItem{text: "pod " + o.Namespace + "/" + o.Name, help: help, names: o.IPs,
			do: func(m *root) { m.open(nav.ToPod(key), false) }})
	}
	return out
}

// rulesOf are the rules that have names.
func rulesOf(m *root) []paletteItem {
	var out []paletteItem
	for _, k := range ruled {
		for p := range m.rev.Cluster.Policies(k) {
			for r := range p.AllRules() {
				if len(out) == maxNames {
					return out
				}
				key, dir, index, help := p.Key, r.Direction, r.Index, r.ActionText()
				var names []string
				if r.Name != "" {
					help, names = r.Name+" · "+help, []string{r.Name}
				}
				out = append(out, paletteItem{text: fmt.Sprintf("rule %s %s %d", p.Name, dir.Lower(), index), help: help, names: names,
					do: func(m *root) { m.open(nav.ToRule(key, dir, index), false) }})
			}
		}
	}
	return out
}

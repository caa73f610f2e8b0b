package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rung/engine/trace"
	"rung/model"
	"rung/model/words"
	"rung/ui/nav"
)

// paletteItem is one entry of the palette.
type paletteItem struct {
	text string // matched against the typed text: "anp cluster-control"
	// names also find the item: the name another tool uses, an address.
	names  []string
	key    string
	help   string
	whyNot string
	// narrow, if set, is typed into the palette instead of an action: it lists the items with this prefix.
	narrow string
	ChosenItem
}

// maxNames bounds how many pods, and how many rules, the palette offers.
const maxNames = 20_000

// kinds are the kinds of policies in the palette, by kubectl's short names.
var kinds = []model.Kind{model.KindANP, model.KindBANP, model.KindNP, model.KindMNP, model.KindEF, model.KindCNP, model.KindACNP,
	model.KindANNP}

// paletteItems returns all items of the palette: actions first, then places by name.
func paletteItems(o OverlayOffers) []paletteItem {
	var out []paletteItem
	for _, name := range slices.Sorted(maps.Keys(o.Aliases)) {
		out = append(out, paletteItem{text: name, help: "alias of " + o.Aliases[name], ChosenItem: ChosenItem{Alias: o.Aliases[name]}})
	}
	for i := range o.Actions {
		if a := &o.Actions[i]; !a.Hidden {
			out = append(out, paletteItem{text: a.Title, names: a.Also, key: a.HintKey(), help: a.Help, whyNot: a.WhyNot,
				ChosenItem: ChosenItem{Action: &a.Action}})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Views)) {
		p := o.Views[name]
		help := "saved view: " + string(p.Kind)
		help += words.Between(", filter ", p.Text, "")
		out = append(out, paletteItem{text: "view " + name, help: help, ChosenItem: ChosenItem{Page: p}})
	}
	cluster := o.Rev.Cluster
	out = append(out, kindItems(cluster)...)
	place := func(text, help string, to nav.Page, names ...string) {
		out = append(out, paletteItem{text: text, help: help, names: names, ChosenItem: ChosenItem{Page: to}})
	}
	for _, k := range kinds {
		for p := range cluster.Policies(k) {
			name := strings.TrimPrefix(p.Namespace+"/"+p.Name, "/")
			place(strings.ToLower(k.Abbreviation())+" "+name, policyDetail(p), nav.ToPolicy(p.Key), "policy "+name)
		}
	}
	for ns := range cluster.Namespaces() {
		place("namespace "+ns.Name, "connections in and out, policies, findings", nav.ToNamespace(ns.Name), "ns "+ns.Name)
		place("matrix "+ns.Name, "connections with other namespaces", nav.ToMatrix(ns.Name, ""))
	}
	for _, name := range o.Rev.Desired.Networks().Names() {
		place("ladder"+words.OnNetwork(name), "policies of the network, in order", nav.NewPage(nav.Ladder).OnNetwork(name))
		place("matrix"+words.OnNetwork(name), "connections on the network", nav.ToMatrix("", "").OnNetwork(name))
	}
	for _, z := range o.Rev.Zones {
		place("zone "+z.Name, "rows of the zone · "+string(z.Conn), nav.Page{Kind: nav.Rows, Zone: z.Name})
	}
	out = append(out, podItems(cluster)...)
	out = append(out, ruleItems(cluster)...)
	for _, name := range o.Themes {
		out = append(out, paletteItem{text: "theme " + name, help: "change the colours", ChosenItem: ChosenItem{Theme: name}})
	}
	return out
}

// kindItems returns items for kinds without a page of their own: choosing one lists the objects.
func kindItems(cluster *model.Cluster) []paletteItem {
	count := cluster.Count
	return []paletteItem{
		{text: "np", help: words.Count(count(model.KindNP), "NetworkPolicy") + ", by name", narrow: "np ",
			names: []string{"netpol", "networkpolicies"}},
		{text: "ef", help: words.Count(count(model.KindEF), "EgressFirewall") + ", by name", narrow: "ef ", names: []string{"egressfirewalls"}},
		{text: "pods", help: words.Count(count(model.KindPod), "pod") + ", by name or address", narrow: "pod ", names: []string{"pod", "po"}},
		{text: "ns", help: words.Count(count(model.KindNamespace), "namespace") + ", by name", narrow: "ns ", names: []string{"namespaces"}},
		{text: "rules", help: "rules by policy or name", narrow: "rule ", names: []string{"rule"}},
	}
}

// policyDetail distinguishes policies of the same name.
func policyDetail(p *model.Policy) string {
	switch p.Kind {
	case model.KindANP:
		return fmt.Sprintf("AdminNetworkPolicy, priority %d", p.Priority)
	case model.KindBANP:
		return "BaselineAdminNetworkPolicy"
	case model.KindCNP:
		return fmt.Sprintf("ClusterNetworkPolicy, tier %d, priority %d", p.Tier, p.Priority)
	}
	if p.Tiered != nil {
		return fmt.Sprintf("%s, tier %s, priority %g", p.Kind.Title(), p.Tiered.Tier, p.Tiered.Priority)
	}
	return p.Kind.Title() + " of namespace " + p.Namespace
}

// podItems returns the pods, each with its node and addresses.
func podItems(cluster *model.Cluster) []paletteItem {
	out := make([]paletteItem, 0, min(maxNames, cluster.Count(model.KindPod)))
	for o := range cluster.Pods() {
		if len(out) == maxNames {
			break
		}
		help := o.NodeName
		for _, ip := range o.IPs {
			help = strings.TrimPrefix(help+" · "+ip, " · ")
		}
		if o.Phase != "" && o.Phase != "Running" {
			help = strings.TrimPrefix(help+" · "+o.Phase, " · ")
		}
		out = append(out, paletteItem{text: "pod " + o.Namespace + "/" + o.Name, help: help, names: o.IPs,
			ChosenItem: ChosenItem{Page: nav.ToPod(o.Key)}})
	}
	return out
}

// ruleItems returns the rules of kinds whose rules have names.
func ruleItems(cluster *model.Cluster) []paletteItem {
	var out []paletteItem
	for _, k := range []model.Kind{model.KindANP, model.KindBANP, model.KindACNP, model.KindANNP} {
		for p := range cluster.Policies(k) {
			for r := range p.AllRules() {
				if len(out) == maxNames {
					return out
				}
				help := r.ActionText()
				var names []string
				if r.Name != "" {
					help, names = r.Name+" · "+help, []string{r.Name}
				}
				out = append(out, paletteItem{text: fmt.Sprintf("rule %s %s %d", p.Name, r.Direction.Lower(), r.Index), help: help, names: names,
					ChosenItem: ChosenItem{Page: nav.ToRule(p.Key, r.Direction, r.Index)}})
			}
		}
	}
	return out
}

// traceWord starts a question typed into the palette: "trace blue/api-0 web-0 80".
const traceWord = "trace "

// traceItem returns the item for a typed question: ends are completed to existing ones, and a dialog asks for
// missing parts. ok is false if no question is typed.
func (p *PaletteOverlay) traceItem(typed string) (it paletteItem, ok bool) {
	text, ok := strings.CutPrefix(typed, traceWord)
	if !ok || strings.TrimSpace(text) == "" {
		return it, false
	}
	q, err := trace.ParseQuestion(text)
	if err != nil {
		return paletteItem{text: strings.TrimSpace(typed), whyNot: err.Error()}, true
	}
	if p.ends == nil {
		p.ends = trace.EndChoices(p.rev)
	}
	q = trace.CompleteEnds(p.ends, q)
	it = paletteItem{text: traceWord + q.String(), help: "verdict and deciding rule",
		ChosenItem: ChosenItem{Page: nav.ToTrace(q.String())}}
	if missing := q.Check(); missing != "" {
		it.help, it.ChosenItem = "asks for the missing part: "+missing, ChosenItem{Trace: &q}
	}
	return it, true
}

// diffWord starts a comparison typed into the palette: "diff git:HEAD~1".
const diffWord = "diff "

// diffItem returns the item for a typed comparison; ok is false if none is typed.
func diffItem(typed string) (it paletteItem, ok bool) {
	text, ok := strings.CutPrefix(strings.TrimLeft(typed, " "), diffWord)
	if !ok || strings.TrimSpace(text) == "" {
		return it, false
	}
	page, err := nav.ParseDiff(text)
	if err != nil {
		return paletteItem{text: strings.TrimSpace(typed), whyNot: err.Error()}, true
	}
	help := "compare it with what is shown here"
	if page.Base != "" {
		help = "differences from the first to the second"
	}
	return paletteItem{text: page.Title(), help: help, ChosenItem: ChosenItem{Page: page}}, true
}

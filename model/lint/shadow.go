package lint

import (
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/selectors"
	"rung/model/words"
)

// peerTable has the peers of earlier rules with the same ports, each with the first rule that names it.
type peerTable struct {
	selectors map[[3]string]int
	nodes     map[string]int
	networks  selectors.NetworkSet
}

// checkShadows reports rules of a direction that never decide because earlier rules cover their peers. The
// earlier rules have no ports or the same ports. Peers are compared as written: equal selectors, a selector of
// everything, or a network inside a network. Which pods the labels match now does not count, so the finding
// holds for all future pods.
func (l *linter) checkShadows(p *model.Policy, rules []model.Rule) {
	tables := map[string]*peerTable{}
	for i := range rules {
		r := &rules[i]
		if r.MatchesNothing() {
			continue
		}
		ports := portsKey(r.Ports)
		if by := shadowingRules(r, tables[""], tables[ports]); len(by) > 0 {
			l.addShadowed(p, rules, r, by)
		}
		t := tables[ports]
		if t == nil {
			t = &peerTable{selectors: map[[3]string]int{}, nodes: map[string]int{}}
			tables[ports] = t
		}
		for j := range r.Peers {
			t.addPeer(&r.Peers[j], i)
		}
	}
}

func (l *linter) addShadowed(p *model.Policy, rules []model.Rule, r *model.Rule, by []int) {
	severity := model.SeverityInfo
	var names []string
	for _, j := range by {
		names = append(names, fmt.Sprintf("%s (%s)", ruleText(p, p, &rules[j]), rules[j].Action))
		if rules[j].Action != r.Action {
			severity = model.SeverityWarning
		}
	}
	l.addAboutRule(p, r, RuleShadowed, fmt.Sprintf("never applies: %s above it %s everything this %s matches",
		words.ListFew(names, shown), words.OneOrMany(len(by), "decides", "decide"), r.Action)).Severity = severity
}

// portsKey returns the same text for the same ports in any order, without broken ones; empty for none.
func portsKey(ports []model.Port) string {
	var texts []string
	for i := range ports {
		if !ports[i].IsBroken() {
			texts = append(texts, ports[i].String())
		}
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), "\n")
}

func (t *peerTable) addPeer(pe *model.Peer, rule int) {
	switch pe.Kind {
	case model.PeerNamespaces, model.PeerPods:
		if k, ok := selectorKey(pe); ok {
			if _, had := t.selectors[k]; !had {
				t.selectors[k] = rule
			}
		}
	case model.PeerNodes:
		if _, had := t.nodes[pe.Nodes.Key()]; !had && !pe.Nodes.IsNil() {
			t.nodes[pe.Nodes.Key()] = rule
		}
	case model.PeerNetworks:
		for _, text := range pe.Networks {
			if n, ok := selectors.ParseNetwork(text); ok && len(pe.Except) == 0 {
				t.networks.Add(n, rule)
			}
		}
	}
}

// selectorKey returns the namespace and the keys of the namespace and pod selectors. Selectors of everything
// have an empty key. An absent selector selects nothing and has no key.
func selectorKey(pe *model.Peer) ([3]string, bool) {
	pods := pe.Pods
	if pe.Kind == model.PeerNamespaces {
		pods = model.SelectEverything()
	}
	key := [3]string{pe.Namespace, pe.Namespaces.Key(), pods.Key()}
	return key, !pods.IsNil() && (pe.Namespace != "" || !pe.Namespaces.IsNil())
}

// shadowingRules returns the rules that together decide every peer of r, sorted; nil if a peer is left.
func shadowingRules(r *model.Rule, tables ...*peerTable) []int {
	var by []int
	for i := range r.Peers {
		found := false
		for _, t := range tables {
			if t == nil {
				continue
			}
			if rules, ok := t.coveringRules(&r.Peers[i]); ok {
				by, found = append(by, rules...), true
				break
			}
		}
		if !found {
			return nil
		}
	}
	slices.Sort(by)
	return slices.Compact(by)
}

func (t *peerTable) coveringRules(pe *model.Peer) (rules []int, ok bool) {
	switch pe.Kind {
	case model.PeerNamespaces, model.PeerPods:
		k, ok := selectorKey(pe)
		if !ok {
			return nil, false
		}
		wider := [][3]string{k, {k[0], k[1], ""}, {"", "", k[2]}, {}}
		for _, w := range wider {
			if rule, ok := t.selectors[w]; ok {
				return []int{rule}, true
			}
		}
	case model.PeerNodes:
		for _, w := range []string{pe.Nodes.Key(), ""} {
			if rule, ok := t.nodes[w]; ok && !pe.Nodes.IsNil() {
				return []int{rule}, true
			}
		}
	case model.PeerNetworks:
		for _, text := range pe.Networks {
			n, ok := selectors.ParseNetwork(text)
			if !ok {
				return nil, false
			}
			_, rule, ok := t.networks.NarrowestCovering(n)
			if !ok {
				return nil, false
			}
			rules = append(rules, rule)
		}
		return rules, len(rules) > 0
	}
	return nil, false
}

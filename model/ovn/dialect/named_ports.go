package dialect

import (
	"slices"
	"strings"

	"rung/model"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
	"rung/model/words"
)

// explainNamedPorts explains a row of named ports that has former addresses or ports of pods
// (ovn-kubernetes.md#named-ports). For the same reason a row may be extra or missing.
func (x *unseenUpdates) explainNamedPorts(d *model.RowDiff, o nb.Owner) *DiffCause {
	proto, ok := strings.CutSuffix(o.Protocol, "-namedPort")
	rule := x.f.Policy.Rule(model.Direction(o.Direction), o.Index)
	if d.Table != nb.TableACL || o.Form != nb.FormKnown || !ok || rule == nil ||
		d.Kind == model.DiffDifferent && (len(d.Fields) != 1 || d.Fields[0].Column != "match") {
		return nil
	}
	desired, live := x.f.Match(d)
	want, lead, ok1 := match.ParseNamedMatch(desired, proto)
	have, lead2, ok2 := match.ParseNamedMatch(live, proto)
	if desired != "" && !ok1 || live != "" && !ok2 || desired != "" && live != "" && lead != lead2 ||
		(desired == "") != (d.Kind == model.DiffExtra) ||
		(live == "") != (d.Kind == model.DiffMissing) {
		return nil
	}
	scanned := x.f.Peers(rule.Direction, rule.Index)
	if rule.Direction == model.Ingress {
		scanned = append(slices.Clip(scanned), x.f.Subjects()...)
	}
	lost, gained, stays := compareItems(want, have)
	kept := make(map[string]bool, len(stays))
	for _, it := range stays {
		kept[it.IP] = true
	}
	isKept := func(addr string) bool { return kept[addr] }
	since := youngestInRows(scanned, func(q *model.Pod) bool { return slices.ContainsFunc(q.IPs, isKept) })
	whose := podsByAddress(scanned)
	defect := PodAddress
	var said []string
	told := map[*model.Pod]bool{}
	about := func(p *model.Pod) {
		if !told[p] {
			told[p] = true
			said = addText(said, "pod %s", podName(p))
		}
	}
	for _, it := range lost { // the row lacks it
		p := whose[it.IP]
		offers := func(was *model.Pod) bool { return offersItem(was, it, rule, proto) }
		if !isRunning(p) || !anyPod(x.earlierStates(p), false, offers) && !since.provesIncluded(p) {
			return nil
		}
		had := func(was *model.Pod) bool { return slices.Contains(was.IPs, it.IP) }
		if before := x.earlierStates(p); x.lackedAddrs[it.IP] == nil && (len(before) == 0 || anyPod(before, true, had)) {
			defect = PodPorts // the address is not new for the pod
		}
		about(p)
	}
	var formers map[string][]int
	for _, it := range gained { // the row has it wrongly
		offers := func(was *model.Pod) bool { return offersItem(was, it, rule, proto) }
		if p := whose[it.IP]; p != nil {
			if !isRunning(p) || !anyPod(x.earlierStates(p), true, offers) && !since.provesIncluded(p) {
				return nil
			}
			defect = PodPorts
			about(p)
			continue
		}
		p := x.formerAddrs[it.IP]
		if p == nil {
			if formers == nil {
				formers = x.formerHolders(scanned)
			}
			at := formers[it.IP]
			i := slices.IndexFunc(at, func(i int) bool { return anyPod(x.earlierStates(scanned[i]), true, offers) })
			if i < 0 || !isRunning(scanned[at[i]]) {
				return nil
			}
			p = scanned[at[i]]
		}
		if x.f.Owned(it.IP) {
			return nil
		}
		about(p)
	}
	if len(said) == 0 {
		return nil
	}
	return &DiffCause{defect, words.JoinAtMost(said, "; ", maxNamed)}
}

// anyPod reports whether is returns that answer for a state of a pod.
func anyPod(states []*model.Pod, answer bool, is func(*model.Pod) bool) bool {
	return slices.ContainsFunc(states, func(was *model.Pod) bool { return is(was) == answer })
}

// offersItem reports whether a pod gives a rule an item.
func offersItem(p *model.Pod, it match.NamedItem, r *model.Rule, proto string) bool {
	return slices.Contains(p.IPs, it.IP) && slices.ContainsFunc(p.Ports, func(c model.ContainerPort) bool {
		return c.Port == it.Port && strings.EqualFold(c.Protocol, proto) &&
			slices.ContainsFunc(r.Ports, func(port model.Port) bool { return port.Name != "" && port.Name == c.Name })
	})
}

// compareItems returns the items only in want, those only in have, and those in both.
func compareItems(want, have []match.NamedItem) (lost, gained, stays []match.NamedItem) {
	n := map[match.NamedItem]int{}
	for _, it := range want {
		n[it]++
	}
	for _, it := range have {
		n[it]--
		if n[it] < 0 {
			gained = append(gained, it)
		} else {
			stays = append(stays, it)
		}
	}
	for _, it := range want {
		if n[it] > 0 {
			n[it]--
			lost = append(lost, it)
		}
	}
	return lost, gained, stays
}

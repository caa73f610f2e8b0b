package lint

import (
	"fmt"
	"strconv"

	"rung/model"
	"rung/model/logline"
	"rung/model/words"
)

// checkNames reports rules whose ACL names OVN cuts (ovn-kubernetes.md#acl-names). The cut removes the part by
// which log lines distinguish rules.
func (l *linter) checkNames() {
	holders := nameHolders{}
	denies := map[string]bool{} // namespaces whose default deny was noted
	var long []*model.Policy
	for _, list := range [][]*model.Policy{l.policies, l.otherPolicies} {
		for _, p := range list {
			if holders.noteRules(p) {
				long = append(long, p)
			}
			if p.Kind == model.KindNP && !denies[p.Namespace] {
				denies[p.Namespace] = true
				for _, d := range model.Directions {
					key := model.PolicyKey{Kind: model.KindNP, Namespace: p.Namespace}
					if name := logline.ACLName(key, d, 0); len(name) == logline.MaxACLName {
						holders[name] = append(holders[name], "the default deny of namespace "+p.Namespace)
					}
				}
			}
		}
	}
	for _, p := range long {
		l.addCutNames(p, holders)
	}
}

// nameHolders has the owners of ACL names of the maximum length: labels of policies and default denies.
type nameHolders map[string][]string

// noteRules records the rules of a policy whose ACL names have the maximum length. It reports whether any was
// cut.
func (holders nameHolders) noteRules(p *model.Policy) (cut bool) {
	for _, rules := range [][]model.Rule{p.Ingress, p.Egress} {
		if n := len(rules); n == 0 || nameLength(p.Key, rules[0].Direction, n-1) < logline.MaxACLName {
			continue
		}
		for i := range rules {
			if name := logline.ACLName(p.Key, rules[i].Direction, i); len(name) == logline.MaxACLName {
				holders[name] = append(holders[name], p.Label())
				cut = cut || nameLength(p.Key, rules[i].Direction, i) > logline.MaxACLName
			}
		}
	}
	return cut
}

// nameLength returns the length of a rule's full ACL name, before OVN-Kubernetes cuts it.
func nameLength(k model.PolicyKey, d model.Direction, i int) int {
	switch n := len(strconv.Itoa(i)); k.Kind {
	case model.KindNP, model.KindMNP:
		return len("NP::::") + len(k.Namespace) + len(k.Name) + len(d) + n
	case model.KindEF:
		return len("EF::") + len(k.Namespace) + n
	default:
		return len(k.Kind.Abbreviation()) + len(":::") + len(k.Name) + len(d) + n
	}
}

func (l *linter) addCutNames(p *model.Policy, holders nameHolders) {
	var cut, alike []string
	with := "" // another policy with the same ACL name
	for r := range p.AllRules() {
		if nameLength(p.Key, r.Direction, r.Index) <= logline.MaxACLName {
			continue
		}
		at := ruleText(p, p, r)
		cut = append(cut, at)
		same := holders[logline.ACLName(p.Key, r.Direction, r.Index)]
		if len(same) < 2 {
			continue
		}
		alike = append(alike, at)
		for _, h := range same {
			if with == "" && h != p.Label() {
				with = ", for example of " + h
			}
		}
	}
	so, remedy := fmt.Sprintf("the name is too long (%s)", words.Count(len(p.Name), "character")), "use a name of at most 48 characters"
	switch p.Kind {
	case model.KindNP, model.KindMNP:
		so = fmt.Sprintf("the names of namespace and policy are too long (%s)", words.Count(len(p.Namespace)+len(p.Name), "character"))
		remedy = "use names of at most 48 characters together"
	case model.KindEF:
		so = fmt.Sprintf("the namespace name is too long (%s)", words.Count(len(p.Namespace), "character"))
		remedy = "use a namespace with a name of at most 55 characters"
	}
	if len(alike) > 0 {
		f := l.addAbout(p, NameCut, so+": OVN cuts the ACL names, so log lines of "+
			words.ListFew(alike, shown)+" share a name with those of other rules"+with)
		f.Severity, f.Remedy = model.SeverityWarning, remedy
	} else {
		l.addAbout(p, NameCut, so+": OVN cuts the ACL names of "+words.ListFew(cut, shown)).Remedy = remedy
	}
}

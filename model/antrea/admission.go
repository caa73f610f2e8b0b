package antrea

import (
	"fmt"
	"slices"

	"rung/model"
	"rung/model/words"
)

// AdmissionFaults returns what Antrea's admission rejects in a change because of other objects. before and after are
// the clusters without and with the change. Faults of a policy or group alone are in Policy.Invalid and
// Group.Invalid. Each object has at most one entry: its first fault.
func AdmissionFaults(before, after *model.Cluster, changed []model.Key) (out []model.Broken) {
	a := &admission{before: before, after: after, checker: newChecker(after)}
	for _, k := range changed {
		if code, field, message, remedy := a.judge(k); code != "" {
			b := model.Broken{Severity: model.SeverityError, Origin: model.Origin{Item: -1}, Key: k, Code: code, Field: field, Message: message,
				Remedy: remedy}
			if o := model.AsPolicy(after.Get(k)); o != nil {
				b.Origin = o.Origin
			}
			out = append(out, b)
		}
	}
	return out
}

type admission struct {
	before, after *model.Cluster
	*checker
}

func (a *admission) judge(k model.Key) (code, field, message, remedy string) {
	switch k.Kind {
	case model.KindTier:
		return a.judgeTier(k)
	case model.KindClusterGroup, model.KindGroup:
		return a.judgeGroup(k)
	case model.KindACNP, model.KindANNP:
		return a.judgePolicy(a.after.Policy(k))
	}
	return "", "", "", ""
}

func (a *admission) judgeTier(k model.Key) (code, field, message, remedy string) {
	was, _ := a.before.Get(k).(*model.Tier)
	is, _ := a.after.Get(k).(*model.Tier)
	static, own := StaticPriority(k.Name)
	switch {
	case own && is == nil:
		return TierStatic, "", "tier " + k.Name + " is Antrea's own: it cannot be deleted", ""
	case own && (was == nil || was.Priority != is.Priority || is.Priority != static || was.Description != is.Description):
		return TierStatic, "", "tier " + k.Name + " is Antrea's own and read-only", "create a tier with another name"
	case is == nil:
		if names := keyLabels(PoliciesReferencing(a.after, k)); len(names) > 0 {
			return TierDeleted, "", "the tier is used by " + words.ListSome(names, 3) + ": it cannot be deleted",
				"move " + words.OneOrMany(len(names), "it", "them") + " to another tier first, or delete them together"
		}
		return "", "", "", ""
	case was != nil && was.Priority != is.Priority:
		return TierStatic, "spec.priority", fmt.Sprintf("a tier's priority cannot be changed from %d", was.Priority),
			"create a tier with another priority and move the policies"
	case was != nil:
		return "", "", "", ""
	}
	why := a.refused[k.Name]
	if why.Code == "" {
		return "", "", "", ""
	}
	return why.Code, "spec.priority", why.Message, "give it another priority"
}

func keyLabels(keys []model.Key) (out []string) {
	for _, k := range keys {
		out = append(out, k.Label())
	}
	return out
}

func (a *admission) judgeGroup(k model.Key) (code, field, message, remedy string) {
	var parents []string
	for g := range a.after.Groups(k.Kind) {
		if g.Key != k && g.Namespace == k.Namespace && slices.Contains(g.Children, k.Name) {
			parents = append(parents, ObjectLabel(g.Key))
		}
	}
	is, _ := a.after.Get(k).(*model.Group)
	switch {
	case is == nil && len(parents) > 0:
		return GroupMissing, "", "is a child of " + words.ListSome(parents, 3) + ": it cannot be deleted", "remove it there first"
	case is == nil || len(is.Children) == 0 || len(is.Invalid) > 0:
		return "", "", "", ""
	}
	for _, why := range a.r.FindMembers(k).Reasons {
		if slices.Contains([]string{GroupMissing, GroupNested, GroupCycle}, why.Code) {
			return why.Code, "spec.childGroups", why.Message, codeRemedy(why.Code)
		}
	}
	if len(parents) > 0 {
		return GroupNested, "spec.childGroups", "is a child of " + words.ListSome(parents, 3) +
			" and cannot have childGroups: groups nest one level", codeRemedy(GroupNested)
	}
	return "", "", "", ""
}

func (a *admission) judgePolicy(p *model.Policy) (code, field, message, remedy string) {
	if p == nil || p.Tiered == nil {
		return "", "", "", ""
	}
	tier := p.Tiered.Tier
	if _, known := a.tiers[tier]; !known {
		text := "its tier " + tier + " does not exist"
		if was := a.before.Policy(p.Key); was != nil && was.Tiered.Tier == tier {
			text = "its tier " + tier + " was deleted"
		}
		return TierMissing, "spec.tier", text, "create the tier, or use another"
	}
	if why, not := a.refused[tier]; not {
		return TierMissing, "spec.tier", "its tier " + tier + " is rejected: " + why.Message, "use another tier"
	}
	s := a.r.ScopeOfPolicy(p)
	for _, why := range s.Reasons {
		if why.Code == AppliedToNamespaces {
			return why.Code, "spec.appliedTo", why.Message, codeRemedy(why.Code)
		}
	}
	for _, key := range s.Services {
		if o, _ := a.after.Get(key).(*model.Service); o != nil && o.Type != nodePort {
			return ServiceType, "spec.appliedTo", notNodePort(o), "use a NodePort Service"
		}
	}
	return "", "", "", ""
}

const nodePort = "NodePort"

func notNodePort(s *model.Service) string {
	return "Service " + s.Namespace + "/" + s.Name + " in appliedTo has type " + s.Type + ", not NodePort"
}

// PoliciesReferencing returns the policies that reference a tier or a group, directly or by a parent, by key.
func PoliciesReferencing(c *model.Cluster, k model.Key) (out []model.Key) {
	groups := map[model.Key]bool{k: true}
	for g := range c.Groups(k.Kind) {
		if g.Namespace == k.Namespace && slices.Contains(g.Children, k.Name) {
			groups[g.Key] = true
		}
	}
	for p := range c.TieredPolicies() {
		if k.Kind == model.KindTier && p.Tiered.Tier == k.Name || k.Kind != model.KindTier &&
			slices.ContainsFunc(referencedGroups(p), func(name string) bool { return groups[GroupKey(p, name)] }) {
			out = append(out, p.Key)
		}
	}
	slices.SortFunc(out, model.Key.Compare)
	return out
}

// UnjudgedGroup returns why Rung does not know the members of a valid group of the policy, or of a child of
// one. Only the first such group counts; empty if Rung knows all members.
func UnjudgedGroup(c *model.Cluster, p *model.Policy) string {
	if p.Tiered == nil {
		return ""
	}
	for _, name := range referencedGroups(p) {
		g, ok := c.Get(GroupKey(p, name)).(*model.Group)
		if !ok {
			continue
		}
		if why := notJudgedText(g); why != "" {
			return why
		}
		for _, child := range g.Children {
			if of, ok := c.Get(childKey(g, child)).(*model.Group); ok && notJudgedText(of) != "" {
				return notJudgedText(of)
			}
		}
	}
	return ""
}

// referencedGroups returns the names of the groups in a policy's appliedTo and peers.
func referencedGroups(p *model.Policy) (out []string) {
	add := func(name string) {
		if name != "" {
			out = append(out, name)
		}
	}
	for i := range p.Tiered.AppliedTo {
		add(p.Tiered.AppliedTo[i].Group)
	}
	for r := range p.AllRules() {
		for i := range r.Tiered.AppliedTo {
			add(r.Tiered.AppliedTo[i].Group)
		}
		for i := range r.Peers {
			add(r.Peers[i].Group)
		}
	}
	return out
}

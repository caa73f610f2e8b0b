package manifests

import (
	"rung/model"
	"rung/model/antrea"
	"rung/model/words"
)

func (d *decoder) tierOf(o *AntreaTier, m model.Meta) model.Object {
	t := &model.Tier{Meta: m, Priority: o.Spec.Priority, Description: words.CleanText(o.Spec.Description)}
	_, t.Static = antrea.StaticPriority(m.Name)
	return t
}

// groupOf converts a group to the model's form. Antrea rejects a group with several forms.
func (d *decoder) groupOf(o *AntreaGroup, m model.Meta) model.Object {
	g := &model.Group{Meta: m}
	n := normaliser{p: &model.Policy{Meta: m}} // collects the faults
	spec := &o.Spec
	g.Select = spec.PodSelector != nil || spec.NamespaceSelector != nil
	g.HasNamespaces = spec.NamespaceSelector != nil
	if g.Select {
		g.Namespaces = n.selectorOrAll(spec.NamespaceSelector, "spec.namespaceSelector")
		g.Pods = n.selectorOrAll(spec.PodSelector, "spec.podSelector")
	}
	g.OldBlock = spec.IPBlock != nil
	blocks := spec.IPBlocks
	if spec.IPBlock != nil {
		blocks = append(blocks[:len(blocks):len(blocks)], *spec.IPBlock)
	}
	for _, b := range blocks {
		n.invalidIf(!IsCommonCIDR(b.CIDR), CodeCIDR, "spec.ipBlocks", words.CleanText(b.CIDR)+" is not a CIDR", "")
		n.invalidIf(len(b.Except) > 0, antrea.IPBlockExcept, "spec.ipBlocks", antrea.ExceptMessage, "")
		g.Networks = append(g.Networks, words.CleanText(b.CIDR))
	}
	if s := spec.ServiceReference; s != nil {
		k := n.serviceKey(s)
		g.Service = &k
	}
	for _, c := range spec.ChildGroups {
		g.Children = append(g.Children, words.CleanText(c))
	}
	forms := countTrue(g.Select, spec.IPBlock != nil, len(spec.IPBlocks) > 0, g.Service != nil, len(g.Children) > 0,
		spec.ExternalEntity != nil)
	n.unjudged(spec.ExternalEntity != nil && forms == 1, "spec.externalEntitySelector", externalEntities)
	n.invalidIf(forms > 1, antrea.GroupForms, "spec", "has several of podSelector or namespaceSelector, serviceReference, ipBlock, "+
		"ipBlocks and childGroups: only one is allowed", "")
	n.invalidIf(forms == 0, antrea.GroupForms, "spec", "selects nothing: it has none of podSelector, namespaceSelector, serviceReference, "+
		"ipBlocks and childGroups", "")
	g.Invalid = n.p.Invalid
	return g
}

package manifests

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/antrea"
	"rung/model/words"
)

// NewTier converts a Tier to the model's form.
func NewTier(o *AntreaTier, m model.Meta) *model.Tier {
	t := &model.Tier{Meta: m, Priority: o.Spec.Priority, Description: words.CleanText(o.Spec.Description)}
	_, t.Static = antrea.StaticPriority(m.Name)
	return t
}

// NewGroup converts a group to the model's form. Antrea rejects a group with several forms.
func NewGroup(o *AntreaGroup, m model.Meta) *model.Group {
	g := &model.Group{Meta: m}
	bad := func(code, field, msg string) {
		g.Invalid = append(g.Invalid, model.Broken{Severity: model.SeverityError, Origin: m.Origin, Key: m.Key, Field: field,
			Code: code, Message: msg})
	}
	selector := func(s *metav1.LabelSelector, field string) model.Selector {
		if s == nil {
			return model.SelectEverything()
		}
		sel, err := model.NewSelector(s)
		if err != nil {
			bad(CodeSelector, field, words.CleanText(err.Error()))
		}
		return sel
	}
	spec := &o.Spec
	g.Select = spec.PodSelector != nil || spec.NamespaceSelector != nil
	g.HasNamespaces = spec.NamespaceSelector != nil
	if g.Select {
		g.Namespaces, g.Pods = selector(spec.NamespaceSelector, "spec.namespaceSelector"), selector(spec.PodSelector, "spec.podSelector")
	}
	g.OldBlock = spec.IPBlock != nil
	blocks := spec.IPBlocks
	if spec.IPBlock != nil {
		blocks = append(blocks[:len(blocks):len(blocks)], *spec.IPBlock)
	}
	for i := range blocks {
		if !IsCommonCIDR(blocks[i].CIDR) {
			bad(CodeCIDR, "spec.ipBlocks", words.CleanText(blocks[i].CIDR)+" is not a CIDR")
		}
		if len(blocks[i].Except) > 0 {
			bad(antrea.IPBlockExcept, "spec.ipBlocks", antrea.ExceptMessage)
		}
		g.Networks = append(g.Networks, words.CleanText(blocks[i].CIDR))
	}
	if s := spec.ServiceReference; s != nil {
		k := model.Key{Kind: model.KindService, Namespace: words.CleanText(s.Namespace), Name: words.CleanText(s.Name)}
		if k.Namespace == "" {
			k.Namespace = m.Namespace
		}
		g.Service = &k
	}
	for _, c := range spec.ChildGroups {
		g.Children = append(g.Children, words.CleanText(c))
	}
	forms := countTrue(g.Select, spec.IPBlock != nil, len(spec.IPBlocks) > 0, g.Service != nil, len(g.Children) > 0,
		spec.ExternalEntity != nil)
	switch {
	case spec.ExternalEntity != nil && forms == 1:
		bad(antrea.NotJudged, "spec.externalEntitySelector", "is about "+externalEntities)
		g.Invalid[len(g.Invalid)-1].Severity = model.SeverityWarning
	case forms > 1:
		bad(antrea.GroupForms, "spec", "has several of podSelector or namespaceSelector, serviceReference, ipBlock, ipBlocks and childGroups: "+
			"only one is allowed")
	case forms == 0:
		bad(antrea.GroupForms, "spec", "selects nothing: it has none of podSelector, namespaceSelector, serviceReference, ipBlocks and "+
			"childGroups")
	}
	return g
}

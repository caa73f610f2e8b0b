package command

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
)

var policyKinds = []model.Kind{model.KindANP, model.KindBANP, model.KindNP, model.KindMNP, model.KindEF, model.KindCNP, model.KindACNP,
	model.KindANNP}

// PolicyNamed returns the only policy with a name.
func PolicyNamed(r *revision.Revision, name string) (model.PolicyKey, error) {
	var found []model.PolicyKey
	kind, rest, hasKind := strings.Cut(name, "/")
	for p := range r.Cluster.EveryPolicy() {
		k := p.Key
		short := k.NamespacedName()
		isKind := hasKind && (strings.EqualFold(kind, k.Kind.Abbreviation()) || strings.EqualFold(kind, string(k.Kind)) ||
			strings.EqualFold(kind, k.Kind.ResourceName()))
		if name == short || isKind && rest == short {
			found = append(found, k)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		all := namesOf(r.Cluster.EveryPolicy(), func(p *model.Policy) string { return p.Key.NamespacedName() })
		if like := cmp.Or(words.DidYouMean(name, all), words.DidYouMean(rest, all)); like != "" {
			return model.PolicyKey{}, fmt.Errorf("no policy %q%s", name, like)
		}
		if u := r.NeverRead(policyKinds...); u != nil {
			return model.PolicyKey{}, fmt.Errorf("no policy %q among those read; %s", name, u.Text())
		}
		names := namesOf(r.Cluster.EveryPolicy(), func(p *model.Policy) string { return p.Key.Label() })
		if len(names) > 12 {
			names = append(names[:12], "…")
		}
		if len(names) > 0 {
			return model.PolicyKey{}, fmt.Errorf("no policy %q; policies: %s", name, strings.Join(names, ", "))
		}
		return model.PolicyKey{}, fmt.Errorf("no policy %q; no policies were read at all", name)
	}
	return model.PolicyKey{}, fmt.Errorf("policy %q is ambiguous: give %s/%s or %s/%s", name,
		found[0].Kind.Abbreviation(), found[0].NamespacedName(), found[1].Kind.Abbreviation(), found[1].NamespacedName())
}

// ChangeableNamed is PolicyNamed for policies and, by KIND/NAME, for the objects they refer to: tier/NAME.
func ChangeableNamed(r *revision.Revision, name string) (model.PolicyKey, error) {
	kind, rest, _ := strings.Cut(name, "/")
	for o := range r.Cluster.Objects() {
		k := o.ObjectKey()
		if k.Kind.IsReferenced() && rest == k.NamespacedName() && (strings.EqualFold(kind, k.Kind.Abbreviation()) ||
			strings.EqualFold(kind, string(k.Kind))) {
			return k, nil
		}
	}
	return PolicyNamed(r, name)
}

// NoNamespace returns the error for a missing namespace, with a suggestion if a name is similar.
func NoNamespace(r *revision.Revision, name string) error {
	if r.NeverRead(model.KindNamespace) != nil {
		return errors.New(r.MissingText("namespace "+name, model.KindNamespace))
	}
	return fmt.Errorf("no namespace %q%s", name, words.DidYouMean(name, NamespaceChoices(nil, r)))
}

// NoPod returns the error for a missing pod, with a suggestion if a name is similar.
func NoPod(r *revision.Revision, name string) error {
	if r.NeverRead(model.KindPod) != nil {
		return errors.New(r.MissingText("pod "+name, model.KindPod))
	}
	return fmt.Errorf("no pod %s among the %s read%s", name, words.Count(r.Cluster.Count(model.KindPod), "pod"),
		words.DidYouMean(name, namesOf(r.Cluster.Pods(), func(p *model.Pod) string { return p.Namespace + "/" + p.Name })))
}

// ObjectName returns KIND/[NAMESPACE/]NAME. Unlike kubectl -o name it has the namespace, since names are
// unique only within one. Rung accepts it as an argument.
func ObjectName(k model.Key) string { return k.Kind.ResourceName() + "/" + k.NamespacedName() }

// PolicyNames returns the names of policies for -o name, each once. Units that are not objects have none.
func PolicyNames(keys []model.PolicyKey) (out []string) {
	for _, k := range keys {
		if name := ObjectName(k); k.Kind.IsPolicy() && k.Name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// ZonePrefix begins the name of a zone in -o name.
const ZonePrefix = "zone/"

// ZonesNamed returns all zones, or the zone called name. It is an error if zones are unknown because the nodes
// were not read.
func ZonesNamed(r *revision.Revision, name string) ([]*model.ZoneState, error) {
	if u := r.NeverRead(model.KindNode); u != nil && len(r.Zones) == 0 {
		return nil, errors.New("zones are " + u.Text())
	}
	if name == "" {
		return r.Zones, nil
	}
	name = strings.TrimPrefix(name, ZonePrefix)
	if z := r.Zone(name); z != nil {
		return []*model.ZoneState{z}, nil
	}
	names := page.MapList(r.Zones, func(z *model.ZoneState) string { return z.Name })
	if like := words.DidYouMean(name, names); like != "" {
		return nil, fmt.Errorf("no zone %q%s", name, like)
	}
	return nil, fmt.Errorf("no zone %q; zones: %s", name, words.ListFew(names, 12))
}

func NodeNames(c *model.Cluster) string {
	return words.OrNone(strings.Join(namesOf(c.Nodes(), func(n *model.Node) string { return n.Name }), ", "))
}

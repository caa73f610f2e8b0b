package ladder

import (
	"rung/model"
	"rung/model/legacy"
)

// isolates says whether a NetworkPolicy isolates its pods by itself.
func (o *Options) isolates(p *model.Policy, d model.Direction) bool {
	if o.LegacyIsolation {
		return legacy.Isolates(p, d)
	}
	return p.Isolates(d)
}

// annotated are the units of namespaces that their annotation isolates, where that counts.
func (o *Options) annotated(c *model.Cluster) (out []model.Key) {
	if !o.LegacyIsolation {
		return nil
	}
	for ns := range c.Namespaces() {
		if legacy.Isolated(c, ns.Name) {
			out = append(out, model.Key{Kind: model.KindIsolation2016, Namespace: ns.Name, Name: string(model.Ingress)})
		}
	}
	return out
}

package ladder

import (
	"rung/model"
)

// isolatesPods says whether a NetworkPolicy isolates its pods by itself.
func (o *Options) isolatesPods(p *model.Policy, d model.Direction) bool {
	if o.LegacyIsolation {
		return model.IsolatesByItself(p, d)
	}
	return p.IsolatesDirection(d)
}

// annotatedUnits are the units of namespaces that their annotation isolates, where that counts.
func (o *Options) annotatedUnits(c *model.Cluster) (out []model.Key) {
	if !o.LegacyIsolation {
		return nil
	}
	for ns := range c.Namespaces() {
		if model.IsIsolated(c, ns.Name) {
			out = append(out, model.Key{Kind: model.KindIsolation2016, Namespace: ns.Name, Name: string(model.Ingress)})
		}
	}
	return out
}

package reconciler

import (
	"rung/compiler"
	"rung/model"
)

// JoinsByUnit are how units stand in a zone. A policy whose rows are of another network than the
// default one stands there under the key of its object, too: of several networks as on the one where
// it differs.
type JoinsByUnit map[model.PolicyKey]*model.PolicyInZone

// Put puts in how a unit stands; nil takes it out.
func (m JoinsByUnit) Put(d *compiler.Desired, k model.PolicyKey, p *model.PolicyInZone) {
	if p == nil {
		delete(m, k)
	} else {
		m[k] = p
	}
	if k.Network == "" || k.Kind != model.KindNP {
		return
	}
	for _, kind := range []model.Kind{model.KindNP, model.KindMNP} {
		object := model.PolicyKey{Kind: kind, Namespace: k.Namespace, Name: k.Name}
		if was := m[object]; was != nil && was.Policy.Network != "" {
			delete(m, object)
		}
		for _, unit := range d.UnitKeys(object) {
			is := m[unit]
			if was := m[object]; unit.Network != "" && is != nil && (was == nil || was.InSync && !is.InSync) {
				m[object] = is
			}
		}
	}
}

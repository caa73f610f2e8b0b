package reconciler

import (
	"rung/compiler"
	"rung/model"
)

// StatesByUnit maps units to their states in a zone. A policy on another network is also found under its
// object's key. On several networks that is the first state with a difference, if any.
type StatesByUnit map[model.PolicyKey]*model.PolicyInZone

// Put stores a unit's state; nil removes it.
func (m StatesByUnit) Put(d *compiler.Desired, k model.PolicyKey, p *model.PolicyInZone) {
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

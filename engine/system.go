package engine

import (
	"rung/model"
	"rung/revision/settings"
)

// decideSystem finds out whose precedence holds, and compiles for that: under Antrea
// there are no rows.
func (s *state) decideSystem() {
	ovn := ""
	switch {
	case s.e.cfg.Reconcile:
		ovn = "rows are written (--reconcile)"
	case s.dialects != nil && s.dialects.view.Read():
		ovn = "zones have a Northbound database"
	}
	is, why := settings.SystemOf(s.e.cfg.System, s.cluster, ovn)
	was := s.system
	s.system, s.systemWhy = is, why
	if is == was {
		return
	}
	s.Changed()
	o := s.e.cfg.CompilerOptions()
	o.Nothing = is == model.SystemAntrea
	if d := s.dialects; d != nil {
		d.view = d.view.WithSystem(is)
		o, _ = d.view.Wants()
	}
	desired, delta := s.compiler.Reconfigure(o)
	if d := s.dialects; d != nil {
		v4, v6 := desired.Families()
		d.view = d.view.Compiled(o, v4, v6)
	}
	if delta.Empty() {
		return
	}
	s.desired = desired
	s.set.desired(s, nil, delta)
	if s.dialects != nil {
		s.dialects.step = s.set.steps
		s.set.readAgain(s)
	}
}

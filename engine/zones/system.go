package zones

import "rung/system"

// System returns the network plugin whose precedence holds, with the reason.
func (d *Dialects) System() (is *system.System, why string) { return d.system, d.systemReason }

// DecideSystem decides whose precedence holds, and recompiles if that changed: a plugin may have no rows.
func (d *Dialects) DecideSystem() {
	ovn := ""
	switch {
	case d.cfg.Writes:
		ovn = "rows are written (--reconcile)"
	case d.view != nil && d.view.HasReadRows():
		ovn = "zones have a Northbound database"
	}
	was := d.system
	d.system, d.systemReason = system.ChooseSystem(d.cfg.System, d.compiler.World().Cluster, ovn)
	if d.system == was {
		return
	}
	d.MarkChanged()
	o := d.cfg.CompilerOptions()
	o.NoRows = !d.system.HasFeature(system.Rows)
	if d.view != nil {
		d.view = d.view.WithSystem(d.system)
		o, _ = d.view.WantedOptions()
	}
	d.recompile(o, false)
}

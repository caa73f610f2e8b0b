package zones

import (
	"maps"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/dialect"
	"rung/revision"
	"rung/sources/kube"
	"rung/sources/retry"
	"rung/system"
)

const (
	// dialectRest is the shortest time between two complete compilations because the inferred options changed.
	dialectRest = 10 * time.Second
	// dialectWait is how long the configuration alone does not decide: rows, which outrank it, may still come.
	dialectWait = 3 * time.Second
)

// DialectConfig says what to follow.
type DialectConfig struct {
	*revision.Flags
	// Reads means reading rows of other programs: on clusters and from databases given by address.
	Reads bool
	// Kube has the configuration of OVN-Kubernetes, in Namespaces; nil if none.
	Kube       *kube.Cluster
	Namespaces []string
	// Zones means that zones are read; Writes that Rung writes their rows.
	Zones, Writes bool
	Slots         retry.Slots
}

// DialectCompiler compiles with other options, and hands the differences on to the zones. The loop calls both
// methods.
type DialectCompiler interface {
	World() World
	// Recompile returns whether any row changed; anew is that of Set.ApplyStep.
	Recompile(o compiler.Options, anew bool) (changed bool)
}

// Dialects finds the options of the zones' OVN-Kubernetes, and the system whose precedence holds. Only the
// loop may use it, except firstDialect and InferDialect.
type Dialects struct {
	*Loop
	cfg      DialectConfig
	compiler DialectCompiler
	zones    *Set
	alarm    *Alarm // other options may be adopted

	// system is the network plugin whose precedence holds, systemReason the reason for it.
	system       *system.System
	systemReason string

	view *revision.DialectView // immutable, for revisions; nil if nothing is read
	// configRead is when the configuration was first read; zero before.
	configRead time.Time
	changed    time.Time // last change of the options
	pending    bool      // other options wait to be adopted
	// step is the step of the desired rows that last changed the options.
	step       uint64
	shownZones map[string]shownZone
}

// shownZone caches what MarkIncomparable made of a zone's state.
type shownZone struct {
	state, out *model.ZoneState
	view       *revision.DialectView
	cluster    *model.Cluster
	step       uint64
}

// NewDialects returns the dialects of an engine with the initial objects and rows w.
func NewDialects(l *Loop, cfg DialectConfig, c DialectCompiler, w World) *Dialects {
	d := &Dialects{Loop: l, cfg: cfg, compiler: c, shownZones: map[string]shownZone{}}
	if cfg.Reads {
		v4, v6 := w.Desired.Families()
		d.view = revision.NewDialectView(cfg.Flags, v4, v6)
		if cfg.Writes {
			d.view = d.view.WithWriter()
		}
	}
	d.system, d.systemReason = system.ChooseSystem(cfg.System, w.Cluster, "")
	d.alarm = l.NewAlarm(d.decideOptions)
	return d
}

// SetZones sets the zones whose rows tell the settings, before the loop runs.
func (d *Dialects) SetZones(z *Set) { d.zones = z }

// Start begins to read the zones' dialects.
func (d *Dialects) Start() {
	if d.cfg.Kube != nil {
		d.Go(d.runConfig)
	}
	if d.cfg.Reads {
		d.Go(d.watchRows)
	}
}

// View returns the settings for a revision; nil if nothing is read. Without a setting, IP families follow the
// pods.
func (d *Dialects) View() *revision.DialectView {
	if d.view != nil {
		w := d.compiler.World()
		d.view = d.view.WithFamilies(w.Desired.Families()).WithObjects(w.Cluster, w.Desired, d.cfg.Kube != nil)
	}
	return d.view
}

// IsWaiting reports whether other options may soon be adopted.
func (d *Dialects) IsWaiting() bool {
	return d.view != nil && (d.pending || d.cfg.Kube != nil && d.configRead.IsZero())
}

// takeDialect adds what a zone's rows tell.
func (d *Dialects) takeDialect(zone string, found *dialect.Dialect) {
	if d.view == nil || found == nil {
		return
	}
	if next := d.view.WithRows(zone, found); next != d.view {
		d.view = next
		d.DecideSystem()
		d.decideOptions()
	}
}

// decideOptions compiles with the options of most zones, if these changed and the rest time is over.
func (d *Dialects) decideOptions() {
	d.MarkChanged()
	defer d.zones.AllowWriting()
	maps.DeleteFunc(d.shownZones, func(name string, _ shownZone) bool { return d.zones.States()[name] == nil })
	d.view = d.View().Recounted(d.zones.HasZone)
	o, others := d.view.WantedOptions()
	d.pending = false
	if !others {
		return
	}
	now := time.Now()
	due := d.changed.Add(dialectRest)
	if until := d.configRead.Add(dialectWait); d.cfg.Zones && len(d.view.ZoneNames()) == 0 && until.After(due) {
		due = until
	}
	if wait := due.Sub(now); wait > 0 {
		d.pending = true
		d.alarm.Set(wait)
		return
	}
	if d.recompile(o, true) {
		d.changed = now
	}
}

// recompile compiles with other options, and returns whether any row changed.
func (d *Dialects) recompile(o compiler.Options, anew bool) (changed bool) {
	changed = d.compiler.Recompile(o, anew)
	if d.view == nil {
		return changed
	}
	v4, v6 := d.compiler.World().Desired.Families()
	d.view = d.view.WithCompiled(o, v4, v6)
	if changed {
		d.step = d.zones.StepCount()
		d.zones.RereadSwept()
	}
	return changed
}

// IsOutdated reports whether a swept zone was judged by options since replaced.
func (d *Dialects) IsOutdated(st *model.ZoneState) bool {
	return d.view != nil && st.Conn == model.ConnSwept && st.Steps < d.step
}

// MarkIncomparable returns a zone's state with rows that cannot be compared with the desired ones marked as
// such, with the reason, instead of behind.
func (d *Dialects) MarkIncomparable(st *model.ZoneState) *model.ZoneState {
	if d.view == nil || st.Writes {
		return st
	}
	view, cluster := d.View(), d.compiler.World().Cluster
	if was := d.shownZones[st.Name]; was.state == st && was.view == view && was.cluster == cluster && was.step == d.step {
		return was.out
	}
	out := st
	if d.IsOutdated(st) && !st.Judging {
		next := *st
		next.Judging = true
		out = &next
	}
	if found := view.RowDialect(st.Name); found != nil {
		if policies := markedPolicies(cluster, out.Policies, view.Deviations(found), found); policies != nil {
			next := *out
			next.Policies = policies
			out = &next
		}
	}
	d.shownZones[st.Name] = shownZone{st, out, view, cluster, d.step}
	return out
}

// MarkUnread returns a zone's state with rows marked as incomparable if what they are compiled from was
// never read. why returns the reason for a kind of units; it is nil if everything was read.
func MarkUnread(st *model.ZoneState, why func(units model.Kind) string) *model.ZoneState {
	if why == nil {
		return st
	}
	out := st // a copy, once a policy needs a mark
	for k, p := range st.Policies {
		text := why(k.Kind)
		if text == "" || p.None != nil {
			continue
		}
		if out == st {
			next := *st
			next.Policies = maps.Clone(st.Policies)
			out = &next
		}
		out.Policies[k] = incomparable(p, text)
	}
	return out
}

// markedPolicies returns a zone's policies with the deviating kinds marked; nil if it has none.
func markedPolicies(c *model.Cluster, in map[model.PolicyKey]*model.PolicyInZone, no map[model.Kind]revision.Deviation,
	found *dialect.Dialect) map[model.PolicyKey]*model.PolicyInZone {
	var out map[model.PolicyKey]*model.PolicyInZone
	for k, p := range in {
		why := ""
		if p.NotComparable {
			why = found.RowsOfOwner(string(k.Kind)).Form
		} else if by, there := no[k.Kind]; there && !p.InSync && p.None == nil && (!by.Annotated || asksStateless(c, k.Namespace, k.Name)) {
			why = by.Text
		}
		if why == "" || p.Why == why {
			continue
		}
		if out == nil {
			out = maps.Clone(in)
		}
		out[k] = incomparable(p, why)
	}
	return out
}

// incomparable returns what remains known of a policy with incomparable rows, with the reason.
func incomparable(p *model.PolicyInZone, why string) *model.PolicyInZone {
	return &model.PolicyInZone{Policy: p.Policy, NotComparable: true, Why: why, Touched: p.Touched, LiveACLs: p.LiveACLs,
		LivePriority: p.LivePriority, Rows: p.Rows}
}

// asksStateless reports whether a NetworkPolicy requests stateless ACLs.
func asksStateless(c *model.Cluster, namespace, name string) bool {
	p := c.Policy(model.PolicyKey{Kind: model.KindNP, Namespace: namespace, Name: name})
	return p != nil && p.Annotations[model.AnnotationStateless] == "true"
}

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

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
	// dialectRest is the shortest time between two times that everything is
	// compiled anew because the inferred options changed.
	dialectRest = 10 * time.Second
	// dialectWait is how long the configuration alone does not decide: rows that
	// outrank it are on their way.
	dialectWait = 3 * time.Second
)

// Config says what is followed.
type DialectConfig struct {
	*revision.Flags
	// Reads says whether there are rows of others: on clusters and with databases given by
	// address.
	Reads bool
	// Kube is where the configuration of OVN-Kubernetes is read, in Namespaces; nil for none.
	Kube       *kube.Cluster
	Namespaces []string
	// Zones says that zones are read; Writes that Rung writes the rows of them.
	Zones, Writes bool
	Slots         retry.Slots
}

// Compiler compiles with other options, and hands what differs on to the zones; both are
// called in the loop.
type DialectCompiler interface {
	World() World
	// Recompile says whether any row became another; anew is that of zones.Set.ApplyStep.
	Recompile(o compiler.Options, anew bool) (changed bool)
}

// Dialects follow what the zones' OVN-Kubernetes runs with, and whose precedence holds.
// They are the loop's alone, but for firstDialect and InferDialect.
type Dialects struct {
	*Loop
	cfg      DialectConfig
	compiler DialectCompiler
	zones    *Set
	alarm    *Alarm // other options may be taken over

	// system is the network plugin whose precedence holds, systemReason the reason.
	system       *system.System
	systemReason string

	view *revision.DialectView // handed to revisions: replaced, never changed; nil where nothing is read
	// configRead is when the configuration was asked for the first time, zero
	// before.
	configRead time.Time
	changed    time.Time // when the options changed last
	pending    bool      // other options are waiting for their time
	// step is the step of the desired rows in which the options changed last.
	step       uint64
	shownZones map[string]shownZone
}

// shownZone keeps what a zone's state was turned into.
type shownZone struct {
	state, out *model.ZoneState
	view       *revision.DialectView
	cluster    *model.Cluster
	step       uint64
}

// New makes those of an engine whose world is w at first.
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

// SetZones gives the zones whose rows say what the settings are; it stands before the loop runs.
func (d *Dialects) SetZones(z *Set) { d.zones = z }

// Start reads the dialects of the zones from now on.
func (d *Dialects) Start() {
	if d.cfg.Kube != nil {
		d.Go(d.runConfig)
	}
	if d.cfg.Reads {
		d.Go(d.watchRows)
	}
}

// View returns the settings for a revision, nil where nothing is read; IP families follow
// the pods where no setting says.
func (d *Dialects) View() *revision.DialectView {
	if d.view != nil {
		w := d.compiler.World()
		d.view = d.view.WithFamilies(w.Desired.Families()).WithObjects(w.Cluster, w.Desired, d.cfg.Kube != nil)
	}
	return d.view
}

// IsWaiting says whether what is judged is about to be judged by other options.
func (d *Dialects) IsWaiting() bool {
	return d.view != nil && (d.pending || d.cfg.Kube != nil && d.configRead.IsZero())
}

// takeDialect takes in what a zone's rows say.
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

// takeConfig takes in what the cluster's objects say.
func (d *Dialects) takeConfig(c kube.OVNKube, problem string) {
	d.view = d.view.WithConfig(c, problem)
	if d.configRead.IsZero() {
		d.configRead = time.Now()
	}
	d.decideOptions()
}

// decideOptions compiles for what most zones say, when that changed and its time has come.
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

// recompile compiles with other options, and says whether a row became another.
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

// IsOutdated says whether a swept zone was judged by other options than
// those that hold.
func (d *Dialects) IsOutdated(st *model.ZoneState) bool {
	return d.view != nil && st.Conn == model.ConnSwept && st.Steps < d.step
}

// ExcuseIncomparable is a zone's state in which rows that cannot be compared with the
// desired ones are said to be so, with the reason, and never behind.
func (d *Dialects) ExcuseIncomparable(st *model.ZoneState) *model.ZoneState {
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
		if policies := excusedPolicies(cluster, out.Policies, view.Deviations(found), found); policies != nil {
			next := *out
			next.Policies = policies
			out = &next
		}
	}
	d.shownZones[st.Name] = shownZone{st, out, view, cluster, d.step}
	return out
}

// ExcuseUnread returns a zone's state in which rows are not comparable if what they are made of was
// never read. why says so of the units of a kind; it is nil if everything was read.
func ExcuseUnread(st *model.ZoneState, why func(units model.Kind) string) *model.ZoneState {
	if why == nil {
		return st
	}
	var out *model.ZoneState // a copy, once a policy is concerned
	for k, p := range st.Policies {
		text := why(k.Kind)
		if text == "" || p.None != nil {
			continue
		}
		if out == nil {
			next := *st
			next.Policies = maps.Clone(st.Policies)
			out = &next
		}
		out.Policies[k] = incomparable(p, text)
	}
	if out == nil {
		return st
	}
	return out
}

// excusedPolicies are the policies of a zone with those of the kinds that deviate marked;
// nil when none is.
func excusedPolicies(c *model.Cluster, in map[model.PolicyKey]*model.PolicyInZone, no map[model.Kind]revision.Deviation,
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

// incomparable returns what stays known of a policy whose rows cannot be compared, with the reason.
func incomparable(p *model.PolicyInZone, why string) *model.PolicyInZone {
	return &model.PolicyInZone{Policy: p.Policy, NotComparable: true, Why: why, Touched: p.Touched, LiveACLs: p.LiveACLs,
		LivePriority: p.LivePriority, Rows: p.Rows}
}

// asksStateless says whether a NetworkPolicy asks for rows without state.
func asksStateless(c *model.Cluster, namespace, name string) bool {
	p := c.Policy(model.PolicyKey{Kind: model.KindNP, Namespace: namespace, Name: name})
	return p != nil && p.Annotations[model.AnnotationStateless] == "true"
}

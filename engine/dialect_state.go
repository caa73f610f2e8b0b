package engine

import (
	"maps"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/dialect"
	"rung/revision/settings"
	"rung/sources/kube"
)

const (
	// dialectRest is the shortest time between two times that everything is
	// compiled anew because the inferred options changed.
	dialectRest = 10 * time.Second
	// dialectWait is how long the configuration alone does not decide: rows that
	// outrank it are on their way.
	dialectWait = 3 * time.Second
)

// dialects follow what the zones' OVN-Kubernetes runs with. The engine's loop owns
// them; nil where dialects are not read.
type dialects struct {
	view *settings.View // handed to revisions: replaced, never changed
	// configRead is when the configuration was asked for the first time, zero
	// before.
	configRead time.Time
	changed    time.Time // when the options changed last
	pending    bool      // other options are waiting for their time
	// step is the step of the desired rows in which the options changed last.
	step  uint64
	shown map[string]shownZone
}

// shownZone keeps what a zone's state was turned into.
type shownZone struct {
	in, out *model.ZoneState
	view    *settings.View
	cluster *model.Cluster
	step    uint64
}

// readsDialects says whether there are rows of others: on clusters and with
// databases given by address.
func (c *Config) readsDialects() bool {
	return c.Sandbox == nil && (c.Kube != nil || len(c.NB) > 0 || c.ZoneOf != nil)
}

func newDialects(cfg *Config, d *compiler.Desired) *dialects {
	if !cfg.readsDialects() {
		return nil
	}
	v4, v6 := d.Families()
	return &dialects{view: settings.New(&cfg.Flags, v4, v6), shown: map[string]shownZone{}}
}

// viewOf is what a revision gets; families follow the pods where nobody says.
func (d *dialects) viewOf(s *state) *settings.View {
	if d == nil {
		return nil
	}
	d.view = d.view.WithFamilies(s.desired.Families())
	return d.view
}

// waiting says whether what is judged is about to be judged by other options.
func (d *dialects) waiting(cfg *Config) bool {
	return d != nil && (d.pending || cfg.Kube != nil && d.configRead.IsZero())
}

// dialectOf takes in what a zone's rows say.
func (s *state) dialectOf(zone string, found *dialect.Dialect) {
	d := s.dialects
	if d == nil || found == nil {
		return
	}
	if next := d.view.WithRows(zone, found); next != d.view {
		d.view = next
		s.decideSystem()
		s.decideDialect()
	}
}

// dialectConfig takes in what the cluster's objects say.
func (s *state) dialectConfig(c kube.OVNKube, problem string) {
	d := s.dialects
	d.view = d.view.WithConfig(c, problem)
	if d.configRead.IsZero() {
		d.configRead = time.Now()
	}
	s.decideDialect()
}

// decideDialect compiles for what most zones say, when that changed and its time
// has come.
func (s *state) decideDialect() {
	d := s.dialects
	s.Changed()
	maps.DeleteFunc(d.shown, func(name string, _ shownZone) bool { return s.zones[name] == nil })
	d.view = d.viewOf(s).Counted(func(zone string) bool { return s.zones[zone] != nil || s.set.members[zone] != nil })
	o, others := d.view.Wants()
	d.pending = false
	if !others {
		return
	}
	now := time.Now()
	due := d.changed.Add(dialectRest)
	zones := len(s.e.cfg.NB) > 0 || s.e.cfg.ZoneOf != nil
	if until := d.configRead.Add(dialectWait); zones && len(d.view.Zones()) == 0 && until.After(due) {
		due = until
	}
	if wait := due.Sub(now); wait > 0 {
		d.pending = true
		s.alarms.dialect.Set(wait)
		return
	}
	desired, delta := s.compiler.Reconfigure(o)
	v4, v6 := desired.Families()
	d.view = d.view.Compiled(o, v4, v6)
	if delta.Empty() {
		return
	}
	s.desired, d.changed = desired, now
	s.set.wasLoaded = false // no object changed: what differs has done so all along
	s.set.desired(s, nil, delta)
	d.step = s.set.steps
	s.set.readAgain(s)
}

// readAgain makes the swept zones due: they were judged by other desired rows.
func (z *zoneSet) readAgain(s *state) {
	for _, m := range z.members {
		if !m.followed && m.last != nil && m.fails == 0 {
			m.due = time.Now()
		}
	}
	if len(z.members) > 0 {
		z.schedule(s)
	}
}

// outdatedByDialect says whether a swept zone was judged by other options than
// those that hold.
func (s *state) outdatedByDialect(st *model.ZoneState) bool {
	return s.dialects != nil && st.Conn == model.ConnSwept && st.Steps < s.dialects.step
}

// compared is a zone's state in which rows that cannot be compared with the
// desired ones are said to be so, with the reason, and never behind.
func (s *state) compared(st *model.ZoneState) *model.ZoneState {
	d := s.dialects
	if d == nil || st.Writes {
		return st
	}
	view := d.viewOf(s)
	if was := d.shown[st.Name]; was.in == st && was.view == view && was.cluster == s.cluster && was.step == d.step {
		return was.out
	}
	out := st
	if s.outdatedByDialect(st) && !st.Judging {
		next := *st
		next.Judging = true
		out = &next
	}
	if found := view.Rows(st.Name); found != nil {
		if policies := s.excused(out.Policies, view.Deviations(found), found); policies != nil {
			next := *out
			next.Policies = policies
			out = &next
		}
	}
	d.shown[st.Name] = shownZone{st, out, view, s.cluster, d.step}
	return out
}

// excused are the policies of a zone with those of the kinds that deviate marked;
// nil when none is.
func (s *state) excused(in map[model.PolicyKey]*model.PolicyInZone, no map[model.Kind]settings.Deviation,
	found *dialect.Dialect) map[model.PolicyKey]*model.PolicyInZone {
	var out map[model.PolicyKey]*model.PolicyInZone
	for k, p := range in {
		why := ""
		if p.NotComparable {
			why = found.Of(string(k.Kind)).Form
		} else if by, there := no[k.Kind]; there && !p.InSync && p.None == nil && (!by.Annotated || s.stateless(k)) {
			why = by.Text
		}
		if why == "" || p.Why == why {
			continue
		}
		if out == nil {
			out = maps.Clone(in)
		}
		out[k] = &model.PolicyInZone{Policy: k, NotComparable: true, Why: why, Touched: p.Touched, LiveACLs: p.LiveACLs,
			LivePriority: p.LivePriority, Rows: p.Rows}
	}
	return out
}

// stateless says whether a NetworkPolicy asks for rows without state.
func (s *state) stateless(k model.PolicyKey) bool {
	return asksStateless(s.cluster, k.Namespace, k.Name)
}

func asksStateless(c *model.Cluster, namespace, name string) bool {
	p := c.Policy(model.PolicyKey{Kind: model.KindNP, Namespace: namespace, Name: name})
	return p != nil && p.Annotations[model.AnnotationStateless] == "true"
}

package ladder

import (
	"fmt"
	"strconv"
	"strings"

	"rung/engine/revision"
	"rung/model"
	"rung/model/ladder"
	"rung/model/lint"
	"rung/model/words"
	"rung/themes"
	"rung/ui/view"
	"rung/ui/widget"
)

// builder makes the lines of one revision.
type builder struct {
	v *ladderPage
	frame
	st     *themes.Styles
	ladder *ladder.Ladder // of the stage that is shown
	live   *revision.LadderRows
	fresh  bool // live rows are those of this revision
	items  []*item
	finds  map[model.PolicyKey][]model.Finding
}

func (b *builder) build() []*item {
	b.finds = map[model.PolicyKey][]model.Finding{}
	finds, _ := b.rev.KnownFindings()
	for _, f := range finds {
		b.finds[f.Policy] = append(b.finds[f.Policy], f)
	}
	b.live, b.fresh = b.rev.KnownLadderRows()
	b.tier0()
	b.tier1()
	b.tier2()
	b.tier3()
	b.broken()
	return b.items
}

func (b *builder) add(it *item) { b.items = append(b.items, it) }

// band is the heading of a tier over the whole width.
func (b *builder) band(name, text string, folds bool) {
	title := name + " · " + text
	it := &item{kind: band, id: name, folds: folds, full: widget.Heading(title, b.w-2, b.st)}
	b.add(it)
}

// sign is the mark before a policy's name: alone on its rung, one of several,
// not supported.
func sign(r *ladder.Rung, i int) string {
	switch {
	case r.Unsupported:
		return "✗"
	case len(r.Policies) == 1:
		return "─"
	case i == 0:
		return "┌"
	case i == len(r.Policies)-1:
		return "└"
	}
	return "├"
}

func (b *builder) policy(rp *ladder.RungPolicy, r *ladder.Rung, i int) *item {
	p, st := rp.Policy, b.st
	it := &item{kind: policy, id: policyID(p.Key), key: p.Key, prio: r.Priority, listed: p.Kind == model.KindANP,
		subject: p.Subject.String(), ingress: counts(rp.Ingress, st), egress: counts(rp.Egress, st)}
	mark, style := st.Dim, st.Accent
	if r.Unsupported {
		mark = st.Error
	}
	it.name = widget.Line{{Text: sign(r, i) + " ", Style: mark}, {Text: p.Name, Style: style}}
	it.rules = it.egress
	if b.v.stage == model.StageToLport {
		it.rules = it.ingress
	}
	b.stand(it, p.Key, b.v.stage)
	it.log = logLevels(p, st)
	it.mark = b.mark(rp, r)
	if c := b.v.carry; c != nil && c.key == p.Key {
		it.name = widget.Line{{Text: "◆ ", Style: st.Key}, {Text: p.Name, Style: st.Title}}
		it.mark = c.says(r, st)
	}
	return it
}

func counts(n ladder.RuleCount, st *themes.Styles) widget.Line {
	var l widget.Line
	for _, c := range []struct {
		n     int
		sign  string
		style themes.Style
	}{{n.Allow, "A", st.Allow}, {n.Pass, "P", st.Pass}, {n.Deny, "D", st.Deny}} {
		if c.n == 0 {
			continue
		}
		if len(l) > 0 {
			l = l.Add(" ", st.Text)
		}
		l = l.Add(strconv.Itoa(c.n)+c.sign, c.style)
	}
	if len(l) == 0 {
		return widget.Styled("–", st.Dim)
	}
	return l
}

// state says how the policy stands over all zones.
func (b *builder) state(it *item, s revision.Summary) {
	st := b.st
	text, style := s.Text, view.StateStyle(s.State, st)
	if z := b.rev.Zone(s.Zone); s.State == model.StateUnknown && (z == nil || z.SyncedAt.IsZero() && z.Conn != model.ConnDenied && z.Conn != model.ConnLost) {
		text, style = "starting", st.Info
		if r := b.rev; len(r.Zones) == 0 && r.Loaded && !r.Mode.Sandbox {
			text, style = "not checked against live rows", st.Dim
		}
	}
	if s.Waiting > 0 {
		text += ", " + words.Count(s.Waiting, "pod") + words.Form(s.Waiting, " waits", " wait")
	}
	it.state = widget.Styled(text, style)
	zstyle := st.Dim
	if s.InSync == s.Zones && s.Zones > 0 {
		zstyle = st.OK
	}
	it.zones = widget.Styled(s.Short(), zstyle)
	it.rank = 10
	for i, x := range []model.PolicyState{model.StateFrozen, model.StateBehind, model.StateNotEnforced, model.StateUnknown,
		model.StateStale, model.StateNotComparable, model.StateSettling} {
		if s.State == x {
			it.rank = i
		}
	}
}

// stand says what a policy or unit compiles to, in one stage where the line is about
// one, and how it stands over all zones.
func (b *builder) stand(it *item, k model.Key, stage model.Stage) {
	if !b.rev.Compiled(k) {
		none := widget.Styled("–", b.st.Dim)
		it.pods, it.acls, it.zones, it.rank = "–", "–", none, 9
		it.state = widget.Styled("not compiled", b.st.Dim)
		return
	}
	it.pods = strconv.Itoa(b.rev.SubjectCount(k).Pods) // the policy's page tells of those apart
	it.acls = strconv.Itoa(b.rev.StageACLCount(k, stage))
	b.state(it, b.rev.Summary(k, b.now))
}

func logLevels(p *model.Policy, st *themes.Styles) widget.Line {
	l, err := p.LogLevels()
	if err != nil {
		return widget.Styled("✗ not valid", st.Error)
	}
	return levels(l, st)
}

func levels(l model.LogLevels, st *themes.Styles) widget.Line {
	if !l.Any() {
		return widget.Styled("off", st.Dim)
	}
	var parts []string
	for _, a := range []model.Action{model.Deny, model.Allow, model.Pass} {
		if level := l.For(a); level != "" {
			parts = append(parts, string(a[:1])+":"+level)
		}
	}
	if len(parts) == 3 && l.Allow == l.Deny && l.Deny == l.Pass {
		parts = []string{l.Deny}
	}
	return widget.Styled(strings.Join(parts, " "), st.Info)
}

// mark is the worst thing to say about a policy in a few words, with how many
// there are of its kind.
func (b *builder) mark(rp *ladder.RungPolicy, r *ladder.Rung) widget.Line {
	st, k := b.st, rp.Policy.Key
	n, first := 0, ""
	for _, i := range rp.Conflicts {
		c := b.ladder.Conflicts[i]
		other, _, _ := c.Other(k)
		if b.v.carry != nil && b.v.carry.key == other {
			continue // it would not be here any more
		}
		if n++; n == 1 {
			first = fmt.Sprintf(" conflicts with %s %.2s.%d", other.Name, c.Direction.Lower(), c.Rule)
		}
	}
	if n > 0 {
		return widget.Styled("●"+times(n)+first, st.Error)
	}
	var errors, warnings []model.Finding
	for _, f := range b.finds[k] {
		switch f.Severity {
		case model.SeverityError:
			if f.Code == lint.PriorityUnsupported {
				continue // STATE says it
			}
			errors = append(errors, f)
		case model.SeverityWarning:
			warnings = append(warnings, f)
		}
	}
	switch {
	case len(errors) > 0:
		return widget.Styled("●"+times(len(errors))+" "+errors[0].Message, st.Error)
	case len(warnings) > 0:
		return widget.Styled("▲"+times(len(warnings))+" "+warnings[0].Message, st.Warn)
	case r.Duplicate:
		return widget.Styled(fmt.Sprintf("= %d policies share %d", len(r.Policies), r.Priority), st.Info)
	}
	return nil
}

func times(n int) string {
	if n < 2 {
		return ""
	}
	return strconv.Itoa(n)
}

// broken lists policies that could not be read, each with its error.
func (b *builder) broken() {
	if len(b.ladder.Broken) == 0 {
		return
	}
	what := " of the files' objects are left out"
	if b.rev.Mode.Name == revision.ClusterMode {
		what = " things the API server keeps back, or Rung does not know"
	}
	b.band("not read", strconv.Itoa(len(b.ladder.Broken))+what, false)
	for i := range b.ladder.Broken {
		x := b.ladder.Broken[i]
		name := x.Key.Name
		if name == "" {
			name = "?"
		}
		l := widget.Line{{Text: "      ✗ ", Style: b.st.Error}, {Text: name + "  ", Style: b.st.Accent}, {Text: x.String(), Style: b.st.Text}}
		b.add(&item{kind: policy, id: fmt.Sprintf("broken %d %s", i, x.Origin.Where()), key: x.Key, broken: &x, full: l})
	}
}

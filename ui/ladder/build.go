package ladder

import (
	"fmt"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/revision"
	"rung/revision/finding"
	"rung/revision/liverows"
	"rung/revision/policies"
	"rung/themes"
	"rung/ui/detail"
	"rung/ui/view"
	"rung/ui/widget"
)

// builder makes the lines of one revision.
type builder struct {
	v *ladderPage
	frame
	st     *themes.Styles
	ladder *ladder.Ladder // of the stage that is shown
	live   *liverows.LadderRows
	fresh  bool // live rows are those of this revision
	items  []*item
	finds  map[model.PolicyKey][]*model.Finding
}

func (b *builder) build() []*item {
	b.finds = map[model.PolicyKey][]*model.Finding{}
	finds, _ := finding.KnownFindings(b.rev)
	for i := range finds {
		f := &finds[i]
		b.finds[f.Policy] = append(b.finds[f.Policy], f)
	}
	if b.rev.Antrea() {
		b.bands()
		b.broken()
		return b.items
	}
	b.live, b.fresh = liverows.KnownLadderRows(b.rev)
	b.tier0()
	b.tier1()
	b.tier2()
	b.tier3()
	b.broken()
	return b.items
}

func (b *builder) add(it *item) {
	it.place = len(b.items)
	b.items = append(b.items, it)
}

// band is the heading of a tier over the whole width.
func (b *builder) band(name, text string, folds bool) {
	title := name + " · " + text
	it := &item{kind: band, id: name, folds: folds, full: widget.Heading(title, b.w-2, b.st)}
	if widget.Width(title)+len("── ")+1 > b.w-2 {
		it.whole = widget.Styled(title, b.st.Title)
	}
	b.add(it)
}

// named is the name of a policy or unit after its sign. Where lines are sorted there is
// none: brackets say what stands beside what on the ladder.
func (b *builder) named(sign string, mark themes.Style, name widget.Line) widget.Line {
	if b.v.table.SortedBy() != "" {
		return name
	}
	return widget.Join(widget.Styled(sign+" ", mark), name)
}

// sign is the mark before a policy's name: alone on its rung, one of several,
// not supported. A filter may leave out some of a rung.
func (b *builder) sign(r *ladder.Rung, i int) string {
	switch {
	case !r.Enforced():
		return "✗"
	case len(r.Policies) == 1 || b.v.filtered:
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
	it := &item{kind: policy, id: policyID(p.Key), key: p.Key, prio: r.Priority, listed: p.Kind.Ranked(),
		subject: p.Subject.String(), ingress: counts(rp.Ingress, st), egress: counts(rp.Egress, st)}
	mark, style := st.Dim, st.Accent
	if r.Unsupported {
		mark = st.Error
	}
	name := p.Name
	if p.Kind == model.KindCNP { // beside those the tier is named for
		name = p.Label()
	}
	it.name = b.named(b.sign(r, i), mark, widget.Styled(name, style))
	it.rules = it.egress
	if b.v.stage == model.StageToLport {
		it.rules = it.ingress
	}
	b.stand(it, p.Key, b.v.stage)
	if none := b.rev.None(p.Key); r.Unsupported && none != nil {
		// Why stands among the notes.
		it.state[0].Text = strings.TrimSuffix(it.state[0].Text, ": "+policies.NoRowsShort(b.rev, none))
	}
	it.levels = logLevels(p, st)
	b.note(it, r, rp)
	if c := b.v.carry; c != nil && c.key == p.Key {
		it.name = widget.Line{{Text: "◆ ", Style: st.Key}, {Text: p.Name, Style: st.Title}}
		it.marks, it.stand, it.notes = []widget.Line{c.says(r, st)}, nil, nil
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
func (b *builder) state(it *item, s policies.Summary) {
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
	it.state, it.sign = widget.Styled(text, style), widget.Styled(detail.StateSign(s.State), style)
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
		if k.Kind == model.KindIsolation2016 {
			it.state, it.whole = widget.Styled("no rows", b.st.Dim), widget.Styled(revision.NoRowsOf2016, b.st.Text)
			it.marks = []widget.Line{widget.Styled("decides by the document of 2016", b.st.Dim)}
		}
		return
	}
	it.pods = strconv.Itoa(policies.CountSubjects(b.rev, k).Pods) // the policy's page tells of those apart
	it.acls = strconv.Itoa(liverows.StageACLCount(b.rev, k, stage))
	b.state(it, policies.Summarize(b.rev, k, b.now))
}

func logLevels(p *model.Policy, st *themes.Styles) []widget.Line {
	l, err := p.LogLevels()
	if err != nil {
		return badLevels(st)
	}
	return levels(l, st)
}

func badLevels(st *themes.Styles) []widget.Line {
	return []widget.Line{widget.Styled("✗ invalid", st.Error)}
}

// levels are what is logged, one piece per action unless all are alike.
func levels(l model.LogLevels, st *themes.Styles) []widget.Line {
	var parts []widget.Line
	for _, a := range []model.Action{model.Deny, model.Allow, model.Pass} {
		if level := l.For(a); level != "" {
			parts = append(parts, widget.Styled(string(a[:1])+":"+level, st.Info))
		}
	}
	switch {
	case len(parts) == 0:
		return []widget.Line{widget.Styled("off", st.Dim)}
	case len(parts) == 3 && l.Allow == l.Deny && l.Deny == l.Pass:
		return []widget.Line{widget.Styled(l.Deny, st.Info)}
	}
	return parts
}

// brokenObjects counts objects, each once however much is wrong with it.
func brokenObjects(all []model.Broken) int {
	type object struct {
		key       model.Key
		file      string
		doc, item int
	}
	seen := map[object]bool{}
	for _, b := range all {
		seen[object{b.Key, b.Origin.File, b.Origin.Doc, b.Origin.Item}] = true
	}
	return len(seen)
}

// broken lists policies that could not be read, each with its error.
func (b *builder) broken() {
	if len(b.ladder.Broken) == 0 {
		return
	}
	n := brokenObjects(b.ladder.Broken)
	what := words.Count(n, "object") + " skipped"
	if b.rev.Mode.Name == revision.ClusterMode {
		what = words.Count(n, "object") + " withheld by the API server, or unknown to Rung"
	}
	b.band("not read", what, false)
	for i := range b.ladder.Broken {
		x := b.ladder.Broken[i]
		name := x.Key.Name
		if name == "" {
			name = "?"
		}
		l := widget.Line{{Text: "      ✗ ", Style: b.st.Error}, {Text: name + "  ", Style: b.st.Accent}}
		hold := l.Width()
		b.add(&item{kind: policy, id: fmt.Sprintf("broken %d %s", i, x.Origin.Where()), key: x.Key, broken: &x,
			full: l.Add(x.String(), b.st.Text), hold: hold})
	}
}

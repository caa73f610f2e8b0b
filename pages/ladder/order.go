package ladder

import (
	"cmp"
	"fmt"
	"strings"

	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// ladderBuilder makes the lines of one revision.
type ladderBuilder struct {
	LadderOptions
	rev    *revision.Revision
	ladder *ladder.Ladder // for the stage
	live   *revision.LadderRows
	unread *revision.Unread // what is unread that states and pods depend on, nil if all was read
	lines  []*Line
	// examples of the sandbox decide nothing, so they are one folded line at the end.
	examples []revision.RowGroup
	finds    map[model.PolicyKey][]*model.Finding
}

// LadderLines returns the ladder of a revision, in deciding order.
func LadderLines(r *revision.Revision, opt LadderOptions) []*Line {
	b := &ladderBuilder{LadderOptions: opt, rev: r, ladder: r.Ladder().OfStage(opt.Stage)}
	if opt.Screen { // a command waits until everything is read, and prints findings separately, with rung lint
		b.unread = r.UnreadPods()
		b.finds = map[model.PolicyKey][]*model.Finding{}
		finds, _ := revision.KnownFindings(revision.WholeRevision(r)) // findings cover all networks
		for i := range finds {
			b.finds[finds[i].Policy] = append(b.finds[finds[i].Policy], &finds[i])
		}
	}
	switch {
	case r.System.Bands != nil:
		b.addBands()
	case opt.Screen:
		b.live, _ = revision.KnownLadderRows(r)
		b.addTiers()
	default:
		if len(r.Zones) > 0 {
			b.live = revision.FindLadderRows(r)
		}
		b.addTiers()
	}
	b.addBroken()
	if b.Sorted { // signs relate a line to its neighbours, which sorting separates
		for _, l := range b.lines {
			l.Sign = page.Span{}
		}
	}
	return b.lines
}

// unreadText says in a heading that a tier is unknown, because policies of a kind were not read.
func (b *ladderBuilder) unreadText(k model.Kind) string {
	if u := b.rev.Unread(k); b.Screen && u.HidesCount(b.rev.Cluster.Count(k)) {
		return " · " + u.Text()
	}
	return ""
}

func (b *ladderBuilder) addLine(l *Line) *Line {
	l.Place, l.Printed, l.hits = len(b.lines), !b.Screen, b.Hits
	b.lines = append(b.lines, l)
	return l
}

// addTiers adds the four tiers of OVN-Kubernetes.
func (b *ladderBuilder) addTiers() {
	b.addTier0()
	b.addTier1()
	b.addTier2()
	b.addTier3()
	b.addExamples()
}

// fewUnits limits the units of tier 2 whose namespaces unfold with it; with more, each namespace unfolds by
// itself.
const fewUnits = 60

// isUnfolded reports whether a heading is unfolded, by default or by the user.
func (b *ladderBuilder) isUnfolded(l *Line) bool {
	byItself := l.Kind == Namespace && len(b.ladder.Tiers[model.TierNetwork].Units) <= fewUnits
	if b.rev.Network != nil && l.Kind == Band && l.Tier == model.TierNetwork {
		byItself = true // nothing else decides on a network
	}
	if l.ID == notRead {
		byItself = b.rev.Mode.Name != "demo" // the demo's is an example
	}
	return byItself != b.ToggledHeadings[l.ID]
}

// isOpen reports whether a heading shows its lines: unfolded, filtered, or printed.
func (b *ladderBuilder) isOpen(l *Line) bool { return !b.Screen || b.Filtered || b.isUnfolded(l) }

// addTier0 adds the live rows that decide before every policy; they have no objects. It is one line until the
// user unfolds it or selects a stage, since admins look for policies.
func (b *ladderBuilder) addTier0() {
	rows := b.newRowQueue(model.TierIsolation)
	if len(rows.groups) == 0 {
		return
	}
	l := b.addLine(&Line{Kind: Band, ID: Tier0, Tier: model.TierIsolation, Foldable: b.Stage == ""})
	l.Open = b.isOpen(l)
	if b.Screen {
		l.Title = b.tier0Title(l, rows.groups)
	}
	if !l.Foldable || l.Open {
		rows.addRest()
	}
}

// addTier1 adds rungs and gaps in order, with live rows of others at their priority, and a carried policy at
// its new place. One stage has no gaps, since a priority is free in all stages or in none.
func (b *ladderBuilder) addTier1() {
	b.addLine(&Line{Kind: Band, ID: "tier 1", Tier: model.TierAdmin, Title: b.tier1Title()})
	t := &b.ladder.Tiers[model.TierAdmin]
	rungs, gaps := t.Rungs, t.Gaps
	if b.Carried.Name != "" {
		rungs, gaps = b.ladder.WithMoved(b.Carried, b.At)
	}
	if b.Stage != "" || b.unreadText(model.KindANP) != "" {
		gaps = nil
	}
	b.addRungs(t, rungs, gaps)
}

// addTier3 adds the baseline.
func (b *ladderBuilder) addTier3() {
	b.addLine(&Line{Kind: Band, ID: "tier 3", Tier: model.TierBaseline, Title: "tier 3 · " + b.decidesText(model.KindBANP) +
		b.notEnforcedText() + b.unreadText(model.KindBANP)})
	t := &b.ladder.Tiers[model.TierBaseline]
	b.addRungs(t, t.Rungs, nil)
}

// addRungs adds the lines of a tier with priorities.
func (b *ladderBuilder) addRungs(t *ladder.Tier, rungs []ladder.Rung, gaps []ladder.Gap) {
	rows := b.newRowQueue(t.Tier)
	for i := range rungs {
		r := &rungs[i]
		for len(gaps) > 0 && gaps[0].From < r.Priority {
			b.addGap(gaps[0])
			gaps = gaps[1:]
		}
		rows.addAbove(t.TopPriority(r))
		for j := range r.Policies {
			b.addPolicy(t.Tier, r, j)
		}
	}
	for _, g := range gaps {
		b.addGap(g)
	}
	rows.addRest()
}

func (b *ladderBuilder) addGap(g ladder.Gap) {
	if !b.ExpandAllGaps && !b.ExpandedGaps[g.From] {
		b.addLine(&Line{Kind: Gap, ID: GapID(g.From), Tier: model.TierAdmin, Gap: g, Priority: g.From})
		return
	}
	for p := g.From; p <= g.To; p++ {
		b.addLine(&Line{Kind: FreePriority, ID: FreePriorityID(p), Tier: model.TierAdmin, Gap: g, Priority: p, Listed: true})
	}
}

// addTier2 adds the policies between the AdminNetworkPolicies and their baseline: by kind and namespace, or
// within one stage by OVN priority.
func (b *ladderBuilder) addTier2() {
	t := &b.ladder.Tiers[model.TierNetwork]
	rows := b.newRowQueue(model.TierNetwork)
	l := b.addLine(&Line{Kind: Band, ID: "tier 2", Tier: model.TierNetwork, Foldable: len(t.Units)+len(rows.groups) > 0})
	l.Open = b.isOpen(l)
	if b.Screen {
		l.Title = b.tier2Title(l, t, len(rows.groups))
	}
	if !l.Foldable || !l.Open {
		return
	}
	for _, s := range t.Sections(b.Stage) {
		if b.Stage != "" {
			rows.addAbove(s.TopPriority())
		}
		b.addSection(&s)
		for i := range s.Namespaces {
			b.addNamespace(&s.Namespaces[i])
		}
		for i := range s.Units {
			if b.Stage != "" {
				first, _, _ := s.Units[i].PriorityRange(b.Stage)
				rows.addAbove(first)
			}
			b.addUnit(&s.Units[i], s.Stage, s.Kind)
		}
	}
	if b.Stage == "" && len(rows.groups) > 0 {
		b.addPart("other live rows in tier 2: they decide by priority too", "")
	}
	rows.addRest()
}

// addNamespace adds the heading of a namespace, and its units in tier 2.
func (b *ladderBuilder) addNamespace(n *ladder.NamespaceUnits) {
	l := b.addLine(&Line{Kind: Namespace, ID: "namespace " + n.Name, Tier: model.TierNetwork, Title: n.Name, Foldable: true, Rank: 8,
		Text: b.namespaceText(n)})
	l.Open = b.isOpen(l)
	if !l.Open {
		return
	}
	for i := range n.Policies {
		b.addUnit(&n.Policies[i], b.Stage, ladder.SectionNetpol)
	}
	if b.Stage == "" {
		for i := range n.Denies {
			b.addUnit(&n.Denies[i], "", ladder.SectionNetpol)
		}
	}
}

// mostRows limits the lines of live rows in a tier on a screen; the rows page has all.
const mostRows = 100

// rowQueue inserts live rows without a policy between the policies.
type rowQueue struct {
	b      *ladderBuilder
	groups []revision.RowGroup
	tier   int
	shown  int
}

// newRowQueue returns the live rows of a tier by priority, whatever their stage. It leaves examples for the end.
func (b *ladderBuilder) newRowQueue(tier int) *rowQueue {
	q := &rowQueue{b: b, tier: tier}
	for _, g := range b.live.GroupsOfTier(tier, b.Stage) {
		if b.isExample(&g) {
			b.examples = append(b.examples, g)
		} else {
			q.groups = append(q.groups, g)
		}
	}
	return q
}

// isExample reports whether rows are examples of the sandbox.
func (b *ladderBuilder) isExample(g *revision.RowGroup) bool {
	return g.Examples && b.rev.Mode.Sandbox && b.Screen
}

// addAbove adds the groups with a higher OVN priority.
func (q *rowQueue) addAbove(priority int) {
	for len(q.groups) > 0 && q.groups[0].Priority > priority {
		q.addNext()
	}
}

// addRest adds the remaining groups.
func (q *rowQueue) addRest() {
	for len(q.groups) > 0 {
		q.addNext()
	}
}

// addExamples adds the heading of the sandbox's examples, and their rows if it is unfolded.
func (b *ladderBuilder) addExamples() {
	if len(b.examples) == 0 {
		return
	}
	l := b.addLine(&Line{Kind: Examples, ID: "examples", Tier: -1, Title: sandboxExample + "s", Foldable: true, Rank: 8})
	text := " · " + strings.Join(ownerNames(b.examples), ", ") + " · " + words.Count(countRows(b.examples), "row") + ", which match nothing"
	l.Text, l.Open = page.Line{{Text: text, Role: themes.Dim}}, b.isOpen(l)
	if l.Open {
		(&rowQueue{b: b, groups: b.examples}).addRest()
	}
}

// countRows counts the rows of groups.
func countRows(groups []revision.RowGroup) (n int) {
	for i := range groups {
		n += groups[i].Rows
	}
	return n
}

func (q *rowQueue) addNext() {
	g, b := &q.groups[0], q.b
	left := len(q.groups)
	q.groups = q.groups[1:]
	q.shown++
	if b.Screen && q.shown > mostRows {
		text := fmt.Sprintf("      "+words.Group+" and %s of rows", words.Count(left, "more group"))
		b.addLine(&Line{Kind: More, ID: fmt.Sprintf("rows %d more", q.tier), Tier: q.tier, Rank: 8, Rows: g,
			Text: page.Line{{Text: text, Role: themes.Dim}}})
		q.groups = nil
		return
	}
	l := b.addLine(&Line{Kind: Rows, ID: fmt.Sprintf("rows %d %s %d %s", g.Tier, g.Stage, g.Priority, g.Label), Tier: g.Tier, Stage: g.Stage,
		First: g.Priority, Last: g.Last, Rows: g, Zones: b.live.Zones, Rank: 8})
	if g.Stage == model.StageToLport {
		l.Ingress = g.Actions
	} else {
		l.Egress = g.Actions
	}
	if b.Screen {
		l.Text, l.Hold = b.rowsText(g), rowsHold
	}
}

// notRead names the heading of the unreadable policies.
const notRead = "not read"

// addBroken adds the unreadable policies, each with its error.
func (b *ladderBuilder) addBroken() {
	if len(b.ladder.Broken) == 0 {
		return
	}
	n := brokenObjects(b.ladder.Broken)
	what := words.Count(n, "object") + " skipped"
	if b.rev.Mode.Name == revision.ClusterMode {
		what = words.Count(n, "object") + " withheld by the API server, or unknown to Rung"
	}
	l := b.addLine(&Line{Kind: Band, ID: notRead, Tier: -1, Foldable: true})
	l.Title, l.Open = notRead+" · "+what+" · "+b.foldingText(l), b.isOpen(l)
	if !l.Open {
		return
	}
	for i := range b.ladder.Broken {
		x := &b.ladder.Broken[i]
		b.addLine(&Line{Kind: Broken, ID: fmt.Sprintf("broken %d %s", i, x.Origin.Place()), Tier: -1, Key: x.Key, Broken: x, Hold: 2,
			Text: page.Line{{Text: "      " + words.No + " ", Role: themes.Error}, {Text: cmp.Or(x.Key.Name, "?") + "  ", Role: themes.Accent},
				{Text: x.String(), Role: themes.Text}}})
	}
}

// brokenObjects counts objects, each once for all its errors.
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

// ownerNames returns the owners of the rows, each once.
func ownerNames(groups []revision.RowGroup) []string {
	var names []string
	for i := range groups {
		names = model.AppendNew(names, groups[i].Owner)
	}
	return names
}

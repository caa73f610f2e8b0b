package ladder

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// Tier0 is the ID of the heading of tier 0.
const Tier0 = "tier 0"

// GapID returns the ID of a gap that begins with a priority.
func GapID(from int32) string { return "gap " + strconv.Itoa(int(from)) }

// FreePriorityID returns the ID of a free priority.
func FreePriorityID(priority int32) string { return "slot " + strconv.Itoa(int(priority)) }

// sandboxExample names the example rows of the sandbox.
const sandboxExample = "sandbox example"

// tier0Title returns the heading of tier 0: the owners, and the numbers of rows and zones.
func (b *ladderBuilder) tier0Title(l *Line, groups []revision.RowGroup) string {
	text := Tier0 + " · OVN-Kubernetes' own rows, before every policy · " + words.Count(countRows(groups), "row")
	if left := b.live.Zones - b.live.Read; left > 0 {
		text += fmt.Sprintf(", %s not read", words.Thousands(left))
	}
	if l.Foldable {
		text += " · " + strings.Join(ownerNames(groups), ", ") + " · " + b.foldingText(l)
	}
	return text
}

// foldingText says which key folds or unfolds a heading.
func (b *ladderBuilder) foldingText(l *Line) string {
	return words.Choose(b.isUnfolded(l), b.FoldKey+" folds", b.FoldKey+" unfolds")
}

// decidesText names the rules of a tier that decide in the stage, or says that none does.
func (b *ladderBuilder) decidesText(kind model.Kind) string {
	switch b.Stage {
	case model.StageFromLport:
		return string(kind) + " · no rule decides in this stage"
	case model.StageAfterLB:
		return string(kind) + " · egress rules"
	case model.StageToLport:
		return string(kind) + " · ingress rules"
	}
	return string(kind)
}

// notEnforcedText says that a tier's policies are not enforced on the ladder's network
// (networks.md#which-rows-a-network-has); empty for the default network.
func (b *ladderBuilder) notEnforcedText() string {
	if b.rev.Network == nil {
		return ""
	}
	return " · not enforced on " + b.rev.Network.Name
}

func (b *ladderBuilder) tier1Title() string {
	text := "tier 1 · " + b.decidesText(model.KindANP)
	switch {
	case b.rev.Network != nil:
		return text + b.notEnforcedText()
	case b.Stage != model.StageFromLport:
		text += " · lower number decides first"
	}
	if r := b.rev; len(r.Zones) == 0 && r.Loaded && !r.Mode.Sandbox {
		text += " · not checked against live rows"
	}
	return text + b.unreadText(model.KindANP)
}

// tier2Title returns the heading of tier 2: counts, the state while folded, and the key that unfolds it.
func (b *ladderBuilder) tier2Title(l *Line, t *ladder.Tier, groups int) string {
	if b.Stage == model.StageFromLport && !l.Foldable {
		return "tier 2 · no rule decides in this stage"
	}
	np, ef, mnp := string(model.KindNP), string(model.KindEF), string(model.KindMNP)
	if b.Narrow {
		np, ef, mnp = model.KindNP.Abbreviation(), model.KindEF.Abbreviation(), model.KindMNP.Abbreviation()
	}
	parts := []string{"tier 2", np + " " + b.policyCountText(t, model.KindNP)}
	if b.Stage != model.StageAfterLB {
		parts = append(parts, ef+" "+b.policyCountText(t, model.KindEF))
	}
	if n := t.Counts[model.KindMNP]; n > 0 {
		parts = append(parts, fmt.Sprintf("%s %s", mnp, words.Thousands(n)))
	}
	multicast := 0
	for i := range t.Units {
		if t.Units[i].Key.Kind == model.KindMulticastNS {
			multicast++
		}
	}
	if multicast > 0 {
		parts = append(parts, fmt.Sprintf("multicast %s", words.Thousands(multicast)))
	}
	if groups > 0 {
		parts = append(parts, "other rows")
	}
	if !b.isUnfolded(l) {
		if n := b.countNotInSync(t); n > 0 {
			parts = append(parts, fmt.Sprintf(words.Warned+" %s not in sync", words.Thousands(n)))
		}
	}
	if l.Foldable {
		parts = append(parts, b.foldingText(l), "higher OVN priority first")
	}
	return strings.Join(parts, " · ")
}

// policyCountText counts the policies of a kind in a tier.
func (b *ladderBuilder) policyCountText(t *ladder.Tier, k model.Kind) string {
	return b.rev.Unread(k).CountText(t.Counts[k])
}

// mostJudged limits the units whose states are computed, zone by zone, for the heading of a folded tier.
const mostJudged = 5000

// countNotInSync counts the units that need attention.
func (b *ladderBuilder) countNotInSync(t *ladder.Tier) int {
	if b.unread != nil || len(t.Units)*len(b.rev.Zones) > mostJudged {
		return 0
	}
	return revision.CountUnhealthy(b.rev, t, b.Now)
}

// addPart adds the heading of a part of tier 2, with a note about it.
func (b *ladderBuilder) addPart(title, note string) {
	b.addLine(&Line{Kind: Part, ID: "part " + title, Tier: model.TierNetwork, Title: title, Note: note})
}

func (b *ladderBuilder) addSection(s *ladder.Section) {
	switch s.Kind {
	case ladder.SectionFirewall:
		firewall := func(u ladder.Unit) bool { return u.Key.Kind == model.KindEF }
		what := "EgressFirewall and ingress multicast"
		if !slices.ContainsFunc(s.Units, firewall) {
			what = "ingress multicast"
		} else if !slices.ContainsFunc(s.Units, func(u ladder.Unit) bool { return !firewall(u) }) {
			what = "EgressFirewall"
		}
		b.addPart(afterEgressAllow, what+"; for pod destinations a tier-1 ingress Allow or Deny decides first")
	case ladder.SectionMulticast:
		b.addPart("from-lport-after-lb: egress multicast", "")
	case ladder.SectionNetpol:
		if s.Stage != "" {
			b.addPart("NetworkPolicy by namespace: what any policy allows is allowed", "")
		} else {
			b.addPart("NetworkPolicy by namespace: 1001 allows, then 1000 denies the rest", "")
		}
	case ladder.SectionOwn:
		b.addPart("OVN-Kubernetes' own: hairpin and nodes, whatever NetworkPolicies say", "")
	case ladder.SectionDeny:
		b.addPart("default deny: what nothing above allowed to isolated pods", "")
	}
}

// afterEgressAllow says how EgressFirewalls and ingress multicast differ from other policies, as a heading or
// mark.
const afterEgressAllow = "to-lport: decides even after an ANP egress Allow"

// sectionMarks returns the marks that replace a section's heading in printed tables.
func sectionMarks(k ladder.SectionKind) []LineMark {
	switch k {
	case ladder.SectionFirewall:
		return []LineMark{{Cell: page.Cell{Text: afterEgressAllow}}}
	case ladder.SectionMulticast:
		return []LineMark{{Cell: page.Cell{Text: string(model.StageAfterLB)}}}
	}
	return nil
}

// namespaceText describes a namespace's units in tier 2.
func (b *ladderBuilder) namespaceText(n *ladder.NamespaceUnits) page.Line {
	l := page.Line{{Text: "  " + words.Count(len(n.Policies), "policy"), Role: themes.Text}}
	denied := model.MapList(model.Filter(model.Directions[:], n.IsolatesDirection), model.Direction.Lower)
	deny := page.Span{Text: " · no default deny", Role: themes.Dim}
	if len(denied) > 0 {
		deny = page.Span{Text: " · default deny " + strings.Join(denied, ", "), Role: themes.Deny}
	}
	l = append(l, deny)
	if n.Firewall != nil && b.Stage != model.StageAfterLB {
		l = append(l, page.Span{Text: " · EgressFirewall", Role: themes.Info})
	}
	if n.Multicast {
		l = append(l, page.Span{Text: " · multicast", Role: themes.Info})
	}
	return l
}

// rowsHold is how many pieces of a live row's text stay when the user scrolls sideways.
const rowsHold = 4

// rowsText returns a line of live rows on a screen, which has no column for owners.
func (b *ladderBuilder) rowsText(g *revision.RowGroup) page.Line {
	example := b.isExample(g)
	prio, what, look := fmt.Sprintf("%5d ", g.Priority), "", themes.Warn
	switch {
	case example:
		prio, look = "        ", themes.Dim
		if g.Tier != model.TierIsolation {
			what = sandboxExample + ": "
		}
	case g.Tier != model.TierIsolation || g.Gone:
		what = whyNoPolicy(g) + ": "
	}
	l := append(page.Line{{Text: prio}, {Text: words.Group + " ", Role: look}, {Text: what, Role: look}, {Text: g.Label, Role: themes.Accent},
		{Text: "  ", Role: themes.Text}}, countsLine(g.Actions)...)
	if b.Stage == "" {
		l = append(l, page.Span{Text: "  " + string(g.Stage), Role: themes.Dim})
	}
	rest := fmt.Sprintf("  %s in %s/%s zones", words.Count(g.Rows, "row"), words.Thousands(len(g.Zones)), words.Thousands(b.live.Zones))
	switch {
	case example:
		rest += fmt.Sprintf(" · OVN priority %d", g.Priority)
	case g.Last != g.Priority:
		rest += ", to " + strconv.Itoa(g.Last)
	}
	return append(l, page.Span{Text: rest, Role: themes.Dim})
}

// whyNoPolicy explains why live rows have no policy.
func whyNoPolicy(g *revision.RowGroup) string {
	switch {
	case g.Gone:
		return "leftover rows"
	case g.Tier == model.TierIsolation:
		return "rows of OVN-Kubernetes itself"
	}
	return "rows Rung does not compile"
}

package policy

import (
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/system"
	"rung/themes"
	"rung/ui/detail"
	"rung/ui/view"
	"rung/ui/widget"
)

// headLines summarizes the policy and its state.
func (v *View) headLines(env *view.Env) []widget.Line {
	st, p := env.Styles, v.policy
	if p == nil {
		return v.goneLines(env)
	}
	title := widget.Line{{Text: " " + p.Kind.Title() + " ", Style: st.Dim}, {Text: p.NamespacedName(), Style: st.Title}}
	title = title.AddIf(p.APIVersion != "", " of "+p.APIVersion, st.Warn)
	text := fmt.Sprintf("   tier %d", p.Tier)
	if p.Tiered != nil {
		text = "   " + placeText(env, p)
	} else if p.Kind.HasPriority() {
		text += fmt.Sprintf(" · priority %d", p.Priority)
	}
	title = title.Add(text, st.Text)
	if p.Kind == model.KindCNP && env.Rev.WhyNoRows(p.Key) == nil {
		title = title.Add(" · rows "+nb.MarkCNP+" write them", st.Warn)
	}
	var file []widget.Line // a line of its own where the title has no room
	if where := p.Origin.Place(); where != "" {
		long := slices.Clone(title).Add("   "+where, st.Dim)
		if long.LineWidth() <= env.W {
			title = long
		} else {
			file = []widget.Line{{{Text: " file     ", Style: st.Dim}, {Text: where}}}
		}
	}
	subject := widget.Line{{Text: " subject  ", Style: st.Dim}, {Text: p.SubjectText()}}
	if p.Tiered != nil {
		subject[0].Text = " applied  "
	}
	n := revision.CountSubjects(env.Rev, v.key)
	subject = subject.Add(" → "+n.String(), st.Text)
	if n.OtherNetwork > 0 { // on a primary user-defined network
		subject = subject.Add(", not enforced", st.Text)
	}
	lines := append(append([]widget.Line{title}, file...), subject)
	if p.Kind == model.KindNP {
		lines = append(lines, isolatesLine(env, p, st))
	}
	if env.Rev.BySelectors(p) {
		return append(lines, rowlessLines(env, p)...)
	}
	logging := append(widget.Line{{Text: " logging  ", Style: st.Dim}}, detail.LoggingLine(env, p)...)
	rules := fmt.Sprintf("%s ingress and %s", words.Thousands(len(p.Ingress)), words.Count(len(p.Egress), "egress rule"))
	logging = logging.Add("   rules  ", st.Dim).Add(rules+" → "+words.Count(revision.ACLCount(env.Rev, p.Key), "ACL"), st.Text)
	return append(append(lines, logging), v.stateLines(env)...)
}

// isolatesLine names the directions in which a NetworkPolicy isolates its pods: traffic that no NetworkPolicy
// allows is dropped.
func isolatesLine(env *view.Env, p *model.Policy, st *themes.StyleSet) widget.Line {
	l := widget.Line{{Text: " isolates ", Style: st.Dim}}
	if text := revision.LegacyIsolationText(env.Rev, p); text != "" {
		return l.Add(text, st.Text)
	}
	if len(p.IsolatedDirections()) == 0 {
		return l.Add("nothing: policyTypes names no direction", st.Warn)
	}
	return l.Add(strings.Join(p.IsolatedDirections(), " and "), st.Text).Add(": denied unless a NetworkPolicy of "+p.Namespace+" allows it",
		st.Dim)
}

// subjectPods returns the pods the policy applies to, computed once per cluster state.
func (v *View) subjectPods(env *view.Env) []*model.Pod {
	if v.subjects.cluster != env.Rev.Cluster {
		v.subjects.cluster, v.subjects.pods = env.Rev.Cluster, revision.SubjectPods(env.Rev, v.policy)
	}
	return v.subjects.pods
}

// stateLines summarizes the policy over all zones: the worst state with its zone, since when and why.
func (v *View) stateLines(env *view.Env) []widget.Line {
	st := env.Styles
	s := revision.SummarizePolicy(env.Rev, v.key, env.Now)
	line := widget.Line{{Text: " state    ", Style: st.Dim}}
	if s.Zones == 0 {
		return []widget.Line{line.Add(words.Unknown+" not checked against live rows: no zones", st.Dim)}
	}
	text := fmt.Sprintf("in sync in %s of %s", words.Thousands(s.InSync), words.Count(s.Zones, "zone"))
	others := words.List(model.MapList(revision.RelatedOutOfSync(env.Rev, v.key, env.Now), model.PolicyKey.Label), 2)
	if s.State == model.StateInSync {
		line = line.Add(words.Yes+" ", st.OK).Add(text, st.OK)
		line = line.AddIf(others != "", " · "+words.Failed+" except "+others, st.Error)
		if s.Waiting > 0 {
			line = line.Add(fmt.Sprintf(" · %s without a logical switch port yet", words.Count(s.Waiting, "subject pod")), st.Warn)
		}
		return []widget.Line{line}
	}
	z := env.Rev.Zone(s.Zone)
	state, rest := detail.ZoneState(env.Rev, v.key, z, env.Now)
	line = line.Add(page.StateSign(state)+" "+string(state)+" in "+z.Name, view.StateStyle(state, st)).Add(" "+rest, st.Text).Add(" · "+text,
		st.Dim)
	if state == model.StateFrozen || state == model.StateNotEnforced {
		line = widget.Line{{Text: " state    ", Style: st.Dim}}
		line = line.Add(page.StateSign(state)+" "+s.Text, view.StateStyle(state, st))
		if none := env.Rev.WhyNoRows(v.key); none != nil {
			return []widget.Line{line, widget.Line{{Text: "          "}, {Text: none.Message, Style: st.Text}}}
		}
	}
	return []widget.Line{line}
}

// goneLines says that the policy does not exist, and which rows are left.
func (v *View) goneLines(env *view.Env) []widget.Line {
	st := env.Styles
	if len(v.brokenObjects(env)) > 0 {
		return []widget.Line{{{Text: " " + words.Failed + " ", Style: st.Error}, {Text: v.key.Label(), Style: st.Title},
			{Text: " could not be read and decides nothing."}}}
	}
	if u := env.Rev.Unread(v.key.Kind); u != nil {
		return []widget.Line{{{Text: " " + words.Unknown + " ", Style: st.Warn}, {Text: v.key.Label(), Style: st.Title}, {Text: ": " + u.Text()}}}
	}
	lines := []widget.Line{{{Text: " " + words.Failed + " ", Style: st.Error}, {Text: v.key.Label(), Style: st.Title},
		{Text: " no longer exists."}}}
	if rows, where := revision.LiveACLCount(env.Rev, v.key); rows > 0 {
		lines = append(lines, widget.Line{{Text: "   " + words.Count(rows, "ACL") + " still decide in " + words.List(where, 3), Style: st.Error}})
	}
	return lines
}

// countParts counts the content of each part.
func (v *View) countParts(env *view.Env) {
	v.counts = [partCount]string{}
	if n := model.CountFindings(revision.KnownPolicyFindings(env.Rev, v.key)); n.Total() > 0 {
		v.counts[findingsPart] = detail.FindingCount(n, nil, v.st).String()
	}
	s := revision.SummarizePolicy(env.Rev, v.key, env.Now)
	v.counts[zonesPart] = s.InSyncText()
	if v.policy != nil {
		v.counts[rulesPart] = fmt.Sprint(len(v.policy.Ingress) + len(v.policy.Egress))
		v.counts[podsPart] = revision.CountSubjects(env.Rev, v.key).ShareText() // all pods are listed; the head says which are excluded
	}
}

// foldMachineFields folds fields that only machines read: managedFields and status.
func foldMachineFields(lines []widget.Line, st *themes.StyleSet) []widget.Line {
	var out []widget.Line
	depth, hidden := -1, 0
	end := func() {
		if hidden > 0 {
			last := out[len(out)-1]
			out[len(out)-1] = append(last[:len(last):len(last)], widget.Span{Text: fmt.Sprintf(" … %s left out", words.Count(hidden, "line")),
				Style: st.Dim})
		}
		depth, hidden = -1, 0
	}
	for _, l := range lines {
		text := l.String()
		indent := 0
		for indent < len(text) && text[indent] == ' ' {
			indent++
		}
		body := text[indent:]
		if depth >= 0 && body != "" && (indent > depth || indent == depth && len(body) > 1 && body[:2] == "- ") {
			hidden++
			continue
		}
		end()
		out = append(out, l)
		if body == "managedFields:" || body == "status:" && indent == 0 {
			depth = indent
		}
	}
	end()
	return out
}

// HasNewCounts reports whether the shown hits of the rules may have changed.
func (v *View) HasNewCounts(env *view.Env) bool {
	return v.part == rulesPart && v.rules.Wide && detail.FreshHits(env, v.hits)
}

// placeText returns a policy's tier and priority in its plugin's tiers.
func placeText(env *view.Env, p *model.Policy) string {
	for _, t := range system.SystemOfKind(p.Kind).Tiers(env.Rev.Cluster) {
		if t.Name == p.Tiered.Tier {
			return fmt.Sprintf("tier %s (%d) · priority %g", t.Name, t.Priority, p.Tiered.Priority)
		}
	}
	return fmt.Sprintf("tier %s (does not exist) · priority %g", p.Tiered.Tier, p.Tiered.Priority)
}

// rowlessLines returns the logging and state of a policy without rows.
func rowlessLines(env *view.Env, p *model.Policy) []widget.Line {
	st := env.Styles
	logged := 0
	for r := range p.AllRules() {
		if r.Tiered != nil && r.Tiered.Logging {
			logged++
		}
	}
	rules := fmt.Sprintf("%s ingress and %s", words.Thousands(len(p.Ingress)), words.Count(len(p.Egress), "egress rule"))
	logging := widget.Line{{Text: " logging  ", Style: st.Dim}, {Text: fmt.Sprintf("%s with enableLogging", words.Count(logged, "rule"))}}
	if p.Tiered == nil {
		logging[1].Text = "by annotation of the namespace"
	} else if l := revision.PolicyLogging(env.Rev, p); l.TimeLeftText(env.Now) != "" {
		logging = logging.Add(" "+l.TimeLeftText(env.Now), st.Warn).Add("  session of "+l.Session.By+" until "+
			words.Clock(l.Session.Until.In(env.Now.Location()), env.Now), st.Dim)
	}
	logging = logging.Add("   rules  ", st.Dim).Add(rules, st.Text)
	state := widget.Line{{Text: " state    ", Style: st.Dim}}
	unjudged := revision.WhyUnjudged(env.Rev, p)
	switch a := p.Tiered; {
	case a != nil && env.Rev.System != system.SystemOfKind(p.Kind):
		state = state.Add(words.No+" has no effect here: "+env.Rev.System.TitlePossessive+" precedence applies", st.Warn)
	case unjudged != nil:
		style := words.Choose(unjudged.Sign == words.Unknown, st.Warn, st.Error)
		state = state.Add(unjudged.Sign+" "+unjudged.State+": see findings", style)
	case a != nil && a.Phase != "":
		state = state.Add(fmt.Sprintf("%s reported: %s on %s of %s", env.Rev.System.Title, a.Phase, words.Thousands(a.NodesRealized),
			words.Count(int(a.NodesDesired), "node")), st.Text)
	default:
		state = state.Add(env.Rev.System.Title+" reported nothing", st.Dim)
	}
	return []widget.Line{logging, state}
}

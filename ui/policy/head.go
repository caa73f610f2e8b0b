package policy

import (
	"fmt"

	"rung/engine"
	"rung/model"
	"rung/themes"
	"rung/ui/detail"
	"rung/ui/view"
	"rung/ui/widget"
)

// headLines say what the policy is and how it stands.
func (v *View) headLines(env *view.Env) []widget.Line {
	st, p := env.Styles, v.policy
	if p == nil {
		return v.goneLines(env)
	}
	name := p.Name
	if p.Namespace != "" {
		name = p.Namespace + "/" + p.Name
	}
	title := widget.Line{{Text: " " + string(p.Kind) + " ", Style: st.Dim}, {Text: name, Style: st.Title}}
	text := fmt.Sprintf("   tier %d", p.Tier)
	if p.Kind == model.KindANP {
		text += fmt.Sprintf(" · priority %d", p.Priority)
	}
	title = title.Add(text, st.Text)
	if where := p.Origin.Where(); where != "" {
		title = title.Add("   "+where, st.Dim)
	}
	subject := widget.Line{{Text: " subject  ", Style: st.Dim}, {Text: p.Subject.String()}}
	subject = subject.Add(" → "+v.podsText(env), st.Text)
	lines := []widget.Line{title, subject}
	if !p.Kind.IsAdmin() {
		return append(lines, widget.Join(widget.Styled(" · ", st.Info), widget.Plain("not compiled yet: what it decides is not decided here")))
	}
	logging := widget.Line{{Text: " logging  ", Style: st.Dim}}
	switch levels, err := p.LogLevels(); {
	case err != nil:
		logging = logging.Add("● the annotation is not valid", st.Error)
	case !levels.Any():
		logging = logging.Add("off", st.Text)
	default:
		logging = logging.Add(levels.String(), st.Info)
	}
	rules := fmt.Sprintf("%d ingress and %s", len(p.Ingress), detail.Count(len(p.Egress), "egress rule"))
	logging = logging.Add("   rules  ", st.Dim).Add(rules+" → "+detail.Count(env.Rev.ACLCount(p.Key), "ACL"), st.Text)
	return append(append(lines, logging), v.stateLines(env)...)
}

// podsText counts the subject pods; those with a primary network of their own
// are counted apart, because nothing is enforced there.
func (v *View) podsText(env *view.Env) string {
	pods := v.subjects(env)
	own := 0
	for _, p := range pods {
		if p.PrimaryUDN() != "" {
			own++
		}
	}
	text := detail.Count(len(pods)-own, "pod")
	if own > 0 {
		text += fmt.Sprintf(", %d more on a primary UDN: ANP not enforced there", own)
	}
	return text
}

// subjects are the pods the policy applies to, found once per state of the
// objects.
func (v *View) subjects(env *view.Env) []*model.Pod {
	if v.found.cluster != env.Rev.Cluster {
		v.found.cluster, v.found.pods = env.Rev.Cluster, v.findSubjects(env)
	}
	return v.found.pods
}

// findSubjects looks the pods up; those of NetworkPolicies and EgressFirewalls,
// which are not compiled, in their namespace.
func (v *View) findSubjects(env *view.Env) []*model.Pod {
	if v.policy == nil {
		return nil
	}
	if v.key.Kind.IsAdmin() {
		if env.Rev.None(v.key) == nil {
			return env.Rev.Subjects(v.key)
		}
		return v.refused(env)
	}
	var out []*model.Pod
	for p := range env.Rev.Cluster.PodsIn(v.key.Namespace) {
		if p.SubjectEligible() && (v.policy.Subject.AllPods || v.key.Kind == model.KindEF || v.policy.Subject.Pods.Matches(p.Labels)) {
			out = append(out, p)
		}
	}
	return out
}

// refused are the pods a policy without desired rows would apply to.
func (v *View) refused(env *view.Env) []*model.Pod {
	if pods := env.Rev.Subjects(v.key); len(pods) > 0 {
		return pods
	}
	var out []*model.Pod
	s := v.policy.Subject
	for ns := range env.Rev.Cluster.Namespaces() {
		if !s.Namespaces.Matches(ns.Labels) {
			continue
		}
		for p := range env.Rev.Cluster.PodsIn(ns.Name) {
			if p.SubjectEligible() && (s.AllPods || s.Pods.Matches(p.Labels)) {
				out = append(out, p)
			}
		}
	}
	return out
}

// stateLines are the policy over all zones: the worst state with its zone, since
// when and why.
func (v *View) stateLines(env *view.Env) []widget.Line {
	st := env.Styles
	s := env.Rev.Summary(v.key, env.Now)
	line := widget.Line{{Text: " state    ", Style: st.Dim}}
	if s.Zones == 0 {
		return []widget.Line{line.Add("? not checked against live rows: no zone is known", st.Dim)}
	}
	text := fmt.Sprintf("in sync in %d of %s", s.InSync, detail.Count(s.Zones, "zone"))
	if s.State == model.StateInSync {
		line = line.Add("✓ ", st.OK).Add(text, st.OK)
		if s.Waiting > 0 {
			line = line.Add(fmt.Sprintf(" · %s without a logical switch port yet", detail.Count(s.Waiting, "subject pod")), st.Warn)
		}
		return []widget.Line{line}
	}
	z := env.Rev.Zone(s.Zone)
	state, rest := detail.ZoneState(env.Rev, v.key, z, env.Now)
	line = line.Add(detail.StateSign(state)+" "+string(state)+" in "+z.Name, view.StateStyle(state, st)).Add(" "+rest, st.Text).Add(" · "+text, st.Dim)
	if state == model.StateFrozen || state == model.StateNotEnforced {
		line = widget.Line{{Text: " state    ", Style: st.Dim}}
		line = line.Add(detail.StateSign(state)+" "+s.Text, view.StateStyle(state, st)).Add(" · "+text, st.Dim)
		if none := env.Rev.None(v.key); none != nil {
			return []widget.Line{line, widget.Line{{Text: "          "}, {Text: none.Message, Style: st.Text}}}
		}
	}
	return []widget.Line{line}
}

// goneLines say that the policy does not exist, and what is left of it.
func (v *View) goneLines(env *view.Env) []widget.Line {
	st := env.Styles
	if len(v.broken(env)) > 0 {
		return []widget.Line{{{Text: " ● ", Style: st.Error}, {Text: v.key.Label(), Style: st.Title}, {Text: " could not be read: it decides nothing."}}}
	}
	lines := []widget.Line{{{Text: " ● ", Style: st.Error}, {Text: v.key.Label(), Style: st.Title}, {Text: " does not exist (any more)."}}}
	rows, where := 0, []string{}
	for _, z := range env.Rev.Zones {
		if p := z.Policy(v.key); p != nil && p.LiveACLs > 0 {
			rows += p.LiveACLs
			where = append(where, z.Name)
		}
	}
	if rows > 0 {
		lines = append(lines, widget.Line{{Text: "   " + detail.Count(rows, "ACL") + " of it still decide in " + detail.Join(where, 3), Style: st.Error}})
	}
	return lines
}

// count fills in how much each part has.
func (v *View) count(env *view.Env) {
	v.counts = [parts]string{}
	n, worst := 0, model.SeverityInfo
	known, _ := env.Rev.KnownFindings()
	for _, f := range known {
		if f.Policy == v.key {
			if n == 0 {
				worst = f.Severity // worst first
			}
			n++
		}
	}
	if n > 0 {
		sign, _ := detail.Sign(worst, v.st)
		v.counts[findingsPart] = fmt.Sprintf("%s%d", sign, n)
	}
	if v.key.Kind.IsAdmin() {
		s := env.Rev.Summary(v.key, env.Now)
		v.counts[zonesPart] = fmt.Sprintf("%d/%d", s.InSync, s.Zones)
	}
	if v.policy != nil {
		v.counts[rulesPart] = fmt.Sprint(len(v.policy.Ingress) + len(v.policy.Egress))
		v.counts[podsPart] = detail.Thousands(len(v.subjects(env)))
	}
}

// fold takes what only machines read out of a text: managedFields and status.
func fold(lines []widget.Line, st *themes.Styles) []widget.Line {
	var out []widget.Line
	depth, hidden := -1, 0
	end := func() {
		if hidden > 0 {
			last := out[len(out)-1]
			out[len(out)-1] = append(last[:len(last):len(last)], widget.Span{Text: fmt.Sprintf(" … %s left out", detail.Count(hidden, "line")), Style: st.Dim})
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

// refuseText is a reason with its consequence.
func refuseText(none *model.NoRows, largest int32) string {
	return engine.NoRowsShort(none, largest) + ": " + none.Message
}

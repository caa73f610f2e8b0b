package policy

import (
	"fmt"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/pages/policy"
	"rung/revision"
	"rung/themes"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

func (v *View) makeTables() {
	v.rules = widget.PageTable(policy.RuleTable(nil, true), &v.st)
	v.pods = widget.Table[*model.Pod]{
		ID: func(p *model.Pod) string { return p.Namespace + "/" + p.Name },
		Columns: []widget.TableColumn[*model.Pod]{
			{Title: "POD", Help: "namespace and name", Name: true, Min: 24,
				Cell: func(p *model.Pod) widget.Line { return widget.StyledLine(p.Namespace+"/"+p.Name, v.st.Accent) }},
			{Title: "ADDRESS", Help: page.ColumnHelp("address"), Cell: func(p *model.Pod) widget.Line {
				if len(p.IPs) == 0 {
					return widget.StyledLine("none", v.st.Warn)
				}
				return widget.PlainLine(strings.Join(p.IPs, " "))
			}},
			{Title: "NODE", Help: "where it runs", Drop: 2, Cell: func(p *model.Pod) widget.Line { return widget.PlainLine(p.NodeName) }},
			{Title: "PHASE", Help: "the phase that the kubelet reports", Drop: 4,
				Cell: func(p *model.Pod) widget.Line { return widget.PlainLine(p.Phase) }},
			{Title: "NOTE", Help: "why the policy is not enforced on it", Min: 12, Drop: 3, Cell: v.podNote},
			{Title: "LABELS", Help: "its labels", Min: 10, Drop: 5,
				Cell: func(p *model.Pod) widget.Line { return widget.StyledLine(p.Labels.String(), v.st.Dim) }},
		},
	}
}

// syncRules fills the table of rules, with hits and findings of each rule.
func (v *View) syncRules(env *view.Env) {
	finds := map[string][]model.Finding{}
	for _, f := range revision.KnownPolicyFindings(env.Rev, v.key) {
		if f.Rule >= 0 {
			id := f.Direction.Lower() + " " + strconv.Itoa(f.Rule)
			finds[id] = append(finds[id], f)
		}
	}
	p, hits := v.policy, v.hits
	v.rules.Columns = append(widget.PageTable(policy.RuleTable(p, !env.Rev.BySelectors(p)), &v.st).Columns,
		widget.TableColumn[*policy.Rule]{Title: "HITS", Help: page.ColumnHelp("hits"), Wide: true, Cell: func(x *policy.Rule) widget.Line {
			if hits == nil {
				return nil
			}
			return widget.PlainLine(hits.UseOfRule(p, x.Original).ShortText())
		}},
		widget.TableColumn[*policy.Rule]{Title: "FINDINGS", Help: "findings about the rule", Min: 3, Drop: 1,
			Cell: func(x *policy.Rule) widget.Line { return ruleMark(finds[x.ID()], env.W >= findingsWidth, v.st) }})
	if p == nil {
		v.rules.SetItems(nil)
		return
	}
	v.rules.SetItems(policy.RulesWithHeadings(p, policy.ListRules(env.Rev, p)))
}

func (v *View) podNote(p *model.Pod) widget.Line {
	var notes []string
	if v.waiting[p.Namespace+"_"+p.Name] {
		notes = append(notes, "no logical switch port yet")
	}
	if n := p.PrimaryUDN(); n != "" {
		notes = append(notes, "not enforced on its primary network "+n)
	}
	if p.Deleting {
		notes = append(notes, "being deleted")
	}
	return widget.StyledLine(strings.Join(notes, ", "), v.st.Warn)
}

func (v *View) syncPods(env *view.Env) {
	v.waiting = revision.WaitingPorts(env.Rev, v.key)
	v.pods.Empty = env.Rev.EmptyText("the subject selects no pods", model.KindPod, model.KindNamespace)
	if v.cluster != env.Rev.Cluster || len(v.pods.AllItems()) == 0 {
		v.pods.SetItems(v.subjectPods(env))
	}
}

// findingsWidth is the least width for findings in words in the table of rules; below only their signs are shown.
const findingsWidth = 150

// ruleMark counts the findings of a rule, and shows the worst if full.
func ruleMark(finds []model.Finding, full bool, st *themes.StyleSet) widget.Line {
	if len(finds) == 0 {
		return nil
	}
	l := detail.FindingCount(model.CountFindings(finds), nil, st)
	if !full {
		return l
	}
	return l.Add(" "+finds[0].Message, st.Text)
}

// findingLines lists the findings counted in the tab, worst first, each with its remedy.
func (v *View) findingLines(env *view.Env) []detail.Line {
	s := &detail.Sheet{St: env.Styles, W: env.W}
	for _, f := range revision.KnownPolicyFindings(env.Rev, v.key) {
		sign, look := detail.SeveritySign(f.Severity, env.Styles)
		to := nav.Page{}
		text := f.Message
		if v.policy != nil && v.policy.Rule(f.Direction, f.Rule) != nil {
			to = nav.ToRule(v.key, f.Direction, f.Rule)
			text = revision.RuleLabel(f.Direction, f.Rule, "") + ": " + text
		}
		if v.policy == nil && f.Origin.Place() != "" {
			text = f.Origin.Place() + ": " + text
		}
		id := fmt.Sprintf("finding.%s.%s.%d.%s", f.Code, f.Direction, f.Rule, f.Message)
		s.AddParagraph(id, 0, sign, look, env.Styles.Text, text+"  ("+f.Code+")", to)
		if f.Remedy != "" {
			s.AddParagraph(id+".remedy", 2, words.Remedy, env.Styles.Dim, env.Styles.Dim, f.Remedy, to)
			s.Lines[len(s.Lines)-1].Skip = true
		}
	}
	return s.Lines
}

// brokenObjects returns unreadable objects of the policy's name, if the policy does not exist.
func (v *View) brokenObjects(env *view.Env) (out []model.Broken) {
	for _, b := range env.Rev.Broken {
		if b.Key == v.key && v.policy == nil {
			out = append(out, b)
		}
	}
	return out
}

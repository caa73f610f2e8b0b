package pod

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ladder"
	"rung/model/verdict"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// NamespaceFacts is the JSON of a namespace (command-line.md#output).
type NamespaceFacts struct {
	Namespace string   `json:"namespace"`
	Labels    string   `json:"labels"`
	Pods      int      `json:"pods"`
	Networks  []string `json:"networks,omitempty"` // primary user-defined networks of its pods
	Logging   string   `json:"logging"`            // of its NetworkPolicies and EgressFirewalls
	// ReachedBy and Reaches list namespaces by verdict, over all pods and ports.
	ReachedBy map[verdict.Verdict][]string `json:"reached_by"`
	Reaches   map[verdict.Verdict][]string `json:"reaches"`
	Isolated  []IsolatedPods               `json:"isolated"`
	Policies  []NamespacePolicy            `json:"policies"` // in deciding order
	Findings  []string                     `json:"findings"` // about these policies, without those under a cause

	Lines  []NamespaceLine  `json:"-"`
	unread *revision.Unread // unread pods or namespaces, nil if all were read
}

// IsolatedPods counts the pods that NetworkPolicies isolate in a direction.
type IsolatedPods struct {
	Direction string   `json:"direction"`
	Pods      int      `json:"pods"`
	Policies  []string `json:"policies"`
}

// NamespacePolicy is a policy in a namespace, or with subject pods there.
type NamespacePolicy struct {
	Policy string `json:"policy"`
	Pods   int    `json:"pods"` // its subject pods in the namespace
}

// NamespaceLine is a line of the page of a namespace, with the object that it leads to.
type NamespaceLine struct {
	ID      string
	Text    page.Line
	IsHead  bool
	Policy  model.PolicyKey
	Finding *model.Finding
	ToPairs bool // leads to the connections of the namespace
}

// FactsOfNamespace returns the facts about a namespace. The matrix m covers all ports; without it, connections are
// being worked out. found are the findings so far.
func FactsOfNamespace(r *revision.Revision, ns *model.Namespace, m *revision.Matrix, found []model.Finding) *NamespaceFacts {
	o := &NamespaceFacts{Namespace: ns.Name, Labels: ns.Labels.String(), Policies: []NamespacePolicy{}, Findings: []string{},
		ReachedBy: map[verdict.Verdict][]string{}, Reaches: map[verdict.Verdict][]string{}}
	var pods []*model.Pod
	for p := range r.Cluster.Pods() {
		if p.Namespace != ns.Name || p.IsCompleted() {
			continue
		}
		pods = append(pods, p)
		if n := p.PrimaryUDN(); n != "" && !slices.Contains(o.Networks, n) {
			o.Networks = append(o.Networks, n)
		}
	}
	o.Pods, o.unread = len(pods), r.Unread(model.KindPod, model.KindNamespace)
	logging := revision.NamespaceLogging(r, ns.Name)
	o.Logging = words.Choose(logging.Levels.IsOn(), logging.Levels.String(), "off")
	o.addSummary()
	o.addReach(r, m)
	o.addDefaults(r, pods)
	o.addPolicies(r, found)
	return o
}

func (o *NamespaceFacts) add(id string, text ...page.Span) *NamespaceLine {
	o.Lines = append(o.Lines, NamespaceLine{ID: id, Text: text})
	return &o.Lines[len(o.Lines)-1]
}

func (o *NamespaceFacts) addHead(title string) {
	*o.add("# " + title) = NamespaceLine{ID: "# " + title, Text: page.HeadingLine(title), IsHead: true}
}

func (o *NamespaceFacts) addSummary() {
	o.add("labels", page.Span{Text: "labels   ", Role: themes.Dim}, page.Span{Text: words.OrNone(o.Labels)})
	o.add("logging", page.Span{Text: "logging  ", Role: themes.Dim}, page.Span{Text: o.Logging},
		page.Span{Text: "  of its NetworkPolicies and EgressFirewalls", Role: themes.Dim})
	if len(o.Networks) > 0 {
		o.add("network", page.Span{Text: "network  ", Role: themes.Dim}, page.Span{Text: strings.Join(o.Networks, ", ")},
			page.Span{Text: "  the connections below use the default network", Role: themes.Warn})
	}
}

// shownNamespaces bounds the namespaces named in a line of connections.
const shownNamespaces = 8

// addReach adds the namespaces that reach this one, and those reached from it, by verdict.
func (o *NamespaceFacts) addReach(r *revision.Revision, m *revision.Matrix) {
	o.addHead("connections · all pods, any port")
	var self *revision.MatrixEnd
	if m != nil {
		self = m.Namespace(o.Namespace)
	}
	switch {
	case m == nil:
		o.add("reach", page.Span{Text: "working out the connections…", Role: themes.Dim})
		return
	case self == nil:
		o.add("reach", page.Span{Text: r.EmptyText("no pods: it has no connections", model.KindPod, model.KindNamespace), Role: themes.Dim})
		return
	}
	for _, e := range m.Namespaces {
		from, to := m.Cell(e, self).Verdict(), m.Cell(self, e).Verdict()
		o.ReachedBy[from], o.Reaches[to] = append(o.ReachedBy[from], e.Namespace), append(o.Reaches[to], e.Namespace)
	}
	delete(o.ReachedBy, "")
	delete(o.Reaches, "")
	for _, way := range []struct {
		title string
		by    map[verdict.Verdict][]string
	}{{"may reach it   ", o.ReachedBy}, {"it may reach   ", o.Reaches}} {
		for _, v := range revision.CellVerdicts {
			names := way.by[v]
			if len(names) == 0 {
				continue
			}
			role := words.Choose(v == verdict.Deny || v == verdict.NotApplicable, themes.Dim, themes.Text)
			sign := page.VerdictSign(v)
			if v == verdict.NotApplicable {
				sign = page.Span{Text: page.None.Text, Role: page.None.Role}
			}
			o.add(way.title+string(v), page.Span{Text: way.title, Role: themes.Dim}, sign,
				page.Span{Text: fmt.Sprintf(" %-9s ", v), Role: role},
				page.Span{Text: words.ListSome(names, shownNamespaces), Role: role}).ToPairs = true
		}
	}
}

// addDefaults adds what decides about connections that no rule allows or denies.
func (o *NamespaceFacts) addDefaults(r *revision.Revision, pods []*model.Pod) {
	o.addHead("what no rule decides")
	if o.unread.HidesCount(o.Pods) {
		o.add("default", page.Span{Text: o.unread.Text(), Role: themes.Warn})
		return
	}
	baseline := "allowed"
	for _, p := range revision.PoliciesAsTheyDecide(r) {
		isBaseline := p.Tier == model.TierBaseline || p.Tiered != nil && p.Tiered.Tier == r.System.TiersAroundNetpol[1]
		if isBaseline && o.countSubjects(r, p.Key) > 0 {
			baseline = "allowed, unless " + p.Label() + " denies it"
		}
	}
	for _, dir := range model.Directions {
		is := IsolatedPods{Direction: dir.Lower(), Policies: []string{}}
		var by []model.PolicyKey
		for _, p := range pods {
			keys := revision.IsolatingPolicies(r, p, dir)
			if len(keys) == 0 {
				continue
			}
			is.Pods++
			by = model.AppendNew(by, keys...)
		}
		is.Policies = model.MapList(by, model.PolicyKey.String)
		o.Isolated = append(o.Isolated, is)
		title := page.Span{Text: fmt.Sprintf("%-8s ", dir.Lower()), Role: themes.Dim}
		who := words.Thousands(is.Pods) + " of " + words.Count(o.Pods, "pod")
		switch {
		case is.Pods == 0:
			o.add("default "+is.Direction, title, page.Span{Text: baseline}, page.Span{Text: "  no NetworkPolicy isolates", Role: themes.Dim})
			continue
		case is.Pods < o.Pods:
			who += "; for the others " + baseline
		}
		o.add("default "+is.Direction, title, page.Span{Text: "denied", Role: themes.Deny}, page.Span{Text: " for " + who},
			page.Span{Text: "  isolated by " + policyLabels(by), Role: themes.Dim}).Policy = by[0]
	}
}

// countSubjects counts the subject pods of a policy in the namespace.
func (o *NamespaceFacts) countSubjects(r *revision.Revision, k model.PolicyKey) (n int) {
	for _, s := range r.Subjects(k) {
		if s.Namespace == o.Namespace {
			n++
		}
	}
	return n
}

// addPolicies adds the policies in the namespace and those that apply to its pods, then the findings about them.
func (o *NamespaceFacts) addPolicies(r *revision.Revision, found []model.Finding) {
	o.addHead("policies, in deciding order")
	about := map[model.PolicyKey]bool{}
	for _, p := range revision.PoliciesAsTheyDecide(r) {
		n := o.countSubjects(r, p.Key)
		if n == 0 && p.Namespace != o.Namespace {
			continue
		}
		about[p.Key] = true
		o.Policies = append(o.Policies, NamespacePolicy{p.Key.String(), n})
		prio, why := "", ""
		if p.Kind.HasPriority() {
			prio = strconv.Itoa(int(p.Priority))
		}
		if none := r.WhyNoRows(p.Key); none != nil {
			why = "  " + words.No + " not enforced: " + revision.NoRowsShort(r, none)
		}
		in, out := ladder.CountRules(p.Ingress), ladder.CountRules(p.Egress)
		o.add(p.Key.String(), page.Span{Text: fmt.Sprintf("%5s ", prio)}, page.Span{Text: p.Label(), Role: themes.Accent},
			page.Span{Text: fmt.Sprintf("  %s  ingress %s  egress %s", o.countPods(n), in, out), Role: themes.Dim},
			page.Span{Text: why, Role: themes.Warn}).Policy = p.Key
	}
	if len(about) == 0 {
		o.add("no policies", page.Span{Text: r.EmptyText("none"), Role: themes.Dim})
	}
	o.addHead("findings about these policies")
	roots := model.RootCauses(found)
	for i := range found {
		f := &found[i]
		if !about[f.Policy] || f.Severity == model.SeverityInfo || roots.IsUnderRoot(f) {
			continue // the finding about the cause counts those under it
		}
		text := f.Policy.ShortLabel() + words.Between(" ", revision.RuleLabel(f.Direction, f.Rule, ""), "") + ": " + f.Message
		o.Findings = append(o.Findings, text)
		sign := page.SeveritySign(f.Severity)
		o.add(fmt.Sprintf("finding %d", i), sign, page.Span{Text: " " + text, Role: themes.Text}).Finding = f
	}
	if len(o.Findings) == 0 {
		o.add("no findings", page.Span{Text: r.EmptyText("no errors or warnings"), Role: themes.Dim})
	}
}

// PodsText counts the pods: "5 pods", or "? pods" if they were not read.
func (o *NamespaceFacts) PodsText() string { return o.countPods(o.Pods) }

func (o *NamespaceFacts) countPods(n int) string {
	if o.unread.HidesCount(n) {
		return o.unread.CountText(n) + " pods"
	}
	return words.Count(n, "pod")
}

// Text returns the lines for a terminal.
func (o *NamespaceFacts) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "namespace %s  %s\n", o.Namespace, o.PodsText())
	for _, l := range o.Lines {
		if l.IsHead {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimRight(l.Text.String(), " ") + "\n")
	}
	return b.String()
}

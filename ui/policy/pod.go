package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rung/model"
	"rung/model/network"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/pages/page"
	"rung/pages/pod"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// podPage shows one pod.
type podPage struct {
	view.List
	key   model.Key
	table *widget.Table[*pod.Line]
	st    *themes.StyleSet
	pod   *model.Pod
	head  []widget.Line

	// podFacts is computed again only when the objects change.
	cluster   *model.Cluster
	podFacts  *pod.PodFacts
	portPages map[string]nav.Page // pages of lines about ports
}

// NewPod makes the view of a pod.
func NewPod(page nav.Page) view.View {
	v := &podPage{key: page.Key}
	v.table = widget.PageTable(pod.Table, &v.st)
	v.Widget = v.table
	return v
}

// Sync makes the lines from the revision.
func (v *podPage) Sync(env *view.Env) {
	v.st = env.Styles
	v.pod = env.Rev.Cluster.Pod(v.key.Namespace, v.key.Name)
	if v.pod == nil {
		v.cluster, v.podFacts = nil, nil
		v.head = []widget.Line{widget.JoinLines(widget.StyledLine(" "+words.Failed+" ", v.st.Error),
			widget.PlainLine(detail.ObjectName(v.key)+" no longer exists."))}
		v.table.Empty, v.table.NoHeader = "", true
		v.table.SetItems(nil)
		return
	}
	v.table.NoHeader = false
	if v.cluster != env.Rev.Cluster {
		v.cluster, v.podFacts = env.Rev.Cluster, pod.FactsOfPod(env.Rev, v.pod, env.Now)
	}
	v.head = v.headLines(env)
	v.portPages = map[string]nav.Page{}
	if z := env.Rev.Zone(v.pod.NodeName); z != nil {
		for _, l := range v.podFacts.Lines {
			if l.TouchingRule != nil && l.Rule < 0 && l.PolicyKey.Kind != "" {
				v.portPages[l.ID] = detail.UnitPage(env.Rev, l.PolicyKey, z)
			}
		}
	}
	v.table.SetItems(slices.Concat(v.podFacts.Lines, v.networkLines(env)))
}

// headLines describes the pod.
func (v *podPage) headLines(env *view.Env) []widget.Line {
	st, p := env.Styles, v.podFacts
	lines := []widget.Line{{{Text: " " + p.Namespace + "/" + p.Name, Style: st.Title}, {Text: "   " + strings.Join(p.PlaceTexts(), " · ")}}}
	labels := widget.Line{{Text: " labels  ", Style: st.Dim}, {Text: words.OrNone(p.Labels)}}
	if ns := env.Rev.Cluster.Namespace(p.Namespace); ns != nil {
		labels = labels.Add(" · namespace labels: ", st.Dim).Add(words.OrNone(nsLabels(ns)), st.Text)
	}
	lines = append(lines, labels)
	if p.Note != "" {
		look, sign := st.Info, words.Noted
		if p.IsWarning {
			look, sign = st.Warn, words.Warned
		}
		lines = append(lines, widget.Line{{Text: " " + sign + " ", Style: look}, {Text: p.Note}})
	}
	return lines
}

// nsLabels omits the label that only repeats the name.
func nsLabels(ns *model.Namespace) string {
	m := map[string]string{}
	for k, val := range ns.Labels.Map() {
		if k != "kubernetes.io/metadata.name" || val != ns.Name {
			m[k] = val
		}
	}
	return model.NewLabels(m).String()
}

// Render draws the pod's summary with the rules below.
func (v *podPage) Render(env *view.Env, w, h int) string {
	n := v.linesAbove(h)
	lines := make([]string, n)
	for i := range lines {
		lines[i] = v.head[i].Render(w)
	}
	return strings.Join(append(lines, v.table.Render(env.Styles, w, h-n)), "\n")
}

// linesAbove returns the number of lines above the table.
func (v *podPage) linesAbove(h int) int {
	return words.Choose(h < 6, min(1, h-1, len(v.head)), len(v.head))
}

// Do opens log lines or the selected line, or moves the cursor.
func (v *podPage) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.PodLogs:
		env.OpenPage(nav.Page{Kind: nav.Logs, Key: v.key})
	case action.PodTraceTo:
		q := view.PrefilledTrace(env.Rev, nav.ToPod(v.key))
		q.From, q.To = "", q.From
		view.AskTrace(env, q)
	case action.PodQuarantine:
		env.OpenPage(nav.ToQuarantine(v.label()))
	case action.Open:
		env.OpenPage(v.SelectedPage())
	default:
		return v.List.Do(env, id)
	}
	return true
}

// label returns a label of the pod, "KEY=VALUE"; empty if it has none.
func (v *podPage) label() string {
	if v.pod == nil {
		return ""
	}
	labels := v.pod.Labels.Map()
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		if k != "pod-template-hash" {
			return k + "=" + labels[k]
		}
	}
	return ""
}

// SelectedPage returns the page of the selected line.
func (v *podPage) SelectedPage() nav.Page {
	l, _ := v.table.SelectedItem()
	if l == nil || l.TouchingRule == nil || l.Rule < 0 {
		return v.portPages[v.table.SelectedID()]
	}
	return nav.ToRule(l.PolicyKey, l.Dir, l.Rule)
}

// Click puts the cursor on a line.
func (v *podPage) Click(env *view.Env, _, y int) bool { return v.table.Click(y - v.linesAbove(env.H)) }

// Copies offers facts about the pod.
func (v *podPage) Copies(env *view.Env) []view.CopyItem {
	out := view.PageCopies(env, nav.ToPod(v.key))
	if v.pod != nil && len(v.pod.IPs) > 0 {
		out = append(out, view.CopyItem{What: "address", Text: v.pod.IPs[0]})
	}
	return append(out, view.CopyItem{What: "logical port", Text: portName(v.key)},
		view.CopyItem{What: "ovn-nbctl command for its port", Text: detail.FindNamed(nil, "Logical_Switch_Port", portName(v.key))})
}

// networkLines lists the pod's networks and logical ports.
func (v *podPage) networkLines(env *view.Env) []*pod.Line {
	p := v.pod
	out := []*pod.Line{pod.HeadingLine("networks and logical port")}
	if len(p.Networks) == 0 {
		out = append(out, &pod.Line{ID: "net", Full: page.Line{{Text: "default  ", Role: themes.Text},
			{Text: words.OrNone(strings.Join(p.IPs, " "))}, {Text: "  no annotation " + model.AnnotationPodNetworks, Role: themes.Dim}}})
	}
	for i, n := range p.Networks {
		l := page.Line{{Text: n.Name + "  ", Role: themes.Text}, {Text: words.OrNone(strings.Join(n.IPs, " "))}}
		if n.Role != "" {
			l = append(l, page.Span{Text: "  role " + n.Role, Role: themes.Dim})
		}
		if n.Role == "primary" && n.Name != "default" {
			l = append(l, page.Span{Text: "  ANP not enforced on it", Role: themes.Warn})
		}
		out = append(out, &pod.Line{ID: fmt.Sprintf("net.%d", i), Full: l})
	}
	out = append(out, v.portLines(env, portName(p.Key), false)...)
	networks := env.Rev.Desired.Networks()
	for _, on := range networks.PodNetworks(p) {
		n := networks.Network(on)
		if q := networks.PodOn(n, p); q != nil {
			for _, name := range q.LogicalPorts {
				lines := v.portLines(env, name, n.Topology == network.Layer2)
				for _, l := range lines {
					if p, ok := v.portPages[l.ID]; ok { // a trace from here uses that network
						v.portPages[l.ID] = p.OnNetwork(on)
					}
				}
				out = append(out, lines...)
			}
		}
	}
	return out
}

// portLines returns the states of a logical port of the pod in the zones; a port of a layer 2 network is
// everywhere.
func (v *podPage) portLines(env *view.Env, name string, everywhere bool) (out []*pod.Line) {
	p := v.pod
	for _, z := range env.Rev.Zones {
		here := z.Name == p.NodeName
		lsp := z.DB.PortByName(name)
		if !here && (lsp == nil || everywhere) {
			continue
		}
		id := "port." + name + "." + z.Name
		l := page.Line{{Text: "port " + name + " in " + z.Name + "  "}}
		switch {
		case z.DB == nil:
			l = append(l, page.Span{Text: "zone not read: " + detail.WhyNotCurrent(z, env.Now), Role: themes.Dim})
		case lsp == nil && p.CanBeSubject():
			l = append(l, page.Span{Text: words.Waiting + " does not exist yet: no policy is enforced on it", Role: themes.Warn})
		case lsp == nil:
			l = append(l, page.Span{Text: "none, as expected", Role: themes.Dim})
		case !here:
			l = append(l, page.Span{Text: words.Differs + " the pod does not run there", Role: themes.Error})
			v.portPages[id] = detail.RowPage(z, lsp, nil)
		default:
			l = append(l, page.Span{Text: "present", Role: themes.OK})
			v.portPages[id] = detail.RowPage(z, lsp, nil)
			l[0].Role = themes.Accent
		}
		out = append(out, &pod.Line{ID: id, Full: l})
	}
	return out
}

func portName(k model.Key) string { return nb.PortName(k.Namespace, k.Name) }

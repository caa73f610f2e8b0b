package pod

import (
	"cmp"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// Pod holds the facts of a pod by itself.
type Pod struct {
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	Node      string   `json:"node"`
	Phase     string   `json:"phase"`
	IPs       []string `json:"ips"`
	Labels    string   `json:"labels"`
	Note      string   `json:"note,omitempty"`

	IsWarning bool       `json:"-"` // the note is a warning
	Original  *model.Pod `json:"-"`
}

func newPod(p *model.Pod) Pod {
	out := Pod{Namespace: p.Namespace, Name: p.Name, Node: p.NodeName, Phase: p.Phase, IPs: append([]string{}, p.IPs...),
		Labels: p.Labels.String(), Original: p}
	if p.Planned != nil {
		out.Phase = ""
	}
	out.Note, out.IsWarning = revision.PodNote(p)
	return out
}

// Listed is the JSON of a pod in a list.
type Listed struct {
	Pod
	// Policies are enforced on the pod, in deciding order.
	Policies []string `json:"policies"`

	names []string
}

// ListPods returns some pods, each with the policies enforced on it.
func ListPods(r *revision.Revision, pods []*model.Pod) []*Listed {
	out, at := make([]*Listed, len(pods)), map[model.Key]*Listed{}
	for i, p := range pods {
		o := &Listed{Pod: newPod(p), Policies: []string{}}
		out[i], at[p.Key] = o, o
	}
	for _, policy := range revision.PoliciesAsTheyDecide(r) {
		if r.WhyNoRows(policy.Key) != nil {
			continue
		}
		for _, p := range r.Subjects(policy.Key) {
			if o := at[p.Key]; o != nil {
				o.Policies, o.names = append(o.Policies, policy.Key.String()), append(o.names, policy.Key.Label())
			}
		}
	}
	return out
}

// List lists pods.
var List = &page.Table[*Listed]{
	Help: map[string]string{
		"node":     "the node it runs on",
		"phase":    "its phase in the API server",
		"policies": "number of policies enforced on it",
		"labels":   "its labels, for selectors",
		"note":     "why policies treat it differently",
	},
	ID:    func(p *Listed) string { return p.Namespace + "/" + p.Name },
	Empty: "no pods",
	Columns: []page.Column[*Listed]{
		{Key: "namespace", Title: "NAMESPACE", Importance: page.Always, Cell: page.TextCell(func(p *Listed) string { return p.Namespace })},
		{Key: "name", Title: "NAME", Name: true, Importance: page.Always,
			Cell: page.RoleCell(themes.Accent, func(p *Listed) string { return p.Name })},
		{Key: "phase", Title: "PHASE", Importance: 97, Cell: page.TextCell(func(p *Listed) string { return cmp.Or(p.Phase, page.None.Text) })},
		{Key: "node", Title: "NODE", Importance: 96, Cell: page.TextCell(func(p *Listed) string { return cmp.Or(p.Node, page.None.Text) })},
		{Key: "address", Title: "ADDRESS", Importance: 95, Cell: page.TextCell(func(p *Listed) string {
			return cmp.Or(strings.Join(p.IPs, " "), page.None.Text)
		})},
		{Key: "policies", Title: "POLICIES", Right: true, Importance: 98,
			Cell: page.TextCell(func(p *Listed) string { return strconv.Itoa(len(p.Policies)) })},
		{Key: "policy", Title: "ENFORCED", Wide: true, Importance: 93, Cell: page.TextCell(func(p *Listed) string {
			return strings.Join(p.names, ", ")
		})},
		{Key: "labels", Title: "LABELS", Wide: true, Importance: 92, Cell: page.TextCell(func(p *Listed) string { return p.Labels })},
		{Key: "note", Title: "NOTE", Sparse: true, Flex: true, Importance: 94, Cell: func(p *Listed) page.Cell {
			return page.Cell{Text: p.Note, Role: words.Choose(p.IsWarning, themes.Warn, themes.Dim)}
		}},
	},
}

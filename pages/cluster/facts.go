package cluster

import (
	"slices"
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/system"
)

// ClusterFacts is the JSON of rung can (command-line.md#output). Lists are never null.
type ClusterFacts struct {
	Mode    string `json:"mode"`
	Title   string `json:"title"` // the context, or the files
	Server  string `json:"server,omitempty"`
	User    string `json:"user,omitempty"`
	Changes struct {
		Allowed bool   `json:"allowed"`
		WhyNot  string `json:"why_never,omitempty"` // why changes can never be allowed
	} `json:"changes"`
	// RowsBy names the writer of the rows: "rung", "ovn-kubernetes", or "both" in different zones; empty
	// without rows.
	RowsBy string `json:"rows_by,omitempty"`
	// Writers are the replicas of rung reconcile named in NB_Global of the zones.
	Writers []string `json:"writers,omitempty"`
	// WhyNoRows says why policies have no rows.
	WhyNoRows string              `json:"why_no_rows,omitempty"`
	Sources   []model.SourceState `json:"sources"`
	Pods      revision.PodCount   `json:"pods"`
	// Resources lists the API server's resources, or the kinds read from elsewhere.
	Resources []ResourceFacts `json:"resources"`
	// Newer lists what a newer API release has that Rung does not read.
	Newer []string `json:"newer,omitempty"`
	// Answered means that the API server has answered; always false off a cluster.
	Answered    bool                    `json:"answered"`
	Permissions []PermissionFacts       `json:"permissions"`
	Settings    []revision.SettingValue `json:"settings,omitempty"` // of OVN-Kubernetes, in most zones

	mode     revision.Mode
	podsText string // number of pods, or why it is unknown
	named    int    // zones whose NB_Global names a writer
	zones    int
}

// ResourceFacts describes how one resource of a source is read.
type ResourceFacts struct {
	model.SourceResource
	source string
}

// PermissionFacts holds verbs of one resource with the same answer.
type PermissionFacts struct {
	Verbs     []string `json:"verbs"`
	Resource  string   `json:"resource"`
	Namespace string   `json:"namespace,omitempty"`
	Allowed   bool     `json:"allowed"`
	// NotNeeded marks a refused permission that is not needed: another namespace allows the same.
	NotNeeded bool   `json:"not_needed,omitempty"`
	Why       string `json:"why,omitempty"`
	// Without says which feature is missing without the permission.
	Without string `json:"without,omitempty"`
	Command string `json:"command"` // asks the server about the first verb
}

// readKinds are the kinds read from every source.
var readKinds = []model.Kind{model.KindNamespace, model.KindPod, model.KindNode, model.KindService, model.KindEndpointSlice}

// networkKinds are the kinds about networks other than the default, listed only if objects exist.
var networkKinds = []model.Kind{model.KindUDN, model.KindCUDN, model.KindNAD, model.KindCNC, model.KindMNP}

// NewFacts returns the facts of a revision.
func NewFacts(r *revision.Revision) *ClusterFacts {
	m := r.Mode
	f := &ClusterFacts{Mode: m.Name, Title: m.Title, Server: m.Server, User: m.User,
		Sources: append([]model.SourceState{}, r.Sources...), Resources: []ResourceFacts{},
		mode: m, Pods: r.PodCount(), Permissions: mergePermissions(r.Access.Permissions())}
	f.Changes.Allowed, f.Changes.WhyNot = m.Writes, m.WhyNot
	f.Answered = len(f.Permissions) > 0
	f.WhyNoRows = r.System.WhyLacking(system.Rows)
	f.podsText = f.Pods.String()
	if u := r.Unread(model.KindPod); u.HidesCount(f.Pods.All) {
		f.podsText = u.Text()
	}
	switch {
	case !r.System.HasFeature(system.Rows):
	case m.Sandbox || m.Reconciles:
		f.RowsBy = "rung"
	case f.isCluster() || len(r.Zones) > 0:
		f.RowsBy = f.rowsByOthers(r.Zones)
	}
	for _, src := range r.Sources {
		for _, x := range src.Resources {
			f.Resources = append(f.Resources, ResourceFacts{x, src.Name})
		}
	}
	if !f.isCluster() {
		f.addKinds(r)
	}
	if len(r.Zones) > 0 { // without zones the settings are unknown
		f.Settings = revision.DialectOfZone(r, "").Settings
	}
	for _, b := range r.Broken {
		if b.Code == model.CodeNewer {
			f.Newer = append(f.Newer, b.String())
		}
	}
	return f
}

// rowsByOthers returns the writer of rows that this process only observes.
func (f *ClusterFacts) rowsByOthers(zones []*model.ZoneState) string {
	f.zones = len(zones)
	for _, z := range zones {
		if z.Writer == "" {
			continue
		}
		f.named++
		f.Writers = model.AppendNew(f.Writers, words.CleanText(z.Writer))
	}
	slices.Sort(f.Writers)
	switch f.named {
	case 0:
		return "ovn-kubernetes"
	case f.zones:
		return "rung"
	}
	return "both"
}

// isCluster reports whether Rung has an API server.
func (f *ClusterFacts) isCluster() bool { return f.Mode == revision.ClusterMode }

// addKinds adds the kinds of objects read without an API server.
func (f *ClusterFacts) addKinds(r *revision.Revision) {
	kinds := slices.Concat(readKinds, r.System.CountedKinds)
	rare := slices.Concat([]model.Kind{model.KindEF}, r.System.RareKinds)
	for i, k := range slices.Concat(rare, networkKinds) {
		if (i < len(rare) || r.Cluster.Count(k) > 0) && !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	for _, k := range kinds {
		if n := r.Cluster.Count(k); n > 0 || r.Loaded {
			f.Resources = append(f.Resources, ResourceFacts{SourceResource: model.SourceResource{Name: string(k), Kind: k, Count: n,
				Conn: words.Choose(n > 0, model.ConnSynced, model.ConnAbsent)}})
		}
	}
}

// mergePermissions merges the verbs of a resource that have the same answer and consequence.
func mergePermissions(all []revision.Permission) []PermissionFacts {
	out := []PermissionFacts{}
	for _, p := range all {
		i := slices.IndexFunc(out, func(g PermissionFacts) bool {
			return g.Resource == p.Resource && g.Namespace == p.Namespace && g.Allowed == p.Allowed && g.Why == p.Why &&
				(p.Allowed || isOfChange(g.Verbs[0]) == isOfChange(p.Verb)) // refused changes and reads have different consequences
		})
		if i < 0 {
			out = append(out, PermissionFacts{Verbs: []string{p.Verb}, Resource: p.Resource, Namespace: p.Namespace, Allowed: p.Allowed, Why: p.Why,
				Command: p.Command})
			continue
		}
		out[i].Verbs = append(out[i].Verbs, p.Verb)
	}
	for i := range out {
		p := &out[i]
		p.NotNeeded = !p.Allowed && isAllowedElsewhere(out, p)
		if !p.Allowed && !p.NotNeeded {
			p.Without = p.missingFeature()
		}
	}
	return out
}

// isAllowedElsewhere reports whether the same is allowed in another namespace: OVN-Kubernetes runs in one of
// two.
func isAllowedElsewhere(all []PermissionFacts, p *PermissionFacts) bool {
	return p.Namespace != "" && slices.ContainsFunc(all, func(o PermissionFacts) bool {
		return o.Allowed && o.Resource == p.Resource && o.Namespace != p.Namespace && slices.Equal(o.Verbs, p.Verbs)
	})
}

// isOfChange reports whether a verb changes objects.
func isOfChange(verb string) bool {
	return slices.Contains([]string{"create", "update", "patch", "delete"}, verb)
}

// missingFeature says which feature is missing without a permission.
func (p *PermissionFacts) missingFeature() string {
	short, _, _ := strings.Cut(p.Resource, ".")
	switch {
	case p.Resource == "pods/exec":
		return "zones are not read through their pods: policies are compiled, not checked against live rows"
	case p.Resource == "pods/log":
		return "no log lines from there"
	case slices.ContainsFunc(p.Verbs, isOfChange):
		return "these changes are not offered"
	case short == "customresourcedefinitions":
		return "fields are checked against built-in CRDs, not the cluster's"
	case !slices.Contains(p.Verbs, "list"):
		return "changes to them are noticed late"
	case short == "pods" || short == "namespaces":
		return "the pods that policies select are unknown"
	case short == "nodes":
		return "no zones"
	case short == "events":
		return "events of policies are not shown"
	case short == "userdefinednetworks" || short == "clusteruserdefinednetworks" || short == "network-attachment-definitions":
		return "user-defined networks and the effect of their policies are unknown"
	}
	return "they are not shown"
}

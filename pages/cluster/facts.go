package cluster

import (
	"slices"
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/system"
)

// ClusterFacts are the JSON of rung can (command-line.md#output). Lists are never null.
type ClusterFacts struct {
	Mode    string `json:"mode"`
	Title   string `json:"title"` // the context, or the files
	Server  string `json:"server,omitempty"`
	User    string `json:"user,omitempty"`
	Changes struct {
		Allowed bool   `json:"allowed"`
		WhyNot  string `json:"why_never,omitempty"` // why that can never be allowed
	} `json:"changes"`
	// RowsBy names the writer of the rows: "rung", "ovn-kubernetes", or "both" in different zones;
	// empty where policies have none.
	RowsBy string `json:"rows_by,omitempty"`
	// Writers are the replicas of rung reconcile that NB_Global of the zones names.
	Writers []string `json:"writers,omitempty"`
	// WhyNoRows says why policies have none.
	WhyNoRows string        `json:"why_no_rows,omitempty"`
	Sources   []SourceFacts `json:"sources"`
	Pods      PodFacts      `json:"pods"`
	// Resources of the API server, or the kinds that are read from elsewhere.
	Resources []ResourceFacts `json:"resources"`
	// Newer says what a newer release of an API has that Rung does not read.
	Newer []string `json:"newer,omitempty"`
	// Answered says that the API server told what is allowed; off a cluster nobody is asked.
	Answered    bool                    `json:"answered"`
	Permissions []PermissionFacts       `json:"permissions"`
	Settings    []revision.SettingValue `json:"settings,omitempty"` // of OVN-Kubernetes, in most zones

	mode     revision.Mode
	pods     revision.PodCount
	podsText string // pods in words, or why they are unknown
	named    int    // zones whose NB_Global names a writer
	zones    int
}

// PodFacts count the pods by what policies make of them: Subjects are those that can be selected, the
// others are on the host network, have ended, or have no node.
type PodFacts struct {
	All         int `json:"all"`
	Subjects    int `json:"subjects"`
	Host        int `json:"host_network"`
	Completed   int `json:"completed"`
	Unscheduled int `json:"unscheduled"`
}

// SourceFacts are where objects come from.
type SourceFacts struct {
	Name   string          `json:"name"`
	Detail string          `json:"detail,omitempty"`
	State  model.ConnState `json:"state"`
	Error  string          `json:"error,omitempty"`

	resources int
}

// ResourceFacts are how one resource is read.
type ResourceFacts struct {
	Name  string          `json:"name"`
	Kind  model.Kind      `json:"kind,omitempty"`
	State model.ConnState `json:"state"`
	Since page.Stamp      `json:"since"`
	// Objects are as last read, where the state is none of being read.
	Objects  int    `json:"objects"`
	Attempts int    `json:"failed_attempts,omitempty"`
	Optional bool   `json:"optional,omitempty"`
	Error    string `json:"error,omitempty"`

	source string
}

// PermissionFacts are verbs of one resource that the API server answers alike.
type PermissionFacts struct {
	Verbs     []string `json:"verbs"`
	Resource  string   `json:"resource"`
	Namespace string   `json:"namespace,omitempty"`
	Allowed   bool     `json:"allowed"`
	// Spare says that it is refused and not needed: the same is allowed in another namespace.
	Spare bool   `json:"not_needed,omitempty"`
	Why   string `json:"why,omitempty"`
	// Without says what there is not for want of it.
	Without string `json:"without,omitempty"`
	Command string `json:"command"` // asks for the first verb by hand
}

// readKinds are the kinds that are read wherever they come from.
var readKinds = []model.Kind{model.KindNamespace, model.KindPod, model.KindNode, model.KindService, model.KindEndpointSlice}

// networkKinds are the kinds of networks besides the default one, told of where there are some.
var networkKinds = []model.Kind{model.KindUDN, model.KindCUDN, model.KindNAD, model.KindCNC, model.KindMNP}

// FactsOf returns the facts of a revision.
func FactsOf(r *revision.Revision) *ClusterFacts {
	m := r.Mode
	f := &ClusterFacts{Mode: m.Name, Title: m.Title, Server: m.Server, User: m.User, Sources: []SourceFacts{}, Resources: []ResourceFacts{},
		mode:        m,
		Permissions: permissionsOf(r.Access.Permissions())}
	f.Changes.Allowed, f.Changes.WhyNot = m.Writes, m.WhyNot
	f.Answered = len(f.Permissions) > 0
	f.WhyNoRows = r.System.WhyLacking(system.Rows)
	f.pods = r.PodCount()
	f.podsText = f.pods.String()
	if u := r.Unread(model.KindPod); u.HidesCount(f.pods.All) {
		f.podsText = u.Text()
	}
	f.Pods = PodFacts{All: f.pods.All, Subjects: f.pods.Subjects(), Host: f.pods.Host, Completed: f.pods.Completed,
		Unscheduled: f.pods.Unscheduled}
	switch {
	case !r.System.HasFeature(system.Rows):
	case m.Sandbox || m.Reconciles:
		f.RowsBy = "rung"
	case f.isCluster() || len(r.Zones) > 0:
		f.RowsBy = f.rowsByOthers(r.Zones)
	}
	for _, src := range r.Sources {
		f.Sources = append(f.Sources, SourceFacts{Name: src.Name, Detail: src.Detail, State: src.Conn, Error: src.Error,
			resources: len(src.Resources)})
		for _, x := range src.Resources {
			f.Resources = append(f.Resources, ResourceFacts{Name: x.Name, Kind: x.Kind, State: x.Conn, Since: page.Stamp{Time: x.At},
				Objects: x.Count, Attempts: x.Attempts,
				Optional: x.Optional, Error: x.Error, source: src.Name})
		}
	}
	if !f.isCluster() {
		f.addKinds(r)
	}
	if len(r.Zones) > 0 { // otherwise nobody looked
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
		if name := words.CleanText(z.Writer); !slices.Contains(f.Writers, name) {
			f.Writers = append(f.Writers, name)
		}
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

// isCluster says whether there is an API server.
func (f *ClusterFacts) isCluster() bool { return f.Mode == revision.ClusterMode }

// addKinds adds what is read from elsewhere than an API server, kind by kind.
func (f *ClusterFacts) addKinds(r *revision.Revision) {
	kinds := slices.Concat(readKinds, r.System.CountedKinds)
	for _, k := range slices.Concat([]model.Kind{model.KindEF}, r.System.RareKinds) {
		if !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	for _, k := range networkKinds {
		if r.Cluster.Count(k) > 0 && !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	for _, k := range kinds {
		n := r.Cluster.Count(k)
		if x := (ResourceFacts{Name: string(k), Kind: k, State: model.ConnSynced, Objects: n}); n > 0 {
			f.Resources = append(f.Resources, x)
		} else if r.Loaded {
			x.State = model.ConnAbsent
			f.Resources = append(f.Resources, x)
		}
	}
}

// permissionsOf puts the verbs of a resource together where the answer and its consequence are the same.
func permissionsOf(all []revision.Permission) []PermissionFacts {
	out := []PermissionFacts{}
	for _, p := range all {
		i := slices.IndexFunc(out, func(g PermissionFacts) bool {
			return g.Resource == p.Resource && g.Namespace == p.Namespace && g.Allowed == p.Allowed && g.Why == p.Why &&
				(p.Allowed || isOfChange(g.Verbs[0]) == isOfChange(p.Verb)) // something else is missing without them
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
		p.Spare = !p.Allowed && isAllowedElsewhere(out, p)
		if !p.Allowed && !p.Spare {
			p.Without = p.missedFeature()
		}
	}
	return out
}

// isAllowedElsewhere says whether the same is allowed in another namespace: OVN-Kubernetes
// runs in one of two.
func isAllowedElsewhere(all []PermissionFacts, p *PermissionFacts) bool {
	return p.Namespace != "" && slices.ContainsFunc(all, func(o PermissionFacts) bool {
		return o.Allowed && o.Resource == p.Resource && o.Namespace != p.Namespace && slices.Equal(o.Verbs, p.Verbs)
	})
}

// isOfChange reports whether a verb is of a change.
func isOfChange(verb string) bool {
	return slices.Contains([]string{"create", "update", "patch", "delete"}, verb)
}

// missedFeature says which feature is missing for want of a permission.
func (p *PermissionFacts) missedFeature() string {
	short, _, _ := strings.Cut(p.Resource, ".")
	switch {
	case p.Resource == "pods/exec":
		return "zones are not read through their pods: policies are compiled, not checked against live rows"
	case p.Resource == "pods/log":
		return "no log lines from there"
	case slices.ContainsFunc(p.Verbs, isOfChange):
		return "these changes are not offered"
	case short == "customresourcedefinitions":
		return "fields are checked as this Rung knows them, not as the cluster has them"
	case !slices.Contains(p.Verbs, "list"):
		return "changes to them are seen late"
	case short == "pods" || short == "namespaces":
		return "the pods that policies select are unknown"
	case short == "nodes":
		return "no zones"
	case short == "events":
		return "events of policies are not shown"
	case short == "userdefinednetworks" || short == "clusteruserdefinednetworks" || short == "network-attachment-definitions":
		return "which networks there are besides the default one is unknown, and so is what their policies decide"
	}
	return "they are not shown"
}

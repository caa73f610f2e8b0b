package system

import (
	"io/fs"
	"slices"

	"rung/model"
	"rung/model/ladder"
	"rung/model/lint"
	"rung/model/plan"
	"rung/model/verdict"
	"rung/model/words"
)

// Feature is something that one plugin has and another has not. The zero Feature is a
// feature that all have.
type Feature int

// The features.
const (
	_ Feature = iota
	// Rows: policies become rows of OVN's Northbound database, in zones; with them come
	// logical flows, the meter of the log, ovn-trace, and the sandbox.
	Rows
	// Stages: policies stand in the stages of OVN's pipeline, and AdminNetworkPolicies have
	// priorities with gaps between them, which a plan can space anew.
	Stages
	// LogLevels: annotations set the level by action; without it, rules of the system's own policies log
	// or do not, one by one.
	LogLevels
)

// System is a network plugin whose precedence holds in a cluster.
type System struct {
	Name                   model.PolicySystem // as --system takes it
	Title, TitlePossessive string             // "Antrea", "Antrea's"
	// DemoManifests are the manifests of a built-in cluster.
	DemoManifests fs.FS

	// whyLacking says why there is nothing of a feature.
	whyLacking map[Feature]string

	// CountedKinds are the kinds of policies by which a cluster is told at a glance; RareKinds are
	// told where there are any.
	CountedKinds, RareKinds []model.Kind
	// OwnKinds are the policies of its API; FoundText says what of it a cluster has, empty for
	// nothing, and NotFoundText what a cluster has not.
	OwnKinds     []model.Kind
	FoundText    func(*model.Cluster) string
	NotFoundText string
	// UnaskedKinds are the kinds that say nothing about a connection here.
	UnaskedKinds []model.Kind

	// Order is the order of all policies and Bands the same in its tiers; nil where policies
	// stand in stages.
	Order func(*model.Cluster) []ladder.Place
	Bands func(*model.Cluster) []ladder.Band
	// Tiers are the tiers of a cluster, TiersAroundNetpol the names of those before and after
	// NetworkPolicies.
	Tiers             func(*model.Cluster) []*model.Tier
	TiersAroundNetpol [2]string
	// Templates is how templates make policies in its tiers; nil where they are AdminNetworkPolicies.
	Templates *TierForm
	// Form is an output of rung ladder like the plugin's own tool's; nil for none.
	Form *Form
	// Precedence is how verdicts follow from policies, Lint what findings are of.
	Precedence *verdict.Precedence
	Lint       lint.System

	// Draft is the text with which a new policy begins, at a place.
	Draft func(tier string, priority float64) string
	// Refuse is RefusedChanges by the system's own admission, Naming PoliciesNaming of its objects; nil
	// where it has none.
	Refuse func(before, after *model.Cluster, changed []model.Key) []model.Broken
	Naming func(c *model.Cluster, k model.Key) []model.Key
	// UnjudgedPart returns the part of a valid policy that Rung does not judge, such as a group it names; empty for
	// nothing. Nil where nothing is left unjudged.
	UnjudgedPart func(*model.Cluster, *model.Policy) string

	// NewDeny says what a new rule that denies does to existing connections, NewIsolation
	// what the isolation of pods does.
	NewDeny, NewIsolation map[model.Direction]string
	// HowToLog is how a rule is made to log, LogsTo where its lines then are, with the command
	// that shows them.
	HowToLog, LogsTo, LogsCommand string
}

// Form is a table of the policies in their order.
type Form struct {
	Name string
	Head []string
	Row  func(*ladder.Place) []string
}

// All are the systems; where nothing says which holds it is the first.
var All = []*System{OVN, Antrea}

// WhyLacking says why there is nothing of a feature, empty where there is. A nil System lacks
// nothing.
func (s *System) WhyLacking(f Feature) string {
	if s == nil {
		return ""
	}
	return s.whyLacking[f]
}

// HasFeature says whether there is a feature.
func (s *System) HasFeature(f Feature) bool { return s.WhyLacking(f) == "" }

// WhyNotLogged says why the logging of objects of a kind cannot be switched on, empty where it can.
func (s *System) WhyNotLogged(k model.Kind) string {
	switch {
	case k.IsTiered() && s != nil && !s.AsksPoliciesOf(k):
		return "policies of this kind decide nothing here: " + s.TitlePossessive + " precedence holds"
	case k.IsTiered():
		return ""
	}
	return s.WhyLacking(LogLevels)
}

// PolicyPlaces is the order of all policies of a cluster, nil where they stand in stages.
func (s *System) PolicyPlaces(c *model.Cluster) []ladder.Place {
	if s.Order == nil {
		return nil
	}
	return s.Order(c)
}

// AsksPoliciesOf says whether policies and objects of a kind say anything about connections.
func (s *System) AsksPoliciesOf(k model.Kind) bool { return !slices.Contains(s.UnaskedKinds, k) }

// SystemByName is the system of a name, nil where there is none.
func SystemByName(name string) *System {
	for _, s := range All {
		if string(s.Name) == name {
			return s
		}
	}
	return nil
}

// SystemNames are the names of all systems.
func SystemNames() (out []string) {
	for _, s := range All {
		out = append(out, string(s.Name))
	}
	return out
}

// SystemOfKind is the system whose API a kind of policies is of, nil for those of Kubernetes' own and
// of OVN-Kubernetes.
func SystemOfKind(k model.Kind) *System {
	for _, s := range All {
		if slices.Contains(s.OwnKinds, k) {
			return s
		}
	}
	return nil
}

// FormNames are the names of the outputs like the plugins' own tools.
func FormNames() (out []string) {
	for _, s := range All {
		if s.Form != nil {
			out = append(out, s.Form.Name)
		}
	}
	return out
}

// SystemOfForm is the system whose own form of the ladder an output is, nil for none.
func SystemOfForm(output string) *System {
	i := slices.IndexFunc(All, func(s *System) bool { return s.Form != nil && s.Form.Name == output })
	if i < 0 {
		return nil
	}
	return All[i]
}

// RefusedChanges says what the plugins' own admission refuses of changed objects because of others:
// before and after are the cluster without and with the change.
func RefusedChanges(before, after *model.Cluster, changed []model.Key) (out []model.Broken) {
	for _, s := range All {
		if s.Refuse != nil {
			out = append(out, s.Refuse(before, after, changed)...)
		}
	}
	return out
}

// PoliciesNaming are the policies that name an object that decides nothing by itself.
func PoliciesNaming(c *model.Cluster, k model.Key) (out []model.Key) {
	for _, s := range All {
		if s.Naming != nil && k.Kind.IsNamed() {
			out = append(out, s.Naming(c, k)...)
		}
	}
	return out
}

// OtherSystemsFound says what a cluster has of other systems than the first, empty for nothing.
func OtherSystemsFound(c *model.Cluster) string {
	for _, s := range All[1:] {
		if found := s.FoundText(c); found != "" {
			return found
		}
	}
	return ""
}

// Flag is the name of the setting, as Rung's flag spells it; Auto is its value that leaves the
// choice to what is found.
const (
	Flag = "system"
	Auto = "auto"
)

// ChooseSystem says which system's precedence holds in a cluster, and why: the flag's; else that of
// a plugin whose policies or objects the cluster has, and nothing of ovn, which says by what
// OVN-Kubernetes is known to be there, empty for nothing; else OVN-Kubernetes'. Where others
// than OVN-Kubernetes decide no rows are wanted, so that whoever writes them must have said so
// in ovn: an object that somebody applies must not take the rows of a cluster away.
func ChooseSystem(flag string, c *model.Cluster, ovn string) (s *System, why string) {
	if flag != "" && flag != Auto {
		return SystemByName(flag), "--" + Flag + " " + flag
	}
	var missing []string
	for _, s := range All[1:] {
		switch found := s.FoundText(c); {
		case found == "":
			missing = append(missing, s.NotFoundText)
		case ovn != "":
			return All[0], ovn + "; there are also " + found
		default:
			return s, found
		}
	}
	return All[0], words.List(missing, len(missing))
}

// TierForm is how templates make policies where these stand in tiers.
type TierForm struct {
	// Kind of the policies that are made.
	Kind model.Kind
	// Last is the last tier before NetworkPolicies that every cluster has, Baseline the one after them.
	Last, Baseline string
	// Bands returns the policies of a cluster that decide, tier by tier; NetworkPolicies are the band of their
	// kind.
	Bands func(*model.Cluster) []ladder.Band
	// Object returns the policy, as the API has it, that says at a place what an AdminNetworkPolicy or a baseline
	// says.
	Object func(admin map[string]any, at plan.TierSlot) map[string]any
}

package system

import (
	"io/fs"
	"slices"

	"rung/model"
	"rung/model/ladder"
	"rung/model/lint"
	"rung/model/verdict"
	"rung/model/words"
)

// Feature is something that one plugin has and another lacks. All plugins have the zero Feature.
type Feature int

// The features.
const (
	_ Feature = iota
	// Rows means that policies become rows of OVN's Northbound database, in zones; with them come logical
	// flows, the meter of the log, ovn-trace, and the sandbox.
	Rows
	// Stages means that policies belong to stages of OVN's pipeline, and that priorities of
	// AdminNetworkPolicies have gaps, which a plan can space again.
	Stages
	// LogLevels means that annotations set the level by action; without it, each rule of the system's own
	// policies logs or not.
	LogLevels
)

// System is a network plugin whose precedence holds in a cluster.
type System struct {
	Name                   model.PolicySystem // value of --system
	Title, TitlePossessive string             // "Antrea", "Antrea's"
	// DemoManifests are the manifests of a built-in cluster.
	DemoManifests fs.FS

	// whyLacking says why a feature is missing.
	whyLacking map[Feature]string

	// CountedKinds are the kinds of policies counted in the summary of a cluster; RareKinds are counted only
	// if it has some.
	CountedKinds, RareKinds []model.Kind
	// OwnKinds are the policies of its API. FoundText says what of it a cluster has, empty if nothing;
	// NotFoundText says what a cluster lacks.
	OwnKinds     []model.Kind
	FoundText    func(*model.Cluster) string
	NotFoundText string
	// UnaskedKinds are the kinds that never decide about a connection here.
	UnaskedKinds []model.Kind

	// Order returns the order of all policies, Bands the same by tiers; nil if policies belong to stages.
	Order func(*model.Cluster) []ladder.Place
	Bands func(*model.Cluster) []ladder.Band
	// Tiers returns the tiers of a cluster; TiersAroundNetpol names those before and after NetworkPolicies.
	Tiers             func(*model.Cluster) []*model.Tier
	TiersAroundNetpol [2]string
	// Templates makes policies in its tiers from templates; nil if those are AdminNetworkPolicies.
	Templates *TierForm
	// Form is an output of rung ladder in the form of the plugin's own tool; nil if none.
	Form *Form
	// Precedence derives verdicts from policies; Lint configures findings.
	Precedence *verdict.Precedence
	Lint       lint.System

	// Draft returns the initial text of a new policy at a place.
	Draft func(tier string, priority float64) string
	// Reject implements RejectedChanges for the system's own admission, Naming implements PoliciesNaming for
	// its objects; nil if it has none.
	Reject func(before, after *model.Cluster, changed []model.Key) []model.Broken
	Naming func(c *model.Cluster, k model.Key) []model.Key
	// UnjudgedPart returns the part of a valid policy that Rung does not judge, such as a group it names;
	// empty if none. It is nil if everything is judged.
	UnjudgedPart func(*model.Cluster, *model.Policy) string

	// NewDeny says what a new rule that denies does to existing connections, NewIsolation what the isolation
	// of pods does.
	NewDeny, NewIsolation map[model.Direction]string
	// HowToLog says how to make a rule log, LogsTo where its lines go; LogsCommand shows them.
	HowToLog, LogsTo, LogsCommand string
}

// Form is a table of the policies in their order.
type Form struct {
	Name string
	Head []string
	Row  func(*ladder.Place) []string
}

// All lists the systems; the first is the default.
var All = []*System{OVN, Antrea}

// WhyLacking returns why a feature is missing; empty if it exists. A nil System lacks nothing.
func (s *System) WhyLacking(f Feature) string {
	if s == nil {
		return ""
	}
	return s.whyLacking[f]
}

// HasFeature reports whether a feature exists.
func (s *System) HasFeature(f Feature) bool { return s.WhyLacking(f) == "" }

// WhyNotLogged returns why logging cannot be switched on for objects of a kind; empty if it can.
func (s *System) WhyNotLogged(k model.Kind) string {
	switch {
	case k.IsTiered() && s != nil && !s.AsksPolicies(k):
		return "policies of this kind have no effect: this cluster uses " + s.Title
	case k.IsTiered():
		return ""
	}
	return s.WhyLacking(LogLevels)
}

// PolicyPlaces returns the order of all policies of a cluster; nil if they belong to stages.
func (s *System) PolicyPlaces(c *model.Cluster) []ladder.Place {
	if s.Order == nil {
		return nil
	}
	return s.Order(c)
}

// AsksPolicies reports whether policies and objects of a kind can decide about connections.
func (s *System) AsksPolicies(k model.Kind) bool { return !slices.Contains(s.UnaskedKinds, k) }

// SystemByName finds a system by its name; nil if unknown.
func SystemByName(name string) *System {
	return findSystem(func(s *System) bool { return string(s.Name) == name })
}

// findSystem returns the first system for which is returns true, or nil.
func findSystem(is func(*System) bool) *System {
	if i := slices.IndexFunc(All, is); i >= 0 {
		return All[i]
	}
	return nil
}

// SystemNames returns the names of all systems.
func SystemNames() (out []string) {
	for _, s := range All {
		out = append(out, string(s.Name))
	}
	return out
}

// SystemOfKind returns the system whose own API has a kind of policies; nil for the kinds of Kubernetes and
// OVN-Kubernetes.
func SystemOfKind(k model.Kind) *System {
	return findSystem(func(s *System) bool { return slices.Contains(s.OwnKinds, k) })
}

// FormNames returns the names of the outputs in the form of plugins' own tools.
func FormNames() (out []string) {
	for _, s := range All {
		if s.Form != nil {
			out = append(out, s.Form.Name)
		}
	}
	return out
}

// SystemOfForm returns the system with an output of that name; nil if none.
func SystemOfForm(output string) *System {
	return findSystem(func(s *System) bool { return s.Form != nil && s.Form.Name == output })
}

// RejectedChanges returns what the plugins' own admission rejects in changed objects because of others: before
// and after are the cluster without and with the change.
func RejectedChanges(before, after *model.Cluster, changed []model.Key) (out []model.Broken) {
	for _, s := range All {
		if s.Reject != nil {
			out = append(out, s.Reject(before, after, changed)...)
		}
	}
	return out
}

// PoliciesNaming returns the policies that name an object that decides nothing by itself.
func PoliciesNaming(c *model.Cluster, k model.Key) (out []model.Key) {
	for _, s := range All {
		if s.Naming != nil && k.Kind.IsReferenced() {
			out = append(out, s.Naming(c, k)...)
		}
	}
	return out
}

// OtherSystemsFound says what a cluster has of systems other than the first; empty if nothing.
func OtherSystemsFound(c *model.Cluster) string {
	for _, s := range All[1:] {
		if found := s.FoundText(c); found != "" {
			return found
		}
	}
	return ""
}

// Flag is the name of the setting, as in Rung's flag; Auto chooses by the objects found.
const (
	Flag = "system"
	Auto = "auto"
)

// ChooseSystem returns the system whose precedence holds in a cluster, and why. The flag decides first.
// Otherwise it is another plugin whose policies or objects the cluster has, unless ovn is set; then
// OVN-Kubernetes. ovn says how OVN-Kubernetes is known to be present, empty if it is not. Only with
// OVN-Kubernetes rows are desired, so a writer of rows must set ovn: an applied object must not remove the
// rows of a cluster.
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

// TierForm makes policies from templates in a system with tiers.
type TierForm struct {
	// Kind of the policies.
	Kind model.Kind
	// Last is the last tier before NetworkPolicies that every cluster has, Baseline the tier after them.
	Last, Baseline string
	// Bands returns the deciding policies of a cluster, by tier; NetworkPolicies are the band of their kind.
	Bands func(*model.Cluster) []ladder.Band
	// InTier converts an AdminNetworkPolicy or baseline to an equivalent policy with a priority in a tier.
	InTier func(admin *model.Policy, tier string, priority float64) *model.Policy
}

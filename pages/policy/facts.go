package policy

import (
	"cmp"
	"fmt"
	"rung/model"
	"rung/revision"
	"rung/system"
	"strings"
	"time"
)

// PolicyFacts is the JSON of a policy (command-line.md#output).
type PolicyFacts struct {
	Kind     model.Kind `json:"kind"`
	Name     string     `json:"name"`
	Tier     int        `json:"tier"`
	Priority *int32     `json:"priority,omitempty"`
	// Tiered is the policy's place in its plugin's tiers.
	Tiered *TierPlace `json:"antrea,omitempty"`
	// APIVersion is set for a policy of an older API.
	APIVersion string   `json:"api_version,omitempty"`
	Subject    string   `json:"subject"`
	Pods       []string `json:"pods"`
	// PodsApart are pods of the subject on another primary network, where the policy is not enforced.
	PodsApart []string `json:"pods_on_primary_udn,omitempty"`
	Rules     []*Rule  `json:"rules"`
	// Isolates are the directions in which connections are dropped unless a NetworkPolicy allows them; only
	// NetworkPolicies isolate.
	Isolates []string `json:"isolates,omitempty"`
	Logging  string   `json:"logging"`
	// LoggingFrom is the namespace whose annotation sets the levels, empty if the policy's own does.
	LoggingFrom string           `json:"logging_from_namespace,omitempty"`
	None        string           `json:"no_rows,omitempty"`
	File        string           `json:"file,omitempty"`
	Findings    []revision.Brief `json:"findings"`
	// Conditions are reports of controllers, not proof.
	Conditions []model.Condition `json:"conditions"`
	// Zones is empty without databases.
	Zones []ZoneFacts `json:"zones"`
	// With are the other units with rows for the policy, and the number of zones in each state.
	With []UnitFacts `json:"with,omitempty"`

	Isolated string `json:"-"` // for people, instead of Isolates
}

// TierPlace is a policy's place in its plugin's tiers.
type TierPlace struct {
	Tier         string  `json:"tier"`
	TierPriority *int32  `json:"tier_priority,omitempty"` // absent if the tier does not exist
	Priority     float64 `json:"priority"`
	Phase        string  `json:"phase,omitempty"` // as reported
	Refused      bool    `json:"refused,omitempty"`
	// NotJudged says why Rung does not say what the policy decides, though it is valid.
	NotJudged string `json:"not_judged,omitempty"`
}

// UnitFacts is another unit with rows for the policy, with the number of zones in each state.
type UnitFacts struct {
	Unit  string         `json:"unit"`
	Zones map[string]int `json:"zones"`

	Label string `json:"-"`
}

// ZoneFacts is the state of the policy's rows in a zone.
type ZoneFacts struct {
	Zone  string            `json:"zone"`
	State model.PolicyState `json:"state"`
	ACLs  int               `json:"live_acls"`
	// Priority is the priority that the live ACLs carry, nil if unknown.
	Priority *int32 `json:"live_priority,omitempty"`
	Error    string `json:"error,omitempty"`
}

// FactsOfPolicy returns the facts of a policy.
func FactsOfPolicy(r *revision.Revision, k model.PolicyKey, now time.Time) *PolicyFacts {
	p := r.Cluster.Policy(k)
	out := &PolicyFacts{Kind: k.Kind, Name: k.NamespacedName(), Tier: p.Tier, Subject: p.SubjectText(), Pods: []string{},
		Isolates: revision.IsolatedDirections(r, p), APIVersion: p.APIVersion, Isolated: revision.LegacyIsolationText(r, p), Logging: "off",
		File: p.Origin.Place(), Findings: []revision.Brief{},
		Rules:      ListRules(r, p),
		Conditions: append([]model.Condition{}, r.Conditions(k)...),
		Zones:      model.MapList(r.Zones, func(z *model.ZoneState) ZoneFacts { return newZoneFacts(z, k, now) })}
	if k.Kind.HasPriority() {
		out.Priority = &p.Priority
	}
	if a := p.Tiered; a != nil {
		out.Tiered = &TierPlace{Tier: a.Tier, Priority: a.Priority, Phase: a.Phase}
		out.Tiered.Refused, out.Tiered.NotJudged = revision.WhyUnjudged(r, p).Facts()
		for _, t := range system.SystemOfKind(k.Kind).Tiers(r.Cluster) {
			if t.Name == a.Tier {
				out.Tiered.TierPriority = &t.Priority
			}
		}
		out.Logging = ruleLogging(p)
	}
	l := revision.PolicyLogging(r, p)
	out.LoggingFrom = l.Namespace
	if l.Levels.IsOn() && p.Tiered == nil {
		out.Logging = l.Levels.String()
	}
	if len(l.Problems) > 0 {
		out.Logging = "invalid: " + strings.Join(l.Problems, "; ")
		if l.Levels.IsOn() {
			out.Logging = l.Levels.String() + "; " + out.Logging
		}
	}
	for _, pod := range revision.SubjectPods(r, p) {
		if name := pod.Namespace + "/" + pod.Name; pod.PrimaryUDN() != "" {
			out.PodsApart = append(out.PodsApart, name)
		} else {
			out.Pods = append(out.Pods, name)
		}
	}
	if none := r.WhyNoRows(k); none != nil {
		out.None = none.Message
	}
	for _, f := range revision.PolicyFindings(r, k) {
		brief := revision.NewBrief(f)
		if f.Direction != "" && f.Rule >= 0 {
			brief.Rule = revision.RuleLabel(f.Direction, f.Rule, "")
		}
		out.Findings = append(out.Findings, brief)
	}
	for _, unit := range r.RelatedUnits(k) {
		u := UnitFacts{Unit: unit.String(), Zones: map[string]int{}, Label: unit.Label()}
		for _, z := range r.Zones {
			u.Zones[string(z.PolicyJoin(unit).StateAt(z, now))]++
		}
		out.With = append(out.With, u)
	}
	return out
}

// ruleLogging names the rules of a tiered policy that log: each rule has its own setting.
func ruleLogging(p *model.Policy) string {
	var on []string
	for rule := range p.AllRules() {
		if rule.Tiered != nil && rule.Tiered.Logging {
			on = append(on, fmt.Sprintf("%s %d", rule.Direction.Lower(), rule.Index))
		}
	}
	return cmp.Or(strings.Join(on, ", "), "off")
}

func newZoneFacts(z *model.ZoneState, k model.PolicyKey, now time.Time) ZoneFacts {
	in := z.PolicyJoin(k)
	o := ZoneFacts{Zone: z.Name, State: in.StateAt(z, now)}
	if in != nil {
		o.ACLs, o.Error = in.LiveACLs, in.Error
		if in.LivePriority >= 0 && in.LiveACLs > 0 && k.Kind == model.KindANP {
			o.Priority = &in.LivePriority
		}
	}
	return o
}

package show

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/pages/findings"
	"rung/pages/page"
	"rung/revision"
	"rung/revision/connections"
	"rung/revision/finding"
	"rung/revision/omitted"
	"rung/revision/policies"
	"rung/system"
)

type policyOut struct {
	Kind     model.Kind `json:"kind"`
	Name     string     `json:"name"`
	Tier     int        `json:"tier"`
	Priority *int32     `json:"priority,omitempty"`
	// Tiered is where a policy stands in the tiers of its plugin.
	Tiered *tieredOut `json:"antrea,omitempty"`
	// APIVersion is set where the policy is of an older API than today's.
	APIVersion string   `json:"api_version,omitempty"`
	Subject    string   `json:"subject"`
	Pods       []string `json:"pods"`
	// PodsApart are pods of the subject whose primary network is another one:
	// the policy is not enforced there.
	PodsApart []string  `json:"pods_on_primary_udn,omitempty"`
	Rules     []ruleOut `json:"rules"`
	// Isolates are the directions in which what no NetworkPolicy allows is
	// dropped; only NetworkPolicies isolate.
	Isolates []string `json:"isolates,omitempty"`
	Logging  string   `json:"logging"`
	// LoggingFrom is the namespace whose annotation sets the levels, absent where
	// it is the policy's own.
	LoggingFrom string           `json:"logging_from_namespace,omitempty"`
	None        string           `json:"no_rows,omitempty"`
	File        string           `json:"file,omitempty"`
	Findings    []findings.Brief `json:"findings"`
	// Conditions are the reports of controllers, never proof.
	Conditions []conditionOut `json:"conditions"`
	// Zones is empty without databases.
	Zones []policyZone `json:"zones"`
	// With are the units besides its own that hold rows for the policy, with how
	// many zones have them in which state.
	With []unitOut `json:"with,omitempty"`

	isolated string // instead of Isolates, for people
}

type tieredOut struct {
	Tier         string  `json:"tier"`
	TierPriority *int32  `json:"tier_priority,omitempty"` // absent where there is no such tier
	Priority     float64 `json:"priority"`
	Phase        string  `json:"phase,omitempty"` // what was reported
	Refused      bool    `json:"refused,omitempty"`
}

type unitOut struct {
	Unit  string         `json:"unit"`
	Zones map[string]int `json:"zones"`

	label string
}

type conditionOut struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	At      string `json:"at,omitempty"`
}

type policyZone struct {
	Zone  string            `json:"zone"`
	State model.PolicyState `json:"state"`
	ACLs  int               `json:"live_acls"`
	// Priority is the one the live ACLs carry, absent when it cannot be told.
	Priority *int32 `json:"live_priority,omitempty"`
	Error    string `json:"error,omitempty"`
}

type ruleOut struct {
	Direction string   `json:"direction"`
	Index     int      `json:"index"`
	Name      string   `json:"name,omitempty"`
	Action    string   `json:"action"`
	Peers     []string `json:"peers"`
	Ports     []string `json:"ports"`
	PeerPods  int      `json:"peer_pods"`
	ACLs      []string `json:"acls"`
	// AppliedTo is the text about the pods that a tiered rule applies to, if it names its own.
	AppliedTo string `json:"applied_to,omitempty"`
	// Note says what is odd about the rule, Broken names the parts that match nothing.
	Note   string `json:"note,omitempty"`
	Broken string `json:"broken,omitempty"`
}

func Policy(a *command.App) *cobra.Command {
	return a.QueryCommand(&cobra.Command{
		Use:   "policy NAME",
		Short: "Show one policy: subject pods, rules in order, ACLs, findings",
		Long: `Show one policy. Name it by NAME, a NetworkPolicy or EgressFirewall by NAMESPACE/NAME;
where two kinds share a name, put the kind before it: ANP/x, BANP/default,
NP/namespace/x. With --nb it also shows the state of its rows in each zone. -o wide
lists the pods and ACLs.`,
		Example: `  rung policy cluster-control -f policies/
  rung policy NP/blue/web-only --context staging -o wide`,
		Args:              command.TakesArgs(0, "NAME"),
		ValidArgsFunction: a.CompleteFirst(command.PolicyChoices),
	}, func(args []string, _ bool) command.Query {
		return command.Query{Zones: len(a.Flags.NB) > 0, Answer: func(_ context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			k, err := command.PolicyNamed(r, args[0])
			if err != nil {
				return nil, err
			}
			out := describePolicy(r, k, e.Now())
			return &command.Answer{Value: out, Text: out.text, NotConsidered: omitted.OmissionsOfPolicy(r, k)}, nil
		}}
	})
}

func describePolicy(r *revision.Revision, k model.PolicyKey, now time.Time) *policyOut {
	p := r.Cluster.Policy(k)
	out := &policyOut{Kind: k.Kind, Name: command.NamespacedName(k), Tier: p.Tier, Subject: p.SubjectText(), Pods: []string{},
		Isolates: connections.IsolatedDirections(r, p), APIVersion: p.APIVersion, isolated: connections.LegacyIsolationText(r, p), Logging: "off", File: p.Origin.Place(), Findings: []findings.Brief{},
		Rules:      page.Each(policies.ListRuleFacts(r, p), func(f policies.RuleFacts) ruleOut { return describeRule(p, f) }),
		Conditions: page.Each(r.Conditions(k), describeCondition),
		Zones:      page.Each(r.Zones, func(z *model.ZoneState) policyZone { return describePolicyIn(z, k, now) })}
	if k.Kind.HasPriority() {
		out.Priority = &p.Priority
	}
	if a := p.Tiered; a != nil {
		out.Tiered = &tieredOut{Tier: a.Tier, Priority: a.Priority, Phase: a.Phase, Refused: p.IsRefused()}
		for _, t := range system.SystemOfKind(k.Kind).Tiers(r.Cluster) {
			if t.Name == a.Tier {
				out.Tiered.TierPriority = &t.Priority
			}
		}
		out.Logging = ruleLogging(p)
	}
	l := policies.LoggingOf(r, p)
	out.LoggingFrom = l.Namespace
	if l.Levels.IsOn() {
		out.Logging = l.Levels.String()
	}
	if len(l.Problems) > 0 {
		out.Logging = "invalid: " + strings.Join(l.Problems, "; ")
		if l.Levels.IsOn() {
			out.Logging = l.Levels.String() + "; " + out.Logging
		}
	}
	for _, pod := range policies.MeantPods(r, p) {
		if name := pod.Namespace + "/" + pod.Name; pod.PrimaryUDN() != "" {
			out.PodsApart = append(out.PodsApart, name)
		} else {
			out.Pods = append(out.Pods, name)
		}
	}
	if none := r.WhyNoRows(k); none != nil {
		out.None = none.Message
	}
	for _, f := range finding.FindingsOf(r, k) {
		out.Findings = append(out.Findings, findings.BriefOf(f))
	}
	for _, unit := range r.RelatedUnits(k) {
		u := unitOut{Unit: unit.String(), Zones: map[string]int{}, label: unit.Label()}
		for _, z := range r.Zones {
			u.Zones[string(z.PolicyJoin(unit).StateAt(z, now))]++
		}
		out.With = append(out.With, u)
	}
	return out
}

// ruleLogging says which rules of a tiered policy log: each says so for itself.
func ruleLogging(p *model.Policy) string {
	var on []string
	for rule := range p.AllRules() {
		if rule.Tiered != nil && rule.Tiered.Logging {
			on = append(on, fmt.Sprintf("%s %d", rule.Direction.Lower(), rule.Index))
		}
	}
	return cmp.Or(strings.Join(on, ", "), "off")
}

func describeCondition(c model.Condition) conditionOut {
	return conditionOut{Type: c.Type, Status: c.Status, Reason: c.Reason, Message: c.Message, At: page.StampText(c.Changed)}
}

func describePolicyIn(z *model.ZoneState, k model.PolicyKey, now time.Time) policyZone {
	in := z.PolicyJoin(k)
	o := policyZone{Zone: z.Name, State: in.StateAt(z, now)}
	if in != nil {
		o.ACLs, o.Error = in.LiveACLs, in.Error
		if in.LivePriority >= 0 && in.LiveACLs > 0 && k.Kind == model.KindANP {
			o.Priority = &in.LivePriority
		}
	}
	return o
}

func describeRule(p *model.Policy, f policies.RuleFacts) ruleOut {
	o := ruleOut{Direction: f.Direction.Lower(), Index: f.Index, Name: f.Name, Action: p.Kind.RuleActionWord(f.Rule), PeerPods: f.Pods,
		Peers: f.PeerTexts(), Ports: f.PortTexts(), ACLs: append([]string{}, f.ACLs...),
		Broken: f.BrokenPortsText()}
	if a := f.Tiered; a != nil && len(a.AppliedTo) > 0 {
		o.AppliedTo = model.AppliedText(a.AppliedTo, p.Namespace)
	}
	if connections.OutsideTypes(p, f.Direction) {
		o.Note = "policyTypes leave " + string(f.Direction) + " out: it isolates nothing there, but still allows"
	}
	return o
}

func (o *policyOut) text(wide bool) string {
	s := fmt.Sprintf("%s %s  tier %d", o.Kind, o.Name, o.Tier)
	if a := o.Tiered; a != nil {
		tier := " (does not exist)"
		if a.TierPriority != nil {
			tier = fmt.Sprintf(" (%d)", *a.TierPriority)
		}
		s = fmt.Sprintf("%s %s  tier %s%s  priority %g", o.Kind.Title(), o.Name, a.Tier, tier, a.Priority)
		if a.Refused {
			s += "  ✗ decides nothing: " + system.SystemOfKind(o.Kind).Title + " would refuse it"
		}
	}
	if o.APIVersion != "" {
		s += "  apiVersion " + o.APIVersion
	}
	if o.Priority != nil {
		s += fmt.Sprintf("  priority %d", *o.Priority)
	}
	pods := policies.SubjectCount{Pods: len(o.Pods), OtherNetwork: len(o.PodsApart)}.String()
	if len(o.PodsApart) > 0 {
		pods += ", not enforced"
	}
	logging := o.Logging
	if o.LoggingFrom != "" {
		logging += "  set by namespace " + o.LoggingFrom
	}
	s += fmt.Sprintf("\nsubject  %s → %s\nlogging  %s\n", o.Subject, pods, logging)
	if o.Kind == model.KindNP {
		s += "isolates " + cmp.Or(strings.Join(o.Isolates, " and "), o.isolated, "nothing") + "\n"
	}
	if o.None != "" {
		s += "no rows  " + o.None + "\n"
	}
	s += "\n" + o.rules().String()
	if len(o.Zones) > 0 {
		s += "\n" + o.zones().String()
	}
	for i, u := range o.With {
		if i == 0 {
			s += "\nits rows are also in\n"
		}
		s += strings.TrimRight("  "+u.label+"  "+words.CountByState(u.Zones), " ") + "\n"
	}
	if len(o.Findings)+len(o.Conditions) > 0 {
		s += "\n"
	}
	for _, c := range o.Conditions {
		s += fmt.Sprintf("controller reported at %s: %s %s (%s) %s\n", cmp.Or(c.At, "?"), c.Type, c.Status, c.Reason,
			c.Message)
	}
	for _, f := range o.Findings {
		s += fmt.Sprintf("%s %s: %s\n", f.Severity, f.Code, f.Message)
	}
	if !wide {
		return s
	}
	if o.Tiered == nil {
		s += "\nACLs\n"
	}
	for _, r := range o.Rules {
		for _, id := range r.ACLs {
			s += "  " + id + "\n"
		}
	}
	s += "\npods\n"
	for _, p := range o.Pods {
		s += "  " + p + "\n"
	}
	for _, p := range o.PodsApart {
		s += "  " + p + "  (on a primary UDN)\n"
	}
	return s
}

func (o *policyOut) rules() *command.TextTable {
	if o.Tiered != nil {
		return o.tieredRules()
	}
	t := &command.TextTable{Head: []string{"RULE", "ACTION", "PODS", "ACLS", "PORTS", "NAME", "PEERS"}}
	for _, r := range o.Rules {
		ports := strings.Join(r.Ports, " ")
		if ports == "" {
			ports = "any"
		}
		t.Add(fmt.Sprintf("%s %d", r.Direction, r.Index), r.Action, fmt.Sprint(r.PeerPods), fmt.Sprint(len(r.ACLs)), ports,
			marked(cmp.Or(r.Name, r.Note), r.Broken), strings.Join(r.Peers, " | "))
	}
	return t
}

// tieredRules are rules that have no ACLs, and may apply to pods of their own.
func (o *policyOut) tieredRules() *command.TextTable {
	t := &command.TextTable{Head: []string{"RULE", "ACTION", "PORTS", "NAME", "APPLIED TO", "PEERS"}}
	for _, r := range o.Rules {
		t.Add(fmt.Sprintf("%s %d", r.Direction, r.Index), r.Action, cmp.Or(strings.Join(r.Ports, " "), "any"), marked(r.Name, r.Broken),
			cmp.Or(r.AppliedTo, "as the policy"), cmp.Or(strings.Join(r.Peers, " | "), "everything"))
	}
	return t
}

// marked is the name of a rule with what is broken about it.
func marked(name, broken string) string {
	if broken == "" {
		return name
	}
	return strings.TrimSpace(name + "  ✗ " + broken)
}

func (o *policyOut) zones() *command.TextTable {
	t := &command.TextTable{Head: []string{"ZONE", "LIVE ACLS", "LIVE PRIO", "STATE"}}
	for _, z := range o.Zones {
		prio, state := "", string(z.State)
		if z.Priority != nil {
			prio = fmt.Sprint(*z.Priority)
		}
		if z.Error != "" {
			state += ": " + z.Error
		}
		t.Add(z.Zone, fmt.Sprint(z.ACLs), prio, state)
	}
	return t
}

package trace

import (
	"cmp"
	"strings"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/revision"
)

// VerdictFacts is the JSON of the answer about a connection (command-line.md#output).
type VerdictFacts struct {
	Verdict  verdict.Verdict `json:"verdict"`
	Reason   string          `json:"reason,omitempty"`
	From     string          `json:"from"`
	To       string          `json:"to"`
	Protocol string          `json:"protocol"`
	Port     int             `json:"port,omitempty"`
	// IPVersion is the family if only one of two was asked.
	IPVersion int          `json:"ip_version,omitempty"`
	Stages    []StageFacts `json:"stages"`
	// Families are the answers for IPv4 and IPv6 if they differ. Stages then belong to the denied family, else
	// to the unknown family.
	Families []*VerdictFacts `json:"families,omitempty"`
	// Through is the Service that has the port if the pod has not.
	Through *ThroughFacts `json:"through_service,omitempty"`
	// Front is the Service whose address was asked.
	Front *FrontFacts `json:"service_address,omitempty"`
	// Endpoints are the answers for each endpoint if the destination is a Service.
	Endpoints []PathFacts `json:"endpoints,omitempty"`
	// Rows is the answer of the rows, with --by both.
	Rows *VerdictFacts `json:"rows,omitempty"`
	// OVN is the answer of ovn-trace, with --ovn.
	OVN *OVNFacts `json:"ovn,omitempty"`

	// Summary is the answer in a sentence; Findings name where policies and rows disagree. Both are set only
	// for a single question.
	Summary string `json:"summary,omitempty"`
	// Otherwise names the verdict that would result if ClusterNetworkPolicies had rows.
	Otherwise string              `json:"otherwise,omitempty"`
	Findings  []DisagreementFacts `json:"findings,omitempty"`
}

// FrontFacts is the Service behind an address.
type FrontFacts struct {
	Service string `json:"service"`
	Kind    string `json:"kind"`
	Port    int    `json:"port"`
	Summary string `json:"summary"`
}

// ThroughFacts is the answer for a connection to a pod's Service instead of the pod.
type ThroughFacts struct {
	Service    string          `json:"service"`
	TargetPort int             `json:"target_port"`
	Verdict    verdict.Verdict `json:"verdict"`
	Reason     string          `json:"reason,omitempty"`
	Summary    string          `json:"summary"`
}

// DisagreementFacts is a stage in which policies and rows disagree.
type DisagreementFacts struct {
	revision.Brief
	Zone  string `json:"zone"`
	Stage string `json:"stage"`
	Row   string `json:"row,omitempty"`
}

// PathFacts is the answer about one endpoint of a Service.
type PathFacts struct {
	To      string          `json:"to"`
	Port    int             `json:"port,omitempty"`
	Verdict verdict.Verdict `json:"verdict"`
	Reason  string          `json:"reason,omitempty"`
	Stages  []StageFacts    `json:"stages"`
}

// StageFacts is the verdict of one stage in one zone, with the deciding rule.
type StageFacts struct {
	Stage      string          `json:"stage"`
	Reply      bool            `json:"reply,omitempty"`
	Zone       string          `json:"zone"`
	Verdict    verdict.Verdict `json:"verdict"`
	Reason     string          `json:"reason,omitempty"`
	DecidedBy  *DeciderFacts   `json:"decided_by"`
	Candidates []DeciderFacts  `json:"candidates"`
	Passed     []DeciderFacts  `json:"passed"`
	// NotCompiled are the rules of ClusterNetworkPolicies that would match if they had rows.
	NotCompiled []DeciderFacts `json:"not_compiled,omitempty"`
}

// DeciderFacts is a deciding rule, or a default.
type DeciderFacts struct {
	Tier      int      `json:"tier"`
	Band      string   `json:"antrea_tier,omitempty"`
	Kind      string   `json:"kind,omitempty"`
	Policy    string   `json:"policy,omitempty"`
	Direction string   `json:"direction,omitempty"`
	Rule      *int     `json:"rule,omitempty"`
	RuleName  string   `json:"rule_name,omitempty"`
	Action    string   `json:"action"`
	Reply     bool     `json:"reply,omitempty"`
	ACL       string   `json:"acl_id,omitempty"`
	Isolating []string `json:"isolated_by,omitempty"`
	Defect    string   `json:"known_defect,omitempty"`
}

// FactsOfTrace returns the answer to a question, with the rows' answer if both were asked.
func FactsOfTrace(q trace.Question, t *trace.Trace) *VerdictFacts {
	out := FactsOfAnswer(q, &t.Answer)
	for i := range t.Paths {
		stages := out.Stages
		if len(out.Endpoints) > 0 {
			stages = out.Endpoints[i].Stages
		}
		for j := range t.Paths[i].Stages {
			would := t.Paths[i].Stages[j].Would
			stages[j].NotCompiled = model.MapList(would, func(w trace.WouldMatch) DeciderFacts { return FactsOfDecider(w.Rule) })
		}
	}
	if t.Rows != nil {
		out.Rows = FactsOfAnswer(q, t.Rows)
	}
	for _, one := range t.Families {
		of := q
		of.IPVersion = int(one.Connection.Family)
		family := FactsOfTrace(of, one)
		family.Summary = one.Sentence()
		out.Families = append(out.Families, family)
	}
	if len(t.Families) > 0 {
		out.Verdict, out.Reason = t.Verdict, t.Reason
	}
	if h := t.ViaService; h != nil {
		out.Through = &ThroughFacts{Service: h.Service.Namespace + "/" + h.Service.Name, TargetPort: int(h.Target), Verdict: h.Verdict,
			Reason: h.Reason, Summary: h.Hint()}
	}
	if f := t.Answer.Front; f != nil {
		out.Front = &FrontFacts{Service: f.Service.Namespace + "/" + f.Service.Name, Kind: string(f.Kind), Port: int(f.Port),
			Summary: t.ServiceInFront()}
	}
	return out
}

// FactsNotAsked returns the answer to an invalid question.
func FactsNotAsked(q trace.Question, err error) *VerdictFacts {
	return &VerdictFacts{Verdict: verdict.Unknown, Reason: err.Error(), From: q.From, To: q.To,
		Protocol: strings.ToUpper(cmp.Or(q.Protocol, string(verdict.TCP))), Port: q.Port, Stages: []StageFacts{}}
}

// FactsOfAnswer returns an answer by policies, rows or packets.
func FactsOfAnswer(q trace.Question, a *verdict.Answer) *VerdictFacts {
	out := &VerdictFacts{Verdict: a.Verdict, Reason: a.Reason, From: q.From, To: q.To, Protocol: string(a.Connection.Protocol), Port: q.Port,
		IPVersion: q.IPVersion, Stages: []StageFacts{}}
	for i := range a.Paths {
		p := &a.Paths[i]
		stages := model.MapList(p.Stages, factsOfStage)
		if len(a.Paths) == 1 {
			out.Stages = stages
		}
		if a.Connection.To.Key.Kind == model.KindService || a.Front != nil {
			out.Endpoints = append(out.Endpoints, PathFacts{To: p.To.Endpoint.String(), Port: int(p.To.Port), Verdict: p.Verdict, Reason: p.Reason,
				Stages: stages})
		}
	}
	return out
}

// AddDetails sets the fields for a single question.
func (o *VerdictFacts) AddDetails(t *trace.Trace) {
	o.Summary, o.Otherwise = t.Sentence(), t.IdleOutcome()
	for _, d := range t.Disagree {
		f := DisagreementFacts{Brief: revision.NewBrief(d.Finding), Zone: d.Zone, Stage: string(t.Paths[d.Path].Stages[d.Stage].Stage)}
		if d.Row != (trace.Row{}) {
			f.Row = d.Row.String()
		}
		o.Findings = append(o.Findings, f)
	}
	if f := t.Of2016; f != nil {
		o.Findings = append(o.Findings, DisagreementFacts{Brief: revision.NewBrief(*f)})
	}
}

func factsOfStage(s verdict.StageVerdict) StageFacts {
	out := StageFacts{Stage: string(s.Stage), Reply: s.Reply, Zone: s.Zone, Verdict: s.Verdict, Reason: s.Reason,
		Candidates: factsOfDeciders(s.Candidates), Passed: factsOfDeciders(s.Passed)}
	if s.Decided != nil && len(s.Candidates) == 0 {
		out.DecidedBy = new(FactsOfDecider(s.Decided))
	}
	return out
}

func factsOfDeciders(all []verdict.Decider) []DeciderFacts {
	return model.MapList(all, func(d verdict.Decider) DeciderFacts { return FactsOfDecider(&d) })
}

// FactsOfDecider returns a rule that decides or passes on.
func FactsOfDecider(d *verdict.Decider) DeciderFacts {
	out := DeciderFacts{Tier: d.Tier, Band: d.Band, Kind: string(d.Policy.Kind), Direction: d.Direction.Lower(), RuleName: d.RuleName,
		Reply:  d.Reply,
		Action: d.ActionWord(), ACL: d.ACL, Isolating: model.MapList(d.Isolating, model.Key.String), Defect: d.Defect}
	if out.Kind != "" {
		out.Policy = d.Policy.String()
	}
	if d.Rule >= 0 {
		out.Rule = new(d.Rule)
	}
	return out
}

package ask

import (
	"cmp"
	"slices"
	"strings"

	"rung/cli/command"
	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/revision/finding"
)

// verdictOut is the JSON of `rung trace` (command-line.md#output).
type verdictOut struct {
	Verdict  verdict.Verdict `json:"verdict"`
	Reason   string          `json:"reason,omitempty"`
	From     string          `json:"from"`
	To       string          `json:"to"`
	Protocol string          `json:"protocol"`
	Port     int             `json:"port,omitempty"`
	// IPVersion is the family where only one was asked of two.
	IPVersion int            `json:"ip_version,omitempty"`
	Stages    []verdictStage `json:"stages"`
	// Families are the answers of IPv4 and IPv6 where they differ; stages are then those of the
	// one that is denied, or unknown, before the other.
	Families []*verdictOut `json:"families,omitempty"`
	// Through is the Service that has the port, where the pod has not.
	Through *throughOut `json:"through_service,omitempty"`
	// Front is the Service whose address was asked.
	Front *frontOut `json:"service_address,omitempty"`
	// Endpoints are the answers of each, where the destination is a Service.
	Endpoints []verdictPath `json:"endpoints,omitempty"`
	// Rows are the answer of the rows, with --by both.
	Rows *verdictOut `json:"rows,omitempty"`
	// OVN is the answer of ovn-trace, with --ovn.
	OVN *ovnOut `json:"ovn,omitempty"`

	// Summary is the answer in a sentence, Findings where policies and rows disagree; of
	// one question only.
	Summary string `json:"summary,omitempty"`
	// Otherwise says which verdict there would be if ClusterNetworkPolicies had rows.
	Otherwise string            `json:"otherwise,omitempty"`
	Findings  []disagreementOut `json:"findings,omitempty"`
	// NotConsidered are the omissions that could change the answer; set only where it is one of
	// many.
	NotConsidered []command.OmissionOut `json:"not_considered,omitempty"`

	trace *trace.Trace
}

// frontOut is the Service that an address stands for.
type frontOut struct {
	Service string `json:"service"`
	Kind    string `json:"kind"`
	Port    int    `json:"port"`
	Summary string `json:"summary"`
}

// throughOut is the answer for a connection to the Service of a pod instead of the pod.
type throughOut struct {
	Service    string          `json:"service"`
	TargetPort int             `json:"target_port"`
	Verdict    verdict.Verdict `json:"verdict"`
	Reason     string          `json:"reason,omitempty"`
	Summary    string          `json:"summary"`
}

// disagreementOut is a stage at which policies and rows say different things.
type disagreementOut struct {
	finding.Brief
	Zone  string `json:"zone"`
	Stage string `json:"stage"`
	Row   string `json:"row,omitempty"`
}

type verdictPath struct {
	To      string          `json:"to"`
	Port    int             `json:"port,omitempty"`
	Verdict verdict.Verdict `json:"verdict"`
	Reason  string          `json:"reason,omitempty"`
	Stages  []verdictStage  `json:"stages"`
}

type verdictStage struct {
	Stage      string          `json:"stage"`
	Zone       string          `json:"zone"`
	Verdict    verdict.Verdict `json:"verdict"`
	Reason     string          `json:"reason,omitempty"`
	DecidedBy  *deciderOut     `json:"decided_by"`
	Candidates []deciderOut    `json:"candidates"`
	Passed     []deciderOut    `json:"passed"`
	// NotCompiled are the rules of ClusterNetworkPolicies that would match if they had rows.
	NotCompiled []deciderOut `json:"not_compiled,omitempty"`
}

type deciderOut struct {
	Tier      int      `json:"tier"`
	Band      string   `json:"antrea_tier,omitempty"`
	Kind      string   `json:"kind,omitempty"`
	Policy    string   `json:"policy,omitempty"`
	Direction string   `json:"direction,omitempty"`
	Rule      *int     `json:"rule,omitempty"`
	RuleName  string   `json:"rule_name,omitempty"`
	Action    string   `json:"action"`
	ACL       string   `json:"acl_id,omitempty"`
	Isolating []string `json:"isolated_by,omitempty"`
	Defect    string   `json:"known_defect,omitempty"`
}

// verdictOf is the answer to a question, with that of the rows where both were asked.
func verdictOf(q trace.Question, t *trace.Trace) *verdictOut {
	out := answerOut(q, &t.Answer)
	out.trace = t
	for i := range t.Paths {
		stages := out.Stages
		if len(out.Endpoints) > 0 {
			stages = out.Endpoints[i].Stages
		}
		for j := range t.Paths[i].Stages {
			for _, w := range t.Paths[i].Stages[j].Would {
				stages[j].NotCompiled = append(stages[j].NotCompiled, deciderOf(w.Rule))
			}
		}
	}
	if t.Rows != nil {
		out.Rows = answerOut(q, t.Rows)
	}
	for _, one := range t.Families {
		of := q
		of.IPVersion = int(one.Connection.Family)
		family := verdictOf(of, one)
		family.Summary = one.Sentence()
		out.Families = append(out.Families, family)
	}
	if len(t.Families) > 0 {
		out.Verdict, out.Reason = t.Verdict, t.Reason
	}
	if h := t.Through; h != nil {
		out.Through = &throughOut{Service: h.Service.Namespace + "/" + h.Service.Name, TargetPort: int(h.Target), Verdict: h.Verdict, Reason: h.Reason, Summary: h.Hint()}
	}
	if f := t.Answer.Front; f != nil {
		out.Front = &frontOut{Service: f.Service.Namespace + "/" + f.Service.Name, Kind: string(f.Kind), Port: int(f.Port), Summary: t.ServiceInFront()}
	}
	return out
}

// trimTrace keeps of the trace what one line of many needs.
func (o *verdictOut) trimTrace() {
	o.trace = &trace.Trace{Connection: o.trace.Connection, Verdict: o.trace.Verdict, Reason: o.trace.Reason,
		Disagree: o.trace.Disagree, NotConsidered: o.trace.NotConsidered}
	for _, f := range o.Families {
		f.trimTrace()
	}
}

// hasDisagreement says whether who was asked says different things, and nobody knows why.
func (o *verdictOut) hasDisagreement() bool {
	if o.OVN.hasDisagreement() {
		return true
	}
	if len(o.Families) > 0 {
		return slices.ContainsFunc(o.Families, (*verdictOut).hasDisagreement)
	}
	if o.trace.DiffersAsKnown() {
		return o.Rows.Verdict == verdict.Unknown
	}
	return o.Rows != nil && o.Rows.Verdict != o.Verdict || len(o.trace.Disagree) > 0
}

// verdictNotAsked stands for the answer to a question that cannot be asked.
func verdictNotAsked(q trace.Question, err error) *verdictOut {
	return &verdictOut{Verdict: verdict.Unknown, Reason: err.Error(), From: q.From, To: q.To,
		Protocol: strings.ToUpper(cmp.Or(q.Protocol, string(verdict.TCP))), Port: q.Port, Stages: []verdictStage{}}
}

func answerOut(q trace.Question, a *verdict.Answer) *verdictOut {
	out := &verdictOut{Verdict: a.Verdict, Reason: a.Reason, From: q.From, To: q.To, Protocol: string(a.Connection.Protocol), Port: q.Port,
		IPVersion: q.IPVersion, Stages: []verdictStage{}}
	for i := range a.Paths {
		p := &a.Paths[i]
		stages := []verdictStage{}
		for j := range p.Stages {
			stages = append(stages, stageOut(&p.Stages[j]))
		}
		if len(a.Paths) == 1 {
			out.Stages = stages
		}
		if a.Connection.To.Key.Kind == model.KindService || a.Front != nil {
			out.Endpoints = append(out.Endpoints, verdictPath{To: p.To.Endpoint.String(), Port: int(p.To.Port), Verdict: p.Verdict, Reason: p.Reason, Stages: stages})
		}
	}
	return out
}

// addDetails adds what is said of one question only.
func (o *verdictOut) addDetails() {
	o.Summary, o.Otherwise = o.trace.Sentence(), o.trace.IdleOutcome()
	for _, d := range o.trace.Disagree {
		f := disagreementOut{Brief: finding.BriefOf(d.Finding), Zone: d.Zone, Stage: string(o.trace.Paths[d.Path].Stages[d.Stage].Stage)}
		if d.Row != (trace.Row{}) {
			f.Row = d.Row.String()
		}
		o.Findings = append(o.Findings, f)
	}
	if f := o.trace.Of2016; f != nil {
		o.Findings = append(o.Findings, disagreementOut{Brief: finding.BriefOf(*f)})
	}
}

func stageOut(s *verdict.StageVerdict) verdictStage {
	out := verdictStage{Stage: string(s.Stage), Zone: s.Zone, Verdict: s.Verdict, Reason: s.Reason,
		Candidates: []deciderOut{}, Passed: []deciderOut{}}
	if s.Decided != nil && len(s.Candidates) == 0 {
		d := deciderOf(s.Decided)
		out.DecidedBy = &d
	}
	for i := range s.Candidates {
		out.Candidates = append(out.Candidates, deciderOf(&s.Candidates[i]))
	}
	for i := range s.Passed {
		out.Passed = append(out.Passed, deciderOf(&s.Passed[i]))
	}
	return out
}

func deciderOf(d *verdict.Decider) deciderOut {
	out := deciderOut{Tier: d.Tier, Band: d.Band, Kind: string(d.Policy.Kind), Direction: d.Direction.Lower(), RuleName: d.RuleName,
		Action: d.ActionWord(), ACL: d.ACL, Defect: d.Defect}
	if out.Kind != "" {
		out.Policy = d.Policy.String()
	}
	if d.Rule >= 0 {
		rule := d.Rule
		out.Rule = &rule
	}
	for _, k := range d.Isolating {
		out.Isolating = append(out.Isolating, k.String())
	}
	return out
}

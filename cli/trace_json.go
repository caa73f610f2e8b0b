package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
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
	// Otherwise is what would become of it if ClusterNetworkPolicies had rows.
	Otherwise string            `json:"otherwise,omitempty"`
	Findings  []disagreementOut `json:"findings,omitempty"`
	// NotConsidered is what could make the answer another, of one of many questions.
	NotConsidered []omissionOut `json:"not_considered,omitempty"`

	trace *trace.Trace
}

// frontOut is the Service that an address stands for.
type frontOut struct {
	Service string `json:"service"`
	Kind    string `json:"kind"`
	Port    int    `json:"port"`
	Summary string `json:"summary"`
}

// throughOut is what becomes of a connection to the Service of a pod.
type throughOut struct {
	Service    string          `json:"service"`
	TargetPort int             `json:"target_port"`
	Verdict    verdict.Verdict `json:"verdict"`
	Reason     string          `json:"reason,omitempty"`
	Summary    string          `json:"summary"`
}

// disagreementOut is a stage at which policies and rows say different things.
type disagreementOut struct {
	findingBrief
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
		out.Front = &frontOut{Service: f.Service.Namespace + "/" + f.Service.Name, Kind: string(f.Kind), Port: int(f.Port), Summary: t.Front()}
	}
	return out
}

// trim keeps of the trace what one line of many needs.
func (o *verdictOut) trim() {
	t := o.trace
	o.trace = &trace.Trace{Connection: t.Connection, Verdict: t.Verdict, Reason: t.Reason, Disagree: t.Disagree, NotConsidered: t.NotConsidered}
	for _, f := range o.Families {
		f.trim()
	}
}

// disagrees says whether who was asked says different things, and nobody knows why.
func (o *verdictOut) disagrees() bool {
	if o.OVN.disagrees() {
		return true
	}
	if len(o.Families) > 0 {
		return slices.ContainsFunc(o.Families, (*verdictOut).disagrees)
	}
	if o.trace.OnlyKnown() {
		return o.Rows.Verdict == verdict.Unknown
	}
	return o.Rows != nil && o.Rows.Verdict != o.Verdict || len(o.trace.Disagree) > 0
}

// notAsked stands for the answer to a question that cannot be asked.
func notAsked(q trace.Question, err error) *verdictOut {
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

// whole adds what is said of one question only.
func (o *verdictOut) whole() {
	o.Summary, o.Otherwise = o.trace.Sentence(), o.trace.Otherwise()
	for _, d := range o.trace.Disagree {
		f := disagreementOut{findingBrief: briefly(d.Finding), Zone: d.Zone, Stage: string(o.trace.Paths[d.Path].Stages[d.Stage].Stage)}
		if d.Row != (trace.Row{}) {
			f.Row = d.Row.String()
		}
		o.Findings = append(o.Findings, f)
	}
	if f := o.trace.Of2016; f != nil {
		o.Findings = append(o.Findings, disagreementOut{findingBrief: briefly(*f)})
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
		Action: d.Does(), ACL: d.ACL, Defect: d.Defect}
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

// write prints the answer: of many a line each, of one the path.
func (o *verdictOut) write(b *strings.Builder, wide, brief bool) {
	t := o.trace
	if t == nil { // it cannot be asked
		to := o.To + " " + strings.ToLower(o.Protocol)
		if o.Port != 0 {
			to += " " + strconv.Itoa(o.Port)
		}
		fmt.Fprintf(b, "%s → %s: %s (%s)\n", o.From, to, o.Verdict, o.Reason)
		return
	}
	fmt.Fprintf(b, "%s: %s", t.Connection, o.Verdict)
	if o.Reason != "" {
		fmt.Fprintf(b, " (%s)", o.Reason)
	}
	if o.Front != nil && brief {
		fmt.Fprintf(b, " · through service %s", o.Front.Service)
	}
	if o.Through != nil && brief {
		fmt.Fprintf(b, " · through service %s, which has the port: %s", o.Through.Service, o.Through.Verdict)
	}
	if len(o.Families) > 0 {
		o.writeFamilies(b, wide, brief)
		return
	}
	switch {
	case o.Rows == nil:
	case o.Verdict == verdict.Unknown && o.Rows.Verdict != verdict.Unknown:
		fmt.Fprintf(b, " · rows say %s", o.Rows.Verdict)
	case o.Rows.Verdict == verdict.Unknown && o.Verdict != verdict.Unknown:
		fmt.Fprintf(b, " · rows unknown: %s", o.Rows.Reason)
	case t.OnlyKnown():
		fmt.Fprintf(b, " · rows of today: %s", o.Rows.Verdict)
	case o.Rows.Verdict != o.Verdict:
		fmt.Fprintf(b, " · rows disagree: %s", o.Rows.Verdict)
	case len(t.Disagree) > 0:
		b.WriteString(" · rows disagree on the way")
	default:
		b.WriteString(" · rows agree")
	}
	if brief && o.OVN != nil {
		b.WriteString(o.OVN.brief())
	}
	b.WriteString("\n")
	if brief {
		return
	}
	if o.Reason == "" {
		b.WriteString(t.Sentence() + "\n")
	}
	o.writeServices(b)
	if s := t.Otherwise(); s != "" {
		b.WriteString(s + "\n")
	}
	if f := t.Of2016; f != nil {
		fmt.Fprintf(b, "%s\n  → %s\n", f.Message, f.Remedy)
	}
	for _, d := range t.Disagree {
		fmt.Fprintf(b, "%s\n  → %s\n", d.Finding.Message, d.Finding.Remedy)
	}
	for i := range t.Paths {
		p := &t.Paths[i]
		if len(t.Paths) > 1 {
			fmt.Fprintf(b, "\nto %s: %s\n", p.To.Endpoint, strings.TrimSpace(string(p.Verdict)+" "+p.Reason))
		}
		for _, n := range []struct{ what, note string }{{"from", p.From.Note}, {"to", p.To.Note}, {"path", p.Note}} {
			if n.note != "" {
				fmt.Fprintf(b, "%s: %s\n", n.what, n.note)
			}
		}
		if len(p.Stages) > 0 {
			b.WriteString("\n" + stagesTable(p, o.Rows != nil))
			writeTried(b, p, wide)
		}
	}
	if o.OVN != nil {
		o.OVN.write(b)
	}
}

// writeServices says which Service was asked, and which would have been meant.
func (o *verdictOut) writeServices(b *strings.Builder) {
	if o.Front != nil {
		b.WriteString(o.Front.Summary + "\n")
	}
	if o.Through != nil {
		b.WriteString(o.Through.Summary + "\n")
	}
}

// writeFamilies prints the rest of an answer that is another for IPv4 than for IPv6: in one
// line whether the rows agree, else each by itself.
func (o *verdictOut) writeFamilies(b *strings.Builder, wide, brief bool) {
	switch {
	case o.Rows == nil:
	case o.disagrees():
		b.WriteString(" · rows disagree")
	default:
		b.WriteString(" · rows agree")
	}
	if o.OVN != nil && brief {
		b.WriteString(o.OVN.brief())
	}
	b.WriteString("\n")
	if brief {
		return
	}
	o.writeServices(b)
	for _, f := range o.Families {
		fmt.Fprintf(b, "\n%s\n", f.trace.Connection.Family)
		f.write(b, wide, false)
	}
	if o.OVN != nil {
		o.OVN.write(b)
	}
}

// writeExample prints an answer that is an example: of a Service, one endpoint's, and what
// was tried only where it may be long.
func (o *verdictOut) writeExample(b *strings.Builder, wide bool) {
	if wide {
		o.write(b, wide, false)
		return
	}
	t := o.trace
	o.write(b, false, true)
	b.WriteString(t.Sentence() + "\n")
	for _, d := range t.Disagree {
		fmt.Fprintf(b, "%s\n  → %s\n", d.Finding.Message, d.Finding.Remedy)
	}
	for i := range t.Paths {
		if p := &t.Paths[i]; p.Verdict == t.Verdict && len(p.Stages) > 0 {
			b.WriteString("\n" + stagesTable(p, o.Rows != nil))
			return
		}
	}
}

// stagesTable is a path stage by stage, with what the rows say beside it.
func stagesTable(p *trace.Path, rows bool) string {
	t := &tableOut{head: []string{"STAGE", "ZONE", "VERDICT", "DECIDED BY"}}
	if rows {
		t.head = append(t.head, "BY ROWS")
	}
	for i := range p.Stages {
		s := &p.Stages[i]
		if s.Idle {
			continue
		}
		cells := []string{string(s.Stage), s.Zone, string(s.Verdict), trace.WhoOf(s.StageVerdict)}
		if rows && s.Rows != nil {
			cells = append(cells, strings.TrimSpace(string(s.Rows.Verdict)+" · "+trace.WhoOf(s.Rows)))
		}
		t.add(cells...)
	}
	return t.String()
}

// writeTried lists what was tried, stage by stage, with what became of it first: names may
// be long. Policies of other pods are left out where it is to be short.
func writeTried(b *strings.Builder, p *trace.Path, wide bool) {
	for i := range p.Stages {
		s := &p.Stages[i]
		t := &tableOut{head: []string{"TRIED", "TIER", "RULE"}}
		for _, l := range s.Lines {
			if l.What == trace.Nothing || l.What == trace.Other && !wide {
				continue
			}
			result, rule := "matches", strings.TrimSuffix(trace.Who(l.Rule), ": ")
			switch {
			case l.Why != "":
				result = "not its " + l.Why
			case l.What == trace.NotAsked:
				result = "not asked"
			}
			if l.Rule.Defect != "" {
				rule += " (known defect: " + l.Rule.Defect + ")"
			}
			tier := fmt.Sprint(l.Tier)
			if l.Band != "" {
				tier = l.Band
			}
			t.add(result, tier, rule)
		}
		if len(t.rows) > 0 {
			fmt.Fprintf(b, "\n%s on %s:\n%s", s.Stage, s.Zone, t)
		} else if len(s.Would) > 0 {
			fmt.Fprintf(b, "\n%s on %s:\n", s.Stage, s.Zone)
		}
		for j := range s.Would {
			b.WriteString(s.Would[j].Sentence() + "\n")
		}
	}
}

// omissions are what the answer does not take into account, and that it is none.
func (o *verdictOut) omissions() []model.Omission {
	out := slices.Clone(o.trace.NotConsidered)
	switch o.trace.Verdict {
	case verdict.Unknown:
		out = append(out, model.Omission{Code: model.OmittedPart, Why: "unknown: " + cmp.Or(o.trace.Reason, "the stages say why")})
	case verdict.NotApplicable:
		out = append(out, model.Omission{Code: model.OmittedAll, Why: "no policy is asked: " + o.trace.Reason})
	}
	return out
}

// omissions are those of many answers; it may be filled from any goroutine.
type omissions struct {
	mu    sync.Mutex
	seen  map[string]bool
	found []model.Omission
	none  int // answers that no policy was asked about
}

// add takes in those of an answer, and gives them back.
func (s *omissions) add(o *verdictOut) []model.Omission {
	all := o.omissions()
	if len(all) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	for _, one := range all {
		if one.Code == model.OmittedAll {
			s.none++
		} else if text := one.String(); !s.seen[text] {
			s.seen[text] = true
			s.found = append(s.found, one)
		}
	}
	return all
}

// all are those of n answers: that no policy is asked counts where that is so of all.
func (s *omissions) all(n int) []model.Omission {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortFunc(s.found, func(a, b model.Omission) int {
		return cmp.Or(cmp.Compare(slices.Index(model.OmissionCodes, a.Code), slices.Index(model.OmissionCodes, b.Code)),
			cmp.Compare(a.String(), b.String()))
	})
	if s.none == n {
		s.found = append(s.found, model.Omission{Code: model.OmittedAll, Why: "nothing was judged: " + words.Form(n, "no case is", "none of the cases is") + " about policies"})
	}
	return s.found
}

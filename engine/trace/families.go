package trace

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
)

// AskAllFamilies answers a question in every family that it leaves open and both ends have. If only a Service
// has the port, it also answers for that Service.
func (t *Tracer) AskAllFamilies(r *revision.Revision, c verdict.Connection, by AnsweredBy, tried bool, now time.Time) (*Trace, error) {
	if err := checkEnds(r, c); err != nil {
		return nil, err
	}
	on, apart, err := revision.ForConnection(r, c)
	if err != nil {
		return nil, err
	}
	if apart != nil {
		return separateNetworksTrace(c, apart), nil
	}
	out, err := t.askFamilies(on, c, by, tried, now)
	if err != nil {
		return nil, err
	}
	return out, t.askService(out, on, c, by, now)
}

// separateNetworksTrace returns the answer for ends on networks that do not reach each other, without asking policies.
func separateNetworksTrace(c verdict.Connection, apart *revision.CrossNetworkAnswer) *Trace {
	a := verdict.Answer{Connection: c, Verdict: apart.Verdict, Reason: apart.Reason}
	return &Trace{Connection: c, Verdict: a.Verdict, Reason: a.Reason, Answer: a}
}

func (t *Tracer) askFamilies(r *revision.Revision, c verdict.Connection, by AnsweredBy, tried bool, now time.Time) (*Trace, error) {
	families := verdict.OpenFamilies(r.Verdicts(), c)
	if families == nil {
		return t.Ask(r, c, by, tried, now)
	}
	var all []*Trace
	for _, f := range families {
		q := c
		q.Family = f
		one, err := t.Ask(r, q, by, tried, now)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	main := all[0]
	if verdictRank(all[1].Verdict) > verdictRank(main.Verdict) {
		main = all[1]
	}
	out := *main
	out.Connection, out.NotConsidered = c, revision.MergeOmissions(all[0].NotConsidered, all[1].NotConsidered)
	differ := all[0].Sentence() != all[1].Sentence()
	for _, one := range all {
		differ = differ || len(one.Disagree) > 0 || one.Rows != nil && main.Rows != nil && one.Rows.Verdict != main.Rows.Verdict
	}
	if differ {
		out.Families = all
		out.Verdict, out.Reason = combinedVerdict(all[0], all[1])
	}
	return &out, nil
}

// verdictRank orders verdicts: the most important to see has the highest rank.
func verdictRank(v verdict.Verdict) int {
	return slices.Index([]verdict.Verdict{verdict.Allow, verdict.Undefined, verdict.Unknown, verdict.Mixed, verdict.Deny}, v)
}

// combinedVerdict returns the verdict on two families together: the common one if they agree. If they differ
// it is unknown, since the client chooses the family. Undefined stays reserved for what rules leave open.
// NotApplicable in one family says nothing about the other.
func combinedVerdict(a, b *Trace) (v verdict.Verdict, why string) {
	v = verdict.Unknown
	switch {
	case a.Verdict == b.Verdict && a.Reason == b.Reason:
		return a.Verdict, a.Reason
	case a.Verdict == b.Verdict:
		v = a.Verdict
	}
	said := func(t *Trace) string {
		return t.inFamily(string(t.Verdict) + words.Between(" (", t.Reason, ")"))
	}
	return v, said(a) + ", " + said(b)
}

// inFamily prefixes a text with the trace's family.
func (t *Trace) inFamily(text string) string {
	return fmt.Sprintf("%s: %s", t.Connection.Family, text)
}

// ServiceAnswer is the answer for the same connection to the Service that has the requested port, if the pod
// has not.
type ServiceAnswer struct {
	Service model.Key
	Target  uint16 // the pod's port for the Service's connections
	*Trace
}

// askService asks the Service that has the requested port, if the pod has not.
func (t *Tracer) askService(out *Trace, r *revision.Revision, c verdict.Connection, by AnsweredBy, now time.Time) error {
	if len(out.Paths) != 1 || out.Answer.Front != nil || c.To.Key.Kind == model.KindService || out.Paths[0].To.Key.Kind != model.KindPod {
		return nil
	}
	service, target, ok := verdict.OnlyService(r.Verdicts(), out.Paths[0].To.Key, c.Protocol, c.Port)
	if !ok {
		return nil
	}
	q := c
	q.To = verdict.Endpoint{Key: service}
	if c.To.Addr.IsValid() {
		q.Family = verdict.AddrFamily(c.To.Addr)
	}
	answer, err := t.askFamilies(r, q, by, false, now)
	if err != nil {
		return fmt.Errorf("asking %s, which has the port: %w", q.To, err)
	}
	out.ViaService = &ServiceAnswer{Service: service, Target: target, Trace: answer}
	return nil
}

// Hint returns the answer as a sentence.
func (h *ServiceAnswer) Hint() string {
	c := h.Connection
	return fmt.Sprintf("%s %d is a port of %s, whose pods listen on %d; through the Service: %s", strings.ToLower(string(c.Protocol)), c.Port,
		EndName(c.To), h.Target, h.Sentence())
}

// ServiceInFront names the Service whose address was asked; empty if none.
func (t *Trace) ServiceInFront() string {
	if f := t.Answer.Front; f != nil {
		return f.String() + ": load balanced first, so policies are asked about its endpoints"
	}
	return ""
}

// AllDisagree returns the stages of every family at which policies and rows disagree.
func (t *Trace) AllDisagree() []Disagreement {
	if len(t.Families) == 0 {
		return t.Disagree
	}
	var out []Disagreement
	for _, f := range t.Families {
		out = append(out, f.Disagree...)
	}
	return out
}

// HasDisagreement reports whether policies and rows disagree without a known reason.
func (t *Trace) HasDisagreement() bool {
	switch {
	case len(t.Families) > 0:
		return slices.ContainsFunc(t.Families, (*Trace).HasDisagreement)
	case t.DiffersAsKnown():
		return t.Rows.Verdict == verdict.Unknown
	}
	return t.Rows != nil && t.Rows.Verdict != t.Verdict || len(t.Disagree) > 0
}

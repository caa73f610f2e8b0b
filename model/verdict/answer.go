package verdict

import (
	"bytes"
	"encoding/json"
	"iter"
	"net/netip"
	"slices"

	"rung/model"
)

// Verdict is the decision about a connection.
type Verdict string

// The verdicts.
const (
	Allow Verdict = "allow"
	Deny  Verdict = "deny"
	// Undefined: rules of equal priority disagree, and which one wins changes the answer.
	Undefined Verdict = "undefined"
	// Mixed: endpoints of a Service are decided differently, some allowed and some denied.
	Mixed Verdict = "mixed"
	// Unknown: something that may decide cannot be judged; the reason says what.
	Unknown Verdict = "unknown"
	// NotApplicable: no policy is asked about the connection; the reason says why.
	NotApplicable Verdict = "not applicable"
)

// DoneText says it of a connection: "allowed", "denied", else the verdict itself.
func (v Verdict) DoneText() string {
	switch v {
	case Allow:
		return "allowed"
	case Deny:
		return "denied"
	}
	return string(v)
}

// Answer is the verdict about a connection, with the reasons.
type Answer struct {
	Connection Connection
	Verdict    Verdict
	// Reason of Unknown and NotApplicable.
	Reason string
	// Front is the Service whose address was asked, nil for none: its endpoints are asked.
	Front *ServiceFront
	// Paths is one, or for a Service one for each of its endpoints: none where it has none.
	Paths []Path
}

// Stages yields the stages of every path: a Service has one to each of its endpoints.
func (a *Answer) Stages() iter.Seq[*StageVerdict] {
	return func(yield func(*StageVerdict) bool) {
		for i := range a.Paths {
			for k := range a.Paths[i].Stages {
				if !yield(&a.Paths[i].Stages[k]) {
					return
				}
			}
		}
	}
}

// End is an endpoint as it was found.
type End struct {
	Endpoint
	// Addr is the address it takes part with, Zone the node whose switch it is on, empty
	// for what is outside.
	Addr netip.Addr
	Zone string
	// Port is the destination port behind a Service, and Note what it is that is not plain.
	Port uint16
	Note string
	// HasMadeUpAddr says that the address is assumed: the pod has none yet.
	HasMadeUpAddr bool
}

// Path is the way of a connection between two ends.
type Path struct {
	From, To End
	Verdict  Verdict
	Reason   string
	Stages   []StageVerdict
	// Note says what is special about the way, empty for nothing.
	Note string
	// Via is the node through whose NodePort it goes, where that is another than the one it
	// begins on: its stages are those of both legs.
	Via string
}

// StageVerdict is one walk through the tiers: of one stage in one zone.
type StageVerdict struct {
	Stage model.Stage
	Zone  string
	// Reply says that it is the way of replies, from the destination back to the source.
	Reply   bool
	Verdict Verdict
	Reason  string // of Unknown, and of a reply that is denied
	// Decided is the rule that decided, nil where nothing matched in any tier: the default,
	// allow. Candidates are all rules of that priority where they disagree; which one wins
	// is undefined.
	Decided    *Decider
	Candidates []Decider
	// Passed are the rules that passed the packet on to the next tier, in order.
	Passed []Decider
	// Tiers are the tiers that were tried, with the rules tried in each; only where Trace
	// was asked.
	Tiers []TriedTier
}

// Name returns the stage for people: "to-lport", "reply to-lport".
func (s *StageVerdict) Name() string {
	if s.Reply {
		return "reply " + string(s.Stage)
	}
	return string(s.Stage)
}

// Decider is a rule, or what stands for one, that matched.
type Decider struct {
	Tier int
	// Policy is the policy, or the unit where no policy is meant (kinds.go): the default
	// deny of a namespace, hairpin, own-node and multicast rows. Zero for a row that Rung
	// does not know.
	Policy    model.Key
	Direction model.Direction
	Rule      int // -1 where it is no rule of a policy
	RuleName  string
	Action    model.Action
	// Band is the tier by its name, and Word the action as it is written (Drop, Reject),
	// where tiers have names; else empty.
	Band, Word string
	Priority   int // OVN's: the higher decides first
	// ACL is the id of the row, or its UUID where it has none; from rows only.
	ACL string
	// Reply says that it decides about replies.
	Reply bool
	// Isolating are the NetworkPolicies that isolate the pod, where a default deny decides.
	Isolating []model.Key
	// Defect says which known defect of OVN-Kubernetes makes the rule match where it should
	// not, or not match where it should; empty for none.
	Defect string
}

// MarshalJSON names the rule: its policy, direction, index and name.
func (d Decider) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // whoever encodes the whole says whether to
	err := enc.Encode(struct {
		Policy    string          `json:"policy"`
		Direction model.Direction `json:"direction,omitempty"`
		Rule      int             `json:"rule"` // -1 for none of a policy
		Name      string          `json:"name,omitempty"`
	}{d.Policy.String(), d.Direction, d.Rule, d.RuleName})
	return b.Bytes(), err
}

// ActionWord is the action as people know it: the plugin's own word where it has one.
func (d *Decider) ActionWord() string {
	if d.Word != "" {
		return d.Word
	}
	return string(d.Action)
}

// TriedTier is one tier of a stage: the rules that were tried there, in the order in which
// they decide, until something did.
type TriedTier struct {
	Tier     int
	Band     string // as Decider.Band
	Attempts []Attempt
}

// Attempt is a rule that was tried. A policy of which no rule can match has one attempt,
// with Rule -1.
type Attempt struct {
	Decider
	Matched bool
	// Why it did not match, in a word: "subject", "peer", "port", "protocol".
	Why string
	// Note explains a mismatch that surprises, in a sentence; mostly empty.
	Note string
}

// JoinPaths joins the verdicts of the paths. A Service may send a connection to any of its
// endpoints: the answer is allow or deny only if it is the same at all of them.
func (a *Answer) JoinPaths() {
	reasons, untouched := map[Verdict]string{}, false
	for i := range a.Paths {
		p := &a.Paths[i]
		if _, known := reasons[p.Verdict]; !known {
			reasons[p.Verdict] = p.Reason
		}
		untouched = untouched || p.Verdict == NotApplicable && p.From.Addr.IsValid() && p.To.Addr.IsValid()
	}
	has := func(v Verdict) bool { _, is := reasons[v]; return is }
	a.Verdict = NotApplicable
	switch {
	case has(Deny) && (has(Allow) || untouched): // no policy is asked about an untouched path, so it is open
		a.Verdict = Mixed
	case has(Unknown):
		a.Verdict = Unknown
	case has(Undefined):
		a.Verdict = Undefined
	case has(Deny):
		a.Verdict = Deny
	case has(Allow):
		a.Verdict = Allow
	}
	a.Reason = reasons[a.Verdict]
}

// AddDecider adds a rule once, though several of its rows may match.
func AddDecider(all []Decider, d Decider) []Decider {
	if slices.ContainsFunc(all, func(o Decider) bool {
		return o.Policy == d.Policy && o.Direction == d.Direction && o.Rule == d.Rule && o.Action == d.Action
	}) {
		return all
	}
	return append(all, d)
}

// JoinStages is the verdict of a way that every stage must let through.
func JoinStages(stages []StageVerdict) Verdict {
	out := Allow
	for i := range stages {
		out = JoinVerdicts(out, stages[i].Verdict)
	}
	return out
}

// JoinVerdicts is the verdict of two stages together: one that denies settles it, and where one
// is unknown the whole is.
func JoinVerdicts(a, b Verdict) Verdict {
	for _, v := range [...]Verdict{Deny, Unknown, Undefined} {
		if a == v || b == v {
			return v
		}
	}
	return Allow
}

// HarmRank puts what hurts first.
func (v Verdict) HarmRank() int {
	return slices.Index([]Verdict{Deny, Mixed, Undefined, Unknown, Allow}, v)
}

// RuleDecider is a rule as one that decides, whatever the connection.
func (x *Index) RuleDecider(rule int32) Decider {
	r := &x.Rules[rule]
	d := Decider{Policy: r.Key, Direction: r.Direction, Rule: r.Index, Action: r.Action, Reply: r.Reply, Defect: r.defect}
	if x.order != nil {
		d.Band, d.Word = x.order.bandOf(r)
	}
	if r.Policy != nil {
		d.Tier, d.RuleName = int(r.Policy.Tier), r.Policy.Rule(r.Direction, r.Index).Name
	}
	return d
}

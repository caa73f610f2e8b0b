package verdict

import (
	"bytes"
	"cmp"
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
	// Undefined: rules of equal priority disagree, and the answer depends on which one wins.
	Undefined Verdict = "undefined"
	// Mixed: some endpoints of a Service are allowed, others denied.
	Mixed Verdict = "mixed"
	// Unknown: something that may decide cannot be judged; the reason names it.
	Unknown Verdict = "unknown"
	// NotApplicable: no policy applies to the connection; the reason says why.
	NotApplicable Verdict = "not applicable"
)

// DoneText returns "allowed", "denied", else the verdict itself.
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
	// Front is the Service whose address was asked, or nil; each of its endpoints has a path.
	Front *ServiceFront
	// Paths has one path, or one for each endpoint of a Service; empty for a Service without endpoints.
	Paths []Path
}

// Stages yields the stages of every path.
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

// End is a resolved endpoint of a path.
type End struct {
	Endpoint
	// Addr is the address used on this path. Zone is the node whose switch it is on, or empty.
	Addr netip.Addr
	Zone string
	// Port is the destination port behind a Service. Note explains anything unusual.
	Port uint16
	Note string
	// HasMadeUpAddr reports an assumed address: the pod has none yet.
	HasMadeUpAddr bool
}

// Path is one way of a connection between two ends.
type Path struct {
	From, To End
	Verdict  Verdict
	Reason   string
	Stages   []StageVerdict
	// Note describes anything special about the path, or is empty.
	Note string
	// Via is the node through whose NodePort the path goes, if it is not the node where the path begins.
	// Stages then has those of both legs.
	Via string
}

// StageVerdict is the result of a walk through the tiers, in a stage and zone.
type StageVerdict struct {
	Stage model.Stage
	Zone  string
	// Reply marks the way of replies, from the destination back to the source.
	Reply   bool
	Verdict Verdict
	Reason  string // of Unknown, and of a denied reply
	// Decided is the rule that decided. It is nil if nothing matched in any tier: the default is allow.
	// Candidates are all rules of that priority if they disagree; OVN may take any of them.
	Decided    *Decider
	Candidates []Decider
	// Passed are the rules that passed the packet to the next tier, in order.
	Passed []Decider
	// Tiers are the tiers tried, with the rules tried in each; only if a trace was asked for.
	Tiers []TriedTier
}

// Name returns the stage as shown: "to-lport", "reply to-lport".
func (s *StageVerdict) Name() string {
	if s.Reply {
		return "reply " + string(s.Stage)
	}
	return string(s.Stage)
}

// Decider is a rule that matched, or generated rows that matched.
type Decider struct {
	Tier int
	// Policy is the policy, or the unit of generated rows (kinds.go): a namespace's default deny, hairpin,
	// own-node and multicast rows. Zero for a row unknown to Rung.
	Policy    model.Key
	Direction model.Direction
	Rule      int // -1 if it is no rule of a policy
	RuleName  string
	Action    model.Action
	// Band is the name of the tier and Word the action as written (Drop, Reject).
	Band, Word string
	Priority   int // in OVN: the higher decides first
	// ACL is the id of the row, or its UUID if it has no id; only in answers from rows.
	ACL string
	// Reply marks a rule that decides about replies.
	Reply bool
	// Isolating are the NetworkPolicies that isolate the pod, if a default deny decides.
	Isolating []model.Key
	// Defect names the known defect of OVN-Kubernetes that makes the rule match, or not match, against its
	// spec; empty for none.
	Defect string
}

// MarshalJSON names the rule: its policy, direction, index and name.
func (d Decider) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // the outer encoder escapes
	err := enc.Encode(struct {
		Policy    string          `json:"policy"`
		Direction model.Direction `json:"direction,omitempty"`
		Rule      int             `json:"rule"` // -1 for rows of no rule
		Name      string          `json:"name,omitempty"`
	}{d.Policy.String(), d.Direction, d.Rule, d.RuleName})
	return b.Bytes(), err
}

// ActionWord returns the plugin's own word for the action, else the action.
func (d *Decider) ActionWord() string { return cmp.Or(d.Word, string(d.Action)) }

// TriedTier is a tier of a stage with the rules tried, in deciding order, ending with the deciding one.
type TriedTier struct {
	Tier     int
	Band     string // as Decider.Band
	Attempts []Attempt
}

// Attempt is a rule that was tried. A policy none of whose rules can match has one attempt, with Rule -1.
type Attempt struct {
	Decider
	Matched bool
	// Why names the part that did not match: "subject", "peer", "port", "protocol".
	Why string
	// Note explains a surprising mismatch in a sentence; mostly empty.
	Note string
}

// JoinPaths joins the verdicts of the paths. A Service may send a connection to any of its endpoints, so the
// answer is allow or deny only if all endpoints agree.
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
	case has(Deny) && (has(Allow) || untouched): // no policy applies to an untouched path, so it is open
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

// AddDecider adds a rule once, even if several of its rows match.
func AddDecider(all []Decider, d Decider) []Decider {
	if slices.ContainsFunc(all, func(o Decider) bool {
		return o.Policy == d.Policy && o.Direction == d.Direction && o.Rule == d.Rule && o.Action == d.Action
	}) {
		return all
	}
	return append(all, d)
}

// JoinStages returns the verdict of a path that every stage must allow.
func JoinStages(stages []StageVerdict) Verdict {
	out := Allow
	for i := range stages {
		out = JoinVerdicts(out, stages[i].Verdict)
	}
	return out
}

// JoinVerdicts returns the verdict of two stages together. The first of deny, unknown and undefined wins.
func JoinVerdicts(a, b Verdict) Verdict {
	for _, v := range [...]Verdict{Deny, Unknown, Undefined} {
		if a == v || b == v {
			return v
		}
	}
	return Allow
}

// HarmRank returns a rank that sorts the most harmful verdict first.
func (v Verdict) HarmRank() int {
	return slices.Index([]Verdict{Deny, Mixed, Undefined, Unknown, Allow}, v)
}

// RuleDecider returns a rule as a Decider, independent of any connection.
func (x *Index) RuleDecider(rule int32) Decider {
	r := &x.Rules[rule]
	d := Decider{Policy: r.Key, Direction: r.Direction, Rule: r.Index, Action: r.Action, Reply: r.Reply, Defect: r.defect}
	if x.order != nil {
		d.Band, d.Word = x.order.bandAndWord(r)
	}
	if r.Policy != nil {
		d.Tier, d.RuleName = int(r.Policy.Tier), r.Policy.Rule(r.Direction, r.Index).Name
	}
	return d
}

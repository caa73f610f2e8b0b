package diff

import (
	"encoding/binary"

	"rung/model"
	"rung/model/verdict"
)

type indexSide struct {
	c             *verdict.Classes
	d             *differ
	beforeOrAfter int // 0 before the change, 1 after it
	grid          *verdict.Grid
	// walkByTerms are the known walks, by stage and terms.
	walkByTerms [verdict.StageCount]map[string]int32

	names        []string // by rule: equal if a rule is in both indexes, empty if not computed yet
	deciderIDs   []int32  // by rule: its id as the only decider, -1 if not computed yet
	decidersByID map[int32][]int32
	list         []int32
	raw          []byte
	hits         []verdict.Hit // hits of the last walk, reused as a buffer
}

func newIndexSide(d *differ, c *verdict.Classes, at int) *indexSide {
	s := &indexSide{c: c, d: d, beforeOrAfter: at, walkByTerms: walksByStage(),
		names: make([]string, len(c.Index.Rules)), deciderIDs: make([]int32, len(c.Index.Rules)), decidersByID: map[int32][]int32{}}
	for i := range s.deciderIDs {
		s.deciderIDs[i] = -1
	}
	s.grid = verdict.NewGrid(c, s.findWalk)
	return s
}

// walksByStage makes an empty map of walks for each stage.
func walksByStage() (out [verdict.StageCount]map[string]int32) {
	for stage := range out {
		out[stage] = map[string]int32{}
	}
	return out
}

// ruleName returns a name that is equal for a rule that is in both indexes, even if other rules of its policy
// came before it.
func (s *indexSide) ruleName(rule int32) string {
	if s.names[rule] == "" {
		r := &s.c.Index.Rules[rule]
		s.names[rule] = r.Key.String() + "\x00" + string(r.Direction) + "\x00" + string(r.Action)
		if r.Reply {
			s.names[rule] += "\x00reply"
		}
		if r.Policy != nil {
			s.names[rule] += "\x00" + verdict.RuleMatch(r.Policy.Rule(r.Direction, r.Index))
		}
	}
	return s.names[rule]
}

// walkDecision is a walk's verdict with the id of the deciders.
type walkDecision struct {
	verdict verdict.Verdict
	decider int32
}

// joinedVerdict is the verdict of connections over all walks, and of each walk.
type joinedVerdict struct {
	verdict verdict.Verdict
	walks   [verdict.Walks]walkDecision
}

// byDefault is the joined verdict if nothing matches.
var byDefault = func() (r joinedVerdict) {
	r.verdict = verdict.Allow
	for i := range r.walks {
		r.walks[i] = walkDecision{verdict.Allow, -1}
	}
	return r
}()

// decisions are the joined verdicts of all walks, for every port.
type decisions struct {
	list []verdict.Run[joinedVerdict]
}

func (s *indexSide) findWalk(kind verdict.WalkKind, met verdict.Set) int32 {
	stage := kind.Stage()
	s.raw = verdict.AppendSet(s.raw[:0], met)
	if id, known := s.walkByTerms[stage][string(s.raw)]; known {
		return id
	}
	s.list = s.list[:0]
	met.Each(func(i int32) { s.list = append(s.list, i) })
	terms := s.c.Index.Terms[stage]
	id := s.d.walks.InternRuns(verdict.CollectRuns(func(proto int8) []uint16 { return verdict.PortEdges(proto, terms, s.list) },
		func(proto int8, port uint16) walkDecision {
			decided := s.walkTiers(s.list, terms, proto, port)
			s.d.noteUse(s, stage, s.list, proto, port, decided.decider)
			return decided
		}))
	s.walkByTerms[stage][string(s.raw)] = id
	return id
}

func (s *indexSide) pairDecisions(a, b int32, how verdict.ConnectionMode) *decisions {
	way := s.grid.WalkAnswers(a, b, how)
	p := s.d.joinedWalks[way]
	if p == nil {
		p = s.d.joinWalks(way)
		s.d.joinedWalks[way] = p
	}
	return p
}

// newWalkTable makes an empty table of walks. Equal verdicts and deciders of either side share one entry.
func newWalkTable() verdict.RunTable[walkDecision] {
	return verdict.RunTable[walkDecision]{Raw: func(raw []byte, d walkDecision) []byte {
		return binary.LittleEndian.AppendUint32(append(raw, byte(verdict.NewOutcome(d.verdict))), uint32(d.decider))
	}}
}

// joinWalks returns the decisions about each port over all walks; -1 is no walk.
func (d *differ) joinWalks(way [verdict.Walks]int32) *decisions {
	all := &decisions{}
	for _, r := range verdict.EveryPort() {
		all.list = append(all.list, verdict.Run[joinedVerdict]{Protocol: r.Protocol, Lo: r.Lo, Hi: r.Hi, Verdict: byDefault})
	}
	for k, id := range way {
		if id >= 0 {
			all.list = verdict.JoinRuns(all.list, d.walks.Lists[id], func(r joinedVerdict, w walkDecision) joinedVerdict {
				r.verdict, r.walks[k] = verdict.JoinVerdicts(r.verdict, w.verdict), w
				return r
			})
		}
	}
	return all
}

// walkTiers walks the tiers once and returns the verdict with its deciders.
func (s *indexSide) walkTiers(list []int32, terms []verdict.Term, proto int8, port uint16) walkDecision {
	k := verdict.CollectHits(list, terms, proto, port, s.hits[:0])
	s.hits = k.Hits
	if len(k.Hits) == 0 || !k.IsOpen && k.LastEffect == verdict.Passes {
		return walkDecision{verdict.Allow, -1}
	}
	if !k.IsOpen {
		v := verdict.Allow
		if k.LastEffect == verdict.Drops {
			v = verdict.Deny
		}
		// All hits of the last priority decide alike.
		first, last := len(k.Hits)-1, len(k.Hits)-1
		for first > 0 && k.Hits[first-1].SamePriority(&k.Hits[last]) {
			first--
		}
		if first == last {
			return walkDecision{v, s.idOfRule(terms[k.Hits[last].Ref].Rule)}
		}
		refs := model.MapList(k.Hits[first:], func(h verdict.Hit) int32 { return h.Ref })
		return walkDecision{v, s.idOfRules(verdict.RulesOfTerms(terms, refs))}
	}
	how := verdict.SettleHits(k.Hits)
	return walkDecision{how.Verdict, s.idOfRules(verdict.RulesOfTerms(terms, how.Decided))}
}

func (s *indexSide) idOfRule(rule int32) int32 {
	if s.deciderIDs[rule] < 0 {
		s.deciderIDs[rule] = s.deciderID(s.ruleName(rule), []int32{rule})
	}
	return s.deciderIDs[rule]
}

func (s *indexSide) idOfRules(rules []int32) int32 {
	if len(rules) == 1 {
		return s.idOfRule(rules[0])
	}
	name := ""
	for _, r := range rules {
		name += s.ruleName(r) + "\x02"
	}
	return s.deciderID(name, rules)
}

func (s *indexSide) deciderID(name string, rules []int32) int32 {
	id, known := s.d.ids[name]
	if !known {
		id = int32(len(s.d.ids))
		s.d.ids[name] = id
	}
	if s.decidersByID[id] == nil {
		s.decidersByID[id] = rules
	}
	return id
}

func (s *indexSide) decidersOfID(id int32) []verdict.Decider {
	if id < 0 {
		return []verdict.Decider{}
	}
	return model.MapList(s.decidersByID[id], s.c.Index.RuleDecider)
}

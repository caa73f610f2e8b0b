package revision

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/model/words"
)

// MostEnds limits the ends of a Table, since it stores every pair.
const MostEnds = 4000

// PortState is the verdict of connections between two ends at a range of ports.
type PortState struct {
	verdict.PortRange
	// Outcome holds the verdicts: several if pods of a workload differ.
	Outcome verdict.Outcome
	// By are the deciding rules of each stage; empty if none matches.
	By  []verdict.Decider
	ids [][verdict.Walks]int32 // sorted ids of the decisions
}

// VerdictTable holds the verdicts of connections between all ends.
type VerdictTable struct {
	Ends []End
	// at is the kind of each pair of ends, or 0 without connections.
	at       []int32
	kinds    []pairKind
	known    map[kindStep]int32
	sliceIDs map[*diff.PortDecision]int32
	slices   [][]diff.PortDecision
	finder   *endFinder
}

// pairKind holds the decisions that several pairs of ends share.
type pairKind struct {
	parts  []int32 // indexes in VerdictTable.slices
	states []PortState
	made   bool
}

// kindStep is a kind extended by one more slice of decisions.
type kindStep struct{ kind, slice int32 }

// diffPair is the connections between the parts of two ends in two classes.
type diffPair struct {
	pair     *diff.DecidedPair
	from, to *endShare
}

func newTable(c *verdict.Classes, workloads []Workload) (*VerdictTable, error) {
	t := &VerdictTable{finder: newEndFinder(c, workloads), kinds: make([]pairKind, 1), known: map[kindStep]int32{},
		sliceIDs: map[*diff.PortDecision]int32{}}
	for id := range c.List {
		t.finder.classShares(int32(id))
	}
	t.Ends = t.finder.ends
	if len(t.Ends) > MostEnds {
		return nil, fmt.Errorf("%s: at most %s can be compared pair by pair", words.Count(len(t.Ends), "workload"),
			words.Thousands(MostEnds))
	}
	t.at = make([]int32, len(t.Ends)*len(t.Ends))
	return t, nil
}

func (t *VerdictTable) addPair(p *diff.DecidedPair, decided []diff.PortDecision) {
	if len(decided) == 0 {
		return
	}
	slice, is := t.sliceIDs[&decided[0]]
	if !is {
		slice = int32(len(t.slices))
		t.sliceIDs[&decided[0]], t.slices = slice, append(t.slices, decided)
	}
	from, to := t.finder.classShares(p.From), t.finder.classShares(p.To)
	for i := range from {
		for j := range to {
			if t.connects(&from[i], &to[j], p) {
				at := int(from[i].end)*len(t.Ends) + int(to[j].end)
				t.at[at] = t.kindWith(t.at[at], slice)
			}
		}
	}
}

// connects reports whether parts of two ends connect as a pair of classes requires: between pods on one node
// or on two, or to addresses that are not the node's own.
func (t *VerdictTable) connects(from, to *endShare, p *diff.DecidedPair) bool {
	plain := from.end != to.end && p.Nodes == verdict.AnyNodes
	if plain && (len(from.ends) > 0 || len(t.finder.c.Outside.Owners) == 0) {
		return true
	}
	_, ok := t.finder.shareExample(&diffPair{p, from, to}, verdict.PortRange{Protocol: verdict.ICMP})
	return ok
}

// kindWith returns a kind extended by a slice of decisions.
func (t *VerdictTable) kindWith(kind, slice int32) int32 {
	step := kindStep{kind, slice}
	next, is := t.known[step]
	if is {
		return next
	}
	parts := t.kinds[kind].parts
	if !slices.Contains(parts, slice) {
		parts = append(slices.Clone(parts), slice)
		slices.Sort(parts)
		kind = int32(slices.IndexFunc(t.kinds, func(k pairKind) bool { return slices.Equal(k.parts, parts) }))
		if kind < 0 {
			kind = int32(len(t.kinds))
			t.kinds = append(t.kinds, pairKind{parts: parts})
		}
	}
	t.known[step] = kind
	return kind
}

func (t *VerdictTable) portStates(kind int32) []PortState {
	k := &t.kinds[kind]
	if k.made {
		return k.states
	}
	k.made = true
	var all []diff.PortDecision
	for _, p := range k.parts {
		all = append(all, t.slices[p]...)
	}
	k.states = joinDecisions(all)
	return k.states
}

// joinDecisions merges lists of decisions into verdicts at each port.
func joinDecisions(all []diff.PortDecision) (out []PortState) {
	for _, proto := range verdict.Protocols {
		var mine []*diff.PortDecision
		var edges []int
		for i := range all {
			if d := &all[i]; d.Protocol == proto {
				mine = append(mine, d)
				edges = append(edges, int(d.Lo), int(d.Hi)+1)
			}
		}
		slices.Sort(edges)
		edges = slices.Compact(edges)
		for i := range max(0, len(edges)-1) {
			s := PortState{PortRange: verdict.PortRange{Protocol: proto, Lo: uint16(edges[i]), Hi: uint16(edges[i+1] - 1)}}
			for _, d := range mine {
				if d.Lo <= s.Lo && s.Hi <= d.Hi {
					s.add(d)
				}
			}
			if s.Outcome == 0 {
				continue
			}
			slices.SortFunc(s.ids, func(a, b [verdict.Walks]int32) int { return slices.Compare(a[:], b[:]) })
			if n := len(out); n > 0 && out[n-1].Protocol == proto && int(out[n-1].Hi)+1 == int(s.Lo) && out[n-1].Outcome == s.Outcome &&
				slices.Equal(out[n-1].ids, s.ids) {
				out[n-1].Hi = s.Hi
				continue
			}
			out = append(out, s)
		}
	}
	return out
}

func (s *PortState) add(d *diff.PortDecision) {
	s.Outcome |= verdict.NewOutcome(d.Verdict)
	if slices.Contains(s.ids, d.ID) {
		return
	}
	s.ids = append(s.ids, d.ID)
	for _, by := range d.By {
		if !slices.ContainsFunc(s.By, func(o verdict.Decider) bool {
			return o.Policy == by.Policy && o.Direction == by.Direction && o.Rule == by.Rule
		}) {
			s.By = append(s.By, by)
		}
	}
}

// States returns the verdicts of the connections from one end to another, empty if there are none.
func (t *VerdictTable) States(from, to int) []PortState {
	return t.portStates(t.at[from*len(t.Ends)+to])
}

// IsAsked reports whether an end has any connections, whatever their verdict.
func (t *VerdictTable) IsAsked(end int) bool {
	n := len(t.Ends)
	for other := range n {
		if t.at[end*n+other] != 0 || t.at[other*n+end] != 0 {
			return true
		}
	}
	return false
}

// Example returns a connection between two ends at a port with one of the wanted verdicts, or zero.
func (t *VerdictTable) Example(from, to int, at verdict.PortRange, want verdict.Outcome) verdict.Connection {
	f := t.finder
	for _, a := range f.endClasses(from) {
		for _, b := range f.endClasses(to) {
			for _, nodes := range []verdict.NodePairing{verdict.AnyNodes, verdict.OneNode, verdict.TwoNodes} {
				p := diffPair{pair: &diff.DecidedPair{From: a, To: b, Nodes: nodes}, from: f.findShare(a, from), to: f.findShare(b, to)}
				if f.c.List[a].Family != f.c.List[b].Family {
					break
				}
				c, ok := f.shareExample(&p, at)
				if !ok {
					continue
				}
				if answer, err := verdict.FromPolicies(f.c.Index, c); err == nil && verdict.NewOutcome(answer.Verdict)&want != 0 {
					return c
				}
			}
		}
	}
	return verdict.Connection{}
}

// judgedPods returns the pods that can be ends in the default network.
func judgedPods(c *model.Cluster) []*model.Pod {
	return model.FilterSeq(c.Pods(), func(p *model.Pod) bool { return p.CanBePeer() && p.PrimaryUDN() == "" })
}

// WhyNoEnds explains why a revision's table has no ends.
func WhyNoEnds(r *Revision) string {
	onUDN := 0
	for p := range r.JudgedCluster().Pods() {
		if p.PrimaryUDN() != "" {
			onUDN++
		}
	}
	if u := r.NeverRead(model.KindPod, model.KindNamespace); onUDN == 0 && u != nil {
		return u.Text()
	}
	if onUDN == 0 {
		return "no pods that policies can select, and no workloads"
	}
	return words.Count(onUDN, "pod") + " on a user-defined network, where policies of the default network are not enforced; no other " +
		"pods that policies can select"
}

// FindVerdictTable returns the verdicts between all ends. The error is the context's, or reports too many ends.
func FindVerdictTable(ctx context.Context, r *Revision) (*VerdictTable, error) {
	return fillTable(ctx, r.Verdicts(), judgedPods(r.JudgedCluster()), func(*VerdictTable) {})
}

// fillTable returns the verdicts between the workloads of some pods. It calls made with the table before it is filled.
func fillTable(ctx context.Context, x *verdict.Index, pods []*model.Pod, made func(*VerdictTable)) (t *VerdictTable, err error) {
	var tooMany error
	workloads := GroupWorkloads(pods)
	err = diff.EachDecision(ctx, x, func(c *verdict.Classes, p *diff.DecidedPair) {
		if t == nil && tooMany == nil {
			t, tooMany = newTable(c, workloads)
			if t != nil {
				made(t)
			}
		}
		if t != nil {
			t.addPair(p, p.After)
		}
	})
	if tooMany != nil {
		return nil, tooMany
	}
	return cmp.Or(t, &VerdictTable{kinds: make([]pairKind, 1)}), err
}

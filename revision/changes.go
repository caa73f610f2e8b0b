package revision

import (
	"cmp"
	"context"
	"slices"

	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/diff"
)

// ChangeKind classifies how a change affects connections.
type ChangeKind string

// The kinds, the most harmful first.
const (
	Opens   ChangeKind = "opens"   // allowed now, not before
	Closes  ChangeKind = "closes"  // allowed before, not now
	Differs ChangeKind = "differs" // another verdict, never allowed
	Decided ChangeKind = "decided" // the same verdict by another rule
)

// Change is a group of connections between two ends that change alike.
type Change struct {
	Kind     ChangeKind
	From, To End
	// Before and After are the verdicts; 0 if an end did not exist. Several verdicts mean that pods of a
	// workload differ.
	Before, After verdict.Outcome
	Ports         []verdict.PortRange
	// ByBefore and ByAfter are the deciding rules; empty if no rule matches.
	ByBefore, ByAfter []verdict.Decider
	// Network is the user-defined network of the connections, or empty for the default network.
	Network string
	// example finds one of the connections.
	example func() verdict.Connection
}

// Example returns one of the connections as in the second revision, or as in the first if the second has none.
func (c *Change) Example() verdict.Connection {
	example := c.example()
	example.Network = c.Network
	return example
}

// IsNew reports whether an end did not exist before; IsGone whether an end no longer exists.
func (c *Change) IsNew() bool  { return c.Before == 0 }
func (c *Change) IsGone() bool { return c.After == 0 }

// Changes lists the connections that differ between two revisions.
type Changes struct {
	// List is sorted by kind, then by ends. Each end has its name in its own revision.
	List []Change
	// AddedEnds and Went are workloads that only one revision has.
	AddedEnds, RemovedEnds []End
	// MovedPods counts the pods whose address differs; both sides are judged at the second address. MixedPairs
	// counts the pairs of workloads whose pods differ before and after; they are not compared pod by pod.
	MovedPods, MixedPairs int
	// Ends counts the ends that both revisions were asked about.
	Ends int
}

// Compare finds the connections that differ between two revisions. It returns no changes if objects of one
// were never read (Revision.NeverRead). The error is the context's, or reports too many ends.
func Compare(ctx context.Context, before, after *Revision) (*Changes, error) {
	if before.NeverRead() != nil || after.NeverRead() != nil {
		return &Changes{}, nil
	}
	a := alignRevisions(before, after)
	var tables [2]*VerdictTable
	var tooMany error
	whole := false
	err := diff.EachDecisionOfBoth(ctx, VerdictsForCluster(before, a.clusters[0]), VerdictsForCluster(after, a.clusters[1]),
		func(c *verdict.Comparison, p *diff.DecidedPair) {
			if !whole && tooMany == nil {
				whole = true
				for side, classes := range []*verdict.Classes{c.Before, c.After} {
					tables[side], tooMany = newTable(classes, a.workloads[side])
					if tooMany != nil {
						return
					}
				}
			}
			if tooMany == nil {
				tables[0].addPair(p, p.Before)
				tables[1].addPair(p, p.After)
			}
		})
	if err = cmp.Or(tooMany, err); err != nil {
		return nil, err
	}
	out := &Changes{MovedPods: a.moved}
	if !whole {
		return out, nil
	}
	f := &changeFinder{Changes: out, a: a, tables: tables, known: map[[2]int32]kindChange{}}
	f.findEnds()
	f.findChanges()
	return out, nil
}

type changeFinder struct {
	*Changes
	a      *alignment
	tables [2]*VerdictTable
	ends   [][2]int // indexes of each end in the two tables, -1 if missing
	known  map[[2]int32]kindChange
}

// kindChange has the changes between connections of two kinds. mixed: pods differ before and after at a port.
type kindChange struct {
	changes []portChange
	mixed   bool
}

// portChange is a change of connections at some ports, without their ends.
type portChange struct {
	kind          ChangeKind
	before, after PortState
	ports         []verdict.PortRange
}

// findEnds pairs the ends of both tables: workloads by name, addresses outside by their classes.
func (f *changeFinder) findEnds() {
	at := map[[2]string]int{}
	for side, t := range f.tables {
		for i := range t.Ends {
			e := &t.Ends[i]
			if e.IsOutside() {
				continue
			}
			name := [2]string{e.Namespace, e.Name}
			if n, is := at[name]; is && side == 1 {
				f.ends[n][1] = i
				continue
			}
			at[name] = len(f.ends)
			pair := [2]int{-1, -1}
			pair[side] = i
			f.ends = append(f.ends, pair)
		}
	}
	for class, i := range f.tables[0].finder.blocks {
		if j, is := f.tables[1].finder.blocks[class]; is {
			f.ends = append(f.ends, [2]int{int(i), int(j)})
		}
	}
	for _, pair := range f.ends {
		switch {
		case pair[0] < 0:
			f.AddedEnds = append(f.AddedEnds, f.tables[1].Ends[pair[1]])
		case pair[1] < 0:
			f.RemovedEnds = append(f.RemovedEnds, f.tables[0].Ends[pair[0]])
		}
	}
	for _, list := range [][]End{f.AddedEnds, f.RemovedEnds} {
		slices.SortFunc(list, compareEnds)
	}
	f.Ends = len(f.ends)
}

// compareEnds orders workloads by name, and addresses outside after them.
func compareEnds(a, b End) int {
	return cmp.Or(model.FalseFirst(a.IsOutside(), b.IsOutside()), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.String(), b.String()))
}

func (f *changeFinder) findChanges() {
	kindOf := func(side int, from, to [2]int) int32 {
		if from[side] < 0 || to[side] < 0 {
			return 0
		}
		t := f.tables[side]
		return t.at[from[side]*len(t.Ends)+to[side]]
	}
	for _, from := range f.ends {
		for _, to := range f.ends {
			kinds := [2]int32{kindOf(0, from, to), kindOf(1, from, to)}
			of := f.compareKinds(kinds)
			if of.mixed {
				f.MixedPairs++
			}
			for i := range of.changes {
				f.addChange(&of.changes[i], from, to)
			}
		}
	}
	order := []ChangeKind{Opens, Closes, Differs, Decided}
	slices.SortStableFunc(f.List, func(a, b Change) int {
		return cmp.Or(slices.Index(order, a.Kind)-slices.Index(order, b.Kind), compareEnds(a.From, b.From), compareEnds(a.To, b.To))
	})
}

func (f *changeFinder) addChange(c *portChange, from, to [2]int) {
	side, want := 1, c.after.Outcome
	if want == 0 {
		side, want = 0, c.before.Outcome
	}
	t := f.tables[side]
	f.List = append(f.List, Change{Kind: c.kind, From: t.Ends[from[side]], To: t.Ends[to[side]], Before: c.before.Outcome,
		After: c.after.Outcome, Ports: c.ports, ByBefore: c.before.By, ByAfter: c.after.By,
		example: func() verdict.Connection {
			e := t.Example(from[side], to[side], c.ports[0], want)
			e.From, e.To = f.a.realEnd(side, e.From), f.a.realEnd(side, e.To)
			return e
		}})
}

// compareKinds returns the changes between connections of two kinds, each with all its ports.
func (f *changeFinder) compareKinds(kinds [2]int32) kindChange {
	out, is := f.known[kinds]
	if !is {
		out.changes, out.mixed = compareStates(f.tables[0].portStates(kinds[0]), f.tables[1].portStates(kinds[1]))
		f.known[kinds] = out
	}
	return out
}

func compareStates(before, after []PortState) (out []portChange, mixed bool) {
	for _, proto := range verdict.Protocols {
		var edges []int
		for _, list := range [][]PortState{before, after} {
			for i := range list {
				if list[i].Protocol == proto {
					edges = append(edges, int(list[i].Lo), int(list[i].Hi)+1)
				}
			}
		}
		slices.Sort(edges)
		edges = slices.Compact(edges)
		for i := range max(0, len(edges)-1) {
			at := verdict.PortRange{Protocol: proto, Lo: uint16(edges[i]), Hi: uint16(edges[i+1] - 1)}
			was, is := stateAt(before, at), stateAt(after, at)
			_, one := was.Outcome.Verdict()
			_, other := is.Outcome.Verdict()
			mixed = mixed || was.Outcome != 0 && is.Outcome != 0 && !one && !other
			if kind := classifyChange(&was, &is); kind != "" {
				out = addPortChange(out, portChange{kind: kind, before: was, after: is, ports: []verdict.PortRange{at}})
			}
		}
	}
	return out, mixed
}

func stateAt(list []PortState, at verdict.PortRange) PortState {
	for i := range list {
		if s := &list[i]; s.Protocol == at.Protocol && s.Lo <= at.Lo && at.Hi <= s.Hi {
			return *s
		}
	}
	return PortState{}
}

// classifyChange classifies a change of connections; empty for no change.
func classifyChange(was, is *PortState) ChangeKind {
	before, now := was.Outcome&verdict.Allowed != 0, is.Outcome&verdict.Allowed != 0
	opened, closed := now && !before, before && !now
	if before && now && was.Outcome != is.Outcome { // some pods may differ
		opened, closed = is.Outcome == verdict.Allowed, was.Outcome == verdict.Allowed
	}
	switch {
	case opened:
		return Opens
	case closed:
		return Closes
	case was.Outcome != is.Outcome && was.Outcome != 0 && is.Outcome != 0:
		return Differs
	case was.Outcome != is.Outcome: // denied, and an end came or went
		return ""
	case was.Outcome != 0 && !slices.Equal(was.ids, is.ids):
		return Decided
	}
	return ""
}

// addPortChange adds a change, or adds its ports to an equal change.
func addPortChange(all []portChange, c portChange) []portChange {
	for i := range all {
		if o := &all[i]; o.kind == c.kind && o.before.Outcome == c.before.Outcome && o.after.Outcome == c.after.Outcome &&
			slices.Equal(o.before.ids, c.before.ids) && slices.Equal(o.after.ids, c.after.ids) {
			o.ports = verdict.JoinPorts(append(o.ports, c.ports...))
			return all
		}
	}
	return append(all, c)
}

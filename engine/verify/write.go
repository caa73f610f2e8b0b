package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
)

// WrittenFile is a generated first file of expectations.
type WrittenFile struct {
	// Statements are the file's statements as JSON values.
	Statements []map[string]any
	Text       []byte
}

// podUnit holds pods of a namespace that differ only in their nodes.
type podUnit struct {
	space string
	pods  []*model.Pod
}

// unitOutcome holds the verdicts on the connections from one unit to another.
type unitOutcome struct {
	key      string // equal for equal outcomes
	segments []verdict.Segment
	ok       bool // there are such connections
}

// pairBlock holds pairs of units with the same outcome: from each source to each destination.
type pairBlock struct {
	sources, destinations []int
	outcome               unitOutcome
}

// WriteStatements makes statements of the policies' verdicts on the connections between the pods of some
// namespaces, or all if none is given. Undefined verdicts, and verdicts that differ between nodes, become a
// comment. For a single pod it states the connections with outside addresses. It fails without such pods or
// namespaces, and when ctx ends.
func WriteStatements(ctx context.Context, r *revision.Revision, namespaces []string) (*WrittenFile, error) {
	w := &statementWriter{ordinary: map[string][]*model.Pod{}, leftOut: map[string]int{}}
	if err := w.choosePods(r.JudgedCluster(), namespaces); err != nil {
		return nil, err
	}
	w.findOutcomes(verdict.NewClasses(r.Verdicts(), nil))
	w.joinUnits()
	w.writeHead(namespaces)
	for _, b := range w.findBlocks() {
		names := w.unitNames(b.sources) + " → " + w.unitNames(b.destinations)
		w.writePorts(b.outcome.segments, w.unitEnds(b.sources), w.unitEnds(b.destinations), names, false)
	}
	if len(w.units) == 1 && len(w.units[0].pods) == 1 { // the only pod to write statements about
		if err := w.writeAlone(ctx, r, w.units[0].pods[0]); err != nil {
			return nil, err
		}
	}
	return &WrittenFile{w.statements, []byte(w.text.String())}, nil
}

type statementWriter struct {
	ordinary   map[string][]*model.Pod // by namespace
	leftOut    map[string]int
	units      []podUnit
	outcomes   [][]unitOutcome // by source and destination unit
	statements []map[string]any
	text       strings.Builder
}

// choosePods takes the pods of the namespaces.
func (w *statementWriter) choosePods(c *model.Cluster, namespaces []string) error {
	pods := map[string]int{}
	for p := range c.Pods() {
		pods[p.Namespace]++
		if len(namespaces) > 0 && !slices.Contains(namespaces, p.Namespace) {
			continue
		}
		if why, ok := isOrdinary(p); ok {
			w.ordinary[p.Namespace] = append(w.ordinary[p.Namespace], p)
		} else {
			w.leftOut[why]++
		}
	}
	for _, n := range namespaces {
		if pods[n] == 0 && c.Namespace(n) == nil {
			return fmt.Errorf("namespace %s does not exist", n)
		}
	}
	switch {
	case len(w.ordinary) > 0:
	case len(namespaces) == 0:
		return errors.New("no pods that policies select")
	default:
		return fmt.Errorf("no pods in %s that policies select", words.ListSome(namespaces, 3))
	}
	return nil
}

// findOutcomes finds the units and the verdicts on the connections between them.
func (w *statementWriter) findOutcomes(c *verdict.Classes) {
	for _, space := range slices.Sorted(maps.Keys(w.ordinary)) {
		at := map[string]int{}
		for _, p := range w.ordinary[space] {
			like := c.PodClassKey(p)
			if _, ok := at[like]; !ok {
				at[like] = len(w.units)
				w.units = append(w.units, podUnit{space: space})
			}
			u := &w.units[at[like]]
			u.pods = append(u.pods, p)
		}
	}
	w.outcomes = make([][]unitOutcome, len(w.units))
	for i := range w.units {
		w.outcomes[i] = make([]unitOutcome, len(w.units))
		for j := range w.units {
			segments, ok := c.CommonVerdicts(w.units[i].pods[0], w.units[j].pods[0])
			w.outcomes[i][j] = newUnitOutcome(segments, ok)
		}
	}
}

// newUnitOutcome leaves out verdicts that cannot be stated.
func newUnitOutcome(segments []verdict.Segment, ok bool) unitOutcome {
	out := unitOutcome{ok: ok}
	var key strings.Builder
	fmt.Fprint(&key, ok)
	for _, v := range []verdict.Verdict{verdict.Allow, verdict.Deny} {
		for _, p := range portsWithVerdict(segments, v) {
			out.segments = append(out.segments, verdict.Segment{Protocol: p.Protocol, Lo: p.Lo, Hi: p.Hi, Verdict: v})
			fmt.Fprintf(&key, " %s %s %d-%d", v, p.Protocol, p.Lo, p.Hi)
		}
	}
	out.key = key.String()
	return out
}

// portsToAsk returns the ports with a verdict.
func portsWithVerdict(segments []verdict.Segment, v verdict.Verdict) (out []verdict.PortRange) {
	for _, g := range segments {
		if g.Verdict == v {
			out = append(out, verdict.PortRange{Protocol: g.Protocol, Lo: g.Lo, Hi: g.Hi})
		}
	}
	return verdict.JoinPorts(out)
}

// joinUnits joins units of a namespace with the same outcomes to all others.
func (w *statementWriter) joinUnits() {
	known := map[string]int{}
	var units []podUnit
	var at []int // an old unit representing each new one
	for i, u := range w.units {
		var key strings.Builder
		key.WriteString(u.space)
		for j := range w.units {
			key.WriteString("\n" + w.outcomes[i][j].key + "\n" + w.outcomes[j][i].key)
		}
		k, ok := known[key.String()]
		if !ok {
			k = len(units)
			known[key.String()] = k
			units, at = append(units, podUnit{space: u.space}), append(at, i)
		}
		units[k].pods = append(units[k].pods, u.pods...)
	}
	of := make([][]unitOutcome, len(units))
	for i := range units {
		slices.SortFunc(units[i].pods, func(a, b *model.Pod) int { return a.Key.Compare(b.Key) })
		of[i] = make([]unitOutcome, len(units))
		for j := range units {
			of[i][j] = w.outcomes[at[i]][at[j]]
		}
	}
	w.units, w.outcomes = units, of
}

// findBlocks groups the connections with the same outcome, in order of their sources.
func (w *statementWriter) findBlocks() (out []pairBlock) {
	known := map[string]int{}
	for i := range w.units {
		by := map[string]*pairBlock{}
		var order []string
		for j := range w.units {
			o := w.outcomes[i][j]
			if !o.ok {
				continue
			}
			if by[o.key] == nil {
				by[o.key] = &pairBlock{outcome: o}
				order = append(order, o.key)
			}
			by[o.key].destinations = append(by[o.key].destinations, j)
		}
		for _, k := range order {
			key := fmt.Sprint(by[k].destinations) + k
			at, ok := known[key]
			if !ok {
				at = len(out)
				known[key] = at
				out = append(out, *by[k])
			}
			out[at].sources = append(out[at].sources, i)
		}
	}
	return slices.DeleteFunc(out, func(b pairBlock) bool {
		// A single pod has no connection with itself.
		return len(b.sources) == 1 && slices.Equal(b.sources, b.destinations) && len(w.units[b.sources[0]].pods) == 1
	})
}

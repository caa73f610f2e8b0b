package logs

import (
	"cmp"
	"context"

	"slices"
	"strconv"
	"time"

	"rung/engine/logs"
	"rung/model"
	"rung/model/logline"

	"rung/revision"
)

// pileDimension is the property that lines are grouped by.
type pileDimension int

const (
	byNothing pileDimension = iota
	bySource
	byDestination
	byPort
	byRule
	byNamespaces
	dimensions
)

// dimensionNames are the names of the dimensions, each in a sentence and as the title of a
// column.
var dimensionNames = [dimensions][2]string{{"lines", ""}, {"source", "SOURCE"}, {"destination", "DESTINATION"}, {"port", "PORT"}, {"rule", "RULE"},
	{"namespaces", "NAMESPACES"}}

const (
	barCount = 20
	barSpan  = 3 * time.Second // so that all bars are a minute
	rateSpan = 10 * time.Second
)

// linePile is the lines that have something in common.
type linePile struct {
	name, term  string // the filter that finds them
	n, denied   int
	first, last time.Time
	newest      *logs.Entry
	bars        [barCount]int
	lately      int // lines of the last rateSpan
}

// recentRate is how many lines a second came lately.
func (h *linePile) recentRate() float64 { return float64(h.lately) / rateSpan.Seconds() }

// pileKey tells piles apart without making their names.
type pileKey struct {
	a        model.Key
	x, y     string
	rule     logline.RuleRef
	from, to endSpace
}

func (d pileDimension) keyOf(e *logs.Entry) (k pileKey) {
	switch d {
	case bySource:
		k.a, k.x = endKey(&e.Src)
	case byDestination:
		k.a, k.x = endKey(&e.Dst)
	case byPort:
		k.x, k.y = e.Line.Proto, strconv.Itoa(int(e.Line.DstPort))
	case byRule:
		k.rule, k.x = e.Rule, e.Line.Verdict
		if !e.Attributed {
			k.y = e.Line.Name
		}
	case byNamespaces:
		k.from, k.to = spaceOf(&e.Src), spaceOf(&e.Dst)
	}
	return k
}

// endKey is the pod or node, else the address.
func endKey(d *logs.End) (model.Key, string) {
	if d.Key.Kind == "" {
		return model.Key{}, d.Addr
	}
	return d.Key, ""
}

// endSpace is the namespace of an end, or what it is instead of something in one: a node, outside, or, where
// nothing is known of it, as where no cluster is, its address. Of an end without one it is zero.
type endSpace struct {
	namespace, addr string
	node, outside   bool
}

func spaceOf(d *logs.End) endSpace {
	switch {
	case d.Key.Namespace != "":
		return endSpace{namespace: d.Key.Namespace}
	case d.Key.Kind == model.KindNode:
		return endSpace{node: true}
	case d.IsOutside():
		return endSpace{outside: true}
	}
	return endSpace{addr: d.Addr}
}

func (s endSpace) String() string {
	switch {
	case s.node:
		return "(node)"
	case s.outside:
		return "(outside)"
	}
	return cmp.Or(s.namespace, s.addr, "(no address)")
}

// filterTerms returns terms of a filter that tell ends of one side apart that are in no namespace.
func (s endSpace) filterTerms(side string) string {
	is := " " + side + ":"
	not := " not" + is
	switch {
	case s.namespace != "":
		return ""
	case s.node:
		return is + `"node "`
	case s.outside:
		return is + "outside" + not + `"node "`
	case s.addr != "":
		return is + exactValue(s.addr) + not + "outside"
	}
	return not + "." + not + `":"` + not + `"node "`
}

// nameOf returns the common property of the lines of a pile, and the filter term that finds
// them.
func (d pileDimension) nameOf(e *logs.Entry) (name, term string) {
	switch d {
	case bySource:
		name, term = endName(&e.Src)
		return name, "src:" + term
	case byDestination:
		name, term = endName(&e.Dst)
		return name, "dst:" + term
	case byPort:
		return e.Traffic(), "port:" + e.Line.Proto + "/" + strconv.Itoa(int(e.Line.DstPort))
	case byRule:
		return rulePile(e)
	case byNamespaces:
		from, to := spaceOf(&e.Src), spaceOf(&e.Dst)
		return from.String() + " → " + to.String(), "ns:=" + from.namespace + "->=" + to.namespace + from.filterTerms("src") + to.filterTerms("dst")
	}
	return "", ""
}

func endName(d *logs.End) (name, term string) {
	if d.Key.Kind == "" {
		return d.String(), "=" + d.Addr
	}
	name = d.Brief()
	if d.Key.Kind == model.KindNode {
		return name, exactValue("node " + d.Key.Name)
	}
	return name, "=" + d.Key.Namespace + "/" + d.Key.Name
}

// rulePile returns the rule that decided and its verdict, and the filter term for both: a rule
// that changed its verdict has two piles.
func rulePile(e *logs.Entry) (name, term string) {
	name, term = e.Action+" by "+e.RuleText(), " verdict:"+e.Line.Verdict
	switch k := e.Rule.Policy; {
	case !e.Attributed && e.Line.Name == "":
		return name, `"an ACL without a name"` + term
	case !e.Attributed:
		return name, logline.QuoteValue(strconv.Quote(e.Line.Name)) + term
	case IsDeny(e.Rule):
		label := revision.DefaultDeny(k.Namespace, e.Rule.Direction).Label()
		return e.Action + " by " + label, "policy:" + exactValue(label) + term
	default:
		term = "policy:" + exactValue(k.ShortLabel()) + term
	}
	if e.Rule.Rule < 0 {
		return name, term
	}
	return name, term + " rule:" + e.Rule.Direction.Lower() + ":" + strconv.Itoa(e.Rule.Rule)
}

// matchesUpTo are the matches up to a line.
func (f *lineFeed) matchesUpTo(upto uint64) []*logs.Entry {
	out := make([]*logs.Entry, 0, f.matchesBefore(upto))
	for i := range cap(out) {
		out = append(out, f.entryOf(f.matchAt(i)))
	}
	return out
}

// pileUp makes piles of lines, the most lines first. Bars and rates end at a moment: now,
// or, of a log that is not of now, its newest line.
func pileUp(ctx context.Context, lines []*logs.Entry, d pileDimension, end time.Time) ([]*linePile, error) {
	at := map[pileKey]*linePile{}
	var out []*linePile
	for i, e := range lines {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e == nil || e.Gap != nil {
			continue
		}
		k := d.keyOf(e)
		h := at[k]
		if h == nil {
			h = &linePile{first: e.Line.At, last: e.Line.At}
			at[k], out = h, append(out, h)
		}
		h.addEntry(e, end)
	}
	for _, h := range out {
		h.name, h.term = d.nameOf(h.newest)
	}
	slices.SortStableFunc(out, func(a, b *linePile) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.name, b.name)) })
	return out, nil
}

func (h *linePile) addEntry(e *logs.Entry, end time.Time) {
	h.n++
	h.newest = e
	if e.Line.Verdict == "drop" || e.Line.Verdict == "reject" {
		h.denied++
	}
	if e.Line.At.Before(h.first) {
		h.first = e.Line.At
	}
	if e.Line.At.After(h.last) {
		h.last = e.Line.At
	}
	ago := max(0, end.Sub(e.Line.At)) // a node's clock may be ahead
	if bar := int(ago / barSpan); bar < barCount {
		h.bars[barCount-1-bar]++
	}
	if ago < rateSpan {
		h.lately++
	}
}

// stored is from when on a line is taken for one of a stored log: it came long after it
// was written.
const stored = time.Minute

// countingEnd is the moment up to which bars and rates count.
func (f *lineFeed) countingEnd(upto uint64, now time.Time) time.Time {
	n := f.matchesBefore(upto)
	if n == 0 {
		return now
	}
	if e := f.entryOf(f.matchAt(n - 1)); e != nil && e.At.Sub(e.Line.At) > stored {
		return e.Line.At
	}
	return now
}

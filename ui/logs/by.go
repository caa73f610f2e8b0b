package logs

import (
	"cmp"
	"context"
	"rung/ui/logs/line"
	"slices"
	"strconv"
	"time"

	"rung/engine/logs/entries"
	"rung/model"
	"rung/model/logline"
	"rung/model/logquery"
	"rung/revision/connections"
)

// dimension is the property that lines are grouped by.
type dimension int

const (
	byNothing dimension = iota
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

// pile is the lines that have something in common.
type pile struct {
	name, term  string // the filter that finds them
	n, denied   int
	first, last time.Time
	newest      *entries.Entry
	bars        [barCount]int
	lately      int // lines of the last rateSpan
}

// rate is how many lines a second came lately.
func (h *pile) rate() float64 { return float64(h.lately) / rateSpan.Seconds() }

// pileKey tells piles apart without making their names.
type pileKey struct {
	a        model.Key
	x, y     string
	rule     logline.RuleRef
	from, to space
}

func (d dimension) key(e *entries.Entry) (k pileKey) {
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
func endKey(d *entries.End) (model.Key, string) {
	if d.Key.Kind == "" {
		return model.Key{}, d.Addr
	}
	return d.Key, ""
}

// space is the namespace of an end, or what it is instead of something in one: a node, outside, or, where
// nothing is known of it, as where no cluster is, its address. Of an end without one it is zero.
type space struct {
	namespace, addr string
	node, outside   bool
}

func spaceOf(d *entries.End) space {
	switch {
	case d.Key.Namespace != "":
		return space{namespace: d.Key.Namespace}
	case d.Key.Kind == model.KindNode:
		return space{node: true}
	case d.IsOutside():
		return space{outside: true}
	}
	return space{addr: d.Addr}
}

func (s space) String() string {
	switch {
	case s.node:
		return "(node)"
	case s.outside:
		return "(outside)"
	}
	return cmp.Or(s.namespace, s.addr, "(no address)")
}

// terms returns terms of a filter that tell ends of one side apart that are in no namespace.
func (s space) terms(side string) string {
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
		return is + exact(s.addr) + not + "outside"
	}
	return not + "." + not + `":"` + not + `"node "`
}

// name returns the common property of the lines of a pile, and the filter term that finds
// them.
func (d dimension) name(e *entries.Entry) (name, term string) {
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
		return from.String() + " → " + to.String(), "ns:=" + from.namespace + "->=" + to.namespace + from.terms("src") + to.terms("dst")
	}
	return "", ""
}

func endName(d *entries.End) (name, term string) {
	if d.Key.Kind == "" {
		return d.String(), "=" + d.Addr
	}
	name = d.Brief()
	if d.Key.Kind == model.KindNode {
		return name, exact("node " + d.Key.Name)
	}
	return name, "=" + d.Key.Namespace + "/" + d.Key.Name
}

// rulePile returns the rule that decided and its verdict, and the filter term for both: a rule
// that changed its verdict has two piles.
func rulePile(e *entries.Entry) (name, term string) {
	name, term = e.Action+" by "+e.RuleText(), " verdict:"+e.Line.Verdict
	switch k := e.Rule.Policy; {
	case !e.Attributed && e.Line.Name == "":
		return name, `"an ACL without a name"` + term
	case !e.Attributed:
		return name, logquery.QuoteValue(strconv.Quote(e.Line.Name)) + term
	case line.IsDeny(e.Rule):
		label := connections.DefaultDeny(k.Namespace, e.Rule.Direction).Label()
		return e.Action + " by " + label, "policy:" + exact(label) + term
	default:
		term = "policy:" + exact(k.ShortLabel()) + term
	}
	if e.Rule.Rule < 0 {
		return name, term
	}
	return name, term + " rule:" + e.Rule.Direction.Lower() + ":" + strconv.Itoa(e.Rule.Rule)
}

// matching are the matches up to a line.
func (f *feed) matching(upto uint64) []*entries.Entry {
	out := make([]*entries.Entry, 0, f.before(upto))
	for i := range cap(out) {
		out = append(out, f.entry(f.at(i)))
	}
	return out
}

// pileUp makes piles of lines, the most lines first. Bars and rates end at a moment: now,
// or, of a log that is not of now, its newest line.
func pileUp(ctx context.Context, lines []*entries.Entry, d dimension, end time.Time) ([]*pile, error) {
	at := map[pileKey]*pile{}
	var out []*pile
	for i, e := range lines {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e == nil || e.Gap != nil {
			continue
		}
		k := d.key(e)
		h := at[k]
		if h == nil {
			h = &pile{first: e.Line.At, last: e.Line.At}
			at[k], out = h, append(out, h)
		}
		h.add(e, end)
	}
	for _, h := range out {
		h.name, h.term = d.name(h.newest)
	}
	slices.SortStableFunc(out, func(a, b *pile) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.name, b.name)) })
	return out, nil
}

func (h *pile) add(e *entries.Entry, end time.Time) {
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

// end is the moment up to which bars and rates count.
func (f *feed) end(upto uint64, now time.Time) time.Time {
	n := f.before(upto)
	if n == 0 {
		return now
	}
	if e := f.entry(f.at(n - 1)); e != nil && e.At.Sub(e.Line.At) > stored {
		return e.Line.At
	}
	return now
}

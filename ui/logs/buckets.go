package logs

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"rung/engine/logs"
	"rung/model"
	"rung/model/logline"
	"rung/revision"
)

// bucketDimension is a property to group lines by.
type bucketDimension int

const (
	ungrouped bucketDimension = iota
	bySource
	byDestination
	byPort
	byRule
	byNamespaces
)

// dimensions lists the dimensions: key in the dialog, name in a sentence, title of the column, and nameOf,
// which returns the group of a line with the filter term that matches the group.
var dimensions = [...]struct {
	key, name, title string
	nameOf           func(*logs.Entry) (name, term string)
}{
	ungrouped:     {key: "l", name: "lines"},
	bySource:      {"s", "source", "SOURCE", func(e *logs.Entry) (string, string) { return endBucket(&e.Src, "src:") }},
	byDestination: {"d", "destination", "DESTINATION", func(e *logs.Entry) (string, string) { return endBucket(&e.Dst, "dst:") }},
	byPort: {"p", "port", "PORT", func(e *logs.Entry) (string, string) {
		return e.Traffic(), "port:" + e.Line.Proto + "/" + strconv.Itoa(int(e.Line.DstPort))
	}},
	byRule:       {"r", "rule", "RULE", ruleBucket},
	byNamespaces: {"n", "namespaces", "NAMESPACES", namespacesBucket},
}

const (
	barCount = 20
	barSpan  = 3 * time.Second // all bars together are a minute
	rateSpan = 10 * time.Second
)

// lineBucket is a group of lines.
type lineBucket struct {
	name, term  string // filter term that matches the group
	n, denied   int
	first, last time.Time
	newest      *logs.Entry
	bars        [barCount]int
	lately      int // lines within the last rateSpan
}

// endBucket returns the pod or node of an end, else its address.
func endBucket(d *logs.End, field string) (name, term string) {
	switch d.Key.Kind {
	case "":
		return d.String(), field + "=" + d.Addr
	case model.KindNode:
		return d.Brief(), field + exactValue("node "+d.Key.Name)
	}
	return d.Brief(), field + "=" + d.Key.Namespace + "/" + d.Key.Name
}

// namespacesBucket returns the namespaces of both ends.
func namespacesBucket(e *logs.Entry) (name, term string) {
	from, terms := endNamespace(&e.Src, "src")
	to, more := endNamespace(&e.Dst, "dst")
	return from + " → " + to, "ns:=" + e.Src.Key.Namespace + "->=" + e.Dst.Key.Namespace + terms + more
}

// endNamespace returns the namespace of an end, else "(node)", "(outside)" or, for an unknown end, its
// address. terms distinguish ends without a namespace.
func endNamespace(d *logs.End, side string) (name, terms string) {
	is := " " + side + ":"
	not := " not" + is
	switch {
	case d.Key.Namespace != "":
		return d.Key.Namespace, ""
	case d.Key.Kind == model.KindNode:
		return "(node)", is + `"node "`
	case d.IsOutside():
		return "(outside)", is + "outside" + not + `"node "`
	case d.Addr != "":
		return d.Addr, is + exactValue(d.Addr) + not + "outside"
	}
	return "(no address)", not + "." + not + `":"` + not + `"node "`
}

// ruleBucket returns the deciding rule and its verdict, with the filter term for both. A rule that changed its
// verdict has two groups.
func ruleBucket(e *logs.Entry) (name, term string) {
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

// matchesUpTo returns the matches up to a line.
func (f *lineFeed) matchesUpTo(upto uint64) []*logs.Entry {
	out := make([]*logs.Entry, 0, f.matchesBefore(upto))
	for i := range cap(out) {
		out = append(out, f.findEntry(f.matches[i]))
	}
	return out
}

// countBuckets groups lines, largest group first. Bars and rates end at end: now, or for a stored log its newest
// line.
func countBuckets(ctx context.Context, lines []*logs.Entry, d bucketDimension, end time.Time) ([]*lineBucket, error) {
	byTerm := map[string]*lineBucket{}
	for i, e := range lines {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e == nil || e.Gap != nil {
			continue
		}
		name, term := dimensions[d].nameOf(e)
		h := byTerm[term]
		if h == nil {
			h = &lineBucket{term: term, first: e.Line.At, last: e.Line.At}
			byTerm[term] = h
		}
		h.name = name // the newest line's name
		h.addEntry(e, end)
	}
	return slices.SortedFunc(maps.Values(byTerm), func(a, b *lineBucket) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.name, b.name), cmp.Compare(a.term, b.term))
	}), nil
}

func (h *lineBucket) addEntry(e *logs.Entry, end time.Time) {
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

// stored is the delay between writing and arrival from which a line counts as part of a stored log.
const stored = time.Minute

// countingEnd returns the time at which bars and rates end.
func (f *lineFeed) countingEnd(upto uint64, now time.Time) time.Time {
	n := f.matchesBefore(upto)
	if n == 0 {
		return now
	}
	if e := f.findEntry(f.matches[n-1]); e != nil && e.At.Sub(e.Line.At) > stored {
		return e.Line.At
	}
	return now
}

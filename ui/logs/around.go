package logs

import (
	"slices"
	"sort"

	"rung/model/words"
	"rung/ui/view"
)

// arounds are how many lines may be shown before and after each match.
var arounds = []int{0, 1, 2, 3, 5, 10, 20, 50}

// spread are the lines of a feed with those around them.
type spread struct {
	n    int // lines before and after a match; 0: the matches alone
	seqs []uint64
	of   spreadOf
}

// spreadOf is what the lines were worked out from.
type spreadOf struct {
	n, matches           int
	low, high, base, end uint64
}

// bring works the lines out where something changed.
func (s *spread) bring(f *feed, upto uint64) {
	of := spreadOf{s.n, f.len(), f.low, f.high, f.base(), min(upto, f.last())}
	if s.n == 0 || of == s.of {
		return
	}
	s.of, s.seqs = of, s.seqs[:0]
	var before []uint64 // those that are shown should a match follow
	next, after := 0, 0
	for i, about := range f.about {
		seq := f.base() + uint64(i)
		switch {
		case seq > upto:
			return
		case !about:
			continue
		}
		for next < f.len() && f.at(next) < seq {
			next++
		}
		switch {
		case next < f.len() && f.at(next) == seq:
			s.seqs = append(append(s.seqs, before...), seq)
			before, after = before[:0], s.n
		case after > 0:
			s.seqs = append(s.seqs, seq)
			after--
		default:
			if len(before) == s.n {
				before = slices.Delete(before, 0, 1)
			}
			before = append(before, seq)
		}
	}
}

// has says whether a line is among the matches.
func (f *feed) has(seq uint64) bool {
	i := sort.Search(f.len(), func(i int) bool { return f.at(i) >= seq })
	return i < f.len() && f.at(i) == seq
}

const aroundMatches = "lines around are for the lines that match a filter"

// widen shows more lines around each match, or fewer.
func (v *walk) widen(env *view.Env, d int) {
	if v.feed.query.Empty() || v.list.group {
		env.Fail("%s", aroundMatches)
		return
	}
	i := slices.Index(arounds, v.list.around.n) + d
	if i < 0 || i >= len(arounds) {
		return
	}
	v.list.around = spread{n: arounds[i]}
	v.bring()
	if n := arounds[i]; n == 0 {
		env.Say("matches only")
	} else {
		env.Say("%s before and after each match", words.Total(uint64(n), "line"))
	}
}

package manifests

import (
	"slices"
	"strconv"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// AlignedPair is a step from an old list to a new one.
type AlignedPair struct {
	Old, New int // indexes; -1 for an added (Old) or a removed (New) element
}

// AlignLists matches the elements of two lists: first as many equal ones in order as possible, then, between
// these, elements at the same place.
func AlignLists(old, want []any) (out []AlignedPair) {
	var distinct []any
	numbers := func(list []any) []string {
		out := make([]string, len(list))
		for i, v := range list {
			n := slices.IndexFunc(distinct, func(d any) bool { return equalValues(d, v) })
			if n < 0 {
				n, distinct = len(distinct), append(distinct, v)
			}
			out[i] = strconv.Itoa(n)
		}
		return out
	}
	i, j := 0, 0
	end := lcs.Diff{End: len(want), ReplEnd: len(old)}
	for _, d := range append(lcs.DiffLines(numbers(want), numbers(old)), end) {
		for ; i < d.ReplEnd && j < d.End; i, j = i+1, j+1 {
			out = append(out, AlignedPair{i, j})
		}
		for ; i < d.ReplEnd; i++ {
			out = append(out, AlignedPair{i, -1})
		}
		for ; j < d.End; j++ {
			out = append(out, AlignedPair{-1, j})
		}
	}
	return out
}

// maxAlign bounds the work of aligning two lists; API lists have 100 elements.
const maxAlign = 4_000_000

package model

import (
	"iter"
	"slices"
)

// MapList applies f to every element. The result is never null in JSON.
func MapList[T, U any](in []T, f func(T) U) []U {
	out := make([]U, len(in))
	for i, x := range in {
		out[i] = f(x)
	}
	return out
}

// MapSeq applies f to every element; nil if there are none.
func MapSeq[T, U any](in iter.Seq[T], f func(T) U) (out []U) {
	for x := range in {
		out = append(out, f(x))
	}
	return out
}

// Filter returns the elements that fit, nil if none does.
func Filter[T any](in []T, fits func(T) bool) []T { return FilterSeq(slices.Values(in), fits) }

// FilterSeq returns the elements that fit, nil if none does.
func FilterSeq[T any](in iter.Seq[T], fits func(T) bool) (out []T) {
	for x := range in {
		if fits(x) {
			out = append(out, x)
		}
	}
	return out
}

// AppendNew appends the elements that the list does not have yet.
func AppendNew[T comparable](list []T, more ...T) []T {
	for _, x := range more {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}

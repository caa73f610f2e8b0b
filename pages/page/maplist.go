package page

// MapList applies f to every element. The result is never null in JSON.
func MapList[T, U any](in []T, f func(T) U) []U {
	out := make([]U, len(in))
	for i, x := range in {
		out[i] = f(x)
	}
	return out
}

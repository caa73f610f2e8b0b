package page

// MapList is a list made of another, element by element; in JSON it is never null.
func MapList[T, U any](in []T, f func(T) U) []U {
	out := make([]U, len(in))
	for i, x := range in {
		out[i] = f(x)
	}
	return out
}

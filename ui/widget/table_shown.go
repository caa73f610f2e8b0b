package widget

import "iter"

// Shown walks the rows that the filter lets through, as they stand on the screen.
func (t *Table[T]) Shown() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, i := range t.shown {
			if !yield(t.items[i]) {
				return
			}
		}
	}
}

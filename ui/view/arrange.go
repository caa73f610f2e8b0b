package view

import "rung/ui/widget"

// LogSetup holds how log lines are shown, for the next page of them. Unset fields are the page's own.
type LogSetup struct {
	Columns []string
	Clock   string
}

// Arranged is a view whose lines can be sorted and shown wide.
type Arranged interface {
	Arrangement() widget.Arrangement
	ArrangeBy(a widget.Arrangement)
}

// ColumnChooser is a view whose columns are chosen by name.
type ColumnChooser interface {
	// ChooseColumns sets the columns; it returns an unknown name, if any, and all known ones.
	ChooseColumns(names []string) (unknown string, known []string)
}

// Arrangement returns the widget's arrangement, zero if it has none.
func (l List) Arrangement() widget.Arrangement {
	if a, ok := l.Widget.(Arranged); ok {
		return a.Arrangement()
	}
	return widget.Arrangement{}
}

// ArrangeBy arranges the widget, if possible.
func (l List) ArrangeBy(to widget.Arrangement) {
	if a, ok := l.Widget.(Arranged); ok {
		a.ArrangeBy(to)
	}
}

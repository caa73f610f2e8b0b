package view

import "rung/ui/widget"

// LogSetup is how lines of the log are shown, for the next page of them. Unset fields are the
// page's own.
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
	// ChooseColumns gives it columns; a name that it does not know is returned with those that it does.
	ChooseColumns(names []string) (unknown string, known []string)
}

// Arrangement is how the widget is arranged, where it can be.
func (l List) Arrangement() widget.Arrangement {
	if a, ok := l.Of.(Arranged); ok {
		return a.Arrangement()
	}
	return widget.Arrangement{}
}

// ArrangeBy arranges the widget, where it can be.
func (l List) ArrangeBy(to widget.Arrangement) {
	if a, ok := l.Of.(Arranged); ok {
		a.ArrangeBy(to)
	}
}

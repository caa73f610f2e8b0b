package view

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"rung/ui/nav"
	"rung/ui/widget"
)

// PageSetup is how a page of a kind was last set up by the user. An unset field leaves the page as it is by itself.
type PageSetup struct {
	Filter string             `json:"filter,omitempty"`
	Table  widget.Arrangement `json:"table,omitzero"`
	// Columns and Clock are those of log lines.
	Columns []string `json:"columns,omitempty"`
	Clock   string   `json:"clock,omitempty"`
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

// PageSetups are how pages were last set up, for the next page of their kind and for the next start.
// The zero value keeps nothing yet.
type PageSetups struct {
	by map[nav.PageKind]PageSetup
	// kept has the kinds whose setup of an earlier start no page has taken up yet.
	kept map[nav.PageKind]bool
}

// ChangeSetup changes what is kept of a kind of page.
func (k *PageSetups) ChangeSetup(kind nav.PageKind, f func(*PageSetup)) {
	if k == nil {
		return
	}
	if k.by == nil {
		k.by = map[nav.PageKind]PageSetup{}
	}
	s := k.by[kind]
	f(&s)
	k.by[kind] = s
}

// SetupOf returns what is kept of a kind of page.
func (k *PageSetups) SetupOf(kind nav.PageKind) PageSetup {
	if k == nil {
		return PageSetup{}
	}
	return k.by[kind]
}

// TakeKept returns the setup that an earlier start kept of a kind of page, once.
func (k *PageSetups) TakeKept(kind nav.PageKind) (s PageSetup, ok bool) {
	if !k.kept[kind] {
		return s, false
	}
	delete(k.kept, kind)
	return k.by[kind], true
}

// EncodeSetups is the text of what is kept, the same for the same.
func (k *PageSetups) EncodeSetups() []byte {
	all := maps.Clone(k.by)
	maps.DeleteFunc(all, func(_ nav.PageKind, s PageSetup) bool {
		return s.Filter == "" && s.Table == widget.Arrangement{} && len(s.Columns) == 0 && s.Clock == ""
	})
	text, _ := json.MarshalIndent(all, "", "  ") // strings and booleans
	return append(text, '\n')
}

// DecodeSetups takes up what an earlier start kept. Kinds of pages that there are no more are left out.
func (k *PageSetups) DecodeSetups(text []byte) error {
	var all map[nav.PageKind]PageSetup
	if err := json.Unmarshal(text, &all); err != nil {
		return fmt.Errorf("how pages were set up: %w", err)
	}
	*k = PageSetups{by: map[nav.PageKind]PageSetup{}, kept: map[nav.PageKind]bool{}}
	for kind, s := range all {
		if slices.Contains(nav.Alone, kind) {
			k.by[kind], k.kept[kind] = s, true
		}
	}
	return nil
}

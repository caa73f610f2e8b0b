package ui

import (
	"fmt"
	"strings"

	"rung/model/words"
	"rung/ui/view"
	"rung/ui/widget"
)

// arrangeAs sorts a page and sets its columns as a saved view says; an unknown column gives an error message.
func arrangeAs(m *rootModel, e *trailEntry, name string) {
	saved, ok := m.opt.Views[name]
	if !ok {
		return
	}
	wrong := func(column, columns string) {
		m.showToast(view.ToastAsk{Text: fmt.Sprintf("view %s: no column %s (columns: %s)", name, column, columns), Bad: true})
	}
	if a, is := e.view.(view.Arranged); is && (saved.Sort != "" || saved.Wide) {
		title, isDescending := strings.CutPrefix(strings.ToUpper(saved.Sort), "-")
		a.ArrangeBy(widget.Arrangement{Sort: title, IsDescending: isDescending, Wide: saved.Wide})
		if title != "" && a.Arrangement().Sort == "" {
			wrong(title, columnTitles(e.view))
		}
	}
	if c, is := e.view.(view.ColumnChooser); is && len(saved.Columns) > 0 {
		if unknown, columns := c.ChooseColumns(saved.Columns); unknown != "" {
			wrong(unknown, strings.Join(columns, ", "))
		}
	}
}

// columnTitles lists the titles of a page's columns.
func columnTitles(v view.View) string {
	var out []string
	if h, ok := v.(view.ColumnHelper); ok {
		for _, c := range h.ColumnHelps() {
			out = append(out, c.Title)
		}
	}
	return words.OrNone(strings.Join(out, ", "))
}

package ui

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"rung/engine/statedir"
	"rung/model/words"
	"rung/revision"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// keptSetups are how pages are set up, and the file that keeps it for the next start.
type keptSetups struct {
	view.PageSetups
	dir, identity string
	text          []byte // as it was last given to be written, or read
	writer        *setupsWriter
}

// setupsWriter writes what is kept, the newest last whichever goroutine is first.
type setupsWriter struct {
	mu      sync.Mutex
	number  int // of texts given
	written int
}

// setupsIdentity names a cluster or a path in the state folder.
func setupsIdentity(m revision.Mode) string { return m.Name + ":" + m.Title + ":" + m.Server }

// readSetups reads what an earlier start kept for a console.
func readSetups(dir string, console Console, fresh bool) (s keptSetups, err error) {
	s = keptSetups{dir: dir, identity: setupsIdentity(console.Revision().Mode), writer: &setupsWriter{}}
	s.text = s.EncodeSetups()
	if fresh {
		return s, nil
	}
	text, err := statedir.ReadViews(dir, s.identity)
	if err != nil || text == nil {
		return s, err
	}
	err = s.DecodeSetups(text)
	s.text = s.EncodeSetups()
	return s, err
}

// beginPage sets a page up as an earlier start left the last one of its kind, once.
func (s *keptSetups) beginPage(m *rootModel, e *trailEntry) {
	arrangeAs(m, e, e.page.View)
	if e.page != nav.PageOf(e.page.Kind) {
		return
	}
	set, ok := s.TakeKept(e.page.Kind)
	if !ok {
		return
	}
	if a, is := e.view.(view.Arranged); is {
		a.ArrangeBy(set.Table)
	}
	if set.Filter != "" {
		m.setFilter(e, set.Filter)
	}
}

// arrangeAs sorts a page and gives it its columns as a saved view says; a column that it has not is said.
func arrangeAs(m *rootModel, e *trailEntry, name string) {
	saved, ok := m.opt.Views[name]
	if !ok {
		return
	}
	wrong := func(column, columns string) {
		m.sayToast(view.ToastAsk{Text: fmt.Sprintf("view %s: no column %s (columns: %s)", name, column, columns), Bad: true})
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

// columnTitles are the titles of the columns of a page.
func columnTitles(v view.View) string {
	var out []string
	if h, ok := v.(view.ColumnHelper); ok {
		for _, c := range h.ColumnHelps() {
			out = append(out, c.Title)
		}
	}
	return words.OrNone(strings.Join(out, ", "))
}

// notePage takes in how the page on top is set up; the command writes it down, nil where nothing changed.
// A filter is taken once it is typed.
func (s *keptSetups) notePage(e *trailEntry) tea.Cmd {
	if s.writer == nil || e.view == nil || e.page != nav.PageOf(e.page.Kind) {
		return nil
	}
	was := s.SetupOf(e.page.Kind)
	now := was
	now.Filter = e.filter
	if a, ok := e.view.(view.Arranged); ok {
		now.Table = a.Arrangement()
	}
	if now.Filter != was.Filter || now.Table != was.Table {
		s.ChangeSetup(e.page.Kind, func(p *view.PageSetup) { p.Filter, p.Table = now.Filter, now.Table })
	}
	text := s.EncodeSetups()
	if bytes.Equal(text, s.text) {
		return nil
	}
	s.text = text
	s.writer.number++
	return s.writer.writeCommand(s.dir, s.identity, text, s.writer.number)
}

// writeCommand writes one text, unless a newer one was written.
func (w *setupsWriter) writeCommand(dir, identity string, text []byte, number int) tea.Cmd {
	return func() tea.Msg {
		w.mu.Lock()
		defer w.mu.Unlock()
		if number < w.written {
			return nil
		}
		w.written = number
		if err := statedir.WriteViews(dir, identity, text); err != nil {
			return jobMsg{result: view.ToastAsk{Text: err.Error(), Bad: true}}
		}
		return nil
	}
}

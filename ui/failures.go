package ui

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"charm.land/lipgloss/v2"

	"rung/model/words"
)

// internalErrors holds the internal errors that ended only one page or one part of a revision.
type internalErrors struct {
	mu      sync.Mutex
	reports map[string]string // one-line errors, by activity and panic value
	unshown string            // the newest error not yet shown as a message
}

// report writes the report of an internal error to the state folder, and returns the error in one line. Equal
// errors are reported once.
func (e *internalErrors) report(stateDir, doing string, what any) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := fmt.Sprintf("%s: %v", doing, what)
	if had, is := e.reports[key]; is {
		return had
	}
	text := fmt.Sprintf("internal error while %s: %s", doing, writeReport(stateDir, time.Now(), what, doing))
	if e.reports == nil {
		e.reports = map[string]string{}
	}
	e.reports[key], e.unshown = text, text
	return text
}

// takeUnshown returns the newest error not yet shown, and marks it as shown.
func (e *internalErrors) takeUnshown() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	text := e.unshown
	e.unshown = ""
	return text
}

// reportPrepared returns the reporter for errors while preparing revisions; nil in tests, which panic instead.
func (m *rootModel) reportPrepared() func(doing string, what any) {
	if m.inline {
		return nil
	}
	errs, dir := m.internal, m.opt.StateDir
	return func(doing string, what any) { errs.report(dir, doing, what) }
}

// guardPage does work for one page and returns its internal error in one line, empty if none.
func (m *rootModel) guardPage(doing string, do func()) (failure string) {
	if !m.inline {
		defer func() {
			if what := recover(); what != nil {
				failure = m.internal.report(m.opt.StateDir, doing, what)
			}
		}()
	}
	do()
	return ""
}

// failureBody draws a page that failed.
func failureBody(text string, w, h int) string {
	lines := strings.Split(lipgloss.Wrap("This page cannot be shown: "+words.CleanText(text)+". Other pages work: esc goes back.", max(w, 1),
		""), "\n")
	return strings.Join(lines[:min(len(lines), h)], "\n")
}

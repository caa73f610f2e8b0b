package logs

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"rung/engine/logs"
	"rung/engine/statedir"
	"rung/model"
	"rung/model/logline"
	"rung/model/words"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// SaveText returns every line shown.
func (v *logPage) SaveText(*view.Env) string { return linesText(v.shownEntries(), fullLine) }

// ColumnHelps explains the columns of groups; lines have no titles.
func (v *logPage) ColumnHelps() []widget.ColumnHelp {
	if v.buckets.table == nil {
		return nil
	}
	return v.buckets.table.ColumnHelps()
}

// shownEntries returns the entries of the list, oldest first.
func (v *lineWalk) shownEntries() []*logs.Entry { return v.feed.matchesUpTo(v.shownTo()) }

// chosenEntries returns the marked entries of the list, or all if none is marked.
func (v *lineWalk) chosenEntries() (entries []*logs.Entry, marked bool) {
	for _, seq := range slices.Sorted(maps.Keys(v.marked)) {
		if _, isMatch := slices.BinarySearch(v.feed.matches, seq); isMatch {
			entries = append(entries, v.feed.findEntry(seq))
		}
	}
	if len(entries) > 0 {
		return entries, true
	}
	return v.shownEntries(), false
}

// chosenText counts chosen entries.
func chosenText(entries []*logs.Entry, marked bool) string {
	if marked {
		return words.Count(len(entries), "marked line")
	}
	return words.Count(len(entries), "line") + " shown"
}

// markLine marks the line under the cursor, or takes its mark away.
func (v *lineWalk) markLine(env *view.Env) {
	i := v.cursorLine()
	if i < 0 {
		return
	}
	it := v.list.lineAt(i)
	if it.near {
		env.ShowFailure("lines around a match cannot be marked")
		return
	}
	if v.marked == nil {
		v.marked = map[uint64]bool{}
	}
	if v.marked[it.seq] {
		delete(v.marked, it.seq)
	} else {
		v.marked[it.seq] = true
	}
}

// linesText joins the texts of entries.
func linesText(entries []*logs.Entry, text func(*logs.Entry) string) string {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(text(e))
	}
	return b.String()
}

// fullLine returns an entry with its raw line below.
func fullLine(e *logs.Entry) string {
	if e.Gap != nil {
		return sentenceLine(e)
	}
	return sentenceLine(e) + "    " + e.Line.Raw + "\n"
}

// sentenceLine returns an entry with its time, in UTC as in every file.
func sentenceLine(e *logs.Entry) string {
	at := e.Line.At.UTC().Format("2006-01-02T15:04:05.000Z")
	zone := words.Choose(e.Gap == nil, e.Line.Zone+"  ", "")
	return at + "  " + zone + e.Sentence() + "\n"
}

// commandText returns the command that prints the lines of a page.
func commandText(p nav.Page, filter string) string {
	filter = strings.TrimSpace(pageTerm(p) + " " + filter)
	if filter == "" {
		return words.ShellJoin("rung", "logs", "--follow")
	}
	return words.ShellJoin("rung", "logs", "--follow", "--filter", filter)
}

// pageTerm returns the filter term for the page's subject.
func pageTerm(p nav.Page) string {
	switch k := p.Key; {
	case k.Name == "":
		return ""
	case k.Kind == model.KindPod:
		return "pod:=" + k.Namespace + "/" + k.Name
	case p.Dir != "":
		return "policy:" + exactValue(k.ShortLabel()) + " rule:" + p.Dir.Lower() + ":" + strconv.Itoa(p.Rule)
	default:
		return "policy:" + exactValue(k.ShortLabel())
	}
}

// exactValue returns the filter value that matches a whole name.
func exactValue(name string) string {
	if strings.ContainsAny(name, " ,\"") {
		return logline.QuoteValue("=" + name)
	}
	return "=" + name
}

// rawLine returns the raw line, which Rung and other tools can read again; empty for a gap.
func rawLine(e *logs.Entry) string {
	if e.Gap != nil {
		return ""
	}
	return e.Line.Raw + "\n"
}

// rawEnd is the extension of files with raw lines only.
const rawEnd = ".log"

// askSave asks where to write the marked lines, or all lines shown now.
func askSave(env *view.Env, walk *lineWalk) {
	entries, marked := walk.chosenEntries()
	if len(entries) == 0 {
		env.ShowFailure("no lines to save")
		return
	}
	env.AskDialog(&view.PromptDialog{Title: "save " + words.Count(len(entries), words.Choose(marked, "marked line", "line")),
		Label: "Path of the file; the ending " + rawEnd + " saves only the raw lines.",
		Value: filepath.Join(env.SavedDir(), "log-"+env.FileStamp()+".txt"),
		Check: func(path string) string { return words.Choose(strings.TrimSpace(path) == "", "a path is missing", "") },
		Done:  func(env *view.Env, path string) { saveTo(env, strings.TrimSpace(path), entries, false) }})
}

// saveTo writes the lines; an existing file is replaced only if replace is set.
func saveTo(env *view.Env, path string, entries []*logs.Entry, replace bool) {
	env.Run("saving the log", func(context.Context) any {
		text := words.Choose(strings.EqualFold(filepath.Ext(path), rawEnd), rawLine, fullLine)
		at, err := statedir.SaveAs(path, []byte(linesText(entries, text)), replace)
		return savedResult{at, entries, err}
	})
}

type savedResult struct {
	path    string
	entries []*logs.Entry
	err     error
}

// reportSaved reports the outcome of saving; if the file exists it asks.
func (s savedResult) reportSaved(env *view.Env) {
	n := words.Count(uint64(len(s.entries)), "line")
	switch {
	case errors.Is(s.err, statedir.ErrExists):
		env.AskDialog(&view.ConfirmDialog{Title: "replace the file?", Body: []string{s.path + " exists already.",
			"It will be overwritten with " + n + " of the log."},
			YesText: "replace it", Yes: func(env *view.Env) { saveTo(env, s.path, s.entries, true) }})
	case s.err != nil:
		env.ShowFailure("saving the log: %v", s.err)
	default:
		env.ShowText("saved %s to %s", n, s.path)
	}
}

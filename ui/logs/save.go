package logs

import (
	"context"
	"errors"
	"path/filepath"
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

// SaveText is the text of the page: every line that is shown.
func (v *logPage) SaveText(*view.Env) string { return saveText(v.shownEntries()) }

// ColumnHelps are the columns of lines that are counted; lines themselves have no titles.
func (v *logPage) ColumnHelps() []widget.ColumnHelp {
	if v.piles.table == nil {
		return nil
	}
	return v.piles.table.ColumnHelps()
}

// shownEntries are the entries behind the list, oldest first, at most as many as are
// held.
func (v *lineWalk) shownEntries() []*logs.Entry { return v.feed.matchesUpTo(v.shownTo()) }

func saveText(entries []*logs.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(sentenceLine(e))
		if e.Gap == nil {
			b.WriteString("    " + e.Line.Raw + "\n")
		}
	}
	return b.String()
}

// sentenceLine is an entry with its time, in UTC as in every file.
func sentenceLine(e *logs.Entry) string {
	at := e.Line.At.UTC().Format("2006-01-02T15:04:05.000Z")
	if e.Gap != nil {
		return at + "  " + e.Sentence() + "\n"
	}
	return at + "  " + e.Line.Zone + "  " + e.Sentence() + "\n"
}

// sentencesText are entries without their raw lines.
func sentencesText(entries []*logs.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(sentenceLine(e))
	}
	return b.String()
}

// commandText prints the lines of a page on the command line.
func commandText(p nav.Page, filter string) string {
	filter = strings.TrimSpace(pageTerm(p) + " " + filter)
	if filter == "" {
		return words.ShellJoin("rung", "logs", "--follow")
	}
	return words.ShellJoin("rung", "logs", "--follow", "--filter", filter)
}

// pageTerm finds what a page is about.
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

// exactValue is the value that finds a name as a whole.
func exactValue(name string) string {
	if strings.ContainsAny(name, " ,\"") {
		return logline.QuoteValue("=" + name)
	}
	return "=" + name
}

// rawText are the lines as they were written, which other tools and Rung read again.
func rawText(entries []*logs.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		if e.Gap == nil {
			b.WriteString(e.Line.Raw + "\n")
		}
	}
	return b.String()
}

// rawEnd is how the name of a file ends that gets the raw lines alone.
const rawEnd = ".log"

// askSave asks where the lines that are shown now are to be written.
func askSave(env *view.Env, entries []*logs.Entry) {
	if len(entries) == 0 {
		env.SayFailure("no lines to save")
		return
	}
	env.AskDialog(&view.PromptDialog{Title: "save " + words.Count(uint64(len(entries)), "line"),
		Label: "Path of the file. Ending in " + rawEnd + ": the raw lines alone.",
		Value: filepath.Join(env.SavedDir(), "log-"+env.FileStamp()+".txt"),
		Check: func(path string) string {
			if strings.TrimSpace(path) == "" {
				return "a path is missing"
			}
			return ""
		},
		Done: func(env *view.Env, path string) { saveTo(env, strings.TrimSpace(path), entries, false) }})
}

// saveTo writes the lines; a file that is there is only replaced where that was said.
func saveTo(env *view.Env, path string, entries []*logs.Entry, replace bool) {
	env.Run("saving the log", func(context.Context) any {
		text := saveText
		if strings.EqualFold(filepath.Ext(path), rawEnd) {
			text = rawText
		}
		at, err := statedir.SaveAs(path, []byte(text(entries)), replace)
		return savedResult{at, entries, err}
	})
}

type savedResult struct {
	path    string
	entries []*logs.Entry
	err     error
}

// tellSaved says how saving went; where a file is in the way it asks.
func (s savedResult) tellSaved(env *view.Env) {
	n := words.Count(uint64(len(s.entries)), "line")
	switch {
	case errors.Is(s.err, statedir.ErrExists):
		env.AskDialog(&view.ConfirmDialog{Title: "replace the file?", Body: []string{s.path + " exists already.", "Its text will be lost: " + n +
			" of the log take its place."},
			YesText: "replace it", Yes: func(env *view.Env) { saveTo(env, s.path, s.entries, true) }})
	case s.err != nil:
		env.SayFailure("saving the log: %v", s.err)
	default:
		env.SayText("saved %s to %s", n, s.path)
	}
}
